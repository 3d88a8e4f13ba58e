/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tapes written row by row: programs whose inputs are not expressions but entries of arrays that other
 * functions have computed.  `a` of a TAPE_SYM row may then be one of enum rows_leaf, and `b` an index.
 *
 * Rows are hash-consed on (operator, operands), and entries of a matrix that are the same expression are
 * the same leaf, so whatever follows from them alike is computed once.
 */
#ifndef PROGRAM_ROWS_H
#define PROGRAM_ROWS_H
#include "derive/equations.h"

enum rows_leaf { ROWS_M = TAPE_SHARED + 1, ROWS_G, ROWS_L, ROWS_X, ROWS_F, ROWS_GT, ROWS_GAMMA };
enum { NONE = -1 };

struct rows {
    struct { struct tape_row *at; int n, cap; } row;
    struct { struct tape_output *at; int n, cap; } out;
    struct { double *at; int n, cap; } num;
    struct { struct tape_piece *at; int n, cap; } piece;
    int *table, size;
    int begin;                  /* first row of the section being written */
    int flops;
};

int rows_put(struct rows *, enum tape_op, int left, int right);
/* Arithmetic in which NONE is the zero that a pattern knows of. */
int rows_mul(struct rows *, int x, int y);
int rows_add(struct rows *, int x, int y);
int rows_sub(struct rows *, int x, int y);
int rows_reciprocal(struct rows *, int x);
/* The leaf of entry k of an array: entries that are the same expression share the first one's. */
int rows_entry(struct rows *, const struct eq_array *, int kind, int k);
/* NONE is stored as the number 0. */
void rows_output(struct rows *, int array, int index, int section, int row);
/* What was written since the last call makes up a section; rows are not shared between sections. */
void rows_section(struct rows *, int section);
/* Frees the rows. */
struct tape *rows_finish(struct rows *);
#endif
