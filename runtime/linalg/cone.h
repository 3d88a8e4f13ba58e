/* SPDX-License-Identifier: MIT
 *
 * cone.h: contact with Coulomb friction at one instant, u = b + W K^-1 W' P, contact by contact
 *
 *     u_N >= 0, P_N >= 0, u_N P_N = 0;       |P_T| <= c P_N, P_T = -c P_N u_T/|u_T| where u_T is not 0
 *
 * for impulses and velocities as for forces and accelerations.  Friction that nothing presses has no normal row, and |P_T| <= c; where a part of what
 * presses is known already, |P_T| <= c P_N + more.  The operator is never formed: each contact keeps W and K^-1 W' on the coordinates that it moves. */
#ifndef MBS_CONE_H
#define MBS_CONE_H

#include "linalg/anderson.h"

enum { MBS_CONE_ROWS = 4 };     /* of a contact, at most */

struct mbs_cone_contact {
    int first;                  /* of its rows: the normal one, if it has one, then tangents */
    int normal, tangents;       /* how many: 0 or 1; 0 to 3 */
    double mu;                  /* c */
    double more;                /* the tangents bear so much more than c P_N */
    int name;                   /* whatever the caller calls it */
    int slot, width;            /* its coordinates: so many, from there on */
    int block, stride;          /* its values in W and X: those of all rows for its first coordinate, `stride` farther for the next */
    int rounds;                 /* of projections that solve it as well as is worth while */
    double A[MBS_CONE_ROWS][MBS_CONE_ROWS];     /* its own block of the operator ... */
    double across;              /* ... whose tangential part has no larger eigenvalue */
};
struct mbs_cone {
    int n;                      /* coordinates */
    int contacts, rows, slots, values;
    int room_contacts, room_rows, room_slots, room_values;
    struct mbs_cone_contact *at;
    int *slot;                  /* coordinates contact by contact */
    int *where;                 /* n: the slot of a coordinate in the contact that is being built */
    double *W, *X;              /* W, K^-1 W' */
    double *b, *P, *u;
    double *start_P, *scale;    /* of a pair of sweeps: where it began, and in which size impulses count */
    double *drift, *drift_before;       /* what the last two pairs have added */
    struct mbs_anderson anderson;
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
/* A contact, then its rows, each by its entries, which add up where they are of the same coordinate.  0 or MBS_NO_MEMORY. */
int mbs_cone_contact(struct mbs_cone *c, int normal, int tangents, double mu, int name);
int mbs_cone_row(struct mbs_cone *c, double b, double P);
int mbs_cone_entry(struct mbs_cone *c, int index, double w, double x);
/* Gauss-Seidel from the P that were given until the certificate is below tol.  0, or 1: it is not, after `most` sweeps or since they do not
 * make it better; the best P are left. */
int mbs_cone_sweep(struct mbs_cone *c, double tol, int most);
/* The same to the last digits: Newton on the equations of what has been found to be open, to stick and to slide. */
int mbs_cone_solve(struct mbs_cone *c, double tol, int most);

#endif
