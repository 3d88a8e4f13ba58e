/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Common factors of a sum of products:  k s a a + 2 k s a b  becomes  k s a (a + 2 b).
 *
 * Greedy: take the set of factors whose extraction saves most multiplications, group the terms that
 * contain it, do the same for what stays inside and outside.  Numbers are not taken out: they would
 * leave other numbers behind.
 */
#include "tape/graph.h"

#include <stdlib.h>
#include <string.h>

enum { EXHAUSTIVE = 48 };   /* longer sums look at single factors only */

static bool is_num(const struct graph *g, int node)
{
    return g->node.at[node].kind == GRAPH_NUM;
}

/* Keep in common[] what is also in t; returns the new length.  Both sorted, with repetitions. */
static int intersect(int *common, int n, const struct term *t)
{
    int k = 0;
    for (int i = 0, j = 0; i < n && j < t->n;) {
        if (common[i] < t->factor[j])
            i++;
        else if (common[i] > t->factor[j])
            j++;
        else {
            common[k++] = common[i];
            i++, j++;
        }
    }
    return k;
}

static bool contains(const struct term *t, int node)
{
    int lo = 0, hi = t->n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (t->factor[mid] < node)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < t->n && t->factor[lo] == node;
}

static bool contains_all(const struct term *t, const int *f, int n)
{
    int j = 0;
    for (int i = 0; i < n; i++) {
        while (j < t->n && t->factor[j] < f[i])
            j++;
        if (j == t->n || t->factor[j++] != f[i])
            return false;
    }
    return true;
}

struct best {
    int saving, n;
    int *factor;
};

/* The common set of all terms that contain `node`, and what its extraction saves. */
static void consider(struct graph *g, int n, const struct term *t, int node, struct best *best, int *room)
{
    int count = 0, k = 0;
    for (int i = 0; i < n; i++) {
        if (!contains(&t[i], node))
            continue;
        if (count++) {
            k = intersect(room, k, &t[i]);
            continue;
        }
        for (int j = 0; j < t[i].n; j++)
            if (!is_num(g, t[i].factor[j]))
                room[k++] = t[i].factor[j];
    }
    int saving = (count - 1) * k;
    if (saving > best->saving) {
        best->saving = saving;
        best->n = k;
        memcpy(best->factor, room, (size_t)k * sizeof *room);
    }
}

/* Two terms: what they have in common. */
static void choose_of_two(const struct graph *g, const struct term *t, struct best *best)
{
    for (int j = 0; j < t[0].n; j++)
        if (!is_num(g, t[0].factor[j]))
            best->factor[best->n++] = t[0].factor[j];
    best->saving = best->n = intersect(best->factor, best->n, &t[1]);
}

/* The best set to take out of n terms; saving 0 if there is none. */
static void choose(struct graph *g, int n, const struct term *t, struct best *best, int *room)
{
    if (n == 2) {
        choose_of_two(g, t, best);
        return;
    }
    struct { int *at; int n, cap; } all = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < t[i].n; j++)
            if ((j == 0 || t[i].factor[j] != t[i].factor[j - 1]) && !is_num(g, t[i].factor[j]))
                VEC_PUSH(all, t[i].factor[j]);
    graph_sort(all.at, all.n);
    for (int i = 0, j; i < all.n; i = j) {
        for (j = i; j < all.n && all.at[j] == all.at[i];)
            j++;
        if (j - i < 2)
            continue;
        if (n <= EXHAUSTIVE) {
            consider(g, n, t, all.at[i], best, room);
        } else if (j - i - 1 > best->saving) {
            best->saving = j - i - 1;
            best->n = 1;
            best->factor[0] = all.at[i];
        }
    }
    free(all.at);
}

static struct ref term_ref(struct graph *g, const struct term *t)
{
    return (struct ref){graph_product(g, t->n, t->factor), t->neg};
}

static struct ref plain_sum(struct graph *g, int n, const struct term *t)
{
    struct ref *el = ARENA_NEW(&g->arena, struct ref, n);
    for (int i = 0; i < n; i++)
        el[i] = term_ref(g, &t[i]);
    return graph_sum(g, n, el);
}

/* Factors and the inner sum as one term again. */
static struct term join(struct graph *g, const int *f, int n, struct ref inner)
{
    const struct graph_node *x = &g->node.at[inner.node];
    bool flat = x->kind == GRAPH_PROD;
    int m = n + (flat ? x->n : 1);
    struct term t = {inner.neg, m, ARENA_NEW(&g->arena, int, m)};
    memcpy(t.factor, f, (size_t)n * sizeof *f);
    for (int i = n; i < m; i++)
        t.factor[i] = flat ? x->el[i - n].node : inner.node;
    graph_sort(t.factor, m);
    return t;
}

/* t without the factors f. */
static struct term without(struct graph *g, const struct term *t, const int *f, int n)
{
    struct term r = {t->neg, 0, ARENA_NEW(&g->arena, int, t->n + 1)};
    for (int i = 0, j = 0; i < t->n; i++) {
        if (j < n && t->factor[i] == f[j])
            j++;
        else
            r.factor[r.n++] = t->factor[i];
    }
    if (!r.n)
        r.factor[r.n++] = graph_num(g, g->pool->one);
    return r;
}

struct ref graph_factor(struct graph *g, int n, struct term *t)
{
    while (n > 1) {
        int longest = 0;
        for (int i = 0; i < n; i++)
            longest = t[i].n > longest ? t[i].n : longest;
        int small[32], *room = longest < 15 ? small : mem_grow(NULL, 2 * (size_t)longest + 2, sizeof *room);
        struct best best = {.factor = room + longest + 1};
        choose(g, n, t, &best, room);
        if (!best.saving) {
            if (room != small)
                free(room);
            break;
        }
        struct term *in = ARENA_NEW(&g->arena, struct term, n);
        int inside = 0, outside = 0;
        for (int i = 0; i < n; i++) {
            if (contains_all(&t[i], best.factor, best.n))
                in[inside++] = without(g, &t[i], best.factor, best.n);
            else
                t[outside++] = t[i];
        }
        struct ref sum = graph_factor(g, inside, in);
        t[outside++] = join(g, best.factor, best.n, sum);
        n = outside;
        if (room != small)
            free(room);
    }
    return plain_sum(g, n, t);
}
