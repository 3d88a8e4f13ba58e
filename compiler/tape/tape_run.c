/* SPDX-License-Identifier: GPL-3.0-or-later
 * An interpreter of tapes, for tests: it shows that the program means what the expressions mean. */
#include "base/arena.h"
#include "tape/tape.h"

#include <math.h>
#include <stdlib.h>

static double apply(enum expr_op op, double a, double b, double c)
{
    switch (op) {
    case EXPR_SIN: return sin(a);
    case EXPR_COS: return cos(a);
    case EXPR_TAN: return tan(a);
    case EXPR_ASIN: return asin(a);
    case EXPR_ACOS: return acos(a);
    case EXPR_ATAN: return atan(a);
    case EXPR_ATAN2: return atan2(a, b);
    case EXPR_SINH: return sinh(a);
    case EXPR_COSH: return cosh(a);
    case EXPR_TANH: return tanh(a);
    case EXPR_EXP: return exp(a);
    case EXPR_LOG: return log(a);
    case EXPR_ABS: return fabs(a);
    case EXPR_SIGN: return (a > 0) - (a < 0);
    case EXPR_FLOOR: return floor(a);
    case EXPR_MIN: return fmin(a, b);
    case EXPR_MAX: return fmax(a, b);
    case EXPR_LT: return a < b;
    case EXPR_LE: return a <= b;
    case EXPR_EQ: return a == b;
    case EXPR_AND: return a != 0 && b != 0;
    case EXPR_OR: return a != 0 || b != 0;
    case EXPR_NOT: return a == 0;
    case EXPR_IF: return a != 0 ? b : c;
    case EXPR_POW: return pow(a, b);
    case EXPR_NUM: case EXPR_SYM: case EXPR_ADD: case EXPR_MUL: case EXPR_CALL: case EXPR_HOLD: break;
    }
    abort();
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
