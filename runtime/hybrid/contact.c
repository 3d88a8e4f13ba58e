/* SPDX-License-Identifier: MIT
 *
 * One-sided constraints and friction: their memory, rows and slips at a point, and what a unit force along a row does. */
#include "hybrid/touch.h"
#include "linalg/dense.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

void mbs_touch_layout(struct mbs_sim *sim, struct mbs_work *w)
{
    const struct mbs_model *o = sim->model;
    size_t rows = (size_t)o->ntouch, order = 3 * rows, n = (size_t)(o->nq + o->ng + o->nh);
    struct mbs_touch *c;

    if (o->ncontact == 0)
        return;
    c = mbs_work_bytes(w, sizeof *c);
    struct mbs_touch all = { .n = o->ncontact, .rows = o->ntouch };
    all.out = (struct mbs_contacts){ mbs_work_doubles(w, rows), mbs_work_doubles(w, (size_t)o->W.nnz + 1), mbs_work_doubles(w, rows),
                                     mbs_work_doubles(w, rows), mbs_work_doubles(w, 2 * (size_t)o->ncontact) };
    all.rate = mbs_work_doubles(w, rows);
    all.accel = mbs_work_doubles(w, rows);
    all.mu = mbs_work_doubles(w, rows);
    all.impulse = mbs_work_doubles(w, rows);
    all.X = mbs_work_doubles(w, rows * n);
    all.A = mbs_work_doubles(w, rows * rows);
    all.B = mbs_work_doubles(w, order * order);
    all.b = mbs_work_doubles(w, order);
    all.z = mbs_work_doubles(w, order);
    all.colmax = mbs_work_doubles(w, order);
    all.a = mbs_work_doubles(w, (size_t)o->nq);
    all.x = mbs_work_doubles(w, n + rows);
    all.band = mbs_work_doubles(w, (size_t)o->ncontact);
    all.v_before = mbs_work_doubles(w, (size_t)o->nq);
    all.pivot = mbs_work_ints(w, order);
    all.place = mbs_work_ints(w, 2 * rows);
    mbs_lemke_layout(&all.lemke, (int)order, w);
    all.closed = mbs_work_bytes(w, (size_t)o->ncontact);
    all.candidate = mbs_work_bytes(w, (size_t)o->ncontact);
    all.locked = mbs_work_bytes(w, (size_t)o->ncontact);
    all.was_closed = mbs_work_bytes(w, (size_t)o->ncontact);
    all.was_slide = mbs_work_bytes(w, (size_t)o->ncontact);
    all.slide = mbs_work_bytes(w, (size_t)o->ncontact);
    for (int i = 0; i < o->ncontact; i++)
        all.reacts += o->pair[i].reacts != 0;
    all.reacting = mbs_work_ints(w, (size_t)all.reacts);
    mbs_broyden_layout(&all.bound, all.reacts, w);
    all.lambda = mbs_work_doubles(w, (size_t)(o->ng + o->nh));
    all.lambda0 = mbs_work_doubles(w, (size_t)(o->ng + o->nh));
    all.least = mbs_work_doubles(w, rows);
    all.way = mbs_work_doubles(w, 3 * (size_t)o->ncontact);
    all.keep = mbs_work_doubles(w, 3 * (size_t)o->ncontact);
    for (int i = 0, k = 0; c && i < o->ncontact; i++)
        if (o->pair[i].reacts)
            all.reacting[k++] = i;
    if (c)
        *c = all;
    sim->p.touch = c;
}

void mbs_touch_free(struct mbs_sim *sim)
{
    if (sim->p.touch)
        mbs_cone_free(&sim->p.touch->cone);
}

/* ---- contacts ---- */

int mbs_touch_is_smooth(const struct mbs_problem *p, int i)
{
    return mbs_touch_pair(p, i)->kind == MBS_CONTACT_FRICTION && p->touch->out.law[2 * i] > 0;
}

double mbs_touch_sliding_force(const struct mbs_problem *p, int i)
{
    const struct mbs_touch *c = p->touch;
    double sign = mbs_touch_is_smooth(p, i) ? tanh(c->rate[mbs_touch_pair(p, i)->first] / c->out.law[2 * i]) : c->slide[i];

    return -sign * c->out.law[2 * i + 1];
}

int mbs_touch_is_candidate(const struct mbs_problem *p, int i)
{
    return p->touch->candidate[i];
}

int mbs_touch_takes_part(const struct mbs_touch *c, int i)
{
    return c->candidate[i] && !c->locked[i];
}

double mbs_touch_length(const struct mbs_contact *c, const double *rows)
{
    double sum = 0;

    if (mbs_touch_tangents(c) == 1)
        return fabs(rows[mbs_touch_tangent(c)]);
    for (int k = 0; k < mbs_touch_tangents(c); k++)
        sum += rows[mbs_touch_tangent(c) + k] * rows[mbs_touch_tangent(c) + k];
    return sqrt(sum);
}

const char *mbs_touch_names(const struct mbs_problem *p, int (*are)(const struct mbs_problem *p, int i), char *text, size_t size)
{
    size_t used = 0;

    text[0] = 0;
    for (int i = 0; i < p->touch->n; i++)
        if (are(p, i) && used + 40 < size)
            used += (size_t)snprintf(text + used, size - used, "%s%.32s", used ? ", " : "", p->model->contact[i].name);
    return text;
}

/* ---- at a point ---- */

double mbs_touch_slip(const struct mbs_touch *c, const struct mbs_contact *pair, int i, const double *rows)
{
    double sum = 0;

    for (int k = 0; k < mbs_touch_tangents(pair); k++)
        sum += c->keep[3 * i + k] * rows[mbs_touch_tangent(pair) + k];
    return sum;
}

/* The direction of the slip at the point at hand.  Its sign is that of the direction that is kept, so that the field goes on where the slip
 * passes through zero; in a plane it is a sign. */
void mbs_touch_ways(struct mbs_problem *p)
{
    struct mbs_touch *c = p->touch;

    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = &p->model->pair[i];
        double size, sign;
        if (!c->slide[i] || mbs_touch_tangents(pair) < 1)
            continue;
        memcpy(c->way + 3 * i, c->keep + 3 * i, 3 * sizeof *c->way);
        size = mbs_touch_length(pair, c->rate);
        if (mbs_touch_tangents(pair) == 1 || size < 1e-13)
            continue;
        sign = mbs_touch_slip(c, pair, i, c->rate) < 0 ? -1 : 1;
        for (int k = 0; k < mbs_touch_tangents(pair); k++)
            c->way[3 * i + k] = sign * c->rate[mbs_touch_tangent(pair) + k] / size;
    }
}

void mbs_touch_slides(struct mbs_touch *c, const struct mbs_contact *pair, int i, const double *rows, double sign)
{
    double size = mbs_touch_length(pair, rows);

    for (int k = 0; k < mbs_touch_tangents(pair); k++)
        c->keep[3 * i + k] = size > 0 ? sign * rows[mbs_touch_tangent(pair) + k] / size : k == 0;
    c->slide[i] = (signed char)(mbs_touch_tangents(pair) == 1 && c->keep[3 * i] < 0 ? -1 : 1);
}

void mbs_touch_turn(struct mbs_sim *sim)
{
    struct mbs_touch *c = sim->p.touch;

    for (int i = 0; i < c->n; i++)
        if (c->slide[i] && mbs_touch_tangents(&sim->model->pair[i]) > 1 && mbs_touch_slip(c, &sim->model->pair[i], i, c->rate) > 0)
            mbs_touch_slides(c, &sim->model->pair[i], i, c->rate, 1);
}

void mbs_touch_evaluate(struct mbs_problem *p, double t, const double *y)
{
    struct mbs_touch *c = p->touch;
    struct mbs_state x = { .t = t, .q = y, .v = y + p->n, .lambda = c->lambda, .z = y + 2 * p->n, .u = p->u };

    c->t = t;
    c->y = y;
    mbs_inputs_at(p, t);
    p->model->contacts(p->c, &x, &c->out, p->w);
    memcpy(c->rate, c->out.wt, (size_t)c->rows * sizeof *c->rate);
    mbs_csc_mul(&p->model->W, c->out.W, 1, x.v, c->rate);
    mbs_touch_ways(p);
}

void mbs_touch_accelerations(struct mbs_problem *p, const double *a)
{
    struct mbs_touch *c = p->touch;

    memcpy(c->accel, c->out.wgamma, (size_t)c->rows * sizeof *c->accel);
    mbs_csc_mul(&p->model->W, c->out.W, 1, a, c->accel);
}

int mbs_touch_free_motion(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    struct mbs_point *x = &sim->s.x;
    int status;

    p->touch = NULL;
    p->saddled = 1;
    status = mbs_accelerations(p, x->t, x->q, c->a, c->lambda0, p->dyn.zdot);
    p->saddled = 0;
    p->touch = c;
    if (status)
        return status;
    mbs_touch_evaluate(p, x->t, x->q);
    mbs_touch_accelerations(p, c->a);
    return 0;
}

double mbs_touch_entry(const struct mbs_problem *p, int r, int j)
{
    const struct mbs_pattern *W = &p->model->W;

    for (int k = W->colptr[j]; k < W->colptr[j + 1]; k++)
        if (W->rowidx[k] == r)
            return p->touch->out.W[k];
    return 0;
}

double mbs_touch_fastest(const struct mbs_sim *sim)
{
    double v = 1;

    for (int i = 0; i < sim->p.n; i++)
        v = fmax(v, fabs(sim->s.x.v[i]));
    return v;
}

/* What errors of the coordinates, absolute and relative, make of the gap of contact i. */
static double seen_by_gap(const struct mbs_sim *sim, int i, double atol, double rtol)
{
    double sum = 0;

    for (int j = 0; j < sim->p.n; j++)
        sum += fabs(mbs_touch_entry(&sim->p, sim->model->pair[i].first, j)) * (atol + rtol * fabs(sim->s.x.q[j]));
    return sum;
}

double mbs_touch_rounding(const struct mbs_sim *sim, int i)
{
    return seen_by_gap(sim, i, 0, DBL_EPSILON);
}

/* What the tolerances leave open.  Corners that meet a wall at one instant do so in a computation as well. */
double mbs_touch_nearness(const struct mbs_sim *sim, int i)
{
    return fmax(MBS_TOUCH_NEAR, seen_by_gap(sim, i, sim->opt.atol, sim->opt.rtol));
}

double mbs_touch_known(const struct mbs_sim *sim, int i)
{
    return mbs_touch_pair(&sim->p, i)->kind == MBS_CONTACT_GAP ? mbs_touch_nearness(sim, i) : MBS_TOUCH_STILL * mbs_touch_fastest(sim);
}

/* ---- mobility ---- */

/* Do the two-sided constraints hold row r already?  Then it is a combination of theirs, w = G'lambda, and what A has of it is rounding
 * errors.  Forces on coordinates of different units are compared by the accelerations that they give, w/sqrt(M_jj). */
static int is_locked(const struct mbs_problem *p, int r)
{
    const struct mbs_touch *c = p->touch;
    const struct mbs_pattern *G = &p->model->G;
    const double *lambda = c->X + r * (p->n + p->m) + p->n;
    double left = 0, scale = 0;

    for (int j = 0; j < p->n; j++) {
        double rest = mbs_touch_entry(p, r, j), size = fabs(rest), m = mbs_csc_diagonal(&p->model->M, p->dyn.M, j);
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++) {
            rest -= p->dyn.G[k] * lambda[G->rowidx[k]];
            size += fabs(p->dyn.G[k] * lambda[G->rowidx[k]]);
        }
        if (!(m > 0) && fabs(rest) > MBS_TOUCH_LOCKED * size)
            return 0;
        left += m > 0 ? rest * rest / m : 0;
        scale += m > 0 ? size * size / m : 0;
    }
    return left <= MBS_TOUCH_LOCKED * MBS_TOUCH_LOCKED * scale;
}

void mbs_touch_mobility(struct mbs_problem *p, const unsigned char *marked)
{
    struct mbs_touch *c = p->touch;
    int n = p->n, m = p->m;

    for (int i = 0; i < c->n; i++)
        for (int r = mbs_touch_pair(p, i)->first; marked[i] && r < mbs_touch_pair(p, i)->first + mbs_touch_pair(p, i)->rows; r++) {
            double *x = c->X + r * (n + m);
            for (int j = 0; j < n; j++)
                x[j] = mbs_touch_entry(p, r, j);
            memset(x + n, 0, (size_t)m * sizeof *x);
            mbs_saddle_solve(p->saddle, x);
            p->stat->solves++;
            double *column = c->A + r * c->rows;        /* A is symmetric */
            memset(column, 0, (size_t)c->rows * sizeof *column);
            mbs_csc_mul(&p->model->W, c->out.W, 1, x, column);
            if (r == mbs_touch_pair(p, i)->first)
                c->locked[i] = (unsigned char)(m > 0 && is_locked(p, r));
        }
}

void mbs_touch_push(struct mbs_problem *p, int row, double force, double *a, double *lambda)
{
    const double *x = p->touch->X + row * (p->n + p->m);

    for (int i = 0; i < p->n; i++)
        a[i] += force * x[i];
    for (int i = 0; lambda && i < p->m; i++)
        lambda[i] += force * x[p->n + i];
}

void mbs_touch_held(struct mbs_problem *p, int *n)
{
    struct mbs_touch *c = p->touch;

    *n = 0;
    for (int r = 0; r < c->rows; r++)
        c->place[r] = -1;
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, i);
        int t = mbs_touch_tangent(pair);
        if (!c->closed[i] || c->locked[i])
            continue;
        if (pair->kind != MBS_CONTACT_FRICTION)
            c->place[pair->first] = (*n)++;
        for (int k = 0; t >= 0 && !c->slide[i] && k < mbs_touch_tangents(pair); k++)
            c->place[t + k] = (*n)++;
    }
}

/* Rows that depend on others share what they bear, as multipliers of least size do: the
 * diagonal is raised by 1e-10 of itself then, and the error of that is removed by refinement. */
void mbs_touch_solve_held(struct mbs_touch *c, int n)
{
    double *keep = c->lemke.t, *z = c->z, *r = c->colmax, largest = 0;
    size_t size = (size_t)n * (size_t)n * sizeof *keep;

    memcpy(keep, c->B, size);
    memcpy(z, c->b, (size_t)n * sizeof *z);
    if (mbs_lu_real(n, c->B, c->pivot, c->colmax) > 1e-11) {
        mbs_lu_real_solve(n, c->B, c->pivot, z);
        return;
    }
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(keep[i * n + i]));
    memcpy(c->B, keep, size);
    for (int i = 0; i < n; i++)
        c->B[i * n + i] += 1e-10 * largest;
    mbs_lu_real(n, c->B, c->pivot, c->colmax);
    memset(z, 0, (size_t)n * sizeof *z);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < n; i++) {
            r[i] = c->b[i];
            for (int j = 0; j < n; j++)
                r[i] -= keep[i * n + j] * z[j];
        }
        mbs_lu_real_solve(n, c->B, c->pivot, r);
        for (int i = 0; i < n; i++)
            z[i] += r[i];
    }
}
