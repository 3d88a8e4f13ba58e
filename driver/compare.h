/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the files of `mbs compare` share. */
#ifndef DRIVER_COMPARE_H
#define DRIVER_COMPARE_H
#include "build.h"
#include "compile.h"
#include "sample.h"
#include "tally.h"

/* A model from both sides: checked and derived, and as what its generated code offers. */
struct subject {
    struct compile *compiled;
    struct build build;
    const struct mbs_model *model;
};
/* The model's code is generated and built, or taken from a shared object.  False if it failed, which has been said. */
bool subject_load(struct subject *, const char *path, const char *object, const struct build_options *);
void subject_unload(struct subject *);

struct compare_options {
    long states;                /* 0: the comparison's own number */
    double tolerance;           /* 0: likewise */
    uint64_t seed;
    bool directions;            /* Jacobians of a model alone along random directions, not by columns */
    bool json, quiet;           /* quiet: only what is wrong */
};

/* Each returns an exit status.  `path` and `other` are the names as given. */
int compare_hand(const struct subject *, const char *path, const char *other, const struct compare_options *);
int compare_models(const struct subject *, const char *path, const struct subject *, const char *other,
                   const struct compare_options *);
int compare_self(const struct subject *, const char *path, const struct compare_options *);

/* --- values.c --------------------------------------------------------------------------------------- */
double *array_new(int rows, int cols);      /* zeros */
/* What dynamics() and energy() compute at a state, dense and by columns. */
struct values {
    double *M, *f, *G, *g, *gt, *gamma, *zdot;
    double *sparse_M, *sparse_G;
    double energy[2];
};
void values_init(struct values *, const struct mbs_model *);
void values_fini(struct values *);
struct mbs_dynamics values_out(const struct values *);
void values_dynamics(struct values *, const struct sample *);
/* Accelerations and multipliers of the state into the sample's a and lambda, from the values; false if
 * the system is singular. */
bool values_solve(const struct values *, struct sample *);
/* Every array that some generated function writes, as it comes from it. */
struct arrays {
    double *array[FUNCTION_COUNT][FUNCTION_PARTS];
};
void arrays_init(struct arrays *, const struct mbs_model *);
void arrays_fini(struct arrays *);
void arrays_run(struct arrays *, const struct sample *);
/* The size of the terms behind each entry of a quantity at the sample's state (expr_eval_magnitude), to be freed; NULL for a
 * matrix by columns, whose entries have no expressions: their own size counts. */
double *term_sizes(const struct compile *, const struct sample *, enum eq_id);
/* Add them to the scales. */
void scale_by_terms(const struct compile *, const struct sample *, struct quantity *, enum eq_id);

/* --- verdict.c -------------------------------------------------------------------------------------- */
/* How long a call takes: the least of several runs over many calls, in nanoseconds. */
double time_call(void (*call)(void *), void *user);

struct verdict {
    const char *model, *other;  /* files; other NULL: the model itself */
    long states, on;
    const char *params;         /* a phrase */
    double ns_a, ns_b;          /* 0: not measured */
    const char *timed;          /* what was measured */
    struct { char *at[16]; int n; } notes;      /* malloc'ed lines */
};
void verdict_note(struct verdict *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints everything; returns the exit status. */
int verdict_give(struct verdict *, struct tally *, const struct compare_options *);
#endif
