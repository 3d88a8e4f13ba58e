/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Flexible beams in a floating frame, by assumed modes or by finite elements.  (With `exact` a beam is made of segments: mech_rod.c.)
 *
 *   beam B { length = l, density = rho, width = b, height = h, youngs = E, modes = 2, axial = true }
 *   beam B { length = l, density = rho, width = b, height = h, youngs = E, shear = G, elements = 4 }
 *
 * A beam is a body whose frame sits at its start.  Seen from there the point at x of the neutral fibre is
 * (x + w1 - short, w2, w3), Euler and Bernoulli, and its section is twisted by w4 about the x axis:
 *   modes     w2 = sum q_k sin(k pi x/l), zero at both ends: the x axis is the chord; with `axial`
 *             w1 = s^2 (-4 m + 2 e) + s (4 m - e), s = x/l, by the displacements m of the middle and e of
 *             the end (B. Simeon, slider crank, Test Set for IVP Solvers II.19)
 *   elements  w2, in space w3 as well, by k cubic (Hermite) elements with nodal deflections and slopes, w4 by linear
 *             ones, clamped at the start: the x axis is the tangent there
 * Energies are integrals of products of shape functions, which are found exactly: rational numbers for
 * polynomials, closed forms for sines.  With `coupling` the potential contains E A/2 int w1' w2'^2.
 *
 * A beam that cannot become longer is drawn in where it bends: short(x) = int_0^x (w2'^2 + w3'^2)/2.  It is of second order, and so are
 * the terms it brings to the kinetic energy and to the work of weights and of forces at the tip: all that is of second order in the
 * displacements stays, no more (T. Kane, R. Ryan, A. Banerjee, J. Guid. Control Dyn. 10 (1987) 139-151, on what is lost without them).
 * They are the geometric stiffness: a beam that turns stiffens, one that is pressed buckles.
 */
#include "model/part.h"

#include "mbs/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREE = 3, SHAPES = 40, DRAWN = 24 };

/* A shape function of s in [0, 1]: a polynomial, or sin(mode pi s). */
struct shape {
    int mode;               /* 0: polynomial */
    int c[DEGREE + 1];      /* coefficients of 1, s, s^2, s^3: whole numbers in all our shapes */
    Expr scale;             /* of parameters: the element length, for slopes */
};
/* A displacement field over one piece of the beam: sum shape * coordinate. */
struct field {
    int n;
    struct shape shape[SHAPES];
    Expr q[SHAPES], v[SHAPES];
};

/* --- exact integrals ------------------------------------------------------------------------------------------ */

/* int_0^1 s^n sin(k pi s) ds by parts twice. */
static double moment_sin(int n, int k)
{
    double a = k * M_PI, end = k % 2 ? -1 : 1;     /* cos(k pi) */
    if (n == 0)
        return (1 - end) / a;
    if (n == 1)
        return -end / a;
    return -end / a + n * (0 - (n - 1) * moment_sin(n - 2, k) / a) / a;
}

static double moment_cos(int n, int k)
{
    double a = k * M_PI;
    return n == 0 ? 0 : -n * moment_sin(n - 1, k) / a;
}

static Expr number_or_zero(struct pool *p, double x, double scale)
{
    return fabs(x) <= 1e-15 * scale ? p->zero : expr_double(p, x);
}

/* int_0^1 f g ds without the scales; d: how often each is differentiated by s. */
static Expr overlap(struct pool *p, const struct shape *f, const struct shape *g, int d)
{
    int a[2][DEGREE + 1];
    const struct shape *x[2] = {f, g};
    for (int i = 0; i < 2; i++) {
        memcpy(a[i], x[i]->c, sizeof a[i]);
        for (int n = 0; n < d; n++) {
            for (int j = 0; j < DEGREE; j++)
                a[i][j] = (j + 1) * a[i][j + 1];
            a[i][DEGREE] = 0;
        }
    }
    if (f->mode && g->mode) {       /* sines and cosines are orthogonal, with norm 1/2 */
        double w = pow(f->mode * M_PI, 2 * d);
        return f->mode != g->mode ? p->zero : d ? expr_double(p, w / 2) : p->half;
    }
    if (!f->mode && !g->mode) {
        Expr sum = p->zero;
        for (int i = 0; i <= DEGREE; i++)
            for (int j = 0; j <= DEGREE; j++)
                sum = expr_add(p, sum, expr_rational(p, (int64_t)a[0][i] * a[1][j], i + j + 1));
        return sum;
    }
    int poly = f->mode != 0, k = f->mode + g->mode;
    double sum = 0, size = 0, w = pow(k * M_PI, d);
    for (int j = 0; j <= DEGREE; j++) {
        double m = d % 2 ? moment_cos(j, k) : moment_sin(j, k);
        sum += a[poly][j] * m * w * (d % 4 >= 2 ? -1 : 1);
        size += fabs(a[poly][j] * w);
    }
    return number_or_zero(p, sum, size);
}

/* int_0^1 f' g' h' ds, f a polynomial of degree 2 at the most, g and h sines: for the coupling. */
static Expr triple(struct pool *p, const struct shape *f, const struct shape *g, const struct shape *h)
{
    /* cos(i pi s) cos(k pi s) = (cos((i-k) pi s) + cos((i+k) pi s))/2 */
    int lo = abs(g->mode - h->mode), hi = g->mode + h->mode, c[2] = {f->c[1], 2 * f->c[2]};
    double w = g->mode * h->mode * M_PI * M_PI / 2, sum = 0;
    for (int n = 0; n < 2; n++) {
        sum += c[n] * (lo ? moment_cos(n, lo) : 1.0 / (n + 1));
        sum += c[n] * moment_cos(n, hi);
    }
    return number_or_zero(p, sum * w, w * 10);
}

/* int_0^1 (c0 + c1 s + c2 s^2) f' g' ds without the scales, of two polynomials or two sines. */
static Expr weighted(struct pool *p, const struct shape *f, const struct shape *g, const int c[3])
{
    if (f->mode) {
        int lo = abs(f->mode - g->mode), hi = f->mode + g->mode;
        double w = f->mode * g->mode * M_PI * M_PI / 2, sum = 0, size = 0;
        for (int n = 0; n < 3; n++) {
            sum += c[n] * ((lo ? moment_cos(n, lo) : 1.0 / (n + 1)) + moment_cos(n, hi));
            size += abs(c[n]);
        }
        return number_or_zero(p, sum * w, size * w);
    }
    Expr sum = p->zero;
    for (int i = 0; i < DEGREE; i++)
        for (int j = 0; j < DEGREE; j++)
            for (int n = 0; n < 3; n++)
                sum = expr_add(p, sum, expr_rational(p, (int64_t)(i + 1) * f->c[i + 1] * (j + 1) * g->c[j + 1] * c[n], i + j + n + 1));
    return sum;
}

static Expr pair_sum(struct pool *p, const struct field *f, const Expr *x, const struct field *g, const Expr *y, int d)
{
    Expr sum = p->zero;
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < g->n; j++) {
            Expr k = overlap(p, &f->shape[i], &g->shape[j], d);
            sum = expr_add(p, sum, expr_product(p, 5, (Expr[]){k, f->shape[i].scale, g->shape[j].scale, x[i], y[j]}));
        }
    return sum;
}

/* --- energies ------------------------------------------------------------------------------------------------- */

struct section {
    Expr length, mass;      /* of one piece: its length and rho A */
    Expr axial, bending[2]; /* E A; E I of the deflections along y and z */
    Expr twisting, spin;    /* G J; rho (Iy + Iz) */
};
enum { ALONG_X, ALONG_Y, ALONG_Z, TWIST, FIELDS };
struct piece {
    struct field w[FIELDS];
};

/* The same of a piece with the straight line, x0 + L s, added to the displacements along x. */
static struct field with_line(struct pool *p, const struct field *w, Expr x0, Expr length)
{
    struct field X = *w;
    X.shape[X.n] = (struct shape){.c = {1}, .scale = p->one};
    X.q[X.n] = x0;
    X.v[X.n++] = p->zero;
    X.shape[X.n] = (struct shape){.c = {0, 1}, .scale = p->one};
    X.q[X.n] = length;
    X.v[X.n++] = p->zero;
    return X;
}

/* Means over one piece, whose own x starts at x0, without drawing in: of the places P = (x0 + L s + w1, w2, w3) of its mass, of P', P x P', |P'|^2
 * and P P', and of the twist w4' and its square. */
struct means {
    struct vec P, rate, moment;
    struct mat PP;
    Expr rates, twist, twists;
};

static struct means piece_means(struct pool *p, const struct section *c, Expr x0, const struct piece *x)
{
    struct field X = with_line(p, &x->w[ALONG_X], x0, c->length), one = {.n = 1, .shape = {{.c = {1}, .scale = p->one}}};
    const struct field *P[3] = {&X, &x->w[ALONG_Y], &x->w[ALONG_Z]}, *twist = &x->w[TWIST];
    const Expr unit[1] = {p->one};
    struct means a = {.rates = p->zero};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        a.P.x[i] = pair_sum(p, P[i], P[i]->q, &one, unit, 0);
        a.rate.x[i] = pair_sum(p, P[i], P[i]->v, &one, unit, 0);
        a.rates = expr_add(p, a.rates, pair_sum(p, P[i], P[i]->v, P[i], P[i]->v, 0));
        a.moment.x[i] = expr_sub(p, pair_sum(p, P[j], P[j]->q, P[k], P[k]->v, 0), pair_sum(p, P[k], P[k]->q, P[j], P[j]->v, 0));
        for (int n = 0; n < 3; n++)
            a.PP.m[i][n] = pair_sum(p, P[i], P[i]->q, P[n], P[n]->q, 0);
    }
    a.twists = pair_sum(p, twist, twist->v, twist, twist->v, 0);
    a.twist = pair_sum(p, twist, twist->v, &one, unit, 0);
    return a;
}

/* The point P has the velocity u + w x P + P', so
 *     |v|^2 = |u|^2 + |w x P|^2 + |P'|^2 + 2 u.(w x P) + 2 u.P' + 2 w.(P x P'),
 * and the section turns about x with w_x + w4'. */
static Expr kinetic(struct pool *p, const struct motion *m, const struct section *c, Expr x0, const struct piece *x)
{
    struct means a = piece_means(p, c, x0, x);
    struct vec u = m->u, w = m->w;
    Expr trace = expr_sum(p, 3, (Expr[]){a.PP.m[0][0], a.PP.m[1][1], a.PP.m[2][2]});
    Expr t[] = {
        vec_dot(p, u, u), a.rates,
        expr_sub(p, expr_mul(p, vec_dot(p, w, w), trace), vec_dot(p, w, mat_apply(p, &a.PP, w))),
        expr_mul(p, p->two, vec_dot(p, u, vec_add(p, a.rate, vec_cross(p, w, a.P)))),
        expr_mul(p, p->two, vec_dot(p, w, a.moment)),
    };
    Expr T = expr_product(p, 4, (Expr[]){p->half, c->mass, c->length, expr_sum(p, sizeof t / sizeof *t, t)});
    if (!x->w[TWIST].n)
        return T;
    Expr turns[] = {expr_powi(p, w.x[0], 2), a.twists, expr_product(p, 3, (Expr[]){p->two, w.x[0], a.twist})};
    return expr_add(p, T, expr_product(p, 4, (Expr[]){p->half, c->spin, c->length, expr_sum(p, 3, turns)}));
}

/* E A/2 int w1'^2 + E I/2 int w2''^2 + ... over one piece, in the coordinates q, or their rates for damping. */
static Expr strain(struct pool *p, const struct section *c, const struct piece *x, bool rates)
{
    const Expr stiffness[FIELDS] = {c->axial, c->bending[0], c->bending[1], c->twisting};
    Expr sum = p->zero;
    for (int i = 0; i < FIELDS; i++) {
        const struct field *w = &x->w[i];
        bool bends = i == ALONG_Y || i == ALONG_Z;
        if (!w->n)
            continue;
        Expr a = pair_sum(p, w, rates ? w->v : w->q, w, rates ? w->v : w->q, bends ? 2 : 1);
        a = expr_div(p, expr_product(p, 3, (Expr[]){p->half, stiffness[i], a}), expr_powi(p, c->length, bends ? 3 : 1));
        sum = expr_add(p, sum, a);
    }
    return sum;
}

static Expr coupling(struct pool *p, const struct section *c, const struct piece *x)
{
    const struct field *w1 = &x->w[ALONG_X], *w2 = &x->w[ALONG_Y];
    Expr sum = p->zero;
    for (int i = 0; i < w1->n; i++)
        for (int j = 0; j < w2->n; j++)
            for (int k = 0; k < w2->n; k++) {
                Expr t = triple(p, &w1->shape[i], &w2->shape[j], &w2->shape[k]);
                sum = expr_add(p, sum, expr_product(p, 4, (Expr[]){t, w1->q[i], w2->q[j], w2->q[k]}));
            }
    return expr_div(p, expr_product(p, 3, (Expr[]){p->half, c->axial, sum}), expr_powi(p, c->length, 2));
}

/* --- drawing in -------------------------------------------------------------------------------------------------- */

/* sum over the two deflections of int_0^1 (c0 + c1 s + c2 s^2) w'^2 ds and, in *rate, its time derivative. */
static Expr drawn_in(struct pool *p, const struct piece *x, const int c[3], Expr *rate)
{
    Expr sum = p->zero;
    *rate = p->zero;
    for (int d = ALONG_Y; d <= ALONG_Z; d++) {
        const struct field *w = &x->w[d];
        for (int i = 0; i < w->n; i++)
            for (int j = 0; j < w->n; j++) {
                Expr k = expr_product(p, 3, (Expr[]){weighted(p, &w->shape[i], &w->shape[j], c), w->shape[i].scale, w->shape[j].scale});
                sum = expr_add(p, sum, expr_product(p, 3, (Expr[]){k, w->q[i], w->q[j]}));
                *rate = expr_add(p, *rate, expr_product(p, 4, (Expr[]){p->two, k, w->q[i], w->v[j]}));
            }
    }
    return sum;
}

/* What piece e of n, each of length L, draws in at the tip: int w'^2/2 dx = (1/2L) int_0^1 (dw/ds)^2 ds. */
static Expr shortening(struct pool *p, Expr length, const struct piece *x, Expr *rate)
{
    const int one[3] = {1, 0, 0};
    Expr half = expr_div(p, p->half, length), sum = drawn_in(p, x, one, rate);
    *rate = expr_mul(p, half, *rate);
    return expr_mul(p, half, sum);
}

/* Its part of F0 = int short dx = int (l - x) w'^2/2 dx, with its rate, and of F1 = int x short dx = int (l^2 - x^2)/2 w'^2/2 dx:
 * x = L (e + s), l = n L. */
static void shortenings(struct pool *p, Expr length, const struct piece *x, int e, int n, Expr *F0, Expr *dF0, Expr *F1)
{
    const int first[3] = {n - e, -1, 0}, second[3] = {n * n - e * e, -2 * e, -1};
    Expr unused;
    *F0 = expr_mul(p, p->half, drawn_in(p, x, first, dF0));
    *dF0 = expr_mul(p, p->half, *dF0);
    *F1 = expr_product(p, 3, (Expr[]){expr_rational(p, 1, 4), length, drawn_in(p, x, second, &unused)});
}

/* The terms of second order of |u + w x P + P'|^2/2 that P = -short e_x brings, over rho A:
 *     -u.(w x e_x) F0 - u_x F0' - |w x e_x|^2 F1. */
static Expr kinetic_drawn_in(struct pool *p, const struct motion *m, Expr F0, Expr dF0, Expr F1)
{
    struct vec turn = vec_cross(p, m->w, vec_unit(p, 0));
    Expr t[] = {expr_mul(p, vec_dot(p, m->u, turn), F0), expr_mul(p, m->u.x[0], dF0), expr_mul(p, vec_dot(p, turn, turn), F1)};
    return expr_neg(p, expr_sum(p, 3, t));
}

struct beam {
    int pieces;             /* 1, or the number of elements */
    Expr length, damping;   /* of the whole; stiffness-proportional, in seconds */
    struct section section;
    struct piece *piece;
    bool coupled, drawn_in;
    int coord, coords;      /* of the model */
};

/* --- reading ---------------------------------------------------------------------------------------------------- */

static void coordinate(struct check *k, const struct mech_body *b, const char *part, const char *unit, Expr *q, Expr *v)
{
    const char *name = name_of(&k->c->names, arena_printf(k->arena, "%s.%s", b->name, part));
    int c = coord_add(k, name, k->has_units ? unit : "", mech_dim(k, strcmp(unit, "m") == 0, 0, 0), b->span);
    *q = k->m->coord.at[c].q;
    *v = k->m->coord.at[c].v;
}

/* A place whose axes are turned by small angles: about z, then -y, then x. */
static void add_end(struct check *k, struct mech_body *b, const char *name, struct vec at, struct vec rate, struct vec angle, struct vec angle_rate)
{
    static const int order[3] = {2, 1, 0};
    struct pool *p = k->pool;
    struct mech_point pt = {.name = name_of(&k->c->names, name), .span = b->span, .at = at, .rate = rate, .frame = rotation_identity(p), .turn = vec_zero(p)};
    for (int i = 0; i < 3; i++) {
        struct rotation turn = rotation_turn(p, order[i], angle.x[order[i]]);
        pt.turn = vec_add(p, pt.turn, rotation_apply(p, &pt.frame, vec_scale(p, angle_rate.x[order[i]], vec_unit(p, order[i]))));
        pt.frame = rotation_mul(p, &pt.frame, &turn);
    }
    VEC_PUSH(b->point, pt);
}

static bool read_section(const struct reading *r, Expr *length, struct section *c)
{
    struct pool *p = r->k->pool;
    struct beam_section s;
    if (!section_read(r, &s))
        return false;
    *length = s.length;
    c->mass = expr_mul(p, s.density, s.area);
    c->axial = expr_mul(p, s.youngs, s.area);
    for (int i = 0; i < 2; i++)
        c->bending[i] = expr_mul(p, s.youngs, s.moment[i]);
    c->twisting = expr_mul(p, s.shear, s.torsion);
    c->spin = expr_mul(p, s.density, expr_add(p, s.moment[0], s.moment[1]));
    return true;
}

/* The fields of all pieces, their coordinates, and the end that joints use. */
static void read_modes(const struct reading *r, struct mech_body *b, struct beam *x, int modes)
{
    struct check *k = r->k;
    struct pool *p = k->pool;
    struct field *w1 = &x->piece[0].w[ALONG_X], *w2 = &x->piece[0].w[ALONG_Y];
    for (int i = 1; i <= modes; i++) {
        w2->shape[w2->n] = (struct shape){.mode = i, .scale = p->one};
        coordinate(k, b, arena_printf(k->arena, "q[%d]", i), "m", &w2->q[w2->n], &w2->v[w2->n]);
        w2->n++;
    }
    struct vec end = vec_zero(p), rate = vec_zero(p);
    if (read_truth(r, "axial")) {
        static const struct shape axial[2] = {{.c = {0, 4, -4}}, {.c = {0, -1, 2}}};
        static const char *const part[2] = {"middle", "end"};
        for (int i = 0; i < 2; i++) {
            w1->shape[i] = axial[i];
            w1->shape[i].scale = p->one;
            coordinate(k, b, part[i], "m", &w1->q[i], &w1->v[i]);
        }
        w1->n = 2;
        end.x[0] = w1->q[1];
        rate.x[0] = w1->v[1];
    }
    end.x[0] = expr_add(p, end.x[0], x->section.length);
    if (x->drawn_in) {
        Expr ds, s = shortening(p, x->section.length, &x->piece[0], &ds);
        end.x[0] = expr_sub(p, end.x[0], s);
        rate.x[0] = expr_sub(p, rate.x[0], ds);
    }
    add_end(k, b, "tip", end, rate, vec_zero(p), vec_zero(p));
    x->coupled = read_truth(r, "coupling");
    if (x->coupled && !w1->n)
        diag_error(k->diags, mech_item(b->stmt, "coupling")->span, "coupling needs the longitudinal displacement: axial = true");
}

/* A node's displacement of one kind and its rate. */
struct nodal {
    Expr q, v;
};

static struct nodal node(struct check *k, const struct mech_body *b, const char *part, int number, const char *unit)
{
    struct nodal n;
    coordinate(k, b, arena_printf(k->arena, "%s[%d]", part, number), unit, &n.q, &n.v);
    return n;
}

static void field_add(struct field *f, struct shape shape, Expr scale, struct nodal at)
{
    f->shape[f->n] = shape;
    f->shape[f->n].scale = scale;
    f->q[f->n] = at.q;
    f->v[f->n++] = at.v;
}

static void read_elements(struct check *k, struct mech_body *b, struct beam *x)
{
    static const struct shape hermite[4] = {{.c = {1, 0, -3, 2}}, {.c = {0, 1, -2, 1}}, {.c = {0, 0, 3, -2}}, {.c = {0, 0, -1, 1}}};
    static const struct shape linear[2] = {{.c = {1, -1}}, {.c = {0, 1}}};
    static const char *const plane[2] = {"w", "slope"}, *const space[2][2] = {{"y", "yslope"}, {"z", "zslope"}};
    struct pool *p = k->pool;
    bool spatial = k->mech->spatial;
    const struct nodal none = {p->zero, p->zero};
    struct nodal w[2] = {none, none}, slope[2] = {none, none}, twist = none;
    Expr shorter = p->zero, rate = p->zero;
    for (int e = 0; e < x->pieces; e++) {
        for (int d = 0; d < 1 + spatial; d++) {
            struct field *f = &x->piece[e].w[ALONG_Y + d];
            const char *const *part = spatial ? space[d] : plane;
            field_add(f, hermite[0], p->one, w[d]);
            field_add(f, hermite[1], x->section.length, slope[d]);
            w[d] = node(k, b, part[0], e + 1, "m");
            slope[d] = node(k, b, part[1], e + 1, "rad");
            field_add(f, hermite[2], p->one, w[d]);
            field_add(f, hermite[3], x->section.length, slope[d]);
        }
        if (spatial) {
            field_add(&x->piece[e].w[TWIST], linear[0], p->one, twist);
            twist = node(k, b, "twist", e + 1, "rad");
            field_add(&x->piece[e].w[TWIST], linear[1], p->one, twist);
        }
        if (x->drawn_in) {
            Expr ds;
            shorter = expr_add(p, shorter, shortening(p, x->section.length, &x->piece[e], &ds));
            rate = expr_add(p, rate, ds);
        }
    }
    struct vec end = {{expr_sub(p, x->length, shorter), w[0].q, w[1].q}}, end_rate = {{expr_neg(p, rate), w[0].v, w[1].v}};
    struct vec angle = {{twist.q, expr_neg(p, slope[1].q), slope[0].q}}, angle_rate = {{twist.v, expr_neg(p, slope[1].v), slope[0].v}};
    add_end(k, b, "tip", end, end_rate, angle, angle_rate);
}

/* Clauses that do not go together; false after an error. */
static bool agree(const struct reading *r, const struct mech_body *b, int modes, int elements)
{
    struct check *k = r->k;
    const struct ast_item *stiffening = mech_item(b->stmt, "stiffening");
    if (!modes == !elements)
        diag_error(k->diags, b->span, "the beam '%s' needs either 'modes = n' or 'elements = n'", b->name);
    else if (modes && k->mech->spatial)
        diag_error(k->diags, b->span, "in space a beam takes 'elements = n': modes are for plane mechanisms");
    else if (modes && read_truth(r, "exact"))
        diag_error(k->diags, mech_item(b->stmt, "exact")->span, "an exact beam is made of elements: elements = n");
    else if (stiffening && read_truth(r, "axial"))
        diag_error(k->diags, stiffening->span, "where the beam has a longitudinal displacement, 'coupling' stiffens it");
    else if (stiffening && read_truth(r, "exact"))
        diag_error(k->diags, stiffening->span, "an exact beam stiffens by itself");
    else
        return true;
    return false;
}

void beam_read(struct check *k, int body)
{
    struct mech_body *b = &k->mech->body.at[body];
    struct pool *p = k->pool;
    struct reading r;
    if (!reading_begin(&r, k, b->scope, b->stmt, DEP(SYM_PARAM)))
        return;
    int modes = read_count(&r, "modes", SHAPES - 4), elements = read_count(&r, "elements", 4096);
    if (modes < 0 || elements < 0 || !agree(&r, b, modes, elements))
        return;
    if (read_truth(&r, "exact")) {
        rod_read(&r, body, elements);
        return;
    }
    struct beam *x = b->beam = ARENA_NEW(k->arena, struct beam, 1);
    x->pieces = elements ? elements : 1;
    x->piece = ARENA_NEW(k->arena, struct piece, x->pieces);
    x->length = x->section.length = x->damping = p->zero;
    x->drawn_in = !read_truth(&r, "axial") && (!read_value(&r, "stiffening") || read_truth(&r, "stiffening"));
    if (!read_section(&r, &x->length, &x->section) || !read_scalar(&r, "damping", &x->damping))
        return;
    x->section.length = expr_mul(p, expr_rational(p, 1, x->pieces), x->length);
    x->coord = k->m->coord.n;
    add_end(k, b, "start", vec_zero(p), vec_zero(p), vec_zero(p), vec_zero(p));
    if (modes)
        read_modes(&r, b, x, modes);
    else
        read_elements(k, b, x);
    x->coords = k->m->coord.n - x->coord;
}

/* --- what it adds to the model ------------------------------------------------------------------------------------- */

static Expr shape_at(struct pool *p, const struct shape *f, double s)
{
    double y = f->mode ? sin(f->mode * M_PI * s) : ((f->c[3] * s + f->c[2]) * s + f->c[1]) * s + f->c[0];
    return expr_mul(p, f->scale, expr_double(p, y));
}

/* Drawing in is left out between the ends: it is of second order, and not seen. */
static void draw(struct check *k, const struct mech_body *b)
{
    struct pool *p = k->pool;
    const struct beam *x = b->beam;
    int first = k->m->point.n;
    for (int i = 0; i <= DRAWN; i++) {
        int e = i * x->pieces / DRAWN < x->pieces ? i * x->pieces / DRAWN : x->pieces - 1;
        double s = (double)i * x->pieces / DRAWN - e;
        struct vec at = {{expr_mul(p, x->section.length, expr_double(p, e + s)), p->zero, p->zero}};
        for (int d = 0; d < 3; d++)
            for (int n = 0; n < x->piece[e].w[d].n; n++)
                at.x[d] = expr_add(p, at.x[d], expr_mul(p, shape_at(p, &x->piece[e].w[d].shape[n], s), x->piece[e].w[d].q[n]));
        draw_place(k, (int)(b - k->mech->body.at), at);
    }
    VEC_PUSH(k->m->shape, ((struct model_shape){.name = b->name, .kind = MBS_SHAPE_LINE, .first = first, .count = DRAWN + 1}));
}

/* -rho A g . int (position) dx over one piece; the sums are over s, F0 is over x */
static Expr weight(struct check *k, const struct mech_body *b, Expr x0, int e, Expr F0)
{
    struct pool *p = k->pool;
    const struct beam *x = b->beam;
    struct vec mean = piece_means(p, &x->section, x0, &x->piece[e]).P;
    mean.x[0] = expr_sub(p, mean.x[0], expr_div(p, F0, x->section.length));
    Expr m = expr_mul(p, x->section.mass, x->section.length);
    return expr_neg(p, expr_mul(p, m, vec_dot(p, k->mech->g, motion_point(p, &b->motion, mean))));
}

/* What energies of motion and weight are made of.  Drawing in takes F0 from h_x and 2 F1 from E_xx, which kinetic_drawn_in() and weight() say in full. */
struct beam_mass beam_mass(struct pool *p, const struct beam *x)
{
    struct beam_mass r = {.coord = x->coord, .coords = x->coords, .m = p->zero, .h = vec_zero(p), .k = vec_zero(p), .T = p->zero};
    for (int i = 0; i < 9; i++)
        r.E.m[i / 3][i % 3] = p->zero;
    for (int e = 0; e < x->pieces; e++) {
        Expr x0 = expr_mul(p, expr_int(p, e), x->section.length), F0 = p->zero, F1 = p->zero, unused;
        Expr m = expr_mul(p, x->section.mass, x->section.length), spin = expr_mul(p, x->section.spin, x->section.length);
        struct means a = piece_means(p, &x->section, x0, &x->piece[e]);
        bool twists = x->piece[e].w[TWIST].n > 0;
        if (x->drawn_in)
            shortenings(p, x->section.length, &x->piece[e], e, x->pieces, &F0, &unused, &F1);
        r.m = expr_add(p, r.m, m);
        r.h = vec_add(p, r.h, vec_scale(p, m, a.P));
        r.h.x[0] = expr_sub(p, r.h.x[0], expr_mul(p, x->section.mass, F0));
        r.k = vec_add(p, r.k, vec_scale(p, m, a.moment));
        r.T = expr_add(p, r.T, expr_product(p, 3, (Expr[]){p->half, m, a.rates}));
        for (int i = 0; i < 9; i++)
            r.E.m[i / 3][i % 3] = expr_add(p, r.E.m[i / 3][i % 3], expr_mul(p, m, a.PP.m[i / 3][i % 3]));
        r.E.m[0][0] = expr_sub(p, r.E.m[0][0], expr_product(p, 3, (Expr[]){p->two, x->section.mass, F1}));
        if (!twists)
            continue;
        Expr half = expr_mul(p, p->half, spin);     /* a moment of inertia about x alone: J = tr E - E */
        r.E.m[0][0] = expr_sub(p, r.E.m[0][0], half);
        r.E.m[1][1] = expr_add(p, r.E.m[1][1], half);
        r.E.m[2][2] = expr_add(p, r.E.m[2][2], half);
        r.k.x[0] = expr_add(p, r.k.x[0], expr_mul(p, spin, a.twist));
        r.T = expr_add(p, r.T, expr_mul(p, half, a.twists));
    }
    return r;
}

void beam_energies(struct check *k, const struct mech_body *b)
{
    struct pool *p = k->pool;
    const struct beam *x = b->beam;
    for (int e = 0; e < x->pieces; e++) {
        const struct piece *piece = &x->piece[e];
        Expr x0 = expr_mul(p, expr_int(p, e), x->section.length), F0 = p->zero, dF0 = p->zero, F1 = p->zero;
        Expr U = strain(p, &x->section, piece, false), T = kinetic(p, &b->motion, &x->section, x0, piece);
        if (x->coupled)
            U = expr_add(p, U, coupling(p, &x->section, piece));
        if (x->drawn_in) {
            shortenings(p, x->section.length, piece, e, x->pieces, &F0, &dF0, &F1);
            T = expr_add(p, T, expr_mul(p, x->section.mass, kinetic_drawn_in(p, &b->motion, F0, dF0, F1)));
        }
        VEC_PUSH(k->m->kinetic, ((struct model_term){b->span, T, TERM_BODY}));
        VEC_PUSH(k->m->potential, ((struct model_term){b->span, U, TERM_STATED}));
        Expr falls = weight(k, b, x0, e, F0);
        if (falls != p->zero)
            VEC_PUSH(k->m->potential, ((struct model_term){b->span, falls, TERM_BODY}));
        if (x->damping != p->zero)
            VEC_PUSH(k->m->dissipation, ((struct model_term){b->span, expr_mul(p, x->damping, strain(p, &x->section, piece, true)), TERM_STATED}));
    }
    draw(k, b);
}
