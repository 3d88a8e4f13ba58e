/* SPDX-License-Identifier: MIT
 *
 * A simulation: set-up in one block, its state, what one may ask it. */
#include "hybrid/hybrid.h"
#include "linalg/definite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void problem_layout(struct mbs_sim *sim, struct mbs_work *w)
{
    struct mbs_problem *p = &sim->p;
    const struct mbs_model *o = sim->model;
    size_t n = (size_t)p->n, m = (size_t)p->m;

    p->c = mbs_work_doubles(w, (size_t)o->nc + 1);
    p->w = mbs_work_doubles(w, (size_t)o->nw + 1);
    p->u = mbs_work_doubles(w, (size_t)o->nu + 1);
    p->dyn.M = mbs_work_doubles(w, (size_t)o->M.nnz + 1);
    p->dyn.G = mbs_work_doubles(w, (size_t)o->G.nnz + 1);
    p->dyn.zdot = mbs_work_doubles(w, (size_t)o->nz + 1);
    p->dyn.g = mbs_work_doubles(w, (size_t)o->ng + 1);
    p->dyn.gt = mbs_work_doubles(w, m + 1);
    p->x = mbs_work_doubles(w, n + m + 1);
    p->dyn.f = p->x;
    p->dyn.gamma = p->x ? p->x + n : NULL;
    p->gv = mbs_work_doubles(w, m + 1);
    p->ytmp = mbs_work_doubles(w, (size_t)p->ny + 1);
    p->qv = mbs_work_doubles(w, 2 * n + 1);
    mbs_point_layout(&sim->s.x, p, w);
    mbs_point_layout(&sim->dense, p, w);
    mbs_point_layout(&sim->rush.from, p, w);
    sim->witness_work = mbs_work_doubles(w, 6 * m + 1);
    sim->witness_start = mbs_work_doubles(w, 2 * m + 1);
    sim->s.way = mbs_work_doubles(w, n + 1);
    sim->s.top = mbs_work_doubles(w, n + 1);
    sim->told_a = mbs_work_doubles(w, n + 1);
    sim->told_lambda = mbs_work_doubles(w, m + 1);
    sim->params = mbs_work_doubles(w, (size_t)o->np + 1);
    sim->y = mbs_work_doubles(w, (size_t)o->ny + 1);
    sim->y_old = mbs_work_doubles(w, (size_t)o->ny + 1);
    sim->y_probe = mbs_work_doubles(w, (size_t)o->ny + 1);
    sim->side = mbs_work_bytes(w, (size_t)o->ny + 1);
    mbs_hybrid_layout(sim, w);
}

static void problem_init(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    const struct mbs_model *o = sim->model;

    p->model = o;
    p->n = o->nq;
    p->ng = o->ng;
    p->nh = o->nh;
    p->m = o->ng + o->nh;
    p->nz = o->nz;
    p->nu = o->nu;
    p->ny = 2 * o->nq + o->nz;
    p->input = sim->opt.input;
    p->input_user = sim->opt.input_user;
    p->stat = &sim->stat;
    p->msg = &sim->msg;
    p->form = MBS_INDEX1;
}

static void stepper_init(struct mbs_sim *sim, const struct mbs_method *method, enum mbs_form form)
{
    sim->p.form = form;
    sim->p.bg_alpha = sim->opt.baumgarte_alpha;
    sim->p.bg_beta = sim->opt.baumgarte_beta;
    sim->s.method = method;
    sim->s.share = 1;
    sim->s.p = &sim->p;
    sim->s.opt = &sim->opt;
    sim->s.form = form;
    sim->s.project = sim->opt.project < 0 ? form == MBS_PROJECTED : sim->opt.project;
    sim->s.stat = &sim->stat;
    sim->s.msg = &sim->msg;
    sim->s.dir = 1;
    sim->s.works = 0;
    sim->s.longest = sim->running ? sim->s.longest : HUGE_VAL;
    if (method->flags & MBS_METHOD_STEPS) {             /* contacts are its own affair */
        sim->p.touch = NULL;
        if (sim->hybrid)
            sim->hybrid->n = sim->hybrid->nevent;
    }
}

/* *at becomes zeros: what an old simulation has left, or new memory.  0 or MBS_NO_MEMORY. */
static int zeros(void **at, size_t *had, size_t size)
{
    if (*at && *had == size) {
        memset(*at, 0, size);
        return 0;
    }
    free(*at);
    *at = calloc(1, size);
    *had = size;
    return *at ? 0 : MBS_NO_MEMORY;
}

/* The block of the method: its own struct first, then its arrays. */
static int method_setup(struct mbs_sim *sim)
{
    const struct mbs_method *m = sim->s.method;
    struct mbs_work w = { NULL, 0 };
    int status = 0;

    if (zeros(&sim->s.self, &sim->self_size, m->size_self + 1))
        return MBS_NO_MEMORY;
    if (m->layout)
        m->layout(&sim->s, &w);
    if (zeros(&sim->method_block, &sim->method_size, w.used + 1))
        return MBS_NO_MEMORY;
    w = (struct mbs_work){ sim->method_block, 0 };
    if (m->layout)
        m->layout(&sim->s, &w);
    sim->method_open = 1;
    if (m->open)
        status = m->open(&sim->s);
    return status;
}

void mbs_sim_close(struct mbs_sim *sim)
{
    if (sim->method_open && sim->s.method->close)
        sim->s.method->close(&sim->s);
    free(sim->s.self);
    free(sim->method_block);
    sim->method_open = 0;
    sim->s.self = sim->method_block = NULL;
}

int mbs_sim_switch(struct mbs_sim *sim, const char *name)
{
    struct mbs_sim old = *sim;
    const struct mbs_method *method = mbs_method_find(name);
    int status, dir = sim->s.dir;

    sim->s.self = sim->method_block = NULL;
    sim->method_open = 0;
    stepper_init(sim, method, sim->automatic_form ? method->form_default : sim->s.form);
    sim->s.dir = dir;
    sim->s.err = sim->s.sc = NULL;
    sim->s.stiff = 0;
    status = method_setup(sim);
    if (status) {
        mbs_sim_close(sim);
        *sim = old;
        return status;
    }
    if (!mbs_derive_adopt(sim, &old))
        mbs_sim_close(&old);
    sim->opt.method = method->name;
    sim->opt.formulation = mbs_form_name(sim->s.form);
    sim->started = 0;
    return 0;
}

static int sim_setup(struct mbs_sim *sim, const double *params, const struct mbs_options *opt)
{
    const struct mbs_model *o = sim->model;
    const struct mbs_method *method;
    struct mbs_work w = { NULL, 0 };
    enum mbs_form form;
    int status;

    if ((status = mbs_border_model(sim)) || (status = mbs_border_values(sim, "the parameter", o->param, params, o->np)) ||
        (status = mbs_options_check(sim, opt)))
        return status;
    problem_init(sim);
    problem_layout(sim, &w);
    if (zeros(&sim->block, &sim->block_size, w.used + 1))
        return MBS_NO_MEMORY;
    sim->p.saddle = mbs_saddle_renew(sim->p.saddle, o);
    sim->p.envelope = sim->p.envelope ? sim->p.envelope : mbs_envelope_new(&o->M);
    if (!sim->p.saddle || !sim->p.envelope)
        return MBS_NO_MEMORY;
    w = (struct mbs_work){ sim->block, 0 };
    problem_layout(sim, &w);
    if (params)
        memcpy(sim->params, params, (size_t)o->np * sizeof *params);
    else if (o->defaults)
        o->defaults(sim->params, NULL);
    if (sim->hybrid)
        mbs_hybrid_parameters(sim);
    o->setup(sim->params, sim->p.c);
    o->initial(sim->p.c, sim->s.x.q, sim->s.x.v, sim->s.x.z, sim->p.u);
    sim->view = mbs_point_state(&sim->s.x, &sim->p);
    if ((status = mbs_options_resolve(sim, &method, &form)))
        return status;
    if (sim->s.method != method)
        mbs_sim_close(sim);
    stepper_init(sim, method, form);
    sim->p.works = sim->opt.witness && o->energy && (o->power || (o->conserves && sim->p.touch));
    return (status = mbs_watch_new(sim)) ? status : method_setup(sim);
}

/* *out is calloc'd, or has what an old simulation has left. */
static int sim_begin(struct mbs_sim **out, const struct mbs_model *model, const double *params, const struct mbs_options *opt, struct mbs_message *msg)
{
    struct mbs_sim *sim = *out;
    int status;

    if (!sim)
        return mbs_fail(msg, MBS_NO_MEMORY, NAN, -1, -1, "out of memory while setting up model %s", model->name);
    sim->model = model;
    status = sim_setup(sim, params, opt);
    if (status) {
        if (msg && status == MBS_NO_MEMORY)
            mbs_fail(msg, status, NAN, -1, -1, "out of memory while setting up model %s", model->name);
        else if (msg)
            *msg = sim->msg;
        mbs_free(sim);
        *out = NULL;
    }
    return status;
}

static int refuse_nothing(const char *call, const void *out, const void *model, const void *opt, struct mbs_message *msg)
{
    if (out && model && opt)
        return 0;
    return mbs_fail(msg, MBS_BAD_ARGUMENT, NAN, -1, -1, "%s needs a %s (NULL)", call,
                    !out ? "place for the simulation" : !model ? "model" : "struct mbs_options, which mbs_options_init() fills");
}

int mbs_new(struct mbs_sim **out, const struct mbs_model *model, const double *params, const struct mbs_options *opt,
            struct mbs_message *msg)
{
    if (out)
        *out = NULL;
    if (refuse_nothing("mbs_new", out, model, opt, msg))
        return MBS_BAD_ARGUMENT;
    *out = calloc(1, sizeof **out);
    return sim_begin(out, model, params, opt, msg);
}

/* Memory, and what was found out about the model: its size and content depend on nothing else.  Methods with systems of their own open them again. */
int mbs_renew(struct mbs_sim **place, const struct mbs_model *model, const double *params, const struct mbs_options *opt, struct mbs_message *msg)
{
    struct mbs_sim *sim = place ? *place : NULL, left;

    if (refuse_nothing("mbs_renew", place, model, opt, msg))
        return MBS_BAD_ARGUMENT;
    if (!sim || sim->model != model || sim->running) {
        mbs_free(sim);
        return mbs_new(place, model, params, opt, msg);
    }
    mbs_derive_end(sim);
    mbs_touch_free(sim);
    if (sim->s.method && sim->s.method->open)
        mbs_sim_close(sim);
    left = *sim;
    memset(sim, 0, sizeof *sim);
    sim->block = left.block;
    sim->block_size = left.block_size;
    sim->p.saddle = left.p.saddle;
    sim->p.envelope = left.p.envelope;
    sim->watch = left.watch;
    sim->method_block = left.method_block;
    sim->method_size = left.method_size;
    sim->s.self = left.s.self;
    sim->self_size = left.self_size;
    sim->s.method = left.s.method;
    return sim_begin(place, model, params, opt, msg);
}

void mbs_free(struct mbs_sim *sim)
{
    if (!sim)
        return;
    mbs_derive_end(sim);
    mbs_sim_close(sim);
    mbs_touch_free(sim);
    mbs_watch_free(sim);
    mbs_saddle_free(sim->p.saddle);
    mbs_envelope_free(sim->p.envelope);
    free(sim->block);
    free(sim);
}

/* ---- state ---- */

const struct mbs_state *mbs_state(const struct mbs_sim *sim)
{
    struct mbs_state *view = sim ? &((struct mbs_sim *)sim)->view : NULL;

    if (!sim)
        return NULL;
    view->t = sim->s.x.t;
    view->a = sim->told && sim->fresh_accelerations ? sim->told_a : sim->s.x.a;
    view->lambda = sim->told && sim->fresh_accelerations ? sim->told_lambda : sim->s.x.lambda;
    return view;
}

int mbs_sim_complete(struct mbs_sim *sim)
{
    struct mbs_point *x = &sim->s.x;
    int status = 0;

    if (!sim->fresh_accelerations) {
        status = mbs_accelerations(&sim->p, x->t, x->q, x->a, x->lambda, sim->p.dyn.zdot);
        sim->told = 0;
    }
    sim->fresh_accelerations = status == 0;
    return status;
}

/* Multipliers of index 2 lose a power of h against (q, v), those of index 3 two, and what ends an iteration need not count them; the equations of
 * motion at (q, v) with the constraints on acceleration level have no such loss. */
int mbs_sim_refine(struct mbs_sim *sim, double t, const double *y, double *a, double *lambda)
{
    const struct mbs_stepper *s = &sim->s;

    if (sim->p.m == 0 || !(s->method->flags & MBS_METHOD_FORCES))
        return 0;
    if (mbs_accelerations(&sim->p, t, y, a, lambda, sim->p.dyn.zdot) == 0)
        return 1;
    sim->msg.status = 0;
    return 0;
}

int mbs_forward(struct mbs_sim *sim, double t, const double *x, double *a, double *lambda, double *zdot)
{
    if (sim && !x)
        return mbs_fail(&sim->msg, MBS_BAD_ARGUMENT, NAN, -1, -1, "mbs_forward needs a state (NULL)");
    if (mbs_border_result(sim, a, "mbs_forward") || mbs_border_idle(sim, "mbs_forward") ||
        mbs_border_time(sim, t, "t"))
        return MBS_BAD_ARGUMENT;
    sim->started = sim->fresh_accelerations = 0;        /* the factors are of another place now */
    return mbs_accelerations(&sim->p, t, x, a, lambda ? lambda : sim->p.x + sim->p.n, zdot ? zdot : sim->p.dyn.zdot);
}

void mbs_sim_outputs(struct mbs_sim *sim, const struct mbs_point *x, double *y)
{
    struct mbs_state state = mbs_point_state(x, &sim->p);

    mbs_inputs_at(&sim->p, x->t);
    if (sim->model->ny > 0 && sim->model->outputs)
        sim->model->outputs(sim->p.c, &state, y, sim->p.w);
}

int mbs_outputs(struct mbs_sim *sim, double *y)
{
    int status = mbs_border_result(sim, y, "mbs_outputs");

    if (status == 0)
        status = mbs_sim_complete(sim);
    if (status == 0) {
        struct mbs_point x = sim->s.x;
        if (sim->told) {
            x.a = sim->told_a;
            x.lambda = sim->told_lambda;
        }
        mbs_sim_outputs(sim, &x, y);
    }
    return status;
}

int mbs_energy(struct mbs_sim *sim, double energy[2])
{
    struct mbs_state state;

    if (mbs_border_result(sim, energy, "mbs_energy"))
        return MBS_BAD_ARGUMENT;
    state = mbs_point_state(&sim->s.x, &sim->p);
    if (!sim->model->energy)
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, state.t, -1, -1, "the model %s has no energies", sim->model->name);
    mbs_inputs_at(&sim->p, state.t);
    sim->model->energy(sim->p.c, &state, energy, sim->p.w);
    return isfinite(energy[0] + energy[1]) ? 0 : mbs_fail(&sim->msg, MBS_NAN, state.t, -1, -1, "the energy is not finite at t = %.9g", state.t);
}

int mbs_set_state(struct mbs_sim *sim, double t, const double *q, const double *v, const double *z)
{
    struct mbs_point *x;

    if (mbs_border_idle(sim, "mbs_set_state") || mbs_border_time(sim, t, "t") ||
        mbs_border_values(sim, "the position", sim->model->coord, q, sim->p.n) ||
        mbs_border_values(sim, "the velocity", sim->model->coord, v, sim->p.n) ||
        mbs_border_values(sim, "the value", sim->model->state, z, sim->p.nz))
        return MBS_BAD_ARGUMENT;
    mbs_derive_end(sim);
    x = &sim->s.x;
    x->t = t;
    if (q)
        memmove(x->q, q, (size_t)sim->p.n * sizeof *q);
    if (v)
        memmove(x->v, v, (size_t)sim->p.n * sizeof *v);
    if (z)
        memmove(x->z, z, (size_t)sim->p.nz * sizeof *z);
    sim->started = sim->fresh_accelerations = sim->own_state = 0;
    return 0;
}

int mbs_set_inputs(struct mbs_sim *sim, const double *u)
{
    if (mbs_border_idle(sim, "mbs_set_inputs") || (sim->p.nu > 0 && mbs_border_result(sim, u, "mbs_set_inputs")) ||
        mbs_border_values(sim, "the input", sim->model->input, u, sim->p.nu))
        return MBS_BAD_ARGUMENT;
    if (sim->p.nu > 0)
        memmove(sim->p.u, u, (size_t)sim->p.nu * sizeof *u);
    sim->started = sim->fresh_accelerations = 0;
    sim->account.anew = 1;
    return 0;
}

int mbs_set_parameters(struct mbs_sim *sim, const double *params)
{
    if (mbs_border_idle(sim, "mbs_set_parameters") || (sim->model->np > 0 && mbs_border_result(sim, params, "mbs_set_parameters")) ||
        mbs_border_values(sim, "the parameter", sim->model->param, params, sim->model->np))
        return MBS_BAD_ARGUMENT;
    mbs_derive_end(sim);
    if (sim->model->np > 0)
        memmove(sim->params, params, (size_t)sim->model->np * sizeof *params);
    if (sim->hybrid)
        mbs_hybrid_parameters(sim);
    sim->model->setup(sim->params, sim->p.c);
    sim->started = sim->fresh_accelerations = 0;
    sim->account.anew = 1;
    return 0;
}

const double *mbs_parameters(const struct mbs_sim *sim)
{
    return sim ? sim->params : NULL;
}

const double *mbs_constants(const struct mbs_sim *sim)
{
    return sim ? sim->p.c : NULL;
}

int mbs_violation(struct mbs_sim *sim, struct mbs_violation *out)
{
    struct mbs_problem *p;
    struct mbs_state x;
    struct mbs_constraints con;

    if (mbs_border_result(sim, out, "mbs_violation"))
        return MBS_BAD_ARGUMENT;
    p = &sim->p;
    x = mbs_point_state(&sim->s.x, p);
    con = (struct mbs_constraints){ .g = p->dyn.g, .G = p->dyn.G, .gt = p->dyn.gt };
    *out = (struct mbs_violation){ 0, 0, -1, -1 };
    if (p->m == 0)
        return 0;
    mbs_eval_constraints(p, &x, &con);
    mbs_csc_mul(&p->model->G, con.G, 1, x.v, con.gt);
    for (int i = 0; i < p->ng; i++)
        if (!(fabs(con.g[i]) <= out->position)) {
            out->position = fabs(con.g[i]);
            out->position_row = i;
        }
    for (int i = 0; i < p->m; i++)
        if (!(fabs(con.gt[i]) <= out->velocity)) {
            out->velocity = fabs(con.gt[i]);
            out->velocity_row = i;
        }
    return 0;
}

const struct mbs_message *mbs_message(const struct mbs_sim *sim)
{
    static const struct mbs_message none = { MBS_BAD_ARGUMENT, NAN, -1, -1, "there is no simulation (NULL)" };

    return sim ? &sim->msg : &none;
}

const struct mbs_passages *mbs_passages(const struct mbs_sim *sim)
{
    return sim ? &sim->passages : NULL;
}

const struct mbs_witness *mbs_witness(const struct mbs_sim *sim)
{
    return sim ? &sim->witness : NULL;
}

const struct mbs_statistics *mbs_statistics(const struct mbs_sim *sim)
{
    return sim ? &sim->stat : NULL;
}

const char *mbs_method(const struct mbs_sim *sim)
{
    return sim ? sim->s.method->name : NULL;
}

enum mbs_form mbs_formulation(const struct mbs_sim *sim)
{
    return sim ? sim->s.form : MBS_FORMS;
}
