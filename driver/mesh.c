/* SPDX-License-Identifier: GPL-3.0-or-later
 * Meshes: STL, OBJ and MSH; where they lie; fewer triangles. */
#define _GNU_SOURCE
#include "config.h"
#include "mesh.h"
#include "base/source.h"
#include "mesh_dae.h"
#include "base/arena.h"
#include "import/read.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- building ----------------------------------------------------------------------------------------------------- */

void mesh_free(struct mesh *m)
{
    free(m->corner.at);
    free(m->triangle.at);
    *m = (struct mesh){0};
}

const char *mesh_corner(struct mesh *m, const float at[3])
{
    if (m->corner.n == MESH_MOST)
        return "it has more than 2 million corners";
    if (!isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2]) || fabsf(at[0]) > 1e12f || fabsf(at[1]) > 1e12f || fabsf(at[2]) > 1e12f)
        return "a coordinate is no number of sensible size";
    if (m->corner.n == m->corner.cap) {
        m->corner.cap = m->corner.cap ? 2 * m->corner.cap : 64;
        m->corner.at = mem_grow(m->corner.at, (size_t)m->corner.cap, sizeof *m->corner.at);
    }
    memcpy(m->corner.at[m->corner.n++], at, sizeof *m->corner.at);
    return NULL;
}

const char *mesh_triangle(struct mesh *m, int a, int b, int c)
{
    if (m->triangle.n == MESH_MOST)
        return "it has more than 2 million triangles";
    if (m->triangle.n == m->triangle.cap) {
        m->triangle.cap = m->triangle.cap ? 2 * m->triangle.cap : 64;
        m->triangle.at = mem_grow(m->triangle.at, (size_t)m->triangle.cap, sizeof *m->triangle.at);
    }
    int *t = m->triangle.at[m->triangle.n++];
    t[0] = a, t[1] = b, t[2] = c;
    return NULL;
}

/* Corners by their place: open addressing, the size a power of two. */
struct corners {
    int *slot;
    unsigned size;
};

static unsigned corner_hash(const float at[3])
{
    uint32_t w[3], h = 2166136261u;
    memcpy(w, at, sizeof w);
    for (int i = 0; i < 3; i++) {
        h = (h ^ w[i]) * 16777619u;
        h ^= h >> 15;
    }
    return h;
}

static void corners_grow(struct corners *t, const struct mesh *m)
{
    t->size = t->size ? 2 * t->size : 1024;
    free(t->slot);
    t->slot = mem_grow(NULL, t->size, sizeof *t->slot);
    memset(t->slot, 0xff, t->size * sizeof *t->slot);
    for (int i = 0; i < m->corner.n; i++) {
        unsigned k = corner_hash(m->corner.at[i]) & (t->size - 1);
        while (t->slot[k] >= 0)
            k = (k + 1) & (t->size - 1);
        t->slot[k] = i;
    }
}

static const char *corner_shared(struct mesh *m, struct corners *t, const float given[3], int *number)
{
    const float at[3] = {given[0] + 0.0f, given[1] + 0.0f, given[2] + 0.0f};    /* -0 is 0 */
    if (2 * (unsigned)m->corner.n >= t->size)
        corners_grow(t, m);
    unsigned k = corner_hash(at) & (t->size - 1);
    for (; t->slot[k] >= 0; k = (k + 1) & (t->size - 1))
        if (!memcmp(m->corner.at[t->slot[k]], at, sizeof at)) {
            *number = t->slot[k];
            return NULL;
        }
    const char *why = mesh_corner(m, at);
    if (!why)
        *number = t->slot[k] = m->corner.n - 1;
    return why;
}

/* --- STL ---------------------------------------------------------------------------------------------------------- */

static uint32_t little(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float little_float(const char *p)
{
    uint32_t u = little(p);
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static const char *facet(struct mesh *m, struct corners *t, float at[3][3])
{
    int k[3];
    const char *why = NULL;
    for (int i = 0; i < 3 && !why; i++)
        why = corner_shared(m, t, at[i], &k[i]);
    if (why || k[0] == k[1] || k[1] == k[2] || k[2] == k[0])
        return why;             /* a facet without area is none */
    return mesh_triangle(m, k[0], k[1], k[2]);
}

static const char *read_binary(struct mesh *m, const char *text, size_t size)
{
    struct corners t = {0};
    uint32_t n = little(text + 80);
    const char *why = size < 84 + 50 * (size_t)n ? "the file ends too soon" : NULL;
    for (uint32_t i = 0; i < n && !why; i++) {
        const char *p = text + 84 + 50 * (size_t)i + 12;
        float at[3][3];
        for (int k = 0; k < 9; k++)
            at[k / 3][k % 3] = little_float(p + 4 * k);
        why = facet(m, &t, at);
    }
    free(t.slot);
    return why;
}

/* A number, and what follows; false where there is none. */
bool mesh_number(const char **s, const char *end, float *out)
{
    char *after;
    while (*s < end && (**s == ' ' || **s == '\t' || **s == '\r' || **s == '\n'))
        (*s)++;
    if (*s == end)
        return false;
    *out = strtof(*s, &after);
    if (after == *s)
        return false;
    *s = after;
    return true;
}

static const char *read_text(struct mesh *m, const char *text, size_t size)
{
    struct corners t = {0};
    float at[3][3];
    int n = 0;
    const char *why = NULL;
    for (const char *s = text, *end = text + size; !why && (s = memmem(s, (size_t)(end - s), "vertex", 6)) != NULL;) {
        s += 6;
        for (int i = 0; i < 3 && !why; i++)
            why = mesh_number(&s, end, &at[n][i]) ? NULL : "a vertex has three numbers";
        if (!why && ++n == 3) {
            why = facet(m, &t, at);
            n = 0;
        }
    }
    free(t.slot);
    return why;
}

static const char *read_stl(struct mesh *m, const char *text, size_t size)
{
    bool fits = size >= 84 && size == 84 + 50 * (size_t)little(text + 80);
    if (!fits && size >= 5 && !memcmp(text, "solid", 5) && memmem(text, size, "facet", 5))
        return read_text(m, text, size);
    return size < 84 ? "it is no STL file: it is too short" : read_binary(m, text, size);
}

/* --- OBJ ---------------------------------------------------------------------------------------------------------- */

/* --- polygons ------------------------------------------------------------------------------------------------------- */

struct polygon {
    int *at, n, cap;
};

static void corner_minus(const struct mesh *m, int a, int b, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (double)m->corner.at[a][i] - (double)m->corner.at[b][i];
}

/* The vector area, along which the polygon is seen flat. */
static void polygon_normal(const struct mesh *m, const struct polygon *p, double n[3])
{
    n[0] = n[1] = n[2] = 0;
    for (int i = 1; i + 1 < p->n; i++) {
        double u[3], v[3];
        corner_minus(m, p->at[i], p->at[0], u);
        corner_minus(m, p->at[i + 1], p->at[0], v);
        n[0] += u[1] * v[2] - u[2] * v[1], n[1] += u[2] * v[0] - u[0] * v[2], n[2] += u[0] * v[1] - u[1] * v[0];
    }
}

static double turn_at(const struct mesh *m, int a, int b, int c, const double n[3])
{
    double u[3], v[3];
    corner_minus(m, b, a, u);
    corner_minus(m, c, b, v);
    return n[0] * (u[1] * v[2] - u[2] * v[1]) + n[1] * (u[2] * v[0] - u[0] * v[2]) + n[2] * (u[0] * v[1] - u[1] * v[0]);
}

/* Whether the corner i can be cut off: it is convex and no other corner lies in its triangle. */
static bool is_ear(const struct mesh *m, const struct polygon *p, int i, const double n[3])
{
    int a = p->at[(i + p->n - 1) % p->n], b = p->at[i], c = p->at[(i + 1) % p->n];
    if (turn_at(m, a, b, c, n) <= 0)
        return false;
    for (int k = 0; k < p->n; k++) {
        int q = p->at[k];
        if (q != a && q != b && q != c && turn_at(m, a, b, q, n) > 0 && turn_at(m, b, c, q, n) > 0 && turn_at(m, c, a, q, n) > 0)
            return false;
    }
    return true;
}

/* Triangles of a polygon: of four corners by the shorter diagonal, of more by cutting ears off (Meisters 1975). */
static const char *cut_polygon(struct mesh *m, struct polygon *p)
{
    enum { MANY = 200 };        /* corners: a fan then, so that a hostile file costs little */
    const char *why = NULL;
    double n[3], d[2][3];
    if (p->n == 4) {
        corner_minus(m, p->at[2], p->at[0], d[0]);
        corner_minus(m, p->at[3], p->at[1], d[1]);
        int s = d[0][0] * d[0][0] + d[0][1] * d[0][1] + d[0][2] * d[0][2] < d[1][0] * d[1][0] + d[1][1] * d[1][1] + d[1][2] * d[1][2] ? 0 : 1;
        why = mesh_triangle(m, p->at[s], p->at[s + 1], p->at[s + 2]);
        return why ? why : mesh_triangle(m, p->at[s], p->at[s + 2], p->at[(s + 3) % 4]);
    }
    polygon_normal(m, p, n);
    for (int i = 1; i < p->n && p->n > 4 && !m->warped; i++) {
        double u[3];
        corner_minus(m, p->at[i], p->at[0], u);
        double high = u[0] * n[0] + u[1] * n[1] + u[2] * n[2], size = sqrt((u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
        m->warped = fabs(high) > 1e-6 * size;
    }
    while (p->n > 3 && p->n <= MANY && !why) {
        int ear = 0;
        while (ear < p->n && !is_ear(m, p, ear, n))
            ear++;
        ear = ear == p->n ? 1 : ear;    /* none: it crosses itself */
        why = mesh_triangle(m, p->at[(ear + p->n - 1) % p->n], p->at[ear], p->at[(ear + 1) % p->n]);
        memmove(p->at + ear, p->at + ear + 1, (size_t)(--p->n - ear) * sizeof *p->at);
    }
    for (int i = 1; i + 1 < p->n && !why; i++)
        why = mesh_triangle(m, p->at[0], p->at[i], p->at[i + 1]);
    return why;
}

/* Corners of a face: number, number/texture/normal; below zero they count back from the last one. */
static const char *read_face(struct mesh *m, const char *s, const char *end, struct polygon *p)
{
    for (p->n = 0;;) {
        char *after;
        while (s < end && (*s == ' ' || *s == '\t' || *s == '\r'))
            s++;
        if (s == end)
            return p->n < 3 ? "a face has three corners or more" : cut_polygon(m, p);
        long k = strtol(s, &after, 10);
        if (after == s)
            return "a face has numbers of corners";
        k = k < 0 ? m->corner.n + k : k - 1;
        if (k < 0 || k >= m->corner.n)
            return "a face names a corner that is not there";
        VEC_PUSH(*p, (int)k);
        for (s = after; s < end && *s != ' ' && *s != '\t' && *s != '\r';)
            s++;
    }
}

static const char *read_obj(struct mesh *m, const char *text, size_t size)
{
    const char *why = NULL;
    struct polygon face = {0};
    for (const char *s = text, *end = text + size; s < end && !why;) {
        const char *eol = memchr(s, '\n', (size_t)(end - s));
        eol = eol ? eol : end;
        while (s < eol && (*s == ' ' || *s == '\t'))
            s++;
        if (eol - s > 2 && s[0] == 'v' && (s[1] == ' ' || s[1] == '\t')) {
            float at[3];
            const char *p = s + 2;
            for (int i = 0; i < 3 && !why; i++)
                why = mesh_number(&p, eol, &at[i]) ? NULL : "a corner has three numbers";
            why = why ? why : mesh_corner(m, at);
        } else if (eol - s > 2 && s[0] == 'f' && (s[1] == ' ' || s[1] == '\t')) {
            why = read_face(m, s + 2, eol, &face);
        } else if (eol - s >= 1 && (s[0] == 'o' || s[0] == 'g') && (eol - s == 1 || s[1] == ' ' || s[1] == '\t' || s[1] == '\r') && !m->first) {
            m->first = m->triangle.n;   /* another object begins */
        }
        s = eol < end ? eol + 1 : end;
    }
    m->first = m->first ? m->first : m->triangle.n;
    free(face.at);
    return why;
}

/* --- MSH ---------------------------------------------------------------------------------------------------------- */

static const char *read_msh(struct mesh *m, const char *text, size_t size)
{
    uint32_t n[4];
    const char *why = size < 16 ? "the file ends too soon" : NULL;
    for (int i = 0; i < 4 && !why; i++)
        if ((n[i] = little(text + 4 * i)) > 3 * MESH_MOST)
            why = "it has too many corners";
    if (!why && size != 16 + 12 * ((size_t)n[0] + n[1] + n[3]) + 8 * (size_t)n[2])
        why = "its size is not what its numbers of corners and faces say";
    for (uint32_t i = 0; !why && i < n[0]; i++) {
        const char *p = text + 16 + 12 * (size_t)i;
        why = mesh_corner(m, (float[3]){little_float(p), little_float(p + 4), little_float(p + 8)});
    }
    for (uint32_t i = 0; !why && i < n[3]; i++) {
        const char *p = text + 16 + 12 * ((size_t)n[0] + n[1]) + 8 * (size_t)n[2] + 12 * (size_t)i;
        uint32_t a = little(p), b = little(p + 4), c = little(p + 8);
        why = a >= n[0] || b >= n[0] || c >= n[0] ? "a face names a corner that is not there" : mesh_triangle(m, (int)a, (int)b, (int)c);
    }
    return why;
}

/* --- files ---------------------------------------------------------------------------------------------------------- */

bool mesh_parse(struct mesh *m, const char *name, const char *text, size_t size, char **why)
{
    static const struct { const char *end; const char *(*read)(struct mesh *, const char *, size_t); } formats[] = {
        {".stl", read_stl}, {".obj", read_obj}, {".dae", mesh_read_dae}, {".msh", read_msh}};
    const char *dot = strrchr(name, '.'), *fault = "only meshes in STL, OBJ, DAE and MSH are read";
    *m = (struct mesh){0};
    *why = NULL;
    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
        if (!strcasecmp(dot, formats[i].end))
            fault = formats[i].read(m, text, size);
    if (!fault && !m->triangle.n)
        fault = "there is no triangle in it";
    if (!fault)
        return true;
    mesh_free(m);
    *why = strdup(fault);
    return false;
}

bool mesh_read(struct mesh *m, const char *path, char **why)
{
    const char *fault = NULL;
    size_t size;
    char *text = read_whole(path, &size, &fault);
    *m = (struct mesh){0};
    *why = text ? NULL : strdup(fault);
    bool good = text && mesh_parse(m, path, text, size, why);
    free(text);
    return good;
}

char *mesh_find(const char *model, const char *const *dirs, int n, const char *name)
{
    const char *slash = strrchr(model, '/');
    char *own = slash ? strndup(model, (size_t)(slash - model) + 1) : strdup("."), *found = NULL;
    for (int from = -1; from < n && !found && own; from++) {
        char *joined = NULL;
        if (asprintf(&joined, "%s/%s", from < 0 ? own : dirs[from], name) > 0 && (found = realpath(joined, NULL)) != NULL) {
            bool allowed = source_is_below(found, own);
            for (int i = 0; i < n && !allowed; i++)
                allowed = source_is_below(found, dirs[i]);
            if (!allowed) {
                free(found);
                found = NULL;
            }
        }
        free(joined);
    }
    free(own);
    return found;
}

/* --- fewer triangles -------------------------------------------------------------------------------------------------- */

/* The cell of a corner in a grid of `cells` along the longest side. */
static void cell_of(const float at[3], const float low[3], float step, float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = floorf((at[i] - low[i]) / step);
}

static bool cluster(const struct mesh *m, int cells, int most, struct mesh *out)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, side = 0;
    struct mesh grid = {0};
    struct corners table = {0};
    int *to = mem_grow(NULL, (size_t)m->corner.n, sizeof *to), *count = mem_grow(NULL, (size_t)m->corner.n, sizeof *count);
    double (*sum)[3] = mem_grow(NULL, (size_t)m->corner.n, sizeof *sum);
    for (int i = 0; i < m->corner.n; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], m->corner.at[i][k]);
            high[k] = fmaxf(high[k], m->corner.at[i][k]);
        }
    for (int k = 0; k < 3; k++)
        side = fmaxf(side, high[k] - low[k]);
    float step = side > 0 ? side / (float)cells : 1;
    for (int i = 0; i < m->corner.n; i++) {
        float cell[3];
        int before = grid.corner.n;
        cell_of(m->corner.at[i], low, step, cell);
        corner_shared(&grid, &table, cell, &to[i]);
        if (grid.corner.n > before)
            count[to[i]] = 0, sum[to[i]][0] = sum[to[i]][1] = sum[to[i]][2] = 0;
        count[to[i]]++;
        for (int k = 0; k < 3; k++)
            sum[to[i]][k] += m->corner.at[i][k];
    }
    for (int i = 0; i < grid.corner.n; i++)
        mesh_corner(out, (float[3]){(float)(sum[i][0] / count[i]), (float)(sum[i][1] / count[i]), (float)(sum[i][2] / count[i])});
    for (int i = 0; i < m->triangle.n && out->triangle.n <= most; i++) {
        const int *t = m->triangle.at[i];
        int a = to[t[0]], b = to[t[1]], c = to[t[2]];
        if (a != b && b != c && c != a)
            mesh_triangle(out, a, b, c);
    }
    free(to), free(count), free(sum), free(table.slot);
    mesh_free(&grid);
    return out->triangle.n <= most;
}

void mesh_thin(struct mesh *m, int most)
{
    for (int cells = 256; m->triangle.n > most && cells > 1; cells = cells * 3 / 4) {
        struct mesh fewer = {0};
        if (cluster(m, cells, most, &fewer)) {
            mesh_free(m);
            *m = fewer;
            return;
        }
        mesh_free(&fewer);
    }
    if (m->triangle.n > most)           /* many in the same few cells: the same triangles again and again */
        m->triangle.n = most;
}
