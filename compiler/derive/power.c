/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The energy, and the power of all that is no energy: forces, dampers, drives, what depends on time.  Their difference along a run is the
 * balance by which it is judged. */
#include "derive/context.h"
#include "tree/recursion.h"

Expr sum_terms(struct context *x, const struct model_term *t, int n)
{
    Expr *term = ARENA_NEW(&x->scratch, Expr, n);
    for (int k = 0; k < n; k++)
        term[k] = t[k].value;
    return expr_sum(x->pool, n, term);
}

void derive_energy(struct context *x)
{
    Expr *energy = vector(x, EQ_energy);
    energy[0] = expr_add(x->pool, x->T.written, x->T.normal);
    energy[1] = x->U;
    if (x->tree) {
        energy[0] = expr_add(x->pool, energy[0], expr_add(x->pool, tree_kinetic(x->pool, x->tree), x->T_norm));
        energy[1] = expr_add(x->pool, energy[1], tree_potential(x->pool, x->tree));
    }
}

/* Dampers and forces in this number are no formula any more beside rolled bodies. */
enum { POWER_TERMS = 64 };

/* The terms of a list that depend on one of these kinds. */
static Expr sum_of_kind(struct context *x, const struct model_term *t, int n, unsigned kinds)
{
    Expr sum = x->pool->zero;
    for (int k = 0; k < n; k++)
        if (expr_deps(x->pool, t[k].value) & kinds)
            sum = expr_add(x->pool, sum, t[k].value);
    return sum;
}

/* T = T2 + T1 + T0 by powers of the velocities: T1 + 2 T0, by which T + U differs from v T_v - L.  That of bodies is quadratic unless they are
 * carried along in time. */
static Expr not_quadratic(struct context *x)
{
    const struct model *m = x->m;
    Expr T = x->pool->zero, *at_rest = ARENA_NEW(&x->scratch, Expr, x->nq + 1), *p = ARENA_NEW(&x->scratch, Expr, x->nq + 1);
    Expr *zero = ARENA_NEW(&x->scratch, Expr, x->nq + 1);
    for (int k = 0; k < m->kinetic.n; k++)
        if (m->kinetic.at[k].origin == TERM_STATED || expr_deps(x->pool, m->kinetic.at[k].value) & DEP(SYM_TIME))
            T = expr_add(x->pool, T, m->kinetic.at[k].value);
    if (T == x->pool->zero)
        return T;
    expr_reverse(x->pool, T, x->nq, x->v, p);
    p[x->nq] = T;
    for (int i = 0; i < x->nq; i++)
        zero[i] = x->pool->zero;
    expr_substitute(x->pool, x->nq, x->v, zero, x->nq + 1, p, at_rest);
    Expr sum = expr_mul(x->pool, x->pool->two, at_rest[x->nq]);
    for (int i = 0; i < x->nq; i++)
        sum = expr_add(x->pool, sum, expr_mul(x->pool, x->v[i], at_rest[i]));
    return sum;
}

/* d(T + U)/dt = v'(Q - D_v) + lambda' gt - L_t + U_z z' + d(T1 + 2 T0)/dt, since G v = -gt where the constraints are met. */
void derive_power(struct context *x)
{
    const struct model *m = x->m;
    struct pool *pool = x->pool;
    Expr *power = vector(x, EQ_power), *Dv = ARENA_NEW(&x->scratch, Expr, x->nq), sum = pool->zero;
    bool rolled = x->eq->way == WAY_ROLLED || x->eq->way == WAY_MIXED;
    *power = pool->zero;
    if ((rolled && m->dissipation.n + m->force.n > POWER_TERMS) || sum_of_kind(x, m->kinetic.at, m->kinetic.n, DEP(SYM_Z) | DEP(SYM_U)) != pool->zero ||
        sum_of_kind(x, m->potential.at, m->potential.n, DEP(SYM_U)) != pool->zero) {
        x->eq->unbalanced = true;       /* how inputs change is not known */
        return;
    }
    expr_reverse(pool, sum_terms(x, m->dissipation.at, m->dissipation.n), x->nq, x->v, Dv);
    for (int i = 0; i < x->nq; i++)
        sum = expr_sub(pool, sum, expr_mul(pool, x->v[i], Dv[i]));
    for (int k = 0; k < m->force.n; k++)
        sum = expr_add(pool, sum, expr_mul(pool, x->v[m->force.at[k].coord], m->force.at[k].value));
    for (int k = 0; k < x->rows; k++)
        sum = expr_add(pool, sum, expr_mul(pool, m->constraint.at[k].lambda, vector(x, EQ_gt)[k]));
    Expr U = sum_of_kind(x, m->potential.at, m->potential.n, DEP(SYM_TIME)), T = sum_of_kind(x, m->kinetic.at, m->kinetic.n, DEP(SYM_TIME));
    sum = expr_add(pool, sum, expr_diff(pool, expr_sub(pool, U, T), m->time));
    Expr Uz = sum_of_kind(x, m->potential.at, m->potential.n, DEP(SYM_Z));
    for (int k = 0; Uz != pool->zero && k < m->state.n; k++)
        sum = expr_add(pool, sum, expr_mul(pool, expr_diff(pool, Uz, m->state.at[k].sym), vector(x, EQ_zdot)[k]));
    Expr rest = not_quadratic(x);
    if (rest != pool->zero) {
        struct direction *moving = direction_time(m, &x->scratch, true);
        sum = expr_add(pool, sum, direction_diff(moving, rest));
        direction_free(moving);
    }
    *power = sum;
}
