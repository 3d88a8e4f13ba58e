/* SPDX-License-Identifier: GPL-3.0-or-later
 * Tables of numbers as text (RFC 4180): reading a file whole, writing a row at a time. */
#ifndef DRIVER_CSV_H
#define DRIVER_CSV_H
#include <stdbool.h>
#include <stdio.h>

struct csv {
    int rows, columns;
    char **name;                /* of each column, "" without a header */
    double *at;                 /* rows x columns; NaN where a field is no number */
    char why[512];              /* after a failure */
};
/* A file by its name: .h5 and .hdf5 are HDF5 (hdf5.c), all else is text. */
bool csv_read(struct csv *, const char *path);
bool hdf5_read(struct csv *, const char *path);
bool csv_read_text(struct csv *, char *text, const char *path);        /* the text is cut into fields at its place; path is for messages */
void csv_free(struct csv *);
/* "phi [rad]" is named "phi": length of the name. */
size_t csv_name_length(const char *header);
/* The column of that name, with or without its unit; -1. */
int csv_column(const struct csv *, const char *name);
static inline double csv_get(const struct csv *c, int row, int column) { return c->at[(size_t)row * (size_t)c->columns + (size_t)column]; }

void csv_write_text(FILE *, const char *field);         /* quoted if it must be */
int csv_number(char *out, size_t size, double x);      /* as snprintf "%.17g" */
void csv_write_row(FILE *, const double *x, int n);     /* %.17g, ended by CR LF */
#endif
