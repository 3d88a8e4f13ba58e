/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The IFToMM slider-crank through its 11 singular configurations in 10 s, in natural and in absolute coordinates,
 * started at theta = pi/4 and exactly at the singular theta = pi/2.  The benchmark asks for an energy drift below
 * 1e-3 J; P2 must stay within 1e-3 m of the reference, and x3 = 2 x2 tells the right branch (on the other one the
 * slider stays at the origin). */
#include "../tap.h"
#include "hand_models.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct watch {
    struct mbs_sim *sim;
    double e0, drift, p2, branch;
    const double *reference;    /* x, y of P2 every 0.1 s; NULL: none */
    int row, absolute;
};

static double reference[101][2];

static int reference_read(void)
{
    char path[1024], line[512];
    const char *top = getenv("top_srcdir");
    FILE *f;
    int n = 0;

    snprintf(path, sizeof path, "%s/tests/data/iftomm.csv", top ? top : ".");
    f = fopen(path, "r");
    while (f && n < 101 && fgets(line, sizeof line, f)) {
        double t;
        if (line[0] != '#' && sscanf(line, "%lf,%lf,%lf", &t, &reference[n][0], &reference[n][1]) == 3)
            n++;
    }
    if (f)
        fclose(f);
    return n;
}

/* x2, y2, x3 of either model */
static void points(int absolute, const double *q, double p[3])
{
    p[0] = absolute ? q[0] + cos(q[2]) / 2 : q[0];
    p[1] = absolute ? q[1] + sin(q[2]) / 2 : q[1];
    p[2] = absolute ? q[3] + cos(q[5]) / 2 : q[2];
}

static int see(void *user, const struct mbs_state *x, const double *y)
{
    struct watch *w = user;
    double p[3];

    (void)y;
    points(w->absolute, x->q, p);
    if (w->reference) {
        w->p2 = fmax(w->p2, hypot(p[0] - w->reference[2 * w->row], p[1] - w->reference[2 * w->row + 1]));
        w->row++;
    }
    w->branch = fmax(w->branch, fabs(p[2] - 2 * p[0]));
    return 0;
}

static int progress(void *user, double t, const struct mbs_statistics *st)
{
    struct watch *w = user;
    double e[2];

    (void)t, (void)st;
    mbs_energy(w->sim, e);
    w->drift = fmax(w->drift, fabs(e[0] + e[1] - w->e0));
    return 0;
}

static void run(const struct mbs_model *model, const char *method, double tol, double start)
{
    struct mbs_options opt;
    struct mbs_sim *sim;
    struct mbs_run r;
    struct watch w = { .reference = start == 0 ? &reference[0][0] : NULL, .absolute = model == &hand_slider_absolute };
    const struct mbs_statistics *s;
    struct mbs_violation vio;
    double e[2];
    clock_t c;
    int status;

    mbs_options_init(&opt, NULL);
    opt.method = method;
    opt.rtol = opt.atol = tol;
    mbs_new(&sim, model, &start, &opt, NULL);
    status = mbs_assemble(sim, 0);
    mbs_energy(sim, e);
    w.sim = sim;
    w.e0 = e[0] + e[1];
    mbs_run_init(&r, NULL);
    r.to = 10;
    r.every = 0.1;
    r.output = see;
    r.progress = progress;
    r.user = &w;
    c = clock();
    status = status ? status : mbs_run(sim, &r);
    c = clock() - c;
    s = mbs_statistics(sim);
    mbs_violation(sim, &vio);
    ok(status == 0, "%s, %s, %g, start at %s: %ld steps, %ld f, %.2f ms; |g| %.1e |g'| %.1e %s", model->name, method, tol, start == 0 ? "pi/4" : "pi/2",
       s->steps, s->f, 1e3 * (double)c / CLOCKS_PER_SEC, vio.position, vio.velocity, mbs_message(sim)->text);
    ok(w.drift < 1e-3, "energy drift %.2g J", w.drift);
    ok(w.branch < 1e-3, "on the right branch: |x3 - 2 x2| <= %.2g", w.branch);
    if (start == 0)
        ok(w.p2 < 1e-3 && w.row == 101, "P2 within %.2g m", w.p2);
    mbs_free(sim);
}

int main(void)
{
    static const double tol[] = { 1e-6, 1e-7, 1e-8, 1e-9 };

    ok(reference_read() == 101, "the reference has 101 rows");
    for (int start = 0; start < 2; start++)
        for (int i = 0; i < 4; i++) {
            run(&hand_slider_natural, "dopri5", tol[i], start);
            run(&hand_slider_absolute, "dopri5", tol[i], start);
            run(&hand_slider_natural, "dop853", tol[i], start);
            run(&hand_slider_absolute, "dop853", tol[i], start);
        }
    return tap_done();
}
