/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs export --octave`. */
#ifndef DRIVER_EXPORT_OCTAVE_H
#define DRIVER_EXPORT_OCTAVE_H
#include "settings.h"

/* The exit status; what goes wrong is said on standard error. */
int export_octave(const struct settings *, const struct manual *);
#endif
