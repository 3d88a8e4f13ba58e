/* SPDX-License-Identifier: GPL-3.0-or-later
 * Runs kept in memory. */
#include "config.h"
#include "study/curves.h"

#include "interrupt.h"
#include "row.h"

#include <math.h>
#include <stdlib.h>

struct recording {
    struct curves *c;
    const struct mbs_model *m;
    double *constants, *w;
};

static int on_output(void *user, const struct mbs_state *x, const double *y)
{
    struct recording *r = user;
    struct curves *c = r->c;
    size_t width = (size_t)c->columns.n, points = 3 * (size_t)r->m->npoint;
    double e[2] = {0, 0};
    if (c->n == c->room) {
        int room = 2 * c->room + 256;
        double *row = realloc(c->row, (size_t)room * width * sizeof *row), *xyz;
        c->row = row ? row : c->row;
        xyz = realloc(c->xyz, ((size_t)room * points + 1) * sizeof *xyz);
        c->xyz = xyz ? xyz : c->xyz;
        if (!row || !xyz)
            return 1;
        c->room = room;
    }
    columns_fill(c->row + (size_t)c->n * width, r->m, true, x, y, e, 0, 0);
    if (points)
        r->m->points(r->constants, x, c->xyz + (size_t)c->n * points, r->w);
    c->n++;
    return *interrupt_flag() != 0;
}

static int integrate(struct recording *r, const struct session *s, struct mbs_sim *sim, double to, int rows)
{
    struct mbs_run run;
    int status = s->model->nu && !s->tables ? mbs_set_inputs(sim, s->u) : MBS_OK;
    if (status == MBS_OK)
        status = mbs_assemble(sim, s->from);
    if (status == MBS_OK && s->settings->at_equilibrium)
        status = mbs_equilibrium(sim);
    if (status != MBS_OK || to == s->from)
        return status;
    mbs_run_init(&run, s->model);
    run.to = to;
    run.every = fabs(to - s->from) / rows;
    run.output = on_output;
    run.user = r;
    run.cancel = interrupt_flag();
    return mbs_run(sim, &run);
}

bool curves_run(struct curves *c, const struct session *s, const double *params, double to, int rows)
{
    const struct mbs_model *m = s->model;
    struct recording r = {.c = c, .m = m, .constants = calloc((size_t)m->nc + 1, sizeof(double)), .w = calloc((size_t)m->nw + 1, sizeof(double))};
    struct mbs_message why = {0};
    struct mbs_sim *sim;
    int status = MBS_NO_MEMORY;
    *c = (struct curves){0};
    if (r.constants && r.w && columns_init(&c->columns, m, true)) {
        m->setup(params, r.constants);
        status = mbs_new(&sim, m, params, &s->options, &why);
        if (status == MBS_OK) {
            status = integrate(&r, s, sim, to, rows);
            why = *mbs_message(sim);
            mbs_free(sim);
        }
    }
    free(r.constants);
    free(r.w);
    if (status != MBS_OK && status != MBS_DOUBTFUL)
        snprintf(c->why, sizeof c->why, "%.60s: %.300s", mbs_status_text(status), why.text);
    c->status = status;
    return status != MBS_NO_MEMORY && status != MBS_CANCELLED;
}

void curves_fini(struct curves *c)
{
    columns_fini(&c->columns);
    free(c->row);
    free(c->xyz);
    *c = (struct curves){0};
}
