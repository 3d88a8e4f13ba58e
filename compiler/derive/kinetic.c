/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kinetic energy: that it is at most quadratic in the velocities, and in which form it is derived.
 *
 * A summand as written, say m*norm2(C')/2, is often dearer to derive from than its trigonometric normal
 * form, in which products of sines and cosines have become cosines of differences and equal angles have
 * cancelled to constants.  In space or on long chains it is the other way round.  Each summand is costed in
 * its forms by its own contribution to M and f as a tape; then a few mixtures are costed as a whole, because
 * summands in the same form share more.  Summands with many velocities are left alone, which keeps the
 * time linear: the product-to-sum expansion grows with their square.
 *
 * The normal form is a flat sum, and forward derivatives keep it flat, so that the velocity terms of f
 * cancel against each other; a reverse sweep would collect them first.  What stays as written is shared
 * between summands (a body's velocity is its parent's plus the joint's), and is differentiated by reverse
 * sweeps, which keep that. */
#include "derive/derive.h"
#include "expr/cone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIG_VELOCITIES = 12, TRIG_TERMS = 240 };

struct direction *direction_time(const struct model *m, struct arena *arena, bool accelerated)
{
    int n = 0;
    Expr *var = ARENA_NEW(arena, Expr, 2 * m->coord.n + 1), *dir = ARENA_NEW(arena, Expr, 2 * m->coord.n + 1);
    for (int i = 0; i < m->coord.n; i++, n++) {
        var[n] = m->coord.at[i].q;
        dir[n] = m->coord.at[i].v;
    }
    for (int i = 0; accelerated && i < m->coord.n; i++, n++) {
        var[n] = m->coord.at[i].v;
        dir[n] = m->coord.at[i].a;
    }
    var[n] = m->time;
    dir[n++] = m->pool->one;
    return direction_new(m->pool, n, var, dir);
}

/* Add the derivatives of e by the symbols of one kind to out. */
static void add_gradient(const struct model *m, Expr e, enum sym_kind kind, Expr *out)
{
    struct diff *diff = diff_new(m->pool, DEP(kind));
    struct gradient g = diff_gradient(diff, e);
    for (int k = 0; k < g.n; k++) {
        int i = expr_symbol(m->pool, g.var[k])->index;
        out[i] = expr_add(m->pool, out[i], g.d[k]);
    }
    diff_free(diff);
}

void energy_terms(const struct model *m, const struct kinetic *T, Expr U, Expr *p, Expr *f, struct triplets *M)
{
    struct arena scratch = {0};
    struct pool *pool = m->pool;
    int nq = m->coord.n;
    Expr *q = ARENA_NEW(&scratch, Expr, nq), *v = ARENA_NEW(&scratch, Expr, nq);
    for (int i = 0; i < nq; i++) {
        q[i] = m->coord.at[i].q;
        v[i] = m->coord.at[i].v;
    }
    expr_reverse(pool, T->written, nq, v, p);
    expr_reverse(pool, expr_sub(pool, T->written, U), nq, q, f);
    add_gradient(m, T->normal, SYM_V, p);
    add_gradient(m, T->normal, SYM_Q, f);
    struct direction *along = direction_time(m, &scratch, false);
    struct diff *by_v = diff_new(pool, DEP(SYM_V));
    for (int i = 0; i < nq; i++) {
        f[i] = expr_sub(pool, f[i], direction_diff(along, p[i]));
        struct gradient row = M ? diff_gradient(by_v, p[i]) : (struct gradient){0};
        for (int k = 0; k < row.n; k++) {
            int j = expr_symbol(pool, row.var[k])->index;
            if (j <= i) {
                VEC_PUSH(*M, ((__typeof__(*M->at)){ i, j, row.d[k] }));
            }
        }
    }
    diff_free(by_v);
    direction_free(along);
    arena_free(&scratch);
}

static double kinetic_cost(const struct model *m, const struct kinetic *T)
{
    struct arena scratch = {0};
    int nq = m->coord.n, n = 0;
    struct triplets M = {0};
    Expr *p = ARENA_NEW(&scratch, Expr, nq), *f = ARENA_NEW(&scratch, Expr, nq);
    energy_terms(m, T, m->pool->zero, p, f, &M);
    Expr *out = ARENA_NEW(&scratch, Expr, nq + M.n);
    for (int i = 0; i < nq; i++)
        if (f[i] != m->pool->zero)
            out[n++] = f[i];
    for (int k = 0; k < M.n; k++)
        out[n++] = M.at[k].value;
    double cost = expr_cost(m->pool, m->param.n, n, out);
    free(M.at);
    arena_free(&scratch);
    return cost;
}

/* Second derivatives by the velocities contain no velocity. */
static bool has_quadratic_form(const struct model *m, Expr T)
{
    struct diff *by_v = diff_new(m->pool, DEP(SYM_V));
    struct gradient first = diff_gradient(by_v, T);
    bool good = true;
    for (int i = 0; i < first.n && good; i++) {
        struct gradient second = diff_gradient(by_v, first.d[i]);
        for (int j = 0; j < second.n && good; j++)
            good = !(expr_deps(m->pool, second.d[j]) & DEP(SYM_V));
    }
    diff_free(by_v);
    return good;
}

/* The degree in the velocities, as far as the form shows it; 3 stands for more, or not a polynomial. */
static unsigned char degree(const struct pool *p, Expr e, const unsigned char *deg)
{
    int d = 0;
    int64_t n;
    switch (expr_op(p, e)) {
    case EXPR_SYM:
        return 1;
    case EXPR_HOLD:
        return deg[expr_arg(p, e, 0)];
    case EXPR_ADD:
        for (int i = 0; i < expr_pairs(p, e); i++) {
            Expr k;
            int t = deg[expr_pair(p, e, i, &k)];
            d = t > d ? t : d;
        }
        return (unsigned char)d;
    case EXPR_MUL:
        for (int i = 0; i < expr_pairs(p, e) && d < 3; i++) {
            Expr x;
            int t = deg[expr_pair(p, e, i, &x)];
            if (t && (!expr_is_int(p, x, &n) || n < 0 || n > 2))
                return 3;
            d += t ? t * (int)n : 0;
        }
        return (unsigned char)(d < 3 ? d : 3);
#include "expr/function_cases.inc"
#include "expr/test_cases.inc"
    case EXPR_NUM: case EXPR_POW: case EXPR_IF: case EXPR_CALL:
        break;
    }
    return 3;
}

/* Is T at most quadratic in the velocities?  Mostly its form says so, which is cheap; only where it does not
 * the second derivatives decide.  Also counts the velocities. */
static bool is_quadratic(const struct model *m, Expr T, int *velocities)
{
    const struct pool *p = m->pool;
    struct cone cone = {.kinds = DEP(SYM_V)};
    unsigned char *deg = mem_grow(NULL, (size_t)T + 1, 1);
    memset(deg, 0, (size_t)T + 1);
    cone_collect(&cone, p, 1, &T);
    *velocities = 0;
    for (int i = 0; i < cone.n; i++) {
        deg[cone.at[i]] = degree(p, cone.at[i], deg);
        *velocities += expr_op(p, cone.at[i]) == EXPR_SYM;
    }
    bool plain = deg[T] <= 2;
    free(deg);
    cone_fini(&cone);
    return plain || has_quadratic_form(m, T);
}

/* A statement in its forms: as written and differentiated by reverse or by forward sweeps, or in normal form
 * and by forward sweeps.  A form that is not to be had costs infinitely much. */
enum form { FORM_REVERSE, FORM_FORWARD, FORM_NORMAL, FORMS };
struct summand {
    Expr value[FORMS];
    double cost[FORMS];
};

static double form_cost(const struct model *m, Expr e, enum form form)
{
    struct kinetic T = { .written = m->pool->zero, .normal = m->pool->zero };
    *(form == FORM_REVERSE ? &T.written : &T.normal) = e;
    return kinetic_cost(m, &T);
}

static bool summand_init(const struct model *m, Expr e, struct summand *s)
{
    int velocities, more;
    bool quadratic = is_quadratic(m, e, &velocities);
    /* The normal form may show that what does not look like it is quadratic after all. */
    Expr normal = velocities && velocities <= TRIG_VELOCITIES ? trig_normal(m->pool, e, TRIG_TERMS) : 0;
    bool has_normal = normal && (quadratic || is_quadratic(m, normal, &more));
    s->value[FORM_REVERSE] = s->value[FORM_FORWARD] = e;
    s->value[FORM_NORMAL] = normal;
    bool small = velocities && velocities <= TRIG_VELOCITIES;
    s->cost[FORM_REVERSE] = !quadratic ? INFINITY : small ? form_cost(m, e, FORM_REVERSE) : 0;
    s->cost[FORM_NORMAL] = has_normal ? form_cost(m, normal, FORM_NORMAL) : INFINITY;
    bool close = s->cost[FORM_NORMAL] > 0.75 * s->cost[FORM_REVERSE];
    s->cost[FORM_FORWARD] = quadratic && small && close ? form_cost(m, e, FORM_FORWARD) : INFINITY;
    return quadratic || has_normal;
}

/* Each statement in the cheapest of the forms `first` to `last`, or in the cheapest at all. */
static void kinetic_sum(const struct model *m, int n, const struct summand *s, int first, int last, Expr *scratch,
                        struct kinetic *T)
{
    Expr *written = scratch, *normal = scratch + n;
    T->summands = 0;
    for (int k = 0; k < n; k++) {
        int best = first;
        for (int f = first + 1; f <= last; f++)
            if (s[k].cost[f] < s[k].cost[best])
                best = f;
        if (isinf(s[k].cost[best]))
            best = isinf(s[k].cost[FORM_REVERSE]) ? FORM_NORMAL : FORM_REVERSE;
        written[k] = best == FORM_REVERSE ? s[k].value[best] : m->pool->zero;
        normal[k] = best == FORM_REVERSE ? m->pool->zero : s[k].value[best];
        T->summands += best == FORM_NORMAL;
    }
    T->written = expr_sum(m->pool, n, written);
    T->normal = expr_sum(m->pool, n, normal);
}

/* All statements as written share most, but not more than three quarters of their operations (a chain of eight links: 72 %). */
static bool written_may_win(int n, const struct summand *s)
{
    double written = 0, best = 0;
    for (int k = 0; k < n; k++) {
        written += s[k].cost[FORM_REVERSE];
        best += fmin(fmin(s[k].cost[FORM_REVERSE], s[k].cost[FORM_FORWARD]), s[k].cost[FORM_NORMAL]);
    }
    return written <= 4 * best;
}

bool kinetic_plain(const struct model *m, struct kinetic *T)
{
    struct { Expr *at; int n, cap; } all = {0};
    bool good = true;
    for (int k = 0; k < m->kinetic.n; k++) {
        int velocities;
        good = good && is_quadratic(m, m->kinetic.at[k].value, &velocities);
        VEC_PUSH(all, m->kinetic.at[k].value);
    }
    *T = (struct kinetic){ .written = expr_sum(m->pool, all.n, all.at), .normal = m->pool->zero };
    free(all.at);
    return good;
}

bool kinetic_choose(const struct model *m, struct arena *arena, struct diags *d, struct kinetic *T)
{
    static const struct { int first, last;
    } strategies[] = {{FORM_REVERSE, FORM_REVERSE},
                      {FORM_REVERSE, FORM_NORMAL},
                      {FORM_FORWARD, FORM_NORMAL},
                      {FORM_NORMAL, FORM_NORMAL}};
    int n = m->kinetic.n;
    bool good = true;
    struct summand *s = ARENA_NEW(arena, struct summand, n);
    Expr *scratch = ARENA_NEW(arena, Expr, 2 * n);
    for (int k = 0; k < n; k++)
        if (!summand_init(m, m->kinetic.at[k].value, &s[k])) {
            diag_error(d, m->kinetic.at[k].span, "the kinetic energy is not a quadratic function of the velocities");
            good = false;
        }
    double least = INFINITY;
    struct kinetic tried[sizeof strategies / sizeof *strategies];
    for (unsigned k = 0; good && k < sizeof strategies / sizeof *strategies; k++) {
        struct kinetic next;
        bool again = false;
        kinetic_sum(m, n, s, strategies[k].first, strategies[k].last, scratch, &next);
        for (unsigned i = 0; i < k && !again; i++)
            again = next.written == tried[i].written && next.normal == tried[i].normal;
        tried[k] = next;
        if (again || (k == 0 && !written_may_win(n, s)))
            continue;
        double cost = kinetic_cost(m, &next);
        if (cost < least) {
            least = cost;
            *T = next;
        }
    }
    return good;
}
