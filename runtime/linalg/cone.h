/* SPDX-License-Identifier: MIT
 *
 * cone.h: contact with Coulomb friction at one instant, u = b + W K^-1 W' P, contact by contact
 *
 *     u_N >= 0, P_N >= 0, u_N P_N = 0;       |P_T| <= c P_N, P_T = -c P_N u_T/|u_T| where u_T is not 0
 *
 * for impulses and velocities as for forces and accelerations.  Friction that nothing presses has no normal row, and |P_T| <= c; where a part of what
 * presses is known already, |P_T| <= c P_N + more.  The operator is never formed: each row is kept as sparse vectors of W and of K^-1 W'. */
#ifndef MBS_CONE_H
#define MBS_CONE_H

#include "linalg/anderson.h"

struct mbs_cone_contact {
    int first;                  /* of its rows: the normal one, if it has one, then tangents */
    int normal, tangents;       /* how many: 0 or 1; 0 to 3 */
    double mu;                  /* c */
    double more;                /* the tangents bear so much more than c P_N */
    int name;                   /* whatever the caller calls it */
};
struct mbs_cone {
    int n;                      /* coordinates */
    int contacts, rows, entries;
    int room_contacts, room_rows, room_entries;
    struct mbs_cone_contact *at;
    int *start, *index;         /* entries of row r: start[r] .. start[r + 1] */
    double *W, *X;
    double *b, *P, *u;
    double *start_P, *scale;    /* of a pair of sweeps: where it began, and in which size impulses count */
    double *drift, *drift_before;       /* what the last two pairs have added */
    struct mbs_anderson anderson;
    double *A;                  /* 4 x 4 a contact: its own block of the operator */
    double *dv;                 /* n: K^-1 W' P */
    double *newton;             /* work of the refinement */
    long room_newton;
    double residual;            /* the certificate: largest |P - proj(P - r u)| in units of u ... */
    int worst;                  /* ... and the contact it is of */
    double *best_P, least;      /* the least one so far, and its impulses */
    double enough;              /* given: where sweeps do not reach their tolerance, this is no reason to try other ways */
    long sweeps;
};

/* An empty problem of n coordinates; 0 or MBS_NO_MEMORY.  Memory is kept from problem to problem. */
int mbs_cone_begin(struct mbs_cone *c, int n);
void mbs_cone_free(struct mbs_cone *c);
/* A contact, then its rows, each by all its entries.  0 or MBS_NO_MEMORY. */
int mbs_cone_contact(struct mbs_cone *c, int normal, int tangents, double mu, int name);
int mbs_cone_row(struct mbs_cone *c, double b, double P);
int mbs_cone_entry(struct mbs_cone *c, int index, double w, double x);
/* Gauss-Seidel from the P that were given until the certificate is below tol.  0, or 1: it is not, after `most` sweeps or since they do not
 * make it better; the best P are left. */
int mbs_cone_sweep(struct mbs_cone *c, double tol, int most);
/* The same to the last digits: Newton on the equations of what has been found to be open, to stick and to slide. */
int mbs_cone_solve(struct mbs_cone *c, double tol, int most);

#endif
