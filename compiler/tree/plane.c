/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Articulated bodies in a plane, in axes of the ground (design 0012).
 *
 * With the sines and cosines of absolute angles nothing is ever turned from one body's axes to another's: a body has the vectors d from its parent's
 * origin to its own and h = mass * centre, and what it passes on is moved by d.  Velocity terms come first, as accelerations A of the origins while
 * the joints' are zero, gravity included, so that the recursion from the tips sees forces alone.
 *
 * From a pivot to the next is the longest chain of operations.  For a joint that turns freely, U = (D, H), the division by D is therefore done beside
 * everything else: what the parent gets of the inertia moved to its origin is
 *
 *     J' = d.M d - (d.H)^2/D     H' = M d - (d.H) H/D     M' = M - H H'/D         (d turned by a right angle)
 *
 * with one product and one difference behind 1/D, instead of M' first and then J' of it.
 */
#include "tree/recursion.h"

#include "base/arena.h"

/* A turn about z, or none. */
static bool turns_in_plane(const struct pool *p, const struct mat *m)
{
    return m->m[2][2] == p->one && m->m[0][2] == p->zero && m->m[1][2] == p->zero && m->m[2][0] == p->zero && m->m[2][1] == p->zero;
}

/* The rod of a distance joint, which shifts what it carries and does not turn it. */
static bool is_rod(const struct tree_body *b)
{
    bool rod = b->kind == TREE_GENERAL && b->columns == 1;
    for (int k = 0; k < b->turns; k++)
        rod = rod && b->turn[k].axis == 2;
    return rod;
}

bool tree_is_plane(const struct pool *p, const struct tree *t)
{
    for (int i = 0; i < t->n; i++) {
        const struct tree_body *b = &t->at[i];
        bool joint = b->kind == TREE_TURN ? b->axis == 2 : b->kind == TREE_SLIDE ? b->axis < 2 : is_rod(b);
        if (!joint || !turns_in_plane(p, &b->place) || b->at.x[2] != p->zero || b->own.h.x[2] != p->zero)
            return false;
    }
    return t->g.x[2] == p->zero;
}

/* --- vectors -------------------------------------------------------------------------------------------------------------------- */

static Expr dot(struct pool *p, struct flat a, struct flat b)
{
    Expr x = expr_mul(p, a.x, b.x), y = expr_mul(p, a.y, b.y);
    return tree_hold(p, expr_add(p, x, y));
}

static struct flat right_angle(struct pool *p, struct flat a)
{
    return (struct flat){expr_neg(p, a.y), a.x};
}

/* x + k a */
static struct flat add_scaled(struct pool *p, struct flat x, Expr k, struct flat a)
{
    Expr ax = expr_mul(p, k, a.x), ay = expr_mul(p, k, a.y);
    Expr sx = expr_add(p, x.x, ax), sy = expr_add(p, x.y, ay);
    return (struct flat){tree_hold(p, sx), tree_hold(p, sy)};
}

static struct flat scaled(struct pool *p, Expr k, struct flat a)
{
    Expr x = expr_mul(p, k, a.x), y = expr_mul(p, k, a.y);
    return (struct flat){x, y};
}

/* From axes with these cosine and sine (x, y) to the ground's. */
static struct flat turned(struct pool *p, struct flat axis, struct vec v)
{
    struct flat across = right_angle(p, axis), along = scaled(p, v.x[0], axis);
    return add_scaled(p, along, v.x[1], across);
}

static struct flat apply(struct pool *p, const struct plane_inertia *I, struct flat a)
{
    Expr x = dot(p, (struct flat){I->xx, I->xy}, a), y = dot(p, (struct flat){I->xy, I->yy}, a);
    return (struct flat){x, y};
}

/* --- one body ---------------------------------------------------------------------------------------------------------------------- */

/* Motions without turning: e is the shift at rate 1. */
static bool shifts(const struct tree_body *b)
{
    return b->kind != TREE_TURN;
}

/* A' = A + W x (W x d) + 2 W x e rate, and of a rod e' rate. */
struct plane_motion plane_child_motion(struct pool *p, const struct tree_body *b, const struct plane_motion *parent, struct flat axis)
{
    bool rod = b->kind == TREE_GENERAL;
    Expr rate = b->column[0].rate, w2 = tree_hold(p, expr_powi(p, parent->w, 2));
    struct plane_motion m = {.axis = axis, .w = parent->w, .d = turned(p, parent->axis, b->at)};
    m.e = rod ? turned(p, axis, b->column[0].u) : b->axis == 0 ? axis : right_angle(p, axis);
    if (rod)
        m.d = add_scaled(p, m.d, p->one, turned(p, axis, b->s));
    else if (shifts(b))
        m.d = add_scaled(p, m.d, b->angle, m.e);
    else
        m.w = tree_hold(p, expr_add(p, parent->w, rate));
    m.A = add_scaled(p, parent->A, expr_neg(p, w2), m.d);
    if (rod)
        m.A = add_scaled(p, m.A, p->one, turned(p, axis, b->bias_u));
    if (shifts(b)) {
        struct flat across = right_angle(p, m.e);
        m.A = add_scaled(p, m.A, expr_product(p, 3, (Expr[]){p->two, parent->w, rate}), across);
    }
    return m;
}

struct plane_force plane_body_force(struct pool *p, const struct tree_inertia *i, const struct plane_motion *m)
{
    struct flat h = turned(p, m->axis, i->h), f = scaled(p, i->m, m->A);
    Expr w2 = tree_hold(p, expr_powi(p, m->w, 2));
    return (struct plane_force){dot(p, right_angle(p, h), m->A), add_scaled(p, f, expr_neg(p, w2), h)};
}

struct plane_inertia plane_rigid(struct pool *p, const struct tree_inertia *i, Expr J, const struct plane_motion *m)
{
    return (struct plane_inertia){J, right_angle(p, turned(p, m->axis, i->h)), i->m, p->zero, i->m};
}

struct plane_force plane_add_force(struct pool *p, struct plane_force a, struct plane_force b)
{
    Expr n = expr_add(p, a.n, b.n), x = expr_add(p, a.f.x, b.f.x), y = expr_add(p, a.f.y, b.f.y);
    return (struct plane_force){tree_hold(p, n), {tree_hold(p, x), tree_hold(p, y)}};
}

struct plane_inertia plane_add_inertia(struct pool *p, struct plane_inertia a, struct plane_inertia b)
{
    Expr J = expr_add(p, a.J, b.J), x = expr_add(p, a.H.x, b.H.x), y = expr_add(p, a.H.y, b.H.y);
    Expr xx = expr_add(p, a.xx, b.xx), xy = expr_add(p, a.xy, b.xy), yy = expr_add(p, a.yy, b.yy);
    return (struct plane_inertia){tree_hold(p, J), {tree_hold(p, x), tree_hold(p, y)}, tree_hold(p, xx), tree_hold(p, xy), tree_hold(p, yy)};
}

/* a - b c as one product: b is a unit that can be computed before c. */
static Expr minus(struct pool *p, Expr a, Expr b, Expr c)
{
    if (b == p->zero)
        return a;
    return tree_hold(p, expr_sub(p, a, expr_mul(p, expr_hold(p, b), c)));
}

static struct plane_inertia eliminate_turn(struct pool *p, const struct plane_motion *m, const struct plane_inertia *I, struct plane_column *c)
{
    struct flat d = right_angle(p, m->d), g = apply(p, I, d), H = I->H;
    Expr first = dot(p, d, H), k = c->inverse;
    struct plane_inertia to;
    Expr Hx2 = expr_powi(p, H.x, 2), Hy2 = expr_powi(p, H.y, 2), Hxy = expr_mul(p, H.x, H.y);
    c->w = p->one;
    Expr first2 = expr_powi(p, first, 2);
    to.J = minus(p, dot(p, d, g), first2, k);
    to.H = add_scaled(p, g, expr_neg(p, first), c->u);
    to.xx = minus(p, I->xx, Hx2, k);
    to.xy = minus(p, I->xy, Hxy, k);
    to.yy = minus(p, I->yy, Hy2, k);
    return to;
}

/* The column eliminated first, what is left moved then. */
static struct plane_inertia eliminate_any(struct pool *p, const struct plane_motion *m, const struct plane_inertia *I, Expr w, struct flat u,
                                          const struct plane_column *c)
{
    struct plane_inertia x, to;
    struct flat d = right_angle(p, m->d), Hd;
    x.J = minus(p, I->J, w, c->w);
    x.H = add_scaled(p, I->H, expr_neg(p, w), c->u);
    x.xx = minus(p, I->xx, u.x, c->u.x);
    x.xy = minus(p, I->xy, u.x, c->u.y);
    x.yy = minus(p, I->yy, u.y, c->u.y);
    to = x;
    to.H = add_scaled(p, apply(p, &x, d), p->one, x.H);
    Hd = add_scaled(p, to.H, p->one, x.H);
    to.J = tree_hold(p, expr_add(p, x.J, dot(p, d, Hd)));
    return to;
}

struct plane_inertia plane_eliminate(struct pool *p, const struct tree_body *b, const struct plane_motion *m, const struct plane_inertia *I, Expr more,
                                     struct plane_column *c)
{
    bool slides = shifts(b);
    Expr w = slides ? dot(p, I->H, m->e) : I->J;
    struct flat u = slides ? apply(p, I, m->e) : I->H;
    Expr D = tree_hold(p, expr_add(p, slides ? dot(p, u, m->e) : w, more));
    *c = (struct plane_column){.inverse = expr_powi(p, D, -1), .free = !slides && more == p->zero};
    c->u = scaled(p, c->inverse, u);
    c->u = (struct flat){expr_hold(p, c->u.x), expr_hold(p, c->u.y)};
    c->w = c->free ? p->one : expr_hold(p, expr_mul(p, c->inverse, w));
    return c->free ? eliminate_turn(p, m, I, c) : eliminate_any(p, m, I, w, u, c);
}

Expr plane_along(struct pool *p, const struct tree_body *b, const struct plane_motion *m, const struct plane_force *F)
{
    return shifts(b) ? dot(p, m->e, F->f) : F->n;
}

/* Of a free turn the parent gets the joint's force: n + y. */
struct plane_force plane_force_to_parent(struct pool *p, const struct plane_motion *m, const struct plane_column *c, const struct plane_force *F, Expr y,
                                         Expr force)
{
    struct plane_force to;
    Expr n = c->free ? force : expr_add(p, F->n, expr_mul(p, c->w, y));
    to.f = add_scaled(p, F->f, y, c->u);
    to.n = tree_hold(p, expr_add(p, n, dot(p, right_angle(p, m->d), to.f)));
    return to;
}

/* From those of the parent (dw, a) to the body's; gives the joint's.  x: y/D. */
Expr plane_accelerate(struct pool *p, const struct tree_body *b, const struct plane_motion *m, const struct plane_column *c, Expr x, Expr *dw, struct flat *a)
{
    *a = add_scaled(p, *a, *dw, right_angle(p, m->d));
    Expr own = tree_hold(p, expr_sub(p, x, dot(p, c->u, *a)));
    if (c->free) {
        Expr joint = tree_hold(p, expr_sub(p, own, *dw));
        *dw = own;
        return joint;
    }
    own = tree_hold(p, expr_sub(p, own, expr_mul(p, c->w, *dw)));
    if (shifts(b))
        *a = add_scaled(p, *a, own, m->e);
    else
        *dw = tree_hold(p, expr_add(p, *dw, own));
    return own;
}

/* --- all bodies ------------------------------------------------------------------------------------------------------------------ */

struct placed {                 /* a body's axes: turned by an angle and, before, by a constant one */
    Expr angle, c, s;
};

static struct flat axes_of(struct pool *p, const struct placed *x)
{
    struct flat turn = {expr_fn1(p, EXPR_COS, x->angle), expr_fn1(p, EXPR_SIN, x->angle)};
    return turned(p, turn, (struct vec){{x->c, x->s, p->zero}});
}

static void motions(struct pool *p, const struct tree *t, struct arena *scratch, struct plane_motion *out)
{
    struct placed *at = ARENA_NEW(scratch, struct placed, t->n + 1), ground = {p->zero, p->one, p->zero};
    const struct flat zero = {p->zero, p->zero};
    struct plane_motion still = {.axis = {p->one, p->zero}, .w = p->zero, .A = {expr_neg(p, t->g.x[0]), expr_neg(p, t->g.x[1])}, .d = zero, .e = zero};
    for (int i = 0; i < t->n; i++) {
        const struct tree_body *b = &t->at[i];
        const struct placed *before = b->parent < 0 ? &ground : &at[b->parent];
        struct flat turn = turned(p, (struct flat){before->c, before->s}, mat_column(&b->place, 0));
        at[i] = (struct placed){b->kind == TREE_TURN ? expr_add(p, before->angle, b->angle) : before->angle, turn.x, turn.y};
        out[i] = plane_child_motion(p, b, b->parent < 0 ? &still : &out[b->parent], axes_of(p, &at[i]));
    }
}

void plane_solve(struct pool *p, const struct tree *t, const Expr *diagonal, int n, const Expr *b, Expr *x)
{
    struct arena scratch = {0};
    struct plane_motion *m = ARENA_NEW(&scratch, struct plane_motion, t->n + 1);
    struct plane_inertia *I = ARENA_NEW(&scratch, struct plane_inertia, t->n + 1);
    struct plane_column *c = ARENA_NEW(&scratch, struct plane_column, t->n + 1);
    struct plane_force *F = ARENA_NEW(&scratch, struct plane_force, t->n + 1);
    Expr *dw = ARENA_NEW(&scratch, Expr, t->n + 1);
    struct flat *a = ARENA_NEW(&scratch, struct flat, t->n + 1);
    const struct plane_force none = {p->zero, {p->zero, p->zero}};
    motions(p, t, &scratch, m);
    for (int i = 0; i < t->n; i++) {
        const struct tree_inertia *own = &t->at[i].inertia;
        I[i] = plane_rigid(p, own, expr_add(p, own->E.m[0][0], own->E.m[1][1]), &m[i]);
    }
    for (int i = t->n - 1; i >= 0; i--) {
        struct plane_inertia up = plane_eliminate(p, &t->at[i], &m[i], &I[i], diagonal[i], &c[i]);
        if (t->at[i].parent >= 0)
            I[t->at[i].parent] = plane_add_inertia(p, I[t->at[i].parent], up);
    }
    for (int k = 0; k < n; k++, b += t->n, x += t->n) {
        for (int i = 0; i < t->n; i++)
            F[i] = k ? none : plane_body_force(p, &t->at[i].inertia, &m[i]);
        for (int i = t->n - 1; i >= 0; i--) {
            x[i] = tree_hold(p, expr_sub(p, b[i], plane_along(p, &t->at[i], &m[i], &F[i])));
            struct plane_force up = plane_force_to_parent(p, &m[i], &c[i], &F[i], x[i], b[i]);
            if (t->at[i].parent >= 0)
                F[t->at[i].parent] = plane_add_force(p, F[t->at[i].parent], up);
        }
        for (int i = 0; i < t->n; i++) {
            int parent = t->at[i].parent;
            dw[i] = parent < 0 ? p->zero : dw[parent];
            a[i] = parent < 0 ? none.f : a[parent];
            x[i] = plane_accelerate(p, &t->at[i], &m[i], &c[i], expr_mul(p, c[i].inverse, x[i]), &dw[i], &a[i]);
        }
    }
    arena_free(&scratch);
}
