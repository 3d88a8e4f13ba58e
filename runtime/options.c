/* SPDX-License-Identifier: MIT
 *
 * Options: defaults, checks, and what "auto" becomes. */
#include "sim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void mbs_options_init(struct mbs_options *opt, const struct mbs_model *model)
{
    if (!opt)
        return;
    memset(opt, 0, sizeof *opt);
    opt->method = "auto";
    opt->formulation = "auto";
    opt->iteration = "auto";
    opt->rtol = 1e-6;
    opt->atol = NAN;            /* becomes rtol */
    opt->max_steps = 10000000;
    opt->project = -1;
    opt->witness = 2;
    opt->rho = 0.8;
    opt->alpha = -0.1;
    if (!model)
        return;
    if (model->experiment.solver)
        opt->method = model->experiment.solver;
    if (model->experiment.formulation)
        opt->formulation = model->experiment.formulation;
    if (model->experiment.rtol > 0)
        opt->rtol = model->experiment.rtol;
    if (model->experiment.atol > 0)
        opt->atol = model->experiment.atol;
    if (model->experiment.step > 0)
        opt->step = model->experiment.step;
}

const struct mbs_method_info *mbs_method_list(int i, struct mbs_method_info *info)
{
    const struct mbs_method *m;

    if (i < 0 || !info)
        return NULL;
    for (int k = 0; k <= i; k++)
        if (!mbs_methods[k])
            return NULL;
    m = mbs_methods[i];
    *info = (struct mbs_method_info){ m->name, m->summary, m->needs, m->forms, m->form_default,
                                      (m->flags & MBS_METHOD_ADAPTIVE) != 0, (m->flags & MBS_METHOD_FIXED) != 0, (m->flags & MBS_METHOD_STEPS) != 0 };
    return info;
}

const struct mbs_method *mbs_method_find(const char *name)
{
    for (int i = 0; mbs_methods[i]; i++)
        if (strcmp(mbs_methods[i]->name, name) == 0)
            return mbs_methods[i];
    return NULL;
}

static int unknown_method(struct mbs_sim *sim, const char *name)
{
    char list[192] = "";
    size_t n = 0;
    for (int i = 0; mbs_methods[i] && n + strlen(mbs_methods[i]->name) + 3 < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", mbs_methods[i]->name);
    return mbs_fail(&sim->msg, MBS_BAD_ARGUMENT, NAN, -1, -1, "there is no method '%.40s'; there are %s", name, list);
}

int mbs_options_fit(struct mbs_sim *sim, const struct mbs_method *m)
{
    if (m->needs)
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "method %s needs %s, which this build does not have", m->name, m->needs);
    if (sim->model->nh > 0 && !(m->flags & MBS_METHOD_NONHOLONOMIC))
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, sim->model->ng, "method %s takes no non-holonomic constraints such as %s",
                        m->name, sim->model->constraint[sim->model->ng].name);
    if (sim->model->nz > 0 && !(m->flags & MBS_METHOD_STATES))
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "method %s takes no first-order states such as %s", m->name,
                        sim->model->state[0].name);
    if (sim->model->ncontact > 0 && !(m->flags & MBS_METHOD_TOUCH))
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "method %s does not know one-sided constraints such as %s; dopri5 and dop853 do",
                        m->name, sim->model->contact[0].name);
    for (int i = 0; i < sim->model->ncontact; i++)
        if ((sim->model->pair[i].poisson || sim->model->pair[i].reacts) && m->flags & MBS_METHOD_STEPS)
            return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "method %s does not know %s, such as %s; dopri5 and dop853 do", m->name,
                            sim->model->pair[i].poisson ? "Poisson's law" : "friction by reactions", sim->model->contact[i].name);
    for (int i = 0; i < sim->model->ncontact; i++)
        if (sim->model->pair[i].kind == MBS_CONTACT_BODY && !(m->flags & MBS_METHOD_STEPS))
            return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "method %s does not know contacts of all bodies such as %s; moreau and nsalpha do", m->name,
                            sim->model->contact[i].name);
    if (!mbs_has_matrices(sim->model) && !(m->flags & MBS_METHOD_TREE) && !(m->flags & MBS_METHOD_NEWTON && mbs_has_newton(sim->model)))
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1,
                        "method %s needs matrices, and the rolled model '%s' with %d coordinates has none; dopri5 and dop853 need none%s", m->name,
                        sim->model->name, sim->model->nq, mbs_has_newton(sim->model) ? ", nor do radau, radau5, genalpha and hht" : "");
    if (sim->opt.step > 0 && !(m->flags & MBS_METHOD_FIXED))
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "method %s takes no fixed step", m->name);
    if (!(sim->opt.step > 0) && !(m->flags & MBS_METHOD_ADAPTIVE))
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "method %s needs a fixed step", m->name);
    return 0;
}

static int form_find(struct mbs_sim *sim, const struct mbs_method *m, const char *name, enum mbs_form *form)
{
    char list[160] = "";
    int found = -1;

    if (strcmp(name, "auto") == 0) {
        *form = m->form_default;
        return 0;
    }
    for (int f = 0; f < MBS_FORMS; f++) {
        if (m->forms & MBS_FORM(f))
            snprintf(list + strlen(list), sizeof list - strlen(list), " %s", mbs_form_name((enum mbs_form)f));
        if (strcmp(name, mbs_form_name((enum mbs_form)f)) == 0)
            found = f;
    }
    if (found < 0)
        return mbs_fail(&sim->msg, MBS_BAD_ARGUMENT, NAN, -1, -1, "there is no formulation '%.40s'; %s has%s", name, m->name, list);
    if (!(m->forms & MBS_FORM(found)))
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "method %s does not integrate the formulation %s, but%s", m->name,
                        name, list);
    *form = (enum mbs_form)found;
    return 0;
}

static int bad_value(struct mbs_sim *sim, const char *name, double value)
{
    return mbs_fail(&sim->msg, MBS_BAD_ARGUMENT, NAN, -1, -1, "the option %s = %g makes no sense", name, value);
}

/* Tolerances: rtol = 0 leaves it to atol, but what double precision cannot tell from zero cannot be asked for. */
static int tolerances_check(struct mbs_sim *sim)
{
    struct mbs_options *o = &sim->opt;

    if (isnan(o->atol))
        o->atol = o->rtol;
    if (!(o->rtol >= 0 && o->rtol < 1))
        return bad_value(sim, "rtol", o->rtol);
    if (o->rtol > 0 && o->rtol < 16 * DBL_EPSILON)
        return mbs_fail(&sim->msg, MBS_BAD_ARGUMENT, NAN, -1, -1, "rtol = %g is finer than double precision; %.1e is the least", o->rtol, 16 * DBL_EPSILON);
    if (!(o->atol >= 0 && isfinite(o->atol)))
        return bad_value(sim, "atol", o->atol);
    if (o->rtol + o->atol == 0)
        return mbs_fail(&sim->msg, MBS_BAD_ARGUMENT, NAN, -1, -1, "rtol = 0 leaves the tolerance to atol, which must be positive then");
    for (int i = 0; o->atol_y && i < 2 * sim->model->nq + sim->model->nz; i++)
        if (!(o->atol_y[i] >= 0 && isfinite(o->atol_y[i]) && o->atol_y[i] + o->rtol > 0))
            return bad_value(sim, "atol_y", o->atol_y[i]);
    return 0;
}

static int values_check(struct mbs_sim *sim)
{
    struct mbs_options *o = &sim->opt;
    const struct {
        const char *name;
        double value, from, to;
    } list[] = {
        { "h0", o->h0, 0, DBL_MAX },
        { "hmin", o->hmin, 0, DBL_MAX },
        { "hmax", o->hmax, 0, DBL_MAX },
        { "step", o->step, 0, DBL_MAX },
        { "rho", o->rho, 0, 1 },
        { "alpha", o->alpha, -1.0 / 3 - 1e-12, 0 },
        { "baumgarte_alpha", o->baumgarte_alpha, 0, DBL_MAX },
        { "baumgarte_beta", o->baumgarte_beta, 0, DBL_MAX },
        { "max_steps", (double)o->max_steps, 1, DBL_MAX },
        { "project", o->project, -1, 1 },
        { "witness", o->witness, 0, 2 },
        { "order_min", o->order_min, 0, 100 },
        { "order_max", o->order_max, o->order_max ? o->order_min : 0, 100 },
        { "nbreaks", o->nbreaks, 0, o->breaks ? DBL_MAX : 0 },
        { "hmin (above hmax)", o->hmin, 0, o->hmax > 0 ? o->hmax : DBL_MAX },
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!(list[i].value >= list[i].from && list[i].value <= list[i].to))
            return bad_value(sim, list[i].name, list[i].value);
    for (int i = 0; i < o->nbreaks; i++)
        if (!isfinite(o->breaks[i]) || (i > 0 && !(o->breaks[i] > o->breaks[i - 1])))
            return bad_value(sim, "breaks (must ascend)", o->breaks[i]);
    return tolerances_check(sim);
}

int mbs_options_check(struct mbs_sim *sim, const struct mbs_options *opt)
{
    sim->opt = *opt;
    snprintf(sim->iteration, sizeof sim->iteration, "%s", opt->iteration ? opt->iteration : "auto");
    sim->opt.iteration = sim->iteration;
    return values_check(sim);
}

int mbs_options_resolve(struct mbs_sim *sim, const struct mbs_method **method, enum mbs_form *form)
{
    const char *name = sim->opt.method ? sim->opt.method : "auto", *formulation = sim->opt.formulation ? sim->opt.formulation : "auto";
    int status;

    sim->automatic = strcmp(name, "auto") == 0;
    sim->automatic_form = strcmp(formulation, "auto") == 0;
    if (sim->automatic)
        name = mbs_choose_method(sim);
    *method = mbs_method_find(name);
    if (!*method)
        return unknown_method(sim, name);
    if (*method && (*method)->flags & MBS_METHOD_STEPS && !(sim->opt.step > 0)) {
        const struct mbs_experiment *e = &sim->model->experiment;
        double span = e->to - (isnan(e->from) ? 0 : e->from);
        sim->opt.step = span > 0 ? span / 1000 : 1e-3;
    }
    if ((status = mbs_options_fit(sim, *method)) || (status = form_find(sim, *method, formulation, form)))
        return status;
    sim->opt.method = (*method)->name;
    sim->opt.formulation = mbs_form_name(*form);
    return 0;
}
