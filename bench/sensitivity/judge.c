/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Derivatives of a run by all parameters, by every explicit, half-explicit and Radau method in every form, at one tolerance:
 *
 *     judge TOLERANCE [ATOL [METHOD [FORM]]]
 *
 * A line a method and form: its name; the largest distance of d(q, v, z)/dp at the end to the derivatives that exact.c finds, each parameter by its
 * size, relative to the largest of its kind; the largest distance of the gradients of all q, backwards, to derivatives forwards on the same steps (those
 * of the motion), likewise; the same by default, where errors of derivatives control the steps; the distance of the gradients to what exact.c finds; the error of q, v and z themselves, relative to the largest of their kind.  Runs end after 1 s at most: errors of a motion grow with it. */
#include "exact.h"
#include "whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- runs ---- */

static void copy_state(const double *q, const double *v, const double *z, int k, double *out)
{
    int n = model->nq, nz = model->nz;
    memcpy(out, q + k * n, (size_t)n * sizeof *out);
    memcpy(out + n, v + k * n, (size_t)n * sizeof *out);
    if (nz)
        memcpy(out + 2 * n, z + k * nz, (size_t)nz * sizeof *out);
}

static int read_state(struct mbs_sim *s, void *out)
{
    const struct mbs_state *x = mbs_state(s);
    copy_state(x->q, x->v, x->z, 0, out);
    return 0;
}

static int read_forward(struct mbs_sim *s, void *out)
{
    const struct mbs_derivatives *d = mbs_derivatives(s);
    for (int k = 0; k < model->nsensitive; k++)
        copy_state(d->q, d->v, d->z, k, (double *)out + k * rows);
    return 0;
}

static int read_backward(struct mbs_sim *s, void *out)
{
    int n = model->nq, np = model->nsensitive, width = rows + model->ny;
    double *weights = array((long)n * width), *g = array((long)n * np);
    for (int i = 0; i < n; i++)
        weights[i * width + i] = 1;
    int status = mbs_adjoint(s, n, weights, g, NULL);
    for (int k = 0; k < np; k++)
        for (int i = 0; i < n; i++)
            ((double *)out)[k * rows + i] = g[i * np + k];
    free(weights), free(g);
    return status;
}

static int run(const struct mbs_options *o, enum way way, double *out)
{
    return whole(o, NULL, to, way, way == RUN ? read_state : way == FORWARD ? read_forward : read_backward, out);
}

/* ---- the reference ---- */

static double size_of(const double *p, int k)
{
    double x = fabs(p[model->sensitive[k]]);
    return x > 0 ? x : 1;
}

/* The start, with a parameter moved; what depends on it follows. */
static int start(const double *p, int k, double by, double *out)
{
    struct mbs_options o;
    unsigned char *given = calloc((size_t)model->np + 1, 1);
    double *moved = array(model->np);
    memcpy(moved, p, (size_t)model->np * sizeof *p);
    for (int i = 0; i < model->nsensitive && given; i++)
        given[model->sensitive[i]] = 1;
    moved[model->sensitive[k]] += by;
    model->defaults(moved, given);
    mbs_options_init(&o, model);
    o.witness = 1;
    o.method = "dop853";
    o.formulation = "auto";
    o.rtol = o.atol = 1e-12;
    int status = whole(&o, moved, 0, RUN, read_state, out);
    free(given), free(moved);
    return status;
}

/* Derivatives of the end, and the end: the start by differences of assembly, whose fifth derivatives are moderate; from there on without differences. */
static int reference(const double *p, double *derivatives, double *end)
{
    static const double weight[] = {1, -8, 0, 8, -1};
    double *at = array(rows), *y0 = array(rows), *dy0 = array(rows);
    int status = 0;
    for (int k = 0; k < model->nsensitive && status == 0; k++) {
        double h = 1e-3 * size_of(p, k);
        memset(dy0, 0, (size_t)rows * sizeof *dy0);
        for (int a = 0; a < 5 && status == 0; a++) {
            status = start(p, k, (a - 2) * h, a == 2 ? y0 : at);
            for (int i = 0; i < rows; i++)
                dy0[i] += weight[a] * at[i] / (12 * h);
        }
        if (status == 0)
            exact_derivative(model->sensitive[k], 0, to, y0, dy0, end, derivatives + k * rows);
    }
    free(at), free(y0), free(dy0);
    return status;
}

/* ---- distances ---- */

/* Of rows from .. end - 1: the largest difference, relative to the largest value. */
static double distance(const double *p, const double *x, const double *y, int from, int end)
{
    double off = 0, all = 0;
    for (int k = 0; k < (p ? model->nsensitive : 1); k++)
        for (int i = from; i < end; i++) {
            double size = p ? size_of(p, k) : 1;
            off = fmax(off, size * fabs(x[k * rows + i] - y[k * rows + i]));
            all = fmax(all, size * fabs(y[k * rows + i]));
        }
    return all > 0 ? off / all : 0;
}

/* The worst kind of q, v, z; p: of derivatives. */
static double worst(const double *p, const double *x, const double *y)
{
    int n = model->nq;
    return fmax(fmax(distance(p, x, y, 0, n), distance(p, x, y, n, 2 * n)), distance(p, x, y, 2 * n, rows));
}

int main(int argc, char **argv)
{
    static const char *const method[] = {"dop853", "dopri5", "halfexplicit", "radau5", "radau"};
    static const char *const form[] = {"index1", "index2", "index3", "ggl", "baumgarte", "projected"};
    double tolerance = argc > 1 ? atof(argv[1]) : 1e-9, most = 0, apart = 0;
    struct mbs_options o;
    rows = 2 * model->nq + model->nz;
    to = fmin(model->experiment.to, 1);
    long all = (long)rows * model->nsensitive;
    double *p = array(model->np), *want = array(all), *got = array(all), *back = array(all), *right = array(rows), *end = array(rows);
    model->defaults(p, NULL);
    if (reference(p, want, right))
        return 1;
    mbs_options_init(&o, model);
    o.witness = 1;
    o.rtol = tolerance;
    o.atol = argc > 2 ? atof(argv[2]) : tolerance;
    o.step = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++) {
            if ((argc > 3 && strcmp(argv[3], method[i])) || (argc > 4 && strcmp(argv[4], form[j])))
                continue;
            o.method = method[i];
            o.formulation = form[j];
            int status = run(&o, FORWARD, got);
            if (status == MBS_UNAVAILABLE || status == MBS_BAD_ARGUMENT)
                continue;
            double error = status ? INFINITY : worst(p, got, want);
            memset(back, 0, (size_t)all * sizeof *back);
            status = run(&o, ADJOINT, back);
            double gradient = status ? INFINITY : distance(p, back, want, 0, model->nq), usual = status ? INFINITY : distance(p, back, got, 0, model->nq);
            o.motion_steps = 1;
            double difference = run(&o, FORWARD, got) || run(&o, ADJOINT, back) ? INFINITY : distance(p, back, got, 0, model->nq);
            o.motion_steps = 0;
            double motion = run(&o, RUN, end) ? INFINITY : worst(NULL, end, right);
            printf("%-12.12s %-13s %-10s %9.1e %9.1e %9.1e %9.1e %9.1e%s\n", model->name, method[i], form[j], error, difference, usual, gradient, motion,
                   error < 1e-7 && difference < 1e-8 && usual < 1e-8 ? "" : "  <-");
            fflush(stdout);
            most = fmax(most, error), apart = fmax(apart, fmax(difference, usual));
        }
    return !(most < 1e-7 && apart < 1e-8);
}
