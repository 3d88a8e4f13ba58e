/* SPDX-License-Identifier: MIT
 *
 * Derivatives of the start by parameters.
 *
 * Assembly moves what it may by the least change, in a weighted norm, that meets the constraints: W (x - x0) + G' mu = 0, g(x, p) = 0.  Where nothing has moved
 * (mu = 0), or where the constraints leave nothing to choose, the derivative is the same problem made linear: the least change of the
 * derivatives of the given values that meets G s + gp = 0.  Else d(G' mu)/dx would be needed, and differences of five points of the assembly are
 * taken, whatever it does, as with start conditions and equilibria; for the parameters that it can depend on. */
#include "analysis/assembly.h"
#include "analysis/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* fixed[j] = 0 for parameters that follow when others change: those that have the values of their formulas and are not varied
 * themselves.  One that depends on what is varied but has another value than its formula is refused: rp would be of another model. */
static int find_fixed(struct mbs_sim *sim, unsigned char *fixed, double *p)
{
    const struct mbs_model *o = sim->model;
    unsigned char *one = calloc((size_t)o->np + 1, 1);
    int status = one ? 0 : MBS_NO_MEMORY;
    memset(fixed, 0, (size_t)o->np);
    for (int k = 0; k < o->nsensitive; k++)
        fixed[o->sensitive[k]] = 1;
    for (int j = 0; j < o->np && status == 0; j++) {
        if (fixed[j])
            continue;
        memset(one, 1, (size_t)o->np);
        one[j] = 0;
        memcpy(p, sim->params, (size_t)o->np * sizeof *p);
        o->defaults(p, one);
        double formula = p[j];
        fixed[j] = formula != sim->params[j];
        for (int k = 0; k < o->nsensitive && fixed[j]; k++) {
            memcpy(p, sim->params, (size_t)o->np * sizeof *p);
            p[o->sensitive[k]] += 1e-3 * (fabs(p[o->sensitive[k]]) + (p[o->sensitive[k]] == 0));
            o->defaults(p, one);
            if (p[j] != formula)
                status = mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1,
                                  "the parameter %s is a formula of %s but has another value: vary it, too, or leave it its formula", o->param[j].name,
                                  o->param[o->sensitive[k]].name);
        }
    }
    free(one);
    return status;
}

/* One simulation serves all parameters: an assembly begins with the values of the model, whatever was before. */
struct starts {
    struct mbs_sim *sim, *other;
    int equilibrium;
    unsigned char *fixed;
    double *p, *plus, *minus;   /* parameters; q, v, z */
};

static void starts_fini(struct starts *s)
{
    mbs_free(s->other);
    free(s->fixed);
    free(s->p);
}

static int starts_init(struct starts *s)
{
    const struct mbs_model *o = s->sim->model;
    size_t n = (size_t)(2 * o->nq + o->nz);
    struct mbs_message msg = {0};
    s->p = calloc((size_t)o->np + 2 * n + (size_t)o->nu + 3, sizeof *s->p);
    s->fixed = malloc((size_t)o->np + 1);
    if (!s->p || !s->fixed)
        return MBS_NO_MEMORY;
    s->plus = s->p + o->np + 1;
    s->minus = s->plus + n + 1;
    int status = find_fixed(s->sim, s->fixed, s->p);
    memcpy(s->sim->derive->fixed, s->fixed, (size_t)o->np);
    if (status == 0 && (status = mbs_new(&s->other, o, s->sim->params, &s->sim->opt, &msg)))
        s->sim->msg = msg;
    if (status == 0 && o->nu && !s->sim->opt.input)
        status = mbs_set_inputs(s->other, s->sim->p.u);
    return status;
}

static void change(struct starts *s, int i, double delta)
{
    const struct mbs_model *o = s->sim->model;
    memcpy(s->p, s->sim->params, (size_t)o->np * sizeof *s->p);
    s->p[i] += delta;
    o->defaults(s->p, s->fixed);
}

/* q, v, z of an assembly with parameter i moved by delta. */
static int assembled(struct starts *s, int i, double delta, double *out)
{
    const struct mbs_model *o = s->sim->model;
    change(s, i, delta);
    int status = mbs_set_parameters(s->other, s->p);
    if (status == 0)
        status = mbs_assemble(s->other, s->sim->s.x.t);
    if (status == 0 && s->equilibrium)
        status = mbs_equilibrium(s->other);
    if (status) {
        s->sim->msg = *mbs_message(s->other);
        return status;
    }
    const struct mbs_state *x = mbs_state(s->other);
    memcpy(out, x->q, (size_t)o->nq * sizeof *out);
    memcpy(out + o->nq, x->v, (size_t)o->nq * sizeof *out);
    memcpy(out + 2 * o->nq, x->z, (size_t)o->nz * sizeof *out);
    return 0;
}

/* Start values as the model gives them, before assembly. */
static int given(struct starts *s, int i, double delta, double *out)
{
    const struct mbs_model *o = s->sim->model;
    struct mbs_problem *p = &s->other->p;
    change(s, i, delta);
    o->setup(s->p, p->c);
    o->initial(p->c, out, out + o->nq, out + 2 * o->nq, s->minus + 2 * o->nq + o->nz);
    return 0;
}

static int has_column(const struct mbs_pattern *p, int k)
{
    return p->nnz && p->colptr[k + 1] > p->colptr[k];
}

/* An assembly knows of the model its start values, constraints and conditions, an equilibrium all of it. */
static int matters(struct starts *s, int k, double delta)
{
    const struct mbs_model *o = s->sim->model;
    size_t bytes = (size_t)(2 * o->nq + o->nz) * sizeof(double);
    if (s->equilibrium || o->ns || has_column(&o->gp, k) || has_column(&o->gvp, k))
        return 1;
    given(s, o->sensitive[k], delta, s->plus);
    given(s, o->sensitive[k], -delta, s->minus);
    return memcmp(s->plus, s->minus, bytes) != 0;
}

/* Column k: five-point differences of what `values` gives. */
static int differences(struct starts *s, struct mbs_derive *d, int k, double delta, int (*values)(struct starts *s, int i, double delta, double *out))
{
    int i = d->sim->model->sensitive[k], status = 0;
    for (int j = 0; j < d->rows; j++)
        d->start[j * d->np + k] = 0;
    for (int a = 1; a <= 2 && status == 0; a++) {
        if ((status = values(s, i, a * delta, s->plus)) == 0)
            status = values(s, i, -a * delta, s->minus);
        for (int j = 0; j < d->rows && status == 0; j++)
            d->start[j * d->np + k] += (a == 1 ? 8 : -1) * (s->plus[j] - s->minus[j]) / (12 * delta);
    }
    return status;
}

/* ---- the linear problem ---- */

/* Is the linear problem that of the derivatives? */
static int is_linear(const struct assembly *a, const double *x0, int dependent)
{
    int movable = 0, moved = 0;
    for (int j = 0; j < a->n; j++) {
        movable += a->weight[j] > 0;
        moved |= fabs(a->x[j] - x0[j]) > 1e-10 * (1 + fabs(a->x[j]));
    }
    return !moved || (mbs_least_dependent(a->least) && a->A.rows - dependent == movable);
}

struct levels {
    struct assembly position, velocity;
    int linear;
    double *right;              /* m */
};

static void levels_fini(struct levels *l)
{
    if (l->position.A.rows)
        mbs_assembly_fini(&l->position);
    if (l->velocity.A.rows)
        mbs_assembly_fini(&l->velocity);
    free(l->right);
}

/* Positions or velocities, with the constraints at the start as it was assembled; x0: the values that were given. */
static int level_init(struct levels *l, struct assembly *a, struct mbs_sim *sim, int velocity, const double *x0)
{
    int dependent, status = mbs_assembly_init(a, sim, velocity ? sim->model->v_init : sim->model->q_init, velocity, ROWS_CONSTRAINTS);
    if (status || !a->A.rows)
        return status;
    if ((dependent = mbs_assembly_factor(a, a->x)) < 0)
        return dependent;
    l->linear &= is_linear(a, x0, dependent);
    return 0;
}

/* Both, if the linear problems serve. */
static int levels_init(struct levels *l, struct starts *s)
{
    struct mbs_sim *sim = s->sim;
    const struct mbs_model *o = sim->model;
    int status;
    *l = (struct levels){.linear = !s->equilibrium && o->ns == 0 && mbs_has_matrices(o)};
    if (!l->linear)
        return 0;
    if (!(l->right = malloc(((size_t)(o->ng + o->nh) + 1) * sizeof *l->right)))
        return MBS_NO_MEMORY;
    given(s, o->sensitive[0], 0, s->plus);
    status = level_init(l, &l->position, sim, 0, s->plus);
    return status ? status : level_init(l, &l->velocity, sim, 1, s->plus + o->nq);
}

/* x (a column of `stride`) += the least change that removes r, which is spoilt; 0: nothing that may move removes it. */
static int remove_residual(struct assembly *a, double *r, double *x, int stride)
{
    double most = 0, left = 0;
    for (int i = 0; i < a->A.rows; i++) {
        most = fmax(most, fabs(r[i]));
        r[i] = -r[i];
    }
    mbs_least_solve(a->least, r, NULL, a->d);
    for (int j = 0, i = 0; j < a->n; j++) {
        x[j * stride] += a->d[j];
        for (; i < a->A.colptr[j + 1]; i++)
            r[a->A.rowidx[i]] -= a->val[i] * a->d[j];
    }
    for (int i = 0; i < a->A.rows; i++)
        left = fmax(left, fabs(r[i]));
    return left <= 1e-9 * most;
}

/* r += a column of a derivative by parameters; r += A x, x a column of a row-major matrix. */
static void add_column(const struct mbs_pattern *p, const double *val, int k, double *r)
{
    for (int i = p->nnz ? p->colptr[k] : 0; i < (p->nnz ? p->colptr[k + 1] : 0); i++)
        r[p->rowidx[i]] += val[i];
}
static void add_product(const struct mbs_pattern *p, const double *val, const double *x, int stride, double *r)
{
    for (int j = 0, i = 0; p->nnz && j < p->cols; j++)
        for (; i < p->colptr[j + 1]; i++)
            r[p->rowidx[i]] += val[i] * x[j * stride];
}

/* Column k, which has the derivatives of the given values, onto the constraints; 0: they cannot be met. */
static int meet_constraints(struct levels *l, struct mbs_derive *d, int k)
{
    const struct mbs_model *o = d->sim->model;
    const struct mbs_derive_stage *at = &d->row;
    double *q = d->start + k, *v = q + d->n * d->np;
    size_t bytes = (size_t)d->m * sizeof *l->right;
    memset(l->right, 0, bytes);
    add_product(&o->G, at->jac.G, q, d->np, l->right);
    add_column(&o->gp, at->s.gp, k, l->right);
    if (l->position.A.rows && !remove_residual(&l->position, l->right, q, d->np))
        return 0;
    memset(l->right, 0, bytes);
    add_product(&o->G, at->jac.G, v, d->np, l->right);
    add_product(&o->gvq, at->jac.gvq, q, d->np, l->right);
    add_column(&o->gvp, at->s.gvp, k, l->right);
    return !l->velocity.A.rows || remove_residual(&l->velocity, l->right, v, d->np);
}

static int differentiate(struct starts *s, struct levels *l, struct mbs_derive *d, int k)
{
    int i = d->sim->model->sensitive[k], status;
    double size = d->sim->params[i] != 0 ? fabs(d->sim->params[i]) : 1, delta = 1e-3 * size;
    d->scale[k] = size;
    d->direction[k] = (k * 2654435761u >> 16 & 1 ? -size : size) / sqrt(d->np);
    if (!matters(s, k, delta))
        return 0;
    if (l->linear && ((status = differences(s, d, k, delta, given)) || meet_constraints(l, d, k)))
        return status;
    return differences(s, d, k, delta, assembled);      /* which says, too, what cannot be met */
}

int mbs_derive_start(struct mbs_sim *sim, int equilibrium)
{
    struct mbs_derive *d = sim->derive;
    struct starts s = {.sim = sim, .equilibrium = equilibrium};
    struct levels l = {.linear = 0};
    int status = starts_init(&s);
    if (status == 0 && (status = levels_init(&l, &s)) == 0 && l.linear)
        status = mbs_derive_stage_at(d, sim->s.x.t, &d->row);
    for (int k = 0; k < d->np && status >= 0; k++)
        status = differentiate(&s, &l, d, k);
    levels_fini(&l);
    starts_fini(&s);
    return status;
}
