/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows that the model states beside its energies: constraints, conditions of the start, contacts, guards of events.  Each is differentiated
 * along the motion as often as the runtime needs its rates, and by positions or velocities as it restricts them. */
#include "derive/context.h"

void derive_constraints(struct context *x)
{
    const struct model *m = x->m;
    struct direction *fixed = direction_time(m, &x->scratch, false);
    struct direction *moving = direction_time(m, &x->scratch, true);
    struct diff *by_q = diff_new(x->pool, DEP(SYM_Q)), *by_v = diff_new(x->pool, DEP(SYM_V));
    struct triplets G = {0};
    Expr *zero = ARENA_NEW(&x->scratch, Expr, x->nq);
    for (int i = 0; i < x->nq; i++)
        zero[i] = x->pool->zero;
    for (int k = 0; k < x->rows; k++) {
        Expr c = m->constraint.at[k].g, gv, gt;
        struct gradient row;
        if (k < m->holonomic) {
            vector(x, EQ_g)[k] = c;
            row = diff_gradient(by_q, c);
            gt = expr_diff(x->pool, c, m->time);
            gv = direction_diff(fixed, c);
        } else {
            row = diff_gradient(by_v, c);
            expr_substitute(x->pool, x->nq, x->v, zero, 1, &c, &gt);
            gv = c;
        }
        for (int j = 0; j < row.n; j++)
            VEC_PUSH(G, ((__typeof__(*G.at)){ k, expr_symbol(x->pool, row.var[j])->index, row.d[j] }));
        vector(x, EQ_gt)[k] = gt;
        vector(x, EQ_gv)[k] = gv;
        vector(x, EQ_gamma)[k] = direction_diff(fixed, gv);
        vector(x, EQ_ga)[k] = direction_diff(moving, gv);
    }
    matrix_fill(x->eq, EQ_G, &G);
    diff_free(by_q);
    diff_free(by_v);
    direction_free(fixed);
    direction_free(moving);
}

/* 0 = s at the start, by positions or, where velocities occur, by those. */
void derive_conditions(struct context *x)
{
    const struct model *m = x->m;
    struct diff *by_q = diff_new(x->pool, DEP(SYM_Q)), *by_v = diff_new(x->pool, DEP(SYM_V));
    struct triplets S = {0};
    for (int k = 0; k < m->condition.n; k++) {
        Expr s = vector(x, EQ_s)[k] = m->condition.at[k].value;
        struct gradient row = diff_gradient(k < m->condition_q ? by_q : by_v, s);
        for (int j = 0; j < row.n; j++)
            VEC_PUSH(S, ((__typeof__(*S.at)){ k, expr_symbol(x->pool, row.var[j])->index, row.d[j] }));
    }
    matrix_fill(x->eq, EQ_S, &S);
    diff_free(by_q);
    diff_free(by_v);
}

/* The rows of contacts as those of constraints: their rates are W v + wt, the rates of these W a + wgamma. */
void derive_contacts(struct context *x)
{
    const struct model *m = x->m;
    struct direction *fixed = direction_time(m, &x->scratch, false);
    struct diff *by_q = diff_new(x->pool, DEP(SYM_Q)), *by_v = diff_new(x->pool, DEP(SYM_V));
    struct triplets W = {0};
    Expr *zero = ARENA_NEW(&x->scratch, Expr, x->nq);
    for (int i = 0; i < x->nq; i++)
        zero[i] = x->pool->zero;
    for (int k = 0; k < m->touch.n; k++) {
        Expr value = m->touch.at[k].value, rate = value;
        struct gradient row;
        vector(x, EQ_dist)[k] = m->touch.at[k].holonomic ? value : x->pool->zero;
        if (m->touch.at[k].holonomic) {
            row = diff_gradient(by_q, value);
            rate = direction_diff(fixed, value);
            vector(x, EQ_wt)[k] = expr_diff(x->pool, value, m->time);
        } else {
            row = diff_gradient(by_v, value);
            expr_substitute(x->pool, x->nq, x->v, zero, 1, &value, &vector(x, EQ_wt)[k]);
        }
        for (int j = 0; j < row.n; j++)
            VEC_PUSH(W, ((__typeof__(*W.at)){ k, expr_symbol(x->pool, row.var[j])->index, row.d[j] }));
        vector(x, EQ_wgamma)[k] = direction_diff(fixed, rate);
    }
    matrix_fill(x->eq, EQ_W, &W);
    for (int k = 0; k < m->contact.n; k++) {
        vector(x, EQ_law)[2 * k] = m->contact.at[k].restitution;
        vector(x, EQ_law)[2 * k + 1] = m->contact.at[k].friction;
    }
    diff_free(by_q);
    diff_free(by_v);
    direction_free(fixed);
}

/* Guards and their rates along the motion, with those of the states; 0 where accelerations and multipliers occur, whose rates are not
 * known, and of a period. */
void derive_events(struct context *x)
{
    const struct model *m = x->m;
    struct direction *moving = direction_time(m, &x->scratch, true);
    struct diff *by_z = diff_new(x->pool, DEP(SYM_Z));
    for (int k = 0; k < m->event.n; k++) {
        Expr h = vector(x, EQ_h)[k] = m->event.at[k].guard;
        vector(x, EQ_hdot)[k] = x->pool->zero;
        if (m->event.at[k].kind == EVENT_EVERY || expr_deps(x->pool, h) & (DEP(SYM_A) | DEP(SYM_LAMBDA)))
            continue;
        Expr rate = direction_diff(moving, h);
        struct gradient g = diff_gradient(by_z, h);
        for (int j = 0; j < g.n; j++)
            rate = expr_add(x->pool, rate, expr_mul(x->pool, g.d[j], vector(x, EQ_zdot)[expr_symbol(x->pool, g.var[j])->index]));
        vector(x, EQ_hdot)[k] = rate;
    }
    for (int k = 0; k < m->jump.n; k++)
        vector(x, EQ_jump)[k] = m->jump.at[k].value;
    diff_free(by_z);
    direction_free(moving);
}
