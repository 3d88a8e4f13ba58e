/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Contacts with Coulomb friction by sweeps and Newton (linalg/cone_newton.c): random problems u = b + W K^-1 W' P whose rows are independent, so that
 * impulses exist, in the plane and in space, some contacts pressed, some opening, most of them sliding.
 * What is found is judged here, from u computed anew: u_N >= 0, P_N >= 0, u_N P_N = 0, |P_T| <= mu P_N, and P_T against u_T where it slides;
 * tolerance 1e-10 of the largest velocity, ten times what is asked of the solver (its certificate is of another norm).
 * Sweeps alone take hundreds to come so far; that few are enough shows that Newton ends in a step or two. */
#include "../tap.h"
#include "linalg/cone.h"

#include <math.h>
#include <string.h>

enum { N = 15, CONTACTS = 4, PROBLEMS = 200 };
static unsigned seed = 1;

static double rnd(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

struct problem {
    int rows, size;             /* rows of a contact */
    double mu, W[3 * CONTACTS][N], X[3 * CONTACTS][N], b[3 * CONTACTS];
};

/* X = K^-1 W' with K^-1 = R R'/N + 1/10. */
static void draw(struct problem *p, int tangents)
{
    double R[N][N], between[N];

    p->size = 1 + tangents;
    p->rows = CONTACTS * p->size;
    p->mu = 0.1 + 0.4 * fabs(rnd());
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            R[i][j] = rnd();
    for (int r = 0; r < p->rows; r++) {
        for (int i = 0; i < N; i++)
            p->W[r][i] = rnd();
        for (int k = 0; k < N; k++) {
            between[k] = 0;
            for (int i = 0; i < N; i++)
                between[k] += R[i][k] * p->W[r][i] / N;
        }
        for (int i = 0; i < N; i++) {
            p->X[r][i] = p->W[r][i] / 10;
            for (int k = 0; k < N; k++)
                p->X[r][i] += R[i][k] * between[k];
        }
        p->b[r] = r % p->size ? 3 * rnd() : -1 + 0.8 * rnd();
    }
}

static int solve(struct mbs_cone *c, const struct problem *p)
{
    mbs_cone_begin(c, N);
    for (int r = 0; r < p->rows; r++) {
        if (r % p->size == 0)
            mbs_cone_contact(c, 1, p->size - 1, p->mu, r);
        mbs_cone_row(c, p->b[r], 0);
        for (int i = 0; i < N; i++)
            mbs_cone_entry(c, i, p->W[r][i], p->X[r][i]);
    }
    return mbs_cone_solve(c, 1e-11, 40);
}

/* How far P is from the laws of contact; *slides counts contacts that do. */
static double violation(const struct problem *p, const double *P, int *slides)
{
    double u[3 * CONTACTS], worst = 0, most = 0;

    for (int r = 0; r < p->rows; r++) {
        u[r] = p->b[r];
        for (int s = 0; s < p->rows; s++)
            for (int i = 0; i < N; i++)
                u[r] += p->W[r][i] * p->X[s][i] * P[s];
        most = fmax(most, fabs(p->b[r]));
    }
    for (int k = 0; k < p->rows; k += p->size) {
        double pull = 0, speed = 0, along = 0;
        for (int t = k + 1; t < k + p->size; t++) {
            pull += P[t] * P[t];
            speed += u[t] * u[t];
            along += P[t] * u[t];
        }
        pull = sqrt(pull), speed = sqrt(speed);
        worst = fmax(worst, fmax(-u[k], fmax(-P[k], fabs(u[k] * P[k]))));
        worst = fmax(worst, pull - p->mu * P[k]);
        if (speed > 1e-6 && P[k] > 1e-6) {
            worst = fmax(worst, fabs(along + p->mu * P[k] * speed));
            ++*slides;
        }
    }
    return worst / most;
}

int main(void)
{
    struct mbs_cone c = { 0 };
    struct problem p;

    for (int tangents = 1; tangents <= 2; tangents++) {
        int solved = 0, slides = 0;
        double worst = 0;
        long sweeps = 0;
        for (int k = 0; k < PROBLEMS; k++) {
            draw(&p, tangents);
            solved += solve(&c, &p) == 0;
            sweeps += c.sweeps;
            worst = fmax(worst, violation(&p, c.P, &slides));
        }
        ok(solved == PROBLEMS, "%d tangents: %d of %d problems solved", tangents, solved, PROBLEMS);
        ok(worst < 1e-10, "%d tangents: the laws hold to %.1e", tangents, worst);
        ok(slides > PROBLEMS, "%d tangents: %d contacts slide", tangents, slides);
        ok(sweeps < 40 * PROBLEMS, "%d tangents: %.1f sweeps a problem", tangents, (double)sweeps / PROBLEMS);
    }
    mbs_cone_free(&c);
    return tap_done();
}
