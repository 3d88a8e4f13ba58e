/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Meshes in DAE (Collada 1.4 and 1.5): triangles, polylists and polygons of the geometries that the scene's nodes place, in metres.
 *
 * Axes are those of the file: programs that draw robots do not turn it by its up_axis. */
#include "config.h"
#include "mesh_dae.h"
#include "import/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 60, MOST_INSTANCES = 20000 };

struct dae {
    struct mesh *m;
    struct arena arena;
    struct name_index ids;              /* number in `node` */
    struct { const struct xml **at; int n, cap; } node;
    int instances;
};
struct affine {
    double a[3][4];
};

static const struct affine none = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

static struct affine product(const struct affine *x, const struct affine *y)
{
    struct affine z;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            z.a[i][j] = j == 3 ? x->a[i][3] : 0;
            for (int k = 0; k < 3; k++)
                z.a[i][j] += x->a[i][k] * y->a[k][j];
        }
    return z;
}

static void index_ids(struct dae *d, const struct xml *x)
{
    for (; x; x = x->next)
        if (x->name) {
            const char *id = xml_get(x, "id");
            if (id && *id) {
                *index_put(&d->ids, id) = d->node.n;
                VEC_PUSH(d->node, x);
            }
            index_ids(d, x->child);     /* the depth of the XML is limited */
        }
}

static const struct xml *refer(const struct dae *d, const char *url, const char *name)
{
    int k = url && *url == '#' ? index_get(&d->ids, url + 1) : -1;
    return k >= 0 && !strcmp(d->node.at[k]->name, name) ? d->node.at[k] : NULL;
}

static int list_of(const struct xml *x, int n, double *out)
{
    const char *s = x->text ? x->text : "", *end = s + strlen(s);
    float value;
    int k = 0;
    for (; k < n && mesh_number(&s, end, &value); k++)
        out[k] = (double)value;
    return k;
}

static struct affine transform_of(const struct xml *x)
{
    struct affine t = none;
    double v[16];
    if (!strcmp(x->name, "matrix") && list_of(x, 16, v) == 16) {
        for (int i = 0; i < 12; i++)
            t.a[i / 4][i % 4] = v[i];
    } else if (!strcmp(x->name, "translate") && list_of(x, 3, v) == 3) {
        for (int i = 0; i < 3; i++)
            t.a[i][3] = v[i];
    } else if (!strcmp(x->name, "scale") && list_of(x, 3, v) == 3) {
        for (int i = 0; i < 3; i++)
            t.a[i][i] = v[i];
    } else if (!strcmp(x->name, "rotate") && list_of(x, 4, v) == 4) {
        double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), angle = v[3] * M_PI / 180;
        if (n > 0) {
            struct pose p = pose_identity();
            double q[4] = {cos(angle / 2), sin(angle / 2) * v[0] / n, sin(angle / 2) * v[1] / n, sin(angle / 2) * v[2] / n};
            pose_quaternion(&p, q);
            for (int i = 0; i < 9; i++)
                t.a[i / 3][i % 3] = p.R[i / 3][i % 3];
        }
    }
    return t;
}

/* --- geometries ----------------------------------------------------------------------------------------------------- */

/* Puts the places of a <vertices> into the mesh; *first is the number of the first one. */
static const char *add_places(struct dae *d, const struct xml *vertices, const struct affine *t, int *first, int *n)
{
    const struct xml *source = NULL;
    XML_EACH(i, vertices, "input")
        if (xml_get(i, "semantic") && !strcmp(xml_get(i, "semantic"), "POSITION"))
            source = refer(d, xml_get(i, "source"), "source");
    const struct xml *floats = xml_child(source, "float_array");
    const struct xml *accessor = xml_child(xml_child(source, "technique_common"), "accessor");
    const char *stride_text = accessor ? xml_get(accessor, "stride") : NULL, *why = NULL;
    int stride = stride_text ? atoi(stride_text) : 3;
    if (!floats || stride < 3 || stride > 16)
        return "its places are not there";
    const char *s = floats->text ? floats->text : "", *end = s + strlen(s);
    *first = d->m->corner.n;
    for (*n = 0; !why; (*n)++) {
        float v[16], at[3];
        int k = 0;
        while (k < stride && mesh_number(&s, end, &v[k]))
            k++;
        if (k < stride)
            break;
        for (int i = 0; i < 3; i++)
            at[i] = (float)(t->a[i][0] * (double)v[0] + t->a[i][1] * (double)v[1] + t->a[i][2] * (double)v[2] + t->a[i][3]);
        why = mesh_corner(d->m, at);
    }
    return why;
}

static bool at_end(const char **s, const char *end)
{
    while (*s < end && strchr(" \t\r\n", **s))
        (*s)++;
    return *s == end;
}

static bool next_index(const char **s, const char *end, long *out)
{
    char *after;
    if (at_end(s, end))
        return false;
    *out = strtol(*s, &after, 10);
    if (after == *s)
        return false;
    *s = after;
    return true;
}

struct face_list {
    int offset, stride;         /* of the places within the numbers of a corner */
    int first, n;               /* places */
    bool mirrored;
};

/* Polygons from a list of numbers: `sides` of them each, 0: all that there are. */
static const char *add_polygon(struct dae *d, const struct face_list *f, const char **s, const char *end, long sides)
{
    long first = -1, last = -1, k;
    for (long i = 0; sides == 0 || i < sides; i++) {
        long place = -1;
        for (int j = 0; j < f->stride; j++) {
            if (!next_index(s, end, &k))
                return sides == 0 && j == 0 ? NULL : "its list of corners ends too soon";
            place = j == f->offset ? k : place;
        }
        if (place < 0 || place >= f->n)
            return "a face names a corner that is not there";
        if (first < 0) {
            first = place;
        } else if (last >= 0) {
            int a = f->first + (int)first, b = f->first + (int)last, c = f->first + (int)place;
            const char *why = mesh_triangle(d->m, a, f->mirrored ? c : b, f->mirrored ? b : c);
            if (why)
                return why;
        }
        last = i > 0 ? place : -1;
    }
    return NULL;
}

static const char *add_faces(struct dae *d, const struct xml *x, const struct face_list *f)
{
    const char *why = NULL;
    bool triangles = !strcmp(x->name, "triangles"), polylist = !strcmp(x->name, "polylist");
    const struct xml *counts = xml_child(x, "vcount");
    const char *count = counts && counts->text ? counts->text : "", *count_end = count + strlen(count);
    XML_EACH(p, x, "p") {
        const char *s = p->text ? p->text : "", *end = s + strlen(s);
        long sides = 3;
        if (!triangles && !polylist)
            why = add_polygon(d, f, &s, end, 0);
        while (!why && (triangles ? !at_end(&s, end) : polylist && next_index(&count, count_end, &sides)))
            why = sides < 3 || sides > MESH_MOST ? "a face has three corners or more" : add_polygon(d, f, &s, end, sides);
        if (why)
            return why;
    }
    return NULL;
}

static const char *add_geometry(struct dae *d, const struct xml *geometry, const struct affine *t)
{
    static const char *const lists[] = {"triangles", "polylist", "polygons"};
    const struct xml *mesh = xml_child(geometry, "mesh"), *known = NULL;
    struct face_list f = {0};
    const double (*a)[4] = t->a;
    f.mirrored = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                 a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]) < 0;
    if (++d->instances > MOST_INSTANCES)
        return "it has too many parts";
    for (int l = 0; l < 3; l++)
        XML_EACH(x, mesh, lists[l]) {
            const struct xml *vertices = NULL;
            f.stride = 1;
            XML_EACH(i, x, "input") {
                const char *text = xml_get(i, "offset"), *semantic = xml_get(i, "semantic");
                int offset = text ? atoi(text) : 0;
                if (offset < 0 || offset > 30)
                    return "its lists of faces are not understood";
                if (semantic && !strcmp(semantic, "VERTEX")) {
                    vertices = refer(d, xml_get(i, "source"), "vertices");
                    f.offset = offset;
                }
                f.stride = offset + 1 > f.stride ? offset + 1 : f.stride;
            }
            if (!vertices)
                return "its places are not there";
            const char *why = vertices == known ? NULL : add_places(d, vertices, t, &f.first, &f.n);
            known = vertices;
            if (why || (why = add_faces(d, x, &f)))
                return why;
        }
    return NULL;
}

/* --- scene ------------------------------------------------------------------------------------------------------------ */

static const char *add_node(struct dae *d, const struct xml *x, const struct affine *around, int depth)
{
    struct affine t = *around;
    const char *why = NULL;
    if (depth > DEEPEST)
        return "its nodes are nested too deep";
    for (const struct xml *k = x->child; k && !why; k = k->next) {
        if (!k->name)
            continue;
        if (!strcmp(k->name, "node")) {
            why = add_node(d, k, &t, depth + 1);
        } else if (!strcmp(k->name, "instance_geometry") || !strcmp(k->name, "instance_node")) {
            bool node = !strcmp(k->name, "instance_node");
            const struct xml *to = refer(d, xml_get(k, "url"), node ? "node" : "geometry");
            if (++d->instances > MOST_INSTANCES)
                why = "it has too many parts";
            else if (to)
                why = node ? add_node(d, to, &t, depth + 1) : add_geometry(d, to, &t);
        } else {
            struct affine own = transform_of(k);
            t = product(&t, &own);
        }
    }
    return why;
}

static const char *add_scene(struct dae *d, const struct xml *root)
{
    struct affine t = none;
    const struct xml *unit = xml_child(xml_child(root, "asset"), "unit");
    const char *text = unit ? xml_get(unit, "meter") : NULL, *why = NULL;
    double metre = text ? strtod(text, NULL) : 1;
    for (int i = 0; i < 3 && metre > 1e-9 && metre < 1e9; i++)
        t.a[i][i] = metre;
    XML_EACH(l, root, "library_visual_scenes")
        XML_EACH(s, l, "visual_scene")
            if ((why = add_node(d, s, &t, 0)))
                return why;
    if (!d->m->triangle.n)      /* no scene: all parts where they are */
        XML_EACH(l, root, "library_geometries")
            XML_EACH(g, l, "geometry")
                if ((why = add_geometry(d, g, &t)))
                    return why;
    return why;
}

const char *mesh_read_dae(struct mesh *m, const char *text, size_t size)
{
    struct dae d = {.m = m};
    const char *why = NULL;
    const struct xml *root = xml_read(&d.arena, "mesh", text, size, &why);
    if (root && strcmp(root->name, "COLLADA"))
        why = "it is no Collada file";
    if (root && !why) {
        index_ids(&d, root);
        why = add_scene(&d, root);
    } else if (!root) {
#ifdef HAVE_LIBXML2
        why = "it is no XML that is accepted";
#else
        why = "mbs was built without libxml2, which reads DAE";
#endif
    }
    index_free(&d.ids);
    free(d.node.at);
    arena_free(&d.arena);
    return why;
}
