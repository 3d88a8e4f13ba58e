/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the optimised graph to rows.
 *
 * A depth-first walk from the outputs writes each node once, operands first.  Sums start with a positive
 * element; a reciprocal that is used once becomes a division; a number next to a parameter constant is
 * folded into it.  The sine and the cosine of one angle are written side by side.
 */
#include "tape/graph.h"
#include "expr/number.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    struct graph *g;
    const int *member;          /* of a node that is read from what functions share, else -1; NULL: there is nothing shared */
    struct { struct tape_row *at; int n, cap; } row;
    struct { double *at; int n, cap; } num;
    int *value, *negated;       /* rows by graph node, -1 */
    int *uses;                  /* of a graph node below the outputs */
    int nodes;
};

static int row_push(struct writer *w, struct tape_row r)
{
    r.slot = -1;
    VEC_PUSH(w->row, r);
    return w->row.n - 1;
}

static int row2(struct writer *w, enum tape_op op, int a, int b)
{
    return row_push(w, (struct tape_row){.op = op, .a = a, .b = b, .c = -1, .d = -1});
}

static int row_num(struct writer *w, double v)
{
    VEC_PUSH(w->num, v);
    return row2(w, TAPE_NUM, w->num.n - 1, -1);
}

static int row_neg(struct writer *w, struct ref r)
{
    if (!r.neg)
        return w->value[r.node];
    if (w->negated[r.node] < 0)
        w->negated[r.node] = row2(w, TAPE_NEG, w->value[r.node], -1);
    return w->negated[r.node];
}

static bool is_member(const struct writer *w, int node)
{
    return w->member && w->member[node] >= 0;
}

/* An element of a product that divides instead. */
static bool divides(const struct writer *w, int node)
{
    return !is_member(w, node) && w->g->node.at[node].kind == GRAPH_INV && w->uses[node] == 1 && !w->g->node.at[node].el[0].neg;
}

static int write_product(struct writer *w, const struct graph_node *x)
{
    int num = -1, konst = -1, top = -1, bottom = -1;
    for (int i = 0; i < x->n; i++) {
        const struct graph_node *f = &w->g->node.at[x->el[i].node];
        if (f->kind == GRAPH_NUM)
            num = i;
        else if (f->kind == GRAPH_CONST)
            konst = i;
    }
    if (num >= 0 && konst >= 0) {
        /* as it is: a constant of the graph has its sign outside */
        Expr a = w->g->node.at[x->el[num].node].leaf, b = w->g->node.at[x->el[konst].node].leaf;
        top = row2(w, TAPE_CONST, graph_hoist(w->g, expr_mul(w->g->pool, a, b)), -1);
    } else {
        num = konst = -1;
    }
    for (int i = 0; i < x->n; i++) {
        int node = x->el[i].node;
        if (i == num || i == konst)
            continue;
        if (divides(w, node)) {
            int d = w->value[w->g->node.at[node].el[0].node];
            bottom = bottom < 0 ? d : row2(w, TAPE_MUL, bottom, d);
        } else {
            top = top < 0 ? w->value[node] : row2(w, TAPE_MUL, top, w->value[node]);
        }
    }
    if (bottom < 0)
        return top;
    return row2(w, TAPE_DIV, top < 0 ? row_num(w, 1) : top, bottom);
}

static int write_sum(struct writer *w, const struct graph_node *x)
{
    int first = 0;
    while (first < x->n && x->el[first].neg)
        first++;
    if (first == x->n)
        first = 0;
    int sum = row_neg(w, x->el[first]);
    for (int i = 0; i < x->n; i++)
        if (i != first)
            sum = row2(w, x->el[i].neg ? TAPE_SUB : TAPE_ADD, sum, w->value[x->el[i].node]);
    return sum;
}

static int write_node(struct writer *w, int node)
{
    /* a copy: hoisting may move the array */
    const struct graph_node x = w->g->node.at[node];
    if (is_member(w, node))
        return row2(w, TAPE_SYM, TAPE_SHARED, w->member[node]);
    const struct symbol *s;
    int a[4] = {-1, -1, -1, -1};
    switch (x.kind) {
    case GRAPH_NUM:
        return row_num(w, expr_value(w->g->pool, x.leaf));
    case GRAPH_SYM:
        s = expr_symbol(w->g->pool, x.leaf);
        return row2(w, TAPE_SYM, (int)s->kind, s->index);
    case GRAPH_CONST:
        return row2(w, TAPE_CONST, x.fn, -1);
    case GRAPH_FN: case GRAPH_CALL:
        for (int i = 0; i < x.n; i++)
            a[i] = row_neg(w, x.el[i]);
        return row_push(w, (struct tape_row){.op = x.kind == GRAPH_FN ? TAPE_FN : TAPE_CALL, .fn = x.fn,
                                             .a = a[0], .b = a[1], .c = a[2], .d = a[3]});
    case GRAPH_INV:
        a[0] = row_neg(w, x.el[0]);
        return row2(w, TAPE_DIV, row_num(w, 1), a[0]);
    case GRAPH_SQRT:
        return row2(w, TAPE_SQRT, row_neg(w, x.el[0]), -1);
    case GRAPH_PROD:
        return write_product(w, &x);
    case GRAPH_SUM:
        return write_sum(w, &x);
    }
    abort();
}

/* The cosine to a sine and the other way round, if it is needed at all. */
static int partner(struct writer *w, int node)
{
    const struct graph_node *x = &w->g->node.at[node];
    if (x->kind != GRAPH_FN || (x->fn != EXPR_SIN && x->fn != EXPR_COS) || is_member(w, node))
        return -1;
    int k = graph_fn(w->g, x->fn == EXPR_SIN ? EXPR_COS : EXPR_SIN, 1, x->el);
    return k < w->nodes && w->uses[k] && w->value[k] < 0 ? k : -1;
}

struct frame {
    int node, next;
};

static void write_cone(struct writer *w, int root)
{
    struct { struct frame *at; int n, cap; } stack = {0};
    struct frame f = {root, 0};
    VEC_PUSH(stack, f);
    while (stack.n) {
        struct frame *top = &stack.at[stack.n - 1];
        const struct graph_node *x = &w->g->node.at[top->node];
        int child = -1, n = is_member(w, top->node) ? 0 : x->n;
        while (child < 0 && top->next < n) {
            child = x->el[top->next++].node;
            if (x->kind == GRAPH_PROD && divides(w, child))
                child = w->g->node.at[child].el[0].node;
            if (w->value[child] >= 0)
                child = -1;
        }
        if (child >= 0) {
            f = (struct frame){child, 0};
            VEC_PUSH(stack, f);
            continue;
        }
        int node = top->node, other;
        stack.n--;
        if (w->value[node] >= 0)
            continue;
        w->value[node] = write_node(w, node);
        if ((other = partner(w, node)) >= 0)
            w->value[other] = write_node(w, other);
    }
    free(stack.at);
}

static void count_uses(struct writer *w, int n, const struct ref *roots)
{
    struct { int *at; int n, cap; } stack = {0};
    for (int i = 0; i < n; i++)
        if (!w->uses[roots[i].node]++)
            VEC_PUSH(stack, roots[i].node);
    while (stack.n) {
        int node = stack.at[--stack.n];
        const struct graph_node *x = &w->g->node.at[node];
        for (int i = 0; i < x->n && !is_member(w, node); i++)
            if (!w->uses[x->el[i].node]++)
                VEC_PUSH(stack, x->el[i].node);
    }
    free(stack.at);
}

/* --- sections ---------------------------------------------------------------------------------------- */

static bool is_leaf(enum tape_op op)
{
    return op == TAPE_NUM || op == TAPE_SYM || op == TAPE_CONST;
}

/* Operand rows of a row, as pointers so that they can be renumbered; returns how many. */
static int row_operands(struct tape_row *r, int *op[4])
{
    int n = 0;
    if (is_leaf(r->op))
        return 0;
    int *all[4] = {&r->a, &r->b, &r->c, &r->d};
    for (int i = 0; i < 4; i++)
        if (*all[i] >= 0)
            op[n++] = all[i];
    return n;
}

/* Rows of a section that runs in a loop go to section 0 unless they depend on the loop's seeds. */
static void move_invariants(struct tape *t, int sections)
{
    int *op[4];
    unsigned char *seeded = mem_grow(NULL, (size_t)t->rows + 1, 1), *loop = mem_grow(NULL, (size_t)sections + 1, 1);
    memset(loop, 0, (size_t)sections + 1);
    for (int i = 0; i < t->rows; i++) {
        struct tape_row *r = &t->row[i];
        seeded[i] = r->op == TAPE_SYM && r->a == SYM_LOCAL;
        for (int k = row_operands(r, op); k-- > 0;)
            seeded[i] |= seeded[*op[k]];
        if (seeded[i] && r->section >= 0)
            loop[r->section] = 1, t->loops = true;
    }
    for (int i = 0; i < t->rows; i++)
        if (t->row[i].section > 0 && loop[t->row[i].section] && !seeded[i])
            t->row[i].section = 0;
    free(seeded);
    free(loop);
}

/* Which outputs need a row decides its section; then rows are sorted by section, stably. */
static void sort_sections(struct tape *t)
{
    enum { NOBODY = -2, SHARED = 0 };
    int *to = mem_grow(NULL, (size_t)t->rows + 1, sizeof *to), *op[4];
    for (int i = 0; i < t->rows; i++)
        t->row[i].section = NOBODY;
    int last = 0;
    for (int i = 0; i < t->outs; i++) {
        struct tape_row *r = &t->row[t->out[i].row];
        r->section = r->section == NOBODY || r->section == t->out[i].section ? t->out[i].section : SHARED;
        r->uses++;
        last = t->out[i].section > last ? t->out[i].section : last;
    }
    for (int i = t->rows - 1; i >= 0; i--) {
        int n = row_operands(&t->row[i], op), s = t->row[i].section;
        for (int k = 0; k < n && s != NOBODY; k++) {
            struct tape_row *x = &t->row[*op[k]];
            x->section = x->section == NOBODY || x->section == s ? s : SHARED;
            x->uses++;
        }
    }
    move_invariants(t, last);
    struct tape_row *sorted = mem_grow(NULL, (size_t)t->rows + 1, sizeof *sorted);
    int n = 0;
    for (int s = 0; s <= last; s++)
        for (int i = 0; i < t->rows; i++)
            if (t->row[i].section == s) {
                to[i] = n;
                sorted[n++] = t->row[i];
            }
    for (int i = 0; i < n; i++) {
        int k = row_operands(&sorted[i], op);
        while (k-- > 0)
            *op[k] = to[*op[k]];
    }
    for (int i = 0; i < t->outs; i++)
        t->out[i].row = to[t->out[i].row];
    free(to);
    free(t->row);
    t->row = sorted;
    t->rows = n;
}

/* --- pieces ------------------------------------------------------------------------------------------ */

/* The last row that uses each row's value within its section; values that go further count as last. */
static int *last_uses(struct tape *t)
{
    int *last = mem_grow(NULL, (size_t)t->rows + 1, sizeof *last), *op[4];
    for (int i = 0; i < t->rows; i++)
        last[i] = i;
    for (int i = 0; i < t->rows; i++) {
        int n = row_operands(&t->row[i], op);
        while (n-- > 0)
            last[*op[n]] = i;
    }
    return last;
}

static void piece_push(struct tape *t, int *cap, struct tape_piece p)
{
    if (t->pieces == *cap) {
        *cap = *cap ? 2 * *cap : 8;
        t->piece = mem_grow(t->piece, (size_t)*cap, sizeof *t->piece);
    }
    t->piece[t->pieces++] = p;
}

/* Cut rows [begin, end) at the narrowest places: the fewest values alive across the cut. */
static void cut_section(struct tape *t, int *cap, int begin, int end, int section, int limit, const int *last)
{
    int *dying = mem_grow(NULL, (size_t)t->rows + 1, sizeof *dying);
    memset(dying, 0, ((size_t)t->rows + 1) * sizeof *dying);
    for (int i = begin; i < end; i++)
        if (!is_leaf(t->row[i].op))
            dying[last[i] < end ? last[i] : end]++;
    int at = begin, alive = 0;
    while (limit > 0 && end - at > limit) {
        int best = at + limit, fewest = -1;
        for (int i = at; i < at + limit; i++) {
            alive += !is_leaf(t->row[i].op) - dying[i];
            if (i + 1 >= at + limit / 2 && (fewest < 0 || alive <= fewest)) {
                fewest = alive;
                best = i + 1;
            }
        }
        for (int i = at + limit - 1; i >= best; i--)
            alive -= !is_leaf(t->row[i].op) - dying[i];
        piece_push(t, cap, (struct tape_piece){at, best, section});
        at = best;
    }
    piece_push(t, cap, (struct tape_piece){at, end, section});
    free(dying);
}

static void cut(struct tape *t, int limit)
{
    int sections = 0, cap = 0, row = 0, *last = last_uses(t);
    for (int i = 0; i < t->outs; i++)
        sections = t->out[i].section > sections ? t->out[i].section : sections;
    if (t->rows <= limit)
        limit = 0;
    else if (limit > 2)     /* once it is cut, short pieces are what C compilers like */
        limit /= 3;
    for (int s = 0; s <= sections; s++) {
        int begin = row;
        while (row < t->rows && t->row[row].section == s)
            row++;
        cut_section(t, &cap, begin, row, s, limit, last);
    }
    free(last);
}

/* Where each output is stored, and slots for values that live from piece to piece. */
static void assign_slots(struct tape *t, bool whole)
{
    int *piece_of = mem_grow(NULL, (size_t)t->rows + 1, sizeof *piece_of);
    int *until = mem_grow(NULL, (size_t)t->rows + 1, sizeof *until), *op[4];
    int *first = mem_grow(NULL, (size_t)t->pieces + 1, sizeof *first);
    for (int p = t->pieces - 1; p >= 0; p--) {
        first[t->piece[p].section] = p;
        for (int i = t->piece[p].begin; i < t->piece[p].end; i++)
            piece_of[i] = until[i] = p;
    }
    for (int i = 0; i < t->rows; i++) {
        int n = row_operands(&t->row[i], op);
        /* a later section may run many times: what it reads from section 0 lives to the end */
        int end = t->row[i].section ? t->pieces : piece_of[i];
        while (n-- > 0) {
            bool across = t->row[*op[n]].section != t->row[i].section;
            if (until[*op[n]] < piece_of[i] || across)
                until[*op[n]] = across ? end : piece_of[i];
        }
    }
    for (int i = 0; i < t->outs; i++) {
        struct tape_output *o = &t->out[i];
        o->piece = t->row[o->row].section == o->section ? piece_of[o->row] : first[o->section];
        if (until[o->row] < o->piece)
            until[o->row] = t->row[o->row].section == o->section ? o->piece : t->pieces;
    }
    struct { int *at; int n, cap; } free_slots = {0};
    /* dying[p]: chain of rows whose slot is free after piece p */
    int *dying = mem_grow(NULL, (size_t)t->pieces + 1, sizeof *dying), *chain = mem_grow(NULL, (size_t)t->rows + 1, sizeof *chain);
    memset(dying, -1, ((size_t)t->pieces + 1) * sizeof *dying);
    for (int p = 0; p < t->pieces && !whole; p++) {
        for (int i = t->piece[p].begin; i < t->piece[p].end; i++) {
            if (is_leaf(t->row[i].op) || until[i] == p)
                continue;
            t->row[i].slot = free_slots.n ? free_slots.at[--free_slots.n] : t->slots++;
            chain[i] = dying[until[i]];
            dying[until[i]] = i;
        }
        for (int i = dying[p]; i >= 0; i = chain[i])
            VEC_PUSH(free_slots, t->row[i].slot);
    }
    free(free_slots.at);
    free(dying);
    free(chain);
    free(piece_of);
    free(until);
    free(first);
}

static void count_cost(struct tape *t)
{
    for (int i = 0; i < t->rows; i++) {
        const struct tape_row *r = &t->row[i];
        switch (r->op) {
        case TAPE_NUM: case TAPE_SYM: case TAPE_CONST: case TAPE_NEG: break;
        case TAPE_ADD: case TAPE_SUB: t->cost.add++; break;
        case TAPE_MUL: t->cost.mul++; break;
        case TAPE_DIV: t->cost.div++; break;
        case TAPE_SQRT: t->cost.root++; break;
        case TAPE_FN:
            if (op_info[r->fn].trig)
                t->cost.trig++;
            else
                t->cost.call++;
            break;
        case TAPE_CALL: t->cost.call++; break;
        }
    }
}

/* As count_cost() of the rows that write_node() would write. */
static void node_cost(const struct writer *w, const struct graph_node *x, struct tape_cost *c)
{
    int num = 0, konst = 0, top = 0, bottom = 0;
    switch (x->kind) {
    case GRAPH_NUM: case GRAPH_SYM: case GRAPH_CONST:
        return;
    case GRAPH_FN:
        if (op_info[x->fn].trig)
            c->trig++;
        else
            c->call++;
        return;
    case GRAPH_CALL: c->call++; return;
    case GRAPH_INV: c->div++; return;
    case GRAPH_SQRT: c->root++; return;
    case GRAPH_SUM: c->add += x->n - 1; return;
    case GRAPH_PROD:
        for (int i = 0; i < x->n; i++) {
            const struct graph_node *f = &w->g->node.at[x->el[i].node];
            num |= f->kind == GRAPH_NUM;
            konst |= f->kind == GRAPH_CONST;
            if (divides(w, x->el[i].node))
                bottom++;
            else
                top++;
        }
        top -= num && konst;
        c->mul += (top > 1 ? top - 1 : 0) + (bottom > 1 ? bottom - 1 : 0);
        c->div += (bottom > 0) - bottom;        /* those that divide are counted as nodes, too */
        return;
    }
}

struct tape_cost graph_cost(const struct graph *g, int n, const struct ref *root)
{
    struct tape_cost cost = {0};
    struct writer w = {.g = (struct graph *)g, .nodes = g->node.n};
    w.uses = mem_grow(NULL, (size_t)w.nodes + 1, sizeof *w.uses);
    memset(w.uses, 0, ((size_t)w.nodes + 1) * sizeof *w.uses);
    count_uses(&w, n, root);
    for (int k = 0; k < w.nodes; k++)
        if (w.uses[k])
            node_cost(&w, &g->node.at[k], &cost);
    free(w.uses);
    return cost;
}

struct tape *graph_write(struct graph *g, const int *member, int n, const struct tape_output *out, const struct ref *root,
                         int rows_per_piece)
{
    struct writer w = {.g = g, .member = member};
    struct tape *t = mem_grow(NULL, 1, sizeof *t);
    memset(t, 0, sizeof *t);
    /* writing looks for the partners of sines, which may make nodes: those have no rows of their own */
    w.nodes = g->node.n;
    size_t room = (size_t)w.nodes + 1;
    w.value = mem_grow(NULL, room, sizeof *w.value);
    w.negated = mem_grow(NULL, room, sizeof *w.negated);
    w.uses = mem_grow(NULL, room, sizeof *w.uses);
    memset(w.value, -1, room * sizeof *w.value);
    memset(w.negated, -1, room * sizeof *w.negated);
    memset(w.uses, 0, room * sizeof *w.uses);
    count_uses(&w, n, root);

    t->out = mem_grow(NULL, (size_t)n + 1, sizeof *t->out);
    t->outs = n;
    for (int i = 0; i < n; i++) {
        write_cone(&w, root[i].node);
        t->out[i] = out[i];
        t->out[i].row = row_neg(&w, root[i]);
    }
    t->row = w.row.at;
    t->rows = w.row.n;
    t->num = w.num.at;
    t->nums = w.num.n;
    sort_sections(t);
    cut(t, rows_per_piece);
    assign_slots(t, !t->loops && (rows_per_piece <= 0 || t->rows <= rows_per_piece));
    count_cost(t);
    free(w.value);
    free(w.negated);
    free(w.uses);
    return t;
}

/* The optimised graph of n expressions; the caller frees root. */
static struct ref *optimise(struct graph *g, struct pool *p, struct hoist *h, int n, const Expr *e)
{
    struct ref *root = mem_grow(NULL, (size_t)n + 1, sizeof *root);
    graph_init(g, p, h);
    graph_lower(g, n, e, NULL, 0, root);
    graph_share(g, GRAPH_SUM, n, root);
    graph_share(g, GRAPH_PROD, n, root);
    return root;
}

struct tape *tape_build(struct pool *p, struct hoist *h, int n, const struct tape_output *out, int rows_per_piece)
{
    struct graph g;
    Expr *e = mem_grow(NULL, (size_t)n + 1, sizeof *e);
    for (int i = 0; i < n; i++)
        e[i] = out[i].value;
    struct ref *root = optimise(&g, p, h, n, e);
    struct tape *t = graph_write(&g, NULL, n, out, root, rows_per_piece);
    free(e);
    free(root);
    graph_fini(&g);
    return t;
}

struct tape *tape_build_setup(struct hoist *h, int rows_per_piece)
{
    int n = h->value.n;
    struct tape_output *out = mem_grow(NULL, (size_t)n + 1, sizeof *out);
    for (int i = 0; i < n; i++)
        out[i] = (struct tape_output){.value = h->value.at[i], .index = h->params + i};
    struct tape *t = tape_build(h->pool, NULL, n, out, rows_per_piece);
    free(out);
    return t;
}

void tape_free(struct tape *t)
{
    if (!t)
        return;
    free(t->row);
    free(t->out);
    free(t->num);
    free(t->piece);
    free(t);
}

const char *tape_op_text(enum tape_op op)
{
    switch (op) {
    case TAPE_ADD: return "+";
    case TAPE_SUB: return "-";
    case TAPE_MUL: return "*";
    case TAPE_DIV: return "/";
    case TAPE_NEG: return "neg";
    case TAPE_SQRT: return "sqrt";
    case TAPE_NUM: case TAPE_SYM: case TAPE_CONST: case TAPE_FN: case TAPE_CALL:
        break;
    }
    return NULL;
}

double tape_cost_total(const struct tape_cost *c)
{
    return c->add + c->mul + 5 * c->div + 5 * c->root + 20 * c->trig + 40 * c->call;
}

double expr_costs(struct pool *p, int params, int functions, const int *first, const Expr *e)
{
    struct hoist hoist;
    struct graph g;
    double sum = 0;
    hoist_init(&hoist, p, params);
    struct ref *root = optimise(&g, p, &hoist, first[functions], e);
    for (int k = 0; k < functions; k++) {
        struct tape_cost cost = graph_cost(&g, first[k + 1] - first[k], root + first[k]);
        sum += tape_cost_total(&cost);
    }
    free(root);
    graph_fini(&g);
    hoist_fini(&hoist);
    return sum;
}

double expr_cost(struct pool *p, int params, int n, const Expr *e)
{
    return expr_costs(p, params, 1, (int[]){0, n}, e);
}
