/* SPDX-License-Identifier: MIT
 *
 * moreau, nsalpha: time stepping over impacts and friction, without events (doc/design/0015-events.md).
 *
 * J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; M. Jean, Comput. Methods Appl. Mech. Engrg. 177 (1999)
 * 235-257.  One step of `moreau`:
 *
 *     v+ = v + h a(q, v) + K^-1 W' P,        q+ = q + h v+
 *     u_N+ >= -e u_N for what bounces, u_N+ >= -gap/h for the rest, complementary to P_N; Coulomb's friction
 *
 * `nsalpha`: Q. Chen, V. Acary, G. Virlez, O. Bruels, A nonsmooth generalized-alpha scheme for flexible multibody systems with unilateral
 * constraints, Int. J. Numer. Meth. Engng 96 (2013) 487-511.  The motion without impulses by the alpha method, of second order, then
 *
 *     v+ = v~ + K^-1 W' P,       q+ = q~ + h/2 K^-1 W' P,       u_N+ >= -e u_N where the gap at q~ is closed.
 */
#include "linalg/cone.h"
#include "methods/crowd.h"
#include "methods/method.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 2000, ITERATIONS = 40, TRIES = 5 };
static const double EXACT = 1e-11, CROWDED = 1e-5;     /* certificates, relative to the largest velocity in question */
static const double WORST = 1e-2;               /* a certificate above this is a failure */
static const double SLOP = 5e-4;                /* part of its size by which a body of a crowd may overlap another ... */
static const double RECOVER = 0.2;              /* ... and what is taken back of more than that in a step */

/* Impulses of the last step by what they belong to. */
struct memory {
    long long key;              /* of a pair of bodies and a feature of theirs; below 0: a one-sided constraint */
    double P[4];                /* in space axes of a meeting, else row by row */
};

struct moreau {
    struct mbs_contacts out;
    double *rate, *moved;       /* W v + wt of all rows; the same for the velocities without impulses */
    int *row_start, *row_at;    /* entries of W row by row ... */
    int *row_col;               /* ... and their columns */
    struct mbs_crowd crowd;
    struct mbs_cone cone;
    struct memory *memory, *fresh;
    int memories, room_memory, freshes, room_fresh;
    double *floor;              /* what each contact of the problem asks of its normal velocity, without the bounce ... */
    double *bounce;             /* ... and the bounce, -e u_N; -infinity: it does not */
    unsigned char *meets;       /* whether it closes in this step */
    int room_floor;

    int blocks, *block_of, *block_start, *block_coord, *place;  /* coordinates that M ties together */
    double *factor;             /* Cholesky factors block by block */
    size_t *factor_at;
    double *column;             /* n + m */
    int *touched, *touched_blocks;
    unsigned char *mark;

    struct mbs_point x, old;
    double *free_v, *q_free, *acc, *a_alg, *a_old, *zdot;
    int started;
};

/* ---- set-up ---- */

static int find_root(int *of, int i)
{
    while (of[i] != i)
        i = of[i] = of[of[i]];
    return i;
}

/* Coordinates that M ties together; with constraints all of them, which the saddle point solves. */
static void blocks_layout(struct moreau *e, const struct mbs_problem *p, struct mbs_work *w)
{
    const struct mbs_pattern *M = &p->model->M;
    int n = p->n;
    size_t size = 0;

    e->block_of = mbs_work_ints(w, (size_t)n + 1);
    e->block_start = mbs_work_ints(w, (size_t)n + 2);
    e->block_coord = mbs_work_ints(w, (size_t)n + 1);
    e->place = mbs_work_ints(w, (size_t)n + 1);
    e->factor_at = mbs_work_bytes(w, ((size_t)n + 2) * sizeof *e->factor_at);
    e->touched = mbs_work_ints(w, (size_t)n + 1);
    e->touched_blocks = mbs_work_ints(w, (size_t)n + 1);
    e->mark = mbs_work_bytes(w, (size_t)n + 1);
    e->column = mbs_work_doubles(w, (size_t)(n + p->m) + 1);
    if (e->block_of) {
        for (int j = 0; j < n; j++)
            e->block_of[j] = j;
        for (int j = 0; j < n; j++)
            for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++)
                e->block_of[find_root(e->block_of, M->rowidx[k])] = find_root(e->block_of, j);
        for (int j = 0; j < n; j++)
            e->touched[j] = find_root(e->block_of, j);
        e->blocks = 0;
        int at = 0;
        for (int root = 0; root < n; root++) {
            if (e->touched[root] != root)
                continue;
            e->block_start[e->blocks] = at;
            for (int j = 0; j < n; j++)
                if (e->touched[j] == root) {
                    e->block_of[j] = e->blocks;
                    e->place[j] = at - e->block_start[e->blocks];
                    e->block_coord[at++] = j;
                }
            int b = at - e->block_start[e->blocks];
            e->factor_at[e->blocks++] = size;
            size += (size_t)b * (size_t)b;
        }
        e->block_start[e->blocks] = at;
    }
    /* the size is known in the second pass only: a full matrix is room for all */
    e->factor = mbs_work_doubles(w, p->m ? 1 : (size_t)n * (size_t)n + 1);
}

static void moreau_layout(struct mbs_stepper *s, struct mbs_work *w)
{
    struct moreau *e = s->self;
    const struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    size_t n = (size_t)p->n + 1, rows = (size_t)o->ntouch + 1;

    e->out = (struct mbs_contacts){ mbs_work_doubles(w, rows), mbs_work_doubles(w, (size_t)o->W.nnz + 1), mbs_work_doubles(w, rows), mbs_work_doubles(w, rows),
                                    mbs_work_doubles(w, 2 * (size_t)o->ncontact + 1) };
    e->rate = mbs_work_doubles(w, rows);
    e->moved = mbs_work_doubles(w, rows);
    e->row_start = mbs_work_ints(w, rows + 1);
    e->row_at = mbs_work_ints(w, (size_t)o->W.nnz + 1);
    e->row_col = mbs_work_ints(w, (size_t)o->W.nnz + 1);
    for (int pass = 0; e->row_start && o->ntouch && pass < 2; pass++) {
        for (int j = 0; j < p->n; j++)
            for (int k = o->W.colptr[j]; k < o->W.colptr[j + 1]; k++) {
                int r = o->W.rowidx[k];
                if (pass) {
                    e->row_col[e->row_start[r]] = j;
                    e->row_at[e->row_start[r]] = k;
                }
                e->row_start[r + (pass == 0)]++;
            }
        for (int r = 0; pass == 0 && r < o->ntouch; r++)
            e->row_start[r + 1] += e->row_start[r];
        for (int r = o->ntouch; pass && r > 0; r--)
            e->row_start[r] = e->row_start[r - 1];
        if (pass)
            e->row_start[0] = 0;
    }
    mbs_crowd_layout(&e->crowd, o, w);
    blocks_layout(e, p, w);
    mbs_point_layout(&e->x, p, w);
    mbs_point_layout(&e->old, p, w);
    double **each[] = { &e->free_v, &e->q_free, &e->acc, &e->a_alg, &e->a_old };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        *each[i] = mbs_work_doubles(w, n);
    e->zdot = mbs_work_doubles(w, (size_t)p->nz + 1);
}

static int moreau_open(struct mbs_stepper *s)
{
    struct moreau *e = s->self;

    return mbs_cone_begin(&e->cone, s->p->n);
}

static void moreau_close(struct mbs_stepper *s)
{
    struct moreau *e = s->self;

    mbs_cone_free(&e->cone);
    mbs_crowd_free(&e->crowd);
    free(e->memory);
    free(e->fresh);
    free(e->floor);
    free(e->bounce);
    free(e->meets);
}

/* ---- K^-1 ---- */

static int factor_blocks(struct moreau *e, const struct mbs_problem *p)
{
    const struct mbs_pattern *M = &p->model->M;

    for (int b = 0; b < e->blocks; b++) {
        int n = e->block_start[b + 1] - e->block_start[b];
        double *L = e->factor + e->factor_at[b];
        memset(L, 0, (size_t)n * (size_t)n * sizeof *L);
        for (int i = 0; i < n; i++) {
            int j = e->block_coord[e->block_start[b] + i];
            for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++) {
                int r = e->place[M->rowidx[k]];
                L[(r > i ? r : i) * n + (r > i ? i : r)] = p->dyn.M[k];
            }
        }
        for (int j = 0; j < n; j++)
            for (int i = j; i < n; i++) {
                double sum = L[i * n + j];
                for (int k = 0; k < j; k++)
                    sum -= L[i * n + k] * L[j * n + k];
                if (i == j && !(sum > 0))
                    return 1 + e->block_coord[e->block_start[b] + i];
                L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
            }
    }
    return 0;
}

static void solve_block(const struct moreau *e, int b, double *column)
{
    int n = e->block_start[b + 1] - e->block_start[b];
    const double *L = e->factor + e->factor_at[b];
    const int *at = e->block_coord + e->block_start[b];

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            column[at[i]] -= L[i * n + k] * column[at[k]];
        column[at[i]] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            column[at[i]] -= L[k * n + i] * column[at[k]];
        column[at[i]] /= L[i * n + i];
    }
}

/* A row of the problem from `parts` rows of W with factors: its entries and those of K^-1 W'. */
struct part {
    int row;
    double by;
};

static int add_row(struct mbs_stepper *s, double b, double P, int parts, const struct part *part)
{
    struct moreau *e = s->self;
    struct mbs_problem *p = s->p;
    int count = 0, blocks = 0, status = mbs_cone_row(&e->cone, b, P), n = p->n;
    double *w = p->ytmp;        /* zero but for the entries of this row */

    for (int i = 0; i < parts; i++)
        for (int k = e->row_start[part[i].row]; part[i].by != 0 && k < e->row_start[part[i].row + 1]; k++) {
            int j = e->row_col[k];
            if (!e->mark[j]) {
                e->mark[j] = 1;
                e->touched[count++] = j;
                w[j] = 0;
            }
            w[j] += part[i].by * e->out.W[e->row_at[k]];
        }
    if (p->m > 0) {
        memset(e->column, 0, (size_t)(n + p->m) * sizeof *e->column);
        for (int i = 0; i < count; i++)
            e->column[e->touched[i]] = w[e->touched[i]];
        mbs_saddle_solve(p->saddle, e->column);
        for (int j = 0; j < n && status == 0; j++)
            if (e->mark[j] || e->column[j] != 0)
                status = mbs_cone_entry(&e->cone, j, e->mark[j] ? w[j] : 0, e->column[j]);
        for (int i = 0; i < count; i++)
            e->mark[e->touched[i]] = 0;
        return status;
    }
    for (int i = 0; i < count; i++) {
        int b2 = e->block_of[e->touched[i]], known = 0;
        for (int k = 0; k < blocks; k++)
            known |= e->touched_blocks[k] == b2;
        if (!known) {
            e->touched_blocks[blocks++] = b2;
            for (int k = e->block_start[b2]; k < e->block_start[b2 + 1]; k++)
                e->column[e->block_coord[k]] = e->mark[e->block_coord[k]] ? w[e->block_coord[k]] : 0;
        }
    }
    for (int i = 0; i < blocks; i++) {
        solve_block(e, e->touched_blocks[i], e->column);
        for (int k = e->block_start[e->touched_blocks[i]]; k < e->block_start[e->touched_blocks[i] + 1] && status == 0; k++) {
            int j = e->block_coord[k];
            status = mbs_cone_entry(&e->cone, j, e->mark[j] ? w[j] : 0, e->column[j]);
        }
    }
    for (int i = 0; i < count; i++)
        e->mark[e->touched[i]] = 0;
    return status;
}

/* ---- contacts ---- */

static int by_key(const void *a, const void *b)
{
    long long x = ((const struct memory *)a)->key, y = ((const struct memory *)b)->key;

    return (x > y) - (x < y);
}

static const struct memory *recall(const struct moreau *e, long long key)
{
    const struct memory want = { .key = key };

    return e->memories ? bsearch(&want, e->memory, (size_t)e->memories, sizeof *e->memory, by_key) : NULL;
}

static int note(struct moreau *e, long long key)
{
    if (e->freshes == e->room_fresh) {
        int room = e->room_fresh ? 2 * e->room_fresh : 64;
        struct memory *more = realloc(e->fresh, (size_t)room * sizeof *more);
        if (!more)
            return MBS_NO_MEMORY;
        e->fresh = more;
        e->room_fresh = room;
    }
    e->fresh[e->freshes++] = (struct memory){ .key = key };
    return 0;
}

/* What the normal velocity must be at least, without (floor) and with the bounce. */
static int ask(struct moreau *e, double at_least, double bounce, int meets)
{
    int i = e->cone.contacts - 1;

    if (i >= e->room_floor) {
        int room = e->room_floor ? 2 * e->room_floor : 64;
        double *one = realloc(e->floor, (size_t)room * sizeof *one), *two;
        if (!one)
            return MBS_NO_MEMORY;
        e->floor = one;
        two = realloc(e->bounce, (size_t)room * sizeof *two);
        if (!two)
            return MBS_NO_MEMORY;
        e->bounce = two;
        unsigned char *three = realloc(e->meets, (size_t)room);
        if (!three)
            return MBS_NO_MEMORY;
        e->meets = three;
        e->room_floor = room;
    }
    e->floor[i] = at_least;
    e->bounce[i] = bounce;
    e->meets[i] = (unsigned char)meets;
    return 0;
}

/* The demand on a gap: before (u), without impulses (u_free), after the step h.  moreau looks ahead, nsalpha at what is closed. */
static int demand(struct moreau *e, int ahead, double gap, double u, double u_free, double restitution, double slop, double h)
{
    double at_least = ahead ? gap > 0 ? -gap / h : fmin(gap + slop, 0) * -RECOVER / h : 0, pull = u - u_free;
    int meets = ahead ? gap + h * fmin(u, u_free) <= 0 : 1;
    double bounce = restitution > 0 && -u > 4 * fmax(pull, 0) && -u > 1e-12 ? -restitution * u : -HUGE_VAL;

    return ask(e, at_least, bounce, meets);
}

/* The normal velocity that contact i must reach. */
static double asked(const struct moreau *e, int i, double share)
{
    return e->meets[i] ? fmax(e->floor[i], share * e->bounce[i]) : e->floor[i];
}

static double along(const double *rows, int parts, const struct part *part)
{
    double sum = 0;

    for (int i = 0; i < parts; i++)
        sum += part[i].by * rows[part[i].row];
    return sum;
}

/* One-sided constraints of the model. */
static int rows_add(struct mbs_stepper *s, double h, int ahead)
{
    struct moreau *e = s->self;
    const struct mbs_model *o = s->p->model;
    int status = 0;

    for (int i = 0; i < o->ncontact && status == 0; i++) {
        const struct mbs_contact *pair = &o->pair[i];
        int f = pair->first, normal = pair->kind != MBS_CONTACT_FRICTION;
        double gap = e->out.dist[f], u = e->rate[f], free = e->moved[f], c = e->out.law[2 * i + 1] * (normal ? 1 : h);
        if (pair->kind == MBS_CONTACT_BODY)
            continue;
        if (pair->kind == MBS_CONTACT_GAP && (ahead ? gap + 2 * h * (fmin(u, free) - fabs(u - free)) > 0 : gap > 0))
            continue;
        const struct memory *was = recall(e, -1 - i);
        if ((status = mbs_cone_contact(&e->cone, normal, pair->rows - normal, c, i)) || (status = note(e, -1 - i)))
            break;
        if (pair->kind == MBS_CONTACT_GAP)
            status = demand(e, ahead, gap, u, free, e->out.law[2 * i], 0, h);
        else
            status = ask(e, 0, -HUGE_VAL, 1);
        for (int r = 0; r < pair->rows && status == 0; r++) {
            const struct part part = { f + r, 1 };
            status = add_row(s, e->moved[f + r], was ? was->P[r] : 0, 1, &part);
        }
    }
    return status;
}

/* The velocity along d of a body at a place, by the rows of its pose. */
static int pose_parts(const struct moreau *e, const struct mbs_model *o, int body, const double *at, const double *d, double sign, struct part *part)
{
    int f = o->pair[body].first, n = 0;
    const double *x = e->out.dist + f;
    double r[3] = { at[0] - x[0], at[1] - x[1], e->crowd.space == 3 ? at[2] - x[2] : 0 };

    for (int i = 0; i < e->crowd.space; i++)
        part[n++] = (struct part){ f + i, sign * d[i] };
    if (e->crowd.space == 2) {
        part[n++] = (struct part){ f + 2, sign * (r[0] * d[1] - r[1] * d[0]) };
        return n;
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        part[n++] = (struct part){ f + 3 + i, sign * (r[j] * d[k] - r[k] * d[j]) };
    }
    return n;
}

/* Two directions across n. */
static void across(const double n[3], double t[2][3])
{
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    double size = 0;

    least = fabs(n[2]) < fabs(n[least]) ? 2 : least;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        t[0][i] = n[j] * (k == least) - n[k] * (j == least);
        size += t[0][i] * t[0][i];
    }
    for (int i = 0; i < 3; i++)
        t[0][i] /= sqrt(size);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        t[1][i] = n[j] * t[0][k] - n[k] * t[0][j];
    }
}

static double speed_of(const struct moreau *e, const struct mbs_model *o, int body, const double *rows)
{
    const struct mbs_contact *pair = &o->pair[body];
    const double *u = rows + pair->first, *end = e->out.dist + pair->first + pair->rows;
    double far = pair->solid == MBS_SOLID_BOX ? hypot(end[-1], end[-2]) : pair->solid == MBS_SOLID_CAPSULE ? end[-1] + end[-2] : end[-1];

    if (pair->solid == MBS_SOLID_PLANE)
        return e->crowd.space == 2 ? hypot(u[0], u[1]) : sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    return e->crowd.space == 2 ? hypot(u[0], u[1]) + fabs(u[2]) * far
                               : sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) + far * sqrt(u[3] * u[3] + u[4] * u[4] + u[5] * u[5]);
}

static int crowd_add(struct mbs_stepper *s, double h, int ahead)
{
    struct moreau *e = s->self;
    const struct mbs_model *o = s->p->model;
    int status;

    if (e->crowd.bodies == 0)
        return 0;
    for (int i = 0; i < o->ncontact; i++)
        if (o->pair[i].kind == MBS_CONTACT_BODY)
            e->crowd.reach[i] = ahead ? h * (speed_of(e, o, i, e->rate) + speed_of(e, o, i, e->moved)) : 0;
    status = mbs_crowd_meet(&e->crowd, o, e->out.dist, e->out.law);
    for (int i = 0; i < e->crowd.n && status == 0; i++) {
        const struct mbs_meeting *m = &e->crowd.at[i];
        const double *law = e->out.law + 2 * (o->pair[m->b].solid == MBS_SOLID_PLANE ? m->b : m->a);
        double d[3][3], slop = ahead ? SLOP * fmin(mbs_crowd_size(o, m->a, e->out.dist), mbs_crowd_size(o, m->b, e->out.dist)) : 0;
        int tangents = law[1] > 0 ? e->crowd.space - 1 : 0;
        long long key = ((long long)(m->a + 1) * (o->ncontact + 1) + m->b + 1) * 128 + m->feature;
        const struct memory *was = recall(e, key);
        memcpy(d[0], m->n, sizeof d[0]);
        if (e->crowd.space == 2)
            memcpy(d[1], (double[]){ -m->n[1], m->n[0], 0 }, sizeof d[1]);
        else
            across(m->n, d + 1);
        if ((status = mbs_cone_contact(&e->cone, 1, tangents, law[1], m->a)) || (status = note(e, key)))
            break;
        for (int r = 0; r < 1 + tangents && status == 0; r++) {
            struct part part[12];
            double P = 0;
            int n = pose_parts(e, o, m->a, m->at, d[r], 1, part);
            n += pose_parts(e, o, m->b, m->at, d[r], -1, part + n);
            double u_free = along(e->moved, n, part);
            if (r == 0)
                status = demand(e, ahead, m->gap, along(e->rate, n, part), u_free, law[0], slop, h);
            for (int k = 0; was && k < 3; k++)
                P += was->P[k] * d[r][k];
            if (status == 0)
                status = add_row(s, u_free, P, n, part);
            for (int k = 0; k < 3; k++)         /* directions are kept until the impulses are known */
                e->fresh[e->freshes - 1].P[k] = r == 0 ? m->n[k] : e->fresh[e->freshes - 1].P[k];
        }
    }
    return status;
}

static void names_of(const struct moreau *e, const struct mbs_model *o, char *text, size_t size)
{
    size_t used = 0;

    text[0] = 0;
    for (int i = 0; i < e->cone.contacts && used + 40 < size; i++)
        if (i == 0 || e->cone.at[i].name != e->cone.at[i - 1].name)
            used += (size_t)snprintf(text + used, size - used, "%s%.32s", used ? ", " : "", o->contact[e->cone.at[i].name].name);
}

static void remember(struct moreau *e)
{
    for (int i = 0; i < e->cone.contacts; i++) {
        const struct mbs_cone_contact *k = &e->cone.at[i];
        struct memory *m = &e->fresh[i];
        const double *P = e->cone.P + k->first;
        if (m->key >= 0) {      /* of a meeting: as a vector in space */
            double n[3], t[3][3];
            memcpy(n, m->P, sizeof n);
            if (e->crowd.space == 2)
                memcpy(t[0], (double[]){ -n[1], n[0], 0 }, sizeof t[0]);
            else
                across(n, t);
            for (int c = 0; c < 3; c++)
                m->P[c] = P[0] * n[c] + (k->tangents > 0 ? P[1] * t[0][c] : 0) + (k->tangents > 1 ? P[2] * t[1][c] : 0);
        } else {
            memcpy(m->P, P, (size_t)(k->normal + k->tangents) * sizeof *P);
        }
    }
    if (e->freshes > 1)
        qsort(e->fresh, (size_t)e->freshes, sizeof *e->fresh, by_key);
    struct memory *swap = e->memory;
    int room = e->room_memory;
    e->memory = e->fresh;
    e->memories = e->freshes;
    e->room_memory = e->room_fresh;
    e->fresh = swap;
    e->room_fresh = room;
}

/* Work of the impulses on the velocities before and after: above zero they would create energy. */
static double work_done(const struct moreau *e, double share)
{
    double work = 0;

    for (int i = 0; i < e->cone.contacts; i++) {
        const struct mbs_cone_contact *k = &e->cone.at[i];
        for (int r = 0; r < k->normal + k->tangents; r++) {
            double shift = r == 0 && k->normal ? asked(e, i, share) : 0;
            double before = e->cone.b[k->first + r] + shift, after = e->cone.u[k->first + r] + shift;
            work += e->cone.P[k->first + r] * (before + after) / 2;
        }
    }
    return work;
}

/* Impulses at (t, q) for the velocities `moving` without them and `before` at the begin of the step; the change of velocities is in cone.dv. */
static int impulses(struct mbs_stepper *s, double t, const double *q, const double *before, const double *moving, const double *z, double h, int ahead)
{
    struct moreau *e = s->self;
    struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    struct mbs_state x = { .t = t, .q = q, .v = before, .z = z, .u = p->u };
    int status;
    double size = 0, share = 1;
    char names[160];

    e->freshes = 0;
    if ((status = mbs_cone_begin(&e->cone, p->n)))
        return mbs_fail(s->msg, status, t, -1, -1, "out of memory for contacts at t = %.9g", t);
    memset(e->cone.dv, 0, (size_t)p->n * sizeof *e->cone.dv);
    if (o->ncontact == 0)
        return 0;
    mbs_inputs_at(p, t);
    o->contacts(p->c, &x, &e->out, p->w);
    memcpy(e->rate, e->out.wt, (size_t)o->ntouch * sizeof *e->rate);
    memcpy(e->moved, e->out.wt, (size_t)o->ntouch * sizeof *e->rate);
    mbs_csc_mul(&o->W, e->out.W, 1, before, e->rate);
    mbs_csc_mul(&o->W, e->out.W, 1, moving, e->moved);
    if ((status = rows_add(s, h, ahead)) || (status = crowd_add(s, h, ahead)))
        return mbs_fail(s->msg, status, t, -1, -1, "out of memory for contacts at t = %.9g", t);
    if (e->cone.contacts == 0) {
        e->memories = 0;
        return 0;
    }
    for (int try = 0;; try++) {
        int bounces = 0, late = 0;
        for (int i = 0; i < e->cone.contacts; i++)
            if (e->cone.at[i].normal) {
                bounces |= asked(e, i, share) > e->floor[i];
                e->cone.b[e->cone.at[i].first] -= asked(e, i, share);
                size = fmax(size, fabs(e->cone.b[e->cone.at[i].first]));
            }
        status = e->crowd.bodies ? mbs_cone_sweep(&e->cone, CROWDED * size, SWEEPS) : mbs_cone_solve(&e->cone, EXACT * size, SWEEPS);
        s->stat->sweeps += e->cone.sweeps;
        e->cone.sweeps = 0;
        double work = work_done(e, share);
        for (int i = 0; i < e->cone.contacts; i++)      /* it closes for what others do to it */
            late |= !e->meets[i] && e->bounce[i] > e->floor[i] && e->cone.at[i].normal && e->cone.P[e->cone.at[i].first] > 0;
        if (try == TRIES || !(late || (bounces && work > 1e-12 * size * size)))
            break;
        for (int i = 0; i < e->cone.contacts; i++)
            if (e->cone.at[i].normal) {
                e->cone.b[e->cone.at[i].first] += asked(e, i, share);
                e->meets[i] |= e->bounce[i] > e->floor[i] && e->cone.P[e->cone.at[i].first] > 0;
            }
        if (!late)              /* Newton's law with friction would create energy: less of the bounce */
            share = try >= TRIES - 1 ? 0 : share / 2;
    }
    s->stat->residual = fmax(s->stat->residual, size > 0 ? e->cone.residual / size : 0);
    if (status && !(e->cone.residual <= WORST * size)) {
        names_of(e, o, names, sizeof names);
        return mbs_fail(s->msg, MBS_NO_CONVERGENCE, t, -1, -1, "no impulses at %s agree with Coulomb's law at t = %.9g (residual %.2g of %.2g)", names, t,
                        e->cone.residual, size);
    }
    return 0;
}

/* ---- steps ---- */

/* a, zdot without contacts at the begin of the step, and the factors for K^-1. */
static int smooth(struct mbs_stepper *s, double t, const double *y, double *a, double *lambda, double *zdot)
{
    struct moreau *e = s->self;
    struct mbs_problem *p = s->p;
    struct mbs_state x = { .t = t, .q = y, .v = y + p->n, .z = y + 2 * p->n };
    int status;

    if (p->m > 0) {
        p->saddled = 1;
        status = mbs_accelerations(p, t, y, a, lambda, zdot);
        p->saddled = 0;
        return status;
    }
    struct mbs_dynamics out = p->dyn;
    out.zdot = zdot;
    out.g = out.gt = out.gamma = NULL;
    mbs_eval_dynamics(p, &x, &out);
    if ((status = factor_blocks(e, p)))
        return mbs_fail(s->msg, MBS_SINGULAR, t, status - 1, -1, "coordinate %s has no inertia (M is singular there) at t = %.9g",
                        p->model->coord[status - 1].name, t);
    memcpy(a, p->dyn.f, (size_t)p->n * sizeof *a);
    for (int b = 0; b < e->blocks; b++)
        solve_block(e, b, a);
    return mbs_finite(a, p->n) ? 0 : mbs_name_nan(p, t, y);
}

static int moreau_start(struct mbs_stepper *s)
{
    struct moreau *e = s->self;
    struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    int status = smooth(s, s->x.t, s->x.q, e->acc, s->x.lambda, e->zdot);

    if (status)
        return status;
    memcpy(e->a_alg, e->acc, (size_t)p->n * sizeof *e->a_alg);
    s->h = s->dir * s->opt->step;
    s->err = s->sc = NULL;
    if (e->started || o->ncontact == 0)
        return 0;
    /* nothing may overlap where it begins */
    struct mbs_state x = mbs_point_state(&s->x, p);
    o->contacts(p->c, &x, &e->out, p->w);
    for (int i = 0; i < o->ncontact; i++)
        if (o->pair[i].kind == MBS_CONTACT_GAP && e->out.dist[o->pair[i].first] < -1e-8)
            return mbs_fail(s->msg, MBS_INCONSISTENT, s->x.t, -1, -1, "at the start the one-sided constraint %s is violated by %.3g", o->contact[i].name,
                            -e->out.dist[o->pair[i].first]);
    memset(e->crowd.reach, 0, (size_t)o->ncontact * sizeof *e->crowd.reach);
    if ((status = mbs_crowd_meet(&e->crowd, o, e->out.dist, e->out.law)))
        return status;
    for (int i = 0; i < e->crowd.n; i++) {
        const struct mbs_meeting *m = &e->crowd.at[i];
        if (m->gap < -SLOP * fmin(mbs_crowd_size(o, m->a, e->out.dist), mbs_crowd_size(o, m->b, e->out.dist)))
            return mbs_fail(s->msg, MBS_INCONSISTENT, s->x.t, -1, -1, "at the start %s and %s overlap by %.3g", o->contact[m->a].name, o->contact[m->b].name, -m->gap);
    }
    e->started = 1;
    return 0;
}

/* Onto the two-sided constraints. */
static int onto_constraints(struct mbs_stepper *s, double t)
{
    struct moreau *e = s->self;
    struct mbs_problem *p = s->p;
    int status;

    if (p->m == 0)
        return 0;
    status = mbs_project_position(p, t, e->x.q, s->opt->atol, s->opt->rtol, NULL);
    return status ? status : mbs_project_velocity(p, t, e->x.q, e->x.v);
}

/* The same with the constraints on the velocities at the end of the step, G v + gt = 0 at q: what the curvature of the constraints asks for
 * is left to the projection, which takes energy and never gives it. */
static int velocity_level(struct mbs_stepper *s, double h, double *a, double *lambda, double *zdot)
{
    struct mbs_problem *p = s->p;
    struct mbs_state x = { .t = s->x.t, .q = s->x.q, .v = s->x.v, .z = s->x.z };
    struct mbs_dynamics out = p->dyn;
    int n = p->n, status;

    if (p->m == 0)
        return smooth(s, s->x.t, s->x.q, a, lambda, zdot);
    out.zdot = zdot;
    out.g = NULL;
    mbs_eval_dynamics(p, &x, &out);
    status = mbs_saddle_factor(p->saddle, out.M, out.G);
    s->stat->lu++;
    if (status < 0)
        return mbs_accelerations(p, s->x.t, s->x.q, a, lambda, zdot);       /* which says why */
    s->stat->rank_drops += status > 0;
    memcpy(p->gv, p->dyn.gt, (size_t)p->m * sizeof *p->gv);
    mbs_csc_mul(&p->model->G, p->dyn.G, 1, s->x.v, p->gv);
    for (int i = 0; i < p->m; i++)
        p->x[n + i] = -p->gv[i] / h;
    mbs_saddle_solve(p->saddle, p->x);
    memcpy(a, p->x, (size_t)n * sizeof *a);
    memcpy(lambda, p->x + n, (size_t)p->m * sizeof *lambda);
    return mbs_finite(a, n) ? 0 : mbs_name_nan(p, s->x.t, s->x.q);
}

static int moreau_attempt(struct mbs_stepper *s, double h, double t_new, double *err)
{
    struct moreau *e = s->self;
    struct mbs_problem *p = s->p;
    int status, n = p->n;

    *err = 0;
    mbs_point_copy(&e->x, &s->x, p);
    if ((status = velocity_level(s, h, e->acc, e->x.lambda, e->zdot)))
        return status;
    for (int i = 0; i < n; i++)
        e->free_v[i] = s->x.v[i] + h * e->acc[i];
    if ((status = impulses(s, s->x.t, s->x.q, s->x.v, e->free_v, s->x.z, h, 1)))
        return status;
    for (int i = 0; i < n; i++) {
        e->x.v[i] = e->free_v[i] + e->cone.dv[i];
        e->x.q[i] = s->x.q[i] + h * e->x.v[i];
        e->x.a[i] = (e->x.v[i] - s->x.v[i]) / h;
    }
    for (int i = 0; i < p->nz; i++)
        e->x.z[i] = s->x.z[i] + h * e->zdot[i];
    return onto_constraints(s, t_new);
}

static int nsalpha_attempt(struct mbs_stepper *s, double h, double t_new, double *err)
{
    struct moreau *e = s->self;
    struct mbs_problem *p = s->p;
    int status, n = p->n;
    double rho = s->opt->rho, am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);

    *err = 0;
    mbs_point_copy(&e->x, &s->x, p);
    memcpy(e->a_old, e->acc, (size_t)n * sizeof *e->acc);
    double last = HUGE_VAL;
    for (int iter = 0; iter < ITERATIONS; iter++) {
        double change = 0, size = 1e-300;
        for (int i = 0; i < n; i++) {
            double a = ((1 - af) * e->acc[i] + af * e->a_old[i] - am * e->a_alg[i]) / (1 - am);
            e->q_free[i] = s->x.q[i] + h * s->x.v[i] + h * h * ((0.5 - beta) * e->a_alg[i] + beta * a);
            e->free_v[i] = s->x.v[i] + h * ((1 - gamma) * e->a_alg[i] + gamma * a);
        }
        /* K^-1 is that of the last evaluation, at the end of the step from the second iteration on */
        if ((status = impulses(s, t_new, e->q_free, s->x.v, e->free_v, s->x.z, h, 0)))
            return status;
        for (int i = 0; i < n; i++) {
            double v = e->free_v[i] + e->cone.dv[i];
            change = fmax(change, fabs(v - e->x.v[i]));
            size = fmax(size, fabs(v) + fabs(h * e->acc[i]));
            e->x.v[i] = v;
            e->x.q[i] = e->q_free[i] + h / 2 * e->cone.dv[i];
        }
        for (int i = 0; i < p->nz; i++)
            e->x.z[i] = s->x.z[i] + h * e->zdot[i];
        if ((status = smooth(s, t_new, e->x.q, e->acc, e->x.lambda, e->column)))
            return status;
        if (change <= 1e-13 * size || (iter > 3 && change >= last && change <= 1e-9 * size))
            break;
        last = change;
        if (iter == ITERATIONS - 1)
            return MBS_NO_CONVERGENCE;
    }
    return onto_constraints(s, t_new);
}

static int moreau_accept(struct mbs_stepper *s, double h, double t_new)
{
    struct moreau *e = s->self;
    struct mbs_problem *p = s->p;
    const int *second = s->method->data;
    double rho = s->opt->rho, am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1);

    for (int i = 0; i < e->cone.contacts; i++)
        s->stat->impacts += e->cone.at[i].normal && asked(e, i, 1) > e->floor[i] && e->cone.P[e->cone.at[i].first] > 0;
    remember(e);
    if (*second) {
        for (int i = 0; i < p->n; i++) {
            e->a_alg[i] = ((1 - af) * e->acc[i] + af * e->a_old[i] - am * e->a_alg[i]) / (1 - am);
            e->x.a[i] = (e->x.v[i] - s->x.v[i]) / h;
        }
        if (p->nz > 0) {
            struct mbs_state x = { .t = t_new, .q = e->x.q, .v = e->x.v, .z = e->x.z };
            mbs_eval_dynamics(p, &x, &p->dyn);
            for (int i = 0; i < p->nz; i++)     /* the trapezoidal rule, explicit in z */
                e->x.z[i] = s->x.z[i] + h / 2 * (e->zdot[i] + p->dyn.zdot[i]);
            memcpy(e->zdot, p->dyn.zdot, (size_t)p->nz * sizeof *e->zdot);
        }
    }
    mbs_point_copy(&e->old, &s->x, p);
    s->t_old = s->x.t;
    e->x.t = t_new;
    memset(e->x.mu, 0, (size_t)p->m * sizeof *e->x.mu);
    mbs_point_copy(&s->x, &e->x, p);
    s->x.t = t_new;
    return 0;
}

/* Positions on a line (the velocity of a step is constant), velocities those of its end. */
static int moreau_dense(struct mbs_stepper *s, double t, struct mbs_point *out)
{
    const struct moreau *e = s->self;
    const struct mbs_problem *p = s->p;
    double h = s->x.t - s->t_old, th = h != 0 ? (t - s->t_old) / h : 1;

    out->t = t;
    for (int i = 0; i < p->ny; i++)
        out->q[i] = e->old.q[i] + th * (s->x.q[i] - e->old.q[i]);
    /* a time that misses the begin by a rounding error is the begin */
    memcpy(out->v, th > 1e-9 ? s->x.v : e->old.v, (size_t)p->n * sizeof *out->v);
    memcpy(out->a, s->x.a, (size_t)p->n * sizeof *out->a);
    memcpy(out->lambda, s->x.lambda, (size_t)p->m * sizeof *out->lambda);
    return MBS_DENSE_A | MBS_DENSE_LAMBDA;
}

static const int first_order = 0, second_order = 1;
enum { FLAGS = MBS_METHOD_FIXED | MBS_METHOD_NONHOLONOMIC | MBS_METHOD_STATES | MBS_METHOD_TOUCH | MBS_METHOD_STEPS };

const struct mbs_method mbs_method_moreau = {
    .name = "moreau",
    .summary = "time stepping over impacts and friction (Moreau, Jean), order 1, for many contacts; fixed step",
    .forms = MBS_FORM(MBS_PROJECTED),
    .flags = FLAGS,
    .form_default = MBS_PROJECTED,
    .size_self = sizeof(struct moreau),
    .data = &first_order,
    .layout = moreau_layout,
    .open = moreau_open,
    .start = moreau_start,
    .attempt = moreau_attempt,
    .accept = moreau_accept,
    .dense = moreau_dense,
    .close = moreau_close,
};

const struct mbs_method mbs_method_nsalpha = {
    .name = "nsalpha",
    .summary = "non-smooth generalised alpha method: order 2 between impacts, order 1 across them; fixed step",
    .forms = MBS_FORM(MBS_PROJECTED),
    .flags = FLAGS,
    .form_default = MBS_PROJECTED,
    .size_self = sizeof(struct moreau),
    .data = &second_order,
    .layout = moreau_layout,
    .open = moreau_open,
    .start = moreau_start,
    .attempt = nsalpha_attempt,
    .accept = moreau_accept,
    .dense = moreau_dense,
    .close = moreau_close,
};
