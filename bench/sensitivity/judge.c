/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Derivatives of a run by all parameters, by every explicit, half-explicit and Radau method in every form, at one tolerance:
 *
 *     judge [TOLERANCE]
 *
 * A line a method and form: its name; the largest distance of d(q, v, z)/dp at the end to five-point differences of tight runs, each parameter by its
 * size, relative to the largest of its kind; the largest distance of the gradients of all q, backwards, to those, likewise; the error of q,
 * v and z themselves, relative to the largest of their kind.  Runs end after 1 s at most: errors of a motion grow with it. */
#include "mbs/mbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct mbs_model MODEL;
static const struct mbs_model *const model = &MODEL;
static int rows;        /* q, v, z */
static double to;

static double *array(long count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    if (!x)
        exit(2);
    return x;
}

static int on_row(void *user, const struct mbs_state *x, const double *y)
{
    (void)user, (void)x, (void)y;
    return 0;
}

/* way: r, f or a; out: the state, or its derivatives by parameter after parameter, or those of all q likewise. */
static int run(const char *method, const char *form, double tolerance, char way, const double *params, double *out)
{
    struct mbs_options o;
    struct mbs_sim *s = NULL;
    struct mbs_run go;
    int n = model->nq, np = model->nsensitive, width = rows + model->ny;
    mbs_options_init(&o, model);
    o.method = method;
    o.formulation = form ? form : "auto";
    o.rtol = o.atol = tolerance;
    o.step = 0;
    int status = mbs_new(&s, model, params, &o, NULL);
    if (status == 0 && (status = mbs_assemble(s, 0)) == 0 && way != 'r')
        status = way == 'f' ? mbs_derivatives_begin(s, 0) : mbs_adjoint_begin(s, 0, 0);
    mbs_run_init(&go, model);
    go.to = to;
    go.times = &to;
    go.ntimes = 1;
    go.output = on_row;
    if (status == 0)
        status = mbs_run(s, &go);
    if (status == 0 && way == 'r') {
        const struct mbs_state *x = mbs_state(s);
        memcpy(out, x->q, (size_t)n * sizeof *out), memcpy(out + n, x->v, (size_t)n * sizeof *out);
        if (model->nz)
            memcpy(out + 2 * n, x->z, (size_t)model->nz * sizeof *out);
    }
    for (int k = 0; k < np && status == 0 && way == 'f'; k++) {
        const struct mbs_derivatives *d = mbs_derivatives(s);
        memcpy(out + k * rows, d->q + k * n, (size_t)n * sizeof *out), memcpy(out + k * rows + n, d->v + k * n, (size_t)n * sizeof *out);
        if (model->nz)
            memcpy(out + k * rows + 2 * n, d->z + k * model->nz, (size_t)model->nz * sizeof *out);
    }
    if (status == 0 && way == 'a') {
        double *weights = array((long)n * width), *g = array((long)n * np);
        for (int i = 0; i < n; i++)
            weights[i * width + i] = 1;
        status = mbs_adjoint(s, n, weights, g, NULL);
        for (int k = 0; k < np; k++)
            for (int i = 0; i < n; i++)
                out[k * rows + i] = g[i * np + k];
        free(weights), free(g);
    }
    if (status && status != MBS_UNAVAILABLE && s)
        printf("  %s %s: %s\n", method, form ? form : "", mbs_message(s)->text);
    mbs_free(s);
    return status;
}

static double size_of(const double *p, int k)
{
    double x = fabs(p[model->sensitive[k]]);
    return x > 0 ? x : 1;
}

/* The largest distance of rows from .. end - 1. */
static double distance(const double *p, const double *x, const double *y, int from, int end)
{
    double off = 0, all = 0;
    for (int k = 0; k < model->nsensitive; k++)
        for (int i = from; i < end; i++) {
            off = fmax(off, size_of(p, k) * fabs(x[k * rows + i] - y[k * rows + i]));
            all = fmax(all, size_of(p, k) * fabs(y[k * rows + i]));
        }
    return all > 0 ? off / all : 0;
}

static double worst(const double *p, const double *x, const double *y)
{
    int n = model->nq;
    return fmax(fmax(distance(p, x, y, 0, n), distance(p, x, y, n, 2 * n)), distance(p, x, y, 2 * n, rows));
}

static double motion_error(const double *x, const double *y)
{
    int n = model->nq, ends[] = {0, n, 2 * n, rows};
    double worst = 0;
    for (int kind = 0; kind < 3; kind++) {
        double off = 0, all = 0;
        for (int i = ends[kind]; i < ends[kind + 1]; i++) {
            off = fmax(off, fabs(x[i] - y[i]));
            all = fmax(all, fabs(y[i]));
        }
        worst = fmax(worst, all > 0 ? off / all : 0);
    }
    return worst;
}

static int reference(double *p, double tight, double *out)
{
    double *all = array((long)4 * rows), *moved = array(model->np);
    int status = 0;
    for (int k = 0; k < model->nsensitive && status == 0; k++) {
        double h = 2e-4 * size_of(p, k);
        for (int a = 0; a < 4 && status == 0; a++) {
            memcpy(moved, p, (size_t)model->np * sizeof *p);
            moved[model->sensitive[k]] += (a < 2 ? a - 2 : a - 1) * h;
            status = run("dop853", "projected", tight, 'r', moved, all + a * rows);
        }
        for (int i = 0; i < rows; i++)
            out[k * rows + i] = (all[i] - 8 * all[rows + i] + 8 * all[2 * rows + i] - all[3 * rows + i]) / (12 * h);
    }
    free(all), free(moved);
    return status;
}

int main(int argc, char **argv)
{
    static const char *const method[] = {"dop853", "dopri5", "halfexplicit", "radau5", "radau"};
    static const char *const form[] = {"index1", "index2", "index3", "ggl", "baumgarte", "projected"};
    double tolerance = argc > 1 ? atof(argv[1]) : 1e-9, most = 0, apart = 0;
    rows = 2 * model->nq + model->nz;
    to = fmin(model->experiment.to, 1);
    long all = (long)rows * model->nsensitive;
    double *p = array(model->np), *want = array(all), *got = array(all), *back = array(all), *right = array(rows), *end = array(rows);
    model->defaults(p, NULL);
    double tight = model->ng > model->nq - 1 ? 1e-12 : 1e-13;   /* rows that depend on others have rounding errors of their own */
    if (reference(p, tight, want) || run("dop853", "projected", tight, 'r', NULL, right))
        return 1;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++) {
            int status = run(method[i], form[j], tolerance, 'f', NULL, got);
            if (status == MBS_UNAVAILABLE || status == MBS_BAD_ARGUMENT)
                continue;
            double error = status ? NAN : worst(p, got, want);
            memset(back, 0, (size_t)all * sizeof *back);
            double difference = run(method[i], form[j], tolerance, 'a', NULL, back) ? NAN : distance(p, back, got, 0, model->nq);
            double motion = run(method[i], form[j], tolerance, 'r', NULL, end) ? NAN : motion_error(end, right);
            printf("%-12.12s %-13s %-10s %9.1e %9.1e %9.1e%s\n", model->name, method[i], form[j], error, difference, motion,
                   error < 1e-7 && difference < 1e-8 ? "" : "  <-");
            fflush(stdout);
            most = fmax(most, error), apart = fmax(apart, difference);
        }
    return !(most < 1e-7 && apart < 1e-8);
}
