/* SPDX-License-Identifier: GPL-3.0-or-later
 * Section 4.3 of the paper on the DAE alpha-method: slider crank whose rod is of four beam elements. */
#include "config.h"
#include "alpha.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VARIANTS = 2, NODES = 4, ENERGY = -1 };
static const double modulus[VARIANTS] = {2e9, 2e11};
static const char *const modulus_name[VARIANTS] = {"E = 2e9 N/m2", "E = 2e11 N/m2"};
static const double torque_ends = 0.3;

struct crank {
    const struct mbs_model *model;
    double *params[VARIANTS];
};

static struct trial setting(const struct crank *c, int e, const char *iteration, double rho, double step)
{
    return (struct trial){.model = c->model,
                          .params = c->params[e],
                          .method = "genalpha",
                          .iteration = iteration,
                          .rtol = 1e-6,
                          .rho = rho,
                          .alpha = NAN,
                          .step = step,
                          .breaks = &torque_ends,
                          .nbreaks = 1};
}

/* ---- eigenvalues ---- */

static double fastest_mode(const struct crank *c, int e)
{
    struct mbs_options opt;
    struct mbs_sim *sim = NULL;
    struct mbs_modes modes;
    double most = NAN;
    mbs_options_init(&opt, c->model);
    if (mbs_new(&sim, c->model, c->params[e], &opt, NULL) == 0 && mbs_assemble(sim, 0) == 0 && mbs_modes(sim, &modes) == 0) {
        most = 0;
        for (int i = 0; i < modes.count; i++)
            most = fmax(most, hypot(modes.re[i], modes.im[i]));
        mbs_modes_free(&modes);
    }
    mbs_free(sim);
    return most;
}

/* The rod alone, the first `fixed` of its nodal coordinates held: largest omega of K x = omega^2 M x by the power method. */
static double fastest_rod(double E, int fixed)
{
    static const double mass[4][4] = {{156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}},
                        stiff[4][4] = {{12, 6, -12, 6}, {6, 4, -6, 2}, {-12, -6, 12, -6}, {6, 2, -6, 4}};
    enum { MOST = 2 * NODES + 2 };
    const int N = MOST - fixed;
    const double l = 0.3 / NODES, d = 0.008, rho = 7870, m = rho * d * d * l / 420, k = E * d * d * d * d / 12 / (l * l * l);
    double M[MOST][MOST] = {{0}}, K[MOST][MOST] = {{0}}, x[MOST], y[MOST], lambda = 0;
    for (int el = 0; el < NODES; el++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                int r = 2 * el + i - fixed, s = 2 * el + j - fixed;
                if (r >= 0 && s >= 0) {
                    M[r][s] += m * mass[i][j];
                    K[r][s] += k * stiff[i][j];
                }
            }
    /* M = L L' in place, then y = M^-1 K x */
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++) {
            for (int p = 0; p < j; p++)
                M[i][j] -= M[i][p] * M[j][p];
            M[i][j] = i == j ? sqrt(M[j][j]) : M[i][j] / M[j][j];
        }
    for (int i = 0; i < N; i++)
        x[i] = i % 2 ? 1 : -0.3 * i;
    for (int turn = 0; turn < 1000; turn++) {
        double size = 0;
        for (int i = 0; i < N; i++) {
            y[i] = 0;
            for (int j = 0; j < N; j++)
                y[i] += K[i][j] * x[j];
        }
        for (int i = 0; i < N; i++) {
            for (int p = 0; p < i; p++)
                y[i] -= M[i][p] * y[p];
            y[i] /= M[i][i];
        }
        for (int i = N - 1; i >= 0; i--) {
            for (int p = i + 1; p < N; p++)
                y[i] -= M[p][i] * y[p];
            y[i] /= M[i][i];
        }
        for (int i = 0; i < N; i++)
            size = fmax(size, fabs(y[i]));
        lambda = size;
        for (int i = 0; i < N; i++)
            x[i] = y[i] / size;
    }
    return sqrt(lambda);
}

static void eigenvalue_claims(struct bench *b, const struct crank *c)
{
    for (int e = 0; e < VARIANTS; e++) {
        double free_rod = fastest_rod(modulus[e], 0), periods = free_rod / (2 * M_PI * 2000);
        char what[96], ours[64], remark[160];
        snprintf(what, sizeof what, "largest eigenvalue of the rod, k = 4, %s (1/s)", modulus_name[e]);
        snprintf(remark, sizeof remark, "both ends free; clamped at the crank pin: %.3e; whole mechanism, stretched out: %.3e",
                 fastest_rod(modulus[e], 2), fastest_mode(c, e));
        claim_number(b, what, "1.3e4", free_rod, 0, remark);
        snprintf(what, sizeof what, "periods of the highest frequency in h = 1/2000 s, %s", modulus_name[e]);
        snprintf(ours, sizeof ours, "%.2f", periods);
        claim_text(b, what, "about 1", ours, fabs(periods - 1) < 0.1 ? AGREES : DIFFERS, "both ends free; within 10 per cent");
    }
}

/* ---- end values ---- */

static void end_claims(struct bench *b, const struct crank *c)
{
    for (struct data d = library_open(b, "crank_fe.csv"); library_line(&d);) {
        double E, want[4];
        if (sscanf(d.line, "%lf,%lf,%lf,%lf,%lf", &E, &want[0], &want[1], &want[2], &want[3]) != 5)
            continue;
        int e = E == modulus[0] ? 0 : 1;
        struct trial t = setting(c, e, "index2", 1, 1.0 / 6000);
        struct trial_end end, part;
        char printed[96], ours[160], what[96];
        bench_step(b, "crank: end values");
        snprintf(what, sizeof what, "%s, t = 1: phi1, phi2, x3, energy", modulus_name[e]);
        snprintf(printed, sizeof printed, "(%.5f, %.5f, %.6f, %.6f)", want[0], want[1], want[2], want[3]);
        if (!trial_run(&t, 0, &end)) {
            claim_text(b, what, printed, end.message.text, BESIDE, "");
            continue;
        }
        bool good = fabs(end.y[0] - want[0]) < 1e-4 && fabs(end.y[1] - want[1]) < 1e-3 && fabs(end.y[2] - want[2]) < 1e-5;
        snprintf(ours, sizeof ours, "%.5f, %.5f, %.6f, %.6f", end.y[0], end.y[1], end.y[2], end.energy);
        claim_text(b, what, printed, ours, BESIDE,
                   good ? "`tests/data/crank_fe.csv`, rho = 1, 6000 steps: within 1e-4, 1e-3, 1e-5"
                        : "**not within 1e-4, 1e-3, 1e-5 of `tests/data/crank_fe.csv`**");
        t.to = torque_ends;
        if (trial_run(&t, 0, &part)) {
            snprintf(what, sizeof what, "%s: energy less the work 0.2 phi1(0.3) of the torque (J)", modulus_name[e]);
            snprintf(ours, sizeof ours, "%.1e", end.energy - 0.2 * part.y[0]);
            claim_text(b, what, "(0)", ours, BESIDE, "rho = 1, with a restart at t = 0.3");
        }
    }
}

/* ---- table 2 ---- */

static void table2(struct bench *b, const struct crank *c)
{
    static const struct {
        double tol;
        const char *name;
        int cm, i2;
    } row[] = {{1e-5, "1e-5", 100, 175}, {1e-7, "1e-7", 250, 500}, {1e-9, "1e-9", 400, 800}};
    const int by = b->quick ? 20 : 5;
    char ours[COUNT(row)][2][VARIANTS][64];
    bool reproduced[COUNT(row)] = {true, true, true};
    for (int e = 0; e < VARIANTS; e++) {
        double factor[3];
        bool twice = true;
        char text[64], what[96], printed[32];
        for (int i = 0; i < COUNT(row); i++) {
            struct reach r[2];
            for (int cm = 1; cm >= 0; cm--) {
                struct trial t = setting(c, e, cm ? "cm" : "index2", 0.75, 0);
                char remark[96];
                int theirs = cm ? row[i].cm : row[i].i2;
                bench_step(b, "crank: largest step at %s, %s", row[i].name, modulus_name[e]);
                r[cm] = alpha_reach(b, &t, 1, row[i].tol, by, 1000);
                snprintf(what, sizeof what, "table 2: tolerance %s, %s, %s", row[i].name, cm ? "CM" : "index 2", modulus_name[e]);
                snprintf(printed, sizeof printed, "1/%d", theirs);
                snprintf(remark, sizeof remark, "N by %d; %.1f iterations a step", by, r[cm].newton);
                bool same = r[cm].from && abs(r[cm].from - theirs) <= 0.1 * theirs;
                reproduced[i] = reproduced[i] && same;
                claim_text(b, what, printed, reach_text(&r[cm], "1", ours[i][cm][e]), same ? AGREES : DIFFERS, remark);
            }
            factor[i] = r[0].from && r[1].from ? (double)r[0].from / r[1].from : NAN;
            twice = twice && factor[i] > 1.6 && factor[i] < 2.5;
        }
        snprintf(what, sizeof what, "CM converges with larger steps, %s", modulus_name[e]);
        snprintf(text, sizeof text, "%.2f, %.2f, %.2f times", factor[0], factor[1], factor[2]);
        claim_text(b, what, "1.75 to 2 times", text, twice ? AGREES : DIFFERS, "by tolerance");
    }
    fprintf(b->md,
            "\nTable 2, largest step at which Newton's iteration converges, rho = 0.75: the paper's number; ours for %s and %s.\n\n"
            "| Newton solution tolerance | h0 (CM) | h0 (index-2 DAE) | reproduced |\n| --- | --- | --- | --- |\n",
            modulus_name[0], modulus_name[1]);
    for (int i = 0; i < COUNT(row); i++)
        fprintf(b->md, "| %s | 1/%d; %s; %s | 1/%d; %s; %s | %s |\n", row[i].name, row[i].cm, ours[i][1][0], ours[i][1][1], row[i].i2, ours[i][0][0],
                ours[i][0][1], reproduced[i] ? "yes" : "no");
}

/* "faster numerical dissipation of the high modes is achieved via the CM iteration", Fig. 12. */
static void dissipation_claims(struct bench *b, const struct crank *c)
{
    for (int e = 0; e < VARIANTS; e++) {
        struct trial i2 = setting(c, e, "index2", 0.75, 1.0 / 500), cm = setting(c, e, "cm", 0.75, 1.0 / 500);
        struct trial_end a, z;
        char what[96], text[64];
        if (!trial_run(&i2, 0, &a) || !trial_run(&cm, 0, &z))
            continue;
        snprintf(what, sizeof what, "E(1) by CM, h = 1/500, rho = 0.75, %s", modulus_name[e]);
        snprintf(text, sizeof text, "%.1e J apart", fabs(a.energy - z.energy));
        claim_text(b, what, "less than by index 2", text, z.energy < a.energy - 1e-8 ? AGREES : DIFFERS, "what the iterations leave undone");
    }
}

/* ---- figures ---- */

/* Fig. 7 */
static void nodes_picture(struct bench *b, const struct crank *c)
{
    static const char *const name[NODES] = {"w1", "w2 (midpoint)", "w3", "w4 (end)"};
    struct series s[VARIANTS][NODES];
    struct panel panel[VARIANTS];
    for (int e = 0; e < VARIANTS; e++) {
        struct trial t = setting(c, e, "index2", 0.75, 1.0 / 2000);
        struct history h;
        history_run(&h, &t, 0);
        for (int k = 0; k < NODES; k++)
            s[e][k] = series_column(&h, 4 + k, e ? 1e6 : 1e3, 1, LINE, k, name[k]);
        panel[e] = (struct panel){.title = modulus_name[e],
                                  .x = "time (s)",
                                  .y = e ? "deflection (µm)" : "deflection (mm)",
                                  .x0 = 0,
                                  .x1 = 1,
                                  .key = KEY_OUTSIDE,
                                  .n = NODES,
                                  .series = s[e]};
        history_free(&h);
    }
    picture_draw(b, &(struct picture){"crank-nodes", "Slider crank: oscillations of the nodal coordinates, as in Fig. 7; rho = 0.75, h = 1/2000 s.",
                                      2, 1, 1150, 760, panel});
    for (int e = 0; e < VARIANTS; e++)
        series_free(s[e], NODES);
}

/* One curve of a picture: a run and a column of it. */
struct line {
    const char *title, *iteration;
    double rho;
    int steps; /* a second */
    enum style style;
};

enum { LINES = 6 };

/* Energy less the work of the torque, in mJ: what the method has gained or lost. */
static struct series gained(const struct history *h, enum style style, int color, const char *title)
{
    struct series s = series_column(h, h->energy, 1e3, 1, style, color, title);
    double turned = 0;
    for (int i = 0; i < s.n; i++) {
        if (s.x[i] <= torque_ends + 1e-12)
            turned = history_row(h, i)[1];
        ((double *)s.y)[i] -= 1e3 * 0.2 * turned;
    }
    return s;
}

/* The curve of each run, for both moduli; of the energy also what was gained. */
static void lines_picture(struct bench *b, const struct crank *c, const char *what, const char *caption, const char *axis, int column, double scale,
                          const struct line *line, int n)
{
    struct series s[VARIANTS][2][LINES];
    struct panel panel[2 * VARIANTS];
    int columns = column == ENERGY ? 2 : 1;
    bench_step(b, "crank: figures");
    for (int e = 0; e < VARIANTS; e++) {
        for (int k = 0; k < n; k++) {
            struct trial t = setting(c, e, line[k].iteration, line[k].rho, 1.0 / line[k].steps);
            struct history h;
            if (!history_run(&h, &t, 0))
                fprintf(b->md, "\n%s, %s: %s\n", modulus_name[e], line[k].title, h.end.message.text);
            s[e][0][k] = series_column(&h, column == ENERGY ? h.energy : column, scale, 1, line[k].style, k, line[k].title);
            if (columns == 2)
                s[e][1][k] = gained(&h, line[k].style, k, line[k].title);
            history_free(&h);
        }
        for (int i = 0; i < columns; i++)
            panel[e * columns + i] = (struct panel){.title = modulus_name[e],
                                                    .x = "time (s)",
                                                    .y = i ? "energy less work of the torque (mJ)" : axis,
                                                    .x1 = 1,
                                                    .key = columns == 1 ? KEY_OUTSIDE : KEY_BELOW,
                                                    .n = n,
                                                    .series = s[e][i]};
    }
    picture_draw(b, &(struct picture){what, caption, 2, columns, columns == 2 ? 1300 : 1150, columns == 2 ? 860 : 700, panel});
    for (int e = 0; e < VARIANTS; e++)
        for (int i = 0; i < columns; i++)
            series_free(s[e][i], n);
}

static void pictures(struct bench *b, const struct crank *c)
{
    static const struct line phi2[] = {{"index 2, h = 1/2000", "index2", 0.75, 2000, LINE}, {"CM, h = 1/2000", "cm", 0.75, 2000, DASHED}},
                             midpoint[] = {{"rho = 0.5, h = 1/500", "index2", 0.5, 500, LINE}, {"rho = 0, h = 1/500", "index2", 0, 500, LINE}},
                             rho[] = {{"rho = 0", "index2", 0, 500, LINE},
                                      {"rho = 0.5", "index2", 0.5, 500, LINE},
                                      {"rho = 0.75", "index2", 0.75, 500, LINE},
                                      {"rho = 1, h = 1/6000", "index2", 1, 6000, DASHED}},
                             step[] = {{"h = 1/300", "index2", 0.75, 300, LINE},
                                       {"h = 1/500", "index2", 0.75, 500, LINE},
                                       {"h = 1/750", "index2", 0.75, 750, LINE},
                                       {"rho = 1, h = 1/6000", "index2", 1, 6000, DASHED}},
                             both[] = {{"index 2", "index2", 0.75, 500, LINE}, {"CM", "cm", 0.75, 500, DASHED}};
    bench_step(b, "crank: figures");
    nodes_picture(b, c);
    lines_picture(b, c, "crank-phi2", "Slider crank: phi2 by the index-2 and the CM iteration, as in Fig. 8.", "phi2 (rad)", 2, 1, phi2, COUNT(phi2));
    lines_picture(b, c, "crank-midpoint", "Slider crank: damped vibration of the midpoint of the rod, as in Fig. 9.", "deflection w2 (mm)", 5, 1e3,
                  midpoint, COUNT(midpoint));
    lines_picture(b, c, "crank-energy-rho", "Slider crank: total energy for rho = 0, 0.5, 0.75 at h = 1/500 s, as in Fig. 10.", "total energy (J)",
                  ENERGY, 1, rho, COUNT(rho));
    lines_picture(b, c, "crank-energy-h", "Slider crank: total energy for h = 1/300, 1/500, 1/750 s at rho = 0.75, as in Fig. 11.",
                  "total energy (J)", ENERGY, 1, step, COUNT(step));
    lines_picture(b, c, "crank-energy-cm",
                  "Slider crank: total energy by the CM and the index-2 iteration, rho = 0.75, h = 1/500 s, as in Fig. 12. They coincide.",
                  "total energy (J)", ENERGY, 1, both, COUNT(both));
}

void alpha_crank(struct bench *b)
{
    struct build build;
    struct crank c = {0};
    bench_plan(b, 2 + 12 + 6);
    fputs("\n### 4.3 Flexible slider-crank\n\nFour beam elements, torque 0.2 N m on the crank until t = 0.3 s (given as a break, where genalpha "
          "restarts), 1 s. The paper refers to the data of the slider crank of B. Simeon, where E = 2e11 N/m2; the paper's largest eigenvalue "
          "fits E = 2e9. Both are computed.\n",
          b->md);
    if (library_model(b, &build, "crank_fe", NULL)) {
        c.model = build.model;
        for (int e = 0; e < VARIANTS; e++)
            c.params[e] = library_params(build.model, "E", modulus[e]);
        eigenvalue_claims(b, &c);
        struct trial_end start;
        claim_parameter(b, "driving torque, 0 to 0.3 s (N m)", "0.2", c.model, "mom", 1);
        claim_number(b, "simulated time (s)", "1", c.model->experiment.to, 0, "");
        if (trial_start(&(struct trial){.model = c.model, .params = c.params[0], .rho = NAN, .alpha = NAN}, &start))
            claim_number(b, "start: x3 (m), all else 0", "0.45", start.y[2], 0, "");
        end_claims(b, &c);
        table2(b, &c);
        dissipation_claims(b, &c);
        claims_write(b);
        pictures(b, &c);
    }
    for (int e = 0; e < VARIANTS; e++)
        free(c.params[e]);
    build_close(&build);
}
