/* SPDX-License-Identifier: GPL-3.0-or-later
 * Siconos (INRIA) beside us in one run, where it is installed: the ball and the woodpecker by its time stepping. */
#include "config.h"
#include "impacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct peer {
    char problem[24], method[24];
    double step, cpu, end[6];
    int n;
};

/* Least processor time of a few runs; end state in h. */
static double ours(struct hits *h, const struct trial *t)
{
    double least = INFINITY;
    for (int i = 0; i < 5; i++) {
        if (i)
            hits_free(h);
        hits_run(h, t, 0, NULL);
        least = fmin(least, h->cpu);
    }
    return least;
}

static double error_of(const double *x, const double *exact, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - exact[i]) / fmax(fabs(exact[i]), 1e-3));
    return most;
}

static void problem(struct bench *b, const char *name, double to, int n, struct peer *peer, int peers)
{
    struct build build;
    struct hits h;
    double exact[6];
    if (!library_model(b, &build, name, NULL))
        return;
    hits_run(&h, &(struct trial){.model = build.model, .method = "dop853", .rtol = 1e-12, .atol = 1e-14, .to = to}, 0, NULL);
    memcpy(exact, h.end, (size_t)n * sizeof *exact);
    hits_free(&h);
    fprintf(b->md, "\n| %s to %g s | error | CPU (ms) | over ours |\n| --- | --- | --- | --- |\n", name, to);
    struct trial loose = {.model = build.model, .method = "dopri5", .rtol = 1e-5, .atol = 1e-8, .to = to};
    double cpu = ours(&h, &loose), error = error_of(h.end, exact, n), least = INFINITY;
    fprintf(b->md, "| mbs dopri5 1e-5 | %.1e | %.3f | 1 |\n", error, 1e3 * cpu);
    hits_free(&h);
    for (int i = 0; i < peers; i++)
        if (!strcmp(peer[i].problem, name) && peer[i].n == n) {
            double e = error_of(peer[i].end, exact, n);
            fprintf(b->md, "| Siconos %s %g | %.1e | %.1f | %.0f |\n", peer[i].method, peer[i].step, e, 1e3 * peer[i].cpu, peer[i].cpu / cpu);
            least = fmin(least, e >= error ? peer[i].cpu / cpu : INFINITY);
        }
    char text[64], what[96];
    snprintf(text, sizeof text, "%.0f times", least);
    snprintf(what, sizeof what, "%s: Siconos' time over ours, ours with the smaller error", name);
    claim_text(b, what, "at least 10", text, least >= 10 && isfinite(least) ? AGREES : DIFFERS, "least of the rows");
    claims_write(b);
    build_close(&build);
}

void impacts_siconos(struct bench *b)
{
    static const char *const python[] = {"python3", "/usr/bin/python3"};
    struct peer peer[16];
    int peers = 0;
    char script[] = "/tmp/mbs-siconos.XXXXXX", log[] = "/tmp/mbs-siconos.XXXXXX";
    int fd[2] = {mkstemp(script), mkstemp(log)};
    fputs("\n### Siconos\n", b->md);
    bench_step(b, "Siconos");
    for (int i = 0; i < 2; i++)
        if (fd[i] >= 0)
            close(fd[i]);
    FILE *f = fopen(script, "w");
    for (struct data d = library_open(b, "siconos_runs.py"); f && library_line(&d);)
        fputs(d.line, f);
    if (f)
        fclose(f);
    for (int i = 0; i < 2 && !peers && f; i++) {
        char line[512];
        build_spawn((const char *const[]){python[i], script, "3", NULL}, log);
        FILE *r = fopen(log, "r");
        while (r && fgets(line, sizeof line, r) && peers < 16) {
            struct peer *p = &peer[peers];
            p->n = sscanf(line, "%23s %23s %lf %lf %lf %lf %lf %lf %lf %lf", p->problem, p->method, &p->step, &p->cpu, p->end, p->end + 1, p->end + 2,
                          p->end + 3, p->end + 4, p->end + 5) - 4;
            peers += p->n == 2 || p->n == 6;
        }
        if (r)
            fclose(r);
    }
    unlink(script);
    unlink(log);
    if (!peers) {
        fputs("Not installed here (Debian: python3-siconos).\n", b->md);
        return;
    }
    fputs("Its time is that of the loop alone, ours includes set-up and assembly. The error is that of the end "
          "state, relative, against dop853 at 1e-12.\n", b->md);
    problem(b, "ball", 3, 2, peer, peers);
    problem(b, "woodpecker", 0.3, 6, peer, peers);
}
