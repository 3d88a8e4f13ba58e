/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models for the tests of the alpha methods, of rattle and of halfexplicit, written by hand as in hand_models.h. */
#ifndef ALPHA_MODELS_H
#define ALPHA_MODELS_H
#include "hand_models.h"

/* J. Yen, L. Petzold, S. Raha, Comput. Methods Appl. Mech. Engrg. 158 (1998) 341-355 (YPR): */
/* 4.1, pendulum on a stiff spring, eps^2 = 1e-3, gravity along +y */
extern const struct mbs_model alpha_stiff_pendulum;
/* 4.2, body on a bushing of stiffness 1/eps^2 = 1e10, guided along a circle, with the torque of a potential */
extern const struct mbs_model alpha_bushing;
/* 4.3, slider crank with a rod of four beam elements; parameter: E.  Torque 0.2 N m until t = 0.3 */
extern const struct mbs_model alpha_crank_fe;
/* four-bar linkage in two relative angles: M depends on q; conservative, one freedom */
extern const struct mbs_model alpha_linkage;
/* pendulum on a rod whose length grows like 1 + t/5, with the constraint stated twice (redundant, rheonomic) */
extern const struct mbs_model alpha_redundant;
/* Chaplygin sleigh on a slope: non-holonomic; z' = x + y' - z, a force -z/2 along x */
extern const struct mbs_model alpha_sleigh;

#endif
