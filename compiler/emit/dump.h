/* SPDX-License-Identifier: GPL-3.0-or-later
 * The later stations as text, for people and golden tests. */
#ifndef EMIT_DUMP_H
#define EMIT_DUMP_H
#include "emit/emit.h"

#include <stdio.h>

/* Every quantity but the points of the drawing; the Jacobians apart. */
void dump_equations(FILE *, const struct equations *);
void dump_jacobian(FILE *, const struct equations *);
/* Every function's tape, row by row. */
void dump_tapes(FILE *, const struct programs *);
#endif
