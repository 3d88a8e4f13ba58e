/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models written by hand against mbs/model.h, so that the runtime can be tested without the compiler.
 *
 * A model gives one function of complex numbers, its core: M, f, g, G, gt, gamma, zdot.  The functions of the ABI
 * follow from it, Jacobians by complex steps, exact to rounding: Im r(x + i d)/d. */
#ifndef HAND_MODELS_H
#define HAND_MODELS_H
#include "mbs/mbs.h"

#include <complex.h>

typedef double complex cx;

struct hand_core {
    cx M[12][12], f[12], g[12], G[12][12], gt[12], gamma[12], zdot[4];
};

/* x, y of a point mass on a rod: m = 1, l = 1, gravity 9.81 along -y; outputs x, y; start horizontal at rest */
extern const struct mbs_model hand_pendulum;
/* the same in the angle, with a first-order state z' = v (so z follows the angle); no constraint */
extern const struct mbs_model hand_pendulum_angle;
/* Andrews' squeezing mechanism (Hairer & Wanner VII.7) */
extern const struct mbs_model hand_squeezer;
/* flexible slider crank of the IVP test set; parameters: nonlinear (0/1), damped (0/1), start (0: test set, 1: rigid) */
extern const struct mbs_model hand_crank;
/* the IFToMM slider-crank with two thin rods of length 1 m and mass 1 kg, in natural coordinates x2, y2, x3 ... */
extern const struct mbs_model hand_slider_natural;
/* ... and in absolute ones, x, y, angle of both rods; parameter: angle of the start */
extern const struct mbs_model hand_slider_absolute;

/* values at the end of the test problems, from 128-bit computations: q, v, a, lambda */
extern const double hand_squeezer_end[27];
extern const double hand_crank_end[24];
/* -log10 of the largest relative error over the important components: first 7, and the last 3 for the crank */
double hand_scd(const struct mbs_state *x, const struct mbs_model *model);

#endif
