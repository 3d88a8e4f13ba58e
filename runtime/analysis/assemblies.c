/* SPDX-License-Identifier: MIT
 *
 * Other ways to put a mechanism together: the search of assembly.c from guesses shaken in all directions, and what
 * is found listed once.
 *
 * Two positions are one if coordinates differ by whole turns, or Euler parameters by their sign, and the model does not feel it:
 * kinetic energy, forces, velocities of constraints and points of the drawing are the same for one velocity.  (A spring that is wound
 * up by a turn is felt.) */
#include "analysis/assembly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Slides end at 1e-9, the curvature of the constraints may magnify that. */
static const double SAME = 1e-5, PI = 3.14159265358979323846;

struct survey {
    struct mbs_sim *sim;
    const struct mbs_model *model;
    double *v, *turned;         /* some velocity, and as the second position sees it */
    signed char *sign;          /* -1 where Euler parameters are those of the other sign */
    double *felt[2];
    int nfelt;
};

static int survey_init(struct survey *s, struct mbs_sim *sim)
{
    const struct mbs_model *o = sim->model;
    size_t n = (size_t)o->nq;

    *s = (struct survey){ .sim = sim, .model = o };
    s->nfelt = 1 + o->nq + o->ng + o->nh + 3 * o->npoint;
    s->v = calloc(2 * n + 2 * (size_t)s->nfelt + 1, sizeof *s->v);
    s->sign = calloc(n + 1, 1);
    if (!s->v || !s->sign)
        return MBS_NO_MEMORY;
    s->turned = s->v + n;
    s->felt[0] = s->turned + n;
    s->felt[1] = s->felt[0] + s->nfelt;
    for (int j = 0; j < o->nq; j++)
        s->v[j] = 0.7 + 0.3 * sin(1.0 + 2.3 * j);
    return 0;
}

static void survey_fini(struct survey *s)
{
    free(s->v);
    free(s->sign);
}

/* T, f, G v + gt, points at q and v; f in the signs of the first position.  Not U: a constant torque changes its level with each turn. */
static void feel(struct survey *s, const double *q, const double *v, double *out)
{
    struct mbs_problem *p = &s->sim->p;
    const struct mbs_model *o = s->model;
    struct mbs_state at = { .t = s->sim->s.x.t, .q = q, .v = v, .z = s->sim->s.x.z, .u = p->u };
    double *f = out + 1, *rows = f + o->nq, energy[2];

    mbs_eval_dynamics(p, &at, &p->dyn);
    o->energy(p->c, &at, energy, p->w);
    out[0] = energy[0];
    for (int j = 0; j < o->nq; j++)
        f[j] = s->sign[j] * p->dyn.f[j];
    if (o->ng + o->nh) {
        memcpy(rows, p->dyn.gt, (size_t)(o->ng + o->nh) * sizeof *rows);
        mbs_csc_mul(&o->G, p->dyn.G, 1, v, rows);
    }
    if (o->points)
        o->points(p->c, &at, rows + o->ng + o->nh, p->w);
}

/* Four coordinates from `from` on that may be Euler parameters and their opposite. */
static int is_opposite(const struct survey *s, const double *a, const double *b, int from)
{
    double norm = 0;

    if (from < 0 || from + 4 > s->model->nq)
        return 0;
    for (int k = from; k < from + 4; k++) {
        if (fabs(a[k] + b[k]) > SAME || s->sign[k] < 0)
            return 0;
        norm += a[k] * a[k];
    }
    return fabs(norm - 1) <= SAME;
}

/* Could b be a in other numbers?  By whole turns, by the sign of four coordinates of unit length. */
static int looks_the_same(struct survey *s, const double *a, const double *b)
{
    int n = s->model->nq;

    memset(s->sign, 1, (size_t)n);
    for (int j = 0; j < n; j++) {
        double turns = (b[j] - a[j]) / (2 * PI);
        int from = j;
        if (s->sign[j] < 0 || fabs(turns - round(turns)) * 2 * PI <= SAME * fmax(1, fabs(a[j])))
            continue;
        while (from > j - 4 && !is_opposite(s, a, b, from))     /* the first of the four may be zero, its own opposite */
            from--;
        if (from == j - 4)
            return 0;
        memset(s->sign + from, -1, 4);
    }
    return 1;
}

static int is_same(struct survey *s, const double *a, const double *b)
{
    double scale = 1;
    int n = s->model->nq;

    if (!looks_the_same(s, a, b))
        return 0;
    for (int j = 0; j < n; j++)
        s->turned[j] = s->sign[j] * s->v[j];
    feel(s, b, s->turned, s->felt[1]);
    memset(s->sign, 1, (size_t)n);
    feel(s, a, s->v, s->felt[0]);
    for (int i = 0; i < s->nfelt; i++)
        scale = fmax(scale, fabs(s->felt[0][i]));
    for (int i = 0; i < s->nfelt; i++)
        if (!(fabs(s->felt[0][i] - s->felt[1][i]) <= 10 * SAME * scale))
            return 0;
    return 1;
}

/* The same position in the numbers nearest to the guesses; `other` is workspace.  1 if it was in others. */
static int nearest_numbers(struct survey *s, const double *guess, double *x, double *other)
{
    int n = s->model->nq, moved = 0;

    for (int j = 0; j < n; j++) {
        double turns = round((x[j] - guess[j]) / (2 * PI)), norm = 0, along = 0;
        memcpy(other, x, (size_t)n * sizeof *x);
        for (int k = j; k < j + 4 && j + 4 <= n; k++) {
            norm += x[k] * x[k];
            along += x[k] * guess[k];
        }
        if (fabs(norm - 1) <= SAME && along < 0)
            for (int k = j; k < j + 4; k++)
                other[k] = -x[k];
        else
            other[j] -= 2 * PI * turns;
        if (memcmp(other, x, (size_t)n * sizeof *x) && is_same(s, x, other)) {
            memcpy(x, other, (size_t)n * sizeof *x);
            moved = 1;
        }
    }
    return moved;
}

static int add(struct survey *s, struct mbs_assemblies *out, const double *x, double distance)
{
    size_t n = (size_t)out->nq, row = n * sizeof *x;
    double *q, *d;

    for (int i = 0; i < out->count; i++)
        if (is_same(s, out->q + (size_t)i * n, x))
            return 0;
    q = realloc(out->q, (size_t)(out->count + 1) * (row + 1));
    if (q)
        out->q = q;
    d = realloc(out->distance, (size_t)(out->count + 1) * sizeof *d);
    if (d)
        out->distance = d;
    if (!q || !d)
        return MBS_NO_MEMORY;
    int i = out->count++;
    for (; i > 1 && d[i - 1] > distance; i--) {         /* by their distance, behind the first */
        d[i] = d[i - 1];
        memcpy(q + (size_t)i * n, q + (size_t)(i - 1) * n, row);
    }
    memcpy(q + (size_t)i * n, x, row);
    d[i] = distance;
    return 0;
}

/* One other start.  The slide ends elsewhere in other numbers, so that it is taken up again in the nearest. */
static int look_from(struct survey *s, struct assembly *a, struct mbs_assemblies *out, int round)
{
    int settled = 0, status = mbs_assembly_other(a, round, &settled);

    if (status == 0 && nearest_numbers(s, a->start, a->x, a->trial))
        status = mbs_assembly_slide(a, a->x, &settled);
    if (status == MBS_NO_MEMORY)
        return status;
    if (status == 0 && settled)
        return add(s, out, a->x, sqrt(mbs_assembly_distance(a, a->x)));
    out->lost++;
    return 0;
}

/* sim is assembled: the other guesses are made from the model's own. */
static int look(struct survey *s, struct mbs_assemblies *out)
{
    struct mbs_sim *sim = s->sim;
    struct mbs_point *at = &sim->s.x;
    struct assembly a;
    double residual;
    int row, status;

    if (mbs_sim_initial(sim, at->q, at->v, at->z))
        return MBS_NO_MEMORY;
    if ((status = mbs_assembly_init(&a, sim, sim->model->q_init, 0, ROWS_GUESSED)))
        return status;
    if (a.A.rows == 0)          /* nothing to meet: the guesses themselves */
        return add(s, out, at->q, 0);
    status = mbs_assembly_find(&a, &row, &residual);
    if (status == 0)
        status = add(s, out, a.x, sqrt(mbs_assembly_distance(&a, a.x)));
    for (int i = 0; i < out->starts && status == 0; i++)
        status = look_from(s, &a, out, i);
    mbs_assembly_fini(&a);
    return status;
}

int mbs_assemblies(struct mbs_sim *sim, double t0, int starts, struct mbs_assemblies *out)
{
    struct survey s;
    int status;

    if (mbs_border_result(sim, out, "mbs_assemblies"))
        return MBS_BAD_ARGUMENT;
    if (starts < 0)
        return mbs_fail(&sim->msg, MBS_BAD_ARGUMENT, NAN, -1, -1, "mbs_assemblies from %d guesses", starts);
    *out = (struct mbs_assemblies){ .starts = starts };
    if ((status = mbs_assemble(sim, t0)))
        return status;
    out->nq = sim->model->nq;
    status = survey_init(&s, sim);
    if (status == 0)
        status = look(&s, out);
    survey_fini(&s);
    if (status == MBS_NO_MEMORY)
        mbs_fail(&sim->msg, status, t0, -1, -1, "out of memory while assembling");
    if (status)
        mbs_assemblies_free(out);
    else
        status = mbs_assemble(sim, t0);
    return status;
}

void mbs_assemblies_free(struct mbs_assemblies *out)
{
    if (!out)
        return;
    free(out->q);
    free(out->distance);
    out->q = out->distance = NULL;
    out->count = 0;
}
