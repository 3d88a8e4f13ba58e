/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Meshes of MJCF: where their file is, how it is scaled, turned and moved, and the mass that it gives to a body.
 *
 * The corners are moved by -refpos, turned by the inverse of refquat, and scaled, in this order. */
#include "config.h"
#include "import/mjcf.h"
#include "mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a/b/../c is a/c */
static const char *without_ups(struct robot *r, const char *path)
{
    char *out = arena_strndup(r->arena, path, strlen(path)), *up;
    while ((up = strstr(out + 1, "/../")) != NULL) {
        char *from = up;
        while (from > out && from[-1] != '/')
            from--;
        if (!strncmp(from, "../", 3) || from == up)
            break;
        memmove(from, up + 4, strlen(up + 4) + 1);
    }
    return out;
}

/* Below meshdir, beside the main file; or beside the file that has the element. */
static const char *file_of(struct mjcf *c, const struct xml *x)
{
    struct robot *r = c->r;
    const char *file = xml_get(x, "file"), *dir = c->meshdir, *slash = strrchr(x->file, '/');
    if (file && c->strip && strrchr(file, '/'))
        file = strrchr(file, '/') + 1;
    if (!file || !*file || *file == '/')
        return file;
    const char *path = *dir ? arena_printf(r->arena, "%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", file) : file;
    char *found = slash ? mesh_find(r->path, r->dirs, r->ndirs, path) : NULL;
    if (slash && !found)
        path = arena_printf(r->arena, "%.*s/%s", (int)(slash - x->file), x->file, file);
    free(found);
    return without_ups(r, path);
}

bool mjcf_mesh_add(struct mjcf *c, const struct xml *x)
{
    struct mjcf_mesh m = {.x = x, .file = file_of(c, x), .scale = {1, 1, 1}, .pose = pose_identity()};
    const char *name = xml_get(x, "name");
    const char *base = m.file && strrchr(m.file, '/') ? strrchr(m.file, '/') + 1 : m.file;
    double ref[3] = {0}, quat[4] = {1, 0, 0, 0}, moved[3];
    if (!mjcf_numbers(c, NULL, x, "scale", 3, m.scale) || !mjcf_numbers(c, NULL, x, "refpos", 3, ref) || !mjcf_numbers(c, NULL, x, "refquat", 4, quat))
        return false;
    if (m.file && strchr(m.file, '"'))
        return robot_fail(c->r, x->file, x->line, "the name of a mesh contains a quote");
    if (quat[0] == 0 && quat[1] == 0 && quat[2] == 0 && quat[3] == 0)
        return robot_fail(c->r, x->file, x->line, "'refquat' of <mesh> has no length");
    struct pose turn = pose_identity();
    pose_quaternion(&turn, quat);
    m.pose = pose_inverse(&turn);
    m.skew = m.pose.turns && (m.scale[0] != m.scale[1] || m.scale[1] != m.scale[2]);
    for (int i = 0; i < 3; i++)
        moved[i] = -m.scale[i] * ref[i];
    pose_rotate(&m.pose, moved, m.pose.at);
    if (!name && base)
        name = arena_strndup(c->r->arena, base, strrchr(base, '.') ? (size_t)(strrchr(base, '.') - base) : strlen(base));
    if (name)
        *index_put(&c->meshes, name) = c->mesh.n;
    VEC_PUSH(c->mesh, m);
    return true;
}

/* Corners and triangles that stand in the file itself. */
static bool read_inline(struct mjcf *c, const struct xml *x, struct mesh *m)
{
    struct robot *r = c->r;
    const char *lists[2] = {xml_get(x, "vertex"), xml_get(x, "face")};
    for (int l = 0; l < 2; l++) {
        size_t most = strlen(lists[l]) / 2 + 2;
        double *v = mem_grow(NULL, most, sizeof *v);
        int n = read_some(r, x, l ? "face" : "vertex", lists[l], (int)most, v);
        for (int i = 0; i + 2 < n; i += 3)
            if (l == 0) {
                m->corner.at = i ? m->corner.at : mem_grow(NULL, (size_t)n / 3 + 1, sizeof *m->corner.at);
                for (int k = 0; k < 3; k++)
                    m->corner.at[i / 3][k] = (float)v[i + k];
                m->corner.n = n / 3;
            } else {
                m->triangle.at = i ? m->triangle.at : mem_grow(NULL, (size_t)n / 3 + 1, sizeof *m->triangle.at);
                for (int k = 0; k < 3; k++) {
                    if (!(v[i + k] >= 0 && v[i + k] < m->corner.n) || v[i + k] != floor(v[i + k])) {
                        free(v);
                        return robot_fail(r, x->file, x->line, "a face of the mesh names a corner that is not there");
                    }
                    m->triangle.at[i / 3][k] = (int)v[i + k];
                }
                m->triangle.n = n / 3;
            }
        free(v);
        if (n < 0)
            return false;
    }
    return true;
}

/* Volume, centre and moments of the asset, or why there are none. */
static bool load(struct mjcf *c, struct mjcf_mesh *a)
{
    struct robot *r = c->r;
    struct mesh m = {0};
    const char *how = mjcf_get(c, NULL, a->x, "inertia");
    enum mesh_body body = !how || !strcmp(how, "legacy") ? MESH_PYRAMIDS : !strcmp(how, "shell") ? MESH_SHELL : MESH_EXACT;
    bool good = false;
    if (how && !strcmp(how, "convex")) {
        a->why = "its mass would be that of its convex hull";
    } else if (a->skew) {
        a->why = "it is turned, and its scales differ";
    } else if (a->file) {
        char *path = mesh_find(r->path, r->dirs, r->ndirs, a->file), *why = NULL;
        good = path && mesh_read(&m, path, &why);
        if (!good)
            a->why = path ? arena_printf(r->arena, "'%s': %s", a->file, why) : arena_printf(r->arena, "there is no file '%s' below the directory of the model (-I DIR names another)", a->file);
        if (good && m.warped) {
            good = false;
            a->why = "a face of more than four corners is not plane, and how MuJoCo cuts it into triangles is not known";
        }
        m.triangle.n = m.first ? m.first : m.triangle.n;        /* MuJoCo takes the first object of an OBJ file */
        free(path);
        free(why);
    } else if (xml_get(a->x, "vertex") && xml_get(a->x, "face")) {
        good = read_inline(c, a->x, &m);
        a->why = good ? NULL : "it cannot be read";
    } else {
        a->why = xml_get(a->x, "builtin") ? "it is made by a rule of MuJoCo's" : "it has no faces: its convex hull is not built";
    }
    if (good && !mesh_solid(&m, a->scale, body, &a->solid)) {
        good = false;
        a->why = "it encloses nothing";
    }
    mesh_free(&m);
    if (!good)
        return false;
    double turned[6];
    pose_apply(&a->pose, a->solid.centre, a->solid.centre);
    struct pose turn = a->pose;
    moments_turn(&turn, a->solid.moments, turned);
    memcpy(a->solid.moments, turned, sizeof turned);
    return true;
}

bool mjcf_mesh_mass(struct mjcf *c, int mesh, double mass, double density, double *out, double centre[3], double J[6])
{
    struct mjcf_mesh *a = &c->mesh.at[mesh];
    if (!a->loaded) {
        a->loaded = true;
        a->good = load(c, a);
    }
    if (!a->good)
        return false;
    *out = mass >= 0 ? mass : density * a->solid.volume;
    memcpy(centre, a->solid.centre, 3 * sizeof *centre);
    for (int i = 0; i < 6; i++)
        J[i] = a->solid.moments[i] * *out / a->solid.volume;
    return true;
}
