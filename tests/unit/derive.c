/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Derivation, checked by evaluating its expressions with the interpreter.
 *
 * The pendulum has closed forms; the squeezer's M and f are the book's (Hairer & Wanner II, VII.7).  For
 * every model r = M a - f + G' lambda must hold, and each sparse Jacobian must agree with a complex step
 * through its vector.  The tolerance 1e-13 allows some hundred roundings relative to the entries' size. */
#include "derive/equations.h"
#include "program/saddle.h"
#include "../tap.h"
#include "built.h"

#include <complex.h>
#include <stdlib.h>

enum { ROOM = 64 };

struct point {
    double _Complex p[ROOM], t[1], q[ROOM], v[ROOM], a[ROOM], lambda[ROOM], mu[ROOM], z[ROOM], u[ROOM];
    struct eval_env_complex env;
};

static double next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static void point_init(struct point *x, const struct model *m, unsigned seed)
{
    double _Complex *const at[] = { x->q, x->v, x->a, x->lambda, x->mu, x->z, x->u };
    for (unsigned k = 0; k < sizeof at / sizeof *at; k++)
        for (int i = 0; i < ROOM; i++)
            at[k][i] = next_random(&seed);
    for (int i = 0; i < m->param.n; i++)
        x->p[i] = expr_value(m->pool, m->param.at[i].value);
    x->t[0] = 0.7;
    x->env = (struct eval_env_complex){ .val = { [SYM_PARAM] = x->p, [SYM_TIME] = x->t, [SYM_Q] = x->q, [SYM_V] = x->v,
        [SYM_A] = x->a, [SYM_LAMBDA] = x->lambda, [SYM_MU] = x->mu, [SYM_Z] = x->z, [SYM_U] = x->u } };
}

static void evaluate(const struct equations *eq, const struct point *x, enum eq_id id, double _Complex *out)
{
    expr_eval_complex(eq->model->pool, &x->env, eq->array[id].nnz, eq->array[id].value, out);
}

/* The columns of a Jacobian by complex steps. */
static void check_jacobian(const struct equations *eq, struct point *x, enum eq_id of, enum eq_id id,
                           double _Complex *by)
{
    const struct eq_array *J = &eq->array[id];
    double _Complex entry[512], f[ROOM];
    double worst = 0, size = 0;
    evaluate(eq, x, id, entry);
    for (int j = 0; j < J->cols; j++) {
        double _Complex keep = by[j];
        by[j] += 1e-200 * I;
        evaluate(eq, x, of, f);
        by[j] = keep;
        for (int i = 0; i < J->rows; i++) {
            double got = 0, want = cimag(f[i]) / 1e-200;
            for (int k = J->colptr[j]; k < J->colptr[j + 1]; k++)
                if (J->rowidx[k] == i)
                    got = creal(entry[k]);
            size = fmax(size, fabs(want));
            worst = fmax(worst, fabs(got - want));
        }
    }
    ok(worst <= 1e-13 * size, "%s: %s by complex step: worst %g of %g", eq->model->name, J->name, worst, size);
}

static void check_residual(const struct equations *eq, struct point *x)
{
    const struct eq_array *M = &eq->array[EQ_M], *G = &eq->array[EQ_G];
    double _Complex Me[512], Ge[512], f[ROOM], r[ROOM], ga[ROOM], gamma[ROOM], want[ROOM], level[ROOM];
    evaluate(eq, x, EQ_M, Me);
    evaluate(eq, x, EQ_G, Ge);
    evaluate(eq, x, EQ_f, f);
    evaluate(eq, x, EQ_r, r);
    evaluate(eq, x, EQ_ga, ga);
    evaluate(eq, x, EQ_gamma, gamma);
    double worst = 0, worst_ga = 0, size = 0, size_ga = 0;
    for (int i = 0; i < M->rows; i++)
        want[i] = -f[i];
    for (int i = 0; i < G->rows; i++)
        level[i] = gamma[i];
    for (int j = 0; j < M->cols; j++) {
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++) {
            want[M->rowidx[k]] += Me[k] * x->a[j];
            if (M->rowidx[k] != j)
                want[j] += Me[k] * x->a[M->rowidx[k]];
        }
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++) {
            want[j] += Ge[k] * x->lambda[G->rowidx[k]];
            level[G->rowidx[k]] += Ge[k] * x->a[j];
        }
    }
    for (int i = 0; i < M->rows; i++) {
        worst = fmax(worst, cabs(want[i] - r[i]));
        size = fmax(size, cabs(want[i]));
    }
    for (int i = 0; i < G->rows; i++)
        worst_ga = fmax(worst_ga, cabs(level[i] - ga[i])), size_ga = fmax(size_ga, cabs(ga[i]));
    ok(worst <= 1e-13 * size, "%s: r = M a - f + G' lambda: worst %g of %g", eq->model->name, worst, size);
    ok(worst_ga <= 1e-13 * size_ga, "%s: ga = G a + gamma: worst %g", eq->model->name, worst_ga);
}

static void check_all(const struct equations *eq, unsigned seed)
{
    struct point x;
    point_init(&x, eq->model, seed);
    check_residual(eq, &x);
    check_jacobian(eq, &x, EQ_r, EQ_rq, x.q);
    check_jacobian(eq, &x, EQ_r, EQ_rv, x.v);
    check_jacobian(eq, &x, EQ_r, EQ_rz, x.z);
    check_jacobian(eq, &x, EQ_r, EQ_ru, x.u);
    check_jacobian(eq, &x, EQ_zdot, EQ_zq, x.q);
    check_jacobian(eq, &x, EQ_zdot, EQ_zv, x.v);
    check_jacobian(eq, &x, EQ_zdot, EQ_zz, x.z);
    check_jacobian(eq, &x, EQ_zdot, EQ_zu, x.u);
    check_jacobian(eq, &x, EQ_gv, EQ_gvq, x.q);
    check_jacobian(eq, &x, EQ_gv, EQ_G, x.v);
    check_jacobian(eq, &x, EQ_ga, EQ_gaq, x.q);
    check_jacobian(eq, &x, EQ_ga, EQ_gav, x.v);
    check_jacobian(eq, &x, EQ_Gtmu, EQ_gmuq, x.q);
}

static bool derive(struct built *b, struct equations *eq, struct diags *d)
{
    diags_init(d, &b->arena);
    return equations_derive(eq, &b->m, &b->arena, d, &(struct derive_options){0});
}

static void test_pendulum(void)
{
    struct built b;
    struct diags d;
    struct equations eq;
    struct point x;
    double _Complex y[4];
    built_pendulum(&b);
    ok(derive(&b, &eq, &d), "pendulum: derived");
    point_init(&x, &b.m, 1);
    double phi = creal(x.q[0]);
    evaluate(&eq, &x, EQ_M, y);
    near(creal(y[0]), 2 * 0.5 * 0.5, 1e-15, "pendulum: M = m l^2");
    evaluate(&eq, &x, EQ_f, y);
    near(creal(y[0]), -2 * 9.81 * 0.5 * sin(phi), 1e-15, "pendulum: f = -m g l sin(phi)");
    ok(expr_deps(b.m.pool, eq.array[EQ_M].value[0]) == DEP(SYM_PARAM), "pendulum: M depends on parameters alone");
    ok(eq.array[EQ_rv].nnz == 0, "pendulum: no velocity terms are left");
    struct span span;
    ok(!strcmp(equations_entry(&eq, &b.arena, EQ_M, 0, &span), "M[phi, phi]"), "pendulum: entries have names");
    check_all(&eq, 2);
    diags_fini(&d);
    built_fini(&b);
}

/* The book's formulas, not simplified any further. */
static void test_squeezer(void)
{
    struct built b;
    struct diags d;
    struct equations eq;
    struct point x;
    double _Complex M[10], f[7];
    built_squeezer(&b);
    ok(derive(&b, &eq, &d), "squeezer: derived");
    ok(eq.array[EQ_M].nnz == 10 && eq.array[EQ_G].nnz == 22, "squeezer: as sparse as the book's M and GQ");
    ok(eq.trig_summands == 7, "squeezer: all summands in trigonometric normal form");
    point_init(&x, &b.m, 3);
    evaluate(&eq, &x, EQ_M, M);
    evaluate(&eq, &x, EQ_f, f);
    const double m2 = 0.00365, da = 0.0115, rr = 0.007, th = creal(x.q[1]), bep = creal(x.v[0]), thp = creal(x.v[1]);
    near(creal(M[0]) * 1e6,
         1e6 * (0.04325 * 0.00092 * 0.00092 + m2 * (rr * rr - 2 * da * rr * cos(th) + da * da) + 2.194e-6 + 4.41e-7),
         1e-14, "squeezer: M11");
    near(creal(M[1]) * 1e6, 1e6 * (m2 * (da * da - da * rr * cos(th)) + 4.41e-7), 1e-14, "squeezer: M21");
    near(creal(f[0]) * 1e2, 1e2 * (0.033 - m2 * da * rr * thp * (thp + 2 * bep) * sin(th)), 1e-14, "squeezer: f1");
    near(creal(f[1]) * 1e6, 1e6 * (m2 * da * rr * bep * bep * sin(th)), 1e-14, "squeezer: f2");
    Expr outputs[10];
    for (int k = 0; k < 10; k++)
        outputs[k] = eq.array[EQ_M].value[k];
    double cost = expr_cost(b.m.pool, b.m.param.n, 10, outputs);
    ok(cost <= 3 * 20 + 12, "squeezer: M costs three cosines and twelve operations at most: %g", cost);
    check_all(&eq, 4);
    struct saddle *s = saddle_new(&eq);
    ok(s != NULL, "squeezer: small enough for a straight-line solver");
    int flops = s->factor->cost.add + s->factor->cost.mul + s->factor->cost.div + s->solve->cost.add + s->solve->cost.mul;
    ok(flops <= 360, "squeezer: factor and solve in %d operations", flops);
    saddle_free(s);
    diags_fini(&d);
    built_fini(&b);
}

/* Everything at once: explicit time and terms linear in v in T, dissipation, states, inputs, a
 * time-dependent and a non-holonomic constraint. */
static void test_mixture(void)
{
    struct built b;
    struct diags d;
    struct equations eq;
    built_init(&b, "mixture", "");
    struct pool *p = b.m.pool;
    int i = built_coord(&b, "x", 0), j = built_coord(&b, "y", 0), k = built_coord(&b, "phi", 0);
    struct model_coord *c = b.m.coord.at;
    Expr t = b.m.time, mass = built_param(&b, "m", 1.3), x = c[i].q, phi = c[k].q;
    Expr z = expr_sym(p, SYM_Z, 0, "z"), u = expr_sym(p, SYM_U, 0, "u");
    VEC_PUSH(b.m.input, ((struct model_input){ .name = "u", .unit = "", .sym = u, .value = p->zero }));
    VEC_PUSH(b.m.state, ((struct model_state){ .name = "z", .unit = "", .sym = z, .z0 = p->zero,
        .rate = SUB(MUL(u, COS(x)), MUL(z, c[j].v)) }));
    Expr vx = ADD(c[i].v, MUL(COS(t), SIN(phi)));
    built_kinetic(&b, MUL(p->half, MUL(mass, ADD(MUL(vx, vx), MUL(c[j].v, c[j].v)))));
    built_kinetic(&b, MUL(p->half, MUL(ADD(p->two, MUL(x, x)), MUL(c[k].v, c[k].v))));
    built_kinetic(&b, MUL(MUL(t, x), c[k].v));
    built_potential(&b, MUL(MUL(x, x), ADD(z, SIN(MUL(u, phi)))));
    VEC_PUSH(b.m.dissipation, ((struct model_term){ .value = MUL(x, MUL(c[i].v, MUL(c[i].v, c[i].v))) }));
    VEC_PUSH(b.m.force, ((struct model_force){ .coord = j, .value = MUL(z, expr_fn1(p, EXPR_EXP, c[k].v)) }));
    built_constraint(&b, "h", SUB(MUL(x, COS(phi)), MUL(t, SIN(t))), true);
    built_constraint(&b, "n", SUB(ADD(MUL(c[i].v, SIN(phi)), MUL(t, t)), MUL(c[j].v, COS(phi))), false);
    ok(derive(&b, &eq, &d), "mixture: derived");
    check_all(&eq, 5);
    struct point at;
    double _Complex gv[2], gt[2];
    point_init(&at, &b.m, 6);
    for (int n = 0; n < 3; n++)
        at.v[n] = 0;
    evaluate(&eq, &at, EQ_gv, gv);
    evaluate(&eq, &at, EQ_gt, gt);
    ok(cabs(gv[0] - gt[0]) + cabs(gv[1] - gt[1]) < 1e-15, "mixture: gv at rest is gt");
    diags_fini(&d);
    built_fini(&b);
}

static void test_errors(void)
{
    struct built b;
    struct diags d;
    struct equations eq;
    built_init(&b, "cubic", "");
    struct pool *p = b.m.pool;
    int i = built_coord(&b, "x", 0);
    built_coord(&b, "ghost", 0);
    Expr v = b.m.coord.at[i].v;
    built_kinetic(&b, MUL(v, MUL(v, v)));
    ok(!derive(&b, &eq, &d) && d.errors == 1, "an energy cubic in the velocities is refused");
    ok(strstr(diags_render(&d), "not a quadratic function") != NULL, "... with a reason");
    diags_fini(&d);
    b.m.kinetic.at[0].value = MUL(v, v);
    ok(derive(&b, &eq, &d) && d.warnings == 1, "a coordinate without kinetic energy is worth a warning");
    ok(strstr(diags_render(&d), "'ghost'") != NULL, "... that names it");
    ok(saddle_new(&eq) == NULL, "... and gets no straight-line solver");
    diags_fini(&d);
    built_constraint(&b, "n", MUL(v, v), false);
    ok(!derive(&b, &eq, &d) && d.errors == 1, "a non-holonomic constraint must be linear in the velocities");
    diags_fini(&d);
    b.m.constraint.at[0].g = MUL(v, expr_sym(p, SYM_Z, 0, "z"));
    ok(!derive(&b, &eq, &d) && strstr(diags_render(&d), "a state: 'z'"), "a constraint may not depend on a state");
    diags_fini(&d);
    built_fini(&b);
}

/* Folding replaces parameters everywhere and keeps the value. */
static void test_fold(void)
{
    struct built b;
    struct diags d;
    struct equations eq, folded;
    struct point x;
    double _Complex y[7], z[7];
    built_squeezer(&b);
    ok(derive(&b, &eq, &d), "fold: derived with parameters");
    struct model *m = model_fold_params(&b.m, &b.arena);
    ok(m->param.n == 0 && equations_derive(&folded, m, &b.arena, &d, &(struct derive_options){0}), "fold: derived without");
    point_init(&x, &b.m, 7);
    evaluate(&eq, &x, EQ_f, y);
    evaluate(&folded, &x, EQ_f, z);
    double worst = 0;
    bool free_of = true;
    for (int k = 0; k < 7; k++) {
        worst = fmax(worst, cabs(y[k] - z[k]));
        free_of &= !(expr_deps(m->pool, folded.array[EQ_f].value[k]) & DEP(SYM_PARAM));
    }
    ok(worst < 1e-14 && free_of, "fold: the same f without parameters: %g", worst);
    diags_fini(&d);
    built_fini(&b);
}

int main(void)
{
    test_pendulum();
    test_squeezer();
    test_mixture();
    test_errors();
    test_fold();
    return tap_done();
}
