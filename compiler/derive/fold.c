/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Baking the default parameters in (--fold-params): a copy of the model without parameters, in which
 * every expression has the parameters replaced by their values.  Defaults may use earlier parameters, so
 * values are substituted in order. */
#include "derive/equations.h"
#include "model/tree.h"

struct folding {
    struct pool *pool;
    int n;
    Expr *from, *to;
};

static Expr fold(const struct folding *f, Expr e)
{
    Expr out = e;
    if (e && expr_deps(f->pool, e) & DEP(SYM_PARAM))
        expr_substitute(f->pool, f->n, f->from, f->to, 1, &e, &out);
    return out;
}

#define COPY(list)                                                                                         \
    (out->list.at = arena_copy(arena, m->list.at, (size_t)m->list.n * sizeof *m->list.at), out->list.cap = out->list.n)
#define EACH(list, member)                                                                                 \
    for (int k = 0; k < out->list.n; k++)                                                                  \
    out->list.at[k].member = fold(&f, out->list.at[k].member)

static void fold_in_place(void *f, Expr *e)
{
    *e = fold(f, *e);
}

struct model *model_fold_params(const struct model *m, struct arena *arena)
{
    struct model *out = arena_copy(arena, m, sizeof *m);
    struct folding f = { m->pool, 0, ARENA_NEW(arena, Expr, m->param.n), ARENA_NEW(arena, Expr, m->param.n) };
    for (int k = 0; k < m->param.n; k++) {
        Expr value = fold(&f, m->param.at[k].value);
        f.from[k] = m->param.at[k].sym;
        f.to[k] = value;
        f.n = k + 1;
    }
    out->param.n = 0;
    COPY(coord);
    COPY(state);
    COPY(input);
    COPY(output);
    COPY(constraint);
    COPY(condition);
    COPY(kinetic);
    COPY(potential);
    COPY(dissipation);
    COPY(force);
    COPY(point);
    EACH(coord, q0);
    EACH(coord, v0);
    EACH(state, z0);
    EACH(state, rate);
    EACH(input, value);
    EACH(output, value);
    EACH(constraint, g);
    EACH(condition, value);
    EACH(kinetic, value);
    EACH(potential, value);
    EACH(dissipation, value);
    EACH(force, value);
    EACH(point, x[0]);
    EACH(point, x[1]);
    EACH(point, x[2]);
    if (m->tree) {
        out->tree = arena_copy(arena, m->tree, sizeof *m->tree);
        out->tree->at = arena_copy(arena, m->tree->at, (size_t)m->tree->n * sizeof *m->tree->at);
        out->tree->place = arena_copy(arena, m->tree->place, (size_t)m->tree->places * sizeof *m->tree->place);
        tree_each(out->tree, fold_in_place, &f);
    }
    return out;
}
