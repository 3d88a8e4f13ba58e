/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Options: defaults, checks, and what "auto" becomes. */
#include "sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void mbs_options_init(struct mbs_options *opt, const struct mbs_model *model)
{
    memset(opt, 0, sizeof *opt);
    opt->method = "auto";
    opt->formulation = "auto";
    opt->iteration = "auto";
    opt->rtol = 1e-6;
    opt->atol = NAN;            /* becomes rtol */
    opt->max_steps = 10000000;
    opt->project = -1;
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

    if (i < 0)
        return NULL;
    for (int k = 0; k <= i; k++)
        if (!mbs_methods[k])
            return NULL;
    m = mbs_methods[i];
    *info = (struct mbs_method_info){ m->name, m->summary, m->needs, m->forms, m->form_default,
                                      (m->flags & MBS_METHOD_ADAPTIVE) != 0, (m->flags & MBS_METHOD_FIXED) != 0 };
    return info;
}

static const struct mbs_method *method_find(const char *name)
{
    for (int i = 0; mbs_methods[i]; i++)
        if (strcmp(mbs_methods[i]->name, name) == 0)
            return mbs_methods[i];
    return NULL;
}

static int method_fits(struct mbs_sim *sim, const struct mbs_method *m)
{
    if (m->needs)
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "method %s needs %s, which this build does not have", m->name, m->needs);
    if (sim->model->nh > 0 && !(m->flags & MBS_METHOD_NONHOLONOMIC))
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, sim->model->ng, "method %s takes no non-holonomic constraints such as %s",
                        m->name, sim->model->constraint[sim->model->ng].name);
    if (sim->model->nz > 0 && !(m->flags & MBS_METHOD_STATES))
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "method %s takes no first-order states such as %s", m->name,
                        sim->model->state[0].name);
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

static int values_check(struct mbs_sim *sim)
{
    struct mbs_options *o = &sim->opt;

    if (isnan(o->atol))
        o->atol = o->rtol;
    if (!(o->rtol >= 0) || !(o->atol >= 0) || !(o->rtol + o->atol > 0))
        return bad_value(sim, o->rtol >= 0 ? "atol" : "rtol", o->rtol >= 0 ? o->atol : o->rtol);
    if (!(o->h0 >= 0))
        return bad_value(sim, "h0", o->h0);
    if (!(o->hmin >= 0))
        return bad_value(sim, "hmin", o->hmin);
    if (!(o->hmax >= 0))
        return bad_value(sim, "hmax", o->hmax);
    if (!(o->step >= 0))
        return bad_value(sim, "step", o->step);
    if (!(o->rho >= 0 && o->rho <= 1))
        return bad_value(sim, "rho", o->rho);
    if (!(o->alpha >= -1.0 / 3 - 1e-12 && o->alpha <= 0))
        return bad_value(sim, "alpha", o->alpha);
    if (o->max_steps <= 0)
        return bad_value(sim, "max_steps", (double)o->max_steps);
    for (int i = 1; i < o->nbreaks; i++)
        if (!(o->breaks[i] > o->breaks[i - 1]))
            return bad_value(sim, "breaks (must ascend)", o->breaks[i]);
    return 0;
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

    if (strcmp(name, "auto") == 0)
        name = mbs_choose_method(sim);
    *method = method_find(name);
    if (!*method)
        return mbs_fail(&sim->msg, MBS_BAD_ARGUMENT, NAN, -1, -1, "there is no method '%.40s'", name);
    if ((status = method_fits(sim, *method)) || (status = form_find(sim, *method, formulation, form)))
        return status;
    sim->opt.method = (*method)->name;
    sim->opt.formulation = mbs_form_name(*form);
    return 0;
}
