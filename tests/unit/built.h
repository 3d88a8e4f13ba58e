/* SPDX-License-Identifier: GPL-3.0-or-later
 * Models built without the front end, for tests of what comes after it. */
#ifndef TESTS_UNIT_BUILT_H
#define TESTS_UNIT_BUILT_H
#include "model/model.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct built {
    struct arena arena;
    struct model m;
};

__attribute__((unused)) static void built_init(struct built *b, const char *name, const char *title)
{
    memset(b, 0, sizeof *b);
    b->m.name = name;
    b->m.title = title;
    b->m.arena = &b->arena;
    b->m.pool = pool_new();
    b->m.time = expr_sym(b->m.pool, SYM_TIME, 0, "t");
    b->m.experiment = (struct model_experiment){ NAN, NAN, NAN, NAN, NAN, NAN, NULL, NULL };
}

__attribute__((unused)) static void built_fini(struct built *b)
{
    free(b->m.param.at);
    free(b->m.coord.at);
    free(b->m.state.at);
    free(b->m.input.at);
    free(b->m.output.at);
    free(b->m.constraint.at);
    free(b->m.kinetic.at);
    free(b->m.potential.at);
    free(b->m.dissipation.at);
    free(b->m.force.at);
    pool_free(b->m.pool);
    arena_free(&b->arena);
}

__attribute__((unused)) static Expr built_param(struct built *b, const char *name, double value)
{
    struct pool *p = b->m.pool;
    Expr sym = expr_sym(p, SYM_PARAM, b->m.param.n, name);
    VEC_PUSH(b->m.param, ((struct model_param){ .name = name, .unit = "", .sym = sym, .value = expr_double(p, value) }));
    return sym;
}

__attribute__((unused)) static int built_coord(struct built *b, const char *name, double start)
{
    struct pool *p = b->m.pool;
    int n = b->m.coord.n;
    struct model_coord c = { .name = name, .unit = "rad", .q_init = INIT_GUESS, .v_init = INIT_FREE };
    c.q = expr_sym(p, SYM_Q, n, name);
    c.v = expr_sym(p, SYM_V, n, arena_printf(&b->arena, "%s'", name));
    c.a = expr_sym(p, SYM_A, n, arena_printf(&b->arena, "%s''", name));
    c.q0 = expr_double(p, start);
    c.v0 = p->zero;
    VEC_PUSH(b->m.coord, c);
    return n;
}

__attribute__((unused)) static void built_constraint(struct built *b, const char *name, Expr g, bool holonomic)
{
    struct pool *p = b->m.pool;
    int n = b->m.constraint.n;
    struct model_constraint c = { .name = name, .unit = "m", .g = g };
    c.lambda = expr_sym(p, SYM_LAMBDA, n, arena_printf(&b->arena, "lambda %s", name));
    c.mu = expr_sym(p, SYM_MU, n, arena_printf(&b->arena, "mu %s", name));
    VEC_PUSH(b->m.constraint, c);
    b->m.holonomic += holonomic;
}

__attribute__((unused)) static void built_kinetic(struct built *b, Expr e)
{
    VEC_PUSH(b->m.kinetic, ((struct model_term){ .value = e }));
}

__attribute__((unused)) static void built_potential(struct built *b, Expr e)
{
    VEC_PUSH(b->m.potential, ((struct model_term){ .value = e }));
}

/* m |(x', y')|^2/2 + I w^2/2 along the coordinates' velocities. */
__attribute__((unused)) static void built_body(struct built *b, Expr mass, Expr inertia, Expr x, Expr y, Expr w)
{
    struct pool *p = b->m.pool;
    Expr q[16], v[16];
    for (int k = 0; k < b->m.coord.n; k++) {
        q[k] = b->m.coord.at[k].q;
        v[k] = b->m.coord.at[k].v;
    }
    struct direction *d = direction_new(p, b->m.coord.n, q, v);
    Expr dx = direction_diff(d, x), dy = direction_diff(d, y);
    direction_free(d);
    Expr speed = expr_add(p, expr_mul(p, dx, dx), expr_mul(p, dy, dy));
    Expr sum = expr_add(p, expr_mul(p, mass, speed), expr_mul(p, inertia, expr_mul(p, w, w)));
    built_kinetic(b, expr_mul(p, p->half, sum));
}

#define MUL(x, y) expr_mul(p, (x), (y))
#define ADD(x, y) expr_add(p, (x), (y))
#define SUB(x, y) expr_sub(p, (x), (y))
#define SIN(x) expr_fn1(p, EXPR_SIN, (x))
#define COS(x) expr_fn1(p, EXPR_COS, (x))

/* A mathematical pendulum: m l^2 phi'^2/2, -m g l cos(phi). */
__attribute__((unused)) static void built_pendulum(struct built *b)
{
    built_init(b, "pendulum", "A mathematical pendulum");
    struct pool *p = b->m.pool;
    Expr m = built_param(b, "m", 2), l = built_param(b, "l", 0.5), g = built_param(b, "g", 9.81);
    int phi = built_coord(b, "phi", 1);
    Expr q = b->m.coord.at[phi].q;
    built_body(b, m, p->zero, MUL(l, SIN(q)), expr_neg(p, MUL(l, COS(q))), p->zero);
    built_potential(b, expr_neg(p, MUL(MUL(m, g), MUL(l, COS(q)))));
}

/* Andrews' squeezer as in Hairer & Wanner II, (7.1) to (7.5), tables 7.1 and 7.2; start values (7.7). */
__attribute__((unused)) static void built_squeezer(struct built *b)
{
    built_init(b, "squeezer", "Andrews' squeezing mechanism");
    struct pool *p = b->m.pool;
#define P(name, value) Expr name = built_param(b, #name, value)
    P(xa, -0.06934); P(ya, -0.00227); P(xb, -0.03635); P(yb, 0.03273); P(xc, 0.014); P(yc, 0.072);
    P(d, 0.028); P(da, 0.0115); P(e, 0.02); P(ea, 0.01421); P(rr, 0.007); P(ra, 0.00092); P(ss, 0.035);
    P(sa, 0.01874); P(sb, 0.01043); P(sc, 0.018); P(sd, 0.02); P(zt, 0.04); P(ta, 0.02308); P(tb, 0.00916);
    P(u, 0.04); P(ua, 0.01228); P(ub, 0.00449); P(zf, 0.02); P(fa, 0.01421);
    P(m1, 0.04325); P(I1, 2.194e-6); P(m2, 0.00365); P(I2, 4.410e-7); P(m3, 0.02373); P(I3, 5.255e-6);
    P(m4, 0.00706); P(I4, 5.667e-7); P(m5, 0.07050); P(I5, 1.169e-5); P(m6, 0.00706); P(I6, 5.667e-7);
    P(m7, 0.05498); P(I7, 1.912e-5); P(mom, 0.033); P(c0, 4530); P(l0, 0.07785);
#undef P
    built_coord(b, "beta", -0.0617138900142764496358948458001);
    built_coord(b, "Theta", 0);
    built_coord(b, "gamma", 0.455279819163070380255912382449);
    built_coord(b, "Phi", 0.222668390165885884674473185609);
    built_coord(b, "delta", 0.487364979543842550225598953530);
    built_coord(b, "Omega", -0.222668390165885884674473185609);
    built_coord(b, "epsilon", 1.23054744454982119249735015568);
#define Q(k) b->m.coord.at[k].q
#define V(k) b->m.coord.at[k].v
    Expr beta = Q(0), bt = ADD(Q(0), Q(1)), ga = Q(2), pd = ADD(Q(3), Q(4)), de = Q(4), oe = ADD(Q(5), Q(6)), ep = Q(6);
    Expr ee = SUB(e, ea), zz = SUB(zf, fa);
    built_body(b, m1, I1, MUL(ra, COS(beta)), MUL(ra, SIN(beta)), V(0));
    built_body(b, m2, I2, SUB(MUL(rr, COS(beta)), MUL(da, COS(bt))), SUB(MUL(rr, SIN(beta)), MUL(da, SIN(bt))), ADD(V(0), V(1)));
    built_body(b, m3, I3, ADD(xb, ADD(MUL(sa, SIN(ga)), MUL(sb, COS(ga)))), ADD(yb, SUB(MUL(sb, SIN(ga)), MUL(sa, COS(ga)))), V(2));
    built_body(b, m4, I4, ADD(xa, ADD(MUL(zt, COS(de)), MUL(ee, SIN(pd)))), ADD(ya, SUB(MUL(zt, SIN(de)), MUL(ee, COS(pd)))), ADD(V(3), V(4)));
    built_body(b, m5, I5, ADD(xa, SUB(MUL(ta, COS(de)), MUL(tb, SIN(de)))), ADD(ya, ADD(MUL(ta, SIN(de)), MUL(tb, COS(de)))), V(4));
    built_body(b, m6, I6, ADD(xa, ADD(MUL(u, SIN(ep)), MUL(zz, COS(oe)))), ADD(ya, SUB(MUL(zz, SIN(oe)), MUL(u, COS(ep)))), ADD(V(5), V(6)));
    built_body(b, m7, I7, ADD(xa, SUB(MUL(ua, SIN(ep)), MUL(ub, COS(ep)))), SUB(ya, ADD(MUL(ua, COS(ep)), MUL(ub, SIN(ep)))), V(6));
    Expr dx = SUB(ADD(xb, ADD(MUL(sc, SIN(ga)), MUL(sd, COS(ga)))), xc);
    Expr dy = SUB(ADD(yb, SUB(MUL(sd, SIN(ga)), MUL(sc, COS(ga)))), yc);
    Expr stretch = SUB(expr_sqrt(p, ADD(MUL(dx, dx), MUL(dy, dy))), l0);
    built_potential(b, SUB(MUL(p->half, MUL(c0, MUL(stretch, stretch))), MUL(mom, beta)));
    Expr fx = SUB(MUL(rr, COS(beta)), MUL(d, COS(bt))), fy = SUB(MUL(rr, SIN(beta)), MUL(d, SIN(bt)));
    built_constraint(b, "loopB.x", SUB(fx, ADD(xb, MUL(ss, SIN(ga)))), true);
    built_constraint(b, "loopB.y", SUB(fy, SUB(yb, MUL(ss, COS(ga)))), true);
    built_constraint(b, "loopA4.x", SUB(fx, ADD(xa, ADD(MUL(zt, COS(de)), MUL(e, SIN(pd))))), true);
    built_constraint(b, "loopA4.y", SUB(fy, ADD(ya, SUB(MUL(zt, SIN(de)), MUL(e, COS(pd))))), true);
    built_constraint(b, "loopA6.x", SUB(fx, ADD(xa, ADD(MUL(u, SIN(ep)), MUL(zf, COS(oe))))), true);
    built_constraint(b, "loopA6.y", SUB(fy, ADD(ya, SUB(MUL(zf, SIN(oe)), MUL(u, COS(ep))))), true);
#undef Q
#undef V
}
#endif
