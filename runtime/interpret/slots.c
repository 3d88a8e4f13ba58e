/* SPDX-License-Identifier: MIT
 *
 * Two functions for each model that may be interpreted at the same time: defaults() and setup() are told nothing that says whose they
 * are.  This table is the only variable of the library that is not in a simulation; it is changed by compare-and-swap, so that models
 * may be opened and closed in any thread. */
#include "interpret/interpret.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic(const struct mbs_interpreted *) slot[MBS_SLOTS];

#define SLOT(k)                                                                                                      \
    static void defaults_##k(double *p, const unsigned char *given) { mbs_interpreted_defaults(atomic_load(&slot[k]), p, given); } \
    static void setup_##k(const double *p, double *c) { mbs_interpreted_setup(atomic_load(&slot[k]), p, c); }
#define PAIR(k) { defaults_##k, setup_##k },
#define EIGHT(X, k) X(k##0) X(k##1) X(k##2) X(k##3) X(k##4) X(k##5) X(k##6) X(k##7)
/* octal numbers: 00 to 077 */
#define ALL(X) EIGHT(X, 0) EIGHT(X, 01) EIGHT(X, 02) EIGHT(X, 03) EIGHT(X, 04) EIGHT(X, 05) EIGHT(X, 06) EIGHT(X, 07)

ALL(SLOT)

static const struct {
    void (*defaults)(double *, const unsigned char *);
    void (*setup)(const double *, double *);
} pair[MBS_SLOTS] = { ALL(PAIR) };

int mbs_slot_take(struct mbs_interpreted *x)
{
    for (int k = 0; k < MBS_SLOTS; k++) {
        const struct mbs_interpreted *none = NULL;
        x->model.defaults = pair[k].defaults;
        x->model.setup = pair[k].setup;
        if (atomic_compare_exchange_strong(&slot[k], &none, x))
            return 1;
    }
    return 0;
}

int mbs_slot_leave(const struct mbs_interpreted *x)
{
    for (int k = 0; k < MBS_SLOTS; k++) {
        const struct mbs_interpreted *mine = x;
        if (atomic_compare_exchange_strong(&slot[k], &mine, NULL))
            return 1;
    }
    return 0;
}
