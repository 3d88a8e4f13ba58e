/* SPDX-License-Identifier: GPL-3.0-or-later
 * The trigonometric normal form, on what an expert knows by heart.  Equality is exact: handles. */
#include "expr/expr.h"
#include "../tap.h"

#include <stdlib.h>

static struct pool *p;
static Expr x, y, vx, vy, a, b;

static Expr sine(Expr e) { return expr_fn1(p, EXPR_SIN, e); }
static Expr cosine(Expr e) { return expr_fn1(p, EXPR_COS, e); }
static Expr square(Expr e) { return expr_powi(p, e, 2); }

static void same(Expr got, Expr want, const char *what)
{
    char *g = got ? expr_show(p, got) : NULL, *w = expr_show(p, want);
    ok(got == want, "%s: %s", what, g ? g : "none");
    if (got != want)
        printf("# expected %s\n", w);
    free(g);
    free(w);
}

int main(void)
{
    p = pool_new();
    x = expr_sym(p, SYM_Q, 0, "x");
    y = expr_sym(p, SYM_Q, 1, "y");
    vx = expr_sym(p, SYM_V, 0, "x'");
    vy = expr_sym(p, SYM_V, 1, "y'");
    a = expr_sym(p, SYM_PARAM, 0, "a");
    b = expr_sym(p, SYM_PARAM, 1, "b");

    same(trig_normal(p, expr_add(p, square(sine(x)), square(cosine(x))), 50), p->one, "sin^2 + cos^2");
    Expr xy = expr_add(p, x, y);
    same(trig_normal(p, expr_add(p, expr_mul(p, sine(x), sine(xy)), expr_mul(p, cosine(x), cosine(xy))), 50), cosine(y),
         "cos of a difference");
    same(trig_normal(p, expr_sub(p, expr_mul(p, sine(xy), cosine(x)), expr_mul(p, cosine(xy), sine(x))), 50), sine(y),
         "sin of a difference");

    /* |d/dt (a e^(ix) - b e^(i(x+y)))|^2, the second body of the squeezer */
    Expr px = expr_sub(p, expr_mul(p, a, cosine(x)), expr_mul(p, b, cosine(xy)));
    Expr py = expr_sub(p, expr_mul(p, a, sine(x)), expr_mul(p, b, sine(xy)));
    struct direction *d = direction_new(p, 2, (Expr[]){x, y}, (Expr[]){vx, vy});
    Expr n2 = expr_add(p, square(direction_diff(d, px)), square(direction_diff(d, py)));
    Expr form = trig_normal(p, n2, 50);
    direction_free(d);
    Expr m11 = expr_mul(p, p->half, expr_diff(p, expr_diff(p, form, vx), vx));
    Expr ab = expr_product(p, 4, (Expr[]){expr_int(p, -2), a, b, cosine(y)});
    same(m11, expr_sum(p, 3, (Expr[]){square(a), square(b), ab}), "coefficient of x'^2");
    Expr m22 = expr_mul(p, p->half, expr_diff(p, expr_diff(p, form, vy), vy));
    same(m22, square(b), "coefficient of y'^2");

    /* too many terms: no form rather than a huge one */
    Expr big = p->one;
    for (int i = 0; i < 12; i++)
        big = expr_mul(p, big, expr_add(p, cosine(expr_mul(p, expr_int(p, i + 2), x)), sine(expr_add(p, y, expr_mul(p, expr_int(p, i), x)))));
    ok(trig_normal(p, big, 100) == 0, "a form beyond the limit is refused");
    pool_free(p);
    return tap_done();
}
