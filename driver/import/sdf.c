/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SDFormat: links, joints and frames, each with a pose relative to another frame; models in models, and included ones.
 *
 * Every model has names of its own: inside, `link` is what is called `arm::link` outside, and a frame of its own, `__model__`.  All poses are
 * resolved to the world first.  A joint sits at its pose in the child, its axis is given in its own frame, or in one that is
 * named, or (old versions) in the model's.  Joints may close loops: the first way to a link is the tree.  What no joint leads to floats. */
#include "config.h"
#include "import/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 30, MOST_MODELS = 5000, MOST_FILES = 200, MOST_BYTES = 32 << 20 };

struct frame {
    const char *name;           /* as the world knows it */
    const char *relative;       /* NULL: to the model */
    const char *attached;       /* what it moves with, NULL: the model */
    int scope;                  /* where these two names are known */
    struct pose pose, world;
    enum { NEW, BUSY, DONE } state;
    const struct xml *x;
    int link;                   /* of the robot, -1: something else */
    int model;                  /* the scope that it is the frame of, -1: none */
};
/* A model, or the world around all of them. */
struct scope {
    const struct xml *x;
    const char *prefix;         /* of its names, as the world knows them */
    const char *placement;      /* the frame that its pose places, or NULL */
    int frame, link;            /* its own frame; its first link, -1: none */
    double version;
    bool fixed;                 /* it does not move */
};
struct sdf {
    struct robot *r;
    struct { struct frame *at; int n, cap; } frame;
    struct { struct scope *at; int n, cap; } scope;
    struct { int *at; int n, cap; } joint;      /* frames of joints */
    struct { int *at; int n, cap; } of_link;    /* frame of each link */
    struct name_index names;
    int files;
    size_t bytes;
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

/* --- frames ------------------------------------------------------------------------------------------------------------- */

/* The frame that a name means inside a scope, -1: none. */
static int find(const struct sdf *s, int scope, const char *name)
{
    const struct scope *in = &s->scope.at[scope];
    if (!name || !*name || !strcmp(name, "__model__"))
        return in->frame;
    if (!strcmp(name, "world"))
        return 0;
    return index_get(&s->names, *in->prefix ? arena_printf(s->r->arena, "%s%s", in->prefix, name) : name);
}

static bool frame_add(struct sdf *s, struct frame f)
{
    struct robot *r = s->r;
    const char *name = f.name ? f.name : read_name(r, f.x, "name");
    if (!name || !read_pose(r, f.x, &f.pose, &f.relative))
        return false;
    f.name = arena_printf(r->arena, "%s%s", s->scope.n ? s->scope.at[f.scope].prefix : "", name);
    int *known = index_put(&s->names, f.name);
    if (*known >= 0)
        return robot_fail(r, f.x->file, f.x->line, "there are two things called '%s'", f.name);
    *known = s->frame.n;
    VEC_PUSH(s->frame, f);
    return true;
}

/* The pose of a frame in its model, for a model that is placed by one of its frames. */
static bool pose_in_model(struct sdf *s, int scope, const char *name, struct pose *out)
{
    const struct scope *in = &s->scope.at[scope];
    int k = find(s, scope, name);
    *out = pose_identity();
    for (int n = 0; k > 0 && n < 1000; n++) {
        if (k == in->frame)
            return true;
        const struct frame *f = &s->frame.at[k];
        *out = pose_mul(&f->pose, out);
        k = f->model < 0 || k != in->frame ? find(s, f->scope, f->relative) : -1;
    }
    return robot_fail(s->r, in->x->file, in->x->line, "the placement frame '%s' is not in its model", name);
}

static bool resolve(struct sdf *s, int i, int depth)
{
    struct frame *f = &s->frame.at[i];
    struct pose placed;
    if (f->state == DONE)
        return true;
    if (f->state == BUSY || depth > 1000)
        return robot_fail(s->r, f->x->file, f->x->line, "the pose of '%s' is relative to itself", f->name);
    f->state = BUSY;
    int to = find(s, f->scope, f->relative);
    if (to < 0)
        return robot_fail(s->r, f->x->file, f->x->line, "the pose of '%s' is relative to '%s', which is not there", f->name, f->relative);
    if (to == i || !resolve(s, to, depth + 1))
        return to != i ? false : robot_fail(s->r, f->x->file, f->x->line, "the pose of '%s' is relative to itself", f->name);
    f->world = pose_mul(&s->frame.at[to].world, &f->pose);
    const char *placement = f->model >= 0 ? s->scope.at[f->model].placement : NULL;
    if (placement) {
        if (!pose_in_model(s, f->model, placement, &placed))
            return false;
        placed = pose_inverse(&placed);
        f->world = pose_mul(&f->world, &placed);
    }
    f->state = DONE;
    return true;
}

/* The link that a frame moves with; 0, the world, if it is none. */
static int link_of(const struct sdf *s, int k)
{
    for (int n = 0; k > 0 && n < 1000; n++) {
        const struct frame *f = &s->frame.at[k];
        if (f->link >= 0)
            return f->link;
        if (f->model >= 0) {
            const struct scope *m = &s->scope.at[f->model];
            const char *canonical = xml_get(m->x, "canonical_link");
            if (!canonical)
                return m->link > 0 ? m->link : 0;
            k = find(s, f->model, canonical);
        } else {
            k = find(s, f->scope, f->attached);
        }
    }
    return 0;
}

/* --- links --------------------------------------------------------------------------------------------------------------- */

/* The pose of a part of a link, in the link. */
static bool part_pose(struct robot *r, const struct xml *part, struct pose *p)
{
    const char *relative = NULL;
    return read_pose(r, part, p, &relative);
}

static bool read_link(struct sdf *s, int scope, const struct xml *x)
{
    struct robot *r = s->r;
    int link = r->link.n;
    if (!frame_add(s, (struct frame){.x = x, .scope = scope, .link = link, .model = -1}))
        return false;
    VEC_PUSH(s->of_link, s->frame.n - 1);
    if (s->scope.at[scope].link < 0)
        s->scope.at[scope].link = link;
    struct robot_link *l = robot_link_add(r, s->frame.at[s->frame.n - 1].name, x->line);
    read_comments(r, s->scope.at[scope].x, x, &l->comment);
    read_comments_inside(r, x, &l->comment);
    if (!read_inertial(r, x, l, 1, part_pose) || !read_looks(r, x, l, part_pose))
        return false;
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
static bool read_axis(struct sdf *s, int scope, const struct xml *x, const struct pose *joint, double axis[3])
{
    struct robot *r = s->r;
    const struct xml *a = xml_child(x, "xyz"), *old = xml_child(x, "use_parent_model_frame");
    const char *in = a ? xml_get(a, "expressed_in") : NULL, *flag = xml_text(r->arena, old);
    double version = s->scope.at[scope].version;
    struct pose from = *joint, back;
    if (a && !read_numbers(r, a, "xyz", xml_text(r->arena, a), 3, axis))
        return false;
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        return robot_fail(r, x->file, x->line, "the axis of a joint has no length");
    if (in && *in) {
        int k = find(s, scope, in);
        if (k < 0)
            return robot_fail(r, a->file, a->line, "the axis is expressed in '%s', which is not there", in);
        from = s->frame.at[k].world;
    } else if (version < 1.5 || (version < 1.7 && (!strcmp(flag, "1") || !strcmp(flag, "true")))) {
        from = s->frame.at[s->scope.at[scope].frame].world;
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
    if (d && (!read_field(r, d, "damping", 1, &j->damping) || !read_field(r, d, "friction", 1, &j->friction) || !read_field(r, d, "spring_stiffness", 1, &j->stiffness) ||
              !read_field(r, d, "spring_reference", 1, &j->rest)))
        return false;
    if (limit && (!read_field(r, limit, "lower", 1, &lower) || !read_field(r, limit, "upper", 1, &upper) || !read_field(r, limit, "effort", 1, &j->effort) ||
                  !read_field(r, limit, "velocity", 1, &j->velocity)))
        return false;
    if (limit)
        robot_limit(r, j, limit->line, lower, upper);
    return true;
}

static int read_end(struct sdf *s, int scope, const struct xml *x, const char *end, struct pose *world)
{
    const char *name = xml_text(s->r->arena, xml_child(x, end));
    int k = *name ? find(s, scope, name) : -1, link = k > 0 ? link_of(s, k) : 0;
    if (k < 0 || (k > 0 && link == 0)) {
        robot_fail(s->r, x->file, x->line, "<%s> of the joint '%s' names no link: '%s'", end, xml_get(x, "name"), name);
        return -1;
    }
    *world = s->frame.at[s->of_link.at[link]].world;
    return link;
}

static bool read_joint(struct sdf *s, int frame)
{
    static const struct { const char *type; enum robot_joint_kind kind; } kinds[] = {
        {"revolute", ROBOT_REVOLUTE}, {"continuous", ROBOT_REVOLUTE}, {"prismatic", ROBOT_PRISMATIC}, {"ball", ROBOT_SPHERICAL}, {"fixed", ROBOT_FIXED},
        {"screw", ROBOT_SCREW},       {"universal", ROBOT_UNIVERSAL}, {"revolute2", ROBOT_UNIVERSAL}, {"gearbox", ROBOT_REVOLUTE}};
    struct robot *r = s->r;
    const struct xml *x = s->frame.at[frame].x;
    int scope = s->frame.at[frame].scope;
    const char *type = read_name(r, x, "type"), *name = s->frame.at[frame].name;
    struct pose at = s->frame.at[frame].world, one, two;
    int kind = -1;
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].type, type))
            kind = (int)kinds[i].kind;
    if (!type || kind < 0)
        return type && robot_fail(r, x->file, x->line, "the joint '%s' has the unknown type '%s'", name, type);
    int parent = read_end(s, scope, x, "parent", &one), child = parent < 0 ? -1 : read_end(s, scope, x, "child", &two);
    if (child < 0)
        return false;
    if (parent == child)
        return robot_fail(r, x->file, x->line, "the joint '%s' connects a link with itself", name);
    struct robot_joint *j = robot_joint_add(r, name, x->line);
    read_comments(r, s->scope.at[scope].x, x, &j->comment);
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
    if (axis && (!read_axis(s, scope, axis, &at, j->axis) || !read_dynamics(r, axis, j)))
        return false;
    if (axis2 && j->kind == ROBOT_UNIVERSAL && !read_axis(s, scope, axis2, &at, j->axis2))
        return false;
    double dot = j->axis[0] * j->axis2[0] + j->axis[1] * j->axis2[1] + j->axis[2] * j->axis2[2];
    if (j->kind == ROBOT_UNIVERSAL && fabs(dot) > 1e-9)
        return robot_fail(r, x->file, x->line, "the axes of the joint '%s' are not perpendicular", name);
    double pitch = 0, thread = 0;
    if (!read_field(r, x, "screw_thread_pitch", 1, &pitch) || !read_field(r, x, "thread_pitch", 1, &thread))
        return false;
    j->pitch = pitch != 0 ? pitch / (2 * M_PI) : thread != 0 ? -1 / thread : 0;
    if (robot_joint_coords(j->kind) != 1) {
        j->friction = j->stiffness = 0;
        if (axis && xml_child(axis, "dynamics") && j->kind != ROBOT_FIXED)
            robot_lose(r, &j->lost, x->line, "friction and springs of the joint '%s' with several coordinates", name);
    }
    if (s->scope.at[scope].fixed && j->kind != ROBOT_FIXED) {
        robot_lose(r, &j->lost, x->line, "the motion of the joint '%s': its model is static", name);
        j->kind = ROBOT_FIXED;
        j->damping = j->friction = j->stiffness = 0;
        j->limited = false;
    }
    /* the first way to a link is the tree; a joint whose child hangs somewhere else already is turned round, or closes a loop */
    int g1 = group_of(s, parent), g2 = group_of(s, child);
    if (g1 == g2) {
        j->loop = true;
        if (j->damping != 0 || j->friction != 0 || j->stiffness != 0 || j->limited)
            robot_lose(r, &j->lost, x->line, "damping, springs and limits of the joint '%s', which closes a loop", name);
        j->damping = j->friction = j->stiffness = 0;
        j->limited = false;
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
static void set_free(struct sdf *s)
{
    struct robot *r = s->r;
    for (int i = 1; i < r->link.n; i++) {
        const struct frame *f = &s->frame.at[s->of_link.at[i]];
        bool fixed = s->scope.at[f->scope].fixed;
        if (group_of(s, i) == group_of(s, 0))
            continue;
        struct robot_joint *j = robot_joint_add(r, arena_printf(r->arena, "%s_%s", r->link.at[i].name, fixed ? "stand" : "float"), r->link.at[i].line);
        j->kind = fixed ? ROBOT_FIXED : ROBOT_FREE;
        j->parent = 0;
        j->child = i;
        j->a = f->world;
        s->group[group_of(s, i)] = group_of(s, 0);
    }
}

/* --- models ----------------------------------------------------------------------------------------------------------------- */

/* The file that a URI means: beside the main file or below a directory of -I; of a directory the one that its model.config names. */
static const char *uri_path(struct sdf *s, const struct xml *from, const char *uri)
{
    struct robot *r = s->r;
    const char *scheme = strstr(uri, "://"), *name = scheme ? scheme + 3 : uri, *slash = strrchr(from->file, '/');
    struct stat st;
    if (scheme && strncmp(uri, "model:", 6) && strncmp(uri, "file:", 5) && strncmp(uri, "package:", 8)) {
        robot_fail(r, from->file, from->line, "'%s' is not read: nothing is fetched from the network; fetch the model and name its directory with -I", uri);
        return NULL;
    }
    const char *path = read_find(r, name), *beside = slash ? arena_printf(r->arena, "%.*s/%s", (int)(slash - from->file), from->file, name) : name;
    if (!path) {
        name = beside;
        path = read_find(r, name);
    }
    if (!path) {
        robot_fail(r, from->file, from->line, "there is no '%s' below the directory of the file (-I DIR names another)", name);
        return NULL;
    }
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return path;
    const char *file = "model.sdf", *why;
    size_t size;
    char *text = read_whole(arena_printf(r->arena, "%s/model.config", path), &size, &why);
    const struct xml *root = text ? xml_read(r->arena, "model.config", text, size, &why) : NULL;
    double best = -1;
    for (const struct xml *x = root ? xml_child(root, "sdf") : NULL; x; x = xml_next(x, "sdf")) {
        double version = xml_get(x, "version") ? strtod(xml_get(x, "version"), NULL) : 0;
        if (version > best && !strchr(xml_text(r->arena, x), '/'))
            best = version, file = xml_text(r->arena, x);
    }
    free(text);
    const char *inside = arena_printf(r->arena, "%s/%s", name, file);
    if (!(path = read_find(r, inside)))         /* it may be a link to elsewhere */
        robot_fail(r, from->file, from->line, "there is no '%s' below the directory of the file (-I DIR names another)", inside);
    return path;
}

static bool read_scope(struct sdf *s, const struct xml *x, const struct xml *include, int around, double version, bool own_names, int depth);

static bool read_include(struct sdf *s, const struct xml *x, int around, bool own_names, int depth)
{
    struct robot *r = s->r;
    const char *uri = xml_text(r->arena, xml_child(x, "uri")), *why = NULL;
    double version = 1.6;
    size_t size;
    if (!*uri)
        return robot_fail(r, x->file, x->line, "<include> needs a <uri>");
    const char *path = uri_path(s, x, uri);
    char *text = path ? read_whole(path, &size, &why) : NULL;
    if (!text)
        return path ? robot_fail(r, x->file, x->line, "cannot read '%s': %s", uri, why) : false;
    if (++s->files > MOST_FILES || (s->bytes += size) > MOST_BYTES) {
        free(text);
        return robot_fail(r, x->file, x->line, "more than %d files, or %d MB, are included", MOST_FILES, MOST_BYTES >> 20);
    }
    struct xml *root = xml_read(r->arena, path, text, size, &why);
    free(text);
    if (!root)
        return r->error ? false : (r->error = why, false);
    const struct xml *model = strcmp(root->name, "sdf") ? NULL : xml_child(root, "model");
    if (!model) {
        const struct xml *other = strcmp(root->name, "sdf") ? root : root->child;
        while (other && !other->name)
            other = other->next;
        if (!other || (strcmp(other->name, "light") && strcmp(other->name, "actor")))
            return robot_fail(r, x->file, x->line, "there is no <model> in '%s'", uri);
        robot_lose(r, &r->lost, x->line, "<%s> '%s'", other->name, uri);
        return true;
    }
    if (xml_get(root, "version") && !read_attribute(r, root, "version", 1, &version))
        return false;
    const char *merge = xml_get(x, "merge");
    return read_scope(s, model, x, around, version, own_names && !(merge && (!strcmp(merge, "true") || !strcmp(merge, "1"))), depth);
}

static bool is_true(struct robot *r, const struct xml *x)
{
    const char *text = xml_text(r->arena, x);
    return !strcmp(text, "1") || !strcmp(text, "true");
}

/* Models and includes in a model or the world. */
static bool read_models(struct sdf *s, const struct xml *x, int scope, bool own_names, int depth)
{
    XML_EACH(m, x, "model")
        if (!read_scope(s, m, NULL, scope, s->scope.at[scope].version, own_names, depth + 1))
            return false;
    XML_EACH(m, x, "include")
        if (!read_include(s, m, scope, own_names, depth + 1))
            return false;
    return true;
}

/* Links, joints and frames of a model or the world. */
static bool read_members(struct sdf *s, const struct xml *model, int scope)
{
    struct robot *r = s->r;
    XML_EACH(x, model, "link")
        if (!read_link(s, scope, x))
            return false;
    XML_EACH(x, model, "joint") {
        const char *child = xml_text(r->arena, xml_child(x, "child"));
        if (!frame_add(s, (struct frame){.x = x, .relative = child, .attached = child, .scope = scope, .link = -1, .model = -1}))
            return false;
        VEC_PUSH(s->joint, s->frame.n - 1);
    }
    XML_EACH(x, model, "frame") {
        const char *on = xml_get(x, "attached_to");
        if (!frame_add(s, (struct frame){.x = x, .relative = on, .attached = on, .scope = scope, .link = -1, .model = -1}))
            return false;
    }
    return true;
}

/* A model inside `around`, with names of its own or with those of what is around it. */
static bool read_scope(struct sdf *s, const struct xml *x, const struct xml *include, int around, double version, bool own_names, int depth)
{
    struct robot *r = s->r;
    const char *given = xml_text(r->arena, xml_child(include, "name")), *name = *given ? given : read_name(r, x, "name"), *prefix = s->scope.at[around].prefix;
    const char *placement = xml_text(r->arena, xml_child(include, "placement_frame"));
    int number = s->scope.n, frame = s->frame.n;
    if (!name)
        return false;
    if (depth > DEEPEST || number > MOST_MODELS)
        return robot_fail(r, x->file, x->line, "models are nested too deep, or there are more than %d", MOST_MODELS);
    bool moved = include && xml_child(include, "pose");
    if (!frame_add(s, (struct frame){.x = moved ? include : x, .scope = around, .link = -1, .model = number,
                                     .name = own_names ? name : arena_printf(r->arena, "_merged__%s__model__", name)}))
        return false;
    struct scope new = {.x = x, .frame = frame, .link = -1, .version = version};
    new.prefix = own_names ? arena_printf(r->arena, "%s%s::", prefix, name) : prefix;
    new.placement = *placement ? placement : !moved && xml_get(x, "placement_frame") ? xml_get(x, "placement_frame") : NULL;
    new.fixed = s->scope.at[around].fixed || (include && xml_child(include, "static") ? is_true(r, xml_child(include, "static")) : is_true(r, xml_child(x, "static")));
    VEC_PUSH(s->scope, new);
    if (!read_members(s, x, number) || !read_models(s, x, number, true, depth))
        return false;
    for (int i = number + 1; i < s->scope.n && s->scope.at[number].link < 0; i++)
        s->scope.at[number].link = s->scope.at[i].link;         /* of a model in it */
    xml_child(x, "pose"), xml_child(x, "self_collide"), xml_child(x, "static");
    read_rest(r, x, arena_printf(r->arena, "the model '%s'", name), &r->lost);
    if (include)
        read_rest(r, include, arena_printf(r->arena, "<include> of '%s'", name), &r->lost);
    return true;
}

static bool connect(struct sdf *s)
{
    struct robot *r = s->r;
    for (int i = 0; i < s->frame.n; i++)
        if (!resolve(s, i, 0))
            return false;
    s->group = arena_alloc(r->arena, (size_t)r->link.n * sizeof *s->group);
    for (int i = 0; i < r->link.n; i++)
        s->group[i] = i;
    for (int i = 0; i < s->joint.n; i++)
        if (!read_joint(s, s->joint.at[i]))
            return false;
    robot_lose_bounds(r);
    set_free(s);
    orient(s);
    for (int i = 1; i < s->frame.n; i++) {
        const struct frame *f = &s->frame.at[i];
        if (strcmp(f->x->name, "frame"))
            continue;
        int link = link_of(s, i);
        struct pose back = pose_inverse(&s->frame.at[s->of_link.at[link]].world);
        struct robot_frame named = {.name = f->name, .line = f->x->line, .link = link, .pose = pose_mul(&back, &f->world)};
        pose_tidy(&named.pose);
        VEC_PUSH(r->frame, named);
    }
    return true;
}

static bool read_world(struct sdf *s, const struct xml *root, const struct xml *x)
{
    struct robot *r = s->r;
    const struct xml *g = xml_child(x, "gravity"), *model = xml_child(x, "model"), *include = xml_child(x, "include");
    struct scope around = {.x = x, .prefix = "", .version = 1.6};
    struct frame ground = {.name = "world", .x = root, .state = DONE, .link = 0, .model = -1};
    int models = 0;
    ground.pose = ground.world = pose_identity();
    robot_link_add(r, "world", x->line);
    VEC_PUSH(s->of_link, 0);
    VEC_PUSH(s->frame, ground);
    if (xml_get(root, "version") && !read_attribute(r, root, "version", 1, &around.version))
        return false;
    VEC_PUSH(s->scope, around);
    for (const struct xml *k = x->child; k; k = k->next)
        models += k->name && (!strcmp(k->name, "model") || !strcmp(k->name, "include"));
    if (!model && !include)
        return robot_fail(r, root->file, root->line, "there is no <model> in this file");
    const char *name = models == 1 && model ? xml_get(model, "name") : models > 1 && x != root ? xml_get(x, "name") : NULL;
    r->name = name ? name : model && xml_get(model, "name") ? xml_get(model, "name") : "robot";
    if (g && *xml_text(r->arena, g) && !read_numbers(r, g, "gravity", xml_text(r->arena, g), 3, r->gravity))
        return false;
    if (!(x == root || read_members(s, x, 0)) || !read_models(s, x, 0, models > 1, 0) || !connect(s))
        return false;
    read_rest(r, x, x == root ? "the file" : "the world", &r->lost);
    return true;
}

bool read_sdf(struct robot *r, struct xml *root)
{
    struct sdf s = {.r = r};
    const struct xml *world = xml_child(root, "world");
    read_comments(r, root->parent, root, &r->comment);
    r->least_friction = true;           /* as Gazebo's first engine does */
    bool good = read_world(&s, root, world ? world : root);
    index_free(&s.names);
    free(s.frame.at);
    free(s.scope.at);
    free(s.joint.at);
    free(s.of_link.at);
    return good;
}
