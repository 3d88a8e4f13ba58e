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

static void fold_in_place(void *f, Expr *e)
{
    *e = fold(f, *e);
}

/* Discrete states stay: they move to the front and take the symbols that are free there. */
static __typeof__(((struct model *)0)->param) keep_discrete(const struct model *m, struct arena *arena, struct folding *f)
{
    __typeof__(((struct model *)0)->param) kept = { ARENA_NEW(arena, struct model_param, m->param.n), 0, m->param.n };
    for (int k = 0; k < m->param.n; k++) {
        if (!m->param.at[k].discrete)
            continue;
        struct model_param *d = &kept.at[kept.n];
        *d = m->param.at[k];
        d->value = f->to[k];
        d->sym = f->to[k] = m->param.at[kept.n].sym;
        kept.n++;
    }
    return kept;
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
    __typeof__(out->param) discrete = keep_discrete(m, arena, &f);
    out->param.n = 0;
#define VALUE(member) at->member = fold(&f, at->member);
#define ARRAY(type, name, values)                                                                                      \
    out->name.at = arena_copy(arena, m->name.at, (size_t)out->name.n * sizeof *m->name.at);                            \
    out->name.cap = out->name.n;                                                                                       \
    for (int k = 0; k < out->name.n; k++) {                                                                            \
        type *at = &out->name.at[k];                                                                                   \
        values(void) at;                                                                                               \
    }
#include "model/arrays.def"
#undef ARRAY
#undef VALUE
    out->param = discrete;
    for (int k = 0; k < out->jump.n; k++)
        if (out->jump.at[k].kind == JUMP_P)
            for (int i = out->jump.at[k].index; i-- > 0;)
                out->jump.at[k].index -= !m->param.at[i].discrete;
    if (m->tree) {
        out->tree = tree_copy(arena, m->tree);
        tree_each(out->tree, fold_in_place, &f);
    }
    return out;
}
