/* SPDX-License-Identifier: MIT
 *
 * Derivatives of the steps of explicit Runge-Kutta methods, forward (derive_explicit.h). */
#include "analysis/derive_explicit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int mbs_explicit_slopes(const struct erk_tableau *tab) { return tab->stages + 1 + tab->extra; }

static int attempt(struct mbs_stepper *stepper, double h, double t_new, double *err);

/* ---- set-up ---- */

static void layout(struct mbs_derive *d, struct mbs_explicit *x, struct mbs_work *w)
{
    size_t state = (size_t)(d->rows * d->all.width) + 1, count = (size_t)mbs_explicit_slopes(x->step.tab);
    size_t one = (size_t)x->slot.fours, entries = x->slot.array[MBS_EXPLICIT_M].offset + 1;
    x->slot.entry = (struct mbs_explicit_entry *)mbs_work_ints(w, 2 * entries);
    x->slots = mbs_work_doubles(w, d->all.params ? count * x->slot.size : 1);
    for (size_t i = 0; i < count; i++)
        x->sk[i] = mbs_work_doubles(w, one);
    x->s_old = mbs_work_doubles(w, one);
    x->s_new = mbs_work_doubles(w, one);
    x->s_at = mbs_work_doubles(w, one);
    x->slot.direction = mbs_work_doubles(w, entries);
    x->shares = mbs_work_doubles(w, entries);
    x->right = mbs_work_doubles(w, (size_t)d->unknowns + one);
    for (size_t i = 0; i < count && d->all.params; i++)
        x->k[i] = mbs_work_doubles(w, state);
    x->old = mbs_work_doubles(w, state);
    x->fresh = mbs_work_doubles(w, state);
    x->stage = mbs_work_doubles(w, state);
    x->point = mbs_work_doubles(w, one);
    x->weights = mbs_work_doubles(w, count + MBS_EXPLICIT_SLOPES);
}

/* The arrays of a slot in their order; how many values they are. */
static size_t slot_new(struct mbs_derive *d, struct mbs_explicit *x)
{
    const struct mbs_model *o = d->sim->model;
    struct mbs_jacobian *J = &x->at.jac;
    struct mbs_sensitivity *s = &x->at.s;
    int n = d->n, m = d->m, z = 2 * n;
    const struct mbs_explicit_array array[MBS_EXPLICIT_ARRAYS] = {
        {&o->rq, &J->rq, 0, 0, 0, 0},     {&o->rv, &J->rv, 0, n, 0, 0},     {&o->rz, &J->rz, 0, z, 0, 0},     {&o->gaq, &J->gaq, n, 0, 0, 0},
        {&o->gav, &J->gav, n, n, 0, 0},   {&o->zq, &J->zq, n + m, 0, 0, 0}, {&o->zv, &J->zv, n + m, n, 0, 0}, {&o->zz, &J->zz, n + m, z, 0, 0},
        {&o->rp, &s->rp, 0, 0, 1, 0},     {&o->gap, &s->gap, n, 0, 1, 0},   {&o->zp, &s->zp, n + m, 0, 1, 0}, {&o->G, &J->G, 0, 0, 0, 0},
        {&o->gvq, &J->gvq, 0, 0, 0, 0},   {&o->gp, &s->gp, 0, 0, 1, 0},     {&o->gvp, &s->gvp, 0, 0, 1, 0},   {&o->M, &J->M, 0, 0, 0, 0}};
    size_t at = 0;
    memcpy(x->slot.array, array, sizeof array);
    for (int i = 0; i < MBS_EXPLICIT_ARRAYS; i++) {
        x->slot.array[i].offset = at;
        at += (size_t)array[i].p->nnz;
    }
    x->slot.states = (int)x->slot.array[8].offset;
    x->slot.entries = (int)x->slot.array[MBS_EXPLICIT_G].offset;
    return at;
}

static void slot_entries(struct mbs_explicit_slot *s)
{
    for (const struct mbs_explicit_array *a = s->array; a < s->array + MBS_EXPLICIT_M; a++)
        for (int j = 0, k = 0; a->p->nnz && j < a->p->cols; j++)
            for (; k < a->p->colptr[j + 1]; k++)
                s->entry[a->offset + (size_t)k] = (struct mbs_explicit_entry){a->row + a->p->rowidx[k], a->col + j};
}

int mbs_explicit_new(struct mbs_derive *d)
{
    const struct mbs_method *method = d->sim->s.method;
    const struct mbs_model *o = d->sim->model;
    struct mbs_work w = {NULL, 0};
    if ((method != &mbs_method_dopri5 && method != &mbs_method_dop853) || !mbs_has_matrices(o))
        return 0;
    struct mbs_explicit *x = d->explicit = calloc(1, sizeof *x);
    if (!x)
        return MBS_NO_MEMORY;
    x->step.tab = method->data;
    x->step.t_new = NAN;
    x->slot.fours = (d->rows + MBS_PANEL - 1) / MBS_PANEL * MBS_PANEL;
    x->slot.factors = slot_new(d, x);
    x->slot.kept = x->slot.factors + mbs_saddle_factors(d->sim->p.saddle);
    x->slot.size = x->slot.kept + 1;
    layout(d, x, &w);
    x->memory_size = w.used;
    if (!(x->memory = calloc(1, w.used + 1)))
        return MBS_NO_MEMORY;
    w = (struct mbs_work){x->memory, 0};
    layout(d, x, &w);
    slot_entries(&x->slot);
    d->sim->s.staged = 1;
    if (!d->sim->opt.motion_steps) {
        d->sim->s.beside = attempt;
        d->sim->s.beside_user = d;
    }
    return 0;
}

void mbs_explicit_free(struct mbs_derive *d)
{
    struct mbs_explicit *x = d->explicit;
    d->explicit = NULL;
    d->sim->s.staged = 0;
    d->sim->s.beside = NULL;
    if (!x)
        return;
    free(x->memory);
    free(x);
}

/* ---- the step ---- */

int mbs_explicit_step(const struct mbs_derive *d)
{
    return d->explicit && !d->sim->by_passage && d->sim->s.method->data == d->explicit->step.tab;
}

int mbs_explicit_projects(const struct mbs_derive *d)
{
    return d->m > 0 && d->sim->s.project;
}

/* A step of the method between two points, with the multipliers there. */
static struct mbs_explicit_step step_of(const struct mbs_derive *d, double t, double t_new, double h, const double *y, const double *y_new,
                                        const double *lambda, const double *lambda_new)
{
    const struct mbs_sim *sim = d->sim;
    const struct erk *e = sim->s.self;
    int baumgarte = sim->s.form == MBS_BAUMGARTE;
    struct mbs_explicit_step s = {.tab = e->tab, .t = t, .t_new = t_new, .h = h, .alpha = baumgarte ? sim->p.bg_alpha : 0,
                                  .beta = baumgarte ? sim->p.bg_beta : 0, .y = y, .y_new = y_new};
    for (int i = 0; i < mbs_explicit_slopes(s.tab); i++) {
        s.k[i] = e->k[i];
        s.lambda[i] = i == 0 ? lambda : i == s.tab->stages ? lambda_new : e->stage_lambda[i];
        s.factors[i] = i > 0 && e->kept[i] ? e->factors[i] : NULL;
    }
    return s;
}

/* Looks at the last step if it is a new one, which is *fresh = 1; with the dense output if t lies within. */
static int look(struct mbs_derive *d, double t, int *fresh)
{
    const struct mbs_sim *sim = d->sim;
    const struct erk *e = sim->s.self;
    struct mbs_explicit_step *s = &d->explicit->step;
    double *slot = s->slot;
    *fresh = s->t != sim->s.t_old || s->t_new != sim->s.x.t;
    if (!*fresh)
        return 0;
    *s = step_of(d, sim->s.t_old, sim->s.x.t, e->h_last, e->y_old, sim->s.x.q, e->stage_lambda[0], sim->s.x.lambda);
    s->slot = slot;
    s->first = e->steps == 1;
    s->dense = t != sim->s.x.t;
    int status = s->dense ? mbs_sim_dense_motion(d->sim, t, &d->at) : 0;       /* makes the further stages */
    return status < 0 ? status : 0;
}

/* ---- equations ---- */

int mbs_explicit_slots(const struct mbs_explicit_step *s) { return (s->dense ? mbs_explicit_slopes(s->tab) : s->tab->stages + 1) - !s->first; }

double *mbs_explicit_slot_at(const struct mbs_derive *d, const struct mbs_explicit_step *s, int i)
{
    return s->slot + (size_t)(i - !s->first) * d->explicit->slot.size;
}

void mbs_explicit_show(struct mbs_derive *d, double *slot)
{
    const struct mbs_explicit_slot *s = &d->explicit->slot;
    for (int i = 0; i < MBS_EXPLICIT_ARRAYS; i++)
        *s->array[i].at = slot + s->array[i].offset;
}

static int factor(struct mbs_derive *d)
{
    const struct mbs_jacobian *J = &d->explicit->at.jac;
    int status = mbs_saddle_factor(d->sim->p.saddle, J->M, J->G);
    return status < 0 ? status : 0;
}

int mbs_explicit_load(struct mbs_derive *d, double *slot)
{
    const struct mbs_explicit_slot *s = &d->explicit->slot;
    if (slot[s->kept] == 0) {
        mbs_explicit_show(d, slot);
        return factor(d);
    }
    mbs_saddle_factors_back(d->sim->p.saddle, slot + s->factors);
    return 0;
}

/* out = y + h sum a_j k_j, of vectors or of panels: multiples of four values.  Vectors of the method have room for them. */
static void combine(int values, const struct erk_row *r, double h, const double *const *k, const double *y, double *out)
{
    double a[12];
    const double *from[12];
    for (int j = 0; j < r->count; j++) {
        a[j] = h * r->term[j].a;
        from[j] = k[r->term[j].stage];
    }
    mbs_panel_combine(values, r->count, a, from, y, out);
}

/* y (rows values) at stage i. */
static const double *point(const struct mbs_derive *d, const struct mbs_explicit_step *s, int i, double *y)
{
    const struct erk_row *r = &s->tab->row[i];
    if (i == 0 || i == s->tab->stages)
        return i == 0 ? s->y : s->y_new;
    combine(d->explicit->slot.fours, r, s->h, s->k, s->y, y);
    return y;
}

int mbs_explicit_solve(struct mbs_derive *d, double *slot, double *x)
{
    const struct mbs_explicit_slot *s = &d->explicit->slot;
    int status = 0;
    if (slot[s->kept] != 0)
        mbs_saddle_factors_solve(d->sim->p.saddle, slot + s->factors, x);
    else if ((status = mbs_explicit_load(d, slot)) == 0)
        mbs_saddle_solve(d->sim->p.saddle, x);
    return status;
}

/* The equations at stage i, and its factors if they can be kept; of the new point with what projections need. */
static int equations(struct mbs_derive *d, const struct mbs_explicit_step *s, int i)
{
    struct mbs_explicit *x = d->explicit;
    struct mbs_problem *p = &d->sim->p;
    const double *y = point(d, s, i, x->point);
    double *slot = mbs_explicit_slot_at(d, s, i), t = i == 0 ? s->t : i == s->tab->stages ? s->t_new : s->t + s->tab->row[i].c * s->h;
    struct mbs_state at = {.t = t, .q = y, .v = y + d->n, .z = y + 2 * d->n, .a = s->k[i] + d->n, .lambda = s->lambda[i], .u = p->u};
    mbs_explicit_show(d, slot);
    struct mbs_jacobian jac = x->at.jac;
    if (!(i == s->tab->stages && mbs_explicit_projects(d)) && s->alpha == 0)
        jac.gvq = NULL;
    mbs_inputs_at(p, t);
    d->sim->model->jacobian(p->c, &at, &jac, p->w);
    d->sim->model->sensitivity(p->c, &at, &x->at.s, p->w);
    if (s->factors[i]) {
        memcpy(slot + x->slot.factors, s->factors[i], (x->slot.kept - x->slot.factors) * sizeof *slot);
        slot[x->slot.kept] = 1;
        return 0;
    }
    int status = factor(d);
    slot[x->slot.kept] = status == 0 && mbs_saddle_factors_keep(p->saddle, slot + x->slot.factors);
    return status;
}

/* ---- along the direction ---- */

/* right += A S + B direction, for the values v of a slot */
static void multiply(const struct mbs_explicit_slot *slot, const double *restrict v, const double *restrict S, double *restrict shares, double *restrict right)
{
    const struct mbs_explicit_entry *restrict e = slot->entry;
    int states = slot->states, entries = slot->entries;
    mbs_panel_times(entries - states, v + states, slot->direction + states, shares + states);
#pragma GCC unroll 8
    for (int k = 0; k < states; k++)
        right[e[k].row] += v[k] * S[e[k].col];
#pragma GCC unroll 8
    for (int k = states; k < entries; k++)
        right[e[k].row] += shares[k];
}

/* K = the slopes that belong to the state S at the stage of x->at. */
static int slope(struct mbs_derive *d, const struct mbs_explicit_step *s, double *slot, const double *S, double *K)
{
    static const struct mbs_derive_columns ONE = {0, 1};
    struct mbs_explicit *x = d->explicit;
    int n = d->n, m = d->m;
    double *right = x->right, *g = right + n;
    for (int i = 0; i < d->unknowns; i++)
        right[i] = 0;
    multiply(&x->slot, slot, S, x->shares, right);
    for (int i = 0; i < n + m; i++)
        right[i] = -right[i];
    if (s->alpha != 0)
        mbs_derive_velocity(d, &x->at, &ONE, -2 * s->alpha, S, S + n, g);
    if (s->beta != 0)
        mbs_derive_position(d, &x->at, &ONE, -s->beta * s->beta, S, g);
    int status = mbs_explicit_solve(d, slot, right);
    for (int i = 0; i < n; i++) {
        K[i] = S[n + i];
        K[n + i] = right[i];
    }
    for (int i = 0; i < d->nz; i++)
        K[2 * n + i] = right[n + m + i];
    return status;
}

/* g -= the array times x, or times the direction */
static void take(const struct mbs_explicit *x, const double *slot, int array, const double *X, double *g)
{
    const struct mbs_explicit_array *a = &x->slot.array[array];
    const struct mbs_explicit_entry *e = x->slot.entry;
    const double *direction = x->slot.direction;
    for (int k = (int)a->offset, end = k + a->p->nnz; k < end && X; k++)
        g[e[k].row] -= slot[k] * X[e[k].col];
    for (int k = (int)a->offset, end = k + a->p->nnz; k < end && !X; k++)
        g[e[k].row] -= slot[k] * direction[k];
}

/* S back onto the constraints: mbs_derive_project() for one vector. */
static int project(struct mbs_derive *d, double *slot, double *S)
{
    struct mbs_explicit *x = d->explicit;
    int n = d->n, status = 0;
    for (int level = 0; level < 2 && status == 0; level++) {
        double *right = x->right, *g = right + n;
        for (int i = 0; i < n + d->m; i++)
            right[i] = 0;
        take(x, slot, MBS_EXPLICIT_G, level ? S + n : S, g);
        if (level)
            take(x, slot, MBS_EXPLICIT_GVQ, S, g);
        for (int i = d->sim->model->ng; i < d->m && !level; i++)
            g[i] = 0;
        take(x, slot, level ? MBS_EXPLICIT_GVP : MBS_EXPLICIT_GP, NULL, g);
        status = mbs_explicit_solve(d, slot, right);
        for (int i = 0; i < n; i++)
            S[level * n + i] += right[i];
    }
    return status;
}

static int stage(struct mbs_derive *d, const struct mbs_explicit_step *s, int i)
{
    struct mbs_explicit *x = d->explicit;
    int status = equations(d, s, i);
    if (status)
        return status;
    if (i > 0)
        combine(x->slot.fours, &s->tab->row[i], s->h, (const double *const *)x->sk, x->s_old, x->s_at);
    return slope(d, s, mbs_explicit_slot_at(d, s, i), i ? x->s_at : x->s_old, x->sk[i]);
}

/* The error estimate of the method, for the derivative along the direction: 1 is the tolerance. */
static double step_error(struct mbs_derive *d, const struct mbs_explicit_step *s)
{
    const struct mbs_explicit *x = d->explicit;
    double err = 0, err3 = 0, *e = x->s_at, *e3 = x->right;
    int three = s->tab->error3.count > 0;
    combine(x->slot.fours, &s->tab->error, s->h, (const double *const *)x->sk, NULL, e);
    if (three)
        combine(x->slot.fours, &s->tab->error3, s->h, (const double *const *)x->sk, NULL, e3);
    for (int i = 0; i < d->rows; i++) {
        double scale = 1 / mbs_derive_tolerance(d, i, fabs(x->s_new[i])), a = scale * e[i], a3 = three ? scale * e3[i] : 0;
        err += a * a;
        err3 += a3 * a3;
    }
    double deno = three ? err + 0.01 * err3 : err;
    return deno > 0 ? err / sqrt(deno * fmax(1, d->rows)) : 0;
}

static void swap_ends(double **k, int last)
{
    double *first = k[0];
    k[0] = k[last];
    k[last] = first;
}

/* The stages of a step, from d->now; x->s_new, not yet projected; the error. */
static int stages(struct mbs_derive *d)
{
    struct mbs_explicit *x = d->explicit;
    struct mbs_explicit_step *s = &x->step;
    int last = s->tab->stages, status;
    if (!(s->slot = d->tape ? mbs_tape_room(d, MBS_EXPLICIT_HEAD + (size_t)mbs_explicit_slopes(s->tab) * x->slot.size) : x->slots - MBS_EXPLICIT_HEAD))
        return MBS_NO_MEMORY;
    s->slot += MBS_EXPLICIT_HEAD;
    for (const struct mbs_explicit_array *a = x->slot.array; a < x->slot.array + MBS_EXPLICIT_M && s->first; a++)
        for (int k = (int)a->offset; k < (int)a->offset + a->p->nnz && a->params; k++)
            x->slot.direction[k] = d->direction[x->slot.entry[k].col];
    for (int i = 0; i < d->rows; i++)
        x->s_old[i] = d->now[i * d->all.width + d->all.params];
    if (s->first && (status = stage(d, s, 0)))
        return status;
    if (!s->first && x->swap)
        swap_ends(x->sk, last);
    if (!s->first && x->swap)
        swap_ends(x->k, last);
    x->swap = 0;
    for (int i = 1; i < last; i++)
        if ((status = stage(d, s, i)))
            return status;
    combine(x->slot.fours, &s->tab->row[last], s->h, (const double *const *)x->sk, x->s_old, x->s_new);
    if (s->tab->fsal) {         /* the error estimate wants the slope there, too */
        if ((status = equations(d, s, last)) || (status = slope(d, s, mbs_explicit_slot_at(d, s, last), x->s_new, x->sk[last])))
            return status;
    }
    x->error = step_error(d, s);
    return isfinite(x->error) ? 0 : MBS_NAN;
}

/* The method is about to accept a step: the derivatives have a say in it. */
static int attempt(struct mbs_stepper *stepper, double h, double t_new, double *err)
{
    struct mbs_derive *d = stepper->beside_user;
    struct mbs_explicit *x = d->explicit;
    const struct erk *e = stepper->self;
    x->tried = 0;
    if (!mbs_explicit_step(d) || d->out.t != stepper->x.t)
        return 0;
    x->step = step_of(d, stepper->x.t, t_new, h, stepper->x.q, e->y_new, stepper->x.lambda, e->lambda);
    x->step.first = e->steps == 0;
    int status = stages(d);
    x->step.t_new = NAN;        /* it has not been taken yet */
    if (status)
        return status;
    x->tried = 1;
    *err = fmax(*err, x->error / mbs_derive_allowed(d));
    return 0;
}

/* ---- by all parameters ---- */

static void params(const struct mbs_pattern *p, const double *val, double s, int np, int width, double *Y)
{
    for (int k = 0; k < np && p->nnz; k++)
        for (int i = p->colptr[k]; i < p->colptr[k + 1]; i++)
            Y[p->rowidx[i] * width + k] += s * val[i];
}

/* K = the slopes that belong to the state S at the stage of x->at. */
static void slopes(struct mbs_derive *d, const struct mbs_explicit_step *s, const double *S, double *K)
{
    const struct mbs_model *o = d->sim->model;
    const struct mbs_derive_stage *at = &d->explicit->at;
    const struct mbs_jacobian *J = &at->jac;
    const struct mbs_derive_columns *c = &d->all;
    int w = c->width, n = d->n;
    const double *q = S, *v = q + n * w, *z = v + n * w;
    double *al = d->al, *g = al + n * w, *kz = K + 2 * n * w;
    mbs_panel_clear((n + d->m) * w, al);
    params(&o->rp, at->s.rp, -1, c->params, w, al);
    mbs_panel_mul(&o->rq, J->rq, -1, w, q, al);
    mbs_panel_mul(&o->rv, J->rv, -1, w, v, al);
    mbs_panel_mul(&o->rz, J->rz, -1, w, z, al);
    if (d->m) {
        params(&o->gap, at->s.gap, -1, c->params, w, g);
        mbs_panel_mul(&o->gaq, J->gaq, -1, w, q, g);
        mbs_panel_mul(&o->gav, J->gav, -1, w, v, g);
        if (s->alpha != 0)
            mbs_derive_velocity(d, at, c, -2 * s->alpha, q, v, g);
        if (s->beta != 0)
            mbs_derive_position(d, at, c, -s->beta * s->beta, q, g);
    }
    mbs_derive_solve(d, n, c->params, w, al, K + n * w);
    memcpy(K, v, (size_t)(n * w) * sizeof *K);
    if (!d->nz)
        return;
    memset(kz, 0, (size_t)(d->nz * w) * sizeof *kz);
    params(&o->zp, at->s.zp, 1, c->params, w, kz);
    mbs_panel_mul(&o->zq, J->zq, 1, w, q, kz);
    mbs_panel_mul(&o->zv, J->zv, 1, w, v, kz);
    mbs_panel_mul(&o->zz, J->zz, 1, w, z, kz);
}

/* The stages of a step that is accepted, to x->fresh, which is the point of stage `last`. */
static int all_stages(struct mbs_derive *d)
{
    struct mbs_explicit *x = d->explicit;
    const struct mbs_explicit_step *s = &x->step;
    int last = s->tab->stages, values = d->rows * d->all.width, end = s->dense ? mbs_explicit_slopes(s->tab) : last + 1, status;
    if (!d->all.params)
        return 0;
    memcpy(x->old, d->now, (size_t)values * sizeof *x->old);
    for (int i = !s->first; i < end; i++) {
        double *to = i == 0 ? x->old : i == last ? x->fresh : x->stage;
        mbs_explicit_show(d, mbs_explicit_slot_at(d, s, i));
        if ((status = mbs_explicit_load(d, mbs_explicit_slot_at(d, s, i))))
            return status;
        if (i > 0)
            combine(values, &s->tab->row[i], s->h, (const double *const *)x->k, x->old, to);
        if (i == last && mbs_explicit_projects(d)) {
            mbs_derive_corrections(d);
            mbs_derive_project(d, &x->at, &d->all, to);
        }
        slopes(d, s, to, x->k[i]);
    }
    return mbs_finite(x->fresh, values) ? 0 : MBS_NAN;
}

/* ---- the step that was taken ---- */

/* To x->s_new and x->fresh; its stages along the direction may be known.  Where the method projects, what was evaluated for the error at a point that
 * is off the constraints by less than the tolerance serves at the projected one, too. */
static int step(struct mbs_derive *d)
{
    struct mbs_explicit *x = d->explicit;
    const struct mbs_explicit_step *s = &x->step;
    int last = s->tab->stages, projects = mbs_explicit_projects(d), status = x->tried ? 0 : stages(d);
    x->tried = 0;
    if (status == 0 && (projects || !s->tab->fsal)) {
        double *slot = mbs_explicit_slot_at(d, s, last);
        if ((!s->tab->fsal && (status = equations(d, s, last))) || (projects && (status = project(d, slot, x->s_new))) ||
            (status = slope(d, s, slot, x->s_new, x->sk[last])))
            return status;
    }
    for (int i = last + 1; i < mbs_explicit_slopes(s->tab) && s->dense && status == 0; i++)
        status = stage(d, s, i);
    if (status || (status = all_stages(d)))
        return status;
    x->swap = 1;
    d->out.error = fmax(d->out.error, x->error);
    d->out.steps++;
    for (int i = 0; i < d->rows; i++)
        d->most[i] = fmax(d->most[i], fabs(x->s_new[i]));
    return mbs_finite(x->s_new, d->rows) ? 0 : MBS_NAN;
}

/* As erk_dense() of the method: sums of r0 = y, r1 = dy, r2 = h k0 - dy, r3 = dy - h k1 - r2, and further ones of the slopes alone. */
int mbs_explicit_weights(const struct mbs_explicit_step *s, double t, double *weights)
{
    double th = (t - s->t) / s->h, w = 1, *k = weights + MBS_EXPLICIT_SLOPES;
    int count = mbs_explicit_slopes(s->tab), last = s->tab->stages;
    memset(weights, 0, (size_t)(count + MBS_EXPLICIT_SLOPES) * sizeof *weights);
    for (int i = 0; i < 4 + s->tab->dense_rows; i++) {
        if (i > 0)
            w *= i % 2 ? th : 1 - th;
        if (i == 0)
            weights[MBS_EXPLICIT_OLD] += w;
        double dy = i == 1 ? w : i == 2 ? -w : i == 3 ? 2 * w : 0;
        weights[MBS_EXPLICIT_NEW] += dy;
        weights[MBS_EXPLICIT_OLD] -= dy;
        k[0] += i == 2 ? w * s->h : i == 3 ? -w * s->h : 0;
        k[last] -= i == 3 ? w * s->h : 0;
        for (int j = 0; i > 3 && j < s->tab->dense[i - 4].count; j++)
            k[s->tab->dense[i - 4].term[j].stage] += w * s->h * s->tab->dense[i - 4].term[j].a;
    }
    return count + MBS_EXPLICIT_SLOPES;
}

/* out = the state at x->weights, of vectors or of panels */
static void between(const double *weights, int count, int values, const double *old, const double *fresh, double *const *k, double *out)
{
    memset(out, 0, (size_t)values * sizeof *out);
    for (int i = 0; i < count; i++)
        if (weights[i] != 0)
            mbs_panel_add(values, weights[i], i == MBS_EXPLICIT_OLD ? old : i == MBS_EXPLICIT_NEW ? fresh : k[i - MBS_EXPLICIT_SLOPES], out);
}

int mbs_explicit_to(struct mbs_derive *d, double t, int *fresh)
{
    struct mbs_explicit *x = d->explicit;
    const double *one = x->s_new;
    int values = d->rows * d->all.width, status = look(d, t, fresh);
    if (status == 0 && *fresh)
        status = step(d);
    if (status)
        return status;
    if (t != x->step.t_new) {
        int count = mbs_explicit_weights(&x->step, t, x->weights);
        between(x->weights, count, d->rows, x->s_old, x->s_new, x->sk, x->s_at);
        one = x->s_at;
        if (d->all.params)
            between(x->weights, count, values, x->old, x->fresh, x->k, d->now);
    } else if (d->all.params) {
        memcpy(d->now, x->fresh, (size_t)values * sizeof *d->now);
    }
    for (int i = 0; i < d->rows; i++)
        d->now[i * d->all.width + d->all.params] = one[i];
    return 0;
}
