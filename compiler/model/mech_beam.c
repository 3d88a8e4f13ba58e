/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Flexible beams in a plane, by assumed modes or by finite elements.
 *
 *   beam B { length = l, density = rho, width = b, height = h, youngs = E, modes = 2, axial = true }
 *   beam B { length = l, density = rho, width = b, height = h, youngs = E, elements = 4 }
 *
 * A beam is a body whose frame sits at its start.  Seen from there the point at x of the neutral fibre is
 * (x + w1(x), w2(x)), Euler and Bernoulli:
 *   modes     w2 = sum q_k sin(k pi x/l), zero at both ends: the x axis is the chord; with `axial`
 *             w1 = s^2 (-4 m + 2 e) + s (4 m - e), s = x/l, by the displacements m of the middle and e of
 *             the end (B. Simeon, slider crank, Test Set for IVP Solvers II.19)
 *   elements  w2 by k cubic (Hermite) elements with nodal deflections and slopes, clamped at the start: the x axis
 *             is the tangent there
 * Energies are integrals of products of shape functions, which are found exactly: rational numbers for
 * polynomials, closed forms for sines.  With `coupling` the potential contains E A/2 int w1' w2'^2.
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
    Expr axial, bending;    /* E A, E I */
};

/* One piece, whose own x starts at x0: velocity (ux - w Y + X', uy + w X + Y'), X = x0 + L s + w1, Y = w2. */
static Expr kinetic(struct pool *p, const struct motion *m, const struct section *c, Expr x0, const struct field *w1, const struct field *w2)
{
    struct field X = *w1, one = {.n = 1, .shape = {{.c = {1}, .scale = p->one}}};
    const Expr unit[1] = {p->one};
    X.shape[X.n] = (struct shape){.c = {1}, .scale = p->one};
    X.q[X.n] = x0;
    X.v[X.n++] = p->zero;
    X.shape[X.n] = (struct shape){.c = {0, 1}, .scale = p->one};
    X.q[X.n] = c->length;
    X.v[X.n++] = p->zero;
    Expr ux = m->u.x[0], uy = m->u.x[1], w = m->w.x[2];
#define INT(f, x, g, y) pair_sum(p, f, x, g, y, 0)
    Expr Y1 = INT(w2, w2->q, &one, unit), X1 = INT(&X, X.q, &one, unit), dY1 = INT(w2, w2->v, &one, unit), dX1 = INT(&X, X.v, &one, unit);
    Expr YY = INT(w2, w2->q, w2, w2->q), XX = INT(&X, X.q, &X, X.q), dYdY = INT(w2, w2->v, w2, w2->v), dXdX = INT(&X, X.v, &X, X.v);
    Expr XdY = INT(&X, X.q, w2, w2->v), YdX = INT(w2, w2->q, &X, X.v);
#undef INT
    Expr t[] = {
        expr_powi(p, ux, 2), expr_powi(p, uy, 2),
        expr_product(p, 2, (Expr[]){expr_powi(p, w, 2), expr_add(p, XX, YY)}), dXdX, dYdY,
        expr_product(p, 3, (Expr[]){p->two, ux, expr_sub(p, dX1, expr_mul(p, w, Y1))}),
        expr_product(p, 3, (Expr[]){p->two, uy, expr_add(p, dY1, expr_mul(p, w, X1))}),
        expr_product(p, 3, (Expr[]){p->two, w, expr_sub(p, XdY, YdX)}),
    };
    return expr_product(p, 4, (Expr[]){p->half, c->mass, c->length, expr_sum(p, sizeof t / sizeof *t, t)});
}

/* E A/2 int w1'^2 + E I/2 int w2''^2 over one piece, in the coordinates x (q, or their rates for damping). */
static Expr strain(struct pool *p, const struct section *c, const struct field *w1, const struct field *w2, bool rates)
{
    Expr a = pair_sum(p, w1, rates ? w1->v : w1->q, w1, rates ? w1->v : w1->q, 1);
    Expr b = pair_sum(p, w2, rates ? w2->v : w2->q, w2, rates ? w2->v : w2->q, 2);
    a = expr_div(p, expr_product(p, 3, (Expr[]){p->half, c->axial, a}), c->length);
    b = expr_div(p, expr_product(p, 3, (Expr[]){p->half, c->bending, b}), expr_powi(p, c->length, 3));
    return expr_add(p, a, b);
}

static Expr coupling(struct pool *p, const struct section *c, const struct field *w1, const struct field *w2)
{
    Expr sum = p->zero;
    for (int i = 0; i < w1->n; i++)
        for (int j = 0; j < w2->n; j++)
            for (int k = 0; k < w2->n; k++) {
                Expr t = triple(p, &w1->shape[i], &w2->shape[j], &w2->shape[k]);
                sum = expr_add(p, sum, expr_product(p, 4, (Expr[]){t, w1->q[i], w2->q[j], w2->q[k]}));
            }
    return expr_div(p, expr_product(p, 3, (Expr[]){p->half, c->axial, sum}), expr_powi(p, c->length, 2));
}

struct beam {
    int pieces;             /* 1, or the number of elements */
    Expr length, damping;   /* of the whole; stiffness-proportional, in seconds */
    struct section section;
    struct field *w1, *w2;  /* of each piece */
    bool coupled;
};

/* --- reading ---------------------------------------------------------------------------------------------------- */

static void coordinate(struct check *k, const struct mech_body *b, const char *part, const char *unit, Expr *q, Expr *v)
{
    const char *name = name_of(&k->c->names, arena_printf(k->arena, "%s.%s", b->name, part));
    int c = coord_add(k, name, k->has_units ? unit : "", mech_dim(k, strcmp(unit, "m") == 0, 0, 0), b->span);
    *q = k->m->coord.at[c].q;
    *v = k->m->coord.at[c].v;
}

static void add_end(struct check *k, struct mech_body *b, const char *name, struct vec at, struct vec rate, Expr slope, Expr slope_rate)
{
    struct mech_point pt = {.name = name_of(&k->c->names, name), .span = b->span, .at = at, .rate = rate,
                            .frame = rotation_turn(k->pool, 2, slope), .turn_rate = slope_rate};
    VEC_PUSH(b->point, pt);
}

static bool read_section(const struct reading *r, Expr *length, struct section *c)
{
    struct pool *p = r->k->pool;
    Expr rho, E, width, height, area, moment;
    bool measured = read_value(r, "area") || read_value(r, "moment");
    if (!read_scalar(r, "length", length) || !read_scalar(r, "density", &rho) || !read_scalar(r, "youngs", &E))
        return false;
    if (measured) {
        if (!read_scalar(r, "area", &area) || !read_scalar(r, "moment", &moment))
            return false;
    } else {
        if (!read_scalar(r, "width", &width) || !read_scalar(r, "height", &height))
            return false;
        area = expr_mul(p, width, height);
        moment = expr_mul(p, expr_rational(p, 1, 12), expr_mul(p, width, expr_powi(p, height, 3)));
    }
    c->mass = expr_mul(p, rho, area);
    c->axial = expr_mul(p, E, area);
    c->bending = expr_mul(p, E, moment);
    return true;
}

/* The fields of all pieces, their coordinates, and the end that joints use. */
static void read_modes(const struct reading *r, struct mech_body *b, struct beam *x, int modes)
{
    struct check *k = r->k;
    struct pool *p = k->pool;
    struct field *w1 = &x->w1[0], *w2 = &x->w2[0];
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
    add_end(k, b, "tip", end, rate, p->zero, p->zero);
    x->coupled = read_truth(r, "coupling");
    if (x->coupled && !w1->n)
        diag_error(k->diags, mech_item(b->stmt, "coupling")->span, "coupling needs the longitudinal displacement: axial = true");
}

static void read_elements(struct check *k, struct mech_body *b, struct beam *x)
{
    static const struct shape hermite[4] = {{.c = {1, 0, -3, 2}}, {.c = {0, 1, -2, 1}}, {.c = {0, 0, 3, -2}}, {.c = {0, 0, -1, 1}}};
    struct pool *p = k->pool;
    Expr w = p->zero, dw = p->zero, s = p->zero, ds = p->zero;
    for (int e = 0; e < x->pieces; e++) {
        struct field *f = &x->w2[e];
        Expr next[4];
        coordinate(k, b, arena_printf(k->arena, "w[%d]", e + 1), "m", &next[0], &next[1]);
        coordinate(k, b, arena_printf(k->arena, "slope[%d]", e + 1), "rad", &next[2], &next[3]);
        f->n = 4;
        for (int i = 0; i < 4; i++) {
            f->shape[i] = hermite[i];
            f->shape[i].scale = i % 2 ? x->section.length : p->one;
        }
        f->q[0] = w, f->q[1] = s, f->q[2] = next[0], f->q[3] = next[2];
        f->v[0] = dw, f->v[1] = ds, f->v[2] = next[1], f->v[3] = next[3];
        w = next[0], dw = next[1], s = next[2], ds = next[3];
    }
    struct vec end = {{x->length, w, p->zero}}, rate = {{p->zero, dw, p->zero}};
    add_end(k, b, "tip", end, rate, s, ds);
}

void beam_read(struct check *k, struct mech_body *b)
{
    struct pool *p = k->pool;
    struct reading r;
    if (!reading_begin(&r, k, b->scope, b->stmt, DEP(SYM_PARAM)))
        return;
    if (k->mech->spatial) {
        diag_error(k->diags, b->span, "beams are for plane mechanisms");
        return;
    }
    int modes = read_count(&r, "modes", SHAPES - 4), elements = read_count(&r, "elements", 4096);
    if (!modes == !elements) {
        diag_error(k->diags, b->span, "the beam '%s' needs either 'modes = n' or 'elements = n'", b->name);
        return;
    }
    struct beam *x = b->beam = ARENA_NEW(k->arena, struct beam, 1);
    x->pieces = elements ? elements : 1;
    x->w1 = ARENA_NEW(k->arena, struct field, x->pieces);
    x->w2 = ARENA_NEW(k->arena, struct field, x->pieces);
    x->length = x->section.length = x->damping = p->zero;
    if (!read_section(&r, &x->length, &x->section) || !read_scalar(&r, "damping", &x->damping))
        return;
    x->section.length = expr_mul(p, expr_rational(p, 1, x->pieces), x->length);
    add_end(k, b, "start", vec_zero(p), vec_zero(p), p->zero, p->zero);
    if (modes)
        read_modes(&r, b, x, modes);
    else
        read_elements(k, b, x);
}

/* --- what it adds to the model ------------------------------------------------------------------------------------- */

static Expr shape_at(struct pool *p, const struct shape *f, double s)
{
    double y = f->mode ? sin(f->mode * M_PI * s) : ((f->c[3] * s + f->c[2]) * s + f->c[1]) * s + f->c[0];
    return expr_mul(p, f->scale, expr_double(p, y));
}

static void draw(struct check *k, const struct mech_body *b)
{
    struct pool *p = k->pool;
    const struct beam *x = b->beam;
    int first = k->m->point.n;
    for (int i = 0; i <= DRAWN; i++) {
        int e = i * x->pieces / DRAWN < x->pieces ? i * x->pieces / DRAWN : x->pieces - 1;
        double s = (double)i * x->pieces / DRAWN - e;
        struct vec at = {{expr_mul(p, x->section.length, expr_double(p, e + s)), p->zero, p->zero}};
        for (int n = 0; n < x->w1[e].n; n++)
            at.x[0] = expr_add(p, at.x[0], expr_mul(p, shape_at(p, &x->w1[e].shape[n], s), x->w1[e].q[n]));
        for (int n = 0; n < x->w2[e].n; n++)
            at.x[1] = expr_add(p, at.x[1], expr_mul(p, shape_at(p, &x->w2[e].shape[n], s), x->w2[e].q[n]));
        draw_place(k, (int)(b - k->mech->body.at), at);
    }
    VEC_PUSH(k->m->shape, ((struct model_shape){.name = b->name, .kind = MBS_SHAPE_LINE, .first = first, .count = DRAWN + 1}));
}

/* -rho A g . int (position) dx over one piece */
static Expr weight(struct check *k, const struct mech_body *b, Expr x0, int e)
{
    struct pool *p = k->pool;
    const struct beam *x = b->beam;
    struct field one = {.n = 1, .shape = {{.c = {1}, .scale = p->one}}};
    const Expr unit[1] = {p->one};
    struct vec mean = {{expr_add(p, x0, expr_mul(p, p->half, x->section.length)), p->zero, p->zero}};
    mean.x[0] = expr_add(p, mean.x[0], pair_sum(p, &x->w1[e], x->w1[e].q, &one, unit, 0));
    mean.x[1] = pair_sum(p, &x->w2[e], x->w2[e].q, &one, unit, 0);
    Expr m = expr_mul(p, x->section.mass, x->section.length);
    return expr_neg(p, expr_mul(p, m, vec_dot(p, k->mech->g, motion_point(p, &b->motion, mean))));
}

void beam_energies(struct check *k, const struct mech_body *b)
{
    struct pool *p = k->pool;
    const struct beam *x = b->beam;
    for (int e = 0; e < x->pieces; e++) {
        Expr x0 = expr_mul(p, expr_int(p, e), x->section.length);
        Expr U = strain(p, &x->section, &x->w1[e], &x->w2[e], false);
        if (x->coupled)
            U = expr_add(p, U, coupling(p, &x->section, &x->w1[e], &x->w2[e]));
        VEC_PUSH(k->m->kinetic, ((struct model_term){b->span, kinetic(p, &b->motion, &x->section, x0, &x->w1[e], &x->w2[e]), TERM_STATED}));
        VEC_PUSH(k->m->potential, ((struct model_term){b->span, expr_add(p, U, weight(k, b, x0, e)), TERM_STATED}));
        if (x->damping != p->zero)
            VEC_PUSH(k->m->dissipation, ((struct model_term){b->span, expr_mul(p, x->damping, strain(p, &x->section,
                &x->w1[e], &x->w2[e], true)), TERM_STATED}));
    }
    draw(k, b);
}
