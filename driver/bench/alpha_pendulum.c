/* SPDX-License-Identifier: GPL-3.0-or-later
 * Section 4.1 of the paper on the DAE alpha-method: stiff spring pendulum. */
#include "config.h"
#include "alpha.h"

#include <math.h>
#include <stdlib.h>

static const double pendulum_rho[] = {1, 0.75, 0.5, 0}, pendulum_step[] = {1e-3, 1e-2, 1e-1};
static const char *const pendulum_rho_name[] = {"rho = 1", "rho = 0.75", "rho = 0.5", "rho = 0"};
static const char *const pendulum_step_name[] = {"h = 0.001 s", "h = 0.01 s", "h = 0.1 s"};

static double recorded_energy(struct bench *b, double step, double rho)
{
    double energy = NAN;
    for (struct data d = library_open(b, "stiff_pendulum.csv"); library_line(&d);) {
        double h, r, e;
        if (sscanf(d.line, "%lf,%lf,%lf", &h, &r, &e) == 3 && h == step && r == rho)
            energy = e;
    }
    return energy;
}

static void pendulum_row(struct bench *b, const struct history *h, double step, double rho)
{
    double want = recorded_energy(b, step, rho), most = -INFINITY, least = INFINITY;
    for (int j = 0; j < h->n; j++) {
        double e = history_row(h, j)[h->energy];
        most = fmax(most, e), least = fmin(least, e);
    }
    bool same = h->end.status == 0 && fabs(h->end.energy - want) <= (step > 0.05 ? 1e-4 : 1e-5);
    fprintf(b->md, "| %g | %g | %.6f | %.6f | %s | %.6f, %.6f | %.4f, %.4f |\n", step, rho, h->end.energy, want, same ? "yes" : "**no**", h->end.y[0],
            h->end.y[1], most, least);
}

/* y over x */
static struct series plane_curve(const struct history *h, enum style style, int color, const char *title)
{
    struct series s = series_column(h, 2, 1, 1, style, color, title);
    double *x = history_column(h, 1);
    for (int i = 0; x && i < s.n; i++)
        ((double *)s.x)[i] = x[i];
    free(x);
    return s;
}

/* Figs. 2 and 3, and the table of our own energies. */
static void pendulum_runs(struct bench *b, const struct mbs_model *m)
{
    enum { STEPS = 3, RHOS = 4, PATHS = 3 };
    struct series energy[STEPS][RHOS], path[STEPS][PATHS];
    struct panel panel[STEPS], plane[STEPS];
    struct history fine;
    fputs("\nE(5 s) against `tests/data/stiff_pendulum.csv` (another program with the same formulas; to 1e-5, for h = 0.1 to 1e-4), E(0) = 5:\n\n"
          "| h/s | rho | E(5) | recorded | agrees | x(5), y(5) | largest, least E |\n| --- | --- | --- | --- | --- | --- | --- |\n",
          b->md);
    history_run(&fine, &(struct trial){.model = m, .method = "dop853", .rtol = 1e-11, .rho = NAN, .alpha = NAN}, 0.002);
    for (int i = 0; i < STEPS; i++) {
        path[i][0] = plane_curve(&fine, LINE, 9, "exact");
        for (int k = 0; k < RHOS; k++) {
            struct history h;
            bench_step(b, "stiff pendulum: %s, %s", pendulum_step_name[i], pendulum_rho_name[k]);
            history_run(
                &h, &(struct trial){.model = m, .method = "genalpha", .rtol = 1e-10, .step = pendulum_step[i], .rho = pendulum_rho[k], .alpha = NAN},
                0);
            pendulum_row(b, &h, pendulum_step[i], pendulum_rho[k]);
            energy[i][k] = series_column(&h, h.energy, 1, 1, LINE, k, pendulum_rho_name[k]);
            if (k == 1 || k == 3)
                path[i][k == 1 ? 1 : 2] = plane_curve(&h, i == 2 ? LINE_POINTS : LINE, k == 1 ? 0 : 1, pendulum_rho_name[k]);
            history_free(&h);
        }
        panel[i] = (struct panel){.title = pendulum_step_name[i],
                                  .x = "time (s)",
                                  .y = "total energy (J)",
                                  .x0 = 0,
                                  .x1 = 5,
                                  .key = KEY_BELOW,
                                  .n = RHOS,
                                  .series = energy[i]};
        plane[i] = (struct panel){.title = pendulum_step_name[i],
                                  .x = "x (m)",
                                  .y = "y (m), along gravity",
                                  .x0 = -1.2,
                                  .x1 = 1.2,
                                  .y0 = -0.2,
                                  .y1 = 1.2,
                                  .key = KEY_BELOW,
                                  .n = PATHS,
                                  .series = path[i]};
    }
    picture_draw(b, &(struct picture){"pendulum-energy", "Stiff spring pendulum: total energy for rho = 1, 0.75, 0.5, 0, as in Fig. 2.", 1, STEPS,
                                      1350, 480, panel});
    picture_draw(b, &(struct picture){"pendulum-path", "Stiff spring pendulum: path in the plane for h = 0.001, 0.01, 0.1 s, as in Fig. 3.", 1, STEPS,
                                      1350, 480, plane});
    for (int i = 0; i < STEPS; i++) {
        series_free(path[i], PATHS);
        series_free(energy[i], RHOS);
    }
    history_free(&fine);
}

/* The radial frequency at the equilibrium of the spring, and the text's bounds with its largest deflection delta. */
static void pendulum_claims(struct bench *b, const struct mbs_model *m)
{
    struct mbs_options opt;
    struct mbs_sim *sim = NULL;
    struct mbs_modes modes;
    static const char *const start[] = {"start: x (m)", "start: y (m)", "start: u (m/s)", "start: v (m/s)"};
    struct history h;
    double fastest = NAN, delta = 0;
    mbs_options_init(&opt, m);
    if (mbs_new(&sim, m, NULL, &opt, NULL) == 0 && mbs_set_state(sim, 0, (const double[]){0, 1}, (const double[]){0, 0}, NULL) == 0 &&
        mbs_equilibrium(sim) == 0 && mbs_modes(sim, &modes) == 0) {
        fastest = 0;
        for (int i = 0; i < modes.count; i++)
            fastest = fmax(fastest, modes.im[i]);
        mbs_modes_free(&modes);
    }
    mbs_free(sim);
    if (history_run(&h, &(struct trial){.model = m, .method = "dop853", .rtol = 1e-10, .rho = NAN, .alpha = NAN}, 0))
        for (int i = 0; i < h.n; i++)
            delta = fmax(delta, fabs(history_row(&h, i)[h.y] - 1));
    double e0 = h.n ? h.row[h.energy] : NAN, low = sqrt(1e3 * delta / (1 + delta)), high = sqrt(1e3 * delta / (1 - delta));
    char printed[96], ours[96];
    claim_parameter(b, "eps2 (s2)", "1e-3", m, "eps2", 1);
    if (h.n)
        for (int i = 0; i < 4; i++)
            claim_number(b, start[i], i == 0 ? "0.9" : "0", h.row[1 + i], 0, "");
    claim_number(b, "E(0), (x, y, u, v) = (0.9, 0, 0, 0), eps2 = 1e-3 (J)", "5", e0, 1e-12, "follows from the data: 0.1^2/(2 eps2)");
    snprintf(printed, sizeof printed, "%.2f to %.2f rad/s", low, high);
    snprintf(ours, sizeof ours, "%.2f rad/s", fastest);
    claim_text(b, "bounds of the frequency, delta = largest deflection of the exact motion", printed, ours,
               fastest >= low && fastest <= high ? AGREES : DIFFERS,
               "radial mode at equilibrium, 1/eps; the text says \"proportional\", and the bounds lack the factor");
    history_free(&h);
}

void alpha_pendulum(struct bench *b)
{
    struct build build;
    fputs("\n### 4.1 Stiff spring pendulum\n\nThe text lets gravity act along -y; (4.3d) has it along +y, and so have we.\n", b->md);
    if (library_model(b, &build, "stiff_pendulum", NULL)) {
        pendulum_claims(b, build.model);
        claims_write(b);
        pendulum_runs(b, build.model);
    }
    build_close(&build);
}
