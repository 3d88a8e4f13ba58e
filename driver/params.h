/* SPDX-License-Identifier: GPL-3.0-or-later
 * Files of parameter values: JSON ({"l": 0.3}) or TOML (l = 0.3), numbers only. */
#ifndef DRIVER_PARAMS_H
#define DRIVER_PARAMS_H
#include "mbs/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Sets the parameters that the file names, and given[] of each.  False: why says what is wrong, with the line. */
bool params_read(const char *path, const struct mbs_model *, double *value, unsigned char *given, char *why, size_t size);
bool params_read_text(const char *text, size_t length, const char *path, const struct mbs_model *, double *value, unsigned char *given, char *why, size_t size);
/* Writes all parameters, JSON if the name ends in .json, with their units as notes else. */
bool params_write(const char *path, const struct mbs_model *, const double *value, char *why, size_t size);
void params_write_text(FILE *, bool json, const struct mbs_model *, const double *value);
#endif
