/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs fit`: parameters from measurements.  Least squares of (model - data)/deviation over the rows of one or several experiments, by
 * the Levenberg-Marquardt method of GSL with exact derivatives of the runs.  A parameter with bounds is a sine of what
 * the method varies, p = lo + (hi - lo)(1 + sin x)/2, so that it stays inside. */
#include "config.h"
#include "commands.h"
#include "interrupt.h"
#include "json.h"
#include "params.h"
#include "row.h"
#include "sink.h"
#include "study/free.h"
#include "study/page.h"
#include "study/page_fit.h"
#include "study/plan.h"

#ifdef HAVE_GSL
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct manual manual_fit = {
    "fit", "MODEL.mbs DATA.csv ... --free NAME ... [options]", FOR_FIT,
    "Finds parameters for which the model runs as it was measured: least squares over all files. A file has a column t, and columns\n"
    "named after coordinates, velocities (phi'), states or outputs of the model; empty fields are samples that are missing. A column\n"
    "named after a parameter gives its value in that experiment. Other columns are refused. --free NAME=LOW..HIGH keeps a parameter\n"
    "between bounds; --deviation COLUMN=S says how exact a column was measured (else all are taken as equally exact); then --prior\n"
    "NAME=MEAN+-S adds what is known of a parameter before. Start values that shall be found are parameters that `init` uses. The table has\n"
    "estimates, standard errors, correlations, and combinations of parameters that the data do not determine. -o writes all parameters\n"
    "as --params reads them; --page writes a page with the data beside the model. Derivatives of the runs are exact; the runs have the\n"
    "tolerances of the model or of --rtol.",
    "  mbs fit pendulum.mbs swing.csv --free l --free d=0..1 -o fitted.toml\n"
    "  mbs fit double_pendulum.mbs double_pendulum.csv --free c=0..1 --free m2=0.1..3 --page fit.html\n"
    "  mbs fit arm.mbs a.csv b.csv --free m1=0.5..2 --free k --deviation tip=0.001 --starts 20\n"
    "  mbs run pendulum.mbs --params fitted.toml -o fitted.csv\n",
    2, -1};

#ifndef HAVE_GSL
int cmd_fit(int argc, char **argv)
{
    struct settings set;
    int status;
    if (!settings_parse(&set, &manual_fit, argc, argv, &status))
        return status;
    settings_free(&set);
    complain(&manual_fit, "this mbs was built without the GNU Scientific Library, which finds the least squares");
    return EXIT_FAILED;
}
#else

enum { STEPS = 200 };           /* of a search, at most */

struct experiment {
    struct csv data;
    const char *path;
    int *column;                /* of data: the value it measures, -1: none */
    double *times;
    int time;                   /* its column of t */
    double *params;             /* those of the model in this experiment */
    unsigned char *given;
    int rows;
};
/* A quantity of the model that is measured: where its value and its derivatives are. */
enum block { BLOCK_Q, BLOCK_V, BLOCK_A, BLOCK_LAMBDA, BLOCK_Z, BLOCK_Y, BLOCKS };
struct measured {
    enum block block;
    int index;
    double deviation;
};
struct fit {
    struct session *s;
    struct freedom *free;
    int n;                      /* parameters that are free */
    struct experiment *experiment;
    int experiments;
    struct columns columns;     /* of a run, to find quantities by their names */
    struct measured *measured;  /* one a column of a run */
    size_t residuals;
    double *p;                  /* values of the free parameters, as varied last */
    double *f, *J;              /* residuals and residuals x n for them */
    double size;                /* the length of all that the model gave for the samples, in the units of the residuals */
    bool known;                 /* f and J belong to p */
    bool lost;                  /* memory is out: no run of the search may be called one that fails */
    bool weighted;              /* deviations were given for every column that is measured */
    long runs;
    double *course;             /* steps x (1 + n) of the search at hand: sum of squares, parameters; best_course is that of the best */
    double *best_course;
    int steps, best_steps;
    char why[400];
    long doubtful;              /* runs whose end the witness doubts: the search goes by them all the same ... */
    char doubt[400];            /* ... and what it says about those with p, "" */
};

/* ---- what is fitted ---- */

/* NAME=MEAN+-DEVIATION */
static bool read_priors(struct fit *t)
{
    const struct settings *set = t->s->settings;
    for (int i = 0; i < set->prior.n; i++) {
        const char *text = set->prior.at[i], *eq = strchr(text, '='), *sign = eq ? strstr(eq, "+-") : NULL;
        struct freedom *x = NULL;
        char mean[64];
        for (int k = 0; k < t->n && eq; k++) {
            const char *name = t->s->model->param[t->free[k].param].name;
            if (strlen(name) == (size_t)(eq - text) && !strncmp(name, text, strlen(name)))
                x = &t->free[k];
        }
        snprintf(mean, sizeof mean, "%.*s", sign ? (int)(sign - eq - 1) : 0, eq ? eq + 1 : "");
        if (!x || !sign || !number_read(mean, &x->prior) || !number_read(sign + 2, &x->prior_deviation) || !(x->prior_deviation > 0)) {
            complain(t->s->manual, "--prior is NAME=MEAN+-DEVIATION of a parameter that --free names, not '%s'", text);
            return false;
        }
    }
    return true;
}

static void find_measured(struct fit *t)
{
    const struct mbs_model *m = t->s->model;
    const struct { enum block block; int n; } layout[] = {{BLOCK_Q, m->nq}, {BLOCK_V, m->nq}, {BLOCK_Z, m->nz}, {BLOCKS, m->nu}, {BLOCK_Y, m->ny}, {BLOCKS, 2},
                                                          {BLOCK_A, m->nq}, {BLOCK_LAMBDA, m->ng + m->nh}, {BLOCKS, 2}};
    int at = 0;
    t->measured[at++] = (struct measured){BLOCKS, 0, NAN};     /* t */
    for (size_t i = 0; i < sizeof layout / sizeof *layout; i++)
        for (int k = 0; k < layout[i].n; k++)
            t->measured[at++] = (struct measured){layout[i].block, k, NAN};
}

static bool read_deviations(struct fit *t)
{
    const struct settings *set = t->s->settings;
    for (int i = 0; i < set->deviation.n; i++) {
        const char *text = set->deviation.at[i], *eq = strchr(text, '=');
        int k = 0;
        double x;
        while (eq && k < t->columns.n && (strlen(t->columns.name[k]) != (size_t)(eq - text) || strncmp(t->columns.name[k], text, (size_t)(eq - text))))
            k++;
        if (!eq || k == t->columns.n || t->measured[k].block == BLOCKS || !number_read(eq + 1, &x) || !(x > 0)) {
            complain(t->s->manual, "--deviation is COLUMN=S with a coordinate, velocity, state or output of the model and a positive number, not '%s'", text);
            return false;
        }
        t->measured[k].deviation = x;
    }
    return true;
}

/* ---- data ---- */

static bool parameter_column(struct fit *t, struct experiment *e, int j, int param)
{
    double first = e->data.rows ? csv_get(&e->data, 0, j) : NAN;
    for (int i = 0; i < t->n; i++)
        if (t->free[i].param == param) {
            complain(t->s->manual, "%s: the column %s gives a parameter that is to be found", e->path, e->data.name[j]);
            return false;
        }
    for (int i = 0; i < e->data.rows; i++)
        if (!(csv_get(&e->data, i, j) == first)) {
            complain(t->s->manual, "%s: the parameter %s has one value in an experiment, its column several", e->path, e->data.name[j]);
            return false;
        }
    e->params[param] = first;
    e->given[param] = 1;
    return true;
}

static bool name_columns(struct fit *t, struct experiment *e)
{
    const struct mbs_model *m = t->s->model;
    bool any = false;
    for (int j = 0; j < e->data.columns; j++) {
        size_t length = csv_name_length(e->data.name[j]);
        int found = -1, param = -1;
        e->column[j] = -1;
        for (int k = 0; k < t->columns.n && found < 0; k++)
            if (strlen(t->columns.name[k]) == length && !strncmp(t->columns.name[k], e->data.name[j], length))
                found = k;
        for (int k = 0; k < m->np; k++)
            if (strlen(m->param[k].name) == length && !strncmp(m->param[k].name, e->data.name[j], length))
                param = k;
        if (found == 0 || (found < 0 && length == 4 && !strncmp(e->data.name[j], "time", 4))) {
            e->time = j;
        } else if (found > 0 && t->measured[found].block != BLOCKS) {
            e->column[j] = found;
            any = true;
        } else if (param >= 0) {
            if (!parameter_column(t, e, j, param))
                return false;
        } else {
            complain(t->s->manual, "%s: the column '%s' is no coordinate, velocity, acceleration, multiplier, state, output or parameter of the model", e->path,
                     e->data.name[j]);
            return false;
        }
    }
    if (e->time < 0)
        complain(t->s->manual, "%s has no column t", e->path);
    else if (!any)
        complain(t->s->manual, "%s measures nothing: it has no column of the model", e->path);
    return e->time >= 0 && any;
}

static bool read_times(struct fit *t, struct experiment *e)
{
    for (int i = 0; i < e->data.rows; i++) {
        e->times[i] = csv_get(&e->data, i, e->time);
        if (!isfinite(e->times[i]) || e->times[i] < t->s->from || (i && !(e->times[i] > e->times[i - 1]))) {
            complain(t->s->manual, "%s: row %d: times ascend, from t = %g on", e->path, i + 1, t->s->from);
            return false;
        }
        for (int j = 0; j < e->data.columns; j++)
            if (e->column[j] >= 0 && isfinite(csv_get(&e->data, i, j)))
                t->residuals++;
    }
    e->rows = e->data.rows;
    return e->rows > 0 || (complain(t->s->manual, "%s has no rows", e->path), false);
}

static bool read_experiments(struct fit *t)
{
    const struct settings *set = t->s->settings;
    const struct mbs_model *m = t->s->model;
    size_t np = (size_t)m->np;
    t->experiment = calloc((size_t)set->files.n, sizeof *t->experiment);
    for (int i = 1; i < set->files.n && t->experiment; i++) {
        struct experiment *e = &t->experiment[t->experiments];
        *e = (struct experiment){.path = set->files.at[i], .time = -1};
        if (!csv_read(&e->data, e->path)) {
            complain(t->s->manual, "%s", e->data.why);
            return false;
        }
        t->experiments++;
        e->column = malloc(((size_t)e->data.columns + 1) * sizeof *e->column);
        e->times = malloc(((size_t)e->data.rows + 1) * sizeof *e->times);
        e->params = malloc((np + 1) * sizeof *e->params);
        e->given = malloc(np + 1);
        if (!e->column || !e->times || !e->params || !e->given)
            return complain(t->s->manual, "out of memory"), false;
        memcpy(e->params, t->s->params, np * sizeof *e->params);
        memcpy(e->given, t->s->given, np);
        if (!name_columns(t, e) || !read_times(t, e))
            return false;
    }
    for (int k = 0; k < t->n; k++)
        t->residuals += isfinite(t->free[k].prior);
    return t->experiment || (complain(t->s->manual, "out of memory"), false);
}

/* Whether all that is measured has a deviation; some but not all would be weights that nobody meant. */
static bool check_weights(struct fit *t)
{
    int with = 0, without = 0;
    for (int e = 0; e < t->experiments; e++)
        for (int j = 0; j < t->experiment[e].data.columns; j++)
            if (t->experiment[e].column[j] >= 0)
                *(isnan(t->measured[t->experiment[e].column[j]].deviation) ? &without : &with) += 1;
    t->weighted = !without;
    if (with && without)
        complain(t->s->manual, "--deviation is for every column that is measured, or for none");
    else if (without && t->s->settings->prior.n)
        complain(t->s->manual, "--prior needs --deviation: how much it counts beside the samples follows from how exact these were measured");
    else if (t->residuals < (size_t)t->n)
        complain(t->s->manual, "%zu samples do not determine %d parameters", t->residuals, t->n);
    return !(with && without) && !(without && t->s->settings->prior.n) && t->residuals >= (size_t)t->n;
}

/* ---- runs ---- */

struct sampling_run {
    struct fit *t;
    struct experiment *e;
    struct mbs_sim *sim;
    size_t at;                  /* next residual */
    int row;
};

static int on_output(void *user, const struct mbs_state *x, const double *y)
{
    struct sampling_run *r = user;
    struct fit *t = r->t;
    const struct mbs_model *m = t->s->model;
    const struct mbs_derivatives *d = mbs_derivatives(r->sim);
    const double *value[BLOCKS] = {x->q, x->v, x->a, x->lambda, x->z, y};
    const double *slope[BLOCKS] = {d->q, d->v, d->a, d->lambda, d->z, d->y};
    const int width[BLOCKS] = {m->nq, m->nq, m->nq, m->ng + m->nh, m->nz, m->ny};
    for (int j = 0; j < r->e->data.columns; j++) {
        double sample = r->e->column[j] < 0 ? NAN : csv_get(&r->e->data, r->row, j);
        if (!isfinite(sample))
            continue;
        const struct measured *q = &t->measured[r->e->column[j]];
        double s = t->weighted ? q->deviation : 1;
        t->f[r->at] = (value[q->block][q->index] - sample) / s;
        t->size = hypot(t->size, value[q->block][q->index] / s);
        for (int k = 0; k < t->n; k++) {        /* derivatives are in the order of the model's parameters */
            int i = 0;
            while (d->param[i] != t->free[k].param)
                i++;
            t->J[r->at * (size_t)t->n + (size_t)k] = slope[q->block][(size_t)i * (size_t)width[q->block] + (size_t)q->index] / s;
        }
        r->at++;
    }
    r->row++;
    return *interrupt_flag() != 0;
}

/* Residuals of an experiment from *at on; false: the run failed. */
static bool run_experiment(struct fit *t, struct experiment *e, size_t *at)
{
    struct session *s = t->s;
    const struct mbs_model *m = s->model;
    struct mbs_message why = {0};
    struct sampling_run r = {.t = t, .e = e, .at = *at};
    struct mbs_run run;
    for (int k = 0; k < t->n; k++) {
        e->params[t->free[k].param] = t->p[k];
        e->given[t->free[k].param] = 1;
    }
    m->defaults(e->params, e->given);
    int status = mbs_new(&r.sim, m, e->params, &s->options, &why);
    t->runs++;
    if (status == MBS_OK) {
        if (m->nu && !s->tables)
            status = mbs_set_inputs(r.sim, s->u);
        if (status == MBS_OK)
            status = mbs_assemble(r.sim, s->from);
        if (status == MBS_OK && s->settings->at_equilibrium)
            status = mbs_equilibrium(r.sim);
        if (status == MBS_OK)
            status = mbs_derivatives_begin(r.sim, s->settings->at_equilibrium);
        mbs_run_init(&run, m);
        run.to = e->times[e->rows - 1];
        run.times = e->times;
        run.ntimes = e->rows;
        run.output = on_output;
        run.user = &r;
        run.cancel = interrupt_flag();
        if (status == MBS_OK && run.to == s->from) {    /* a measurement of the start alone */
            double *y = calloc((size_t)m->ny + 1, sizeof *y);
            status = y ? mbs_outputs(r.sim, y) : MBS_NO_MEMORY;
            if (status == MBS_OK)
                on_output(&r, mbs_state(r.sim), y);
            free(y);
        } else if (status == MBS_OK) {
            status = mbs_run(r.sim, &run);
        }
        why = *mbs_message(r.sim);
        mbs_free(r.sim);
    }
    *at = r.at;
    t->lost = t->lost || status == MBS_NO_MEMORY;
    if (status == MBS_DOUBTFUL) {
        t->doubtful++;
        snprintf(t->doubt, sizeof t->doubt, "%.60s: %.300s", mbs_status_text(status), why.text);
        return r.row == e->rows;
    }
    if (status != MBS_OK)
        snprintf(t->why, sizeof t->why, "%.60s: %.300s", mbs_status_text(status), why.text);
    return status == MBS_OK && r.row == e->rows;
}

/* How far a parameter may be thought to change: as much as it is, was, or may be. */
static double range_of(const struct fit *t, int k)
{
    const struct freedom *x = &t->free[k];
    double start = fabs(t->s->params[x->param]), most = fmax(fabs(t->p[k]), start > 0 ? start : 1);
    return isfinite(x->high - x->low) ? fmax(most, x->high - x->low) : most;
}

/* A parameter that moves the samples by less than the runs are exact to, however far it is changed, has no influence: its derivatives are errors of
 * rounding and of the method, and to follow them would lead anywhere.  They become zero, which is what "not determined" goes by. */
static void forget_errors(struct fit *t, size_t rows)
{
    size_t n = (size_t)t->n;
    for (size_t k = 0; k < n; k++) {
        double norm = 0;
        for (size_t i = 0; i < rows; i++)
            norm = hypot(norm, t->J[i * n + k]);
        for (size_t i = 0; i < rows && norm * range_of(t, (int)k) <= t->s->options.rtol * t->size; i++)
            t->J[i * n + k] = 0;
    }
}

static bool run_all(struct fit *t)
{
    size_t at = 0;
    bool good = true;
    t->size = 0;
    t->doubt[0] = '\0';
    for (int e = 0; e < t->experiments && good; e++)
        good = run_experiment(t, &t->experiment[e], &at);
    forget_errors(t, at);
    for (int k = 0; k < t->n && good; k++)
        if (isfinite(t->free[k].prior)) {
            t->f[at] = (t->p[k] - t->free[k].prior) / t->free[k].prior_deviation;
            for (int j = 0; j < t->n; j++)
                t->J[at * (size_t)t->n + (size_t)j] = j == k ? 1 / t->free[k].prior_deviation : 0;
            at++;
        }
    return good;
}

/* ---- GSL ---- */

static int evaluate(struct fit *t, const gsl_vector *x)
{
    bool same = t->known;
    for (int k = 0; k < t->n; k++) {
        double p = free_value(&t->free[k], gsl_vector_get(x, (size_t)k));
        same = same && p == t->p[k];
        t->p[k] = p;
    }
    if (!same)
        t->known = run_all(t);
    return t->known ? GSL_SUCCESS : GSL_EDOM;
}
static int residuals(const gsl_vector *x, void *user, gsl_vector *f)
{
    struct fit *t = user;
    bool good = !*interrupt_flag() && evaluate(t, x) == GSL_SUCCESS;
    if (*interrupt_flag() || t->lost)
        return GSL_EFAILED;
    for (size_t i = 0; i < t->residuals; i++)   /* where the model does not run there is no way */
        gsl_vector_set(f, i, good ? t->f[i] : 1e100);
    return GSL_SUCCESS;
}
static int jacobian(const gsl_vector *x, void *user, gsl_matrix *J)
{
    struct fit *t = user;
    if (evaluate(t, x) != GSL_SUCCESS)
        return GSL_EDOM;
    for (size_t i = 0; i < t->residuals; i++)
        for (int k = 0; k < t->n; k++)
            gsl_matrix_set(J, i, (size_t)k, t->J[i * (size_t)t->n + (size_t)k] * free_slope(&t->free[k], gsl_vector_get(x, (size_t)k)));
    return GSL_SUCCESS;
}

/* A step of the search, for the page. */
static void on_step(const size_t iteration, void *user, const gsl_multifit_nlinear_workspace *w)
{
    struct fit *t = user;
    const gsl_vector *x = gsl_multifit_nlinear_position(w), *f = gsl_multifit_nlinear_residual(w);
    size_t width = (size_t)t->n + 1;
    if (iteration > STEPS)
        return;
    double *row = t->course + iteration * width;
    gsl_blas_ddot(f, f, &row[0]);
    for (int k = 0; k < t->n; k++)
        row[k + 1] = free_value(&t->free[k], gsl_vector_get(x, (size_t)k));
    t->steps = (int)iteration + 1;
}

/* From these values on; the sum of squares it ends with, infinity if it cannot start. */
static double minimise(struct fit *t, const double *start, int *iterations)
{
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, t->residuals, (size_t)t->n);
    gsl_vector *x = gsl_vector_alloc((size_t)t->n);
    gsl_multifit_nlinear_fdf fdf = {.f = residuals, .df = jacobian, .n = t->residuals, .p = (size_t)t->n, .params = t};
    double sum = INFINITY;
    int info;
    t->lost = t->lost || !w || !x;
    if (w && x) {
        for (int k = 0; k < t->n; k++)
            gsl_vector_set(x, (size_t)k, free_place(&t->free[k], start[k]));
        t->known = false;
        if (evaluate(t, x) == GSL_SUCCESS && gsl_multifit_nlinear_init(x, &fdf, w) == GSL_SUCCESS) {
            t->steps = 0;
            gsl_multifit_nlinear_driver(STEPS, 1e-10, 1e-10, 0, on_step, t, &info, w);
            *iterations = (int)gsl_multifit_nlinear_niter(w);
            if (evaluate(t, gsl_multifit_nlinear_position(w)) == GSL_SUCCESS) {
                sum = 0;
                for (size_t i = 0; i < t->residuals; i++)
                    sum += t->f[i] * t->f[i];
            }
        }
    }
    if (w)
        gsl_multifit_nlinear_free(w);
    if (x)
        gsl_vector_free(x);
    return sum;
}

/* ---- what the data say ---- */

struct verdict_of_fit {
    gsl_matrix *V;              /* of the singular value decomposition of J with columns of length 1 */
    gsl_vector *S;
    double *norm;               /* lengths of the columns of J */
    gsl_matrix *covariance;
    double sum, variance;       /* of squares; of a residual */
    int undetermined;           /* singular values that are nothing */
};

static bool examine(struct fit *t, double sum, struct verdict_of_fit *v)
{
    size_t n = (size_t)t->n, rows = t->residuals;
    gsl_matrix *U = gsl_matrix_alloc(rows, n);
    *v = (struct verdict_of_fit){.V = gsl_matrix_alloc(n, n), .S = gsl_vector_alloc(n), .norm = calloc(n, sizeof(double)), .covariance = gsl_matrix_calloc(n, n), .sum = sum};
    bool good = U && v->V && v->S && v->norm && v->covariance;
    v->variance = t->weighted ? 1 : rows > n ? sum / (double)(rows - n) : NAN;
    for (size_t k = 0; k < n && good; k++) {
        for (size_t i = 0; i < rows; i++)
            v->norm[k] = hypot(v->norm[k], t->J[i * n + k]);
        for (size_t i = 0; i < rows; i++)
            gsl_matrix_set(U, i, k, v->norm[k] > 0 ? t->J[i * n + k] / v->norm[k] : 0);
    }
    if (good && gsl_linalg_SV_decomp_jacobi(U, v->V, v->S) == GSL_SUCCESS) {
        double most = gsl_vector_get(v->S, 0);
        for (size_t k = 0; k < n; k++) {
            double s = gsl_vector_get(v->S, k);
            /* derivatives are known to some 1e-7: what is smaller is nothing */
            if (!(s > 1e-6 * most)) {
                v->undetermined++;
                continue;
            }
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n && v->norm[i] > 0; j++)
                    if (v->norm[j] > 0)
                        *gsl_matrix_ptr(v->covariance, i, j) += v->variance * gsl_matrix_get(v->V, i, k) * gsl_matrix_get(v->V, j, k) / (s * s * v->norm[i] * v->norm[j]);
        }
    }
    if (U)
        gsl_matrix_free(U);
    return good;
}
static void verdict_free(struct verdict_of_fit *v)
{
    if (v->V)
        gsl_matrix_free(v->V);
    if (v->S)
        gsl_vector_free(v->S);
    if (v->covariance)
        gsl_matrix_free(v->covariance);
    free(v->norm);
}

/* A parameter has a part in what is not determined. */
static bool is_lost(const struct fit *t, const struct verdict_of_fit *v, int k)
{
    for (int c = t->n - v->undetermined; c < t->n; c++)
        if (fabs(gsl_matrix_get(v->V, (size_t)k, (size_t)c)) > 0.05)
            return true;
    return !(v->norm[k] > 0);
}

static void print_lost(FILE *f, const struct fit *t, const struct verdict_of_fit *v)
{
    const struct mbs_model *m = t->s->model;
    for (int c = t->n - v->undetermined; c < t->n; c++) {
        fputs("  not determined ", f);
        const char *sign = "";
        for (int k = 0; k < t->n; k++) {
            double part = gsl_matrix_get(v->V, (size_t)k, (size_t)c);
            if (fabs(part) > 0.05 && v->norm[k] > 0) {
                /* in relative changes: d p/p */
                fprintf(f, "%s%.3g d(%s)/%s", part < 0 ? " - " : sign, fabs(part) / (v->norm[k] * (t->p[k] != 0 ? fabs(t->p[k]) : 1)), m->param[t->free[k].param].name,
                        m->param[t->free[k].param].name);
                sign = " + ";
            } else if (!(v->norm[k] > 0) && fabs(part) > 0.05) {
                fprintf(f, "%s%s has no influence", sign, m->param[t->free[k].param].name);
                sign = ", ";
            }
        }
        fputs(": such a change leaves the fit as it is\n", f);
    }
}

static double correlation_of(const struct verdict_of_fit *v, size_t i, size_t j)
{
    return gsl_matrix_get(v->covariance, i, j) / sqrt(gsl_matrix_get(v->covariance, i, i) * gsl_matrix_get(v->covariance, j, j));
}

static void print_correlations(FILE *f, const struct fit *t, const struct verdict_of_fit *v)
{
    const struct mbs_model *m = t->s->model;
    for (size_t i = 0; i < (size_t)t->n; i++)
        for (size_t j = 0; j < i; j++) {
            double c = correlation_of(v, i, j);
            if (fabs(c) > 0.9 && !is_lost(t, v, (int)i) && !is_lost(t, v, (int)j))
                fprintf(f, "  correlation     %.3f of %s and %s\n", c, m->param[t->free[i].param].name, m->param[t->free[j].param].name);
        }
}

static void print_fit(FILE *f, const struct fit *t, const struct verdict_of_fit *v, int iterations)
{
    const struct mbs_model *m = t->s->model;
    size_t n = (size_t)t->n;
    char doubtful[40] = "";
    if (t->doubtful)
        snprintf(doubtful, sizeof doubtful, ", %ld of them doubtful", t->doubtful);
    fprintf(f, "%s: %zu samples in %d experiment%s, %d parameter%s; %d iterations, %ld runs%s\n", m->name, t->residuals, t->experiments, t->experiments == 1 ? "" : "s",
            t->n, t->n == 1 ? "" : "s", iterations, t->runs, doubtful);
    if (t->weighted)
        fprintf(f, "  sum of squares %.6g of deviations (about %zu where model and deviations are right)\n", v->sum, t->residuals - n);
    else
        fprintf(f, "  root mean square %.6g of the residuals\n", sqrt(v->sum / (double)t->residuals));
    for (int k = 0; k < t->n; k++) {
        const struct mbs_name *p = &m->param[t->free[k].param];
        double s = sqrt(gsl_matrix_get(v->covariance, (size_t)k, (size_t)k));
        fprintf(f, "  %-16s %.10g", p->name, t->p[k]);
        if (is_lost(t, v, k))
            fputs(" +- ? (not determined)", f);
        else
            fprintf(f, " +- %.3g", s);
        fprintf(f, "%s%s%s\n", *p->unit ? " " : "", p->unit, t->p[k] - t->free[k].low < 1e-6 * fabs(t->p[k]) || t->free[k].high - t->p[k] < 1e-6 * fabs(t->p[k]) ? ", at its bound" : "");
    }
    print_correlations(f, t, v);
    print_lost(f, t, v);
}

static void print_json(FILE *f, const struct fit *t, const struct verdict_of_fit *v)
{
    const struct mbs_model *m = t->s->model;
    fputs("{\n  \"model\": ", f);
    json_string(f, m->name);
    fprintf(f, ",\n  \"samples\": %zu,\n  \"sum\": %.17g,\n  \"undetermined\": %d,\n  \"doubtful_runs\": %ld,\n  \"doubtful\": ", t->residuals, v->sum, v->undetermined, t->doubtful);
    json_string_or_null(f, *t->doubt ? t->doubt : NULL);
    fputs(",\n  \"parameters\": {", f);
    for (int k = 0; k < t->n; k++) {
        fputs(k ? ",\n    " : "\n    ", f);
        json_string(f, m->param[t->free[k].param].name);
        fprintf(f, ": {\"value\": %.17g, \"determined\": %s, \"deviation\": ", t->p[k], is_lost(t, v, k) ? "false" : "true");
        json_number(f, is_lost(t, v, k) ? NAN : sqrt(gsl_matrix_get(v->covariance, (size_t)k, (size_t)k)));
        fputs(", \"covariance\": [", f);
        for (int j = 0; j < t->n; j++) {
            fputs(j ? ", " : "", f);
            json_number(f, is_lost(t, v, k) || is_lost(t, v, j) ? NAN : gsl_matrix_get(v->covariance, (size_t)k, (size_t)j));
        }
        fputs("]}", f);
    }
    fputs("\n  }\n}\n", f);
}

/* ---- the page ---- */

/* What the page shows of a column: its samples and the model's values there, from the residuals, which come row by row. */
static bool view_curves(const struct fit *t, struct fit_view *v)
{
    size_t at = 0;
    int most = 0;
    for (int e = 0; e < t->experiments; e++)
        most += t->experiment[e].data.columns;
    if (!(v->curve = calloc((size_t)most + 1, sizeof *v->curve)))
        return false;
    for (int e = 0; e < t->experiments; e++) {
        const struct experiment *x = &t->experiment[e];
        int first = v->curves;
        for (int j = 0; j < x->data.columns; j++)
            if (x->column[j] >= 0) {
                int k = x->column[j];
                struct fit_curve *c = &v->curve[v->curves++];
                *c = (struct fit_curve){.file = x->path, .name = t->columns.name[k], .unit = t->columns.unit[k], .column = k, .experiment = e, .deviation = t->measured[k].deviation,
                                        .t = malloc(3 * ((size_t)x->rows + 1) * sizeof(double))};
                if (!c->t)
                    return false;
                c->sample = c->t + x->rows;
                c->model = c->sample + x->rows;
            }
        for (int i = 0; i < x->rows; i++)
            for (int j = 0, k = first; j < x->data.columns; j++) {
                if (x->column[j] < 0)
                    continue;
                struct fit_curve *c = &v->curve[k++];
                double sample = csv_get(&x->data, i, j);
                if (!isfinite(sample))
                    continue;
                c->t[c->n] = x->times[i];
                c->sample[c->n] = sample;
                c->model[c->n++] = sample + t->f[at++] * (t->weighted ? c->deviation : 1);
            }
    }
    return true;
}

static bool write_page(const struct fit *t, const struct verdict_of_fit *verdict, const double *start)
{
    size_t n = (size_t)t->n;
    char *words = NULL;
    size_t length = 0;
    FILE *f = stream_open(&words, &length);
    double *error = malloc((n + 1) * (n + 1) * sizeof *error), *correlation = error + n;
    const double **params = calloc((size_t)t->experiments + 1, sizeof *params);
    struct fit_view v = {.s = t->s, .free = t->free, .n = t->n, .start = start, .value = t->p, .error = error, .correlation = correlation, .sum = verdict->sum, .samples = t->residuals,
                         .weighted = t->weighted, .runs = t->runs, .experiments = t->experiments, .params = params, .course = t->best_course, .steps = t->best_steps};
    if (f) {
        if (*t->doubt)
            fprintf(f, "the run with these parameters: %s\n", t->doubt);
        print_correlations(f, t, verdict);
        print_lost(f, t, verdict);
    }
    bool good = f && stream_close(f) && error && params && view_curves(t, &v);
    for (size_t i = 0; i < n && good; i++) {
        error[i] = is_lost(t, verdict, (int)i) ? NAN : sqrt(gsl_matrix_get(verdict->covariance, i, i));
        for (size_t j = 0; j < n; j++)
            correlation[i * n + j] = is_lost(t, verdict, (int)i) || is_lost(t, verdict, (int)j) ? NAN : correlation_of(verdict, i, j);
    }
    for (int e = 0; e < t->experiments && good; e++)
        params[e] = t->experiment[e].params;
    v.words = words;
    if (!good)
        complain(t->s->manual, "out of memory");
    good = good && page_fit(&v);
    for (int i = 0; i < v.curves; i++)
        free(v.curve[i].t);
    free(v.curve);
    free(params);
    free(error);
    free(words);
    return good;
}

/* ---- the command ---- */

/* The best of several starts: the first is the model's, the others lie between the bounds. */
static double search(struct fit *t, double *best, int *iterations)
{
    const struct settings *set = t->s->settings;
    const char **spread = calloc((size_t)t->n + 1, sizeof *spread);
    char (*text)[128] = calloc((size_t)t->n + 1, sizeof *text);
    double *start = calloc((size_t)t->n + 1, sizeof *start), least = INFINITY;
    long starts = set->starts > 0 ? set->starts : 1;
    struct plan plan = {0};
    bool drawn = false;
    for (int k = 0; k < t->n && spread && text && starts > 1; k++) {
        const struct freedom *x = &t->free[k];
        double now = t->s->params[x->param];
        snprintf(text[k], sizeof text[k], "%.60s=%.17g..%.17g", t->s->model->param[x->param].name, isfinite(x->low) ? x->low : now - fabs(now),
                 isfinite(x->high) ? x->high : now + fabs(now));
        spread[k] = text[k];
    }
    if (spread && text && starts > 1) {
        struct plan_request request = {spread, t->n, NULL, "latin", starts, set->seed > 0 ? (uint64_t)set->seed : 1};
        drawn = plan_init(&plan, t->s->model, t->s->params, &request);
        if (!drawn)
            complain(t->s->manual, "%s", plan.why);
        t->lost = !drawn;
    }
    t->lost = t->lost || !spread || !text || !start;
    for (long i = 0; i < starts && !t->lost && !*interrupt_flag(); i++) {
        int steps = 0;
        for (int k = 0; k < t->n; k++)
            start[k] = t->s->params[t->free[k].param];
        if (i > 0 && drawn)
            plan_case(&plan, i, start);
        double sum = minimise(t, start, &steps);
        if (sum < least) {
            least = sum;
            *iterations = steps;
            memcpy(best, t->p, (size_t)t->n * sizeof *best);
            double *course = t->course;
            t->course = t->best_course;
            t->best_course = course;
            t->best_steps = t->steps;
        }
    }
    plan_fini(&plan);
    free(spread);
    free(text);
    free(start);
    return least;
}

static int conclude(struct fit *t)
{
    const struct settings *set = t->s->settings;
    struct verdict_of_fit v;
    double *best = calloc(2 * (size_t)t->n + 1, sizeof *best), *start = best ? best + t->n : NULL;
    char why[512];
    int iterations = 0, status = EXIT_FAILED;
    for (int k = 0; k < t->n && best; k++)
        start[k] = t->s->params[t->free[k].param];
    double sum = best ? search(t, best, &iterations) : INFINITY;
    if (*interrupt_flag()) {
        complain(t->s->manual, "interrupted after %ld runs; nothing is written", t->runs);
    } else if (t->lost || !best) {
        complain(t->s->manual, "out of memory");
    } else if (!isfinite(sum)) {
        complain(t->s->manual, "the model does not run with its start values: %s", t->why);
    } else {
        memcpy(t->p, best, (size_t)t->n * sizeof *best);
        if (!run_all(t) || !examine(t, sum, &v)) {
            complain(t->s->manual, "out of memory");
        } else {
            status = EXIT_OK;
            if (set->json)
                print_json(stdout, t, &v);
            else if (!set->quiet)
                print_fit(stdout, t, &v, iterations);
            for (int k = 0; k < t->n; k++) {
                t->s->params[t->free[k].param] = t->p[k];
                t->s->given[t->free[k].param] = 1;
            }
            t->s->model->defaults(t->s->params, t->s->given);
            if (set->output && !params_write(set->output, t->s->model, t->s->params, why, sizeof why)) {
                complain(t->s->manual, "%s", why);
                status = EXIT_FAILED;
            }
            if (status == EXIT_OK && set->page && !write_page(t, &v, start))
                status = EXIT_FAILED;
            verdict_free(&v);
            if (*t->doubt && status == EXIT_OK) {
                complain(t->s->manual, "the run with these parameters: %s", t->doubt);
                status = EXIT_DOUBTFUL;
            }
        }
    }
    free(best);
    return status;
}

static int fit(struct session *s)
{
    struct fit t = {.s = s};
    int status = EXIT_USAGE;
    if (!columns_init(&t.columns, s->model, true) || !(t.measured = calloc((size_t)t.columns.n + 1, sizeof *t.measured)))
        return complain(s->manual, "out of memory"), EXIT_FAILED;
    find_measured(&t);
    if (page_ready(s) && free_read(s, &t.free, &t.n) && read_priors(&t) && read_deviations(&t) && read_experiments(&t) && check_weights(&t)) {
        t.p = calloc((size_t)t.n + 1, sizeof *t.p);
        t.f = calloc(t.residuals + 1, sizeof *t.f);
        t.J = calloc((t.residuals + 1) * (size_t)t.n, sizeof *t.J);
        t.course = calloc((STEPS + 1) * ((size_t)t.n + 1), sizeof *t.course);
        t.best_course = calloc((STEPS + 1) * ((size_t)t.n + 1), sizeof *t.best_course);
        status = EXIT_FAILED;
        if (t.p && t.f && t.J && t.course && t.best_course) {
            interrupt_hold();
            status = conclude(&t);
            interrupt_release();
        } else {
            complain(s->manual, "out of memory");
        }
    }
    for (int e = 0; e < t.experiments; e++) {
        csv_free(&t.experiment[e].data);
        free(t.experiment[e].column);
        free(t.experiment[e].times);
        free(t.experiment[e].params);
        free(t.experiment[e].given);
    }
    free(t.experiment);
    free(t.free);
    free(t.measured);
    free(t.p);
    free(t.f);
    free(t.J);
    free(t.course);
    free(t.best_course);
    columns_fini(&t.columns);
    return status;
}

int cmd_fit(int argc, char **argv)
{
    return free_command(argc, argv, &manual_fit, "what is to be found? --free NAME, or --free NAME=LOW..HIGH", fit);
}
#endif
