/* SPDX-License-Identifier: MIT
 *
 * The rank of the constraints along a run.
 *
 * How far the rows of G are from depending on each other is measured by the pivots of the Cholesky decomposition of G G', each row being
 * divided by the largest length that it has had in the run: the root of a pivot is then the sine of the angle between a row and the rows
 * before it, or less where the row itself vanishes (as one of a loop in relative angles does when all bars are in line).  The
 * smallest of them is called the sine here.
 *
 * Rows that depend on others in every position (overconstrained loops, joints said twice) are found where a run begins and left
 * out of all linear systems for the whole of it: what they demand is met because the others meet it.  How redundant supports share
 * the load is not known from rigid bodies; where multipliers are handed out, they are those of least norm (rows of unit length).
 * Where the rank at the start is full there is nothing to decide.  Else it is looked at in other positions of the mechanism as
 * well, found by random steps along the constraints and back onto them: the largest rank is the rank, and of the choices of
 * independent rows that pivoting makes at these places the one is taken whose smallest sine over all places is largest.  Where the
 * rows kept come near to being dependent later on while others are not, they are chosen again, and the method starts anew. */
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 600, DENSE_MAX = 300, PLACES = 6 };
/* Above this sine no row is suspected of being dependent; below RANK it is, on a place found to rounding. */
static const double DOUBTFUL = 1e-5, RANK = 1e-6;

static void watch_layout(struct mbs_watch *a, const struct mbs_problem *p, struct mbs_work *w)
{
    size_t n = (size_t)p->n, m = (size_t)p->m, ny = (size_t)p->ny;

    a->G = mbs_work_doubles(w, 2 * (size_t)p->model->G.nnz + 1);        /* and without the rows left out */
    a->g = mbs_work_doubles(w, 3 * m + 1);
    a->scale = mbs_work_doubles(w, m + 1);
    a->drop = (unsigned char *)mbs_work_ints(w, m / sizeof(int) + 1);
    mbs_point_layout(&a->old, p, w);
    mbs_point_layout(&a->last, p, w);
    for (int i = 0; i < MBS_PASS_STAGES; i++)
        a->k[i] = mbs_work_doubles(w, ny + 1);
    for (int i = 0; i < 3; i++)
        a->rate[i] = mbs_work_doubles(w, n + (size_t)p->nz + 1);
    a->y = mbs_work_doubles(w, 3 * ny + 1);
}

static void watch_renew(struct mbs_watch *a, const struct mbs_problem *p)
{
    struct mbs_watch left = *a;
    struct mbs_work w = { left.block, 0 };

    free(left.null);
    memset(left.block, 0, left.block_size);
    *a = (struct mbs_watch){ .n = left.n, .m = left.m, .gram = left.gram, .block = left.block, .block_size = left.block_size };
    watch_layout(a, p, &w);
}

int mbs_watch_new(struct mbs_sim *sim)
{
    const struct mbs_problem *p = &sim->p;
    struct mbs_work w = { NULL, 0 };
    struct mbs_watch *a;
    int full;

    if (sim->watch) {
        watch_renew(sim->watch, p);
        return 0;
    }
    if (p->m == 0 || p->m > ROWS_MAX)
        return 0;
    if (!(a = sim->watch = calloc(1, sizeof *a)))
        return MBS_NO_MEMORY;
    a->n = p->n;
    a->m = p->m;
    a->gram = mbs_gram_new(&p->model->G, &full);
    if (!a->gram && !full)
        return MBS_NO_MEMORY;
    if (full) {                 /* too much fill: such a model is not watched */
        mbs_watch_free(sim);
        return 0;
    }
    watch_layout(a, p, &w);
    a->block_size = w.used + 1;
    if (!(a->block = calloc(1, a->block_size)))
        return MBS_NO_MEMORY;
    w = (struct mbs_work){ a->block, 0 };
    watch_layout(a, p, &w);
    return 0;
}

void mbs_watch_free(struct mbs_sim *sim)
{
    if (!sim->watch)
        return;
    mbs_gram_free(sim->watch->gram);
    free(sim->watch->block);
    free(sim->watch->null);
    free(sim->watch);
    sim->watch = NULL;
}

static inline void note_length(double *scale, double square)
{
    if (square * *scale * *scale > 1 || (*scale == 0 && square > 0))
        *scale = 1 / sqrt(square);
}

/* Rows left out are zero in G G' but for the diagonal, and their largest lengths are kept all the same. */
static const double *without_rows(struct mbs_watch *a, const struct mbs_pattern *G, const double *from, const unsigned char *drop)
{
    double *kept = a->G + G->nnz, *length = a->g + a->m;

    memset(length, 0, (size_t)a->m * sizeof *length);
    for (int k = 0; k < G->nnz; k++) {
        int i = G->rowidx[k];
        length[i] += from[k] * from[k];
        kept[k] = drop[i] ? 0 : from[k];
    }
    for (int i = 0; i < a->m; i++)
        if (drop[i]) {
            note_length(&a->scale[i], length[i]);
            a->scale[i] = a->scale[i] > 0 ? a->scale[i] : 1;
        }
    return kept;
}

/* Pivots of scaled rows are those of the rows as they are, times the squares of the scales: nothing is scaled before. */
static double gram_sine(struct mbs_watch *a, const struct mbs_pattern *G, const double *value, const unsigned char *drop, int *weakest)
{
    double *scale = a->scale;

    mbs_gram_form(a->gram, drop ? without_rows(a, G, value, drop) : value);
    for (int i = 0; i < a->m; i++) {
        double *square = mbs_gram_square(a->gram, i);
        if (drop && drop[i])
            *square = 1 / (scale[i] * scale[i]);
        else
            note_length(&scale[i], *square);
    }
    return mbs_gram_sine(a->gram, scale, weakest);
}

/* The same where a batch has formed and decomposed G G' for all its lanes. */
static double lane_sine(struct mbs_watch *a, struct mbs_rows *rows, int lane)
{
    for (int i = 0; i < a->m; i++)
        note_length(&a->scale[i], rows->square[i * rows->lanes + lane]);
    return mbs_gram_lane_sine(a->m, rows->lanes, lane, rows->pivot, a->scale);
}

double mbs_watch_sine(struct mbs_sim *sim, double t, const double *q, int *weakest)
{
    struct mbs_watch *a = sim->watch;
    struct mbs_state x = { .t = t, .q = q };
    struct mbs_constraints con = { .g = a->g, .G = a->G, .gt = a->g + a->m };

    sim->model->constraints(sim->p.c, &x, &con, sim->p.w);
    return gram_sine(a, &sim->model->G, a->G, a->drops ? a->drop : NULL, weakest);
}

double mbs_watch_sine_now(struct mbs_sim *sim)
{
    struct mbs_watch *a = sim->watch;

    if (sim->s.rows && !a->drops && sim->s.rows->find(sim->s.rows))
        return lane_sine(a, sim->s.rows, sim->s.lane);
    if (!sim->s.fresh_G)
        return mbs_watch_sine(sim, sim->s.x.t, sim->s.x.q, NULL);
    return gram_sine(a, &sim->model->G, sim->p.dyn.G, a->drops ? a->drop : NULL, NULL);
}

/* The same with the rows of G scaled: x of G G' x = b. */
static void gram_solve(struct mbs_watch *a, double *x)
{
    for (int turn = 0; turn < 2; turn++) {
        if (turn)
            mbs_gram_solve(a->gram, x);
        for (int i = 0; i < a->m; i++)
            x[i] /= a->scale[i] > 0 ? a->scale[i] : 1;
    }
}

/* G G' x = e of the weakest row: what is left of it is the combination that vanishes. */
void mbs_watch_rows(struct mbs_sim *sim, int weakest, char *text, size_t size)
{
    struct mbs_watch *a = sim->watch;
    double *x = a->g, most = 0;
    int named = 0;

    memset(x, 0, (size_t)a->m * sizeof *x);
    if (weakest >= 0)
        x[weakest] = 1;
    gram_solve(a, x);
    for (int i = 0; i < a->m; i++)
        most = fmax(most, fabs(x[i]));
    text[0] = '\0';
    for (int i = 0; i < a->m; i++)
        if (fabs(x[i]) > 0.02 * most) {
            size_t used = strlen(text);
            if (named++ == 6) {
                strncat(text, ", ...", size - used - 1);
                break;
            }
            if (named > 1)
                strncat(text, ", ", size - used - 1);
            strncat(text, sim->model->constraint[i].name, size - strlen(text) - 1);
        }
}

/* ---- rows that depend on others everywhere ---- */

/* The columns of A are the rows of G at q, of unit length; their lengths into scale.  g stays in watch->g.  0: not finite. */
static int rows_at(struct mbs_sim *sim, const double *q, double *A, double *scale)
{
    struct mbs_watch *a = sim->watch;
    const struct mbs_pattern *G = &sim->model->G;

    mbs_watch_sine(sim, sim->s.x.t, q, NULL);
    memset(scale, 0, (size_t)a->m * sizeof *scale);
    memset(A, 0, (size_t)a->n * (size_t)a->m * sizeof *A);
    for (int k = 0; k < G->nnz; k++)
        scale[G->rowidx[k]] = hypot(scale[G->rowidx[k]], a->G[k]);
    for (int j = 0; j < a->n; j++)
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            if (scale[G->rowidx[k]] > 0)
                A[(long)j * a->m + G->rowidx[k]] = a->G[k] / scale[G->rowidx[k]];
    return mbs_finite(a->G, G->nnz);
}

struct decision {
    struct mbs_cod *cod;
    double *A, *scale, *b, *q, *N, *x;  /* n m, m, m, PLACES n, n n, n */
    unsigned char *try, *best;
    int places, rank[PLACES];
    unsigned long seed;
};

static double uniform(struct decision *d)
{
    d->seed = d->seed * 6364136223846793005ul + 1442695040888963407ul;
    return (double)(d->seed >> 11) / 4503599627370496.0 - 1;
}

/* From the start along the constraints by 0.05 .. 0.3, and back onto them: 1 if that led to a place. */
static int other_place(struct mbs_sim *sim, struct decision *d, const double *from, double *q)
{
    struct mbs_watch *a = sim->watch;
    int n = a->n, rank;
    double size = 0, off = 1;

    if (!rows_at(sim, from, d->A, d->scale) || (rank = mbs_cod_factor(d->cod, d->A, RANK)) < 0 || rank == n)
        return 0;
    mbs_cod_null(d->cod, d->N);
    memset(d->x, 0, (size_t)n * sizeof *d->x);
    for (int j = 0; j < n - rank; j++) {
        double c = uniform(d);
        for (int i = 0; i < n; i++)
            d->x[i] += c * d->N[(long)i * (n - rank) + j];
    }
    for (int i = 0; i < n; i++)
        size = hypot(size, d->x[i]);
    if (size == 0)
        return 0;
    size = (0.175 + 0.125 * uniform(d)) / size;
    for (int i = 0; i < n; i++)
        q[i] = from[i] + size * d->x[i];
    for (int k = 0; k < 30 && off > 1e-14; k++) {
        double *b = d->b;
        if (!rows_at(sim, q, d->A, d->scale))
            return 0;
        for (int i = 0; i < a->m; i++)
            b[i] = i < sim->p.ng && d->scale[i] > 0 ? -a->g[i] / d->scale[i] : 0;
        if (mbs_cod_factor(d->cod, d->A, 1e-4) < 0)
            return 0;
        mbs_cod_solve_t(d->cod, b, d->x);
        off = 0;
        for (int i = 0; i < n; i++) {
            off = hypot(off, d->x[i]);
            q[i] += d->x[i];
        }
    }
    return off < 1e-11;
}

/* The rows that pivoting keeps at place k, judged at all places of the full rank. */
static double judge_choice(struct mbs_sim *sim, struct decision *d, int k, int rank)
{
    struct mbs_watch *a = sim->watch;
    double worst = 1;

    rows_at(sim, d->q + (long)k * a->n, d->A, d->scale);
    mbs_cod_factor(d->cod, d->A, RANK);
    memset(d->try, 0, (size_t)a->m);
    for (int i = rank; i < a->m; i++)
        d->try[mbs_cod_order(d->cod)[i]] = 1;
    for (int j = 0; j < d->places; j++)
        if (d->rank[j] == rank) {
            mbs_watch_sine(sim, sim->s.x.t, d->q + (long)j * a->n, NULL);
            worst = fmin(worst, gram_sine(a, &sim->model->G, a->G, d->try, NULL));
        }
    return worst;
}

static void choose_rows(struct mbs_sim *sim, struct decision *d)
{
    struct mbs_watch *a = sim->watch;
    double *start = sim->s.x.q, best = -1;
    int rank = 0;

    memcpy(d->q, start, (size_t)a->n * sizeof *start);
    d->places = 1;
    for (int k = 1; k < PLACES; k++)
        if (other_place(sim, d, k == 1 ? start : d->q + (long)(d->places - 1) * a->n, d->q + (long)d->places * a->n))
            d->places++;
    for (int k = 0; k < d->places; k++) {
        rows_at(sim, d->q + (long)k * a->n, d->A, d->scale);
        d->rank[k] = mbs_cod_factor(d->cod, d->A, RANK);
        rank = d->rank[k] > rank ? d->rank[k] : rank;
    }
    if (rank == a->m)
        return;
    for (int k = 0; k < d->places; k++)
        if (d->rank[k] == rank) {
            double sine = judge_choice(sim, d, k, rank);
            if (sine > best) {
                best = sine;
                memcpy(d->best, d->try, (size_t)a->m);
            }
        }
    memcpy(a->drop, d->best, (size_t)a->m);
    a->drops = a->m - rank;
}

/* At the place as of now alone: 1 if other rows are far better there than those kept. */
static int choose_here(struct mbs_sim *sim, struct decision *d)
{
    struct mbs_watch *a = sim->watch;
    int rank = a->m - a->drops;
    double now = mbs_watch_sine(sim, sim->s.x.t, sim->s.x.q, NULL);

    memcpy(d->q, sim->s.x.q, (size_t)a->n * sizeof *d->q);
    d->places = 1;
    d->rank[0] = rank;
    if (!(judge_choice(sim, d, 0, rank) > 3 * now))
        return 0;
    memcpy(a->drop, d->try, (size_t)a->m);
    return 1;
}

/* 0: out of memory; decision_fini() in either case. */
static int decision_init(struct decision *d, const struct mbs_watch *a)
{
    size_t n = (size_t)a->n, m = (size_t)a->m;

    *d = (struct decision){ .seed = 1, .cod = mbs_cod_new(a->n, a->m), .A = calloc(n * m + 2 * m + (PLACES + 1) * n + n * n + 1, sizeof(double)),
                            .try = calloc(2 * m + 1, 1) };
    if (!d->cod || !d->A || !d->try)
        return 0;
    d->scale = d->A + n * m;
    d->b = d->scale + m;
    d->q = d->b + m;
    d->x = d->q + PLACES * n;
    d->N = d->x + n;
    d->best = d->try + m;
    return 1;
}

static void decision_fini(struct decision *d)
{
    mbs_cod_free(d->cod);
    free(d->A);
    free(d->try);
}

/* here: choose_here(), else choose_rows(); what the former returns. */
static int find_redundant(struct mbs_sim *sim, int here)
{
    int changed = 0;
    struct decision d;

    if (decision_init(&d, sim->watch)) {
        if (here)
            changed = choose_here(sim, &d);
        else
            choose_rows(sim, &d);
    }
    decision_fini(&d);
    return changed;
}

double mbs_watch_best_sine(struct mbs_sim *sim, const double *q)
{
    struct mbs_watch *a = sim->watch;
    struct decision d;
    double sine = 0;

    if (decision_init(&d, a)) {
        memcpy(d.q, q, (size_t)a->n * sizeof *q);
        d.places = 1;
        d.rank[0] = a->m - a->drops;
        sine = judge_choice(sim, &d, 0, d.rank[0]);
    }
    decision_fini(&d);
    return sine;
}

int mbs_watch_choose(struct mbs_sim *sim)
{
    struct mbs_watch *a = sim->watch;

    if (!a->drops || sim->s.x.t == a->t_chosen || !find_redundant(sim, 1))
        return 0;
    a->t_chosen = sim->s.x.t;
    a->largest = a->sine = mbs_watch_sine(sim, sim->s.x.t, sim->s.x.q, NULL);
    return mbs_saddle_drop(sim->p.saddle, a->drop) == 0;
}

/* Row d of those left out as a combination of the others, scaled: the null vector of G' into u. */
static void null_vector(struct mbs_watch *a, const struct mbs_pattern *G, int d, double *u)
{
    memset(u, 0, (size_t)a->m * sizeof *u);
    for (int j = 0; j < a->n; j++) {
        double entry = 0;
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            if (G->rowidx[k] == d)
                entry = a->G[k] * a->scale[d];
        for (int k = G->colptr[j]; k < G->colptr[j + 1] && entry != 0; k++)
            if (!a->drop[G->rowidx[k]])
                u[G->rowidx[k]] -= entry * a->G[k] * a->scale[G->rowidx[k]];
    }
    gram_solve(a, u);
    u[d] = 1;
}

/* lambda less its part along the null vectors of G', which are made orthogonal one after the other. */
void mbs_watch_shares(struct mbs_sim *sim, struct mbs_point *x)
{
    struct mbs_watch *a = sim->watch;
    int m, count = 0;

    if (!a || !a->drops)
        return;
    m = a->m;
    mbs_watch_sine(sim, x->t, x->q, NULL);
    for (int i = 0; i < m; i++)
        x->lambda[i] /= a->scale[i] > 0 ? a->scale[i] : 1;
    for (int d = 0; d < m; d++) {
        double *u = a->null + (long)count * m, size = 0, along = 0;
        if (!a->drop[d])
            continue;
        null_vector(a, &sim->model->G, d, u);
        for (int k = 0; k < count; k++) {
            const double *b = a->null + (long)k * m;
            double s = 0;
            for (int i = 0; i < m; i++)
                s += u[i] * b[i];
            for (int i = 0; i < m; i++)
                u[i] -= s * b[i];
        }
        for (int i = 0; i < m; i++)
            size = hypot(size, u[i]);
        for (int i = 0; i < m; i++)
            along += (u[i] /= size) * x->lambda[i];
        for (int i = 0; i < m; i++)
            x->lambda[i] -= along * u[i];
        count++;
    }
    for (int i = 0; i < m; i++)
        x->lambda[i] *= a->scale[i] > 0 ? a->scale[i] : 1;
}

/* Lengths of the rows of G at q. */
static void row_lengths(struct mbs_sim *sim, const double *q, double *length)
{
    struct mbs_watch *a = sim->watch;
    const struct mbs_pattern *G = &sim->model->G;
    struct mbs_state x = { .t = sim->s.x.t, .q = q };
    struct mbs_constraints con = { .g = a->g, .G = a->G, .gt = a->g };

    sim->model->constraints(sim->p.c, &x, &con, sim->p.w);
    memset(length, 0, (size_t)a->m * sizeof *length);
    for (int k = 0; k < G->nnz; k++)
        length[G->rowidx[k]] += a->G[k] * a->G[k];
    for (int i = 0; i < a->m; i++)
        length[i] = sqrt(length[i]);
}

/* What a row is worth is seen a little beside q: one that is a million times as long there is zero at q but for rounding, and a multiplier by
 * which it takes part in the forces all the same is made of that rounding.  Where there is a velocity it tells which way the motion goes on. */
int mbs_watch_vanishing(struct mbs_sim *sim)
{
    struct mbs_watch *a = sim->watch;
    struct decision d = { .seed = 1 };
    double *here, *beside, *q, most = 0, speed = 0;

    for (int i = 0; i < sim->p.n; i++)
        speed = fmax(speed, fabs(sim->s.x.v[i]));
    if (!a || speed > 0)
        return -1;
    here = a->g + a->m;
    beside = here + a->m;
    q = a->rate[0];
    for (int i = 0; i < a->n; i++)
        q[i] = sim->s.x.q[i] + 1e-5 * uniform(&d) * fmax(1, fabs(sim->s.x.q[i]));
    row_lengths(sim, q, beside);
    row_lengths(sim, sim->s.x.q, here);
    for (int i = 0; i < a->m; i++)
        most = fmax(most, here[i] * fabs(sim->s.x.lambda[i]));
    for (int i = 0; i < a->m; i++)
        if (!(a->drops && a->drop[i]) && here[i] < 1e-6 * beside[i] && here[i] * fabs(sim->s.x.lambda[i]) > 1e-6 * most)
            return i;
    return -1;
}

int mbs_watch_start(struct mbs_sim *sim)
{
    struct mbs_watch *a = sim->watch;

    memset(&sim->passages, 0, sizeof sim->passages);
    if (!a)
        return 0;
    a->drops = 0;
    memset(a->scale, 0, (size_t)a->m * sizeof *a->scale);
    memset(a->drop, 0, (size_t)a->m);
    a->sine = mbs_watch_sine(sim, sim->s.x.t, sim->s.x.q, NULL);
    if (a->sine < DOUBTFUL && a->m <= DENSE_MAX && sim->opt.witness) {
        find_redundant(sim, 0);
        a->sine = mbs_watch_sine(sim, sim->s.x.t, sim->s.x.q, NULL);
    }
    a->largest = a->sine;
    /* it takes a way of order one to lose what is there; samples know better */
    a->slope = a->drops ? 1 : fmax(a->sine, 1e-3);
    a->far = NAN;
    a->passing = 0;
    a->t_from = a->t_chosen = NAN;
    sim->passages.redundant = a->drops;
    free(a->null);
    a->null = a->drops ? calloc((size_t)a->m * (size_t)a->drops, sizeof *a->null) : NULL;
    if (a->drops && !a->null)
        return MBS_NO_MEMORY;
    return mbs_saddle_drop(sim->p.saddle, a->drops ? a->drop : NULL);
}
