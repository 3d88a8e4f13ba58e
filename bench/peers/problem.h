/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A compiled model as other people's integrators want it: as an implicit system, as a linearly implicit system and as an
 * ordinary differential equation, with exact Jacobians, from the functions that mbsc generates and nothing else of mbs.
 *
 * One problem a process, in static variables: R hands its compiled models no pointer of their own. */
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

struct problem {
    int n, m;               /* coordinates, constraints */
    int index;              /* 3, 2, 1; ggl: 2 */
    int order;              /* unknowns of the implicit system (q, v, lambda), ggl: (q, v, lambda, mu) */
    int full;               /* unknowns of the linearly implicit system (q, v, a, lambda), ggl: (q, v, a, lambda, mu) */
    double end;             /* the time to integrate to, from 0 */
};
extern struct problem problem;

/* START has q and v, REFERENCE is a file of tests/data; FORM is index3, index2, index1 or ggl.  1 on success. */
int problem_open(const char *start, const char *reference, const char *form);

/* F(t, y, y') = 0, where a = v' : consistent start, residual, and dF/dy + cj dF/dy' by columns. */
void problem_implicit_start(double *y, double *yp);
void problem_residual(double t, const double *y, const double *yp, double *r);
void problem_iteration(double t, double cj, const double *y, const double *yp, double *J);

/* D y' = F(t, y), D = diag(1 for q and v, else 0): start, F and dF/dy by columns. */
void problem_full_start(double *y);
void problem_full(double t, const double *y, double *f);
void problem_full_jacobian(double t, const double *y, double *J);

/* (q, v)' = (v, a): the accelerations and multipliers by a linear solve in each evaluation.  Jacobian by columns. */
void problem_ode_start(double *y);
void problem_ode(double t, const double *y, double *f);
void problem_ode_jacobian(double t, const double *y, double *J);

/* Correct digits of the end state: -log10 of the largest relative error of the first 7 components, of the crank also of the
 * last 3, the multipliers: the integrator's own, or, if they come out better (or lambda is NULL), solved for from q and v. */
double problem_scd(const double *q, const double *v, const double *lambda);

/* Evaluations since the last problem_count_reset(). */
long problem_count_f(void), problem_count_jacobian(void);
void problem_count_reset(void);
double problem_cpu_seconds(void);

#endif
