/* SPDX-License-Identifier: MIT
 *
 * Directional and adjoint derivatives of an FMU.  With K = [M G'; G 0] accelerations and multipliers follow from the state by
 *
 *     K (da, dlambda) = -(rq dq + rv dv + rz dz + ru du, gaq dq + gav dv),
 *
 * and K is symmetric, so that the same factors serve for the transpose.  In DAE mode they are independent, and nothing is solved. */
#include "fmu/fmu.h"

#include <string.h>

struct directions {
    double *q, *v, *z, *u, *a, *lambda, *y, *rate, *r, *ga, *gv, *g;
};

size_t fmu_seeds(const struct fmu *f)
{
    const struct mbs_model *o = f->model;
    size_t n = (size_t)o->nq, m = (size_t)(o->ng + o->nh), nz = (size_t)o->nz;

    return 3 * n + nz + (size_t)o->nu + m + (size_t)o->ny + 2 * n + nz + n + 3 * m;
}

static struct directions directions_clear(struct fmu *f)
{
    const struct mbs_model *o = f->model;
    int n = o->nq, m = o->ng + o->nh;
    struct directions d;

    d.q = f->seed;
    d.v = d.q + n;
    d.z = d.v + n;
    d.u = d.z + o->nz;
    d.a = d.u + o->nu;
    d.lambda = d.a + n;
    d.y = d.lambda + m;
    d.rate = d.y + o->ny;
    d.r = d.rate + 2 * n + o->nz;
    d.ga = d.r + n;
    d.gv = d.ga + m;
    d.g = d.gv + m;
    memset(f->seed, 0, fmu_seeds(f) * sizeof *f->seed);
    return d;
}

/* The Jacobian at t, x, u and the factors of K. */
static int factor(struct fmu *f)
{
    struct mbs_problem *p = &f->sim->p;
    struct mbs_state s;
    int status;

    if (f->factored)
        return 0;
    if (fmu_outputs_of(f))
        return 1;
    s = fmu_state_of(f);
    mbs_eval_jacobian(p, &s, &f->lin.jac);
    status = fmu_in_dae(f) ? 0 : mbs_saddle_factor(p->saddle, f->lin.jac.M, f->lin.jac.G);
    if (status < 0)
        return fmu_complain(f, "%s at t = %.9g", mbs_status_text(status), f->t);
    f->factored = 1;
    return 0;
}

static double *direction_of(struct directions *d, char by)
{
    return by == 'q' ? d->q : by == 'v' ? d->v : by == 'a' ? d->a : by == 'l' ? d->lambda : by == 'z' ? d->z : d->u;
}

/* r and ga by everything but a and lambda, times s. */
static void motion(const struct fmu *f, const struct directions *d, double s, double *r, double *ga)
{
    const struct mbs_model *o = f->model;
    const struct mbs_jacobian *j = &f->lin.jac;

    mbs_csc_mul(&o->rq, j->rq, s, d->q, r);
    mbs_csc_mul(&o->rv, j->rv, s, d->v, r);
    mbs_csc_mul(&o->rz, j->rz, s, d->z, r);
    mbs_csc_mul(&o->ru, j->ru, s, d->u, r);
    mbs_csc_mul(&o->gaq, j->gaq, s, d->q, ga);
    mbs_csc_mul(&o->gav, j->gav, s, d->v, ga);
}
static void motion_t(const struct fmu *f, struct directions *d, double s, const double *r, const double *ga)
{
    const struct mbs_model *o = f->model;
    const struct mbs_jacobian *j = &f->lin.jac;

    mbs_csc_mul_t(&o->rq, j->rq, s, r, d->q);
    mbs_csc_mul_t(&o->rv, j->rv, s, r, d->v);
    mbs_csc_mul_t(&o->rz, j->rz, s, r, d->z);
    mbs_csc_mul_t(&o->ru, j->ru, s, r, d->u);
    mbs_csc_mul_t(&o->gaq, j->gaq, s, ga, d->q);
    mbs_csc_mul_t(&o->gav, j->gav, s, ga, d->v);
}

/* What d.q, d.v, d.z, d.u, in DAE mode also d.a and d.lambda, do to everything else.  Else r and ga vanish whatever moves. */
static void forward(struct fmu *f, struct directions *d)
{
    const struct mbs_model *o = f->model;
    const struct mbs_jacobian *j = &f->lin.jac;
    int n = o->nq, m = o->ng + o->nh;

    if (fmu_in_dae(f)) {
        motion(f, d, 1, d->r, d->ga);
        mbs_csc_mul_sym(&o->M, j->M, 1, d->a, d->r);
        mbs_csc_mul_t(&o->G, j->G, 1, d->lambda, d->r);
        mbs_csc_mul(&o->G, j->G, 1, d->a, d->ga);
    } else {
        memset(f->rhs, 0, (size_t)(n + m) * sizeof *f->rhs);
        motion(f, d, -1, f->rhs, f->rhs + n);
        mbs_saddle_solve(f->sim->p.saddle, f->rhs);
        memcpy(d->a, f->rhs, (size_t)n * sizeof *d->a);
        memcpy(d->lambda, f->rhs + n, (size_t)m * sizeof *d->lambda);
    }
    mbs_csc_mul(&o->gvq, j->gvq, 1, d->q, d->gv);
    mbs_csc_mul(&o->G, j->G, 1, d->v, d->gv);
    mbs_csc_mul(&o->G, j->G, 1, d->q, d->g);
    memcpy(d->rate, d->v, (size_t)n * sizeof *d->v);
    memcpy(d->rate + n, d->a, (size_t)n * sizeof *d->a);
    mbs_csc_mul(&o->zq, j->zq, 1, d->q, d->rate + 2 * n);
    mbs_csc_mul(&o->zv, j->zv, 1, d->v, d->rate + 2 * n);
    mbs_csc_mul(&o->zz, j->zz, 1, d->z, d->rate + 2 * n);
    mbs_csc_mul(&o->zu, j->zu, 1, d->u, d->rate + 2 * n);
    for (int k = 0; k < fmu_entries; k++)
        d->y[fmu_entry[k].output] += f->y[fmu_outputs + k] * direction_of(d, fmu_entry[k].by)[fmu_entry[k].index];
}

/* The transpose: from weights of what forward() gives to d.q, d.v, d.z, d.u, in DAE mode also d.a and d.lambda. */
static void backward(struct fmu *f, struct directions *d)
{
    const struct mbs_model *o = f->model;
    const struct mbs_jacobian *j = &f->lin.jac;
    int n = o->nq, m = o->ng + o->nh;

    for (int k = 0; k < fmu_entries; k++)
        direction_of(d, fmu_entry[k].by)[fmu_entry[k].index] += f->y[fmu_outputs + k] * d->y[fmu_entry[k].output];
    for (int i = 0; i < n; i++) {
        d->v[i] += d->rate[i];
        d->a[i] += d->rate[n + i];
    }
    mbs_csc_mul_t(&o->zq, j->zq, 1, d->rate + 2 * n, d->q);
    mbs_csc_mul_t(&o->zv, j->zv, 1, d->rate + 2 * n, d->v);
    mbs_csc_mul_t(&o->zz, j->zz, 1, d->rate + 2 * n, d->z);
    mbs_csc_mul_t(&o->zu, j->zu, 1, d->rate + 2 * n, d->u);
    mbs_csc_mul_t(&o->gvq, j->gvq, 1, d->gv, d->q);
    mbs_csc_mul_t(&o->G, j->G, 1, d->gv, d->v);
    mbs_csc_mul_t(&o->G, j->G, 1, d->g, d->q);
    if (fmu_in_dae(f)) {
        motion_t(f, d, 1, d->r, d->ga);
        mbs_csc_mul_sym(&o->M, j->M, 1, d->r, d->a);
        mbs_csc_mul_t(&o->G, j->G, 1, d->ga, d->a);
        mbs_csc_mul(&o->G, j->G, 1, d->r, d->lambda);
        return;
    }
    memcpy(f->rhs, d->a, (size_t)n * sizeof *f->rhs);
    memcpy(f->rhs + n, d->lambda, (size_t)m * sizeof *f->rhs);
    mbs_saddle_solve(f->sim->p.saddle, f->rhs);
    motion_t(f, d, -1, f->rhs, f->rhs + n);
}

/* An acceleration or a multiplier: a known in DAE mode, else an unknown; NULL: none of them. */
static double *algebraic_place(const struct fmu *f, struct directions *d, unsigned r)
{
    const struct fmu_blocks *at = &f->at;

    if (r >= at->lambda && r < at->param)
        return d->lambda + (r - at->lambda);
    if (r >= at->acceleration && r < at->r)
        return d->a + (r - at->acceleration);
    return NULL;
}

/* Where the derivative by a known, or of an unknown, stands; NULL: it is none. */
static double *known_place(struct fmu *f, struct directions *d, unsigned r)
{
    const struct fmu_blocks *at = &f->at;

    if (r >= at->q && r < at->dq)
        return d->q + (r - at->q);      /* q, v, z follow each other */
    if (r >= at->u && r < at->y)
        return d->u + (r - at->u);
    if (fmu_in_dae(f) && algebraic_place(f, d, r))
        return algebraic_place(f, d, r);
    fmu_complain(f, "derivatives are to be had with respect to states and inputs, not to value reference %u", r);
    return NULL;
}
static double *unknown_place(struct fmu *f, struct directions *d, unsigned r)
{
    const struct fmu_blocks *at = &f->at;

    if (r >= at->dq && r < at->u)
        return d->rate + (r - at->dq);
    if (r >= at->y && r < at->energy)
        return d->y + (r - at->y);
    if (r >= at->r && r < at->end)
        return d->r + (r - at->r);      /* r, ga, gv, g follow each other */
    if (!fmu_in_dae(f) && algebraic_place(f, d, r))
        return algebraic_place(f, d, r);
    fmu_complain(f, "value reference %u has no derivatives", r);
    return NULL;
}

int fmu_directional(struct fmu *f, size_t nz, const unsigned *unknown, size_t nv, const unsigned *known, const double *dv, double *jv)
{
    struct directions d;

    if (factor(f))
        return 1;
    d = directions_clear(f);
    for (size_t i = 0; i < nv; i++) {
        double *place = known_place(f, &d, known[i]);
        if (!place)
            return 1;
        *place += dv[i];
    }
    forward(f, &d);
    for (size_t i = 0; i < nz; i++) {
        const double *place = unknown_place(f, &d, unknown[i]);
        if (!place)
            return 1;
        jv[i] = *place;
    }
    return 0;
}

int fmu_adjoint(struct fmu *f, size_t nz, const unsigned *unknown, size_t nv, const unsigned *known, const double *dz, double *jv)
{
    struct directions d;

    if (factor(f))
        return 1;
    d = directions_clear(f);
    for (size_t i = 0; i < nz; i++) {
        double *place = unknown_place(f, &d, unknown[i]);
        if (!place)
            return 1;
        *place += dz[i];
    }
    backward(f, &d);
    for (size_t i = 0; i < nv; i++) {
        const double *place = known_place(f, &d, known[i]);
        if (!place)
            return 1;
        jv[i] = *place;
    }
    return 0;
}
