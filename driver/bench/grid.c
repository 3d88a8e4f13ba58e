/* SPDX-License-Identifier: GPL-3.0-or-later
 * The runs of a problem and their tables. */
#include "config.h"
#include "grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double *grid_tolerances(int per, int *n)
{
    *n = 6 * per + 1;
    double *tol = malloc((size_t)*n * sizeof *tol);
    for (int m = 0; tol && m < *n; m++)
        tol[m] = pow(10, -(4 + m / (double)per));
    return tol;
}

/* A method without error control takes steps instead: as many as give work like that of the tolerance. */
static double step_for(const struct grid *g, double tol)
{
    double to = g->trial.to > 0 ? g->trial.to : g->trial.model->experiment.to;
    return to / floor(300 * pow(10, -(log10(tol) + 4) / 2.5));
}

static struct grid_run *grid_add(struct bench *b, struct grid *g)
{
    if (g->n == g->room) {
        int room = g->room ? 2 * g->room : 256;
        struct grid_run *more = realloc(g->run, (size_t)room * sizeof *more);
        if (!more) {
            b->good = false;
            return NULL;
        }
        g->run = more;
        g->room = room;
    }
    g->run[g->n] = (struct grid_run){0};
    return &g->run[g->n++];
}

static bool wanted(const struct grid *g, const struct mbs_method_info *info, unsigned form)
{
    const char *name = mbs_form_name((enum mbs_form)form);
    return !info->needs && !info->stepping && info->forms & 1u << form && (!g->only || strstr(g->only, name)) && form != MBS_BAUMGARTE;
}

static void measure(struct grid *g, struct grid_run *r, struct trial *t)
{
    const struct reference *ref = &g->reference;
    r->failed = !trial_run(t, g->budget, &r->end);
    r->scd = r->mescd = r->q = r->qv = r->scd_published = r->mescd_published = NAN;
    if (r->failed)
        return;
    r->scd = reference_scd(ref, ref->exact, r->end.y);
    r->mescd = reference_mescd(ref, ref->exact, r->end.y, 1);
    r->q = reference_digits(ref, r->end.y, g->trial.model->nq);
    r->qv = reference_digits(ref, r->end.y, 2 * g->trial.model->nq);
    r->scd_published = reference_scd(ref, ref->published, r->end.y);
    r->mescd_published = reference_mescd(ref, ref->published, r->end.y, 1);
}

/* All tolerances of one method and formulation, until two runs in turn take longer than the cap: one alone may have crept along at a tolerance
 * that was too loose. */
static void combination(struct bench *b, struct grid *g, const struct mbs_method_info *info, unsigned form)
{
    bool fixed = !info->adaptive, slow = false;
    for (int k = 0; k < g->tols && !bench_stopped(b); k++) {
        struct trial t = g->trial;
        struct grid_run *r = grid_add(b, g);
        if (!r)
            return;
        snprintf(r->method, sizeof r->method, "%s", info->name);
        snprintf(r->form, sizeof r->form, "%s", mbs_form_name((enum mbs_form)form));
        r->fixed = fixed;
        r->tol = fixed ? step_for(g, g->tol[k]) : g->tol[k];
        t.method = r->method;
        t.formulation = r->form;
        t.rtol = t.atol = fixed ? 1e-12 : r->tol;
        t.step = fixed ? r->tol : 0;
        bench_step(b, "%s: %s %s %s %.1e", g->problem, r->method, r->form, fixed ? "h" : "rtol", r->tol);
        measure(g, r, &t);
        bool again = slow;
        slow = r->end.cpu > g->cap;
        if (again && slow) {
            b->done += g->tols - 1 - k;
            return;
        }
    }
}

void grid_fill(struct bench *b, struct grid *g)
{
    struct mbs_method_info info;
    for (int i = 0; mbs_method_list(i, &info); i++)
        for (unsigned f = 0; f < MBS_FORMS; f++)
            if (wanted(g, &info, f))
                bench_plan(b, g->tols);
    for (int i = 0; mbs_method_list(i, &info); i++)
        for (unsigned f = 0; f < MBS_FORMS; f++)
            if (wanted(g, &info, f))
                combination(b, g, &info, f);
}

void grid_free(struct grid *g)
{
    free(g->run);
    g->run = NULL;
    g->n = g->room = 0;
}

void grid_csv(struct bench *b, const struct grid *g)
{
    struct out o;
    char what[64];
    snprintf(what, sizeof what, "%s-runs.csv", g->problem);
    if (!bench_open_file(b, &o, what))
        return;
    fputs("method,formulation,tol,step,scd,mescd,scd_published,mescd_published,qv,steps,accepted,f,jac,lu,cpu_s,failure\n", o.f);
    for (int i = 0; i < g->n; i++) {
        const struct grid_run *r = &g->run[i];
        const struct mbs_statistics *s = &r->end.stat;
        fprintf(o.f, "%s,%s,%.4g,%.4g,%.3f,%.3f,%.3f,%.3f,%.3f,%ld,%ld,%ld,%ld,%ld,%.3e,\"%s\"\n", r->method, r->form, r->fixed ? 0 : r->tol,
                r->fixed ? r->tol : 0, r->scd, r->mescd, r->scd_published, r->mescd_published, r->qv, s->steps, s->accepted, s->f, s->jac, s->lu,
                r->end.cpu, r->failed ? mbs_status_text(r->end.status) : "");
    }
    bench_close_file(b, &o);
}

static bool among(double tol, const double *list, int n)
{
    for (int i = 0; i < n; i++)
        if (fabs(tol / list[i] - 1) < 1e-6)
            return true;
    return false;
}

void grid_table(struct bench *b, const struct grid *g, const double *tol, int n, const struct peer *p, int peers)
{
    const char *last = "", *form = "";
    fputs("\n| solver | formulation | rtol = atol | mescd | scd | to the published reference | steps | accept | #f | #Jac | #LU | CPU/ms |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
          b->md);
    for (int i = 0; i < peers; i++)
        if (!strcmp(p[i].problem, g->peers))
            fprintf(b->md, "| *%s* | *published* | %.0e | | | %.2f, %.2f | %.0f | %.0f | %.0f | %.0f | %.0f | (%.1f) |\n", p[i].solver, p[i].tol,
                    p[i].mescd, p[i].scd, p[i].steps, p[i].accepted, p[i].f, p[i].jac, p[i].lu, 1e3 * p[i].cpu);
    for (int i = 0; i < g->n; i++) {
        const struct grid_run *r = &g->run[i];
        const struct mbs_statistics *s = &r->end.stat;
        if (r->fixed || !among(r->tol, tol, n))
            continue;
        bool again = !strcmp(last, r->method), same = again && !strcmp(form, r->form);
        fprintf(b->md, "| %s | %s | %.0e | ", again ? "" : r->method, same ? "" : r->form, r->tol);
        if (r->failed)
            fprintf(b->md, "failed: %s | | | | | | | | |\n", mbs_status_text(r->end.status));
        else
            fprintf(b->md, "%.2f | %.2f | %.2f, %.2f | %ld | %ld | %ld | %ld | %ld | %.3f |\n", r->mescd, r->scd, r->mescd_published,
                    r->scd_published, s->steps, s->accepted, s->f, s->jac, s->lu, 1e3 * r->end.cpu);
        last = r->method;
        form = r->form;
    }
    putc('\n', b->md);
}

void grid_failures(struct bench *b, const struct grid *g)
{
    int failed = 0;
    for (int i = 0; i < g->n; i++)
        failed += g->run[i].failed;
    if (!failed) {
        fprintf(b->md, "\nNone of the %d runs failed.\n", g->n);
    } else {
        fprintf(b->md, "\nOf %d runs %d failed:\n\n| solver | formulation | rtol | reason |\n| --- | --- | --- | --- |\n", g->n, failed);
        for (int i = 0; i < g->n;) {
            const struct grid_run *r = &g->run[i];
            int k = i + 1;
            if (!r->failed) {
                i++;
                continue;
            }
            while (k < g->n && g->run[k].failed && !strcmp(g->run[k].method, r->method) && !strcmp(g->run[k].form, r->form) &&
                   g->run[k].end.status == r->end.status)
                k++;
            fprintf(b->md, "| %s | %s | %.1e", r->method, r->form, r->tol);
            if (k > i + 1)
                fprintf(b->md, " to %.1e", g->run[k - 1].tol);
            fprintf(b->md, " | %s |\n", r->end.message.text);
            i = k;
        }
    }
    bool said = false;
    for (int i = 0, n; i < g->n; i += n) {
        const struct grid_run *r = &g->run[i];
        for (n = 1; i + n < g->n && !strcmp(r[n].method, r->method) && !strcmp(r[n].form, r->form);)
            n++;
        if (n < g->tols)
            fprintf(b->md, "%s%s %s from %.1e",
                    said ? ", " : "\nNot taken to tighter tolerances, because runs took longer than the limit: ", r->method, r->form, r[n - 1].tol);
        said = said || n < g->tols;
    }
    fputs(said ? ".\n" : "", b->md);
}
