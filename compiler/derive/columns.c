/* SPDX-License-Identifier: GPL-3.0-or-later
 * See columns.h.  Patterns are structural: which symbols an entry can depend on, as sets of bits. */
#include "derive/columns.h"
#include "expr/cone.h"

#include <stdlib.h>
#include <string.h>

/* --- patterns ------------------------------------------------------------------------------------------------ */

/* For each of n expressions the set of symbols of one kind below it: rows of `words` words. */
static uint64_t *dependencies(const struct pool *p, int n, const Expr *e, enum sym_kind kind, int symbols, int *words)
{
    struct cone cone = {.kinds = DEP(kind)};
    int w = *words = (symbols + 63) / 64;
    cone_collect(&cone, p, n, e);
    int *place = mem_grow(NULL, p->nodes, sizeof *place);
    memset(place, -1, p->nodes * sizeof *place);
    uint64_t *set = mem_grow(NULL, ((size_t)cone.n + 1) * (size_t)w, sizeof *set);
    memset(set, 0, ((size_t)cone.n + 1) * (size_t)w * sizeof *set);
    for (int i = 0; i < cone.n; i++) {
        Expr x = cone.at[i];
        uint64_t *mine = set + (size_t)i * (size_t)w;
        place[x] = i;
        if (expr_op(p, x) == EXPR_SYM && expr_symbol(p, x)->kind == kind)
            mine[expr_symbol(p, x)->index / 64] |= (uint64_t)1 << expr_symbol(p, x)->index % 64;
        for (int k = 0; k < expr_args(p, x); k++) {
            int at = place[expr_arg(p, x, k)];
            for (int b = 0; at >= 0 && b < w; b++)
                mine[b] |= set[(size_t)at * (size_t)w + (size_t)b];
        }
    }
    uint64_t *out = mem_grow(NULL, ((size_t)n + 1) * (size_t)w, sizeof *out);
    memset(out, 0, ((size_t)n + 1) * (size_t)w * sizeof *out);
    for (int i = 0; i < n; i++)
        if (place[e[i]] >= 0)
            memcpy(out + (size_t)i * (size_t)w, set + (size_t)place[e[i]] * (size_t)w, (size_t)w * sizeof *out);
    free(place);
    free(set);
    cone_fini(&cone);
    return out;
}

static void pattern(struct equations *eq, enum eq_id id, int n, const Expr *e, enum sym_kind kind)
{
    struct eq_array *a = &eq->array[id];
    int words;
    uint64_t *set = dependencies(eq->model->pool, n, e, kind, a->cols, &words);
    a->colptr = ARENA_NEW(eq->arena, int, a->cols + 1);
    for (int pass = 0; pass < 2; pass++) {
        a->nnz = 0;
        for (int j = 0; j < a->cols; j++) {
            for (int i = id == EQ_M ? j : 0; i < n; i++) {
                if (!(set[(size_t)i * (size_t)words + (size_t)(j / 64)] >> j % 64 & 1))
                    continue;
                if (pass)
                    a->rowidx[a->nnz] = i;
                a->nnz++;
            }
            a->colptr[j + 1] = a->nnz;
        }
        if (!pass)
            a->rowidx = ARENA_NEW(eq->arena, int, a->nnz + 1);
    }
    a->by_columns = true;
    free(set);
}

int columns_entries(const struct model *m, const Expr *e, enum sym_kind kind)
{
    int words, n = m->coord.n, entries = 0;
    uint64_t *set = dependencies(m->pool, n, e, kind, n, &words);
    for (size_t i = 0; i < (size_t)n * (size_t)words; i++)
        entries += __builtin_popcountll(set[i]);
    free(set);
    return entries;
}

/* Sets for thousands of coordinates would be large; whether a node has met only one coordinate is a number. */
bool columns_couple(const struct model *m, const Expr *e)
{
    enum { NONE = -1, SEVERAL = -2 };
    const struct pool *p = m->pool;
    struct cone cone = {.kinds = DEP(SYM_Q) | DEP(SYM_V)};
    cone_collect(&cone, p, m->coord.n, e);
    int *only = mem_grow(NULL, p->nodes, sizeof *only);
    memset(only, NONE, p->nodes * sizeof *only);
    for (int i = 0; i < cone.n; i++) {
        Expr x = cone.at[i];
        if (expr_op(p, x) == EXPR_SYM)
            only[x] = expr_symbol(p, x)->index;
        for (int k = 0; k < expr_args(p, x); k++) {
            int other = only[expr_arg(p, x, k)];
            if (other != NONE)
                only[x] = only[x] == NONE || only[x] == other ? other : SEVERAL;
        }
    }
    bool couple = false;
    for (int i = 0; i < m->coord.n; i++)
        couple |= only[e[i]] != NONE && only[e[i]] != i;
    free(only);
    cone_fini(&cone);
    return couple;
}

/* --- columns --------------------------------------------------------------------------------------------------- */

bool columns_has(enum columns_of of, enum eq_id id)
{
    enum eq_axis rows = abi_quantity[id].rows;
    if (of != COLUMNS_OF_ALL)
        return of == COLUMNS_OF_R && (id == EQ_rq || id == EQ_rv);
    return abi_quantity[id].cols == AXIS_COORD && (rows == AXIS_COORD || rows == AXIS_CONSTRAINT) && id != EQ_G;
}

static void add_column(struct equations *eq, enum eq_id id, const Expr *p, bool by_v, struct direction *along)
{
    struct eq_column *x = &eq->columns->at[eq->columns->n++];
    const Expr *of = id == EQ_M ? p : eq->array[abi_quantity[id].of].value;
    int rows = eq->array[id].rows;
    *x = (struct eq_column){ id, by_v, rows, ARENA_NEW(eq->arena, Expr, rows + 1) };
    pattern(eq, id, rows, of, by_v ? SYM_V : SYM_Q);
    for (int i = 0; i < rows; i++)
        x->value[i] = direction_diff(along, of[i]);
}

void columns_derive(struct equations *eq, enum columns_of of, const Expr *p)
{
    const struct model *m = eq->model;
    int nq = m->coord.n;
    Expr *var[2], *seed[2];
    struct direction *along[2];
    struct arena scratch = {0};
    for (int v = 0; v < 2; v++) {
        var[v] = ARENA_NEW(&scratch, Expr, nq);
        seed[v] = ARENA_NEW(&scratch, Expr, nq);
        for (int j = 0; j < nq; j++) {
            var[v][j] = v ? m->coord.at[j].v : m->coord.at[j].q;
            seed[v][j] = expr_sym(m->pool, SYM_LOCAL, v * nq + j, v ? "dv" : "dq");
        }
        along[v] = direction_new(m->pool, nq, var[v], seed[v]);
    }
    eq->columns = ARENA_NEW(eq->arena, struct eq_columns, 1);
    for (int v = 0; v < 2; v++)
        for (int k = 0; k < EQ_COUNT; k++)      /* M by a is the derivative of the momenta by v */
            if (columns_has(of, (enum eq_id)k) && (abi_quantity[k].by != SYM_Q) == v)
                add_column(eq, (enum eq_id)k, p, v, along[v]);
    direction_free(along[0]);
    direction_free(along[1]);
    arena_free(&scratch);
}
