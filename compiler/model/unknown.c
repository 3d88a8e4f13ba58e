/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an expression may name before it is known: reactions of joints, efforts of drives, inverse dynamics.
 *
 * They follow from all energies, forces and constraints of the model, and stand in statements among them.  So a symbol stands for each until
 * the last statement is read; then all are worked out and replaced.  The symbol is of the kind of what it will depend on, so that the rules
 * about where it may occur are the usual ones: reactions are like accelerations, the forces of inverse dynamics like inputs. */
#include "model/front.h"

#include <stdlib.h>

Expr unknown_new(struct check *k, struct unknown u, const char *name)
{
    int i = k->unknown.n;
    u.sym = u.kind == UNKNOWN_INVERSE ? expr_sym(k->pool, SYM_U, k->m->input.n + i, name) : expr_sym(k->pool, SYM_A, k->m->coord.n + i, name);
    VEC_PUSH(k->unknown, u);
    return u.sym;
}

Expr terms_sum(struct pool *p, int n, const struct model_term *at)
{
    Expr *t = mem_grow(NULL, (size_t)n + 1, sizeof *t);
    for (int i = 0; i < n; i++)
        t[i] = at[i].value;
    Expr sum = expr_sum(p, n, t);
    free(t);
    return sum;
}

/* --- inverse(a) -------------------------------------------------------------------------------------------------- */

struct value unknown_inverse(struct check *k, const struct ast_expr *e, const struct value *a)
{
    const struct model *m = k->m;
    int n = m->coord.n;
    struct dim second = k->has_units ? dim_second() : DIM_OF_ANY;
    if (!k->ready) {
        diag_error(k->diags, e->span, "inverse dynamics is not known here: the coordinates depend on this");
        return VALUE_NONE;
    }
    if (a->truth || a->rank > 1 || a->rows != n) {
        diag_error(k->diags, e->arg[0]->span, "inverse takes the wished accelerations of all %d coordinates in their order, not %s", n,
                   shape_show(a, k->arena));
        return VALUE_NONE;
    }
    Expr *wish = ARENA_NEW(k->arena, Expr, n);
    struct value v = value_new(k, e->span, a->rank, n, 1);
    for (int i = 0; v.at && i < n; i++) {
        struct dim dim = k->coords.at[i].dim, want = k->has_units ? dim_div(dim_div(dim, second), second) : DIM_OF_ANY;
        if (!dim_agrees(a->at[i].dim, want)) {
            diag_error(k->diags, e->arg[0]->span, "the wished acceleration of '%s' must be in %s, but it is %s", m->coord.at[i].name,
                       dim_show(want, k->arena), dim_show(a->at[i].dim, k->arena));
            return VALUE_NONE;
        }
        wish[i] = a->at[i].e;
    }
    for (int i = 0; v.at && i < n; i++) {
        struct unknown u = {.kind = UNKNOWN_INVERSE, .span = e->span, .part = i, .wish = wish};
        v.at[i].e = unknown_new(k, u, arena_printf(k->arena, "inverse.%s", m->coord.at[i].name));
        v.at[i].dim = k->has_units ? dim_div(dim_joule(), k->coords.at[i].dim) : DIM_OF_ANY;
    }
    return v;
}

/* Q = d/dt dT/dv - dT/dq + dV/dq + dD/dv with the wished accelerations: the forces that the coordinates need beyond all that has an energy
 * or a dissipation.  Linear in n: one sweep for the gradients, one for the rate of the momenta. */
static void inverse_forces(struct check *k, const Expr *wish, Expr *Q)
{
    struct model *m = k->m;
    struct pool *p = k->pool;
    int n = m->coord.n;
    Expr *var = mem_grow(NULL, 4 * (size_t)n + 2, sizeof *var), *dir = var + 2 * n + 1, *by_q = dir, *by_v = dir + n;
    for (int i = 0; i < n; i++) {
        var[i] = m->coord.at[i].q, dir[i] = m->coord.at[i].v;
        var[n + i] = m->coord.at[i].v, dir[n + i] = wish[i];
    }
    var[2 * n] = m->time, dir[2 * n] = p->one;
    struct direction *flow = direction_new(p, 2 * n + 1, var, dir);
    Expr T = terms_sum(p, m->kinetic.n, m->kinetic.at), V = terms_sum(p, m->potential.n, m->potential.at);
    expr_reverse(p, T, n, var + n, Q);
    for (int i = 0; i < n; i++)
        Q[i] = direction_diff(flow, Q[i]);
    direction_free(flow);
    expr_reverse(p, expr_sub(p, V, T), n, var, by_q);
    expr_reverse(p, terms_sum(p, m->dissipation.n, m->dissipation.at), n, var + n, by_v);
    for (int i = 0; i < n; i++)
        Q[i] = expr_sum(p, 3, (Expr[]){Q[i], by_q[i], by_v[i]});
    free(var);
}

/* --- the end ----------------------------------------------------------------------------------------------------- */

struct replacing {
    struct { Expr *at; int n, cap; } from, to;
};
static void replace(struct replacing *r, Expr from, Expr to)
{
    VEC_PUSH(r->from, from);
    VEC_PUSH(r->to, to);
}
static void replaced(struct check *k, const struct replacing *r, int n, Expr *e)
{
    if (n)
        expr_substitute(k->pool, r->from.n, r->from.at, r->to.at, n, e, e);
}

/* Every expression of the model, at once, so that what they share is worked on once. */
static void replace_all(struct check *k, const struct replacing *r)
{
    struct { Expr *at; int n, cap; } list = {0};
    struct model *m = k->m;
    int at_list;
#define VALUE(member) if (x->member) VEC_PUSH(list, x->member);
#define ARRAY(type, name, values)                                                                                      \
    for (int i = 0; i < m->name.n; i++) {                                                                              \
        type *x = &m->name.at[i];                                                                                      \
        values(void) x;                                                                                                \
    }
#include "model/arrays.def"
#undef VALUE
    replaced(k, r, list.n, list.at);
    at_list = 0;
#define VALUE(member) if (x->member) x->member = list.at[at_list++];
#include "model/arrays.def"
#undef VALUE
#undef ARRAY
    free(list.at);
}

/* Finds the unknowns of inverse dynamics, each vector once.  Neither the energies nor the wishes may depend on one. */
static bool resolve_inverse(struct check *k, struct replacing *r)
{
    int n = k->m->coord.n, virtual = r->from.n;
    struct replacing other = {0};
    Expr *Q = mem_grow(NULL, 2 * (size_t)n + 1, sizeof *Q), *same = Q + n;
    bool good = true;
    for (int i = 0; i < k->unknown.n; i++)
        replace(&other, k->unknown.at[i].sym, k->pool->zero);
    for (int i = 0; i < k->unknown.n && good; i++) {
        const struct unknown *u = &k->unknown.at[i];
        if (u->kind != UNKNOWN_INVERSE || u->part)
            continue;
        inverse_forces(k, u->wish, Q);
        expr_substitute(k->pool, virtual, r->from.at, r->to.at, n, Q, Q);
        expr_substitute(k->pool, other.from.n, other.from.at, other.to.at, n, Q, same);
        for (int c = 0; c < n; c++) {
            good = good && same[c] == Q[c];
            replace(r, k->unknown.at[i + c].sym, Q[c]);
        }
        if (!good)
            diag_error(k->diags, u->span, "an energy, a dissipation or a wished acceleration depends on inverse dynamics itself");
    }
    free(other.from.at);
    free(other.to.at);
    free(Q);
    return good;
}

void unknown_resolve(struct check *k)
{
    struct replacing r = {0};
    for (int i = 0; i < k->virtual.n; i++)
        replace(&r, k->virtual.at[i].symbol, k->pool->zero);
    if (k->unknown.n + k->virtual.n && resolve_inverse(k, &r)) {
        Expr *value = mem_grow(NULL, (size_t)k->unknown.n + 1, sizeof *value);
        k->up->reactions(k, value);
        for (int i = 0; i < k->unknown.n; i++)
            if (k->unknown.at[i].kind != UNKNOWN_INVERSE) {
                replaced(k, &r, 1, &value[i]);
                replace(&r, k->unknown.at[i].sym, value[i]);
            }
        free(value);
        replace_all(k, &r);
    }
    free(r.from.at);
    free(r.to.at);
}
