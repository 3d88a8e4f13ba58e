/* SPDX-License-Identifier: GPL-3.0-or-later
 * Random heaps of discs and boxes in the plane and of spheres in space, dropped into a funnel: nothing overlaps beyond the tolerance, the energy
 * never grows, all come to rest, and the time of a step grows no faster than n^1.5.  Overlaps are measured here, by other formulas than
 * those of the method. */
#include "config.h"
#include "bench.h"
#include "interrupt.h"
#include "row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 50 };
static const double OVERLAP = 0.01;     /* of the smaller body's size: what a step may leave */
static const double GROWTH = 1e-6;      /* of the energy at the start: what the certificates of a step may leave */
static const double REST = 0.02;        /* m/s */

struct heap {
    const struct mbs_model *model;
    int n, discs, spatial;
    double r[BODIES], b[BODIES], h[BODIES];     /* radii, half widths */
    double *params;
    double most_overlap, growth, energy0, least, last_speed;
    struct mbs_sim *sim;
    unsigned long seed;
    int status;
    double cpu;
    long steps;
    char why[200];
};

static double chance(struct heap *p)
{
    p->seed = p->seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(p->seed >> 11) / 9007199254740992.0;
}

static void set(struct heap *p, const char *name, int i, double value)
{
    char full[32];
    snprintf(full, sizeof full, "%s[%d]", name, i + 1);
    for (int k = 0; k < p->model->np; k++)
        if (!strcmp(p->model->param[k].name, full) || (i < 0 && !strcmp(p->model->param[k].name, name)))
            p->params[k] = value;
}

/* ---- overlaps ---- */

static double ball_of(const struct heap *p, int i, const double *q, double x[3])
{
    const double *at = q + (p->spatial ? 7 : 3) * i;
    x[0] = at[0], x[1] = at[1], x[2] = p->spatial ? at[2] : 0;
    return p->r[i];
}

/* How deep the corners of box i are in box j. */
static double corners_in(const struct heap *p, int i, int j, const double *q)
{
    const double *a = q + 3 * i, *c = q + 3 * j;
    double most = 0;
    for (int k = 0; k < 4; k++) {
        double u = k & 1 ? p->b[i] : -p->b[i], v = k & 2 ? p->h[i] : -p->h[i];
        double x = a[0] + cos(a[2]) * u - sin(a[2]) * v - c[0], y = a[1] + sin(a[2]) * u + cos(a[2]) * v - c[1];
        double in = fmin(p->b[j] - fabs(cos(c[2]) * x + sin(c[2]) * y), p->h[j] - fabs(-sin(c[2]) * x + cos(c[2]) * y));
        most = fmax(most, in);
    }
    return most;
}

static double disc_in_box(const struct heap *p, int i, int j, const double *q)
{
    const double *a = q + 3 * i, *c = q + 3 * j;
    double x = a[0] - c[0], y = a[1] - c[1], u = fabs(cos(c[2]) * x + sin(c[2]) * y) - p->b[j], v = fabs(-sin(c[2]) * x + cos(c[2]) * y) - p->h[j];
    return p->r[i] - (u > 0 || v > 0 ? hypot(fmax(u, 0), fmax(v, 0)) : fmax(u, v));
}

static double size_of(const struct heap *p, int i) { return i < p->discs ? p->r[i] : fmin(p->b[i], p->h[i]); }

static double depth(const struct heap *p, int i, int j, const double *q)
{
    if (i < p->discs && j < p->discs) {
        double x[3], y[3], r = ball_of(p, i, q, x) + ball_of(p, j, q, y);
        return r - sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
    }
    if (i < p->discs)
        return disc_in_box(p, i, j, q);
    return fmax(corners_in(p, i, j, q), corners_in(p, j, i, q));
}

/* Below the planes of the funnel, of slope 0.4. */
static double below(const struct heap *p, int i, const double *q)
{
    double most = -INFINITY, s = sin(0.4), c = cos(0.4);
    for (int k = 0; k < (p->spatial ? 3 : 2); k++) {
        double x[3];
        if (p->spatial) {
            ball_of(p, i, q, x);
            most = fmax(most, p->r[i] - (s * cos(2 * M_PI * k / 3) * x[0] + s * sin(2 * M_PI * k / 3) * x[1] + c * x[2]));
            continue;
        }
        double side = k ? -s : s;
        const double *a = q + 3 * i;
        for (int m = 0; m < (i < p->discs ? 1 : 4); m++) {
            double u = i < p->discs ? 0 : m & 1 ? p->b[i] : -p->b[i], v = i < p->discs ? 0 : m & 2 ? p->h[i] : -p->h[i];
            double at[2] = {a[0] + cos(a[2]) * u - sin(a[2]) * v, a[1] + sin(a[2]) * u + cos(a[2]) * v};
            most = fmax(most, (i < p->discs ? p->r[i] : 0) - side * at[0] - c * at[1]);
        }
    }
    return most;
}

static int look(void *user, double t, const struct mbs_statistics *stat)
{
    struct heap *p = user;
    const struct mbs_state *x = mbs_state(p->sim);
    double e[2], speed = 0;
    (void)t;
    p->steps = stat->accepted;
    if (mbs_energy(p->sim, e) == 0) {
        double sum = e[0] + e[1];
        p->growth = fmax(p->growth, (sum - p->least) / p->energy0);
        p->least = fmin(p->least, sum);
    }
    for (int i = 0; i < p->model->nq; i++)
        speed = fmax(speed, fabs(x->v[i]) * (p->spatial ? i % 7 < 3 : i % 3 < 2));
    p->last_speed = speed;
    if (stat->accepted % 16)
        return 0;
    for (int i = 0; i < p->n; i++) {
        p->most_overlap = fmax(p->most_overlap, below(p, i, x->q) / size_of(p, i));
        for (int j = i + 1; j < p->n; j++)
            p->most_overlap = fmax(p->most_overlap, depth(p, i, j, x->q) / fmin(size_of(p, i), size_of(p, j)));
    }
    return t > 1 && speed < REST / 4;
}

/* ---- one heap ---- */

static bool heap_run(struct heap *p, double to)
{
    const struct mbs_model *m = p->model;
    struct mbs_options opt;
    struct mbs_run run;
    double q[7 * BODIES] = {0}, v[7 * BODIES] = {0}, e[2];
    struct mbs_message msg = {0};
    mbs_options_init(&opt, m);
    opt.max_steps = 1000000;
    p->params = library_params(m, NULL, 0);
    for (int i = 0; i < p->n; i++) {
        p->r[i] = 0.05 + 0.1 * chance(p);
        p->b[i] = 0.05 + 0.1 * chance(p);
        p->h[i] = 0.05 + 0.1 * chance(p);
        if (i < p->discs)
            set(p, "r", i, p->r[i]);
        else {
            set(p, "b", i - p->discs, 2 * p->b[i]);
            set(p, "h", i - p->discs, 2 * p->h[i]);
        }
        /* on a grid, so that nothing overlaps; in any order, turned and moving */
        double *at = q + (p->spatial ? 7 : 3) * i, *u = v + (p->spatial ? 7 : 3) * i;
        int column = i % (p->spatial ? 4 : 5), row = i / (p->spatial ? 4 : 5);
        at[0] = 0.5 * ((p->spatial ? column % 2 : column - 2) + 0.2 * chance(p));
        at[1] = p->spatial ? 0.5 * (column / 2 + 0.2 * chance(p)) : 0.8 + 0.5 * row + 0.1 * chance(p);
        if (p->spatial) {
            at[2] = 0.8 + 0.5 * row + 0.1 * chance(p);
            at[3] = 1;
            u[4] = chance(p) - 0.5, u[5] = chance(p) - 0.5;
        } else {
            at[2] = 6 * chance(p);
            u[2] = 4 * chance(p) - 2;
        }
        u[0] = chance(p) - 0.5;
    }
    set(p, "mu", -1, 0.2 + 0.6 * chance(p));
    set(p, "e", -1, 0.5 * chance(p));
    p->status = mbs_new(&p->sim, m, p->params, &opt, &msg);
    if (p->status == 0)
        p->status = mbs_set_state(p->sim, 0, q, v, NULL);
    if (p->status == 0)
        p->status = mbs_energy(p->sim, e);
    if (p->status) {
        snprintf(p->why, sizeof p->why, "%.190s", p->sim ? mbs_message(p->sim)->text : msg.text);
        mbs_free(p->sim);
        free(p->params);
        return false;
    }
    p->energy0 = p->least = e[0] + e[1];
    mbs_run_init(&run, m);
    run.to = to;
    run.every = 0;
    run.progress = look;
    run.user = p;
    run.cancel = interrupt_flag();
    double began = cpu_seconds();
    p->status = mbs_run(p->sim, &run);
    p->cpu = cpu_seconds() - began;
    snprintf(p->why, sizeof p->why, "%.190s", mbs_message(p->sim)->text);
    if (p->status == MBS_CANCELLED && p->last_speed < REST)
        p->status = 0;          /* at rest */
    mbs_free(p->sim);
    free(p->params);
    return p->status == 0 && p->most_overlap <= OVERLAP && p->growth <= GROWTH && p->last_speed <= REST;
}

/* ---- all ---- */

struct series {
    int n, count, good;
    double step, overlap, growth, slowest;
};

static void series_run(struct bench *b, struct series *s, const char *name, const char *const *options, int discs, int spatial, int count, FILE *failed)
{
    struct build build;
    double cpu = 0;
    long steps = 0;
    if (!library_model(b, &build, name, options))
        return;
    for (int i = 0; i < count && !bench_stopped(b); i++) {
        struct heap p = {.model = build.model, .n = s->n, .discs = discs, .spatial = spatial, .seed = (unsigned long)(1000003 * s->n + i + (spatial ? 500000 : 0))};
        bench_step(b, "%s of %d: %d", name, s->n, i);
        bool good = heap_run(&p, 20);
        s->good += good;
        s->count++;
        cpu += p.cpu;
        steps += p.steps;
        s->overlap = fmax(s->overlap, p.most_overlap);
        s->growth = fmax(s->growth, p.growth);
        s->slowest = fmax(s->slowest, p.last_speed);
        if (!good)
            fprintf(failed, "%s %d %d: %s overlap %.2g growth %.2g speed %.2g\n", name, s->n, i, p.why, p.most_overlap, p.growth, p.last_speed);
    }
    s->step = steps ? cpu / (double)steps : NAN;
    build_close(&build);
}

static void table(struct bench *b, const char *what, struct series *s, int n)
{
    int count = 0, good = 0;
    char text[64], most[64];
    fprintf(b->md, "\n| %s | heaps | good | time of a step (us) | largest overlap | growth of energy | speed at the end (m/s) |\n| --- | --- | --- | --- | --- | --- | --- |\n", what);
    for (int i = 0; i < n; i++) {
        fprintf(b->md, "| %d | %d | %d | %.1f | %.2g | %.1e | %.2g |\n", s[i].n, s[i].count, s[i].good, 1e6 * s[i].step, s[i].overlap, s[i].growth, s[i].slowest);
        count += s[i].count;
        good += s[i].good;
    }
    snprintf(text, sizeof text, "%d of %d", good, count);
    snprintf(most, sizeof most, "all %d", count);
    claim_text(b, what, most, text, good == count ? AGREES : DIFFERS, "no failure, overlaps below 1 % of the size, energy never grows by 1e-6, at rest");
    if (n > 2) {
        double power = log(s[n - 1].step / s[1].step) / log((double)s[n - 1].n / s[1].n);
        snprintf(text, sizeof text, "n^%.2f", power);
        claim_text(b, "growth of the time of a step", "at most n^1.5", text, power <= 1.5 ? AGREES : DIFFERS, "");
    }
}

static void run(struct bench *b)
{
    struct series plane[] = {{.n = 2}, {.n = 6}, {.n = 12}, {.n = 24}, {.n = 50}}, space[] = {{.n = 2}, {.n = 6}, {.n = 12}, {.n = 20}};
    struct out o;
    int planes = b->quick ? 2 : 5, spaces = b->quick ? 2 : 4, each = b->quick ? 4 : 200, each_space = b->quick ? 2 : 50;
    if (!bench_open_file(b, &o, "failed.txt"))
        return;
    bench_plan(b, planes * each + spaces * each_space);
    for (int i = 0; i < planes; i++) {
        char discs[24], boxes[24];
        snprintf(discs, sizeof discs, "discs=%d", plane[i].n / 2);
        snprintf(boxes, sizeof boxes, "boxes=%d", plane[i].n - plane[i].n / 2);
        series_run(b, &plane[i], "pile", (const char *const[]){discs, boxes, NULL}, plane[i].n / 2, 0, each, o.f);
    }
    for (int i = 0; i < spaces; i++) {
        char balls[24];
        snprintf(balls, sizeof balls, "balls=%d", space[i].n);
        series_run(b, &space[i], "pile_space", (const char *const[]){balls, NULL}, space[i].n, 1, each_space, o.f);
    }
    bench_close_file(b, &o);
    table(b, "discs and boxes in the plane", plane, planes);
    table(b, "spheres in space", space, spaces);
    claims_write(b);
}

const struct document document_piles = {"piles", "Heaps",
                                        "Random heaps of discs and boxes in the plane and of spheres in space, dropped into a funnel, by `moreau`; those that fail are in "
                                        "`piles-failed.txt`.",
                                        run};
