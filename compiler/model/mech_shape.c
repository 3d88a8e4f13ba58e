/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The shape of a body, `body wheel { shape = disc(radius = 0.3, height = 0.02), density = 7850 }`: how it looks, and from a density
 * or a mass its inertia, and its mass.  The shape stands with its centre at the centre of mass.
 *
 * Moments of inertia over the mass: box (b^2 + c^2)/12; cylinder r^2/2 about its axis, r^2/4 + h^2/12 across; ball 2 r^2/5;
 * capsule as cylinder and two half balls, whose centres of mass lie 3 r/8 beyond the ends; wheel, a ring, (R^2 + r^2)/2 about its axis, (R^2 + r^2)/4
 * + h^2/12 across; gear as the cylinder of its pitch radius.  A plate is a polygon in the body's own axes, by the sums over its edges of Green's theorem.
 */
#include "model/part.h"

#include <math.h>
#include <string.h>

enum { SIZES = 3 };
static const struct solid_kind {
    const char *name;
    enum mbs_shape_kind kind;
    bool planar;
    const char *size[SIZES];    /* its sizes in order; in a plane the last is the depth */
} solids[] = {
    {"box", MBS_SHAPE_BOX, true, {"x", "y", "z"}},
    {"disc", MBS_SHAPE_CYLINDER, true, {"radius", "height"}},
    {"cylinder", MBS_SHAPE_CYLINDER, false, {"radius", "height"}},
    {"sphere", MBS_SHAPE_SPHERE, false, {"radius"}},
    {"capsule", MBS_SHAPE_CAPSULE, false, {"radius", "height"}},
    {"wheel", MBS_SHAPE_WHEEL, true, {"radius", "inner", "height"}},
    {"gear", MBS_SHAPE_TOOTHED, true, {"radius", "teeth", "height"}},
    {"plate", MBS_SHAPE_PLATE, true, {"corners", "height"}},
};
enum { SOLIDS = sizeof solids / sizeof *solids };

static bool has_axis(const struct check *k, const struct solid_kind *s)
{
    return k->mech->spatial && s->kind != MBS_SHAPE_BOX && s->kind != MBS_SHAPE_SPHERE && s->kind != MBS_SHAPE_PLATE;
}

static const char *form_of(struct check *k, const struct solid_kind *s)
{
    const char *text = arena_printf(k->arena, "%s(", s->name);
    for (int i = 0; i < SIZES && s->size[i]; i++)
        text = arena_printf(k->arena, "%s%s%s = ...", text, i ? ", " : "", s->size[i]);
    return arena_printf(k->arena, "%s%s)", text, has_axis(k, s) ? ", axis = z" : "");
}

static const struct solid_kind *find_solid(struct check *k, const struct ast_expr *call)
{
    struct suggestion near;
    const char *all = "";
    suggest_init(&near, call->text ? call->text : "");
    for (int i = 0; i < SOLIDS; i++) {
        if (!k->mech->spatial && !solids[i].planar)
            continue;
        if (call->kind == AST_CALL && !strcmp(solids[i].name, call->text))
            return &solids[i];
        suggest_offer(&near, solids[i].name);
        all = arena_printf(k->arena, "%s%s%s", all, *all ? ", " : "", solids[i].name);
    }
    diag_error(k->diags, call->span, "there is no such shape of a body%s%s; there are %s", k->mech->spatial ? "" : " in a plane",
               call->kind == AST_CALL ? suggest_text(&near, k->arena) : "", all);
    return NULL;
}

/* [[x, y], [x, y], ...]: the corners of a plate, in order. */
static bool read_corners(struct reading *r, const struct ast_expr *e, struct mech_looks *l)
{
    struct check *k = r->k;
    struct value v = eval(k, r->scope, e);
    if (!v.at)
        return false;
    if (v.rank != 2 || v.cols != 2 || v.rows < 3) {
        diag_error(k->diags, e->span, "the corners of a plate are at least three points of the body's plane: [[0, 0], [0.2, 0], [0, 0.1]], not %s",
                   shape_show(&v, k->arena));
        return false;
    }
    if (!value_allows(k, r->scope, e, &v, DEP(SYM_PARAM), "a corner") || !value_fits(k, e, &v, mech_dim(k, 1, 0, 0), "a corner"))
        return false;
    l->corners = v.rows;
    l->corner = ARENA_NEW(k->arena, struct vec, v.rows);
    for (int i = 0; i < v.rows; i++)
        l->corner[i] = (struct vec){{v.at[2 * i].e, v.at[2 * i + 1].e, k->pool->zero}};
    return true;
}

/* Area, centre and the integrals of x^2, y^2, x y over the area about the centre, of a polygon in either sense. */
struct area {
    Expr area, xx, yy, xy;
    struct vec centre;
};
static struct area polygon_area(struct pool *p, const struct mech_looks *l)
{
    Expr sum[6] = {p->zero, p->zero, p->zero, p->zero, p->zero, p->zero};
    for (int i = 0; i < l->corners; i++) {
        const Expr *a = l->corner[i].x, *b = l->corner[(i + 1) % l->corners].x;
        Expr c = expr_sub(p, expr_mul(p, a[0], b[1]), expr_mul(p, b[0], a[1]));
        Expr xx = expr_sum(p, 3, (Expr[]){expr_mul(p, a[0], a[0]), expr_mul(p, a[0], b[0]), expr_mul(p, b[0], b[0])});
        Expr yy = expr_sum(p, 3, (Expr[]){expr_mul(p, a[1], a[1]), expr_mul(p, a[1], b[1]), expr_mul(p, b[1], b[1])});
        Expr xy = expr_sum(p, 4, (Expr[]){expr_product(p, 3, (Expr[]){p->two, a[0], a[1]}), expr_product(p, 3, (Expr[]){p->two, b[0], b[1]}),
                                          expr_mul(p, a[0], b[1]), expr_mul(p, b[0], a[1])});
        const Expr part[6] = {c, expr_mul(p, c, expr_add(p, a[0], b[0])), expr_mul(p, c, expr_add(p, a[1], b[1])), expr_mul(p, c, xx), expr_mul(p, c, yy),
                              expr_mul(p, c, xy)};
        for (int n = 0; n < 6; n++)
            sum[n] = expr_add(p, sum[n], part[n]);
    }
    Expr twice = sum[0], area = expr_mul(p, p->half, twice), third = expr_rational(p, 1, 3), twelfth = expr_rational(p, 1, 12);
    Expr x = expr_div(p, expr_mul(p, third, sum[1]), twice), y = expr_div(p, expr_mul(p, third, sum[2]), twice);
    struct area out = {.area = expr_fn1(p, EXPR_ABS, area), .centre = {{x, y, p->zero}}};
    Expr sign = expr_fn1(p, EXPR_SIGN, area);
    out.xx = expr_mul(p, sign, expr_sub(p, expr_mul(p, twelfth, sum[3]), expr_product(p, 3, (Expr[]){area, x, x})));
    out.yy = expr_mul(p, sign, expr_sub(p, expr_mul(p, twelfth, sum[4]), expr_product(p, 3, (Expr[]){area, y, y})));
    out.xy = expr_mul(p, sign, expr_sub(p, expr_mul(p, expr_rational(p, 1, 24), sum[5]), expr_product(p, 3, (Expr[]){area, x, y})));
    return out;
}

/* The sizes, by order or by name, all positive lengths; axis = x, y or z. */
static bool read_sizes(struct reading *r, const struct ast_expr *call, const struct solid_kind *s, Expr size[SIZES], int *axis, struct mech_looks *looks)
{
    struct check *k = r->k;
    bool seen[SIZES] = {false};
    *axis = 2;
    for (int i = 0; i < call->n; i++) {
        const struct ast_expr *e = call->arg[i];
        int n = i;
        if (e->kind == AST_NAMED) {
            const struct ast_expr *v = e->arg[0];
            bool letter = v->kind == AST_NAME && strlen(v->text) == 1 && v->text[0] >= 'x' && v->text[0] <= 'z';
            if (!strcmp(e->text, "axis") && letter && has_axis(k, s)) {
                *axis = v->text[0] - 'x';
                continue;
            }
            for (n = 0; n < SIZES && (!s->size[n] || strcmp(s->size[n], e->text)); n++)
                ;
            e = v;
        }
        if (n >= SIZES || !s->size[n] || seen[n]) {
            diag_error(k->diags, call->arg[i]->span, "write: shape = %s", form_of(k, s));
            return false;
        }
        seen[n] = true;
        if (s->kind == MBS_SHAPE_PLATE && !n) {
            if (!read_corners(r, e, looks))
                return false;
            continue;
        }
        bool pure = !strcmp(s->size[n], "teeth");
        struct value v = eval_scalar(k, r->scope, e, s->size[n]);
        if (!value_allows(k, r->scope, e, &v, DEP(SYM_PARAM), s->size[n]) || !value_fits(k, e, &v, mech_dim(k, !pure, 0, 0), s->size[n]))
            return false;
        if (!(mech_default(k, v.at[0].e) > 0)) {
            diag_error(k->diags, e->span, "'%s' of a %s must be positive, but it is %g", s->size[n], s->name, mech_default(k, v.at[0].e));
            return false;
        }
        size[n] = v.at[0].e;
    }
    for (int n = 0; n < SIZES && s->size[n]; n++) {
        bool depth = !k->mech->spatial && (n == SIZES - 1 || !s->size[n + 1]);
        if (!seen[n] && (!depth || read_value(r, "density"))) {
            diag_error(k->diags, call->span, "this shape needs '%s'; write: shape = %s", s->size[n], form_of(k, s));
            return false;
        }
    }
    if (s->kind == MBS_SHAPE_WHEEL && !(mech_default(k, size[1]) < mech_default(k, size[0]))) {
        diag_error(k->diags, call->span, "the inner radius of a wheel must be below its radius, but it is %g of %g", mech_default(k, size[1]),
                   mech_default(k, size[0]));
        return false;
    }
    return true;
}

/* Volume, and moments of inertia over the mass about the axes of the solid: across, across, along. */
static Expr solid_volume(struct pool *p, enum mbs_shape_kind kind, const Expr x[SIZES], Expr J[3])
{
    Expr pi = expr_double(p, M_PI), rr = expr_powi(p, x[0], 2);
    switch (kind) {
    case MBS_SHAPE_BOX:
        for (int i = 0; i < 3; i++)
            J[i] = expr_mul(p, expr_rational(p, 1, 12), expr_add(p, expr_powi(p, x[(i + 1) % 3], 2), expr_powi(p, x[(i + 2) % 3], 2)));
        return expr_product(p, 3, x);
    case MBS_SHAPE_CYLINDER:
        J[2] = expr_mul(p, p->half, rr);
        J[0] = J[1] = expr_add(p, expr_mul(p, expr_rational(p, 1, 4), rr), expr_mul(p, expr_rational(p, 1, 12), expr_powi(p, x[1], 2)));
        return expr_product(p, 3, (Expr[]){pi, rr, x[1]});
    case MBS_SHAPE_WHEEL: {
        Expr both = expr_add(p, rr, expr_powi(p, x[1], 2));
        J[2] = expr_mul(p, p->half, both);
        J[0] = J[1] = expr_add(p, expr_mul(p, expr_rational(p, 1, 4), both), expr_mul(p, expr_rational(p, 1, 12), expr_powi(p, x[2], 2)));
        return expr_product(p, 3, (Expr[]){pi, expr_sub(p, rr, expr_powi(p, x[1], 2)), x[2]});
    }
    case MBS_SHAPE_TOOTHED:
        return solid_volume(p, MBS_SHAPE_CYLINDER, (Expr[]){x[0], x[2], p->zero}, J);
    case MBS_SHAPE_SPHERE:
        J[0] = J[1] = J[2] = expr_mul(p, expr_rational(p, 2, 5), rr);
        return expr_product(p, 3, (Expr[]){expr_rational(p, 4, 3), pi, expr_powi(p, x[0], 3)});
    default: {
        /* capsule: cylinder V1 of height h, ball V2; each half ball is h/2 + 3r/8 away, with 83/320 r^2 across about its own centre */
        Expr V1 = expr_product(p, 3, (Expr[]){pi, rr, x[1]}), V2 = expr_product(p, 3, (Expr[]){expr_rational(p, 4, 3), pi, expr_powi(p, x[0], 3)});
        Expr V = expr_add(p, V1, V2), away = expr_add(p, expr_mul(p, p->half, x[1]), expr_mul(p, expr_rational(p, 3, 8), x[0]));
        Expr J1 = expr_add(p, expr_mul(p, expr_rational(p, 1, 4), rr), expr_mul(p, expr_rational(p, 1, 12), expr_powi(p, x[1], 2)));
        Expr J2 = expr_add(p, expr_mul(p, expr_rational(p, 83, 320), rr), expr_powi(p, away, 2));
        J[2] = expr_div(p, expr_add(p, expr_product(p, 3, (Expr[]){p->half, rr, V1}), expr_product(p, 3, (Expr[]){expr_rational(p, 2, 5), rr, V2})), V);
        J[0] = J[1] = expr_div(p, expr_add(p, expr_mul(p, J1, V1), expr_mul(p, J2, V2)), V);
        return V;
    }
    }
}

/* Half axes for the drawing. */
static void looks_fill(struct check *k, struct mech_looks *l, enum mbs_shape_kind kind, const Expr x[SIZES], int axis)
{
    struct pool *p = k->pool;
    bool plane = !k->mech->spatial;
    for (int i = 0; i < 3; i++)
        l->axis[i] = (axis + 1 + i) % 3;        /* the third is that of the solid */
    l->given = true;
    l->kind = kind;
    l->drawn = MBS_SHAPES;
    switch (kind) {
    case MBS_SHAPE_PLATE:
        l->drawn = kind;
        l->half[0] = l->half[1] = 0;
        l->half[2] = expr_mul(p, p->half, x[1]);
        break;
    case MBS_SHAPE_WHEEL: case MBS_SHAPE_TOOTHED:
        looks_fill(k, l, MBS_SHAPE_CYLINDER, (Expr[]){x[0], x[2], p->zero}, axis);
        l->drawn = kind;
        l->number = kind == MBS_SHAPE_WHEEL ? expr_div(p, x[1], x[0]) : x[1];
        break;
    case MBS_SHAPE_BOX:
        l->plane_box = plane;
        for (int i = 0; i < 3; i++) {
            l->half[i] = i < 2 || !plane ? expr_mul(p, p->half, x[i]) : 0;
            l->axis[i] = i;
        }
        break;
    case MBS_SHAPE_SPHERE:
        l->half[0] = x[0], l->half[1] = 0;
        break;
    default:
        if (plane)
            l->kind = MBS_SHAPE_CIRCLE, l->axis[0] = 0, l->axis[1] = 1;
        l->half[0] = l->half[1] = x[0];
        l->half[2] = plane ? 0 : expr_mul(p, p->half, x[1]);
    }
}

/* A plate stands where its corners are: they say where the centre of mass is.  Inertia over the mass: [yy, -xy; -xy, xx]/A + h^2/12, their sum about z. */
static void plate_mass(struct reading *r, struct mech_body *b, Expr height, Expr density)
{
    struct check *k = r->k;
    struct pool *p = k->pool;
    struct area s = polygon_area(p, &b->looks);
    const struct ast_item *com = mech_item(r->stmt, "com");
    if (!(mech_default(k, s.area) > 0)) {
        diag_error(k->diags, read_value(r, "shape")->span, "the corners of this plate have no area between them");
        return;
    }
    if (com && !read_value(r, "inertia"))
        diag_error(k->diags, com->span, "the corners of a plate say where its centre of mass is; with 'com' give 'inertia' too");
    if (density && read_value(r, "mass"))
        diag_error(k->diags, read_value(r, "density")->span, "'%s' has a mass already: give one of mass and density", b->name);
    else if (density)
        b->mass = expr_product(p, 3, (Expr[]){density, s.area, height});
    b->com = s.centre;
    if (read_value(r, "inertia"))
        return;
    Expr each = expr_div(p, b->mass, s.area), thick = expr_product(p, 3, (Expr[]){expr_rational(p, 1, 12), b->mass, expr_powi(p, height, 2)});
    b->inertia.m[0][0] = expr_add(p, expr_mul(p, each, s.yy), thick);
    b->inertia.m[1][1] = expr_add(p, expr_mul(p, each, s.xx), thick);
    b->inertia.m[0][1] = b->inertia.m[1][0] = expr_neg(p, expr_mul(p, each, s.xy));
    b->inertia.m[2][2] = expr_mul(p, each, expr_add(p, s.xx, s.yy));
}

void shape_read(struct reading *r, struct mech_body *b)
{
    struct check *k = r->k;
    struct pool *p = k->pool;
    const struct ast_expr *call = read_value(r, "shape"), *dense = read_value(r, "density");
    Expr size[SIZES] = {p->zero, p->zero, p->zero}, J[3], density;
    int axis;
    if (!looks_read(r, &b->looks.colour, &b->looks.clear))
        return;
    if (!call) {
        if (dense)
            diag_error(k->diags, dense->span, "a density needs a shape: shape = %s", form_of(k, &solids[1]));
        return;
    }
    const struct solid_kind *s = find_solid(k, call);
    if (!s || !read_sizes(r, call, s, size, &axis, &b->looks) || !read_scalar(r, "density", &density))
        return;
    looks_fill(k, &b->looks, s->kind, size, axis);
    if (s->kind == MBS_SHAPE_PLATE) {
        plate_mass(r, b, size[1], dense ? density : 0);
        return;
    }
    Expr volume = solid_volume(p, s->kind, size, J);
    if (dense && read_value(r, "mass")) {
        diag_error(k->diags, dense->span, "'%s' has a mass already: give one of mass and density", b->name);
        return;
    }
    if (dense)
        b->mass = expr_mul(p, density, volume);
    if (read_value(r, "inertia"))
        return;
    for (int i = 0; i < 3; i++) {
        int at = s->kind == MBS_SHAPE_BOX || s->kind == MBS_SHAPE_SPHERE ? i : (axis + 1 + i) % 3;
        b->inertia.m[at][at] = expr_mul(p, b->mass, J[i]);
    }
}

bool looks_read(struct reading *r, const char **colour, double *clear)
{
    static const char *const named[] = {"red", "orange", "yellow", "green", "blue", "purple", "brown", "pink", "black", "white", "grey"};
    struct check *k = r->k;
    const struct ast_expr *e = read_value(r, "colour");
    struct suggestion near;
    Expr opacity;
    if (!read_scalar(r, "opacity", &opacity))
        return false;
    *clear = read_truth(r, "hidden") ? 1 : 1 - mech_default(k, opacity);
    if (!(*clear >= 0 && *clear <= 1)) {
        diag_error(k->diags, read_value(r, "opacity")->span, "the opacity is a number between 0 (not seen) and 1");
        return false;
    }
    if (!e)
        return true;
    suggest_init(&near, e->text ? e->text : "");
    *colour = e->text;
    if (e->kind == AST_STRING && strlen(e->text) == 7 && e->text[0] == '#' && strspn(e->text + 1, "0123456789abcdefABCDEF") == 6)
        return true;
    for (size_t i = 0; e->kind == AST_NAME && i < sizeof named / sizeof *named; i++) {
        if (!strcmp(named[i], e->text))
            return true;
        suggest_offer(&near, named[i]);
    }
    diag_error(k->diags, e->span, "a colour is a name such as red, or \"#rrggbb\"%s", e->kind == AST_NAME ? suggest_text(&near, k->arena) : "");
    return false;
}
