/* SPDX-License-Identifier: GPL-3.0-or-later
 * A run kept in memory, as the report shows it: one row a sample, the columns in blocks. */
#ifndef DRIVER_RESULT_H
#define DRIVER_RESULT_H
#include "mbs/model.h"
#include "mesh.h"

#include <stdbool.h>
#include <stdio.h>

struct fact {
    const char *label;
    char value[96];
};

/* A mesh of the drawing, for the page. */
struct result_mesh {
    const char *file;
    struct mesh mesh;
};

struct happenings;
struct result {
    const struct mbs_model *model;
    const double *params;               /* np */
    const unsigned char *given;         /* np: set for this run; may be NULL */
    int n, cap, width;
    double *row;                        /* n x width */
    /* where the blocks start within a row; time is at 0 */
    int q, v, a, lambda, z, u, y, energy, violation, xyz;
    struct fact fact[24];
    int facts;
    const char *text;                   /* of the model file */
    const char *equations;              /* JSON: {"title", "list": [[name, expression or its length], ...]}, ...; NULL: none */
    char subtitle[256];
    struct result_mesh *mesh;           /* of the caller */
    int meshes;
    const char *live;                   /* programs of the model, for a page that runs by itself; NULL: it does not */
    double rtol, atol;                  /* of such a run */
    bool played;                        /* a page of `mbs play`, which asks it for each state */
    const struct happenings *happenings;        /* of the run, kept; NULL: none */
    const char *stamp;                  /* with `mbs watch`: the page reloads when the file of that name changes */
};

bool result_init(struct result *, const struct mbs_model *);
void result_fini(struct result *);
/* A new row of zeros, NULL without memory.  Valid until the next call. */
double *result_row(struct result *);
/* Puts a run that went back in time into the order of time, as the page shows it. */
void result_ascend(struct result *);
void result_fact(struct result *, const char *label, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The report as one HTML page; false: out of memory, and not all is there. */
bool page_write(FILE *, const struct result *);
/* The script of a page that `mbs watch` keeps up to date by the file of that name beside it. */
void page_watch(FILE *, const char *stamp);
/* page_events.c: what happened, as ,"events":[...] */
void page_events(FILE *, const struct result *);
/* Bytes that one sample takes in the page, for choosing how many there may be. */
double page_sample_bytes(const struct mbs_model *);
#endif
