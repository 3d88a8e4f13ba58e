/* SPDX-License-Identifier: GPL-3.0-or-later
 * E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (2nd ed. 1996), section VII.7: Andrews' squeezer, nonstiff and with an
 * elastic bearing.  HW below. */
#include "config.h"
#include "figure.h"
#include "grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "many different tolerances between 1e-2 and 1e-10" */
static const double tolerance[] = {1e-2,    3.16e-3, 1e-3,    3.16e-4, 1e-4,    3.16e-5, 1e-5,     3.16e-6, 1e-6,
                                   3.16e-7, 1e-7,    3.16e-8, 1e-8,    3.16e-9, 1e-9,    3.16e-10, 1e-10};
static const double whole[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}, quick[] = {1e-4, 1e-6};
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* ---- the model and its start ---- */

/* What the text says of the shape of the equations. */
static void structure_claims(struct bench *b, const struct mbs_model *m)
{
    int band = 0;
    char ours[64];
    for (int j = 0; j < m->nq; j++)
        for (int k = m->M.colptr[j]; k < m->M.colptr[j + 1]; k++)
            band = abs(m->M.rowidx[k] - j) > band ? abs(m->M.rowidx[k] - j) : band;
    claim_number(b, "position coordinates (7.2)", "7", m->nq, 0, "");
    claim_number(b, "constraints (7.5), three loops", "6", m->ng, 0, "");
    snprintf(ours, sizeof ours, "half band width %d", band);
    claim_text(b, "M(q)", "tridiagonal", ours, band == 1 ? AGREES : DIFFERS, "pattern of the generated code");
    claim_number(b, "printed elements of M, lower triangle", "10", m->M.nnz, 0, "non-zero entries of the generated code");
    claim_number(b, "printed elements of GQ", "22", m->G.nnz, 0, "the first GQ(6,7) being GQ(5,7)");
}

/* (7.8), and that but the first two of q'' and of lambda vanish: to rounding of the largest. */
static void zero_claims(struct bench *b, const struct mbs_model *m)
{
    struct trial_end end;
    if (!trial_start(&(struct trial){.model = m, .rho = NAN, .alpha = NAN}, &end))
        return;
    const struct {
        const char *what;
        int from, n, zero;
    } block[] = {{"(7.8): the 7 velocities", m->nq, m->nq, 0},
                 {"components 3 to 7 of q''(0)", 2 * m->nq, m->nq, 2},
                 {"components 3 to 6 of lambda(0)", 3 * m->nq, m->ng, 2}};
    for (int k = 0; k < COUNT(block); k++) {
        double scale = 0, most = 0;
        char ours[64];
        for (int i = 0; i < block[k].n; i++) {
            double x = fabs(end.y[block[k].from + i]);
            scale = fmax(scale, x);
            most = i >= block[k].zero ? fmax(most, x) : most;
        }
        snprintf(ours, sizeof ours, "at most %.1e", most);
        claim_text(b, block[k].what, "0", ours, most <= 1e-14 * scale ? AGREES : DIFFERS, block[k].zero ? "to 1e-14 of the largest component" : "");
    }
}

static void misprints(struct bench *b)
{
    fputs("\nThe printed M, f, g, GQ and GQQ are compared with the generated ones by `mbs compare models/squeezer.mbs models/hand/squeezer.c` at "
          "10000 random states: they agree within 1e-13 of the scale of an entry, which is rounding. What is printed wrongly:\n\n"
          "- the first `GQ(6,7)` is `GQ(5,7)` (`mbs compare models/squeezer.mbs models/hand/squeezer_as_printed.c` finds the missing entry);\n"
          "- a `+` that begins the second line of a `GQQ` is a continuation mark, so that `GQQ(2)` and `GQQ(4)` have a minus before `SS` and `E`;\n"
          "- f_i is d(T-U)/dq_i - sum_j d2(T-U)/(dq'_i dq_j) q'_j; the printed derivatives are all with respect to q';\n"
          "- the last line of (7.7) gives epsilon(0), not its derivative;\n"
          "- `CO`, `LO` are c0, l0.\n",
          b->md);
}

/* ---- formulations ---- */

/* radau5 in every formulation: (7.11) with d, e or f, and ours. */
static void formulations(struct bench *b, const struct grid *g)
{
    static const char *const what[MBS_FORMS] = {"index 3, (7.11a-d)",
                                                "index 2, (7.11a-c,e)",
                                                "index 1, (7.11a-c,f)",
                                                "stabilized index 2 (Gear, Gupta, Leimkuhler)",
                                                "",
                                                "index 1, projected onto g = 0 and G v = 0 after each step"};
    const struct mbs_model *m = g->trial.model;
    fputs("\nradau5 at rtol = atol = 1e-6. Digits: -log10 of the largest |error| / (1 + |reference|) at t = 0.03, reference 128-bit; then what is "
          "left of the constraints there.\n\n| formulation | steps | f | digits of q | of (q, v) | of all 27 | norm of g | norm of G v | CPU/ms |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
          b->md);
    for (int f = 0; f < MBS_FORMS; f++) {
        struct trial t = {.model = m, .method = "radau5", .formulation = mbs_form_name((enum mbs_form)f), .rtol = 1e-6, .rho = NAN, .alpha = NAN};
        struct history h;
        struct trial_end end;
        if (f == MBS_BAUMGARTE)
            continue;
        bench_step(b, "squeezer: radau5 %s", t.formulation);
        if (history_run(&h, &t, 0) && trial_run(&t, g->budget, &end)) {
            const double *last = history_row(&h, h.n - 1);
            fprintf(b->md, "| %s | %ld | %ld | %.2f | %.2f | %.2f | %.1e | %.1e | %.3f |\n", what[f], end.stat.steps, end.stat.f,
                    reference_digits(&g->reference, end.y, m->nq), reference_digits(&g->reference, end.y, 2 * m->nq),
                    reference_digits(&g->reference, end.y, g->reference.n), last[h.position], last[h.velocity], 1e3 * end.cpu);
        } else {
            fprintf(b->md, "| %s | failed: %s | | | | | | | |\n", what[f], h.end.message.text);
        }
        history_free(&h);
    }
    putc('\n', b->md);
}

static void nonstiff(struct bench *b)
{
    static const struct curve curve[] = {{"radau5", "index3"},    {"radau5", "index2"},    {"radau5", "index1"},
                                         {"radau5", "ggl"},       {"radau5", "projected"}, {"dopri5", "index1"},
                                         {"dopri5", "projected"}, {"dop853", "index1"},    {"dop853", "projected"}};
    struct build build;
    struct grid g = {.problem = "squeezer",
                     .title = "Andrews' squeezer",
                     .tol = b->quick ? quick : tolerance,
                     .tols = b->quick ? COUNT(quick) : COUNT(tolerance),
                     .cap = b->quick ? 10 : 0.5,
                     .budget = b->quick ? 0 : 0.02};
    if (library_model(b, &build, "squeezer", NULL) && reference_read(&g.reference, "squeezer.txt", 7, 0)) {
        g.trial = (struct trial){.model = build.model, .rho = NAN, .alpha = NAN};
        fputs("\n### The model\n", b->md);
        claim_parameters(b, "constants: (7.1), mom, tables 7.1 and 7.2", build.model, "published_squeezer.txt");
        structure_claims(b, build.model);
        claim_start(b, build.model, "published_squeezer.txt");
        zero_claims(b, build.model);
        claims_write(b);
        misprints(b);
        fputs("\n### The solution\n", b->md);
        figure_squeezer(b, build.model);
        fputs("\n### Formulations\n", b->md);
        formulations(b, &g);
        fputs("\n### Work and precision\n\nFig. 7.3 plots computing time against the error of the (q, v) components at 0.03 for tolerances from "
              "1e-2 to 1e-10, on a SUN Sparc 20; it gives no numbers, and our source has no copy of it, so that the pictures below are ours "
              "alone.\n",
              b->md);
        grid_fill(b, &g);
        if (!bench_stopped(b)) {
            grid_csv(b, &g);
            grid_chart(b, &g, BY_QV, BY_CPU, NULL, 0, "");
            grid_curves(b, &g, BY_QV, BY_CPU, curve, COUNT(curve), "forms-cpu",
                        "Andrews' squeezer: radau5 in the formulations of index 3, 2, 1 and ours, beside explicit Runge-Kutta methods.");
            grid_failures(b, &g);
        }
    }
    grid_free(&g);
    build_close(&build);
}

/* ---- elastic bearing ---- */

enum { STIFF = 3 };

/* Runs of all stiffnesses at one tolerance side by side. */
static void stiff_table(struct bench *b, const struct grid *g, double tol)
{
    fprintf(b->md,
            "\nAt rtol = atol = %.0e (rattle: at the step that belongs to it), digits of q and of (q, v):\n\n"
            "| solver | formulation | c1 = 1e6: digits | steps | CPU/ms | 1e8: digits | steps | CPU/ms | 1e10: digits | steps | CPU/ms |\n"
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
            tol);
    for (int i = 0; i < g[0].n; i++) {
        const struct grid_run *first = &g[0].run[i];
        int at = i;
        while (at > 0 && !strcmp(g[0].run[at - 1].method, first->method) && !strcmp(g[0].run[at - 1].form, first->form))
            at--;
        if (i - at >= g[0].tols || fabs(g[0].tol[i - at] / tol - 1) > 1e-6)
            continue;
        fprintf(b->md, "| %s | %s |", first->method, first->form);
        for (int c = 0; c < STIFF; c++) {
            const struct grid_run *r = NULL;
            for (int k = 0; k < g[c].n; k++)
                if (!strcmp(g[c].run[k].method, first->method) && !strcmp(g[c].run[k].form, first->form) && g[c].run[k].tol == first->tol)
                    r = &g[c].run[k];
            if (!r)
                fputs(" not run | | |", b->md);
            else if (r->failed)
                fprintf(b->md, " failed: %s | | |", mbs_status_text(r->end.status));
            else
                fprintf(b->md, " %.1f, %.1f | %ld | %.2f |", r->q, r->qv, r->end.stat.steps,
                        1e3 * r->end.cpu);
        }
        putc('\n', b->md);
    }
}

static void stiff(struct bench *b)
{
    static const double c1[STIFF] = {1e6, 1e8, 1e10};
    static const char *const file[STIFF] = {"squeezer_stiff_1e6.txt", "squeezer_stiff_1e8.txt", "squeezer_stiff_1e10.txt"};
    static const char *const problem[STIFF] = {"stiff-1e6", "stiff-1e8", "stiff-1e10"};
    static const char *const title[STIFF] = {"Squeezer on an elastic bearing, c1 = 1e6 N/m", "Squeezer on an elastic bearing, c1 = 1e8 N/m",
                                             "Squeezer on an elastic bearing, c1 = 1e10 N/m"};
    static const struct curve curve[] = {{"radau5", "index3"},    {"radau", "index3"},     {"genalpha", "index3"},
                                         {"radau5", "index2"},    {"radau5", "projected"}, {"radau", "index1"},
                                         {"dopri5", "projected"}, {"dop853", "projected"}, {"genalpha", "ggl"}};
    struct build build;
    struct grid g[STIFF] = {{0}};
    double *params[STIFF] = {0};
    bool good = library_model(b, &build, "squeezer_stiff", NULL);
    fputs("\n### The stiff mechanism\n\n\"We consider two particular multibody mechanisms with constraints, one nonstiff and one stiff.\" Our "
          "source ends before the stiff one; `models/squeezer_stiff.mbs` makes the mechanism stiff by an elastic bearing at O of stiffness c1, "
          "which gives two more coordinates. It starts undeflected, so that the bearing vibrates with an amplitude like 1/c1 and a frequency like "
          "the root of c1.\n",
          b->md);
    for (int c = 0; c < STIFF && good; c++) {
        g[c] = (struct grid){.problem = problem[c],
                             .title = title[c],
                             .tol = b->quick ? quick : whole,
                             .tols = b->quick ? COUNT(quick) : COUNT(whole),
                             .cap = b->quick ? 10 : 0.3,
                             .budget = b->quick ? 0 : 0.02};
        params[c] = library_params(build.model, "c1", c1[c]);
        g[c].trial = (struct trial){.model = build.model, .params = params[c], .rho = NAN, .alpha = NAN};
        good = params[c] && reference_read(&g[c].reference, file[c], 9, 0);
        if (!good)
            break;
        grid_fill(b, &g[c]);
        if (bench_stopped(b))
            good = false;
    }
    if (good) {
        stiff_table(b, g, 1e-6);
        fputs("\nAll but the index-3 form follow the vibration of the bearing, with steps that become shorter like the root of 1/c1; explicit "
              "methods then cost about as much as implicit ones. In the index-3 form the error of v counts times h only, and radau5, radau, "
              "genalpha and hht step over the vibration: their number of steps does not grow, what they lose is the phase of the vibration, "
              "digits of v. rattle, at a fixed step, fails once the step is too long for the vibration.\n",
              b->md);
        for (int c = 0; c < STIFF; c++) {
            fprintf(b->md, "\n#### c1 = %.0e N/m\n", c1[c]);
            grid_csv(b, &g[c]);
            grid_chart(b, &g[c], BY_QV, BY_CPU, NULL, 0, "");
            if (c == STIFF - 1) {
                grid_curves(b, &g[c], BY_Q, BY_CPU, curve, COUNT(curve), "forms-q",
                            "The stiffest bearing, coordinates alone: the index-3 form beside others that resolve the vibration.");
                grid_curves(b, &g[c], BY_QV, BY_CPU, curve, COUNT(curve), "forms-qv",
                            "The same with velocities, where what was stepped over is missed.");
            }
            grid_failures(b, &g[c]);
        }
    }
    for (int c = 0; c < STIFF; c++) {
        grid_free(&g[c]);
        free(params[c]);
    }
    build_close(&build);
}

static void book(struct bench *b)
{
    nonstiff(b);
    if (!bench_stopped(b))
        stiff(b);
    fputs("\n### What does not reproduce and why\n\nEvery number of the section reproduces once its misprints are corrected. Fig. 7.3 cannot be "
          "compared: it has no numbers, and its times are those of a workstation of 1996.\n",
          b->md);
}

const struct document document_book = {"book", "Hairer & Wanner, Solving Ordinary Differential Equations II",
                                       "E. Hairer, G. Wanner, *Solving Ordinary Differential Equations II: Stiff and Differential-Algebraic "
                                       "Problems*, 2nd revised edition, Springer, 1996, section VII.7, Computation of Multibody Mechanisms.",
                                       book};
