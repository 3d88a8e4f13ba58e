/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random trees of 1 to 12 bodies with all kinds of joints, in relative and in absolute coordinates.
 *
 * The two formulations share the algebra of motion but little else: recursions and reverse sweeps against
 * free bodies and joint constraints.  At a random state of the relative model its outputs give the places
 * and velocities of all bodies, from which the state of the absolute model is made; then the accelerations
 * of all centres of mass and the angular accelerations must agree.  Everything goes through the language:
 * models are texts, motions are outputs.  Tolerance 1e-9 of the largest acceleration: solving the saddle
 * point of twelve bodies loses a few digits of sixteen, the worst seen is printed.
 */
#include "compile.h"
#include "../tap.h"
#include "draft.h"

#include <gsl/gsl_linalg.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = 500, BODIES = 12 };

/* --- a random model -------------------------------------------------------------------------------------------- */

static void put_joint(struct text *t, int i, bool spatial)
{
    static const char *const plane[] = {"revolute", "prismatic", "fixed", "slot", "free", "distance"};
    static const char *const space[] = {"revolute", "prismatic", "fixed", "free", "distance", "cylindrical", "universal", "spherical",
                                        "planar", "screw", "point_on_line", "constant_velocity"};
    const char *kind = i == 0 ? "revolute" : spatial ? space[below(12)] : plane[below(6)];
    int parent = i ? below(i) : -1;
    bool reversed = below(3) == 0;      /* the parent as second argument */
    char a[64] = "ground", b[64];
    if (parent >= 0)
        snprintf(a, sizeof a, "K[%d].P", parent + 1);
    snprintf(b, sizeof b, below(2) ? "K[%d]" : "K[%d].Q", i + 1);
    put(t, "joint J[%d]: %s(%s, %s)", i + 1, kind, reversed ? b : a, reversed ? a : b);
    bool turning = strcmp(kind, "fixed") && strcmp(kind, "free") && strcmp(kind, "distance") && strcmp(kind, "spherical");
    if (spatial ? turning : !strcmp(kind, "prismatic") || !strcmp(kind, "slot")) {
        static const char *const axes[] = {"[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]", "[0, 0, -1]", "[1, 2, -2]"};
        if (!strcmp(kind, "universal"))
            put(t, " axis [0, 1, 0] axis2 [1, 0, 0]");
        else if (spatial)
            put(t, " axis %s", axes[below(5)]);
        else
            put(t, " axis [%.3f, %.3f]", uniform(-1, 1), uniform(0.2, 1));
    }
    if (!strcmp(kind, "distance"))
        put(t, " length = 1.3");
    if (!strcmp(kind, "screw"))
        put(t, " pitch = 0.2");
    if (spatial && (!strcmp(kind, "spherical") || !strcmp(kind, "free")) && below(2))
        put(t, " angles %s", (const char *const[]){"zxy", "xyz", "zxz", "yxy", "zyx", "xzx"}[below(6)]);
    put(t, "\n");
}

static int put_model(struct text *t, bool spatial)
{
    int n = 1 + below(1 + below(BODIES));     /* up to twelve, small ones more often */
    t->n = 0;
    put(t, "model tree\noption absolute = false\n%s\ngravity ", spatial ? "spatial" : "planar");
    put_vector(t, spatial);
    put(t, "\nif absolute { coordinates absolute }\n");
    for (int i = 1; i <= n; i++) {
        put(t, "body K[%d] { mass = %.3f, com = ", i, uniform(0.5, 2));
        put_vector(t, spatial);
        if (spatial)
            put(t, ", inertia = [[1.1, 0.1, 0.05], [0.1, 1.2, -0.1], [0.05, -0.1, %.3f]]", uniform(1, 1.5));
        else
            put(t, ", inertia = %.3f", uniform(0.2, 1));
        put(t, ", point P = ");
        put_vector(t, spatial);
        put(t, ", point Q = ");
        put_vector(t, spatial);
        put(t, " }\n");
    }
    for (int i = 0; i < n; i++)
        put_joint(t, i, spatial);
    for (int i = 1; i <= n; i++) {
        put(t, "output r%d = K[%d].com\noutput v%d = K[%d].com'\noutput a%d = K[%d].com''\n", i, i, i, i, i, i);
        if (spatial)
            put(t, "output R%d = K[%d].rotation\noutput w%d = K[%d].omega_body\noutput dw%d = K[%d].omega_body'\n", i, i, i, i, i, i);
        else
            put(t, "output R%d = K[%d].angle\noutput w%d = K[%d].omega\noutput dw%d = K[%d].omega'\n", i, i, i, i, i, i);
    }
    return n;
}

/* --- accelerations by the interpreter ---------------------------------------------------------------------------- */

struct state {
    int n, m;
    double *q, *v, *a, *lambda;
};

static struct compile *compile_tree(const struct text *t, bool absolute)
{
    static const char *const define[] = {"absolute=true"};
    struct compile_options o = {.front = {define, absolute, NULL, 0}, .entries = true};
    return compile_memory("tree.mbs", t->at, t->n, &o, COMPILE_EQUATIONS);
}

static struct eval_env env_of(const struct state *x)
{
    static const double zero = 0;
    return (struct eval_env){.val = {[SYM_Q] = x->q, [SYM_V] = x->v, [SYM_A] = x->a, [SYM_LAMBDA] = x->lambda, [SYM_TIME] = &zero}};
}

static double *evaluate(const struct compile *c, const struct state *x, enum eq_id id)
{
    const struct eq_array *a = &c->equations->array[id];
    double *out = calloc((size_t)a->nnz + 1, sizeof *out);
    struct eval_env env = env_of(x);
    expr_eval(c->pool, &env, a->nnz, a->value, out);
    return out;
}

/* [M G'; G 0] [a; lambda] = [f; -gamma] */
static void accelerations(const struct compile *c, struct state *x)
{
    const struct eq_array *M = &c->equations->array[EQ_M], *G = &c->equations->array[EQ_G];
    size_t n = (size_t)x->n, m = (size_t)x->m;
    double *Mv = evaluate(c, x, EQ_M), *Gv = evaluate(c, x, EQ_G), *f = evaluate(c, x, EQ_f), *gamma = evaluate(c, x, EQ_gamma);
    gsl_matrix *A = gsl_matrix_calloc(n + m, n + m);
    gsl_vector *b = gsl_vector_calloc(n + m), *s = gsl_vector_calloc(n + m);
    gsl_permutation *perm = gsl_permutation_alloc(n + m);
    int sign;
    for (int j = 0; j < x->n; j++) {
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++) {
            gsl_matrix_set(A, (size_t)M->rowidx[k], (size_t)j, Mv[k]);
            gsl_matrix_set(A, (size_t)j, (size_t)M->rowidx[k], Mv[k]);
        }
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++) {
            gsl_matrix_set(A, n + (size_t)G->rowidx[k], (size_t)j, Gv[k]);
            gsl_matrix_set(A, (size_t)j, n + (size_t)G->rowidx[k], Gv[k]);
        }
        gsl_vector_set(b, (size_t)j, f[j]);
    }
    for (size_t k = 0; k < m; k++)
        gsl_vector_set(b, n + k, -gamma[k]);
    gsl_linalg_LU_decomp(A, perm, &sign);
    gsl_linalg_LU_solve(A, perm, b, s);
    for (size_t i = 0; i < n; i++)
        x->a[i] = gsl_vector_get(s, i);
    for (size_t k = 0; k < m; k++)
        x->lambda[k] = gsl_vector_get(s, n + k);
    gsl_matrix_free(A);
    gsl_vector_free(b);
    gsl_vector_free(s);
    gsl_permutation_free(perm);
    free(Mv), free(Gv), free(f), free(gamma);
}

static struct state state_new(const struct compile *c)
{
    struct state x = {.n = c->model->coord.n, .m = c->model->constraint.n};
    double **a[4] = {&x.q, &x.v, &x.a, &x.lambda};
    for (int i = 0; i < 4; i++)
        *a[i] = calloc((size_t)(x.n + x.m) + 1, sizeof(double));
    return x;
}

static void state_free(struct state *x)
{
    free(x->q), free(x->v), free(x->a), free(x->lambda);
}

/* Random, with Euler parameters on the sphere and their rates tangent to it. */
static void state_random(const struct compile *c, struct state *x)
{
    for (int i = 0; i < x->n; i++) {
        const char *dot = strrchr(c->model->coord.at[i].name, '.');
        x->q[i] = uniform(-0.5, 0.5);
        x->v[i] = uniform(-1, 1);
        if (dot && !strcmp(dot, ".angle2"))     /* zxz is singular at 0 */
            x->q[i] += x->q[i] < 0 ? -0.6 : 0.6;
    }
    for (int i = 0; i + 3 < x->n; i++) {
        const char *name = c->model->coord.at[i].name;
        size_t len = strlen(name);
        if (len < 3 || strcmp(name + len - 3, ".e0"))
            continue;
        double norm = 0, dot = 0, *e = x->q + i, *de = x->v + i;
        for (int k = 0; k < 4; k++)
            norm += e[k] * e[k];
        for (int k = 0; k < 4; k++)
            e[k] /= sqrt(norm);
        for (int k = 0; k < 4; k++)
            dot += e[k] * de[k];
        for (int k = 0; k < 4; k++)
            de[k] -= dot * e[k];
        i += 3;
    }
}

/* --- the state of the absolute model ------------------------------------------------------------------------------- */

static void euler_of(const double R[9], double e[4])
{
    double t[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8]};
    double p[4][4] = {{t[0], R[7] - R[5], R[2] - R[6], R[3] - R[1]}, {R[7] - R[5], t[1], R[1] + R[3], R[2] + R[6]},
                      {R[2] - R[6], R[1] + R[3], t[2], R[5] + R[7]}, {R[3] - R[1], R[2] + R[6], R[5] + R[7], t[3]}};
    int big = 0;
    for (int i = 1; i < 4; i++)
        if (t[i] > t[big])
            big = i;
    for (int i = 0; i < 4; i++)
        e[i] = p[big][i] / (2 * sqrt(t[big]));
}

/* y: outputs body by body: r, v, a, R, w, dw. */
static void state_of(const double *y, int bodies, bool spatial, struct state *x)
{
    int d = spatial ? 3 : 2, rot = spatial ? 9 : 1, turn = spatial ? 3 : 1;
    double *q = x->q, *v = x->v;
    for (int b = 0; b < bodies; b++, y += 3 * d + rot + 2 * turn) {
        memcpy(q, y, (size_t)d * sizeof *q);
        memcpy(v, y + d, (size_t)d * sizeof *v);
        const double *R = y + 3 * d, *w = R + rot;
        if (!spatial) {
            q[2] = R[0];
            v[2] = w[0];
        } else {
            double *e = q + 3, *de = v + 3;
            euler_of(R, e);
            de[0] = (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]) / 2;
            de[1] = (e[0] * w[0] - e[3] * w[1] + e[2] * w[2]) / 2;
            de[2] = (e[3] * w[0] + e[0] * w[1] - e[1] * w[2]) / 2;
            de[3] = (-e[2] * w[0] + e[1] * w[1] + e[0] * w[2]) / 2;
        }
        q += spatial ? 7 : 3;
        v += spatial ? 7 : 3;
    }
}

/* Bodies of the absolute model stand in the order of the tree, outputs in the order of the file. */
static void sort_bodies(const struct compile *c, struct state *x, bool spatial)
{
    int per = spatial ? 7 : 3, n = x->n / per;
    double *q = malloc((size_t)x->n * sizeof *q), *v = malloc((size_t)x->n * sizeof *v);
    for (int i = 0; i < n; i++) {
        int b = atoi(strchr(c->model->road.at[i].body, '[') + 1) - 1;
        memcpy(q + i * per, x->q + b * per, (size_t)per * sizeof *q);
        memcpy(v + i * per, x->v + b * per, (size_t)per * sizeof *v);
    }
    free(x->q), free(x->v);
    x->q = q;
    x->v = v;
}

/* The start values of the relative model, said of the joints of the absolute one, are conditions that its state must meet:
 * coordinates of joints as they are measured, whatever the kind. */
static double start_residual(const struct text *t, const struct compile *rel, const struct state *x, const struct state *z, int *kept)
{
    static struct text u;
    double worst = 0;
    u = *t;
    for (int i = 0; i < x->n; i++)
        put(&u, "init %s = %.17g, %s' = %.17g\n", rel->model->coord.at[i].name, x->q[i], rel->model->coord.at[i].name, x->v[i]);
    struct compile *c = compile_tree(&u, true);
    if (!c->good)
        printf("# %s\n", compile_messages(c));
    struct eval_env env = env_of(z);
    for (int i = 0; c->good && i < c->model->condition.n; i++) {
        double r;
        expr_eval(c->pool, &env, 1, &c->model->condition.at[i].value, &r);
        if (!(fabs(r) < 1e-9))
            printf("# %s is off by %g\n", c->model->condition.at[i].name, r);
        worst = fmax(worst, isfinite(r) ? fabs(r) : HUGE_VAL);
    }
    int screws = 0;             /* each has a condition of its own: that it begins on its thread */
    for (const char *at = t->at; (at = strstr(at, ": screw(")); at++)
        screws++;
    *kept = c->good && c->model->condition.n == 2 * x->n + screws;
    compile_free(c);
    return worst;
}

/* The largest difference of accelerations over the largest acceleration; NaN if a model does not compile. */
static double compare(const struct text *t, int bodies, bool spatial, double *violation, double *start, int *unkept)
{
    struct compile *rel = compile_tree(t, false), *abs_ = compile_tree(t, true);
    double worst = NAN;
    *violation = 0;
    if (rel->good && abs_->good) {
        struct state x = state_new(rel), z = state_new(abs_);
        state_random(rel, &x);
        accelerations(rel, &x);
        double *y = evaluate(rel, &x, EQ_y);
        state_of(y, bodies, spatial, &z);
        sort_bodies(abs_, &z, spatial);
        int kept;
        *start = fmax(*start, start_residual(t, rel, &x, &z, &kept));
        *unkept += !kept;
        double *g = evaluate(abs_, &z, EQ_g), *gv = evaluate(abs_, &z, EQ_gv);
        for (int k = 0; k < abs_->equations->array[EQ_g].nnz; k++)
            *violation = fmax(*violation, fabs(g[k]));
        for (int k = 0; k < abs_->equations->array[EQ_gv].nnz; k++)
            *violation = fmax(*violation, fabs(gv[k]));
        accelerations(abs_, &z);
        double *ya = evaluate(abs_, &z, EQ_y), scale = 1, diff = 0;
        int d = spatial ? 3 : 2, rot = spatial ? 9 : 1, turn = spatial ? 3 : 1, step = 3 * d + rot + 2 * turn;
        for (int i = 0; i < bodies * step; i++) {
            int part = i % step;
            bool accel = (part >= 2 * d && part < 3 * d) || part >= 3 * d + rot + turn;
            if (accel) {
                scale = fmax(scale, fabs(y[i]));
                diff = fmax(diff, fabs(y[i] - ya[i]));
                if (isnan(y[i]) || isnan(ya[i]))
                    diff = NAN;
            }
        }
        worst = diff / scale;
        free(y), free(ya), free(g), free(gv);
        state_free(&x);
        state_free(&z);
    } else {
        printf("# %s%s\n", compile_messages(rel), compile_messages(abs_));
    }
    compile_free(rel);
    compile_free(abs_);
    return worst;
}

int main(void)
{
    seed = 20;
    static struct text t;
    double worst = 0, off = 0, start = 0;
    int bad = 0, unkept = 0;
    for (int i = 0; i < MODELS; i++) {
        bool spatial = i % 2;
        int bodies = put_model(&t, spatial);
        double violation, diff = compare(&t, bodies, spatial, &violation, &start, &unkept);
        off = fmax(off, violation);
        if (!(diff < 1e-9) && bad++ < 3) {
            printf("# model %d: %g (constraints %g)\n", i, diff, violation);
            for (char *line = strtok(t.at, "\n"); line; line = strtok(NULL, "\n"))
                if (strncmp(line, "output", 6))
                    printf("#   %s\n", line);
        }
        if (diff > worst)
            worst = diff;
    }
    ok(bad == 0, "%d random trees: accelerations in relative and absolute coordinates agree, worst %.1e", MODELS, worst);
    ok(off < 1e-11, "the states agree too: joint constraints and their rates are met to %.1e", off);
    ok(unkept == 0, "each start value of a joint is a condition");
    ok(start < 1e-9, "measured coordinates of joints are those of the relative model, worst %.1e", start);
    return tap_done();
}
