/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs of singular and redundant mechanisms by all methods, judged by means that share nothing with the integrators.
 *
 *     trust MODEL.so SYMBOL NAME [PARAMETER=VALUE ...]
 *
 * All mechanisms here have one degree of freedom (or none, where time drives them) and conserve their energy.  Their path is followed
 * first: from point to point along the tangent that continues the last one, so that at a crossing of two branches it goes straight on;
 * each point is brought onto the constraints by least corrections.  Along the path, whose points are a smooth function of their number
 * k, the motion is that of one coordinate,
 *
 *     L = m(k) k'^2/2 - U(k),   m = (dq/dk)' M (dq/dk),
 *
 * with derivatives by differences of order 8, integrated by a fixed step.  A run is held against q at its end. */
#include "linalg/linalg.h"
#include "mbs/mbs.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double ASKED[] = { 1e-4, 1e-6, 1e-8 };
enum { TOLS = 3, HALF = 40000, STEPS = 40000, POINTS = 8 };
static const double STRIDE = 4e-3;      /* between points of the path, in the norm of q */
static const double CAP = 4;            /* s of one run */

/* ---- the path ---- */

struct path {
    const struct mbs_model *o;
    int n, m;
    double *c, *w, *M, *G, *g, *zero, *A, *b, *x, *d;
    struct mbs_cod *cod;
    double *q;                  /* (2 HALF + 1) points of n, around the start */
    double *tangent[2];         /* at both ends, pointing outward */
    int low, high;              /* points known: low .. high, 0 being the start */
    double *mass, *U;
};

static double *at(struct path *p, int k)
{
    return p->q + (long)(k + HALF) * p->n;
}

static void evaluate(struct path *p, const double *q)
{
    struct mbs_state x = { .q = q, .v = p->zero, .a = p->zero, .z = p->zero, .u = p->zero };
    struct mbs_constraints con = { .g = p->g, .G = p->G };

    p->o->constraints(p->c, &x, &con, p->w);
}

/* The least x with G x = -g (or 0) and tangent' x = along. */
static void bordered(struct path *p, const double *tangent, int with_g, double along, double *x)
{
    const struct mbs_pattern *G = &p->o->G;

    memset(p->A, 0, (size_t)p->n * (size_t)(p->m + 1) * sizeof *p->A);
    for (int j = 0; j < p->n; j++) {
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            p->A[G->rowidx[k] * p->n + j] = p->G[k];
        p->A[p->m * p->n + j] = tangent[j];
    }
    for (int i = 0; i < p->m; i++)
        p->b[i] = with_g ? -p->g[i] : 0;
    p->b[p->m] = along;
    mbs_cod_factor(p->cod, p->A, 1e-5);
    mbs_cod_solve(p->cod, p->b, x);
}

static double norm(const double *x, int n)
{
    double s = 0;

    for (int i = 0; i < n; i++)
        s = hypot(s, x[i]);
    return s;
}

static void turn_tangent(struct path *p, const double *q, double *tangent)
{
    double size;

    evaluate(p, q);
    bordered(p, tangent, 0, 1, p->x);
    size = norm(p->x, p->n);
    for (int i = 0; i < p->n; i++)
        tangent[i] = p->x[i] / size;
}

/* The next point outward on side 0 (low) or 1 (high); 0 if it cannot be reached. */
static int extend(struct path *p, int side)
{
    int from = side ? p->high : p->low, to = side ? from + 1 : from - 1;
    double *q, *tangent = p->tangent[side], off = 1;

    if (abs(to) >= HALF)
        return 0;
    q = at(p, to);
    for (int i = 0; i < p->n; i++)
        q[i] = at(p, from)[i] + STRIDE * tangent[i];
    for (int k = 0; k < 12 && off > 1e-15; k++) {
        evaluate(p, q);
        bordered(p, tangent, 1, 0, p->x);
        off = norm(p->x, p->n);
        for (int i = 0; i < p->n; i++)
            q[i] += p->x[i];
    }
    if (!(off < 1e-9))
        return 0;
    turn_tangent(p, q, tangent);
    *(side ? &p->high : &p->low) = to;
    return 1;
}

static int cover(struct path *p, int low, int high)
{
    while (p->low > low)
        if (!extend(p, 0))
            return 0;
    while (p->high < high)
        if (!extend(p, 1))
            return 0;
    return 1;
}

/* m and U at point k, whose neighbours are known. */
static int inertia_at(struct path *p, int k)
{
    static const double c[] = { 4. / 5, -1. / 5, 4. / 105, -1. / 280 };
    double *d = p->d, E[2];
    struct mbs_state x = { .v = d, .a = p->zero, .z = p->zero, .u = p->zero };

    if (!isnan(p->mass[k + HALF]))
        return 1;
    if (!cover(p, k - 4, k + 4))
        return 0;
    for (int i = 0; i < p->n; i++) {
        d[i] = 0;
        for (int j = 0; j < 4; j++)
            d[i] += c[j] * (at(p, k + j + 1)[i] - at(p, k - j - 1)[i]);
    }
    x.q = at(p, k);
    p->o->energy(p->c, &x, E, p->w);
    p->mass[k + HALF] = 2 * E[0];
    p->U[k + HALF] = E[1];
    return 1;
}

/* Values and derivatives of m and U at s by Lagrange's polynomial over 8 points. */
static int inertia(struct path *p, double s, double out[4])
{
    int first = (int)floor(s) - POINTS / 2 + 1;

    memset(out, 0, 4 * sizeof *out);
    for (int j = 0; j < POINTS; j++) {
        double w = 1, dw = 0;
        if (first + j - 4 <= -HALF || first + j + 4 >= HALF || !inertia_at(p, first + j))
            return 0;
        for (int k = 0; k < POINTS; k++) {
            if (k == j)
                continue;
            dw = dw * (s - first - k) / (j - k) + w / (j - k);
            w *= (s - first - k) / (j - k);
        }
        out[0] += w * p->mass[first + j + HALF];
        out[1] += w * p->U[first + j + HALF];
        out[2] += dw * p->mass[first + j + HALF];
        out[3] += dw * p->U[first + j + HALF];
    }
    return 1;
}

static int rate(struct path *p, double s, double r, double *acceleration)
{
    double v[4];

    if (!inertia(p, s, v))
        return 0;
    *acceleration = -(v[3] + v[2] * r * r / 2) / v[0];
    return 1;
}

/* From s at the rate r after step `from` of all STEPS to time T; both at the end, and at TIMES times on the way if these are wanted. */
enum { TIMES = 8 };
static int travel(struct path *p, double s, double r, double T, int from, double *s_end, double *r_end, double (*at_times)[2])
{
    double h = T / STEPS, a[4];

    for (int i = from; i < STEPS; i++) {
        if (at_times && i % (STEPS / TIMES) == 0) {
            at_times[i / (STEPS / TIMES)][0] = s;
            at_times[i / (STEPS / TIMES)][1] = r;
        }
        if (!rate(p, s, r, &a[0]) || !rate(p, s + h / 2 * r, r + h / 2 * a[0], &a[1]) ||
            !rate(p, s + h / 2 * r + h * h / 4 * a[0], r + h / 2 * a[1], &a[2]) ||
            !rate(p, s + h * r + h * h / 2 * a[1], r + h * a[2], &a[3]))
            return 0;
        s += h * r + h * h / 6 * (a[0] + a[1] + a[2]);
        r += h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    }
    *s_end = s;
    *r_end = r;
    return 1;
}

/* The largest effect at the end of a disturbance of place or rate by a part of their tolerances, at any of the times. */
static double growth_of(struct path *p, double T, double s_end, double (*at_times)[2])
{
    double most = 1, s, r;

    for (int i = 0; i < TIMES; i++)
        for (int which = 0; which < 2; which++) {
            double scale = which ? fmax(fabs(at_times[i][1]), 1 / STRIDE) : 1 / STRIDE, d = 1e-6 * scale;
            if (travel(p, at_times[i][0] + (which ? 0 : d), at_times[i][1] + (which ? d : 0), T, i * (STEPS / TIMES), &s, &r, NULL))
                most = fmax(most, fabs(s - s_end) / d * scale * STRIDE);
        }
    return most;
}

static void place(struct path *p, double s, double *q)
{
    int first = (int)floor(s) - POINTS / 2 + 1;

    memset(q, 0, (size_t)p->n * sizeof *q);
    for (int j = 0; j < POINTS; j++) {
        double w = 1;
        for (int k = 0; k < POINTS; k++)
            if (k != j)
                w *= (s - first - k) / (j - k);
        for (int i = 0; i < p->n; i++)
            q[i] += w * at(p, first + j)[i];
    }
}

static struct path path_new(const struct mbs_model *o, const double *params, const double *q0, const double *v0)
{
    int n = o->nq, m = o->ng, len = 2 * HALF + 1;
    struct path p = { .o = o, .n = n, .m = m, .c = calloc((size_t)o->nc + 1, 8), .w = calloc((size_t)o->nw + 1, 8),
                      .G = calloc((size_t)o->G.nnz + 1, 8), .g = calloc((size_t)m + 1, 8), .zero = calloc((size_t)(n + m + o->nu + o->nz) + 1, 8),
                      .A = calloc((size_t)(m + 1) * (size_t)n, 8), .b = calloc((size_t)m + 1, 8), .x = calloc((size_t)n, 8), .d = calloc((size_t)n, 8),
                      .cod = mbs_cod_new(m + 1, n), .q = malloc((size_t)len * (size_t)n * 8), .mass = malloc((size_t)len * 8),
                      .U = malloc((size_t)len * 8) };

    o->setup(params, p.c);
    memcpy(at(&p, 0), q0, (size_t)n * 8);
    for (int k = 0; k < len; k++)
        p.mass[k] = NAN;
    for (int side = 0; side < 2; side++) {
        double size = norm(v0, n) * (side ? 1 : -1);
        p.tangent[side] = calloc((size_t)n, 8);
        for (int i = 0; i < n; i++)
            p.tangent[side][i] = v0[i] / size;
        turn_tangent(&p, q0, p.tangent[side]);
    }
    return p;
}

/* ---- runs ---- */

static const struct mbs_model *model;
static double *params;
static unsigned char *given;
static double began;

static double cpu(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int watch(void *user, double t, const struct mbs_statistics *stat)
{
    (void)user, (void)t, (void)stat;
    return cpu() - began > CAP;
}

struct end {
    int status;
    struct mbs_message msg;
    double q[2048], v[2048], a[2048], cpu, error;
    long steps;
};

static void run(const char *method, const char *form, double tol, double to, struct end *e)
{
    struct mbs_options opt;
    struct mbs_run r;
    struct mbs_sim *sim;

    mbs_options_init(&opt, model);
    opt.method = method;
    opt.formulation = form;
    opt.rtol = opt.atol = tol;
    opt.witness = getenv("NO_WITNESS") ? 0 : 2;
    opt.max_steps = 200000;
    began = cpu();
    if ((e->status = mbs_new(&sim, model, params, &opt, &e->msg)))
        return;
    mbs_run_init(&r, model);
    r.to = to;
    r.progress = watch;
    e->status = mbs_assemble(sim, 0);
    if (e->status == 0 && to > 0)
        e->status = mbs_run(sim, &r);
    e->msg = *mbs_message(sim);
    e->steps = mbs_statistics(sim)->steps;
    memcpy(e->q, mbs_state(sim)->q, (size_t)model->nq * 8);
    memcpy(e->v, mbs_state(sim)->v, (size_t)model->nq * 8);
    memcpy(e->a, mbs_state(sim)->a, (size_t)model->nq * 8);
    e->cpu = cpu() - began;
    mbs_free(sim);
}

static int set_parameter(const char *arg)
{
    const char *eq = strchr(arg, '=');

    for (int i = 0; eq && i < model->np; i++)
        if (strlen(model->param[i].name) == (size_t)(eq - arg) && !strncmp(model->param[i].name, arg, (size_t)(eq - arg))) {
            params[i] = strtod(eq + 1, NULL);
            given[i] = 1;
            return 1;
        }
    return 0;
}

/* . within 30 tolerances times the growth of disturbances, o within 100, e beyond, and the run ends with MBS_DOUBTFUL; ! beyond, X off altogether; another
 * letter: the message */
static char verdict(const struct end *e, double tol, double growth)
{
    double ratio = e->error / (tol * growth);

    switch (e->status) {
    case MBS_OK:
    case MBS_DOUBTFUL:
        return ratio <= 30 ? '.' : ratio <= 100 ? 'o' : e->status == MBS_DOUBTFUL ? 'e' : e->error < 0.03 ? '!' : 'X';
    case MBS_DRIFT:
        return 'd';
    case MBS_UNDERFLOW:
        return 'u';
    case MBS_NO_CONVERGENCE:
        return 'c';
    case MBS_INCONSISTENT:
        return 'i';
    case MBS_UNAVAILABLE:
        return ' ';
    case MBS_MAX_STEPS:
    case MBS_CANCELLED:
        return 't';
    default:
        return 'm';
    }
}

int main(int argc, char **argv)
{
    void *lib = argc > 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
    static struct end e, ref;
    static double q[2048];
    double to, s, r, growth, r0 = 0, d0[4] = { 0 }, at_times[TIMES][2];
    const char *only = getenv("ONLY");
    struct path p;
    int silent = 0, runs = 0;

    if (!lib || !(model = dlsym(lib, argv[2]))) {
        fprintf(stderr, "trust: %s\n", argc > 3 ? dlerror() : "no model");
        return 2;
    }
    params = calloc((size_t)model->np + 1, 8);
    given = calloc((size_t)model->np + 1, 1);
    for (int i = 4; i < argc; i++)
        if (!set_parameter(argv[i])) {
            fprintf(stderr, "trust: %s\n", argv[i]);
            return 2;
        }
    model->defaults(params, given);
    to = model->experiment.to;
    run("dop853", "projected", 1e-6, 0, &ref);
    if (ref.status) {
        printf("%-24s cannot be assembled: %s\n", argv[3], ref.msg.text);
        return 2;
    }
    p = path_new(model, params, ref.q, norm(ref.v, model->nq) > 0 ? ref.v : ref.a);
    /* the rate of k from the kinetic energy, T = m k'^2/2 */
    {
        struct mbs_state x = { .q = ref.q, .v = ref.v, .z = p.zero, .u = p.zero };
        double E[2];
        model->energy(p.c, &x, E, p.w);
        if (inertia(&p, 0, d0))
            r0 = sqrt(2 * E[0] / d0[0]);
    }
    if (!(d0[0] > 0) || !travel(&p, 0, r0, to, 0, &s, &r, at_times)) {
        printf("%-24s has no path: %d .. %d\n", argv[3], p.low, p.high);
        return 2;
    }
    place(&p, s, q);
    growth = growth_of(&p, to, s, at_times);
    if (getenv("VERBOSE"))
        printf("%s: n = %d, m = %d, k' = %g, end at %.3f of %d .. %d, growth %.3g\n", argv[3], model->nq, model->ng, r0, s, p.low, p.high, growth);
    printf("%-24s", argv[3]);
    for (int i = -1;; i++) {
        struct mbs_method_info info = { .name = "auto", .adaptive = 1, .forms = 1 };
        if (i >= 0 && !mbs_method_list(i, &info))
            break;
        if (info.needs || !info.adaptive)
            continue;
        printf(" ");
        for (int f = 0; f < (i < 0 ? 1 : MBS_FORMS); f++)
            for (int k = 0; k < TOLS && (info.forms & 1u << f); k++) {
                char name[64], mark;
                snprintf(name, sizeof name, "%s %s", info.name, i < 0 ? "auto" : mbs_form_name((enum mbs_form)f));
                if (only && strcmp(only, name))
                    continue;
                run(info.name, i < 0 ? "auto" : mbs_form_name((enum mbs_form)f), ASKED[k], to, &e);
                e.error = 0;
                for (int j = 0; j < model->nq; j++)
                    e.error = fmax(e.error, fabs(e.q[j] - q[j]) / (1 + fabs(q[j])));
                mark = verdict(&e, ASKED[k], growth);
                runs++;
                silent += mark == 'X' || mark == '!';
                if (getenv("VERBOSE"))
                    printf("\n  %-24s %.0e  %c  error %8.2g  steps %6ld  %5.2f s  %s", name, ASKED[k], mark, e.error, e.steps, e.cpu, e.msg.text);
                else
                    printf("%c%s", mark, k == TOLS - 1 ? "|" : "");
                fflush(stdout);
            }
    }
    printf("  %d/%d\n", silent, runs);
    return silent > 0;
}
