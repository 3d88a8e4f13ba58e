/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bodies of MJCF: nested, each with its joints, geoms and sites.
 *
 * A body without joints is fixed to its parent.  Several joints act one after the other in the axes of the body: a chain over links
 * without mass.  A free joint leads from the world, whatever the place of the body, which is its start.  Without <inertial> the geoms
 * give mass and inertia. */
#include "config.h"
#include "import/mjcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- geoms -------------------------------------------------------------------------------------------------------------- */

/* Volume and moments of unit density, about the centre, along the axes. */
static double volume_of(const struct robot_shape *s, double J[6])
{
    double a = s->size[0], b = s->size[1], c = s->size[2], V = 0;
    memset(J, 0, 6 * sizeof *J);
    switch (s->kind) {
    case ROBOT_BOX:
        V = a * b * c;
        J[0] = V * (b * b + c * c) / 12, J[1] = V * (a * a + c * c) / 12, J[2] = V * (a * a + b * b) / 12;
        break;
    case ROBOT_SPHERE:
        V = 4 * M_PI / 3 * a * a * a;
        J[0] = J[1] = J[2] = 2 * V * a * a / 5;
        break;
    case ROBOT_ELLIPSOID:
        V = 4 * M_PI / 3 * a * b * c;
        J[0] = V * (b * b + c * c) / 5, J[1] = V * (a * a + c * c) / 5, J[2] = V * (a * a + b * b) / 5;
        break;
    case ROBOT_CYLINDER:
        V = M_PI * a * a * b;
        J[0] = J[1] = V * (3 * a * a + b * b) / 12, J[2] = V * a * a / 2;
        break;
    case ROBOT_CAPSULE: {
        double cyl = M_PI * a * a * b, ball = 4 * M_PI / 3 * a * a * a;
        V = cyl + ball;
        J[0] = J[1] = cyl * (3 * a * a + b * b) / 12 + ball * (2 * a * a / 5 + b * b / 4 + 3 * a * b / 8);
        J[2] = cyl * a * a / 2 + ball * 2 * a * a / 5;
        break;
    }
    case ROBOT_MESH: break;
    }
    return V;
}

/* The two ends of fromto: middle, length and direction. */
static bool read_fromto(struct mjcf *c, const struct mjcf_place *p, const struct xml *x, struct pose *pose, double *length)
{
    double e[6], d[3];
    if (!mjcf_numbers(c, p, x, "fromto", 6, e))
        return false;
    *length = 0;
    for (int i = 0; i < 3; i++) {
        pose->at[i] = (e[i] + e[3 + i]) / 2;
        d[i] = e[i] - e[3 + i];
        *length += d[i] * d[i];
    }
    *length = sqrt(*length);
    return pose_z_to(pose, d) || robot_fail(c->r, x->file, x->line, "'fromto' of <%s> has no length", x->name);
}

/* What a geom is to its body. */
struct geom {
    struct robot_shape shape;
    bool shown;                 /* it can be drawn */
    bool solid;                 /* it has a mass, which is known: */
    double mass, J[6];          /* in the axes of the shape */
    int mesh;                   /* it has the mass of this asset, -1: of none */
    double given, density;      /* mass that is given (below zero: none), density */
    bool fitted;                /* a simple shape of the size of the mesh */
};

static bool geom_mesh(struct mjcf *c, const struct mjcf_place *p, const struct xml *x, struct geom *g)
{
    const char *name = mjcf_get(c, p, x, "mesh");
    g->mesh = name ? index_get(&c->meshes, name) : -1;
    if (name && g->mesh < 0)
        return robot_fail(c->r, x->file, x->line, "there is no mesh '%s'", name);
    if (g->mesh < 0)
        return true;
    const struct mjcf_mesh *m = &c->mesh.at[g->mesh];
    g->shape.kind = ROBOT_MESH;
    memcpy(g->shape.size, m->scale, sizeof m->scale);
    g->shape.file = m->file;
    g->shown = m->file && !m->skew;
    return true;
}

/* Sizes of a shape whose numbers MJCF gives by halves, or along a line. */
static bool geom_sizes(struct mjcf *c, const struct xml *x, const char *type, int sizes, const double n[3], bool fromto, double length, struct robot_shape *s)
{
    double half = s->kind == ROBOT_BOX ? 2 : 1;
    for (int i = 0; i < 3; i++)
        s->size[i] = half * n[i];
    if (s->kind == ROBOT_CAPSULE || s->kind == ROBOT_CYLINDER)
        s->size[1] = fromto ? length : 2 * n[1];
    else if (fromto)            /* box and ellipsoid along a line */
        s->size[0] = s->size[1] = half * n[0], s->size[2] = half * length / 2;
    sizes = fromto ? 1 : sizes;
    for (int i = 0; i < sizes; i++)
        if (!(n[i] > 0))
            return robot_fail(c->r, x->file, x->line, "a geom of type %s takes %d positive size%s", type, sizes, sizes == 1 ? "" : "s");
    return true;
}

/* Its own colour, or that of its material. */
static bool geom_colour(struct mjcf *c, const struct mjcf_place *p, const struct xml *x, struct robot_shape *s)
{
    const char *material = mjcf_get(c, p, x, "material");
    int k = material ? index_get(&c->materials, material) : -1;
    const struct xml *m = k >= 0 ? c->material.at[k] : NULL;
    const char *own = mjcf_get(c, p, x, "rgba"), *other = m ? mjcf_get(c, NULL, m, "rgba") : NULL, *text = own && *own ? own : other;
    s->coloured = text && *text;        /* an empty one is none */
    return !c->r->error && (!s->coloured || read_numbers(c->r, x, "rgba", text, 4, s->rgba));
}

/* Planes, height fields and the like are neither shown nor solid. */
static bool read_geom(struct mjcf *c, const struct mjcf_place *p, const struct xml *x, struct geom *g)
{
    static const struct { const char *name; enum robot_shape_kind kind; int sizes; } types[] = {
        {"sphere", ROBOT_SPHERE, 1}, {"capsule", ROBOT_CAPSULE, 2}, {"cylinder", ROBOT_CYLINDER, 2}, {"box", ROBOT_BOX, 3}, {"ellipsoid", ROBOT_ELLIPSOID, 3}};
    const char *type = mjcf_get(c, p, x, "type"), *size = mjcf_get(c, p, x, "size");
    struct robot_shape *s = &g->shape;
    double n[3] = {0}, length = 0;
    int kind = -1;
    *g = (struct geom){.shape = {.pose = pose_identity()}, .mesh = -1, .given = -1, .density = 1000};
    if (c->r->error || (size && read_some(c->r, x, "size", size, 3, n) < 0))
        return false;
    bool fromto = mjcf_get(c, p, x, "fromto") != NULL, mesh = mjcf_get(c, p, x, "mesh") != NULL;
    if (!(fromto ? read_fromto(c, p, x, &s->pose, &length) : mjcf_pose(c, p, x, &s->pose)) || !mjcf_numbers(c, p, x, "density", 1, &g->density) ||
        !mjcf_numbers(c, p, x, "mass", 1, &g->given))
        return false;
    if (mjcf_is(c, p, x, "shellinertia", "true"))
        return robot_fail(c->r, x->file, x->line, "'shellinertia' is not read");
    if (!geom_colour(c, p, x, s))
        return false;
    type = type ? type : mesh ? "mesh" : "sphere";
    for (int i = 0; i < 5; i++)
        if (!strcmp(types[i].name, type))
            kind = i;
    if (!strcmp(type, "mesh") || (kind >= 0 && mesh)) {
        g->fitted = kind >= 0;
        return geom_mesh(c, p, x, g);
    }
    if (kind < 0)
        return true;
    s->kind = types[kind].kind;
    if (!geom_sizes(c, x, type, types[kind].sizes, n, fromto, length, s))
        return false;
    double V = volume_of(s, g->J);
    g->shown = true;
    g->mass = g->given >= 0 ? g->given : g->density * V;
    for (int i = 0; i < 3; i++)
        g->J[i] *= g->mass / V;
    g->solid = g->mass > 0;
    return true;
}

/* Mass, centre and moments of what is put together. */
struct heap {
    double mass, first[3], J[6];        /* J about the origin of the body */
    int parts;
    struct robot_shape one;             /* the only part */
    double one_J[6];
    bool wanted;                        /* the mass of meshes counts: files are read */
    int line;
    const char *unknown;                /* why a part has a mass that is not known */
};

static void heap_add(struct heap *h, const struct robot_shape *s, double mass, const double J[6])
{
    double turned[6];
    moments_turn(&s->pose, J, turned);
    moments_shift(turned, mass, s->pose.at);
    h->mass += mass;
    for (int i = 0; i < 3; i++)
        h->first[i] += mass * s->pose.at[i];
    for (int i = 0; i < 6; i++)
        h->J[i] += turned[i];
    if (h->parts++ == 0) {
        h->one = *s;
        memcpy(h->one_J, J, sizeof h->one_J);
    }
}

/* Puts a geom in whose mass counts. */
static bool heap_geom(struct mjcf *c, const struct xml *x, struct heap *h, const struct geom *g)
{
    if (g->solid) {
        heap_add(h, &g->shape, g->mass, g->J);
    } else if (g->mesh >= 0 && g->given != 0 && (g->given > 0 || g->density != 0) && h->wanted) {
        struct robot_shape s = g->shape;
        double mass, J[6], centre[3];
        if (g->fitted)
            h->unknown = "a simple shape is to be fitted to it";
        else if (!mjcf_mesh_mass(c, g->mesh, g->given, g->density, &mass, centre, J))
            h->unknown = c->mesh.at[g->mesh].why;
        else {
            struct pose at = pose_at(centre[0], centre[1], centre[2]);
            s.pose = pose_mul(&s.pose, &at);
            heap_add(h, &s, mass, J);
        }
        h->line = h->unknown ? x->line : h->line;
    }
    return !c->r->error;
}

static void heap_give(const struct heap *h, struct robot_link *l)
{
    l->mass = h->mass;
    if (h->parts == 1) {        /* numbers as they are */
        l->inertial = h->one.pose;
        memcpy(l->J, h->one_J, sizeof l->J);
        return;
    }
    if (!(h->mass > 0))
        return;
    l->inertial = pose_at(h->first[0] / h->mass, h->first[1] / h->mass, h->first[2] / h->mass);
    memcpy(l->J, h->J, sizeof l->J);
    moments_shift(l->J, -h->mass, l->inertial.at);
}

static bool body_inertial(struct mjcf *c, const struct xml *x, struct robot_link *l)
{
    const char *full = xml_get(x, "fullinertia");
    if (!mjcf_pose(c, NULL, x, &l->inertial))
        return false;
    if (!xml_get(x, "mass"))
        return robot_fail(c->r, x->file, x->line, "<inertial> needs a mass");
    if (!read_attribute(c->r, x, "mass", 1, &l->mass) || (full ? !read_attribute(c->r, x, "fullinertia", 6, l->J) : !read_attribute(c->r, x, "diaginertia", 3, l->J)))
        return false;
    return l->mass >= 0 || robot_fail(c->r, x->file, x->line, "the mass of '%s' is negative", l->name);
}

/* --- what a body has ------------------------------------------------------------------------------------------------------ */

/* A geom as something that touches others. */
static bool read_solid(struct mjcf *c, const struct mjcf_place *p, const struct xml *x, const struct geom *g)
{
    struct robot *r = c->r;
    struct robot_solid s = {.name = xml_get(x, "name"), .line = x->line, .link = p->link, .shape = g->shape, .plane = mjcf_is(c, p, x, "type", "plane")};
    double type = 1, affinity = 1, condim = 3, friction[3] = {1}, priority = 0;
    const char *text = mjcf_get(c, p, x, "friction");
    if (!mjcf_numbers(c, p, x, "contype", 1, &type) || !mjcf_numbers(c, p, x, "conaffinity", 1, &affinity) || !mjcf_numbers(c, p, x, "condim", 1, &condim) ||
        !mjcf_numbers(c, p, x, "priority", 1, &priority) || (text && read_some(r, x, "friction", text, 3, friction) < 0))
        return false;
    if (!g->shown && !s.plane && g->mesh < 0)
        return true;
    s.name = s.name ? s.name : r->link.at[p->link].name;
    s.type = type > 0 && type < 4e9 ? (unsigned)type : 0;
    s.affinity = affinity > 0 && affinity < 4e9 ? (unsigned)affinity : 0;
    s.friction = friction[0];
    s.smooth = condim <= 1;
    s.priority = fabs(priority) < 1e9 ? (int)priority : 0;
    if (xml_get(x, "name"))
        *index_put(&c->geoms, s.name) = r->solid.n;
    VEC_PUSH(r->solid, s);
    return true;
}

static bool read_geoms(struct mjcf *c, const struct xml *x, const struct mjcf_place *p, struct heap *h, int depth)
{
    struct robot *r = c->r;
    XML_EACH(g, x, "geom") {
        struct geom geom;
        double group = 0;
        if (!read_geom(c, p, g, &geom) || !mjcf_numbers(c, p, g, "group", 1, &group))
            return false;
        geom.shape.pose = pose_mul(&p->frame, &geom.shape.pose);
        if (!read_solid(c, p, g, &geom))
            return false;
        if (group >= c->group[0] && group <= c->group[1] && !heap_geom(c, g, h, &geom))
            return false;
        if (geom.mesh >= 0) {
            geom.shape.pose = pose_mul(&geom.shape.pose, &c->mesh.at[geom.mesh].pose);
            pose_tidy(&geom.shape.pose);
        }
        if (geom.shown && group <= 2)
            VEC_PUSH(r->link.at[p->link].shape, geom.shape);
        else if (!geom.shown && !(r->contacts && mjcf_is(c, p, g, "type", "plane")))
            robot_lose(r, &r->link.at[p->link].lost, g->line, "a geom of type %s", mjcf_get(c, p, g, "type") ? mjcf_get(c, p, g, "type") : "sphere");
    }
    XML_EACH(s, x, "site") {
        struct robot_frame f = {.name = mjcf_name(c, s, "site"), .line = s->line, .link = p->link, .pose = pose_identity()};
        double length;
        if (!(mjcf_get(c, p, s, "fromto") ? read_fromto(c, p, s, &f.pose, &length) : mjcf_pose(c, p, s, &f.pose)))
            return false;
        f.pose = pose_mul(&p->frame, &f.pose);
        *index_put(&c->sites, f.name) = r->frame.n;
        VEC_PUSH(r->frame, f);
    }
    XML_EACH(f, x, "frame") {
        struct mjcf_place inside = *p;
        struct pose pose = pose_identity();
        if (depth > 100)
            return robot_fail(r, f->file, f->line, "frames are nested too deep");
        if (!mjcf_pose(c, NULL, f, &pose))
            return false;
        inside.frame = pose_mul(&p->frame, &pose);
        inside.childclass = xml_get(f, "childclass") ? xml_get(f, "childclass") : p->childclass;
        if (!read_geoms(c, f, &inside, h, depth + 1))
            return false;
    }
    return !r->error;
}

/* --- joints ----------------------------------------------------------------------------------------------------------------- */

static bool read_joint(struct mjcf *c, const struct mjcf_place *p, const struct xml *x, struct robot_joint *j, struct mjcf_joint *as)
{
    static const struct { const char *name; enum robot_joint_kind kind; } types[] = {
        {"hinge", ROBOT_REVOLUTE}, {"slide", ROBOT_PRISMATIC}, {"ball", ROBOT_SPHERICAL}, {"free", ROBOT_FREE}};
    struct robot *r = c->r;
    const char *type = !strcmp(x->name, "freejoint") ? "free" : mjcf_get(c, p, x, "type"), *text;
    double pos[3] = {0}, range[2] = {0}, rest = 0, unit;
    int kind = type ? -1 : 0;
    for (int i = 0; type && i < 4; i++)
        if (!strcmp(types[i].name, type))
            kind = i;
    if (r->error)
        return false;
    if (kind < 0)
        return robot_fail(r, x->file, x->line, "the joint has the unknown type '%s'", type);
    j->kind = types[kind].kind;
    unit = j->kind == ROBOT_REVOLUTE ? c->degree : 1;
    if (!strcmp(x->name, "freejoint"))
        return true;
    static const char *const quantity[] = {"damping", "stiffness", "frictionloss", "armature"};
    double *const to[] = {&j->damping, &j->stiffness, &j->friction, &j->armature};
    for (int i = 0; i < 4; i++)
        if ((text = mjcf_get(c, p, x, quantity[i]))) {
            double v[8] = {0};
            int n = read_some(r, x, quantity[i], text, 8, v);
            if (n < 0)
                return false;
            *to[i] = v[0];
            for (int k = 1; k < n; k++)
                if (v[k] != 0) {
                    robot_lose(r, &j->lost, x->line, "'%s' of '%s' beyond its first number", quantity[i], j->name);
                    break;
                }
        }
    double *ref = &as->ref, *soft = as->soft;
    if (!mjcf_numbers(c, p, x, "springdamper", 2, soft))
        return false;
    if (!(soft[0] > 0 && soft[1] > 0))
        soft[0] = 0;
    if (!mjcf_numbers(c, p, x, "pos", 3, pos) || !mjcf_numbers(c, p, x, "axis", 3, j->axis) || !mjcf_numbers(c, p, x, "range", 2, range) ||
        !mjcf_numbers(c, p, x, "ref", 1, ref) || !mjcf_numbers(c, p, x, "springref", 1, &rest))
        return false;
    *ref *= unit;
    j->rest = rest * unit - *ref;
    pose_rotate(&p->frame, j->axis, j->axis);
    if ((j->kind == ROBOT_REVOLUTE || j->kind == ROBOT_PRISMATIC) && j->axis[0] == 0 && j->axis[1] == 0 && j->axis[2] == 0)
        return robot_fail(r, x->file, x->line, "the axis of the joint '%s' has no length", j->name);
    if (j->kind == ROBOT_REVOLUTE || j->kind == ROBOT_SPHERICAL) {
        struct pose at = pose_at(pos[0], pos[1], pos[2]);
        at = pose_mul(&p->frame, &at);
        j->b = pose_at(at.at[0], at.at[1], at.at[2]);
    }
    if (j->kind == ROBOT_SPHERICAL && j->stiffness != 0) {
        robot_lose(r, &j->lost, x->line, "stiffness of the ball joint '%s'", j->name);
        j->stiffness = 0;
    }
    if (robot_joint_coords(j->kind) != 1 && j->friction != 0) {
        robot_lose(r, &j->lost, x->line, "dry friction of '%s'", j->name);
        j->friction = 0;
    }
    if (mjcf_limited(c, p, x, "actuatorfrclimited", "actuatorfrcrange") && !mjcf_numbers(c, p, x, "actuatorfrcrange", 2, as->force))
        return false;
    as->carries = mjcf_is(c, p, x, "actuatorgravcomp", "true");
    bool limited = mjcf_limited(c, p, x, "limited", "range");
    for (int i = 0; i < 2 && limited; i++)
        as->range[i] = range[i] * unit;
    if (limited)
        robot_limit(r, j, x->line, range[0] * unit - *ref, range[1] * unit - *ref);
    return true;
}

/* Joints of a body, also those inside frames. */
struct joints {
    struct { const struct xml *x; struct mjcf_place place; } at[16];
    int n;
};

static bool gather(struct mjcf *c, const struct xml *x, const struct mjcf_place *p, struct joints *list, int depth)
{
    for (struct xml *k = x->child; k; k = k->next) {
        if (!k->name)
            continue;
        if (!strcmp(k->name, "joint") || !strcmp(k->name, "freejoint")) {
            k->read = true;
            if (list->n == 16)
                return robot_fail(c->r, k->file, k->line, "a body has more than 16 joints");
            list->at[list->n].x = k;
            list->at[list->n++].place = *p;
        } else if (!strcmp(k->name, "frame") && depth < 100) {
            struct mjcf_place inside = *p;
            struct pose pose = pose_identity();
            if (!mjcf_pose(c, NULL, k, &pose))
                return false;
            inside.frame = pose_mul(&p->frame, &pose);
            inside.childclass = xml_get(k, "childclass") ? xml_get(k, "childclass") : p->childclass;
            if (!gather(c, k, &inside, list, depth + 1))
                return false;
        }
    }
    return true;
}

static bool read_joints(struct mjcf *c, const struct joints *list, const char *body, int line, int parent, int link, const struct pose *pose, const struct pose *world)
{
    struct robot *r = c->r;
    int from = parent;
    if (!list->n) {
        struct robot_joint *j = robot_joint_add(r, arena_printf(r->arena, "%s_mount", body), line);
        j->kind = ROBOT_FIXED;
        j->parent = parent;
        j->child = link;
        j->a = *pose;
        return true;
    }
    for (int i = 0; i < list->n; i++) {
        const struct xml *x = list->at[i].x;
        const char *name = xml_get(x, "name");
        name = name ? name : list->n == 1 ? arena_printf(r->arena, "%s_joint", body) : arena_printf(r->arena, "%s_joint_%d", body, i + 1);
        if (robot_joint_find(r, name) >= 0 && xml_get(x, "name"))
            return robot_fail(r, x->file, x->line, "there are two joints '%s'", name);
        int to = link;
        if (i + 1 < list->n) {
            robot_link_add(r, arena_printf(r->arena, "%s_%d", body, i + 1), x->line);
            to = r->link.n - 1;
        }
        struct robot_joint *j = robot_joint_add(r, name, x->line);
        struct mjcf_joint as = {.joint = r->joint.n - 1, .body = c->body.n, .range = {1, -1}, .force = {1, -1}};
        if (!read_joint(c, &list->at[i].place, x, j, &as))
            return false;
        j->parent = from;
        j->child = to;
        struct pose start = i ? pose_identity() : *pose;
        j->a = pose_mul(&start, &j->b);
        if (j->kind == ROBOT_FREE) {
            double R[3][3], q[4];
            if (list->n > 1 || from != 0)
                return robot_fail(r, x->file, x->line, "a free joint stands alone, in a body of the world");
            memcpy(R, world->R, sizeof R);
            double t = 1 + R[0][0] + R[1][1] + R[2][2];
            int big = 0;
            double d[4] = {t, 1 + R[0][0] - R[1][1] - R[2][2], 1 - R[0][0] + R[1][1] - R[2][2], 1 - R[0][0] - R[1][1] + R[2][2]};
            for (int k = 1; k < 4; k++)
                big = d[k] > d[big] ? k : big;
            double s = 2 * sqrt(d[big]), off[3] = {R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]};
            q[big] = s / 4;
            for (int k = 1; k < 4; k++)
                if (big == 0)
                    q[k] = off[k - 1] / s;
                else if (k != big)
                    q[k] = (R[k - 1][big - 1] + R[big - 1][k - 1]) / s;
            if (big)
                q[0] = off[big - 1] / s;
            j->a = pose_identity();
            j->started = true;
            memcpy(j->start, world->at, sizeof world->at);
            memcpy(j->start + 3, q, sizeof q);
        }
        VEC_PUSH(c->joint, as);
        from = to;
    }
    return true;
}

/* --- bodies ------------------------------------------------------------------------------------------------------------------ */

static bool read_bodies(struct mjcf *c, const struct xml *x, const struct mjcf_place *p, const struct pose *world, int depth);

static bool read_body(struct mjcf *c, const struct xml *x, const struct mjcf_place *around, const struct pose *around_world, int depth)
{
    struct robot *r = c->r;
    struct mjcf_place p = *around;
    const char *name = mjcf_name(c, x, "body");
    struct pose pose = pose_identity();
    struct heap h = {0};
    struct joints list = {.n = 0};
    double gravcomp = 0;
    if (depth > 180)
        return robot_fail(r, x->file, x->line, "bodies are nested too deep");
    if (index_get(&c->bodies, name) != -1)
        return robot_fail(r, x->file, x->line, "there are two bodies '%s'", name);
    p.childclass = xml_get(x, "childclass") ? xml_get(x, "childclass") : around->childclass;
    p.frame = pose_identity();
    if (p.childclass && index_get(&c->classes, p.childclass) < 0)
        return robot_fail(r, x->file, x->line, "there is no default class '%s'", p.childclass);
    if (!mjcf_pose(c, NULL, x, &pose) || !gather(c, x, &p, &list, 0) || !read_attribute(r, x, "gravcomp", 1, &gravcomp))
        return false;
    pose = pose_mul(&around->frame, &pose);
    struct pose world = pose_mul(around_world, &pose);
    p.link = r->link.n;
    p.moves = around->moves || list.n;
    robot_link_add(r, name, x->line);
    read_comments(r, x->parent, x, &r->link.at[p.link].comment);
    if (!read_joints(c, &list, name, x->line, around->link, p.link, &pose, &world))
        return false;
    p.body = c->body.n;
    *index_put(&c->bodies, name) = c->body.n;
    VEC_PUSH(c->body, ((struct mjcf_body){p.link, around->body, world}));
    const struct xml *inertial = xml_child(x, "inertial");
    h.wanted = c->from_geom == FROM_GEOM_ALWAYS || (c->from_geom == FROM_GEOM_AUTO && !inertial);
    if (!read_geoms(c, x, &p, &h, 0))
        return false;
    struct robot_link *l = &r->link.at[p.link];
    if (xml_get(x, "mocap") && !strcmp(xml_get(x, "mocap"), "true"))
        robot_lose(r, &l->lost, x->line, "the body '%s' is moved from outside (mocap); it stands still", name);
    if (c->from_geom == FROM_GEOM_ALWAYS ? !h.parts && !h.unknown && inertial : inertial != NULL) {
        if (!body_inertial(c, inertial, l))
            return false;
    } else if (h.unknown && p.moves) {
        return robot_fail(r, x->file, h.line, "the mass of the body '%s' would come from a mesh: %s; give it an <inertial>", name, h.unknown);
    } else if (h.wanted) {
        if (h.unknown)
            robot_lose(r, &l->lost, h.line, "the mass of a mesh of '%s', which stands still: %s", name, h.unknown);
        heap_give(&h, l);
    }
    l->gravcomp = gravcomp;
    return read_bodies(c, x, &p, &world, depth + 1);
}

static bool read_bodies(struct mjcf *c, const struct xml *x, const struct mjcf_place *p, const struct pose *world, int depth)
{
    for (struct xml *k = x->child; k; k = k->next) {
        if (!k->name)
            continue;
        if (!strcmp(k->name, "body")) {
            k->read = true;
            if (!read_body(c, k, p, world, depth))
                return false;
        } else if (!strcmp(k->name, "frame")) {
            struct mjcf_place inside = *p;
            struct pose pose = pose_identity();
            if (depth > 180)
                return robot_fail(c->r, k->file, k->line, "frames are nested too deep");
            if (!mjcf_pose(c, NULL, k, &pose))
                return false;
            inside.frame = pose_mul(&p->frame, &pose);
            inside.childclass = xml_get(k, "childclass") ? xml_get(k, "childclass") : p->childclass;
            if (!read_bodies(c, k, &inside, world, depth + 1))
                return false;
            k->read = true;
        }
    }
    int link = p->link;
    if (!strcmp(x->name, "frame"))
        return true;
    for (const struct xml *k = x->child; k; k = k->next)
        if (k->name && !k->read && strcmp(k->name, "camera") && strcmp(k->name, "light"))
            robot_lose(c->r, &c->r->link.at[link].lost, k->line, "<%s> of '%s'", k->name, c->r->link.at[link].name);
    return !c->r->error;
}

/* The moments that MuJoCo's compiler changes: bounds, and balance where a principal moment exceeds the sum of the others. */
static void adjust(struct mjcf *c)
{
    struct robot *r = c->r;
    double total = 0;
    for (int i = 0; i < c->body.n; i++) {
        struct robot_link *l = &r->link.at[c->body.at[i].link];
        if (l->mass < c->bound_mass)
            l->mass = c->bound_mass;
        for (int k = 0; k < 3; k++)
            if (l->J[k] < c->bound_inertia)
                l->J[k] = c->bound_inertia;
        bool diagonal = l->J[3] == 0 && l->J[4] == 0 && l->J[5] == 0;
        if (c->balance && diagonal && (l->J[0] + l->J[1] < l->J[2] || l->J[1] + l->J[2] < l->J[0] || l->J[2] + l->J[0] < l->J[1])) {
            double mean = (l->J[0] + l->J[1] + l->J[2]) / 3;
            l->J[0] = l->J[1] = l->J[2] = mean;
        }
        total += l->mass;
    }
    for (int i = 0; i < c->body.n && c->total_mass > 0 && total > 0; i++) {
        struct robot_link *l = &r->link.at[c->body.at[i].link];
        l->mass *= c->total_mass / total;
        for (int k = 0; k < 6; k++)
            l->J[k] *= c->total_mass / total;
    }
}

/* Pairs that touch, and bodies that do not. */
static bool read_contact(struct mjcf *c, const struct xml *x)
{
    struct robot *r = c->r;
    XML_EACH(k, x, "exclude") {
        const char *one = read_name(r, k, "body1"), *two = read_name(r, k, "body2");
        int a = one ? index_get(&c->bodies, one) : -1, b = two ? index_get(&c->bodies, two) : -1;
        if (a == -1 || b == -1)
            return robot_fail(r, k->file, k->line, "<exclude> names a body that is not there");
        int links[2] = {a == -2 ? 0 : c->body.at[a].link, b == -2 ? 0 : c->body.at[b].link};
        VEC_PUSH(r->apart, ((__typeof__(*r->apart.at)){links[0], links[1]}));
    }
    XML_EACH(k, x, "pair") {
        const char *one = read_name(r, k, "geom1"), *two = read_name(r, k, "geom2"), *text = mjcf_get(c, NULL, k, "friction");
        int a = one ? index_get(&c->geoms, one) : -1, b = two ? index_get(&c->geoms, two) : -1;
        double friction[5] = {1}, condim = 3;
        if (!one || !two || !mjcf_numbers(c, NULL, k, "condim", 1, &condim) || (text && read_some(r, k, "friction", text, 5, friction) < 0))
            return false;
        if (a >= 0 && b >= 0)
            VEC_PUSH(r->pair, ((__typeof__(*r->pair.at)){a, b, condim > 1 ? friction[0] : 0}));
    }
    return true;
}

bool mjcf_world(struct mjcf *c, const struct xml *root)
{
    struct pose world = pose_identity();
    struct heap none = {0};
    struct mjcf_place p = {.frame = world, .link = 0, .body = -1};
    robot_link_add(c->r, "world", root->line);
    *index_put(&c->bodies, "world") = -2;
    XML_EACH(w, root, "worldbody") {
        p.childclass = xml_get(w, "childclass");
        if (!read_geoms(c, w, &p, &none, 0) || !read_bodies(c, w, &p, &world, 0))
            return false;
    }
    XML_EACH(x, root, "contact")
        if (!read_contact(c, x))
            return false;
    adjust(c);
    mjcf_soften(c);
    return true;
}
