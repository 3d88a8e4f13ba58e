/* SPDX-License-Identifier: GPL-3.0-or-later
 * A mechanism in the making: what mechanism.c knows of it, and what hybrid.c, which makes things hit, stick, roll and happen, needs of that. */
#ifndef RANDOM_WORKSHOP_H
#define RANDOM_WORKSHOP_H
#include "random.h"

enum { BODIES = 8 };

struct part {
    double r[3], turn;          /* origin at the start; angle, in a plane */
    bool known;                 /* these are right */
    double P[3];                /* its named point */
    bool shaped;
    int shape;              /* its number in the list of shape() */
};
struct workshop {
    struct draft *d;
    bool spatial, loops, absolute;
    bool bare;                  /* in space, absolute coordinates know no angles and distances of joints */
    int n, freedom, constrained;
    struct part body[BODIES];
    struct names turning, sliding;      /* joints with one coordinate, free to carry elements */
    double start[NAMES];                /* of those that turn */
    struct names loaded;                /* joints whose reaction may be asked for */
    struct text init, speed;
    bool hits;                  /* something is one-sided: reactions behind it have no name */
};

/* A vector as the language writes it. */
void vector(const struct workshop *, struct text *, const double *x);
/* Where a point of a body is in space, at the start. */
void world(const struct workshop *, int body, const double *local, double *x);
const struct part *part_of(const struct workshop *, int body);
/* Two places of which no joint holds one at the other. */
void two_places(struct workshop *, struct text *);

/* hybrid.c */
void oneway(struct workshop *, int k);      /* element k: a stop, rope, contact, clutch, ratchet, friction */
void rolling(struct workshop *);            /* perhaps a wheel, where the bodies are known */
void events(struct workshop *);             /* perhaps discrete states, when, every */
#endif
