/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The force that a joint transmits across its axis, for friction which it brings about.
 *
 * A joint that brings constraints has it as their multipliers.  A joint of the tree brings none: where its reaction is asked for it gets a seat, which can
 * shift across the axis, and constraints that hold it in place; the multipliers of those are the force. */
#include "model/element.h"

#include <string.h>

/* How the rows of the kinds show that force: all of them across the axis, or x, y, z of space. */
static const struct { const char *kind; bool point; } kinds[] = {
    {"revolute", true}, {"prismatic", false}, {"slot", false}, {"cylindrical", false}, {"screw", false}, {"point_on_line", false},
};

static int kind_of(const struct mech_joint *j)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].kind, j->kind->name))
            return (int)i;
    return -1;
}

/* The joint whose reaction a statement asks for; -1: none. */
static int asked(struct check *k, const struct pending *it)
{
    const struct ast_item *on = mech_item(it->stmt, "on");
    const struct ast_expr *e = on ? on->target ? on->target : on->value : NULL;
    int joint, slot;
    if (it->stmt->word != STMT_FRICTION || !mech_item(it->stmt, "coefficient") || !e || !element_slot(k, it->scope, e, &joint, &slot))
        return -1;
    if (kind_of(&k->mech->joint.at[joint]) >= 0)
        return joint;
    diag_error(k->diags, e->span, "friction with a 'coefficient' is for revolute, prismatic, slot, cylindrical, screw and point_on_line joints; '%s' is %s",
               k->mech->joint.at[joint].name, k->mech->joint.at[joint].kind->name);
    return -1;
}

void mech_seats(struct check *k)
{
    struct mechanism *m = k->mech;
    struct pool *p = k->pool;
    for (int i = 0; i < m->element.n; i++) {
        int joint = asked(k, &m->element.at[i]);
        struct mech_joint *j = joint < 0 ? NULL : &m->joint.at[joint];
        if (!j || !j->tree || m->absolute)
            continue;
        bool turns = kinds[kind_of(j)].point;
        j->seats = m->spatial || turns ? 2 : 1;
        j->seat[0] = m->spatial ? j->n1 : turns ? vec_unit(p, 0) : vec_cross(p, vec_unit(p, 2), j->axis);
        j->seat[1] = m->spatial ? j->n2 : vec_unit(p, 1);
    }
}

static const char *seat_name(struct check *k, const struct mech_joint *j)
{
    return name_of(&k->c->names, arena_printf(k->arena, "%s.seat", j->name));
}

void mech_seat_rows(struct check *k)
{
    for (int i = 0; i < k->mech->joint.n; i++) {
        const struct mech_joint *j = &k->mech->joint.at[i];
        if (!j->seats)
            continue;
        struct constraint_group g = {.name = seat_name(k, j), .span = j->span, .rank = 1, .rows = j->seats, .cols = 1};
        g.at = arena_alloc(k->arena, (size_t)j->seats * sizeof *g.at);
        for (int s = 0; s < j->seats; s++)
            g.at[s] = (struct constraint_row){.g = j->q[joint_coords(j) + s], .dim = mech_dim(k, 1, 0, 0), .holonomic = true,
                                              .name = name_of(&k->c->names, arena_printf(k->arena, "%s%d", g.name, s + 1))};
        VEC_PUSH(k->groups, g);
    }
}

static Expr multiplier(const struct check *k, const char *group, const char *row)
{
    for (int i = 0; i < k->groups.n; i++)
        for (int r = 0; k->groups.at[i].name == group && r < k->groups.at[i].rows; r++)
            if (!strcmp(k->groups.at[i].at[r].name, row))
                return k->m->constraint.at[k->groups.at[i].at[r].row].lambda;
    return k->pool->zero;       /* the row holds by itself */
}

/* The force across the axis of a joint. */
static Expr force_across(struct check *k, const struct mech_joint *j)
{
    static const char *const point[] = {"x", "y", "z"}, *const across[] = {"across1", "across2"}, *const plane[] = {"across"};
    struct pool *p = k->pool;
    bool turns = kinds[kind_of(j)].point;
    int n = j->seats ? j->seats : turns ? k->mech->spatial ? 3 : 2 : k->mech->spatial ? 2 : 1;
    struct vec f = vec_zero(p);
    for (int i = 0; i < n; i++) {
        const char *part = turns ? point[i] : k->mech->spatial ? across[i] : plane[i];
        f.x[i] = j->seats ? multiplier(k, seat_name(k, j), arena_printf(k->arena, "%s%d", seat_name(k, j), i + 1))
                          : multiplier(k, j->name, arena_printf(k->arena, "%s.%s", j->name, part));
    }
    Expr square = vec_dot(p, f, f);
    if (turns && k->mech->spatial && !j->seats) {
        struct vec axis = rotation_apply(p, &k->mech->body.at[j->a.body].motion.R, rotation_apply(p, &j->a.frame, j->axis));
        square = expr_fn2(p, EXPR_MAX, expr_sub(p, square, expr_powi(p, vec_dot(p, f, axis), 2)), p->zero);
    }
    return expr_sqrt(p, square);
}

void mech_seat_forces(struct check *k)
{
    struct pool *p = k->pool;
    for (int i = 0; k->mech && i < k->mech->seat.n; i++) {
        const struct mech_seat *r = &k->mech->seat.at[i];
        if (kind_of(&k->mech->joint.at[r->joint]) < 0)
            continue;           /* reported */
        Expr N = force_across(k, &k->mech->joint.at[r->joint]);
        k->m->contact.at[r->contact].friction = expr_product(p, 3, (Expr[]){r->coefficient, r->arm, N});
        mech_tells(k, r->name, "normal", N, mech_dim(k, 1, 1, -2));
    }
}
