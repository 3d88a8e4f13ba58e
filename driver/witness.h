/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The witness: every quantity of mbs/model.h from the model's energies, forces and constraints alone.
 *
 * The expressions of the checked model are interpreted in 128-bit numbers and differenced.  Nothing that
 * derives, simplifies or emits equations takes part.  T is quadratic in the velocities and non-holonomic
 * constraints are linear in them, so differences by velocities with unit steps are exact; all others are of
 * sixth order with step 1e-6 (`step`), good to some 20 digits for first and 14 for third derivatives:
 *
 *     r  = d/ds T_v(q(s), v(s), t + s) - (T - U - lambda.g)_q + D_v - forces       q(s) = q + s v + s^2/2 a
 *     gv = d/ds g(q(s), t + s),   ga = d2/ds2 g(q(s), t + s)
 */
#ifndef DRIVER_WITNESS_H
#define DRIVER_WITNESS_H
#include "config.h"
#ifdef HAVE_QUADMATH
#include "expr/cone.h"
#include "model/model.h"

typedef __float128 quad;

struct witness_part {           /* expressions that are evaluated together */
    int n;
    Expr *e;
    struct cone cone;
    quad *val, *out;            /* by handle; by expression */
    unsigned char *dirty;       /* by handle: changed in the last run */
    quad *factor;               /* by handle, while disturbed */
    int top;                    /* one more than the largest handle */
    bool used;                  /* since witness_resolution was asked last */
};
/* The parts of a model, once: its arrays of expressions. */
#define WITNESS_PARTS(PART) PART(kinetic) PART(potential) PART(dissipation) PART(force) PART(constraint) PART(rate) PART(output) PART(point) PART(condition) \
    PART(event) PART(jump) PART(touch) PART(law)
struct witness {
    const struct model *model;
    quad step;                  /* of differences */
    bool aside;                 /* first differences to one side: they contradict the central ones at a corner or a jump */
    int nq, nz, nu, np, ng, rows;
    quad t, *q, *v, *a, *lambda, *mu, *z, *u, *p;
#define PART(name) struct witness_part name;
    WITNESS_PARTS(PART)
#undef PART
};

void witness_init(struct witness *, const struct model *);
void witness_fini(struct witness *);

/* From now on every intermediate result of the model's formulas is wrong by a part of its own up to `part`, at random (seed not
 * 0), or right again (seed 0).  How much a quantity then moves, divided by the part, is its natural scale: what rounding
 * may do to it, whichever way it is computed (Monte Carlo arithmetic, Parker 1997). */
void witness_disturb(struct witness *, uint64_t seed, quad part);

/* What first differences cannot see, as far as the values of all terms tell that were used since this was asked last: a roundoff of the largest
 * of them, divided by the step. */
quad witness_resolution(struct witness *);

/* Values at the state in the witness, as many as the quantity has rows: each vector of model.def has such a function, and each matrix that is no
 * derivative of one (G, S and W, by columns). */
typedef void Witness(struct witness *, quad *out);
#define QUANTITY(name, rows, columns, of, by, form) Witness witness_##name;
#define FUNCTION(name, argument, form, reads, gives)
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION
Witness witness_forces;         /* those given as forces, a coordinate each */
Witness witness_momentum;       /* T_v */

/* d f/d x[0 .. nx) into out (n x nx, by columns); `exact`: f is at most quadratic in x. */
void witness_jacobian(struct witness *, Witness *f, int n, quad *x, int nx, bool exact, quad *out);
/* d f(x + s dir)/ds */
void witness_along(struct witness *, Witness *f, int n, quad *x, int nx, const quad *dir, quad *out);

/* Energy balance d/dt(T_v v - T + U) = -(T - U)_t + forces v - D_v v - lambda'(G v): both sides and the
 * largest term.  The accelerations must solve the equations of motion. */
struct balance {
    quad rate, power, size;
};
struct balance witness_balance(struct witness *);
#endif
#endif
