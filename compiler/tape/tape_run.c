/* SPDX-License-Identifier: GPL-3.0-or-later
 * An interpreter of tapes, for tests: it shows that the program means what the expressions mean. */
#include "base/arena.h"
#include "tape/tape.h"

#include <math.h>
#include <stdlib.h>

static double apply(enum expr_op op, double a, double b, double c)
{
    return op == EXPR_IF ? a != 0 ? b : c : op == EXPR_POW ? pow(a, b) : op_value(op, a, b);
}

void tape_run(const struct tape *t, const struct pool *p, const double *c, const double *const val[], double *out)
{
    double *x = mem_grow(NULL, (size_t)t->rows + 1, sizeof *x);
    (void)p;
    for (int i = 0; i < t->rows; i++) {
        const struct tape_row *r = &t->row[i];
        switch (r->op) {
        case TAPE_NUM: x[i] = t->num[r->a]; break;
        case TAPE_SYM: x[i] = val[r->a][r->b]; break;
        case TAPE_CONST: x[i] = c[r->a]; break;
        case TAPE_ADD: x[i] = x[r->a] + x[r->b]; break;
        case TAPE_SUB: x[i] = x[r->a] - x[r->b]; break;
        case TAPE_MUL: x[i] = x[r->a] * x[r->b]; break;
        case TAPE_DIV: x[i] = x[r->a] / x[r->b]; break;
        case TAPE_NEG: x[i] = -x[r->a]; break;
        case TAPE_SQRT: x[i] = sqrt(x[r->a]); break;
        case TAPE_FN: x[i] = apply((enum expr_op)r->fn, x[r->a], r->b < 0 ? 0 : x[r->b], r->c < 0 ? 0 : x[r->c]); break;
        case TAPE_CALL: x[i] = NAN; break;      /* tests of tapes have no tables and externs */
        }
    }
    for (int i = 0; i < t->outs; i++)
        out[i] = x[t->out[i].row];
    free(x);
}
