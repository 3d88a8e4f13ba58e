/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * URDF: links, and joints that place the child's axes in the parent's.
 *
 * Angles rpy are about fixed axes x, y, z: turns about z, y, x of the moving ones.  The axis of a joint is in the child's axes.  A link
 * with neither <inertial> nor moving joint is a frame.  <mimic> is a gear, <transmission> an actuator. */
#include "config.h"
#include "import/read.h"

#include <string.h>

static bool read_origin(struct robot *r, const struct xml *parent, struct pose *p)
{
    const struct xml *x = xml_child(parent, "origin");
    double rpy[3] = {0}, at[3] = {0}, quat[4];
    if (!x)
        return true;
    if (!read_attribute(r, x, "xyz", 3, at) || !read_attribute(r, x, "rpy", 3, rpy))
        return false;
    *p = pose_at(at[0], at[1], at[2]);
    for (int axis = 2; axis >= 0; axis--)
        pose_turn(p, axis, rpy[axis]);
    if (xml_get(x, "quat_xyzw")) {
        if (!read_attribute(r, x, "quat_xyzw", 4, quat))
            return false;
        double wxyz[4] = {quat[3], quat[0], quat[1], quat[2]};
        if (wxyz[0] == 0 && wxyz[1] == 0 && wxyz[2] == 0 && wxyz[3] == 0)
            return robot_fail(r, x->file, x->line, "'quat_xyzw' has no length");
        pose_quaternion(p, wxyz);
    }
    return true;
}

static bool read_link(struct robot *r, const struct xml *root, const struct xml *x)
{
    const char *name = read_name(r, x, "name");
    if (!name)
        return false;
    if (robot_link_find(r, name) >= 0)
        return robot_fail(r, x->file, x->line, "there are two links '%s'", name);
    struct robot_link *l = robot_link_add(r, name, x->line);
    read_comments(r, root, x, &l->comment);
    read_comments_inside(r, x, &l->comment);
    if (!read_inertial(r, x, l, 0, read_origin) || !read_looks(r, x, l, read_origin))
        return false;
    read_rest(r, x, name, &l->lost);
    return true;
}

static bool read_limits(struct robot *r, const struct xml *x, struct robot_joint *j)
{
    const struct xml *limit = xml_child(x, "limit"), *dynamics = xml_child(x, "dynamics");
    if (dynamics && (!read_attribute(r, dynamics, "damping", 1, &j->damping) || !read_attribute(r, dynamics, "friction", 1, &j->friction) ||
                     !read_attribute(r, dynamics, "spring_stiffness", 1, &j->stiffness) || !read_attribute(r, dynamics, "spring_reference", 1, &j->rest)))
        return false;
    if (!limit)
        return true;
    bool turns_round = !strcmp(xml_get(x, "type"), "continuous");       /* whatever numbers stand there */
    if (!read_attribute(r, limit, "lower", 1, &j->lower) || !read_attribute(r, limit, "upper", 1, &j->upper) ||
        !read_attribute(r, limit, "effort", 1, &j->effort) || !read_attribute(r, limit, "velocity", 1, &j->velocity))
        return false;
    if ((xml_get(limit, "lower") || xml_get(limit, "upper")) && !turns_round)
        robot_limit(r, j, limit->line, j->lower, j->upper);
    return true;
}

static bool read_kind(struct robot *r, const struct xml *x, struct robot_joint *j)
{
    static const struct { const char *type; enum robot_joint_kind kind; } kinds[] = {
        {"revolute", ROBOT_REVOLUTE}, {"continuous", ROBOT_REVOLUTE}, {"prismatic", ROBOT_PRISMATIC}, {"fixed", ROBOT_FIXED},
        {"floating", ROBOT_FREE},     {"planar", ROBOT_PLANAR},       {"spherical", ROBOT_SPHERICAL},
    };
    const char *type = read_name(r, x, "type");
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].type, type)) {
            j->kind = kinds[i].kind;
            return true;
        }
    return type && robot_fail(r, x->file, x->line, "the joint '%s' has the unknown type '%s'", j->name, type);
}

static int read_end(struct robot *r, const struct xml *x, const struct robot_joint *j, const char *end)
{
    const struct xml *e = xml_child(x, end);
    const char *name = read_name(r, e, "link");
    if (!e)
        robot_fail(r, x->file, x->line, "the joint '%s' needs a <%s link=\"...\"/>", j->name, end);
    int link = robot_link_find(r, name);
    if (name && link < 0)
        robot_fail(r, e->file, e->line, "the joint '%s' names a link '%s' that is not there", j->name, name);
    return link;
}

static bool read_joint(struct robot *r, const struct xml *root, const struct xml *x)
{
    const char *name = read_name(r, x, "name");
    const struct xml *axis = xml_child(x, "axis");
    if (!name)
        return false;
    if (robot_joint_find(r, name) >= 0)
        return robot_fail(r, x->file, x->line, "there are two joints '%s'", name);
    struct robot_joint *j = robot_joint_add(r, name, x->line);
    read_comments(r, root, x, &j->comment);
    read_comments_inside(r, x, &j->comment);
    if (!read_kind(r, x, j) || (j->parent = read_end(r, x, j, "parent")) < 0 || (j->child = read_end(r, x, j, "child")) < 0 || !read_origin(r, x, &j->a))
        return false;
    j->axis[0] = 1, j->axis[1] = 0, j->axis[2] = 0;
    if (axis && !read_attribute(r, axis, "xyz", 3, j->axis))
        return false;
    bool uses_axis = j->kind == ROBOT_REVOLUTE || j->kind == ROBOT_PRISMATIC || j->kind == ROBOT_PLANAR;
    if (uses_axis && j->axis[0] == 0 && j->axis[1] == 0 && j->axis[2] == 0)
        return robot_fail(r, x->file, x->line, "the axis of the joint '%s' has no length", name);
    if (j->kind != ROBOT_FIXED && !read_limits(r, x, j))
        return false;
    xml_child(x, "limit"), xml_child(x, "dynamics"), xml_child(x, "mimic");
    read_rest(r, x, arena_printf(r->arena, "the joint '%s'", name), &j->lost);
    return true;
}

static bool read_mimic(struct robot *r, const struct xml *x)
{
    const struct xml *m = xml_child(x, "mimic");
    if (!m)
        return true;
    const char *name = read_name(r, m, "joint");
    int joint = robot_joint_find(r, xml_get(x, "name")), other = robot_joint_find(r, name);
    struct robot_gear g = {.name = arena_printf(r->arena, "%s_mimic", xml_get(x, "name")), .line = m->line, .joint = joint, .other = other, .ratio = 1};
    if (!name || !read_attribute(r, m, "multiplier", 1, &g.ratio) || !read_attribute(r, m, "offset", 1, &g.offset))
        return false;
    if (other < 0) {
        robot_lose(r, &r->joint.at[joint].lost, m->line, "<mimic> of a joint '%s' that is not there", name);
        return true;
    }
    if (other == joint)
        return robot_fail(r, m->file, m->line, "the joint '%s' mimics itself", name);
    if (robot_joint_coords(r->joint.at[joint].kind) != 1 || robot_joint_coords(r->joint.at[other].kind) != 1)
        robot_lose(r, &r->joint.at[joint].lost, m->line, "<mimic> between joints that do not have one coordinate each");
    else
        VEC_PUSH(r->gear, g);
    return true;
}

/* A motor that acts on a joint with its torque, times the reduction. */
static bool read_transmission(struct robot *r, const struct xml *x)
{
    const struct xml *joint = xml_child(x, "joint"), *motor = xml_child(x, "actuator"), *ratio = xml_child(motor, "mechanicalReduction");
    const char *name = joint ? xml_get(joint, "name") : NULL;
    struct robot_actuator u = robot_actuator("", x->line);
    u.joint = robot_joint_find(r, name);
    ratio = ratio ? ratio : xml_child(x, "mechanicalReduction") ? xml_child(x, "mechanicalReduction") : xml_child(joint, "mechanicalReduction");
    const char *text = xml_text(r->arena, ratio);
    if (*text && !read_numbers(r, ratio, "mechanicalReduction", text, 1, &u.gear))
        return false;
    u.name = motor && xml_get(motor, "name") ? xml_get(motor, "name") : name ? arena_printf(r->arena, "%s_motor", name) : "";
    if (u.joint < 0 || robot_joint_coords(r->joint.at[u.joint].kind) != 1)
        robot_lose(r, &r->lost, x->line, "the transmission '%s': no joint with one coordinate", xml_get(x, "name") ? xml_get(x, "name") : "");
    else {
        struct robot_joint *j = &r->joint.at[u.joint];
        if (j->effort > 0)
            u.effect[0] = -j->effort, u.effect[1] = j->effort;
        j->effort = 0;
        VEC_PUSH(r->actuator, u);
    }
    return true;
}

/* Unexpanded macros: elements of xacro, or ${...} in an attribute. */
static const struct xml *find_xacro(const struct xml *x)
{
    for (; x; x = x->next) {
        if (x->name && !strncmp(x->name, "xacro:", 6))
            return x;
        for (const struct xml_attribute *a = x->attribute; a; a = a->next)
            if (strstr(a->value, "${") || strstr(a->value, "$("))
                return x;
        const struct xml *inside = x->name ? find_xacro(x->child) : NULL;
        if (inside)
            return inside;
    }
    return NULL;
}

bool read_urdf(struct robot *r, struct xml *root)
{
    const struct xml *macro = find_xacro(root->child);
    if (macro)
        return robot_fail(r, macro->file, macro->line, "this is a xacro file; expand it first:  xacro %s > robot.urdf", r->path);
    read_comments(r, root->parent, root, &r->comment);
    r->name = xml_get(root, "name") ? xml_get(root, "name") : "robot";
    XML_EACH(x, root, "link")
        if (!read_link(r, root, x))
            return false;
    XML_EACH(x, root, "joint")
        if (!read_joint(r, root, x))
            return false;
    XML_EACH(x, root, "joint")
        if (!read_mimic(r, x))
            return false;
    XML_EACH(x, root, "transmission")
        if (!read_transmission(r, x))
            return false;
    robot_lose_bounds(r);
    XML_EACH(x, root, "material")
        read_comments(r, root, x, &r->comment);
    XML_EACH(x, root, "transmission")
        read_comments(r, root, x, &r->comment);
    read_rest(r, root, "the robot", &r->lost);
    return true;
}
