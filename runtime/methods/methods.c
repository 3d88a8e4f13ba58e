/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of methods, one line each in both lists. */
#include "methods/method.h"

extern const struct mbs_method mbs_method_dop853;
extern const struct mbs_method mbs_method_dopri5;
extern const struct mbs_method mbs_method_genalpha;
extern const struct mbs_method mbs_method_gsl_msadams;
extern const struct mbs_method mbs_method_gsl_rk8pd;
extern const struct mbs_method mbs_method_gsl_rkck;
extern const struct mbs_method mbs_method_gsl_rkf45;
extern const struct mbs_method mbs_method_halfexplicit;
extern const struct mbs_method mbs_method_hht;
extern const struct mbs_method mbs_method_ida;
extern const struct mbs_method mbs_method_radau;
extern const struct mbs_method mbs_method_radau5;
extern const struct mbs_method mbs_method_rattle;

const struct mbs_method *const mbs_methods[] = {
    &mbs_method_dop853,
    &mbs_method_dopri5,
    &mbs_method_genalpha,
    &mbs_method_gsl_msadams,
    &mbs_method_gsl_rk8pd,
    &mbs_method_gsl_rkck,
    &mbs_method_gsl_rkf45,
    &mbs_method_halfexplicit,
    &mbs_method_hht,
    &mbs_method_ida,
    &mbs_method_radau,
    &mbs_method_radau5,
    &mbs_method_rattle,
    NULL,
};
