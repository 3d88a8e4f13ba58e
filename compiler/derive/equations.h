/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The equations of motion as expressions: what derive/ makes of a checked model and all that emit/ reads.
 *
 *     M(q,t) a = f(q,v,z,u,t) - G(q,t)' lambda        (notation and signs of mbs/model.h)
 *
 * Matrices are sparse: only entries that are not identically zero are kept, in compressed columns with
 * ascending rows.  Row and column i of a matrix belong to the i-th coordinate, constraint, state or
 * input of the model, from which equations_entry() takes an entry's name and its place in the source.
 */
#ifndef DERIVE_EQUATIONS_H
#define DERIVE_EQUATIONS_H
#include "base/arena.h"
#include "base/diag.h"
#include "derive/abi.h"
#include "tape/tape.h"
#include "model/model.h"

/* One quantity of the ABI: a vector (cols = 1, dense) or a sparse matrix. */
struct eq_array {
    const char *name;           /* as in mbs/model.h */
    enum eq_axis row_axis, col_axis;
    int rows, cols, nnz;
    int *colptr, *rowidx;       /* NULL for a vector */
    Expr *value;                /* nnz; NULL if by_columns */
    bool by_columns;            /* large and full: see columns.h */
};

/* By derivatives of the energies, by recursions over the bodies of the tree (design 0012), or only what there is beside the bodies, which are left
 * to rolled code (design 0014), all but for their accelerations (WAY_MIXED). */
enum derive_way { WAY_CHEAPEST, WAY_ENERGIES, WAY_TREE, WAY_ROLLED, WAY_MIXED, WAYS };
extern const char *const derive_way_name[WAYS];
bool derive_way_find(const char *name, enum derive_way *);      /* false: there is none of that name */

struct equations {
    const struct model *model;
    struct arena *arena;
    struct eq_array array[EQ_COUNT];
    struct eq_columns *columns; /* of the matrices that are given so; NULL: none */
    int trig_summands;          /* kinetic summands taken in trigonometric normal form */
    double residual_cost;       /* of r alone, as a tape; 0: not known */
    bool inverse_dynamics;      /* form of r: d/dt(T_v) - L_q + ..., else M a - f + G' lambda */
    bool accelerations;         /* a, lambda and unsafe are derived; else they are zero and no function gives them */
    bool coupled;               /* r couples coordinates beside the bodies, and its Jacobians were not asked for */
    bool unbalanced;            /* the power is not known; it stands as zero then */
    enum derive_way way;        /* that was taken; WAY_ENERGIES or WAY_TREE */
    const struct roll *roll;    /* WAY_ROLLED: the tables of the bodies (roll/roll.h), else NULL */
    double way_cost[2];         /* of all functions, by energies and by the tree, in operations; 0: not tried */
};

struct derive_options {
    bool entries;               /* every matrix entry by entry, however large */
    enum derive_way way;
    bool accelerations;         /* a and lambda as well, where they are not long */
    bool no_matrices;           /* beside loops: no Jacobians of r, unless they are diagonal */
};
/* Derive everything.  False if the model has no equations of this form: every reason is in the diagnostics. */
bool equations_derive(struct equations *, const struct model *, struct arena *, struct diags *, const struct derive_options *);

/* What the functions that are called often cost, in operations: dynamics, residual and Jacobian. */
double equations_cost(const struct equations *);

/* Name and source of entry k: "M[Theta, beta]", "f[beta]"; the span is the row's. */
char *equations_entry(const struct equations *, struct arena *, enum eq_id, int k, struct span *);
const char *axis_name(const struct model *, enum eq_axis, int index, struct span *);

/* A copy of the model with every parameter replaced by its default value. */
struct model *model_fold_params(const struct model *, struct arena *);
#endif
