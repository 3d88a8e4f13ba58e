/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs export --casadi`. */
#ifndef DRIVER_EXPORT_CASADI_H
#define DRIVER_EXPORT_CASADI_H
#include "settings.h"

/* The exit status; what goes wrong is said on standard error. */
int export_casadi(const struct settings *, const struct manual *);
#endif
