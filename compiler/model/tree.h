/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tree of a mechanism in relative coordinates, for recursions over its bodies (design 0012).
 *
 * Every body hangs on its parent by one elementary joint: a joint of the language with several coordinates is a row of
 * bodies, all but the last without mass.  What is joined rigidly is one body, and what is joined to ground is gone.
 * Parents come first.
 *
 * Each body has working axes, in which its joint's axis is a coordinate axis and whose origin lies on it.  A vector x in
 * them is  place * R * x  in the parent's, and their origin lies there at  at + place * s:  `place` and `at` are constants
 * (numbers and parameters), R and s follow from the coordinates:
 *
 *     TURN      R = turn about `axis` by `angle`          s = 0
 *     SLIDE     R = 1                                     s = `angle` along `axis` (a length then)
 *     SCREW     R = turn about `axis` by `angle`          s = pitch * angle along `axis`
 *     BALL      R = a matrix, of Euler parameters         s = 0
 *     GENERAL   R = a matrix                              s = a vector
 *     FLEX      R = a matrix                              s = a vector
 *
 * The velocity against the parent is the sum of columns: direction S (angular w, linear u, in working axes) times rate.
 * S is constant, but for GENERAL and FLEX, whose accelerations have the velocity terms `bias` beside S times the derivatives of the
 * rates.  A rate is rate = map * (velocities of the coordinates): 1 or -1 (a joint passed from b to a), for BALL 3 x 4.
 *
 * A beam is two bodies: its frame, which sits at its start, and its tip, which moves against it by FLEX with a column for every
 * elastic coordinate.  A beam that is reached from its start has the tip as a child of the frame; from its tip, the frame as a child of the tip.
 */
#ifndef MODEL_TREE_H
#define MODEL_TREE_H
#include "base/arena.h"
#include "base/source.h"
#include "model/motion.h"

enum tree_kind { TREE_TURN, TREE_SLIDE, TREE_SCREW, TREE_BALL, TREE_GENERAL, TREE_FLEX };

/* Ten numbers, about the origin of the working axes: mass, sum m x = mass * centre, and sum m x x' (symmetric), from which
 * the tensor of inertia is J = tr(E) 1 - E.  E is cheaper to move than J. */
struct tree_inertia {
    Expr m;
    struct vec h;
    struct mat E;
};
struct tree_column {
    struct vec w, u;            /* S */
    Expr rate;                  /* of the velocities */
    Expr drift;                 /* the rate's derivative beside map * (accelerations): 0 but for BALL */
};
/* A beam's mass, seen from the body that its frame is fixed to, in the working axes and about the origin of that body: with P(e) the places of its
 * mass there, h = int P, E = int P P' and k = int P x P' (plus what turns with the twist of sections) are quadratic in the elastic coordinates e, and
 *
 *     T = (m u.u + w'J(e) w)/2 + u.(w x h(e)) + u.h' + w.k + e'M e'/2,        k = sum k_j(e) e_j'
 *
 * Here are the derivatives of h and E and the k_j, at e, and their derivatives in turn, which are constants, as is M.  n elastic coordinates. */
struct tree_flex {
    int frame;                  /* the body of the tree; -1: ground */
    struct vec *h, *k;          /* [n] */
    struct mat *E;              /* [n] */
    struct vec *hh, *kk;        /* [n * n]: of h_j, k_j by coordinate i: [j * n + i] */
    struct mat *EE;
    Expr *mass;                 /* [n * n] */
    struct vec h0, bent_h;      /* h of the straight beam, and what its shape adds; likewise E */
    struct mat bent_E;
};
/* A turn about an axis by a function of the coordinates, its origin `at` in the axes of the one before. */
struct tree_turn {
    int axis;
    Expr angle;
    struct vec at;
};
struct tree_body {
    const char *name;           /* of the body; a massless one within a joint has the joint's */
    struct span span;
    int parent;                 /* -1: ground */
    enum tree_kind kind;
    int axis;                   /* 0, 1, 2 */
    Expr angle, pitch;
    struct mat place;
    struct vec at;
    struct mat R;               /* BALL, GENERAL, FLEX */
    struct vec s;               /* GENERAL, FLEX */
    int coords, *coord;         /* of the model */
    int columns;
    struct tree_column *column;
    Expr *map;                  /* [column * coords + coordinate] */
    int turns;                  /* GENERAL: the same motion by a row of turns, for loops */
    struct tree_turn *turn;
    struct vec bias_w, bias_u;  /* GENERAL: S' times rate.  FLEX likewise, bias_u in the joint's axes, as s is */
    struct vec *shift;          /* FLEX: s by each coordinate, in the joint's axes */
    struct tree_flex *flex;     /* FLEX */
    Expr scale;                 /* BALL: 1/(e.e) */
    bool reversed;              /* BALL: the conjugate of the coordinates */
    struct tree_inertia own;    /* as the file says */
    struct tree_inertia inertia;        /* regrouped: some of the ten numbers given to the parent, the same equations of motion */
};
/* Where a body of the mechanism is: x in its axes is R' (x - o) in the working axes of tree body `body` (-1: ground). */
struct tree_place {
    const char *name;
    int body;
    struct mat R;
    struct vec o;
};
struct tree {
    int n;
    struct tree_body *at;
    int places;
    struct tree_place *place;   /* in the order of the mechanism's bodies, ground first */
    struct vec g;               /* gravity */
    Expr potential0;            /* -g . (mass * centre) of what is joined to ground: a constant of the potential energy */
    Expr potential_fixed;       /* the same of the bodies as the file says, for `own` */
    int loops;                  /* joints that are not in the tree */
};

static inline Expr tree_map(const struct tree_body *b, int column, int coord)
{
    return b->map[column * b->coords + coord];
}

struct tree *tree_copy(struct arena *, const struct tree *);
/* Has it a body without mass in the file?  Those within joints move as they have to; of one in the file M may be singular but for the constraints. */
bool tree_has_massless(const struct pool *, const struct tree *);
/* Calls f for every expression of the tree; f may change it. */
void tree_each(struct tree *, void (*f)(void *user, Expr *), void *user);

/* Inertias: the same body in the axes of its parent, when nothing moves or for what does not feel the joint's motion. */
struct tree_inertia inertia_zero(struct pool *);
struct tree_inertia inertia_add(struct pool *, const struct tree_inertia *, const struct tree_inertia *);
/* The origin moves by -d: h + m d, E + h d' + d h' + m d d'. */
struct tree_inertia inertia_shift(struct pool *, const struct tree_inertia *, struct vec d);
struct tree_inertia inertia_turn(struct pool *, const struct mat *R, const struct tree_inertia *);      /* x -> R x */
bool inertia_is_zero(const struct pool *, const struct tree_inertia *);
#endif
