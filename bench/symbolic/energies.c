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
 *     energies MODEL.mbs [--time] [--share] [-D NAME=VALUE]...
 *
 * With --share what occurs more than once gets a name before it is used, `let s0 <formula>`: the formulas of a chain in
 * relative angles would be longer than the memory otherwise.  With --time: how long this program's own derivation and
 * emission take, and how long the text is.
 */
#include "config.h"
#include "compile.h"
#include "expr/cone.h"

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

/* What is printed: one formula after the other, parameters with their default values (--fold-params). */
struct task {
    struct pool *pool;
    struct arena *arena;
    const char *label[4096];
    Expr value[4096];
    int n;
};

static void task_add(struct task *t, const char *label, Expr value)
{
    if (t->n == 4096)
        exit(1);
    t->label[t->n] = label;
    t->value[t->n++] = value;
}

static void line_print(struct pool *p, const char *label, Expr e)
{
    char *text = expr_show(p, e);
    printf("%s %s\n", label, text);
    free(text);
}

/* Replaces what has several users by symbols s0, s1, ..., printed before the formulas. */
static void task_share(struct task *t)
{
    struct pool *p = t->pool;
    struct cone cone = {0};
    uint32_t top = p->nodes;
    int *uses = calloc(top, sizeof *uses), names = 0;
    Expr *now = calloc(top, sizeof *now);

    cone_collect(&cone, p, t->n, t->value);
    for (int i = 0; i < cone.n; i++)
        for (int k = 0; k < expr_args(p, cone.at[i]); k++)
            uses[expr_arg(p, cone.at[i], k)]++;
    for (int i = 0; i < t->n; i++)
        uses[t->value[i]]++;
    for (int i = 0; i < cone.n; i++) {
        Expr e = cone.at[i], *args = calloc((size_t)expr_args(p, e) + 1, sizeof *args);
        for (int k = 0; k < expr_args(p, e); k++)
            args[k] = now[expr_arg(p, e, k)];
        now[e] = expr_args(p, e) ? expr_rebuild(p, e, args) : e;
        free(args);
        if (uses[e] > 1 && expr_args(p, now[e])) {
            line_print(p, arena_printf(t->arena, "let s%d", names), now[e]);
            now[e] = expr_sym(p, SYM_LOCAL, 300000 + names, arena_printf(t->arena, "s%d", names));
            names++;
        }
    }
    for (int i = 0; i < t->n; i++)
        t->value[i] = now[t->value[i]];
    cone_fini(&cone);
    free(uses);
    free(now);
}

static Expr rename_symbol(struct pool *p, struct arena *a, int index, const char *letter, int i)
{
    return expr_sym(p, SYM_LOCAL, 100000 + index, arena_printf(a, "%s%d", letter, i));
}

int main(int argc, char **argv)
{
    struct compile_options o = {.fold_params = true};
    bool timing = false, share = false;
    const char **define = calloc((size_t)argc + 1, sizeof *define);
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], "--time"))
            timing = true;
        else if (!strcmp(argv[i], "--share"))
            share = true;
        else if (!strcmp(argv[i], "-D") && i + 1 < argc)
            define[o.front.defines++] = argv[++i];
        else
            return 2;
    if (argc < 2)
        return 2;
    o.fold_params = !timing;
    o.front.define = define;
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
    struct task task = { .pool = c->pool, .arena = &c->base.arena };
    for (int i = 0; i < m->kinetic.n; i++)
        task_add(&task, "T", m->kinetic.at[i].value);
    for (int i = 0; i < m->potential.n; i++)
        task_add(&task, "U", m->potential.at[i].value);
    for (int i = 0; i < m->constraint.n; i++)
        task_add(&task, "g", m->constraint.at[i].g);
    for (int i = 0; i < task.n; i++)
        expr_substitute(c->pool, 2 * n, from, to, 1, &task.value[i], &task.value[i]);
    if (share)
        task_share(&task);
    for (int i = 0; i < task.n; i++)
        line_print(c->pool, task.label[i], task.value[i]);
    free(from);
    free(to);
    compile_free(c);
    free(define);
    return 0;
}
