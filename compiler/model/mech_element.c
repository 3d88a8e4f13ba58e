/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What force elements share: where one acts, how it is read, what it does. */
#include "model/element.h"

#include <stdlib.h>
#include <string.h>

/* Q = sum force * d(velocity)/dv; hold: symbols in place of the forces, which are not to be differentiated. */
static void put_forces(struct check *k, struct span span, int n, const Expr *hold, const Expr *force, const Expr *velocity)
{
    struct pool *p = k->pool;
    int coords = k->m->coord.n;
    Expr *term = mem_grow(NULL, (size_t)n + 2 * (size_t)coords + 2, sizeof *term), *v = term + n, *Q = v + coords;
    for (int i = 0; i < n; i++)
        term[i] = expr_mul(p, hold[i], velocity[i]);
    for (int i = 0; i < coords; i++)
        v[i] = k->m->coord.at[i].v;
    expr_reverse(p, expr_sum(p, n, term), coords, v, Q);
    expr_substitute(p, n, hold, force, coords, Q, Q);
    for (int i = 0; i < coords; i++)
        if (Q[i] != p->zero)
            VEC_PUSH(k->m->force, ((struct model_force){span, i, Q[i]}));
    free(term);
}

void element_apply(struct check *k, struct span span, int n, const Expr *force, const Expr *velocity)
{
    Expr hold[6] = {0};
    for (int i = 0; i < n; i++)
        hold[i] = expr_sym(k->pool, SYM_LOCAL, k->mech->locals++, "force");
    mech_release_apply(k, n, hold, force, velocity);
    if (n == 1)
        put_forces(k, span, n, hold, force, velocity);
    for (int i = 0; n > 1 && i < n; i++)
        VEC_PUSH(k->mech->applied, ((struct mech_applied){span, hold[i], force[i], velocity[i]}));
}

void element_apply_all(struct check *k)
{
    int n = k->mech->applied.n;
    Expr *hold = mem_grow(NULL, 3 * (size_t)n + 1, sizeof *hold), *force = hold + n, *velocity = force + n;
    for (int i = 0; i < n; i++) {
        const struct mech_applied *a = &k->mech->applied.at[i];
        hold[i] = a->hold;
        force[i] = a->force;
        velocity[i] = a->velocity;
    }
    if (n)
        put_forces(k, k->mech->applied.at[0].span, n, hold, force, velocity);
    free(hold);
}

/* Of these clauses only `right` has a meaning here. */
bool element_only(struct reading *x, const char *right, const char *a, const char *b, const char *c)
{
    const char *const all[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        if (all[i] && strcmp(all[i], right) && read_value(x, all[i])) {
            diag_error(x->k->diags, mech_item(x->stmt, all[i])->span, "this %s has no '%s' here; write '%s'", x->noun, all[i], right);
            return false;
        }
    return true;
}

/* J.angle or the name of a coordinate; a joint with one coordinate may go by its own name. */
bool element_slot(struct check *k, struct scope *s, const struct ast_expr *e, int *joint, int *slot)
{
    bool name = e->kind == AST_NAME || e->kind == AST_INDEX || e->kind == AST_MEMBER;
    const char *whole = name ? eval_name(k, s, e) : NULL;
    if (!whole)
        return false;
    if (mech_slot_find(k, s, e, joint, slot))
        return true;
    *joint = mech_joint_seen(k, s, whole);
    *slot = 0;
    return *joint >= 0 && joint_coords(&k->mech->joint.at[*joint]) == 1;
}

static bool read_pair(struct reading *x, const struct ast_item *it, struct mech_end *a, struct mech_end *b)
{
    struct check *k = x->k;
    if (!it->value || it->value->kind != AST_AND) {
        diag_error(k->diags, it->span, "write: between A.P and B.Q");
        return false;
    }
    if (!mech_end_read(k, x->scope, it->value->arg[0], a) || !mech_end_read(k, x->scope, it->value->arg[1], b))
        return false;
    if (a->body == b->body) {
        diag_error(k->diags, it->span, "both ends of the %s are on '%s'", x->noun, k->mech->body.at[a->body].name);
        return false;
    }
    VEC_PUSH(k->mech->body.at[a->body].held, a->at);
    VEC_PUSH(k->mech->body.at[b->body].held, b->at);
    return true;
}

bool element_where(struct reading *x, struct where *w)
{
    const struct ast_item *between = mech_item(x->stmt, "between"), *on = mech_item(x->stmt, "on");
    *w = (struct where){0};
    if (between && !on)
        return read_pair(x, between, &w->a, &w->b);
    if (!on || between) {
        diag_error(x->k->diags, x->stmt->span, "a %s acts 'between A and B' or 'on' a joint", x->noun);
        return false;
    }
    const struct ast_expr *e = on->target ? on->target : on->value;
    w->on_joint = true;
    if (!e || !element_slot(x->k, x->scope, e, &w->joint, &w->slot)) {
        diag_error(x->k->diags, on->span, "a %s acts on a joint with one coordinate, or on a coordinate such as J.angle", x->noun);
        return false;
    }
    return true;
}

bool element_has_line(struct reading *x, const struct where *w)
{
    struct check *k = x->k;
    const struct mech_joint *by = w->on_joint ? NULL : mech_held(k, &w->a, &w->b);
    if (!by)
        return true;
    struct span span = mech_item(x->stmt, "between")->span;
    diag_error(k->diags, span, "both ends of the %s are one place, the joint '%s' holds them together: its force has no direction", x->noun, by->name);
    if (joint_coords(by) == 1)
        diag_note(k->diags, span, "springs and dampers about the joint are written: on %s", by->name);
    return false;
}

bool element_pair(struct reading *x, struct where w[2])
{
    struct check *k = x->k;
    const struct ast_item *it = mech_item(x->stmt, "between");
    if (!it || !it->value || it->value->kind != AST_AND) {
        diag_error(k->diags, x->stmt->span, "write: %s NAME: between J1 and J2, ...", x->noun);
        return false;
    }
    for (int i = 0; i < 2; i++) {
        w[i] = (struct where){.on_joint = true};
        if (!element_slot(k, x->scope, it->value->arg[i], &w[i].joint, &w[i].slot)) {
            diag_error(k->diags, it->value->arg[i]->span, "a %s connects joints with one coordinate, or coordinates such as J.angle", x->noun);
            return false;
        }
    }
    return true;
}

/* The coordinate of a joint and its rate. */
bool element_motion(struct reading *x, const struct where *w, Expr *q, Expr *dq, bool *length)
{
    struct check *k = x->k;
    struct value v = mech_coordinate(k, x->stmt->span, w->joint, w->slot);
    struct value d = v.at ? value_prime(k, x->stmt->span, v) : VALUE_NONE;
    if (!d.at)
        return false;
    *q = v.at[0].e;
    *dq = d.at[0].e;
    *length = joint_coord_is_length(&k->mech->joint.at[w->joint], w->slot);
    x->turning = !*length;
    return true;
}

/* The angle of a joint that closes a loop in space is not known, its rate is. */
bool element_rate(struct reading *x, const struct where *w, Expr *q, Expr *dq, bool *length)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    const struct mech_joint *j = &k->mech->joint.at[w->joint];
    static const char *const about_axis[] = {"revolute", "cylindrical", "screw"};
    bool turns = false;
    for (size_t i = 0; i < sizeof about_axis / sizeof *about_axis; i++)
        turns |= !strcmp(j->kind->name, about_axis[i]) && !joint_coord_is_length(j, w->slot);
    if (!turns || mech_joint_value(k, j, w->slot))
        return element_motion(x, w, q, dq, length);
    const struct motion *a = &k->mech->body.at[j->a.body].motion, *b = &k->mech->body.at[j->b.body].motion;
    struct vec wa = rotation_apply(p, &a->R, vec_add(p, a->w, j->a.turn)), wb = rotation_apply(p, &b->R, vec_add(p, b->w, j->b.turn));
    *q = 0;
    *dq = vec_dot(p, vec_sub(p, wb, wa), rotation_apply(p, &a->R, rotation_apply(p, &j->a.frame, j->axis)));
    *length = false;
    x->turning = true;
    return true;
}

const char *element_name(struct reading *x)
{
    return full_name(x->k, x->scope, eval_name(x->k, x->scope, x->stmt->name));
}

/* Length or angle, its rate, the force against its growth, and the power that it takes from the mechanism. */
void element_tell(struct reading *x, const struct where *w, bool length, Expr q, Expr dq, Expr force)
{
    struct check *k = x->k;
    const char *name = element_name(x);
    struct dim dim = mech_length_or_angle(k, length), second = mech_dim(k, 0, 0, 1);
    if (q)
        mech_tells(k, name, !w->on_joint ? "length" : length ? "distance" : "angle", q, dim);
    mech_tells(k, name, "rate", dq, dim_div(dim, second));
    mech_tells(k, name, length ? "force" : "torque", force, length ? mech_dim(k, 1, 1, -2) : mech_dim(k, 2, 1, -2));
    mech_tells_power(k, name, expr_mul(k->pool, force, dq), false);
}
