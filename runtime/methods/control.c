/* SPDX-License-Identifier: MIT
 *
 * What all methods share: points, norms, step sizes.  HNW: Hairer, Norsett & Wanner, Solving Ordinary Differential
 * Equations I; HW: Hairer & Wanner, II. */
#include "methods/method.h"

#include <math.h>
#include <string.h>

void mbs_point_layout(struct mbs_point *x, const struct mbs_problem *p, struct mbs_work *w)
{
    size_t n = (size_t)p->n, m = (size_t)p->m;

    x->q = mbs_work_doubles(w, (size_t)p->ny + 1);
    x->v = x->q ? x->q + n : NULL;
    x->z = x->q ? x->q + 2 * n : NULL;
    x->a = mbs_work_doubles(w, n + 1);
    x->lambda = mbs_work_doubles(w, m + 1);
    x->mu = mbs_work_doubles(w, m + 1);
}

void mbs_point_copy(struct mbs_point *to, const struct mbs_point *from, const struct mbs_problem *p)
{
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)p->ny * sizeof *to->q);
    memcpy(to->a, from->a, (size_t)p->n * sizeof *to->a);
    memcpy(to->lambda, from->lambda, (size_t)p->m * sizeof *to->lambda);
    memcpy(to->mu, from->mu, (size_t)p->m * sizeof *to->mu);
}

void mbs_scale(const struct mbs_stepper *s, const double *y, const double *y2, double *sc)
{
    double rtol = s->opt->rtol, atol = s->opt->atol;
    const double *atols = s->opt->atol_y;

    for (int i = 0; i < s->p->ny; i++) {
        double big = fabs(y[i]);
        if (y2 && fabs(y2[i]) > big)
            big = fabs(y2[i]);
        sc[i] = 1 / (s->share * ((atols ? atols[i] : atol) + rtol * big));
    }
}

double mbs_sumsq(const double *x, const double *sc, int n)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;

    for (; i + 3 < n; i += 4) {
        double a = x[i] * sc[i], b = x[i + 1] * sc[i + 1], c = x[i + 2] * sc[i + 2], d = x[i + 3] * sc[i + 3];
        s0 += a * a;
        s1 += b * b;
        s2 += c * c;
        s3 += d * d;
    }
    for (; i < n; i++) {
        double a = x[i] * sc[i];
        s0 += a * a;
    }
    return (s0 + s1) + (s2 + s3);
}

/* HW VII.3 and VII.7: the index of (q, v, a, lambda) is (1, 2, 3, 3) for g = 0, (1, 1, 2, 2) for its derivative and
 * for the stabilized form, where mu has index 2 as well, and (1, 1, 1, 1) after two differentiations. */
struct mbs_index_powers mbs_index_powers(enum mbs_form form)
{
    switch (form) {
    case MBS_INDEX3:
        return (struct mbs_index_powers){ 0, 1, 2, 2, 2 };
    case MBS_INDEX2:
    case MBS_GGL:
        return (struct mbs_index_powers){ 0, 0, 1, 1, 1 };
    case MBS_INDEX1: case MBS_BAUMGARTE: case MBS_PROJECTED: case MBS_FORMS:
        break;
    }
    return (struct mbs_index_powers){ 0, 0, 0, 0, 0 };
}

double mbs_step_fit(const struct mbs_stepper *s, double h, double tstop, int *last)
{
    double rest = tstop - s->x.t;

    if (fabs(h) > s->longest)
        h = s->dir * s->longest;
    if (s->follow > 0 && fabs(h) > s->follow)
        h = s->dir * s->follow;
    *last = fabs(rest) <= 1.01 * fabs(h);
    return *last ? rest : h;
}

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

double mbs_control_accept(struct mbs_control *c, double err)
{
    double fac;

    err = err > 1e-30 ? err : 1e-30;
    fac = c->beta == 0 ? c->safe * pow(err, -c->expo) : c->safe * pow(err, 0.75 * c->beta - c->expo) * pow(c->err_old, c->beta);
    fac = clamp(fac, c->fac_min, c->rejected ? 1 : c->fac_max);
    c->err_old = err > 1e-4 ? err : 1e-4;
    c->rejected = 0;
    return fac;
}

double mbs_control_reject(struct mbs_control *c, double err)
{
    c->rejected = 1;
    if (!(err < 1e30))
        return 0.1;
    return clamp(c->safe * pow(err, 0.75 * c->beta - c->expo), c->fac_min, 1);
}

/* HNW II.4, algorithm HINIT: a step for which the Euler step and the second derivative stay small. */
double mbs_first_step(struct mbs_stepper *s, int order, double *tmp)
{
    struct mbs_problem *p = s->p;
    int n = p->n, ny = p->ny;
    double *sc = tmp, *f0 = tmp + ny, *y1 = tmp + 2 * ny, *f1 = p->ytmp;
    double d0, d1, d2, h, h1;

    if (s->h != 0)
        return s->dir * fabs(s->h);
    mbs_scale(s, s->x.q, NULL, sc);
    memcpy(f0, s->x.v, (size_t)n * sizeof *f0);
    if (p->nz == 0)
        memcpy(f0 + n, s->x.a, (size_t)n * sizeof *f0);
    else if (mbs_accelerations(p, s->x.t, s->x.q, f0 + n, NULL, f0 + 2 * n))
        return s->dir * 1e-6;
    d0 = mbs_sumsq(s->x.q, sc, ny);
    d1 = mbs_sumsq(f0, sc, ny);
    h = d0 > 1e-10 && d1 > 1e-10 ? 0.01 * sqrt(d0 / d1) : 1e-6;
    if (h > s->longest)
        h = s->longest;
    for (int i = 0; i < ny; i++)
        y1[i] = s->x.q[i] + s->dir * h * f0[i];
    memcpy(f1, y1 + n, (size_t)n * sizeof *f1);
    if (mbs_accelerations(p, s->x.t + s->dir * h, y1, f1 + n, NULL, f1 + 2 * n) || !mbs_finite(f1, ny)) {
        s->msg->status = 0;
        return s->dir * h * 1e-3;
    }
    for (int i = 0; i < ny; i++)
        f1[i] -= f0[i];
    d2 = sqrt(mbs_sumsq(f1, sc, ny)) / h;
    d2 = d2 > sqrt(d1) ? d2 : sqrt(d1);
    h1 = d2 <= 1e-15 ? fmax(1e-6, h * 1e-3) : pow(0.01 / d2, 1.0 / order);
    h = fmin(100 * h, h1);
    if (h > s->longest)
        h = s->longest;
    return s->dir * h;
}
