/* SPDX-License-Identifier: MIT
 *
 * The impulses of a step: Coulomb's and Newton's law at once for all contacts, and never more energy than before. */
#include "methods/moreau.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SWEEPS = 2000, TRIES = 5, ROUNDS = 5 };
/* Certificates, relative to the largest velocity in question.  In a crowd a step is as good as its order, h, makes it ... */
static const double EXACT = 1e-11, CROWDED = 1e-3;
static const double TIGHTER = 0.1, TIGHTEST = 1e-7;     /* ... but sharper where it would gain energy otherwise */
static const double SPARE = 1e-7;       /* what it may gain, relative to the impulses and the largest velocity */
static const double ENOUGH = 5e-3;      /* where self-stress does not settle: so much is no more than what the step itself is wrong by ... */
static const double WORST = 2e-2;       /* ... but more than this is a failure */

/* ---- demands ---- */

/* The normal velocity that contact i must reach. */
static double asked(const struct mbs_demand *d, double share)
{
    return d->meets ? fmax(d->floor, share * d->bounce) : d->floor;
}

/* Takes what is asked off the velocities of the problem (sign -1), or gives it back (1).  Whether a bounce is asked of any. */
static int shift(struct mbs_moreau *e, double share, double sign)
{
    int bounces = 0;

    for (int i = 0; i < e->cone.contacts; i++)
        if (e->cone.at[i].normal) {
            double least = asked(&e->demand[i], share);
            bounces |= least > e->demand[i].floor;
            e->cone.b[e->cone.at[i].first] += sign * least;
        }
    return bounces;
}

/* Some did not seem to close, but do for what others do to them: they bounce, too. */
static int find_late(struct mbs_moreau *e)
{
    int late = 0;

    for (int i = 0; i < e->cone.contacts; i++) {
        struct mbs_demand *d = &e->demand[i];
        if (!d->meets && d->bounce > d->floor && e->cone.at[i].normal && e->cone.P[e->cone.at[i].first] > 0)
            late = d->meets = 1;
    }
    return late;
}

int mbs_moreau_bounces(const struct mbs_moreau *e)
{
    int n = 0;

    for (int i = 0; i < e->cone.contacts; i++)
        n += e->cone.at[i].normal && asked(&e->demand[i], 1) > e->demand[i].floor && e->cone.P[e->cone.at[i].first] > 0;
    return n;
}

/* ---- energy ---- */

/* What the impulses add to the energy, if all of them are multiplied by k: -fall + k linear + k^2 square.  With u before the step, u_f without impulses
 * and u+ after it the kinetic energy grows by P.(u_f + u+)/2; and of a step with q+ = q + h v+ the whole balance is P.(u+ - u_f)/2 + P.u - h^2 a'M a / 2
 * where forces and masses are constant. */
struct balance {
    double fall, linear, square;
};

static struct balance balance_of(const struct mbs_moreau *e, double share, int ahead)
{
    struct balance b = { .fall = ahead ? e->fall : 0 };

    for (int i = 0; i < e->cone.contacts; i++) {
        const struct mbs_cone_contact *k = &e->cone.at[i];
        for (int r = 0; r < k->normal + k->tangents; r++) {
            int row = k->first + r;
            double least = r == 0 && k->normal ? asked(&e->demand[i], share) : 0;
            b.linear += e->cone.P[row] * (e->cone.b[row] + least - (ahead ? e->pull[row] : 0));
            b.square += e->cone.P[row] * (e->cone.u[row] - e->cone.b[row]) / 2;
        }
    }
    return b;
}

static double gain(const struct mbs_moreau *e, double share, int ahead)
{
    struct balance b = balance_of(e, share, ahead);

    return b.linear + b.square - b.fall;
}

/* Where sweeps end with a residual, and that with a gain of energy, all impulses are made less by as much as takes the gain away. */
static void damp(struct mbs_moreau *e, double share, int ahead)
{
    struct balance b = balance_of(e, share, ahead);
    double root = b.linear * b.linear + 4 * b.square * b.fall, k = b.square > 0 && root >= 0 ? (sqrt(root) - b.linear) / (2 * b.square) : 1;

    if (!(b.linear + b.square > b.fall && k < 1 && k > 1 - WORST))
        return;
    for (int r = 0; r < e->cone.rows; r++)
        e->cone.P[r] *= k;
    for (int i = 0; i < e->cone.n; i++)
        e->cone.dv[i] *= k;
}

/* The size of impulses: of those along normals, and of the others that have none. */
static double impulse(const struct mbs_moreau *e)
{
    double sum = 0;

    for (int i = 0; i < e->cone.contacts; i++)
        sum += fabs(e->cone.P[e->cone.at[i].first]);
    return sum;
}

/* ---- messages ---- */

static void name_contact(const struct mbs_moreau *e, const struct mbs_model *o, int i, char *text, size_t size)
{
    int name = e->cone.at[i].name;

    if (name >= 0)
        snprintf(text, size, "%.40s", o->contact[name].name);
    else
        snprintf(text, size, "%.40s and %.40s", o->contact[e->crowd.at[-1 - name].a].name, o->contact[e->crowd.at[-1 - name].b].name);
}

static int fail_impulses(struct mbs_stepper *s, const struct mbs_span *span, double size)
{
    const struct mbs_moreau *e = s->self;
    char name[96], others[48] = "";

    name_contact(e, s->p->model, e->cone.worst, name, sizeof name);
    if (e->cone.contacts > 1)
        snprintf(others, sizeof others, " (one of %d contacts)", e->cone.contacts);
    return mbs_fail(s->msg, MBS_NO_CONVERGENCE, span->t, -1, -1, "no impulses at %s%s agree with Coulomb's law at t = %.9g (residual %.2g of %.2g m/s)", name,
                    others, span->t, e->cone.residual, size);
}

/* ---- solutions ---- */

/* With this share of the bounces.  0, or 1: the certificate is not what it should be. */
static int solve(struct mbs_stepper *s, double share, int ahead, double size)
{
    struct mbs_moreau *e = s->self;
    double tol = CROWDED;
    int status;

    e->cone.enough = e->crowd.bodies ? ENOUGH * size : 0;
    if (e->crowd.bodies == 0)
        status = mbs_cone_solve(&e->cone, EXACT * size, SWEEPS);
    else
        while ((status = mbs_cone_sweep(&e->cone, tol * size, SWEEPS)) == 0 && tol > TIGHTEST && gain(e, share, ahead) > SPARE * impulse(e) * size)
            tol *= TIGHTER;
    s->stat->sweeps += e->cone.sweeps;
    e->cone.sweeps = 0;
    return status;
}

/* The largest velocity that impulses have to change, along normals or in all directions. */
static double largest(const struct mbs_moreau *e, int normals)
{
    double most = 0;

    for (int i = 0; i < e->cone.contacts; i++) {
        const struct mbs_cone_contact *k = &e->cone.at[i];
        for (int r = 0; r < (normals ? k->normal : k->normal + k->tangents); r++)
            most = fmax(most, fabs(e->cone.b[k->first + r]));
    }
    return most;
}

/* For the contacts at hand: bounces are less where they would create energy. */
static int settle(struct mbs_stepper *s, const struct mbs_span *span)
{
    struct mbs_moreau *e = s->self;
    double size = 0, share = 1;
    int status;

    for (int try = 0;; try++) {
        int bounces = shift(e, share, -1);
        size = fmax(size, largest(e, 1));
        if ((status = solve(s, share, span->ahead, size)) < 0)
            return mbs_fail(s->msg, status, span->t, -1, -1, "out of memory for contacts at t = %.9g", span->t);
        int gains = gain(e, share, span->ahead) > SPARE * impulse(e) * size;
        if (gains && (status || !bounces || try == TRIES) && e->crowd.bodies)
            damp(e, share, span->ahead);
        gains = gains && bounces;
        if (try == TRIES)
            break;
        shift(e, share, 1);
        if (!find_late(e) && !gains)
            break;
        if (gains)              /* Newton's law with friction */
            share = try >= TRIES - 1 ? 0 : share / 2;
    }
    size = fmax(size, largest(e, 0));
    s->stat->residual = fmax(s->stat->residual, size > 0 ? e->cone.residual / size : 0);
    return status && !(e->cone.residual <= WORST * size) ? fail_impulses(s, span, size) : 0;
}

int mbs_moreau_impulses(struct mbs_stepper *s, const struct mbs_span *span)
{
    struct mbs_moreau *e = s->self;
    int status;

    mbs_moreau_forget(s);
    for (int round = 0; round < ROUNDS; round++) {
        if ((status = mbs_moreau_contacts(s, span)))
            return status != MBS_NO_MEMORY ? status : mbs_fail(s->msg, status, span->t, -1, -1, "out of memory for contacts at t = %.9g", span->t);
        if (e->cone.contacts == 0) {
            e->memories = 0;
            return 0;
        }
        if ((status = settle(s, span)) || !mbs_moreau_missed(s, span))
            return status;
    }
    return 0;
}
