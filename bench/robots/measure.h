/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One robot in one tool: what the measuring program (measure.c) asks of it.
 *
 * States are those of the robot's table: one number a joint, a free base six, its place and the angles about z, y, x, one after the other.
 * Accelerations come back in the same order; a free base gives the acceleration of its origin in space axes and the
 * angular acceleration in its own axes, which all tools have in common.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#ifdef __cplusplus
extern "C" {
#endif

struct robot_body {
    char name[64], joint[72];
    int parent, free, prismatic;    /* a revolute joint is neither */
    int at;                         /* first of its numbers in a state */
    double axis[3], place[3], rpy[3], mass, com[3], inertia[6];
};
struct robot {
    int n, freedom;
    double gravity[3];
    struct robot_body *body;
};
/* A free base as most engines have it. */
struct base {
    double place[3], quaternion[4], rotation[9];    /* (w x y z); rotation row by row, body to space */
    double velocity[3], omega[3];                   /* of the origin in space axes; in body axes */
};
struct base base_of(const double *q, const double *v);
/* The angular acceleration in body axes for second derivatives of the angles. */
void base_turning(const double *q, const double *v, const double *a, double alpha[3]);

/* --- a tool --- */
extern const char *const tool_name;
/* Reads DIR/NAME.*; returns 0, or 1 after saying why not. */
int tool_open(const char *dir, const char *name, const struct robot *);
void tool_state(const struct robot *, const double *q, const double *v);       /* not measured */
void tool_forward(void);
void tool_accelerations(const struct robot *, double *a);       /* of the last forward dynamics */
extern void (*tool_inverse)(void), (*tool_derivatives)(void);   /* at the accelerations found; NULL if the tool has none */

#ifdef __cplusplus
}
#endif
#endif
