/* SPDX-License-Identifier: GPL-3.0-or-later
 * Measures are functions of the rows of a run, known by their derivatives by each row: what mbs_adjoint() wants. */
#include "config.h"
#include "study/gradient.h"

#include "interrupt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(struct gradient *g, const char *why)
{
    snprintf(g->why, sizeof g->why, "%s", why);
    return false;
}

/* The place of a column among q, v, z and the outputs; -1: it has none. */
static int place_of(const struct mbs_model *m, int column)
{
    int state = 2 * m->nq + m->nz, first = 1 + state + m->nu;
    if (column >= 1 && column <= state)
        return column - 1;
    return column >= first && column < first + m->ny ? state + column - first : -1;
}

bool gradient_init(struct gradient *g, const struct session *s, const char *const *request, int n)
{
    *g = (struct gradient){.session = s};
    if (!measures_init(&g->measures, s, request, n))
        return refuse(g, g->measures.why);
    for (int i = 0; i < g->measures.count; i++) {
        const struct measure *x = &g->measures.list[i];
        if (x->kind == MEASURE_CURVE)
            return refuse(g, "a curve has no gradient: measure its end, min, max, peak, mean, rms or integral");
        if (place_of(s->model, x->column) < 0) {
            snprintf(g->why, sizeof g->why, "there are gradients of coordinates, velocities, states and outputs, not of %.100s: make it an output of the model",
                     g->measures.columns.name[x->column]);
            return false;
        }
    }
    size_t width = (size_t)g->measures.width;
    g->value = calloc(width + 1, sizeof *g->value);
    g->slope = calloc(width * (size_t)s->model->nsensitive + 1, sizeof *g->slope);
    g->check = calloc(width + 1, sizeof *g->check);
    return (g->value && g->slope && g->check) || refuse(g, "out of memory");
}

void gradient_fini(struct gradient *g)
{
    measures_fini(&g->measures);
    free(g->value);
    free(g->slope);
    free(g->check);
}

/* The rows of a run as they come: of each measure its column. */
struct rows {
    struct gradient *g;
    struct measuring measuring;
    double *t, *x;              /* x: rows x count */
    long n, room;
    struct mbs_message doubt;   /* of the witness */
};

static int on_output(void *user, const struct mbs_state *x, const double *y)
{
    struct rows *r = user;
    const struct measures *m = &r->g->measures;
    size_t count = (size_t)m->count;
    measuring_row(&r->measuring, x, y);
    if (r->n == r->room) {
        long room = 2 * r->room + 1024;
        double *t = realloc(r->t, (size_t)room * sizeof *t), *all;
        r->t = t ? t : r->t;
        all = realloc(r->x, (size_t)room * count * sizeof *all);
        r->x = all ? all : r->x;
        if (!t || !all)
            return 1;
        r->room = room;
    }
    r->t[r->n] = x->t;
    for (size_t i = 0; i < count; i++)
        r->x[(size_t)r->n * count + i] = r->measuring.row[m->list[i].column];
    r->n++;
    return *interrupt_flag() != 0;
}

/* d(measure)/d(x of row r) of measure i, into w with a distance of `stride` from row to row. */
static void weigh(const struct rows *r, int i, double *w, size_t stride)
{
    const struct measures *m = &r->g->measures;
    const struct measure *x = &m->list[i];
    double value = r->g->value[x->at], span = fabs(r->t[r->n - 1] - m->from);
#define X(k) r->x[(size_t)(k) * (size_t)m->count + (size_t)i]
#define W(k) w[(size_t)(k) * stride]
    switch (x->kind) {
    case MEASURE_END:
        W(r->n - 1) = 1;
        return;
    case MEASURE_START:
        W(0) = 1;
        return;
    case MEASURE_MIN:
    case MEASURE_MAX:
    case MEASURE_PEAK:          /* of several rows that are equal the first: one of the slopes that a kink has */
        for (long k = 0; k < r->n; k++)
            if ((x->kind == MEASURE_PEAK ? fabs(X(k)) : X(k)) == value) {
                W(k) = x->kind == MEASURE_PEAK && X(k) < 0 ? -1 : 1;
                return;
            }
        return;
    case MEASURE_MEAN:
    case MEASURE_INTEGRAL:
    case MEASURE_RMS:
        for (long k = 1; k < r->n; k++) {
            double dt = fabs(r->t[k] - r->t[k - 1]), a = X(k - 1), b = X(k);
            if (x->kind == MEASURE_RMS) {
                double s = value > 0 ? dt / (6 * value * span) : 0;
                W(k) += s * (2 * b + a);
                W(k - 1) += s * (2 * a + b);
            } else {
                double s = dt / (x->kind == MEASURE_MEAN ? 2 * span : 2);
                W(k) += s;
                W(k - 1) += s;
            }
        }
        return;
    case MEASURE_CURVE:
    case MEASURES:
        return;
    }
#undef X
#undef W
}

static int backwards(struct rows *r, struct mbs_sim *sim)
{
    struct gradient *g = r->g;
    const struct mbs_model *m = g->session->model;
    size_t stride = (size_t)(2 * m->nq + m->nz + m->ny), block = (size_t)r->n * stride;
    int count = g->measures.count;
    double *w = calloc((size_t)count * block + 1, sizeof *w);
    int status = MBS_NO_MEMORY;
    if (w) {
        for (int i = 0; i < count; i++)
            weigh(r, i, w + (size_t)i * block + place_of(m, g->measures.list[i].column), stride);
        status = mbs_adjoint(sim, count, w, g->slope, g->check);
    }
    free(w);
    return status;
}

static int integrate(struct rows *r, struct mbs_sim *sim)
{
    struct gradient *g = r->g;
    const struct session *s = g->session;
    struct mbs_run run;
    int status = s->model->nu && !s->tables ? mbs_set_inputs(sim, s->u) : MBS_OK;
    if (status == MBS_OK)
        status = mbs_assemble(sim, s->from);
    if (status == MBS_OK && s->settings->at_equilibrium)
        status = mbs_equilibrium(sim);
    if (status == MBS_OK)
        status = mbs_adjoint_begin(sim, s->settings->at_equilibrium, 0);
    if (status != MBS_OK)
        return status;
    mbs_run_init(&run, s->model);
    run.to = s->to;
    run.every = g->measures.rows ? s->every : fabs(s->to - s->from);
    run.output = on_output;
    run.user = r;
    run.cancel = interrupt_flag();
    int outcome = mbs_run(sim, &run);
    if (outcome != MBS_OK && outcome != MBS_DOUBTFUL)
        return outcome;
    if (outcome == MBS_DOUBTFUL)
        r->doubt = *mbs_message(sim);
    measuring_end(&r->measuring);
    status = backwards(r, sim);
    if (status != MBS_OK)
        return status;
    g->seen = *mbs_adjoint_seen(sim);
    return outcome;
}

bool gradient_run(struct gradient *g, const double *params)
{
    const struct mbs_model *m = g->session->model;
    struct rows r = {.g = g};
    struct mbs_message why = {0};
    struct mbs_sim *sim;
    double *c = calloc((size_t)m->nc + 1, sizeof *c);
    int status = MBS_NO_MEMORY;
    if (c && measuring_init(&r.measuring, &g->measures, m)) {
        m->setup(params, c);
        measuring_begin(&r.measuring, c, g->value);
        status = mbs_new(&sim, m, params, &g->session->options, &why);
        if (status == MBS_OK) {
            status = integrate(&r, sim);
            why = status == MBS_DOUBTFUL ? r.doubt : *mbs_message(sim);
            mbs_free(sim);
        }
    }
    measuring_fini(&r.measuring);
    free(r.t);
    free(r.x);
    free(c);
    g->status = status;
    if (status != MBS_OK)
        snprintf(g->why, sizeof g->why, "%.60s: %.300s", mbs_status_text(status), why.text);
    return status == MBS_OK || status == MBS_DOUBTFUL;
}
