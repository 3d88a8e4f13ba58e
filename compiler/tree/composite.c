/* SPDX-License-Identifier: GPL-3.0-or-later
 * The mass matrix by composite bodies: what a joint's unit acceleration needs of all bodies behind it is carried to the root. */
#include "tree/recursion.h"

#include "base/arena.h"

#include <stdlib.h>

/* I S: (J S_w + h X S_u, m S_u + S_w X h), J = tr(E) - E. */
struct spatial spatial_momentum(struct pool *p, const struct tree_inertia *i, struct spatial s)
{
    struct spatial f;
    for (int k = 0; k < 3; k++) {
        int x = (k + 1) % 3, y = (k + 2) % 3;
        Expr across = tree_hold(p, expr_add(p, i->E.m[x][x], i->E.m[y][y]));
        Expr t[3] = {expr_mul(p, across, s.w.x[k]), expr_neg(p, expr_mul(p, i->E.m[k][x], s.w.x[x])),
                     expr_neg(p, expr_mul(p, i->E.m[k][y], s.w.x[y]))};
        f.w.x[k] = expr_sum(p, 3, t);
    }
    f.w = vec_add(p, f.w, vec_cross(p, i->h, s.u));
    f.u = vec_add(p, vec_scale(p, i->m, s.u), vec_cross(p, s.w, i->h));
    return spatial_hold(p, f);
}

void tree_composites(struct pool *p, const struct tree *t, struct tree_inertia *sum)
{
    for (int i = 0; i < t->n; i++)
        sum[i] = t->at[i].inertia;
    for (int i = t->n - 1; i >= 0; i--) {
        const struct tree_body *b = &t->at[i];
        sum[i].m = tree_hold(p, sum[i].m);
        sum[i].h = tree_hold_vec(p, sum[i].h);
        sum[i].E = mat_hold(p, sum[i].E);
        if (b->parent >= 0) {
            struct tree_inertia up = inertia_to_parent(p, b, &sum[i]);
            sum[b->parent] = inertia_add(p, &sum[b->parent], &up);
        }
    }
}

/* Between two elastic coordinates of a beam: its own mass, and its frame where that moves by them. */
Expr elastic_mass(struct pool *p, const struct tree_body *b, int body, int c, int d)
{
    Expr e = b->flex->mass[c * b->columns + d];
    return b->flex->frame == body ? expr_add(p, e, spatial_dot(p, column_of(&b->column[c]), elastic_column(b, d))) : e;
}

void tree_column_mass(struct pool *p, const struct tree *t, Expr *M)
{
    struct arena scratch = {0};
    struct tree_inertia *sum = ARENA_NEW(&scratch, struct tree_inertia, t->n);
    int *first = ARENA_NEW(&scratch, int, t->n + 1), n = tree_columns(t);
    tree_composites(p, t, sum);
    for (int k = 0; k < n * n; k++)
        M[k] = p->zero;
    for (int i = 0; i < t->n; i++) {
        const struct tree_body *b = &t->at[i];
        first[i + 1] = first[i] + b->columns;
        for (int c = 0; c < b->columns; c++) {
            struct spatial F = spatial_momentum(p, &sum[i], column_of(&b->column[c]));
            for (int j = i, row = first[i] + c; j >= 0; j = t->at[j].parent) {
                if (b->flex && b->flex->frame == j)
                    F = spatial_hold(p, spatial_add(p, F, elastic_column(b, c)));
                for (int k = 0; k < t->at[j].columns; k++) {
                    int col = first[j] + k;
                    Expr e = spatial_dot(p, F, column_of(&t->at[j].column[k]));
                    if (b->flex && j == i)
                        e = expr_add(p, e, elastic_mass(p, b, i, c, k));
                    M[row * n + col] = M[col * n + row] = tree_hold(p, e);
                }
                if (t->at[j].parent >= 0)
                    F = force_to_parent(p, &t->at[j], F);
            }
        }
    }
    arena_free(&scratch);
}

/* Entries of columns become entries of coordinates by the maps of both bodies. */
static void add_entries(struct pool *p, const struct tree_body *a, int ca, const struct tree_body *b, int cb, Expr value, int n, Expr *M)
{
    for (int i = 0; i < a->coords; i++)
        for (int j = 0; j < b->coords; j++) {
            if (tree_map(a, ca, i) == p->zero || tree_map(b, cb, j) == p->zero)
                continue;
            Expr e = expr_product(p, 3, (Expr[]){value, tree_map(a, ca, i), tree_map(b, cb, j)});
            Expr *at = &M[a->coord[i] * n + b->coord[j]];
            *at = expr_add(p, *at, e);
        }
}

void tree_mass(struct pool *p, const struct tree *t, int n, Expr *M)
{
    int columns = tree_columns(t), row = 0;
    Expr *all = mem_grow(NULL, (size_t)columns * (size_t)columns + 1, sizeof *all);
    tree_column_mass(p, t, all);
    for (int i = 0; i < t->n; i++)
        for (int c = 0; c < t->at[i].columns; c++, row++)
            for (int j = 0, col = 0; j < t->n; j++)
                for (int k = 0; k < t->at[j].columns; k++, col++)
                    if (all[row * columns + col] != p->zero)
                        add_entries(p, &t->at[i], c, &t->at[j], k, all[row * columns + col], n, M);
    free(all);
}
