/* SPDX-License-Identifier: GPL-3.0-or-later
 * Equations of motion by differences in 128-bit numbers; see witness.h. */
#include "witness.h"
#ifdef HAVE_QUADMATH
#include "interpret.h"
#include "base/arena.h"

#include <math.h>
#include <quadmath.h>
#include <stdlib.h>
#include <string.h>

static quad *quads(int n)
{
    size_t count = n > 0 ? (size_t)n : 1;
    quad *x = mem_grow(NULL, count, sizeof *x);
    memset(x, 0, count * sizeof *x);
    return x;
}

static void part_init(struct witness_part *p, const struct pool *pool, int n)
{
    p->n = n;
    cone_collect(&p->cone, pool, n, p->e);
    p->top = p->cone.n ? (int)p->cone.at[p->cone.n - 1] + 1 : 1;
    p->val = quads(p->top);
    p->dirty = mem_grow(NULL, (size_t)p->top, 1);
    memset(p->dirty, EVAL_NEVER, (size_t)p->top);
    p->factor = NULL;
    p->used = false;
    p->out = quads(n);
}

static void part_fini(struct witness_part *p)
{
    cone_fini(&p->cone);
    free(p->e);
    free(p->val);
    free(p->dirty);
    free(p->factor);
    free(p->out);
}

#define COLLECT(part, list, field)                                                                           \
    do {                                                                                                   \
        w->part.e = mem_grow(NULL, (size_t)m->list.n + 1, sizeof(Expr));                                   \
        for (int i_ = 0; i_ < m->list.n; i_++)                                                             \
            w->part.e[i_] = m->list.at[i_].field;                                                          \
        part_init(&w->part, m->pool, m->list.n);                                                           \
    } while (0)

void witness_init(struct witness *w, const struct model *m)
{
    memset(w, 0, sizeof *w);
    w->model = m;
    w->step = 1e-6Q;
    w->nq = m->coord.n, w->nz = m->state.n, w->nu = m->input.n, w->np = m->param.n;
    w->ng = m->holonomic, w->rows = m->constraint.n;
    w->q = quads(w->nq), w->v = quads(w->nq), w->a = quads(w->nq), w->z = quads(w->nz), w->u = quads(w->nu);
    w->lambda = quads(w->rows), w->mu = quads(w->rows), w->p = quads(w->np);
    COLLECT(kinetic, kinetic, value);
    COLLECT(potential, potential, value);
    COLLECT(dissipation, dissipation, value);
    COLLECT(force, force, value);
    COLLECT(constraint, constraint, g);
    COLLECT(rate, state, rate);
    COLLECT(output, output, value);
    COLLECT(condition, condition, value);
    COLLECT(event, event, guard);
    COLLECT(jump, jump, value);
    COLLECT(touch, touch, value);
    w->law.e = mem_grow(NULL, 2 * (size_t)m->contact.n + 1, sizeof(Expr));
    for (int i = 0; i < 2 * m->contact.n; i++)
        w->law.e[i] = i % 2 ? m->contact.at[i / 2].friction : m->contact.at[i / 2].restitution;
    part_init(&w->law, m->pool, 2 * m->contact.n);
    w->point.e = mem_grow(NULL, 3 * (size_t)m->point.n + 1, sizeof(Expr));
    for (int i = 0; i < 3 * m->point.n; i++)
        w->point.e[i] = m->point.at[i / 3].x[i % 3];
    part_init(&w->point, m->pool, 3 * m->point.n);
}

void witness_fini(struct witness *w)
{
    quad *all[] = {w->q, w->v, w->a, w->lambda, w->mu, w->z, w->u, w->p};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
#define PART(name) part_fini(&w->name);
    WITNESS_PARTS(PART)
#undef PART
}

static const quad *run(struct witness *w, struct witness_part *p)
{
    struct eval_env_quad env = {.call = call_quad, .user = (void *)w->model};
    env.val[SYM_PARAM] = w->p;
    env.val[SYM_TIME] = &w->t;
    env.val[SYM_Q] = w->q;
    env.val[SYM_V] = w->v;
    env.val[SYM_A] = w->a;
    env.val[SYM_LAMBDA] = w->lambda;
    env.val[SYM_MU] = w->mu;
    env.val[SYM_Z] = w->z;
    env.val[SYM_U] = w->u;
    expr_rerun_quad(w->model->pool, &env, &p->cone, p->val, p->dirty, p->factor);
    p->used = true;
    for (int i = 0; i < p->n; i++)
        p->out[i] = p->val[p->e[i]];
    return p->out;
}

static quad uniform(uint64_t seed, uint64_t k)     /* in [-1, 1): the k-th of splitmix64 */
{
    uint64_t z = seed + (k + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (quad)(double)(z >> 11) * 0x1p-52Q - 1;
}

/* A handle is wrong by the same part wherever it stands. */
static void part_disturb(struct witness_part *p, uint64_t seed, quad part)
{
    memset(p->dirty, EVAL_NEVER, (size_t)p->top);
    if (!seed) {
        free(p->factor);
        p->factor = NULL;
        return;
    }
    if (!p->factor)
        p->factor = quads(p->top);
    for (int i = 0; i < p->cone.n; i++)
        p->factor[p->cone.at[i]] = 1 + part * uniform(seed, p->cone.at[i]);
}

void witness_disturb(struct witness *w, uint64_t seed, quad part)
{
#define PART(name) part_disturb(&w->name, seed, part);
    WITNESS_PARTS(PART)
#undef PART
}

/* The largest value in a part that was used. */
static quad part_largest(struct witness_part *p)
{
    quad largest = 0;
    for (int k = 0; p->used && k < p->cone.n; k++) {
        quad x = fabsq(p->val[p->cone.at[k]]);
        largest = finiteq(x) ? fmaxq(largest, x) : largest;
    }
    p->used = false;
    return largest;
}

quad witness_resolution(struct witness *w)
{
    quad largest = 0;
#define PART(name) largest = fmaxq(largest, part_largest(&w->name));
    WITNESS_PARTS(PART)
#undef PART
    return FLT128_EPSILON * largest / w->step;
}

static quad total(struct witness *w, struct witness_part *p)
{
    const quad *x = run(w, p);
    quad sum = 0;
    for (int i = 0; i < p->n; i++)
        sum += x[i];
    return sum;
}

/* --- differences ------------------------------------------------------------------------------------ */
/* Differences of sixth order: central at s = -3 .. 3, one-sided at s = 0 .. 6. */
struct stencil {
    int from;
    quad weight[7];
};
static const struct stencil first_central = {-3, {-1 / 60.0Q, 3 / 20.0Q, -3 / 4.0Q, 0, 3 / 4.0Q, -3 / 20.0Q, 1 / 60.0Q}};
static const struct stencil first_aside = {0, {-49 / 20.0Q, 6, -15 / 2.0Q, 20 / 3.0Q, -15 / 4.0Q, 6 / 5.0Q, -1 / 6.0Q}};
static const struct stencil second_central = {-3, {1 / 90.0Q, -3 / 20.0Q, 3 / 2.0Q, -49 / 18.0Q, 3 / 2.0Q, -3 / 20.0Q, 1 / 90.0Q}};

static const struct stencil *first(const struct witness *w)
{
    return w->aside ? &first_aside : &first_central;
}

/* A step of order 1 where differences are exact; it changes with the small one. */
static quad unit(const struct witness *w)
{
    return 1e6Q * w->step;
}

/* Derivative of a scalar by one variable. */
static quad slope(struct witness *w, quad (*f)(struct witness *), quad *x)
{
    const struct stencil *d = first(w);
    quad at = *x, h = w->step * fmaxq(1, fabsq(at)), sum = 0;
    for (int k = 0; k < 7; k++)
        if (d->weight[k] != 0) {
            *x = at + (d->from + k) * h;
            sum += d->weight[k] * f(w);
        }
    *x = at;
    return sum / h;
}

/* How fast anything moves: differences along the motion take steps that keep the way small. */
static quad fastest(const struct witness *w)
{
    quad v = 1;
    for (int i = 0; i < w->nq; i++)
        v = fmaxq(v, fmaxq(fabsq(w->v[i]), sqrtq(fabsq(w->a[i]))));
    return v;
}

/* Derivative along the motion q(s), v(s), t + s, the first or second. */
static void along_motion(struct witness *w, Witness *f, int n, const struct stencil *d, quad *out)
{
    quad *keep = quads(2 * w->nq + n), *value = keep + 2 * w->nq, t = w->t, h = w->step / fastest(w);
    memcpy(keep, w->q, (size_t)w->nq * sizeof *keep);
    memcpy(keep + w->nq, w->v, (size_t)w->nq * sizeof *keep);
    for (int i = 0; i < n; i++)
        out[i] = 0;
    for (int k = 0; k < 7; k++) {
        quad s = (d->from + k) * h;
        if (d->weight[k] == 0)
            continue;
        for (int i = 0; i < w->nq; i++) {
            w->q[i] = keep[i] + s * (keep[w->nq + i] + s / 2 * w->a[i]);
            w->v[i] = keep[w->nq + i] + s * w->a[i];
        }
        w->t = t + s;
        f(w, value);
        for (int i = 0; i < n; i++)
            out[i] += d->weight[k] * value[i];
    }
    for (int i = 0; i < n; i++)
        out[i] /= d == &second_central ? h * h : h;
    w->t = t;
    memcpy(w->q, keep, (size_t)w->nq * sizeof *keep);
    memcpy(w->v, keep + w->nq, (size_t)w->nq * sizeof *keep);
    free(keep);
}

void witness_along(struct witness *w, Witness *f, int n, quad *x, int nx, const quad *dir, quad *out)
{
    quad *keep = quads(nx + n), *value = keep + nx, largest = 1;
    memcpy(keep, x, (size_t)nx * sizeof *keep);
    for (int i = 0; i < nx; i++)
        if (dir[i] != 0)
            largest = fmaxq(largest, fabsq(x[i]));
    const struct stencil *d = first(w);
    quad h = w->step * largest;
    for (int i = 0; i < n; i++)
        out[i] = 0;
    for (int k = 0; k < 7; k++) {
        if (d->weight[k] == 0)
            continue;
        for (int i = 0; i < nx; i++)
            x[i] = keep[i] + (d->from + k) * h * dir[i];
        f(w, value);
        for (int i = 0; i < n; i++)
            out[i] += d->weight[k] * value[i];
    }
    for (int i = 0; i < n; i++)
        out[i] /= h;
    memcpy(x, keep, (size_t)nx * sizeof *keep);
    free(keep);
}

void witness_jacobian(struct witness *w, Witness *f, int n, quad *x, int nx, bool exact, quad *out)
{
    quad *dir = quads(nx + n), *value = dir + nx;
    for (int j = 0; j < nx; j++) {
        if (exact) {            /* (f(x + h) - f(x - h))/(2 h) of a quadratic */
            quad at = x[j], h = unit(w);
            x[j] = at + h;
            f(w, out + (size_t)j * (size_t)n);
            x[j] = at - h;
            f(w, value);
            x[j] = at;
            for (int i = 0; i < n; i++)
                out[(size_t)j * (size_t)n + (size_t)i] = (out[(size_t)j * (size_t)n + (size_t)i] - value[i]) / (2 * h);
        } else {
            dir[j] = 1;
            witness_along(w, f, n, x, nx, dir, out + (size_t)j * (size_t)n);
            dir[j] = 0;
        }
    }
    free(dir);
}

/* --- quantities ------------------------------------------------------------------------------------- */
void witness_momentum(struct witness *w, quad *out)
{
    for (int i = 0; i < w->nq; i++) {
        quad v = w->v[i], h = unit(w);
        w->v[i] = v + h;
        out[i] = total(w, &w->kinetic);
        w->v[i] = v - h;
        out[i] = (out[i] - total(w, &w->kinetic)) / (2 * h);
        w->v[i] = v;
    }
}

/* T - U - lambda.g */
static quad lagrangian(struct witness *w)
{
    quad sum = total(w, &w->kinetic) - total(w, &w->potential);
    const quad *g = run(w, &w->constraint);
    for (int i = 0; i < w->ng; i++)
        sum -= w->lambda[i] * g[i];
    return sum;
}

static quad dissipation(struct witness *w)
{
    return total(w, &w->dissipation);
}

/* Rows of the non-holonomic constraints times weights, by velocity i. */
static quad nonholonomic(struct witness *w, const quad *weight, int i)
{
    quad v = w->v[i], sum = 0;
    if (w->ng == w->rows)
        return 0;
    w->v[i] = v + 1;
    const quad *g = run(w, &w->constraint);
    for (int k = w->ng; k < w->rows; k++)
        sum += weight[k] * g[k];
    w->v[i] = v - 1;
    g = run(w, &w->constraint);
    for (int k = w->ng; k < w->rows; k++)
        sum -= weight[k] * g[k];
    w->v[i] = v;
    return sum / 2;
}

void witness_forces(struct witness *w, quad *out)
{
    const quad *f = run(w, &w->force);
    for (int i = 0; i < w->nq; i++)
        out[i] = 0;
    for (int k = 0; k < w->force.n; k++)
        out[w->model->force.at[k].coord] += f[k];
}

void witness_r(struct witness *w, quad *out)
{
    quad *force = quads(w->nq);
    along_motion(w, witness_momentum, w->nq, first(w), out);
    witness_forces(w, force);
    for (int i = 0; i < w->nq; i++) {
        out[i] -= slope(w, lagrangian, &w->q[i]) + force[i];
        if (w->dissipation.n)
            out[i] += slope(w, dissipation, &w->v[i]);
        out[i] += nonholonomic(w, w->lambda, i);
    }
    free(force);
}

void witness_f(struct witness *w, quad *out)
{
    quad *a = w->a, *lambda = w->lambda, *zeros = quads(w->nq + w->rows);
    w->a = zeros;
    w->lambda = zeros + w->nq;
    witness_r(w, out);
    for (int i = 0; i < w->nq; i++)
        out[i] = -out[i];
    w->a = a;
    w->lambda = lambda;
    free(zeros);
}

static void all_constraints(struct witness *w, quad *out)
{
    memcpy(out, run(w, &w->constraint), (size_t)w->rows * sizeof *out);
}

void witness_g(struct witness *w, quad *out)
{
    memcpy(out, run(w, &w->constraint), (size_t)w->ng * sizeof *out);
}

void witness_gv(struct witness *w, quad *out)
{
    along_motion(w, all_constraints, w->rows, first(w), out);
    const quad *g = run(w, &w->constraint);
    for (int k = w->ng; k < w->rows; k++)
        out[k] = g[k];
}

void witness_ga(struct witness *w, quad *out)
{
    quad *h = quads(w->rows);
    along_motion(w, all_constraints, w->rows, &second_central, out);
    along_motion(w, all_constraints, w->rows, first(w), h);
    for (int k = w->ng; k < w->rows; k++)
        out[k] = h[k];
    free(h);
}

void witness_gamma(struct witness *w, quad *out)
{
    quad *a = w->a;
    w->a = quads(w->nq);
    witness_ga(w, out);
    free(w->a);
    w->a = a;
}

void witness_gt(struct witness *w, quad *out)
{
    quad *v = w->v;
    w->v = quads(w->nq);
    quad *a = w->a;
    w->a = w->v;                /* both zero: only time passes */
    witness_gv(w, out);
    free(w->v);
    w->v = v;
    w->a = a;
}

static quad mu_g(struct witness *w)
{
    const quad *g = run(w, &w->constraint);
    quad sum = 0;
    for (int k = 0; k < w->ng; k++)
        sum += w->mu[k] * g[k];
    return sum;
}

void witness_Gtmu(struct witness *w, quad *out)
{
    for (int i = 0; i < w->nq; i++)
        out[i] = slope(w, mu_g, &w->q[i]) + nonholonomic(w, w->mu, i);
}

void witness_G(struct witness *w, quad *out)
{
    witness_jacobian(w, all_constraints, w->rows, w->q, w->nq, false, out);
    if (w->ng == w->rows)
        return;
    quad *by_v = quads(w->rows * w->nq);
    witness_jacobian(w, all_constraints, w->rows, w->v, w->nq, true, by_v);
    for (int j = 0; j < w->nq; j++)
        for (int k = w->ng; k < w->rows; k++)
            out[j * w->rows + k] = by_v[j * w->rows + k];
    free(by_v);
}


void witness_y(struct witness *w, quad *out)
{
    memcpy(out, run(w, &w->output), (size_t)w->output.n * sizeof *out);
}

void witness_xyz(struct witness *w, quad *out)
{
    memcpy(out, run(w, &w->point), (size_t)w->point.n * sizeof *out);
}

void witness_s(struct witness *w, quad *out)
{
    memcpy(out, run(w, &w->condition), (size_t)w->condition.n * sizeof *out);
}

static void all_touch(struct witness *w, quad *out)
{
    memcpy(out, run(w, &w->touch), (size_t)w->touch.n * sizeof *out);
}

/* Of rows that are velocities: from these; of those that are distances: from `gaps`. */
static void by_kind_of_row(struct witness *w, quad *rows, const quad *gaps)
{
    for (int k = 0; k < w->touch.n; k++)
        if (w->model->touch.at[k].holonomic)
            rows[k] = gaps ? gaps[k] : rows[k];
        else if (!gaps)
            rows[k] = 0;
}

void witness_dist(struct witness *w, quad *out)
{
    all_touch(w, out);
    by_kind_of_row(w, out, NULL);
}

void witness_wgamma(struct witness *w, quad *out)
{
    quad *a = w->a, *second = quads(w->touch.n);
    w->a = quads(w->nq);
    along_motion(w, all_touch, w->touch.n, &second_central, second);
    along_motion(w, all_touch, w->touch.n, first(w), out);
    by_kind_of_row(w, out, second);
    free(w->a);
    free(second);
    w->a = a;
}

void witness_wt(struct witness *w, quad *out)
{
    quad *v = w->v, *a = w->a, *rate = quads(w->touch.n);
    w->v = w->a = quads(w->nq);         /* only time passes */
    along_motion(w, all_touch, w->touch.n, first(w), rate);
    all_touch(w, out);
    by_kind_of_row(w, out, rate);
    free(w->v);
    free(rate);
    w->v = v;
    w->a = a;
}

void witness_law(struct witness *w, quad *out)
{
    memcpy(out, run(w, &w->law), (size_t)w->law.n * sizeof *out);
}

void witness_W(struct witness *w, quad *out)
{
    int n = w->touch.n;
    quad *by_v = quads(n * w->nq);
    witness_jacobian(w, all_touch, n, w->q, w->nq, false, out);
    witness_jacobian(w, all_touch, n, w->v, w->nq, true, by_v);
    for (int j = 0; j < w->nq; j++)
        for (int k = 0; k < n; k++)
            if (!w->model->touch.at[k].holonomic)
                out[j * n + k] = by_v[j * n + k];
    free(by_v);
}

void witness_h(struct witness *w, quad *out)
{
    memcpy(out, run(w, &w->event), (size_t)w->event.n * sizeof *out);
}

/* Along the motion and along the rates of the states; of what moves with neither it is not known. */
void witness_hdot(struct witness *w, quad *out)
{
    int n = w->event.n;
    quad *rate = quads(w->nz + n), *more = rate + w->nz;
    along_motion(w, witness_h, n, first(w), out);
    witness_zdot(w, rate);
    witness_along(w, witness_h, n, w->z, w->nz, rate, more);
    for (int k = 0; k < n; k++) {
        const struct model_event *e = &w->model->event.at[k];
        bool known = e->kind != EVENT_EVERY && !(expr_deps(w->model->pool, e->guard) & (DEP(SYM_A) | DEP(SYM_LAMBDA)));
        out[k] = known ? out[k] + more[k] : 0;
    }
    free(rate);
}

void witness_jump(struct witness *w, quad *out)
{
    memcpy(out, run(w, &w->jump), (size_t)w->jump.n * sizeof *out);
}

/* By what they are on, positions or velocities. */
void witness_S(struct witness *w, quad *out)
{
    int n = w->condition.n;
    quad *by_v = quads(n * w->nq);
    witness_jacobian(w, witness_s, n, w->q, w->nq, false, out);
    witness_jacobian(w, witness_s, n, w->v, w->nq, true, by_v);
    for (int j = 0; j < w->nq; j++)
        for (int k = w->model->condition_q; k < n; k++)
            out[j * n + k] = by_v[j * n + k];
    free(by_v);
}

/* A x = b by Gauss's elimination with row pivots; x in b. */
static void solve_quad(int n, quad *A, quad *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabsq(A[k * n + i]) > fabsq(A[k * n + best]))
                best = i;
        for (int j = 0; j < n && best != k; j++) {
            quad t = A[j * n + k];
            A[j * n + k] = A[j * n + best];
            A[j * n + best] = t;
        }
        quad t = b[k];
        b[k] = b[best];
        b[best] = t;
        for (int i = k + 1; i < n; i++) {
            quad l = A[k * n + i] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[j * n + i] -= l * A[j * n + k];
            b[i] -= l * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[j * n + k] * b[j];
        b[k] /= A[k * n + k];
    }
}

/* The whole system at once, (a, lambda) in x. */
static void solve_motion(struct witness *w, quad *x)
{
    int n = w->nq + w->rows;
    quad *A = quads(n * n), *M = quads(w->nq * w->nq), *G = quads(w->rows * w->nq + 1);
    witness_jacobian(w, witness_momentum, w->nq, w->v, w->nq, true, M);
    witness_G(w, G);
    witness_f(w, x);
    witness_gamma(w, x + w->nq);
    for (int j = 0; j < w->nq; j++) {
        for (int i = 0; i < w->nq; i++)
            A[j * n + i] = M[j * w->nq + i];
        for (int k = 0; k < w->rows; k++)
            A[j * n + w->nq + k] = A[(w->nq + k) * n + j] = G[j * w->rows + k];
    }
    for (int k = 0; k < w->rows; k++)
        x[w->nq + k] = -x[w->nq + k];
    solve_quad(n, A, x);
    free(A);
    free(M);
    free(G);
}

/* Rates that depend on accelerations and multipliers see those of the motion. */
void witness_zdot(struct witness *w, quad *out)
{
    bool solved = false;
    for (int k = 0; k < w->nz; k++)
        solved = solved || expr_deps(w->model->pool, w->model->state.at[k].rate) & (DEP(SYM_A) | DEP(SYM_LAMBDA));
    if (!solved) {
        memcpy(out, run(w, &w->rate), (size_t)w->nz * sizeof *out);
        return;
    }
    int n = w->nq + w->rows;
    quad *x = quads(2 * n), *kept = x + n;
    memcpy(kept, w->a, (size_t)w->nq * sizeof *kept);
    memcpy(kept + w->nq, w->lambda, (size_t)w->rows * sizeof *kept);
    solve_motion(w, x);
    memcpy(w->a, x, (size_t)w->nq * sizeof *x);
    memcpy(w->lambda, x + w->nq, (size_t)w->rows * sizeof *x);
    memcpy(out, run(w, &w->rate), (size_t)w->nz * sizeof *out);
    memcpy(w->a, kept, (size_t)w->nq * sizeof *kept);
    memcpy(w->lambda, kept + w->nq, (size_t)w->rows * sizeof *kept);
    free(x);
}

/* Of M a + G' lambda = f, G a + gamma = 0. */
void witness_a(struct witness *w, quad *out)
{
    quad *x = quads(w->nq + w->rows);
    solve_motion(w, x);
    memcpy(out, x, (size_t)w->nq * sizeof *out);
    free(x);
}

void witness_lambda(struct witness *w, quad *out)
{
    quad *x = quads(w->nq + w->rows);
    solve_motion(w, x);
    memcpy(out, x + w->nq, (size_t)w->rows * sizeof *out);
    free(x);
}

void witness_unsafe(struct witness *w, quad *out)
{
    (void)w;
    out[0] = 0;
}

void witness_energy(struct witness *w, quad *out)
{
    out[0] = total(w, &w->kinetic);
    out[1] = total(w, &w->potential);
}

/* --- energy balance --------------------------------------------------------------------------------- */
static void energy_function(struct witness *w, quad *out)
{
    out[0] = total(w, &w->potential) - total(w, &w->kinetic);
    quad *p = quads(w->nq);
    witness_momentum(w, p);
    for (int i = 0; i < w->nq; i++)
        out[0] += p[i] * w->v[i];
    free(p);
}

static quad kinetic_minus_potential(struct witness *w)
{
    return total(w, &w->kinetic) - total(w, &w->potential);
}

/* T1 + 2 T0 = 2 T - v T_v */
static void not_quadratic(struct witness *w, quad *out)
{
    quad *p = quads(w->nq);
    out[0] = 2 * total(w, &w->kinetic);
    witness_momentum(w, p);
    for (int i = 0; i < w->nq; i++)
        out[0] -= p[i] * w->v[i];
    free(p);
}

static void potential_energy(struct witness *w, quad *out)
{
    out[0] = total(w, &w->potential);
}

void witness_power(struct witness *w, quad *out)
{
    quad *force = quads(w->nq), *gt = quads(w->rows), *rate = quads(w->nz), more;
    along_motion(w, not_quadratic, 1, first(w), out);
    out[0] -= slope(w, kinetic_minus_potential, &w->t);
    witness_forces(w, force);
    for (int i = 0; i < w->nq; i++)
        out[0] += w->v[i] * (force[i] - (w->dissipation.n ? slope(w, dissipation, &w->v[i]) : 0));
    witness_gt(w, gt);
    for (int k = 0; k < w->rows; k++)
        out[0] += w->lambda[k] * gt[k];
    if (w->nz) {
        witness_zdot(w, rate);
        witness_along(w, potential_energy, 1, w->z, w->nz, rate, &more);
        out[0] += more;
    }
    free(force);
    free(gt);
    free(rate);
}

struct balance witness_balance(struct witness *w)
{
    struct balance b = {0};
    quad *force = quads(2 * w->nq), *momentum = force + w->nq, *gv = quads(2 * w->rows), *gt = gv + w->rows;
    along_motion(w, energy_function, 1, first(w), &b.rate);
    b.power = -slope(w, kinetic_minus_potential, &w->t);
    /* where nothing acts both sides are nothing but what differencing leaves of the energy */
    quad energy;
    energy_function(w, &energy);
    b.size = fabsq(b.rate) + fabsq(b.power) + 1e-12Q * fastest(w) * fabsq(energy);
    witness_forces(w, force);
    witness_momentum(w, momentum);
    for (int i = 0; i < w->nq; i++) {
        quad f = force[i] - (w->dissipation.n ? slope(w, dissipation, &w->v[i]) : 0);
        b.power += f * w->v[i];
        /* what flows between kinetic and potential energy is the size of the terms that balance */
        b.size += fabsq(f * w->v[i]) + fabsq(w->v[i] * slope(w, kinetic_minus_potential, &w->q[i])) + fabsq(momentum[i] * w->a[i]);
    }
    witness_gv(w, gv);
    witness_gt(w, gt);
    for (int k = 0; k < w->rows; k++) {
        b.power -= w->lambda[k] * (gv[k] - gt[k]);
        b.size += fabsq(w->lambda[k] * gt[k]) + fabsq(w->lambda[k] * gv[k]);
    }
    free(force);
    free(gv);
    return b;
}
#endif
