/* SPDX-License-Identifier: MIT
 *
 * bundle.h: the Newton matrices of one step, factored together.
 *
 * The real matrix and the complex ones of a step have one pattern and nearly the same pivots, so they stand in lanes:
 * an entry (i, j), and likewise an element of a vector, consists of 2 L pairs of doubles: L pairs of real parts, L
 * pairs of imaginary parts.  Lane 0 is the real system, lanes 1, 2, 3 the complex ones; with one complex system L is 1,
 * else 2. Entries are addressed as in a full matrix, but only those that the pivot sequence makes non-zero are touched.
 */
#ifndef MBS_BUNDLE_H
#define MBS_BUNDLE_H

enum { MBS_BUNDLE_MAX = 64 }; /* largest order: memory and the search for pivots grow with its square and cube */

struct mbs_bundle {
    int n, L;
    int ready;               /* there is a pivot sequence */
    double *a;               /* n x n entries */
    double *sol;             /* n elements */
    unsigned char *nz, *map; /* announced entries; those of the factors while searching */
    int *prow, *pcol;        /* pivots, as offsets in doubles: row * n * 4 L, col * 4 L */
    int *lptr, *uptr;        /* step k: rows lrow[lptr[k] .. ], columns ucol[uptr[k] ..] */
    int *lrow, *ucol;        /* offsets as above */
    int *pelem, *lelem;      /* the rows as offsets into a vector: row * 4 L */
    int used, *use;          /* the entries of the factors, offsets into a */
    double *colmax;          /* n, largest |entry|^2 of the columns when the sequence was found */
    int *work;               /* 4 n */
};

struct mbs_work;
void mbs_bundle_layout(struct mbs_bundle *b, struct mbs_work *w, int n, int lanes);
/* Announces an entry; all before the first search(). */
void mbs_bundle_entry(struct mbs_bundle *b, int i, int j);
/* Chooses L; forgets the pivots if it changes. */
void mbs_bundle_lanes(struct mbs_bundle *b, int L);
void mbs_bundle_clear(struct mbs_bundle *b);
/* Finds a pivot sequence for the values in a and factors them; 1 if some matrix is (nearly) singular or not finite:
 * then another solver must look at it. */
int mbs_bundle_search(struct mbs_bundle *b);
/* The same with the sequence found before; 1 if it does not suit: the values must be put in again for a search. */
int mbs_bundle_factor(struct mbs_bundle *b);
/* In place, n elements of 4 L doubles. */
void mbs_bundle_solve(struct mbs_bundle *b, double *x);
/* The real system only: n values. */
void mbs_bundle_solve_real(struct mbs_bundle *b, double *x);

#endif
