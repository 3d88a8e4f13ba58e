/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The mass of a beam as its elastic coordinates move it (struct tree_flex of tree.h): all that depends on them is quadratic, and the coefficients are
 * expressions of parameters alone, which are computed in set-up.
 */
#include "model/mechanism.h"
#include "model/tree.h"

struct shape {
    struct pool *p;
    struct arena *arena;
    int n;
    const Expr *q, *v;
    Expr *zero;                 /* q of the straight beam */
};

static Expr unit(struct pool *p, Expr e)
{
    return expr_is_num(p, e) ? e : expr_hold(p, e);
}

static Expr straight(const struct shape *s, Expr e)
{
    Expr r = e;
    if (expr_deps(s->p, e) & DEP(SYM_Q))
        expr_substitute(s->p, s->n, s->q, s->zero, 1, &e, &r);
    return unit(s->p, r);
}

/* c + sum by coordinate of its constant derivatives times q. */
static Expr linear(const struct shape *s, Expr c, const Expr *by)
{
    Expr sum = c;
    for (int i = 0; i < s->n; i++)
        sum = expr_add(s->p, sum, expr_mul(s->p, by[i], s->q[i]));
    return expr_op(s->p, sum) == EXPR_ADD ? expr_hold(s->p, sum) : sum;
}

/* e = e0 + bent: its derivatives by q as first[0], first[step] ..., theirs as second[0], second[step] ..., all made of constants. */
static Expr quadratic(const struct shape *s, Expr e, int step, Expr *first, Expr *second)
{
    struct pool *p = s->p;
    Expr *d = ARENA_NEW(s->arena, Expr, s->n), *by = ARENA_NEW(s->arena, Expr, s->n), bent = p->zero;
    expr_reverse(p, e, s->n, s->q, d);
    for (int j = 0; j < s->n; j++) {
        expr_reverse(p, d[j], s->n, s->q, by);
        for (int i = 0; i < s->n; i++)
            second[(j * s->n + i) * step] = by[i] = unit(p, by[i]);
        Expr c = straight(s, d[j]);
        first[j * step] = linear(s, c, by);
        bent = expr_add(p, bent, expr_product(p, 3, (Expr[]){p->half, unit(p, expr_add(p, c, first[j * step])), s->q[j]}));
    }
    return bent;
}

/* k = sum k_j v_j with k_j linear in q. */
static void momentum(const struct shape *s, Expr e, int step, Expr *first, Expr *second)
{
    Expr *d = ARENA_NEW(s->arena, Expr, s->n), *by = ARENA_NEW(s->arena, Expr, s->n);
    expr_reverse(s->p, e, s->n, s->v, d);
    for (int j = 0; j < s->n; j++) {
        expr_reverse(s->p, d[j], s->n, s->q, by);
        for (int i = 0; i < s->n; i++)
            second[(j * s->n + i) * step] = by[i] = unit(s->p, by[i]);
        first[j * step] = linear(s, straight(s, d[j]), by);
    }
}

/* Into the axes of the body that carries the frame: x -> back x + d. */
static void move(const struct shape *s, struct beam_mass *b, const struct mat *back, struct vec d)
{
    struct pool *p = s->p;
    struct tree_inertia i = {b->m, b->h, b->E};
    struct vec rate;
    i = inertia_turn(p, back, &i);
    struct direction *flow = direction_new(p, s->n, s->q, s->v);
    for (int k = 0; k < 3; k++)
        rate.x[k] = direction_diff(flow, i.h.x[k]);
    direction_free(flow);
    b->k = vec_add(p, mat_apply(p, back, b->k), vec_cross(p, d, rate));
    i = inertia_shift(p, &i, d);
    b->h = i.h;
    b->E = i.E;
}

struct tree_flex *mech_flex(struct check *k, struct beam_mass b, const Expr *q, const Expr *v, const struct mat *back, struct vec d,
                            struct tree_inertia *rest)
{
    struct arena scratch = {0};
    struct shape s = {k->pool, &scratch, b.coords, q, v, ARENA_NEW(&scratch, Expr, b.coords)};
    int n = s.n, pairs = n * n;
    struct tree_flex *f = ARENA_NEW(k->arena, struct tree_flex, 1);
    for (int i = 0; i < n; i++)
        s.zero[i] = s.p->zero;
    move(&s, &b, back, d);
#define LIST(type, count) ARENA_NEW(k->arena, type, (count) + 1)
    *f = (struct tree_flex){.h = LIST(struct vec, n), .k = LIST(struct vec, n), .E = LIST(struct mat, n), .hh = LIST(struct vec, pairs),
                            .kk = LIST(struct vec, pairs), .EE = LIST(struct mat, pairs), .mass = LIST(Expr, pairs)};
#undef LIST
    *rest = inertia_zero(s.p);
    rest->m = b.m;
    for (int i = 0; i < 3; i++) {
        rest->h.x[i] = f->h0.x[i] = straight(&s, b.h.x[i]);
        f->bent_h.x[i] = quadratic(&s, b.h.x[i], 3, &f->h[0].x[i], &f->hh[0].x[i]);
        momentum(&s, b.k.x[i], 3, &f->k[0].x[i], &f->kk[0].x[i]);
        for (int j = 0; j <= i; j++) {
            rest->E.m[i][j] = rest->E.m[j][i] = straight(&s, b.E.m[i][j]);
            f->bent_E.m[i][j] = f->bent_E.m[j][i] = quadratic(&s, b.E.m[i][j], 9, &f->E[0].m[i][j], &f->EE[0].m[i][j]);
            for (int c = 0; c < n; c++)
                f->E[c].m[j][i] = f->E[c].m[i][j];
            for (int c = 0; c < pairs; c++)
                f->EE[c].m[j][i] = f->EE[c].m[i][j];
        }
    }
    Expr *p = ARENA_NEW(&scratch, Expr, n);
    expr_reverse(s.p, b.T, n, v, p);
    for (int j = 0; j < n; j++) {
        expr_reverse(s.p, p[j], n, v, f->mass + j * n);
        for (int i = 0; i < n; i++)
            f->mass[j * n + i] = unit(s.p, f->mass[j * n + i]);
    }
    arena_free(&scratch);
    return f;
}
