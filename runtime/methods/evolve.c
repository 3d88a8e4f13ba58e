/* SPDX-License-Identifier: MIT
 *
 * One accepted step of a method that gives attempts and their errors.  All retrying is here:
 *
 *     fit - attempt - error small enough? accept - else control, and again with a smaller step
 *
 * until a step is accepted or is too small for the precision of t.  A fixed step has one attempt. */
#include "methods/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The model is finite at the last point but not behind it: look a little ahead for what to name. */
static int name_ahead(struct mbs_stepper *s, double h)
{
    struct mbs_problem *p = s->p;
    double far = fmax(fabs(h), 4 * DBL_EPSILON * fmax(1, fabs(s->x.t)));

    for (int k = 0; k < 4; k++, far *= 1e3) {
        double d = s->dir * far, *y = p->ytmp;
        for (int i = 0; i < p->n; i++) {
            y[i] = s->x.q[i] + d * s->x.v[i];
            y[p->n + i] = s->x.v[i] + d * s->x.a[i];
        }
        memcpy(y + 2 * p->n, s->x.z, (size_t)p->nz * sizeof *y);
        if (mbs_name_nan(p, s->x.t + d, y))
            return 1;
    }
    return 0;
}

/* The entry of (q, v, z) that asks for the small step: the one with the largest error against its tolerance or, where
 * no error came out, the velocity that changes fastest. */
static int worst_entry(const struct mbs_stepper *s)
{
    const struct mbs_problem *p = s->p;
    int worst = -1, own = s->why == 0 && s->err;
    double most = 0;

    for (int i = own ? 0 : p->n; i < (own ? p->ny : 2 * p->n); i++) {
        double e = own ? fabs(s->err[i] * s->sc[i])
                       : fabs(s->x.a[i - p->n]) / (s->opt->atol + s->opt->rtol * fabs(s->x.q[i]));
        if (e > most) {
            most = e;
            worst = i;
        }
    }
    return worst;
}

/* NaN, a singular system: what is known is said; 0 if s->why is neither. */
static int known_reason(struct mbs_stepper *s, double h)
{
    double t = s->x.t;

    if (s->why == MBS_NAN) {
        if (s->msg->status != MBS_NAN && !name_ahead(s, h))
            mbs_fail(s->msg, MBS_NAN, t, -1, -1, "the model gives values that are not finite just behind t = %.9g, however small the step", t);
        return MBS_NAN;
    }
    if (s->why < 0 && s->msg->status == s->why)
        return s->why;
    if (s->why == MBS_SINGULAR)
        return mbs_fail(s->msg, MBS_SINGULAR, t, mbs_saddle_culprit(s->p->saddle), -1,
                        "the equations of motion are singular just behind t = %.9g", t);
    return 0;
}

int mbs_step_underflow(struct mbs_stepper *s, double h)
{
    const struct mbs_model *o = s->p->model;
    double t = s->x.t, big = fabs(h);
    int n = s->p->n, worst, status;
    const char *part;

    if (big > 16 * DBL_EPSILON * fabs(t) && big >= s->opt->hmin && big > 1e-100)
        return 0;
    if ((status = known_reason(s, h)))
        return status;
    worst = worst_entry(s);
    part = worst < 0 ? "" : worst < n ? "the position of " : worst < 2 * n ? "the velocity of " : "";
    return mbs_fail(s->msg, MBS_UNDERFLOW, t, worst >= 0 && worst < 2 * n ? worst % n : -1, -1,
                    "step size underflow at t = %.9g: h = %.3g%s%s%s%s", t, h,
                    s->why == MBS_NO_CONVERGENCE ? " and the iteration still does not converge"
                                                 : " and the error is still above the tolerance",
                    worst < 0 ? "" : s->why == 0 ? ", most of all in " : "; fastest changes ", part,
                    worst < 0 ? "" : worst < 2 * n ? o->coord[worst % n].name : o->state[worst - 2 * n].name);
}

static int fixed_failed(struct mbs_stepper *s, double h)
{
    int status = known_reason(s, h);

    return status ? status
                  : mbs_fail(s->msg, MBS_NO_CONVERGENCE, s->x.t, -1, -1,
                             "the iteration of the fixed step h = %.3g does not converge at t = %.9g", h, s->x.t);
}

double mbs_control_step(struct mbs_stepper *s, double h, double err, int status)
{
    if (status > 0)
        return 0.8 * h;
    if (status == 0 && err <= 1)
        return h * mbs_control_accept(&s->control, err);
    return h * mbs_control_reject(&s->control, status ? HUGE_VAL : err);
}

int mbs_attempt_begin(struct mbs_stepper *s, double tstop, struct mbs_attempt *a)
{
    int status;

    a->proposed = s->h;
    a->err = 0;
    if ((status = mbs_step_underflow(s, a->proposed)))
        return status;
    a->h = mbs_step_fit(s, a->proposed, tstop, &s->last);
    a->t_new = s->last ? tstop : s->x.t + a->h;
    return 0;
}

int mbs_attempt_end(struct mbs_stepper *s, const struct mbs_attempt *a, int status)
{
    const struct mbs_method *m = s->method;
    double (*control)(struct mbs_stepper *, double, double, int) = m->control ? m->control : mbs_control_step;
    int fixed = s->opt->step > 0;

    if (status == 0 && (fixed || a->err <= 1)) {
        status = m->accept(s, a->h, a->t_new);
        if (status == 0) {
            double next = fixed ? a->proposed : control(s, a->h, a->err, 0);
            /* a step cut short by tstop says little against the one proposed before */
            s->h = s->last && fabs(next) < fabs(a->proposed) ? a->proposed : next;
            return 0;
        }
    }
    s->why = status < 0 ? status : 0;
    if (status == MBS_NO_MEMORY)
        return mbs_fail(s->msg, status, s->x.t, -1, -1, "out of memory in a step of %s from t = %.9g", m->name, s->x.t);
    if (fixed)
        return fixed_failed(s, a->h);
    s->stat->rejected++;
    s->h = control(s, a->h, a->err, status);
    s->tries++;
    return 1;
}

int mbs_evolve(struct mbs_stepper *s, double tstop)
{
    struct mbs_attempt a;
    int status;

    s->tries = 0;
    do {
        if ((status = mbs_attempt_begin(s, tstop, &a)))
            return status;
        status = s->method->attempt(s, a.h, a.t_new, &a.err);
        if (status == 0 && s->beside && a.err <= 1 && !(s->opt->step > 0))
            status = s->beside(s, a.h, a.t_new, &a.err);
        status = mbs_attempt_end(s, &a, status);
    } while (status > 0);
    return status;
}
