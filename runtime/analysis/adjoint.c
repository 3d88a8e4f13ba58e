/* SPDX-License-Identifier: MIT
 *
 * Gradients of costs by parameters, backwards: the transpose of the steps of derive_step.c, from the last to the first, so that what a
 * parameter costs is one product with rp, zp, gp, gvp a stage.  The gradient is that which the forward way has, but for rounding.
 *
 * What a step needs (the equations of its stages, the factors; of explicit methods the slopes of the stages) is kept on a tape.
 * When the tape is full the simulation is kept as it is (checkpoint.h), and the tape begins anew; going back, the motion between two checkpoints is
 * integrated again, by the same steps. */
#include "analysis/checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = MBS_DERIVE_STAGES, HEAD = 4 };
/* A row of results at the end of a step, or between its ends; a step that ends before its end; an event */
enum record { STEP, EXPLICIT, ROW, BETWEEN, CUT, EVENT };
static const size_t MEMORY = (size_t)256 << 20;

/* A run, as it was asked for, and how many rounds it had. */
struct past {
    struct mbs_run in;
    long rounds;
};

struct mbs_tape {
    struct mbs_adjoint seen;    /* what the user sees */
    double *data;               /* records: length; what it is; h and how many values the factors have, or t and where the step lies; values; length */
    size_t used, size, limit;   /* doubles */
    int full, segment;          /* the one that stands on the tape */
    struct mbs_checkpoint *point;       /* the start, the checkpoints, the end */
    int room;
    struct past *run;
    int runs, runs_room;
    struct mbs_sim *method;     /* whose methods were changed for others but are needed again */
    int methods, methods_room;
    double *row;                /* of each row of results: t, and q, v, z, y along the direction */
    long rows_room;
    int replay;                 /* rows are known already: */
    long next_row, last_row;    /* they are these */
    size_t step;                /* the last record of an explicit step */
};

static int row_values(const struct mbs_derive *d) { return d->rows + d->sim->model->ny; }

void mbs_tape_free(struct mbs_derive *d)
{
    struct mbs_tape *tape = d->tape;
    if (!tape)
        return;
    for (int i = 0; i < tape->room; i++)
        mbs_checkpoint_free(&tape->point[i]);
    for (int i = 0; i < tape->runs; i++)
        free((void *)tape->run[i].in.times);
    for (int i = 0; i < tape->methods; i++)
        if (tape->method[i].s.self != d->sim->s.self)
            mbs_sim_close(&tape->method[i]);
    free(tape->point);
    free(tape->run);
    free(tape->method);
    free(tape->data);
    free(tape->row);
    free(tape);
    d->tape = NULL;
}

/* ---- forward ---- */

static int out_of_memory(struct mbs_derive *d)
{
    return mbs_fail(&d->sim->msg, MBS_NO_MEMORY, d->out.t, -1, -1, "out of memory for gradients at t = %.9g", d->out.t);
}

/* Place for a record of so many values in all; 0: no memory. */
static int room(struct mbs_tape *tape, size_t all)
{
    if (tape->used + all > tape->size) {
        size_t size = tape->size * 2 > tape->used + all ? tape->size * 2 : tape->used + 64 * all;
        if (size > tape->limit && tape->used + all <= tape->limit)
            size = tape->limit;
        double *data = realloc(tape->data, size * sizeof *data);
        if (!data)
            return 0;
        tape->data = data;
        tape->size = size;
    }
    return 1;
}

double *mbs_tape_room(struct mbs_derive *d, size_t values)
{
    struct mbs_tape *tape = d->tape;
    return room(tape, values + HEAD + 1) ? tape->data + tape->used + HEAD : NULL;
}

/* A record of so many values; NULL: no memory. */
static double *record(struct mbs_tape *tape, enum record what, size_t values, double x, size_t count)
{
    size_t all = values + HEAD + 1;
    if (!room(tape, all))
        return NULL;
    double *r = tape->data + tape->used;
    r[0] = r[all - 1] = (double)all;
    r[1] = what;
    r[2] = x;
    r[3] = (double)count;
    tape->used += all;
    tape->full = tape->used + 2 * all > tape->limit;
    return r + HEAD;
}

static int may_go_on(struct mbs_derive *d)
{
    if (d->tape->replay || d->tape->segment == d->tape->seen.checkpoints)
        return 0;
    return mbs_fail(&d->sim->msg, MBS_BAD_ARGUMENT, d->out.t, -1, -1, "a run cannot go on once its gradient was taken");
}

int mbs_tape_explicit(struct mbs_derive *d)
{
    struct mbs_tape *tape = d->tape;
    size_t at = tape->used;
    double *r = may_go_on(d) ? NULL : record(tape, EXPLICIT, mbs_explicit_size(d), 0, 0);
    if (!r)
        return d->sim->msg.status == MBS_BAD_ARGUMENT ? MBS_BAD_ARGUMENT : MBS_NO_MEMORY;
    mbs_explicit_keep(d, r);
    tape->step = at;
    tape->seen.steps += !tape->replay;
    return 0;
}

int mbs_tape_cut(struct mbs_derive *d)
{
    return record(d->tape, CUT, 0, d->out.t, d->tape->step) ? 0 : out_of_memory(d);
}

int mbs_tape_event(struct mbs_derive *d, const double *A, const double *B)
{
    size_t rows = (size_t)d->rows, np = (size_t)d->np;
    double *r = record(d->tape, EVENT, rows * (rows + np), 0, 0);
    if (!r)
        return out_of_memory(d);
    memcpy(r, A, rows * rows * sizeof *r);
    memcpy(r + rows * rows, B, rows * np * sizeof *r);
    return 0;
}

int mbs_tape_step(struct mbs_derive *d, double h)
{
    int status = may_go_on(d);
    if (status)
        return status;
    size_t kept = mbs_matrix_kept(d->A), K = d->small ? (size_t)(d->n * d->m) : 0;
    double *r = record(d->tape, STEP, STAGES * d->stage_size + K + kept, h, kept);
    if (!r)
        return out_of_memory(d);
    for (int i = 0; i < STAGES; i++, r += d->stage_size)
        mbs_panel_copy((int)d->stage_size, d->stage[i].block, r);
    mbs_panel_copy((int)K, d->K, r);
    if (kept)
        mbs_matrix_keep(d->A, r + K);
    d->tape->seen.steps += !d->tape->replay;
    return 0;
}

int mbs_tape_row(struct mbs_derive *d, const double *y)
{
    struct mbs_tape *tape = d->tape;
    int n = row_values(d) + 1, w = d->all.width;
    int between = mbs_explicit_step(d) && d->out.t != d->sim->s.x.t;
    if (tape->replay && tape->next_row++ >= tape->last_row)
        return 0;
    double *r = record(tape, between ? BETWEEN : ROW, d->row_size, d->out.t, tape->step);
    if (!r)
        return out_of_memory(d);
    memcpy(r, d->row.block, d->row_size * sizeof *r);
    if (tape->replay)
        return 0;
    if (tape->seen.rows == tape->rows_room) {
        long room = 2 * tape->rows_room + 64;
        double *all = realloc(tape->row, (size_t)room * (size_t)n * sizeof *all);
        if (!all)
            return out_of_memory(d);
        tape->row = all;
        tape->rows_room = room;
    }
    r = tape->row + tape->seen.rows++ * n;
    *r++ = d->out.t;
    for (int i = 0; i < d->rows; i++)
        *r++ = d->now[i * w];
    for (int i = 0; i < d->sim->model->ny; i++)
        *r++ = y[i * w];
    return 0;
}

static int no_output(void *user, const struct mbs_state *x, const double *y)
{
    (void)user, (void)x, (void)y;
    return 0;
}

/* The simulation as it stands, as number k: the begin of that segment, or the end of all.  r: the run that is under way; NULL: none. */
static int keep_point(struct mbs_derive *d, int k, const struct mbs_running *r)
{
    struct mbs_tape *tape = d->tape;
    if (k >= tape->room) {
        struct mbs_checkpoint *all = realloc(tape->point, (size_t)(2 * k + 2) * sizeof *all);
        if (!all)
            return out_of_memory(d);
        memset(all + tape->room, 0, (size_t)(2 * k + 2 - tape->room) * sizeof *all);
        tape->point = all;
        tape->room = 2 * k + 2;
    }
    struct mbs_checkpoint *c = &tape->point[k];
    c->number = tape->runs - (r != NULL);
    c->inside = r != NULL;
    c->row = tape->seen.rows;
    if (r)
        c->run = *r;
    return mbs_checkpoint_keep(c, d->sim) ? out_of_memory(d) : 0;
}

static int new_segment(struct mbs_derive *d, const struct mbs_running *r)
{
    struct mbs_tape *tape = d->tape;
    tape->segment = ++tape->seen.checkpoints;
    tape->used = 0;
    tape->full = 0;
    return keep_point(d, tape->segment, r);
}

/* What has become of a simulation from outside, between two runs, is in the checkpoint that begins a segment. */
int mbs_derive_run(const struct mbs_running *r)
{
    struct mbs_sim *sim = r->sim;
    struct mbs_derive *d = sim->derive;
    struct mbs_tape *tape = d->tape;
    if (!tape || tape->replay)
        return 0;
    int status = tape->runs == 0 ? keep_point(d, 0, NULL) : !sim->started && tape->used ? new_segment(d, NULL) : 0;
    if (status)
        return status;
    struct past now = {.in = {.to = r->in->to, .every = r->in->every, .ntimes = r->in->ntimes}};
    size_t bytes = (size_t)r->in->ntimes * sizeof(double);
    double *times = r->in->times ? malloc(bytes + 1) : NULL;
    if ((r->in->times && !times) || mbs_grow(&tape->run, tape->runs + 1, &tape->runs_room, sizeof *tape->run)) {
        free(times);
        return out_of_memory(d);
    }
    if (times)
        memcpy(times, r->in->times, bytes);
    now.in.times = times;
    now.in.output = r->in->output ? no_output : NULL;
    tape->run[tape->runs++] = now;
    return 0;
}

void mbs_derive_leave(const struct mbs_running *r)
{
    struct mbs_tape *tape = r->sim->derive->tape;
    if (tape && !tape->replay && tape->runs)
        tape->run[tape->runs - 1].rounds = r->rounds;
}

/* Methods of other libraries have a memory of their own. */
static int foreign(const struct mbs_sim *sim) { return sim->s.method->step != NULL; }

int mbs_derive_checkpoint(const struct mbs_running *r)
{
    struct mbs_derive *d = r->sim->derive;
    int status;
    if (!d->tape || !d->tape->full || d->tape->replay)
        return 0;
    if ((status = new_segment(d, r)))
        return status;
    return foreign(d->sim) ? mbs_run_anew(d->sim) : 0;
}

int mbs_derive_adopt(struct mbs_sim *sim, const struct mbs_sim *old)
{
    struct mbs_tape *tape = sim->derive ? sim->derive->tape : NULL;
    if (!tape)
        return 0;
    for (int i = 0; i < tape->methods; i++)
        if (tape->method[i].s.self == old->s.self)
            return 1;
    if (mbs_grow(&tape->method, tape->methods + 1, &tape->methods_room, sizeof *tape->method))
        return 0;
    tape->method[tape->methods++] = *old;
    return 1;
}

int mbs_adjoint_begin(struct mbs_sim *sim, int equilibrium, size_t memory)
{
    int status = mbs_border_idle(sim, "mbs_adjoint_begin");
    if (status || (status = mbs_derive_begin(sim, equilibrium, 1)))
        return status;
    struct mbs_derive *d = sim->derive;
    if (!(d->tape = calloc(1, sizeof *d->tape)))
        return out_of_memory(d);
    d->tape->limit = (memory ? memory : MEMORY) / sizeof(double);
    return 0;
}

/* ---- backward ---- */

struct back {
    struct mbs_derive *d;
    int costs, width;
    const double *weights;
    long row;                   /* the next one, going back */
    double *state;              /* rows: of the cost by sq, sv, sz */
    double *params;             /* np */
    double *x, *q, *g;          /* unknowns of all stages; n; m */
    double *al, *seed;          /* twice n + m; q, v, z, y */
    double *between;            /* rows: of the cost by a state between the ends of a step */
    struct mbs_explicit_back explicit;
    void *memory;
};

static void back_layout(struct back *b, struct mbs_work *w)
{
    const struct mbs_derive *d = b->d;
    size_t width = (size_t)b->width;
    b->state = mbs_work_doubles(w, (size_t)d->rows * width + 1);
    b->params = mbs_work_doubles(w, (size_t)d->np * width + 1);
    b->x = mbs_work_doubles(w, (size_t)(STAGES * d->unknowns) * width + 1);
    b->q = mbs_work_doubles(w, (size_t)d->n * width + 1);
    b->g = mbs_work_doubles(w, (size_t)d->m * width + 1);
    b->al = mbs_work_doubles(w, 2 * (size_t)(d->n + d->m) * width + 1);
    b->seed = mbs_work_doubles(w, (size_t)row_values(d) * width + 1);
    b->between = mbs_work_doubles(w, (size_t)d->rows * width + 1);
    if (d->explicit)
        mbs_explicit_back_layout(d, &b->explicit, width, w);
}

/* The weights of this row, all costs side by side; 0 if there are none. */
static int seeds(struct back *b, long row)
{
    int n = row_values(b->d), any = 0;
    memset(b->seed, 0, (size_t)(n * b->width) * sizeof *b->seed);
    for (int c = 0; c < b->costs; c++) {
        const double *w = b->weights + ((size_t)c * (size_t)b->d->tape->seen.rows + (size_t)row) * (size_t)n;
        for (int i = 0; i < n; i++) {
            b->seed[i * b->width + c] = w[i];
            any |= w[i] != 0;
        }
    }
    return any;
}

/* A row of results: y = yq sq + yv sv + ya sa + yl sl + yz sz + yp, with sa and sl from sq, sv, sz, which are the state. */
static int row_back(struct back *b, double *values, double *state)
{
    struct mbs_derive *d = b->d;
    const struct mbs_model *o = d->sim->model;
    const struct mbs_derive_stage *at = &d->row;
    const struct mbs_jacobian *J = &at->jac;
    int w = b->width, n = d->n, status;
    double *q = state, *v = q + n * w, *z = v + n * w, *y = b->seed + d->rows * w, *al = b->al, *g = al + n * w, *right = g + d->m * w;
    mbs_derive_stage_place(&d->row, o, 1, values);
    mbs_panel_add(d->rows * w, 1, b->seed, state);
    mbs_panel_mul_t(&o->yq, at->s.yq, 1, w, y, q);
    mbs_panel_mul_t(&o->yv, at->s.yv, 1, w, y, v);
    mbs_panel_mul_t(&o->yz, at->s.yz, 1, w, y, z);
    mbs_panel_mul_t(&o->yp, at->s.yp, 1, w, y, b->params);
    if (!o->ya.nnz && !o->yl.nnz)
        return 0;
    if ((status = mbs_saddle_factor(d->sim->p.saddle, J->M, J->G)) < 0)
        return status;
    mbs_panel_clear((n + d->m) * w, right);
    mbs_panel_mul_t(&o->ya, at->s.ya, 1, w, y, right);
    mbs_panel_mul_t(&o->yl, at->s.yl, 1, w, y, right + n * w);
    mbs_derive_solve(d, n + d->m, b->costs, w, right, al);      /* the matrix is symmetric */
    mbs_panel_mul_t(&o->rq, J->rq, -1, w, al, q);
    mbs_panel_mul_t(&o->rv, J->rv, -1, w, al, v);
    mbs_panel_mul_t(&o->rz, J->rz, -1, w, al, z);
    mbs_panel_mul_t(&o->rp, at->s.rp, -1, w, al, b->params);
    mbs_panel_mul_t(&o->gaq, J->gaq, -1, w, g, q);
    mbs_panel_mul_t(&o->gav, J->gav, -1, w, g, v);
    mbs_panel_mul_t(&o->gap, at->s.gap, -1, w, g, b->params);
    return 0;
}

static void stage_back(struct back *b, double h, int i)
{
    struct mbs_derive *d = b->d;
    const struct mbs_model *o = d->sim->model;
    const struct mbs_derive_stage *at = &d->stage[i];
    const struct mbs_jacobian *J = &at->jac;
    int w = b->width, n = d->n;
    double *q = b->q, *v = b->state + n * w, *z = v + n * w;
    const double *r = b->x + i * d->unknowns * w, *zr = r + n * w, *g = zr + d->nz * w;
    memset(q, 0, (size_t)(n * w) * sizeof *q);
    mbs_panel_mul_t(&o->rq, J->rq, -1, w, r, q);
    mbs_panel_mul_t(&o->rv, J->rv, -1, w, r, v);
    mbs_panel_mul_t(&o->rp, at->s.rp, -1, w, r, b->params);
    if (d->nz) {
        mbs_panel_mul_t(&o->rz, J->rz, -1, w, r, z);
        mbs_panel_mul_t(&o->zq, J->zq, 1, w, zr, q);
        mbs_panel_mul_t(&o->zv, J->zv, 1, w, zr, v);
        mbs_panel_mul_t(&o->zz, J->zz, 1, w, zr, z);
        mbs_panel_mul_t(&o->zp, at->s.zp, 1, w, zr, b->params);
    }
    if (d->m) {
        mbs_panel_mul_t(&o->gvq, J->gvq, -1 / h, w, g, q);
        mbs_panel_mul_t(&o->G, J->G, -1 / h, w, g, v);
        mbs_panel_mul_t(&o->gvp, at->s.gvp, -1 / h, w, g, b->params);
    }
    mbs_panel_add(n * w, 1, q, b->state);
    mbs_panel_add(n * w, d->c[i] * h, q, v);
}

/* Stages, K and factors lie on the tape, where there are such. */
static int load_step(struct mbs_derive *d, double h, size_t kept, double *values)
{
    int status = 0;
    for (int i = 0; i < STAGES; i++)
        values += mbs_derive_stage_place(&d->stage[i], d->sim->model, 0, values);
    if (d->small)
        memcpy(d->K, values, (size_t)(d->n * d->m) * sizeof *values);
    else
        status = mbs_derive_factor_constraints(d, &d->stage[STAGES - 1]);
    return status < 0 || kept ? status : mbs_derive_factor(d, h);
}

static int step_back(struct back *b, double h, size_t kept, double *values)
{
    struct mbs_derive *d = b->d;
    int w = b->width, n = d->n, status = load_step(d, h, kept, values);
    double *q = b->state, *v = q + n * w;
    if (status < 0)
        return status;
    mbs_derive_project_t(d, &d->stage[STAGES - 1], w, b->state, b->params, b->g);
    memset(b->x, 0, (size_t)(STAGES * d->unknowns * w) * sizeof *b->x);
    for (int j = 0; j < STAGES; j++) {
        double *x = b->x + j * d->unknowns * w;
        mbs_panel_add(n * w, h * h * d->aa[STAGES - 1][j], q, x);
        mbs_panel_add((n + d->nz) * w, h * d->a[STAGES - 1][j], v, x);
    }
    mbs_panel_add(n * w, h, q, v);
    if (kept)
        mbs_matrix_solve_kept_t(d->A, values + STAGES * d->stage_size + (d->small ? d->n * d->m : 0), w, b->x);
    else
        mbs_matrix_solve_panel_t(d->A, w, b->x, d->column);
    for (int i = 0; i < STAGES; i++)
        stage_back(b, h, i);
    return 0;
}

/* ---- segments ---- */

/* Integrates a segment once more, onto the tape. */
static int segment_again(struct mbs_derive *d, int k)
{
    struct mbs_tape *tape = d->tape;
    struct mbs_sim *sim = d->sim;
    const struct mbs_checkpoint *from = &tape->point[k], *to = from + 1;
    int status = mbs_checkpoint_back(from, sim);
    tape->used = 0;
    tape->segment = k;
    tape->replay = 1;
    tape->next_row = from->row;
    tape->last_row = to->row;
    for (int i = from->number; i < to->number + to->inside && status == 0; i++) {
        struct mbs_running r = from->run;
        int last = i == to->number;
        if (i > from->number || !from->inside)
            status = mbs_running_begin(&r, sim, &tape->run[i].in);
        else if (foreign(sim))
            status = mbs_run_anew(sim);
        r.in = &tape->run[i].in;
        if (status == 0)
            status = mbs_running_on(&r, last ? to->run.rounds : tape->run[i].rounds);
        if (!last)
            status = mbs_running_end(&r, status) == MBS_NO_MEMORY ? MBS_NO_MEMORY : 0;  /* the run itself has said what it was */
    }
    tape->replay = 0;
    double t = to->sim.s.x.t;
    if (status == 0 && to->inside && fabs(sim->s.x.t - t) > 1e-6 * fabs(sim->s.x.t - sim->s.t_old))
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, t, -1, -1, "the motion up to t = %.9g has taken other steps when it was repeated", t);
    return status;
}

/* Stages have their own memory again. */
static void stages_own(struct mbs_derive *d)
{
    for (int i = 0; i < STAGES; i++)
        mbs_derive_stage_place(&d->stage[i], d->sim->model, 0, d->stage[i].block);
    mbs_derive_stage_place(&d->row, d->sim->model, 1, d->row.block);
}

static int record_back(struct back *b, double *r)
{
    struct mbs_derive *d = b->d;
    int status, w = b->width;
    switch ((enum record)r[1]) {
    case STEP:
        return step_back(b, r[2], (size_t)r[3], r + HEAD);
    case EXPLICIT:
        return mbs_explicit_step_back(d, &b->explicit, r + HEAD, b->costs, w, b->state, b->params, b->g, b->al);
    case ROW:
        return seeds(b, --b->row) ? row_back(b, r + HEAD, b->state) : 0;
    case BETWEEN:
        if (!seeds(b, --b->row))
            return 0;
        memset(b->between, 0, (size_t)(d->rows * w) * sizeof *b->between);
        if ((status = row_back(b, r + HEAD, b->between)) == 0)
            mbs_explicit_point_back(d, &b->explicit, d->tape->data + (size_t)r[3] + HEAD, r[2], w, b->between);
        return status;
    case CUT:
        mbs_explicit_point_back(d, &b->explicit, d->tape->data + (size_t)r[3] + HEAD, r[2], w, b->state);
        mbs_panel_clear(d->rows * w, b->state);
        return 0;
    case EVENT:
        mbs_panel_clear(d->rows * w, b->between);
        mbs_panel_dense_t(d->rows, d->rows, r + HEAD, 1, w, b->state, b->between);
        mbs_panel_dense_t(d->rows, d->np, r + HEAD + (size_t)d->rows * (size_t)d->rows, 1, w, b->state, b->params);
        memcpy(b->state, b->between, (size_t)(d->rows * w) * sizeof *b->state);
        return 0;
    }
    return MBS_BAD_ARGUMENT;
}

static int segment_back(struct back *b)
{
    struct mbs_tape *tape = b->d->tape;
    for (size_t end = tape->used; end > 0;) {
        double *r = tape->data + end - (size_t)tape->data[end - 1];
        int status = record_back(b, r);
        if (status < 0)
            return mbs_fail(&b->d->sim->msg, status, NAN, -1, -1, "the gradient cannot be continued backwards: %s", mbs_status_text(status));
        end = (size_t)(r - tape->data);
    }
    return 0;
}

static int all_back(struct back *b)
{
    struct mbs_derive *d = b->d;
    struct mbs_tape *tape = d->tape;
    int status = 0, last = tape->seen.checkpoints;
    if (last == 0) {
        status = segment_back(b);
        stages_own(d);
        return status;
    }
    if (tape->segment == last && (status = keep_point(d, last + 1, NULL)))
        return status;
    for (int k = last; k >= 0 && status == 0; k--) {
        if (tape->segment != k)
            status = segment_again(d, k);
        if (status == 0)
            status = segment_back(b);
        stages_own(d);
    }
    struct mbs_message msg = d->sim->msg;
    int back = mbs_checkpoint_back(&tape->point[last + 1], d->sim);
    if (status)
        d->sim->msg = msg;
    return status ? status : back;
}

static double *gradient_of(const struct back *b, int k, int column) { return b->params + k * b->width + column; }

/* The gradient along the direction against the derivative that came forward. */
static double compare(const struct back *b, int cost)
{
    const struct mbs_derive *d = b->d;
    const struct mbs_tape *tape = d->tape;
    int n = row_values(d);
    double forward = 0, backward = 0, size = 0;
    for (long r = 0; r < tape->seen.rows; r++)
        for (int i = 0; i < n; i++) {
            double x = b->weights[((size_t)cost * (size_t)tape->seen.rows + (size_t)r) * (size_t)n + (size_t)i] * tape->row[r * (n + 1) + 1 + i];
            forward += x;
            size += fabs(x);
        }
    for (int k = 0; k < d->np; k++) {
        double x = *gradient_of(b, k, cost) * d->direction[k];
        backward += x;
        size = fmax(size, fabs(x));
    }
    return size > 0 ? fabs(forward - backward) / size : 0;
}

int mbs_adjoint(struct mbs_sim *sim, int costs, const double *weights, double *gradient, double *check)
{
    int status = mbs_border_idle(sim, "mbs_adjoint");
    if (status)
        return status;
    struct mbs_derive *d = sim->derive;
    if (!d || !d->tape || costs < 1 || !weights || !gradient)
        return mbs_fail(&sim->msg, MBS_BAD_ARGUMENT, NAN, -1, -1, "mbs_adjoint needs %s",
                        d && d->tape ? "costs, their weights and a place for the gradient" : "mbs_adjoint_begin() before the run");
    struct back b = {.d = d, .costs = costs, .width = d->explicit && costs == 1 ? 1 : mbs_panel_width(costs), .weights = weights, .row = d->tape->seen.rows};
    struct mbs_work w = {NULL, 0};
    back_layout(&b, &w);
    if (!(b.memory = calloc(1, w.used + 1)))
        return out_of_memory(d);
    w = (struct mbs_work){b.memory, 0};
    back_layout(&b, &w);
    status = all_back(&b);
    if (d->explicit)
        mbs_explicit_params_back(d, &b.explicit, b.width, b.params);
    mbs_panel_dense_t(d->rows, d->np, d->start, 1, b.width, b.state, b.params);
    for (int c = 0; c < costs && status == 0; c++) {
        for (int k = 0; k < d->np; k++)
            gradient[c * d->np + k] = *gradient_of(&b, k, c);
        if (check)
            check[c] = compare(&b, c);
    }
    free(b.memory);
    return status;
}

const struct mbs_adjoint *mbs_adjoint_seen(const struct mbs_sim *sim)
{
    if (!sim || !sim->derive || !sim->derive->tape)
        return NULL;
    struct mbs_adjoint *seen = &sim->derive->tape->seen;
    seen->error = sim->derive->out.error;
    return seen;
}
