/* SPDX-License-Identifier: GPL-3.0-or-later
 * The extern function of tests/cases/everything.mbs with its derivatives: exp(x/2). */
#include <math.h>

double outside(double x);
double outside_1(double x);
double outside_11(double x);
double outside_111(double x);
double outside(double x) { return exp(x/2); }
double outside_1(double x) { return exp(x/2)/2; }
double outside_11(double x) { return exp(x/2)/4; }
double outside_111(double x) { return exp(x/2)/8; }
