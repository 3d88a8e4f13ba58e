/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables: points (x, y) from a file or from the model, and the cubic spline with continuous second
 * derivative through them.  With h_i = x_{i+1} - x_i the second derivatives m_i at the knots satisfy
 *
 *     h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 ((y_{i+1}-y_i)/h_i - (y_i-y_{i-1})/h_{i-1})
 *
 * and at the ends m = 0 (natural) or, with given slopes s (clamped),
 *
 *     2 h_0 m_0 + h_0 m_1 = 6 ((y_1 - y_0)/h_0 - s_0),   and likewise at the other end
 *
 * (C. de Boor, A Practical Guide to Splines, chapter IV).  The system is diagonally dominant, so
 * elimination without pivoting is stable.
 */
#include "model/front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 1 << 20 };

struct points {
    double *x, *y;
    int n, cap;
};

static bool points_push(struct check *k, struct points *p, struct span at, double x, double y)
{
    if (p->n == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 64;
        p->x = mem_grow(p->x, (size_t)p->cap, sizeof *p->x);
        p->y = mem_grow(p->y, (size_t)p->cap, sizeof *p->y);
    }
    if (p->n && !(x > p->x[p->n - 1])) {
        diag_error(k->diags, at, "the first column of a table must increase: %g follows %g", x, p->x[p->n - 1]);
        return false;
    }
    if (p->n >= POINTS_MOST || !isfinite(x) || !isfinite(y)) {
        diag_error(k->diags, at, p->n >= POINTS_MOST ? "the table is too long"
                   : "a table contains finite numbers only");
        return false;
    }
    p->x[p->n] = x;
    p->y[p->n++] = y;
    return true;
}

static bool is_separator(char ch)
{
    return ch == ' ' || ch == '\t' || ch == ',' || ch == ';' || ch == '\r';
}

/* Two numbers in text[at..end); false if there are not exactly two. */
static bool line_numbers(const char *text, size_t at, size_t end, double out[2])
{
    for (int i = 0; i < 2; i++) {
        while (at < end && is_separator(text[at]))
            at++;
        char *stop;
        if (at == end || text[at] == '\n')
            return false;
        out[i] = strtod(text + at, &stop);
        size_t next = (size_t)(stop - text);
        if (next == at || next > end || (next < end && !is_separator(text[next])))
            return false;
        at = next;
    }
    while (at < end && is_separator(text[at]))
        at++;
    return at == end;
}

/* One pair a line; blanks, commas or semicolons between; '#' starts a comment; a first line that is no
 * pair of numbers is taken as the heading. */
static bool points_read(struct check *k, const struct source *f, struct points *p)
{
    bool heading = true;
    for (size_t at = 0; at < f->length;) {
        const char *newline = memchr(f->text + at, '\n', f->length - at);
        size_t line_end = newline ? (size_t)(newline - f->text) : f->length;
        const char *comment = memchr(f->text + at, '#', line_end - at);
        size_t end = comment ? (size_t)(comment - f->text) : line_end, first = at;
        while (first < end && is_separator(f->text[first]))
            first++;
        double pair[2];
        struct span span = {f, (unsigned)first, (unsigned)end};
        if (first < end && line_numbers(f->text, first, end, pair)) {
            if (!points_push(k, p, span, pair[0], pair[1]))
                return false;
            heading = false;
        } else if (first < end && !heading) {
            diag_error(k->diags, span, "a line of a table holds two numbers");
            return false;
        } else if (first < end) {
            heading = false;
        }
        at = line_end + 1;
    }
    return true;
}

static bool points_inline(struct check *k, struct scope *s, const struct ast_expr *e, struct points *p)
{
    struct value v = eval(k, s, e);
    if (!v.at)
        return false;
    if (v.rank != 2 || v.cols != 2 || !value_is_constant(k, &v)) {
        diag_error(k->diags, e->span, "a table is a list of pairs of numbers: [[x1, y1], [x2, y2], ...]");
        return false;
    }
    for (int i = 0; i < v.rows; i++) {
        struct span at = e->kind == AST_VECTOR ? e->arg[i]->span : e->span;
        if (!points_push(k, p, at, expr_value(k->pool, v.at[2 * i].e), expr_value(k->pool, v.at[2 * i + 1].e)))
            return false;
    }
    return true;
}

/* m from the tridiagonal system; slope NULL: natural.  w: n numbers of workspace. */
static void spline_solve(const struct model_table *t, const double *slope, double *w)
{
    int n = t->n;
    const double *x = t->x, *y = t->y;
    double *m = t->m;
    double diag = slope ? 2 * (x[1] - x[0]) : 1, over = slope ? x[1] - x[0] : 0;
    m[0] = slope ? 6 * ((y[1] - y[0]) / (x[1] - x[0]) - slope[0]) / diag : 0;
    w[0] = over / diag;
    for (int i = 1; i < n; i++) {
        double h = x[i] - x[i - 1], under = h, rhs;
        if (i < n - 1) {
            double next = x[i + 1] - x[i];
            diag = 2 * (h + next);
            over = next;
            rhs = 6 * ((y[i + 1] - y[i]) / next - (y[i] - y[i - 1]) / h);
        } else {
            diag = slope ? 2 * h : 1;
            under = slope ? h : 0;
            over = 0;
            rhs = slope ? 6 * (slope[1] - (y[i] - y[i - 1]) / h) : 0;
        }
        double pivot = diag - under * w[i - 1];
        w[i] = over / pivot;
        m[i] = (rhs - under * m[i - 1]) / pivot;
    }
    for (int i = n - 1; i-- > 0;)
        m[i] -= w[i] * m[i + 1];
}

/* The clauses behind the data: natural, or clamped(slope, slope). */
static bool end_slopes(struct check *k, struct scope *s, const struct ast_stmt *stmt, bool *clamped, double slope[2])
{
    *clamped = false;
    for (int i = 1; i < stmt->item.n; i++) {
        const struct ast_item *item = &stmt->item.at[i];
        const struct ast_expr *e = item->value;
        if (item->word && !e && !strcmp(item->word, "natural"))
            continue;
        if (!e || e->kind != AST_CALL || strcmp(e->text, "clamped") || e->n != 2) {
            diag_error(k->diags, item->span, "a table ends with 'natural' or 'clamped(slope, slope)'");
            return false;
        }
        for (int j = 0; j < 2; j++) {
            struct value v = eval_scalar(k, s, e->arg[j], "a slope");
            if (!v.at)
                return false;
            if (!value_is_constant(k, &v)) {
                diag_error(k->diags, e->arg[j]->span, "a slope must be known at compile time");
                return false;
            }
            slope[j] = expr_value(k->pool, v.at[0].e);
        }
        *clamped = true;
    }
    return true;
}

struct model_table *table_read(struct check *k, struct scope *s, const struct ast_stmt *stmt, struct unit x,
                               struct unit y)
{
    const struct ast_expr *data = stmt->item.n ? stmt->item.at[0].value : NULL;
    struct points p = {0};
    struct model_table *t = NULL;
    bool clamped, good = data != NULL;
    double slope[2] = {0, 0};
    if (!data)
        diag_error(k->diags, stmt->span, "a table needs its data: a file name or = [[x, y], ...]");
    if (good && data->kind == AST_STRING) {
        const struct source *f = file_find(k, data);
        good = f && points_read(k, f, &p);
    } else if (good) {
        good = points_inline(k, s, data, &p);
    }
    if (good && p.n < 2) {
        diag_error(k->diags, data->span, "a table needs at least two points, this one has %d", p.n);
        good = false;
    }
    if (good && end_slopes(k, s, stmt, &clamped, slope)) {
        t = ARENA_NEW(k->arena, struct model_table, 1);
        t->name = stmt->name->text;
        t->n = p.n;
        t->x = arena_copy(k->arena, p.x, (size_t)p.n * sizeof *p.x);
        t->y = arena_copy(k->arena, p.y, (size_t)p.n * sizeof *p.y);
        t->m = ARENA_NEW(k->arena, double, p.n);
        for (int i = 0; i < p.n; i++) {
            t->x[i] *= x.scale.value;
            t->y[i] *= y.scale.value;
        }
        for (int j = 0; j < 2; j++)
            slope[j] *= y.scale.value / x.scale.value;
        spline_solve(t, clamped ? slope : NULL, p.y);   /* its copy is done with: workspace */
    }
    free(p.x);
    free(p.y);
    return t;
}
