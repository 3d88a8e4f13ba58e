/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Both ways of derivation on random mechanisms: derivatives of the energies against recursions over the tree.
 *
 * Trees with all kinds of joints, branches, free bases, joints passed from b to a, massless bodies, rotated frames,
 * parameters, beams (reached from either end, clamped, with bodies at their tips), springs, dampers, bushings, forces and torques, inputs and stated
 * energies; in part of them one or two more joints close loops.  Every quantity of
 * both is evaluated at a random state (Euler parameters of any length) and must agree to 1e-12 of its scale: the largest sum of
 * the absolute values of the terms of an entry, in either way, and not less than that of M, f and r, since numbers that are
 * folded when the model is compiled have lost the terms that cancelled.  Rounding of some hundred terms makes 1e-14 of that.  The
 * accelerations of both must solve the equations, M a - f + G' lambda = 0 and G a + gamma = 0, to 1e-9 of the terms that
 * occur in solving them, unless they say that they are unsafe.
 *
 *     ways [TREES LOOPS SEED]
 */
#include "config.h"
#include "compile.h"
#include "../tap.h"
#include "draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 7 };

/* --- a random model -------------------------------------------------------------------------------------------------- */

static void put_angle(struct text *t, const char *axis)
{
    if (below(2))
        put(t, ", %s = %d*pi/2", axis, below(4));       /* right angles are the usual ones */
    else
        put(t, ", %s = %.3f", axis, uniform(-2, 2));
}

static void put_body(struct text *t, int i, bool spatial)
{
    put(t, "body K%d { ", i);
    if (below(6)) {
        put(t, below(2) ? "mass = %.3f, com = " : "mass = m*%.3f, com = ", uniform(0.5, 2));
        put_vector(t, spatial);
        double a = uniform(0.5, 1), b = uniform(0.5, 1), c = uniform(0.6, 1), d = uniform(-0.1, 0.1), e = uniform(-0.1, 0.1), f = uniform(-0.1, 0.1);
        if (spatial)
            put(t, ", inertia = [[%.4f, %.4f, %.4f], [%.4f, %.4f, %.4f], [%.4f, %.4f, %.4f]], ", a, d, e, d, b, f, e, f, c);
        else
            put(t, ", inertia = %.4f, ", a);
    }
    for (int k = 0; k < 2; k++) {
        put(t, "frame F%d = at(", k);
        put_vector(t, spatial);
        if (spatial && below(2))
            put_angle(t, "x");
        if (below(2))
            put_angle(t, "z");
        put(t, k ? ") }\n" : "), ");
    }
}

/* With modes in a plane alone: some with the displacement along the beam, some that are drawn in; cubic elements, one or two. */
static void put_beam(struct text *t, int i, bool spatial)
{
    put(t, "beam K%d { length = %.3f, density = m*%.3f, youngs = k*%.3f, width = 0.3, height = 0.2, ", i, uniform(0.5, 1.5), uniform(5, 9), uniform(1e3, 2e3));
    if (spatial)
        put(t, "shear = %.3f, elements = %d", uniform(4e3, 8e3), 1 + (below(4) == 0));
    else if (below(2))
        put(t, "elements = %d", 1 + below(2));
    else
        put(t, "modes = %d%s", 1 + below(3), below(2) ? "" : below(2) ? ", axial = true" : ", axial = true, coupling = true");
    put(t, "%s%s }\n", below(3) ? ", damping = 0.01" : "", below(3) || strstr(strrchr(t->at, '{'), "axial") ? "" : ", stiffening = false");
}

static bool is_beam[BODIES + 2];

static void put_place(struct text *t, int body, int frame)
{
    if (body == 0)
        put(t, "ground");
    else if (is_beam[body])
        put(t, "K%d.%s", body, frame ? "tip" : "start");
    else
        put(t, "K%d.F%d", body, frame);
}

static void put_end(struct text *t, int body, bool spatial)
{
    put_place(t, body, below(2));
    if (is_beam[body] && below(3) == 0)
        put(t, spatial ? " @ at([0.1, 0.2, -0.3], x = 0.4)" : " @ at([0.1, 0.2], z = 0.4)");
}

static void put_joint(struct text *t, int number, int a, int b, bool spatial, const char *kind)
{
    if (below(2)) {
        int c = a;
        a = b;
        b = c;
    }
    put(t, "joint J%d: %s(", number, kind);
    put_end(t, a, spatial);
    put(t, ", ");
    put_end(t, b, spatial);
    put(t, ")");
    bool slides = !strcmp(kind, "prismatic") || !strcmp(kind, "slot");
    if (spatial ? strchr("rpcsu", kind[0]) && strcmp(kind, "spherical") && strcmp(kind, "universal") : slides) {
        put(t, " axis ");
        if (spatial && below(2))
            put(t, "[%d, %d, %d]", 0, below(2) ? 1 : -1, 0);
        else
            put_vector(t, spatial);
    }
    bool oriented = spatial && (!strcmp(kind, "spherical") || !strcmp(kind, "free") || !strcmp(kind, "point_on_line") || !strcmp(kind, "distance"));
    if (oriented && below(2))
        put(t, " angles %s", below(2) ? "zyx" : "zxz");
    if (!strcmp(kind, "distance"))
        put(t, " length = %.3f", uniform(0.5, 2));
    if (!strcmp(kind, "screw"))
        put(t, " pitch = 0.3");
    put(t, "\n");
}

/* Between neighbours, far bodies and ground, at places and on whole bodies. */
static void put_elements(struct text *t, int n, bool spatial)
{
    if (below(2)) {
        put(t, "spring S: between ground and ");
        put_place(t, n, 1);
        put(t, ", stiffness = k, length = 0.4, damping = 0.3\n");
    }
    if (n > 1 && below(3) == 0) {
        put(t, "damper D: between ");
        put_place(t, 1, 1);
        put(t, " and ");
        put_place(t, n, 1);
        put(t, ", damping = 0.2\n");
    }
    if (below(3) == 0) {
        put(t, "bushing B: between ");
        put_place(t, n / 2, 1);
        put(t, " and ");
        put_place(t, n, 0);
        put(t, spatial ? ", stiffness = [k, 2, 3, 4, 5, 6], damping = [1, 2, 3, 1, 2, 3]\n" : ", stiffness = [k, 2, 3], damping = [1, 2, 3]\n");
    }
    if (below(3) == 0) {
        put(t, "input thrust\nforce F: on ");
        put_place(t, 1 + below(n), 1);
        put(t, spatial ? " = [thrust, 1, 2*sin(t)] axes body\n" : " = [thrust, 2*sin(t)] axes body\n");
        put(t, "torque M: on K%d = %s\n", 1 + below(n), spatial ? "[thrust, 2, 3]" : "thrust");
    }
    if (n > 1 && below(2)) {     /* some joints apart, on one branch or on two */
        int a = 1 + below(n), b = 1 + below(n - 1);
        put(t, "spring E: between ");
        put_place(t, a, 0);
        put(t, is_beam[a] ? " and " : spatial ? " @ at([0.3, 0.1, -0.2]) and " : " @ at([0.3, 0.1]) and ");
        put_place(t, b + (b >= a), 1);
        put(t, ", stiffness = k, length = 0.3, damping = 0.2\n");
    }
    if (below(3) == 0)
        put(t, "potential k*K%d.x*K1.y\nkinetic m*K%d.x'^2/3\n", n, n);
}

static void put_model(struct text *t, bool spatial, int loops)
{
    static const char *const plane[] = {"revolute", "prismatic", "fixed", "slot", "free", "distance"};
    static const char *const space[] = {"revolute", "prismatic", "fixed", "free", "distance", "cylindrical", "universal", "spherical",
                                        "planar", "screw", "point_on_line", "constant_velocity", "revolute", "revolute"};
    static const char *const closing[] = {"distance", "spherical", "universal", "revolute", "point_on_line"};
    int n = 1 + below(BODIES) + (loops > 0);
    t->n = 0;
    put(t, "model random\n%s\nparam m = 1.3, k = 7\ngravity ", spatial ? "spatial" : "planar");
    put_vector(t, spatial);
    put(t, "\n");
    bool bends = below(3) == 0;
    for (int i = 1; i <= n; i++) {
        is_beam[i] = bends && below(3) == 0;
        (is_beam[i] ? put_beam : put_body)(t, i, spatial);
    }
    for (int i = 1; i <= n; i++) {
        const char *kind = i == 1 ? (below(2) ? "free" : "revolute") : spatial ? space[below(14)] : plane[below(6)];
        put_joint(t, i, below(3) ? i - 1 : below(i), i, spatial, kind);
    }
    for (int i = 0; i < loops; i++)
        put(t, "cut "), put_joint(t, n + 1 + i, below(n), n, spatial, spatial ? closing[below(5)] : below(2) ? "revolute" : "distance");
    put_elements(t, n, spatial);
}

/* --- both ways ------------------------------------------------------------------------------------------------------- */

struct state {
    double *q, *v, *a, *lambda, *mu, p[2], u[1];
    struct eval_env env;
};

static void state_init(struct state *x, const struct model *m)
{
    static const double t = 0.3;
    int n = m->coord.n, rows = m->constraint.n;
    double **list[] = {&x->q, &x->v, &x->a, &x->lambda, &x->mu};
    for (int k = 0; k < 5; k++) {
        int size = k < 3 ? n : rows;
        *list[k] = calloc((size_t)size + 1, sizeof(double));
        for (int i = 0; i < size; i++)
            (*list[k])[i] = uniform(-0.6, 0.6);     /* constant-velocity joints want e1^2 + e2^2 < 1 */
    }
    x->p[0] = 1.3, x->p[1] = 7, x->u[0] = 0.7;
    x->env = (struct eval_env){.val = {[SYM_PARAM] = x->p, [SYM_TIME] = &t, [SYM_Q] = x->q, [SYM_V] = x->v, [SYM_A] = x->a,
                                       [SYM_LAMBDA] = x->lambda, [SYM_MU] = x->mu, [SYM_U] = x->u}};
}

static void state_fini(struct state *x)
{
    free(x->q), free(x->v), free(x->a), free(x->lambda), free(x->mu);
}

/* A quantity as a dense array, and the largest size of its terms. */
static double *dense(const struct compile *c, const struct state *x, enum eq_id id, double *scale)
{
    const struct eq_array *a = &c->equations->array[id];
    double *out = calloc((size_t)a->rows * (size_t)a->cols + 1, sizeof *out), *value = calloc((size_t)a->nnz + 1, sizeof *value);
    expr_eval_magnitude(c->pool, &x->env, a->nnz, a->value, value);
    for (int i = 0; i < a->nnz; i++)
        *scale = fmax(*scale, fabs(value[i]));
    expr_eval(c->pool, &x->env, a->nnz, a->value, value);
    if (!a->colptr)
        memcpy(out, value, (size_t)a->nnz * sizeof *value);
    for (int j = 0; a->colptr && j < a->cols; j++)
        for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
            out[a->rowidx[k] * a->cols + j] = value[k];
    free(value);
    return out;
}

/* The largest difference of both ways, relative to the scale; *where: in which quantity. */
static double compare(struct compile *const c[2], const struct state *x, const char **where)
{
    static const enum eq_id basis[] = {EQ_M, EQ_f, EQ_r};
    double worst = 0, least = 0;
    for (int k = 0; k < 3; k++)
        free(dense(c[0], x, basis[k], &least));
    for (int id = 0; id < EQ_COUNT; id++) {
        const struct eq_array *a = &c[0]->equations->array[id];
        if ((int)abi_first((enum eq_id)id) == FUNCTION_accelerations)
            continue;
        double scale = least, *one = dense(c[0], x, (enum eq_id)id, &scale), *two = dense(c[1], x, (enum eq_id)id, &scale);
        for (int i = 0; i < a->rows * a->cols; i++) {
            double off = fabs(one[i] - two[i]);
            if (!(off <= worst * scale)) {
                worst = isfinite(off) ? off / scale : isnan(one[i]) && isnan(two[i]) ? worst : INFINITY;
                *where = a->name;
            }
        }
        free(one);
        free(two);
    }
    return worst;
}

/* Terms of long chains are far larger than their sums, and a scale of terms may hide a mistake.  In 128-bit numbers it would be a difference beside the
 * largest value of the quantity itself, where rounding is of numbers that were folded when the model was compiled, 1e-16 each. */
static double compare_values(struct compile *const c[2], const struct state *x, const char **where)
{
    double worst = 0;
#ifdef HAVE_QUADMATH
    const double *const from[] = {x->p, x->u, x->env.val[SYM_TIME], x->q, x->v, x->a, x->lambda, x->mu};
    const enum sym_kind kind[] = {SYM_PARAM, SYM_U, SYM_TIME, SYM_Q, SYM_V, SYM_A, SYM_LAMBDA, SYM_MU};
    int n = c[0]->model->coord.n, rows = c[0]->model->constraint.n, size[] = {2, 1, 1, n, n, n, rows, rows};
    struct eval_env_quad env = {0};
    __float128 *all[8];
    for (int k = 0; k < 8; k++) {
        env.val[kind[k]] = all[k] = calloc((size_t)size[k] + 1, sizeof **all);
        for (int i = 0; i < size[k]; i++)
            all[k][i] = from[k][i];
    }
    for (int id = 0; id < EQ_COUNT; id++) {
        const struct eq_array *a[2] = {&c[0]->equations->array[id], &c[1]->equations->array[id]};
        size_t cells = (size_t)a[0]->rows * (size_t)a[0]->cols;
        if ((int)abi_first((enum eq_id)id) == FUNCTION_accelerations)
            continue;
        __float128 *out[2], largest = 0, off = 0;
        for (int w = 0; w < 2; w++) {
            __float128 *value = calloc((size_t)a[w]->nnz + 1, sizeof *value);
            out[w] = calloc(cells + 1, sizeof **out);
            expr_eval_quad(c[w]->pool, &env, a[w]->nnz, a[w]->value, value);
            for (int j = 0; j < a[w]->cols; j++)
                for (int k = a[w]->colptr ? a[w]->colptr[j] : 0; k < (a[w]->colptr ? a[w]->colptr[j + 1] : a[w]->nnz); k++)
                    out[w][a[w]->colptr ? a[w]->rowidx[k] * a[w]->cols + j : k] = value[k];
            free(value);
        }
        for (size_t i = 0; i < cells; i++) {
            __float128 d = out[0][i] - out[1][i], v = out[0][i];
            largest = v > largest ? v : -v > largest ? -v : largest;
            off = d > off ? d : -d > off ? -d : off;
        }
        if (off > worst * (largest + 1)) {
            worst = (double)(off / (largest + 1));
            *where = a[0]->name;
        }
        free(out[0]);
        free(out[1]);
    }
    for (int k = 0; k < 8; k++)
        free(all[k]);
#else
    (void)c, (void)x, (void)where;
#endif
    return worst;
}

/* How well the accelerations solve the equations, relative to the terms; 0 where they say that they do not. */
static double residual(const struct compile *c, const struct state *x)
{
    struct state y = *x;
    double scale = 0, worst = 0, *unsafe;
    if (!c->equations->accelerations)
        return 0;
    unsafe = dense(c, x, EQ_unsafe, &scale);
    double *a = dense(c, x, EQ_a, &scale), *lambda = dense(c, x, EQ_lambda, &scale);
    bool solved = *unsafe == 0;
    for (int i = 0; i < c->model->coord.n; i++)
        solved = solved && isfinite(a[i]);
    y.env.val[SYM_A] = a;
    y.env.val[SYM_LAMBDA] = lambda;
    for (int e = 0; e < 2 && solved; e++) {
        double size = scale, *r = dense(c, &y, e ? EQ_ga : EQ_r, &size);
        for (int i = 0; i < c->equations->array[e ? EQ_ga : EQ_r].nnz; i++)
            worst = fmax(worst, isfinite(r[i]) ? fabs(r[i]) / size : INFINITY);
        free(r);
    }
    free(unsafe);
    free(a);
    free(lambda);
    return worst;
}

static void run(int trees, int loops)
{
    int done = 0, closed = 0, bent = 0, unknown = 0, skipped = 0;
    double worst = 0, most = 0, apart = 0;
    const char *where = "", *far = "";
    while (done - closed < trees || closed < loops) {
        static struct text t;
        struct compile *c[2];
        bool spatial = below(4) > 0, loop = done - closed >= trees || (closed < loops && below(3) == 0);
        put_model(&t, spatial, loop ? 1 + below(2) : 0);
        for (int w = 0; w < 2; w++) {
            struct compile_options o = {.way = w ? WAY_TREE : WAY_ENERGIES, .entries = true, .solver = true};
            c[w] = compile_memory("random.mbs", t.at, t.n, &o, COMPILE_EQUATIONS);
        }
        if (c[0]->good && c[1]->good && c[0]->model->coord.n <= 24) {
            struct state x;
            const char *here = "", *there = "";
            state_init(&x, c[0]->model);
            double off = compare(c, &x, &here), rest = fmax(residual(c[0], &x), residual(c[1], &x)), values = compare_values(c, &x, &there);
            if (!(off <= 1e-12) || !(rest <= 1e-9) || !(values <= 1e-9))
                printf("# %g in %s, accelerations %g, values %g in %s:\n%s", off, here, rest, values, there, t.at);
            if (values > apart)
                apart = values, far = there;
            if (!(off <= worst))
                worst = off, where = here;
            most = fmax(most, rest);
            done++;
            closed += loop;
            bent += strstr(t.at, "beam") != NULL;
            state_fini(&x);
        } else if (c[0]->good != c[1]->good) {
            printf("# only one way is good: %s%s\n", compile_messages(c[0]), compile_messages(c[1]));
            unknown++;
        } else {
            skipped++;      /* a loop that cannot be closed; no coordinate at all */
        }
        compile_free(c[0]);
        compile_free(c[1]);
    }
    ok(done >= trees + loops && bent > done / 8 && !unknown,
       "%d trees and %d mechanisms with loops are derived in both ways, %d of them with beams (%d others have no equations)", done - closed, closed, bent,
       skipped);
    ok(worst <= 1e-12, "every quantity agrees to %.1e of its scale (%s)", worst, where);
    ok(apart <= 1e-9, "and in 128-bit numbers to %.1e of the largest value (%s)", apart, far);
    ok(most <= 1e-9, "accelerations solve the equations to %.1e", most);
}

int main(int argc, char **argv)
{
    seed = 3;
    if (argc > 3)
        seed = (uint64_t)atol(argv[3]);
    run(argc > 1 ? atoi(argv[1]) : 24, argc > 2 ? atoi(argv[2]) : 10);
    return tap_done();
}
