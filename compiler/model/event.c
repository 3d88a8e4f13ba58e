/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events: `when CONDITION { actions }` and `every PERIOD { actions }`.
 *
 * A condition becomes one number, its guard, which is positive where the condition holds: a < b is b - a, `and` the smaller, `or` the
 * larger of two, `not` the negative.  So the instant at which any condition becomes true is one zero crossing.  What neither moves nor
 * depends on time, such as a comparison of discrete states, has no zero to find: it counts as 1 or -1. */
#include "model/front.h"

#include <string.h>

enum { MAY_STAND = DEP(SYM_PARAM) };

static Expr truth_guard(struct check *k, Expr truth)
{
    return expr_if(k->pool, truth, k->pool->one, expr_neg(k->pool, k->pool->one));
}

/* b - a of a relation a < b; 0 after an error. */
static Expr relation_guard(struct check *k, struct scope *s, const struct ast_expr *e, bool whole, enum event_kind *kind)
{
    struct value truth = eval(k, s, e);         /* says what is wrong with shapes and units */
    struct value a = eval(k, s, e->arg[0]), b = eval(k, s, e->arg[1]);
    if (!truth.at || !a.at || !b.at || !value_allows(k, s, e, &truth, MAY_REACT, "a condition"))
        return 0;
    if (!(expr_deps(k->pool, truth.at[0].e) & ~(unsigned)MAY_STAND))
        return truth_guard(k, truth.at[0].e);
    if (e->kind == AST_NE || (e->kind == AST_EQ && !whole)) {
        diag_error(k->diags, e->at, "what moves is compared with < or > in a condition; '==' alone means a crossing either way");
        return 0;
    }
    if (e->kind == AST_EQ)
        *kind = EVENT_CROSSES;
    bool less = e->kind == AST_LT || e->kind == AST_LE;
    return less ? expr_sub(k->pool, b.at[0].e, a.at[0].e) : expr_sub(k->pool, a.at[0].e, b.at[0].e);
}

static Expr guard_of(struct check *k, struct scope *s, const struct ast_expr *e, bool whole, enum event_kind *kind)
{
    Expr a, b;
    struct value v;
    switch (e->kind) {
    case AST_LT: case AST_LE: case AST_GT: case AST_GE: case AST_EQ: case AST_NE:
        return relation_guard(k, s, e, whole, kind);
    case AST_AND: case AST_OR:
        a = guard_of(k, s, e->arg[0], false, kind);
        b = guard_of(k, s, e->arg[1], false, kind);
        return a && b ? expr_fn2(k->pool, e->kind == AST_AND ? EXPR_MIN : EXPR_MAX, a, b) : 0;
    case AST_NOT:
        a = guard_of(k, s, e->arg[0], false, kind);
        return a ? expr_neg(k->pool, a) : 0;
    default:
        v = eval(k, s, e);
        if (v.at && !v.truth)
            diag_error(k->diags, e->span, "'when' takes a condition, such as x < 0");
        else if (v.at && !(expr_deps(k->pool, v.at[0].e) & ~(unsigned)MAY_STAND))
            return truth_guard(k, v.at[0].e);
        else if (v.at)
            diag_error(k->diags, e->span, "write the comparison itself in a condition: its zero is looked for");
        return 0;
    }
}

static Expr period_of(struct check *k, struct scope *s, const struct ast_expr *e)
{
    struct value v = eval_scalar(k, s, e, "a period");
    if (!value_allows(k, s, e, &v, MAY_STAND, "a period") || !value_fits(k, e, &v, k->has_units ? dim_second() : DIM_OF_ANY, "a period"))
        return 0;
    if (expr_is_num(k->pool, v.at[0].e) && !(expr_value(k->pool, v.at[0].e) > 0)) {
        diag_error(k->diags, e->span, "a period is longer than 0 seconds");
        return 0;
    }
    return v.at[0].e;
}

/* What the scalar is that an event may set. */
static bool target_of(const struct check *k, Expr e, struct model_jump *j)
{
    if (expr_op(k->pool, e) != EXPR_SYM)
        return false;
    const struct symbol *s = expr_symbol(k->pool, e);
    j->index = s->index;
    j->name = s->name;
    switch (s->kind) {
    case SYM_Q: j->kind = JUMP_Q; return true;
    case SYM_V: j->kind = JUMP_V; return true;
    case SYM_Z: j->kind = JUMP_Z; return true;
    case SYM_PARAM: j->kind = JUMP_P; return k->m->param.at[s->index].discrete;
    default: return false;
    }
}

static bool is_set_twice(struct check *k, const struct model_event *e, const struct model_jump *j)
{
    for (int i = e->first; i < k->m->jump.n; i++)
        if (k->m->jump.at[i].kind == j->kind && k->m->jump.at[i].index == j->index) {
            diag_error(k->diags, j->span, "'%s' is set twice in one event", j->name);
            diag_note(k->diags, k->m->jump.at[i].span, "the first is here");
            return true;
        }
    return false;
}

static void assign(struct check *k, struct scope *s, const struct ast_item *item, const struct model_event *event)
{
    struct value x = eval(k, s, item->target), v = eval(k, s, item->value);
    if (!x.at || !v.at)
        return;
    if ((v.rank && !value_same_shape(&x, &v)) || v.truth) {
        diag_error(k->diags, item->span, "the new value must fit: left is %s, right is %s", shape_show(&x, k->arena),
                   v.truth ? "a condition" : shape_show(&v, k->arena));
        return;
    }
    if (!value_allows(k, s, item->value, &v, MAY_REACT, "an event"))
        return;
    for (int i = 0; i < x.rows * x.cols; i++) {
        struct model_jump j = {.span = item->span, .unit = dim_unit(x.at[i].dim, k->arena)};
        const struct scalar *value = &v.at[v.rank ? i : 0];
        if (!target_of(k, x.at[i].e, &j)) {
            diag_error(k->diags, item->target->span, "an event sets coordinates, velocities, states and discrete states; '%s' is none of them",
                       ast_show(k->arena, item->target));
            return;
        }
        if (!dim_agrees(value->dim, x.at[i].dim)) {
            diag_error(k->diags, item->value->span, "this value must be in %s, but it is %s", dim_show(x.at[i].dim, k->arena),
                       dim_show(value->dim, k->arena));
            note_number(k, item->value, x.at[i].dim, value->dim);
            return;
        }
        j.value = value->e;
        if (is_set_twice(k, event, &j))
            return;
        VEC_PUSH(k->m->jump, j);
    }
}

/* record, stop, message: what an event does besides setting values. */
static void act(struct check *k, const struct ast_item *item, struct model_event *event)
{
    struct suggestion near;
    const char *text = item->value ? item->value->text : NULL;
    if (!strcmp(item->word, "record") && !text) {
        event->record = true;
    } else if (!strcmp(item->word, "stop")) {
        event->stop = true;
        event->message = text ? text : event->message;
    } else if (!strcmp(item->word, "message") && text) {
        event->message = text;
    } else {
        suggest_init(&near, item->word);
        suggest_offer(&near, "record");
        suggest_offer(&near, "stop");
        suggest_offer(&near, "message");
        diag_error(k->diags, item->span, "an event sets values (x' = 0) or does: record, stop, stop \"why\", message \"text\"%s",
                   suggest_text(&near, k->arena));
    }
}

void define_event(struct check *k, const struct pending *p)
{
    const struct ast_stmt *stmt = p->stmt;
    const struct ast_expr *e = stmt->item.at[0].value;
    bool every = stmt->word == STMT_EVERY;
    struct model_event event = {.span = e->span, .unit = "", .kind = every ? EVENT_EVERY : EVENT_RISES, .first = k->m->jump.n};
    const char *name = stmt->name ? eval_name(k, p->scope, stmt->name) : arena_printf(k->arena, "%s %s", every ? "every" : "when", ast_show(k->arena, e));
    event.guard = every ? period_of(k, p->scope, e) : guard_of(k, p->scope, e, true, &event.kind);
    if (event.guard && !every && !(expr_deps(k->pool, event.guard) & ~(unsigned)MAY_STAND) && expr_is_num(k->pool, event.guard)) {
        diag_error(k->diags, e->span, "this condition never changes");
        return;
    }
    if (!event.guard || !name)
        return;
    event.name = name_of(&k->c->names, full_name(k, p->scope, name));
    for (int i = 0; stmt->name && i < k->m->event.n; i++)
        if (k->m->event.at[i].name == event.name) {
            diag_error(k->diags, stmt->name->span, "two events have the name '%s'", event.name);
            diag_note(k->diags, k->m->event.at[i].span, "the first is here");
            return;
        }
    for (int i = 0; i < stmt->attrs.n; i++)
        if (stmt->attrs.at[i].target)
            assign(k, p->scope, &stmt->attrs.at[i], &event);
        else
            act(k, &stmt->attrs.at[i], &event);
    if (!stmt->attrs.n)
        diag_error(k->diags, stmt->span, "this event does nothing");
    event.count = k->m->jump.n - event.first;
    VEC_PUSH(k->m->event, event);
}
