/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SDFormat: links, joints and frames, each with a pose relative to another frame.
 *
 * All poses are resolved to the model first.  A joint sits at its pose in the child, its axis is given in its own frame, or in one that is
 * named, or (old versions) in the model's.  Joints may close loops: the first way to a link is the tree.  What no joint leads to floats. */
#include "config.h"
#include "import/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct frame {
    const char *name, *relative;        /* NULL: to the model; "": to the default of the element */
    struct pose pose, world;
    enum { NEW, BUSY, DONE } state;
    const struct xml *x;
    int link;                   /* of the robot, -1: a joint or a frame */
};
struct sdf {
    struct robot *r;
    double version;
    struct { struct frame *at; int n, cap; } frame;
    struct name_index names;
    struct { const struct xml **at; int n, cap; } joint;
    int *group;                 /* of links that joints hold together */
};

static bool read_pose(struct robot *r, const struct xml *parent, struct pose *p, const char **relative)
{
    const struct xml *x = xml_child(parent, "pose");
    const char *text = xml_text(r->arena, x), *format = x ? xml_get(x, "rotation_format") : NULL;
    double v[7] = {0}, unit = 1;
    *p = pose_identity();
    if (x) {
        *relative = xml_get(x, "relative_to") ? xml_get(x, "relative_to") : xml_get(x, "frame") && *xml_get(x, "frame") ? xml_get(x, "frame") : *relative;
        if (xml_get(x, "degrees") && !strcmp(xml_get(x, "degrees"), "true"))
            unit = M_PI / 180;
    }
    if (!*text)
        return true;
    bool quaternion = format && !strcmp(format, "quat_xyzw");
    if (!read_numbers(r, x, "pose", text, quaternion ? 7 : 6, v))
        return false;
    *p = pose_at(v[0], v[1], v[2]);
    if (quaternion) {
        double q[4] = {v[6], v[3], v[4], v[5]};
        if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
            return robot_fail(r, x->file, x->line, "the quaternion of <pose> has no length");
        pose_quaternion(p, q);
    } else {
        for (int axis = 2; axis >= 0; axis--)
            pose_turn(p, axis, v[3 + axis] * unit);
    }
    robot_snap_pose(r, p, parent->name, xml_get(parent, "name") ? xml_get(parent, "name") : "");
    return true;
}

static bool read_value(struct robot *r, const struct xml *parent, const char *name, double *out)
{
    const struct xml *x = xml_child(parent, name);
    const char *text = xml_text(r->arena, x);
    return !*text || read_numbers(r, x, name, text, 1, out);
}

/* --- frames ------------------------------------------------------------------------------------------------------------- */

static bool frame_add(struct sdf *s, const struct xml *x, const char *relative, int link)
{
    struct frame f = {.name = read_name(s->r, x, "name"), .relative = relative, .x = x, .link = link};
    if (!f.name || !read_pose(s->r, x, &f.pose, &f.relative))
        return false;
    int *known = index_put(&s->names, f.name);
    if (*known >= 0)
        return robot_fail(s->r, x->file, x->line, "there are two things called '%s'", f.name);
    *known = s->frame.n;
    VEC_PUSH(s->frame, f);
    return true;
}

static bool resolve(struct sdf *s, int i, int depth)
{
    struct frame *f = &s->frame.at[i];
    if (f->state == DONE)
        return true;
    if (f->state == BUSY || depth > 1000)
        return robot_fail(s->r, f->x->file, f->x->line, "the pose of '%s' is relative to itself", f->name);
    f->state = BUSY;
    f->world = f->pose;
    if (f->relative && *f->relative && strcmp(f->relative, "__model__") && strcmp(f->relative, "world")) {
        int to = index_get(&s->names, f->relative);
        if (to < 0)
            return robot_fail(s->r, f->x->file, f->x->line, "the pose of '%s' is relative to '%s', which is not there", f->name, f->relative);
        if (!resolve(s, to, depth + 1))
            return false;
        f = &s->frame.at[i];
        f->world = pose_mul(&s->frame.at[to].world, &f->pose);
    }
    f->state = DONE;
    return true;
}

/* --- links --------------------------------------------------------------------------------------------------------------- */

static bool read_inertial(struct robot *r, const struct xml *x, struct robot_link *l)
{
    static const char *const name[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const struct xml *in = xml_child(x, "inertial"), *J = xml_child(in, "inertia");
    const char *relative = NULL;
    l->mass = in ? 1 : 0;
    l->J[0] = l->J[1] = l->J[2] = in ? 1 : 0;
    if (!in)
        return true;
    if (!read_pose(r, in, &l->inertial, &relative) || !read_value(r, in, "mass", &l->mass))
        return false;
    for (int i = 0; i < 6 && J; i++)
        if (!read_value(r, J, name[i], &l->J[i]))
            return false;
    return l->mass >= 0 || robot_fail(r, in->file, in->line, "the link '%s' has a negative mass", l->name);
}

static bool read_shape(struct robot *r, const struct xml *visual, struct robot_link *l)
{
    const struct xml *g = xml_child(visual, "geometry"), *x;
    struct robot_shape s = {.size = {1, 1, 1}};
    const char *relative = NULL;
    bool good = read_pose(r, visual, &s.pose, &relative);
    if (!good || !g)
        return good;
    if ((x = xml_child(g, "box"))) {
        s.kind = ROBOT_BOX;
        good = read_numbers(r, x, "size", xml_text(r->arena, xml_child(x, "size")), 3, s.size);
    } else if ((x = xml_child(g, "ellipsoid"))) {
        s.kind = ROBOT_ELLIPSOID;
        good = read_numbers(r, x, "radii", xml_text(r->arena, xml_child(x, "radii")), 3, s.size);
    } else if ((x = xml_child(g, "sphere"))) {
        s.kind = ROBOT_SPHERE;
        good = read_value(r, x, "radius", s.size);
    } else if ((x = xml_child(g, "cylinder")) || (x = xml_child(g, "capsule"))) {
        s.kind = !strcmp(x->name, "capsule") ? ROBOT_CAPSULE : ROBOT_CYLINDER;
        good = read_value(r, x, "radius", s.size) && read_value(r, x, "length", s.size + 1);
    } else if ((x = xml_child(g, "mesh"))) {
        const char *uri = xml_text(r->arena, xml_child(x, "uri")), *scale = xml_text(r->arena, xml_child(x, "scale"));
        const char *rest = strstr(uri, "://") ? strchr(strstr(uri, "://") + 3, '/') : NULL;
        s.kind = ROBOT_MESH;
        s.file = rest ? rest + 1 : uri;
        good = !*scale || read_numbers(r, x, "scale", scale, 3, s.size);
        if (strchr(uri, '"') || strchr(uri, '\n'))
            return robot_fail(r, x->file, x->line, "the name of a mesh contains a quote or a new line");
    } else {
        robot_lose(r, &l->lost, g->line, "the shape of a <visual>");
        return true;
    }
    if (good)
        VEC_PUSH(l->shape, s);
    return good;
}

static bool read_link(struct sdf *s, const struct xml *model, const struct xml *x)
{
    struct robot *r = s->r;
    int collisions = 0, link = r->link.n;
    if (!frame_add(s, x, NULL, link))
        return false;
    struct robot_link *l = robot_link_add(r, xml_get(x, "name"), x->line);
    read_comments(r, model, x, &l->comment);
    read_comments_inside(r, x, &l->comment);
    if (!read_inertial(r, x, l))
        return false;
    XML_EACH(v, x, "visual")
        if (!read_shape(r, v, l))
            return false;
    XML_EACH(c, x, "collision")
        collisions++;
    if (collisions)
        robot_lose(r, &l->lost, x->line, "collision geometry of '%s'", l->name);
    read_rest(r, x, arena_printf(r->arena, "the link '%s'", l->name), &l->lost);
    return true;
}

/* --- joints --------------------------------------------------------------------------------------------------------------- */

static int group_of(struct sdf *s, int link)
{
    while (s->group[link] != link)
        link = s->group[link] = s->group[s->group[link]];
    return link;
}

/* The axis in the joint's frame. */
static bool read_axis(struct sdf *s, const struct xml *x, const struct pose *joint, double axis[3])
{
    struct robot *r = s->r;
    const struct xml *a = xml_child(x, "xyz"), *old = xml_child(x, "use_parent_model_frame");
    const char *in = a ? xml_get(a, "expressed_in") : NULL, *flag = xml_text(r->arena, old);
    struct pose from = *joint, back;
    if (a && !read_numbers(r, a, "xyz", xml_text(r->arena, a), 3, axis))
        return false;
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        return robot_fail(r, x->file, x->line, "the axis of a joint has no length");
    if (in && *in && strcmp(in, "__model__")) {
        int k = index_get(&s->names, in);
        if (k < 0)
            return robot_fail(r, a->file, a->line, "the axis is expressed in '%s', which is not there", in);
        from = s->frame.at[k].world;
    } else if ((in && !strcmp(in, "__model__")) || s->version < 1.5 || (s->version < 1.7 && (!strcmp(flag, "1") || !strcmp(flag, "true")))) {
        from = pose_identity();
    }
    if (from.turns != joint->turns || memcmp(from.R, joint->R, sizeof from.R)) {
        pose_rotate(&from, axis, axis);
        back = pose_inverse(joint);
        pose_rotate(&back, axis, axis);
        for (int i = 0; i < 3; i++) {           /* rounding of the way there */
            axis[i] = fabs(axis[i]) < 1e-15 ? 0 : axis[i];
            axis[i] = fabs(axis[i] - 1) < 1e-15 ? 1 : fabs(axis[i] + 1) < 1e-15 ? -1 : axis[i];
        }
    }
    return true;
}

static bool read_dynamics(struct robot *r, const struct xml *axis, struct robot_joint *j)
{
    const struct xml *d = xml_child(axis, "dynamics"), *limit = xml_child(axis, "limit");
    double lower = -1e16, upper = 1e16;
    if (d && (!read_value(r, d, "damping", &j->damping) || !read_value(r, d, "friction", &j->friction) || !read_value(r, d, "spring_stiffness", &j->stiffness) ||
              !read_value(r, d, "spring_reference", &j->rest)))
        return false;
    if (limit && (!read_value(r, limit, "lower", &lower) || !read_value(r, limit, "upper", &upper) || !read_value(r, limit, "effort", &j->effort)))
        return false;
    if (limit && (lower > -1e15 || upper < 1e15)) {
        j->limited = true;
        j->lower = lower, j->upper = upper;
        robot_lose(r, &j->lost, limit->line, "limits of '%s': from %g to %g", j->name, lower, upper);
    }
    return true;
}

static int read_end(struct sdf *s, const struct xml *x, const char *end, struct pose *world)
{
    const struct xml *e = xml_child(x, end);
    const char *name = xml_text(s->r->arena, e);
    *world = pose_identity();
    if (e && !strcmp(name, "world"))
        return 0;
    int k = index_get(&s->names, name);
    for (int n = 0; k >= 0 && s->frame.at[k].link < 0 && n < 1000; n++) {        /* a frame stands for what it is attached to */
        const char *on = xml_get(s->frame.at[k].x, "attached_to");
        k = on ? index_get(&s->names, on) : -1;
    }
    if (k < 0 || s->frame.at[k].link < 0) {
        robot_fail(s->r, x->file, x->line, "<%s> of the joint '%s' names no link: '%s'", end, xml_get(x, "name"), name);
        return -1;
    }
    *world = s->frame.at[k].world;
    return s->frame.at[k].link;
}

static bool read_joint(struct sdf *s, const struct xml *model, const struct xml *x)
{
    static const struct { const char *type; enum robot_joint_kind kind; } kinds[] = {
        {"revolute", ROBOT_REVOLUTE}, {"continuous", ROBOT_REVOLUTE}, {"prismatic", ROBOT_PRISMATIC}, {"ball", ROBOT_SPHERICAL}, {"fixed", ROBOT_FIXED},
        {"screw", ROBOT_SCREW},       {"universal", ROBOT_UNIVERSAL}, {"revolute2", ROBOT_UNIVERSAL}, {"gearbox", ROBOT_REVOLUTE}};
    struct robot *r = s->r;
    const char *type = read_name(r, x, "type"), *name = xml_get(x, "name");
    struct pose at = s->frame.at[index_get(&s->names, name)].world, one, two;
    int kind = -1;
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].type, type))
            kind = (int)kinds[i].kind;
    if (!type || kind < 0)
        return type && robot_fail(r, x->file, x->line, "the joint '%s' has the unknown type '%s'", name, type);
    int parent = read_end(s, x, "parent", &one), child = parent < 0 ? -1 : read_end(s, x, "child", &two);
    if (child < 0)
        return false;
    if (parent == child)
        return robot_fail(r, x->file, x->line, "the joint '%s' connects a link with itself", name);
    struct robot_joint *j = robot_joint_add(r, name, x->line);
    read_comments(r, model, x, &j->comment);
    read_comments_inside(r, x, &j->comment);
    if (!strcmp(type, "gearbox")) {
        robot_lose(r, &j->lost, x->line, "the ratio of the gearbox '%s'", name);
        xml_child(x, "gearbox_ratio"), xml_child(x, "gearbox_reference_body");
    }
    const struct xml *axis = xml_child(x, "axis"), *axis2 = xml_child(x, "axis2");
    struct pose back1 = pose_inverse(&one), back2 = pose_inverse(&two);
    j->kind = (enum robot_joint_kind)kind;
    j->parent = parent;
    j->child = child;
    j->a = pose_mul(&back1, &at);
    j->b = pose_mul(&back2, &at);
    pose_tidy(&j->a);
    pose_tidy(&j->b);
    if (axis && (!read_axis(s, axis, &at, j->axis) || !read_dynamics(r, axis, j)))
        return false;
    if (axis2 && j->kind == ROBOT_UNIVERSAL && !read_axis(s, axis2, &at, j->axis2))
        return false;
    double dot = j->axis[0] * j->axis2[0] + j->axis[1] * j->axis2[1] + j->axis[2] * j->axis2[2];
    if (j->kind == ROBOT_UNIVERSAL && fabs(dot) > 1e-9)
        return robot_fail(r, x->file, x->line, "the axes of the joint '%s' are not perpendicular", name);
    double pitch = 0, thread = 0;
    if (!read_value(r, x, "screw_thread_pitch", &pitch) || !read_value(r, x, "thread_pitch", &thread))
        return false;
    j->pitch = pitch != 0 ? pitch / (2 * M_PI) : thread != 0 ? -1 / thread : 0;
    if (robot_joint_coords(j->kind) != 1) {
        j->friction = j->stiffness = 0;
        if (axis && xml_child(axis, "dynamics") && j->kind != ROBOT_FIXED)
            robot_lose(r, &j->lost, x->line, "friction and springs of the joint '%s' with several coordinates", name);
    }
    /* the first way to a link is the tree; a joint whose child hangs somewhere else already is turned round, or closes a loop */
    int g1 = group_of(s, parent), g2 = group_of(s, child);
    if (g1 == g2) {
        j->loop = true;
        if (j->damping != 0 || j->friction != 0 || j->stiffness != 0)
            robot_lose(r, &j->lost, x->line, "damping and springs of the joint '%s', which closes a loop", name);
        j->damping = j->friction = j->stiffness = 0;
    } else {
        s->group[g2] = g1;
    }
    read_rest(r, x, arena_printf(r->arena, "the joint '%s'", name), &j->lost);
    return true;
}

/* Joints lead away from the root: those that do not are turned round. */
static void orient(struct sdf *s)
{
    struct robot *r = s->r;
    struct { int *at; int n, cap; } queue = {0};
    int n = r->link.n, m = r->joint.n, *first = mem_grow(NULL, (size_t)n + 2 * (size_t)m + 1, sizeof *first), *next = first + n;
    bool *seen = arena_alloc(r->arena, (size_t)n + 1);
    for (int i = 0; i < n; i++)
        first[i] = -1;
    for (int i = 2 * m - 1; i >= 0; i--) {      /* both ends of every joint of the tree */
        const struct robot_joint *j = &r->joint.at[i / 2];
        int at = i % 2 ? j->child : j->parent;
        if (j->loop)
            continue;
        next[i] = first[at];
        first[at] = i;
    }
    VEC_PUSH(queue, 0);
    seen[0] = true;
    for (int at = 0; at < queue.n; at++)
        for (int i = first[queue.at[at]]; i >= 0; i = next[i]) {
            struct robot_joint *j = &r->joint.at[i / 2];
            int other = i % 2 ? j->parent : j->child;
            if (seen[other])
                continue;
            seen[other] = true;
            VEC_PUSH(queue, other);
            if (i % 2 == 0)
                continue;
            struct pose swap = j->a;
            j->a = j->b;
            j->b = swap;
            j->child = j->parent;
            j->parent = queue.at[at];
            for (int k = 0; k < 3; k++)
                j->axis[k] = j->axis[k] == 0 ? 0 : -j->axis[k];
        }
    free(queue.at);
    free(first);
}

/* What hangs on nothing floats from where it is; in a static model it stands. */
static void set_free(struct sdf *s, bool fixed)
{
    struct robot *r = s->r;
    for (int i = 1; i < r->link.n; i++) {
        if (group_of(s, i) == group_of(s, 0))
            continue;
        const struct pose *world = NULL;
        for (int k = 0; k < s->frame.n; k++)
            if (s->frame.at[k].link == i)
                world = &s->frame.at[k].world;
        struct robot_joint *j = robot_joint_add(r, arena_printf(r->arena, "%s_%s", r->link.at[i].name, fixed ? "stand" : "float"), r->link.at[i].line);
        j->kind = fixed ? ROBOT_FIXED : ROBOT_FREE;
        j->parent = 0;
        j->child = i;
        j->a = *world;
        s->group[group_of(s, i)] = group_of(s, 0);
    }
}

static bool read_model(struct sdf *s, const struct xml *model)
{
    struct robot *r = s->r;
    r->name = xml_get(model, "name") ? xml_get(model, "name") : "robot";
    robot_link_add(r, "world", model->line);
    XML_EACH(x, model, "include")
        return robot_fail(r, x->file, x->line, "<include> is not read: put the model in its place");
    XML_EACH(x, model, "model")
        return robot_fail(r, x->file, x->line, "a model in a model is not read: import it by itself");
    XML_EACH(x, model, "link")
        if (!read_link(s, model, x))
            return false;
    XML_EACH(x, model, "joint") {
        const char *child = xml_text(r->arena, xml_child(x, "child"));
        if (!frame_add(s, x, child, -1))
            return false;
        VEC_PUSH(s->joint, x);
    }
    XML_EACH(x, model, "frame")
        if (!frame_add(s, x, xml_get(x, "attached_to"), -1))
            return false;
    for (int i = 0; i < s->frame.n; i++)
        if (!resolve(s, i, 0))
            return false;
    s->group = arena_alloc(r->arena, (size_t)r->link.n * sizeof *s->group);
    for (int i = 0; i < r->link.n; i++)
        s->group[i] = i;
    for (int i = 0; i < s->joint.n; i++)
        if (!read_joint(s, model, s->joint.at[i]))
            return false;
    const char *fixed = xml_text(r->arena, xml_child(model, "static"));
    set_free(s, !strcmp(fixed, "1") || !strcmp(fixed, "true"));
    orient(s);
    XML_EACH(x, model, "frame") {
        struct pose world;
        int k = index_get(&s->names, xml_get(x, "name")), guard = 0;
        struct pose here = s->frame.at[k].world;
        while (s->frame.at[k].link < 0 && guard++ < 1000 && xml_get(s->frame.at[k].x, "attached_to") && index_get(&s->names, xml_get(s->frame.at[k].x, "attached_to")) >= 0)
            k = index_get(&s->names, xml_get(s->frame.at[k].x, "attached_to"));
        int link = s->frame.at[k].link < 0 ? 0 : s->frame.at[k].link;
        world = link ? s->frame.at[k].world : pose_identity();
        struct pose back = pose_inverse(&world);
        struct robot_frame f = {.name = xml_get(x, "name"), .line = x->line, .link = link, .pose = pose_mul(&back, &here)};
        pose_tidy(&f.pose);
        VEC_PUSH(r->frame, f);
    }
    xml_child(model, "pose"), xml_child(model, "self_collide"), xml_child(model, "static");
    read_rest(r, model, "the model", &r->lost);
    return true;
}

bool read_sdf(struct robot *r, struct xml *root)
{
    struct sdf s = {.r = r, .version = 1.6};
    const struct xml *world = xml_child(root, "world"), *model = xml_child(world ? world : root, "model"), *g = xml_child(world, "gravity");
    bool good = !xml_get(root, "version") || read_attribute(r, root, "version", 1, &s.version);
    read_comments(r, root->parent, root, &r->comment);
    if (good && g && *xml_text(r->arena, g))
        good = read_numbers(r, g, "gravity", xml_text(r->arena, g), 3, r->gravity);
    if (good && !model)
        good = robot_fail(r, root->file, root->line, "there is no <model> in this file");
    if (good && xml_next(model, "model"))
        robot_lose(r, &r->lost, xml_next(model, "model")->line, "further models: the first one is read");
    good = good && read_model(&s, model);
    if (good)
        read_rest(r, world ? world : root, world ? "the world" : "the file", &r->lost);
    index_free(&s.names);
    free(s.frame.at);
    free(s.joint.at);
    return good;
}
