/* SPDX-License-Identifier: GPL-3.0-or-later
 * The page of `mbs sweep`. */
#ifndef STUDY_PAGE_SWEEP_H
#define STUDY_PAGE_SWEEP_H
#include "study/statistics.h"

/* Writes the page of --page; says what is wrong. */
bool page_sweep(struct study *, const struct summary *);
#endif
