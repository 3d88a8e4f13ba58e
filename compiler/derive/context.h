/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the parts of one derivation share: equations.c goes through them in order. */
#ifndef DERIVE_CONTEXT_H
#define DERIVE_CONTEXT_H
#include "derive/columns.h"
#include "derive/derive.h"
#include "derive/forward.h"
#include "model/tree.h"

struct context {
    const struct model *m;
    struct pool *pool;
    struct equations *eq;
    struct arena scratch;
    int nq, rows;               /* coordinates, constraint rows */
    Expr *q, *v;
    struct kinetic T;
    Expr U, *p;                 /* potential, momenta T_v */
    const struct model *norm;   /* with what the tree leaves of Euler parameters: nothing on the unit sphere */
    Expr *f_rest, *bias;        /* f without the bodies of the tree, and what they need at zero acceleration */
    Expr T_norm, *p_norm, *f_norm;      /* energy, momenta and forces of x->norm */
    Expr *mass_rest;            /* nq x nq, with a tree: of x->rest */
    struct forward_shares shares;       /* with rates of states that follow from multipliers; its lambda is NULL else */
    enum columns_of columns;    /* large full matrices that are given by columns */
    bool by_loops, no_matrices; /* the bodies are left to loops; which have no Jacobians of r */
    const struct tree *tree;    /* the bodies' part comes from it; NULL: from their energies */
    const struct model *rest;   /* whose energies are differentiated: without the bodies' if the tree has them */
};

/* A vector of the equations, to be filled. */
static inline Expr *vector(struct context *x, enum eq_id id)
{
    return x->eq->array[id].value;
}

/* Compressed columns by counting; triplets of one column arrive with ascending rows, and are freed. */
void matrix_fill(struct equations *, enum eq_id, struct triplets *);

/* rows.c: constraints, conditions of the start, contacts, events, each with its rates */
void derive_constraints(struct context *);
void derive_conditions(struct context *);
void derive_contacts(struct context *);
void derive_events(struct context *);

/* power.c: T and U, and d(T + U)/dt by what works on the mechanism */
Expr sum_terms(struct context *, const struct model_term *, int n);
void derive_energy(struct context *);
void derive_power(struct context *);
#endif
