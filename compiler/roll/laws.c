/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Laws of single coordinates (design 0014): springs, dampers, torques and rotors of joints, and whatever else of the energies and forces depends
 * on one coordinate and its velocity alone.  A thousand of them are no thousand statements: with q, v and what is constant replaced by
 * symbols, they become the same few expressions, each a class; a law is then a row of a table: class, coordinate, constants.
 */
#include "roll/roll.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST = 2, DEEPEST = 40, MOST_CONSTANTS = 12 };         /* members of a class; levels and constants of a law */

struct maker {
    struct pool *p;
    struct arena *arena;
    struct roll_laws *out;
    int coord;
    Expr constant[MOST_CONSTANTS];
    int constants;
    bool good;
    struct { struct roll_law *at; int n, cap; } law;
    struct { Expr *at; int n, cap; } pool_of_constants;
};

static Expr local(struct pool *p, int index)
{
    static const char *const name[] = {"q", "v", "k"};
    return expr_sym(p, SYM_LOCAL, index, name[index < 2 ? index : 2]);
}

/* A constant of the law, as a symbol; 1 and -1 stay. */
static Expr constant(struct maker *x, Expr e)
{
    struct pool *p = x->p;
    if (e == p->zero || e == p->one || e == p->minus_one)
        return e;
    if (x->constants == MOST_CONSTANTS) {
        x->good = false;
        return e;
    }
    x->constant[x->constants] = e;
    return local(p, 2 + x->constants++);
}

static bool is_constant(const struct maker *x, Expr e)
{
    return !(expr_deps(x->p, e) & ~DEP(SYM_PARAM));
}

static Expr skeleton(struct maker *x, Expr e, int depth);

/* coef * e, what is constant of it as one symbol */
static Expr skeleton_product(struct maker *x, Expr coef, Expr e, int depth)
{
    struct pool *p = x->p;
    if (expr_op(p, e) != EXPR_MUL) {
        Expr k = constant(x, coef), s = skeleton(x, e, depth + 1);
        return expr_mul(p, k, s);
    }
    Expr rest = p->one;
    for (int i = 0; i < expr_pairs(p, e); i++) {
        Expr power, base = expr_pair(p, e, i, &power);
        if (is_constant(x, base))
            coef = expr_mul(p, coef, expr_pow(p, base, power));
    }
    Expr k = constant(x, coef);
    for (int i = 0; i < expr_pairs(p, e); i++) {
        Expr power, base = expr_pair(p, e, i, &power);
        if (!is_constant(x, base)) {
            Expr s = skeleton(x, base, depth + 1);
            rest = expr_mul(p, rest, expr_pow(p, s, power));
        }
    }
    return expr_mul(p, k, rest);
}

static Expr skeleton_sum(struct maker *x, Expr e, int depth)
{
    struct pool *p = x->p;
    Expr fixed = expr_const(p, e), sum = p->zero;
    for (int i = 0; i < expr_pairs(p, e); i++) {
        Expr coef, term = expr_pair(p, e, i, &coef);
        if (is_constant(x, term))
            fixed = expr_add(p, fixed, expr_mul(p, coef, term));
        else
            sum = expr_add(p, sum, skeleton_product(x, coef, term, depth + 1));
    }
    Expr k = constant(x, fixed);
    return expr_add(p, sum, k);
}

static Expr skeleton(struct maker *x, Expr e, int depth)
{
    struct pool *p = x->p;
    if (depth > DEEPEST)
        x->good = false;
    if (!x->good)
        return e;
    if (is_constant(x, e))
        return constant(x, e);
    if (expr_op(p, e) == EXPR_SYM) {
        const struct symbol *s = expr_symbol(p, e);
        if (s->kind == SYM_TIME || s->kind == SYM_U)
            return e;
        bool own = (s->kind == SYM_Q || s->kind == SYM_V) && (x->coord < 0 || x->coord == s->index);
        x->good &= own;
        x->coord = s->index;
        return local(p, s->kind == SYM_V);
    }
    if (expr_op(p, e) == EXPR_ADD)
        return skeleton_sum(x, e, depth);
    if (expr_op(p, e) == EXPR_MUL)
        return skeleton_product(x, p->one, e, depth);
    Expr *args = ARENA_NEW(x->arena, Expr, expr_args(p, e) + 1);
    for (int i = 0; i < expr_args(p, e); i++) {
        Expr a = expr_arg(p, e, i);
        args[i] = expr_is_num(p, a) ? a : skeleton(x, a, depth + 1);
    }
    return x->good ? expr_rebuild(p, e, args) : e;
}

static int class_of(struct maker *x, enum roll_law_kind kind, Expr s)
{
    struct roll_laws *o = x->out;
    for (int k = 0; k < o->class.n; k++)
        if (o->class.at[k].kind == kind && o->class.at[k].value == s)
            return k;
    VEC_PUSH(o->class, ((struct roll_law_class){.kind = kind, .value = s, .constants = x->constants}));
    return o->class.n - 1;
}

/* Keeps the part of an energy or a force as a law if it is one; `coord` of a force, else -1. */
static bool keep(struct maker *x, enum roll_law_kind kind, Expr e, int coord)
{
    struct pool *p = x->p;
    unsigned may = DEP(SYM_PARAM) | DEP(SYM_Q);
    may |= kind == LAW_KINETIC ? DEP(SYM_V) : kind == LAW_POTENTIAL ? DEP(SYM_TIME) | DEP(SYM_U) : DEP(SYM_V) | DEP(SYM_TIME) | DEP(SYM_U);
    if (expr_deps(p, e) & ~may || !(expr_deps(p, e) & (DEP(SYM_Q) | DEP(SYM_V))))
        return false;
    x->coord = coord;
    x->constants = 0;
    x->good = true;
    Expr s = skeleton(x, e, 0);
    if (!x->good || x->out->class.n > ROLL_LAWS)
        return false;
    if (kind == LAW_KINETIC) {
        Expr v = local(p, 1), m = expr_diff(p, s, v);
        m = expr_diff(p, m, v);
        Expr own = expr_mul(p, p->half, expr_mul(p, m, expr_powi(p, v, 2)));
        if (expr_deps(p, e) & DEP(SYM_Q) || own != s)           /* m v^2/2 and nothing else */
            return false;
    }
    int class = class_of(x, kind, s);
    struct roll_law law = {class, x->coord, x->pool_of_constants.n};
    for (int k = 0; k < x->constants; k++)
        VEC_PUSH(x->pool_of_constants, x->constant[k]);
    x->out->class.at[class].count++;
    VEC_PUSH(x->law, law);
    return true;
}

/* The parts of a sum one by one; what is no law is left over. */
static Expr keep_parts(struct maker *x, enum roll_law_kind kind, Expr e)
{
    struct pool *p = x->p;
    if (keep(x, kind, e, -1))
        return p->zero;
    if (expr_op(p, e) != EXPR_ADD)
        return e;
    struct { Expr *at; int n, cap; } rest = {0};
    VEC_PUSH(rest, expr_const(p, e));
    for (int i = 0; i < expr_pairs(p, e); i++) {
        Expr coef, term = expr_pair(p, e, i, &coef);
        Expr part = expr_mul(p, coef, term);
        if (!keep(x, kind, part, -1))
            VEC_PUSH(rest, part);
    }
    Expr left = rest.n > expr_pairs(p, e) ? e : expr_sum(p, rest.n, rest.at);
    free(rest.at);
    return left;
}

static void take_terms(struct maker *x, enum roll_law_kind kind, const struct model_term *at, int n, struct model_term *to, int *count)
{
    *count = 0;
    for (int k = 0; k < n; k++) {
        Expr left = at[k].origin == TERM_STATED ? keep_parts(x, kind, at[k].value) : at[k].value;
        if (left != x->p->zero) {
            to[*count] = at[k];
            to[(*count)++].value = left;
        }
    }
}

/* All laws of the model, and the model without them. */
static struct model *separate(struct maker *x, const struct model *m)
{
    struct model *rest = arena_copy(x->arena, m, sizeof *m);
#define TAKE(kind, list)                                                                     \
    rest->list.at = ARENA_NEW(x->arena, struct model_term, m->list.n + 1);                   \
    take_terms(x, kind, m->list.at, m->list.n, rest->list.at, &rest->list.n)
    TAKE(LAW_POTENTIAL, potential);
    TAKE(LAW_KINETIC, kinetic);
    TAKE(LAW_DISSIPATION, dissipation);
#undef TAKE
    rest->force.at = ARENA_NEW(x->arena, struct model_force, m->force.n + 1);
    rest->force.n = 0;
    for (int k = 0; k < m->force.n; k++)
        if (!keep(x, LAW_FORCE, m->force.at[k].value, m->force.at[k].coord))
            rest->force.at[rest->force.n++] = m->force.at[k];
    return rest;
}

static void derive_class(struct pool *p, struct roll_law_class *c)
{
    Expr q = local(p, 0), v = local(p, 1), s = c->value, f = p->zero, E = p->zero, m = p->zero;
    switch (c->kind) {
    case LAW_POTENTIAL:
        E = s;
        f = expr_neg(p, expr_diff(p, s, q));
        break;
    case LAW_KINETIC:
        E = s;
        m = expr_diff(p, expr_diff(p, s, v), v);
        break;
    case LAW_DISSIPATION: f = expr_neg(p, expr_diff(p, s, v)); break;
    case LAW_FORCE: f = s; break;
    }
    c->out[LAW_E] = E;
    c->out[LAW_f] = f;
    c->out[LAW_fq] = expr_diff(p, f, q);
    c->out[LAW_fv] = expr_diff(p, f, v);
    c->out[LAW_m] = m;
}

static bool same_constants(const struct maker *x, const struct roll_law *a, const struct roll_law *b)
{
    return a->class == b->class && !memcmp(x->pool_of_constants.at + a->constants, x->pool_of_constants.at + b->constants,
                                           (size_t)x->out->class.at[a->class].constants * sizeof(Expr));
}

/* The table: equal rows of constants in a row are one. */
static void make_table(struct maker *x)
{
    struct roll_laws *o = x->out;
    const struct roll_law **last = ARENA_NEW(x->arena, const struct roll_law *, o->class.n + 1);
    int *row = ARENA_NEW(x->arena, int, o->class.n + 1);
    struct { Expr *at; int n, cap; } constants = {0};
    o->law = ARENA_NEW(x->arena, struct roll_law, x->law.n + 1);
    for (int k = 0; k < x->law.n; k++) {
        const struct roll_law *l = &x->law.at[k];
        if (!last[l->class] || !same_constants(x, last[l->class], l)) {
            row[l->class] = constants.n;
            for (int i = 0; i < o->class.at[l->class].constants; i++)
                VEC_PUSH(constants, x->pool_of_constants.at[l->constants + i]);
        }
        last[l->class] = l;
        o->law[o->n++] = (struct roll_law){l->class, l->coord, row[l->class]};
    }
    o->constants = constants.n;
    o->constant = arena_copy(x->arena, constants.at, (size_t)constants.n * sizeof(Expr));
    free(constants.at);
}

const struct model *roll_separate(const struct model *m, struct arena *arena, struct roll_laws *out)
{
    struct maker x = {.p = m->pool, .arena = arena, .out = out};
    *out = (struct roll_laws){0};
    struct model *rest = separate(&x, m);
    bool many = out->class.n > 0 && out->class.n <= ROLL_LAWS && x.law.n >= FEWEST * out->class.n;
    for (int k = 0; many && k < out->class.n; k++) {
        derive_class(m->pool, &out->class.at[k]);
        out->kinetic |= out->class.at[k].kind == LAW_KINETIC;
    }
    if (many)
        make_table(&x);
    else
        out->class.n = 0;
    struct roll_law_class *class = arena_copy(arena, out->class.at, (size_t)out->class.n * sizeof *class);
    free(out->class.at);
    out->class.at = class;
    free(x.law.at);
    free(x.pool_of_constants.at);
    return many ? rest : m;
}

bool roll_laws_conserve(const struct pool *p, const struct roll_laws *l)
{
    for (int k = 0; k < l->class.n; k++)
        if ((l->class.at[k].kind != LAW_POTENTIAL && l->class.at[k].kind != LAW_KINETIC) || expr_deps(p, l->class.at[k].value) & (DEP(SYM_TIME) | DEP(SYM_U)))
            return false;
    return true;
}
