/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A robot as MJCF: nested bodies.  Links without mass that lead to one other link are joints of that one: T J1 P J2 is (T P)(P^-1 J1 P) J2,
 * so that the first joint stands in the axes of the last body. */
#include "config.h"
#include "import/export.h"

#include <math.h>
#include <string.h>

enum { CHAIN = 16, DEPTH = 150 };

struct mjcf_writer {
    struct robot *r;
    FILE *f;
    int *first, *next;          /* joints below a link */
    int *frame, *more;          /* frames on it */
};

static const char *three(const struct robot *r, const double *x)
{
    return arena_printf(r->arena, "%s %s %s", number_text(r, x[0]), number_text(r, x[1]), number_text(r, x[2]));
}

static const char *place(const struct robot *r, const struct pose *p)
{
    const char *text = "";
    if (p->at[0] != 0 || p->at[1] != 0 || p->at[2] != 0)
        text = arena_printf(r->arena, " pos=\"%s\"", three(r, p->at));
    if (!p->turns)
        return text;
    double x[3] = {p->R[0][0], p->R[1][0], p->R[2][0]}, y[3] = {p->R[0][1], p->R[1][1], p->R[2][1]};
    return arena_printf(r->arena, "%s xyaxes=\"%s %s\"", text, three(r, x), three(r, y));
}

static bool heavy(const struct robot_link *l)
{
    bool any = l->mass != 0;
    for (int i = 0; i < 6; i++)
        any = any || l->J[i] != 0;
    return any;
}

static bool joint_text(struct mjcf_writer *w, const struct robot_joint *j, const struct pose *in, int indent)
{
    static const char *const type[ROBOT_JOINT_KINDS] = {[ROBOT_REVOLUTE] = "hinge", [ROBOT_PRISMATIC] = "slide", [ROBOT_SPHERICAL] = "ball", [ROBOT_FREE] = "free"};
    struct robot *r = w->r;
    double axis[3];
    if (!type[j->kind])
        return robot_fail(r, r->file, 0, "MJCF has no %s joint ('%s')", robot_kind_name[j->kind], j->id);
    if (j->kind == ROBOT_FREE) {
        if (j->parent != 0)
            return robot_fail(r, r->file, 0, "in MJCF the free joint '%s' must start from the ground", j->id);
        fprintf(w->f, "%*s<freejoint name=\"%s\"/>\n", indent, "", j->id);
        return true;
    }
    pose_rotate(in, j->axis, axis);
    fprintf(w->f, "%*s<joint name=\"%s\" type=\"%s\"", indent, "", j->id, type[j->kind]);
    if (in->at[0] != 0 || in->at[1] != 0 || in->at[2] != 0)
        fprintf(w->f, " pos=\"%s\"", three(r, in->at));
    if (j->kind != ROBOT_SPHERICAL)
        fprintf(w->f, " axis=\"%s\"", three(r, axis));
    if (j->damping != 0)
        fprintf(w->f, " damping=\"%s\"", number_text(r, j->damping));
    if (j->armature != 0)
        fprintf(w->f, " armature=\"%s\"", number_text(r, j->armature));
    if (j->limited && !isinf(j->lower) && !isinf(j->upper))
        fprintf(w->f, " range=\"%s %s\"", number_text(r, j->lower), number_text(r, j->upper));
    else if (j->limited)
        robot_lose(r, &r->lost, 0, "the only stop of '%s': MJCF has two or none", j->id);
    fputs("/>\n", w->f);
    return true;
}

static bool body_text(struct mjcf_writer *w, int joint, int depth)
{
    struct robot *r = w->r;
    struct { int joint; struct pose from; } chain[CHAIN];
    struct pose at = pose_identity();
    int n = 0, link, indent = 4 + 2 * depth;
    if (depth > DEPTH)
        return robot_fail(r, r->file, 0, "MJCF with bodies nested more than %d deep is not written", DEPTH);
    for (;; joint = w->first[link]) {   /* over links without mass */
        const struct robot_joint *j = &r->joint.at[joint];
        if (n == CHAIN)
            return robot_fail(r, r->file, 0, "more than %d joints without mass between them", CHAIN);
        at = pose_mul(&at, &j->a);
        chain[n].joint = joint;
        chain[n++].from = at;           /* where this joint acts, from the parent's axes */
        link = j->child;
        int child = w->first[link];
        if (heavy(&r->link.at[link]) || child < 0 || w->next[child] >= 0 || w->frame[link] >= 0 || r->joint.at[child].kind == ROBOT_FREE)
            break;
    }
    const struct robot_link *l = &r->link.at[link];
    fprintf(w->f, "%*s<body name=\"%s\"%s>\n", indent, "", l->id, place(r, &at));
    struct pose back = pose_inverse(&at);
    for (int i = 0; i < n; i++) {
        struct pose in = pose_mul(&back, &chain[i].from);
        pose_tidy(&in);
        if (!joint_text(w, &r->joint.at[chain[i].joint], &in, indent + 2))
            return false;
    }
    double J[6];
    moments_turn(&l->inertial, l->J, J);
    if (heavy(l))
        fprintf(w->f, "%*s<inertial pos=\"%s\" mass=\"%s\" fullinertia=\"%s %s\"/>\n", indent + 2, "", three(r, l->inertial.at), number_text(r, l->mass), three(r, J), three(r, J + 3));
    else
        robot_lose(r, &r->lost, 0, "the moving body '%s' has no mass, which MuJoCo does not take", l->id);
    for (int i = w->frame[link]; i >= 0; i = w->more[i])
        fprintf(w->f, "%*s<site name=\"%s\"%s/>\n", indent + 2, "", r->frame.at[i].id, place(r, &r->frame.at[i].pose));
    for (int j = w->first[link]; j >= 0; j = w->next[j])
        if (!body_text(w, j, depth + 1))
            return false;
    fprintf(w->f, "%*s</body>\n", indent, "");
    return true;
}

bool write_mjcf(struct robot *r, FILE *f)
{
    struct mjcf_writer w = {.r = r, .f = f};
    size_t n = (size_t)r->link.n, m = (size_t)r->joint.n + 1, k = (size_t)r->frame.n + 1;
    w.first = arena_alloc(r->arena, (2 * n + m + k) * sizeof *w.first);
    w.frame = w.first + n;
    w.next = w.frame + n;
    w.more = w.next + m;
    for (size_t i = 0; i < 2 * n; i++)
        w.first[i] = -1;
    for (int i = r->joint.n - 1; i >= 0; i--) {
        w.next[i] = w.first[r->joint.at[i].parent];
        w.first[r->joint.at[i].parent] = i;
    }
    for (int i = r->frame.n - 1; i >= 0; i--) {
        w.more[i] = w.frame[r->frame.at[i].link];
        w.frame[r->frame.at[i].link] = i;
    }
    fprintf(f, "<mujoco model=\"%s\">\n  <compiler angle=\"radian\"/>\n  <option gravity=\"%s\"/>\n  <worldbody>\n", r->id, three(r, r->gravity));
    for (int i = w.frame[0]; i >= 0; i = w.more[i])
        fprintf(f, "    <site name=\"%s\"%s/>\n", r->frame.at[i].id, place(r, &r->frame.at[i].pose));
    for (int j = w.first[0]; j >= 0; j = w.next[j])
        if (!body_text(&w, j, 0))
            return false;
    fputs("  </worldbody>\n</mujoco>\n", f);
    return true;
}
