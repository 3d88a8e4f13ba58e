/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_NORMAL_H
#define STUDY_NORMAL_H
/* x with Phi(x) = u. */
double normal_quantile(double u);
/* The same for n numbers, in their places, to the same bits. */
void normal_quantiles(int n, double *u);
#endif
