/* SPDX-License-Identifier: GPL-3.0-or-later
 * Sequential quadratic programming, for builds without NLopt: a quadratic model of the Lagrangian, kept by damped BFGS updates (Powell 1978), is made least
 * between the linearised conditions and the bounds; the way there is shortened until the aim with the violations, weighed by the multipliers, becomes less
 * (Han 1977).  The quadratic problem becomes one of least distance and that one least squares with unknowns of one sign (Lawson, Hanson 1974, chapter 23), whose
 * linear problems are GSL's.  Numbers of variables are small here: matrices are dense and are factored anew. */
#include "config.h"
#ifdef HAVE_GSL
#include "study/sqp.h"

#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct work {
    const struct sqp *s;
    int n, rows;                        /* rows of the quadratic problem: conditions, then lower and upper bounds */
    double *scale;                      /* variables are x/scale in here */
    double *value, *slope;              /* at x */
    double *new_value, *new_slope, *new_x, *old_gradient;
    double *B, *L;                      /* of the model, and its Cholesky factor */
    double *G, *h, *w;                  /* least |z| with G z >= h; z = L'd + w */
    double *E, *u, *residual, *pull;    /* E u = e, u >= 0 */
    bool *passive;
    double *A, *tau, *b, *trial, *rest; /* of GSL's least squares */
    double *step, *factor, *weight;     /* d; multipliers of all rows; weights of the conditions */
};

/* ---- least squares ---- */

/* min |E u - e|, e the last unit vector, over the columns that are passive. */
static void solve_passive(struct work *w)
{
    int m = w->n + 1, k = 0;
    for (int j = 0; j < w->rows; j++)
        k += w->passive[j];
    gsl_matrix_view A = gsl_matrix_view_array(w->A, (size_t)m, (size_t)k);
    gsl_vector_view tau = gsl_vector_view_array(w->tau, (size_t)k), b = gsl_vector_view_array(w->b, (size_t)m), x = gsl_vector_view_array(w->trial, (size_t)k),
                    rest = gsl_vector_view_array(w->rest, (size_t)m);
    for (int j = 0, c = 0; j < w->rows; j++) {
        if (!w->passive[j])
            continue;
        for (int i = 0; i < m; i++)
            w->A[i * k + c] = w->E[i * w->rows + j];
        c++;
    }
    memset(w->b, 0, (size_t)m * sizeof *w->b);
    w->b[m - 1] = 1;
    gsl_linalg_QR_decomp(&A.matrix, &tau.vector);
    gsl_linalg_QR_lssolve(&A.matrix, &tau.vector, &b.vector, &x.vector, &rest.vector);
    for (int j = w->rows - 1, c = k - 1; j >= 0; j--)
        w->trial[j] = w->passive[j] ? w->trial[c--] : 0;
}

/* Lawson and Hanson's NNLS; leaves u and the residual E u - e. */
static bool solve_positive(struct work *w)
{
    int m = w->n + 1;
    double norm = 1;
    for (int i = 0; i < m * w->rows; i++)
        norm = fmax(norm, fabs(w->E[i]));
    memset(w->u, 0, (size_t)w->rows * sizeof *w->u);
    memset(w->passive, 0, (size_t)w->rows * sizeof *w->passive);
    for (int turn = 0, size = 0; turn < 3 * w->rows + 30; turn++) {
        for (int i = 0; i < m; i++) {
            w->residual[i] = i == m - 1 ? -1 : 0;
            for (int j = 0; j < w->rows; j++)
                w->residual[i] += w->E[i * w->rows + j] * w->u[j];
        }
        int enter = -1;
        double most = 1e-13 * norm;
        for (int j = 0; j < w->rows; j++) {
            w->pull[j] = 0;
            for (int i = 0; i < m; i++)
                w->pull[j] -= w->E[i * w->rows + j] * w->residual[i];
            if (!w->passive[j] && w->pull[j] > most)
                most = w->pull[j], enter = j;
        }
        if (enter < 0 || size == m)
            return true;
        w->passive[enter] = true;
        size++;
        for (bool inside = false; !inside;) {
            double way = 1;
            int leave = -1;
            solve_passive(w);
            for (int j = 0; j < w->rows; j++) {
                if (!isfinite(w->trial[j]))
                    return false;
                if (w->passive[j] && w->trial[j] <= 0 && w->u[j] / (w->u[j] - w->trial[j]) < way)
                    way = w->u[j] / (w->u[j] - w->trial[j]), leave = j;
                else if (w->passive[j] && w->trial[j] <= 0 && w->u[j] == 0)
                    way = 0, leave = j;
            }
            inside = leave < 0;
            for (int j = 0; j < w->rows; j++)
                w->u[j] = inside ? w->trial[j] : w->u[j] + way * (w->trial[j] - w->u[j]);
            for (int j = 0; j < w->rows && !inside; j++)
                if (w->passive[j] && (j == leave || w->u[j] <= 0))
                    w->u[j] = 0, w->passive[j] = false, size--;
            if (size == 0)
                return false;   /* the column that entered has left at once: rounding */
        }
    }
    return true;
}

/* ---- the quadratic problem ---- */

static bool factor_model(struct work *w)
{
    for (int i = 0; i < w->n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = w->B[i * w->n + j];
            for (int k = 0; k < j; k++)
                sum -= w->L[i * w->n + k] * w->L[j * w->n + k];
            if (i == j && !(sum > 0))
                return false;
            w->L[i * w->n + j] = i == j ? sqrt(sum) : sum / w->L[j * w->n + j];
        }
    return true;
}

static void forward(const struct work *w, double *x)
{
    for (int i = 0; i < w->n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= w->L[i * w->n + k] * x[k];
        x[i] /= w->L[i * w->n + i];
    }
}

/* Conditions that are violated are to be met but for the part `left` of them. */
static bool solve_quadratic(struct work *w, const double *x, double left)
{
    int n = w->n, conditions = w->s->conditions;
    for (int k = 0; k < n; k++)
        w->w[k] = w->slope[k];
    forward(w, w->w);
    for (int r = 0; r < w->rows; r++) {
        double *row = w->G + r * n;
        int k = r < conditions ? -1 : (r - conditions) % n;
        bool upper = r >= conditions + n;
        memset(row, 0, (size_t)n * sizeof *row);
        if (k < 0) {
            memcpy(row, w->slope + (r + 1) * n, (size_t)n * sizeof *row);
            w->h[r] = w->value[r + 1] > 0 ? (1 - left) * w->value[r + 1] : w->value[r + 1];
        } else if (isfinite(upper ? w->s->high[k] : w->s->low[k])) {
            row[k] = upper ? 1 : -1;
            w->h[r] = fmin(0, upper ? x[k] - w->s->high[k] / w->scale[k] : w->s->low[k] / w->scale[k] - x[k]);
        } else {
            w->h[r] = 0;        /* 0 >= 0 */
        }
        forward(w, row);
        for (int i = 0; i < n; i++)
            row[i] = -row[i], w->h[r] += row[i] * w->w[i];
        for (int i = 0; i < n; i++)
            w->E[i * w->rows + r] = row[i];
        w->E[n * w->rows + r] = w->h[r];
    }
    if (!solve_positive(w) || !(-w->residual[n] > 1e-12))
        return false;
    for (int k = 0; k < n; k++)
        w->step[k] = -w->residual[k] / w->residual[n] - w->w[k];
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            w->step[i] -= w->L[k * n + i] * w->step[k];
        w->step[i] /= w->L[i * n + i];
    }
    for (int r = 0; r < w->rows; r++)
        w->factor[r] = -w->u[r] / w->residual[n];
    for (int k = 0; k < n; k++)
        if (!isfinite(w->step[k]))
            return false;
    return true;
}

/* ---- the search ---- */

static bool evaluate(struct work *w, const double *x, double *value, double *slope)
{
    for (int k = 0; k < w->n; k++)      /* a bound is met to the last digit */
        w->rest[k] = fmin(w->s->high[k], fmax(w->s->low[k], x[k] * w->scale[k]));
    bool good = w->s->evaluate(w->s->user, w->rest, value, slope);
    for (int i = 0; i <= w->s->conditions && good; i++)
        for (int k = 0; k < w->n; k++)
            slope[i * w->n + k] *= w->scale[k];
    return good;
}

static double violations(const struct work *w, const double *value)
{
    double sum = 0;
    for (int i = 0; i < w->s->conditions; i++)
        sum += w->weight[i] * fmax(0, value[i + 1]);
    return sum;
}

/* The slope of the Lagrangian without the bounds, whose slope does not change. */
static void gradient(const struct work *w, const double *slope, double *out)
{
    for (int k = 0; k < w->n; k++) {
        out[k] = slope[k];
        for (int i = 0; i < w->s->conditions; i++)
            out[k] += w->factor[i] * slope[(i + 1) * w->n + k];
    }
}

static void reset_model(struct work *w)
{
    for (int i = 0; i < w->n * w->n; i++)
        w->B[i] = i % (w->n + 1) == 0;
}

/* With the step as taken, and the slopes at both of its ends. */
static void update_model(struct work *w)
{
    int n = w->n;
    double *y = w->new_x, *Bs = w->old_gradient, sy = 0, sBs = 0;
    gradient(w, w->slope, y);
    for (int i = 0; i < n; i++)
        y[i] -= w->old_gradient[i];
    for (int i = 0; i < n; i++) {
        Bs[i] = 0;
        for (int j = 0; j < n; j++)
            Bs[i] += w->B[i * n + j] * w->step[j];
        sy += y[i] * w->step[i];
        sBs += Bs[i] * w->step[i];
    }
    if (!(sBs > 0))
        return;
    double part = sy >= 0.2 * sBs ? 1 : 0.8 * sBs / (sBs - sy);
    sy = part * sy + (1 - part) * sBs;
    for (int i = 0; i < n; i++)
        y[i] = part * y[i] + (1 - part) * Bs[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w->B[i * n + j] += y[i] * y[j] / sy - Bs[i] * Bs[j] / sBs;
}

static bool quadratic_step(struct work *w, const double *x)
{
    static const double left[] = {0, 0.5, 0.9, 0.99, 1};        /* conditions may contradict each other where they are linear */
    if (!factor_model(w)) {
        reset_model(w);
        factor_model(w);
    }
    for (int i = 0; i < 5; i++)
        if (solve_quadratic(w, x, left[i]))
            return true;
    return false;
}

static enum sqp_end search(struct work *w, double *x)
{
    int n = w->n, conditions = w->s->conditions;
    bool fresh = true;
    reset_model(w);
    if (!evaluate(w, x, w->value, w->slope))
        return SQP_FOUND;
    for (long runs = 1; runs < w->s->most && !(w->s->stopped && w->s->stopped(w->s->user));) {
        double fall = 0, longest = 0, off = 0;
        if (!quadratic_step(w, x)) {
            if (fresh)
                return SQP_FOUND;
            reset_model(w);
            fresh = true;
            continue;
        }
        for (int k = 0; k < n; k++) {
            fall += w->slope[k] * w->step[k];
            longest = fmax(longest, fabs(w->step[k]));
        }
        for (int i = 0; i < conditions; i++) {
            w->weight[i] = fmax(w->factor[i], (w->weight[i] + w->factor[i]) / 2);
            off = fmax(off, w->value[i + 1]);
        }
        fall -= violations(w, w->value);
        double now = w->value[0] + violations(w, w->value), part = 1;
        bool better = false;
        if (off <= 1e-8 && (longest < 1e-7 || fabs(fall) <= 1e-10 * fabs(w->value[0])))
            return SQP_FOUND;
        gradient(w, w->slope, w->old_gradient);
        for (int turn = 0; turn < 12 && !better && runs < w->s->most; turn++, runs++) {
            for (int k = 0; k < n; k++)
                w->new_x[k] = x[k] + part * w->step[k];
            bool good = evaluate(w, w->new_x, w->new_value, w->new_slope);
            double then = good ? w->new_value[0] + violations(w, w->new_value) : INFINITY;
            better = then <= now + 0.1 * part * fmin(fall, 0);
            if (!better && good) {      /* the parabola through both values with the slope */
                double bend = 2 * (then - now - part * fall);
                part *= fmin(0.5, fmax(0.1, bend > 0 ? -part * fall / bend : 0.5));
            } else if (!better) {
                part *= 0.25;
            }
        }
        if (!better && runs >= w->s->most)
            break;
        if (!better && fresh)
            return SQP_FOUND;   /* as far as the digits of the aim reach */
        if (!better) {
            reset_model(w);
            fresh = true;
            continue;
        }
        for (int k = 0; k < n; k++)
            w->step[k] = w->new_x[k] - x[k], x[k] = w->new_x[k];
        memcpy(w->value, w->new_value, (size_t)(conditions + 1) * sizeof *w->value);
        memcpy(w->slope, w->new_slope, (size_t)((conditions + 1) * n) * sizeof *w->slope);
        update_model(w);
        fresh = false;
    }
    return SQP_CUT;
}

enum sqp_end sqp_least(const struct sqp *s, double *x)
{
    size_t n = (size_t)s->n, all = (size_t)s->conditions + 1, rows = all - 1 + 2 * n, m = n + 1;
    struct work w = {.s = s, .n = s->n, .rows = (int)rows};
    struct { double **at; size_t size; } room[] = {
        {&w.scale, n}, {&w.value, all}, {&w.slope, all * n}, {&w.new_value, all}, {&w.new_slope, all * n}, {&w.new_x, n}, {&w.old_gradient, n}, {&w.B, n * n}, {&w.L, n * n},
        {&w.G, rows * n}, {&w.h, rows}, {&w.w, n}, {&w.E, m * rows}, {&w.u, rows}, {&w.residual, m}, {&w.pull, rows}, {&w.A, m * m}, {&w.tau, m}, {&w.b, m},
        {&w.trial, rows + m}, {&w.rest, m}, {&w.step, n}, {&w.factor, rows}, {&w.weight, all},
    };
    size_t total = 0;
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        total += room[i].size;
    double *block = calloc(total, sizeof *block), *at = block;
    w.passive = calloc(rows, sizeof *w.passive);
    enum sqp_end end = SQP_NO_MEMORY;
    if (block && w.passive) {
        for (size_t i = 0; i < sizeof room / sizeof *room; at += room[i++].size)
            *room[i].at = at;
        for (int k = 0; k < s->n; k++) {
            double reach = s->high[k] - s->low[k];
            w.scale[k] = isfinite(reach) ? reach / 2 : fmax(fabs(x[k]), 1);
            x[k] /= w.scale[k];
        }
        end = search(&w, x);
        for (int k = 0; k < s->n; k++)
            x[k] = fmin(s->high[k], fmax(s->low[k], x[k] * w.scale[k]));
    }
    free(block);
    free(w.passive);
    return end;
}
#endif
