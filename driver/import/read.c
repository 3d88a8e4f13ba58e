/* SPDX-License-Identifier: GPL-3.0-or-later
 * Numbers, comments and files for the readers. */
#include "config.h"
#include "build.h"
#include "import/read.h"
#include "mesh.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST = 32 << 20 };

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; }

int read_some(struct robot *r, const struct xml *x, const char *what, const char *text, int most, double *out)
{
    int n = 0;
    for (const char *s = text;; n++) {
        char *end;
        while (is_blank(*s))
            s++;
        if (!*s)
            return n;
        if (n == most) {
            robot_fail(r, x->file, x->line, "'%s' of <%s> takes %d number%s, but it is \"%.60s\"", what, x->name, most, most == 1 ? "" : "s", text);
            return -1;
        }
        double value = strtod(s, &end);
        bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
        if (end == s || hex || (*end && !is_blank(*end)) || !isfinite(value) || fabs(value) > 1e100) {
            robot_fail(r, x->file, x->line, "'%s' of <%s> is no number: \"%.60s\"", what, x->name, text);
            return -1;
        }
        out[n] = value;
        s = end;
    }
}

bool read_numbers(struct robot *r, const struct xml *x, const char *what, const char *text, int n, double *out)
{
    int found = read_some(r, x, what, text, n, out);
    if (found >= 0 && found != n)
        robot_fail(r, x->file, x->line, "'%s' of <%s> takes %d number%s, but it is \"%.60s\"", what, x->name, n, n == 1 ? "" : "s", text);
    return found == n;
}

bool read_attribute(struct robot *r, const struct xml *x, const char *name, int n, double *out)
{
    const char *text = xml_get(x, name);
    return !text || read_numbers(r, x, name, text, n, out);
}

bool read_field(struct robot *r, const struct xml *x, const char *name, int n, double *out)
{
    if (xml_get(x, name))
        return read_attribute(r, x, name, n, out);
    const struct xml *child = xml_child(x, name);
    const char *text = xml_text(r->arena, child);
    return !*text || read_numbers(r, child, name, text, n, out);
}

/* ixx iyy izz ixy ixz iyz */
static bool read_moments(struct robot *r, const struct xml *x, double J[6])
{
    static const char *const name[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    for (int i = 0; i < 6 && x; i++)
        if (!read_field(r, x, name[i], 1, &J[i]))
            return false;
    return true;
}

bool read_inertial(struct robot *r, const struct xml *link, struct robot_link *l, double standard, read_pose_fn *pose)
{
    const struct xml *x = xml_child(link, "inertial"), *mass = xml_child(x, "mass");
    if (!x)
        return true;
    l->mass = l->J[0] = l->J[1] = l->J[2] = standard;
    bool good = mass && xml_get(mass, "value") ? read_attribute(r, mass, "value", 1, &l->mass) : read_field(r, x, "mass", 1, &l->mass);
    if (!good || !pose(r, x, &l->inertial) || !read_moments(r, xml_child(x, "inertia"), l->J))
        return false;
    return l->mass >= 0 || robot_fail(r, x->file, x->line, "the link '%s' has a negative mass", l->name);
}

const char *read_name(struct robot *r, const struct xml *x, const char *attribute)
{
    const char *name = x ? xml_get(x, attribute) : NULL;
    if (x && !name)
        robot_fail(r, x->file, x->line, "<%s> needs an attribute '%s'", x->name, attribute);
    return name;
}

static void comment_add(struct robot *r, const char *text, struct robot_lines *lines)
{
    const char *end = text + strlen(text);
    while (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r')
        text++;
    if (text < end)
        lines_add(r, lines, "%s", text);
}

void read_comments(struct robot *r, const struct xml *parent, const struct xml *to, struct robot_lines *lines)
{
    const struct xml *from = parent->child;
    for (const struct xml *x = parent->child; x && x != to; x = x->next)
        if (x->name && to)
            from = x->next;
    for (const struct xml *x = from; x && x != to; x = x->next)
        if (!x->name)
            comment_add(r, x->text, lines);
}

void read_comments_inside(struct robot *r, const struct xml *x, struct robot_lines *lines)
{
    for (const struct xml *c = x->child; c; c = c->next)
        if (c->name)
            read_comments_inside(r, c, lines);
        else
            comment_add(r, c->text, lines);
}

void read_rest(struct robot *r, const struct xml *x, const char *where, struct robot_lines *lines)
{
    for (const struct xml *c = x->child; c; c = c->next)
        if (c->name && !c->read) {
            const char *name = xml_get(c, "name") ? xml_get(c, "name") : xml_get(c, "reference");
            robot_lose(r, lines, c->line, "<%s>%s%s of %s", c->name, name ? " " : "", name ? name : "", where);
        }
}

char *read_whole(const char *path, size_t *size, const char **why)
{
    char *text = file_read_most(path, size, LARGEST);
    *why = text ? NULL : errno == EFBIG ? "it is larger than 32 MB" : file_why();
    return text;
}

static char *home_of(const struct robot *r)
{
    const char *slash = strrchr(r->path, '/');
    char *dir = slash ? strndup(r->path, (size_t)(slash - r->path) + (slash == r->path)) : strdup(".");
    char *home = dir ? realpath(dir, NULL) : NULL;
    free(dir);
    return home;
}

bool read_is_beside(const struct robot *r, const char *path)
{
    struct stat st;
    char *home = home_of(r);
    bool is = home && stat(arena_printf(r->arena, "%s/%s", home, path), &st) == 0;
    free(home);
    return is;
}

/* Inside the directory of the main file, also behind symbolic links. */
char *read_file_beside(struct robot *r, const struct xml *from, const char *path, size_t *size)
{
    const char *why = NULL;
    char *home = home_of(r), *text = NULL;
    char *file = home ? realpath(path[0] == '/' ? path : arena_printf(r->arena, "%s/%s", home, path), NULL) : NULL;
    size_t n = home ? strlen(home) : 0;
    if (!file)
        robot_fail(r, from->file, from->line, "cannot read '%s': %s", path, strerror(errno));
    else if (strncmp(file, home, n) || (n > 1 && file[n] != '/'))
        robot_fail(r, from->file, from->line, "'%s' is refused: it lies outside the directory of the file", path);
    else if (!(text = read_whole(file, size, &why)))
        robot_fail(r, from->file, from->line, "cannot read '%s': %s", path, why);
    free(home);
    free(file);
    return text;
}

const char *read_find(struct robot *r, const char *path)
{
    char *found = mesh_find(r->path, r->dirs, r->ndirs, path);
    const char *kept = found ? arena_strndup(r->arena, found, strlen(found)) : NULL;
    free(found);
    return kept;
}

/* --- shapes ------------------------------------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A directory above the file's from which a mesh can be reached, to tell the user; NULL: none. */
static const char *find_above(struct robot *r, const char *path)
{
    char *home = home_of(r);
    const char *found = NULL;
    for (int level = 0; home && level < 8 && !found; level++) {
        char *slash = strrchr(home, '/');
        if (is_file(arena_printf(r->arena, "%s/%s", home, path)))
            found = arena_strndup(r->arena, home, strlen(home));
        if (!slash || slash == home)
            break;
        *slash = 0;
    }
    free(home);
    return found;
}

/* package://NAME/rest, model://NAME/rest: the directory NAME is that of the file, or one above it, or below one of -I. */
static const char *mesh_path(struct robot *r, const char *uri)
{
    enum { ENOUGH = 40 };       /* searches in vain */
    const char *scheme = strstr(uri, "://"), *path = scheme ? scheme + 3 : uri, *slash = strchr(path, '/');
    bool package = scheme && slash && slash != path && strncmp(uri, "file:", 5);
    const char *way[2] = {package ? slash + 1 : path, package ? path : NULL};
    r->meshes++;
    for (int i = 0; i < 2 && way[i]; i++)
        if (read_find(r, way[i])) {
            r->meshes_found++;
            return way[i];
        }
    for (int i = 0; i < 2 && way[i] && r->meshes - r->meshes_found < ENOUGH && !r->mesh_dir; i++)
        if ((r->mesh_dir = find_above(r, way[i])) != NULL)
            return way[i];
    return way[0];
}

static bool read_mesh(struct robot *r, const struct xml *x, struct robot_shape *s)
{
    const char *uri = xml_get(x, "filename") ? xml_get(x, "filename") : xml_text(r->arena, xml_child(x, "uri"));
    if (!*uri)
        return robot_fail(r, x->file, x->line, "<mesh> names no file");
    if (strchr(uri, '"') || strchr(uri, '\n'))
        return robot_fail(r, x->file, x->line, "the name of a mesh contains a quote or a new line");
    s->kind = ROBOT_MESH;
    s->file = mesh_path(r, uri);
    return read_field(r, x, "scale", 3, s->size);
}

/* URDF: <color rgba> of the material, or of the one of its name in the robot; SDFormat: its <diffuse>. */
static bool read_colour(struct robot *r, const struct xml *visual, struct robot_shape *s)
{
    const struct xml *m = xml_child(visual, "material"), *top = visual->parent ? visual->parent->parent : NULL, *color = xml_child(m, "color");
    const char *name = m ? xml_get(m, "name") : NULL;
    for (const struct xml *k = name && !color ? xml_child(top, "material") : NULL; k && !color; k = xml_next(k, "material"))
        if (xml_get(k, "name") && !strcmp(xml_get(k, "name"), name))
            color = xml_child(k, "color");
    const struct xml *diffuse = xml_child(m, "diffuse");
    const char *text = color ? xml_get(color, "rgba") : diffuse ? xml_text(r->arena, diffuse) : NULL;
    int n = text ? read_some(r, color ? color : diffuse, "the colour", text, 4, s->rgba) : 0;
    s->rgba[3] = n == 3 ? 1 : s->rgba[3];
    s->coloured = n >= 3;
    return n >= 0;
}

/* The shape of a <geometry>; *known is false where it is of a kind that we do not have. */
static bool read_geometry(struct robot *r, const struct xml *geometry, bool drawn, struct robot_shape *s, bool *known)
{
    const struct xml *x = geometry->child;
    while (x && !x->name)
        x = x->next;
    *known = x != NULL;
    if (!x)
        return true;
    if (!strcmp(x->name, "box")) {
        s->kind = ROBOT_BOX;
        return read_field(r, x, "size", 3, s->size);
    }
    if (!strcmp(x->name, "ellipsoid")) {
        s->kind = ROBOT_ELLIPSOID;
        return read_field(r, x, "radii", 3, s->size);
    }
    if (!strcmp(x->name, "sphere")) {
        s->kind = ROBOT_SPHERE;
        return read_field(r, x, "radius", 1, s->size);
    }
    if (!strcmp(x->name, "cylinder") || !strcmp(x->name, "capsule")) {
        s->kind = !strcmp(x->name, "capsule") ? ROBOT_CAPSULE : ROBOT_CYLINDER;
        return read_field(r, x, "radius", 1, s->size) && read_field(r, x, "length", 1, s->size + 1);
    }
    if (!strcmp(x->name, "mesh")) {
        s->kind = ROBOT_MESH;
        return !drawn || read_mesh(r, x, s);
    }
    *known = false;
    return true;
}

static bool read_visual(struct robot *r, const struct xml *visual, struct robot_link *l, struct pose pose)
{
    struct robot_shape s = {.pose = pose, .size = {1, 1, 1}};
    const struct xml *geometry = xml_child(visual, "geometry"), *x;
    bool known;
    if (!geometry)
        return robot_fail(r, visual->file, visual->line, "<visual> needs a <geometry>");
    if (!read_geometry(r, geometry, true, &s, &known) || (known && !read_colour(r, visual, &s)))
        return false;
    for (x = geometry->child; x && !x->name;)
        x = x->next;
    if (known)
        VEC_PUSH(l->shape, s);
    else if (x)
        robot_lose(r, &l->lost, geometry->line, "a shape <%s>", x->name);
    return true;
}

/* What touches others; a <plane> is given by its normal. */
static bool read_collision(struct robot *r, const struct xml *collision, int link, struct pose pose)
{
    const struct xml *geometry = xml_child(collision, "geometry"), *plane = xml_child(geometry, "plane"), *ode;
    struct robot_solid s = {.line = collision->line, .link = link, .shape = {.pose = pose, .size = {1, 1, 1}}, .plane = plane, .type = 1, .affinity = 1, .friction = 1};
    double normal[3] = {0, 0, 1};
    bool known = plane != NULL;
    ode = xml_child(xml_child(xml_child(collision, "surface"), "friction"), "ode");
    s.name = r->link.at[link].name;
    if (!geometry || (plane ? !read_field(r, plane, "normal", 3, normal) : !read_geometry(r, geometry, false, &s.shape, &known)) ||
        (ode && !read_field(r, ode, "mu", 1, &s.friction)))
        return !r->error;
    struct pose turn = pose_identity();
    if (plane && !pose_z_to(&turn, normal))
        return robot_fail(r, plane->file, plane->line, "the normal of <plane> has no length");
    s.shape.pose = pose_mul(&s.shape.pose, &turn);
    if (known)
        VEC_PUSH(r->solid, s);
    return true;
}

bool read_looks(struct robot *r, const struct xml *link, struct robot_link *l, read_pose_fn *pose)
{
    bool collides = false;
    XML_EACH(v, link, "visual") {
        struct pose p = pose_identity();
        if (!pose(r, v, &p) || !read_visual(r, v, l, p))
            return false;
    }
    XML_EACH(c, link, "collision") {
        struct pose p = pose_identity();
        collides = true;
        if (r->contacts && (!pose(r, c, &p) || !read_collision(r, c, (int)(l - r->link.at), p)))
            return false;
    }
    if (collides && !r->contacts)
        robot_lose(r, &l->lost, link->line, "collision geometry of '%s'", l->name);
    return true;
}
