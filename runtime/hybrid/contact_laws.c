/* SPDX-License-Identifier: MIT
 *
 * The law of contact and of dry friction at an instant, for impulses as for forces: a linear complementarity problem of one form (Pfeiffer & Glocker,
 * Multibody Dynamics with Unilateral Contacts, 1996): with x_N the normal velocity or acceleration, x_T = x_T+ - x_T- the tangential one, and
 * mu_T = mu_R - c mu_N,
 *
 *     x_N  = A_NN mu_N + A_NT mu_T + b_N          x_N  >= 0  _|_  mu_N >= 0
 *     x_T+ = A_TN mu_N + A_TT mu_T + b_T + x_T-   x_T+ >= 0  _|_  mu_R >= 0
 *     mu_L = 2 c mu_N - mu_R                      mu_L >= 0  _|_  x_T- >= 0
 *
 * In space the slip is a vector and friction a cone: linalg/cone.h solves the same problems. */
#include "hybrid/touch.h"

#include <string.h>

/* ---- cones ---- */

/* Row r of the problem with cones; of contact i, if it slides (else i < 0), friction acts with the normal force. */
static int cone_row(struct mbs_problem *p, int r, double b, int i)
{
    struct mbs_touch *c = p->touch;
    int status = mbs_cone_row(&c->cone, b, 0), n = p->n, m = p->m;

    for (int j = 0; status == 0 && j < n; j++) {
        double w = mbs_touch_entry(p, r, j), x = c->X[r * (n + m) + j];
        for (int k = 0; i >= 0 && k < mbs_touch_tangents(mbs_touch_pair(p, i)); k++)
            x -= c->out.law[2 * i + 1] * c->way[3 * i + k] * c->X[(mbs_touch_tangent(mbs_touch_pair(p, i)) + k) * (n + m) + j];
        if (w != 0 || x != 0)
            status = mbs_cone_entry(&c->cone, j, w, x);
    }
    return status;
}

/* The problem with friction in space; also what rounding errors have hidden from pivoting, sweeps may find. */
static int cones(struct mbs_problem *p, const struct mbs_touch_problem *of)
{
    const double *b = of->b, *least = of->least;
    int forces = of->forces;
    double *mu = of->mu;
    struct mbs_touch *c = p->touch;
    struct mbs_cone *k = &c->cone;
    int status = mbs_cone_begin(k, p->n);
    double size = 0;

    for (int i = 0; status == 0 && i < c->n; i++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, i);
        int slides = forces && c->slide[i], normal = pair->kind != MBS_CONTACT_FRICTION;
        if (!mbs_touch_takes_part(c, i) || (slides && !normal))
            continue;
        status = mbs_cone_contact(k, normal, slides ? 0 : mbs_touch_tangents(pair), c->out.law[2 * i + 1], i);
        if (status == 0 && least && normal)
            k->at[k->contacts - 1].more = c->out.law[2 * i + 1] * least[pair->first];
        for (int r = pair->first; status == 0 && r < pair->first + (slides ? 1 : pair->rows); r++) {
            double push = b[r];
            for (int j = 0; j < c->n; j++)      /* friction that slides and that nothing presses is known */
                if (forces && mbs_touch_takes_part(c, j) && c->slide[j] && mbs_touch_pair(p, j)->kind == MBS_CONTACT_FRICTION)
                    push += mbs_touch_sliding_force(p, j) * c->A[mbs_touch_pair(p, j)->first * c->rows + r];
            for (int s = 0; least && s < c->rows; s++)
                push += least[s] * c->A[s * c->rows + r];
            size = fmax(size, fabs(push));
            status = cone_row(p, r, push, slides ? i : -1);
        }
    }
    if (status == 0)
        status = mbs_cone_solve(k, 1e-11 * size, 2000) && k->residual > 1e-7 * size;
    for (int i = 0; status == 0 && i < k->contacts; i++)
        memcpy(mu + mbs_touch_pair(p, k->at[i].name)->first, k->P + k->at[i].first, (size_t)(k->at[i].normal + k->at[i].tangents) * sizeof *mu);
    for (int r = 0; status == 0 && least && r < c->rows; r++)
        mu[r] += least[r];
    for (int i = 0; status == 0 && forces && i < c->n; i++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, i);
        double bound = c->out.law[2 * i + 1] * (pair->kind == MBS_CONTACT_FRICTION ? 1 : mu[pair->first]);
        for (int t = 0; mbs_touch_takes_part(c, i) && c->slide[i] && t < mbs_touch_tangents(pair); t++)
            mu[mbs_touch_tangent(pair) + t] = pair->kind == MBS_CONTACT_FRICTION ? mbs_touch_sliding_force(p, i) : -c->way[3 * i + t] * bound;
    }
    return status;
}

/* ---- pivoting ---- */

/* Numbers of the unknowns: mu_N of contact i is normal[i], mu_R is slip[i] and x_T- the one behind it; -1: there is none.  Returns how many. */
static int number_unknowns(const struct mbs_problem *p, int forces, int *normal, int *slip)
{
    const struct mbs_touch *c = p->touch;
    int n = 0;

    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, i);
        normal[i] = slip[i] = -1;
        if (!mbs_touch_takes_part(c, i))
            continue;
        if (pair->kind != MBS_CONTACT_FRICTION)
            normal[i] = n++;
        if (mbs_touch_tangent(pair) >= 0 && !(forces && c->slide[i])) {
            slip[i] = n;
            n += 2;
        }
    }
    return n;
}

/* Equation e: the velocity or acceleration of row r, that is b without forces. */
static void row_equation(struct mbs_problem *p, int e, int r, double b, int n, const int *normal, const int *slip)
{
    struct mbs_touch *c = p->touch;

    c->b[e] = b;
    for (int j = 0; j < c->n; j++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, j);
        int t = mbs_touch_tangent(pair);
        double coef = c->out.law[2 * j + 1];
        if (!mbs_touch_takes_part(c, j))
            continue;
        if (normal[j] >= 0) {
            double x = c->A[pair->first * c->rows + r];
            if (t >= 0)
                x -= coef * (slip[j] >= 0 ? 1 : c->slide[j]) * c->A[t * c->rows + r];
            c->B[e * n + normal[j]] += x;
        } else if (t >= 0) {            /* friction alone: mu_T = mu_R - F, or -F against the slip */
            c->b[e] += (slip[j] >= 0 ? -coef : mbs_touch_sliding_force(p, j)) * c->A[t * c->rows + r];
        }
        if (slip[j] >= 0)
            c->B[e * n + slip[j]] += c->A[t * c->rows + r];
    }
}

/* Those of contact i. */
static void contact_equations(struct mbs_problem *p, int i, const double *b, int n, const int *normal, const int *slip)
{
    struct mbs_touch *c = p->touch;
    const struct mbs_contact *pair = mbs_touch_pair(p, i);
    int t = mbs_touch_tangent(pair), e = slip[i] + 1;

    if (normal[i] >= 0)
        row_equation(p, normal[i], pair->first, b[pair->first], n, normal, slip);
    if (slip[i] < 0)
        return;
    row_equation(p, slip[i], t, b[t], n, normal, slip);
    c->B[slip[i] * n + e] += 1;
    c->B[e * n + slip[i]] = -1;
    if (normal[i] >= 0)
        c->B[e * n + normal[i]] = 2 * c->out.law[2 * i + 1];
    else
        c->b[e] = 2 * c->out.law[2 * i + 1];
}

/* mu from the unknowns. */
static void read_multipliers(const struct mbs_problem *p, const struct mbs_touch_problem *of, const int *normal, const int *slip)
{
    const struct mbs_touch *c = p->touch;

    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, i);
        int t = mbs_touch_tangent(pair);
        double coef = c->out.law[2 * i + 1], press;
        if (!mbs_touch_takes_part(c, i))
            continue;
        press = normal[i] >= 0 ? c->z[normal[i]] + (of->least ? of->least[pair->first] : 0) : 1;
        if (normal[i] >= 0)
            of->mu[pair->first] = press;
        if (t >= 0)
            of->mu[t] = slip[i] >= 0    ? c->z[slip[i]] - coef * press
                        : normal[i] >= 0 ? -c->slide[i] * coef * press
                                         : mbs_touch_sliding_force(p, i);
    }
}

int mbs_touch_complement(struct mbs_problem *p, void *with)
{
    const struct mbs_touch_problem *of = with;
    struct mbs_touch *c = p->touch;
    int *normal = c->place, *slip = c->place + c->rows, n;

    memset(of->mu, 0, (size_t)c->rows * sizeof *of->mu);
    for (int i = 0; i < c->n; i++)
        if (mbs_touch_takes_part(c, i) && mbs_touch_tangents(mbs_touch_pair(p, i)) > 1)
            return cones(p, of);
    n = number_unknowns(p, of->forces, normal, slip);
    memset(c->B, 0, (size_t)n * (size_t)n * sizeof *c->B);
    memset(c->b, 0, (size_t)n * sizeof *c->b);
    for (int i = 0; i < c->n; i++)
        contact_equations(p, i, of->b, n, normal, slip);
    for (int i = 0; of->least && i < c->n; i++)
        for (int e = 0; normal[i] >= 0 && e < n; e++)
            c->b[e] += c->B[e * n + normal[i]] * of->least[mbs_touch_pair(p, i)->first];
    if (mbs_lemke(&c->lemke, n, c->B, c->b, c->z))
        return cones(p, of);
    read_multipliers(p, of, normal, slip);
    return 0;
}
