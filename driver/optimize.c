/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs optimize`: parameters for which a measure of the run is least, between bounds and under conditions on other measures.  Gradients of
 * all measures come backwards through one run.  The search is NLopt's sequential quadratic programming (Kraft) where NLopt is
 * compiled in; else that of study/sqp.c. */
#include "config.h"
#include "base/arena.h"
#include "commands.h"
#include "interrupt.h"
#include "json.h"
#include "params.h"
#include "study/free.h"
#include "study/gradient.h"
#include "study/page.h"
#include "study/page_optimize.h"
#include "study/plan.h"
#include "study/sqp.h"

#include <math.h>
#ifdef HAVE_NLOPT
#include <nlopt.h>
#endif
#include <stdlib.h>
#include <string.h>

const struct manual manual_optimize = {
    "optimize", "MODEL.mbs --free NAME=LOW..HIGH ... --minimize MEASURE [options]", FOR_OPTIMIZE,
    "Finds parameters for which a measure of the run is least (--minimize) or largest (--maximize): x (its end), start(x), min(x), max(x),\n"
    "peak(x), mean(x), rms(x), integral(x) of a coordinate, velocity, state or output, over the rows of --every. --subject 'MEASURE<=NUMBER', or\n"
    ">=, keeps another measure on its side. Gradients are exact, and taken backwards through the run: many parameters cost what few do. The\n"
    "search is local; --starts N begins N times between the bounds and takes the best. -o writes all parameters as --params reads them;\n"
    "--page writes a page: the mechanism and its curves before and after, --path a curve with given points, the course of the search.",
    "  mbs optimize swing.mbs --free l=0.2..0.6 --maximize 'max(phi)'\n"
    "  mbs optimize fourbar.mbs --free a=0.1..1 --free b=0.5..3 --minimize 'integral(off)' --subject 'max(force)<=10' -o best.toml\n"
    "  mbs optimize coupler_curve.mbs --free px --free py --minimize 'mean(off)' --path x,y=coupler_curve.csv --page best.html\n"
    "  mbs run fourbar.mbs --params best.toml -o best.csv\n",
    1, 1};

#ifndef HAVE_GSL
int cmd_optimize(int argc, char **argv)
{
    struct settings set;
    int status;
    if (!settings_parse(&set, &manual_optimize, argc, argv, &status))
        return status;
    settings_free(&set);
    complain(&manual_optimize, "this mbs was built without the GNU Scientific Library, which finds the least value");
    return EXIT_FAILED;
}
#else

struct optimum {
    const struct session *s;
    struct freedom *free;
    int n;
    struct gradient gradient;   /* measure 0 is the aim, the others are conditions */
    int conditions;
    double *sign, *limit;       /* sign (measure - limit) <= 0; of the aim: it is sign times the measure */
    double *size;               /* of the aim and of the conditions, known since the first run that was possible */
    double *p, *params;         /* free ones as tried last; all of them */
    unsigned char *given;
    double *slope;              /* (1 + conditions) x n, by the free parameters in their order */
    double *best;
    double least;               /* of the aim among points that keep the conditions */
    bool known, good;           /* p is up to date; the run was possible */
    bool unsure;                /* the search that found the best ended at its limit of runs */
    long runs, doubtful;        /* those whose end the witness doubts: the search goes by them all the same */
    double *course;             /* runs x (1 + conditions + n), for the page: what was measured and where; NaN: the model did not run */
    long room;                  /* of the course, in runs */
};

/* At most 0 where it is kept. */
static double condition(const struct optimum *o, int i) { return o->sign[i] * (o->gradient.value[i] - o->limit[i]) / o->size[i]; }

static double violation(const struct optimum *o)
{
    double most = 0;
    for (int i = 1; i <= o->conditions; i++)
        most = fmax(most, condition(o, i));
    return most;
}

/* The size of the aim is its value, that of a condition its limit; of a limit 0 what all parameters can change the measure by,
 * with the slopes at hand: with a small number in its place the search would see a wall, and end where it stands. */
static void measure_sizes(struct optimum *o)
{
    o->size[0] = fmax(fabs(o->gradient.value[0]), 1e-300);
    for (int i = 1; i <= o->conditions; i++) {
        o->size[i] = fabs(o->limit[i]);
        for (int k = 0; k < o->n && o->limit[i] == 0; k++) {
            double reach = o->free[k].high - o->free[k].low;
            o->size[i] += fabs(o->slope[i * o->n + k]) * (isfinite(reach) ? reach / 2 : fmax(fabs(o->p[k]), 1));
        }
        o->size[i] = fmax(o->size[i], 1e-6);
    }
}

/* Puts the run at hand into the course. */
static void note(struct optimum *o, const double *p)
{
    size_t measures = (size_t)o->conditions + 1, width = measures + (size_t)o->n;
    if (!o->s->settings->page)
        return;
    if (o->runs == o->room) {
        o->room = 2 * o->room + 256;
        double *more = realloc(o->course, (size_t)o->room * width * sizeof *more);
        if (!more)
            mem_ended();
        o->course = more;
    }
    double *row = o->course + (size_t)o->runs * width;
    for (size_t i = 0; i < measures; i++)
        row[i] = o->good ? o->gradient.value[i] : NAN;
    memcpy(row + measures, p, (size_t)o->n * sizeof *p);
}

/* Runs the model with p, unless that was done last. */
static bool try(struct optimum *o, const double *p)
{
    const struct mbs_model *m = o->s->model;
    if (o->known && !memcmp(p, o->p, (size_t)o->n * sizeof *p))
        return o->good;
    memcpy(o->p, p, (size_t)o->n * sizeof *p);
    memcpy(o->params, o->s->params, (size_t)m->np * sizeof *p);
    memcpy(o->given, o->s->given, (size_t)m->np);
    for (int k = 0; k < o->n; k++) {
        o->params[o->free[k].param] = p[k];
        o->given[o->free[k].param] = 1;
    }
    m->defaults(o->params, o->given);
    o->good = gradient_run(&o->gradient, o->params);
    if (o->gradient.status == MBS_NO_MEMORY)
        mem_ended();            /* no property of the point */
    o->known = true;
    note(o, p);
    o->runs++;
    o->doubtful += o->gradient.status == MBS_DOUBTFUL;
    for (int i = 0; i <= o->conditions && o->good; i++)
        for (int k = 0; k < o->n; k++) {
            int j = 0;
            while (m->sensitive[j] != o->free[k].param)
                j++;
            o->slope[i * o->n + k] = o->sign[i] * o->gradient.slope[i * m->nsensitive + j];
        }
    if (o->good && o->size[0] == 0)
        measure_sizes(o);
    if (o->good && violation(o) <= 1e-6 && !(o->sign[0] * o->gradient.value[0] >= o->least)) {
        o->least = o->sign[0] * o->gradient.value[0];
        memcpy(o->best, p, (size_t)o->n * sizeof *p);
    }
    return o->good;
}

/* Where the model does not run, the aim is worse than anywhere else, and the search takes shorter steps. */
static double aim(const struct optimum *o) { return o->good ? o->sign[0] * o->gradient.value[0] : 1e30; }

/* ---- the search ---- */

static void keep_bounds(const struct optimum *o, double *low, double *high)
{
    for (int k = 0; k < o->n; k++) {
        low[k] = isfinite(o->free[k].low) ? o->free[k].low : -HUGE_VAL;
        high[k] = isfinite(o->free[k].high) ? o->free[k].high : HUGE_VAL;
    }
}

#ifdef HAVE_NLOPT
struct condition {
    struct optimum *o;
    int measure;
};

static double nlopt_value(unsigned n, const double *p, double *slope, void *user)
{
    struct condition *c = user;
    struct optimum *o = c->o;
    bool good = try(o, p);
    for (unsigned k = 0; slope && k < n; k++)
        slope[k] = good ? o->slope[(unsigned)c->measure * n + k] / o->size[c->measure] : 0;
    if (c->measure == 0)
        return aim(o) / o->size[0];
    return good ? condition(o, c->measure) : 1e30;
}

/* To p from p, which runs; what it found is in o->best, whatever it says about its end.  False: it ended at the limit of runs. */
static bool search(struct optimum *o, double *p, const double *low, const double *high, long most)
{
    nlopt_opt opt = nlopt_create(NLOPT_LD_SLSQP, (unsigned)o->n);
    struct condition *c = calloc((size_t)o->conditions + 1, sizeof *c);
    double value;
    if (!opt || !c)
        mem_ended();
    for (int i = 0; i <= o->conditions; i++)
        c[i] = (struct condition){o, i};
    nlopt_set_lower_bounds(opt, low);
    nlopt_set_upper_bounds(opt, high);
    nlopt_set_min_objective(opt, nlopt_value, &c[0]);
    for (int i = 1; i <= o->conditions; i++)
        nlopt_add_inequality_constraint(opt, nlopt_value, &c[i], 1e-8);
    nlopt_set_xtol_rel(opt, 1e-7);
    nlopt_set_ftol_rel(opt, 1e-10);
    nlopt_set_maxeval(opt, (int)most);
    nlopt_result end = nlopt_optimize(opt, p, &value);
    if (end == NLOPT_OUT_OF_MEMORY)
        mem_ended();
    nlopt_destroy(opt);
    free(c);
    return end != NLOPT_MAXEVAL_REACHED;
}
#else
static bool sqp_value(void *user, const double *p, double *value, double *slope)
{
    struct optimum *o = user;
    if (!try(o, p))
        return false;
    for (int i = 0; i <= o->conditions; i++) {
        value[i] = i ? condition(o, i) : aim(o) / o->size[0];
        for (int k = 0; k < o->n; k++)
            slope[i * o->n + k] = o->slope[i * o->n + k] / o->size[i];
    }
    return true;
}
static bool sqp_stopped(void *user)
{
    (void)user;
    return *interrupt_flag();
}

static bool search(struct optimum *o, double *p, const double *low, const double *high, long most)
{
    struct sqp s = {.n = o->n, .conditions = o->conditions, .low = low, .high = high, .evaluate = sqp_value, .stopped = sqp_stopped, .user = o, .most = most};
    enum sqp_end end = sqp_least(&s, p);
    if (end == SQP_NO_MEMORY)
        mem_ended();
    return end != SQP_CUT;
}
#endif

/* ---- what is asked ---- */

/* MEASURE<=NUMBER or MEASURE>=NUMBER; the measure is left in text. */
static bool read_condition(const struct manual *manual, char *text, double *sign, double *limit)
{
    char *less = strstr(text, "<="), *more = strstr(text, ">="), *at = less ? less : more;
    if (!at || !number_read(at + 2, limit)) {
        complain(manual, "--subject is 'MEASURE<=NUMBER' or 'MEASURE>=NUMBER', such as 'max(force)<=10', not '%s'", text);
        return false;
    }
    *sign = less ? 1 : -1;
    while (at > text && at[-1] == ' ')
        at--;
    *at = 0;
    return true;
}

static bool read_aims(struct optimum *o, char **text)
{
    const struct settings *set = o->s->settings;
    if (!set->minimize == !set->maximize)
        return complain(o->s->manual, "one aim, please: --minimize MEASURE or --maximize MEASURE"), false;
    text[0] = strdup(set->minimize ? set->minimize : set->maximize);
    o->sign[0] = set->minimize ? 1 : -1;
    for (int i = 0; i < set->subject.n; i++)
        if (!(text[i + 1] = strdup(set->subject.at[i])) || !read_condition(o->s->manual, text[i + 1], &o->sign[i + 1], &o->limit[i + 1]))
            return false;
    o->conditions = set->subject.n;
    if (!text[0])
        return complain(o->s->manual, "out of memory"), false;
    if (!gradient_init(&o->gradient, o->s, (const char *const *)text, 1 + o->conditions))
        return complain(o->s->manual, "%s", o->gradient.why), false;
    return true;
}

/* From the model's own values, and from others between the bounds. */
static void search_all(struct optimum *o)
{
    const struct settings *set = o->s->settings;
    long starts = set->starts > 0 ? set->starts : 1;
    long most = set->most > 0 ? set->most : 500;
    double *start = calloc(3 * (size_t)o->n + 1, sizeof *start), *low = start ? start + o->n : NULL, *high = low ? low + o->n : NULL;
    if (!start)
        mem_ended();
    keep_bounds(o, low, high);
    for (long i = 0; i < starts && !*interrupt_flag(); i++) {
        for (int k = 0; k < o->n; k++) {
            const struct freedom *x = &o->free[k];
            double now = o->s->params[x->param], from = isfinite(x->low) ? x->low : now - fabs(now), to = isfinite(x->high) ? x->high : now + fabs(now);
            start[k] = i == 0 ? now : from + (to - from) * plan_random(set->seed > 0 ? (uint64_t)set->seed : 1, (uint64_t)i, (uint64_t)k);
        }
        double least = o->least;
        o->known = false;
        bool ended = !try(o, start) || search(o, start, low, high, most);
        if (o->least < least || i == 0)
            o->unsure = !ended;
    }
    free(start);
}

/* ---- results ---- */

static void print_table(FILE *f, const struct optimum *o, double before)
{
    const struct mbs_model *m = o->s->model;
    const struct measures *all = &o->gradient.measures;
    char doubtful[40] = "";
    if (o->doubtful)
        snprintf(doubtful, sizeof doubtful, ", %ld of them doubtful", o->doubtful);
    fprintf(f, "%s: %s of %s, %d parameter%s, %ld runs%s\n", m->name, o->sign[0] > 0 ? "least" : "largest", all->name[0], o->n, o->n == 1 ? "" : "s", o->runs, doubtful);
    fprintf(f, "  %-16s %.10g%s%s, %.6g before\n", all->name[0], o->gradient.value[0], *all->unit[0] ? " " : "", all->unit[0], before);
    for (int i = 1; i <= o->conditions; i++)
        fprintf(f, "  %-16s %.10g %s %g%s%s\n", all->name[i], o->gradient.value[i], o->sign[i] > 0 ? "<=" : ">=", o->limit[i], *all->unit[i] ? " " : "", all->unit[i]);
    for (int k = 0; k < o->n; k++) {
        const struct freedom *x = &o->free[k];
        double reach = 1e-6 * fmax(fabs(o->p[k]), 1e-12);
        fprintf(f, "  %-16s %.10g%s%s%s\n", m->param[x->param].name, o->p[k], *m->param[x->param].unit ? " " : "", m->param[x->param].unit,
                o->p[k] - x->low < reach || x->high - o->p[k] < reach ? ", at its bound" : "");
    }
}

static void print_json(FILE *f, const struct optimum *o, double before)
{
    const struct mbs_model *m = o->s->model;
    fputs("{\n  \"model\": ", f);
    json_string(f, m->name);
    fprintf(f, ",\n  \"runs\": %ld,\n  \"converged\": %s,\n  \"doubtful_runs\": %ld,\n  \"doubtful\": ", o->runs, o->unsure ? "false" : "true", o->doubtful);
    json_string_or_null(f, o->gradient.status == MBS_DOUBTFUL ? o->gradient.why : NULL);
    fputs(",\n  \"before\": ", f);
    json_number(f, before);
    fputs(",\n  \"measures\": {", f);
    for (int i = 0; i <= o->conditions; i++) {
        fputs(i ? ", " : "", f);
        json_string(f, o->gradient.measures.name[i]);
        fputs(": ", f);
        json_number(f, o->gradient.value[i]);
    }
    fputs("},\n  \"parameters\": {", f);
    for (int k = 0; k < o->n; k++) {
        fputs(k ? ", " : "", f);
        json_string(f, m->param[o->free[k].param].name);
        fputs(": ", f);
        json_number(f, o->p[k]);
    }
    fputs("}\n}\n", f);
}

/* values: of all measures with the start values. */
static bool write_page(const struct optimum *o, const double *start, const double *values)
{
    struct design_view v = {.s = o->s, .free = o->free, .n = o->n, .start = start, .value = o->p, .params_before = o->s->params, .params_after = o->params, .measures = &o->gradient.measures,
                            .sign = o->sign, .limit = o->limit, .before = values, .after = o->gradient.value, .course = o->course, .runs = o->runs, .doubtful = o->doubtful,
                            .doubt = o->gradient.status == MBS_DOUBTFUL ? o->gradient.why : NULL};
    return page_optimize(&v);
}

/* start, values: room for the parameters and for all measures. */
static int conclude(struct optimum *o, double *start, double *values)
{
    const struct settings *set = o->s->settings;
    char why[512];
    for (int k = 0; k < o->n; k++)
        start[k] = o->s->params[o->free[k].param];
    if (!try(o, start)) {
        complain(o->s->manual, "the model does not run with its start values: %s", o->gradient.why);
        return EXIT_FAILED;
    }
    memcpy(values, o->gradient.value, ((size_t)o->conditions + 1) * sizeof *values);
    double before = values[0];
    search_all(o);
    if (*interrupt_flag()) {
        complain(o->s->manual, "interrupted after %ld runs; nothing is written", o->runs);
        return EXIT_FAILED;
    }
    if (!isfinite(o->least)) {
        complain(o->s->manual, "no parameters were found that keep the conditions of --subject, in %ld runs", o->runs);
        return EXIT_FAILED;
    }
    if (!try(o, o->best)) {
        complain(o->s->manual, "the best run is not possible again: %s", o->gradient.why);
        return EXIT_FAILED;
    }
    if (set->json)
        print_json(stdout, o, before);
    else if (!set->quiet)
        print_table(stdout, o, before);
    if (set->output && !params_write(set->output, o->s->model, o->params, why, sizeof why)) {
        complain(o->s->manual, "%s", why);
        return EXIT_FAILED;
    }
    if (set->page && !write_page(o, start, values))
        return EXIT_FAILED;
    if (o->unsure)
        complain(o->s->manual, "the search ended at its limit of runs for a start, there may be better: --most N gives it more");
    if (o->gradient.status != MBS_DOUBTFUL)
        return EXIT_OK;
    complain(o->s->manual, "the best run: %s", o->gradient.why);
    return EXIT_DOUBTFUL;
}

static int optimize(struct session *s)
{
    struct optimum o = {.s = s, .least = INFINITY};
    size_t all = (size_t)s->settings->subject.n + 1, np = (size_t)s->model->np + 1, n;
    char **text = calloc(all + 1, sizeof *text);
    int status = EXIT_FAILED;
    o.sign = calloc(3 * all, sizeof *o.sign);
    o.limit = o.sign ? o.sign + all : NULL;
    o.size = o.sign ? o.limit + all : NULL;
    if (!text || !o.sign) {
        complain(s->manual, "out of memory");
    } else if (!session_span(s) || !page_ready(s) || !page_paths(s) || !free_read(s, &o.free, &o.n) || !read_aims(&o, text)) {
        status = EXIT_USAGE;
    } else {
        n = (size_t)o.n + 1;
        o.p = calloc(3 * n + np + all * n + all, sizeof *o.p);
        o.given = calloc(np, 1);
        if (o.p && o.given) {
            o.best = o.p + n;
            o.params = o.best + n;
            o.slope = o.params + np;
            double *start = o.slope + all * n;
            interrupt_hold();
            status = conclude(&o, start, start + n);
            interrupt_release();
        } else {
            complain(s->manual, "out of memory");
        }
    }
    gradient_fini(&o.gradient);
    for (size_t i = 0; text && i < all; i++)
        free(text[i]);
    free(text);
    free(o.sign);
    free(o.free);
    free(o.p);
    free(o.given);
    free(o.course);
    return status;
}

int cmd_optimize(int argc, char **argv)
{
    return free_command(argc, argv, &manual_optimize, "what may change? --free NAME=LOW..HIGH", optimize);
}
#endif
