/* SPDX-License-Identifier: MIT
 *
 * Derivatives of the start by parameters: differences of five points of the assembly, whatever it does, for the parameters that it can
 * depend on. */
#include "analysis/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* fixed[j] = 0 for parameters that follow when others change: those that have the values of their formulas and are not varied
 * themselves.  One that depends on what is varied but has another value than its formula is refused: rp would be of another model. */
static int find_fixed(struct mbs_sim *sim, unsigned char *fixed, double *p)
{
    const struct mbs_model *o = sim->model;
    unsigned char *one = calloc((size_t)o->np + 1, 1);
    int status = one ? 0 : MBS_NO_MEMORY;
    memset(fixed, 0, (size_t)o->np);
    for (int k = 0; k < o->nsensitive; k++)
        fixed[o->sensitive[k]] = 1;
    for (int j = 0; j < o->np && status == 0; j++) {
        if (fixed[j])
            continue;
        memset(one, 1, (size_t)o->np);
        one[j] = 0;
        memcpy(p, sim->params, (size_t)o->np * sizeof *p);
        o->defaults(p, one);
        double formula = p[j];
        fixed[j] = formula != sim->params[j];
        for (int k = 0; k < o->nsensitive && fixed[j]; k++) {
            memcpy(p, sim->params, (size_t)o->np * sizeof *p);
            p[o->sensitive[k]] += 1e-3 * (fabs(p[o->sensitive[k]]) + (p[o->sensitive[k]] == 0));
            o->defaults(p, one);
            if (p[j] != formula)
                status = mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1,
                                  "the parameter %s is a formula of %s but has another value: vary it, too, or leave it its formula", o->param[j].name,
                                  o->param[o->sensitive[k]].name);
        }
    }
    free(one);
    return status;
}

/* One simulation serves all parameters: an assembly begins with the values of the model, whatever was before. */
struct starts {
    struct mbs_sim *sim, *other;
    int equilibrium;
    unsigned char *fixed;
    double *p, *plus, *minus;   /* parameters; q, v, z */
};

static void starts_fini(struct starts *s)
{
    mbs_free(s->other);
    free(s->fixed);
    free(s->p);
}

static int starts_init(struct starts *s)
{
    const struct mbs_model *o = s->sim->model;
    size_t n = (size_t)(2 * o->nq + o->nz);
    struct mbs_message msg = {0};
    s->p = calloc((size_t)o->np + 2 * n + (size_t)o->nu + 3, sizeof *s->p);
    s->fixed = malloc((size_t)o->np + 1);
    if (!s->p || !s->fixed)
        return MBS_NO_MEMORY;
    s->plus = s->p + o->np + 1;
    s->minus = s->plus + n + 1;
    int status = find_fixed(s->sim, s->fixed, s->p);
    if (status == 0 && (status = mbs_new(&s->other, o, s->sim->params, &s->sim->opt, &msg)))
        s->sim->msg = msg;
    if (status == 0 && o->nu && !s->sim->opt.input)
        status = mbs_set_inputs(s->other, s->sim->p.u);
    return status;
}

static void change(struct starts *s, int i, double delta)
{
    const struct mbs_model *o = s->sim->model;
    memcpy(s->p, s->sim->params, (size_t)o->np * sizeof *s->p);
    s->p[i] += delta;
    o->defaults(s->p, s->fixed);
}

/* q, v, z of an assembly with parameter i moved by delta. */
static int assembled(struct starts *s, int i, double delta, double *out)
{
    const struct mbs_model *o = s->sim->model;
    change(s, i, delta);
    int status = mbs_set_parameters(s->other, s->p);
    if (status == 0)
        status = mbs_assemble(s->other, s->sim->s.x.t);
    if (status == 0 && s->equilibrium)
        status = mbs_equilibrium(s->other);
    if (status) {
        s->sim->msg = *mbs_message(s->other);
        return status;
    }
    const struct mbs_state *x = mbs_state(s->other);
    memcpy(out, x->q, (size_t)o->nq * sizeof *out);
    memcpy(out + o->nq, x->v, (size_t)o->nq * sizeof *out);
    memcpy(out + 2 * o->nq, x->z, (size_t)o->nz * sizeof *out);
    return 0;
}

/* Start values as the model gives them, before assembly. */
static void given(struct starts *s, int i, double delta, double *out)
{
    const struct mbs_model *o = s->sim->model;
    struct mbs_problem *p = &s->other->p;
    change(s, i, delta);
    o->setup(s->p, p->c);
    o->initial(p->c, out, out + o->nq, out + 2 * o->nq, s->minus + 2 * o->nq + o->nz);
}

static int has_column(const struct mbs_pattern *p, int k)
{
    return p->nnz && p->colptr[k + 1] > p->colptr[k];
}

/* An assembly knows of the model its start values, constraints and conditions, an equilibrium all of it. */
static int matters(struct starts *s, int k, double delta)
{
    const struct mbs_model *o = s->sim->model;
    size_t bytes = (size_t)(2 * o->nq + o->nz) * sizeof(double);
    if (s->equilibrium || o->ns || has_column(&o->gp, k) || has_column(&o->gvp, k))
        return 1;
    given(s, o->sensitive[k], delta, s->plus);
    given(s, o->sensitive[k], -delta, s->minus);
    return memcmp(s->plus, s->minus, bytes) != 0;
}

static int differentiate(struct starts *s, struct mbs_derive *d, int k)
{
    int i = d->sim->model->sensitive[k], status = 0;
    double size = d->sim->params[i] != 0 ? fabs(d->sim->params[i]) : 1, delta = 1e-3 * size;
    d->scale[k] = size;
    d->direction[k] = (k * 2654435761u >> 16 & 1 ? -size : size) / sqrt(d->np);
    for (int j = 0; j < d->rows; j++)
        d->start[j * d->np + k] = 0;
    for (int a = 1; a <= 2 && status == 0 && matters(s, k, delta); a++) {
        if ((status = assembled(s, i, a * delta, s->plus)) == 0)
            status = assembled(s, i, -a * delta, s->minus);
        for (int j = 0; j < d->rows && status == 0; j++)
            d->start[j * d->np + k] += (a == 1 ? 8 : -1) * (s->plus[j] - s->minus[j]) / (12 * delta);
    }
    return status;
}

int mbs_derive_start(struct mbs_sim *sim, int equilibrium)
{
    struct mbs_derive *d = sim->derive;
    struct starts s = {.sim = sim, .equilibrium = equilibrium};
    int status = starts_init(&s);
    for (int k = 0; k < d->np && status == 0; k++)
        status = differentiate(&s, d, k);
    starts_fini(&s);
    return status;
}
