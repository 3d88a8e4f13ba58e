/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What expr_show() writes is the model's language: random expressions, written and read again by the front
 * end, keep their value.  Numbers are written so that they read as the same doubles; reading may fold or
 * order operations differently, so agreement is to 1e-9 with intermediate values up to 1e4.  Only what the
 * language has takes part: conditions where it wants conditions, no derivatives of called functions. */
#include "config.h"
#include "compile.h"
#include "../tap.h"

#ifndef HAVE_QUADMATH
int main(void)
{
    skip(1, "no libquadmath");
    return tap_done();
}
#else
#include "expr_random.h"
#include <stdlib.h>
#include <string.h>

static bool is_condition(const struct pool *p, Expr e)
{
    enum expr_op op = expr_op(p, e);
    return op == EXPR_LT || op == EXPR_LE || op == EXPR_EQ || op == EXPR_AND || op == EXPR_OR || op == EXPR_NOT;
}

/* Conditions where the language wants them, and nowhere else. */
static bool is_language(const struct pool *p, Expr e)
{
    enum expr_op op = expr_op(p, e);
    if (op == EXPR_CALL || (op == EXPR_NUM && !expr_num(p, e)->exact && !isfinite(expr_value(p, e))))
        return false;
    for (int k = 0; k < expr_args(p, e); k++) {
        Expr a = expr_arg(p, e, k);
        bool wanted = op == EXPR_AND || op == EXPR_OR || op == EXPR_NOT || (op == EXPR_IF && k == 0);
        if (is_condition(p, a) != wanted || !is_language(p, a))
            return false;
    }
    return true;
}

static double value(const struct pool *p, const quad *at, Expr e)
{
    double x[VARS], v;
    for (int i = 0; i < VARS; i++)
        x[i] = (double)at[i];
    struct eval_env env = {0};
    env.val[SYM_Q] = x;
    env.val[SYM_V] = x + 1;
    env.val[SYM_TIME] = x + 2;
    env.val[SYM_PARAM] = x + 3;
    expr_eval(p, &env, 1, &e, &v);
    return v;
}

static bool read_again(const struct random *r, const char *text, double want)
{
    struct arena arena = {0};
    char *model = arena_printf(&arena, "model m\nparam p = 1\ncoord x\nkinetic x'^2/2\noutput y = %s\n", text);
    struct compile *c = compile_memory("show.mbs", model, strlen(model), NULL, COMPILE_MODEL);
    bool good = c->good;
    if (!good) {
        printf("# %s\n%s", text, compile_messages(c));
    } else {
        double got = value(c->pool, r->at, c->model->output.at[0].value);
        good = fabs(got - want) <= 1e-9 * fmax(1, fabs(want));
        if (!good)
            printf("# %s: %.17g, read again %.17g\n", text, want, got);
    }
    compile_free(c);
    arena_free(&arena);
    return good;
}

int main(void)
{
    struct random r = {.seed = 99};
    int wrong = 0, n = 0;
    while (n < 600) {
        random_reset(&r);
        random_start(&r);
        struct rexpr x = random_expr(&r, 2 + random_below(&r, 4));
        if (!(r.largest < 1e4Q) || is_condition(r.pool, x.e) || !is_language(r.pool, x.e))
            continue;
        n++;
        char *text = expr_show(r.pool, x.e);
        wrong += !read_again(&r, text, value(r.pool, r.at, x.e));
        free(text);
    }
    pool_free(r.pool);
    ok(wrong == 0, "%d expressions written and read again: %d wrong", n, wrong);
    return tap_done();
}
#endif
