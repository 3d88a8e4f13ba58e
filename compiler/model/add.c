/* SPDX-License-Identifier: GPL-3.0-or-later
 * What several stages add to the model: names with an index, coordinates, conditions of the start. */
#include "model/front.h"

#include <string.h>

int coord_add(struct check *k, const char *name, const char *unit, struct dim dim, struct span span)
{
    struct pool *p = k->pool;
    int n = k->m->coord.n;
    struct model_coord c = {.name = name, .unit = unit, .span = span, .q0 = p->zero, .v0 = p->zero};
    c.q = expr_sym(p, SYM_Q, n, name);
    c.v = expr_sym(p, SYM_V, n, arena_printf(k->arena, "%s'", name));
    c.a = expr_sym(p, SYM_A, n, arena_printf(k->arena, "%s''", name));
    if (k->m->coord.n == CHECK_COORDINATES) {
        diag_error(k->diags, span, "the model has more than %d coordinates", CHECK_COORDINATES);
        k->stopped = true;
    }
    VEC_PUSH(k->m->coord, c);
    VEC_PUSH(k->coords, ((struct coord_note){.dim = dim}));
    return n;
}

Expr discrete_add(struct check *k, const char *name, struct span span, Expr start)
{
    struct model_param d = {name, "", span, expr_sym(k->pool, SYM_PARAM, k->m->param.n, name), start, true, 0};
    VEC_PUSH(k->m->param, d);
    return d.sym;
}

Expr state_add(struct check *k, const char *name, struct dim dim, struct span span, Expr rate)
{
    struct model_state z = {name, dim_unit(dim, k->arena), span, expr_sym(k->pool, SYM_Z, k->m->state.n, name), k->pool->zero, rate};
    VEC_PUSH(k->m->state, z);
    VEC_PUSH(k->state_dims, dim);
    VEC_PUSH(k->state_equation, k->equations.n);
    VEC_PUSH(k->equations, ((struct state_equation){.span = span, .progress = DONE}));
    VEC_PUSH(k->outputs, ((struct output_note){name, span}));
    return z.sym;
}

/* The family that `name[i]` belongs to, declared with its first member; NULL after an error. */
static struct entry *declare_family(struct check *k, struct scope *where, const struct ast_expr *target, enum ast_word word)
{
    if (target->arg[0]->kind != AST_NAME) {
        diag_error(k->diags, target->span, "declare a name or a member of a family: name[i]");
        return NULL;
    }
    const char *name = target->arg[0]->text;
    struct entry *family = scope_find_here(where, name);
    if (!family)
        family = scope_declare(k, where, name, target->span, word, ENTRY_FAMILY);
    else if (family->kind != ENTRY_FAMILY) {
        diag_error(k->diags, target->span, "'%s' is declared already, without an index", name);
        diag_note(k->diags, family->span, "the first declaration is here");
        return NULL;
    }
    return family;
}

struct entry *declare_member(struct check *k, struct scope *s, struct scope *where, const struct ast_expr *target,
                             enum ast_word word, enum entry_kind kind)
{
    const char *name = eval_name(k, s, target);
    if (!name)
        return NULL;
    if (target->kind == AST_MEMBER) {
        diag_error(k->diags, target->span, "a name that is declared has no '.'");
        return NULL;
    }
    if (target->kind != AST_INDEX)
        return scope_declare(k, where, name, target->span, word, kind);
    where = scope_of_model(k, s);       /* members of a family outlive the loop that makes them */
    return declare_family(k, where, target, word) ? scope_declare(k, where, name, target->span, word, kind) : NULL;
}

bool is_linear_in_velocities(struct check *k, Expr e)
{
    struct diff *by_v = diff_new(k->pool, DEP(SYM_V));
    struct gradient d = diff_gradient(by_v, e);
    bool linear = true;
    for (int i = 0; i < d.n; i++)
        linear = linear && !(expr_deps(k->pool, d.d[i]) & DEP(SYM_V));
    diff_free(by_v);
    return linear;
}

void condition_keep(struct check *k, const struct model_condition *c)
{
    struct model *m = k->m;
    VEC_PUSH(m->condition, *c);
    if (expr_deps(k->pool, c->value) & DEP(SYM_V))
        return;
    for (int i = m->condition.n - 1; i > m->condition_q; i--)       /* those on positions come first */
        m->condition.at[i] = m->condition.at[i - 1];
    m->condition.at[m->condition_q++] = *c;
}

void condition_add(struct check *k, const struct ast_item *item, const char *name, Expr value, struct dim dim)
{
    struct model *m = k->m;
    bool expression = strpbrk(name, "(+-*/ ") != NULL;      /* may be another one in the next turn of a loop */
    for (int i = 0; !expression && i < m->condition.n; i++)
        if (m->condition.at[i].name == name) {
            diag_error(k->diags, item->span, "'%s' has a start value already", name);
            diag_note(k->diags, m->condition.at[i].span, "the first is here");
            return;
        }
    bool velocity = expr_deps(k->pool, value) & DEP(SYM_V);
    if (velocity && !is_linear_in_velocities(k, value)) {
        diag_error(k->diags, item->target->span, "a start value of velocities must be linear in them; '%s' is not", name);
        return;
    }
    condition_keep(k, &(struct model_condition){name, dim_unit(dim, k->arena), item->span, value, item->relation == '~'});
}
