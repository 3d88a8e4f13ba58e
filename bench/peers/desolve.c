/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The compiled model of desolve.R: deSolve's calling conventions (vignette "compiledCode") around problem.h, and what R's .C
 * calls by itself. */
#include "problem.h"

#include <string.h>

/* radau on the linearly implicit system and on the ordinary differential equation */
void peer_full(int *n, double *t, double *y, double *f, double *out, int *ip);
void peer_full(int *n, double *t, double *y, double *f, double *out, int *ip)
{
    (void)n, (void)out, (void)ip;
    problem_full(*t, y, f);
}

void peer_full_jacobian(int *n, double *t, double *y, int *ml, int *mu, double *J, int *rows, double *out, int *ip);
void peer_full_jacobian(int *n, double *t, double *y, int *ml, int *mu, double *J, int *rows, double *out, int *ip)
{
    (void)n, (void)ml, (void)mu, (void)rows, (void)out, (void)ip;
    problem_full_jacobian(*t, y, J);
}

void peer_ode(int *n, double *t, double *y, double *f, double *out, int *ip);
void peer_ode(int *n, double *t, double *y, double *f, double *out, int *ip)
{
    (void)n, (void)out, (void)ip;
    problem_ode(*t, y, f);
}

void peer_ode_jacobian(int *n, double *t, double *y, int *ml, int *mu, double *J, int *rows, double *out, int *ip);
void peer_ode_jacobian(int *n, double *t, double *y, int *ml, int *mu, double *J, int *rows, double *out, int *ip)
{
    (void)n, (void)ml, (void)mu, (void)rows, (void)out, (void)ip;
    problem_ode_jacobian(*t, y, J);
}

/* daspk on the implicit system */
void peer_residual(double *t, double *y, double *yp, double *cj, double *r, int *ires, double *out, int *ip);
void peer_residual(double *t, double *y, double *yp, double *cj, double *r, int *ires, double *out, int *ip)
{
    (void)cj, (void)ires, (void)out, (void)ip;
    problem_residual(*t, y, yp, r);
}

void peer_iteration(double *t, double *y, double *yp, double *J, double *cj, double *out, int *ip);
void peer_iteration(double *t, double *y, double *yp, double *J, double *cj, double *out, int *ip)
{
    (void)out, (void)ip;
    problem_iteration(*t, *cj, y, yp, J);
}

/* for .C */
void peer_open(char **start, char **reference, char **form, int *sizes, double *end);
void peer_open(char **start, char **reference, char **form, int *sizes, double *end)
{
    sizes[0] = problem_open(*start, *reference, *form);
    sizes[1] = problem.n;
    sizes[2] = problem.m;
    sizes[3] = problem.order;
    sizes[4] = problem.full;
    *end = problem.end;
}

void peer_start(double *implicit, double *derivative, double *full);
void peer_start(double *implicit, double *derivative, double *full)
{
    problem_implicit_start(implicit, derivative);
    problem_full_start(full);
}

void peer_clock(double *seconds);
void peer_clock(double *seconds)
{
    *seconds = problem_cpu_seconds();
}

void peer_count(int *count);
void peer_count(int *count)
{
    count[0] = (int)problem_count_f();
    count[1] = (int)problem_count_jacobian();
    problem_count_reset();
}

void peer_scd(double *q, double *v, double *lambda, int *has_lambda, double *scd);
void peer_scd(double *q, double *v, double *lambda, int *has_lambda, double *scd)
{
    *scd = problem_scd(q, v, *has_lambda ? lambda : NULL);
}
