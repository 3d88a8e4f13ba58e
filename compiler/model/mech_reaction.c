/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reactions: the force and the moment that a joint exerts on its second body (design 0009).
 *
 * A joint that brings constraints has them in its multipliers.  One that brings coordinates has none; there every body gets a virtual
 * displacement of its own, a small rigid motion in space (d, theta) about the origin of space, with a rate of its own.  What the energies,
 * forces and constraints say about it is, by Lagrange's equations for a body freed of all joints of the tree,
 *     W = d/dt dT/d(rate) - dT/d(shift) + dV/d(shift) + dD/d(rate) + lambda' dg/d(shift) - Q,
 * the wrench that its joints must bring; summed over all bodies beyond a joint only that joint's own is left.  At the end the symbols of the
 * displacements, which are parameters beyond those of the model, become zero again. */
#include "model/mechanism.h"

#include <stdlib.h>
#include <string.h>

/* --- virtual displacements --------------------------------------------------------------------------------------- */

enum { TWIST = 6 };

/* In a plane: along x and y, about z. */
static bool twist_has(const struct check *k, int i) { return k->mech->spatial || i < 2 || i == 5; }

static struct vec half(const Expr *six, int from) { return (struct vec){{six[from], six[from + 1], six[from + 2]}}; }

static struct motion motion_shifted(struct check *k, const struct motion *m, const struct twist *t)
{
    struct pool *p = k->pool;
    struct vec turn = half(t->shift, 3), rate = half(t->rate, 3);
    struct motion x = *m;
    x.r = vec_add(p, m->r, vec_add(p, half(t->shift, 0), vec_cross(p, turn, m->r)));
    if (k->mech->spatial) {
        struct mat R = m->R.B;
        for (int j = 0; j < 3; j++) {
            struct vec c = vec_cross(p, turn, mat_column(&m->R.B, j));
            for (int i = 0; i < 3; i++)
                R.m[i][j] = expr_add(p, m->R.B.m[i][j], c.x[i]);
        }
        x.R.plain = false;
        x.R.B = R;
    } else {
        struct rotation z = rotation_turn(p, 2, turn.x[2]);
        x.R = rotation_mul(p, &z, &m->R);
    }
    x.u = vec_add(p, m->u, rotation_apply_back(p, &m->R, vec_add(p, half(t->rate, 0), vec_cross(p, rate, m->r))));
    x.w = vec_add(p, m->w, rotation_apply_back(p, &m->R, rate));
    return x;
}

/* A parameter more that is zero. */
static Expr virtual_new(struct check *k, Expr rate, const char *name)
{
    Expr e = expr_sym(k->pool, SYM_PARAM, k->m->param.n + k->virtual.n, name);
    VEC_PUSH(k->virtual, ((struct virtual_pair){e, rate}));
    return e;
}

void mech_release(struct check *k)
{
    struct mechanism *m = k->mech;
    if (!k->reactions)
        return;
    for (int i = 1; i < m->body.n; i++) {
        struct mech_body *b = &m->body.at[i];
        b->twist = ARENA_NEW(k->arena, struct twist, 1);
        for (int c = 0; c < TWIST; c++) {
            bool has = twist_has(k, c);
            b->twist->rate[c] = has ? virtual_new(k, k->pool->zero, "virtual velocity") : k->pool->zero;
            b->twist->shift[c] = has ? virtual_new(k, b->twist->rate[c], "virtual displacement") : k->pool->zero;
        }
        b->unshifted = b->motion;
        b->motion = motion_shifted(k, &b->unshifted, b->twist);
    }
    m->body.at[0].unshifted = m->body.at[0].motion;
    mech_defaults(k);
}

const struct motion *mech_unshifted(const struct check *k, int body)
{
    const struct mech_body *b = &k->mech->body.at[body];
    return k->reactions ? &b->unshifted : &b->motion;
}

/* Forces along velocities, where a virtual velocity is in them: what they do on each body. */
void mech_release_apply(struct check *k, int n, const Expr *hold, const Expr *force, const Expr *velocity)
{
    struct mechanism *m = k->mech;
    struct pool *p = k->pool;
    Expr term[TWIST], Q[TWIST];
    if (!k->reactions)
        return;
    for (int i = 0; i < n; i++)
        term[i] = expr_mul(p, hold[i], velocity[i]);
    Expr power = expr_sum(p, n, term);
    for (int b = 1; b < m->body.n; b++) {
        struct twist *t = m->body.at[b].twist;
        for (int c = 0; c < TWIST; c++) {
            Q[c] = t->rate[c] == p->zero ? p->zero : expr_diff(p, power, t->rate[c]);
            if (Q[c] == p->zero)
                continue;
            expr_substitute(p, n, hold, force, 1, &Q[c], &Q[c]);
            t->force[c] = t->force[c] ? expr_add(p, t->force[c], Q[c]) : Q[c];
        }
    }
}

/* --- wrenches ---------------------------------------------------------------------------------------------------- */

struct wrench {
    Expr x[TWIST];              /* force, moment about the origin of space; on body b of the joint */
};

/* Gradient of e by all shifts or rates, body after body. */
static Expr *by_twists(struct check *k, Expr e, bool rate)
{
    struct mechanism *m = k->mech;
    int n = TWIST * m->body.n, used = 0;
    Expr *out = mem_grow(NULL, 2 * (size_t)n + 1, sizeof *out), *var = out + n;
    for (int i = 0; i < n; i++) {
        const struct twist *t = m->body.at[i / TWIST].twist;
        Expr s = !t ? k->pool->zero : rate ? t->rate[i % TWIST] : t->shift[i % TWIST];
        if (s != k->pool->zero)
            var[used++] = s;
    }
    Expr *d = mem_grow(NULL, (size_t)used + 1, sizeof *d);
    expr_reverse(k->pool, e, used, var, d);
    for (int i = n - 1; i >= 0; i--) {
        const struct twist *t = m->body.at[i / TWIST].twist;
        out[i] = t && t->shift[i % TWIST] != k->pool->zero ? d[--used] : k->pool->zero;
    }
    free(d);
    return out;
}

static void quiet(struct check *k, int n, Expr *e)
{
    Expr *from = mem_grow(NULL, 2 * (size_t)k->virtual.n + 1, sizeof *from), *to = from + k->virtual.n;
    for (int i = 0; i < k->virtual.n; i++) {
        from[i] = k->virtual.at[i].symbol;
        to[i] = k->pool->zero;
    }
    expr_substitute(k->pool, k->virtual.n, from, to, n, e, e);
    free(from);
}

/* The multipliers times the constraints that are on positions, or those on velocities. */
static Expr held_by(struct check *k, bool positions)
{
    const struct model *m = k->m;
    int from = positions ? 0 : m->holonomic, to = positions ? m->holonomic : m->constraint.n;
    Expr *t = mem_grow(NULL, (size_t)(to - from) + 1, sizeof *t);
    for (int i = from; i < to; i++)
        t[i - from] = expr_mul(k->pool, m->constraint.at[i].lambda, m->constraint.at[i].g);
    Expr sum = expr_sum(k->pool, to - from, t);
    free(t);
    return sum;
}

/* What each body's joints must bring, six components a body. */
static Expr *body_wrenches(struct check *k)
{
    struct pool *p = k->pool;
    const struct model *m = k->m;
    int n = TWIST * k->mech->body.n;
    Expr T = terms_sum(p, m->kinetic.n, m->kinetic.at), V = terms_sum(p, m->potential.n, m->potential.at);
    Expr D = terms_sum(p, m->dissipation.n, m->dissipation.at);
    Expr *momentum = by_twists(k, T, true);
    Expr *shifted = by_twists(k, expr_add(p, expr_sub(p, V, T), held_by(k, true)), false);
    Expr *moved = by_twists(k, expr_add(p, D, held_by(k, false)), true);
    quiet(k, n, momentum);
    struct value x = {.rank = 1, .rows = n, .cols = 1, .at = ARENA_NEW(k->arena, struct scalar, n)};
    for (int i = 0; i < n; i++)
        x.at[i].e = momentum[i];
    struct value rate = value_prime(k, SPAN_NONE, x);
    for (int i = 0; rate.at && i < n; i++) {
        const struct twist *t = k->mech->body.at[i / TWIST].twist;
        Expr Q = t && t->force[i % TWIST] ? t->force[i % TWIST] : p->zero;
        momentum[i] = expr_sum(p, 4, (Expr[]){rate.at[i].e, shifted[i], moved[i], expr_neg(p, Q)});
    }
    quiet(k, n, momentum);
    free(shifted);
    free(moved);
    return momentum;
}

static bool is_beyond(const struct mechanism *m, int body, int root)
{
    while (body != root && body > 0)
        body = m->body.at[body].parent;
    return body == root;
}

/* A contact beyond the joint pushes with a force that no expression has. */
static bool contact_beyond(struct check *k, const struct mech_joint *j, int root, struct span at)
{
    struct pool *p = k->pool;
    for (int b = 1; b < k->mech->body.n; b++)
        for (int c = 0; c < TWIST && is_beyond(k->mech, b, root); c++)
            for (int i = 0; i < k->m->touch.n; i++) {
                const struct twist *t = k->mech->body.at[b].twist;
                const struct model_touch *row = &k->m->touch.at[i];
                Expr s = row->holonomic ? t->shift[c] : t->rate[c];
                if (s == p->zero || expr_diff(p, row->value, s) == p->zero)
                    continue;
                diag_error(k->diags, at, "the reaction of '%s' is not known: '%s' pushes at '%s' beyond it, and its force has no name; with "
                           "'coordinates absolute' it is", j->name, row->name, k->mech->body.at[b].name);
                return true;
            }
    return false;
}

/* A direction of a joint's frame, in space axes. */
static struct vec in_space(struct check *k, const struct mech_end *e, struct vec local)
{
    struct pool *p = k->pool;
    return rotation_apply(p, &mech_unshifted(k, e->body)->R, rotation_apply(p, &e->frame, local));
}

static struct vec without(struct pool *p, struct vec v, struct vec axis)
{
    return vec_sub(p, v, vec_scale(p, vec_dot(p, v, axis), axis));
}

static struct vec along(struct pool *p, struct vec v, struct vec axis)
{
    return vec_scale(p, expr_div(p, vec_dot(p, v, axis), vec_dot(p, axis, axis)), axis);
}

/* What goes through the joint is the reaction and what drives, springs ... on its coordinates do: that has the directions in which the joint
 * moves, and is left out, as it is where multipliers say what the reaction is.  f, t: at the place on b. */
static void only_reaction(struct check *k, const struct mech_joint *j, struct vec *f, struct vec *t)
{
    struct pool *p = k->pool;
    for (int i = 0; i < JOINT_STEPS && j->kind->step[i].motion != STEP_NONE; i++) {
        const struct joint_step *s = &j->kind->step[i];
        struct vec axis = in_space(k, s->axis == STEP_AXIS2 ? &j->b : &j->a, joint_step_axis(p, j, s));
        switch (s->motion) {
        case STEP_NONE:
            break;
        case STEP_TURN:
            *t = k->mech->spatial ? without(p, *t, axis) : vec_zero(p);
            break;
        case STEP_SLIDE:
            *f = without(p, *f, axis);
            break;
        case STEP_SCREW:        /* no power along the thread: t.a = -pitch f.a */
            *t = vec_sub(p, without(p, *t, axis), vec_scale(p, expr_mul(p, j->pitch, vec_dot(p, *f, axis)), axis));
            break;
        case STEP_ORIENTATION:
            *t = vec_zero(p);
            break;
        case STEP_SHIFT:        /* along the rod */
            *f = along(p, *f, vec_sub(p, motion_point(p, mech_unshifted(k, j->b.body), j->b.at), motion_point(p, mech_unshifted(k, j->a.body), j->a.at)));
            break;
        case STEP_ROTATION:     /* against the twist of the shafts, as its constraint has it */
            *t = along(p, *t, vec_sub(p, vec_cross(p, in_space(k, &j->b, j->n2), in_space(k, &j->a, j->n1)),
                                      vec_cross(p, in_space(k, &j->b, j->n1), in_space(k, &j->a, j->n2))));
            break;
        }
    }
}

/* Minus the multipliers of the joint's own rows. */
static struct wrench wrench_of_rows(struct check *k, const struct mech_joint *j)
{
    struct pool *p = k->pool;
    const struct mech_body *on = &k->mech->body.at[j->b.body ? j->b.body : j->a.body];
    struct wrench w;
    for (int c = 0; c < TWIST; c++)
        w.x[c] = p->zero;
    for (int g = 0; g < k->groups.n; g++)
        for (int i = 0; k->groups.at[g].name == j->name && i < k->groups.at[g].rows * k->groups.at[g].cols; i++) {
            const struct constraint_row *r = &k->groups.at[g].at[i];
            for (int c = 0; c < TWIST; c++) {
                Expr s = r->holonomic ? on->twist->shift[c] : on->twist->rate[c];
                Expr d = s == p->zero ? p->zero : expr_mul(p, k->m->constraint.at[r->row].lambda, expr_diff(p, r->g, s));
                w.x[c] = j->b.body ? expr_sub(p, w.x[c], d) : expr_add(p, w.x[c], d);
            }
        }
    quiet(k, TWIST, w.x);
    return w;
}

static struct wrench wrench_of_tree(struct check *k, const struct mech_joint *j, const Expr *each)
{
    struct pool *p = k->pool;
    const struct mechanism *m = k->mech;
    int root = j->reversed ? j->a.body : j->b.body;
    struct wrench w;
    Expr *t = mem_grow(NULL, (size_t)m->body.n + 1, sizeof *t);
    for (int c = 0; c < TWIST; c++) {
        int n = 0;
        for (int b = 1; b < m->body.n; b++)
            if (is_beyond(m, b, root))
                t[n++] = each[TWIST * b + c];
        w.x[c] = expr_sum(p, n, t);
        if (j->reversed)
            w.x[c] = expr_neg(p, w.x[c]);
    }
    free(t);
    return w;
}

/* --- what expressions see --------------------------------------------------------------------------------------------- */

struct value mech_reaction(struct check *k, struct span span, int joint, bool moment)
{
    const struct mech_joint *j = &k->mech->joint.at[joint];
    int n = !k->mech->spatial && moment ? 1 : k->mech->spatial ? 3 : 2, first = !moment ? 0 : k->mech->spatial ? 3 : 5;
    struct value v = value_new(k, span, n > 1, n, 1);
    for (int i = 0; v.at && i < n; i++) {
        Expr known = 0;
        for (int u = 0; u < k->unknown.n && !known; u++)
            if (k->unknown.at[u].kind == UNKNOWN_REACTION && k->unknown.at[u].joint == joint && k->unknown.at[u].part == first + i)
                known = k->unknown.at[u].sym;
        const char *name = arena_printf(k->arena, "%s.%s.%c", j->name, moment ? "moment" : "reaction", "xyz"[first % 3 + i]);
        if (!known)
            known = unknown_new(k, (struct unknown){.kind = UNKNOWN_REACTION, .span = span, .joint = joint, .part = first + i}, name);
        v.at[i] = (struct scalar){known, mech_dim(k, moment ? 2 : 1, 1, -2)};
    }
    return v;
}

Expr mech_row_effort(struct check *k, struct span span, const char *row, Expr factor)
{
    return unknown_new(k, (struct unknown){.kind = UNKNOWN_ROW, .span = span, .row = row, .factor = factor}, arena_printf(k->arena, "effort of %s", row));
}

static Expr row_value(struct check *k, const struct unknown *u)
{
    for (int g = 0; g < k->groups.n; g++)
        if (k->groups.at[g].name == u->row && k->groups.at[g].rows)
            return expr_neg(k->pool, expr_mul(k->pool, u->factor, k->m->constraint.at[k->groups.at[g].at[0].row].lambda));
    return k->pool->zero;
}

/* The six components of one joint. */
static void reaction(struct check *k, const struct mech_joint *j, const Expr *each, struct span at, Expr out[TWIST])
{
    struct pool *p = k->pool;
    bool rows = k->mech->absolute || !j->tree;
    if (!rows && contact_beyond(k, j, j->reversed ? j->a.body : j->b.body, at))
        return;
    struct wrench w = rows ? wrench_of_rows(k, j) : wrench_of_tree(k, j, each);
    struct vec f = half(w.x, 0), place = motion_point(p, mech_unshifted(k, j->b.body), j->b.at);
    struct vec t = vec_sub(p, half(w.x, 3), vec_cross(p, place, f));
    if (!rows)
        only_reaction(k, j, &f, &t);
    for (int c = 0; c < 3; c++) {
        out[c] = f.x[c];
        out[3 + c] = t.x[c];
    }
}

void mech_reactions(struct check *k, Expr *value)
{
    Expr *each = NULL, six[TWIST] = {0};
    int last = -1;
    for (int i = 0; i < k->unknown.n; i++) {
        const struct unknown *u = &k->unknown.at[i];
        value[i] = k->pool->zero;
        if (u->kind == UNKNOWN_ROW)
            value[i] = row_value(k, u);
        if (u->kind != UNKNOWN_REACTION || k->diags->errors)
            continue;
        if (!each && !k->mech->absolute)
            each = body_wrenches(k);
        if (u->joint != last)
            reaction(k, &k->mech->joint.at[u->joint], each, u->span, six);
        last = u->joint;
        value[i] = six[u->part];
    }
    free(each);
}
