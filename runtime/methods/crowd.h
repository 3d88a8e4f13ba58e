/* SPDX-License-Identifier: MIT
 *
 * crowd.h: where bodies among others touch (enum mbs_solid, mbs/model.h), by geometry. */
#ifndef MBS_CROWD_H
#define MBS_CROWD_H

#include "mbs/model.h"

struct mbs_meeting {
    int a, b;                   /* contacts of the model that are bodies; b may be a plane */
    int feature;                /* which of several between the two */
    double gap, n[3], at[3];    /* distance; normal from b to a; the place on b's surface */
};
struct mbs_crowd {
    int bodies, planes;         /* of the model */
    int *body, *plane;
    int space;                  /* 3, or 2 */
    double *reach;              /* body by body: how far it comes in the step, set by the caller */
    double *low, *high;         /* extents along x */
    struct mbs_crowd_solid *solid, *began;      /* all of them, and boxes where the step begins */
    struct mbs_meeting *at;
    int n, room, full;          /* full: there was no memory */
};

struct mbs_work;
void mbs_crowd_layout(struct mbs_crowd *c, const struct mbs_model *o, struct mbs_work *w);
/* Meetings nearer than the reach of both; dist: rows of contacts(), begin: the same where the step begins, law: its coefficients.  0 or MBS_NO_MEMORY. */
int mbs_crowd_meet(struct mbs_crowd *c, const struct mbs_model *o, const double *dist, const double *begin, const double *law);
/* The smallest measure of a body. */
double mbs_crowd_size(const struct mbs_model *o, int contact, const double *dist);
void mbs_crowd_free(struct mbs_crowd *c);

#endif
