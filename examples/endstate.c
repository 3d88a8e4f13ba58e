/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Integrate a compiled model with libmbs and lay the end state beside a reference.
 *
 *   mbsc squeezer.mbs -o squeezer.c
 *   cc -DMODEL=squeezer_model squeezer.c endstate.c $(pkg-config --cflags --libs mbs) -o squeezer
 *   ./squeezer REFERENCE.txt [method [tolerance [formulation]]]
 *
 * The reference has a line a component: name, published value, more accurate value.  `digits` is the
 * number of correct digits, -log10 of the relative error against the accurate one.
 */
#include "mbs/mbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct mbs_model MODEL;

struct row {
    char name[64];
    char published[48];
    double accurate;
};

static int reference_read(const char *path, struct row *row, int max)
{
    char line[512];
    int n = 0;
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        return -1;
    }
    while (n < max && fgets(line, sizeof line, f))
        if (line[0] != '#' && sscanf(line, "%63s %47s %lf", row[n].name, row[n].published, &row[n].accurate) == 3)
            n++;
    fclose(f);
    return n;
}

/* The value of beta, beta', beta'' or lambda[loopB.x]; NaN for an unknown name. */
static double component(const struct mbs_model *m, const struct mbs_state *x, const char *name)
{
    size_t n = strlen(name), primes = 0;
    if (!strncmp(name, "lambda[", 7) && name[n - 1] == ']') {
        for (int i = 0; i < m->ng + m->nh; i++)
            if (strlen(m->constraint[i].name) == n - 8 && !strncmp(m->constraint[i].name, name + 7, n - 8))
                return x->lambda[i];
        return NAN;
    }
    while (n && name[n - 1] == '\'')
        n--, primes++;
    for (int i = 0; i < m->nq; i++)
        if (strlen(m->coord[i].name) == n && !strncmp(m->coord[i].name, name, n))
            return primes == 0 ? x->q[i] : primes == 1 ? x->v[i] : x->a[i];
    return NAN;
}

int main(int argc, char **argv)
{
    const struct mbs_model *m = &MODEL;
    struct mbs_options opt;
    struct mbs_message msg;
    struct mbs_sim *sim;
    static struct row row[256];
    if (argc < 2) {
        fprintf(stderr, "usage: %s REFERENCE [method [tolerance [formulation]]]\n", argv[0]);
        return 2;
    }
    int n = reference_read(argv[1], row, 256);
    if (n < 0)
        return 1;

    mbs_options_init(&opt, m);
    if (argc > 2)
        opt.method = argv[2];
    if (argc > 3)
        opt.rtol = opt.atol = atof(argv[3]);
    if (argc > 4)
        opt.formulation = argv[4];
    int status = mbs_new(&sim, m, NULL, &opt, &msg);
    if (status != MBS_OK) {
        fprintf(stderr, "%s: %s\n", m->name, msg.text);
        return 1;
    }
    double from = isnan(m->experiment.from) ? 0 : m->experiment.from;
    if ((status = mbs_assemble(sim, from)) != MBS_OK || (status = mbs_advance(sim, m->experiment.to)) != MBS_OK) {
        fprintf(stderr, "%s: %s\n", m->name, mbs_message(sim)->text);
        mbs_free(sim);
        return 1;
    }

    const struct mbs_state *x = mbs_state(sim);
    const struct mbs_statistics *st = mbs_statistics(sim);
    double worst = 0;
    printf("%s at t = %g: %s, %s, rtol = %g\n", m->title, x->t, mbs_method(sim), mbs_form_name(mbs_formulation(sim)), opt.rtol);
    printf("  %-18s %24s %24s %24s %7s\n", "", "computed", "reference (128 bit)", "published", "digits");
    for (int i = 0; i < n; i++) {
        double got = component(m, x, row[i].name), error = fabs((got - row[i].accurate) / row[i].accurate);
        if (i < m->nq && error > worst)
            worst = error;
        printf("  %-18s % 24.15e % 24.15e %24s ", row[i].name, got, row[i].accurate, row[i].published);
        if (row[i].accurate == 0)
            printf("%7s\n", "");
        else
            printf("%7.1f\n", error > 0 ? fmin(16, -log10(error)) : 16);
    }
    printf("  correct digits of all coordinates: %.1f; %ld steps, %ld rejected, %ld evaluations, %ld Jacobians, %ld factorisations\n\n",
           worst > 0 ? fmin(16, -log10(worst)) : 16, st->steps, st->rejected, st->f, st->jac, st->lu);
    mbs_free(sim);
    return 0;
}
