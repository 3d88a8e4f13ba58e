/* SPDX-License-Identifier: MIT
 *
 * method.h: what an integrator is, seen from the driver (simulate.c), and what it may use.
 *
 * An integrator is one file that defines one or more `const struct mbs_method` and one line a method in
 * methods.c.  It works on a struct mbs_stepper.  How the driver calls it:
 *
 *   layout()  twice at set-up ("size, then assign", work.h): lay out the arrays of s->self
 *             (size_self zeroed bytes, allocated before).  No other memory is needed by most methods.
 *   open()    once, after layout: create mbs_matrix objects, library handles.  Optional.  Status.
 *   start()   at a consistent point s->x (t, q, v, z, a, lambda set, mu = 0): forget all history, choose the
 *             first step s->h (s->h > 0 on entry: use that one).  Called at the start, behind each event
 *             or break, and after the user changed state, inputs or parameters.  Direction: s->dir.
 *   attempt() computes the point at t_new = s->x.t + h aside (s->x is left alone) and the norm of its error,
 *             *err (1 = tolerance, NaN never).  0, or < 0: why there is none.
 *   accept()  makes that point s->x, s->t_old the time before, projecting where that is wanted.  0; < 0: why it
 *             must be refused after all; > 0: a bad place to end a step, another length will do.
 *             If p->works, methods with stages also integrate mbs_power() by them: s->works = 1 (set in start()), s->work.
 *   control() the next step, signed, after an attempt of length h ended with err and status (0: it was accepted if
 *             err <= 1).  Optional: the PI control of s->control, which start() sets.
 *   step()    only of foreign integrators, which control their steps themselves, in place of the three above: one
 *             accepted step, not beyond tstop; at tstop exactly if it would end near it.
 *             On failure (< 0): s->x unchanged, mbs_fail() called with a message.
 *   dense()   s->x at some t in [t_old, s->x.t] of the last step into out (all arrays present).  Must give q,
 *             v, z; may give a and lambda.  Returns the sum of MBS_DENSE_A, MBS_DENSE_LAMBDA for those it
 *             gave; the driver gets the rest by a saddle-point solve at the interpolated q, v.
 *   resume()  the blocks of an earlier time were put back, of the same run: what the method has outside of them becomes as it was then.
 *             Optional: nothing of it outlives a step.  Status.
 *   close()   frees what open() created; also called if open() failed half-way (self is zeroed first).
 *
 * evolve.c has the loop over attempts: it fits the step to hmax and tstop, counts what is rejected, and gives up with
 * a message when the step becomes too small, naming what asked for it.  The driver counts accepted steps, watches
 * max_steps, polls the cancel flag and finds events; the method counts its iterations.  A NaN from the
 * model is seen by the method as a NaN norm or by mbs_finite(): the attempt ends with MBS_NAN.
 *
 * The layout of a state vector y is (q, v, z), 2 nq + nz values in a row; point.q, point.v, point.z are
 * parts of one array, so that x.q serves as y.  a, lambda, mu follow in separate arrays.
 */
#ifndef MBS_METHOD_H
#define MBS_METHOD_H

#include "linalg/linalg.h"
#include "work.h"

#include <math.h>
#include <string.h>

struct mbs_point {
    double t;
    double *q, *v, *z;          /* one array: y = q */
    double *a, *lambda, *mu;    /* nq, m, m */
};

/* The model with its parameters, inputs and counters, and buffers for one evaluation. */
struct mbs_problem {
    const struct mbs_model *model;
    double *c, *w;              /* set-up block and workspace of the model */
    int n, m, ng, nh, nz, nu;   /* n = nq, m = ng + nh */
    int ny;                     /* 2 n + nz: length of the state vector y */
    double *u;                  /* inputs as of the last evaluation */
    void (*input)(void *user, double t, double *u);
    void *input_user;
    struct mbs_statistics *stat;
    struct mbs_message *msg;
    struct mbs_saddle *saddle;
    struct mbs_envelope *envelope;      /* of M (linalg/definite.h) */

    enum mbs_form form;
    double bg_alpha, bg_beta;   /* Baumgarte: G a + gamma + 2 alpha (G v + gt) + beta^2 g = 0 */

    int works;                  /* T + U changes, and mbs_power() says how fast */
    struct mbs_touch *touch;    /* one-sided constraints (hybrid/hybrid.h); NULL: none */
    int saddled;                /* factors are needed, whatever the model offers */

    /* Buffers of mbs_accelerations and the projections; others may use them between those calls.  The driver
     * evaluates outputs between two steps: neither these nor the factors in saddle survive from step to step. */
    struct mbs_dynamics dyn;    /* M f G zdot gamma g gt, all present; f and gamma are the two parts of x */
    double *x;                  /* n + m */
    double *gv;                 /* m */
    double *ytmp;               /* ny */
    double *qv;                 /* 2 n, of mbs_project_near */
};

/* Large trees have no entries of M, rq, rv (model.h): accelerations(), newton() and newton_times() take their place. */
static inline int mbs_has_matrices(const struct mbs_model *o)
{
    return o->nq == 0 || o->M.colptr;
}
/* Newton matrices of a tree are factored along it, whether or not there are entries. */
static inline int mbs_has_newton(const struct mbs_model *o)
{
    return o->newton && o->newton_solve && o->newton_times && o->ng + o->nh == 0 && o->nz == 0;
}

static inline void mbs_inputs_at(struct mbs_problem *p, double t)
{
    if (p->input)
        p->input(p->input_user, t, p->u);
}

/* Model functions with counting.  The state argument needs its members as in model.h, except u, which is set. */
static inline void mbs_eval_dynamics(struct mbs_problem *p, struct mbs_state *x, const struct mbs_dynamics *out)
{
    mbs_inputs_at(p, x->t);
    x->u = p->u;
    p->stat->f++;
    p->model->dynamics(p->c, x, out, p->w);
}
static inline void mbs_eval_constraints(struct mbs_problem *p, const struct mbs_state *x, const struct mbs_constraints *out)
{
    p->stat->constraints++;
    p->model->constraints(p->c, x, out, p->w);
}
static inline void mbs_eval_residual(struct mbs_problem *p, struct mbs_state *x, const struct mbs_residual *out)
{
    mbs_inputs_at(p, x->t);
    x->u = p->u;
    p->stat->f++;
    p->model->residual(p->c, x, out, p->w);
}
static inline void mbs_eval_jacobian(struct mbs_problem *p, struct mbs_state *x, const struct mbs_jacobian *out)
{
    mbs_inputs_at(p, x->t);
    x->u = p->u;
    p->stat->jac++;
    p->model->jacobian(p->c, x, out, p->w);
}

/* N = s[0] rq + s[1] rv + s[2] M of a tree at x: factors into l, 0 or MBS_SINGULAR; y = N y.  The state as for a Jacobian, except u. */
static inline int mbs_eval_newton(struct mbs_problem *p, struct mbs_state *x, int parts, const double *s, double *l)
{
    mbs_inputs_at(p, x->t);
    x->u = p->u;
    return p->model->newton(p->c, x, parts, s, l, p->w) ? MBS_SINGULAR : 0;
}
static inline void mbs_eval_times(struct mbs_problem *p, struct mbs_state *x, double s0, double s1, double s2, double *y)
{
    const double s[3] = { s0, s1, s2 };

    mbs_inputs_at(p, x->t);
    x->u = p->u;
    p->model->newton_times(p->c, x, s, y, p->w);
}

/* a (n), lambda (m; NULL: not wanted) and zdot (nz) at t, y = (q, v, z): evaluates dynamics into p->dyn, factors
 * p->saddle, solves; without constraints by the model's accelerations(), if it has them, leaving dyn and saddle
 * alone.  With form MBS_BAUMGARTE the stabilized acceleration constraint.  Status: 0, MBS_SINGULAR,
 * MBS_NAN (message set for both). */
int mbs_accelerations(struct mbs_problem *p, double t, const double *y, double *a, double *lambda, double *zdot);

/* hybrid/contact_forces.c: the part of one-sided constraints in mbs_power() */
double mbs_touch_power(const struct mbs_problem *p);
/* The rate of T + U at a state with the a and lambda that the method has there.  Those of one-sided constraints are the forces of the last
 * mbs_accelerations. */
static inline double mbs_power(const struct mbs_problem *p, const struct mbs_state *x)
{
    double power = 0;

    if (p->model->power)
        p->model->power(p->c, x, &power, p->w);
    return p->touch ? power + mbs_touch_power(p) : power;
}
/* k = (v, a, zdot) of the motion at (t, y), y = (q, v, z). */
static inline int mbs_slope(struct mbs_problem *p, double t, const double *y, double *k, double *lambda)
{
    memcpy(k, y + p->n, (size_t)p->n * sizeof *k);
    return mbs_accelerations(p, t, y, k + p->n, lambda, k + 2 * p->n);
}
/* The rate of T + U where mbs_slope() has been called last. */
static inline double mbs_slope_power(const struct mbs_problem *p, double t, const double *y, const double *k, const double *lambda)
{
    struct mbs_state x = { .t = t, .q = y, .v = y + p->n, .z = y + 2 * p->n, .a = k + p->n, .lambda = lambda, .u = p->u };

    return mbs_power(p, &x);
}

/* hybrid/contact_forces.c: adds what touching bodies do to accelerations without them; called by the one above. */
int mbs_touch_forces(struct mbs_problem *p, double t, const double *y, double *a, double *lambda);

/* Projections in the norm of M.  q (n) onto g(q,t) = 0: simplified Newton with the M of the given point until
 * |dq_i| <= atol + rtol |q_i| with a margin; v onto G v + gt = 0.  Return 0, > 0 if q did not converge
 * (recoverable: a smaller step), < 0.  `size` receives the scaled norm of the change, may be NULL. */
int mbs_project_position(struct mbs_problem *p, double t, double *q, double atol, double rtol, double *size);
int mbs_project_velocity(struct mbs_problem *p, double t, const double *q, double *v);
/* Both, with the factors that p->saddle holds (from a point nearby, such as the last stage), so that only g and G
 * are evaluated. */
int mbs_project_near(struct mbs_problem *p, double t, double *q, double *v, double atol, double rtol);

/* Names the first non-finite value of what dynamics() gives at this state: sets MBS_NAN with a message and returns
 * it; returns 0 if all are finite. */
int mbs_name_nan(struct mbs_problem *p, double t, const double *y);

/* Where a motion begins: all values are finite, and the kinetic energy of what the constraints allow is not negative. */
int mbs_start_check(struct mbs_problem *p, double t, const double *y);

/* Of contacts that no force keeps closed: name, time. */
#define MBS_OVERRUN "drives or constraints move %s beyond its bound at t = %.9g, and no force can hinder them"
/* Sets the message and returns status, for `return mbs_fail(...)`.  coord and constraint -1 if none. */
int mbs_fail(struct mbs_message *msg, int status, double t, int coord, int constraint, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* Nothing has failed, as of time t. */
void mbs_clear(struct mbs_message *msg, double t);

/* ---- step size control ---- */

/* Factor for the next step from the error norm err (1 = tolerance), PI control as in DOPRI5 and DOP853 (HNW II.4):
 * fac = safe / (err^(expo - 0.75 beta) * errold^-beta), limited. */
struct mbs_control {
    double safe, fac_min, fac_max, expo, beta;
    double err_old;         /* start with 1e-4 */
    int rejected;           /* the last attempt was rejected: the step may not grow */
};
double mbs_control_accept(struct mbs_control *c, double err);
double mbs_control_reject(struct mbs_control *c, double err);

/* ---- the stepper ---- */

enum { MBS_DENSE_A = 1, MBS_DENSE_LAMBDA = 2 };
enum {
    MBS_METHOD_ADAPTIVE = 1,    /* can control the step */
    MBS_METHOD_FIXED = 2,       /* can take a fixed step (opt->step > 0) */
    MBS_METHOD_NONHOLONOMIC = 4,/* takes models with nh > 0 */
    MBS_METHOD_STATES = 8,      /* takes models with nz > 0 */
    MBS_METHOD_BACKWARD = 16,   /* can run to a smaller t */
    MBS_METHOD_TREE = 32,       /* takes large trees without matrices, by accelerations() alone ... */
    MBS_METHOD_NEWTON = 64,     /* ... or by newton() */
    MBS_METHOD_TOUCH = 128,     /* takes all forces from mbs_accelerations(), those of one-sided constraints too */
    MBS_METHOD_SHORT = 256,     /* its error estimate has a lower order than it has: its steps are shorter than they had to be */
    MBS_METHOD_STEPS = 512,     /* deals with one-sided constraints itself, step by step: no events of contacts */
    MBS_METHOD_LOOSE = 2048,    /* its motion, or its points between two steps, are further off than the tolerances: derivatives want smaller ones */
    MBS_METHOD_FORCES = 1024    /* a and lambda are unknowns of its own, which are worse than those of (q, v) */
};
#define MBS_FORM(f) (1u << (f))

/* What a batch knows of the rows of G at the last accepted points of its lanes; entry i of lane l at [i*lanes + l]. */
struct mbs_rows {
    int (*find)(struct mbs_rows *rows);     /* the two below, for all lanes at once when the first one asks; 0: they cannot be had */
    const double *square, *pivot;           /* mbs_gram_lanes() */
    int lanes;
};

struct mbs_method;
struct mbs_stepper {
    const struct mbs_method *method;
    struct mbs_problem *p;
    const struct mbs_options *opt;  /* resolved: strings never NULL, defaults filled in */
    enum mbs_form form;
    int project;                    /* resolved: 1 or 0 */
    struct mbs_statistics *stat;    /* = p->stat */
    struct mbs_message *msg;        /* = p->msg */
    int dir;                        /* +1 or -1: sign of all steps */
    struct mbs_point x;             /* last accepted point */
    double t_old;                   /* begin of the last step */
    double h;                       /* next step, signed */
    double share;                   /* of the tolerances, that an error may have: less than 1 where a run must be better than it is asked for */
    double longest;                 /* no step is longer: hmax, or what keeps it from striding over what happens */
    double follow;                  /* nor longer than this, if it is not 0, which is what derivatives by parameters can follow */
    int why;                        /* why the last attempt failed: 0 error test, MBS_NAN, MBS_NO_CONVERGENCE, ... */
    int tries, last;                /* of the attempt under way: failed ones of this step before it; it ends at tstop */
    const double *err, *sc;         /* last error of (q, v, z) and the scales it was measured with; NULL: not known */
    struct mbs_control control;
    int staged;                     /* somebody looks at the stages of steps: explicit methods keep their multipliers */
    int (*beside)(struct mbs_stepper *s, double h, double t_new, double *err);  /* NULL, or: has an error of its own in the attempt at hand, which */
    void *beside_user;              /* counts like that of the motion; 0 or why the attempt is of no use to it */
    int stiff;                      /* set by explicit methods: stability limits the step, not the error */
    double loose;                   /* largest error of a step in velocities over their tolerance, where the formulation does not count it in full */
    int fresh_G;                    /* set by accept(): p->dyn.G is that of s->x ... */
    struct mbs_rows *rows;          /* ... or, where this is not NULL, the batch knows it ... */
    int lane;                       /* ... of this lane */
    double work;                    /* of all that changes T + U over the last step, by methods that have it from their stages ... */
    int works;                      /* ... which is one of those */
    double *way, *top;              /* integral of |v| since the state was set, its largest value, and ... */
    double span;                    /* ... the time of that */
    int rush;                       /* one of them is far above its mean */
    void *self;
};

struct mbs_method {
    const char *name, *summary;
    const char *needs;              /* missing library, or NULL; if set, no function is called */
    unsigned forms, flags;
    enum mbs_form form_default;
    size_t size_self;
    const void *data;               /* what distinguishes methods of one file: a tableau, coefficients */
    void (*layout)(struct mbs_stepper *s, struct mbs_work *w);
    int (*open)(struct mbs_stepper *s);             /* may be NULL */
    int (*start)(struct mbs_stepper *s);
    int (*attempt)(struct mbs_stepper *s, double h, double t_new, double *err);
    int (*accept)(struct mbs_stepper *s, double h, double t_new);
    double (*control)(struct mbs_stepper *s, double h, double err, int status);    /* may be NULL */
    int (*step)(struct mbs_stepper *s, double tstop);       /* NULL: attempt and accept are given */
    int (*dense)(struct mbs_stepper *s, double t, struct mbs_point *out);
    int (*resume)(struct mbs_stepper *s);           /* may be NULL */
    void (*close)(struct mbs_stepper *s);           /* may be NULL */
};

/* methods.c: the table, NULL-terminated. */
extern const struct mbs_method *const mbs_methods[];

/* Arrays of a point, laid out. */
void mbs_point_layout(struct mbs_point *x, const struct mbs_problem *p, struct mbs_work *w);
void mbs_point_copy(struct mbs_point *to, const struct mbs_point *from, const struct mbs_problem *p);
/* The point as an argument of model functions. */
static inline struct mbs_state mbs_point_state(const struct mbs_point *x, const struct mbs_problem *p)
{
    return (struct mbs_state){ .t = x->t, .q = x->q, .v = x->v, .a = x->a, .lambda = x->lambda, .mu = x->mu,
                               .z = x->z, .u = p->u };
}

/* ---- dependent constraints, rank.c ---- */

/* How many rows depend on others at s->x and a little further along the motion; mbs_saddle_dependent(p->saddle) then says
 * which.  work: n values; surely: do not ask first whether there is anything to suspect. */
int mbs_find_dependent(struct mbs_stepper *s, double *work, int surely);
/* Multipliers of least norm at s->x. */
void mbs_relax(struct mbs_stepper *s);

/* ---- norms ---- */

/* sc[i] = 1 / (atol_i + rtol |y_i|) (or of the larger of |y_i| and |y2_i|, if y2 is given) for the state vector (q, v, z). */
void mbs_scale(const struct mbs_stepper *s, const double *y, const double *y2, double *sc);
/* sum (x_i sc_i)^2, four-way unrolled */
double mbs_sumsq(const double *x, const double *sc, int n);

/* By which power of h the errors of the variables are multiplied in norms, so that the index does not spoil the
 * error control (Hairer & Wanner, VII.3): a variable of index k counts with h^(k-1). */
struct mbs_index_powers {
    int q, v, a, lambda, mu;
};
struct mbs_index_powers mbs_index_powers(enum mbs_form form);

/* ---- step size ---- */

/* h limited to hmax and to tstop: returns the step to take from s->x.t, equal to tstop - t if the step would reach it
 * or leave less than 1 % of a step; then *last = 1, and the new t must be set to tstop itself. */
double mbs_step_fit(const struct mbs_stepper *s, double h, double tstop, int *last);
/* 0 if h is fine at t; else fails with what s->why says or with MBS_UNDERFLOW, naming NaN, constraint or coordinate. */
int mbs_step_underflow(struct mbs_stepper *s, double h);
/* evolve.c: one accepted step of a method with attempt() and accept(). */
int mbs_evolve(struct mbs_stepper *s, double tstop);
/* Its parts, for s->tries = 0, 1, ...: the step to attempt, 0 or why there is none; what came of the attempt (`status` of attempt(), its error in
 * a->err): 0: accepted, 1: the next one, < 0: failed. */
struct mbs_attempt {
    double proposed, h, t_new, err;
};
int mbs_attempt_begin(struct mbs_stepper *s, double tstop, struct mbs_attempt *a);
int mbs_attempt_end(struct mbs_stepper *s, const struct mbs_attempt *a, int status);
/* control() of methods that have none of their own. */
double mbs_control_step(struct mbs_stepper *s, double h, double err, int status);

/* First step for a method of order `order` as in HNW II.4, from y' = (v, a, zdot) at s->x (s->x.a is used);
 * tmp has 3 ny values.  Costs one evaluation, two with states z.  Returns s->h if that is set.  Stiff methods may
 * want a smaller one. */
double mbs_first_step(struct mbs_stepper *s, int order, double *tmp);

#endif
