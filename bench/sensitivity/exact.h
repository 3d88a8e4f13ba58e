/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXACT_H
#define EXACT_H

/* From (y0, dy0) at `from`: the state q, v, z at `to` and its derivatives by parameter `param` (an index into the parameters; -1: none). */
void exact_derivative(int param, double from, double to, const double *y0, const double *dy0, double *y, double *dy);

#endif
