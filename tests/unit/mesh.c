/* SPDX-License-Identifier: GPL-3.0-or-later
 * Meshes: the same box in every format, its volume and moments by hand, hostile files, fewer triangles. */
#define _GNU_SOURCE
#include "config.h"
#include "mesh.h"
#include "mesh_dae.h"
#include "../tap.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A box of 2 x 3 x 4 with a corner at (1, 0, 0). */
static const double corner[8][3] = {{1, 0, 0}, {3, 0, 0}, {3, 3, 0}, {1, 3, 0}, {1, 0, 4}, {3, 0, 4}, {3, 3, 4}, {1, 3, 4}};
static const int side[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {2, 3, 7, 6}, {1, 2, 6, 5}, {3, 0, 4, 7}};

struct text {
    char *at;
    size_t n;
};

static void put_float(FILE *f, double x)
{
    float y = (float)x;
    fwrite(&y, sizeof y, 1, f);
}

static struct text write_stl(bool binary)
{
    struct text t;
    FILE *f = open_memstream(&t.at, &t.n);
    uint32_t n = 12;
    if (binary) {
        for (int i = 0; i < 80; i++)
            putc(' ', f);
        fwrite(&n, sizeof n, 1, f);
    } else {
        fprintf(f, "solid box\n");
    }
    for (int s = 0; s < 6; s++)
        for (int k = 1; k < 3; k++) {
            int c[3] = {side[s][0], side[s][k], side[s][k + 1]};
            if (!binary)
                fprintf(f, "facet normal 0 0 0\n outer loop\n");
            for (int i = 0; binary && i < 3; i++)
                put_float(f, 0);
            for (int i = 0; i < 3; i++)
                if (binary) {
                    for (int j = 0; j < 3; j++)
                        put_float(f, corner[c[i]][j]);
                } else {
                    fprintf(f, "  vertex %g %g %g\n", corner[c[i]][0], corner[c[i]][1], corner[c[i]][2]);
                }
            if (binary)
                putc(0, f), putc(0, f);
            else
                fprintf(f, " endloop\nendfacet\n");
        }
    fclose(f);
    return t;
}

static struct text write_obj(bool back)
{
    struct text t;
    FILE *f = open_memstream(&t.at, &t.n);
    fprintf(f, "# a box\n");
    for (int i = 0; i < 8; i++)
        fprintf(f, "v %g %g %g\n", corner[i][0], corner[i][1], corner[i][2]);
    for (int s = 0; s < 6; s++) {
        fprintf(f, "f");
        for (int i = 0; i < 4; i++)
            fprintf(f, " %d/%d/%d", back ? side[s][i] - 8 : side[s][i] + 1, 1, 1);
        fprintf(f, "\r\n");
    }
    fclose(f);
    return t;
}

static struct text write_msh(void)
{
    struct text t;
    FILE *f = open_memstream(&t.at, &t.n);
    int32_t head[4] = {8, 0, 0, 12};
    fwrite(head, sizeof head, 1, f);
    for (int i = 0; i < 24; i++)
        put_float(f, corner[i / 3][i % 3]);
    for (int s = 0; s < 6; s++)
        for (int k = 1; k < 3; k++) {
            int32_t c[3] = {side[s][0], side[s][k], side[s][k + 1]};
            fwrite(c, sizeof c, 1, f);
        }
    fclose(f);
    return t;
}

/* In centimetres, turned and moved by two nodes; or mirrored, with the faces the other way round. */
static struct text write_dae(bool polylist)
{
    struct text t;
    FILE *f = open_memstream(&t.at, &t.n);
    fprintf(f, "<COLLADA><asset><unit meter='0.01'/></asset><library_geometries><geometry id='g'><mesh><source id='s'><float_array>");
    for (int i = 0; i < 8; i++)
        fprintf(f, "%g %g %g ", (polylist ? -100 : 100) * corner[i][0], 100 * corner[i][2], 100 * corner[i][1]);
    fprintf(f, "</float_array></source><vertices id='v'><input semantic='POSITION' source='#s'/></vertices>");
    fprintf(f, "<%s><input semantic='NORMAL' source='#s' offset='0'/><input semantic='VERTEX' source='#v' offset='1'/>", polylist ? "polylist" : "polygons");
    if (polylist)
        fprintf(f, "<vcount>4 4 4 4 4 4</vcount><p>");
    for (int s = 0; s < 6; s++) {
        fprintf(f, polylist ? "" : "<p>");
        for (int i = 0; i < 4; i++)
            fprintf(f, "0 %d ", side[s][polylist ? i : 3 - i]);
        fprintf(f, polylist ? "" : "</p>");
    }
    fprintf(f, "%s</%s></mesh></geometry></library_geometries>", polylist ? "</p>" : "", polylist ? "polylist" : "polygons");
    fprintf(f, "<library_visual_scenes><visual_scene><node><translate>5 0 0</translate><rotate>1 0 0 90</rotate>"
               "<node><matrix>%d 0 0 -5  0 1 0 0  0 0 -1 0  0 0 0 1</matrix><instance_geometry url='#g'/></node></node></visual_scene></library_visual_scenes></COLLADA>", polylist ? -1 : 1);
    fclose(f);
    return t;
}

/* Volume 24, centre (2, 1.5, 2), moments m/12 (b^2 + c^2): to 1e-6, the places being floats. */
static bool is_box(const struct mesh *m, enum mesh_body body)
{
    struct mesh_solid s;
    static const double one[3] = {1, 1, 1}, centre[3] = {2, 1.5, 2};
    bool good = mesh_solid(m, one, body, &s);
    double want[4] = {24, 2 * (9 + 16), 2 * (4 + 16), 2 * (4 + 9)};
    if (body == MESH_SHELL) {   /* six plates of mass A: of a thin box, by plates and the shifts of their middles */
        double a = 2, b = 3, c = 4, ab = 2 * a * b, bc = 2 * b * c, ca = 2 * c * a;
        want[0] = ab + bc + ca;
        want[1] = ab * (b * b / 12 + c * c / 4) + bc * (b * b + c * c) / 12 + ca * (c * c / 12 + b * b / 4);
        want[2] = ab * (a * a / 12 + c * c / 4) + ca * (a * a + c * c) / 12 + bc * (c * c / 12 + a * a / 4);
        want[3] = ca * (a * a / 12 + b * b / 4) + ab * (a * a + b * b) / 12 + bc * (b * b / 12 + a * a / 4);
    }
    good = good && fabs(s.volume - want[0]) < 1e-5;
    for (int i = 0; i < 3 && good; i++)
        good = fabs(s.centre[i] - centre[i]) < 1e-6 && fabs(s.moments[i] - want[1 + i]) < 1e-4 && fabs(s.moments[3 + i]) < 1e-4;
    return good;
}

static void check_format(const char *name, struct text t, bool share)
{
    struct mesh m;
    char *why;
    bool good = mesh_parse(&m, name, t.at, t.n, &why);
    ok(good && m.triangle.n == 12 && (!share || m.corner.n == 8), "%s: 12 triangles%s", name, share ? ", 8 corners" : "");
    ok(good && is_box(&m, MESH_EXACT) && is_box(&m, MESH_PYRAMIDS) && is_box(&m, MESH_SHELL), "%s: volume, centre and moments of the box and of its shell", name);
    mesh_free(&m);
    free(why);
    /* every beginning of it, and every byte changed: read or refused */
    int refused = 0, read = 0;
    uint32_t seed = 1;
    for (size_t i = 0; i < 2 * t.n; i++) {
        size_t n = i < t.n ? i : t.n;
        char *copy = malloc(n + 1);
        memcpy(copy, t.at, n);
        copy[n] = 0;
        if (i >= t.n)
            copy[i - t.n] = (char)(seed = seed * 1664525u + 1013904223u, seed >> 24);
        bool is = mesh_parse(&m, name, copy, n, &why);
        read += is;
        refused += !is && why;
        mesh_free(&m);
        free(why);
        free(copy);
    }
    ok(read + refused == (int)(2 * t.n) && refused > 0, "%s: cut off anywhere or with a byte changed it is read or refused", name);
    free(t.at);
}

static void refuse(const char *name, const char *text, const char *want)
{
    struct mesh m;
    char *why;
    bool good = mesh_parse(&m, name, text, strlen(text), &why);
    ok(!good && why && strstr(why, want), "%s: %s", name, want);
    mesh_free(&m);
    free(why);
}

static struct mesh ball(int n)
{
    struct mesh m;
    struct text t;
    char *why;
    FILE *f = open_memstream(&t.at, &t.n);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < 2 * n; j++) {
            double a = M_PI * i / n, b = M_PI * j / n;
            fprintf(f, "v %.9g %.9g %.9g\n", sin(a) * cos(b), sin(a) * sin(b), cos(a));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * n; j++) {
            int k = (j + 1) % (2 * n);
            fprintf(f, "f %d %d %d %d\n", i * 2 * n + j + 1, (i + 1) * 2 * n + j + 1, (i + 1) * 2 * n + k + 1, i * 2 * n + k + 1);
        }
    fclose(f);
    if (!mesh_parse(&m, "ball.obj", t.at, t.n, &why))
        printf("# %s\n", why);
    free(why);
    free(t.at);
    return m;
}

static void check_thin(void)
{
    struct mesh m = ball(100);
    struct mesh_solid s, fewer;
    const double one[3] = {1, 1, 1}, mirror[3] = {-1, 2, 1};
    bool solid = mesh_solid(&m, one, MESH_EXACT, &s);
    int before = m.triangle.n;
    /* inscribed in the ball: by pi^2/n^2 of its volume or so too small */
    ok(solid && fabs(s.volume / (4 * M_PI / 3) - 1) < 1.5e-3 && fabs(s.moments[0] / (8 * M_PI / 15) - 1) < 2.5e-3, "a ball of %d triangles", before);
    solid = mesh_solid(&m, mirror, MESH_EXACT, &fewer);
    ok(solid && fabs(fewer.volume / (2 * s.volume) - 1) < 1e-6, "mirrored and stretched it has twice the volume");
    mesh_thin(&m, 3000);
    solid = mesh_solid(&m, one, MESH_EXACT, &fewer);
    ok(m.triangle.n <= 3000 && m.triangle.n > 500 && solid && fabs(fewer.volume / s.volume - 1) < 0.05, "thinned to %d triangles it keeps its volume within 5 %%", m.triangle.n);
    for (int i = 0; i < 1000; i++)
        mesh_triangle(&m, 0, 1, 2);
    mesh_thin(&m, 100);
    ok(m.triangle.n > 0 && m.triangle.n <= 100, "the same triangle a thousand times: %d are left", m.triangle.n);
    mesh_free(&m);
}

static void check_find(void)
{
    char dir[] = "/tmp/mesh-XXXXXX", path[512];
    ok(mkdtemp(dir) != NULL, "a directory");
    static const char *const sub[] = {"in", "in/meshes", "out"};
    for (int i = 0; i < 3; i++)
        mkdir((snprintf(path, sizeof path, "%s/%s", dir, sub[i]), path), 0700);
    static const char *const file[] = {"in/meshes/a.stl", "out/b.stl"};
    for (int i = 0; i < 2; i++)
        fclose(fopen((snprintf(path, sizeof path, "%s/%s", dir, file[i]), path), "w"));
    snprintf(path, sizeof path, "%s/in/link.stl", dir);
    ok(symlink("../out/b.stl", path) == 0, "a link");
    char model[512], out[512];
    snprintf(model, sizeof model, "%s/in/robot.mbs", dir);
    snprintf(out, sizeof out, "%s/out", dir);
    const char *dirs[] = {out};
    char *inside = mesh_find(model, NULL, 0, "meshes/a.stl"), *absent = mesh_find(model, NULL, 0, "meshes/c.stl"), *outside = mesh_find(model, NULL, 0, "../out/b.stl"),
         *linked = mesh_find(model, NULL, 0, "link.stl"), *named = mesh_find(model, dirs, 1, "b.stl"),
         *beside = mesh_find(model, dirs, 1, "../out/b.stl");
    ok(inside && !absent, "a mesh beside the model is found");
    ok(!outside && !linked, "one outside is not, nor through a link");
    ok(named && beside, "in a directory that was named it is");
    free(inside), free(absent), free(outside), free(linked), free(named), free(beside);
    snprintf(path, sizeof path, "%s/in/link.stl", dir);
    unlink(path);
    for (int i = 0; i < 2; i++)
        unlink((snprintf(path, sizeof path, "%s/%s", dir, file[i]), path));
    for (int i = 2; i >= 0; i--)
        rmdir((snprintf(path, sizeof path, "%s/%s", dir, sub[i == 2 ? 1 : i == 1 ? 2 : 0]), path));
    rmdir(dir);
}

int main(void)
{
    check_format("box.stl", write_stl(true), true);
    check_format("text.STL", write_stl(false), true);
    check_format("box.obj", write_obj(false), true);
    check_format("back.obj", write_obj(true), true);
    check_format("box.msh", write_msh(), true);
#ifdef HAVE_LIBXML2
    check_format("polylist.dae", write_dae(true), false);
    check_format("polygons.dae", write_dae(false), false);
    refuse("a.dae", "<COLLADA/>", "there is no triangle");
    refuse("a.dae", "<COLLADA><library_nodes><node id='n'><instance_node url='#n'/></node></library_nodes>"
                    "<library_visual_scenes><visual_scene><node><instance_node url='#n'/></node></visual_scene></library_visual_scenes></COLLADA>", "nested too deep");
    refuse("a.dae", "<!DOCTYPE a [<!ENTITY b 'c'>]><COLLADA/>", "no XML that is accepted");
    refuse("a.dae", "<robot/>", "no Collada");
#endif
    refuse("a.step", "", "only meshes in STL");
    refuse("a.stl", "solid", "too short");
    refuse("a.obj", "v 1 2\n", "three numbers");
    refuse("a.obj", "v 1 2 nan\n", "no number of sensible size");
    refuse("a.obj", "v 1 2 3\nf 1 2 3\n", "a corner that is not there");
    refuse("a.obj", "v 1 2 3\nf 1 1\n", "three corners");
    refuse("a.obj", "v 1 2 3\n", "there is no triangle");
    check_thin();
    check_find();
    return tap_done();
}
