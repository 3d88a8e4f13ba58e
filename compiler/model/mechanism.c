/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The mechanism level, lowered to coordinates, energies and constraints (design 0009).
 *
 * mech_build() is the order of things: bodies, joints, tree, motions, constraints, energies, elements.
 */
#include "model/mechanism.h"


#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIG_TERMS = 200 };      /* of a constraint, looking whether it is zero */

void mech_init(struct check *k)
{
    k->mech = ARENA_NEW(k->arena, struct mechanism, 1);
}

void mech_fini(struct check *k)
{
    struct mechanism *m = k->mech;
    if (!m)
        return;
    for (int i = 0; i < m->body.n; i++)
        free(m->body.at[i].point.at), free(m->body.at[i].held.at);
    free(m->body.at);
    free(m->joint.at);
    free(m->element.at);
    free(m->named.at);
    free(m->quantity.at);
    free(m->applied.at);
    free(m->seat.at);
    free(m->named_table);
    free(m->order.at);
    free(m->start.at);
}

/* --- coordinates and motions -------------------------------------------------------------------------------- */

static const char *part_name(struct check *k, const char *owner, const char *part)
{
    return name_of(&k->c->names, arena_printf(k->arena, "%s.%s", owner, part));
}

/* One row 0 = (e.e - 1)/2 keeps Euler parameters on the unit sphere; T gets c (e.e')^2/2, which is zero there
 * and gives M full rank. */
static void unit_norm(struct check *k, const char *name, struct span span, const Expr e[4], const Expr de[4], Expr inertia)
{
    struct pool *p = k->pool;
    Expr t[4], d[4];
    for (int i = 0; i < 4; i++) {
        t[i] = expr_powi(p, e[i], 2);
        d[i] = expr_mul(p, e[i], de[i]);
    }
    struct constraint_group g = {.name = part_name(k, name, "norm"), .span = span, .rank = 0, .rows = 1, .cols = 1};
    g.at = arena_alloc(k->arena, sizeof *g.at);
    Expr value = expr_mul(p, p->half, expr_sub(p, expr_sum(p, 4, t), p->one));
    g.at[0] = (struct constraint_row){.g = value, .dim = DIM_PURE, .name = g.name, .holonomic = true};
    VEC_PUSH(k->groups, g);
    Expr extra = expr_product(p, 3, (Expr[]){p->two, inertia, expr_powi(p, expr_sum(p, 4, d), 2)});
    VEC_PUSH(k->m->kinetic, ((struct model_term){span, extra, TERM_NORM}));
}

/* A moment of inertia of the body's size: of no consequence on the unit sphere. */
static Expr typical_inertia(struct check *k, const struct mech_body *b)
{
    struct pool *p = k->pool;
    Expr sum = expr_sum(p, 4, (Expr[]){b->inertia.m[0][0], b->inertia.m[1][1], b->inertia.m[2][2],
                                       expr_mul(p, b->mass, vec_dot(p, b->com, b->com))});
    return sum == p->zero ? p->one : sum;
}

/* Symbols for a tree joint: coordinates of the model, or local ones that only serve the start values. */
static void joint_symbols(struct check *k, struct mech_joint *j)
{
    struct pool *p = k->pool;
    for (int i = 0; i < joint_coords(j); i++) {
        const char *name = j->given[i] ? j->given[i] : part_name(k, j->name, joint_coord_part(j, i));
        if (k->mech->absolute) {
            j->q[i] = expr_sym(p, SYM_LOCAL, k->mech->locals++, name);
            j->v[i] = expr_sym(p, SYM_LOCAL, k->mech->locals++, arena_printf(k->arena, "%s'", name));
            continue;
        }
        struct dim dim = joint_coord_dim(k, j, i);
        int c = coord_add(k, name, dim_unit(dim, k->arena), dim, j->given[i] ? j->given_span[i] : j->span);
        if (i == 0)
            j->coord = c;
        j->q[i] = k->m->coord.at[c].q;
        j->v[i] = k->m->coord.at[c].v;
        k->m->coord.at[c].q0 = j->q0[i];
    }
    for (int i = 0; i < j->seats; i++) {
        struct dim dim = mech_length_or_angle(k, true);
        int c = coord_add(k, part_name(k, j->name, arena_printf(k->arena, "seat%d", i + 1)), dim_unit(dim, k->arena), dim, j->span), at = joint_coords(j) + i;
        j->coord = j->coord < 0 ? c : j->coord;
        j->q[at] = k->m->coord.at[c].q;
        j->v[at] = k->m->coord.at[c].v;
    }
}

/* Relative coordinates: each body from its parent. */
static void motion_relative(struct check *k, struct mech_body *b)
{
    struct mechanism *m = k->mech;
    struct mech_joint *j = &m->joint.at[b->joint];
    joint_symbols(k, j);
    b->motion = joint_child(k->pool, j, &m->body.at[b->parent].motion);
    int e = j->kind->orientation;
    if (e >= 0 && !j->sequence)
        unit_norm(k, j->name, j->span, j->q + e, j->v + e, typical_inertia(k, b));
    struct model_road road = {b->name, m->body.at[b->parent].name, j->name, j->kind->name, j->coord, joint_coords(j) + j->seats};
    VEC_PUSH(k->m->road, road);
}

/* Absolute coordinates: position of the centre of mass, and angle or Euler parameters. */
static void motion_absolute(struct check *k, struct mech_body *b)
{
    static const char *const part[7] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
    struct mechanism *m = k->mech;
    struct pool *p = k->pool;
    struct mech_joint *j = &m->joint.at[b->joint];
    Expr q[7], v[7];
    joint_symbols(k, j);
    b->start = joint_child(p, j, &m->body.at[b->parent].start);
    int n = m->spatial ? 7 : 3;
    for (int i = 0; i < n; i++) {
        bool length = i < (m->spatial ? 3 : 2);
        const char *name = part_name(k, b->name, !m->spatial && i == 2 ? "angle" : part[i]);
        struct dim dim = m->spatial && !length ? dim_pure(k) : mech_length_or_angle(k, length);
        int c = coord_add(k, name, dim_unit(dim, k->arena), dim, b->span);
        if (i == 0)
            b->coord = c;
        q[i] = k->m->coord.at[c].q;
        v[i] = k->m->coord.at[c].v;
    }
    struct motion *x = &b->motion;
    struct vec vc = {{v[0], v[1], m->spatial ? v[2] : p->zero}};
    if (m->spatial) {
        x->R = rotation_euler(p, q + 3);
        x->w = rotation_euler_rate(p, q + 3, v + 3);
        unit_norm(k, b->name, b->span, q + 3, v + 3, typical_inertia(k, b));
    } else {
        x->R = rotation_turn(p, 2, q[2]);
        x->w = vec_scale(p, v[2], vec_unit(p, 2));
    }
    struct vec c = {{q[0], q[1], m->spatial ? q[2] : p->zero}};
    x->r = vec_sub(p, c, rotation_apply(p, &x->R, b->com));
    x->u = vec_sub(p, rotation_apply_back(p, &x->R, vc), vec_cross(p, x->w, b->com));
    VEC_PUSH(k->m->road, ((struct model_road){b->name, m->body.at[0].name, "", "absolute", b->coord, n}));
}

static void build_motions(struct check *k)
{
    struct mechanism *m = k->mech;
    m->body.at[0].motion = m->body.at[0].start = motion_ground(k->pool);
    for (int i = 1; i < m->order.n; i++) {
        struct mech_body *b = &m->body.at[m->order.at[i]];
        if (m->absolute)
            motion_absolute(k, b);
        else
            motion_relative(k, b);
    }
    if (k->flow)        /* made for the coordinates known before */
        direction_free(k->flow);
    k->flow = NULL;
    mech_release(k);
    m->moving = k->ready = true;
}

/* --- constraints ------------------------------------------------------------------------------------------------ */

/* Identically zero, if only but for rounding: a plane loop in space keeps its height and its axes by itself, as does one within a rigid body. */
static bool row_is_zero(struct check *k, Expr g)
{
    bool zero;
    if (g == k->pool->zero)
        return true;
    if (!(expr_deps(k->pool, g) & (DEP(SYM_Q) | DEP(SYM_V) | DEP(SYM_TIME))))
        return fabs(mech_default(k, g)) < 1e-12;
    expr_vanish(k->pool, 1, &g, &zero);
    return zero || trig_normal(k->pool, g, TRIG_TERMS) == k->pool->zero;
}

static void joint_constrains(struct check *k, struct mech_joint *j)
{
    struct mechanism *m = k->mech;
    struct mech_row row[JOINT_ROWS], freed[JOINT_ROWS];
    int n = j->kind->rows(k->pool, j, mech_unshifted(k, j->a.body), mech_unshifted(k, j->b.body), row), kept = 0;
    j->kind->rows(k->pool, j, &m->body.at[j->a.body].motion, &m->body.at[j->b.body].motion, freed);
    struct constraint_group g = {.name = j->name, .span = j->span, .rank = 1, .cols = 1};
    g.at = arena_alloc(k->arena, JOINT_ROWS * sizeof *g.at);
    for (int i = 0; i < n; i++) {
        struct dim dim = row[i].length ? mech_dim(k, 1, 0, 0) : mech_dim(k, 0, 0, 0);
        const char *name = part_name(k, j->name, row[i].part);
        if (row_is_zero(k, row[i].g)) {
            VEC_PUSH(k->m->dropped, ((struct model_dropped){name, dim_unit(dim, k->arena), j->span}));
            continue;
        }
        unsigned deps = expr_deps(k->pool, row[i].g);
        if (!(deps & (DEP(SYM_Q) | DEP(SYM_V)))) {
            diag_error(k->diags, j->span, "the joint '%s' cannot be closed: nothing that moves changes its '%s'", j->name, row[i].part);
            return;
        }
        g.at[kept++] = (struct constraint_row){.g = freed[i].g, .dim = dim, .name = name, .holonomic = !(deps & DEP(SYM_V))};
    }
    g.rows = kept;
    if (kept)
        VEC_PUSH(k->groups, g);
    else if (n)
        diag_warning(k->diags, j->span, "the joint '%s' constrains nothing: it holds by the other joints", j->name);
}

/* --- energies ---------------------------------------------------------------------------------------------------- */

static void body_energies(struct check *k, const struct mech_body *b)
{
    struct pool *p = k->pool;
    const struct motion *x = &b->motion;
    if (b->beam) {
        beam_energies(k, b);
        return;
    }
    struct vec vc = motion_velocity(p, x, b->com);
    if (k->mech->absolute)
        for (int i = 0; i < (k->mech->spatial ? 3 : 2); i++)
            vc.x[i] = k->m->coord.at[b->coord + i].v;
    Expr trans = expr_product(p, 3, (Expr[]){p->half, b->mass, vec_dot(p, vc, vc)});
    Expr rot = expr_mul(p, p->half, vec_dot(p, x->w, mat_apply(p, &b->inertia, x->w)));
    Expr T = expr_add(p, trans, rot);
    if (T != p->zero)
        VEC_PUSH(k->m->kinetic, ((struct model_term){b->span, T, TERM_BODY}));
    Expr U = expr_neg(p, expr_mul(p, b->mass, vec_dot(p, k->mech->g, motion_point(p, x, b->com))));
    if (U != p->zero)
        VEC_PUSH(k->m->potential, ((struct model_term){k->mech->gravity->span, U, TERM_BODY}));
}

static void read_gravity(struct check *k)
{
    struct mechanism *m = k->mech;
    m->g = vec_zero(k->pool);
    if (m->gravity)
        mech_vector(k, m->gravity_scope, m->gravity->item.at[0].value, mech_dim(k, 1, 0, -2), DEP(SYM_PARAM), "gravity", &m->g);
}

void mech_build(struct check *k)
{
    struct mechanism *m = k->mech;
    if (!m->body.n) {
        if (m->gravity)
            diag_error(k->diags, m->gravity->span, "gravity acts on bodies, and there are none");
        return;
    }
    mech_teeth(k);
    mech_bodies(k);
    mech_joints(k);
    read_gravity(k);
    if (!k->diags->errors)      /* a joint that was not understood is missed in the tree */
        mech_tree(k);
    if (k->diags->errors) {
        k->stopped = true;
        return;
    }
    mech_seats(k);
    build_motions(k);
    mech_seat_rows(k);
    for (int i = 0; i < m->joint.n; i++)
        if (m->absolute || !m->joint.at[i].tree)
            joint_constrains(k, &m->joint.at[i]);
    for (int i = 1; i < m->body.n; i++) {
        body_energies(k, &m->body.at[i]);
        if (m->body.at[i].rod && m->body.at[i].stmt)
            rod_energies(k, i);
    }
    mech_elements(k);
    mech_draw(k);
    if (k->c->options.handles)
        handle_bodies(k);
}
