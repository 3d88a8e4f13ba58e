/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Volume, centre and moments of what a mesh encloses: the sum over its triangles of pyramids with the top in the middle of the surface.
 *
 * A tetrahedron with corners 0, a, b, c has the volume V = a . (b x c)/6 and second moments
 *     int x x' dV = V/20 ((a + b + c)(a + b + c)' + a a' + b b' + c c')
 * (O'Rourke, Computational Geometry in C, section 1.3.8, gives V and the centre; Tonon 2004 the moments); a triangle of area A has
 *     int x x' dA = A/12 ((a + b + c)(a + b + c)' + a a' + b b' + c c'). */
#include "config.h"
#include "mesh.h"

#include <math.h>
#include <string.h>

struct sums {
    double volume, first[3], second[3][3];
};

static void corner(const struct mesh *m, int k, const double scale[3], const double middle[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = scale[i] * (double)m->corner.at[k][i] - middle[i];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The corners of a triangle from a middle, and twice its area. */
static double corners(const struct mesh *m, int triangle, const double scale[3], const double middle[3], double p[3][3])
{
    double u[3], v[3], n[3];
    for (int i = 0; i < 3; i++)
        corner(m, m->triangle.at[triangle][i], scale, middle, p[i]);
    for (int i = 0; i < 3; i++)
        u[i] = p[1][i] - p[0][i], v[i] = p[2][i] - p[0][i];
    cross(u, v, n);
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static void middle_of(const struct mesh *m, const double scale[3], double out[3])
{
    double area = 0, sum[3] = {0}, none[3] = {0}, p[3][3];
    for (int t = 0; t < m->triangle.n; t++) {
        double a = corners(m, t, scale, none, p);
        area += a;
        for (int i = 0; i < 3; i++)
            sum[i] += a * (p[0][i] + p[1][i] + p[2][i]) / 3;
    }
    for (int i = 0; i < 3; i++)
        out[i] = area > 0 ? sum[i] / area : 0;
}

static void add(struct sums *s, double V, double weight, double scale, double p[3][3])
{
    double c[3];
    for (int i = 0; i < 3; i++)
        c[i] = p[0][i] + p[1][i] + p[2][i];
    s->volume += V;
    for (int i = 0; i < 3; i++)
        s->first[i] += V * c[i] * weight;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            s->second[i][j] += V * scale * (c[i] * c[j] + p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j]);
}

/* All triangles, as pyramids over `top` or as they are. */
static struct sums sum_up(const struct mesh *m, const double scale[3], enum mesh_body body, const double top[3])
{
    struct sums s = {0};
    double p[3][3], n[3];
    for (int t = 0; t < m->triangle.n; t++) {
        double area = corners(m, t, scale, top, p) / 2;
        if (body == MESH_SHELL) {
            add(&s, area, 1.0 / 3, 1.0 / 12, p);
            continue;
        }
        cross(p[1], p[2], n);
        double V = (p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2]) / 6;
        add(&s, body == MESH_PYRAMIDS ? fabs(V) : V, 1.0 / 4, 1.0 / 20, p);
    }
    return s;
}

bool mesh_solid(const struct mesh *m, const double scale[3], enum mesh_body body, struct mesh_solid *out)
{
    double top[3], E[3][3], d[3];
    memset(out, 0, sizeof *out);
    middle_of(m, scale, top);
    struct sums s = sum_up(m, scale, body, top);
    if (!isfinite(s.volume) || s.volume == 0 || (body == MESH_EXACT && scale[0] * scale[1] * scale[2] * s.volume <= 0))
        return false;           /* a mirrored mesh has its triangles the other way round */
    double sign = s.volume < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) {
        d[i] = s.first[i] / s.volume;
        out->centre[i] = top[i] + d[i];
    }
    if (body == MESH_PYRAMIDS) {        /* once more with the top in the centre, which is kept */
        s = sum_up(m, scale, body, out->centre);
        memset(d, 0, sizeof d);
    }
    out->volume = sign * s.volume;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            E[i][j] = sign * (s.second[i][j] - s.volume * d[i] * d[j]);
    double trace = E[0][0] + E[1][1] + E[2][2];
    for (int i = 0; i < 3; i++)
        out->moments[i] = trace - E[i][i];
    const double product[3] = {E[1][0], E[2][0], E[2][1]};
    for (int i = 0; i < 3; i++) /* what rounding leaves of a symmetric mesh is none */
        out->moments[3 + i] = fabs(product[i]) < 1e-14 * trace ? 0 : -product[i];
    return true;
}
