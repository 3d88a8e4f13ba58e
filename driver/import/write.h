/* SPDX-License-Identifier: GPL-3.0-or-later
 * Inside the writer of models: what its files share. */
#ifndef IMPORT_WRITE_H
#define IMPORT_WRITE_H
#include "import/robot.h"

struct repeat {
    const char *what;           /* damping */
    const char *unit;
    double value;
    int count;
    const char *first;          /* a name for the parameter */
    const char *name;           /* of the parameter, NULL: written as a number */
};
struct writer {
    struct robot *r;
    struct arena *a;
    FILE *f;
    struct { struct repeat *at; int n, cap; } repeat;
    const char *slip[2];        /* parameters of smoothed dry friction, turning and sliding */
};

static inline bool slides(enum robot_joint_kind kind) { return kind == ROBOT_PRISMATIC; }
static inline const char *damping_unit(const struct robot_joint *j) { return slides(j->kind) ? "N*s/m" : "N*m*s/rad"; }
static inline const char *stiffness_unit(const struct robot_joint *j) { return slides(j->kind) ? "N/m" : "N*m/rad"; }

const char *body_id(const struct robot *, int link);            /* of the body that a link is on */

/* write_force.c */
void write_couplings(struct writer *);
void write_contacts(struct writer *);
void write_tendons(struct writer *);
void write_actuators(struct writer *);
#endif
