/* SPDX-License-Identifier: MIT
 *
 * Rows of contacts.  Those of bodies that meet are sums of a few rows of W, their poses, of which each belongs to many contacts: K^-1 is applied to
 * it once in a step, where the first contact asks for it. */
#include "methods/moreau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LOCKED = 1e-12;     /* of what a row yields alone: rounding errors */

/* W row by row. */
static void transpose(struct mbs_moreau *e, const struct mbs_model *o)
{
    for (int j = 0; j < o->nq; j++)
        for (int k = o->W.colptr[j]; k < o->W.colptr[j + 1]; k++)
            e->row_start[o->W.rowidx[k] + 1]++;
    for (int r = 0; r < o->ntouch; r++)
        e->row_start[r + 1] += e->row_start[r];
    for (int j = 0; j < o->nq; j++)
        for (int k = o->W.colptr[j]; k < o->W.colptr[j + 1]; k++) {
            int at = e->row_start[o->W.rowidx[k]]++;
            e->row_col[at] = j;
            e->row_at[at] = k;
        }
    for (int r = o->ntouch; r > 0; r--)
        e->row_start[r] = e->row_start[r - 1];
    e->row_start[0] = 0;
}

void mbs_moreau_rows_layout(struct mbs_moreau *e, const struct mbs_problem *p, struct mbs_work *w)
{
    const struct mbs_model *o = p->model;
    size_t rows = (size_t)o->ntouch + 1, entries = (size_t)o->W.nnz + 1;

    e->out = (struct mbs_contacts){ mbs_work_doubles(w, rows), mbs_work_doubles(w, entries), mbs_work_doubles(w, rows), mbs_work_doubles(w, rows),
                                    mbs_work_doubles(w, 2 * (size_t)o->ncontact + 1) };
    e->rate = mbs_work_doubles(w, rows);
    e->moved = mbs_work_doubles(w, rows);
    e->begin = mbs_work_doubles(w, rows);
    e->row_start = mbs_work_ints(w, rows + 1);
    e->row_at = mbs_work_ints(w, entries);
    e->row_col = mbs_work_ints(w, entries);
    e->wider = mbs_work_doubles(w, (size_t)o->ncontact + 1);
    e->known = mbs_work_ints(w, 2 * rows);
    if (e->row_start && o->ntouch)
        transpose(e, o);
    mbs_crowd_layout(&e->crowd, o, w);
}

void mbs_moreau_rows_begin(struct mbs_moreau *e, const struct mbs_model *o)
{
    memset(e->known, 0, 2 * (size_t)o->ntouch * sizeof *e->known);
    e->rows.entries = 0;
}

void mbs_moreau_rows_close(struct mbs_moreau *e)
{
    free(e->rows.index);
    free(e->rows.w);
    free(e->rows.x);
    free(e->pull);
}

double mbs_moreau_along(const double *rows, int parts, const struct mbs_part *part)
{
    double sum = 0;

    for (int i = 0; i < parts; i++)
        sum += part[i].by * rows[part[i].row];
    return sum;
}

/* Row r of W, and K^-1 of it. */
static int ask(struct mbs_stepper *s, int r)
{
    struct mbs_moreau *e = s->self;
    int from = e->row_start[r], count = e->row_start[r + 1] - from, status;
    double *w = s->p->ytmp;     /* only the entries of this row count */

    if (e->known[2 * r + 1] > 0)
        return 0;
    for (int k = from; k < from + count; k++)
        w[e->row_col[k]] = e->out.W[e->row_at[k]];
    e->known[2 * r] = e->rows.entries;
    status = mbs_inertia_row(&e->inertia, s->p, w, count, e->row_col + from, &e->rows);
    e->known[2 * r + 1] = e->rows.entries;
    return status;
}

int mbs_moreau_locked(struct mbs_stepper *s, int r)
{
    struct mbs_moreau *e = s->self;
    double own = 0, alone = 0;  /* what it yields, and what it would if its coordinates were free and by themselves */
    int status;

    if (s->p->m == 0)
        return 0;
    if ((status = ask(s, r)))
        return status;
    for (int k = e->known[2 * r]; k < e->known[2 * r + 1]; k++) {
        double m = mbs_csc_diagonal(&s->p->model->M, s->p->dyn.M, e->rows.index[k]);
        own += e->rows.w[k] * e->rows.x[k];
        alone += m > 0 ? e->rows.w[k] * e->rows.w[k] / m : 0;
    }
    return fabs(own) <= LOCKED * alone;
}

int mbs_moreau_row(struct mbs_stepper *s, double P, int parts, const struct mbs_part *part)
{
    struct mbs_moreau *e = s->self;
    int row = e->cone.rows, status;
    double free = mbs_moreau_along(e->moved, parts, part);

    if (mbs_grow(&e->pull, row + 1, &e->room_pull, sizeof *e->pull) || mbs_cone_row(&e->cone, free, P))
        return MBS_NO_MEMORY;
    e->pull[row] = free - mbs_moreau_along(e->rate, parts, part);
    for (int i = 0; i < parts; i++) {
        int r = part[i].row;
        double by = part[i].by;
        if (by == 0)
            continue;
        if ((status = ask(s, r)))
            return status;
        for (int k = e->known[2 * r]; k < e->known[2 * r + 1]; k++)
            if ((status = mbs_cone_entry(&e->cone, e->rows.index[k], by * e->rows.w[k], by * e->rows.x[k])))
                return status;
    }
    return 0;
}
