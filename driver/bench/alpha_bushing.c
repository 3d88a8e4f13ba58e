/* SPDX-License-Identifier: GPL-3.0-or-later
 * Section 4.2 of the paper on the DAE alpha-method: nonlinear bushing force. */
#include "config.h"
#include "alpha.h"

#include <math.h>
#include <stdlib.h>

enum { NSTEPS = 3, NRHO = 3 };
static const int bushing_steps[NSTEPS] = {200, 500, 1200};
static const double bushing_rho[NRHO] = {0, 0.5, 0.75};
static const char *const bushing_rho_name[NRHO] = {"rho = 0", "rho = 1/2", "rho = 3/4"};
static const char *const table1_cm[NSTEPS][NRHO] = {{"0.10", "0.35", "0.76"}, {"0.24", "0.40", "0.81"}, {"0.30", "0.51", "0.89"}};
static const char *const table1_i2[NSTEPS][NRHO] = {{"0.15", "0.56", "0.90"}, {"0.30", "0.65", "0.93"}, {"0.41", "0.76", "0.96"}};
static const int reach_cm[NRHO] = {40, 70, 80}, reach_i2[NRHO] = {100, 150, 175};

static void table1(struct bench *b, const struct mbs_model *m, const struct mbs_model *printed, double e0)
{
    double ratio[NSTEPS][NRHO][3], apart = 0; /* index 2, CM; index 2 with the torque as printed */
    char text[64];
    for (int i = 0; i < NSTEPS; i++)
        for (int k = 0; k < NRHO; k++)
            for (int cm = 0; cm < 3; cm++) {
                struct trial_end end;
                struct trial t = {.model = cm == 2 ? printed : m,
                                  .method = "genalpha",
                                  .iteration = cm == 1 ? "cm" : "index2",
                                  .rtol = 1e-7,
                                  .rho = bushing_rho[k],
                                  .alpha = NAN,
                                  .step = m->experiment.to / bushing_steps[i]};
                bench_step(b, "bushing: %d steps", bushing_steps[i]);
                ratio[i][k][cm] = trial_run(&t, 0, &end) ? end.energy / e0 : NAN;
            }
    fputs("\nTable 1, final energy divided by initial energy: the paper's number, ours, and for index 2 ours with the torque as printed.\n\n| No. "
          "steps |",
          b->md);
    for (int k = 0; k < NRHO; k++)
        fprintf(b->md, " %s (CM) | %s |", bushing_rho_name[k], bushing_rho_name[k]);
    fputs(" reproduced |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n", b->md);
    for (int i = 0; i < NSTEPS; i++) {
        bool same = true;
        fprintf(b->md, "| %d |", bushing_steps[i]);
        for (int k = 0; k < NRHO; k++) {
            fprintf(b->md, " %s, %.4f | %s, %.4f, %.4f |", table1_cm[i][k], ratio[i][k][1], table1_i2[i][k], ratio[i][k][0], ratio[i][k][2]);
            same = same && fabs(atof(table1_cm[i][k]) - ratio[i][k][1]) <= 0.005 && fabs(atof(table1_i2[i][k]) - ratio[i][k][0]) <= 0.005;
        }
        fprintf(b->md, " %s |\n", same ? "yes" : "no");
    }
    for (int i = 0; i < NSTEPS; i++)
        for (int k = 0; k < NRHO; k++)
            for (int cm = 1; cm >= 0; cm--) {
                char what[96];
                snprintf(what, sizeof what, "table 1: %d steps, %s%s", bushing_steps[i], bushing_rho_name[k], cm ? " (CM)" : "");
                claim_number(b, what, cm ? table1_cm[i][k] : table1_i2[i][k], ratio[i][k][cm], 0, "");
            }
    for (int i = 0; i < NSTEPS; i++)
        for (int k = 0; k < NRHO; k++)
            apart = fmax(apart, fabs(ratio[i][k][0] - ratio[i][k][1]));
    snprintf(text, sizeof text, "at most %.1e apart", apart);
    claim_text(b, "CM \"approaching a smaller energy level\"", "smaller", text, apart > 1e-8 ? AGREES : DIFFERS,
               "both solve the same equations; a difference can only be what an iteration left undone");
}

static void bushing_reach(struct bench *b, const struct mbs_model *m)
{
    const int by = b->quick ? 8 : 1;
    double factor[NRHO];
    char text[64], what[96], printed[32];
    for (int k = 0; k < NRHO; k++) {
        struct reach r[2];
        for (int cm = 1; cm >= 0; cm--) {
            bench_step(b, "bushing: largest step");
            r[cm] = alpha_reach(
                b, &(struct trial){.model = m, .method = "genalpha", .iteration = cm ? "cm" : "index2", .rho = bushing_rho[k], .alpha = NAN},
                m->experiment.to, 1e-7, by, 400);
            int theirs = cm ? reach_cm[k] : reach_i2[k];
            char remark[96];
            snprintf(what, sizeof what, "table 1: max. h0, %s%s", bushing_rho_name[k], cm ? " (CM)" : "");
            snprintf(printed, sizeof printed, "T/%d", theirs);
            snprintf(remark, sizeof remark, "N by %d; %.1f iterations a step", by, r[cm].newton);
            /* within 10 per cent: the paper's are rounded to 5 or 10 */
            claim_text(b, what, printed, reach_text(&r[cm], "T", text), r[cm].from && abs(r[cm].from - theirs) <= 0.1 * theirs ? AGREES : DIFFERS,
                       remark);
        }
        factor[k] = r[1].from && r[0].from ? (double)r[0].from / r[1].from : NAN;
    }
    snprintf(text, sizeof text, "%.2f, %.2f, %.2f times", factor[0], factor[1], factor[2]);
    bool twice = true;
    for (int k = 0; k < NRHO; k++)
        twice = twice && factor[k] > 1.6 && factor[k] < 2.5;
    claim_text(b, "CM allows larger steps than index 2", "twice as large", text, twice ? AGREES : DIFFERS, "rho = 0, 1/2, 3/4");
}

/* Maxima of a column. */
static int maxima(const struct history *h, int column)
{
    double *y = history_column(h, column);
    int n = 0;
    for (int i = 1; y && i + 1 < h->n; i++)
        n += y[i] > y[i - 1] && y[i] >= y[i + 1];
    free(y);
    return n;
}

/* Cycles in T of the slowest mode about the equilibrium, which is mostly theta. */
static double slow_cycles(const struct mbs_model *m)
{
    struct mbs_options opt;
    struct mbs_sim *sim = NULL;
    struct mbs_modes modes;
    double least = INFINITY;
    mbs_options_init(&opt, m);
    if (mbs_new(&sim, m, NULL, &opt, NULL) == 0 && mbs_assemble(sim, 0) == 0 && mbs_equilibrium(sim) == 0 && mbs_modes(sim, &modes) == 0) {
        for (int i = 0; i < modes.count; i++)
            least = modes.im[i] > 0 ? fmin(least, modes.frequency[i]) : least;
        mbs_modes_free(&modes);
    }
    mbs_free(sim);
    return least * m->experiment.to;
}

/* The exact motion, with our torque and with the printed one. */
static void bushing_claims(struct bench *b, const struct history *h, const struct mbs_model *printed)
{
    double low = INFINITY, high = -INFINITY;
    char text[96];
    struct trial t = {.model = printed, .method = "dop853", .rtol = 1e-10, .rho = NAN, .alpha = NAN};
    struct trial_end end, start;
    claim_number(b, "cycles of theta in T, \"roughly\"", "6", slow_cycles(h->model), 1, "slow mode about the equilibrium, mostly theta; within 1");
    claim_number(b, "cycles of y, \"around\"", "20", maxima(h, 2), 2, "maxima of the exact motion; within 2");
    claim_number(b, "cycles of x, \"around\"", "20", maxima(h, 1), 2,
                 "maxima of the exact motion: two for each of y, as x^2 = 1 - y^2 and y changes its sign");
    for (int i = 0; i < h->n; i++) {
        double x = history_row(h, i)[1];
        low = fmin(low, x), high = fmax(high, x);
    }
    snprintf(text, sizeof text, "%.3f to %.3f", low, high);
    claim_text(b, "x during the simulation", "about 1", text, low > 0.75 ? AGREES : DIFFERS, "from 0.8, the initial value, upwards");
    snprintf(text, sizeof text, "%.9f", h->end.energy / h->row[h->energy]);
    claim_text(b, "E(T)/E(0) of the exact motion, our torque", "(1)", text, BESIDE, "dop853");
    if (trial_start(&t, &start) && trial_run(&t, 0, &end)) {
        snprintf(text, sizeof text, "%.4f", end.energy / start.energy);
        claim_text(b, "the same with the torque as printed in (4.4c)", "(1)", text, BESIDE, "it belongs to no potential");
    }
}

/* Figs. 4 and 5. */
static void bushing_pictures(struct bench *b, const struct mbs_model *m, const struct history *exact)
{
    struct history h[3][NRHO];
    struct series s[3][NRHO + 1];
    struct panel panel[3];
    static const char *const title[3] = {"stabilized index 2, 500 steps (Fig. 4)", "CM iteration, 500 steps (Fig. 5)",
                                         "rho = 3/4, index 2, by number of steps"},
                             *const steps_name[] = {"200 steps", "500 steps", "1200 steps"};
    for (int p = 0; p < 3; p++) {
        s[p][0] = series_column(exact, 3, 1, 1e3, DASHED, 9, "exact");
        for (int k = 0; k < NRHO; k++) {
            history_run(&h[p][k],
                        &(struct trial){.model = m,
                                        .method = "genalpha",
                                        .iteration = p == 1 ? "cm" : "index2",
                                        .rtol = 1e-7,
                                        .rho = p == 2 ? 0.75 : bushing_rho[k],
                                        .alpha = NAN,
                                        .step = m->experiment.to / (p == 2 ? bushing_steps[k] : 500)},
                        0);
            s[p][k + 1] = series_column(&h[p][k], 3, 1, 1e3, LINE, k, p == 2 ? steps_name[k] : bushing_rho_name[k]);
        }
        panel[p] = (struct panel){.title = title[p],
                                  .x = "time (ms)",
                                  .y = "theta (rad)",
                                  .x0 = 0,
                                  .x1 = 1e3 * m->experiment.to,
                                  .key = KEY_OUTSIDE,
                                  .n = NRHO + 1,
                                  .series = s[p]};
    }
    picture_draw(b,
                 &(struct picture){"bushing-theta", "Bushing: response of theta, as in Figs. 4 and 5; dashed: the exact motion, which is undamped.",
                                   3, 1, 1150, 1050, panel});
    for (int p = 0; p < 3; p++) {
        series_free(s[p], NRHO + 1);
        for (int k = 0; k < NRHO; k++)
            history_free(&h[p][k]);
    }
}

void alpha_bushing(struct bench *b)
{
    static const char *const as_printed[] = {"as_printed=true", NULL};
    struct build build, printed = {0};
    struct history exact = {0};
    struct trial_end start;
    fputs("\n### 4.2 Nonlinear bushing force\n\nThe torque of (4.4c) as printed belongs to no potential; ours has the other sign before the "
          "bracket and no gravity in it, which conserves E = |v|^2/2 + (fx^2 + fy^2)/(2 eps^2) + theta^2/(20 eps^2) - y. Table 1 asks for the "
          "damping of that energy. Newton's tolerance is 1e-7 for the largest steps, and 1e-10 for the energies, so that what the iteration "
          "leaves undone does not count.\n",
          b->md);
    if (library_model(b, &build, "bushing", NULL) && library_model(b, &printed, "bushing", as_printed)) {
        const struct mbs_model *m = build.model;
        static const char *const what[] = {"start: x (m)", "start: y (m)", "start: theta (rad)"}, *const printed_start[] = {"0.8", "0.6", "0.0"};
        claim_parameter(b, "eps (s)", "1e-5", m, "eps", 1);
        if (trial_start(&(struct trial){.model = m, .rho = NAN, .alpha = NAN}, &start))
            for (int i = 0; i < 3; i++)
                claim_number(b, what[i], printed_start[i], start.y[i], 1e-15, "");
        claim_number(b, "T = 40 pi 1e-5 (s)", "1.2566370614e-3", m->experiment.to, 0, "");
        if (history_run(&exact, &(struct trial){.model = m, .method = "dop853", .rtol = 1e-11, .rho = NAN, .alpha = NAN}, m->experiment.to / 2000)) {
            bushing_claims(b, &exact, printed.model);
            table1(b, m, printed.model, start.energy);
            bushing_reach(b, m);
            claims_write(b);
            bushing_pictures(b, m, &exact);
        }
    }
    history_free(&exact);
    build_close(&printed);
    build_close(&build);
}
