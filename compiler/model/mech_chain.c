/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From bodies and joints to the tree of elementary joints in working axes (tree.h, design 0012).
 *
 * A joint is passed step by step: P and d lead from its axes to the working axes of the body reached so far.  A joint
 * that the tree passes from b to a is the inverse steps in the inverse order.
 */
#include "model/mechanism.h"
#include "model/tree.h"

#include <math.h>
#include <stdlib.h>

struct chain {
    struct check *k;
    struct pool *p;
    struct { struct tree_body *at; int n, cap; } body;
    struct tree_place *place;           /* by body of the mechanism */
    struct tree_place *tip;             /* of beams that bend */
    struct tree_inertia ground;
    /* of the joint being passed */
    const struct mech_joint *joint;
    int parent;
    struct mat P;                       /* joint's axes to working axes of `parent` */
    struct vec d;                       /* the joint's point in them */
};

static struct mat transposed(const struct mat *m)
{
    struct mat t;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t.m[i][j] = m->m[j][i];
    return t;
}

/* Rounding of cosines of right angles, and of products of such matrices, is not meant: 6e-17 is zero. */
static Expr clean(struct pool *p, Expr e)
{
    static const double exact[] = {0, 1, -1};
    for (int i = 0; i < 3 && expr_is_num(p, e); i++)
        if (fabs(expr_value(p, e) - exact[i]) < 4e-15)
            return expr_int(p, (int64_t)exact[i]);
    return e;
}

static struct mat mat_clean(struct pool *p, struct mat m)
{
    for (int k = 0; k < 9; k++)
        m.m[k / 3][k % 3] = clean(p, m.m[k / 3][k % 3]);
    return m;
}

/* Numbers below 1e-15 of the largest number of the vector are rounding too. */
static struct vec vec_clean(struct pool *p, struct vec v)
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        if (!expr_is_num(p, v.x[i]))
            return v;
        else
            most = fmax(most, fabs(expr_value(p, v.x[i])));
    for (int i = 0; i < 3; i++)
        if (fabs(expr_value(p, v.x[i])) < 1e-15 * most)
            v.x[i] = p->zero;
    return v;
}

/* --- a step ------------------------------------------------------------------------------------------------------------ */

/* Axes in which `axis` is a coordinate axis: A leads from them to the joint's.  The sign is -1 if it points the other way.  An axis across z is x then, and
 * z stays, so that trees in a plane are known as such. */
static int fit_axes(struct pool *p, struct vec axis, struct mat *A, int *sign)
{
    *A = mat_identity(p);
    for (int k = 0; k < 3; k++) {
        double x = expr_value(p, axis.x[k]);
        if (fabs(x) == 1) {
            *sign = x > 0 ? 1 : -1;
            return k;
        }
    }
    *sign = 1;
    if (expr_value(p, axis.x[2]) == 0) {
        A->m[0][0] = A->m[1][1] = axis.x[0];
        A->m[1][0] = axis.x[1];
        A->m[0][1] = expr_neg(p, axis.x[1]);
        return 0;
    }
    struct mech_joint j = {.axis = axis};
    joint_normals(p, &j);
    for (int i = 0; i < 3; i++) {
        A->m[i][0] = j.n1.x[i];
        A->m[i][1] = j.n2.x[i];
        A->m[i][2] = axis.x[i];
    }
    return 2;
}

static struct tree_body *step_begin(struct chain *x, enum tree_kind kind, const struct mat *A)
{
    struct pool *p = x->p;
    struct tree_body b = {.name = x->joint->name, .span = x->joint->span, .parent = x->parent, .kind = kind, .angle = p->zero,
                          .pitch = p->zero, .scale = p->zero, .R = mat_identity(p), .s = vec_zero(p), .bias_w = vec_zero(p),
                          .bias_u = vec_zero(p), .own = inertia_zero(p), .inertia = inertia_zero(p)};
    b.place = mat_clean(p, mat_mul(p, &x->P, A));
    b.at = vec_clean(p, x->d);
    VEC_PUSH(x->body, b);
    x->parent = x->body.n - 1;
    x->P = transposed(A);
    x->d = vec_zero(p);
    return &x->body.at[x->parent];
}

/* n coordinates of the model from the first on. */
static void step_coords(const struct chain *x, struct tree_body *b, int first, int n, int columns)
{
    struct pool *p = x->p;
    b->coords = n;
    b->coord = ARENA_NEW(x->k->arena, int, n + 1);
    b->columns = columns;
    b->column = ARENA_NEW(x->k->arena, struct tree_column, columns + 1);
    b->map = ARENA_NEW(x->k->arena, Expr, columns * n + 1);
    for (int i = 0; i < n; i++)
        b->coord[i] = first + i;
    for (int c = 0; c < columns; c++) {
        b->column[c] = (struct tree_column){vec_zero(p), vec_zero(p), p->zero, p->zero};
        for (int i = 0; i < n; i++)
            b->map[c * n + i] = p->zero;
    }
}

/* Rates that are, but for the sign, velocities. */
static void plain_rates(const struct chain *x, struct tree_body *b, int first, int n, int sign)
{
    step_coords(x, b, first, n, n);
    for (int c = 0; c < n; c++) {
        const struct model_coord *q = &x->k->m->coord.at[b->coord[c]];
        Expr s = expr_int(x->p, sign);
        b->map[c * n + c] = s;
        b->column[c].rate = expr_mul(x->p, s, q->v);
    }
}

static void step_axis(struct chain *x, enum tree_kind kind, struct vec axis, int coord)
{
    struct pool *p = x->p;
    struct mat A;
    int sign, k = fit_axes(p, axis, &A, &sign);
    if (x->joint->reversed)
        sign = -sign;
    struct tree_body *b = step_begin(x, kind, &A);
    b->axis = k;
    b->angle = expr_mul(p, expr_int(p, sign), x->joint->q[coord]);
    plain_rates(x, b, x->joint->coord + coord, 1, sign);
    if (kind == TREE_SCREW)
        b->pitch = x->joint->pitch;
    if (kind != TREE_SLIDE)
        b->column[0].w = vec_unit(p, k);
    b->column[0].u = kind == TREE_SLIDE ? vec_unit(p, k) : vec_scale(p, b->pitch, vec_unit(p, k));
}

/* Euler parameters.  Their unit length is a constraint of the model. */
static void step_ball(struct chain *x, int first)
{
    struct pool *p = x->p;
    const struct mech_joint *j = x->joint;
    struct mat A = mat_identity(p);
    struct tree_body *b = step_begin(x, TREE_BALL, &A);
    Expr e[4], map[3][4], dot[4];
    step_coords(x, b, j->coord + first, 4, 3);
    b->reversed = j->reversed;
    for (int i = 0; i < 4; i++) {       /* the inverse rotation has the conjugate parameters */
        e[i] = i && j->reversed ? expr_neg(p, j->q[first + i]) : j->q[first + i];
        dot[i] = expr_mul(p, j->q[first + i], j->v[first + i]);
    }
    b->R = rotation_euler_any(p, e).B;
    rotation_euler_map(p, e, map);
    Expr square[4];
    for (int i = 0; i < 4; i++)
        square[i] = expr_powi(p, e[i], 2);
    b->scale = expr_powi(p, expr_hold(p, expr_sum(p, 4, square)), -1);
    Expr growth = expr_hold(p, expr_product(p, 3, (Expr[]){expr_int(p, -2), b->scale, expr_sum(p, 4, dot)}));
    for (int i = 0; i < 3; i++) {
        Expr rate[4];
        b->column[i].w = vec_unit(p, i);
        for (int c = 0; c < 4; c++) {
            b->map[i * 4 + c] = c && j->reversed ? expr_neg(p, map[i][c]) : map[i][c];
            rate[c] = expr_mul(p, b->map[i * 4 + c], j->v[first + c]);
        }
        b->column[i].rate = expr_hold(p, expr_sum(p, 4, rate));
        b->column[i].drift = expr_mul(p, growth, b->column[i].rate);
    }
}

static void add_turn(struct tree_body *b, int axis, Expr angle, struct vec at)
{
    b->turn[b->turns++] = (struct tree_turn){axis, angle, at};
}

/* The same by turns.  A shift: to the direction by longitude and latitude, along it, and back.  A rotation without twist: Euler parameters
 * (e0, q0, q1, 0) are a turn about y by a, about x by 2 b, about y by a, sin b = q0, tan a = q1/e0: a double universal joint. */
static void turns_of_general(struct chain *x, struct tree_body *b, bool shift, const Expr *q, Expr sign)
{
    struct pool *p = x->p;
    struct vec none = vec_zero(p), rod = vec_scale(p, sign, (struct vec){{x->joint->length, p->zero, p->zero}});
    b->turn = ARENA_NEW(x->k->arena, struct tree_turn, 4);
    if (shift) {
        bool lifts = b->coords == 2;
        add_turn(b, 2, q[0], none);
        if (lifts)
            add_turn(b, 1, expr_neg(p, q[1]), none);
        if (lifts)
            add_turn(b, 1, q[1], rod);
        add_turn(b, 2, expr_neg(p, q[0]), lifts ? none : rod);
        return;
    }
    Expr square[3] = {p->one, expr_neg(p, expr_powi(p, q[0], 2)), expr_neg(p, expr_powi(p, q[1], 2))};
    Expr outer = expr_mul(p, sign, expr_fn2(p, EXPR_ATAN2, q[1], expr_sqrt(p, expr_sum(p, 3, square))));
    Expr middle = expr_product(p, 3, (Expr[]){p->two, sign, expr_fn1(p, EXPR_ASIN, q[0])});
    add_turn(b, 1, outer, none);
    add_turn(b, 0, middle, none);
    add_turn(b, 1, outer, none);
}

/* A shift or a rotation that the kind of joint gives as a function of its first coordinates. */
static void step_general(struct chain *x, bool shift, int first, int n)
{
    struct pool *p = x->p;
    const struct mech_joint *j = x->joint;
    struct mech_joint plain = *j;
    struct mat A = mat_identity(p);
    for (int i = 0; i < 3 && !shift; i++) {     /* working axes: those of the rotation are x and y */
        A.m[i][0] = j->n1.x[i];
        A.m[i][1] = j->n2.x[i];
        A.m[i][2] = j->axis.x[i];
    }
    plain.n1 = vec_unit(p, 0);
    plain.n2 = vec_unit(p, 1);
    struct relative r = joint_own_motion(p, &plain);
    struct tree_body *b = step_begin(x, TREE_GENERAL, &A);
    Expr sign = j->reversed ? p->minus_one : p->one;
    struct vec velocity;
    plain_rates(x, b, j->coord + first, n, 1);
    turns_of_general(x, b, shift, j->q + first, sign);
    struct direction *flow = direction_new(p, n, j->q + first, j->v + first);
    if (shift) {
        b->s = vec_hold(p, vec_scale(p, sign, r.s));
        for (int i = 0; i < 3; i++)
            velocity.x[i] = direction_diff(flow, expr_mul(p, sign, r.s.x[i]));
    } else {
        struct mat R = rotation_to_matrix(p, &r.R);
        b->R = j->reversed ? transposed(&R) : R;
        velocity = j->reversed ? vec_neg(p, mat_apply(p, &R, r.w)) : r.w;
        for (int i = 0; i < 9; i++)
            b->R.m[i / 3][i % 3] = expr_hold(p, b->R.m[i / 3][i % 3]);
    }
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < n; c++)
            (shift ? b->column[c].u.x : b->column[c].w.x)[i] = expr_hold(p, expr_diff(p, velocity.x[i], j->v[first + c]));
        (shift ? b->bias_u.x : b->bias_w.x)[i] = expr_hold(p, direction_diff(flow, velocity.x[i]));
    }
    direction_free(flow);
}

/* --- a beam ------------------------------------------------------------------------------------------------------------- */

/* A rigid motion given by R, s and the angular velocity w in the axes that R leads from, with a column for every coordinate. */
static void flex_columns(struct chain *x, struct tree_body *b, struct vec velocity, struct vec w, struct direction *flow, int n, const Expr *v)
{
    struct pool *p = x->p;
    Expr *by = ARENA_NEW(x->k->arena, Expr, n + 1);
    b->shift = ARENA_NEW(x->k->arena, struct vec, n + 1);
    for (int i = 0; i < 3; i++) {
        expr_reverse(p, velocity.x[i], n, v, by);
        for (int c = 0; c < n; c++)
            b->shift[c].x[i] = expr_hold(p, by[c]);
        expr_reverse(p, w.x[i], n, v, by);
        for (int c = 0; c < n; c++)
            b->column[c].w.x[i] = expr_hold(p, by[c]);
        b->bias_u.x[i] = expr_hold(p, direction_diff(flow, velocity.x[i]));
        b->bias_w.x[i] = expr_hold(p, direction_diff(flow, w.x[i]));
    }
    for (int c = 0; c < n; c++)
        b->column[c].u = vec_hold(p, mat_apply_transposed(p, &b->R, b->shift[c]));
}

/* The tip behind the frame, or the frame behind the tip: P and d lead to where the one that is known is. */
static void step_flex(struct chain *x, const struct mech_body *body, const struct beam_mass *mass, bool from_tip, const Expr *q, const Expr *v)
{
    struct pool *p = x->p;
    const struct mech_point *tip = mech_point_find(body, name_of(&x->k->c->names, "tip"));
    struct mat A = mat_identity(p), R = rotation_to_matrix(p, &tip->frame), back;
    struct tree_body *b = step_begin(x, TREE_FLEX, &A);
    struct direction *flow = direction_new(p, mass->coords, q, v);
    struct vec velocity = tip->rate, w;
    plain_rates(x, b, mass->coord, mass->coords, 1);
    for (int i = 0; i < 9; i++)
        R.m[i / 3][i % 3] = expr_hold(p, R.m[i / 3][i % 3]);
    back = transposed(&R);
    if (from_tip) {
        b->R = back;
        b->s = vec_hold(p, vec_neg(p, mat_apply(p, &back, tip->at)));
        w = vec_neg(p, tip->turn);
        for (int i = 0; i < 3; i++)
            velocity.x[i] = direction_diff(flow, b->s.x[i]);
    } else {
        b->R = R;
        b->s = vec_hold(p, tip->at);
        w = mat_apply(p, &back, tip->turn);
    }
    flex_columns(x, b, velocity, w, flow, mass->coords, v);
    direction_free(flow);
    b->name = body->name;
    b->span = body->span;
}

/* Its frame, at `at`, is there; its mass is that of the body of the tree that carries the frame. */
static void add_beam(struct chain *x, const struct mech_body *body, const struct beam_mass *mass, const struct tree_place *at, struct tree_body *b,
                     const Expr *q, const Expr *v)
{
    struct pool *p = x->p;
    struct mat back = transposed(&at->R);
    struct tree_inertia rest, *sum = at->body < 0 ? &x->ground : &x->body.at[at->body].own;
    b->flex = mech_flex(x->k, *mass, q, v, &back, vec_clean(p, vec_neg(p, mat_apply(p, &back, at->o))), &rest);
    b->flex->frame = at->body;
    *sum = inertia_add(p, sum, &rest);
    if (at->body >= 0) {
        x->body.at[at->body].name = body->name;
        x->body.at[at->body].span = body->span;
    }
}

/* --- a joint -------------------------------------------------------------------------------------------------------- */

static void step(struct chain *x, const struct joint_step *s)
{
    const struct mech_joint *j = x->joint;
    struct pool *p = x->p;
    switch (s->motion) {
    case STEP_NONE: break;
    case STEP_TURN: step_axis(x, TREE_TURN, joint_step_axis(p, j, s), s->coord); break;
    case STEP_SLIDE: step_axis(x, TREE_SLIDE, joint_step_axis(p, j, s), s->coord); break;
    case STEP_SCREW: step_axis(x, TREE_SCREW, joint_step_axis(p, j, s), s->coord); break;
    case STEP_SHIFT: step_general(x, true, s->coord, s->coords); break;
    case STEP_ROTATION: step_general(x, false, s->coord, s->coords); break;
    case STEP_ORIENTATION:
        if (!j->sequence)
            step_ball(x, s->coord);
        for (int i = 0; j->sequence && i < 3; i++) {
            int c = j->reversed ? 2 - i : i;
            step_axis(x, TREE_TURN, vec_unit(p, j->sequence[c] - 'x'), s->coord + c);
        }
        break;
    }
}

static void pass_joint(struct chain *x, const struct mech_body *body, struct tree_place *to)
{
    struct pool *p = x->p;
    const struct mech_joint *j = &x->k->mech->joint.at[body->joint];
    const struct mech_end *a = j->reversed ? &j->b : &j->a, *b = j->reversed ? &j->a : &j->b;
    const struct tree_place *from = a->flexed ? &x->tip[body->parent] : &x->place[body->parent];
    struct mat fa = rotation_to_matrix(p, a->flexed ? &a->axes : &a->frame), fb = rotation_to_matrix(p, b->flexed ? &b->axes : &b->frame);
    struct mat back = transposed(&from->R);
    int steps = 0;
    x->joint = j;
    x->parent = from->body;
    x->P = mat_clean(p, mat_mul(p, &back, &fa));
    x->d = mat_apply(p, &back, vec_sub(p, a->flexed ? a->off : a->at, from->o));
    while (steps < JOINT_STEPS && j->kind->step[steps].motion != STEP_NONE)
        steps++;
    for (int i = 0; i < j->seats && !j->reversed; i++)
        step_axis(x, TREE_SLIDE, j->seat[i], joint_coords(j) + i);
    for (int i = 0; i < steps; i++)
        step(x, &j->kind->step[j->reversed ? steps - 1 - i : i]);
    for (int i = 0; i < j->seats && j->reversed; i++)
        step_axis(x, TREE_SLIDE, j->seat[i], joint_coords(j) + i);
    struct mat t = transposed(&x->P);
    to->name = body->name;
    to->body = x->parent;
    to->R = mat_clean(p, mat_mul(p, &fb, &t));
    to->o = vec_clean(p, vec_sub(p, b->flexed ? b->off : b->at, mat_apply(p, &to->R, x->d)));
}

/* The body's own end of the joint that leads to it. */
static const struct mech_end *own_end(const struct chain *x, const struct mech_body *body)
{
    const struct mech_joint *j = &x->k->mech->joint.at[body->joint];
    return j->reversed ? &j->a : &j->b;
}

/* A beam reached from its tip: pass_joint() has led to the tip. */
static void pass_beam(struct chain *x, int number)
{
    struct pool *p = x->p;
    const struct mech_body *body = &x->k->mech->body.at[number];
    struct beam_mass mass = beam_mass(p, body->beam);
    bool from_tip = own_end(x, body)->flexed;
    struct tree_place *known = &x->place[number], *tip = &x->tip[number];
    Expr *q = ARENA_NEW(x->k->arena, Expr, mass.coords + 1), *v = ARENA_NEW(x->k->arena, Expr, mass.coords + 1);
    for (int i = 0; i < mass.coords; i++) {
        q[i] = x->k->m->coord.at[mass.coord + i].q;
        v[i] = x->k->m->coord.at[mass.coord + i].v;
    }
    x->parent = known->body;
    x->P = transposed(&known->R);
    x->d = vec_clean(p, vec_neg(p, mat_apply(p, &x->P, known->o)));
    *tip = *known;
    step_flex(x, body, &mass, from_tip, q, v);
    *(from_tip ? known : tip) = (struct tree_place){body->name, x->parent, mat_identity(p), vec_zero(p)};
    add_beam(x, body, &mass, known, &x->body.at[x->parent], q, v);
}

/* E = tr(J)/2 1 - J about the centre of mass.  A plane body has J_zz alone: E_xx = E_yy = J_zz/2 stands for it. */
static struct mat second_moments(const struct chain *x, const struct mech_body *body)
{
    struct pool *p = x->p;
    struct mat E = body->inertia;
    Expr half = expr_mul(p, p->half, expr_sum(p, 3, (Expr[]){E.m[0][0], E.m[1][1], E.m[2][2]}));
    for (int i = 0; i < 9; i++)
        E.m[i / 3][i % 3] = expr_sub(p, i % 4 ? p->zero : half, E.m[i / 3][i % 3]);
    if (!x->k->mech->spatial)
        E.m[2][2] = p->zero;
    return E;
}

static void add_mass(struct chain *x, const struct mech_body *body, const struct tree_place *at)
{
    struct pool *p = x->p;
    struct mat back = transposed(&at->R);
    struct tree_inertia i = {body->mass, vec_zero(p), second_moments(x, body)};
    struct tree_inertia *sum = at->body < 0 ? &x->ground : &x->body.at[at->body].own;
    i = inertia_turn(p, &back, &i);
    i = inertia_shift(p, &i, vec_clean(p, mat_apply(p, &back, vec_sub(p, body->com, at->o))));
    *sum = inertia_add(p, sum, &i);
    if (at->body >= 0) {
        x->body.at[at->body].name = body->name;
        x->body.at[at->body].span = body->span;
    }
}

/* --- regrouping ---------------------------------------------------------------------------------------------------- */

/* What of a body's inertia does not feel its joint: it is taken from the body and is as if it were part of the parent
 * (Gautier, Khalil 1990).  Of a turn about z that is I0 with I0 S = 0 and the same in all positions: m, h_z and E_zz; of a
 * screw E_zz; of a slide the moments; of a ball joint a point mass at its centre. */
static struct tree_inertia take_unfelt(struct pool *p, struct tree_body *b)
{
    struct tree_inertia i = inertia_zero(p), *from = &b->inertia;
    int z = b->axis;
    switch (b->kind) {
    case TREE_TURN:
        i.m = from->m;
        i.h.x[z] = from->h.x[z];
        i.E.m[z][z] = from->E.m[z][z];
        from->m = from->h.x[z] = from->E.m[z][z] = p->zero;
        break;
    case TREE_SCREW:
        i.E.m[z][z] = from->E.m[z][z];
        from->E.m[z][z] = p->zero;
        break;
    case TREE_SLIDE:
        i.E = from->E;
        from->E = inertia_zero(p).E;
        break;
    case TREE_BALL:
        i.m = from->m;
        from->m = p->zero;
        break;
    case TREE_GENERAL: case TREE_FLEX:
        break;
    }
    return i;
}

static void regroup(struct chain *x)
{
    struct pool *p = x->p;
    for (int i = 0; i < x->body.n; i++)
        x->body.at[i].inertia = x->body.at[i].own;
    for (int i = x->body.n - 1; i >= 0; i--) {
        struct tree_body *b = &x->body.at[i];
        struct tree_inertia *to = b->parent < 0 ? &x->ground : &x->body.at[b->parent].inertia;
        struct tree_inertia unfelt = take_unfelt(p, b);
        unfelt = inertia_turn(p, &b->place, &unfelt);
        unfelt = inertia_shift(p, &unfelt, b->at);
        *to = inertia_add(p, to, &unfelt);
    }
    for (int i = 0; i < x->body.n; i++) {       /* what changes with the shape of a beam stays where it is */
        const struct tree_flex *f = x->body.at[i].flex;
        if (f && f->frame >= 0) {
            struct tree_inertia bent = {p->zero, f->bent_h, f->bent_E}, *to = &x->body.at[f->frame].inertia;
            *to = inertia_add(p, to, &bent);
        }
    }
}

/* --- all of it ---------------------------------------------------------------------------------------------------------- */

static bool has_tree(const struct pool *p, const struct mechanism *m)
{
    bool good = m->body.n > 1 && !m->absolute;
    for (int i = 0; i < m->joint.n; i++)
        for (int side = 0; side < 2; side++) {
            const struct mech_end *e = side ? &m->joint.at[i].b : &m->joint.at[i].a;
            good = good && (!m->joint.at[i].tree || e->flexed || !mech_is_led(p, e));
        }
    return good;
}

void mech_chain(struct check *k)
{
    const struct mechanism *m = k->mech;
    struct pool *p = k->pool;
    if (!has_tree(p, m))
        return;
    struct chain x = {.k = k, .p = p, .place = ARENA_NEW(k->arena, struct tree_place, m->body.n),
                      .tip = ARENA_NEW(k->arena, struct tree_place, m->body.n), .ground = inertia_zero(p)};
    struct tree *t = ARENA_NEW(k->arena, struct tree, 1);
    x.place[0] = (struct tree_place){m->body.at[0].name, -1, mat_identity(p), vec_zero(p)};
    for (int i = 1; i < m->order.n; i++) {
        int b = m->order.at[i];
        pass_joint(&x, &m->body.at[b], &x.place[b]);
        if (m->body.at[b].beam)
            pass_beam(&x, b);
        else
            add_mass(&x, &m->body.at[b], &x.place[b]);
    }
    Expr fixed = expr_neg(p, vec_dot(p, m->g, x.ground.h));
    regroup(&x);
    *t = (struct tree){.n = x.body.n, .places = m->body.n, .place = x.place, .g = m->g};
    t->at = arena_copy(k->arena, x.body.at, (size_t)x.body.n * sizeof *t->at);
    t->potential_fixed = fixed;
    t->potential0 = expr_neg(p, vec_dot(p, m->g, x.ground.h));
    for (int i = 0; i < m->joint.n; i++)
        t->loops += !m->joint.at[i].tree;
    free(x.body.at);
    k->m->tree = t;
}
