/* SPDX-License-Identifier: GPL-3.0-or-later
 * Where the rows of a run go: a CSV or an HDF5 file, a row at a time, in constant memory. */
#ifndef DRIVER_SINK_H
#define DRIVER_SINK_H
#include "mbs/model.h"
#include "base/out.h"

struct columns {
    int n;
    char **name;                /* beta, beta', beta'', lambda(loopB.x) */
    char **unit;
    bool lost;                  /* out of memory */
};
/* Adds d(x)/d(p) of coordinates, velocities, states and outputs x by the parameters p of the model's derivatives. */
bool columns_derivatives(struct columns *, const struct mbs_model *);
/* t, coordinates, velocities, states, inputs, outputs, energies; all: accelerations, multipliers, violations too. */
bool columns_init(struct columns *, const struct mbs_model *, bool all);
void columns_fini(struct columns *);
/* The row of these columns at a state with outputs y and energies e. */
void columns_fill(double *row, const struct mbs_model *, bool all, const struct mbs_state *, const double *y, const double e[2], double position, double velocity);

struct sink {
    struct out out;             /* CSV */
    struct hdf5_file *hdf5;     /* HDF5, else NULL */
    const struct columns *columns;
    long rows;
    char why[512];
};
/* Is it the name of a file that can be written?  Else why not. */
bool sink_takes(const char *path, char why[512]);
/* By the end of the name: .h5 and .hdf5 are HDF5; .csv, .txt and none are CSV; others are refused.  rows: how many will come, 0: that is not known. */
bool sink_open(struct sink *, const char *path, const struct columns *, const struct mbs_model *, long rows);
bool sink_row(struct sink *, const double *x);
/* Ends the file in good order. */
bool sink_close(struct sink *);
void sink_discard(struct sink *);

/* hdf5.c: one extendible dataset a column, its unit an attribute. */
struct hdf5_file *hdf5_open(const char *path, const struct columns *, const struct mbs_model *, long rows, char why[512]);
bool hdf5_row(struct hdf5_file *, const double *x, char why[512]);
bool hdf5_close(struct hdf5_file *, bool keep, char why[512]);
/* A group of columns of one length: numbers, or texts where `text` is given. */
struct hdf5_column {
    const char *name;
    const double *number;
    const char *const *text;
};
bool hdf5_group(struct hdf5_file *, const char *group, const struct hdf5_column *, int columns, long rows, char why[512]);
#endif
