/* SPDX-License-Identifier: GPL-3.0-or-later
 * One random heap of discs and boxes in the plane or of spheres in space, dropped into a funnel.  Overlaps are measured here, by other
 * formulas than those of the method. */
#include "config.h"
#include "heap.h"
#include "interrupt.h"
#include "row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double OVERLAP = 0.01;     /* of the smaller body's size: what a step may leave */
static const double GROWTH = 1e-6;      /* of the energy at the start: what the certificates of the steps may leave */
static const double REST = 0.02;        /* m/s */

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

static void measure_overlaps(struct heap *p, const double *q)
{
    for (int i = 0; i < p->n; i++) {
        p->overlap = fmax(p->overlap, below(p, i, q) / size_of(p, i));
        for (int j = i + 1; j < p->n; j++)
            p->overlap = fmax(p->overlap, depth(p, i, j, q) / fmin(size_of(p, i), size_of(p, j)));
    }
}

/* After each step: energy and speed; overlaps now and then. */
static int look(void *user, double t, const struct mbs_statistics *stat)
{
    struct heap *p = user;
    const struct mbs_state *x = mbs_state(p->sim);
    double e[2], began = cpu_seconds();
    p->steps = stat->accepted;
    p->sweeps = stat->sweeps;
    p->certificate = stat->residual;
    p->rest = t;
    if (mbs_energy(p->sim, e) == 0) {
        double sum = e[0] + e[1];
        p->growth = fmax(p->growth, (sum - p->least) / p->energy0);
        p->least = fmin(p->least, sum);
    }
    p->speed = 0;
    for (int i = 0; i < p->model->nq; i++)
        p->speed = fmax(p->speed, fabs(x->v[i]) * (p->spatial ? i % 7 < 3 : i % 3 < 2));
    bool look_closer = stat->accepted % 16 == 0;
    if (look_closer)
        measure_overlaps(p, x->q);
    p->looking += cpu_seconds() - began;
    return look_closer && t > 1 && p->speed < REST / 4;
}

/* ---- one heap ---- */

/* On a grid, so that nothing overlaps; of any size, turned and moving. */
static void draw_heap(struct heap *p, double *q, double *v)
{
    for (int i = 0; i < p->n; i++) {
        p->r[i] = 0.05 + 0.1 * chance(p);
        p->b[i] = 0.05 + 0.1 * chance(p);
        p->h[i] = 0.05 + 0.1 * chance(p);
        if (i < p->discs) {
            set(p, "r", i, p->r[i]);
        } else {
            set(p, "b", i - p->discs, 2 * p->b[i]);
            set(p, "h", i - p->discs, 2 * p->h[i]);
        }
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
}

/* A simulation of it at its start. */
static bool heap_open(struct heap *p)
{
    struct mbs_options opt;
    struct mbs_message msg = {0};
    double q[7 * BODIES] = {0}, v[7 * BODIES] = {0}, e[2] = {0};
    mbs_options_init(&opt, p->model);
    opt.max_steps = 1000000;
    p->params = library_params(p->model, NULL, 0);
    draw_heap(p, q, v);
    p->status = mbs_new(&p->sim, p->model, p->params, &opt, &msg);
    if (p->status == 0)
        p->status = mbs_set_state(p->sim, 0, q, v, NULL);
    if (p->status == 0)
        p->status = mbs_energy(p->sim, e);
    if (p->status)
        snprintf(p->why, sizeof p->why, "%.190s", p->sim ? mbs_message(p->sim)->text : msg.text);
    p->energy0 = p->least = e[0] + e[1];
    return p->status == 0;
}

bool heap_good(const struct heap *p) { return p->status == 0 && p->overlap <= OVERLAP && p->growth <= GROWTH && p->speed <= REST; }

bool heap_run(struct heap *p, double to)
{
    if (heap_open(p)) {
        struct mbs_run run;
        mbs_run_init(&run, p->model);
        run.to = to;
        run.every = 0;
        run.progress = look;
        run.user = p;
        run.cancel = interrupt_flag();
        double began = cpu_seconds();
        p->status = mbs_run(p->sim, &run);
        p->cpu = cpu_seconds() - began - p->looking;
        snprintf(p->why, sizeof p->why, "%.190s", mbs_message(p->sim)->text);
        if (p->status == MBS_CANCELLED && !*interrupt_flag())
            p->status = 0;          /* at rest */
    }
    mbs_free(p->sim);
    free(p->params);
    return heap_good(p);
}
