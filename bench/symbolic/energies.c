/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The task for the other tools: kinetic and potential energy and constraints of a model as plain formulas in
 * q0, q1, ..., v0, v1, ..., t, numbers for parameters, as the model states them:
 *
 *     n 7
 *     T <formula>
 *     U <formula>
 *     g <formula>          one line a constraint
 *
 * With --time: how long this program's own derivation and emission take, and how long the text is.
 */
#include "config.h"
#include "compile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* From the checked model to the text of the C file, the least of several runs. */
static int measure(const char *path, const struct compile_options *o)
{
    double best = HUGE_VAL;
    size_t length = 0;
    for (int run = 0; run < 9; run++) {
        double start = now();
        struct compile *front = compile_file(path, o, COMPILE_MODEL);
        double parsed = now();
        struct compile *c = compile_file(path, o, COMPILE_TEXT);
        double spent = now() - parsed - (parsed - start);
        if (!c->good) {
            fputs(compile_messages(c), stderr);
            return 1;
        }
        compile_text(c, &length);
        best = fmin(best, spent);
        compile_free(c);
        compile_free(front);
    }
    printf("%.2f %zu\n", 1e3 * best, length);
    return 0;
}

/* Parameters have their default values already (--fold-params); symbols get names that every tool reads. */
static void print(struct pool *p, const char *label, int n, const Expr *from, const Expr *to, Expr e)
{
    expr_substitute(p, n, from, to, 1, &e, &e);
    char *text = expr_show(p, e);
    printf("%s %s\n", label, text);
    free(text);
}

static Expr rename_symbol(struct pool *p, struct arena *a, int index, const char *letter, int i)
{
    return expr_sym(p, SYM_LOCAL, 100000 + index, arena_printf(a, "%s%d", letter, i));
}

int main(int argc, char **argv)
{
    struct compile_options o = {.fold_params = true};
    bool timing = argc > 2 && !strcmp(argv[2], "--time");
    if (argc < 2)
        return 2;
    o.fold_params = !timing;
    if (timing)
        return measure(argv[1], &o);
    struct compile *c = compile_file(argv[1], &o, COMPILE_EQUATIONS);
    if (!c->good) {
        fputs(compile_messages(c), stderr);
        return 1;
    }
    const struct model *m = c->model;
    int n = m->coord.n;
    Expr *from = malloc(2 * (size_t)n * sizeof *from), *to = malloc(2 * (size_t)n * sizeof *to);
    for (int i = 0; i < n; i++) {
        from[i] = m->coord.at[i].q;
        from[n + i] = m->coord.at[i].v;
        to[i] = rename_symbol(c->pool, &c->base.arena, i, "q", i);
        to[n + i] = rename_symbol(c->pool, &c->base.arena, n + i, "v", i);
    }
    printf("n %d\n", n);
    for (int i = 0; i < m->kinetic.n; i++)
        print(c->pool, "T", 2 * n, from, to, m->kinetic.at[i].value);
    for (int i = 0; i < m->potential.n; i++)
        print(c->pool, "U", 2 * n, from, to, m->potential.at[i].value);
    for (int i = 0; i < m->constraint.n; i++)
        print(c->pool, "g", 2 * n, from, to, m->constraint.at[i].g);
    free(from);
    free(to);
    compile_free(c);
    return 0;
}
