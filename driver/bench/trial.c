/* SPDX-License-Identifier: GPL-3.0-or-later
 * One integration and its cost; rows over time. */
#include "config.h"
#include "trial.h"
#include "interrupt.h"
#include "row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int open_sim(const struct trial *t, struct mbs_sim **sim, struct mbs_message *msg)
{
    struct mbs_options opt;
    mbs_options_init(&opt, t->model);
    opt.witness = 1;            /* errors are measured here */
    opt.method = t->method ? t->method : opt.method;
    opt.formulation = t->formulation ? t->formulation : t->method ? "auto" : opt.formulation;
    opt.iteration = t->iteration;
    opt.step = t->step;
    if (t->rtol > 0) {
        opt.rtol = t->rtol;
        opt.atol = t->atol > 0 ? t->atol : t->rtol;
    }
    if (!isnan(t->rho))
        opt.rho = t->rho;
    if (!isnan(t->alpha))
        opt.alpha = t->alpha;
    opt.order_max = t->order_max;
    opt.breaks = t->breaks;
    opt.nbreaks = t->nbreaks;
    opt.max_steps = t->max_steps ? t->max_steps : 2000000;
    return mbs_new(sim, t->model, t->params, &opt, msg);
}

static double end_time(const struct trial *t) { return t->to > 0 ? t->to : t->model->experiment.to; }

static void end_take(struct trial_end *end, struct mbs_sim *sim, const struct mbs_model *m)
{
    const struct mbs_state *x = mbs_state(sim);
    const struct { const double *from; int n; } block[] = {{x->q, m->nq}, {x->v, m->nq}, {x->a, m->nq}, {x->lambda, m->ng + m->nh}};
    double e[2];
    int at = 0;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < block[k].n && at < TRIAL_END; i++)
            end->y[at++] = block[k].from[i];
    end->energy = mbs_energy(sim, e) == 0 ? e[0] + e[1] : NAN;
    end->stat = *mbs_statistics(sim);
    end->message = *mbs_message(sim);
    snprintf(end->method, sizeof end->method, "%s", mbs_method(sim));
    snprintf(end->form, sizeof end->form, "%s", m->ng + m->nh ? mbs_form_name(mbs_formulation(sim)) : "");
}

bool trial_run(const struct trial *t, double budget, struct trial_end *end)
{
    double spent = 0;
    *end = (struct trial_end){.cpu = INFINITY};
    while (end->repeats == 0 || (budget > 0 && end->status == 0 && (spent < budget || (end->repeats < 3 && end->cpu < 0.05)) && !*interrupt_flag())) {
        struct mbs_sim *sim;
        struct mbs_run run;
        double began = cpu_seconds(), took;
        end->status = open_sim(t, &sim, &end->message);
        if (end->status)
            return false;
        mbs_run_init(&run, t->model);
        run.to = end_time(t);
        run.cancel = interrupt_flag();
        end->status = mbs_assemble(sim, t->start);
        if (end->status == 0)
            end->status = mbs_run(sim, &run);
        took = cpu_seconds() - began;
        spent += took;
        end->cpu = fmin(end->cpu, took);
        end_take(end, sim, t->model);
        mbs_free(sim);
        end->repeats++;
    }
    return end->status == 0;
}

bool trial_start(const struct trial *t, struct trial_end *end)
{
    struct mbs_sim *sim;
    *end = (struct trial_end){.status = 0};
    end->status = open_sim(t, &sim, &end->message);
    if (end->status)
        return false;
    end->status = mbs_assemble(sim, t->start);
    end_take(end, sim, t->model);
    mbs_free(sim);
    return end->status == 0;
}

/* ---- rows ---- */

struct recorder {
    struct history *h;
    double *c, *w, *g, *G, *gt;
    bool full;
};

static double norm(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * x[i];
    return sqrt(s);
}

static void violations(struct recorder *r, const struct mbs_state *x, double *position, double *velocity)
{
    const struct mbs_model *m = r->h->model;
    const struct mbs_constraints out = {r->g, r->G, r->gt};
    m->constraints(r->c, x, &out, r->w);
    for (int j = 0; j < m->nq; j++)
        for (int k = m->G.colptr[j]; k < m->G.colptr[j + 1]; k++)
            r->gt[m->G.rowidx[k]] += r->G[k] * x->v[j];
    *position = norm(r->g, m->ng);
    *velocity = norm(r->gt, m->ng + m->nh);
}

static int record(void *user, const struct mbs_state *x, const double *y)
{
    struct recorder *r = user;
    struct history *h = r->h;
    const struct mbs_model *m = h->model;
    double e[2];
    if (h->n == h->room) {
        int room = h->room ? 2 * h->room : 1024;
        double *more = realloc(h->row, (size_t)room * (size_t)h->width * sizeof *more);
        if (!more)
            return r->full = true;
        h->row = more;
        h->room = room;
    }
    double *row = h->row + (size_t)h->n++ * (size_t)h->width;
    row[0] = x->t;
    memcpy(row + 1, x->q, (size_t)m->nq * sizeof *row);
    memcpy(row + h->v, x->v, (size_t)m->nq * sizeof *row);
    memcpy(row + h->a, x->a, (size_t)m->nq * sizeof *row);
    if (m->ng + m->nh)
        memcpy(row + h->lambda, x->lambda, (size_t)(m->ng + m->nh) * sizeof *row);
    if (m->ny)
        memcpy(row + h->y, y, (size_t)m->ny * sizeof *row);
    m->energy(r->c, x, e, r->w);
    row[h->energy] = e[0] + e[1];
    violations(r, x, &row[h->position], &row[h->velocity]);
    return 0;
}

static double *doubles(int n) { return calloc((size_t)n + 1, sizeof(double)); }

bool history_run(struct history *h, const struct trial *t, double every)
{
    const struct mbs_model *m = t->model;
    struct recorder r = {.h = h};
    struct mbs_sim *sim;
    struct mbs_run run;
    int nc = m->ng + m->nh;
    *h = (struct history){.model = m, .v = 1 + m->nq, .a = 1 + 2 * m->nq, .lambda = 1 + 3 * m->nq};
    h->y = h->lambda + nc;
    h->energy = h->y + m->ny;
    h->position = h->energy + 1;
    h->velocity = h->position + 1;
    h->width = h->velocity + 1;
    h->end.status = open_sim(t, &sim, &h->end.message);
    if (h->end.status)
        return false;
    double *params = doubles(m->np);
    r.c = doubles(m->nc), r.w = doubles(m->nw), r.g = doubles(m->ng), r.G = doubles(m->G.nnz), r.gt = doubles(nc);
    if (params && r.c && r.w && r.g && r.G && r.gt) {
        if (t->params)
            memcpy(params, t->params, (size_t)m->np * sizeof *params);
        else
            m->defaults(params, NULL);
        m->setup(params, r.c);
        mbs_run_init(&run, m);
        run.to = end_time(t);
        run.every = every;
        run.output = record;
        run.user = &r;
        run.cancel = interrupt_flag();
        double began = cpu_seconds();
        h->end.status = mbs_assemble(sim, t->start);
        if (h->end.status == 0)
            h->end.status = mbs_run(sim, &run);
        h->end.cpu = cpu_seconds() - began;
        h->end.repeats = 1;
        end_take(&h->end, sim, m);
    } else {
        h->end.status = MBS_NO_MEMORY;
    }
    if (r.full)
        h->end.status = MBS_NO_MEMORY;
    mbs_free(sim);
    free(params);
    free(r.c);
    free(r.w);
    free(r.g);
    free(r.G);
    free(r.gt);
    return h->end.status == 0;
}

void history_free(struct history *h)
{
    free(h->row);
    h->row = NULL;
    h->n = h->room = 0;
}

const double *history_row(const struct history *h, int i) { return h->row + (size_t)i * (size_t)h->width; }

double *history_column(const struct history *h, int column)
{
    double *x = doubles(h->n);
    for (int i = 0; x && i < h->n; i++)
        x[i] = h->row[(size_t)i * (size_t)h->width + (size_t)column];
    return x;
}
