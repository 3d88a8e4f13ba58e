/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The functions that a model calls, for the interpreters.  A table is the cubic spline through its points
 * with the second derivatives that the front end computed; beyond its ends it goes on straight.  Functions
 * declared `extern` exist in doubles only and give NaN here. */
#include "config.h"
#include "interpret.h"

#include <math.h>

static const struct model_table *table_of(const struct model *m, const struct fn *f)
{
    const void *data = m->pool->fn[f->root].data;
    for (int i = 0; i < m->table.n; i++)
        if (m->table.at[i] == data)
            return m->table.at[i];
    return NULL;
}

static int interval(const struct model_table *t, double x)
{
    int low = 0, high = t->n - 1;
    while (high - low > 1) {
        int mid = low + (high - low) / 2;
        if (x < t->x[mid])
            high = mid;
        else
            low = mid;
    }
    return low;
}

/* With s = x - x[i], the cubic y + s*(slope + s*(m/2 + s*third/6)). */
#define SPLINE(NUMBER, name)                                                                               \
    static NUMBER name(const struct model_table *t, int order, NUMBER x)                                   \
    {                                                                                                      \
        int i = interval(t, (double)x), last = t->n - 1;                                                   \
        bool below = x < t->x[0], above = x > t->x[last];                                                  \
        NUMBER h = (NUMBER)t->x[i + 1] - t->x[i], third = ((NUMBER)t->m[i + 1] - t->m[i]) / h;             \
        NUMBER m = t->m[i], slope = ((NUMBER)t->y[i + 1] - t->y[i]) / h - h * (2 * m + t->m[i + 1]) / 6;   \
        NUMBER at = below ? (NUMBER)t->x[0] : above ? (NUMBER)t->x[last] : x, s = at - t->x[i];            \
        NUMBER end = slope + s * (m + s * third / 2);                                                      \
        if (order == 0)                                                                                    \
            return t->y[i] + s * (slope + s * (m / 2 + s * third / 6)) + end * (x - at);                   \
        if (order == 1)                                                                                    \
            return end;                                                                                    \
        if (order > 3 || below || above)                                                                   \
            return 0;                                                                                      \
        return order == 2 ? m + s * third : third;                                                         \
    }
SPLINE(double, spline_double)

double call_double(void *model, const struct fn *f, const double *args)
{
    const struct model_table *t = table_of(model, f);
    return t ? spline_double(t, f->orders[0], args[0]) : NAN;
}

#ifdef HAVE_QUADMATH
SPLINE(__float128, spline_quad)

__float128 call_quad(void *model, const struct fn *f, const __float128 *args)
{
    const struct model_table *t = table_of(model, f);
    return t ? spline_quad(t, f->orders[0], args[0]) : (__float128)NAN;
}
#endif
