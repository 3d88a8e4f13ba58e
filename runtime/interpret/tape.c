/* SPDX-License-Identifier: MIT
 *
 * Programs: read, checked, run.  Operands are earlier rows, whose values stand in w; a program that was read cannot reach beyond its
 * arrays whatever its file says. */
#include "interpret/tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW_NUMBER, ROW_CONSTANT, ROW_P, ROW_T, ROW_Q, ROW_V, ROW_A, ROW_LAMBDA, ROW_MU, ROW_Z, ROW_U,
    ROW_PLUS, ROW_MINUS, ROW_TIMES, ROW_OVER, ROW_NEG, ROW_SQRT, ROW_SPLINE, ROW_POWER, ROW_IF,
#define OP(name, text, args, c, calls)
#define TEST(name, text, args, symmetry, latex, value) ROW_OF_##name,
#define FUNCTION(name, text, args, c, symmetry, calls, price, latex, units, domain, value, by_x, by_y) ROW_OF_##name,
#include "mbs/ops.def"
#undef OP
#undef TEST
#undef FUNCTION
    ROWS
};

/* operands: how many rows, or -1: it loads */
static const struct { const char *name; int op, operands; } known[] = {
    {"number", ROW_NUMBER, -1}, {"constant", ROW_CONSTANT, -1}, {"p", ROW_P, -1}, {"t", ROW_T, -1}, {"q", ROW_Q, -1}, {"v", ROW_V, -1}, {"a", ROW_A, -1},
    {"lambda", ROW_LAMBDA, -1}, {"mu", ROW_MU, -1}, {"z", ROW_Z, -1}, {"u", ROW_U, -1},
    {"+", ROW_PLUS, 2}, {"-", ROW_MINUS, 2}, {"*", ROW_TIMES, 2}, {"/", ROW_OVER, 2}, {"neg", ROW_NEG, 1}, {"sqrt", ROW_SQRT, 1}, {"spline", ROW_SPLINE, 1},
    {"^", ROW_POWER, 2}, {"if", ROW_IF, 3},
#define OP(name, text, args, c, calls)
#define TEST(name, text, args, symmetry, latex, value) {text, ROW_OF_##name, args},
#define FUNCTION(name, text, args, c, symmetry, calls, price, latex, units, domain, value, by_x, by_y) {text, ROW_OF_##name, args},
#include "mbs/ops.def"
#undef OP
#undef TEST
#undef FUNCTION
};
enum { KNOWN = sizeof known / sizeof *known };

/* ---- reading ---- */

static int whole(const struct mbs_value *v) { return v->kind == MBS_VALUE_NUMBER && fabs(v->as.number) < 1e9 ? (int)v->as.number : -2; }

static const struct mbs_value *part(const struct mbs_text *t, const char *name, const char *what, int each, int *n)
{
    char full[600];
    const struct mbs_value *v;

    snprintf(full, sizeof full, "%s_%s", name, what);
    v = mbs_text_list(t, full);
    *n = v ? v->n / each : 0;
    return v;
}

/* Which of known[] each operator of the file is; -1: a later version has made it. */
static int *operators(const struct mbs_text *t, int *n)
{
    const struct mbs_value *names = mbs_text_list(t, "operators");
    int *of = mbs_heap_get(t->heap, names ? (size_t)names->n + 1 : 1, sizeof *of);

    *n = names && of ? names->n : 0;
    for (int i = 0; i < *n; i++) {
        of[i] = -1;
        for (int k = 0; k < KNOWN; k++)
            if (names->as.item[i].kind == MBS_VALUE_STRING && !strcmp(known[k].name, names->as.item[i].as.text))
                of[i] = k;
    }
    return of;
}

static int loads_from(const struct mbs_limits *l, int op, int numbers)
{
    const int most[] = { [ROW_NUMBER] = numbers, [ROW_CONSTANT] = l->c, [ROW_P] = l->p, [ROW_T] = l->t, [ROW_Q] = l->q, [ROW_V] = l->v, [ROW_A] = l->a,
                         [ROW_LAMBDA] = l->lambda, [ROW_MU] = l->mu, [ROW_Z] = l->z, [ROW_U] = l->u };

    return most[op];
}

static int row_fits(const struct mbs_row *r, int operands, int at, const struct mbs_limits *l, int numbers)
{
    const int x[] = { r->a, r->b, r->c };

    if (operands < 0)
        return r->a >= 0 && r->a < loads_from(l, r->op, numbers);
    for (int k = 0; k < operands; k++)
        if (x[k] < 0 || x[k] >= at)
            return 0;
    if (operands < 2 && r->op != ROW_SPLINE && r->b != -1)       /* a function of one argument is told by it */
        return 0;
    return r->op != ROW_SPLINE || (r->b >= 0 && r->b < l->tables && l->table[r->b].n > 1 && r->c >= 0);
}

static const char *read_rows(struct mbs_tape *p, const struct mbs_text *t, const char *name, const struct mbs_limits *l)
{
    int n, numbers, count;
    const struct mbs_value *v = part(t, name, "numbers", 1, &numbers), *rows = part(t, name, "rows", 4, &n);
    const int *of = operators(t, &count);

    p->row = mbs_heap_get(t->heap, (size_t)n + 1, sizeof *p->row);
    p->number = mbs_heap_get(t->heap, (size_t)numbers + 1, sizeof *p->number);
    if (!p->row || !p->number || !of)
        return "out of memory";
    for (int i = 0; i < numbers; i++)
        p->number[i] = v->as.item[i].kind == MBS_VALUE_NUMBER ? v->as.item[i].as.number : (double)NAN;
    for (int i = 0; i < n; i++) {
        const struct mbs_value *x = rows->as.item + 4 * i;
        int op = whole(x);
        if (op < 0 || op >= count || of[op] < 0)
            return "it has an operator that this version does not know";
        p->row[i] = (struct mbs_row){ known[of[op]].op, whole(x + 1), whole(x + 2), whole(x + 3) };
        if (!row_fits(&p->row[i], known[of[op]].operands, i, l, numbers))
            return "a row has an operand that is not there";
    }
    p->rows = n;
    return NULL;
}

static const char *read_rest(struct mbs_tape *p, const struct mbs_text *t, const char *name, const struct mbs_limits *l)
{
    const struct mbs_value *sections = part(t, name, "sections", 3, &p->sections), *outs = part(t, name, "outs", 4, &p->outs);

    p->part = mbs_heap_get(t->heap, (size_t)p->sections + 1, sizeof *p->part);
    p->out = mbs_heap_get(t->heap, (size_t)p->outs + 1, sizeof *p->out);
    if (!p->part || !p->out)
        return "out of memory";
    for (int i = 0; i < p->sections; i++) {
        const struct mbs_value *x = sections->as.item + 3 * i;
        p->part[i] = (struct mbs_section){ whole(x), whole(x + 1), whole(x + 2) };
        if (p->part[i].begin < 0 || p->part[i].begin > p->part[i].end || p->part[i].end > p->rows)
            return "a section has rows that are not there";
    }
    for (int i = 0; i < p->outs; i++) {
        const struct mbs_value *x = outs->as.item + 4 * i;
        struct mbs_out *o = &p->out[i];
        *o = (struct mbs_out){ whole(x), whole(x + 1), whole(x + 2), whole(x + 3) };
        if (o->array < 0 || o->array >= l->arrays || o->index < 0 || o->index >= l->length[o->array] || o->row < 0 || o->row >= p->rows)
            return "an output has no place";
    }
    return NULL;
}

/* Every number that a function gives is written: what it leaves out would be whatever was there before. */
static const char *covers_all(const struct mbs_tape *p, const struct mbs_limits *l)
{
    size_t all = 0, seen = 0, *first = calloc((size_t)l->arrays + 1, sizeof *first);
    unsigned char *written = NULL;

    for (int k = 0; first && k < l->arrays; k++) {
        first[k] = all;
        all += (size_t)l->length[k];
    }
    if (first)
        written = calloc(all + 1, 1);
    for (int i = 0; written && i < p->outs; i++) {
        unsigned char *at = &written[first[p->out[i].array] + (size_t)p->out[i].index];
        seen += !*at;
        *at = 1;
    }
    const char *why = !written ? "out of memory" : seen < all ? "an output is missing" : NULL;
    free(first);
    free(written);
    return why;
}

const char *mbs_tape_read(struct mbs_tape *p, const struct mbs_text *t, const char *name, const struct mbs_limits *l)
{
    const char *why = read_rows(p, t, name, l);

    why = why ? why : read_rest(p, t, name, l);
    return why || !l->whole ? why : covers_all(p, l);
}

/* ---- running ---- */

/* Cubic between its knots, straight beyond them; as the spline of generated C. */
static double spline(const struct mbs_spline *t, int order, double x)
{
    int n = t->n, i = 0, j = n - 1;
    const double *k = t->knots, *y = k + n, *m = y + n, at = x < k[0] ? k[0] : x > k[n - 1] ? k[n - 1] : x;
    double h, a, b, slope;

    while (j - i > 1) {
        const int mid = (i + j) / 2;
        if (at < k[mid])
            j = mid;
        else
            i = mid;
    }
    h = k[j] - k[i];
    a = (k[j] - at) / h;
    b = (at - k[i]) / h;
    slope = (y[j] - y[i]) / h + ((3 * b * b - 1) * m[j] - (3 * a * a - 1) * m[i]) * h / 6;
    if (order == 0)
        return a * y[i] + b * y[j] + ((a * a - 1) * a * m[i] + (b * b - 1) * b * m[j]) * h * h / 6 + slope * (x - at);
    if (order == 1)
        return slope;
    if (order > 3 || x < k[0] || x > k[n - 1])
        return x - x;
    return order == 2 ? a * m[i] + b * m[j] : (m[j] - m[i]) / h;
}

#define M(name) name
#define RE(x) (x)
#define OP(name, text, args, c, calls)
#define TEST(name, text, args, symmetry, latex, value) case ROW_OF_##name: return value;
#define FUNCTION(name, text, args, c, symmetry, calls, price, latex, units, domain, value, by_x, by_y) case ROW_OF_##name: return value;
static double function(int op, double x, double y)
{
    switch (op) {
#include "mbs/ops.def"
    }
    return NAN;
}
#undef M
#undef RE
#undef OP
#undef TEST
#undef FUNCTION

static double apply(const struct mbs_row *r, const struct mbs_spline *table, const double *w)
{
    if (r->op == ROW_POWER)
        return pow(w[r->a], w[r->b]);
    if (r->op == ROW_IF)
        return w[r->a] != 0 ? w[r->b] : w[r->c];
    if (r->op == ROW_SPLINE)
        return spline(&table[r->b], r->c, w[r->a]);
    return function(r->op, w[r->a], r->b < 0 ? 0 : w[r->b]);
}

static void run_rows(const struct mbs_tape *t, const struct mbs_section *s, const struct mbs_spline *table, const double *c, const double *p,
                     const struct mbs_state *x, double *w)
{
    const struct mbs_row *row = t->row;

    for (int i = s->begin; i < s->end; i++) {
        const struct mbs_row *r = row + i;
        switch (r->op) {
        case ROW_NUMBER: w[i] = t->number[r->a]; break;
        case ROW_CONSTANT: w[i] = c[r->a]; break;
        case ROW_P: w[i] = p[r->a]; break;
        case ROW_T: w[i] = x->t; break;
        case ROW_Q: w[i] = x->q[r->a]; break;
        case ROW_V: w[i] = x->v[r->a]; break;
        case ROW_A: w[i] = x->a[r->a]; break;
        case ROW_LAMBDA: w[i] = x->lambda[r->a]; break;
        case ROW_MU: w[i] = x->mu[r->a]; break;
        case ROW_Z: w[i] = x->z[r->a]; break;
        case ROW_U: w[i] = x->u[r->a]; break;
        case ROW_PLUS: w[i] = w[r->a] + w[r->b]; break;
        case ROW_MINUS: w[i] = w[r->a] - w[r->b]; break;
        case ROW_TIMES: w[i] = w[r->a] * w[r->b]; break;
        case ROW_OVER: w[i] = w[r->a] / w[r->b]; break;
        case ROW_NEG: w[i] = -w[r->a]; break;
        case ROW_SQRT: w[i] = sqrt(w[r->a]); break;
        case ROW_OF_SIN: w[i] = sin(w[r->a]); break;
        case ROW_OF_COS: w[i] = cos(w[r->a]); break;
        default: w[i] = apply(r, table, w);
        }
    }
}

static int is_wanted(const struct mbs_tape *t, int section, double *const *array)
{
    if (section == 0)
        return 1;
    for (int i = 0; i < t->outs; i++)
        if (t->out[i].section == section && array[t->out[i].array])
            return 1;
    return 0;
}

void mbs_tape_run(const struct mbs_tape *t, const struct mbs_spline *table, const double *c, const double *p, const struct mbs_state *x, double *const *array,
                  double *w)
{
    int wanted = -1, good = 0;

    for (int i = 0; i < t->sections; i++)
        if (is_wanted(t, t->part[i].section, array))
            run_rows(t, &t->part[i], table, c, p, x, w);
    for (int i = 0; i < t->outs; i++) {
        const struct mbs_out *o = &t->out[i];
        if (o->section != wanted) {
            wanted = o->section;
            good = is_wanted(t, wanted, array);
        }
        if (good && array[o->array])
            array[o->array][o->index] = w[o->row];
    }
}

/* ---- what values are made of ---- */

static int operands_of(int op)
{
    for (int k = 0; k < KNOWN; k++)
        if (known[k].op == op)
            return known[k].operands;
    return 0;
}

/* The symbol that a row loads; -1: a number, a constant or a multiplier of another use. */
static int symbol_of(const struct mbs_row *r, const struct mbs_reads *at)
{
    switch (r->op) {
    case ROW_P: return at->p + r->a;
    case ROW_T: return at->t;
    case ROW_Q: return at->q + r->a;
    case ROW_V: return at->v + r->a;
    case ROW_A: return at->a + r->a;
    case ROW_LAMBDA: return at->lambda + r->a;
    case ROW_Z: return at->z + r->a;
    case ROW_U: return at->u + r->a;
    }
    return -1;
}

void mbs_tape_depend(const struct mbs_tape *t, const struct mbs_reads *at, uint64_t *set)
{
    size_t words = (size_t)at->words;

    for (int i = 0; i < t->rows; i++) {
        const struct mbs_row *r = &t->row[i];
        const int from[] = { r->a, r->b, r->c };
        uint64_t *to = set + (size_t)i * words;
        int operands = operands_of(r->op), symbol = operands < 0 ? symbol_of(r, at) : -1;
        memset(to, 0, words * sizeof *to);
        if (symbol >= 0)
            to[symbol / 64] |= (uint64_t)1 << symbol % 64;
        for (size_t k = 0; r->op == ROW_CONSTANT && k < words; k++)
            to[k] = at->constant[(size_t)r->a * words + k];
        for (int j = 0; j < operands; j++)
            for (size_t k = 0; k < words; k++)
                to[k] |= set[(size_t)from[j] * words + k];
    }
}
