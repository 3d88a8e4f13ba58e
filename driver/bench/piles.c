/* SPDX-License-Identifier: GPL-3.0-or-later
 * Random heaps of discs and boxes in the plane and of spheres in space, dropped into a funnel: nothing overlaps beyond the tolerance, the energy
 * never grows, all come to rest, and the time of a step grows no faster than n^1.5.  Every heap is a line of piles-heaps.txt as soon as it
 * rests; what stands there already is not run again. */
#include "config.h"
#include "bench.h"
#include "heap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 10 };
static const double TO = 20;            /* s: by then it rests */

/* Heaps of one number of bodies. */
struct series {
    int n, count, good;
    long steps, sweeps;
    double cpu, overlap, growth, speed, rest, certificate;
};
struct kind {
    const char *model, *what;
    int spatial;
    int sizes, each;
    struct series at[SIZES];
};

/* ---- the journal ---- */

struct journal {
    FILE *f;
    char path[4200];
};

static bool journal_open(struct bench *b, struct journal *j)
{
    snprintf(j->path, sizeof j->path, "%s/%s-heaps.txt", b->dir, b->name);
    j->f = fopen(j->path, "a+");
    if (!j->f) {
        complain(b->manual, "cannot write %s: %s", j->path, strerror(errno));
        b->good = false;
    } else if (fseek(j->f, 0, SEEK_END) == 0 && ftell(j->f) == 0) {
        fputs("# model n seed good steps sweeps cpu_s overlap growth speed rest certificate status why\n", j->f);
    }
    return b->good;
}

static void journal_write(struct bench *b, struct journal *j, const char *model, unsigned long seed, const struct heap *p)
{
    fprintf(j->f, "%s %d %lu %d %ld %ld %.6f %.3e %.3e %.3e %.4f %.2e %d %s\n", model, p->n, seed, heap_good(p), p->steps, p->sweeps, p->cpu, p->overlap,
            p->growth, p->speed, p->rest, p->certificate, p->status, p->why);
    if (fflush(j->f) != 0) {
        complain(b->manual, "cannot write %s: %s", j->path, strerror(errno));
        b->good = false;
    }
}

/* Has this heap been run before? */
static bool journal_find(struct journal *j, const char *model, int n, unsigned long seed, struct heap *p)
{
    char line[600], name[64];
    rewind(j->f);
    while (fgets(line, sizeof line, j->f)) {
        struct heap was = *p;
        unsigned long its;
        int good;
        if (sscanf(line, "%63s %d %lu %d %ld %ld %lf %lf %lf %lf %lf %lf %d", name, &was.n, &its, &good, &was.steps, &was.sweeps, &was.cpu, &was.overlap,
                   &was.growth, &was.speed, &was.rest, &was.certificate, &was.status) == 13 &&
            !strcmp(name, model) && was.n == n && its == seed) {
            *p = was;
            return true;
        }
    }
    return false;
}

/* ---- heaps of one size ---- */

static void series_add(struct series *s, const struct heap *p)
{
    s->count++;
    s->good += heap_good(p);
    s->cpu += p->cpu;
    s->steps += p->steps;
    s->sweeps += p->sweeps;
    s->overlap = fmax(s->overlap, p->overlap);
    s->growth = fmax(s->growth, p->growth);
    s->speed = fmax(s->speed, p->speed);
    s->rest = fmax(s->rest, p->rest);
    s->certificate = fmax(s->certificate, p->certificate);
}

static void series_run(struct bench *b, struct journal *j, const struct kind *kind, struct series *s)
{
    struct build build = {0};
    char discs[24], boxes[24];
    int round = kind->spatial ? s->n : s->n / 2;
    snprintf(discs, sizeof discs, "%s=%d", kind->spatial ? "balls" : "discs", round);
    snprintf(boxes, sizeof boxes, "boxes=%d", s->n - round);
    for (int i = 0; i < kind->each && !bench_stopped(b); i++) {
        unsigned long seed = 1000003ul * (unsigned long)s->n + (unsigned long)(b->seed + i) + (kind->spatial ? 500000 : 0);
        struct heap p = {.n = s->n, .discs = round, .spatial = kind->spatial, .seed = seed};
        bench_step(b, "%s of %d: %d", kind->model, s->n, i);
        if (!journal_find(j, kind->model, s->n, seed, &p)) {
            if (!build.model && !library_model(b, &build, kind->model, (const char *const[]){discs, kind->spatial ? NULL : boxes, NULL}))
                return;
            p.model = build.model;
            heap_run(&p, TO);
            if (bench_stopped(b))
                break;
            journal_write(b, j, kind->model, seed, &p);
        }
        series_add(s, &p);
    }
    if (build.model)
        build_close(&build);
}

/* ---- the table ---- */

/* The power of n with which the time of a step grows: least squares in logarithms, from heaps of more than a handful on. */
static double power_of(const struct kind *k)
{
    double x = 0, y = 0, xx = 0, xy = 0, count = 0;
    for (int i = 0; i < k->sizes; i++) {
        const struct series *s = &k->at[i];
        if (s->n < 5 || !s->steps)
            continue;
        double a = log(s->n), t = log(s->cpu / (double)s->steps);
        x += a, y += t, xx += a * a, xy += a * t, count++;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

static void table(struct bench *b, const struct kind *k)
{
    int count = 0, good = 0;
    char text[64], most[64];
    fprintf(b->md, "\n| %s | heaps | good | time of a step (us) | sweeps a step | largest overlap | growth of energy | speed at the end (m/s) | at rest by (s) | certificate |\n"
                   "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n", k->what);
    for (int i = 0; i < k->sizes; i++) {
        const struct series *s = &k->at[i];
        double steps = s->steps ? (double)s->steps : NAN;
        fprintf(b->md, "| %d | %d | %d | %.1f | %.1f | %.1e | %.1e | %.2g | %.1f | %.1e |\n", s->n, s->count, s->good, 1e6 * s->cpu / steps,
                (double)s->sweeps / steps, s->overlap, s->growth, s->speed, s->rest, s->certificate);
        count += s->count;
        good += s->good;
    }
    snprintf(text, sizeof text, "%d of %d", good, count);
    snprintf(most, sizeof most, "all %d", count);
    claim_text(b, k->what, most, text, good == count ? AGREES : DIFFERS, "no failure, overlaps below 1 % of the size, energy never grows by 1e-6, at rest");
    double power = power_of(k);
    if (!isfinite(power))
        return;
    snprintf(text, sizeof text, "n^%.2f", power);
    claim_text(b, "growth of the time of a step", "at most n^1.5", text, power <= 1.5 ? AGREES : DIFFERS, k->what);
}

static void run(struct bench *b)
{
    struct kind kinds[] = {
        {"pile", "discs and boxes in the plane", 0, 10, 100, {{.n = 2}, {.n = 4}, {.n = 8}, {.n = 12}, {.n = 16}, {.n = 20}, {.n = 26}, {.n = 32}, {.n = 40}, {.n = 50}}},
        {"pile_space", "spheres in space", 1, 5, 40, {{.n = 2}, {.n = 5}, {.n = 10}, {.n = 15}, {.n = 20}}},
    };
    enum { KINDS = sizeof kinds / sizeof *kinds };
    struct journal j;
    if (!journal_open(b, &j))
        return;
    for (int k = 0; k < KINDS; k++) {
        if (b->quick)
            kinds[k].sizes = 2;
        if (b->cases > 0 && b->cases < kinds[k].each)
            kinds[k].each = (int)b->cases;
        else if (b->quick)
            kinds[k].each = 4 - 2 * kinds[k].spatial;
        bench_plan(b, kinds[k].sizes * kinds[k].each);
    }
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < kinds[k].sizes && !bench_stopped(b); i++)
            series_run(b, &j, &kinds[k], &kinds[k].at[i]);
    for (int k = 0; k < KINDS; k++)
        table(b, &kinds[k]);
    fclose(j.f);
}

const struct document document_piles = {"piles", "Heaps",
                                        "Random heaps of discs and boxes in the plane and of spheres in space, dropped into a funnel, by `moreau`; each is a line of "
                                        "`piles-heaps.txt`, and is not run again as long as it stands there.",
                                        run};
