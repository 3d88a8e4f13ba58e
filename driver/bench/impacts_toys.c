/* SPDX-License-Identifier: GPL-3.0-or-later
 * The woodpecker toy and the slider-crank with clearance. */
#include "config.h"
#include "impacts.h"
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- woodpecker ---- */

enum { TABLE = 16 };
struct table {
    int n;
    double time[TABLE], value[TABLE][6];        /* y, y', phiM, phiM', phiS, phiS' */
};

static void table_read(struct bench *b, struct table *t)
{
    t->n = 0;
    for (struct data d = library_open(b, "woodpecker.txt"); library_line(&d);) {
        double *v = t->value[t->n];
        t->n += t->n < TABLE && *d.line != '#' && sscanf(d.line, "%lf %lf %lf %lf %lf %lf %lf", &t->time[t->n], v, v + 1, v + 2, v + 3, v + 4, v + 5) == 7;
    }
}

/* What the published rows may be off by.  They are those of a method of first order with steps of 2e-5 s (tests/data/woodpecker.txt): so as much as `moreau`,
 * of the same order, is off there with such steps, with half and with twice of them; since they start 9e-7 m inside the pole, by as much as
 * a pole that is thinner by that makes; and in positions, since their bodies overlap at impacts, by the way of one step. */
enum { COLUMNS = 6 };
static const int place[COLUMNS] = {0, 3, 1, 4, 2, 5};           /* of y, y', phiM, phiM', phiS, phiS' among q and v */
static const double STEP = 2e-5;

static double value_at(const struct hits *h, int row, int column) { return row < h->rows ? h->row[row][1 + place[column]] : NAN; }

/* Adds |a - b| of all values to off, or makes off at least that. */
static void widen(const struct table *t, const struct hits *a, const struct hits *b, bool add, double off[TABLE][COLUMNS])
{
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < COLUMNS; k++) {
            double d = fabs(value_at(a, i, k) - value_at(b, i, k));
            off[i][k] = add ? off[i][k] + d : fmax(off[i][k], d);
        }
}

static void bounds(const struct mbs_model *m, const struct table *t, const struct hits *exact, double off[TABLE][COLUMNS])
{
    static const double part[] = {0.5, 1, 2};
    struct hits h;
    double *thin = library_params(m, "rO", 0.0031 - 0.0058 * 0.1036);
    memset(off, 0, TABLE * sizeof *off);
    for (int s = 0; s < 3; s++) {
        hits_run(&h, &(struct trial){.model = m, .method = "moreau", .step = part[s] * STEP}, t->n, t->time);
        widen(t, &h, exact, false, off);
        hits_free(&h);
    }
    hits_run(&h, &(struct trial){.model = m, .method = "dop853", .rtol = 1e-11, .atol = 1e-13, .params = thin}, t->n, t->time);
    widen(t, &h, exact, true, off);
    hits_free(&h);
    free(thin);
    for (int k = 0; k < COLUMNS; k += 2) {
        double speed = 0;
        for (int i = 0; i < t->n; i++)
            speed = fmax(speed, fabs(t->value[i][k + 1]));
        for (int i = 0; i < t->n; i++)
            off[i][k] += STEP * speed;
    }
}

static void table_claims(struct bench *b, const struct mbs_model *m)
{
    static const char *const name[COLUMNS] = {"y (m)", "y' (m/s)", "phiM (rad)", "phiM' (rad/s)", "phiS (rad)", "phiS' (rad/s)"};
    struct table t;
    struct hits h;
    double off[TABLE][COLUMNS];
    table_read(b, &t);
    hits_run(&h, &(struct trial){.model = m, .method = "dop853", .rtol = 1e-11, .atol = 1e-13}, t.n, t.time);
    bounds(m, &t, &h, off);
    for (int k = 0; k < COLUMNS; k++) {
        double most = 0;        /* of which rounding errors are a part */
        for (int i = 0; i < t.n; i++)
            most = fmax(most, fabs(t.value[i][k]));
        for (int i = 0; i < t.n && i < h.rows; i++) {
            char what[64], text[32], ours[32], remark[64];
            double x = value_at(&h, i, k), d = fabs(x - t.value[i][k]);
            snprintf(what, sizeof what, "%s at %.2f s", name[k], t.time[i]);
            snprintf(text, sizeof text, "%g", t.value[i][k]);
            snprintf(ours, sizeof ours, "%.6g", fabs(x) < 1e-9 ? 0 : x);
            snprintf(remark, sizeof remark, "differ by %.1e, may by %.1e", d, off[i][k]);
            claim_text(b, what, text, ours, d <= off[i][k] + 1e-9 * most + 1e-5 * fabs(t.value[i][k]) ? AGREES : DIFFERS, remark);
        }
    }
    hits_free(&h);
}

/* After 20 s: the time between two blows of the beak, and how far the bird comes down in it. */
static bool period(const struct mbs_model *m, const char *method, double tol, double step, double *T, double *down, double *before, double *cpu)
{
    struct hits h;
    bool good = hits_run(&h, &(struct trial){.model = m, .method = method, .rtol = tol, .atol = tol * 1e-3, .step = step, .to = 20}, 0, NULL);
    int n = 0;
    while (hits_find(&h, "beak", "impact", n))
        n++;
    good = good && n > 20;
    if (good) {
        const struct hit *a = hits_find(&h, "beak", "impact", n - 2), *z = hits_find(&h, "beak", "impact", n - 1), *y = hits_find(&h, "beak", "impact", n - 3);
        *T = z->t - a->t;
        *down = a->q - z->q;
        *before = a->t - y->t;
        *cpu = h.cpu;
    }
    hits_free(&h);
    return good;
}

static void periods(struct bench *b, const struct mbs_model *m)
{
    static const struct { const char *method; double tol; } run[] = {{"dop853", 1e-11}, {"dopri5", 1e-10}, {"dop853", 1e-8}};
    double T[3] = {NAN, NAN, NAN}, down[3] = {NAN, NAN, NAN}, before[3], cpu[3];
    fputs("\nThe periodic motion, after 20 s of fall: the time between two blows of the beak, and how far the bird comes down in it.\n\n"
          "| method | tolerance | period (s) | the one before | down (m) | CPU (ms) |\n| --- | --- | --- | --- | --- | --- |\n", b->md);
    for (int i = 0; i < 3; i++) {
        bench_step(b, "woodpecker: period by %s", run[i].method);
        if (period(m, run[i].method, run[i].tol, 0, &T[i], &down[i], &before[i], &cpu[i]))
            fprintf(b->md, "| %s | %g | %.10f | %.10f | %.9f | %.0f |\n", run[i].method, run[i].tol, T[i], before[i], down[i], 1e3 * cpu[i]);
        else
            fprintf(b->md, "| %s | %g | none | | | |\n", run[i].method, run[i].tol);
    }
    char one[32], two[32];
    snprintf(one, sizeof one, "%.8f", T[1]);
    snprintf(two, sizeof two, "%.8f", T[0]);
    claim_text(b, "period (s) by dopri5 and by dop853", one, two, fabs(T[0] - T[1]) < 5e-7 * T[0] && fabs(T[0] - before[0]) < 5e-7 * T[0] ? AGREES : DIFFERS,
               "to six digits, and equal to the one before");
}

void impacts_woodpecker(struct bench *b)
{
    struct build build;
    if (!library_model(b, &build, "woodpecker", NULL))
        return;
    fputs("\n### Woodpecker\nThe rows are those of a method of first order with steps of 2e-5 s (`tests/data/woodpecker.txt`), and start 9e-7 m inside the pole. "
          "They may be off by what `moreau`, also of first order, is off with steps of 1e-5, 2e-5 or 4e-5 s (the largest of the three), by what a "
          "pole changes that is thinner by so much, and in positions by the way of one step, by which bodies overlap there.\n", b->md);
    table_claims(b, build.model);
    claims_write(b);
    periods(b, build.model);
    claims_write(b);
    build_close(&build);
}

/* ---- slider-crank with clearance ---- */

enum { CRANK_TIMES = 20 };

void impacts_crank(struct bench *b)
{
    static const struct { const char *method; double tol; } run[] = {{"dop853", 1e-12}, {"dopri5", 1e-8}, {"dopri5", 1e-11}};
    struct build build;
    struct hits h[3];
    double time[CRANK_TIMES];
    if (!library_model(b, &build, "crank_clearance", NULL))
        return;
    for (int i = 0; i < CRANK_TIMES; i++)
        time[i] = 0.01 * (i + 1);
    fputs("\n### Slider-crank with clearance\nAll of the 0.2 s, nearly five turns of the crank; largest difference of an angle and of a speed from dop853 "
          "at 1e-12, at twenty times, in parts of the largest value.\n\n"
          "| method | tolerance | impacts | angles | speeds | CPU (ms) |\n| --- | --- | --- | --- | --- | --- |\n", b->md);
    double agree = 0;
    for (int k = 0; k < 3; k++) {
        double q = 0, v = 0;
        int n = 0;
        bench_step(b, "slider-crank with clearance by %s", run[k].method);
        struct trial t = {.model = build.model, .method = run[k].method, .rtol = run[k].tol, .atol = run[k].tol * 1e-2, .to = time[CRANK_TIMES - 1]};
        hits_run(&h[k], &t, CRANK_TIMES, time);
        for (int i = 0; i < h[k].n; i++)
            n += !strcmp(h[k].at[i].what, "impact");
        for (int i = 0; i < CRANK_TIMES; i++)
            for (int j = 0; j < 6; j++) {
                double d = h[k].rows == CRANK_TIMES && h[0].rows == CRANK_TIMES ? fabs(h[k].row[i][1 + j] - h[0].row[i][1 + j]) : INFINITY;
                if (j < 3)
                    q = fmax(q, d / 30);
                else
                    v = fmax(v, d / 150);
            }
        fprintf(b->md, "| %s | %g | %d | %.1e | %.1e | %.1f |\n", run[k].method, run[k].tol, n, q, v, 1e3 * h[k].cpu);
        agree = k == 2 ? fmax(q, v) : agree;
    }
    char text[32];
    snprintf(text, sizeof text, "%.1e", agree);
    claim_text(b, "largest difference of dopri5 from dop853 over all turns", "below 1e-6", text, agree < 1e-6 ? AGREES : DIFFERS, "two methods agree");
    claims_write(b);
    for (int k = 0; k < 3; k++)
        hits_free(&h[k]);
    build_close(&build);
}
