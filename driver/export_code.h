/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs export`: models as C for other programs. */
#ifndef DRIVER_EXPORT_CODE_H
#define DRIVER_EXPORT_CODE_H
#include "compile.h"
#include "settings.h"

/* The exit status; what goes wrong is said on standard error. */
int export_casadi(const struct settings *, const struct manual *);
int export_octave(const struct settings *, const struct manual *);
/* Functions of the state have no place for what happens at events and contacts.  False: the model has some, --smooth does not ask to leave them out, and this was said. */
bool export_smooth(const struct settings *, const struct manual *, const struct model *);
#endif
