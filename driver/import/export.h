/* SPDX-License-Identifier: GPL-3.0-or-later
 * A robot in other formats. */
#ifndef IMPORT_EXPORT_H
#define IMPORT_EXPORT_H
#include "import/robot.h"

/* The tree of rigid bodies of a checked model; false with r->error. */
struct compile;
bool robot_of_model(struct robot *, const struct compile *);
/* False with r->error, if the format has no such joint. */
bool write_urdf(struct robot *, FILE *);
bool write_mjcf(struct robot *, FILE *);
#endif
