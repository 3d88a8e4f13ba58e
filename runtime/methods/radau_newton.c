/* SPDX-License-Identifier: MIT
 *
 * Stages of the Radau methods: prediction from the step before, simplified Newton iterations (HW IV.8), and the error
 * estimate. */
#include "methods/radau.h"
#include "methods/radau_kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MUL_TI, MUL_A, MUL_T, MUL_SIZE = 2 * RADAU_STAGES * RADAU_STAGES };

static const Two *multiplier(const struct radau *r, int which)
{
    return (const Two *)(r->mul + which * MUL_SIZE);
}

/* The tolerances that the estimate of order s + 1 is held against, so that the error of order 2 s - 1 has about the
 * size of those asked for (HW99). */
void mbs_radau_use_stages(struct mbs_stepper *s, int stages)
{
    struct radau *r = s->self;
    const struct radau_table *tab = mbs_radau_table(stages);
    double asked = s->opt->rtol > 0 ? s->opt->rtol : s->opt->atol;
    const double *from[3] = {tab->TI, tab->A, tab->T};

    r->tab = tab;
    r->L = stages == 3 ? 1 : 2;
    for (int which = 0; which < 3; which++)
        for (int i = 0; i < stages * stages; i++)
            r->mul[which * MUL_SIZE + 2 * i] = r->mul[which * MUL_SIZE + 2 * i + 1] = from[which][i];
    r->factor = (s->form == MBS_INDEX3 ? 0.05 : 0.1) * pow(s->share * asked, (stages + 1.0) / (2.0 * stages)) / asked;
    r->rtol = s->opt->rtol * r->factor;
    r->atol = s->opt->atol * r->factor;
    r->kappa_least = 10 * DBL_EPSILON / (asked * r->factor);
    r->kappa = fmax(r->kappa_least,
                    (s->p->m == 0 || s->form == MBS_INDEX3 || s->form == MBS_INDEX1 ? 0.1 : 1) * fmin(0.03, sqrt(asked * r->factor)));
    r->newton_max = s->opt->step > 0 ? 50 : 7 + 5 * (stages - 3) / 2;
    r->eta = 1;
    r->h_factored = 0;
}

/* Reciprocal tolerances at the begin of a step, times h^(index - 1). */
void mbs_radau_scales(struct mbs_stepper *s, double h)
{
    struct radau *r = s->self;
    int n = s->p->n, ny = s->p->ny, m = s->p->m;
    struct mbs_index_powers k = mbs_index_powers(s->form);
    double w = fabs(h) / r->tab->gamma, power[3] = {1, w, w * w};
    const double *atol = s->opt->atol_y;

    /* the mean is taken over the variables that count in full: else the error of q would be diluted by the others */
    r->count = n + s->p->nz + (k.v ? 0 : n);
    for (int i = 0; i < ny; i++)
        r->sc[i] = (i >= n && i < 2 * n ? power[k.v] : 1) /
                   ((atol ? atol[i] * r->factor : r->atol) + r->rtol * fabs(s->x.q[i]));
    for (int i = 0; i < n; i++)
        r->sca[i] = power[k.v + 1] / (r->atol + r->rtol * fabs(s->x.a[i]));
    for (int i = 0; i < m; i++)
        r->scl[i] = power[k.v + 1] / (r->atol + r->rtol * fabs(s->x.lambda[i]));
}

/* ---- prediction ---- */

/* X_i = sum_k W_ik last_k, W with every entry twice */
KERNEL void combine_with(int s, const Two *W, const double *last, double *X, int n)
{
    Two x[RADAU_STAGES], y[RADAU_STAGES];

    for (int j = 0; j < n; j += 2) {
        int both = j + 1 < n;
        two_stages(s, last, n, j, x, both);
        two_mul(s, W, x, y);
        two_stages_store(s, X, n, j, y, both);
    }
}

/* The same for different numbers of stages. */
static void combine_any(int s, int sl, const Two *W, const double *last, double *X, int n)
{
    for (int i = 0; i < s; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < sl; k++)
                sum += W[i * sl + k][0] * last[k * n + j];
            X[i * n + j] = sum;
        }
}

static void combine(int s, int sl, const Two *W, const double *last, double *X, int n)
{
    if (s == 7 && sl == 7)
        combine_with(7, W, last, X, n);
    else if (s == 5 && sl == 5)
        combine_with(5, W, last, X, n);
    else if (s == 3 && sl == 3)
        combine_with(3, W, last, X, n);
    else
        combine_any(s, sl, W, last, X, n);
}

/* Values of the Lagrange polynomials of the last step's nodes at the stages of the next one. */
static void extrapolation_weights(const struct radau_table *tab, const struct radau_table *last, double ratio, Two *W)
{
    for (int i = 0; i < tab->s; i++) {
        double x = 1 + tab->c[i] * ratio, all = 1;
        for (int k = 0; k < last->s; k++)
            all *= x - last->c[k];
        for (int k = 0; k < last->s; k++)
            W[i * last->s + k] = all * last->w[k] / (x - last->c[k]) * (Two){1, 1};
    }
}

static void constant_stages(int s, const double *x, double *X, int n)
{
    for (int i = 0; i < s; i++)
        memcpy(X + i * n, x, (size_t)n * sizeof *x);
}

/* Y_i = y0 + h sum a_ij K_j for n variables */
KERNEL void integrate_with(int s, const Two *W, double h, const double *y0, const double *K, double *Y, int n)
{
    Two k[RADAU_STAGES], y[RADAU_STAGES];

    for (int j = 0; j < n; j += 2) {
        int both = j + 1 < n;
        Two start = two_load(y0 + j, both);
        two_stages(s, K, n, j, k, both);
        two_mul(s, W, k, y);
#pragma GCC unroll 8
        for (int i = 0; i < s; i++)
            y[i] = start + h * y[i];
        two_stages_store(s, Y, n, j, y, both);
    }
}

static void integrate(const struct radau *r, double h, const double *y0, const double *K, double *Y, int n)
{
    const Two *W = multiplier(r, MUL_A);

    if (r->tab->s == 3)
        integrate_with(3, W, h, y0, K, Y, n);
    else if (r->tab->s == 5)
        integrate_with(5, W, h, y0, K, Y, n);
    else
        integrate_with(7, W, h, y0, K, Y, n);
}

void mbs_radau_predict(struct mbs_stepper *s, double h)
{
    struct radau *r = s->self;
    struct radau_stages *c = &r->cur, *l = &r->last;
    int n = s->p->n, m = s->p->m, nz = s->p->nz, st = r->tab->s;
    Two W[RADAU_STAGES * RADAU_STAGES];

    c->tab = r->tab;
    c->t = s->x.t;
    c->h = h;
    memcpy(c->y0, s->x.q, (size_t)s->p->ny * sizeof *c->y0);
    if (r->have_last) {
        extrapolation_weights(r->tab, l->tab, h / l->h, W);
        combine(st, l->tab->s, W, l->A, c->A, n);
        combine(st, l->tab->s, W, l->L, c->L, m);
        combine(st, l->tab->s, W, l->D, c->D, nz);
    } else {
        constant_stages(st, s->x.a, c->A, n);
        constant_stages(st, s->x.lambda, c->L, m);
        constant_stages(st, r->d0, c->D, nz);
    }
    integrate(r, h, s->x.v, c->A, c->V, n);
    if (r->ggl) {
        memcpy(c->P, c->V, (size_t)(st * n) * sizeof *c->P);
        memset(c->Mu, 0, (size_t)(st * r->nmu) * sizeof *c->Mu);
    }
    integrate(r, h, s->x.q, c->V, c->Q, n);
    integrate(r, h, s->x.z, c->D, c->Z, nz);
}

/* ---- one iteration ---- */

/* Residuals at x as those of stage i: r, the constraint rows of the form, g (stabilized), G' mu (stabilized), z'. */
static void level_residual(struct mbs_stepper *s, struct mbs_state *x, int i)
{
    struct radau *r = s->self;
    struct mbs_problem *p = s->p;
    int n = p->n, m = p->m, ng = p->ng;
    double *C = r->C + i * m;
    struct mbs_residual out = {.r = r->R + i * n, .zdot = r->F + i * p->nz};

    switch (s->form) {
    case MBS_INDEX3:
        out.g = C;
        out.gv = p->nh ? p->gv : NULL;
        break;
    case MBS_INDEX2:
        out.gv = C;
        break;
    case MBS_GGL:
        out.gv = C;
        out.g = r->Cg + i * ng;
        out.Gtmu = r->E + i * n;
        break;
    case MBS_BAUMGARTE:
        out.g = r->Cg;
        out.gv = p->gv;
        out.ga = C;
        break;
    case MBS_INDEX1: case MBS_PROJECTED: case MBS_FORMS:
        out.ga = C;
        break;
    }
    mbs_eval_residual(p, x, &out);
    for (int k = 0; k < m && r->drops; k++)
        if (r->diagonal[k] != 0) {
            C[k] = p->gv[k] = 0;
            if (k < ng)
                r->Cg[(r->ggl ? i * ng : 0) + k] = 0;
        }
    if (s->form == MBS_INDEX3)
        for (int k = ng; k < m; k++)
            C[k] = p->gv[k];
    else if (s->form == MBS_BAUMGARTE)
        for (int k = 0; k < m; k++)
            C[k] += 2 * p->bg_alpha * p->gv[k] + (k < ng ? p->bg_beta * p->bg_beta * r->Cg[k] : 0);
}

static void stage_residual(struct mbs_stepper *s, int i)
{
    struct radau *r = s->self;
    const struct radau_stages *c = &r->cur;
    int n = s->p->n, nz = s->p->nz;
    struct mbs_state x = {.t = c->t + c->h * c->tab->c[i],
                          .q = c->Q + i * n,
                          .v = c->V + i * n,
                          .a = c->A + i * n,
                          .lambda = c->L + i * s->p->m,
                          .mu = r->mu,
                          .z = c->Z + i * nz};

    if (r->ggl)
        memcpy(r->mu, c->Mu + i * r->nmu, (size_t)r->nmu * sizeof *r->mu);
    level_residual(s, &x, i);
    if (r->ggl)
        for (int k = 0; k < n; k++)
            r->E[i * n + k] = x.v[k] - r->E[i * n + k] - c->P[i * n + k];
    for (int k = 0; k < nz; k++)
        r->F[i * nz + k] -= c->D[i * nz + k];
}

/* B = f T^-1 X, into the rows from `at` on */
KERNEL void to_lanes_with(int s, const Two *W, double f, const double *X, int n, double *B, int at)
{
    Two x[RADAU_STAGES], y[RADAU_STAGES];

    for (int j = 0; j < n; j += 2) {
        int both = j + 1 < n;
        two_stages(s, X, n, j, x, both);
        two_mul(s, W, x, y);
#pragma GCC unroll 8
        for (int i = 0; i < s; i++)
            y[i] *= f;
        two_to_lanes(s, B, at + j, y, both);
    }
}

static void to_lanes(const struct radau *r, double f, const double *X, int n, double *B, int at)
{
    const Two *W = multiplier(r, MUL_TI);

    if (r->tab->s == 3)
        to_lanes_with(3, W, f, X, n, B, at);
    else if (r->tab->s == 5)
        to_lanes_with(5, W, f, X, n, B, at);
    else
        to_lanes_with(7, W, f, X, n, B, at);
}

/* Stages X += T B, and Y += h A (T B) if Y is given, Y2 += h A h A (T B) if Y2 is given; returns the squares of the
 * changes, scaled by sx, sy, sy2. */
KERNEL double update_with(int s, const Two *T, const Two *A, double h, const double *B, int at, int n, double *X,
                          const double *sx, double *Y, const double *sy, double *Y2, const double *sy2)
{
    Two x[RADAU_STAGES], y[RADAU_STAGES], sum = {0, 0};

    for (int j = 0; j < n; j += 2) {
        int both = j + 1 < n;
        two_from_lanes(s, B, at + j, y, both);
        two_mul(s, T, y, x);
        sum += two_stages_add(s, X, n, j, x, two_load(sx + j, both), both);
        if (!Y)
            continue;
        two_mul(s, A, x, y);
#pragma GCC unroll 8
        for (int i = 0; i < s; i++)
            y[i] *= h;
        sum += two_stages_add(s, Y, n, j, y, two_load(sy + j, both), both);
        if (!Y2)
            continue;
        two_mul(s, A, y, x);
#pragma GCC unroll 8
        for (int i = 0; i < s; i++)
            x[i] *= h;
        sum += two_stages_add(s, Y2, n, j, x, two_load(sy2 + j, both), both);
    }
    return sum[0] + sum[1];
}

static double update(const struct radau *r, const double *B, int at, int n, double *X, const double *sx, double *Y,
                     const double *sy, double *Y2, const double *sy2)
{
    const Two *T = multiplier(r, MUL_T), *A = multiplier(r, MUL_A);
    double h = r->cur.h;

    if (r->tab->s == 3)
        return update_with(3, T, A, h, B, at, n, X, sx, Y, sy, Y2, sy2);
    if (r->tab->s == 5)
        return update_with(5, T, A, h, B, at, n, X, sx, Y, sy, Y2, sy2);
    return update_with(7, T, A, h, B, at, n, X, sx, Y, sy, Y2, sy2);
}

/* One simplified Newton iteration; returns the scaled norm of the change, NaN if the model gave something not finite.
 */
static double iterate(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    struct radau_stages *c = &r->cur;
    int n = s->p->n, m = s->p->m, nz = s->p->nz, st = r->tab->s, oz = n + m + r->nmu;
    double sum;

    for (int i = 0; i < st; i++)
        stage_residual(s, i);
    to_lanes(r, -1, r->R, n, r->B, 0);
    to_lanes(r, -1, r->C, m, r->B, n);
    to_lanes(r, -1, r->Cg, r->nmu, r->B, n + m);
    to_lanes(r, 1, r->F, nz, r->B, oz);
    if (r->ggl)
        to_lanes(r, 1, r->E, n, r->B1, 0);
    mbs_radau_newton_solve(s);
    s->stat->newton++;
    if (r->ggl) {
        sum = update(r, r->B, 0, n, c->A, r->sca, c->V, r->sc + n, NULL, NULL);
        sum += update(r, r->B1, 0, n, c->P, r->zero, c->Q, r->sc, NULL, NULL);
        update(r, r->B, n + m, r->nmu, c->Mu, r->zero, NULL, NULL, NULL, NULL);
    } else {
        sum = update(r, r->B, 0, n, c->A, r->sca, c->V, r->sc + n, c->Q, r->sc);
    }
    sum += update(r, r->B, n, m, c->L, r->scl, NULL, NULL, NULL, NULL);
    sum += update(r, r->B, oz, nz, c->D, r->zero, c->Z, r->sc + 2 * n, NULL, NULL);
    return sqrt(sum / (st * r->count));
}

/* The step factor after a failure that was foreseen: the iteration would end at `rest` times the error allowed. */
static double shrink_by(const struct radau *r, double rest, int done)
{
    double q = fmax(1e-4, fmin(20, rest));

    return 0.8 * pow(q, -1.0 / (4 + r->newton_max - 1 - done));
}

/* From the norms of two changes: 0, or 1 and a proposal for the step if the iteration will not converge in time. */
static int hopeless(struct mbs_stepper *s, double norm, double kappa, int k)
{
    struct radau *r = s->self;
    double rest;

    r->shrink = 0.5;
    /* a fixed step has no smaller one to flee to and is more patient */
    if (s->opt->step > 0)
        return r->theta >= 4;
    if (r->theta >= 0.99)
        return 1;
    rest = norm * pow(r->theta, r->newton_max - 1 - k) / (1 - r->theta) / kappa;
    if (rest < 1 || k == r->newton_max)
        return 0;
    r->shrink = shrink_by(r, rest, k);
    return 1;
}

/* Where a velocity is far above its mean, tolerances are as large, and what iterations leave has the same sign in step after step.  A cart of 1e-6 kg under a
 * pendulum of 1 kg lost 400 tolerances of its energy by that at 1e-8, and its angle was off by 2100; with this part of kappa there, and a tenth of it
 * elsewhere, by 21. */
static const double IN_A_RUSH = 0.03;

/* HW (8.10): stop when eta |change| <= kappa; give up when theta >= 1 or when the iterations left will not do. */
int mbs_radau_newton(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    double norm, old = 0, theta_old = 0, kappa = s->rush ? fmax(r->kappa_least, IN_A_RUSH * r->kappa) : r->kappa;

    r->eta = pow(fmax(r->eta, DBL_EPSILON), 0.8);
    r->theta = 0;
    for (int k = 1; k <= r->newton_max; k++) {
        r->iterations = k;
        norm = iterate(s);
        if (!(norm < 1e100)) {
            int st = r->tab->s;
            r->shrink = 0.5;
            return mbs_finite(r->R, st * s->p->n) && mbs_finite(r->C, st * s->p->m) ? MBS_NO_CONVERGENCE : MBS_NAN;
        }
        if (k > 1) {
            double q = norm / old;
            r->theta = k == 2 ? q : sqrt(q * theta_old);
            theta_old = q;
            r->eta = r->theta < 0.99 ? r->theta / (1 - r->theta) : 99;
        }
        /* changes that no longer shrink are roundings */
        if (r->eta * norm <= kappa || (r->theta > 0.5 && norm <= kappa))
            return 0;
        if (k > 1 && hopeless(s, norm, kappa, k))
            return MBS_NO_CONVERGENCE;
        old = fmax(norm, DBL_EPSILON);
    }
    r->shrink = 0.5;
    return MBS_NO_CONVERGENCE;
}

/* ---- error ---- */

/* k_0 + sum d_i k_i of n variables */
static void estimator(const struct radau_table *tab, const double *k0, const double *K, double *out, int n)
{
    for (int j = 0; j < n; j++) {
        double sum = k0[j];
        for (int i = 0; i < tab->s; i++)
            sum += tab->d[i] * K[i * n + j];
        out[j] = sum;
    }
}

/* Accelerations and multipliers are no states, but errors of fast oscillations show there first: watching them with
 * this weight saves rejections (slider crank: 5200 steps become 4500).  Their estimate does not vanish with h
 * where the begin of the step violates a constraint slightly, therefore only y counts when a step is repeated. */
static const double ALGEBRAIC_WEIGHT = 8;

/* In index 3 velocities count with h, since across the constraints they have index 2.  Along the constraints (the projection in the norm of M) they
 * have not: what an error there moves until it has swung back is at least h times it, whatever the order, and is held against the tolerance itself.
 * That leaves fast oscillations alone that do not move the coordinates by the tolerance; r->along says by how many tolerances velocities are off.
 * The sum of squares. */
static double error_along(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    struct mbs_problem *p = s->p;
    const double *atol = s->opt->atol_y;
    int n = p->n;
    double *x = p->x, w = fabs(r->cur.h) / r->tab->gamma, sum = 0, full = 0, rounding = 0;

    r->along = 0;
    if (mbs_saddle_factor(p->saddle, r->jac.M, r->jac.G) < 0)
        return 0;
    memset(x, 0, (size_t)(n + p->m) * sizeof *x);
    mbs_csc_mul_sym(&p->model->M, r->jac.M, 1, r->err + n, x);
    mbs_saddle_solve(p->saddle, x);
    for (int i = 0; i < n; i++)
        rounding = fmax(rounding, 10 * DBL_EPSILON * fabs(s->x.q[i]) / w);
    for (int i = 0; i < n; i++) {
        double e = fabs(x[i]) / (s->share * ((atol ? atol[n + i] : s->opt->atol) + s->opt->rtol * fabs(s->x.v[i])) + rounding);
        sum += w * w * e * e;
        full += e * e;
    }
    r->along = sqrt(full / n);
    return sum;
}

static double error_norm(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    int n = s->p->n, m = s->p->m, ny = s->p->ny;
    double sum = mbs_sumsq(r->err, r->sc, ny);

    if (s->form == MBS_INDEX3 && m > 0)
        sum += error_along(s);
    r->states = fmax(sqrt(sum / r->count), 1e-10);
    if (!r->first && !r->rejected)
        sum += ALGEBRAIC_WEIGHT * ALGEBRAIC_WEIGHT *
               (mbs_sumsq(r->err + ny, r->sca, n) + mbs_sumsq(r->err + ny + n, r->scl, m));

    return fmax(sqrt(sum / r->count), 1e-10);
}

static void error_rates(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    struct radau_stages *c = &r->cur;
    int n = s->p->n, nz = s->p->nz;

    estimator(r->tab, s->x.v, r->ggl ? c->P : c->V, r->b1, n);
    estimator(r->tab, s->x.a, c->A, r->b2, n);
    estimator(r->tab, r->d0, c->D, r->b + r->N - nz, nz);
}

/* The residuals of the equations at the begin of the step plus the first estimate, negative, into b. */
static void error_residual(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    struct radau_stages *c = &r->cur;
    int n = s->p->n, m = s->p->m, ny = s->p->ny, nz = s->p->nz;

    for (int i = 0; i < ny; i++)
        r->err[i] += c->y0[i];
    for (int i = 0; i < n; i++)
        r->err[ny + i] += s->x.a[i];
    for (int i = 0; i < m; i++)
        r->err[ny + n + i] += s->x.lambda[i];
    level_residual(s,
                   &(struct mbs_state){.t = c->t,
                                       .q = r->err,
                                       .v = r->err + n,
                                       .z = r->err + 2 * n,
                                       .a = r->err + ny,
                                       .lambda = r->err + ny + n,
                                       .mu = s->x.mu},
                   0);
    for (int i = 0; i < n; i++) {
        r->b1[i] += r->err[n + i] - s->x.v[i];
        r->b2[i] += r->err[ny + i] - s->x.a[i];
        r->b[i] = -r->R[i];
    }
    for (int i = 0; i < m; i++)
        r->b[n + i] = -r->C[i];
    for (int i = 0; i < r->nmu; i++)
        r->b[n + m + i] = -r->Cg[i];
    for (int i = 0; i < nz; i++)
        r->b[r->N - nz + i] += r->F[i] - r->d0[i];
}

/* HW (8.18), and (8.20) with the estimate filtered twice where the first one may be too pessimistic. */
double mbs_radau_error(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    double err;

    memset(r->b, 0, (size_t)r->N * sizeof *r->b);
    error_rates(s);
    mbs_radau_error_solve(s, r->b1, r->b2, r->b, r->err);
    err = error_norm(s);
    if (err < 1 || !(r->first || r->rejected))
        return err;
    error_rates(s);
    error_residual(s);
    mbs_radau_error_solve(s, r->b1, r->b2, r->b, r->err);
    return error_norm(s);
}
