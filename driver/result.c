/* SPDX-License-Identifier: GPL-3.0-or-later
 * A run kept in memory. */
#include "config.h"
#include "result.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool result_init(struct result *r, const struct mbs_model *m)
{
    int rows = m->ng + m->nh, at = 1;
    memset(r, 0, sizeof *r);
    r->model = m;
    r->q = at, at += m->nq;
    r->v = at, at += m->nq;
    r->a = at, at += m->nq;
    r->lambda = at, at += rows;
    r->z = at, at += m->nz;
    r->u = at, at += m->nu;
    r->y = at, at += m->ny;
    r->energy = at, at += 2;
    r->violation = at, at += 2;
    r->xyz = at, at += 3 * m->npoint;
    r->width = at;
    r->cap = 256;
    r->row = malloc((size_t)r->cap * (size_t)r->width * sizeof *r->row);
    return r->row != NULL;
}

void result_fini(struct result *r)
{
    free(r->row);
    r->row = NULL;
}

double *result_row(struct result *r)
{
    if (r->n == r->cap) {
        double *more = realloc(r->row, 2 * (size_t)r->cap * (size_t)r->width * sizeof *more);
        if (!more)
            return NULL;
        r->row = more;
        r->cap *= 2;
    }
    double *row = r->row + (size_t)r->n++ * (size_t)r->width;
    memset(row, 0, (size_t)r->width * sizeof *row);
    return row;
}

void result_ascend(struct result *r)
{
    size_t w = (size_t)r->width;
    if (r->n < 2 || r->row[0] <= r->row[(size_t)(r->n - 1) * w])
        return;
    for (int a = 0, b = r->n - 1; a < b; a++, b--)
        for (size_t i = 0; i < w; i++) {
            double x = r->row[(size_t)a * w + i];
            r->row[(size_t)a * w + i] = r->row[(size_t)b * w + i];
            r->row[(size_t)b * w + i] = x;
        }
}

void result_fact(struct result *r, const char *label, const char *fmt, ...)
{
    va_list ap;
    if (r->facts == (int)(sizeof r->fact / sizeof *r->fact))
        return;
    struct fact *f = &r->fact[r->facts++];
    f->label = label;
    va_start(ap, fmt);
    vsnprintf(f->value, sizeof f->value, fmt, ap);
    va_end(ap);
}
