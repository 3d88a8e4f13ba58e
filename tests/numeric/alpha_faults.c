/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * genalpha, hht, halfexplicit and rattle when something goes wrong: each fault has its status and message and keeps what
 * was reached.  And no memory is allocated while stepping. */
#include "../tap.h"
#include "alpha_models.h"
#include "generated.h"

/* Counting what the library asks for: the definitions of the C library's own entry points are used behind ours. */
static long allocations;
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *malloc(size_t n)
{
    allocations++;
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t m)
{
    allocations++;
    return __libc_calloc(n, m);
}
void *realloc(void *p, size_t n)
{
    allocations++;
    return __libc_realloc(p, n);
}

static const char *const methods[] = { "genalpha", "hht", "halfexplicit", "rattle" };

static struct mbs_sim *new(const struct mbs_model *model, const char *method, double step, struct mbs_message *msg)
{
    struct mbs_options opt;
    struct mbs_sim *sim;

    mbs_options_init(&opt, NULL);
    opt.method = method;
    opt.step = step;
    if (mbs_new(&sim, model, NULL, &opt, msg))
        return NULL;
    return sim;
}

/* ---- models with faults ---- */

static double nan_from;

static void nan_dynamics(const double *c, const struct mbs_state *x, const struct mbs_dynamics *out, double *w)
{
    alpha_linkage.dynamics(c, x, out, w);
    if (x->t > nan_from)
        out->f[1] = NAN;
}

/* A force whose motion ends at t = 1/2: infinite velocity. */
static void wild_dynamics(const double *c, const struct mbs_state *x, const struct mbs_dynamics *out, double *w)
{
    alpha_linkage.dynamics(c, x, out, w);
    out->f[0] += 1 / ((x->t - 0.5) * (x->t - 0.5));
}

/* The end of the rocker cannot be reached any longer from t = 0.5 on: the constraint has no solution. */
static void lost_shift(double t, double *g)
{
    if (t > 0.5)
        *g += 100;
}

static void lost_dynamics(const double *c, const struct mbs_state *x, const struct mbs_dynamics *out, double *w)
{
    alpha_linkage.dynamics(c, x, out, w);
    if (out->g)
        lost_shift(x->t, out->g);
}

static void lost_constraints(const double *c, const struct mbs_state *x, const struct mbs_constraints *out, double *w)
{
    alpha_linkage.constraints(c, x, out, w);
    lost_shift(x->t, out->g);
}

static void test_nan(void)
{
    struct mbs_model model = alpha_linkage;

    model.dynamics = nan_dynamics;
    nan_from = 0.5;
    for (int i = 0; i < 4; i++)
        for (int fixed = i == 3; fixed < 2; fixed++) {
            struct mbs_sim *sim = new(&model, methods[i], fixed ? 0.01 : 0, NULL);
            int status = mbs_advance(sim, 1);
            const struct mbs_message *m = mbs_message(sim);
            ok(status == MBS_NAN && m->coord == 1 && strstr(m->text, "psi"), "%s, %s step, NaN: %s", methods[i], fixed ? "fixed" : "free", m->text);
            ok(mbs_state(sim)->t <= 0.5 && mbs_state(sim)->t > (fixed ? 0.48 : 0.4999), "reached t = %.9g", mbs_state(sim)->t);
            ok(isfinite(mbs_state(sim)->q[0] + mbs_state(sim)->v[1] + mbs_state(sim)->a[0]), "the state is finite");
            mbs_free(sim);
        }
}

static void test_underflow(void)
{
    struct mbs_model model = alpha_linkage;

    model.dynamics = wild_dynamics;
    for (int i = 0; i < 3; i++) {
        struct mbs_sim *sim = new(&model, methods[i], 0, NULL);
        struct mbs_run in;
        int status;
        mbs_run_init(&in, NULL);
        in.to = 1;
        status = mbs_run(sim, &in);
        ok(status == MBS_UNDERFLOW || status == MBS_NAN || status == MBS_MAX_STEPS, "%s: %s", methods[i], mbs_message(sim)->text);
        ok(fabs(mbs_state(sim)->t - 0.5) < 1e-2, "reached t = %.9g", mbs_state(sim)->t);
        mbs_free(sim);
    }
}

static void test_no_solution(void)
{
    struct mbs_model model = alpha_linkage;

    model.dynamics = lost_dynamics;
    model.constraints = lost_constraints;
    for (int i = 0; i < 4; i += i == 0 ? 3 : 1)
        for (int fixed = i == 3; fixed < 2; fixed++) {
            struct mbs_sim *sim = new(&model, methods[i], fixed ? 0.01 : 0, NULL);
            int status = mbs_advance(sim, 1);
            ok(status == (fixed ? MBS_NO_CONVERGENCE : MBS_UNDERFLOW) || status == MBS_NAN, "%s, %s step, constraint lost: %s", methods[i],
               fixed ? "fixed" : "free", mbs_message(sim)->text);
            ok(mbs_state(sim)->t <= 0.5 + 1e-9 && mbs_state(sim)->t > 0.48, "reached t = %.9g", mbs_state(sim)->t);
            mbs_free(sim);
        }
}

static void test_options(void)
{
    struct mbs_options opt;
    struct mbs_message msg;
    struct mbs_sim *sim;

    mbs_options_init(&opt, NULL);
    opt.method = "genalpha";
    opt.iteration = "magic";
    ok(mbs_new(&sim, &alpha_linkage, NULL, &opt, &msg) == MBS_BAD_ARGUMENT && strstr(msg.text, "magic"), "unknown iteration: %s", msg.text);
    opt.iteration = NULL;
    opt.formulation = "index1";
    ok(mbs_new(&sim, &alpha_linkage, NULL, &opt, &msg) == MBS_UNAVAILABLE, "unfit formulation: %s", msg.text);
    opt.formulation = NULL;
    opt.rho = 1.5;
    ok(mbs_new(&sim, &alpha_linkage, NULL, &opt, &msg) == MBS_BAD_ARGUMENT, "rho: %s", msg.text);
}

static void count_allocations(const struct mbs_model *model, long steps, int assemble)
{
    for (int i = 0; i < 4; i++) {
        struct mbs_sim *sim = new(model, methods[i], 1.0 / steps, NULL);
        int status = (assemble && mbs_assemble(sim, 0)) || mbs_advance(sim, 1.0 / steps);
        long before = allocations;
        status |= mbs_advance(sim, 1);
        ok(status == 0 && mbs_statistics(sim)->accepted >= steps - 1 && allocations == before, "%s, %s: %ld allocations in %ld steps", model->name, methods[i],
           allocations - before, mbs_statistics(sim)->accepted);
        mbs_free(sim);
    }
}

/* Small models with dense matrices, and a chain whose matrices are sparse. */
static void test_allocations(void)
{
    struct generated g;

    count_allocations(&alpha_linkage, 10000, 0);
    count_allocations(&alpha_redundant, 10000, 0);
    if (LOAD(&g, "models/chain", "absolute=true n=20"))
        count_allocations(g.m, 300, 1);
    generated_free(&g);
}

int main(void)
{
    test_nan();
    test_underflow();
    test_no_solution();
    test_options();
    test_allocations();
    return tap_done();
}
