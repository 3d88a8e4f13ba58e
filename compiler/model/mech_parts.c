/* SPDX-License-Identifier: GPL-3.0-or-later
 * From statements to parts: settings, bodies with their points, joints with their ends and clauses. */
#include "model/part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- settings --------------------------------------------------------------------------------------------- */

static bool set_once(struct check *k, const struct ast_stmt **was, const struct ast_stmt *stmt)
{
    if (*was) {
        diag_error(k->diags, stmt->span, "a second '%s' statement", ast_word_text(stmt->word));
        diag_note(k->diags, (*was)->span, "the first is here");
        return false;
    }
    *was = stmt;
    return true;
}

void mech_setting(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    struct mechanism *m = k->mech;
    if (stmt->word == STMT_GRAVITY) {
        if (set_once(k, &m->gravity, stmt))
            m->gravity_scope = s;
    } else if (stmt->word == STMT_COORDINATES) {
        const struct ast_expr *e = stmt->item.n == 1 ? stmt->item.at[0].value : NULL;
        bool absolute = e && e->kind == AST_NAME && !strcmp(e->text, "absolute");
        if (!absolute && !(e && e->kind == AST_NAME && !strcmp(e->text, "relative")))
            diag_error(k->diags, stmt->span, "write: coordinates relative, or: coordinates absolute");
        else if (set_once(k, &m->coordinates, stmt))
            m->absolute = absolute;
    } else {
        if (stmt->item.n)
            diag_error(k->diags, stmt->item.at[0].span, "'%s' stands alone", ast_word_text(stmt->word));
        if (set_once(k, &m->dimension, stmt))
            m->spatial = stmt->word == STMT_SPATIAL;
    }
}

/* --- declaring ------------------------------------------------------------------------------------------------ */

static void add_ground(struct check *k)
{
    struct mech_body g = {.name = name_of(&k->c->names, "ground"), .joint = -1, .parent = -1};
    g.mass = k->pool->zero;
    g.com = vec_zero(k->pool);
    VEC_PUSH(k->mech->body, g);
    mech_add_part(k, (struct mech_name){g.name, SPAN_NONE, 0, -1});
}

static void declare_body(struct check *k, struct scope *s, const struct ast_stmt *stmt, const char *name)
{
    struct mech_body b = {.name = name, .span = stmt->name->span, .stmt = stmt, .scope = s, .joint = -1, .parent = -1, .depth = -1};
    b.mass = k->pool->zero;
    b.com = vec_zero(k->pool);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            b.inertia.m[i][j] = k->pool->zero;
    if (stmt->item.n)
        diag_error(k->diags, stmt->item.at[0].span, "a %s is described in braces: %s", ast_word_text(stmt->word),
                   stmt->word == STMT_BEAM ? "beam B { length = 1, ... }" : "body K { mass = 1, point P = [1, 0] }");
    VEC_PUSH(k->mech->body, b);
}

/* Names given to the coordinates: `angle beta`. */
static void declare_coordinates(struct check *k, struct scope *s, struct mech_joint *j, int number)
{
    for (int n = 1; n < j->stmt->item.n; n++) {
        const struct ast_item *it = &j->stmt->item.at[n];
        for (int i = 0; it->word && i < joint_coords(j); i++) {
            if (strcmp(it->word, joint_coord_part(j, i)) || it->target)
                continue;
            const char *name = it->value ? eval_name(k, s, it->value) : NULL;
            if (!name) {
                diag_error(k->diags, it->span, "'%s' is followed by the name of the coordinate", it->word);
                return;
            }
            if (j->given[i])
                diag_error(k->diags, it->span, "'%s' is named twice", it->word);
            j->given[i] = full_name(k, s, name);
            j->given_span[i] = it->value->span;
            struct entry *e = declare_member(k, s, scope_of_model(k, s), it->value, STMT_JOINT, ENTRY_JOINT);
            if (e) {
                e->part = number;
                e->slot = i;
            }
        }
    }
}

/* Which clauses a joint takes depends on its kind. */
static void check_clauses(struct check *k, const struct mech_joint *j)
{
    struct words w = {.n = 0};
    for (const struct part *p = part_find(STMT_JOINT) + 1; !p->noun; p++)
        if (joint_takes(j->kind, p->clause.name))
            words_add(&w, p->clause.name);
    for (int i = 0; i < joint_coords(j); i++)
        words_add(&w, joint_coord_part(j, i));
    words_check(k, j->stmt, 1, arena_printf(k->arena, "%s joint", j->kind->name), &w);
}

static void read_sequence(struct check *k, struct mech_joint *j)
{
    const struct ast_item *it = mech_item(j->stmt, "angles");
    if (!it || !joint_takes(j->kind, "angles"))
        return;
    const char *t = it->value && it->value->kind == AST_NAME ? it->value->text : "";
    bool good = strlen(t) == 3 && t[0] != t[1] && t[1] != t[2];
    for (int i = 0; good && i < 3; i++)
        good = t[i] >= 'x' && t[i] <= 'z';
    if (!good)
        diag_error(k->diags, it->span, "angles takes a sequence of axes such as zxz or xyz");
    else
        j->sequence = t;
}

static bool plane_has(const void *k, const char *kind)
{
    return joint_kind_find(kind, ((const struct check *)k)->mech->spatial) != NULL;
}

static void declare_joint(struct check *k, struct scope *s, const struct ast_stmt *stmt, const char *name)
{
    struct mech_joint j = {.name = name, .span = stmt->name->span, .stmt = stmt, .scope = s, .cut = stmt->cut, .coord = -1};
    const struct ast_expr *call = stmt->item.n ? stmt->item.at[0].value : NULL;
    if (!call || call->kind != AST_CALL || stmt->item.at[0].word || call->n != 2) {
        diag_error(k->diags, stmt->span, "a joint is written: joint NAME: revolute(A, B)");
        return;
    }
    j.kind = joint_kind_find(call->text, k->mech->spatial);
    if (!j.kind) {
        struct suggestion near;
        suggest_init(&near, call->text);
        joint_kind_suggest(&near, k->mech->spatial);
        bool elsewhere = joint_kind_find(call->text, !k->mech->spatial);
        const char *ours = note_word(call->text, plane_has, k), *more = ours ? arena_printf(k->arena, ": write '%s'", ours) : suggest_text(&near, k->arena);
        diag_error(k->diags, call->at, "there is no %s joint%s%s", call->text, elsewhere ? k->mech->spatial ? " in space" : " in a plane" : "",
                   elsewhere ? "" : more);
        diag_note(k->diags, call->at, "there are %s", joint_kind_list(k->arena, k->mech->spatial));
        return;
    }
    read_sequence(k, &j);
    declare_coordinates(k, s, &j, k->mech->joint.n);
    check_clauses(k, &j);
    VEC_PUSH(k->mech->joint, j);
}

void mech_declare(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    if (!k->mech->dimension) {
        diag_error(k->diags, stmt->word_span, "say 'planar' or 'spatial' before the first part of a mechanism");
        k->stopped = true;
        return;
    }
    if (!k->mech->body.n)
        add_ground(k);
    const char *short_name = stmt->name ? eval_name(k, s, stmt->name) : NULL;
    if (!short_name) {
        diag_error(k->diags, stmt->word_span, "'%s' needs a name", ast_word_text(stmt->word));
        return;
    }
    const char *name = full_name(k, s, short_name);
    const struct mech_name *first = mech_find_part(k, name);
    if (first && first->body == 0 && stmt->word == STMT_BODY && !k->mech->body.at[0].stmt) {
        k->mech->body.at[0].stmt = stmt;        /* its points and frames */
        k->mech->body.at[0].scope = s;
        return;
    }
    if (first && first->body == 0) {
        diag_error(k->diags, stmt->name->span, "the name 'ground' is taken: it is the body that does not move");
        return;
    }
    if (first) {
        diag_error(k->diags, stmt->name->span, "two parts have the name '%s'", name);
        diag_note(k->diags, first->span, "the first is here");
        return;
    }
    int bodies = k->mech->body.n, joints = k->mech->joint.n;
    if (stmt->word == STMT_BODY || stmt->word == STMT_BEAM)
        declare_body(k, s, stmt, name);
    else if (stmt->word == STMT_JOINT)
        declare_joint(k, s, stmt, name);
    else
        VEC_PUSH(k->mech->element, ((struct pending){stmt, s}));
    mech_add_part(k, (struct mech_name){name, stmt->name->span, k->mech->body.n > bodies ? bodies : -1, k->mech->joint.n > joints ? joints : -1});
    if (stmt->cut && stmt->word != STMT_JOINT)
        diag_error(k->diags, stmt->span, "only a joint can be cut");
}

/* --- bodies ----------------------------------------------------------------------------------------------------- */

/* A quantity with the default parameters; NaN where that is not a number. */
/* tr(J)/2 - J has no negative eigenvalue: no principal moment exceeds the sum of the other two. */
static bool inertia_is_physical(struct check *k, const struct mat *J)
{
    double a[3][3], half = 0, scale = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            a[i][j] = -mech_default(k, J->m[i][j]);
            scale = fmax(scale, fabs(a[i][j]));
        }
    half = -(a[0][0] + a[1][1] + a[2][2]) / 2;
    for (int i = 0; i < 3; i++)
        a[i][i] += half;
    double tol = 1e-9 * scale, m2 = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        m2 = fmin(m2, a[i][i] * a[j][j] - a[i][j] * a[j][i]);
        if (a[i][i] < -tol)
            return false;
    }
    double det = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                 a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    return m2 >= -tol * scale && det >= -tol * scale * scale;
}

static void read_inertia_planar(struct check *k, struct mech_body *b, const struct ast_item *it)
{
    static const char what[] = "a moment of inertia";
    struct value v = eval_scalar(k, b->scope, it->value, what);
    if (!value_allows(k, b->scope, it->value, &v, DEP(SYM_PARAM), what) || !value_fits(k, it->value, &v, mech_dim(k, 2, 1, 0), what))
        return;
    b->inertia.m[2][2] = v.at[0].e;
    if (mech_default(k, v.at[0].e) < 0)
        diag_error(k->diags, it->value->span, "%s must not be negative, but it is %g", what, mech_default(k, v.at[0].e));
}

static void read_inertia_spatial(struct check *k, struct mech_body *b, const struct ast_item *it)
{
    struct value v = eval(k, b->scope, it->value);
    bool principal = v.rank == 1 && v.rows == 3, tensor = v.rank == 2 && v.rows == 3 && v.cols == 3;
    if (!v.at)
        return;
    if (!principal && !tensor) {
        diag_error(k->diags, it->value->span, "inertia takes the three principal values or a 3 x 3 matrix, but this is %s",
                   shape_show(&v, k->arena));
        return;
    }
    if (!value_allows(k, b->scope, it->value, &v, DEP(SYM_PARAM), "inertia") ||
        !value_fits(k, it->value, &v, mech_dim(k, 2, 1, 0), "inertia"))
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            b->inertia.m[i][j] = tensor ? v.at[3 * i + j].e : i == j ? v.at[i].e : k->pool->zero;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (b->inertia.m[i][j] != b->inertia.m[j][i]) {
                diag_error(k->diags, it->value->span, "the inertia of '%s' is not symmetric: element [%d,%d] differs from [%d,%d]", b->name,
                           i + 1, j + 1, j + 1, i + 1);
                return;
            }
}

/* Given about another point: J_c = J_p - m (d.d - d d'). */
static void shift_inertia(struct check *k, struct mech_body *b, const struct ast_item *it)
{
    struct pool *p = k->pool;
    struct vec about;
    if (it->value->kind == AST_NAME && mech_point_find(b, it->value->text)) {
        about = mech_point_find(b, it->value->text)->at;
    } else if (it->value->kind == AST_NAME && !strcmp(it->value->text, "origin")) {
        about = vec_zero(p);
    } else if (!mech_vector(k, b->scope, it->value, mech_dim(k, 1, 0, 0), DEP(SYM_PARAM), "the point of 'about'", &about)) {
        return;
    }
    struct vec d = vec_sub(p, about, b->com);
    Expr dd = vec_dot(p, d, d);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Expr s = expr_sub(p, i == j ? dd : p->zero, expr_mul(p, d.x[i], d.x[j]));
            b->inertia.m[i][j] = expr_sub(p, b->inertia.m[i][j], expr_mul(p, b->mass, s));
        }
}

static bool read_frame(struct check *k, const struct mech_body *b, const struct ast_expr *e, struct mech_point *pt)
{
    struct mech_at on;
    if (mech_is_at(e)) {
        bool good = mech_at_read(k, b->scope, (int)(b - k->mech->body.at), e, &on);
        pt->at = on.at, pt->rate = on.rate, pt->frame = on.frame, pt->turn = on.turn;
        return good;
    }
    diag_error(k->diags, e->span, "a frame is written: frame F = at([x, y, z], z = angle, x = angle)");
    return false;
}

static void read_points(struct check *k, struct mech_body *b)
{
    for (int i = 0; i < b->stmt->attrs.n; i++) {
        const struct ast_item *it = &b->stmt->attrs.at[i];
        if (!it->word)
            continue;
        bool is_point = !strcmp(it->word, "point"), is_frame = !strcmp(it->word, "frame");
        const char *name = it->target ? eval_name(k, b->scope, it->target) : NULL;
        if ((!is_point && !is_frame) || !name || !it->value) {
            diag_error(k->diags, it->span, "a body knows 'point P = [x, y]' and 'frame F = at(...)'");
            continue;
        }
        if (mech_point_find(b, name)) {
            diag_error(k->diags, it->target->span, "'%s' has a point '%s' already", b->name, name);
            diag_note(k->diags, mech_point_find(b, name)->span, "it is here");
            continue;
        }
        struct mech_point pt = {.name = name, .span = it->target->span, .rate = vec_zero(k->pool), .turn = vec_zero(k->pool),
                                .frame = rotation_identity(k->pool)};
        bool good = is_point ? mech_place_read(k, b->scope, (int)(b - k->mech->body.at), it->value, "a point", &pt.at, &pt.rate)
                             : read_frame(k, b, it->value, &pt);
        if (good)
            VEC_PUSH(b->point, pt);
    }
}

/* Data of robots often come from fits and tables: what no rigid body has, but can be computed with, is a warning. */
static void check_inertia(struct check *k, const struct mech_body *b, struct span span, bool shifted)
{
    if (!k->mech->spatial && shifted && mech_default(k, b->inertia.m[2][2]) < 0)
        diag_error(k->diags, span, "no body has this inertia about its centre of mass: it is negative");
    else if (k->mech->spatial && !inertia_is_physical(k, &b->inertia))
        diag_warning(k->diags, span, "no body has this inertia: a principal moment is negative or exceeds the sum of the other two");
}

static void read_body(struct check *k, struct mech_body *b)
{
    const struct ast_item *it;
    struct reading r;
    if (!reading_begin(&r, k, b->scope, b->stmt, DEP(SYM_PARAM)))
        return;
    read_points(k, b);
    read_scalar(&r, "mass", &b->mass);
    shape_read(&r, b);
    if ((it = mech_item(b->stmt, "com"))) {
        mech_vector(k, b->scope, it->value, mech_dim(k, 1, 0, 0), DEP(SYM_PARAM), "the centre of mass", &b->com);
        if (b->mass == k->pool->zero)
            diag_error(k->diags, it->span, "a centre of mass without a mass");
    }
    if ((it = mech_item(b->stmt, "inertia"))) {
        if (k->mech->spatial)
            read_inertia_spatial(k, b, it);
        else
            read_inertia_planar(k, b, it);
        const struct ast_item *about = mech_item(b->stmt, "about");
        if (about)
            shift_inertia(k, b, about);
        check_inertia(k, b, it->value->span, about != NULL);
    }
}

/* body ground { point A = [x, y], frame F = at(...) }: nothing else can be said of it. */
static void read_ground(struct check *k)
{
    struct mech_body *g = &k->mech->body.at[0];
    if (!g->stmt)
        return;
    for (int i = 0; i < g->stmt->attrs.n; i++)
        if (!g->stmt->attrs.at[i].word) {
            diag_error(k->diags, g->stmt->attrs.at[i].span, "the ground has points and frames only: it does not move, whatever its mass");
            return;
        }
    read_points(k, g);
    g->stmt = NULL;
}

void mech_bodies(struct check *k)
{
    mech_defaults(k);
    read_ground(k);
    for (int i = 1, n = k->mech->body.n; i < n && !diag_full(k->diags); i++)     /* beams may add bodies */
        if (k->mech->body.at[i].stmt->word == STMT_BEAM)
            beam_read(k, i);
        else
            read_body(k, &k->mech->body.at[i]);
}

/* --- joints ------------------------------------------------------------------------------------------------------ */

/* A direction as a unit vector; *varies: it follows from parameters. */
static bool read_axis(struct check *k, struct mech_joint *j, const char *name, struct vec *axis, bool *varies)
{
    const struct ast_item *it = mech_item(j->stmt, name);
    struct pool *p = k->pool;
    struct vec v;
    double x[3], norm = 0;
    int zeros = 0;
    if (!it)
        return true;
    if (!it->value || !mech_vector(k, j->scope, it->value, DIM_OF_ANY, DEP(SYM_PARAM), "an axis", &v))
        return false;
    bool symbolic = false;
    for (int i = 0; i < 3; i++) {
        x[i] = mech_default(k, v.x[i]);
        norm += x[i] * x[i];
        zeros += v.x[i] == p->zero;
        symbolic = symbolic || expr_deps(p, v.x[i]);
    }
    if (!(norm > 0) || !isfinite(norm)) {
        diag_error(k->diags, it->value->span, "the axis of '%s' has no length", j->name);
        return false;
    }
    if (symbolic) {
        *axis = vec_unit_along(p, v);
        return *varies = true;
    }
    norm = sqrt(norm);
    for (int i = 0; i < 3; i++)
        axis->x[i] = v.x[i] == p->zero ? p->zero : zeros == 2 ? expr_int(p, x[i] > 0 ? 1 : -1) : expr_double(p, x[i] / norm);
    return true;
}

/* An axis that follows from parameters becomes a frame on both sides, in which it is a coordinate axis: z, in a plane x; a second one is x. */
static void turn_to_axis(struct check *k, struct mech_joint *j)
{
    struct pool *p = k->pool;
    struct rotation F;
    if (!k->mech->spatial) {
        F = rotation_turn(p, 2, expr_fn2(p, EXPR_ATAN2, j->axis.x[1], j->axis.x[0]));
        j->axis = vec_unit(p, 0);
    } else {
        struct vec x = j->axis2;
        if (!joint_takes(j->kind, "axis2")) {   /* across: away from where the axis points by default */
            int least = 0;
            for (int i = 1; i < 3; i++)
                if (fabs(mech_default(k, j->axis.x[i])) < fabs(mech_default(k, j->axis.x[least])))
                    least = i;
            x = vec_unit(p, least);
        }
        x = vec_unit_along(p, vec_sub(p, x, vec_scale(p, vec_dot(p, x, j->axis), j->axis)));
        struct vec y = vec_hold(p, vec_cross(p, j->axis, x));
        struct mat m;
        for (int i = 0; i < 3; i++)
            m.m[i][0] = x.x[i], m.m[i][1] = y.x[i], m.m[i][2] = j->axis.x[i];
        F = rotation_matrix(p, &m);
        j->axis = vec_unit(p, 2);
        j->axis2 = vec_unit(p, 0);
    }
    j->a.frame = rotation_mul(p, &j->a.frame, &F);
    j->b.frame = rotation_mul(p, &j->b.frame, &F);
}

static void read_joint(struct check *k, struct mech_joint *j)
{
    struct pool *p = k->pool;
    const struct ast_expr *call = j->stmt->item.at[0].value;
    bool good = mech_end_read(k, j->scope, call->arg[0], &j->a);
    good = mech_end_read(k, j->scope, call->arg[1], &j->b) && good;
    if (good && j->a.body == j->b.body)
        diag_error(k->diags, call->span, "the joint '%s' connects '%s' with itself", j->name, k->mech->body.at[j->a.body].name);
    if (good && k->mech->absolute && (mech_is_led(p, &j->a) || mech_is_led(p, &j->b)))
        diag_error(k->diags, call->span, "a place on the ground that depends on time needs relative coordinates; leave out 'coordinates absolute'");
    bool planar_slide = !k->mech->spatial && joint_takes(j->kind, "axis");
    j->axis = vec_unit(p, planar_slide ? 0 : 2);
    j->axis2 = vec_unit(p, 0);
    for (int i = 0; i < joint_coords(j); i++) {
        j->q0[i] = i == j->kind->orientation && !j->sequence ? p->one : p->zero;
        j->v0[i] = p->zero;
    }
    j->length = j->pitch = p->zero;
    if (planar_slide && !mech_item(j->stmt, "axis"))
        diag_error(k->diags, j->span, "the %s joint '%s' needs its direction: axis [1, 0]", j->kind->name, j->name);
    bool varies = false;
    read_axis(k, j, "axis", &j->axis, &varies);
    read_axis(k, j, "axis2", &j->axis2, &varies);
    if (joint_takes(j->kind, "axis2")) {
        double dot = mech_default(k, vec_dot(p, j->axis, j->axis2));
        if (fabs(dot) > 1e-9)
            diag_error(k->diags, j->span, "the two axes of the universal joint '%s' are not perpendicular", j->name);
    }
    if (varies)
        turn_to_axis(k, j);
    joint_normals(p, j);
    const struct reading r = {.k = k, .scope = j->scope, .stmt = j->stmt, .part = part_find(STMT_JOINT), .allowed = DEP(SYM_PARAM),
                              .noun = arena_printf(k->arena, "%s joint", j->kind->name)};
    if (joint_takes(j->kind, "length"))
        read_scalar(&r, "length", &j->length);
    if (joint_takes(j->kind, "pitch"))
        read_scalar(&r, "pitch", &j->pitch);
}

void mech_joints(struct check *k)
{
    for (int i = 0; i < k->mech->joint.n && !diag_full(k->diags); i++)
        if (k->mech->joint.at[i].stmt)      /* else made by a beam */
            read_joint(k, &k->mech->joint.at[i]);
}
