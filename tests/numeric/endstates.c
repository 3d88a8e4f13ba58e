/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The whole way: model file, generated C, libmbs, and the end state against the references of
 * tests/data.  Two unrelated methods at tight tolerances; `digits` is what all coordinates must have, about
 * a digit less than measured, so that a wrong term, a wrong start or a wrong reference cannot pass.
 *
 * The crank's published start violates a position constraint by 2e-10.  Methods that project share that
 * between x3 and q[4], which then oscillates by 1e-10, five digits below its size; hence index 1 and 2. */
#include "generated.h"
#include "mbs/mbs.h"

struct end {
    const char *model, *define, *param, *data, *method, *form;
    double to, tol, digits;
    int scatters;
};

struct reference {
    int n;
    char name[64][48];
    double value[64];
};

static int reference_read(struct reference *r, const char *file)
{
    const char *src = getenv("top_srcdir");
    char path[4096], line[512];
    snprintf(path, sizeof path, "%s/tests/data/%s.txt", src ? src : ".", file);
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    r->n = 0;
    while (r->n < 64 && fgets(line, sizeof line, f))
        if (line[0] != '#' && sscanf(line, "%47s %*s %lf", r->name[r->n], &r->value[r->n]) == 2)
            r->n++;
    fclose(f);
    return r->n ? 0 : -1;
}

/* Fewest correct digits over the coordinates. */
static double digits(const struct mbs_model *m, const struct mbs_state *x, const struct reference *r)
{
    double worst = 17;
    int found = 0;
    for (int i = 0; i < m->nq; i++)
        for (int k = 0; k < r->n; k++)
            if (!strcmp(m->coord[i].name, r->name[k])) {
                double e = fabs((x->q[i] - r->value[k])/r->value[k]);
                worst = e > 0 ? fmin(worst, -log10(e)) : worst;
                found++;
            }
    return found == m->nq ? worst : NAN;
}

/* Where the error at the end scatters by a digit between tolerances that differ by one part in a hundred, and so between roundings, the one in
 * the middle of a few runs counts (squeezer_stiff_1e6: 7.58 in the middle of 61 runs with tolerances up to 30 % apart, half of them within 7.43 and 7.95). */
enum { RUNS = 5 };

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Correct digits, or -1. */
static double run(const struct end *e, const struct generated *s, const struct mbs_options *opt, const struct reference *r)
{
    struct mbs_message msg;
    struct mbs_sim *sim = NULL;
    int status = mbs_new(&sim, s->m, s->p, opt, &msg);
    if (status == MBS_OK && (status = mbs_assemble(sim, 0)) == MBS_OK)
        status = mbs_advance(sim, e->to);
    int good = ok(status == MBS_OK, "%s %s %s: %s at %g ends, %s", e->model, e->define ? e->define : "", e->param ? e->param : "", e->method, opt->rtol,
                   status == MBS_OK ? "well" : sim ? mbs_message(sim)->text : msg.text);
    double d = good ? digits(s->m, mbs_state(sim), r) : -1;
    mbs_free(sim);
    return d;
}

static void check(const struct end *e)
{
    struct generated s;
    struct reference r;
    struct mbs_options opt;
    double d[RUNS];
    if (!LOAD(&s, e->model, e->define) || !ok(reference_read(&r, e->data) == 0, "%s is there", e->data))
        return;
    mbs_options_init(&opt, s.m);
    opt.method = e->method;
    opt.formulation = e->form;
    opt.step = 0;
    for (int i = 0; e->param && i < s.m->np; i++) {
        size_t n = strlen(s.m->param[i].name);
        if (!strncmp(e->param, s.m->param[i].name, n) && e->param[n] == '=')
            s.p[i] = atof(e->param + n + 1);
    }
    int runs = e->scatters ? RUNS : 1;
    for (int i = 0; i < runs; i++) {
        opt.rtol = opt.atol = e->tol * (1 + 0.01 * (i - runs / 2));
        d[i] = run(e, &s, &opt, &r);
    }
    qsort(d, (size_t)runs, sizeof *d, by_size);
    ok(d[runs / 2] >= e->digits, "%s: %.2f digits (%.2f to %.2f), %.1f wanted", e->data, d[runs / 2], d[0], d[runs - 1], e->digits);
    generated_free(&s);
}

int main(void)
{
    static const struct end end[] = {
        {"models/squeezer", NULL, NULL, "squeezer", "dop853", "auto", 0.03, 1e-12, 12, 0},
        {"models/squeezer", NULL, NULL, "squeezer", "radau", "auto", 0.03, 1e-10, 8.5, 0},
        {"models/squeezer_stiff", NULL, "c1=1e4", "squeezer_stiff_1e4", "dop853", "auto", 0.03, 1e-12, 10, 0},
        {"models/squeezer_stiff", NULL, "c1=1e6", "squeezer_stiff_1e6", "radau", "auto", 0.03, 1e-10, 6.8, 1},
        {"models/squeezer_stiff", NULL, "c1=1e8", "squeezer_stiff_1e8", "dop853", "auto", 0.03, 1e-11, 7, 0},
        {"models/crank", NULL, NULL, "crank", "dop853", "index1", 0.1, 1e-11, 6.8, 0},
        {"models/crank", NULL, NULL, "crank", "radau", "index2", 0.1, 1e-10, 6, 0},
        {"models/crank", "damped=true", NULL, "crank_damped", "radau", "index2", 0.1, 1e-10, 6, 0},
        {"models/crank", "nonlinear_beam=true", NULL, "crank_nonlinear", "radau", "index2", 0.1, 1e-10, 5.7, 0},
        {"models/crank", "nonlinear_beam=true damped=true", NULL, "crank_nonlinear_damped", "radau", "index2", 0.1, 1e-10, 5.7, 0},
        {"models/crank", "rigid_start=true", NULL, "crank_rigid", "radau", "index2", 0.1, 1e-10, 6.5, 0},
        {"models/crank", "rigid_start=true damped=true", NULL, "crank_rigid_damped", "radau", "index2", 0.1, 1e-10, 6.8, 0},
        {"models/crank", "rigid_start=true nonlinear_beam=true", NULL, "crank_rigid_nonlinear", "radau", "index2", 0.1, 1e-10, 6.5, 0},
        {"models/stiff_pendulum", NULL, NULL, "stiff_pendulum_end", "dop853", "auto", 5, 1e-12, 10.5, 0},
        {"models/bushing", NULL, NULL, "bushing_end", "dop853", "auto", 0.00125663706143591729539, 1e-12, 10, 0},
        {"models/bushing", NULL, NULL, "bushing_end", "radau", "auto", 0.00125663706143591729539, 1e-10, 8, 0},
    };
    for (size_t i = 0; i < sizeof end / sizeof *end; i++)
        check(&end[i]);
    return tap_done();
}
