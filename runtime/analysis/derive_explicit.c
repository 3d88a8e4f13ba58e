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
    for (size_t i = 0; i < count && d->all.params; i++)
        x->k[i] = mbs_work_doubles(w, state);
    x->old = mbs_work_doubles(w, state);
    x->fresh = mbs_work_doubles(w, state);
    x->stage = mbs_work_doubles(w, state);
    x->point = mbs_work_doubles(w, (size_t)d->rows + 1);
    x->weights = mbs_work_doubles(w, count + MBS_EXPLICIT_SLOPES);
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
    size_t size = mbs_derive_stage_place(&x->at, o, 1, NULL);
    layout(d, x, &w);
    x->at.block = calloc(size + 1, sizeof *x->at.block);
    x->memory_size = w.used;
    x->memory = calloc(1, w.used + 1);
    if (!x->at.block || !x->memory)
        return MBS_NO_MEMORY;
    mbs_derive_stage_place(&x->at, o, 1, x->at.block);
    w = (struct mbs_work){x->memory, 0};
    layout(d, x, &w);
    d->sim->s.staged = 1;
    if (d->all.params && !d->sim->opt.motion_steps) {
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
    free(x->at.block);
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
                                  .beta = baumgarte ? sim->p.bg_beta : 0, .weight = e->weight, .y = y, .y_new = y_new};
    for (int i = 0; i < mbs_explicit_slopes(s.tab); i++) {
        s.k[i] = e->k[i];
        s.lambda[i] = i == 0 ? lambda : i == s.tab->stages ? lambda_new : e->stage_lambda[i];
    }
    return s;
}

int mbs_explicit_look(struct mbs_derive *d, double t, int *fresh)
{
    const struct mbs_sim *sim = d->sim;
    const struct erk *e = sim->s.self;
    struct mbs_explicit_step *s = &d->explicit->step;
    *fresh = s->t != sim->s.t_old || s->t_new != sim->s.x.t;
    if (!*fresh)
        return 0;
    *s = step_of(d, sim->s.t_old, sim->s.x.t, e->h_last, e->y_old, sim->s.x.q, e->stage_lambda[0], sim->s.x.lambda);
    s->first = e->steps == 1;
    s->dense = t != sim->s.x.t;
    int status = s->dense ? mbs_sim_dense_motion(d->sim, t, &d->at) : 0;       /* makes the further stages */
    return status < 0 ? status : 0;
}

/* y (rows values) at stage i. */
static const double *point(const struct mbs_derive *d, const struct mbs_explicit_step *s, int i, double *y)
{
    const struct erk_row *r = &s->tab->row[i];
    if (i == 0 || i == s->tab->stages)
        return i == 0 ? s->y : s->y_new;
    memcpy(y, s->y, (size_t)d->rows * sizeof *y);
    for (int j = 0; j < r->count; j++)
        mbs_panel_add(d->rows, s->h * r->term[j].a, s->k[r->term[j].stage], y);
    return y;
}

int mbs_explicit_stage(struct mbs_derive *d, const struct mbs_explicit_step *s, int i)
{
    struct mbs_explicit *x = d->explicit;
    struct mbs_problem *p = &d->sim->p;
    const double *y = point(d, s, i, x->point);
    double t = i == 0 ? s->t : i == s->tab->stages ? s->t_new : s->t + s->tab->row[i].c * s->h;
    struct mbs_state at = {.t = t, .q = y, .v = y + d->n, .z = y + 2 * d->n, .a = s->k[i] + d->n, .lambda = s->lambda[i], .u = p->u};
    struct mbs_jacobian jac = x->at.jac;
    struct mbs_sensitivity by = x->at.s;
    if (!(i == s->tab->stages && mbs_explicit_projects(d)) && s->alpha == 0)
        jac.gvq = NULL;
    by.yq = by.yv = by.ya = by.yl = by.yz = by.yp = NULL;
    mbs_inputs_at(p, t);
    d->sim->model->jacobian(p->c, &at, &jac, p->w);
    d->sim->model->sensitivity(p->c, &at, &by, p->w);
    int status = mbs_saddle_factor(p->saddle, jac.M, jac.G);
    return status < 0 ? status : 0;
}

/* K = the slopes that belong to the state S at the stage of x->at. */
static void slope(struct mbs_derive *d, const struct mbs_explicit_step *s, const double *S, double *K)
{
    const struct mbs_model *o = d->sim->model;
    const struct mbs_derive_stage *at = &d->explicit->at;
    const struct mbs_jacobian *J = &at->jac;
    const struct mbs_derive_columns *c = &d->all;
    int w = c->width, n = d->n;
    const double *q = S, *v = q + n * w, *z = v + n * w;
    double *al = d->al, *g = al + n * w, *kz = K + 2 * n * w;
    mbs_panel_clear((n + d->m) * w, al);
    mbs_derive_params(d, &o->rp, at->s.rp, -1, c, al);
    mbs_panel_mul(&o->rq, J->rq, -1, w, q, al);
    mbs_panel_mul(&o->rv, J->rv, -1, w, v, al);
    mbs_panel_mul(&o->rz, J->rz, -1, w, z, al);
    if (d->m) {
        mbs_derive_params(d, &o->gap, at->s.gap, -1, c, g);
        mbs_panel_mul(&o->gaq, J->gaq, -1, w, q, g);
        mbs_panel_mul(&o->gav, J->gav, -1, w, v, g);
        if (s->alpha != 0)
            mbs_derive_velocity(d, at, c, -2 * s->alpha, q, v, g);
        if (s->beta != 0)
            mbs_derive_position(d, at, c, -s->beta * s->beta, q, g);
    }
    mbs_derive_solve(d, n, c->params + 1, w, al, K + n * w);
    memcpy(K, v, (size_t)(n * w) * sizeof *K);
    if (!d->nz)
        return;
    memset(kz, 0, (size_t)(d->nz * w) * sizeof *kz);
    mbs_derive_params(d, &o->zp, at->s.zp, 1, c, kz);
    mbs_panel_mul(&o->zq, J->zq, 1, w, q, kz);
    mbs_panel_mul(&o->zv, J->zv, 1, w, v, kz);
    mbs_panel_mul(&o->zz, J->zz, 1, w, z, kz);
}

static void combine(const struct mbs_derive *d, const struct erk_row *r, double h, const double *y, double *out)
{
    double a[12];
    const double *k[12];
    for (int j = 0; j < r->count; j++) {
        a[j] = h * r->term[j].a;
        k[j] = d->explicit->k[r->term[j].stage];
    }
    mbs_panel_combine(d->rows * d->all.width, r->count, a, k, y, out);
}

static int stage(struct mbs_derive *d, const struct mbs_explicit_step *s, int i)
{
    struct mbs_explicit *x = d->explicit;
    int status = mbs_explicit_stage(d, s, i);
    if (status)
        return status;
    if (i > 0)
        combine(d, &s->tab->row[i], s->h, x->old, x->stage);
    slope(d, s, i ? x->stage : x->old, x->k[i]);
    return 0;
}

/* The error estimate of the method, for the derivatives by all parameters: 1 is the tolerance. */
static double step_error(struct mbs_derive *d, const struct mbs_explicit_step *s)
{
    const struct mbs_explicit *x = d->explicit;
    double err = 0, err3 = 0, *e = x->stage, *e3 = d->next;
    combine(d, &s->tab->error, s->h, NULL, e);
    if (s->tab->error3.count)
        combine(d, &s->tab->error3, s->h, NULL, e3);
    for (int i = 0; i < d->rows; i++) {
        double scale = 1 / mbs_derive_tolerance(d, i, mbs_derive_size(d, x->fresh, i));
        double a = scale * mbs_derive_size(d, e, i), a3 = s->tab->error3.count ? scale * mbs_derive_size(d, e3, i) : 0;
        err += a * a;
        err3 += a3 * a3;
    }
    double deno = s->tab->error3.count ? err + 0.01 * err3 : err;
    return deno > 0 ? err / sqrt(deno * fmax(1, d->rows)) : 0;
}

/* The stages of a step, from d->now; x->fresh, not yet projected; the error. */
static int stages(struct mbs_derive *d)
{
    struct mbs_explicit *x = d->explicit;
    const struct mbs_explicit_step *s = &x->step;
    int last = s->tab->stages, status;
    memcpy(x->old, d->now, (size_t)(d->rows * d->all.width) * sizeof *x->old);
    if (s->first && (status = stage(d, s, 0)))
        return status;
    if (!s->first && x->swap) {
        double *k = x->k[0];
        x->k[0] = x->k[last];
        x->k[last] = k;
    }
    x->swap = 0;
    for (int i = 1; i < last; i++)
        if ((status = stage(d, s, i)))
            return status;
    combine(d, &s->tab->row[last], s->h, x->old, x->fresh);
    if (!mbs_finite(x->fresh, d->rows * d->all.width))
        return MBS_NAN;
    if (s->tab->fsal) {         /* the error estimate wants the slope there, too */
        if ((status = mbs_explicit_stage(d, s, last)))
            return status;
        slope(d, s, x->fresh, x->k[last]);
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

/* The last step, to x->fresh; its stages may be known. */
static int step(struct mbs_derive *d)
{
    struct mbs_explicit *x = d->explicit;
    const struct mbs_explicit_step *s = &x->step;
    int last = s->tab->stages, projects = mbs_explicit_projects(d), status = x->tried ? 0 : stages(d);
    x->tried = 0;
    if (status == 0 && (projects || !s->tab->fsal)) {
        if ((status = mbs_explicit_stage(d, s, last)))
            return status;
        if (projects) {
            mbs_derive_corrections(d);
            mbs_derive_project(d, &x->at, &d->all, x->fresh);
        }
        slope(d, s, x->fresh, x->k[last]);
    }
    for (int i = last + 1; i < mbs_explicit_slopes(s->tab) && s->dense && status == 0; i++)
        status = stage(d, s, i);
    if (status)
        return status;
    x->swap = 1;
    d->out.error = fmax(d->out.error, x->error);
    d->out.steps++;
    mbs_derive_accepted(d, x->fresh);
    return mbs_finite(x->fresh, d->rows * d->all.width) ? 0 : MBS_NAN;
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

int mbs_explicit_to(struct mbs_derive *d, double t)
{
    struct mbs_explicit *x = d->explicit;
    int fresh, status = mbs_explicit_look(d, t, &fresh);
    if (status == 0 && fresh)
        status = step(d);
    if (status)
        return status;
    size_t state = (size_t)(d->rows * d->all.width);
    if (t == x->step.t_new) {
        memcpy(d->now, x->fresh, state * sizeof *d->now);
        return 0;
    }
    int count = mbs_explicit_weights(&x->step, t, x->weights);
    memset(d->now, 0, state * sizeof *d->now);
    for (int i = 0; i < count; i++)
        if (x->weights[i] != 0)
            mbs_panel_add((int)state, x->weights[i], i == MBS_EXPLICIT_OLD ? x->old : i == MBS_EXPLICIT_NEW ? x->fresh : x->k[i - MBS_EXPLICIT_SLOPES], d->now);
    return 0;
}
