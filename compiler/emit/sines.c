/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sines and cosines all at once.
 *
 * A call of the library's sincos takes as long as a dozen products one after the other, and a mechanism of a few bodies spends half of its time in them.
 * Their angles are known at the beginning of a function, so that those that need no other sine are gathered and computed in vectors of four
 * (mbs_sines() of mbs/model.h, which compilers make vectors of without being asked).  A few angles are left to the library: the text stays plain. */
#include "emit/code_row.h"
#include "emit/parts.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 4 };             /* angles */

bool code_is_trig(const struct tape_row *t)
{
    return t->op == TAPE_FN && (t->fn == EXPR_SIN || t->fn == EXPR_COS);
}

struct code_angles code_angles_begin(const struct tape *t)
{
    size_t rows = (size_t)t->rows + 1;
    struct code_angles a = {.tape = t, .number = mem_grow(NULL, rows, sizeof *a.number), .row = mem_grow(NULL, rows, sizeof *a.row),
                            .behind = mem_grow(NULL, rows, sizeof *a.behind)};
    memset(a.behind, 0, rows * sizeof *a.behind);
    for (int k = 0; k < t->rows; k++)
        a.number[k] = -1;
    return a;
}

void code_angles_end(struct code_angles *a)
{
    free(a->number);
    free(a->row);
    free(a->behind);
}

static void forget(struct code_angles *a)
{
    while (a->n > 0)
        a->number[a->row[--a->n]] = -1;
}

/* Symbols come first, as they are counted; then what is computed. */
struct key {
    int by[3], row;
};

static int key_order(const void *x, const void *y)
{
    const struct key *a = x, *b = y;
    for (int i = 0; i < 3; i++)
        if (a->by[i] != b->by[i])
            return a->by[i] < b->by[i] ? -1 : 1;
    return 0;
}

static void sort(struct code_angles *a)
{
    struct key *key = mem_grow(NULL, (size_t)a->n + 1, sizeof *key);
    for (int k = 0; k < a->n; k++) {
        const struct tape_row *t = &a->tape->row[a->row[k]];
        key[k] = t->op == TAPE_SYM ? (struct key){{0, t->a, t->b}, a->row[k]} : (struct key){{1, a->row[k], 0}, a->row[k]};
    }
    qsort(key, (size_t)a->n, sizeof *key, key_order);
    for (int k = 0; k < a->n; k++) {
        a->row[k] = key[k].row;
        a->number[key[k].row] = k;
    }
    free(key);
}

void code_angles_find(struct code_angles *a, int piece)
{
    const struct tape *t = a->tape;
    const struct tape_piece *p = &t->piece[piece];
    int at[4];
    forget(a);
    for (int k = p->begin; k < p->end; k++) {
        for (int j = code_operands(&t->row[k], at); j-- > 0;)
            a->behind[k] |= a->behind[at[j]];
        if (!code_is_trig(&t->row[k]) || !t->row[k].uses)
            continue;
        if (!a->behind[k] && a->number[t->row[k].a] < 0) {
            a->row[a->n] = t->row[k].a;
            a->number[a->row[a->n]] = a->n;
            a->n++;
        }
        a->behind[k] = true;
    }
    memset(a->behind + p->begin, 0, (size_t)(p->end - p->begin) * sizeof *a->behind);       /* other pieces read what is known */
    if (a->n < LEAST)
        forget(a);
    sort(a);
}

static bool has_angles(const struct tape *t)
{
    struct code_angles a = code_angles_begin(t);
    for (int p = 0; p < t->pieces && !a.n; p++)
        code_angles_find(&a, p);
    bool found = a.n > 0;
    code_angles_end(&a);
    return found;
}

/* What is called often, in doubles. */
bool emit_gathers_sines(const struct emitter *e, const struct program *program)
{
    enum program_kind kind = program->kind;
    return !e->options->scalar && !e->options->tapes &&
           (kind == PROGRAM_POSITION || kind == PROGRAM_PART || kind == PROGRAM_COLUMNS || kind == PROGRAM_PRODUCT || kind == PROGRAM_FUNCTION);
}

bool emit_uses_sines(const struct emitter *e)
{
    const struct programs *p = e->programs;
    bool found = e->eq->roll && !e->options->scalar && !e->options->tapes;       /* its loops call it, too */
    for (int k = 0; k < p->list.n && !found; k++)
        found = emit_gathers_sines(e, &p->list.at[k]) && has_angles(p->list.at[k].tape);
    return found;
}
