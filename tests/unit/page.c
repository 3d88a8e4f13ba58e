/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page of `mbs report`, from models made up here: every kind of shape in a plane, a spatial top, a chain
 * of 32 links.  Checks the size, that text cannot break out of the page, and that columns read back within
 * their step.  With a directory as argument the pages are kept there, for a browser. */
#include "../tap.h"
#include "config.h"
#include "base/out.h"
#include "json.h"
#include "result.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct mbs_name crank_coord[] = {{"phi", "rad", 3}, {"x", "m", 3}, {"w", "m", 4}};
static const struct mbs_name crank_rows[] = {{"loop.x", "m", 5}, {"loop.y", "m", 5}};
static const struct mbs_name crank_param[] = {{"l", "m", 2}, {"m", "kg", 2}};
static const struct mbs_shape crank_shape[] = {
    {"rail", MBS_SHAPE_GROUND, 0, 2, NULL, NULL, 0, 0},  {"O", MBS_SHAPE_GROUND, 2, 1, NULL, NULL, 0, 0},    {"disc", MBS_SHAPE_CIRCLE, 3, 3, NULL, NULL, 0, 0},
    {"crank", MBS_SHAPE_BODY, 6, 2, NULL, NULL, 0, 0},   {"rod", MBS_SHAPE_LINE, 8, 9, NULL, NULL, 0, 0},    {"block", MBS_SHAPE_BODY, 17, 4, NULL, NULL, 0, 0},
    {"S", MBS_SHAPE_SPRING, 21, 2, NULL, NULL, 0, 0},    {"D", MBS_SHAPE_DAMPER, 23, 2, NULL, NULL, 0, 0},   {"wall", MBS_SHAPE_GROUND, 25, 2, NULL, NULL, 0, 0},
    {"J1", MBS_SHAPE_JOINT, 27, 1, NULL, NULL, 0, 0},    {"J2", MBS_SHAPE_JOINT, 28, 1, NULL, NULL, 0, 0},   {"J3", MBS_SHAPE_JOINT, 29, 1, NULL, NULL, 0, 0},
    {"P", MBS_SHAPE_POINT, 30, 1, NULL, NULL, 0, 0},
};
static const struct mbs_shape top_shape[] = {
    {"O", MBS_SHAPE_JOINT, 0, 1, NULL, NULL, 0, 0},      {"axis", MBS_SHAPE_BODY, 1, 2, NULL, NULL, 0, 0},   {"rotor", MBS_SHAPE_CIRCLE, 3, 3, NULL, NULL, 0, 0},
    {"tip", MBS_SHAPE_POINT, 6, 1, NULL, NULL, 0, 0},    {"ball", MBS_SHAPE_SPHERE, 7, 2, NULL, NULL, 0, 0}, {"pin", MBS_SHAPE_JOINT, 9, 2, NULL, NULL, 0, 0},
    {"plate", MBS_SHAPE_BODY, 11, 8, NULL, NULL, 0, 0},
};

static void set(double *xyz, int i, double x, double y, double z)
{
    xyz[3 * i] = x, xyz[3 * i + 1] = y, xyz[3 * i + 2] = z;
}

static void crank_points(double t, double *p)
{
    double phi = 3 * t, c = cos(phi), s = sin(phi), l = 1, L = 2.2;
    double x = l * c + sqrt(L * L - s * s), th = asin(-s / L), b = 0.22 * sin(11 * t) * exp(-0.1 * t);
    set(p, 0, 1.0, -0.22, 0), set(p, 1, 4.4, -0.22, 0), set(p, 2, 0, 0, 0);
    set(p, 3, 0, 0, 0), set(p, 4, 1.2 * c, 1.2 * s, 0), set(p, 5, -1.2 * s, 1.2 * c, 0);
    set(p, 6, 0, 0, 0), set(p, 7, l * c, l * s, 0);
    for (int i = 0; i < 9; i++) {
        double u = i / 8.0, w = b * sin(M_PI * u);
        set(p, 8 + i, l * c + L * u * cos(th) - w * sin(th), l * s + L * u * sin(th) + w * cos(th), 0);
    }
    for (int i = 0; i < 4; i++)
        set(p, 17 + i, x + (i == 1 || i == 2 ? 0.25 : -0.25), i > 1 ? 0.17 : -0.17, 0);
    set(p, 21, x + 0.25, 0, 0), set(p, 22, 4.4, 0, 0), set(p, 23, x + 0.25, 0, 0), set(p, 24, 4.4, 0, 0);
    set(p, 25, 4.4, 0.6, 0), set(p, 26, 4.4, -0.6, 0);
    set(p, 27, 0, 0, 0), set(p, 28, l * c, l * s, 0), set(p, 29, x, 0, 0);
    set(p, 30, p[3 * 12], p[3 * 12 + 1], 0);
}

static void turn(double *xyz, int i, double a, double b, double g, double x, double y, double z)
{
    double x1 = cos(g) * x - sin(g) * y, y1 = sin(g) * x + cos(g) * y;
    double y2 = cos(b) * y1 - sin(b) * z, z2 = sin(b) * y1 + cos(b) * z;
    set(xyz, i, cos(a) * x1 - sin(a) * y2, sin(a) * x1 + cos(a) * y2, z2);
}
static void top_points(double t, double *p)
{
    double a = 0.9 * t, b = 0.5 + 0.12 * sin(5 * t), g = 9 * t;
    turn(p, 0, a, b, g, 0, 0, 0), turn(p, 1, a, b, g, 0, 0, 0), turn(p, 2, a, b, g, 0, 0, 1.3);
    turn(p, 3, a, b, g, 0, 0, 1), turn(p, 4, a, b, g, 0.5, 0, 1), turn(p, 5, a, b, g, 0, 0.5, 1);
    turn(p, 6, a, b, g, 0, 0, 1.3);
    set(p, 7, 1.1, 0.3, 0.2), set(p, 8, 1.3, 0.3, 0.2), set(p, 9, -0.9, 0.5, 0.3), set(p, 10, -0.9, 0.5, 0.6);
    for (int i = 0; i < 8; i++) {
        double x = i & 1 ? 0.3 : -0.1, z = i & 4 ? 0.35 : 0.25, w = i & 2 ? 0.15 : -0.15;
        set(p, 11 + i, -0.9 + x * cos(t) - w * sin(t), 0.5 + x * sin(t) + w * cos(t), z);
    }
}

enum { LINKS = 32 };
static void chain_points(double t, double *p)
{
    double x = 0, y = 0;
    for (int i = 0; i < LINKS; i++) {
        double a = -1.2 + 1.1 * sin(0.9 * t + 0.11 * i) - 0.02 * i * cos(1.7 * t);
        set(p, 2 * i, x, y, 0);
        set(p, 2 * LINKS + i, x, y, 0);
        x += cos(a), y += sin(a);
        set(p, 2 * i + 1, x, y, 0);
    }
    set(p, 3 * LINKS, 0, 0, 0);
}

static char *page(const struct mbs_model *m, void (*points)(double, double *), double to, int n, const char *text, const char *dir, size_t *size)
{
    struct result r;
    double params[] = {1, 2.5};
    char path[512], *all;
    if (!result_init(&r, m))
        return NULL;
    for (int k = 0; k < n; k++) {
        double *row = result_row(&r), t = to * k / (n - 1);
        if (!row)
            return NULL;
        row[0] = t;
        for (int i = 0; i < m->nq; i++) {
            double w = 3 + 0.1 * i;
            row[r.q + i] = sin(w * t + 0.2 * i), row[r.v + i] = w * cos(w * t + 0.2 * i), row[r.a + i] = -w * w * sin(w * t + 0.2 * i);
        }
        for (int i = 0; i < m->ng; i++)
            row[r.lambda + i] = 30 * cos(6 * t + i) + 4 * sin(21 * t);
        row[r.energy] = 2 + cos(3 * t), row[r.energy + 1] = 1 - cos(3 * t) - 1e-9 * t;
        row[r.violation] = 1e-12 * fabs(sin(7 * t)), row[r.violation + 1] = 1e-9 * fabs(sin(9 * t) + 1.01);
        points(t, row + r.xyz);
    }
    r.params = params;
    r.text = text;
    r.equations = "{\"title\":\"Mass matrix\",\"list\":[[\"M[phi, phi]\",\"l^2*m/(1 + cos(phi - x))^2\"]]}";
    snprintf(r.subtitle, sizeof r.subtitle, "%s: made up for a test", m->name);
    result_fact(&r, "Steps", "%d", 123);
    result_fact(&r, "CPU time", "%.3g ms", 4.56);
    snprintf(path, sizeof path, "%s/%s.html", dir, m->name);
    struct out o;
    if (!out_open(&o, path))
        return NULL;
    (void)page_write(o.f, &r);
    if (!out_close(&o))
        return NULL;
    result_fini(&r);
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    all = malloc(*size + 1);
    if (!all || fread(all, 1, *size, f) != *size)
        return NULL;
    all[*size] = 0;
    fclose(f);
    return all;
}

static int sextet(int c)
{
    const char *s = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", *at = strchr(s, c);
    return at ? (int)(at - s) : 0;
}
/* Value k of the 24-bit column whose series has this name. */
static double series_value(const char *all, const char *name, int k)
{
    char key[96];
    double lo = NAN, step = NAN;
    snprintf(key, sizeof key, "{\"name\":\"%s\"", name);
    const char *at = strstr(all, key);
    if (!at || !(at = strstr(at, "\"lo\":")) || sscanf(at, "\"lo\":%lf,\"s\":%lf", &lo, &step) != 2 || !(at = strstr(at, "\"b\":\"")))
        return NAN;
    at += 5 + 4 * k;
    unsigned w = (unsigned)(sextet(at[0]) << 18 | sextet(at[1]) << 12 | sextet(at[2]) << 6 | sextet(at[3]));
    return lo + step * (double)((w & 0xff) << 16 | (w & 0xff00) | w >> 16);
}
static int count(const char *all, const char *what)
{
    int n = 0;
    for (; (all = strstr(all, what)); all++)
        n++;
    return n;
}

/* A run back in time is shown in the order of time, every row whole. */
static void check_backwards(const struct mbs_model *m)
{
    struct result r;
    if (!result_init(&r, m))
        return;
    for (int k = 0; k < 5; k++) {
        double *row = result_row(&r);
        row[0] = -k;
        row[r.width - 1] = 10*k;
    }
    result_ascend(&r);
    bool good = true;
    for (int k = 0; k < 5; k++)
        good = good && r.row[k*r.width] == k - 4 && r.row[k*r.width + r.width - 1] == 10*(4 - k);
    ok(good, "a run back in time is turned round");
    result_ascend(&r);
    ok(r.row[0] == -4, "one that is in order stays");
    result_fini(&r);
}

int main(int argc, char **argv)
{
    char temp[] = "/tmp/mbs-page-XXXXXX", path[512];
    const char *dir = argc > 1 ? argv[1] : mkdtemp(temp);
    size_t size = 0;
    struct mbs_model crank = {.abi = MBS_ABI, .name = "crank", .title = "Crank </script><b>& \"beam\"", .source = "crank.mbs", .nq = 3, .ng = 2, .np = 2,
                              .coord = crank_coord, .constraint = crank_rows, .param = crank_param, .nshape = 13, .npoint = 31, .shape = crank_shape};
    char *all = page(&crank, crank_points, 8, 2000, "model crank\n# </script> <!-- \xff\nparam l: m = 1\ncoord phi: rad\nkinetic l*phi'^2/2\n", dir, &size);
    check_backwards(&crank);
    ok(all && size < 2000000, "a page of 2000 samples is smaller than 2 MB: %zu bytes", size);
    ok(all && count(all, "</script>") == 2, "nothing in the model ends a script");
    ok(all && count(all, "<b>") == 0, "nor adds an element");
    ok(all && strstr(all, "\\ufffd") != NULL, "a byte that is not UTF-8 is replaced");
    ok(all && !count(all, " src=") && !count(all, "<link") && count(all, "url(") == count(all, "url(#") && !count(all, "@import"), "nothing is loaded from elsewhere");
    for (int k = 0; all && k < 2000; k += 999) {
        double t = 8.0 * k / 1999;
        near(series_value(all, "phi", k), sin(3 * t), 2.0 / 16777214, "a coordinate reads back within one step of its range");
    }
    free(all);
    struct mbs_model top = {.abi = MBS_ABI, .name = "top", .title = "Heavy top", .source = "top.mbs", .nq = 3, .coord = crank_coord,
                            .nshape = 7, .npoint = 19, .shape = top_shape};
    all = page(&top, top_points, 6, 1000, "model top\n", dir, &size);
    ok(all && strstr(all, "\"spatial\":true") != NULL, "a drawing with depth is spatial");
    free(all);

    static struct mbs_name names[LINKS];
    static struct mbs_shape shapes[2 * LINKS + 1];
    static char text[LINKS][16];
    for (int i = 0; i < LINKS; i++) {
        snprintf(text[i], sizeof text[i], "phi[%d]", i + 1);
        names[i] = (struct mbs_name){text[i], "rad", 1};
        shapes[i] = (struct mbs_shape){text[i], MBS_SHAPE_BODY, 2 * i, 2, NULL, NULL, 0, 0};
        shapes[LINKS + i] = (struct mbs_shape){text[i], MBS_SHAPE_JOINT, 2 * LINKS + i, 1, NULL, NULL, 0, 0};
    }
    shapes[2 * LINKS] = (struct mbs_shape){"O", MBS_SHAPE_GROUND, 3 * LINKS, 1, NULL, NULL, 0, 0};
    struct mbs_model chain = {.abi = MBS_ABI, .name = "chain", .title = "Chain of 32 links", .source = "chain.mbs", .nq = LINKS, .coord = names,
                              .nshape = 2 * LINKS + 1, .npoint = 3 * LINKS + 1, .shape = shapes};
    all = page(&chain, chain_points, 10, 2000, "model chain\n", dir, &size);
    ok(all && size < 2000000, "a chain of 32 links with 2000 samples too: %zu bytes", size);
    ok(all && strstr(all, "\"spatial\":false") != NULL, "a plane drawing is plane");
    free(all);
    if (argc < 2) {
        static const char *const made[] = {"crank", "top", "chain"};
        for (int i = 0; i < 3; i++) {
            snprintf(path, sizeof path, "%s/%s.html", dir, made[i]);
            unlink(path);
        }
        rmdir(dir);
    }
    return tap_done();
}
