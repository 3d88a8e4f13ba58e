/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What there is to see of a model: `draw NAME: kind(point, ...)`.
 *
 *     draw crank: body([0, 0], E)          draw S: spring(D, [xc, yc])          draw arm: line(K.A, K @ [0, l]), colour = red
 *
 * Points are vectors of two or three lengths that follow from coordinates, states, parameters and time.  A model
 * that says nothing and has no bodies shows its `let` vectors that move as points, and rods between those (and the origin)
 * whose distance never changes. */
#include "mbs/model.h"
#include "model/part.h"

#include <math.h>
#include <string.h>

static const struct kind {
    const char *name;
    enum mbs_shape_kind kind;
    int least, most;            /* points; most 0: any number */
} kinds[] = {
    {"point", MBS_SHAPE_POINT, 1, 1},   {"line", MBS_SHAPE_LINE, 2, 0},     {"body", MBS_SHAPE_BODY, 1, 0},
    {"joint", MBS_SHAPE_JOINT, 1, 2},   {"spring", MBS_SHAPE_SPRING, 2, 2}, {"damper", MBS_SHAPE_DAMPER, 2, 2},
    {"circle", MBS_SHAPE_CIRCLE, 3, 3}, {"sphere", MBS_SHAPE_SPHERE, 2, 2}, {"ground", MBS_SHAPE_GROUND, 1, 0},
    {"wheel", MBS_SHAPE_WHEEL, 3, 3},   {"gear", MBS_SHAPE_TOOTHED, 3, 3},  {"plate", MBS_SHAPE_PLATE, 3, 0},
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
    const struct ast_expr *call = stmt->item.n ? stmt->item.at[0].value : NULL;
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
    struct model_shape s = {.name = name, .kind = (int)kind, .first = k->m->point.n, .count = 1 + axes, .file = file};
    for (int i = -1; i < axes; i++) {
        struct vec off = i < 0 ? vec_zero(p) : vec_scale(p, size->x[i], rotation_apply(p, &end->frame, vec_unit(p, i)));
        draw_place(k, end->body, vec_add(p, end->at, off));
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

/* The place on a body that e names: K.P, K @ [x, y]; false, without a word: it is another kind of point. */
static bool point_on_body(struct check *k, struct scope *s, const struct ast_expr *e, struct mech_end *end)
{
    const char *owner = e->kind == AST_MEMBER ? eval_name(k, s, e->arg[0]) : NULL;
    int body = owner && k->mech->moving ? mech_body_seen(k, s, owner) : -1;
    if (body >= 0 && mech_point_find(&k->mech->body.at[body], e->text))
        return mech_end_read(k, s, e, end);
    return e->kind == AST_AT && k->mech->moving && mech_end_read(k, s, e, end);
}

/* `colour = red`, `opacity = 0.5`, `hidden = true`, `factor = 20` behind the shape. */
static bool read_looks(struct check *k, const struct pending *p, struct model_shape *look)
{
    struct words w = {.n = 0};
    struct reading r = {.k = k, .scope = p->scope, .stmt = p->stmt, .part = part_find(STMT_DRAW), .noun = "drawing"};
    Expr factor;
    for (const struct part *c = r.part + 1; !c->noun; c++)
        words_add(&w, c->clause.name);
    if (!words_check(k, p->stmt, 1, r.noun, &w) || !looks_read(&r, &look->colour, &look->clear) || !read_scalar(&r, "factor", &factor))
        return false;
    look->factor = read_value(&r, "factor") ? expr_value(k->pool, factor) : 0;
    return true;
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

/* Plates, wheels and gears that are only drawn have no thickness; a wheel has a rim of a fifth, a gear 24 teeth. */
static void draw_more(struct check *k, enum mbs_shape_kind kind, int first)
{
    struct pool *p = k->pool;
    struct model_point flat = k->m->point.at[first];
    Expr number = kind == MBS_SHAPE_WHEEL ? expr_rational(p, 4, 5) : expr_int(p, 24);
    if (kind != MBS_SHAPE_PLATE && kind != MBS_SHAPE_WHEEL && kind != MBS_SHAPE_TOOTHED)
        return;
    VEC_PUSH(k->m->point, flat);
    if (kind != MBS_SHAPE_PLATE)
        VEC_PUSH(k->m->point, ((struct model_point){.x = {number, p->zero, p->zero}, .local = {{number, p->zero, p->zero}}}));
}

static void define_draw(struct check *k, const struct pending *p)
{
    const struct ast_stmt *stmt = p->stmt;
    const struct ast_expr *call = stmt->item.n ? stmt->item.at[0].value : NULL;
    struct model_shape look = {0};
    if (!stmt->name || !call || call->kind != AST_CALL || stmt->item.at[0].target || stmt->has_attrs) {
        diag_error(k->diags, stmt->span, "draw takes a name, a kind and points: draw crank: body([0, 0], E)");
        return;
    }
    const char *name = eval_name(k, p->scope, stmt->name);
    if (!read_looks(k, p, &look))
        return;
    if (name && is_solid(stmt)) {
        int before = k->m->shape.n;
        define_solid(k, p, call, name);
        for (; before < k->m->shape.n; before++) {
            struct model_shape *s = &k->m->shape.at[before];
            s->colour = look.colour, s->clear = look.clear, s->factor = look.factor;
        }
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
        struct mech_end end;
        int errors = k->diags->errors;
        if (point_on_body(k, p->scope, call->arg[i], &end)) {
            draw_place(k, end.body, end.at);
            continue;
        }
        struct value v = k->diags->errors > errors ? VALUE_NONE : eval(k, p->scope, call->arg[i]);
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
    draw_more(k, kind->kind, first);
    look.name = name, look.kind = (int)kind->kind, look.first = first, look.count = k->m->point.n - first;
    VEC_PUSH(k->m->shape, look);
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

enum { ROD_TERMS = 200, ROD_PLACES = 40 };

/* The distance of two places is the same in all positions; not where they always coincide. */
static bool is_rod(struct check *k, const struct value *a, const struct value *b)
{
    struct pool *p = k->pool;
    Expr sum = p->zero;
    for (int i = 0; i < a->rows; i++) {
        Expr d = b ? expr_sub(p, a->at[i].e, b->at[i].e) : a->at[i].e;
        sum = expr_add(p, sum, expr_powi(p, d, 2));
    }
    sum = trig_normal(p, sum, ROD_TERMS);
    return sum != p->zero && !(expr_deps(p, sum) & ~DEP(SYM_PARAM));
}

static void draw_rod(struct check *k, const char *name, const struct value *a, const struct value *b)
{
    struct value origin = value_new(k, SPAN_NONE, 1, a->rows, 1);
    for (int i = 0; i < a->rows && origin.at; i++)
        origin.at[i].e = k->pool->zero;
    if (!origin.at)
        return;
    VEC_PUSH(k->m->shape, ((struct model_shape){.name = name, .kind = MBS_SHAPE_BODY, .first = k->m->point.n, .count = 2}));
    push_point(k, b ? b : &origin);
    push_point(k, a);
    if (!b) {
        VEC_PUSH(k->m->shape, ((struct model_shape){.name = "origin", .kind = MBS_SHAPE_JOINT, .first = k->m->point.n, .count = 1}));
        push_point(k, &origin);
    }
}

/* A model of energies that draws nothing: its places, and rods where their distances cannot change. */
static void draw_lets(struct check *k)
{
    const struct entry *place[ROD_PLACES];
    int n = 0;
    for (int i = 0; i < k->lets.n; i++)
        if (is_moving_place(k, k->lets.at[i]) && n < ROD_PLACES)
            place[n++] = k->lets.at[i];
    for (int i = 0; i < n; i++) {
        if (is_rod(k, &place[i]->value, NULL))
            draw_rod(k, place[i]->name, &place[i]->value, NULL);
        for (int j = 0; j < i; j++)
            if (place[i]->value.rows == place[j]->value.rows && is_rod(k, &place[i]->value, &place[j]->value))
                draw_rod(k, place[i]->name, &place[i]->value, &place[j]->value);
    }
    for (int i = 0; i < n; i++) {
        VEC_PUSH(k->m->shape, ((struct model_shape){.name = place[i]->name, .kind = MBS_SHAPE_POINT, .first = k->m->point.n, .count = 1}));
        push_point(k, &place[i]->value);
    }
}

void define_drawing(struct check *k)
{
    bool asked = false;
    for (int i = 0; i < k->queue.n && !k->stopped && !diag_full(k->diags); i++)
        if (k->queue.at[i].stmt->word == STMT_DRAW) {
            define_draw(k, &k->queue.at[i]);
            asked = true;
        }
    if (!asked && !k->m->shape.n)
        draw_lets(k);
}
