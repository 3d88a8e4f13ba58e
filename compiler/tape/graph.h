/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The optimiser's graph, between expressions and the tape.
 *
 * Expressions keep a canonical form; the graph keeps whatever form is cheap.  Its sums and products are
 * lists that passes may shorten by taking a common part out into a node of its own:
 *   SUM    signed elements      PROD   unsigned elements, repeated for powers
 * Constants of the parameters are single CONST leaves, numeric coefficients NUM leaves inside PROD.
 * Nodes are hash-consed when they are made; afterwards lists change in place.
 */
#ifndef TAPE_GRAPH_H
#define TAPE_GRAPH_H
#include "base/arena.h"
#include "tape/tape.h"

enum graph_kind { GRAPH_NUM, GRAPH_SYM, GRAPH_CONST, GRAPH_FN, GRAPH_CALL, GRAPH_INV, GRAPH_SQRT, GRAPH_PROD, GRAPH_SUM };

/* A node with a sign: the value is -node if neg. */
struct ref {
    int node;
    bool neg;
};

struct graph_node {
    enum graph_kind kind;
    int fn;             /* FN: expr_op; CALL: pool function; SYM, CONST: index; */
    Expr leaf;          /* NUM: the number; SYM: the symbol */
    int n;
    struct ref *el;     /* operands; PROD, SUM: sorted by node */
};

struct graph {
    struct pool *pool;
    struct hoist *hoist;        /* NULL: parameters are symbols like others */
    struct arena arena;
    struct { struct graph_node *at; int n, cap; } node;
    int *table;
    int table_size;
    struct ref *memo;           /* by Expr, where `lowered` says so */
    bool *lowered;
    struct trig_memo *trig;     /* angles, sorted by handle */
    int angles;
    bool *given;                /* products that are computed in any case, by node below `givens` */
    int givens;
};

void graph_init(struct graph *, struct pool *, struct hoist *);
void graph_fini(struct graph *);

/* graph.c: making nodes. */
int graph_node(struct graph *, enum graph_kind, int fn, Expr leaf, int n, const struct ref *);
int graph_find(const struct graph *, enum graph_kind, int fn, Expr leaf, int n, const struct ref *);     /* -1 if there is none */
int graph_num(struct graph *, Expr);
int graph_fn(struct graph *, enum expr_op, int n, const struct ref *);
int graph_product(struct graph *, int n, const int *factors);
struct ref graph_sum(struct graph *, int n, const struct ref *);
struct ref graph_const(struct graph *, Expr);   /* of parameters and numbers only */
int graph_hoist(struct graph *, Expr);          /* the index of such a value in the constant block */

/* Ascending; most lists are short. */
void graph_sort(int *, int n);

/* split.c: a sum as terms constant * varying, the constants of equal varying parts added up; a product as one such term.
 * `hoist`: parameters are constants, else only numbers.  With it terms are kept in the pool: an expression that is lowered again
 * (costs are compared before a form is chosen) is not split again. */
struct split_terms {
    int n;
    struct split {
        Expr varying, c;
        int order;
    } at[];
};
const struct split_terms *split_terms(struct pool *, Expr, bool hoist);

/* lower.c: the graph of the cone of n expressions.  user[i]: the functions that want expression i, as bits; USER_RARELY
 * where speed does not matter.  NULL: all are wanted by one.  The first `given` expressions are computed wherever the others
 * are: what only users other than the first want keeps the products of two factors below them. */
enum { USERS = 7, USER_RARELY = 1 << USERS };
void graph_lower(struct graph *, int n, const Expr *, const unsigned char *user, int given, struct ref *out);
struct ref graph_lower_one(struct graph *, Expr);   /* operands already lowered */
void graph_translate(struct graph *, Expr);         /* the same, and notes it */
struct ref graph_apply(struct graph *, enum expr_op, int n, struct ref *args);
/* angle.c: sines and cosines of sums from those of the parts.  users[e] of the n expressions that are reached, all below `nodes`. */
void graph_angles(struct graph *, uint32_t nodes, int n, const Expr *reached, const unsigned char *users);
bool graph_trig(struct graph *, enum expr_op, Expr angle, struct ref *out);
Expr graph_trig_meaning(const struct graph *, int node);    /* the sine or cosine that it is, as called or as a sum; else 0 */
/* factor.c: a sum of products with common factors taken out. */
struct term {
    bool neg;
    int n;
    int *factor;        /* nodes, sorted, repeated for powers */
};
struct ref graph_factor(struct graph *, int n, struct term *);
/* share.c: common pairs of all lists of one kind below the roots. */
void graph_share(struct graph *, enum graph_kind, int n, const struct ref *roots);
/* tape.c: what a tape of these outputs costs, without writing it; the optimised graph as a tape, in which nodes with
 * member[node] >= 0 are read as symbols TAPE_SHARED, not computed. */
struct tape_cost graph_cost(const struct graph *, int n, const struct ref *roots);
struct tape *graph_write(struct graph *, const int *member, int n, const struct tape_output *, const struct ref *roots,
                         int rows_per_piece);
#endif
