/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Joints given by functions of their coordinates (design 0014): the rod of a distance joint, the constant-velocity joint.  To the loops
 * such a joint is a row of turns by angles A(q).  Joints with the same functions are a class, with one program: A and its derivatives to
 * the third.
 */
#include "roll/roll.h"
#include "model/tree.h"

enum { N = ROLL_JOINT_COORDS };

static Expr local(struct pool *p, bool rate, int k)
{
    return expr_sym(p, SYM_LOCAL, (rate ? N : 0) + k, rate ? "v" : "q");
}

static void derive(struct pool *p, struct roll_joint_class *c)
{
    for (int i = 0; i < c->turns; i++) {
        Expr *H = c->value + ROLL_JOINT_H + N * N * i, bend = p->zero;
        for (int k = 0; k < c->coords; k++) {
            Expr J = c->value[ROLL_JOINT_J + N * i + k] = expr_diff(p, c->value[i], local(p, false, k));
            for (int l = 0; l < c->coords; l++) {
                Expr v = expr_mul(p, local(p, true, k), local(p, true, l));
                H[N * k + l] = expr_diff(p, J, local(p, false, l));
                bend = expr_add(p, bend, expr_mul(p, H[N * k + l], v));
            }
        }
        for (int k = 0; k < c->coords; k++)
            c->value[ROLL_JOINT_G + N * i + k] = expr_diff(p, bend, local(p, false, k));
    }
}

int roll_joint_class(struct roll *r, const struct model *m, const struct tree_body *b)
{
    struct pool *p = m->pool;
    struct roll_joint_class c = {.turns = b->turns, .coords = b->coords};
    Expr from[N], to[N];
    for (int k = 0; k < b->coords; k++) {
        from[k] = m->coord.at[b->coord[k]].q;
        to[k] = local(p, false, k);
    }
    for (int k = 0; k < ROLL_JOINT_VALUES; k++)
        c.value[k] = p->zero;
    for (int i = 0; i < b->turns; i++)
        expr_substitute(p, b->coords, from, to, 1, &b->turn[i].angle, &c.value[i]);
    for (int k = 0; k < r->joint_class.n; k++) {
        const struct roll_joint_class *known = &r->joint_class.at[k];
        bool same = known->turns == c.turns && known->coords == c.coords;
        for (int i = 0; i < c.turns; i++)
            same = same && known->value[i] == c.value[i];
        if (same)
            return k;
    }
    derive(p, &c);
    VEC_PUSH(r->joint_class, c);
    return r->joint_class.n - 1;
}
