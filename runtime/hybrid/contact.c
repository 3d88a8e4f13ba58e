/* SPDX-License-Identifier: MIT
 *
 * One-sided constraints and friction, event by event.
 *
 * Between events the set of what touches, sticks and slides is fixed: its rows are further constraints on the accelerations,
 *
 *     M a = f - G' lambda + W' mu,      G a + gamma = 0,      W a + wgamma = 0  on the rows that are held,
 *
 * solved on top of the saddle point by its Schur complement A = W K^-1 W' (Delassus' operator, with all two-sided constraints in
 * K), where a sliding contact pushes along its normal and against its slip at once.
 *
 * At an event what touches is found anew.  Bodies that approach each other collide: v+ = v- + K^-1 W' Lambda with Newton's law,
 * v_N+ >= -e v_N-, and Coulomb friction of the impulses; then the accelerations decide who stays.  Both are linear complementarity problems
 * of the same form (Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, 1996): with x_N the normal velocity or acceleration,
 * x_T = x_T+ - x_T- the tangential one, and mu_T = mu_R - c mu_N,
 *
 *     x_N  = A_NN mu_N + A_NT mu_T + b_N          x_N  >= 0  _|_  mu_N >= 0
 *     x_T+ = A_TN mu_N + A_TT mu_T + b_T + x_T-   x_T+ >= 0  _|_  mu_R >= 0
 *     mu_L = 2 c mu_N - mu_R                      mu_L >= 0  _|_  x_T- >= 0
 *
 * In space the slip is a vector and friction a cone: linalg/cone.c solves the same problems.
 */
#include "hybrid/hybrid.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define REST 1e-10              /* relative to t: a contact whose impacts accumulate within this time comes to rest */
#define TOUCH 1e-10             /* what is nearer touches; so does what the tolerances cannot tell from that */
#define STILL 1e-10             /* relative to the fastest velocity */
#define LOCKED 1e-10            /* of its terms: what a row may leave that the constraints hold already */
enum { MOST_ROUNDS = 60, NO_BALANCE = 100 };    /* of reactions that friction follows from; the status where none is found */

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

static const struct mbs_contact *pair_of(const struct mbs_problem *p, int i)
{
    return &p->model->pair[i];
}

/* The first row of the tangents; -1: there is none. */
static int tangent(const struct mbs_contact *c)
{
    return c->kind == MBS_CONTACT_FRICTION ? c->first : c->rows > 1 ? c->first + 1 : -1;
}

static int tangents(const struct mbs_contact *c)
{
    return c->kind == MBS_CONTACT_FRICTION ? c->rows : c->rows - 1;
}

/* Friction alone that is built up over a speed: a force like any other, which never sticks. */
static int is_smooth(const struct mbs_problem *p, int i)
{
    return pair_of(p, i)->kind == MBS_CONTACT_FRICTION && p->touch->out.law[2 * i] > 0;
}

/* Friction that slides and that nothing presses, as a force. */
static double sliding_force(const struct mbs_problem *p, int i)
{
    const struct mbs_touch *c = p->touch;
    double sign = is_smooth(p, i) ? tanh(c->rate[pair_of(p, i)->first] / c->out.law[2 * i]) : c->slide[i];

    return -sign * c->out.law[2 * i + 1];
}

/* Length of a vector over the tangents of contact i. */
static double length_of(const struct mbs_contact *c, const double *rows)
{
    double sum = 0;

    if (tangents(c) == 1)
        return fabs(rows[tangent(c)]);
    for (int k = 0; k < tangents(c); k++)
        sum += rows[tangent(c) + k] * rows[tangent(c) + k];
    return sqrt(sum);
}

/* The slip along the direction that is kept. */
static double slip_along(const struct mbs_touch *c, const struct mbs_contact *pair, int i, const double *rows)
{
    double sum = 0;

    for (int k = 0; k < tangents(pair); k++)
        sum += c->keep[3 * i + k] * rows[tangent(pair) + k];
    return sum;
}

/* The direction of the slip at the point at hand.  Its sign is that of the direction that is kept, so that the field goes on where the slip
 * passes through zero; in a plane it is a sign. */
static void ways(struct mbs_problem *p)
{
    struct mbs_touch *c = p->touch;

    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = &p->model->pair[i];
        double size, sign;
        if (!c->slide[i] || tangents(pair) < 1)
            continue;
        memcpy(c->way + 3 * i, c->keep + 3 * i, 3 * sizeof *c->way);
        size = length_of(pair, c->rate);
        if (tangents(pair) == 1 || size < 1e-13)
            continue;
        sign = slip_along(c, pair, i, c->rate) < 0 ? -1 : 1;
        for (int k = 0; k < tangents(pair); k++)
            c->way[3 * i + k] = sign * c->rate[tangent(pair) + k] / size;
    }
}

/* From here on it slides along these rows. */
static void slides_along(struct mbs_touch *c, const struct mbs_contact *pair, int i, const double *rows, double sign)
{
    double size = length_of(pair, rows);

    for (int k = 0; k < tangents(pair); k++)
        c->keep[3 * i + k] = size > 0 ? sign * rows[tangent(pair) + k] / size : k == 0;
    c->slide[i] = (signed char)(tangents(pair) == 1 && c->keep[3 * i] < 0 ? -1 : 1);
}

void mbs_touch_turn(struct mbs_sim *sim)
{
    struct mbs_touch *c = sim->p.touch;

    for (int i = 0; i < c->n; i++)
        if (c->slide[i] && tangents(&sim->model->pair[i]) > 1 && slip_along(c, &sim->model->pair[i], i, c->rate) > 0)
            slides_along(c, &sim->model->pair[i], i, c->rate, 1);
}

static void evaluate(struct mbs_problem *p, double t, const double *y)
{
    struct mbs_touch *c = p->touch;
    struct mbs_state x = { .t = t, .q = y, .v = y + p->n, .lambda = c->lambda, .z = y + 2 * p->n, .u = p->u };

    c->t = t;
    c->y = y;
    mbs_inputs_at(p, t);
    p->model->contacts(p->c, &x, &c->out, p->w);
    memcpy(c->rate, c->out.wt, (size_t)c->rows * sizeof *c->rate);
    mbs_csc_mul(&p->model->W, c->out.W, 1, x.v, c->rate);
    ways(p);
}

/* W a + wgamma into accel. */
static void accelerations_of(struct mbs_problem *p, const double *a)
{
    struct mbs_touch *c = p->touch;

    memcpy(c->accel, c->out.wgamma, (size_t)c->rows * sizeof *c->accel);
    mbs_csc_mul(&p->model->W, c->out.W, 1, a, c->accel);
}

/* Do the two-sided constraints hold row r already?  Then it is a combination of theirs, w = G'lambda, and what A has of it is rounding errors. */
static int is_locked(const struct mbs_problem *p, int r)
{
    const struct mbs_touch *c = p->touch;
    const struct mbs_pattern *W = &p->model->W, *G = &p->model->G;
    const double *lambda = c->X + r * (p->n + p->m) + p->n;

    for (int j = 0; j < p->n; j++) {
        double rest = 0, size = 0;
        for (int k = W->colptr[j]; k < W->colptr[j + 1]; k++)
            if (W->rowidx[k] == r)
                rest = c->out.W[k];
        size = fabs(rest);
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++) {
            rest -= p->dyn.G[k] * lambda[G->rowidx[k]];
            size += fabs(p->dyn.G[k] * lambda[G->rowidx[k]]);
        }
        if (fabs(rest) > LOCKED * size)
            return 0;
    }
    return 1;
}

/* X = K^-1 W' and A = W X, for the rows of the contacts that are marked; the factors are those of the point at hand. */
static void mobility(struct mbs_problem *p, const unsigned char *marked)
{
    struct mbs_touch *c = p->touch;
    const struct mbs_pattern *W = &p->model->W;
    int n = p->n, m = p->m;

    for (int i = 0; i < c->n; i++)
        for (int r = pair_of(p, i)->first; marked[i] && r < pair_of(p, i)->first + pair_of(p, i)->rows; r++) {
            double *x = c->X + r * (n + m);
            memset(x, 0, (size_t)(n + m) * sizeof *x);
            for (int j = 0; j < n; j++)
                for (int k = W->colptr[j]; k < W->colptr[j + 1]; k++)
                    if (W->rowidx[k] == r)
                        x[j] = c->out.W[k];
            mbs_saddle_solve(p->saddle, x);
            p->stat->solves++;
            double *column = c->A + r * c->rows;        /* A is symmetric */
            memset(column, 0, (size_t)c->rows * sizeof *column);
            mbs_csc_mul(W, c->out.W, 1, x, column);
            if (r == pair_of(p, i)->first)
                c->locked[i] = (unsigned char)(m > 0 && is_locked(p, r));
        }
}

static void push(struct mbs_problem *p, int row, double force, double *a, double *lambda)
{
    const double *x = p->touch->X + row * (p->n + p->m);

    for (int i = 0; i < p->n; i++)
        a[i] += force * x[i];
    for (int i = 0; lambda && i < p->m; i++)
        lambda[i] += force * x[p->n + i];
}

/* The held rows: place[r] is their number, or -1.  *n is how many. */
static void held_rows(struct mbs_problem *p, int *n)
{
    struct mbs_touch *c = p->touch;

    *n = 0;
    for (int r = 0; r < c->rows; r++)
        c->place[r] = -1;
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = pair_of(p, i);
        int t = tangent(pair);
        if (!c->closed[i] || c->locked[i])
            continue;
        if (pair->kind != MBS_CONTACT_FRICTION)
            c->place[pair->first] = (*n)++;
        for (int k = 0; t >= 0 && !c->slide[i] && k < tangents(pair); k++)
            c->place[t + k] = (*n)++;
    }
}

/* A linear system for the rows that are held.  Rows that depend on others share what they bear, as multipliers of least size do: the
 * diagonal is raised by 1e-10 of itself then, and the error of that is removed by refinement. */
static void solve_held(struct mbs_touch *c, int n)
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

/* ---- friction by reactions ---- */

/* What the joints bear under the multipliers that go with the forces or impulses mu. */
static void bounds_under(struct mbs_problem *p, const double *mu, double *bound)
{
    struct mbs_touch *c = p->touch;

    memcpy(c->lambda, c->lambda0, (size_t)p->m * sizeof *c->lambda);
    for (int r = 0; r < c->rows; r++)
        for (int i = 0; mu[r] != 0 && i < p->m; i++)
            c->lambda[i] += mu[r] * c->X[r * (p->n + p->m) + p->n + i];
    evaluate(p, c->t, c->y);
    for (int k = 0; k < c->reacts; k++)
        bound[k] = c->out.law[2 * c->reacting[k] + 1];
}

/* Solves for mu where friction may depend on the reactions that it takes part in: what they bear is found by iteration. */
static int balance(struct mbs_problem *p, int (*solve)(struct mbs_problem *, void *), void *with, double *mu)
{
    struct mbs_touch *c = p->touch;
    struct mbs_broyden *b = &c->bound;
    int status = 0;

    if (c->reacts == 0)
        return solve(p, with);
    mbs_broyden_begin(b);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        for (int k = 0; k < c->reacts; k++)
            c->out.law[2 * c->reacting[k] + 1] = b->x[k];
        if ((status = solve(p, with)))
            return status;
        bounds_under(p, mu, c->z);
        if (mbs_broyden_step(b, c->z, 1e-13))
            return 0;
        if (round > MOST_ROUNDS / 2)    /* what was learnt on the other side of a kink misleads */
            mbs_broyden_begin(b);
    }
    memset(b->x, 0, (size_t)b->n * sizeof *b->x);
    return NO_BALANCE;
}

static const char *reacting_names(struct mbs_problem *p, char *text, size_t size)
{
    size_t used = 0;

    text[0] = 0;
    for (int k = 0; k < p->touch->reacts && used + 40 < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%.32s", used ? ", " : "", p->model->contact[p->touch->reacting[k]].name);
    return text;
}

static int jammed(struct mbs_problem *p, double t)
{
    char names[200];

    return mbs_fail(p->msg, MBS_NO_CONVERGENCE, t, -1, -1, "no reactions agree with the friction of %s at t = %.12g: the joint jams", reacting_names(p, names, sizeof names), t);
}

/* ---- forces between events ---- */

/* mu of the rows that are held and of what slides, on top of accelerations without them, whose parts along the rows are in accel. */
static int hold(struct mbs_problem *p, void *unused)
{
    struct mbs_touch *c = p->touch;
    int n;

    (void)unused;
    memset(c->mu, 0, (size_t)c->rows * sizeof *c->mu);
    for (int i = 0; i < c->n; i++)      /* friction that slides and that nothing presses is a force like any other */
        if (c->closed[i] && !c->locked[i] && pair_of(p, i)->kind == MBS_CONTACT_FRICTION && c->slide[i])
            c->mu[pair_of(p, i)->first] = sliding_force(p, i);
    held_rows(p, &n);
    if (n == 0)
        return 0;
    for (int r = 0; r < c->rows; r++) {
        if (c->place[r] < 0)
            continue;
        c->b[c->place[r]] = -c->accel[r];
        for (int s = 0; s < c->rows; s++)
            if (c->mu[s] != 0)
                c->b[c->place[r]] -= c->mu[s] * c->A[s * c->rows + r];
        for (int i = 0; i < c->n; i++) {
            const struct mbs_contact *pair = pair_of(p, i);
            int tan = tangent(pair);
            for (int s = pair->first; s < pair->first + pair->rows; s++)
                if (c->place[s] >= 0) {
                    double e = c->A[s * c->rows + r];
                    for (int k = 0; s == pair->first && s != tan && tan >= 0 && c->slide[i] && k < tangents(pair); k++)
                        e -= c->way[3 * i + k] * c->out.law[2 * i + 1] * c->A[(tan + k) * c->rows + r];
                    c->B[c->place[r] * n + c->place[s]] = e;
                }
        }
    }
    solve_held(c, n);
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = pair_of(p, i);
        int tan = tangent(pair);
        for (int s = pair->first; s < pair->first + pair->rows; s++)
            if (c->place[s] >= 0)
                c->mu[s] = c->z[c->place[s]];
        for (int k = 0; c->closed[i] && c->slide[i] && tan >= 0 && pair->kind != MBS_CONTACT_FRICTION && k < tangents(pair); k++)
            c->mu[tan + k] = -c->way[3 * i + k] * c->out.law[2 * i + 1] * c->mu[pair->first];
    }
    return 0;
}

/* Forces of what touches, added to the accelerations without them, whose factors are in p->saddle. */
int mbs_touch_forces(struct mbs_problem *p, double t, const double *y, double *a, double *lambda)
{
    struct mbs_touch *c = p->touch;
    int any = 0;

    for (int i = 0; i < c->n; i++)
        any |= c->closed[i];
    memset(c->mu, 0, (size_t)c->rows * sizeof *c->mu);
    if (!any)
        return 0;
    memcpy(c->lambda0, p->x + p->n, (size_t)p->m * sizeof *c->lambda0);
    evaluate(p, t, y);
    mobility(p, c->closed);
    accelerations_of(p, a);
    if (balance(p, hold, NULL, c->mu))
        return jammed(p, t);
    for (int r = 0; r < c->rows; r++)
        if (c->mu[r] != 0)
            push(p, r, c->mu[r], a, lambda);
    return 0;
}

double mbs_touch_power(const struct mbs_problem *p)
{
    const struct mbs_touch *c = p->touch;
    double sum = 0;

    for (int r = 0; r < c->rows; r++)
        if (c->mu[r] != 0)
            sum += c->mu[r] * (c->rate[r] - c->out.wt[r]);
    return sum;
}

/* ---- guards ---- */

/* Two guards a contact: it closes or opens, it begins to slide or turns back.  The point's forces must be those in mu. */
void mbs_touch_guards(struct mbs_sim *sim, const struct mbs_point *x, double *h, double *hdot)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;

    mbs_accelerations(p, x->t, x->q, c->a, NULL, p->dyn.zdot);
    evaluate(p, x->t, x->q);
    accelerations_of(p, c->a);
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = pair_of(p, i);
        int f = pair->first, t = tangent(pair);
        double bound = c->out.law[2 * i + 1] * (pair->kind == MBS_CONTACT_FRICTION ? 1 : c->mu[f]);
        h[2 * i] = h[2 * i + 1] = -1;
        hdot[2 * i] = hdot[2 * i + 1] = 0;
        if (pair->kind != MBS_CONTACT_FRICTION && c->closed[i])
            h[2 * i] = -c->mu[f];
        else if (pair->kind == MBS_CONTACT_GAP) {
            h[2 * i] = -c->out.dist[f];
            hdot[2 * i] = -c->rate[f];
        } else if (pair->kind == MBS_CONTACT_RATE) {
            h[2 * i] = -c->rate[f];
            hdot[2 * i] = -c->accel[f];
        }
        if (t < 0 || !c->closed[i] || is_smooth(p, i))
            continue;
        if (c->slide[i]) {
            h[2 * i + 1] = -slip_along(c, pair, i, c->rate);
            hdot[2 * i + 1] = -slip_along(c, pair, i, c->accel);
        } else {
            h[2 * i + 1] = length_of(pair, c->mu) - bound;
        }
    }
}

/* ---- who touches, sticks and slides ---- */

/* Accelerations with nothing touching, and the factors at the point as of now. */
static int free_motion(struct mbs_sim *sim)
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
    evaluate(p, x->t, x->q);
    accelerations_of(p, c->a);
    return 0;
}

/* Candidates do, but for those that the two-sided constraints hold: they need no force. */
static int takes_part(const struct mbs_touch *c, int i)
{
    return c->candidate[i] && !c->locked[i];
}

/* Row r of the problem with cones; of contact i, if it slides (else i < 0), friction acts with the normal force. */
static int cone_row(struct mbs_problem *p, int r, double b, int i)
{
    struct mbs_touch *c = p->touch;
    const struct mbs_pattern *W = &p->model->W;
    int status = mbs_cone_row(&c->cone, b, 0), n = p->n, m = p->m;

    for (int j = 0; status == 0 && j < n; j++) {
        double w = 0, x = c->X[r * (n + m) + j];
        for (int k = W->colptr[j]; k < W->colptr[j + 1]; k++)
            if (W->rowidx[k] == r)
                w = c->out.W[k];
        for (int k = 0; i >= 0 && k < tangents(pair_of(p, i)); k++)
            x -= c->out.law[2 * i + 1] * c->way[3 * i + k] * c->X[(tangent(pair_of(p, i)) + k) * (n + m) + j];
        if (w != 0 || x != 0)
            status = mbs_cone_entry(&c->cone, j, w, x);
    }
    return status;
}

/* The same with friction in space. */
static int cones(struct mbs_problem *p, const double *b, int forces, const double *least, double *mu)
{
    struct mbs_touch *c = p->touch;
    struct mbs_cone *k = &c->cone;
    int status = mbs_cone_begin(k, p->n);
    double size = 0;

    for (int i = 0; status == 0 && i < c->n; i++) {
        const struct mbs_contact *pair = pair_of(p, i);
        int slides = forces && c->slide[i], normal = pair->kind != MBS_CONTACT_FRICTION;
        if (!takes_part(c, i) || (slides && !normal))
            continue;
        status = mbs_cone_contact(k, normal, slides ? 0 : tangents(pair), c->out.law[2 * i + 1], i);
        if (status == 0 && least && normal)
            k->at[k->contacts - 1].more = c->out.law[2 * i + 1] * least[pair->first];
        for (int r = pair->first; status == 0 && r < pair->first + (slides ? 1 : pair->rows); r++) {
            double push = b[r];
            for (int j = 0; j < c->n; j++)      /* friction that slides and that nothing presses is known */
                if (forces && takes_part(c, j) && c->slide[j] && pair_of(p, j)->kind == MBS_CONTACT_FRICTION)
                    push += sliding_force(p, j) * c->A[pair_of(p, j)->first * c->rows + r];
            for (int s = 0; least && s < c->rows; s++)
                push += least[s] * c->A[s * c->rows + r];
            size = fmax(size, fabs(push));
            status = cone_row(p, r, push, slides ? i : -1);
        }
    }
    if (status == 0)
        status = mbs_cone_solve(k, 1e-11 * size, 2000) && k->residual > 1e-7 * size;
    for (int i = 0; status == 0 && i < k->contacts; i++)
        memcpy(mu + pair_of(p, k->at[i].name)->first, k->P + k->at[i].first, (size_t)(k->at[i].normal + k->at[i].tangents) * sizeof *mu);
    for (int r = 0; status == 0 && least && r < c->rows; r++)
        mu[r] += least[r];
    for (int i = 0; status == 0 && forces && i < c->n; i++) {
        const struct mbs_contact *pair = pair_of(p, i);
        double bound = c->out.law[2 * i + 1] * (pair->kind == MBS_CONTACT_FRICTION ? 1 : mu[pair->first]);
        for (int t = 0; takes_part(c, i) && c->slide[i] && t < tangents(pair); t++)
            mu[tangent(pair) + t] = pair->kind == MBS_CONTACT_FRICTION ? sliding_force(p, i) : -c->way[3 * i + t] * bound;
    }
    return status;
}

/* One problem of the form at the top: of impulses (velocities b) or of forces (accelerations b).  Contacts that are candidates take part;
 * on those that slide (level of forces) friction acts against the slip.  `least`, row by row, is what presses at least (NULL: nothing): of a
 * normal its velocity is 0 or the impulse this.  Multipliers into `mu`; 0, or 1: none are found. */
struct problem {
    const double *b, *least;
    int forces;
    double *mu;
};
static int complement(struct mbs_problem *p, void *with)
{
    const struct problem *of = with;
    const double *b = of->b, *least = of->least;
    int forces = of->forces;
    double *mu = of->mu;
    struct mbs_touch *c = p->touch;
    int n = 0, rows = c->rows;
    int *normal = c->place, *slip = c->place + rows;   /* numbers of mu_N, and of mu_R (x_T- is the next) */

    memset(mu, 0, (size_t)rows * sizeof *mu);
    for (int i = 0; i < c->n; i++)
        if (takes_part(c, i) && tangents(pair_of(p, i)) > 1)
            return cones(p, b, forces, least, mu);
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = pair_of(p, i);
        normal[i] = slip[i] = -1;
        if (!takes_part(c, i))
            continue;
        if (pair->kind != MBS_CONTACT_FRICTION)
            normal[i] = n++;
        if (tangent(pair) >= 0 && !(forces && c->slide[i])) {
            slip[i] = n;
            n += 2;
        }
    }
    memset(c->B, 0, (size_t)n * (size_t)n * sizeof *c->B);
    memset(c->b, 0, (size_t)n * sizeof *c->b);
    /* rows of velocities or accelerations: their equation number */
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pi = pair_of(p, i);
        for (int part = 0; part < 2; part++) {
            int e = part ? slip[i] : normal[i], r = part ? tangent(pi) : pi->first;
            if (e < 0)
                continue;
            c->b[e] = b[r];
            for (int j = 0; j < c->n; j++) {
                const struct mbs_contact *pj = pair_of(p, j);
                int t = tangent(pj);
                double coef = c->out.law[2 * j + 1];
                if (!takes_part(c, j))
                    continue;
                if (normal[j] >= 0) {
                    double x = c->A[pj->first * rows + r];
                    if (t >= 0)
                        x -= coef * (slip[j] >= 0 ? 1 : c->slide[j]) * c->A[t * rows + r];
                    c->B[e * n + normal[j]] += x;
                } else if (t >= 0) {            /* friction alone: mu_T = mu_R - F, or -F against the slip */
                    c->b[e] += (slip[j] >= 0 ? -coef : sliding_force(p, j)) * c->A[t * rows + r];
                }
                if (slip[j] >= 0)
                    c->B[e * n + slip[j]] += c->A[t * rows + r];
            }
            if (part)
                c->B[e * n + slip[i] + 1] += 1;
        }
        if (slip[i] >= 0) {
            int e = slip[i] + 1;
            c->B[e * n + slip[i]] = -1;
            if (normal[i] >= 0)
                c->B[e * n + normal[i]] = 2 * c->out.law[2 * i + 1];
            else
                c->b[e] = 2 * c->out.law[2 * i + 1];
        }
    }
    for (int i = 0; least && i < c->n; i++)
        for (int e = 0; normal[i] >= 0 && e < n; e++)
            c->b[e] += c->B[e * n + normal[i]] * least[pair_of(p, i)->first];
    if (mbs_lemke(&c->lemke, n, c->B, c->b, c->z))
        return cones(p, b, forces, least, mu);  /* what rounding errors have hidden from pivoting, sweeps may find */
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = pair_of(p, i);
        int t = tangent(pair);
        double coef = c->out.law[2 * i + 1], press;
        if (!takes_part(c, i))
            continue;
        press = normal[i] >= 0 ? c->z[normal[i]] + (least ? least[pair->first] : 0) : 1;
        if (normal[i] >= 0)
            mu[pair->first] = press;
        if (t >= 0)
            mu[t] = slip[i] >= 0 ? c->z[slip[i]] - coef * press : normal[i] >= 0 ? -c->slide[i] * coef * press : sliding_force(p, i);
    }
    return 0;
}

static const char *names_of(struct mbs_problem *p, char *text, size_t size)
{
    size_t used = 0;

    text[0] = 0;
    for (int i = 0; i < p->touch->n; i++)
        if (p->touch->candidate[i] && used + 40 < size)
            used += (size_t)snprintf(text + used, size - used, "%s%.32s", used ? ", " : "", p->model->contact[i].name);
    return text;
}

static double fastest(const struct mbs_sim *sim)
{
    double v = 1;

    for (int i = 0; i < sim->p.n; i++)
        v = fmax(v, fabs(sim->s.x.v[i]));
    return v;
}

/* What a gap loses to the rounding of the coordinates it is made of. */
static double rounding(const struct mbs_sim *sim, int i)
{
    const struct mbs_pattern *W = &sim->model->W;
    double sum = 0;

    for (int j = 0; j < sim->p.n; j++)
        for (int k = W->colptr[j]; k < W->colptr[j + 1]; k++)
            if (W->rowidx[k] == sim->model->pair[i].first)
                sum += fabs(sim->p.touch->out.W[k] * sim->s.x.q[j]);
    return DBL_EPSILON * sum;
}

/* Distances below this are none: what the tolerances leave open in the coordinates, seen by the gap.  Corners that meet a wall at one instant
 * do so in a computation as well. */
static double nearness(const struct mbs_sim *sim, int i)
{
    const struct mbs_touch *c = sim->p.touch;
    const struct mbs_pattern *W = &sim->model->W;
    int row = sim->model->pair[i].first;
    double sum = 0;

    for (int j = 0; j < sim->p.n; j++)
        for (int k = W->colptr[j]; k < W->colptr[j + 1]; k++)
            if (W->rowidx[k] == row)
                sum += fabs(c->out.W[k]) * (sim->opt.atol + sim->opt.rtol * fabs(sim->s.x.q[j]));
    return fmax(TOUCH, sum);
}

/* Restitution of contact i at an impact that stops the velocity v: impacts that accumulate at once, or that are rounding errors, are the last one. */
static double restitution(const struct mbs_sim *sim, int i, double v)
{
    const struct mbs_touch *c = sim->p.touch;
    double e = c->out.law[2 * i], a = -c->accel[pair_of(&sim->p, i)->first];
    double rest = REST * fmax(fabs(sim->s.x.t), 1);

    return (e < 1 && a > 0 && 2 * e * v < rest * (1 - e) * a) || v < 1e-13 * fastest(sim) || c->settle == i ? 0 : e;
}

/* Impulses that take the velocities b of the rows to allowed ones, added to `impulse`; b becomes those. */
static int phase(struct mbs_problem *p, double *b, const double *least)
{
    struct mbs_touch *c = p->touch;
    struct problem of = { .b = b, .least = least, .mu = c->mu };
    int status = balance(p, complement, &of, c->mu);

    for (int r = 0; status == 0 && r < c->rows; r++) {
        c->impulse[r] += c->mu[r];
        for (int s = 0; c->mu[r] != 0 && s < c->rows; s++)
            b[s] += c->mu[r] * c->A[r * c->rows + s];
    }
    return status;
}

/* Impulses of all contacts by Newton's law.  If one follows Poisson's there are two phases (Pfeiffer & Glocker 1996, 8): compression, without any
 * restitution, then expansion, in which its normal impulse is at least e times that of the compression. */
static int impulses(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    int two = 0, status;

    memcpy(c->x, c->rate, (size_t)c->rows * sizeof *c->rate);
    memset(c->least, 0, (size_t)c->rows * sizeof *c->least);
    for (int i = 0; i < c->n; i++)
        two |= c->candidate[i] && pair_of(p, i)->poisson && c->out.law[2 * i] > 0;
    if (two && (status = phase(p, c->x, NULL)))
        return status;
    for (int i = 0; i < c->n; i++) {
        int f = pair_of(p, i)->first;
        if (!c->candidate[i] || pair_of(p, i)->kind != MBS_CONTACT_GAP)
            continue;
        if (pair_of(p, i)->poisson)
            c->least[f] = restitution(sim, i, c->impulse[f] * c->A[f * c->rows + f]) * c->impulse[f];
        else if (c->rate[f] < 0)
            c->x[f] += restitution(sim, i, -c->rate[f]) * c->rate[f];
    }
    return phase(p, c->x, two ? c->least : NULL);
}

/* Velocities jump where bodies meet.  *hit: whether they do. */
static int collide(struct mbs_sim *sim, int *hit)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    double still = STILL * fastest(sim);
    char names[200];

    *hit = 0;
    memset(c->impulse, 0, (size_t)c->rows * sizeof *c->impulse);
    memcpy(c->v_before, sim->s.x.v, (size_t)p->n * sizeof *c->v_before);
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = pair_of(p, i);
        int f = pair->first;
        c->candidate[i] = pair->kind == MBS_CONTACT_GAP ? c->closed[i] || c->out.dist[f] <= nearness(sim, i)
                          : pair->kind == MBS_CONTACT_RATE ? c->rate[f] <= still : pair->reacts;
        *hit |= c->candidate[i] && pair->kind != MBS_CONTACT_FRICTION && c->rate[f] < -1e-14 * fastest(sim);
    }
    if (!*hit)
        return 0;
    mobility(p, c->candidate);
    memset(c->lambda0, 0, (size_t)p->m * sizeof *c->lambda0);   /* of impulses */
    if (impulses(sim))
        return mbs_fail(&sim->msg, MBS_NO_CONVERGENCE, sim->s.x.t, -1, -1, "no impulses at %s bring the bodies apart at t = %.12g", names_of(p, names, sizeof names),
                        sim->s.x.t);
    for (int r = 0; r < c->rows; r++)
        if (c->impulse[r] != 0)
            push(p, r, c->impulse[r], sim->s.x.v, NULL);
    return 0;
}

/* Of a contact that slides friction may turn its own compliance round.  Where it would open without force, c->x > 0, there are then two
 * solutions of its law, and nothing says which: the first such contact, or -1. */
static int undetermined(const struct mbs_problem *p)
{
    const struct mbs_touch *c = p->touch;

    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = pair_of(p, i);
        int f = pair->first, t = tangent(pair);
        double own = c->A[f * c->rows + f];
        if (pair->kind != MBS_CONTACT_GAP || !takes_part(c, i) || !c->slide[i] || !(c->x[f] > 0))
            continue;
        for (int k = 0; k < tangents(pair); k++)
            own -= c->way[3 * i + k] * c->out.law[2 * i + 1] * c->A[(t + k) * c->rows + f];
        if (own < -LOCKED * c->A[f * c->rows + f])
            return i;
    }
    return -1;
}

/* Can friction not hold contact i, since the two-sided constraints leave it no way to act?  At its bound it changes the acceleration by next to nothing. */
static int is_powerless(const struct mbs_problem *p, int i)
{
    const struct mbs_touch *c = p->touch;
    const struct mbs_contact *pair = pair_of(p, i);
    int t = tangent(pair);

    return c->locked[i] || (pair->kind == MBS_CONTACT_FRICTION && !pair->reacts && c->A[t * c->rows + t] * c->out.law[2 * i + 1] < 1e-6 * fabs(c->accel[t]));
}

/* What the two-sided constraints hold at this instant only does not stick: a rocker in its dead centre has no velocity, and goes back. */
static void turn_back(struct mbs_problem *p)
{
    struct mbs_touch *c = p->touch;
    double size = 1;

    for (int i = 0; i < p->n; i++)
        size = fmax(size, fabs(c->a[i]));
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = pair_of(p, i);
        if (tangent(pair) >= 0 && c->candidate[i] && !c->slide[i] && length_of(pair, c->accel) > 1e-9 * size && is_powerless(p, i))
            slides_along(c, pair, i, c->accel, 1);
    }
}

/* Who stays, sticks and slides, by the accelerations. */
static int settle_modes(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    double still = STILL * fastest(sim), size = 0;
    char names[200];

    for (int r = 0; r < c->rows; r++)
        size = fmax(size, fabs(c->accel[r]));
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = pair_of(p, i);
        int f = pair->first, t = tangent(pair);
        int near = pair->kind == MBS_CONTACT_FRICTION || pair->kind == MBS_CONTACT_RATE || c->closed[i] || c->out.dist[f] <= nearness(sim, i);
        /* a leap that is lower than what the gap is known to is none */
        double slow = pair->kind == MBS_CONTACT_GAP ? fmax(still, sqrt(2 * size * rounding(sim, i))) : still;
        c->candidate[i] = (unsigned char)(near && i != c->leaves && (pair->kind == MBS_CONTACT_FRICTION || c->rate[f] <= slow));
        c->slide[i] = 0;
        if (t >= 0 && (length_of(pair, c->rate) > still || is_smooth(p, i)))
            slides_along(c, pair, i, c->rate, 1);
    }
    ways(p);
    mobility(p, c->candidate);
    turn_back(p);
    struct problem of = { .b = c->accel, .forces = 1, .mu = c->mu };
    int status = balance(p, complement, &of, c->mu);
    if (status == NO_BALANCE)
        return jammed(p, sim->s.x.t);
    if (status)
        return mbs_fail(&sim->msg, MBS_NO_CONVERGENCE, sim->s.x.t, -1, -1,
                        "no forces at %s agree with Coulomb's law at t = %.12g: friction jams the contact (Painleve's paradox)", names_of(p, names, sizeof names),
                        sim->s.x.t);
    /* accelerations with these forces */
    memcpy(c->x, c->accel, (size_t)c->rows * sizeof *c->x);
    for (int s = 0; s < c->rows; s++)
        for (int r = 0; c->mu[s] != 0 && r < c->rows; r++)
            c->x[r] += c->mu[s] * c->A[s * c->rows + r];
    if ((status = undetermined(p)) >= 0)
        return mbs_fail(&sim->msg, MBS_NO_CONVERGENCE, sim->s.x.t, -1, -1,
                        "the force at %s is not determined at t = %.12g: friction lets it leave and jam at once (Painleve's paradox)", p->model->contact[status].name,
                        sim->s.x.t);
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = pair_of(p, i);
        int f = pair->first, t = tangent(pair);
        double bound = c->out.law[2 * i + 1] * (pair->kind == MBS_CONTACT_FRICTION ? 1 : c->mu[f]);
        /* without force and acceleration nothing is decided: it stays, unless others leave at this instant */
        int idle = c->leaves < 0 && c->x[f] <= 1e-12 * (1 + size);
        c->closed[i] = (unsigned char)(c->candidate[i] && (pair->kind == MBS_CONTACT_FRICTION || c->mu[f] > 0 || idle));
        if (t >= 0 && c->closed[i] && !c->slide[i] && length_of(pair, c->mu) >= bound * (1 - 1e-9))
            slides_along(c, pair, i, bound > 0 ? c->mu : c->x, bound > 0 ? -1 : 1);
    }
    return 0;
}

/* Brings q onto the gaps that are closed and v onto the rows that are held. */
static void straighten(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    int n;

    for (int level = 0; level < 2; level++) {
        if (free_motion(sim))
            return;
        mobility(p, c->closed);
        held_rows(p, &n);
        for (int r = 0; r < c->rows; r++) {
            if (c->place[r] < 0)
                continue;
            c->b[c->place[r]] = level ? -c->rate[r] : -c->out.dist[r];
            for (int s = 0; s < c->rows; s++)
                if (c->place[s] >= 0)
                    c->B[c->place[r] * n + c->place[s]] = c->A[s * c->rows + r];
        }
        if (n == 0)
            return;
        solve_held(c, n);
        for (int r = 0; r < c->rows; r++)
            if (c->place[r] >= 0)
                push(p, r, c->z[c->place[r]], level ? sim->s.x.v : sim->s.x.q, NULL);
    }
}

/* Of redundant contacts forces of least size may pull although others would not, and forces that have just become zero are negative by a
 * rounding error: such contacts leave, the strongest first. */
static int let_go(struct mbs_sim *sim)
{
    struct mbs_touch *c = sim->p.touch;
    int status, worst;

    for (int round = 0; round <= c->n; round++) {
        sim->fresh_accelerations = 0;
        if ((status = mbs_sim_complete(sim)))
            return status;
        worst = -1;
        for (int i = 0; i < c->n; i++) {
            int f = pair_of(&sim->p, i)->first;
            if (c->closed[i] && pair_of(&sim->p, i)->kind != MBS_CONTACT_FRICTION && c->mu[f] < 0 &&
                (worst < 0 || c->mu[f] < c->mu[pair_of(&sim->p, worst)->first]))
                worst = i;
        }
        if (worst < 0)
            return 0;
        c->closed[worst] = 0;
    }
    return 0;
}

int mbs_touch_resolve(struct mbs_sim *sim, int *hit)
{
    int status;

    if ((status = free_motion(sim)) || (status = collide(sim, hit)))
        return status;
    if (*hit && (status = free_motion(sim)))
        return status;
    if ((status = settle_modes(sim)))
        return status;
    straighten(sim);
    sim->p.touch->settle = sim->p.touch->leaves = -1;
    return let_go(sim);
}

void mbs_touch_straighten(struct mbs_sim *sim)
{
    straighten(sim);
    sim->fresh_accelerations = 0;
}

int mbs_touch_begin(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    int hit;

    memset(c->closed, 0, (size_t)c->n);
    memset(c->slide, 0, (size_t)c->n);
    c->settle = c->leaves = -1;
    mbs_inputs_at(p, sim->s.x.t);
    evaluate(p, sim->s.x.t, sim->s.x.q);
    for (int i = 0; i < c->n; i++) {
        double gap = c->out.dist[pair_of(p, i)->first];
        if (pair_of(p, i)->kind == MBS_CONTACT_GAP && gap < -1e-8)
            return mbs_fail(&sim->msg, MBS_INCONSISTENT, sim->s.x.t, -1, -1, "at the start the one-sided constraint %s is violated by %.3g", p->model->contact[i].name,
                            -gap);
    }
    return mbs_touch_resolve(sim, &hit);
}

/* How far what is held has drifted off, in tolerances. */
double mbs_touch_drift(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    double drift = 0, v = fastest(sim), tol = sim->opt.atol + sim->opt.rtol;
    int n;

    evaluate(p, sim->s.x.t, sim->s.x.q);
    held_rows(p, &n);
    for (int r = 0; n > 0 && r < c->rows; r++)
        if (c->place[r] >= 0)
            drift = fmax(drift, fmax(fabs(c->out.dist[r]) / tol, fabs(c->rate[r]) / (tol * v)));
    return drift;
}

int mbs_touch_inside(const struct mbs_sim *sim, int i)
{
    const struct mbs_touch *c = sim->p.touch;
    const struct mbs_contact *pair = &sim->model->pair[i];

    return pair->kind == MBS_CONTACT_GAP && !c->closed[i] && c->out.dist[pair->first] < -TOUCH;
}

void mbs_touch_free(struct mbs_sim *sim)
{
    if (sim->p.touch)
        mbs_cone_free(&sim->p.touch->cone);
}
