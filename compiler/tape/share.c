/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Common subexpressions inside sums and products: the pair of elements that occurs in most lists becomes
 * a node of its own, until no pair occurs twice.
 *
 * Hash-consing has shared what is equal as a whole; this finds a*b inside a*b*c and a*b*d, and x - y
 * inside x - y + z and y - x + w.  Counts are kept in a heap with lazy correction: an entry is checked
 * against the lists when it comes to the top.  Long lists offer only pairs of near neighbours, which
 * keeps the work linear.
 */
#include "tape/graph.h"

#include <stdlib.h>
#include <string.h>

enum { LONG_LIST = 32, WINDOW = 6 };

struct occurrence {         /* a list that had the pair when it was noted */
    int list, next;
};
struct pair_entry {
    int x, y;               /* x <= y */
    bool minus;             /* of opposite sign */
    int count, queued;      /* noted, and the count last put into the heap */
    int first;              /* occurrences, newest first, -1 ends */
};
struct heap_item {
    int count, pair;
};
struct share {
    struct graph *g;
    enum graph_kind kind;
    struct { struct pair_entry *at; int n, cap; } pair;
    struct { struct occurrence *at; int n, cap; } occ;
    struct { struct heap_item *at; int n, cap; } heap;
    int *table, table_size;
};

/* --- heap: most frequent first, then oldest pair ----------------------------------------------------- */

static bool before(const struct share *s, struct heap_item a, struct heap_item b)
{
    if (a.count != b.count)
        return a.count > b.count;
    const struct pair_entry *x = &s->pair.at[a.pair], *y = &s->pair.at[b.pair];
    if (x->x != y->x)
        return x->x < y->x;
    return x->y != y->y ? x->y < y->y : x->minus < y->minus;
}

static void heap_push(struct share *s, struct heap_item it)
{
    VEC_PUSH(s->heap, it);
    int i = s->heap.n - 1;
    for (; i > 0 && before(s, it, s->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap.at[i] = s->heap.at[(i - 1) / 2];
    s->heap.at[i] = it;
}

static struct heap_item heap_pop(struct share *s)
{
    struct heap_item top = s->heap.at[0], it = s->heap.at[--s->heap.n];
    int i = 0, n = s->heap.n;
    for (;;) {
        int c = 2 * i + 1;
        if (c >= n)
            break;
        if (c + 1 < n && before(s, s->heap.at[c + 1], s->heap.at[c]))
            c++;
        if (!before(s, s->heap.at[c], it))
            break;
        s->heap.at[i] = s->heap.at[c];
        i = c;
    }
    if (n)
        s->heap.at[i] = it;
    return top;
}

/* --- pairs ------------------------------------------------------------------------------------------- */

static uint32_t pair_hash(int x, int y, bool minus)
{
    uint32_t h = (uint32_t)x * 0x9e3779b1u ^ ((uint32_t)y * 0x85ebca6bu + minus);
    return h ^ (h >> 16);
}

static int pair_find(struct share *s, int x, int y, bool minus)
{
    if (2 * (s->pair.n + 1) > s->table_size) {
        s->table_size = s->table_size ? 2 * s->table_size : 256;
        s->table = mem_grow(s->table, (size_t)s->table_size, sizeof *s->table);
        memset(s->table, -1, (size_t)s->table_size * sizeof *s->table);
        for (int k = 0; k < s->pair.n; k++) {
            const struct pair_entry *e = &s->pair.at[k];
            uint32_t i = pair_hash(e->x, e->y, e->minus) & (uint32_t)(s->table_size - 1);
            while (s->table[i] >= 0)
                i = (i + 1) & (uint32_t)(s->table_size - 1);
            s->table[i] = k;
        }
    }
    uint32_t i = pair_hash(x, y, minus) & (uint32_t)(s->table_size - 1);
    for (; s->table[i] >= 0; i = (i + 1) & (uint32_t)(s->table_size - 1)) {
        const struct pair_entry *e = &s->pair.at[s->table[i]];
        if (e->x == x && e->y == y && e->minus == minus)
            return s->table[i];
    }
    struct pair_entry e = {x, y, minus, 0, 0, -1};
    VEC_PUSH(s->pair, e);
    return s->table[i] = s->pair.n - 1;
}

static void pair_note(struct share *s, int list, struct ref a, struct ref b)
{
    if (a.node > b.node) {
        struct ref t = a;
        a = b;
        b = t;
    }
    int k = pair_find(s, a.node, b.node, a.neg != b.neg);
    struct pair_entry *e = &s->pair.at[k];
    if (e->first >= 0 && s->occ.at[e->first].list == list && a.node != b.node)
        return;
    struct occurrence o = {list, e->first};
    VEC_PUSH(s->occ, o);
    e->first = s->occ.n - 1;
    e->count++;
    if (e->count >= 2 && e->count > e->queued) {
        e->queued = e->count;
        heap_push(s, (struct heap_item){e->count, k});
    }
}

static void list_note(struct share *s, int list)
{
    const struct graph_node *x = &s->g->node.at[list];
    for (int i = 0; i < x->n; i++) {
        int end = x->n <= LONG_LIST ? x->n : i + 1 + WINDOW < x->n ? i + 1 + WINDOW : x->n;
        for (int j = i + 1; j < end; j++)
            pair_note(s, list, x->el[i], x->el[j]);
    }
}

/* Positions of the pair in a list, or false. */
static bool list_has(const struct graph_node *l, const struct pair_entry *e, int *at, int *bt)
{
    for (int i = 0; i < l->n; i++) {
        if (l->el[i].node != e->x)
            continue;
        for (int j = 0; j < l->n; j++)
            if (j != i && l->el[j].node == e->y && (l->el[i].neg != l->el[j].neg) == e->minus) {
                *at = i;
                *bt = j;
                return true;
            }
    }
    return false;
}

/* How often the pair stands in the lists now; repetitions of one list are noted once each. */
static int pair_count(struct share *s, const struct pair_entry *e)
{
    int count = 0, at, bt, last = -1;
    for (int o = e->first; o >= 0; o = s->occ.at[o].next) {
        const struct graph_node *l = &s->g->node.at[s->occ.at[o].list];
        if (s->occ.at[o].list == last || !list_has(l, e, &at, &bt))
            continue;
        last = s->occ.at[o].list;
        int mult = 1;
        if (e->x == e->y) {
            mult = 0;
            for (int i = 0; i < l->n; i++)
                mult += l->el[i].node == e->x;
            mult /= 2;
        }
        count += mult;
    }
    return count;
}

/* Replace the two elements by one, and note the pairs that the new one makes. */
static void list_replace(struct share *s, int list, int at, int bt, struct ref by)
{
    struct graph_node *l = &s->g->node.at[list];
    int n = 0;
    for (int i = 0; i < l->n; i++)
        if (i != at && i != bt)
            l->el[n++] = l->el[i];
    int k = n;
    for (; k > 0 && l->el[k - 1].node > by.node; k--)
        l->el[k] = l->el[k - 1];
    l->el[k] = by;
    l->n = n + 1;
    int lo = l->n <= LONG_LIST ? 0 : k > WINDOW ? k - WINDOW : 0;
    int hi = l->n <= LONG_LIST || k + WINDOW + 1 > l->n ? l->n : k + WINDOW + 1;
    for (int i = lo; i < hi; i++)
        if (i != k)
            pair_note(s, list, s->g->node.at[list].el[i], by);
}

static void pair_extract(struct share *s, int k)
{
    struct graph *g = s->g;
    struct pair_entry e = s->pair.at[k];
    struct ref el[2] = {{e.x, false}, {e.y, e.minus}};
    int made = graph_node(g, s->kind, 0, 0, 2, el);
    s->pair.at[k].queued = 0;
    for (int o = e.first; o >= 0; o = s->occ.at[o].next) {
        int list = s->occ.at[o].list, at, bt;
        if (list == made)
            continue;
        while (list_has(&g->node.at[list], &e, &at, &bt)) {
            bool neg = g->node.at[list].el[at].neg;
            list_replace(s, list, at, bt, (struct ref){made, neg});
        }
    }
}

/* All lists of the kind below the roots, operands first. */
static void collect(struct share *s, int n, const struct ref *roots)
{
    struct graph *g = s->g;
    unsigned char *seen = mem_grow(NULL, (size_t)g->node.n + 1, 1);
    memset(seen, 0, (size_t)g->node.n + 1);
    struct { int *at; int n, cap; } stack = {0};
    for (int i = 0; i < n; i++)
        VEC_PUSH(stack, roots[i].node);
    while (stack.n) {
        int x = stack.at[--stack.n];
        if (seen[x])
            continue;
        seen[x] = 1;
        for (int i = 0; i < g->node.at[x].n; i++)
            VEC_PUSH(stack, g->node.at[x].el[i].node);
    }
    free(stack.at);
    /* pairs that are nodes already come first: they win ties, since every list that takes one saves an operation */
    int nodes = g->node.n;
    for (int longer = 0; longer < 2; longer++)
        for (int x = 0; x < nodes; x++)
            if (seen[x] && g->node.at[x].kind == s->kind && (g->node.at[x].n > 2) == longer)
                list_note(s, x);
    free(seen);
}

void graph_share(struct graph *g, enum graph_kind kind, int n, const struct ref *roots)
{
    struct share s = {.g = g, .kind = kind};
    collect(&s, n, roots);
    while (s.heap.n) {
        struct heap_item top = heap_pop(&s);
        struct pair_entry *e = &s.pair.at[top.pair];
        if (top.count != e->queued)
            continue;                       /* superseded by a later push */
        int count = pair_count(&s, e);
        e->count = e->queued = count;
        if (count < 2)
            continue;
        if (count < top.count)
            heap_push(&s, (struct heap_item){count, top.pair});
        else
            pair_extract(&s, top.pair);
    }
    free(s.pair.at);
    free(s.occ.at);
    free(s.heap.at);
    free(s.table);
}
