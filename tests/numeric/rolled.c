/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random trees, rolled, mixed and by their energies: every quantity of the generated code agrees.
 *
 * Trees of 1 to 12 bodies in a plane (more than half of them) or in space, with all joints that rolled code knows, branches, joints passed
 * from b to a, massless bodies, free bases, parameters, springs, dampers and forces on joints, rotors, drives, constraints, outputs.  Each model is compiled in the three ways;
 * M, f, r, the Jacobians, energies, points and outputs are compared entry by entry at random states, the accelerations and Newton
 * systems (rolled), real and complex, with a dense solution of the energies' matrices.  Tolerance 1e-12 of the largest entry of an
 * array, and for solutions 1e-12 times the condition number of the matrix, estimated by its pivots.
 *
 * Chains, which mbsc makes mixed files by itself so that their text stays below 60 kB and 0.5 kB a link, all functions included: with the residual as
 * statements, or, where they are longer, with accelerations by steps, which branches, balls, rods, joints passed from b to a and loops have, too.
 *
 * Rolled code has cosines and sines of its own: those of a pendulum, whose accelerations they are, are within 2.3e-16 of the library's, at any angle.
 *
 * TREES=n takes n models instead of a few; SEED=k begins with another one.
 */
#include "compile.h"
#include "../tap.h"
#include "draft.h"

#include "mbs/model.h"

#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CMPLX           /* glibc offers it to gcc only */
#define CMPLX(x, y) ((x) + (y)*I)
#endif

enum { FEW = 6, BODIES = 12, STATES = 3, MOST = 80 };

/* --- a random model ------------------------------------------------------------------------------------------------------------ */

static void add_vector(struct text *t, bool spatial)
{
    int zeros = below(8);       /* many zeros, as in real models */
    if (below(4) == 0)
        put(t, spatial ? "[%d, %d, %d]" : "[%d, %d]", zeros & 1, zeros >> 1 & 1, zeros >> 2);
    else
        put_vector(t, spatial);
}

static void add_axis(struct text *t, bool spatial)
{
    static const char *const right[] = {"[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]", "[0, -1, 0]"}, *const flat[] = {"[1, 0]", "[0, 1]"};
    if (below(3))
        put(t, " axis %s", spatial ? right[below(4)] : flat[below(2)]);
    else
        put(t, spatial ? " axis [%.3f, %.3f, %.3f]" : " axis [%.3f, %.3f]", uniform(0.1, 1), uniform(-1, 1), uniform(-1, 1));
}

static void add_body(struct text *t, int i, bool spatial, bool massless)
{
    put(t, "body K%d { ", i);
    if (!massless) {
        put(t, "mass = %s%.3f, com = ", below(2) ? "m*" : "", uniform(0.5, 2));
        add_vector(t, spatial);
        if (!spatial)
            put(t, ", inertia = %.3f, ", uniform(0.1, 1));
        else if (below(2))
            put(t, ", inertia = [%.3f, %.3f, %.3f], ", uniform(1, 1.9), uniform(1, 1.9), uniform(1, 1.9));
        else
            put(t, ", inertia = [[1.5, 0.1, %.3f], [0.1, 1.2, 0.2], [%.3f, 0.2, 1.1]], ", 0.25, 0.25);
    }
    if (spatial && below(2)) {
        put(t, "frame P = at(");
        add_vector(t, true);
        if (below(2))
            put(t, ", z = pi/2, x = -pi/2) }\n");
        else
            put(t, ", z = %.3f, x = a) }\n", uniform(-2, 2));
    } else {
        put(t, "point P = ");
        add_vector(t, spatial);
        put(t, " }\n");
    }
}

static void model_text(struct text *t, bool in_plane)
{
    static const char *const space[] = {"revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "spherical", "free", "fixed", "distance", "constant_velocity"};
    static const char *const plane[] = {"revolute", "revolute", "prismatic", "slot", "free", "fixed", "distance"};
    bool spatial = below(5) > 1 && !in_plane;
    int n = 1 + below(BODIES), coords = 0;
    *t = (struct text){.n = 0};
    put(t, "model random\n%s\ngravity ", spatial ? "spatial" : "planar");
    add_vector(t, spatial);
    put(t, "\nparam m: kg = 1.3, a = 0.4, c = 20\ninput u = 0.7\n");
    int parent_of[BODIES + 1];
    bool leaf[BODIES + 1];
    for (int i = 1; i <= n; i++) {
        parent_of[i] = below(3) ? i - 1 : below(i);
        leaf[i] = true;
        leaf[parent_of[i]] = false;
    }
    for (int i = 1; i <= n; i++)        /* a massless tip has no equation of motion */
        add_body(t, i, spatial, !leaf[i] && below(4) == 0);
    for (int i = 1; i <= n; i++) {
        int parent = parent_of[i];
        const char *kind = spatial ? space[below(11)] : plane[below(7)];
        if (coords > 18)
            kind = "revolute";
        char from[24];
        snprintf(from, sizeof from, parent ? "K%d.P" : "ground", parent);
        if (below(4))
            put(t, "joint J%d: %s(%s, K%d)", i, kind, from, i);
        else
            put(t, "joint J%d: %s(K%d, %s)", i, kind, i, from);
        bool rod = !strcmp(kind, "distance"), axis = !rod && strcmp(kind, "spherical") && strcmp(kind, "free") && strcmp(kind, "fixed");
        if (axis && !strcmp(kind, "universal"))
            put(t, " axis [1, 0, 0] axis2 [0, %d, %.2f]", 1, below(2) ? 0 : 0.5);
        else if (axis && (spatial || strcmp(kind, "revolute")))
            add_axis(t, spatial);
        if (!strcmp(kind, "screw"))
            put(t, " pitch = %.2f", uniform(0.05, 0.3));
        if (rod)
            put(t, " length = %s%.2f [m]", below(2) ? "a*" : "", uniform(0.3, 2));
        bool ball = i % 2 == 0 || n < 4;        /* Euler parameters */
        if (spatial && (rod || !strcmp(kind, "spherical") || !strcmp(kind, "free")) && !ball)
            put(t, " angles %s", below(2) ? "zyx" : "xyz");
        put(t, "\n");
        coords += rod && spatial ? 5 : rod || !strcmp(kind, "constant_velocity") ? 2 : !strcmp(kind, "free") ? 6 : !strcmp(kind, "spherical") || !strcmp(kind, "planar") ? 3 : 1;
        bool turns = !strcmp(kind, "revolute") || !strcmp(kind, "screw");
        if (turns && below(2) == 0)
            put(t, "spring S%d: on J%d, stiffness = c, angle = %.2f, damping = %.2f\n", i, i, uniform(-1, 1), uniform(0, 1));
        if (turns && below(6) == 0)
            put(t, "rotor R%d: on J%d, inertia = %.2f\n", i, i, uniform(0.1, 1));
        if (turns && below(3) == 0)
            put(t, "torque T%d: on J%d = %.2f*sin(%.2f*J%d.angle + a)*(u + sin(%d*t/1 [s]))*1 [N*m]\n", i, i, uniform(-1, 1), uniform(0.5, 2), i, below(2));
        if (turns && below(3) == 0)
            put(t, "potential m*%.2f [m^2/s^2]*cos(J%d.angle)\ndissipation c*(J%d.angle')^4/%d [W*s^4]\n", uniform(0.1, 1), i, i, 12 + below(2));
        if (turns && n > 2 && below(8) == 0)
            put(t, "drive D%d: on J%d = %.2f*sin(t/1 [s])\n", i, i, uniform(0.1, 1));
    }
    if (below(3) == 0)
        put(t, "potential c*K%d.P[1]^2\n", n);
    if (coords > 4 && below(3) == 0)
        put(t, "constraint tie: K%d.P[1] + K%d.P[2]^2/1 [m] = 0.3 [m]*sin(t/1 [s])\n", n, n);
    put(t, "output place = K%d.P\noutput speed = K%d.P'\n", n, 1 + below(n));
}

/* --- one compiled model --------------------------------------------------------------------------------------------------------- */

struct made {
    void *handle;
    const struct mbs_model *m;
    double *c, *w;
    bool safe;
    size_t length;              /* of its text */
    bool by_columns;
    double G[MOST * MOST], gamma[MOST], lambda[MOST];
    double f[MOST], M[MOST * MOST], r[MOST], rq[MOST * MOST], rv[MOST * MOST], E[2], a[MOST], y[16], xyz[3 * 256], q0[MOST];
};

static bool make(struct made *x, const struct text *t, enum derive_way way, const char *dir)
{
    char path[256], so[256], command[1024];
    const char *cc = getenv("CC"), *src = getenv("top_srcdir");
    struct compile *c = compile_memory("random.mbs", t->at, t->n, &(struct compile_options){.way = way, .solver = way == WAY_MIXED || way == WAY_CHEAPEST}, COMPILE_TEXT);
    size_t length;
    const char *text = compile_text(c, &length);
    snprintf(path, sizeof path, "%s/model%d.c", dir, (int)way);
    snprintf(so, sizeof so, "%s/model%d.so", dir, (int)way);
    FILE *f = c->good ? fopen(path, "w") : NULL;
    bool good = f && fwrite(text, 1, length, f) == length;
    x->length = length;
    x->by_columns = c->good && strstr(text, "jacobian_columns");
    if (!c->good)
        printf("# %s", compile_messages(c));
    if (f)
        good &= fclose(f) == 0;
    compile_free(c);
    snprintf(command, sizeof command, "%s -O0 -w -shared -fPIC -I%s/runtime -o %s %s -lm", cc ? cc : "cc", src ? src : ".", so, path);
    if (!good || system(command) || !(x->handle = dlopen(so, RTLD_NOW)))
        return false;
    *(const void **)&x->m = dlsym(x->handle, "random_model");
    return x->m && x->m->nq + x->m->ng <= MOST && x->m->npoint <= 256 && x->m->ny <= 16;
}

static double *array(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    if (!x)
        exit(1);
    return x;
}

static void evaluate(struct made *x, const double *p, const struct mbs_state *s)
{
    const struct mbs_model *m = x->m;
    double *M = array(m->M.nnz), *rq = array(m->rq.nnz), *rv = array(m->rv.nnz), unsafe = 0;
    x->c = array(m->nc), x->w = array(m->nw);
    m->setup(p, x->c);
    double *v0 = array(m->nq);
    m->initial(x->c, x->q0, v0, NULL, (double[1]){0});
    free(v0);
    double *G = array(m->G.nnz), *g = array(m->ng);
    m->dynamics(x->c, s, &(struct mbs_dynamics){.M = M, .f = x->f, .G = G, .gamma = x->gamma, .g = g}, x->w);
    mbs_dense(&m->G, G, x->G, 0);
    mbs_dense(&m->M, M, x->M, 1);
    m->residual(x->c, s, &(struct mbs_residual){.r = x->r}, x->w);
    m->jacobian(x->c, s, &(struct mbs_jacobian){.rq = rq, .rv = rv, .M = M, .G = G}, x->w);
    mbs_dense(&m->rq, rq, x->rq, 0);
    mbs_dense(&m->rv, rv, x->rv, 0);
    m->energy(x->c, s, x->E, x->w);
    m->outputs(x->c, s, x->y, x->w);
    if (m->points)
        m->points(x->c, s, x->xyz, x->w);
    if (m->accelerations)
        m->accelerations(x->c, s, &(struct mbs_accelerations){.a = x->a, .lambda = x->lambda, .unsafe = &unsafe}, x->w);
    x->safe = !unsafe;
    free(M);
    free(G);
    free(g);
    free(rq);
    free(rv);
}

/* --- judgement ------------------------------------------------------------------------------------------------------------------ */

static double worst;

static bool same_of(const char *what, double scale, int n, const double *a, const double *b, double tolerance)
{
    double top = scale, off = 0;
    for (int i = 0; i < n; i++) {
        top = fmax(top, fmax(fabs(a[i]), fabs(b[i])));
        double d = fabs(a[i] - b[i]);
        off = d > off || d != d ? d : off;
    }
    double relative = off / (top > 0 ? top : 1);
    if (relative > tolerance || relative != relative)
        printf("# %s differs by %.2g\n", what, relative);
    worst = fmax(worst, relative * 1e-12 / tolerance);
    return relative <= tolerance;
}

static bool same(const char *what, int n, const double *a, const double *b, double tolerance)
{
    return same_of(what, 0, n, a, b, tolerance);
}

static double largest(int n, const double *a)
{
    double top = 0;
    for (int i = 0; i < n; i++)
        top = fmax(top, fabs(a[i]));
    return top;
}

/* Dense, with pivots; returns an estimate of the condition number. */
static double solve(int n, double complex *A, double complex *x)
{
    double big = 0, small = INFINITY;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(A[i * n + k]) > cabs(A[p * n + k]))
                p = i;
        for (int j = 0; j < n; j++) {
            double complex t = A[k * n + j];
            A[k * n + j] = A[p * n + j];
            A[p * n + j] = t;
        }
        double complex t = x[k];
        x[k] = x[p];
        x[p] = t;
        big = fmax(big, cabs(A[k * n + k]));
        small = fmin(small, cabs(A[k * n + k]));
        for (int i = k + 1; i < n; i++) {
            double complex l = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= l * A[k * n + j];
            x[i] -= l * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
    return big / small;
}

static bool same_newton(const struct made *a, const struct made *b, const struct mbs_state *s, int parts)
{
    static double complex A[MOST * MOST], x[MOST];
    const struct mbs_model *m = b->m;
    int n = m->nq;
    double shift[6], y[2 * MOST], z[2 * MOST], *l = array(parts * m->nn);
    for (int k = 0; k < 3 * parts; k++)
        shift[k] = uniform(0.5, 2);
    for (int k = 0; k < parts * n; k++)
        y[k] = uniform(-1, 1);
    double complex c[3];
    for (int k = 0; k < 3; k++)
        c[k] = parts == 2 ? CMPLX(shift[2 * k], shift[2 * k + 1]) : shift[k];
    for (int i = 0; i < n; i++) {
        x[i] = parts == 2 ? CMPLX(y[2 * i], y[2 * i + 1]) : y[i];
        for (int j = 0; j < n; j++)
            A[i * n + j] = c[0] * a->rq[j * n + i] + c[1] * a->rv[j * n + i] + c[2] * a->M[j * n + i];
    }
    bool good = m->newton(b->c, s, parts, shift, l, b->w) == 0, singular = !good;
    if (parts == 1) {
        double product[MOST], by_entries[MOST];
        for (int i = 0; i < n; i++) {
            product[i] = y[i], by_entries[i] = 0;
            for (int j = 0; j < n; j++)
                by_entries[i] += creal(A[i * n + j]) * y[j];
        }
        m->newton_times(b->c, s, shift, product, b->w);
        good &= same("a product with a Newton matrix", n, by_entries, product, 1e-12);
    }
    m->newton_solve(parts, l, y);
    double condition = solve(n, A, x);
    if (singular && condition > 1e8) {          /* coordinates that move nothing: it says so */
        free(l);
        return true;
    }
    for (int i = 0; i < n; i++) {
        z[parts * i] = creal(x[i]);
        if (parts == 2)
            z[2 * i + 1] = cimag(x[i]);
    }
    free(l);
    return good && same(parts == 2 ? "a complex Newton system" : "a Newton system", parts * n, z, y, 1e-12 * fmax(1, condition));
}

static bool compare(struct made *a, struct made *b)
{
    int n = a->m->nq;
    double p[8] = {0}, q[MOST], v[MOST], acc[MOST];
    bool good = n == b->m->nq && a->m->npoint == b->m->npoint;
    for (int k = 0; good && k < STATES; k++) {
        a->m->defaults(p, NULL);
        for (int i = 0; k && i < a->m->np; i++)
            p[i] *= uniform(0.5, 1.5);
        for (int i = 0; i < n; i++)
            q[i] = uniform(-0.6, 0.6), v[i] = uniform(-1, 1), acc[i] = uniform(-1, 1);
        double u[1] = {0.4};
        double mu[MOST];
        for (int i = 0; i < MOST; i++)
            mu[i] = uniform(-1, 1);
        struct mbs_state s = {.t = 0.3, .q = q, .v = v, .a = acc, .lambda = mu, .mu = mu, .u = u};
        evaluate(a, p, &s);
        evaluate(b, p, &s);
        double mass = largest(n * n, a->M);     /* derivatives, which may all be zero, are in the scale of M at rates of 1 */
        good &= same("f", n, a->f, b->f, 1e-12) & same("M", n * n, a->M, b->M, 1e-12) & same("r", n, a->r, b->r, 1e-12)
                & same_of("rq", mass, n * n, a->rq, b->rq, 1e-12) & same_of("rv", mass, n * n, a->rv, b->rv, 1e-12) & same("energy", 2, a->E, b->E, 1e-12)
                & same("outputs", a->m->ny, a->y, b->y, 1e-12) & same("points", 3 * a->m->npoint, a->xyz, b->xyz, 1e-12)
                & same("initial", n, a->q0, b->q0, 1e-12);
        static double complex A[MOST * MOST], x[MOST];
        double z[MOST], found[MOST];
        int rows = a->m->ng, all = n + rows;        /* M a + G' lambda = f, G a = -gamma */
        for (int i = 0; i < all; i++)
            for (int j = 0; j < all; j++)
                A[i * all + j] = i < n && j < n ? a->M[i * n + j] : i < n ? a->G[i * rows + j - n] : j < n ? a->G[j * rows + i - n] : 0;
        for (int i = 0; i < all; i++) {
            x[i] = i < n ? a->f[i] : -a->gamma[i - n];
            found[i] = i < n ? b->a[i] : b->lambda[i - n];
        }
        double condition = solve(all, A, x);
        for (int i = 0; i < all; i++)
            z[i] = creal(x[i]);
        if (condition < 1e8 && b->safe && b->m->accelerations)      /* multipliers, which may all be zero, are in the scale of the forces */
            good &= same("accelerations", n, z, found, 1e-12 * fmax(1, condition))
                    & same_of("multipliers", largest(n, a->f), rows, z + n, found + n, 1e-12 * fmax(1, condition));
        good &= same("G", rows * n, a->G, b->G, 1e-12) & same("gamma", rows, a->gamma, b->gamma, 1e-12);
        if (b->m->newton)
            good &= same_newton(a, b, &s, 1) & same_newton(a, b, &s, 2);
        free(a->c);
        free(a->w);
        free(b->c);
        free(b->w);
    }
    return good;
}

/* Links of about a metre and a kilogram about y and z, in a plane about z.  `more`: a ball, a slide, a rod, a constant-velocity joint, joints passed from b to a, a branch, in a
 * plane a base that slides and a body without mass instead of the ball; then a loop; then springs and forces on every link that the ground holds, so that the rest of the model
 * couples all coordinates. */
static void chain_text(struct text *t, int n, bool spatial, int more)
{
    *t = (struct text){.n = 0};
    put(t, "model random\n%s\nparam m: kg = 1\ngravity %s\n", spatial ? "spatial" : "planar", spatial ? "[0, 0, -9.81]" : "[0, -9.81]");
    for (int i = 1; i <= n; i++)
        if (more && !spatial && i == 6)
            put(t, "body K6 { frame P = at([1, 0.2], z = 0.3) }\n");
        else
            put(t, spatial ? "body K%d { mass = %.2f*m, com = [0.5, 0, 0], inertia = [0.01, 0.09, 0.08], point P = [1, 0, 0] }\n"
                           : "body K%d { mass = %.2f*m, com = [0.5, 0], inertia = 0.09, point P = [1, 0] }\n", i, 1 + 0.01 * i);
    for (int i = 1; i <= n; i++) {
        char from[24];
        snprintf(from, sizeof from, i == 1 ? "ground" : "K%d.P", more && i == 8 ? 3 : i - 1);
        if (more && spatial && i == 5)
            put(t, "joint J%d: spherical(%s, K%d)\n", i, from, i);
        else if (more && !spatial && i == 1)
            put(t, "joint J%d: free(%s, K%d)\n", i, from, i);
        else if (more && i == 9)
            put(t, "joint J%d: distance(K%d, %s) length = 0.7%s\n", i, i, from, spatial ? " angles zyx" : "");
        else if (more && spatial && i == 13)
            put(t, "joint J%d: constant_velocity(%s, K%d) axis [1, 0, 0]\n", i, from, i);
        else if (more && i == 11)
            put(t, "joint J%d: prismatic(%s, K%d) axis %s\n", i, from, i, spatial ? "[1, 0, 0]" : "[1, 0.5]");
        else if (more && i == 4)
            put(t, "joint J%d: revolute(K%d, %s)%s\n", i, i, from, spatial ? " axis [0, 1, 0]" : "");
        else
            put(t, spatial ? "joint J%d: revolute(%s, K%d) axis [0, %d, %d]\n" : "joint J%d: revolute(%s, K%d)\n", i, from, i, i % 2, 1 - i % 2);
    }
    for (int i = 1; i <= n && more == 3; i++)
        put(t, i % 2 ? "spring S%d: between ground @ [1, 2, 3] and K%d.P, stiffness = 100, length = 0.3, damping = 1\n"
                     : "force F%d: on K%d.P = -0.1 [kg/m]*norm(K%d.P')*K%d.P'\n", i, i, i, i);
    if (more >= 2)
        put(t, "constraint tie: K7.P[1]^2/1 [m] + K7.P[2] = 0.3 [m]*sin(t/1 [s])\n");
}

static void chains(void)
{
    static const struct { int links; bool spatial; int more; } chain[] = {
        {9, false, 0}, {8, true, 0}, {20, false, 0}, {40, false, 0}, {20, true, 0}, {20, true, 1}, {20, true, 2}, {14, true, 3}, {21, false, 1}, {40, false, 1}, {21, false, 2},
    };
    static const char *const what[2][4] = {
        {"", " with a base that slides, a rod and a branch", " with a base that slides, a rod, a branch and a loop"},
        {"", " with a ball, a rod and a branch", " with a ball, a rod, a branch and a loop",
         " with a ball, a rod, a branch, a loop, and springs and forces from the ground, by columns"}};
    static struct made a, b;
    static struct text t;
    for (unsigned k = 0; k < sizeof chain / sizeof *chain; k++) {
        char dir[] = "/tmp/mbs-rolled-XXXXXX", command[64];
        memset(&a, 0, sizeof a);
        memset(&b, 0, sizeof b);
        chain_text(&t, chain[k].links, chain[k].spatial, chain[k].more);
        bool made = mkdtemp(dir) && make(&a, &t, chain[k].more == 3 ? WAY_TREE : WAY_ROLLED, dir) && make(&b, &t, WAY_CHEAPEST, dir);
        ok(made && compare(&a, &b), "chain of %d links in %s%s, as mbsc chooses: like %s", chain[k].links, chain[k].spatial ? "space" : "a plane",
           what[chain[k].spatial][chain[k].more], chain[k].more == 3 ? "statements" : "rolled code");
        ok(b.by_columns == (chain[k].more == 3), "... with derivatives of the rest %s", b.by_columns ? "by columns" : "by entries");
        ok(chain[k].more || b.length < 60000 + 500 * (size_t)chain[k].links, "... in %zu bytes", b.length);
        if (a.handle)
            dlclose(a.handle);
        if (b.handle)
            dlclose(b.handle);
        snprintf(command, sizeof command, "rm -rf %s", dir);
        if (system(command))
            printf("# %s is left\n", dir);
    }
}

/* A mass point on a rod of length 1: a = sin(q) for gravity (-1, 0), -cos(q) for (0, -1), and no rounding but theirs. */
static bool sines(const char *dir)
{
    static struct made x;
    static struct text t;
    double off = 0;
    put(&t, "model random\nplanar\nparam gx: m/s^2 = -1, gy: m/s^2 = 0\ngravity [gx, gy]\n"
            "body B { mass = 1, com = [1, 0], inertia = 0 }\njoint J: revolute(ground, B)\n");
    if (!make(&x, &t, WAY_ROLLED, dir))
        return false;
    double *c = array(x.m->nc), *w = array(x.m->nw), q, v = 0, a, unsafe;
    for (int turned = 0; turned < 2; turned++)
        for (int k = 0; k < 40000; k++) {
            int far = below(12);
            q = k < 200 ? (k - 100) * 0.78539816339744831 : uniform(-1, 1) * pow(10, far);
            x.m->setup((double[]){turned - 1, -turned}, c);
            x.m->accelerations(c, &(struct mbs_state){.q = &q, .v = &v}, &(struct mbs_accelerations){.a = &a, .unsafe = &unsafe}, w);
            off = fmax(off, fabs(a - (turned ? -cos(q) : sin(q))));
        }
    printf("# sines and cosines: %.2g of 1\n", off);
    free(c);
    free(w);
    dlclose(x.handle);
    return off <= 2.3e-16;
}

int main(void)
{
    const char *asked = getenv("TREES"), *from = getenv("SEED");
    int n = asked ? atoi(asked) : FEW, done = 0;
    static struct made a, b, mixed;
    static struct text t;
    for (int k = 0; done < n && k < 4 * n; k++) {
        char dir[] = "/tmp/mbs-rolled-XXXXXX", command[64];
        seed = (uint64_t)(k + (from ? atoi(from) : 1)) * 7919;
        uniform(0, 1);
        model_text(&t, k % 2);
        if (!mkdtemp(dir))
            return 1;
        memset(&a, 0, sizeof a);
        memset(&b, 0, sizeof b);
        memset(&mixed, 0, sizeof mixed);
        bool made = make(&a, &t, WAY_ENERGIES, dir) && make(&b, &t, WAY_ROLLED, dir) && make(&mixed, &t, WAY_MIXED, dir);
        bool good = made && compare(&a, &b) && compare(&a, &mixed);
        if (!good)
            printf("# seed %d\n%s", k + (from ? atoi(from) : 1), getenv("SEED") ? t.at : "");
        ok(good, "tree %d: %d coordinates, %s", k, made ? a.m->nq : 0, made && b.m && b.m->newton ? "with Newton matrices" : "without Newton matrices");
        done++;
        if (a.handle)
            dlclose(a.handle);
        if (b.handle)
            dlclose(b.handle);
        if (mixed.handle)
            dlclose(mixed.handle);
        snprintf(command, sizeof command, "rm -rf %s", dir);
        if (system(command))
            return 1;
    }
    chains();
    char dir[] = "/tmp/mbs-rolled-XXXXXX", command[64];
    ok(mkdtemp(dir) && sines(dir), "cosines and sines");
    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (system(command))
        return 1;
    printf("# worst difference: %.2g of the tolerance's 1e-12\n", worst / 1e-12);
    return tap_done();
}
