/* SPDX-License-Identifier: GPL-3.0-or-later
 * Columns of numbers inside a page, as report/data.js and study/study.js read them, and the texts around them. */
#ifndef DRIVER_PACK_H
#define DRIVER_PACK_H
#include <stdio.h>

struct encoder {                /* base64 */
    FILE *f;
    unsigned bits;
    int count;
};
/* The low bytes of a word, the lowest first. */
void encode_word(struct encoder *, unsigned long long word, int bytes);
void encode_end(struct encoder *);

/* A column to be written: values at stride, n of them. */
struct column {
    const double *at;
    int n, stride;
};
/* Of those that are finite; lo > hi: there is none. */
void column_range(const struct column *, double *lo, double *hi);
enum packing { PACK_DOUBLE, PACK_FLOAT, PACK_16, PACK_24 };
void column_write(FILE *, const struct column *, enum packing);

/* A file of driver/report or driver/study, as Makefile.am makes a C array of it. */
void lines_write(FILE *, const char *const *lines);
#endif
