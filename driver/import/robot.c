/* SPDX-License-Identifier: GPL-3.0-or-later
 * Building a robot, its tree, angles that mean fractions of pi, and links without mass. */
#include "config.h"
#include "import/robot.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char *const robot_kind_name[ROBOT_JOINT_KINDS] = {
    [ROBOT_FIXED] = "fixed",   [ROBOT_REVOLUTE] = "revolute",   [ROBOT_PRISMATIC] = "prismatic", [ROBOT_SPHERICAL] = "spherical",
    [ROBOT_FREE] = "free",     [ROBOT_PLANAR] = "planar",       [ROBOT_UNIVERSAL] = "universal", [ROBOT_SCREW] = "screw",
    [ROBOT_CYLINDRICAL] = "cylindrical",
};

int robot_joint_coords(enum robot_joint_kind kind)
{
    static const int coords[ROBOT_JOINT_KINDS] = {
        [ROBOT_REVOLUTE] = 1, [ROBOT_PRISMATIC] = 1, [ROBOT_SPHERICAL] = 4, [ROBOT_FREE] = 7,
        [ROBOT_PLANAR] = 3,   [ROBOT_UNIVERSAL] = 2, [ROBOT_SCREW] = 1,     [ROBOT_CYLINDRICAL] = 2,
    };
    return coords[kind];
}

void robot_free(struct robot *r)
{
    for (int i = 0; i < r->link.n; i++) {
        free(r->link.at[i].shape.at);
        free(r->link.at[i].comment.at);
        free(r->link.at[i].lost.at);
    }
    for (int i = 0; i < r->joint.n; i++) {
        free(r->joint.at[i].comment.at);
        free(r->joint.at[i].lost.at);
    }
    free(r->link.at);
    free(r->joint.at);
    free(r->gear.at);
    free(r->actuator.at);
    free(r->tendon.at);
    free(r->frame.at);
    free(r->law.at);
    free(r->parameter.at);
    free(r->solid.at);
    free(r->contact.at);
    free(r->pair.at);
    free(r->apart.at);
    free(r->order.at);
    free(r->comment.at);
    free(r->lost.at);
    free(r->renamed.at);
    free(r->underscored.at);
    free(r->snapped.at);
    index_free(&r->links);
    index_free(&r->joints);
    index_free(&r->used);
}

struct robot_link *robot_link_add(struct robot *r, const char *name, int line)
{
    struct robot_link l = {.name = name, .line = line, .joint = -1, .merged = -1};
    l.inertial = l.in_body = pose_identity();
    int *known = index_put(&r->links, name);
    if (*known < 0)
        *known = r->link.n;
    VEC_PUSH(r->link, l);
    return &r->link.at[r->link.n - 1];
}

struct robot_joint *robot_joint_add(struct robot *r, const char *name, int line)
{
    struct robot_joint j = {.name = name, .line = line, .parent = -1, .child = -1, .axis = {0, 0, 1}, .axis2 = {1, 0, 0}};
    j.a = j.b = pose_identity();
    int *known = index_put(&r->joints, name);
    if (*known < 0)
        *known = r->joint.n;
    VEC_PUSH(r->joint, j);
    return &r->joint.at[r->joint.n - 1];
}

int robot_link_find(const struct robot *r, const char *name) { return name ? index_get(&r->links, name) : -1; }
int robot_joint_find(const struct robot *r, const char *name) { return name ? index_get(&r->joints, name) : -1; }

void robot_limit(struct robot *r, struct robot_joint *j, int line, double lower, double upper)
{
    lower = lower <= -1e15 ? -INFINITY : lower;
    upper = upper >= 1e15 ? INFINITY : upper;
    if (isinf(lower) && isinf(upper))
        return;
    const char *why = robot_joint_coords(j->kind) != 1 ? ", which has several coordinates" : !(lower < upper) ? ", which leave no room" : r->no_limits ? "" : NULL;
    if (why) {
        robot_lose(r, &j->lost, line, "limits of '%s', from %g to %g%s", j->name, lower, upper, why);
        return;
    }
    j->limited = true;
    j->lower = lower;
    j->upper = upper;
}

void robot_lose_bounds(struct robot *r)
{
    for (int i = 0; i < r->joint.n; i++) {
        struct robot_joint *j = &r->joint.at[i];
        const char *effort = j->effort > 0 ? arena_printf(r->arena, "effort %g", j->effort) : "", *speed = j->velocity > 0 ? arena_printf(r->arena, "velocity %g", j->velocity) : "";
        if (*effort || *speed)
            robot_lose(r, &j->lost, j->line, "bounds of '%s': %s%s%s", j->name, effort, *effort && *speed ? ", " : "", speed);
    }
}

struct robot_actuator robot_actuator(const char *name, int line)
{
    return (struct robot_actuator){.name = name, .line = line, .joint = -1, .tendon = -1, .frame = -1, .gear = 1, .gain = 1,
                                   .control = {1, -1}, .force = {1, -1}, .effect = {1, -1}};
}

void robot_start(struct robot *r)
{
    for (int i = 0; i < r->joint.n; i++) {
        struct robot_joint *j = &r->joint.at[i];
        double at = j->started ? j->start[0] : 0, nearest = fmin(fmax(at, j->lower), j->upper);
        if (!j->limited || j->loop || j->driven || nearest == at)
            continue;
        if (j->started)
            robot_lose(r, &j->lost, j->line, "the start of '%s' at %g, which is beyond its limits", j->name, at);
        j->start[0] = j->started || isinf(j->lower) || isinf(j->upper) ? nearest : (j->lower + j->upper) / 2;
        j->started = true;
    }
}

bool robot_fail(struct robot *r, const char *file, int line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(r->arena, fmt, ap);
    va_end(ap);
    if (!r->error)
        r->error = line > 0 ? arena_printf(r->arena, "%s:%d: error: %s", file, line, text) : arena_printf(r->arena, "%s: error: %s", file, text);
    return false;
}

void lines_add(struct robot *r, struct robot_lines *lines, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    VEC_PUSH(*lines, arena_vprintf(r->arena, fmt, ap));
    va_end(ap);
}

void robot_lose(struct robot *r, struct robot_lines *lines, int line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(r->arena, fmt, ap);
    va_end(ap);
    VEC_PUSH(*lines, text);
    r->losses++;
    if (r->log)
        fprintf(r->log, "%s:%d: not carried over: %s\n", r->file, line, text);
}

double robot_parameter(struct robot *r, const char *name, double value)
{
    uint64_t bits = UINT64_C(0x7ff8000000000000) | (uint64_t)(r->parameter.n + 1);
    double x;
    memcpy(&x, &bits, sizeof x);
    VEC_PUSH(r->parameter, ((struct robot_parameter){name, NULL, value}));
    return x;
}

int parameter_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? (int)(bits & 0xffffffff) - 1 : -1;
}

/* --- tree ------------------------------------------------------------------------------------------------------- */

static bool one_parent(struct robot *r)
{
    for (int i = 0; i < r->joint.n; i++) {
        struct robot_joint *j = &r->joint.at[i];
        struct robot_link *child = &r->link.at[j->child];
        if (j->loop)
            continue;
        if (j->parent == j->child)
            return robot_fail(r, r->file, j->line, "the joint '%s' connects the link '%s' with itself", j->name, child->name);
        if (child->joint >= 0)
            return robot_fail(r, r->file, j->line, "the link '%s' has two parents, by the joints '%s' and '%s'", child->name,
                              r->joint.at[child->joint].name, j->name);
        child->joint = i;
    }
    return true;
}

/* Depth first, so that the links of a branch stand together, in the order of the file. */
static void order_branch(struct robot *r, const int *first, const int *next)
{
    struct { int *at; int n, cap; } stack = {0};
    VEC_PUSH(stack, r->root);
    while (stack.n) {
        int l = stack.at[--stack.n], from = stack.n;
        VEC_PUSH(r->order, l);
        for (int j = first[l]; j >= 0; j = next[j])
            VEC_PUSH(stack, r->joint.at[j].child);
        for (int a = from, b = stack.n - 1; a < b; a++, b--) {
            int swap = stack.at[a];
            stack.at[a] = stack.at[b];
            stack.at[b] = swap;
        }
    }
    free(stack.at);
}

bool robot_tree(struct robot *r)
{
    if (!r->link.n)
        return robot_fail(r, r->file, 0, "there is no link in this %s file", r->format);
    if (!one_parent(r))
        return false;
    r->root = -1;
    for (int i = 0; i < r->link.n; i++) {
        if (r->link.at[i].joint >= 0)
            continue;
        if (r->root >= 0)
            return robot_fail(r, r->file, r->link.at[i].line, "no joint leads to the link '%s', nor to '%s': a robot has one root", r->link.at[i].name,
                              r->link.at[r->root].name);
        r->root = i;
    }
    if (r->root < 0)
        return robot_fail(r, r->file, r->link.at[0].line, "the joints go round in a circle: every link has a parent");
    int *first = mem_grow(NULL, (size_t)r->link.n + (size_t)r->joint.n + 1, sizeof *first), *next = first + r->link.n;
    for (int i = 0; i < r->link.n; i++)
        first[i] = -1;
    for (int i = r->joint.n - 1; i >= 0; i--)
        if (!r->joint.at[i].loop) {
            next[i] = first[r->joint.at[i].parent];
            first[r->joint.at[i].parent] = i;
        }
    r->order.n = 0;
    order_branch(r, first, next);
    free(first);
    if (r->order.n == r->link.n)
        return true;
    bool *seen = mem_grow(NULL, (size_t)r->link.n, sizeof *seen);
    memset(seen, 0, (size_t)r->link.n);
    for (int i = 0; i < r->order.n; i++)
        seen[r->order.at[i]] = true;
    for (int i = 0; i < r->link.n && !r->error; i++)
        if (!seen[i])
            robot_fail(r, r->file, r->link.at[i].line, "the joints go round in a circle through the link '%s'", r->link.at[i].name);
    free(seen);
    return false;
}

/* --- angles ----------------------------------------------------------------------------------------------------- */

bool angle_snap(double *angle)
{
    for (int part = 4; part <= 6; part += 2) {
        double n = rint(*angle * part / M_PI), near = n * M_PI / part;
        if (fabs(*angle - near) <= 1e-4) {
            *angle = near;
            return true;
        }
    }
    return false;
}

void robot_snap_pose(struct robot *r, struct pose *p, const char *of, const char *name)
{
    if (r->keep_angles)
        return;
    struct pose fresh = pose_identity();
    memcpy(fresh.at, p->at, sizeof fresh.at);
    for (int i = 0; i < p->turns; i++) {
        double was = p->turn[i].angle, is = was;
        if (angle_snap(&is) && fabs(is - was) > 1e-15 * fmax(1, fabs(was)))
            lines_add(r, &r->snapped, "%s of %s %s", number_text(r, was), of, name);
        pose_turn(&fresh, p->turn[i].axis, is);
    }
    *p = fresh;
}

void robot_snap(struct robot *r)
{
    for (int i = 0; i < r->joint.n; i++) {
        robot_snap_pose(r, &r->joint.at[i].a, "joint", r->joint.at[i].name);
        robot_snap_pose(r, &r->joint.at[i].b, "joint", r->joint.at[i].name);
        struct robot_joint *j = &r->joint.at[i];
        for (int end = 0; end < 2 && j->limited && j->kind == ROBOT_REVOLUTE && !r->keep_angles; end++) {
            double *at = end ? &j->upper : &j->lower, was = *at;
            if (isfinite(was) && angle_snap(at) && fabs(*at - was) > 1e-15 * fabs(was))
                lines_add(r, &r->snapped, "%s of limit %s", number_text(r, was), j->name);
        }
    }
    for (int i = 0; i < r->link.n; i++) {
        struct robot_link *l = &r->link.at[i];
        robot_snap_pose(r, &l->inertial, "inertia of", l->name);
        for (int s = 0; s < l->shape.n; s++)
            robot_snap_pose(r, &l->shape.at[s].pose, "shape of", l->name);
    }
    for (int i = 0; i < r->frame.n; i++)
        robot_snap_pose(r, &r->frame.at[i].pose, "frame", r->frame.at[i].name);
}

/* --- links without mass ------------------------------------------------------------------------------------------- */

static bool is_massless(const struct robot_link *l)
{
    for (int i = 0; i < 6; i++)
        if (l->J[i] != 0)
            return false;
    return l->mass == 0;
}

void robot_merge(struct robot *r)
{
    for (int i = 0; i < r->order.n; i++) {
        struct robot_link *l = &r->link.at[r->order.at[i]];
        struct robot_joint *j = l->joint >= 0 ? &r->joint.at[l->joint] : NULL;
        if (!j || j->kind != ROBOT_FIXED || !is_massless(l) || isnan(j->a.at[0] + j->a.at[1] + j->a.at[2] + j->b.at[0] + j->b.at[1] + j->b.at[2]))
            continue;
        struct pose back = pose_inverse(&j->b);
        l->in_body = pose_mul(&j->a, &back);
        l->merged = robot_body_of(r, j->parent, &l->in_body);
    }
}

int robot_body_of(const struct robot *r, int link, struct pose *pose)
{
    const struct robot_link *l = &r->link.at[link];
    if (l->merged < 0)
        return link;
    *pose = pose_mul(&l->in_body, pose);
    return l->merged;
}
