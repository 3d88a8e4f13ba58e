/* SPDX-License-Identifier: MIT
 *
 * cone_inner.h: what the files of contacts with friction share: the problem and its certificate (cone.c), sweeps (cone_sweep.c), Newton (cone_newton.c). */
#ifndef MBS_CONE_INNER_H
#define MBS_CONE_INNER_H

#include "linalg/cone.h"

/* How many rows it has. */
static inline int mbs_cone_size(const struct mbs_cone_contact *k)
{
    return k->normal + k->tangents;
}

/* What the tangents bear, under the normal impulse N. */
static inline double mbs_cone_bound(const struct mbs_cone_contact *k, double N)
{
    return (k->normal ? k->mu * N : k->mu) + k->more;
}

/* Room for so many rows. */
int mbs_cone_room(struct mbs_cone *c, int rows);
/* What it takes to sweep: the contacts' own blocks, the velocities of the impulses as of now. */
void mbs_cone_ready(struct mbs_cone *c);
/* The velocities that the impulses as of now make. */
void mbs_cone_push_all(struct mbs_cone *c);
/* Adds the velocities of contact k to u, and what a change of its impulses does to all. */
void mbs_cone_velocity(const struct mbs_cone *c, const struct mbs_cone_contact *k, double u[MBS_CONE_ROWS]);
void mbs_cone_push(struct mbs_cone *c, const struct mbs_cone_contact *k, const double change[MBS_CONE_ROWS]);
/* The tangents T, and all impulses, back into their cones. */
void mbs_cone_project(const struct mbs_cone_contact *k, double bound, double *T);
void mbs_cone_project_all(struct mbs_cone *c);
/* The residual as of now, which it returns; leaves the velocities in u. */
double mbs_cone_certificate(struct mbs_cone *c);
/* Sweeps without anything learned from them, which leave self-stress at what they need of it; 0, or 1: the certificate is not below tol. */
int mbs_cone_sweep_plainly(struct mbs_cone *c, double tol, int most);

#endif
