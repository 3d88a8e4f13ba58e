/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs bench NAME`: a source document recomputed.  What the documents share: the directory that is written to, the
 * text under way, progress, models and data from inside the program, published numbers beside ours. */
#ifndef DRIVER_BENCH_H
#define DRIVER_BENCH_H
#include "build.h"
#include "base/out.h"
#include "settings.h"

struct claims {
    struct claim *at;
    int n, room;
    int agreed, differed;       /* of all, written or not */
};

struct bench {
    const struct manual *manual;
    const char *name;           /* testset */
    const char *dir;
    long seed, cases;           /* of random ones: where they begin; how many of each kind, -1: as many as it takes */
    bool quick, quiet, good;    /* good: nothing failed to be written so far */
    bool drawn, no_gnuplot;     /* a progress line stands on the terminal; said that there are no pictures */
    double began, shown;        /* seconds of the clock */
    int done, total;            /* pieces of work */
    struct out document;        /* NAME.md */
    FILE *md;                   /* its stream */
    struct claims claims;
};

/* A document: its text comes from run(), which adds to b->md and calls the functions below. */
struct document {
    const char *name, *title, *summary;
    void (*run)(struct bench *);
};
extern const struct document document_testset, document_book, document_alpha, document_iftomm, document_impacts, document_piles, document_accuracy;

/* Announces more pieces of work, and the one that begins now. */
void bench_plan(struct bench *, int pieces);
void bench_step(struct bench *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool bench_stopped(const struct bench *);       /* Ctrl-C, or writing failed */
/* DIR/NAME-WHAT for numbers; to be closed with bench_close_file. */
bool bench_open_file(struct bench *, struct out *, const char *what);
void bench_close_file(struct bench *, struct out *);

/* library.c: models/NAME.mbs, built with options "nonlinear_beam=true" (NULL-terminated list, may be NULL). */
bool library_model(struct bench *, struct build *, const char *name, const char *const *options);
/* The same with a piece of its text changed, to show what depends on it. */
bool library_variant(struct bench *, struct build *, const char *name, const char *const *options, const char *from, const char *to);
/* A file of data, line by line: for (struct data d = library_open(b, NAME); library_line(&d);) ... d.line ...  A file that
 * is missing is said, and makes the document fail (b may be NULL). */
struct data {
    FILE *f;
    char line[1024];
};
struct data library_open(struct bench *, const char *name);
bool library_line(struct data *);
/* Parameters of a model: defaults, but for `name`, which gets `value` (NULL: none).  To be freed. */
double *library_params(const struct mbs_model *, const char *name, double value);

/* claim.c: published numbers.  Text as it is printed in the source; ours is shown with as many digits. */
enum verdict { AGREES, DIFFERS, BESIDE };       /* BESIDE: no claim, for comparison */
void claim_text(struct bench *, const char *what, const char *published, const char *ours, enum verdict, const char *remark);
/* Agrees within tolerance; 0: half a unit of the last printed digit. */
bool claim_number(struct bench *, const char *what, const char *published, double ours, double tolerance, const char *remark);
/* "published" lines of a data file: NAME VALUE pairs against the parameters of a model, as one claim. */
void claim_parameters(struct bench *, const char *what, const struct mbs_model *, const char *data);
/* One of them, with its unit in what; ours is multiplied by sign. */
void claim_parameter(struct bench *, const char *what, const char *published, const struct mbs_model *, const char *name, double sign);
/* testset.c: published start values, lines "start KIND NUMBER VALUE NAME" with KIND q, v, a or l, against an assembled start. */
void claim_start(struct bench *, const struct mbs_model *, const char *data);
/* Puts the claims since the last call into the document as a table. */
void claims_write(struct bench *);
void claims_free(struct claims *);
#endif
