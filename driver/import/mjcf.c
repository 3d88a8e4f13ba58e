/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MJCF, the format of MuJoCo: includes, default classes, settings, orientations.
 *
 * What an element does not say comes from its default class: its own `class`, else the nearest `childclass` around it, else the outermost
 * class; what a class does not say comes from the class around it. */
#include "config.h"
#include "import/mjcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- defaults ----------------------------------------------------------------------------------------------------- */

static const char *in_class(const struct mjcf *c, int class, const char *tag, const char *name)
{
    for (; class >= 0; class = c->class.at[class].parent)
        XML_EACH(x, c->class.at[class].node, tag)
            if (xml_get(x, name))
                return xml_get(x, name);
    return NULL;
}

/* All kinds of actuators share the defaults of a class, but for the numbers of their own laws. */
static const char *in_actuator_class(const struct mjcf *c, int class, const char *tag, const char *name)
{
    static const char *const kinds[] = {"general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion"};
    static const char *const own[] = {"kp", "kv", "dampratio", "timeconst", "area", "diameter", "bias", "inheritrange"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(own[i], name))
            return in_class(c, class, tag, name);
    for (; class >= 0; class = c->class.at[class].parent)
        for (size_t i = 0; i < 1 + sizeof kinds / sizeof *kinds; i++)
            XML_EACH(x, c->class.at[class].node, i ? kinds[i - 1] : tag)
                if (xml_get(x, name))
                    return xml_get(x, name);
    return NULL;
}

static bool is_actuator(const struct xml *x) { return x->parent && x->parent->name && !strcmp(x->parent->name, "actuator"); }

const char *mjcf_get(struct mjcf *c, const struct mjcf_place *p, const struct xml *x, const char *name)
{
    const char *own = xml_get(x, name), *class = xml_get(x, "class");
    if (own)
        return own;
    class = class ? class : p && p->childclass ? p->childclass : "main";
    int k = index_get(&c->classes, class);
    if (k < 0 && strcmp(class, "main")) {
        robot_fail(c->r, x->file, x->line, "there is no default class '%s'", class);
        return NULL;
    }
    return is_actuator(x) ? in_actuator_class(c, k, x->name, name) : in_class(c, k, !strcmp(x->name, "freejoint") ? "joint" : x->name, name);
}

bool mjcf_numbers(struct mjcf *c, const struct mjcf_place *p, const struct xml *x, const char *name, int n, double *out)
{
    const char *text = mjcf_get(c, p, x, name);
    return text ? read_numbers(c->r, x, name, text, n, out) : !c->r->error;
}

bool mjcf_is(struct mjcf *c, const struct mjcf_place *p, const struct xml *x, const char *name, const char *value)
{
    const char *text = mjcf_get(c, p, x, name);
    return text && !strcmp(text, value);
}

bool mjcf_class_has(struct mjcf *c, const struct xml *x, const char *tag)
{
    const char *class = xml_get(x, "class") ? xml_get(x, "class") : "main";
    for (int k = index_get(&c->classes, class); k >= 0; k = c->class.at[k].parent)
        if (xml_child(c->class.at[k].node, tag))
            return true;
    return false;
}

bool mjcf_limited(struct mjcf *c, const struct mjcf_place *p, const struct xml *x, const char *flag, const char *range)
{
    return mjcf_get(c, p, x, range) && (mjcf_is(c, p, x, flag, "true") || (c->autolimits && !mjcf_is(c, p, x, flag, "false")));
}

const char *mjcf_name(struct mjcf *c, const struct xml *x, const char *what)
{
    const char *name = xml_get(x, "name");
    return name && *name ? name : arena_printf(c->r->arena, "%s_%d", what, ++c->unnamed);
}

static void add_classes(struct mjcf *c, const struct xml *node, int parent, int depth)
{
    const char *name = xml_get(node, "class") ? xml_get(node, "class") : "main";
    /* a second section with the outermost defaults adds to the first: both are looked at */
    int *known = index_put(&c->classes, name);
    struct mjcf_class k = {name, node, parent < 0 && *known >= 0 ? *known : parent};
    *known = c->class.n;
    int here = c->class.n;
    VEC_PUSH(c->class, k);
    if (depth == 0 && index_get(&c->classes, "main") < 0)       /* the outermost class, whatever it is called */
        *index_put(&c->classes, "main") = here;
    for (struct xml *d = xml_child(node, "default"); d && depth < 100; d = xml_next(d, "default"))
        add_classes(c, d, here, depth + 1);
}

/* --- orientation ------------------------------------------------------------------------------------------------------ */

static bool axes_given(const struct xml *x, struct pose *p, double a[6], struct robot *r)
{
    double n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), R[3][3];
    for (int i = 0; i < 3 && n > 0; i++)
        R[i][0] = a[i] / n;
    double dot = n > 0 ? R[0][0] * a[3] + R[1][0] * a[4] + R[2][0] * a[5] : 0, m = 0;
    for (int i = 0; i < 3 && n > 0; i++) {
        R[i][1] = a[3 + i] - dot * R[i][0];
        m += R[i][1] * R[i][1];
    }
    if (!(n > 0) || !(m > 0))
        return robot_fail(r, x->file, x->line, "'xyaxes' of <%s> are no two directions", x->name);
    for (int i = 0; i < 3; i++)
        R[i][1] /= sqrt(m);
    for (int i = 0; i < 3; i++)
        R[i][2] = R[(i + 1) % 3][0] * R[(i + 2) % 3][1] - R[(i + 2) % 3][0] * R[(i + 1) % 3][1];
    pose_matrix(p, R);
    return true;
}

bool mjcf_pose(struct mjcf *c, const struct mjcf_place *where, const struct xml *x, struct pose *p)
{
    struct robot *r = c->r;
    double v[6];
    if (!mjcf_numbers(c, where, x, "pos", 3, p->at))
        return false;
    if (mjcf_get(c, where, x, "quat")) {
        if (!mjcf_numbers(c, where, x, "quat", 4, v))
            return false;
        if (v[0] == 0 && v[1] == 0 && v[2] == 0 && v[3] == 0)
            return robot_fail(r, x->file, x->line, "'quat' of <%s> has no length", x->name);
        pose_quaternion(p, v);
    } else if (mjcf_get(c, where, x, "axisangle")) {
        if (!mjcf_numbers(c, where, x, "axisangle", 4, v))
            return false;
        double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), a = v[3] * c->degree;
        if (!(n > 0))
            return robot_fail(r, x->file, x->line, "'axisangle' of <%s> has no axis", x->name);
        double q[4] = {cos(a / 2), sin(a / 2) * v[0] / n, sin(a / 2) * v[1] / n, sin(a / 2) * v[2] / n};
        pose_quaternion(p, q);
    } else if (mjcf_get(c, where, x, "euler")) {
        if (!mjcf_numbers(c, where, x, "euler", 3, v))
            return false;
        for (int i = 0; i < 3; i++) {
            char axis = c->eulerseq[i];
            if (axis >= 'x')
                pose_turn(p, axis - 'x', v[i] * c->degree);
            else
                pose_turn_fixed(p, axis - 'X', v[i] * c->degree);
        }
    } else if (mjcf_get(c, where, x, "xyaxes")) {
        return mjcf_numbers(c, where, x, "xyaxes", 6, v) && axes_given(x, p, v, r);
    } else if (mjcf_get(c, where, x, "zaxis")) {
        if (!mjcf_numbers(c, where, x, "zaxis", 3, v))
            return false;
        if (!pose_z_to(p, v))
            return robot_fail(r, x->file, x->line, "'zaxis' of <%s> has no length", x->name);
    }
    return !r->error;
}

/* --- includes and settings -------------------------------------------------------------------------------------------- */

/* Puts the contents of included files in the place of <include>; each file once. */
static bool expand_includes(struct mjcf *c, struct xml *x, struct name_index *seen, int depth)
{
    struct robot *r = c->r;
    for (struct xml *k = x->child, *before = NULL; k; before = k->file ? k : NULL, k = k->next) {
        if (!k->name || strcmp(k->name, "include")) {
            if (!k->name)
                continue;
            if (depth > 400)
                return robot_fail(r, k->file, k->line, "includes are nested too deep");
            if (!expand_includes(c, k, seen, depth + 1))
                return false;
            continue;
        }
        const char *file = read_name(r, k, "file"), *why;
        size_t size;
        if (!file)
            return false;
        int *known = index_put(seen, file);
        if (*known >= 0)
            return robot_fail(r, k->file, k->line, "'%s' is included twice", file);
        *known = 1;
        if (seen->n > 200)
            return robot_fail(r, k->file, k->line, "more than 200 files are included");
        const char *slash = strrchr(k->file, '/');      /* beside the main file, or beside the one that includes it */
        char *text = slash && !read_is_beside(r, file) ? NULL : read_file_beside(r, k, file, &size);
        if (!text && !r->error) {
            file = arena_printf(r->arena, "%.*s/%s", (int)(slash - k->file), k->file, file);
            text = read_file_beside(r, k, file, &size);
        }
        struct xml *root = text ? xml_read(r->arena, file, text, size, &why) : NULL;
        free(text);
        if (!root)
            return r->error ? false : (r->error = why, false);
        for (struct xml *i = root->child; i; i = i->next)
            i->parent = x;
        struct xml *first = root->child ? root->child : k->next;
        if (root->last)
            root->last->next = k->next;
        if (before)
            before->next = first;
        else
            x->child = first;
        struct xml *start = arena_alloc(r->arena, sizeof *start);       /* go on with what was put in */
        start->next = first;
        k = before ? before : start;
    }
    return true;
}

static bool read_compiler(struct mjcf *c, const struct xml *x)
{
    const char *text;
    if (xml_get(x, "angle"))
        c->degree = !strcmp(xml_get(x, "angle"), "radian") ? 1 : M_PI / 180;
    if ((text = xml_get(x, "eulerseq"))) {
        if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
            return robot_fail(c->r, x->file, x->line, "'eulerseq' takes three axes such as xyz");
        c->eulerseq = text;
    }
    if ((text = xml_get(x, "inertiafromgeom")))
        c->from_geom = !strcmp(text, "true") ? FROM_GEOM_ALWAYS : !strcmp(text, "false") ? FROM_GEOM_NEVER : FROM_GEOM_AUTO;
    if ((text = xml_get(x, "balanceinertia")))
        c->balance = !strcmp(text, "true");
    if ((text = xml_get(x, "autolimits")))
        c->autolimits = !strcmp(text, "true");
    if ((text = xml_get(x, "coordinate")) && strcmp(text, "local"))
        return robot_fail(c->r, x->file, x->line, "coordinate=\"global\" is not read; let MuJoCo save the model once");
    c->meshdir = xml_get(x, "meshdir") ? xml_get(x, "meshdir") : xml_get(x, "assetdir") ? xml_get(x, "assetdir") : c->meshdir;
    c->strip = xml_get(x, "strippath") ? !strcmp(xml_get(x, "strippath"), "true") : c->strip;
    return read_attribute(c->r, x, "boundmass", 1, &c->bound_mass) && read_attribute(c->r, x, "boundinertia", 1, &c->bound_inertia) &&
           read_attribute(c->r, x, "settotalmass", 1, &c->total_mass) && read_attribute(c->r, x, "inertiagrouprange", 2, c->group);
}

static bool read_option(struct mjcf *c, const struct xml *x)
{
    double density = 0, viscosity = 0, wind[3] = {0};
    const struct xml *flag = xml_child(x, "flag");
    if (!read_attribute(c->r, x, "gravity", 3, c->r->gravity) || !read_attribute(c->r, x, "density", 1, &density) ||
        !read_attribute(c->r, x, "viscosity", 1, &viscosity) || !read_attribute(c->r, x, "wind", 3, wind))
        return false;
    if (density != 0 || viscosity != 0)
        robot_lose(c->r, &c->r->lost, x->line, "forces of a fluid: density %g, viscosity %g", density, viscosity);
    if (flag && xml_get(flag, "gravity") && !strcmp(xml_get(flag, "gravity"), "disable"))
        c->gravity = false;
    return true;
}

static bool read_settings(struct mjcf *c, const struct xml *root)
{
    XML_EACH(x, root, "compiler")
        if (!read_compiler(c, x))
            return false;
    XML_EACH(x, root, "option")
        if (!read_option(c, x))
            return false;
    XML_EACH(x, root, "default")
        add_classes(c, x, -1, 0);
    XML_EACH(a, root, "asset") {
        XML_EACH(m, a, "mesh")
            if (!mjcf_mesh_add(c, m))
                return false;
        XML_EACH(m, a, "material")
            if (xml_get(m, "name")) {
                *index_put(&c->materials, xml_get(m, "name")) = c->material.n;
                VEC_PUSH(c->material, m);
            }
        XML_EACH(m, a, "model")
            return robot_fail(c->r, m->file, m->line, "<model> in <asset> is not read: let MuJoCo compile and save the model first");
    }
    return true;
}

static const struct xml *find_any(const struct xml *x, const char *const *names, int n)
{
    for (; x; x = x->next) {
        for (int i = 0; x->name && i < n; i++)
            if (!strcmp(x->name, names[i]))
                return x;
        const struct xml *inside = x->name ? find_any(x->child, names, n) : NULL;
        if (inside)
            return inside;
    }
    return NULL;
}

bool read_mjcf(struct robot *r, struct xml *root)
{
    static const char *const refused[] = {"composite", "flexcomp", "flex", "attach", "skin"};
    struct mjcf c = {.r = r, .degree = M_PI / 180, .eulerseq = "xyz", .gravity = true, .autolimits = true, .group = {0, 5}, .total_mass = -1, .meshdir = ""};
    struct name_index seen = {0};
    r->name = xml_get(root, "model") ? xml_get(root, "model") : "robot";
    read_comments(r, root->parent, root, &r->comment);
    bool good = expand_includes(&c, root, &seen, 0);
    const struct xml *no = good ? find_any(root->child, refused, 4) : NULL;
    if (no)
        good = robot_fail(r, no->file, no->line, "<%s> is not read: %s", no->name,
                          !strncmp(no->name, "flex", 4) || !strcmp(no->name, "composite") ? "flexible parts are beyond this import"
                                                                                     : "let MuJoCo compile and save the model first");
    good = good && read_settings(&c, root) && mjcf_repeat(&c, root) && mjcf_world(&c, root) && mjcf_couple(&c, root);
    if (good && !c.gravity)
        memset(r->gravity, 0, sizeof r->gravity);
    if (good)
        read_rest(r, root, "the model", &r->lost);
    index_free(&seen);
    index_free(&c.classes);
    index_free(&c.bodies);
    index_free(&c.sites);
    index_free(&c.geoms);
    index_free(&c.tendons);
    index_free(&c.meshes);
    index_free(&c.materials);
    free(c.material.at);
    free(c.class.at);
    free(c.body.at);
    free(c.joint.at);
    free(c.mesh.at);
    free(c.actuator.at);
    return good;
}
