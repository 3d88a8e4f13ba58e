/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What there is to see of a model: `draw NAME: kind(point, ...)`.
 *
 *     draw crank: body([0, 0], E)          draw S: spring(D, [xc, yc])
 *
 * Points are vectors of two or three lengths that follow from coordinates, states, parameters and time.  A model
 * that says nothing and has no bodies shows its `let` vectors that move as points. */
#include "mbs/model.h"
#include "model/mechanism.h"

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
    struct model_point p = {.place = 0};
    for (int d = 0; d < 3; d++)
        p.local.x[d] = p.x[d] = d < v->rows ? v->at[d].e : expr_int(k->pool, 0);
    VEC_PUSH(k->m->point, p);
}

static bool is_place(const struct value *v)
{
    return v->at && v->rank == 1 && (v->rows == 2 || v->rows == 3) && !v->truth;
}

/* draw V: box(K @ [x, y, z], [a, b, c]): solids, at a place of a body and along its axes. */
static const struct solid {
    const char *name;
    enum mbs_shape_kind kind;
    const char *form;
    bool vector;                /* three lengths, else radius and length */
    bool half;                  /* the lengths reach from face to face */
} solids[] = {
    {"box", MBS_SHAPE_BOX, "box(K @ [x, y, z], [a, b, c])", true, true},
    {"ellipsoid", MBS_SHAPE_ELLIPSOID, "ellipsoid(K @ [x, y, z], [a, b, c])", true, false},
    {"cylinder", MBS_SHAPE_CYLINDER, "cylinder(K @ [x, y, z], radius, length)", false, true},
    {"capsule", MBS_SHAPE_CAPSULE, "capsule(K @ [x, y, z], radius, length)", false, true},
    {"mesh", MBS_SHAPE_MESH, "mesh(K @ [x, y, z], \"file.stl\", [1, 1, 1])", true, false},
};
enum { SOLIDS = sizeof solids / sizeof *solids };

static const struct solid *find_solid(const struct ast_expr *call)
{
    for (int i = 0; i < SOLIDS; i++)
        if (!strcmp(solids[i].name, call->text))
            return &solids[i];
    return NULL;
}

/* The statement's solid, or the sphere with a radius. */
static bool is_solid(const struct ast_stmt *stmt)
{
    const struct ast_expr *call = stmt->item.n == 1 ? stmt->item.at[0].value : NULL;
    return call && call->kind == AST_CALL && call->n && (find_solid(call) || (!strcmp(call->text, "sphere") && call->arg[0]->kind == AST_AT));
}

int draw_solid_body(struct check *k, const struct pending *p)
{
    struct mech_end end;
    if (!is_solid(p->stmt) || !k->mech->moving || k->diags->errors || !strcmp(p->stmt->item.at[0].value->text, "mesh"))
        return -1;              /* a mesh may be missing: the lines of its body stay */
    return mech_end_read(k, p->scope, p->stmt->item.at[0].value->arg[0], &end) ? end.body : -1;
}

static bool solid_scalar(struct check *k, struct scope *s, const struct ast_expr *e, const char *what, Expr *out)
{
    struct value v = eval_scalar(k, s, e, what);
    if (!value_allows(k, s, e, &v, DEP(SYM_PARAM), what) || !value_fits(k, e, &v, length(k), what))
        return false;
    *out = v.at[0].e;
    return true;
}

static bool solid_sizes(struct check *k, struct scope *s, const struct ast_expr *call, const struct solid *solid, struct vec *size)
{
    struct pool *p = k->pool;
    bool mesh = solid->kind == MBS_SHAPE_MESH;
    struct dim dim = mesh ? DIM_PURE : length(k);
    *size = (struct vec){{p->one, p->one, p->one}};
    if (solid->vector)
        return (mesh && call->n == 2) || mech_vector(k, s, call->arg[mesh ? 2 : 1], dim, DEP(SYM_PARAM), mesh ? "the scale" : "the size", size);
    if (!solid_scalar(k, s, call->arg[1], "a radius", &size->x[0]) || !solid_scalar(k, s, call->arg[2], "a length", &size->x[2]))
        return false;
    size->x[1] = size->x[0];
    return true;
}

static void push_solid(struct check *k, const char *name, enum mbs_shape_kind kind, const struct mech_end *end, int axes,
                       const struct vec *size, const char *file)
{
    struct pool *p = k->pool;
    const struct motion *x = &k->mech->body.at[end->body].motion;
    struct model_shape s = {name, (int)kind, k->m->point.n, 1 + axes, file};
    for (int i = -1; i < axes; i++) {
        struct vec off = i < 0 ? vec_zero(p) : vec_scale(p, size->x[i], rotation_apply(p, &end->frame, vec_unit(p, i)));
        struct vec at = motion_point(p, x, vec_add(p, end->at, off));
        VEC_PUSH(k->m->point, ((struct model_point){.x = {at.x[0], at.x[1], at.x[2]}, .local = at}));
    }
    VEC_PUSH(k->m->shape, s);
}

static void define_solid(struct check *k, const struct pending *pending, const struct ast_expr *call, const char *name)
{
    const struct solid *solid = find_solid(call);
    struct pool *p = k->pool;
    struct mech_end end;
    struct vec size;
    bool mesh = solid && solid->kind == MBS_SHAPE_MESH;
    int want = !solid ? 2 : solid->vector && !mesh ? 2 : 3;
    if (!k->mech->moving || !k->mech->spatial) {
        diag_error(k->diags, call->span, "a %s is drawn on a body of a mechanism in space", call->text);
        return;
    }
    if (call->n != want && !(mesh && call->n == 2)) {
        diag_error(k->diags, call->span, "write: %s", solid ? solid->form : "sphere(K @ [x, y, z], radius)");
        return;
    }
    if (mesh && call->arg[1]->kind != AST_STRING) {
        diag_error(k->diags, call->arg[1]->span, "the file of a mesh stands in quotes");
        return;
    }
    if (!mech_end_read(k, pending->scope, call->arg[0], &end))
        return;
    if (!solid) {
        if (solid_scalar(k, pending->scope, call->arg[1], "a radius", &size.x[0]))
            push_solid(k, name, MBS_SHAPE_SPHERE, &end, 1, &size, NULL);
        return;
    }
    if (!solid_sizes(k, pending->scope, call, solid, &size))
        return;
    for (int i = 0; i < 3 && solid->half; i++)
        if (solid->vector || i == 2)
            size.x[i] = expr_mul(p, p->half, size.x[i]);
    push_solid(k, name, solid->kind, &end, 3, &size, mesh ? call->arg[1]->text : NULL);
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
    for (int i = 0; i < SOLIDS; i++)
        suggest_offer(&near, solids[i].name);
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
    const char *name = eval_name(k, p->scope, stmt->name);
    if (name && is_solid(stmt)) {
        define_solid(k, p, call, name);
        return;
    }
    const struct kind *kind = find_kind(k, call);
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
    VEC_PUSH(k->m->shape, ((struct model_shape){name, kind->kind, first, call->n, NULL}));
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
            VEC_PUSH(k->m->shape, ((struct model_shape){k->lets.at[i]->name, MBS_SHAPE_POINT, k->m->point.n, 1, NULL}));
            push_point(k, &k->lets.at[i]->value);
        }
}
