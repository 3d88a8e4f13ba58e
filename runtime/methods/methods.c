/* SPDX-License-Identifier: MIT
 *
 * The table of methods, one line each in both lists. */
#include "config.h"
#include "methods/method.h"

extern const struct mbs_method mbs_method_dop853;
extern const struct mbs_method mbs_method_dopri5;
extern const struct mbs_method mbs_method_genalpha;
extern const struct mbs_method mbs_method_halfexplicit;
extern const struct mbs_method mbs_method_hht;
extern const struct mbs_method mbs_method_ida;
extern const struct mbs_method mbs_method_moreau;
extern const struct mbs_method mbs_method_nsalpha;
extern const struct mbs_method mbs_method_radau;
extern const struct mbs_method mbs_method_radau5;
extern const struct mbs_method mbs_method_rattle;

/* The only part that uses GSL, which may be left out. */
#ifdef HAVE_GSL
extern const struct mbs_method mbs_method_gsl_msadams;
extern const struct mbs_method mbs_method_gsl_rk8pd;
extern const struct mbs_method mbs_method_gsl_rkck;
extern const struct mbs_method mbs_method_gsl_rkf45;
#else
#define WITHOUT_GSL(id, title) \
    static const struct mbs_method mbs_method_gsl_##id = { .name = title, .summary = "stepper of GSL", .needs = "GSL", \
                                                           .forms = MBS_FORM(MBS_INDEX1), .form_default = MBS_INDEX1 };
WITHOUT_GSL(msadams, "gsl-msadams")
WITHOUT_GSL(rk8pd, "gsl-rk8pd")
WITHOUT_GSL(rkck, "gsl-rkck")
WITHOUT_GSL(rkf45, "gsl-rkf45")
#endif

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
    &mbs_method_moreau,
    &mbs_method_nsalpha,
    &mbs_method_radau,
    &mbs_method_radau5,
    &mbs_method_rattle,
    NULL,
};
