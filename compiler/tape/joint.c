/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See joint.h.  Pairs are shared function by function, those that are called often first: the first one gets the tape it
 * would have alone, the others take over what it has made.
 *
 * Members are found from the outputs down.  A node that a member is made of is wanted by the position, no longer by
 * the parts that want the member.  Sines and cosines of two parts are members always, other nodes if the text gets shorter.
 * A value below a square root or any other call that may set errno is none: C compilers do not drop such calls.  Nor is a
 * value that a function called often wants in optional sections only.
 */
#include "tape/joint.h"
#include "expr/cone.h"
#include "tape/graph.h"

#include <stdlib.h>
#include <string.h>

enum { POSITION = 31, MOST_NODES = 2500 };
/* Lengths of text: what a member costs beyond its formula, the least it must save, and what all must save together. */
enum { MEMBER_TEXT = 14, MEMBER_SAVES = 8, POSITION_SAVES = 300 };

struct chooser {
    struct graph *g;
    struct { int *at; int n, cap; } order;      /* nodes below the outputs, operands first */
    unsigned *need;             /* by node: the parts that want it, as bits */
    unsigned *always;           /* by node: the functions that want it outside optional sections */
    unsigned often;             /* functions that are called often */
    int parts;
    const struct joint_part *part;
    int *uses, *length;         /* how often it stands in lists; length of its text */
    bool *varies;               /* depends on more than q and t, or is not pure */
    int *member;
    int members, saved;
};

static bool is_trig(const struct graph_node *x)
{
    return x->kind == GRAPH_FN && (x->fn == EXPR_SIN || x->fn == EXPR_COS);
}

static bool is_leaf(const struct graph_node *x)
{
    return x->kind == GRAPH_NUM || x->kind == GRAPH_SYM || x->kind == GRAPH_CONST;
}

struct frame {
    int node, next;
};

/* Depth first from a root, operands before what is made of them. */
static void visit(struct chooser *c, int root, unsigned char *seen)
{
    struct { struct frame *at; int n, cap; } stack = {0};
    struct frame f = {root, 0};
    if (!seen[root])
        VEC_PUSH(stack, f);
    seen[root] = 1;
    while (stack.n) {
        struct frame *top = &stack.at[stack.n - 1];
        const struct graph_node *x = &c->g->node.at[top->node];
        if (top->next == x->n) {
            VEC_PUSH(c->order, top->node);
            stack.n--;
            continue;
        }
        int child = x->el[top->next++].node;
        c->uses[child]++;
        if (seen[child])
            continue;
        seen[child] = 1;
        f = (struct frame){child, 0};
        VEC_PUSH(stack, f);
    }
    free(stack.at);
}

static bool is_varying(const struct chooser *c, const struct graph_node *x)
{
    if (x->kind == GRAPH_SYM) {
        enum sym_kind kind = expr_symbol(c->g->pool, x->leaf)->kind;
        return kind != SYM_Q && kind != SYM_TIME && kind != SYM_PARAM;
    }
    if (x->kind == GRAPH_SQRT || x->kind == GRAPH_CALL || (x->kind == GRAPH_FN && !op_info[x->fn].pure))
        return true;
    for (int i = 0; i < x->n; i++)
        if (c->varies[x->el[i].node])
            return true;
    return false;
}

static int reference_length(const struct chooser *c, int node)
{
    const struct graph_node *x = &c->g->node.at[node];
    if (is_leaf(x))
        return x->kind == GRAPH_SYM ? 7 : 5;
    if (is_trig(x))
        return 10;
    return c->uses[node] > 1 ? 4 : c->length[node] + (x->kind == GRAPH_SUM ? 2 : 0);
}

static int text_length(const struct chooser *c, const struct graph_node *x)
{
    int n = x->kind == GRAPH_SUM ? 3 * (x->n - 1) : x->kind == GRAPH_PROD ? x->n - 1 : 5;
    for (int i = 0; i < x->n; i++)
        n += reference_length(c, x->el[i].node);
    return n;
}

static int bits(unsigned x)
{
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

/* Do all functions that are called often and want the node want it in any case? */
static bool is_regular(const struct chooser *c, int node)
{
    unsigned want = 0;
    for (int p = 0; p < c->parts; p++)
        want |= c->need[node] >> p & 1 ? c->part[p].functions : 0;
    return !(want & c->often & ~c->always[node]);
}

static bool becomes_member(struct chooser *c, int node)
{
    const struct graph_node *x = &c->g->node.at[node];
    int wanted = bits(c->need[node]);
    if (wanted < 2 || is_leaf(x) || c->varies[node])
        return false;
    int saving = (wanted - 1) * (c->length[node] + 8) - MEMBER_TEXT - 2 * c->uses[node];
    if (!is_trig(x) && (saving < MEMBER_SAVES || !is_regular(c, node)))
        return false;
    c->saved += saving;
    return true;
}

/* Sets c->member; members are counted in the order in which they are computed. */
static void choose(struct chooser *c, const struct ref *root)
{
    size_t nodes = (size_t)c->g->node.n + 1;
    unsigned char *seen = mem_grow(NULL, nodes, 1);
    memset(seen, 0, nodes);
    for (int p = 0, k = 0; p < c->parts; p++)
        for (int i = 0; i < c->part[p].n; i++, k++) {
            visit(c, root[k].node, seen);
            c->need[root[k].node] |= 1u << p;
            c->always[root[k].node] |= c->part[p].out[i].section ? 0 : c->part[p].functions;
        }
    free(seen);
    for (int i = 0; i < c->order.n; i++) {
        int node = c->order.at[i];
        c->varies[node] = is_varying(c, &c->g->node.at[node]);
        c->length[node] = text_length(c, &c->g->node.at[node]);
    }
    for (int i = c->order.n - 1; i >= 0; i--) {
        int node = c->order.at[i];
        const struct graph_node *x = &c->g->node.at[node];
        bool member = becomes_member(c, node);
        c->member[node] = member ? 0 : -1;
        for (int k = 0; k < x->n; k++) {
            c->need[x->el[k].node] |= member ? 1u << POSITION : c->need[node];
            c->always[x->el[k].node] |= member ? ~0u : c->always[node];
        }
    }
    for (int i = 0; i < c->order.n; i++)
        if (c->member[c->order.at[i]] >= 0)
            c->member[c->order.at[i]] = c->members++;
}

static struct tape *write_position(struct chooser *c)
{
    struct tape_output *out = mem_grow(NULL, (size_t)c->members + 1, sizeof *out);
    struct ref *root = mem_grow(NULL, (size_t)c->members + 1, sizeof *root);
    for (int i = 0, k = 0; i < c->order.n; i++) {
        int node = c->order.at[i];
        if (c->member[node] < 0)
            continue;
        root[k] = (struct ref){node, false};
        out[k] = (struct tape_output){.value = graph_trig_meaning(c->g, node), .index = k};
        k++;
    }
    struct tape *t = graph_write(c->g, NULL, c->members, out, root, 0);
    free(out);
    free(root);
    return t;
}

/* The outputs of all parts of function f; returns how many. */
static int function_roots(int f, int parts, const struct joint_part *part, const struct ref *root, struct ref *mine)
{
    int n = 0;
    for (int p = 0, k = 0; p < parts; k += part[p++].n)
        if (part[p].functions >> f & 1) {
            memcpy(mine + n, root + k, (size_t)part[p].n * sizeof *mine);
            n += part[p].n;
        }
    return n;
}

static void share(struct graph *g, int parts, const struct joint_part *part, unsigned often, int n, const struct ref *root)
{
    struct ref *mine = mem_grow(NULL, (size_t)n + 1, sizeof *mine);
    for (int rare = 0; rare < 2; rare++)
        for (int f = 0; f < JOINT_FUNCTIONS; f++)
            if ((often >> f & 1) != (unsigned)rare) {
                int m = function_roots(f, parts, part, root, mine);
                graph_share(g, GRAPH_SUM, m, mine);
                graph_share(g, GRAPH_PROD, m, mine);
            }
    free(mine);
}

static void count_costs(struct joint *j, const struct graph *g, const struct joint_part *part, int n, const struct ref *root)
{
    struct ref *mine = mem_grow(NULL, (size_t)n + 1, sizeof *mine);
    for (int f = 0; f < JOINT_FUNCTIONS; f++)
        j->cost[f] = graph_cost(g, function_roots(f, j->parts, part, root, mine), mine);
    free(mine);
}

static void write_parts(struct joint *j, struct graph *g, const struct joint_part *part, const struct ref *root, unsigned often, bool always)
{
    size_t nodes = (size_t)g->node.n + 1;
    struct chooser c = {.g = g, .often = often, .parts = j->parts, .part = part};
    c.need = mem_grow(NULL, nodes, sizeof *c.need);
    c.always = mem_grow(NULL, nodes, sizeof *c.always);
    c.uses = mem_grow(NULL, nodes, sizeof *c.uses);
    c.length = mem_grow(NULL, nodes, sizeof *c.length);
    c.varies = mem_grow(NULL, nodes, sizeof *c.varies);
    c.member = mem_grow(NULL, nodes, sizeof *c.member);
    memset(c.need, 0, nodes * sizeof *c.need);
    memset(c.always, 0, nodes * sizeof *c.always);
    memset(c.uses, 0, nodes * sizeof *c.uses);
    memset(c.member, -1, nodes * sizeof *c.member);
    choose(&c, root);
    bool worth = c.members && (always || c.saved >= POSITION_SAVES);
    for (int p = 0, k = 0; p < j->parts; k += part[p++].n)
        j->tape[p] = graph_write(g, worth ? c.member : NULL, part[p].n, part[p].out, root + k, 0);
    j->position = worth ? write_position(&c) : NULL;
    free(c.order.at);
    free(c.need);
    free(c.always);
    free(c.uses);
    free(c.length);
    free(c.varies);
    free(c.member);
}

/* The outputs of the first parts that every function called often computes. */
static int given_outputs(int parts, const struct joint_part *part, unsigned often)
{
    unsigned present = 0;
    int n = 0;
    for (int p = 0; p < parts; p++)
        present |= part[p].n ? part[p].functions & often : 0;
    for (int p = 0; p < parts && (part[p].functions & present) == present; p++)
        n += part[p].n;
    return n;
}

/* Is the whole small enough to be tried? */
static bool is_small(const struct pool *pool, int n, const Expr *e)
{
    struct cone cone = {.kinds = ~DEP(SYM_PARAM)};
    cone_collect(&cone, pool, n, e);
    bool small = cone.n <= MOST_NODES;
    cone_fini(&cone);
    return small;
}

bool joint_build(struct joint *j, struct pool *pool, struct hoist *h, int parts, const struct joint_part *part, unsigned often,
                 bool always, int most)
{
    int n = 0;
    for (int p = 0; p < parts; p++)
        n += part[p].n;
    *j = (struct joint){.parts = parts};
    if (n > most || parts >= POSITION || often >> USERS)
        return false;
    Expr *e = mem_grow(NULL, (size_t)n + 1, sizeof *e);
    unsigned char *user = mem_grow(NULL, (size_t)n + 1, 1);
    struct ref *root = mem_grow(NULL, (size_t)n + 1, sizeof *root);
    for (int p = 0, k = 0; p < parts; p++)
        for (int i = 0; i < part[p].n; i++, k++) {
            e[k] = part[p].out[i].value;
            user[k] = part[p].functions & often ? (unsigned char)(part[p].functions & often) : USER_RARELY;
        }
    struct graph g;
    graph_init(&g, pool, h);
    bool good = is_small(pool, n, e);
    if (good) {
        graph_lower(&g, n, e, user, given_outputs(parts, part, often), root);
        j->tape = mem_grow(NULL, (size_t)parts + 1, sizeof *j->tape);
        share(&g, parts, part, often, n, root);
        write_parts(j, &g, part, root, often, always);
        count_costs(j, &g, part, n, root);
        for (int p = 0; p < parts; p++)
            good = good && j->tape[p]->rows <= most;
    }
    graph_fini(&g);
    free(e);
    free(user);
    free(root);
    if (!good)
        joint_free(j);
    return good;
}

void joint_free(struct joint *j)
{
    for (int p = 0; j->tape && p < j->parts; p++)
        tape_free(j->tape[p]);
    tape_free(j->position);
    free(j->tape);
    *j = (struct joint){0};
}

bool joint_is_pure(const struct pool *p, int n, const Expr *e)
{
    struct cone cone = {.kinds = ~DEP(SYM_PARAM)};
    bool pure = true;
    cone_collect(&cone, p, n, e);
    for (int i = 0; i < cone.n && pure; i++) {
        enum expr_op op = expr_op(p, cone.at[i]);
        Expr x;
        for (int k = 0; op == EXPR_MUL && k < expr_pairs(p, cone.at[i]); k++) {
            expr_pair(p, cone.at[i], k, &x);
            pure = pure && expr_num(p, x)->exact && expr_num(p, x)->den == 1;
        }
        if (op != EXPR_MUL && op != EXPR_ADD && op != EXPR_NUM && op != EXPR_SYM && op != EXPR_HOLD)
            pure = pure && op_info[op].pure;
    }
    cone_fini(&cone);
    return pure;
}
