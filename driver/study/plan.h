/* SPDX-License-Identifier: GPL-3.0-or-later
 * The cases of a study: which parameters vary, over what, and which values the i-th case has.  A case is a function of the plan and
 * of i alone, so that any number of workers, in any order, started again or not, compute the same. */
#ifndef STUDY_PLAN_H
#define STUDY_PLAN_H
#include "csv.h"
#include "mbs/model.h"

#include <stdint.h>

enum spread_kind { SPREAD_VALUES, SPREAD_UNIFORM, SPREAD_NORMAL, SPREAD_LOGNORMAL, SPREAD_TRIANGLE };
struct spread {
    enum spread_kind kind;
    double a, b, c;             /* uniform: from, to; normal: mean, deviation; lognormal: of the logarithm; triangle: from, peak, to */
    double *value;              /* SPREAD_VALUES */
    int values;
};

struct factor {                 /* a parameter that varies */
    int param;
    const char *name;
    struct spread spread;
};

enum sampling { SAMPLING_GRID, SAMPLING_LIST, SAMPLING_RANDOM, SAMPLING_LATIN, SAMPLING_SOBOL, SAMPLING_INDICES };

struct plan {
    enum sampling sampling;
    struct factor *factor;
    int factors;
    long cases;                 /* in all */
    uint64_t seed;
    struct csv list;            /* SAMPLING_LIST: the columns of the factors */
    int *column;
    void *sobol;                /* gsl_qrng of SAMPLING_SOBOL, SAMPLING_INDICES */
    long sobol_at;              /* its next point */
    double *point;              /* 2 x factors */
    char why[512];
};

/* What the command line says of it. */
struct plan_request {
    const char *const *vary;    /* NAME=SPREAD */
    int nvary;
    const char *list;           /* a CSV file with a column a parameter, or NULL */
    const char *sampling;       /* a word of sampling_words, or NULL */
    long cases;                 /* -1: not given */
    uint64_t seed;
};
/* value: the parameters as they are without the study.  False: plan->why says what is wrong. */
bool plan_init(struct plan *, const struct mbs_model *, const double *value, const struct plan_request *);
void plan_fini(struct plan *);
/* The values of the factors in case i, counted from 0.  Not from two threads at once. */
void plan_case(struct plan *, long i, double *x);
/* What runs of SAMPLING_INDICES are made of: for each of `cases / (factors + 2)` points A, B, and A with one factor of B. */
static inline long plan_points(const struct plan *p) { return p->cases / (p->factors + 2); }

/* A number of (0, 1) for each seed, case and factor. */
double plan_random(uint64_t seed, uint64_t i, uint64_t k);

extern const char *const sampling_words[];      /* in the order of the enum, NULL at the end */
#endif
