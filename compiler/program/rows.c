/* SPDX-License-Identifier: GPL-3.0-or-later
 * See rows.h. */
#include "program/rows.h"

#include <stdlib.h>

static unsigned row_hash(const struct tape_row *r)
{
    unsigned h = (unsigned)r->op;
    h = (h * 31 + (unsigned)r->a) * 2654435761u;
    h = (h ^ h >> 15) + (unsigned)r->b;
    h *= 2246822519u;
    return h ^ h >> 13;
}

static void table_grow(struct rows *b)
{
    b->size = b->size ? 2 * b->size : 256;
    b->table = mem_grow(b->table, (size_t)b->size, sizeof *b->table);
    for (int k = 0; k < b->size; k++)
        b->table[k] = NONE;
    for (int k = b->begin; k < b->row.n; k++) {
        unsigned at = row_hash(&b->row.at[k]) & (unsigned)(b->size - 1);
        while (b->table[at] != NONE)
            at = (at + 1) & (unsigned)(b->size - 1);
        b->table[at] = k;
    }
}

int rows_put(struct rows *b, enum tape_op op, int left, int right)
{
    struct tape_row r = { .op = op, .a = left, .b = right, .c = NONE, .d = NONE, .slot = NONE };
    if (2 * (b->row.n - b->begin) >= b->size)
        table_grow(b);
    unsigned at = row_hash(&r) & (unsigned)(b->size - 1);
    for (; b->table[at] != NONE; at = (at + 1) & (unsigned)(b->size - 1)) {
        const struct tape_row *o = &b->row.at[b->table[at]];
        if (o->op == op && o->a == left && o->b == right)
            return b->table[at];
    }
    b->table[at] = b->row.n;
    if (op != TAPE_SYM && op != TAPE_NUM) {
        b->flops++;
        b->row.at[left].uses++;
        if (right != NONE)
            b->row.at[right].uses++;
    }
    VEC_PUSH(b->row, r);
    return b->row.n - 1;
}

int rows_mul(struct rows *b, int x, int y)
{
    return x == NONE || y == NONE ? NONE : rows_put(b, TAPE_MUL, x < y ? x : y, x < y ? y : x);
}

int rows_add(struct rows *b, int x, int y)
{
    return x == NONE ? y : y == NONE ? x : rows_put(b, TAPE_ADD, x, y);
}

int rows_sub(struct rows *b, int x, int y)
{
    return y == NONE ? x : x == NONE ? rows_put(b, TAPE_NEG, y, NONE) : rows_put(b, TAPE_SUB, x, y);
}

static int put_number(struct rows *b, double x)
{
    int k = 0;
    while (k < b->num.n && b->num.at[k] != x)
        k++;
    if (k == b->num.n)
        VEC_PUSH(b->num, x);
    return rows_put(b, TAPE_NUM, k, NONE);
}

int rows_reciprocal(struct rows *b, int x)
{
    return rows_put(b, TAPE_DIV, put_number(b, 1), x);
}

int rows_entry(struct rows *b, const struct eq_array *a, int kind, int k)
{
    int first = 0;
    while (a->value[first] != a->value[k])
        first++;
    return rows_put(b, TAPE_SYM, kind, first);
}

void rows_output(struct rows *b, int array, int index, int section, int row)
{
    if (row == NONE)
        row = put_number(b, 0);
    VEC_PUSH(b->out, ((struct tape_output){
                         .array = array, .index = index, .section = section, .row = row, .piece = b->piece.n}));
    b->row.at[row].uses++;
}

void rows_section(struct rows *b, int section)
{
    for (int k = b->begin; k < b->row.n; k++)
        b->row.at[k].section = section;
    VEC_PUSH(b->piece, ((struct tape_piece){ b->begin, b->row.n, section }));
    b->begin = b->row.n;
    for (int k = 0; k < b->size; k++)
        b->table[k] = NONE;
}

struct tape *rows_finish(struct rows *b)
{
    struct tape *t = mem_grow(NULL, 1, sizeof *t);
    *t = (struct tape){.row = b->row.at,
                       .rows = b->row.n,
                       .out = b->out.at,
                       .outs = b->out.n,
                       .num = b->num.at,
                       .nums = b->num.n,
                       .piece = b->piece.at,
                       .pieces = b->piece.n};
    for (int k = 0; k < t->rows; k++) {
        t->cost.add += t->row[k].op == TAPE_ADD || t->row[k].op == TAPE_SUB;
        t->cost.mul += t->row[k].op == TAPE_MUL;
        t->cost.div += t->row[k].op == TAPE_DIV;
    }
    free(b->table);
    return t;
}
