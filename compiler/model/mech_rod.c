/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Beams that bend and twist as far as they like: `exact = true`.
 *
 *   beam B { length = l, density = rho, width = b, height = h, youngs = E, shear = G, elements = 8, exact = true }
 *
 * Kirchhoff's rod, which neither stretches nor shears.  Its curvature is gathered in hinges, two for each element at the points of Gauss,
 * x = (e + (1 -+ 1/sqrt 3)/2) l/n, each with the compliance of half the element; between them it is rigid.  A displacement is then the
 * integral of curvature times lever by Gauss's rule, exact up to cubic functions: small deflections under loads and moments at the tip and
 * under uniform loads are those of the continuous beam for any n, large ones and frequencies converge with 1/n^2.  The segments are bodies and
 * the hinges joints of the mechanism like all others, so that trees, absolute coordinates and loops need not know of beams.
 *
 * A hinge in space turns about x, y, z one after the other, the next one about z, y, x.  Either would prefer one direction of twist to the other by
 * half the product of the two bendings; the two together do not.
 */
#include "model/part.h"

#include <math.h>
#include <string.h>

struct rod {
    int bodies, joint;          /* segments after the root, whose numbers follow each other; the first hinge */
    int first;                  /* number of the first segment after the root */
    Expr stiffness[3];          /* of each hinge about its axes; in a plane [2] */
    Expr damping;
    struct vec end;             /* of the last segment */
};

/* --- parts ------------------------------------------------------------------------------------------------------ */

/* Where hinge i lies, in element lengths. */
static double hinge_place(int i)
{
    return i / 2 + (1 + (i % 2 ? 1 : -1) / sqrt(3)) / 2;
}

/* A straight uniform piece of the beam; x along it. */
static void segment_mass(struct pool *p, const struct beam_section *c, Expr length, struct mech_body *b)
{
    Expr line = expr_mul(p, c->density, length), thin = expr_product(p, 4, (Expr[]){expr_rational(p, 1, 12), line, c->area, expr_powi(p, length, 2)});
    b->mass = expr_mul(p, line, c->area);
    b->com = vec_scale(p, expr_mul(p, p->half, length), vec_unit(p, 0));
    b->inertia.m[0][0] = expr_mul(p, line, expr_add(p, c->moment[0], c->moment[1]));
    b->inertia.m[1][1] = expr_add(p, thin, expr_mul(p, line, c->moment[1]));
    b->inertia.m[2][2] = expr_add(p, thin, expr_mul(p, line, c->moment[0]));
}

static struct mech_end end_at(struct pool *p, int body, Expr x, struct span span)
{
    return (struct mech_end){.body = body, .at = vec_scale(p, x, vec_unit(p, 0)), .rate = vec_zero(p), .frame = rotation_identity(p),
                             .turn = vec_zero(p), .span = span};
}

static const char *part_of(struct check *k, const char *beam, const char *part, int number)
{
    return name_of(&k->c->names, arena_printf(k->arena, "%s.%s[%d]", beam, part, number));
}

static void add_hinge(struct check *k, const struct mech_body *root, int number, int from, Expr x, int to)
{
    static const char *const part[3] = {"twist", "ybend", "zbend"};
    struct pool *p = k->pool;
    struct mech_joint j = {.name = part_of(k, root->name, "hinge", number), .span = root->span, .scope = root->scope, .coord = -1,
                           .kind = k->mech->spatial ? joint_kind_bend(number % 2 == 0) : joint_kind_find("revolute", false)};
    j.a = end_at(p, from, x, root->span);
    j.b = end_at(p, to, p->zero, root->span);
    j.axis = vec_unit(p, 2);
    j.axis2 = vec_unit(p, 0);
    joint_normals(p, &j);
    j.length = j.pitch = p->zero;
    for (int i = 0; i < j.kind->coords; i++) {
        j.given[i] = part_of(k, root->name, k->mech->spatial ? part[i] : "bend", number);
        j.given_span[i] = root->span;
        j.q0[i] = j.v0[i] = p->zero;
    }
    VEC_PUSH(k->mech->joint, j);
}

/* A point of the beam, which the segment with this number carries. */
static void add_point(struct check *k, int root, const char *name, int on, Expr x)
{
    struct mech_body *b = &k->mech->body.at[root];
    struct mech_end e = end_at(k->pool, on, x, b->span);
    struct mech_point pt = {.name = name_of(&k->c->names, name), .span = b->span, .at = e.at, .rate = e.rate, .frame = e.frame, .turn = e.turn,
                            .on = on == root ? 0 : on};
    VEC_PUSH(b->point, pt);
}

void rod_read(const struct reading *r, int root, int elements)
{
    struct check *k = r->k;
    struct pool *p = k->pool;
    struct rod *x = ARENA_NEW(k->arena, struct rod, 1);
    struct beam_section c;
    if (!section_read(r, &c) || !read_scalar(r, "damping", &x->damping))
        return;
    int hinges = 2 * elements, from = root;
    Expr h = expr_mul(p, expr_rational(p, 1, elements), c.length), half = expr_mul(p, p->half, h);
    x->stiffness[0] = expr_div(p, expr_mul(p, c.shear, c.torsion), half);
    x->stiffness[1] = expr_div(p, expr_mul(p, c.youngs, c.moment[1]), half);
    x->stiffness[2] = expr_div(p, expr_mul(p, c.youngs, c.moment[0]), half);
    x->bodies = hinges;
    x->first = k->mech->body.n;
    x->joint = k->mech->joint.n;
    k->mech->body.at[root].rod = x;
    for (int i = 0; i <= hinges; i++) {
        double begin = i ? hinge_place(i - 1) : 0, end = i < hinges ? hinge_place(i) : elements;
        Expr length = expr_mul(p, expr_double(p, end - begin), h);
        const struct mech_body b = k->mech->body.at[root];      /* the array may move */
        segment_mass(p, &c, length, &k->mech->body.at[from]);
        x->end = vec_scale(p, length, vec_unit(p, 0));
        if (i == hinges)
            break;
        struct mech_body next = {.name = part_of(k, b.name, "segment", i + 1), .span = b.span, .scope = b.scope, .joint = -1, .parent = -1, .depth = -1,
                                 .rod = x};
        for (int n = 0; n < 9; n++)
            next.inertia.m[n / 3][n % 3] = p->zero;
        VEC_PUSH(k->mech->body, next);
        add_hinge(k, &b, i + 1, from, length, k->mech->body.n - 1);
        from = k->mech->body.n - 1;
    }
    add_point(k, root, "start", root, p->zero);
    add_point(k, root, "tip", from, x->end.x[0]);
}

/* --- energies --------------------------------------------------------------------------------------------------- */

/* Along the hinges, from the start to the tip. */
static void draw(struct check *k, int root, const struct rod *x)
{
    int first = k->m->point.n;
    draw_place(k, root, vec_zero(k->pool));
    for (int i = 0; i < x->bodies; i++)
        draw_place(k, x->first + i, vec_zero(k->pool));
    draw_place(k, x->bodies ? x->first + x->bodies - 1 : root, x->end);
    draw_shape(k, k->mech->body.at[root].name, MBS_SHAPE_LINE, first);
}

void rod_energies(struct check *k, int root)
{
    struct pool *p = k->pool;
    const struct mech_body *b = &k->mech->body.at[root];
    const struct rod *x = b->rod;
    for (int i = 0; i < x->bodies; i++) {
        const struct mech_joint *j = &k->mech->joint.at[x->joint + i];
        for (int c = 0; c < j->kind->coords; c++) {
            Expr bend = mech_joint_value(k, j, c), s = x->stiffness[k->mech->spatial ? c : 2];
            Expr U = expr_product(p, 3, (Expr[]){p->half, s, expr_powi(p, bend, 2)});
            VEC_PUSH(k->m->potential, ((struct model_term){b->span, U, TERM_STATED}));
            struct value rate = x->damping != p->zero ? value_prime(k, b->span, value_scalar(k, bend, DIM_OF_ANY)) : VALUE_NONE;
            if (rate.at)
                VEC_PUSH(k->m->dissipation, ((struct model_term){b->span, expr_product(p, 4, (Expr[]){p->half, x->damping, s,
                    expr_powi(p, rate.at[0].e, 2)}), TERM_STATED}));
        }
    }
    draw(k, root, x);
}
