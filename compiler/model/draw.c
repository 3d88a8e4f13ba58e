/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What there is to see of a model: `draw NAME: kind(point, ...)`.
 *
 *     draw crank: body([0, 0], E)          draw S: spring(D, [xc, yc])
 *
 * Points are vectors of two or three lengths that follow from coordinates, states, parameters and time.  A model
 * that says nothing and has no bodies shows its `let` vectors that move as points. */
#include "mbs/model.h"
#include "model/front.h"

#include <string.h>

static const struct kind {
    const char *name;
    enum mbs_shape_kind kind;
    int least, most;            /* points; most 0: any number */
} kinds[] = {
    {"point", MBS_SHAPE_POINT, 1, 1},   {"line", MBS_SHAPE_LINE, 2, 0},     {"body", MBS_SHAPE_BODY, 1, 0},
    {"joint", MBS_SHAPE_JOINT, 1, 2},   {"spring", MBS_SHAPE_SPRING, 2, 2}, {"damper", MBS_SHAPE_DAMPER, 2, 2},
    {"circle", MBS_SHAPE_CIRCLE, 3, 3}, {"sphere", MBS_SHAPE_SPHERE, 2, 2}, {"ground", MBS_SHAPE_GROUND, 1, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

#define MAY_DRAW (DEP(SYM_PARAM) | DEP(SYM_TIME) | DEP(SYM_Q) | DEP(SYM_Z))

/* Lengths, where the model speaks of units at all; the metre is the first base. */
static struct dim length(const struct check *k)
{
    struct dim d = {.kind = DIM_KNOWN, .exponent = {DIM_PARTS}};
    return k->has_units ? d : DIM_OF_ANY;
}

static void push_point(struct check *k, const struct value *v)
{
    struct model_point p;
    for (int d = 0; d < 3; d++)
        p.x[d] = d < v->rows ? v->at[d].e : expr_int(k->pool, 0);
    VEC_PUSH(k->m->point, p);
}

static bool is_place(const struct value *v)
{
    return v->at && v->rank == 1 && (v->rows == 2 || v->rows == 3) && !v->truth;
}

static const struct kind *find_kind(struct check *k, const struct ast_expr *call)
{
    struct suggestion near;
    suggest_init(&near, call->text);
    for (int i = 0; i < KINDS; i++) {
        if (!strcmp(kinds[i].name, call->text))
            return &kinds[i];
        suggest_offer(&near, kinds[i].name);
    }
    diag_error(k->diags, call->at, "there is nothing called '%s' to draw%s", call->text, suggest_text(&near, k->arena));
    return NULL;
}

static void define_draw(struct check *k, const struct pending *p)
{
    const struct ast_stmt *stmt = p->stmt;
    const struct ast_expr *call = stmt->item.n == 1 ? stmt->item.at[0].value : NULL;
    if (!stmt->name || !call || call->kind != AST_CALL || stmt->item.at[0].target || stmt->has_attrs) {
        diag_error(k->diags, stmt->span, "draw takes a name, a kind and points: draw crank: body([0, 0], E)");
        return;
    }
    const struct kind *kind = find_kind(k, call);
    const char *name = eval_name(k, p->scope, stmt->name);
    if (!kind || !name)
        return;
    if (call->n < kind->least || (kind->most && call->n > kind->most)) {
        diag_error(k->diags, call->span, kind->most == kind->least ? "%s takes %d point%s, not %d" : "%s takes at least %d point%s, not %d", kind->name,
                   kind->least, kind->least == 1 ? "" : "s", call->n);
        return;
    }
    int first = k->m->point.n;
    for (int i = 0; i < call->n; i++) {
        struct value v = eval(k, p->scope, call->arg[i]);
        if (!v.at)
            return;
        if (!is_place(&v)) {
            diag_error(k->diags, call->arg[i]->span, "a point is a vector of 2 or 3, not %s", shape_show(&v, k->arena));
            return;
        }
        if (!value_fits(k, call->arg[i], &v, length(k), "the point") ||
            !value_allows(k, p->scope, call->arg[i], &v, MAY_DRAW, "a point to draw"))
            return;
        push_point(k, &v);
    }
    VEC_PUSH(k->m->shape, ((struct model_shape){name, kind->kind, first, call->n}));
}

/* A let that is a place and moves. */
static bool is_moving_place(struct check *k, const struct entry *e)
{
    unsigned deps = 0;
    if (e->kind != ENTRY_LET || !is_place(&e->value))
        return false;
    for (int i = 0; i < e->value.rows; i++) {
        deps |= expr_deps(k->pool, e->value.at[i].e);
        if (!dim_agrees(e->value.at[i].dim, length(k)))
            return false;
    }
    return deps & (DEP(SYM_Q) | DEP(SYM_TIME)) && !(deps & ~MAY_DRAW);
}

void define_drawing(struct check *k)
{
    bool asked = false;
    for (int i = 0; i < k->queue.n && !k->stopped && !diag_full(k->diags); i++)
        if (k->queue.at[i].stmt->word == STMT_DRAW) {
            define_draw(k, &k->queue.at[i]);
            asked = true;
        }
    if (asked || k->m->shape.n)
        return;
    for (int i = 0; i < k->lets.n; i++)
        if (is_moving_place(k, k->lets.at[i])) {
            VEC_PUSH(k->m->shape, ((struct model_shape){k->lets.at[i]->name, MBS_SHAPE_POINT, k->m->point.n, 1}));
            push_point(k, &k->lets.at[i]->value);
        }
}
