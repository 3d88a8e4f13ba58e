/* SPDX-License-Identifier: MIT
 *
 * One instance of a model for the Functional Mock-up Interface.  Model Exchange evaluates the index-1 form at what the importer
 * sets; Co-Simulation runs a struct mbs_sim between communication points and takes its state over. */
#include "fmu/fmu.h"
#include "hybrid/hybrid.h"
#include "running.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fmu_complain(struct fmu *f, const char *fmt, ...)
{
    char text[500];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    f->log(f->user, FMU_LOG_ERROR, text);
    return 1;
}

static int failed(struct fmu *f, int status)
{
    if (status == 0)
        return 0;
    return fmu_complain(f, "%s: %s", mbs_status_text(status), mbs_message(f->sim)->text);
}

static void blocks_init(struct fmu *f)
{
    const struct mbs_model *o = f->model;
    struct fmu_blocks *at = &f->at;

    at->time = 0;
    at->q = 1;
    at->v = at->q + (unsigned)o->nq;
    at->z = at->v + (unsigned)o->nq;
    at->dq = at->z + (unsigned)o->nz;
    at->dv = at->dq + (unsigned)o->nq;
    at->dz = at->dv + (unsigned)o->nq;
    at->u = at->dz + (unsigned)o->nz;
    at->y = at->u + (unsigned)o->nu;
    at->energy = at->y + (unsigned)fmu_outputs;
    at->lambda = at->energy + 2;
    at->param = at->lambda + (unsigned)(o->ng + o->nh);
    at->guard = at->param + (unsigned)o->np;
    at->dae = at->guard + (unsigned)f->guards;
    at->acceleration = at->dae + 1;
    at->r = at->acceleration + (unsigned)o->nq;
    at->ga = at->r + (unsigned)o->nq;
    at->gv = at->ga + (unsigned)(o->ng + o->nh);
    at->g = at->gv + (unsigned)(o->ng + o->nh);
    at->end = at->g + (unsigned)o->ng;
}

static void layout(struct fmu *f, struct mbs_work *w)
{
    const struct mbs_model *o = f->model;
    size_t n = (size_t)o->nq, m = (size_t)(o->ng + o->nh), nz = (size_t)o->nz, nu = (size_t)o->nu;

    f->x = mbs_work_doubles(w, 2 * n + nz + 1);
    f->start = mbs_work_doubles(w, 2 * n + nz + 1);
    f->u = mbs_work_doubles(w, nu + 1);
    f->u_before = mbs_work_doubles(w, nu + 1);
    f->u_rate = mbs_work_doubles(w, nu * FMU_ORDERS + 1);
    f->rate = mbs_work_doubles(w, 2 * n + nz + 1);
    f->lambda = mbs_work_doubles(w, m + 1);
    f->y = mbs_work_doubles(w, (size_t)o->ny + 1);
    f->param = mbs_work_doubles(w, (size_t)o->np + 1);
    f->guard = mbs_work_doubles(w, (size_t)o->nevent + 1);
    f->residual = mbs_work_doubles(w, n + 3 * m + nz + 1);
    f->seed = mbs_work_doubles(w, fmu_seeds(f) + 1);
    f->rhs = mbs_work_doubles(w, n + m + 1);
    f->projected = mbs_work_doubles(w, 2 * n + 1);
    f->given = mbs_work_bytes(w, (size_t)o->np + 1);
    f->x_set = mbs_work_bytes(w, 2 * n + nz + 1);
    f->kind = mbs_work_bytes(w, 2 * n + 1);
}

/* u(t) within a communication step. */
static void inputs_at(void *user, double t, double *u)
{
    struct fmu *f = user;
    double h = t - f->t;

    for (int i = 0; i < f->model->nu; i++) {
        const double *r = f->u_rate + i * FMU_ORDERS;
        u[i] = f->u[i] + (f->u_moves ? h * (r[0] + h / 2 * (r[1] + h / 3 * r[2])) : 0);
    }
}

/* The simulation anew, with the parameters as they are. */
static int open_simulation(struct fmu *f, double rtol)
{
    struct mbs_options opt;
    struct mbs_message why;

    mbs_free(f->sim);
    mbs_options_init(&opt, f->model);
    if (rtol > 0 && !(opt.step > 0))
        opt.rtol = rtol;
    if (strcmp(opt.method, "auto") && !mbs_method_find(opt.method)) {
        opt.method = opt.formulation = "auto";          /* an FMU does not carry all methods */
        opt.step = 0;
    }
    if (!strcmp(opt.method, "auto") && *fmu_method)
        opt.method = fmu_method;
    opt.input = inputs_at;
    opt.input_user = f;
    f->rtol = opt.rtol;
    if (mbs_new(&f->sim, f->model, f->param, &opt, &why))
        return fmu_complain(f, "%s", why.text);
    return 0;
}

int fmu_reset(struct fmu *f)
{
    const struct mbs_model *o = f->model;

    memcpy(f->param, fmu_params, (size_t)o->np * sizeof *f->param);
    memcpy(f->given, fmu_given, (size_t)o->np);
    o->defaults(f->param, f->given);
    memset(f->x_set, 0, (size_t)f->nx);
    memset(f->u_rate, 0, (size_t)o->nu * FMU_ORDERS * sizeof *f->u_rate);
    f->u_moves = f->assembled = f->factored = f->moved = f->dae = f->stopped = f->doubtful = f->warned = 0;
    f->stale = f->stale_y = 1;
    f->t = f->t_start = 0;
    f->mode = FMU_SET_UP;
    if (open_simulation(f, 0))
        return 1;
    /* inputs as the model has them; its q, v, z are not yet assembled, those of the attributes are */
    o->initial(f->sim->p.c, f->x, f->x + o->nq, f->x + 2 * o->nq, f->u);
    memcpy(f->x, f->start, (size_t)f->nx * sizeof *f->x);
    return 0;
}

/* From the model's init, what was set being kept and all else free to move. */
static int assemble(struct fmu *f)
{
    const struct mbs_model *o = f->model;
    struct mbs_sim *sim = f->sim;
    struct mbs_point *x = &sim->s.x;
    int any = 0, status;

    f->model->defaults(f->param, f->given);
    if ((status = mbs_set_parameters(sim, f->param)))
        return failed(f, status);
    status = mbs_assemble(sim, f->t_start);
    for (int i = 0; i < f->nx; i++)
        any |= f->x_set[i];
    if (any) {
        x->t = f->t_start;
        o->initial(sim->p.c, x->q, x->v, x->z, sim->p.u);
        for (int i = 0; i < f->nx; i++)
            if (f->x_set[i])
                x->q[i] = f->x[i];
        for (int i = 0; i < o->nq; i++) {
            f->kind[i] = f->x_set[i] ? MBS_INIT_FIXED : o->q_init[i] == MBS_INIT_FIXED ? MBS_INIT_GUESS : o->q_init[i];
            f->kind[o->nq + i] = f->x_set[o->nq + i] ? MBS_INIT_FIXED : o->v_init[i] == MBS_INIT_FIXED ? MBS_INIT_GUESS : o->v_init[i];
        }
        sim->started = sim->fresh_accelerations = sim->own_state = 0;
        status = mbs_assemble_from(sim, f->kind, f->kind + o->nq);
        if (status == MBS_INCONSISTENT)
            status = mbs_consistent(sim);
    }
    if (status)
        return failed(f, status);
    memcpy(f->x, x->q, (size_t)f->nx * sizeof *f->x);
    f->t = f->t_start;
    f->assembled = f->stale = f->stale_y = 1;
    f->factored = 0;
    return 0;
}

struct fmu *fmu_new(int co_simulation, void (*log)(void *, enum fmu_log, const char *), void *user)
{
    struct fmu *f = calloc(1, sizeof *f);
    struct mbs_work w = { NULL, 0 };

    if (!f)
        return NULL;
    f->model = fmu_model;
    f->co_simulation = co_simulation;
    f->log = log;
    f->user = user;
    f->nx = 2 * f->model->nq + f->model->nz;
    for (int k = 0; k < f->model->nevent && !f->model->ncontact; k++)
        f->guards += f->model->when[k].kind != MBS_WHEN_EVERY;
    blocks_init(f);
    layout(f, &w);
    f->block = calloc(1, w.used + 1);
    if (!f->block || mbs_linear_init(&f->lin, f->model, MBS_LINEAR_MOTION)) {
        fmu_complain(f, "out of memory");
        fmu_free(f);
        return NULL;
    }
    w = (struct mbs_work){ f->block, 0 };
    layout(f, &w);
    if (fmu_reset(f)) {
        fmu_free(f);
        return NULL;
    }
    f->t_start = isnan(f->model->experiment.from) ? 0 : f->model->experiment.from;
    if (assemble(f)) {
        fmu_free(f);
        return NULL;
    }
    memcpy(f->start, f->x, (size_t)f->nx * sizeof *f->x);
    f->t_start = f->t = 0;
    f->assembled = 0;
    return f;
}

void fmu_free(struct fmu *f)
{
    if (!f)
        return;
    mbs_free(f->sim);
    mbs_linear_fini(&f->lin);
    free(f->block);
    free(f);
}

/* ---- start ---- */

int fmu_start_at(struct fmu *f, double t, double rtol)
{
    f->t = f->t_start = t;
    f->assembled = 0;
    f->stale = f->stale_y = 1;
    f->factored = 0;
    return rtol > 0 ? open_simulation(f, rtol) : 0;
}

/* What events have done to the state and to parameters. */
static void take_over(struct fmu *f)
{
    const struct mbs_model *o = f->model;

    memcpy(f->x, f->sim->s.x.q, (size_t)f->nx * sizeof *f->x);
    if (o->np && o->nevent) {           /* discrete states */
        memcpy(f->param, mbs_parameters(f->sim), (size_t)o->np * sizeof *f->param);
        memset(f->given, 1, (size_t)o->np);
    }
    f->stale = f->stale_y = 1;
    f->factored = 0;
}

/* An event that ends the simulation is no failure. */
static int stops(struct fmu *f, int status)
{
    if (status != MBS_EVENT)
        return 0;
    f->stopped = 1;
    f->log(f->user, FMU_LOG_WARNING, mbs_message(f->sim)->text);
    return 1;
}

/* Nor is a motion that the witness doubts: it is said once, and the step ends with a warning. */
static int doubts(struct fmu *f, int status)
{
    if (status != MBS_DOUBTFUL)
        return 0;
    f->warned = !f->doubtful;
    f->doubtful = 1;
    if (f->warned)
        f->log(f->user, FMU_LOG_WARNING, mbs_message(f->sim)->text);
    return 1;
}

/* Events at the start belong to it, as in a run: the values that it has are those behind them. */
static int start_events(struct fmu *f)
{
    struct mbs_sim *sim = f->sim;
    struct mbs_running r;
    struct mbs_run run;
    int status;

    mbs_run_init(&run, NULL);
    run.to = f->t + 1;          /* somewhere ahead */
    status = mbs_running_begin(&r, sim, &run);
    if ((status && !stops(f, status)) || (!status && (status = mbs_running_end(&r, 0))))
        return failed(f, status);
    sim->own_state = 1;         /* they do not happen again when the first step begins anew, with other inputs */
    take_over(f);
    return 0;
}

int fmu_initialize(struct fmu *f)
{
    if (!f->assembled && assemble(f))
        return 1;
    memcpy(f->u_before, f->u, (size_t)f->model->nu * sizeof *f->u);
    if (f->sim->hybrid && f->co_simulation)
        return start_events(f);
    if (f->sim->hybrid) {
        f->sim->own_state = 0;
        mbs_hybrid_start(f->sim);
    }
    return 0;
}

/* ---- values ---- */

/* r, then the constraints on the levels of acceleration, velocity and position, at t, x, u, the accelerations and multipliers. */
static int residuals(struct fmu *f)
{
    const struct mbs_model *o = f->model;
    int n = o->nq, m = o->ng + o->nh;
    double *r = f->residual;
    const struct mbs_residual out = { .r = r, .ga = r + n, .gv = r + n + m, .g = r + n + 2 * m, .zdot = r + n + 3 * m };
    struct mbs_state s;

    if (fmu_rates(f))
        return 1;
    if (!f->stale_r)
        return 0;
    s = fmu_state_of(f);
    o->residual(f->sim->p.c, &s, &out, f->sim->p.w);
    if (fmu_in_dae(f))
        memcpy(f->rate + 2 * n, out.zdot, (size_t)o->nz * sizeof *f->rate);
    f->stale_r = 0;
    return 0;
}

int fmu_rates(struct fmu *f)
{
    int n = f->model->nq, status;

    if (!f->stale)
        return 0;
    if (f->mode <= FMU_INITIALIZE && !f->assembled && assemble(f))
        return 1;
    memcpy(f->rate, f->x + n, (size_t)n * sizeof *f->rate);
    f->stale_r = 1;
    if (fmu_in_dae(f)) {                /* accelerations and multipliers are the importer's */
        f->stale = 0;
        f->stale_y = 1;
        return residuals(f);
    }
    status = mbs_accelerations(&f->sim->p, f->t, f->x, f->rate + n, f->lambda, f->rate + 2 * n);
    if (status)
        return failed(f, status);
    if (!mbs_finite(f->rate, f->nx))
        return mbs_name_nan(&f->sim->p, f->t, f->x) ? failed(f, MBS_NAN) : fmu_complain(f, "an acceleration is not finite at t = %.9g", f->t);
    f->stale = 0;
    f->stale_y = 1;
    return 0;
}

struct mbs_state fmu_state_of(struct fmu *f)
{
    int n = f->model->nq;

    mbs_inputs_at(&f->sim->p, f->t);
    return (struct mbs_state){ .t = f->t, .q = f->x, .v = f->x + n, .z = f->x + 2 * n, .a = f->rate + n, .lambda = f->lambda, .u = f->sim->p.u };
}

int fmu_outputs_of(struct fmu *f)
{
    struct mbs_state s;

    if (!f->stale && !f->stale_y)
        return 0;
    if (fmu_rates(f))
        return 1;
    s = fmu_state_of(f);
    if (f->model->ny)
        f->model->outputs(f->sim->p.c, &s, f->y, f->sim->p.w);
    f->model->energy(f->sim->p.c, &s, f->energy, f->sim->p.w);
    f->stale_y = 0;
    return 0;
}

/* The model's guards, shifted to where the importer cannot miss them: it stops a little behind a zero, where the condition holds for sure, and
 * no indicator is zero when it goes on (FMI 2.0.4, 3.2.1).  By the units of the model's own a guard is late by 1e-11. */
int fmu_indicators(struct fmu *f, double *z)
{
    const struct mbs_model *o = f->model;
    const double shift = 1e-11;
    const struct mbs_guards out = { .h = f->guard, .hdot = NULL };
    struct mbs_state s;
    int n = 0;

    if (f->guards == 0)
        return 0;
    if (fmu_rates(f))
        return 1;
    s = fmu_state_of(f);
    o->guards(f->sim->p.c, &s, &out, f->sim->p.w);
    for (int k = 0; k < o->nevent; k++) {
        int on = f->sim->hybrid->on[k];
        if (o->when[k].kind == MBS_WHEN_EVERY)
            continue;
        z[n++] = f->guard[k] + (o->when[k].kind == MBS_WHEN_CROSSES ? on * shift : on ? shift : -shift);
    }
    return 0;
}

static int one_indicator(struct fmu *f, int k, double *value)
{
    double z[64], *all = f->guards > 64 ? malloc((size_t)f->guards * sizeof *all) : z;
    int failed = !all || fmu_indicators(f, all);

    if (!failed)
        *value = all[k];
    if (all != z)
        free(all);
    return failed;
}

static int get_one(struct fmu *f, unsigned r, double *value)
{
    const struct fmu_blocks *at = &f->at;

    if (r >= at->end)
        return fmu_complain(f, "there is no variable with the value reference %u", r);
    if (r == at->time)
        *value = f->t;
    else if (r < at->dq) {
        if (f->mode <= FMU_INITIALIZE && !f->assembled && f->mode == FMU_INITIALIZE && assemble(f))
            return 1;
        *value = f->x[r - at->q];
    } else if (r < at->u) {
        if (fmu_rates(f))
            return 1;
        *value = f->rate[r - at->dq];
    } else if (r < at->y)
        *value = f->u[r - at->u];
    else if (r < at->param) {
        if (fmu_outputs_of(f))
            return 1;
        *value = r < at->energy ? f->y[r - at->y] : r < at->lambda ? f->energy[r - at->energy] : f->lambda[r - at->lambda];
    } else if (r >= at->r) {
        if (residuals(f))
            return 1;
        *value = f->residual[r - at->r];
    } else if (r >= at->acceleration) {
        if (fmu_rates(f))
            return 1;
        *value = f->rate[f->model->nq + (int)(r - at->acceleration)];
    } else if (r == at->dae) {
        *value = f->dae;
    } else if (r >= at->guard) {
        return one_indicator(f, (int)(r - at->guard), value);
    } else {
        f->model->defaults(f->param, f->given);
        *value = f->param[r - at->param];
    }
    return 0;
}

int fmu_get(struct fmu *f, size_t n, const unsigned *reference, double *value)
{
    for (size_t i = 0; i < n; i++)
        if (get_one(f, reference[i], &value[i]))
            return 1;
    return 0;
}

static int set_state(struct fmu *f, unsigned k, double value)
{
    /* a start value that is the attribute's is no change: the model's init follows parameters, the attribute does not */
    if (f->mode <= FMU_INITIALIZE) {
        if (fabs(value - f->start[k]) <= 1e-9 * (1 + fabs(f->start[k])) && !f->x_set[k])
            return 0;
        f->x_set[k] = 1;
        f->assembled = 0;
    }
    f->x[k] = value;
    f->stale = 1;
    f->factored = 0;
    return 0;
}

/* An acceleration or a multiplier: in DAE mode the importer's; at the start, a guess, which solving does not need. */
static int set_algebraic(struct fmu *f, double *place, double value)
{
    if (f->mode <= FMU_INITIALIZE)
        return 0;
    if (!fmu_in_dae(f))
        return fmu_complain(f, "accelerations and multipliers can be set in DAE mode only");
    *place = value;
    f->stale = 1;
    f->factored = 0;
    return 0;
}

static int set_one(struct fmu *f, unsigned r, double value)
{
    const struct fmu_blocks *at = &f->at;

    if (!isfinite(value))
        return fmu_complain(f, "the variable with value reference %u cannot be %g", r, value);
    if (r >= at->q && r < at->dq)
        return set_state(f, r - at->q, value);
    if (r >= at->u && r < at->y) {
        if (f->u[r - at->u] != value) {
            f->u[r - at->u] = value;
            f->stale = 1;
            f->factored = 0;
            if (f->mode <= FMU_INITIALIZE)
                f->assembled = 0;
        }
        return 0;
    }
    if (r >= at->param && r < at->guard) {
        if (f->mode > FMU_INITIALIZE)
            return fmu_complain(f, "the parameter %s can be set until the end of the initialisation only", f->model->param[r - at->param].name);
        f->param[r - at->param] = value;
        f->given[r - at->param] = 1;
        f->assembled = 0;
        f->stale = 1;
        f->factored = 0;
        return 0;
    }
    if (r >= at->lambda && r < at->param)
        return set_algebraic(f, &f->lambda[r - at->lambda], value);
    if (r >= at->acceleration && r < at->r)
        return set_algebraic(f, &f->rate[f->model->nq + (int)(r - at->acceleration)], value);
    return fmu_complain(f, "the variable with value reference %u cannot be set", r);
}

int fmu_set(struct fmu *f, size_t n, const unsigned *reference, const double *value)
{
    for (size_t i = 0; i < n; i++)
        if (set_one(f, reference[i], value[i]))
            return 1;
    return 0;
}

int fmu_set_input_rate(struct fmu *f, unsigned r, int order, double value)
{
    if (r < f->at.u || r >= f->at.y || order < 1 || order > FMU_ORDERS)
        return fmu_complain(f, "inputs have derivatives of order 1 to %d", FMU_ORDERS);
    f->u_rate[(int)(r - f->at.u) * FMU_ORDERS + order - 1] = value;
    f->u_moves = 1;
    return 0;
}

void fmu_set_time(struct fmu *f, double t)
{
    if (f->t == t)
        return;
    f->t = t;
    f->stale = 1;
    f->factored = 0;
}

void fmu_set_states(struct fmu *f, const double *x)
{
    memcpy(f->x, x, (size_t)f->nx * sizeof *x);
    f->stale = 1;
    f->factored = 0;
}

/* ---- DAE mode (FMI-LS-DAE 1.0.0-alpha.1) ---- */

int fmu_in_dae(const struct fmu *f) { return f->dae && f->mode == FMU_CONTINUOUS; }

int fmu_set_dae(struct fmu *f, int on)
{
    if (on && (f->co_simulation || f->model->ncontact))
        return fmu_complain(f, "DAE mode is one of Model Exchange");
    f->dae = on;
    f->stale = f->stale_y = 1;
    f->factored = 0;
    return 0;
}

/* The importer's accelerations and multipliers begin with those that belong to the state. */
int fmu_continuous(struct fmu *f)
{
    if (f->dae && fmu_rates(f))
        return 1;
    f->mode = FMU_CONTINUOUS;
    f->stale = f->stale || f->dae;
    f->factored = f->factored && !f->dae;
    return 0;
}

/* ---- steps ---- */

int fmu_complete_step(struct fmu *f)
{
    int n = f->model->nq, status;
    double worst = 0;

    f->moved = 0;
    if (f->model->ng + f->model->nh == 0 || fmu_in_dae(f))
        return 0;
    /* factors at the new point, then Newton with them */
    memcpy(f->projected, f->x, 2 * (size_t)n * sizeof *f->x);
    f->stale = 1;
    f->factored = 0;
    if (fmu_rates(f))
        return 1;
    status = mbs_project_near(&f->sim->p, f->t, f->projected, f->projected + n, f->rtol, f->rtol);
    if (status < 0)
        return failed(f, status);
    if (status > 0)
        return fmu_complain(f, "the projection onto the constraints does not converge at t = %.9g", f->t);
    /* an importer restarts its integrator when states change: only for what its error control would see */
    for (int i = 0; i < 2 * n; i++)
        worst = fmax(worst, fabs(f->projected[i] - f->x[i]) / (f->rtol * (1 + fabs(f->x[i]))));
    if (worst > 0.1) {
        memcpy(f->x, f->projected, 2 * (size_t)n * sizeof *f->x);
        f->stale = 1;
        f->moved = 1;
    }
    return 0;
}

int fmu_event(struct fmu *f, int *ends, double *next)
{
    struct mbs_sim *sim = f->sim;
    struct mbs_run run;
    int stop, status;

    *ends = 0;
    *next = HUGE_VAL;
    if (!sim->hybrid || f->model->ncontact)
        return 0;
    mbs_run_init(&run, f->model);
    sim->s.x.t = f->t;
    memcpy(sim->s.x.q, f->x, (size_t)f->nx * sizeof *f->x);
    memcpy(sim->p.u, f->u, (size_t)f->model->nu * sizeof *f->u);
    sim->fresh_accelerations = 0;
    if ((status = mbs_hybrid_happen(sim, &run, &stop)))
        return failed(f, status);
    f->moved = f->moved || memcmp(f->x, sim->s.x.q, (size_t)f->nx * sizeof *f->x);
    take_over(f);
    *ends = stop >= 0;
    *next = mbs_hybrid_stop(sim);
    return 0;
}

/* The end of a step.  A sample that falls on it but for rounding happens in this step, whatever the importer's sums of step sizes come to. */
static double end_of_step(const struct mbs_sim *sim, double t)
{
    double sample = sim->hybrid ? mbs_hybrid_stop(sim) : t;

    return mbs_same_time(sim, sample, t) ? sample : t;
}

/* What keeps a step of h from t on from being done; the importer's sums of steps may round otherwise than ours. */
static int refuse_step(struct fmu *f, double t, double h)
{
    if (f->mode != FMU_STEP)
        return fmu_complain(f, "a step needs Step Mode, which begins where the initialisation ends");
    if (f->stopped)
        return fmu_complain(f, "an event has ended the simulation at t = %.9g", f->t);
    if (!(fabs(t - f->t) <= 1e-6 * (fabs(f->t) + fabs(h)) + 1e-9))
        return fmu_complain(f, "a step from t = %.9g on, where the FMU is at t = %.9g", t, f->t);
    if (!(h >= 0) || !isfinite(t + h))
        return fmu_complain(f, "a step from t = %.9g to %.9g goes back", t, t + h);
    return 0;
}

int fmu_step(struct fmu *f, double from, double h)
{
    const struct mbs_model *o = f->model;
    struct mbs_sim *sim = f->sim;
    double t = from + h;
    int status;

    if (refuse_step(f, from, h))
        return 1;
    if (!(t > f->t) || h == 0)
        return 0;
    if (f->u_moves || memcmp(f->u, f->u_before, (size_t)o->nu * sizeof *f->u))
        sim->started = sim->fresh_accelerations = 0;
    memcpy(f->u_before, f->u, (size_t)o->nu * sizeof *f->u);
    status = mbs_advance(sim, end_of_step(sim, t));
    inputs_at(f, sim->s.x.t, f->u);     /* what the polynomials have become */
    f->t = status && status != MBS_DOUBTFUL ? sim->s.x.t : t;
    take_over(f);
    memset(f->u_rate, 0, (size_t)o->nu * FMU_ORDERS * sizeof *f->u_rate);
    f->u_moves = 0;
    f->warned = 0;
    return stops(f, status) || doubts(f, status) ? 0 : failed(f, status);
}

/* ---- the state as a whole ---- */

enum { STATE_HEAD = 8 };

size_t fmu_state_size(const struct fmu *f)
{
    const struct mbs_model *o = f->model;

    return STATE_HEAD + 2 * (size_t)f->nx + 2 * (size_t)o->nu + (size_t)o->nu * FMU_ORDERS + 2 * (size_t)o->np + 2 + 2 * (size_t)o->nevent +
           (size_t)(o->nq + o->ng + o->nh);
}

static double *put(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
    return to + n;
}
static const double *take(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
    return from + n;
}

void fmu_state_get(const struct fmu *f, double *s)
{
    const struct mbs_model *o = f->model;

    s[0] = f->mode;
    s[1] = f->t;
    s[2] = f->t_start;
    s[3] = f->rtol;
    s[4] = f->assembled;
    s[5] = f->u_moves;
    s[6] = f->dae;
    s[7] = f->stopped;
    s = put(s + STATE_HEAD, f->x, f->nx);
    s = put(s, f->rate + o->nq, o->nq);         /* in DAE mode the importer's */
    s = put(s, f->lambda, o->ng + o->nh);
    s = put(s, f->u, o->nu);
    s = put(s, f->u_before, o->nu);
    s = put(s, f->u_rate, o->nu * FMU_ORDERS);
    s = put(s, f->param, o->np);
    for (int i = 0; i < o->np; i++)
        *s++ = f->given[i];
    for (int i = 0; i < f->nx; i++)
        *s++ = f->x_set[i];
    /* sides of guards, samples of `every` */
    *s++ = f->sim->hybrid ? f->sim->hybrid->clock : 0;
    *s++ = f->sim->hybrid ? f->sim->hybrid->fresh : 0;
    for (int k = 0; k < o->nevent; k++) {
        *s++ = f->sim->hybrid->on[k];
        *s++ = (double)f->sim->hybrid->sample[k];
    }
}

int fmu_state_set(struct fmu *f, const double *s)
{
    const struct mbs_model *o = f->model;
    int status;

    f->mode = (enum fmu_mode)s[0];
    f->t = s[1];
    f->t_start = s[2];
    f->assembled = s[4] != 0;
    f->u_moves = s[5] != 0;
    f->dae = s[6] != 0;
    f->stopped = s[7] != 0;
    if (s[3] != f->rtol && open_simulation(f, s[3]))
        return 1;
    s = take(f->x, s + STATE_HEAD, f->nx);
    s = take(f->rate + o->nq, s, o->nq);
    s = take(f->lambda, s, o->ng + o->nh);
    s = take(f->u, s, o->nu);
    s = take(f->u_before, s, o->nu);
    s = take(f->u_rate, s, o->nu * FMU_ORDERS);
    s = take(f->param, s, o->np);
    for (int i = 0; i < o->np; i++)
        f->given[i] = *s++ != 0;
    for (int i = 0; i < f->nx; i++)
        f->x_set[i] = *s++ != 0;
    f->stale = f->stale_y = 1;
    f->factored = f->moved = 0;
    if ((status = mbs_set_parameters(f->sim, f->param)) ||
        (status = mbs_set_state(f->sim, f->t, f->x, f->x + o->nq, f->x + 2 * o->nq)))
        return failed(f, status);
    if (!f->sim->hybrid)
        return 0;
    f->sim->hybrid->clock = s[0];
    f->sim->hybrid->fresh = s[1] != 0;
    for (int k = 0; k < o->nevent; k++) {
        f->sim->hybrid->on[k] = (signed char)s[2 + 2 * k];
        f->sim->hybrid->sample[k] = (long)s[3 + 2 * k];
    }
    f->sim->hybrid->kept = 1;           /* events go on where they were */
    return 0;
}
