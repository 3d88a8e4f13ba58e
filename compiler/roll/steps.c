/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The steps of the accelerations of rolled code (design 0014), as expressions: one set for each class of joints.
 *
 * A step is the recursion of articulated bodies across one joint (tree/), with symbols for what it reads: slots of the body (SYM_LOCAL), slots of its
 * parent (SYM_Q), its row of constants (SYM_V).  Constants that are 0 or, in a placement, 1 or -1 for all bodies of the class are numbers, so
 * that the optimiser drops what they multiply: that is most of a chain.
 *
 * Accelerations are those of the origins, not spatial ones, so that velocities of origins do not occur:
 *
 *     velocities:      w, and B, the acceleration for parent and joint at rest in their velocities
 *     forces:          F + I B and I of the articulated body, with the joint's column eliminated, to the parent
 *     accelerations:   A = X A_p + B,  a = y/D - W.A,  A + S a
 */
#include "roll/roll.h"
#include "tree/recursion.h"

#include <string.h>

/* Slots of a body: name, and which trees have it. */
enum where { BOTH, SPACE, PLANE };
static const struct { const char *name; enum where where; } slots[ROLL_SLOTS] = {
    [SLOT_ANGLE] = {"ANGLE", BOTH}, {"RATE", BOTH}, {"FORCE", BOTH}, {"MORE", BOTH}, {"CO", BOTH}, {"SI", BOTH},
    [SLOT_W] = {"WX", SPACE}, {"WY", SPACE}, {"WZ", BOTH},
    [SLOT_B] = {"BWX", SPACE}, {"BWY", SPACE}, {"BWZ", SPACE}, {"BX", BOTH}, {"BY", BOTH}, {"BZ", SPACE},
    [SLOT_SHIFT] = {"SX", PLANE}, {"SY", PLANE},
    [SLOT_A] = {"DWX", SPACE}, {"DWY", SPACE}, {"DWZ", BOTH}, {"AX", BOTH}, {"AY", BOTH}, {"AZ", SPACE},
    [SLOT_U] = {"UWX", SPACE}, {"UWY", SPACE}, {"UWZ", BOTH}, {"UX", BOTH}, {"UY", BOTH}, {"UZ", SPACE},
    [SLOT_INVERSE] = {"DI", BOTH}, {"DY", BOTH}, {"ACC", BOTH},
    [SLOT_PASSED] = {"NX", SPACE}, {"NY", SPACE}, {"NZ", BOTH}, {"FX", BOTH}, {"FY", BOTH}, {"FZ", SPACE},
    [SLOT_J] = {"JXX", SPACE}, {"JXY", SPACE}, {"JXZ", SPACE}, {"JYY", SPACE}, {"JYZ", SPACE}, {"JZZ", BOTH},
    [SLOT_H] = {"HXX", SPACE}, {"HXY", SPACE}, {"HXZ", SPACE}, {"HYX", SPACE}, {"HYY", SPACE}, {"HYZ", SPACE}, {"HZX", BOTH}, {"HZY", BOTH}, {"HZZ", SPACE},
    [SLOT_M] = {"MXX", BOTH}, {"MXY", BOTH}, {"MXZ", SPACE}, {"MYY", BOTH}, {"MYZ", SPACE}, {"MZZ", SPACE},
};

const char *roll_slot_name(int slot)
{
    return slots[slot].name;
}

bool roll_passes_on(const struct roll *r, int step)
{
    return step % r->steps % 2 == 1;
}

/* Those that the tree has, counted one after the other; -1: not this one. */
static void number_slots(struct roll *r)
{
    r->slots = 0;
    for (int k = 0; k < ROLL_SLOTS; k++) {
        if (k == SLOT_PASSED)
            r->passed = r->slots;
        if (k == SLOT_J)
            r->inertia = r->slots;
        r->slot[k] = slots[k].where == (r->plane ? SPACE : PLANE) ? -1 : r->slots++;
    }
}

/* --- symbols ------------------------------------------------------------------------------------------------------------------ */

struct steps {
    struct pool *p;
    struct roll *r;
    const struct roll_class *class;
    struct tree_body body;              /* with symbols for its constants */
    struct tree_column column;          /* its only one */
    struct tree_inertia own;            /* E = -J: the same forces at dw = 0 */
    struct articulated rigid;
};

static Expr symbol(const struct steps *s, enum sym_kind kind, int slot)
{
    return s->r->slot[slot] < 0 ? s->p->zero : expr_sym(s->p, kind, s->r->slot[slot], slots[slot].name);
}

static Expr own(const struct steps *s, int slot)
{
    return symbol(s, SYM_LOCAL, slot);
}

static struct vec vector(const struct steps *s, enum sym_kind kind, int slot)
{
    return (struct vec){{symbol(s, kind, slot), symbol(s, kind, slot + 1), symbol(s, kind, slot + 2)}};
}

static struct spatial pair(const struct steps *s, enum sym_kind kind, int slot)
{
    return (struct spatial){vector(s, kind, slot), vector(s, kind, slot + 3)};
}

/* Where the entries of a symmetric matrix are, of its upper triangle. */
static int triangle(int i, int j)
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    return at[i][j];
}

static struct mat symmetric(const struct steps *s, int slot)
{
    struct mat m;
    for (int k = 0; k < 9; k++)
        m.m[k / 3][k % 3] = own(s, slot + triangle(k / 3, k % 3));
    return m;
}

/* The k-th constant of the row: a number, where the class says so. */
static Expr constant(const struct steps *s, int k)
{
    int sign = s->class->sign[k];
    return sign == ROLL_ANY ? expr_sym(s->p, SYM_V, k, "constant") : expr_int(s->p, sign);
}

static void constants_plane(struct steps *s, struct vec *h, struct mat *J)
{
    struct pool *p = s->p;
    struct tree_body *b = &s->body;
    b->place = mat_identity(p);
    b->place.m[0][0] = b->place.m[1][1] = constant(s, 0);
    b->place.m[1][0] = constant(s, 1);
    b->place.m[0][1] = expr_neg(p, b->place.m[1][0]);
    b->at = (struct vec){{constant(s, 2), constant(s, 3), p->zero}};
    b->pitch = p->zero;
    s->own.m = constant(s, 4);
    *h = (struct vec){{constant(s, 5), constant(s, 6), p->zero}};
    for (int k = 0; k < 9; k++)
        J->m[k / 3][k % 3] = k == 8 ? constant(s, 7) : p->zero;
}

static void constants_space(struct steps *s, struct vec *h, struct mat *J)
{
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    struct tree_body *b = &s->body;
    for (int k = 0; k < 9; k++) {
        b->place.m[k / 3][k % 3] = constant(s, k);
        J->m[k / 3][k % 3] = constant(s, (s->r->mixed ? ROLL_SPACE_ROW : 17) + at[k / 3][k % 3]);
    }
    for (int k = 0; k < 3; k++) {
        b->at.x[k] = constant(s, 9 + k);
        h->x[k] = constant(s, 14 + k);
    }
    b->pitch = constant(s, 12);
    s->own.m = constant(s, 13);
}

/* A column that is given, as a body that slides by nothing; in a plane as a rod, which does not turn. */
static void given_column(struct steps *s)
{
    if (s->r->plane) {
        for (int k = 0; k < ROLL_COLUMN_ROW_PLANE; k++)
            (k < 2 ? &s->column.u : &s->body.bias_u)->x[k % 2] = constant(s, s->r->width + k);
        s->column.u.x[2] = s->p->zero;
        s->body.kind = TREE_GENERAL;
        s->body.s = vec_zero(s->p);
        return;
    }
    struct vec *part[4] = {&s->column.w, &s->column.u, &s->body.bias_w, &s->body.bias_u};
    for (int k = 0; k < ROLL_COLUMN_ROW; k++)
        part[k / 3]->x[k % 3] = constant(s, s->r->width + k);
    s->body.angle = s->p->zero;
}

static void make_body(struct steps *s)
{
    static const enum tree_kind kind[] = {[ROLL_TURN] = TREE_TURN, [ROLL_SLIDE] = TREE_SLIDE, [ROLL_SCREW] = TREE_SCREW, [ROLL_COLUMN] = TREE_SLIDE};
    struct pool *p = s->p;
    struct tree_body *b = &s->body;
    struct vec z = vec_zero(p), unit = vec_unit(p, s->class->axis), *h = &s->own.h;
    struct mat J;
    *b = (struct tree_body){.kind = kind[s->class->kind], .axis = s->class->axis, .angle = own(s, SLOT_ANGLE), .columns = 1, .bias_w = z, .bias_u = z};
    (s->r->plane ? constants_plane : constants_space)(s, h, &J);
    b->column = &s->column;
    s->column = (struct tree_column){.w = b->kind == TREE_SLIDE ? z : unit,
                                        .u = b->kind == TREE_SLIDE ? unit : vec_scale(p, b->pitch, unit),
                                        .rate = own(s, SLOT_RATE),
                                        .drift = p->zero};
    if (s->class->kind == ROLL_COLUMN)
        given_column(s);
    s->rigid.J = J;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        s->rigid.H.m[i][i] = s->rigid.N.m[i][j] = s->rigid.N.m[j][i] = p->zero;
        s->rigid.H.m[i][j] = expr_neg(p, h->x[k]);
        s->rigid.H.m[j][i] = h->x[k];
        s->rigid.N.m[i][i] = s->own.m;
    }
    for (int k = 0; k < 9; k++)
        s->own.E.m[k / 3][k % 3] = expr_neg(p, J.m[k / 3][k % 3]);
}

/* --- the three steps ------------------------------------------------------------------------------------------------------------ */

static void put(const struct steps *s, struct roll_step *to, int slot, Expr e)
{
    if (s->r->slot[slot] >= 0)
        to->out[to->n++] = (struct roll_out){s->r->slot[slot], e};
}

static void put_pair(const struct steps *s, struct roll_step *to, int slot, struct spatial x)
{
    for (int i = 0; i < 3; i++) {
        put(s, to, slot + i, x.w.x[i]);
        put(s, to, slot + 3 + i, x.u.x[i]);
    }
}

/* Stores it for a later step of the same body.  Gives what that one reads: the slots, or numbers. */
static struct spatial store(const struct steps *s, struct roll_step *to, int slot, struct spatial x)
{
    struct spatial y = pair(s, SYM_LOCAL, slot);
    Expr *read[6] = {y.w.x, y.w.x + 1, y.w.x + 2, y.u.x, y.u.x + 1, y.u.x + 2}, *value[6] = {x.w.x, x.w.x + 1, x.w.x + 2, x.u.x, x.u.x + 1, x.u.x + 2};
    for (int i = 0; i < 6; i++)
        if (expr_is_num(s->p, *value[i]))
            *read[i] = *value[i];
        else
            put(s, to, slot + i, *value[i]);
    return y;
}

static struct tree_motion at_rest(struct pool *p, struct vec w)
{
    struct vec z = vec_zero(p);
    return (struct tree_motion){.w = w, .dw = z, .w_parent = z, .dw_parent = z, .u = z, .a = z, .U = angular_matrix(p, w, z)};
}

/* Gives B, as the other steps find it. */
static struct spatial velocities(const struct steps *s, struct roll_step *to)
{
    struct tree_motion parent = at_rest(s->p, vector(s, SYM_Q, SLOT_W)), m = tree_child_motion(s->p, &s->body, &parent, NULL);
    struct spatial B = {m.dw, m.a};
    for (int i = 0; i < 3; i++)
        put(s, to, SLOT_W + i, m.w.x[i]);
    return store(s, to, SLOT_B, B);
}

static struct spatial times(struct pool *p, const struct articulated *I, struct spatial B)
{
    return (struct spatial){vec_add(p, mat_apply(p, &I->J, B.w), mat_apply(p, &I->H, B.u)),
                            vec_add(p, mat_apply_transposed(p, &I->H, B.w), mat_apply(p, &I->N, B.u))};
}

static struct spatial scaled(struct pool *p, Expr e, struct spatial x)
{
    return (struct spatial){vec_scale(p, e, x.w), vec_scale(p, e, x.u)};
}

/* Gives W, as the last step finds it. */
static struct spatial forces(const struct steps *s, struct spatial B, bool rotors, struct roll_step *to)
{
    struct pool *p = s->p;
    struct articulated I = {symmetric(s, SLOT_J), mat_identity(p), symmetric(s, SLOT_M)};
    struct tree_motion m = at_rest(p, vector(s, SYM_LOCAL, SLOT_W));
    struct spatial S = column_of(&s->body.column[0]), F = spatial_hold(p, spatial_add(p, pair(s, SYM_LOCAL, SLOT_PASSED), tree_body_force(p, &s->own, &m)));
    for (int k = 0; k < 9; k++) {
        int i = k / 3, j = k % 3;
        I.J.m[i][j] = expr_add(p, I.J.m[i][j], s->rigid.J.m[i][j]);
        I.H.m[i][j] = expr_add(p, own(s, SLOT_H + k), s->rigid.H.m[i][j]);
        I.N.m[i][j] = expr_add(p, I.N.m[i][j], s->rigid.N.m[i][j]);
    }
    I = (struct articulated){mat_hold(p, I.J), mat_hold(p, I.H), mat_hold(p, I.N)};
    struct eliminated e = articulated_eliminate(p, &I, S, rotors ? own(s, SLOT_MORE) : p->zero, false);
    Expr y = tree_hold(p, expr_sub(p, own(s, SLOT_FORCE), spatial_dot(p, S, F)));
    struct spatial W = store(s, to, SLOT_U, e.W);
    put(s, to, SLOT_INVERSE, e.inverse);
    put(s, to, SLOT_Y, expr_mul(p, e.inverse, y));
    F = spatial_hold(p, spatial_add(p, F, spatial_add(p, times(p, &I, B), scaled(p, y, e.W))));
    F = spatial_hold(p, force_to_parent(p, &s->body, F));
    I = articulated_to_parent(p, &s->body, I);
    to->own = to->n;
    put_pair(s, to, SLOT_PASSED, F);
    for (int k = 0; k < 9; k++) {
        int i = k / 3, j = k % 3;
        put(s, to, SLOT_H + k, I.H.m[i][j]);
        if (i <= j) {
            put(s, to, SLOT_J + triangle(i, j), I.J.m[i][j]);
            put(s, to, SLOT_M + triangle(i, j), I.N.m[i][j]);
        }
    }
    return W;
}

static void accelerations(const struct steps *s, struct spatial B, struct spatial W, struct roll_step *to)
{
    struct pool *p = s->p;
    struct spatial S = column_of(&s->body.column[0]), A = motion_to_child(p, &s->body, pair(s, SYM_Q, SLOT_A));
    A = spatial_hold(p, spatial_add(p, A, B));
    Expr a = expr_hold(p, expr_sub(p, own(s, SLOT_Y), spatial_dot(p, W, A)));
    put(s, to, SLOT_ACCELERATION, a);
    put_pair(s, to, SLOT_A, spatial_add(p, A, scaled(p, a, S)));
}

/* --- the same in a plane, in axes of the ground (tree/plane.c) ---------------------------------------------------------------------- */

static struct flat flat_at(const struct steps *s, enum sym_kind kind, int slot)
{
    return (struct flat){symbol(s, kind, slot), symbol(s, kind, slot + 1)};
}

static void put_flat(const struct steps *s, struct roll_step *to, int slot, struct flat x)
{
    put(s, to, slot, x.x);
    put(s, to, slot + 1, x.y);
}

/* Stored for the later steps, which read the slots, but for numbers. */
static Expr store_one(const struct steps *s, struct roll_step *to, int slot, Expr x)
{
    if (expr_is_num(s->p, x))
        return x;
    put(s, to, slot, x);
    return own(s, slot);
}

static struct flat store_flat(const struct steps *s, struct roll_step *to, int slot, struct flat x)
{
    Expr first = store_one(s, to, slot, x.x), second = store_one(s, to, slot + 1, x.y);
    return (struct flat){first, second};
}

static struct plane_motion plane_velocities(const struct steps *s, struct roll_step *to)
{
    struct plane_motion parent = {.axis = flat_at(s, SYM_Q, SLOT_COSINE), .w = symbol(s, SYM_Q, SLOT_W + 2), .A = flat_at(s, SYM_Q, SLOT_B + 3)};
    struct plane_motion m = plane_child_motion(s->p, &s->body, &parent, flat_at(s, SYM_LOCAL, SLOT_COSINE));
    put(s, to, SLOT_W + 2, m.w);
    put_flat(s, to, SLOT_B + 3, m.A);
    m.w = own(s, SLOT_W + 2);
    m.A = flat_at(s, SYM_LOCAL, SLOT_B + 3);
    m.d = store_flat(s, to, SLOT_SHIFT, m.d);
    return m;
}

static struct plane_column plane_forces(const struct steps *s, const struct plane_motion *m, bool rotors, struct roll_step *to)
{
    struct pool *p = s->p;
    const struct plane_inertia passed = {own(s, SLOT_J + 5), {own(s, SLOT_H + 6), own(s, SLOT_H + 7)}, own(s, SLOT_M), own(s, SLOT_M + 1), own(s, SLOT_M + 3)};
    const struct plane_force load = {own(s, SLOT_PASSED + 2), {own(s, SLOT_PASSED + 3), own(s, SLOT_PASSED + 4)}};
    struct plane_inertia rigid = plane_rigid(p, &s->own, s->rigid.J.m[2][2], m), I = plane_add_inertia(p, passed, rigid);
    struct plane_force F = plane_body_force(p, &s->own, m);
    struct plane_column c;
    F = plane_add_force(p, load, F);
    I = plane_eliminate(p, &s->body, m, &I, rotors ? own(s, SLOT_MORE) : p->zero, &c);
    Expr y = tree_hold(p, expr_sub(p, own(s, SLOT_FORCE), plane_along(p, &s->body, m, &F)));
    F = plane_force_to_parent(p, m, &c, &F, y, own(s, SLOT_FORCE));
    put(s, to, SLOT_INVERSE, c.inverse);
    put(s, to, SLOT_Y, expr_mul(p, c.inverse, y));
    c.u = store_flat(s, to, SLOT_U + 3, c.u);
    c.w = store_one(s, to, SLOT_U + 2, c.w);
    to->own = to->n;
    put(s, to, SLOT_PASSED + 2, F.n);
    put_flat(s, to, SLOT_PASSED + 3, F.f);
    put(s, to, SLOT_J + 5, I.J);
    put_flat(s, to, SLOT_H + 6, I.H);
    put(s, to, SLOT_M, I.xx);
    put(s, to, SLOT_M + 1, I.xy);
    put(s, to, SLOT_M + 3, I.yy);
    return c;
}

static void plane_accelerations(const struct steps *s, const struct plane_motion *m, const struct plane_column *c, struct roll_step *to)
{
    Expr dw = symbol(s, SYM_Q, SLOT_A + 2);
    struct flat a = flat_at(s, SYM_Q, SLOT_A + 3);
    put(s, to, SLOT_ACCELERATION, plane_accelerate(s->p, &s->body, m, c, own(s, SLOT_Y), &dw, &a));
    put(s, to, SLOT_A + 2, dw);
    put_flat(s, to, SLOT_A + 3, a);
}

/* --- another right-hand side, with what was eliminated: M x = force --------------------------------------------------------------- */

static void more_forces(const struct steps *s, struct spatial W, struct roll_step *to)
{
    struct pool *p = s->p;
    struct spatial S = column_of(&s->body.column[0]), F = pair(s, SYM_LOCAL, SLOT_PASSED);
    Expr y = tree_hold(p, expr_sub(p, own(s, SLOT_FORCE), spatial_dot(p, S, F)));
    put(s, to, SLOT_Y, expr_mul(p, own(s, SLOT_INVERSE), y));
    to->own = to->n;
    F = spatial_hold(p, spatial_add(p, F, scaled(p, y, W)));
    put_pair(s, to, SLOT_PASSED, spatial_hold(p, force_to_parent(p, &s->body, F)));
}

static void plane_more_forces(const struct steps *s, const struct plane_motion *m, const struct plane_column *c, struct roll_step *to)
{
    struct pool *p = s->p;
    struct plane_force F = {own(s, SLOT_PASSED + 2), {own(s, SLOT_PASSED + 3), own(s, SLOT_PASSED + 4)}};
    Expr y = tree_hold(p, expr_sub(p, own(s, SLOT_FORCE), plane_along(p, &s->body, m, &F)));
    F = plane_force_to_parent(p, m, c, &F, y, own(s, SLOT_FORCE));
    put(s, to, SLOT_Y, expr_mul(p, own(s, SLOT_INVERSE), y));
    to->own = to->n;
    put(s, to, SLOT_PASSED + 2, F.n);
    put_flat(s, to, SLOT_PASSED + 3, F.f);
}

/* Sines and cosines are slots, too. */
static void read_sines(const struct steps *s, struct roll_step *step)
{
    Expr angle = own(s, SLOT_ANGLE), from[2] = {expr_fn1(s->p, EXPR_COS, angle), expr_fn1(s->p, EXPR_SIN, angle)};
    Expr to[2] = {own(s, SLOT_COSINE), own(s, SLOT_COSINE + 1)};
    Expr value[ROLL_SLOTS];
    for (int k = 0; k < step->n; k++)
        value[k] = step->out[k].value;
    expr_substitute(s->p, 2, from, to, step->n, value, value);
    for (int k = 0; k < step->n; k++)
        step->out[k].value = value[k];
}

void roll_make_steps(struct roll *r, struct pool *p, bool rotors, struct arena *arena)
{
    number_slots(r);
    r->step = ARENA_NEW(arena, struct roll_step, r->steps * r->classes + 1);
    for (int k = 0; k < r->classes; k++) {
        if (!r->class[k].stepped)
            continue;
        struct steps s = {.p = p, .r = r, .class = &r->class[k]};
        struct roll_step *step = &r->step[r->steps * k];
        bool more = r->steps == ROLL_STEPS;
        make_body(&s);
        if (r->plane) {
            struct plane_motion m = plane_velocities(&s, &step[0]);
            struct plane_column c = plane_forces(&s, &m, rotors, &step[1]);
            plane_accelerations(&s, &m, &c, &step[2]);
            if (more)
                plane_more_forces(&s, &m, &c, &step[3]);
            if (more)
                plane_accelerations(&s, &m, &c, &step[4]);
            continue;
        }
        struct spatial B = velocities(&s, &step[0]), W = forces(&s, B, rotors, &step[1]);
        accelerations(&s, B, W, &step[2]);
        if (more)
            more_forces(&s, W, &step[3]);
        if (more)
            accelerations(&s, spatial_zero(p), W, &step[4]);
        for (int i = 0; i < r->steps; i++)
            read_sines(&s, &step[i]);
    }
}
