/* SPDX-License-Identifier: GPL-3.0-or-later
 * Impacts and friction: problems with exact solutions, published ones, and Siconos beside them where it is installed. */
#include "config.h"
#include "bench.h"
#include "impacts.h"
#include "interrupt.h"
#include "row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one run with its log ---- */

static int on_output(void *user, const struct mbs_state *x, const double *y)
{
    struct hits *h = user;
    int n = h->model->nq;
    (void)y;
    if (h->rows < HIT_ROWS) {
        double *row = h->row[h->rows++];
        row[0] = x->t;
        for (int i = 0; i < n && 2 * n < HIT_WIDTH; i++)
            row[1 + i] = x->q[i], row[1 + n + i] = x->v[i];
    }
    return 0;
}

static int on_happening(void *user, struct mbs_sim *sim, const struct mbs_happening *w)
{
    struct hits *h = user;
    (void)sim;
    if (h->n < HIT_MOST) {
        struct hit *at = &h->at[h->n++];
        *at = (struct hit){w->t, w->event, w->contact, w->what ? w->what : "", w->impulse, w->before->v[0], w->after->v[0], w->after->q[0]};
    }
    return 0;
}

bool hits_run(struct hits *h, const struct trial *t, int times, const double *time)
{
    struct mbs_options opt;
    struct mbs_run run;
    struct mbs_sim *sim;
    const struct mbs_model *m = t->model;
    double began = cpu_seconds();
    *h = (struct hits){.model = m, .at = calloc(HIT_MOST, sizeof *h->at)};
    mbs_options_init(&opt, m);
    opt.method = t->method ? t->method : opt.method;
    opt.rtol = t->rtol > 0 ? t->rtol : opt.rtol;
    opt.atol = t->atol > 0 ? t->atol : t->rtol > 0 ? t->rtol : opt.atol;
    opt.step = t->step;
    opt.max_steps = 10000000;
    h->status = h->at ? mbs_new(&sim, m, t->params, &opt, &h->message) : MBS_NO_MEMORY;
    if (h->status)
        return false;
    mbs_run_init(&run, m);
    run.to = t->to > 0 ? t->to : m->experiment.to;
    run.cancel = interrupt_flag();
    run.happened = on_happening;
    run.user = h;
    if (times) {
        run.times = time;
        run.ntimes = times;
        run.output = on_output;
    }
    h->status = mbs_assemble(sim, 0);
    if (h->status == 0)
        h->status = mbs_run(sim, &run);
    h->cpu = cpu_seconds() - began;
    h->message = *mbs_message(sim);
    h->stat = *mbs_statistics(sim);
    snprintf(h->method, sizeof h->method, "%s", mbs_method(sim));
    for (int i = 0; i < m->nq && 2 * m->nq <= HIT_WIDTH; i++)
        h->end[i] = mbs_state(sim)->q[i], h->end[m->nq + i] = mbs_state(sim)->v[i];
    mbs_free(sim);
    return h->status == 0;
}

void hits_free(struct hits *h)
{
    free(h->at);
    h->at = NULL;
}

const struct hit *hits_find(const struct hits *h, const char *contact, const char *what, int which)
{
    for (int i = 0; i < h->n; i++) {
        const struct hit *at = &h->at[i];
        const char *name = at->contact >= 0 ? h->model->contact[at->contact].name : h->model->event[at->event].name;
        if (!strcmp(name, contact) && !strcmp(at->what, what) && which-- == 0)
            return at;
    }
    return NULL;
}

/* ---- exact ones ---- */

/* A time or a value by formula, ours, and 1e-10 between them. */
static void exact(struct bench *b, const char *what, double formula, double ours)
{
    char text[32], mine[32], remark[64];
    snprintf(text, sizeof text, "%.15g", formula);
    snprintf(mine, sizeof mine, "%.15g", ours);
    snprintf(remark, sizeof remark, "differ by %.1e", fabs(ours - formula));
    claim_text(b, what, text, mine, fabs(ours - formula) <= 1e-10 ? AGREES : DIFFERS, remark);
}

static double time_of(const struct hit *h) { return h ? h->t : NAN; }

/* Runs a model of models/impacts and leaves its log. */
static bool exact_run(struct bench *b, struct build *build, struct hits *h, const char *name, const char *param, double value)
{
    if (!library_model(b, build, name, NULL))
        return false;
    double *p = library_params(build->model, param, value);
    bench_step(b, "%s", name);
    hits_run(h, &(struct trial){.model = build->model, .params = p}, 0, NULL);
    free(p);
    return true;
}

static void done(struct build *build, struct hits *h)
{
    hits_free(h);
    build_close(build);
}

static void ball(struct bench *b)
{
    struct build build;
    struct hits h;
    double e = 0.9, t0 = sqrt(2 * 0.9 / 9.81), end = t0 * (1 + e) / (1 - e), t = t0, gap = 2 * e * t0, worst = 0, last = 0;
    int n = 0;
    char ours[96];
    if (!exact_run(b, &build, &h, "ball", NULL, 0))
        return;
    for (int i = 0; i < h.n; i++)
        if (!strcmp(h.at[i].what, "impact")) {
            worst = fmax(worst, fabs(h.at[i].t - t));
            last = h.at[i].t;
            t += gap;
            gap *= e;
            n++;
        }
    snprintf(ours, sizeof ours, "%d impacts, all within %.1e s, the last one %.1e s before", n, worst, end - last);
    claim_text(b, "ball: impacts at t0 (1 + 2 (e + e^2 + ...)), accumulating at t0 (1 + e)/(1 - e)", "exact", ours,
               h.status == 0 && worst <= 1e-12 && end - last < 1e-9 ? AGREES : DIFFERS, "within 1e-12 s, up to 1e-9 s before the accumulation point");
    exact(b, "ball: height at 10 s", 0, h.end[0]);
    exact(b, "ball: velocity at 10 s", 0, h.end[1]);
    done(&build, &h);
}

static void friction(struct bench *b)
{
    struct build build;
    struct hits h;
    double g = 9.81, w = 10, v = 0.2, D = 0.15 * g / 100;
    if (exact_run(b, &build, &h, "stickslip", NULL, 0)) {
        exact(b, "block on a belt, friction 0.4 at rest and 0.25 sliding: first slip at mus m g/(c v)", 0.4 * g / (100 * v),
              time_of(hits_find(&h, "breaks", "", 0)));
        exact(b, "its period (2 pi - 2 atan(D w/v))/w + 2 D/v", (2 * M_PI - 2 * atan(D * w / v)) / w + 2 * D / v,
              time_of(hits_find(&h, "breaks", "", 4)) - time_of(hits_find(&h, "breaks", "", 3)));
        done(&build, &h);
    }
    if (exact_run(b, &build, &h, "slope", "mu", 0.5)) {
        exact(b, "block on a slope of 0.5 rad, mu = 0.5: distance after 1 s", g * (sin(0.5) - 0.5 * cos(0.5)) / 2, h.end[0]);
        done(&build, &h);
    }
    if (exact_run(b, &build, &h, "slope", "mu", tan(0.5) * (1 + 1e-12))) {
        exact(b, "mu = tan 0.5 (1 + 1e-12): it rests", 0, h.end[0]);
        done(&build, &h);
    }
    if (exact_run(b, &build, &h, "slope", "mu", tan(0.5) * (1 - 1e-6))) {
        exact(b, "mu = tan 0.5 (1 - 1e-6): it slides, distance after 1 s", g * sin(0.5) * 1e-6 / 2, h.end[0]);
        done(&build, &h);
    }
    if (exact_run(b, &build, &h, "roll", NULL, 0)) {
        exact(b, "ball that slides first: it rolls from 2 v/(7 mu g) on", 6 / (7 * 0.2 * g), time_of(hits_find(&h, "floor", "sticks", 0)));
        exact(b, "with 5/7 of its speed", 15. / 7, h.end[3]);
        done(&build, &h);
    }
}

static void blows(struct bench *b)
{
    struct build build;
    struct hits h;
    if (exact_run(b, &build, &h, "stop", NULL, 0)) {
        const struct hit *at = hits_find(&h, "L.lower", "impact", 0);
        double arrives = -sqrt(2 * 2 * 9.81 * 0.5 * (sin(-1) - sin(-2)) / 0.6);
        exact(b, "pendulum against a stop: it arrives with", arrives, at ? at->before : NAN);
        exact(b, "and leaves with", -0.8 * arrives, at ? at->after : NAN);
        done(&build, &h);
    }
    static const char *const balls[2] = {"n=2", "n=3"};
    for (int n = 2; n <= 3; n++) {
        char what[80];
        if (!library_model(b, &build, "cradle", (const char *const[]){balls[n - 2], NULL}))
            return;
        hits_run(&h, &(struct trial){.model = build.model}, 0, NULL);
        for (int i = 0; i < n; i++) {
            snprintf(what, sizeof what, "Newton's cradle with %d balls: velocity of ball %d after it", n, i + 1);
            exact(b, what, i == n - 1, h.end[n + i]);
        }
        snprintf(what, sizeof what, "its last impact (%d balls)", n);
        exact(b, what, 0.25 * (n - 1), time_of(hits_find(&h, n == 2 ? "hit[2]" : "hit[3]", "impact", 0)));
        done(&build, &h);
    }
    if (exact_run(b, &build, &h, "painleve", NULL, 0)) {
        bool named = h.status == MBS_NO_CONVERGENCE && strstr(h.message.text, "Painleve") && strstr(h.message.text, "floor");
        claim_text(b, "rod sliding on its tip, 1 + 3 c (c - mu s) = -0.76: no forces", "no solution", h.message.text, named ? AGREES : DIFFERS,
                   "named, and the run ends");
        done(&build, &h);
    }
    if (exact_run(b, &build, &h, "painleve", "mu", 0.5)) {
        claim_text(b, "the same with mu = 0.5, 1 + 3 c (c - mu s) = 1.43", "slides", h.status ? h.message.text : "slides", h.status ? DIFFERS : AGREES, "");
        done(&build, &h);
    }
}

static void exact_section(struct bench *b)
{
    fputs("\n### Exact ones\nAll by one run of the model in `models/impacts` with `auto` (dop853 from event to event), "
          "held against the formula to 1e-10.\n", b->md);
    ball(b);
    friction(b);
    blows(b);
    claims_write(b);
}

static void run(struct bench *b)
{
    bench_plan(b, 20);
    exact_section(b);
    if (!bench_stopped(b))
        impacts_woodpecker(b);
    if (!bench_stopped(b))
        impacts_crank(b);
    if (!bench_stopped(b) && !b->quick)         /* it says nothing without its times */
        impacts_siconos(b);
}

const struct document document_impacts = {
    "impacts", "Impacts and friction",
    "Problems with exact solutions; the woodpecker toy (Ch. Glocker, *Dynamik von Starrkörpersystemen mit Reibung und Stößen*, 1995); the "
    "slider-crank with clearance (P. Flores, R. I. Leine, Ch. Glocker, *Multibody Syst. Dyn.* 23 (2010) 165-190); Siconos 4.4 in the same run where it is installed.",
    run};
