/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interpreter in 128-bit numbers: with 34 digits, differences of the result are good to more digits
 * than a double has. */
#include "config.h"
#include "base/arena.h"
#include "expr/cone.h"
#include "expr/expr.h"

#ifdef HAVE_QUADMATH
#include <math.h>
#include <quadmath.h>
#include <stdlib.h>
#include <string.h>

static inline bool quad_same(__float128 x, __float128 y)    /* bit for bit: == of 128-bit numbers is a call */
{
    return memcmp(&x, &y, sizeof x) == 0;
}

#define NUMBER __float128
#define RE(x) (x)
#define ENV eval_env_quad
#define EVAL expr_eval_quad
#define RUN quad_run
#define FN(name) QUAD_##name
#define QUAD_powi quad_powi
#define QUAD_power quad_power
#define QUAD_node quad_node
#define QUAD_pow powq
#define QUAD_sqrt sqrtq
#define CALL(op, x, y, value) (value)
#define M(name) name##q
#define EXACT(num, den) ((__float128)(num) / (__float128)(den))
#define IS_UNIT(x, one) quad_same(x, one)
#include "expr/eval.inc"

void expr_rerun_quad(const struct pool *p, const struct eval_env_quad *env, const struct cone *cone, __float128 *val, unsigned char *dirty,
                     const __float128 *factor)
{
    for (int i = 0; i < cone->n; i++) {
        Expr e = cone->at[i];
        bool changed = dirty[e] == EVAL_NEVER;
        if (expr_op(p, e) == EXPR_SYM) {
            __float128 now = quad_node(p, env, e, val);
            changed = changed || !quad_same(now, val[e]);
            val[e] = now;
        } else {
            for (int k = 0, n = expr_args(p, e); k < n && !changed; k++)
                changed = dirty[expr_arg(p, e, k)] != 0;
            if (changed)
                val[e] = factor ? factor[e] * quad_node(p, env, e, val) : quad_node(p, env, e, val);
        }
        dirty[e] = changed;
    }
}
#endif
