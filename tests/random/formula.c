/* SPDX-License-Identifier: GPL-3.0-or-later
 * Random formulas.  Arguments are kept inside the domains of their functions for all values of the variables, and
 * results moderate for velocities of some hundred, so that whatever evaluates them can be compared. */
#include "random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *format(const char *fmt, ...)
{
    va_list ap;
    struct text t = {0};
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    t.s = malloc((size_t)n + 1);
    if (!t.s)
        abort();
    va_start(ap, fmt);
    vsnprintf(t.s, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return t.s;
}

/* Numbers as people write them. */
static char *literal(struct draft *d)
{
    struct chance *c = &d->chance;
    switch (pick(c, 7)) {
    case 0: return format("%d", 1 + pick(c, 3));
    case 1: return format("%d/%d", 1 + pick(c, 3), 2 + pick(c, 5));
    case 2: return format("%.2g", number(c, 0.1, 0.9));
    case 3: return format("%de-1", 1 + pick(c, 9));
    case 4: return format(".%d", 1 + pick(c, 9));
    case 5: return format("%.3g", number(c, 1, 3));
    default: return format("pi/%d", 2 + pick(c, 4));
    }
}

static const char *any(struct draft *d, const struct names *list)
{
    return list->at[pick(&d->chance, list->n)];
}

char *leaf(struct draft *d, unsigned with)
{
    struct chance *c = &d->chance;
    for (int attempt = 0; attempt < 8; attempt++)
        switch (pick(c, 10)) {
        case 0: case 1: case 2: case 3:
            if (with & WITH_Q && d->coord.n)
                return format("%s", any(d, &d->coord));
            break;
        case 4: case 5:
            if (with & WITH_V && d->coord.n)
                return format("%s'", any(d, &d->coord));
            break;
        case 6:
            if (with & WITH_T)
                return format("t");
            break;
        case 7:
            if (with & WITH_P && d->param.n)
                return format("%s", any(d, &d->param));
            break;
        case 8:
            if (with & WITH_Z && d->state.n)
                return format("%s", any(d, &d->state));
            break;
        case 9:
            if (with & WITH_U && d->input.n)
                return format("%s", any(d, &d->input));
            break;
        }
    return literal(d);
}

static char *condition(struct draft *d, int depth, unsigned with)
{
    static const char *const relation[] = {"<", "<=", ">", ">="};
    struct chance *c = &d->chance;
    char *a = formula(d, depth, with), *b = literal(d), *s;
    s = format("%s %s %s", a, relation[pick(c, 4)], b);
    free(a);
    free(b);
    if (depth > 0 && one_in(c, 3)) {
        char *more = condition(d, depth - 1, with), *both = one_in(c, 2) ? format("%s and not (%s)", s, more) : format("%s or %s", s, more);
        free(more);
        free(s);
        s = both;
    }
    return s;
}

/* Functions of the table of operators, with arguments that are in every domain; those with corners apart. */
struct listed {
    const char *name;
    int args;
};
static const struct listed listed[] = {
#define OP(...)
#define TEST(...)
#define FUNCTION(op, text, args, ...) {text, args},
#include "mbs/ops.def"
#undef FUNCTION
#undef TEST
#undef OP
};

static char *any_listed(struct draft *d, const char *x, const char *y)
{
    const struct listed *f = &listed[pick(&d->chance, (int)(sizeof listed / sizeof *listed))];
    bool corner = strstr(" abs sign floor min max ", f->name) != NULL;
    if (corner && !d->corners)
        return format("%s", x);
    if (f->args == 2)
        return format("%s(0.5 + 0.4*sin(%s), 0.6 + 0.3*cos(%s))", f->name, x, y);
    return format(corner ? "%s(sin(%s))" : "%s(0.5 + 0.4*sin(%s))", f->name, x);
}

/* x and y are formulas: one of two operands. */
static char *smooth(struct draft *d, const char *x, const char *y)
{
    struct chance *c = &d->chance;
    switch (pick(c, 40)) {
    case 0: case 1: case 2: return format("(%s + %s)", x, y);
    case 3: case 4: return format("(%s - %s)", x, y);
    case 5: case 6: case 7: return format("%s*%s", x, y);
    case 8: return format("-%s", x);
    case 9: case 10: return format("sin(%s)", x);
    case 11: case 12: return format("cos(%s)", x);
    case 13: return format("tan(sin(%s)/3)", x);
    case 14: return format("asin(0.8*sin(%s))", x);
    case 15: return format("acos(0.7*cos(%s))", x);
    case 16: return format("atan(%s)", x);
    case 17: return format("atan2(%s, 1.5 + (%s)^2)", x, y);
    case 18: return format("sinh(sin(%s))", x);
    case 19: return format("cosh(cos(%s))", x);
    case 20: return format("tanh(%s)", x);
    case 21: return format("exp(sin(%s))", x);
    case 22: return format("log(2 + (%s)^2)", x);
    case 23: return format("sqrt(1.2 + (%s)^2)", x);
    case 24: return format("(1.5 + sin(%s))^cos(%s)", x, y);
    case 25: return format("(%s)^%d", x, 2 + pick(c, 2));
    case 26: return format("(1 + (%s)^2)^(%s)", x, one_in(c, 2) ? "1/3" : "-3/2");
    case 27: return format("%s/(2 + cos(%s))", x, y);
    case 28: return format("1/(1.5 + (%s)^2)", x);
    case 29: return format("norm2([%s, %s])", x, y);
    case 30: return format("norm([%s, %s, 1])", x, y);
    case 31: return format("dot([%s, 1/2], [%s, 3])", x, y);
    case 32: return format("cross([%s, 1], [2, %s])", x, y);
    case 33: return format("sum(concat([%s, %s], 0.25))", x, y);
    case 34: return format("(transpose([[1, %s], [%s, 2]])*[1, 3])[2]", x, y);
    case 35: case 36: return any_listed(d, x, y);
    case 37: return format("dot(outer([%s, 1], [2, %s])*[1, 3], diag([1, 2])*[0.5, %s])", x, y, y);
    default:
        return d->smooth.n ? format("%s(%s)", any(d, &d->smooth), x) : format("(2*%s - %s/3)", x, y);
    }
}

static char *rough(struct draft *d, int depth, unsigned with, const char *x, const char *y)
{
    struct chance *c = &d->chance;
    char *cond, *s;
    switch (pick(c, 9)) {
    case 0: return format("abs(%s)", x);
    case 1: return format("sign(%s)*%s", x, y);
    case 2: return format("min(%s, %s)", x, y);
    case 3: return format("max(%s, %s, 0.1)", x, y);
    case 4: case 5:
        cond = condition(d, depth > 1 ? depth - 2 : 0, with);
        s = format("if(%s, %s, %s)", cond, x, y);
        free(cond);
        return s;
    case 6: return format("floor(2*%s)", x);
    case 7: return format("mod(%s, 1.5)", x);
    default:
        return d->rough.n ? format("%s(%s)", any(d, &d->rough), x) : format("abs(%s)^3", x);
    }
}

char *formula(struct draft *d, int depth, unsigned with)
{
    if (depth <= 0 || one_in(&d->chance, 8))
        return leaf(d, with);
    char *x = formula(d, depth - 1, with), *y = formula(d, depth - 1, with);
    char *s = d->corners && one_in(&d->chance, 5) ? rough(d, depth, with, x, y) : smooth(d, x, y);
    free(x);
    free(y);
    return s;
}
