/* SPDX-License-Identifier: GPL-3.0-or-later
 * A robot as URDF: a link for each body, joints in their own axes, frames as links without mass. */
#include "config.h"
#include "import/export.h"

#include <math.h>
#include <string.h>

static const char *three(const struct robot *r, const double *x)
{
    return arena_printf(r->arena, "%s %s %s", number_text(r, x[0]), number_text(r, x[1]), number_text(r, x[2]));
}

/* Angles about the fixed axes x, y, z: turns about z, y, x. */
static void origin(struct robot *r, FILE *f, const char *indent, const struct pose *p)
{
    double rpy[3] = {0}, R[3][3];
    struct pose zyx = pose_identity();
    memcpy(R, p->R, sizeof R);
    pose_matrix(&zyx, R);
    for (int i = 0; i < zyx.turns; i++)
        rpy[zyx.turn[i].axis] = zyx.turn[i].angle;
    if (!pose_is_identity(p))
        fprintf(f, "%s<origin xyz=\"%s\" rpy=\"%s\"/>\n", indent, three(r, p->at), three(r, rpy));
}

static const char *end(const struct robot *r, const struct robot_joint *j, double x, const char *none) { return j->limited && !isinf(x) ? number_text(r, x) : none; }

static void link_text(struct robot *r, FILE *f, const struct robot_link *l)
{
    bool heavy = l->mass != 0;
    for (int i = 0; i < 6; i++)
        heavy = heavy || l->J[i] != 0;
    if (!heavy) {
        fprintf(f, "  <link name=\"%s\"/>\n", l->id);
        return;
    }
    fprintf(f, "  <link name=\"%s\">\n    <inertial>\n", l->id);
    origin(r, f, "      ", &l->inertial);
    fprintf(f, "      <mass value=\"%s\"/>\n", number_text(r, l->mass));
    fprintf(f, "      <inertia ixx=\"%s\" ixy=\"%s\" ixz=\"%s\" iyy=\"%s\" iyz=\"%s\" izz=\"%s\"/>\n    </inertial>\n  </link>\n", number_text(r, l->J[0]),
            number_text(r, l->J[3]), number_text(r, l->J[4]), number_text(r, l->J[1]), number_text(r, l->J[5]), number_text(r, l->J[2]));
}

bool write_urdf(struct robot *r, FILE *f)
{
    fprintf(f, "<?xml version=\"1.0\"?>\n<robot name=\"%s\">\n", r->id);
    for (int i = 0; i < r->link.n; i++)
        link_text(r, f, &r->link.at[i]);
    for (int i = 0; i < r->joint.n; i++) {
        const struct robot_joint *j = &r->joint.at[i];
        const char *type = j->kind == ROBOT_REVOLUTE ? j->limited ? "revolute" : "continuous" : j->kind == ROBOT_PRISMATIC ? "prismatic" : j->kind == ROBOT_FREE ? "floating" : NULL;
        if (!type)
            return robot_fail(r, r->file, 0, "URDF has no %s joint ('%s'); --mjcf has", robot_kind_name[j->kind], j->id);
        fprintf(f, "  <joint name=\"%s\" type=\"%s\">\n    <parent link=\"%s\"/>\n    <child link=\"%s\"/>\n", j->id, type, r->link.at[j->parent].id, r->link.at[j->child].id);
        origin(r, f, "    ", &j->a);
        if (j->kind != ROBOT_FREE)
            fprintf(f, "    <axis xyz=\"%s\"/>\n", three(r, j->axis));
        if (j->kind == ROBOT_PRISMATIC || j->limited)           /* which need one */
            fprintf(f, "    <limit lower=\"%s\" upper=\"%s\" effort=\"1e15\" velocity=\"1e15\"/>\n", end(r, j, j->lower, "-1e15"), end(r, j, j->upper, "1e15"));
        if (j->damping != 0)
            fprintf(f, "    <dynamics damping=\"%s\"/>\n", number_text(r, j->damping));
        if (j->armature != 0)
            robot_lose(r, &r->lost, 0, "the rotor on '%s'", j->id);
        fputs("  </joint>\n", f);
    }
    for (int i = 0; i < r->frame.n; i++) {
        const struct robot_frame *x = &r->frame.at[i];
        fprintf(f, "  <link name=\"%s\"/>\n  <joint name=\"%s_fixed\" type=\"fixed\">\n    <parent link=\"%s\"/>\n    <child link=\"%s\"/>\n", x->id, x->id, r->link.at[x->link].id, x->id);
        origin(r, f, "    ", &x->pose);
        fputs("  </joint>\n", f);
    }
    fputs("</robot>\n", f);
    return true;
}
