/* SPDX-License-Identifier: GPL-3.0-or-later
 * Values of the functions that a model calls, for the interpreters: tables by their spline. */
#ifndef DRIVER_INTERPRET_H
#define DRIVER_INTERPRET_H
#include "expr/expr.h"
#include "model/model.h"

double call_double(void *model, const struct fn *, const double *args);
#ifdef HAVE_QUADMATH
__float128 call_quad(void *model, const struct fn *, const __float128 *args);
#endif
#endif
