/* SPDX-License-Identifier: GPL-3.0-or-later
 * Achieved against asked: every model and example by every method with error control, in all its formulations, at several tolerances.
 *
 * A tolerance bounds the error of a step; what is left at the end is that times the number of steps, times how the motion itself magnifies
 * disturbances.  The second is measured (the state moved by 1e-7 at eight times of the run, the largest effect at the end) and divided
 * out, and motions that magnify more than a thousandfold are cut short, so that the numbers speak of methods and not of chaos. */
#include "config.h"
#include "interrupt.h"
#include "picture.h"
#include "row.h"

#include "mbs/mbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ASKED[] = {1e-4, 1e-6, 1e-8};
enum { TOLS = 3, MOST = 512 };
static const double CAP = 4, REFERENCE_CAP = 30;        /* s of one run */
enum { DISTURBANCES = 8 };
static const double MAGNIFIED = 1000;

/* All files of models/ and examples/ that stand alone; a word behind a comma is an option that is set. */
static const char *const model_name[] = {
    "squeezer", "squeezer_bodies", "squeezer_stiff", "crank", "crank,nonlinear_beam", "crank_beam", "crank_fe", "fourbar_spatial", "bricard", "chain",
    "nlink", "free_body", "free_body_energies", "top", "top_energies", "rolling_disc", "rolling_disc_energies", "iftomm_slider_crank",
    "iftomm_natural", "iftomm_absolute", "bushing", "stiff_pendulum", "robot_arm", "robot_leg", "crank_clearance", "woodpecker", "cart", "coupler_curve",
    "delta_robot",
    "desk_lamp", "double_pendulum", "driven_pendulum", "garage_door", "gyroscope", "hopping_leg", "passive_walker", "ratchet_winch", "sampled_cart",
    "satellite", "scotch_yoke", "stick_slip_brake", "straight_line", "thermostat", "vehicle", "pendulum", "pendulum_cartesian", "skate",
    "slider_crank"};
enum { MODELS = sizeof model_name / sizeof *model_name };

/* ---- one run ---- */

struct study {
    const struct mbs_model *model;
    double from, to;
    double disturbed;           /* time at which the state is moved; NaN: never */
    double moved;               /* by how much, when the constraints are met again */
    double y[MOST];             /* q, v at the end */
    double cpu, began, cap;
    int status;
    bool told;                  /* the run itself says that it is off by more than 100 tolerances */
};

static int watch(void *user, double t, const struct mbs_statistics *stat)
{
    struct study *s = user;
    (void)t;
    (void)stat;
    return cpu_seconds() - s->began > s->cap;
}

static double distance(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]) / (1 + fabs(b[i])));
    return most;
}

/* Moves the state a little, onto the constraints again; by how much. */
static int disturb(struct mbs_sim *sim, const struct mbs_model *m, double *moved)
{
    double old[MOST], y[MOST];
    int n = m->nq, status;
    memcpy(old, mbs_state(sim)->q, (size_t)n * sizeof *old);
    memcpy(old + n, mbs_state(sim)->v, (size_t)n * sizeof *old);
    for (int i = 0; i < 2 * n; i++)
        y[i] = old[i] + 1e-7 * (1 + fabs(old[i])) * cos(1 + 2.4 * i);
    status = mbs_set_state(sim, mbs_state(sim)->t, y, y + n, NULL);
    if (status == 0)
        status = mbs_consistent(sim);
    memcpy(y, mbs_state(sim)->q, (size_t)n * sizeof *y);
    memcpy(y + n, mbs_state(sim)->v, (size_t)n * sizeof *y);
    *moved = distance(y, old, 2 * n);
    return status;
}

/* method NULL: all as the model's experiment and the defaults say. */
static bool study_run(struct study *s, const char *method, const char *form, double tol)
{
    const struct mbs_model *m = s->model;
    struct mbs_options opt;
    struct mbs_run run;
    struct mbs_sim *sim;
    mbs_options_init(&opt, m);
    opt.max_steps = 1000000;
    opt.witness = 2;
    opt.step = 0;
    if (method) {
        opt.method = method;
        opt.formulation = form ? form : "auto";
        opt.rtol = opt.atol = tol;
    } else {
        opt.method = opt.formulation = "auto";
    }
    s->began = cpu_seconds();
    s->status = mbs_new(&sim, m, NULL, &opt, NULL);
    if (s->status)
        return false;
    s->status = mbs_assemble(sim, s->from);
    mbs_run_init(&run, m);
    run.cancel = interrupt_flag();
    run.progress = watch;
    run.user = s;
    if (s->status == 0 && !isnan(s->disturbed)) {
        run.to = s->disturbed;
        if (s->disturbed > s->from)
            s->status = mbs_run(sim, &run);
        s->status = s->status == MBS_DOUBTFUL ? MBS_OK : s->status;
        if (s->status == 0)
            s->status = disturb(sim, m, &s->moved);
    }
    run.to = s->to;
    if (s->status == 0)
        s->status = mbs_run(sim, &run);
    s->cpu = cpu_seconds() - s->began;
    const struct mbs_witness *w = mbs_witness(sim);
    s->told = s->status == MBS_DOUBTFUL || w->loose > 0 || w->peak > 0;
    s->status = s->status == MBS_DOUBTFUL ? MBS_OK : s->status;
    memcpy(s->y, mbs_state(sim)->q, (size_t)m->nq * sizeof *s->y);
    memcpy(s->y + m->nq, mbs_state(sim)->v, (size_t)m->nq * sizeof *s->y);
    mbs_free(sim);
    return s->status == 0;
}

/* ---- the yardstick of a model: reference, its own error, how much a disturbance grows ---- */

struct yardstick {
    double to, error, growth;
    double y[MOST];
};

/* Two unrelated methods, tight; with contacts two explicit ones, of stiff models two implicit ones. */
static bool measure_yardstick(struct study *s, struct yardstick *y)
{
    static const struct { const char *a, *b; double tol_a, tol_b; } pair[] = {
        {"dop853", "radau", 1e-13, 1e-12}, {"dop853", "dopri5", 1e-13, 1e-11}, {"radau", "radau5", 1e-12, 1e-11}, {"radau", "radau5", 1e-10, 1e-9}};
    size_t n = 2 * (size_t)s->model->nq;
    bool good = false;
    s->cap = REFERENCE_CAP;
    for (size_t k = 0; k < sizeof pair / sizeof *pair && !good; k++) {
        s->disturbed = NAN;
        if (!study_run(s, pair[k].a, NULL, pair[k].tol_a))
            continue;
        memcpy(y->y, s->y, n * sizeof *y->y);
        if (!study_run(s, pair[k].b, NULL, pair[k].tol_b))
            continue;
        y->error = distance(s->y, y->y, (int)n);
        y->growth = 1;
        good = true;
        for (int i = 0; i < DISTURBANCES && good; i++) {
            s->disturbed = s->from + (s->to - s->from) * i / DISTURBANCES;
            good = study_run(s, pair[k].a, NULL, 10 * pair[k].tol_a);
            if (s->moved > 1e-12)       /* else time drives all of it */
                y->growth = fmax(y->growth, distance(s->y, y->y, (int)n) / s->moved);
        }
        y->to = s->to;
    }
    s->disturbed = NAN;
    s->cap = CAP;
    return good;
}

/* Shorter runs until disturbances grow little.  Where that does not help they do not grow with time: a fast oscillation makes large velocities of small
 * displacements at once. */
static bool measure_reference(struct bench *b, struct study *s, struct yardstick *y)
{
    struct yardstick longer = {.growth = HUGE_VAL};
    for (int cut = 0; cut < 6 && !bench_stopped(b); cut++) {
        bool good = measure_yardstick(s, y);
        if (good && y->growth <= MAGNIFIED)
            return true;
        if (good && y->growth > longer.growth / 2) {
            *y = longer;
            s->to = y->to;
            return true;
        }
        if (good)
            longer = *y;
        s->to = s->from + (s->to - s->from) / 2;
    }
    return false;
}

/* ---- the table ---- */

struct entry {
    int model, tol;
    char method[24], form[16];
    double error, ratio, cpu;   /* ratio: error / (asked x growth); NaN where the run failed */
    int status;
    bool told;
};
struct table {
    struct entry *at;
    int n, room;
    struct yardstick yard[MODELS];
    bool tried[MODELS], known[MODELS];
    struct entry standard[MODELS];      /* default method and tolerances */
};

static struct entry *add(struct bench *b, struct table *t)
{
    if (t->n == t->room) {
        int room = t->room ? 2 * t->room : 1024;
        struct entry *more = realloc(t->at, (size_t)room * sizeof *more);
        if (!more) {
            b->good = false;
            return NULL;
        }
        t->at = more;
        t->room = room;
    }
    t->at[t->n] = (struct entry){0};
    return &t->at[t->n++];
}

static void judge(struct study *s, const struct yardstick *y, bool good, double asked, struct entry *e)
{
    e->status = s->status;
    e->cpu = s->cpu;
    e->told = s->told;
    e->error = good ? distance(s->y, y->y, 2 * s->model->nq) : NAN;
    e->ratio = good ? e->error / (asked * y->growth) : NAN;
}

static bool takes(const struct mbs_method_info *info, unsigned form, const struct mbs_model *m)
{
    bool constrained = m->ng + m->nh > 0;
    return !info->needs && info->adaptive && info->forms & 1u << form && form != MBS_BAUMGARTE && (constrained || form == (unsigned)info->form_default);
}

static void study_model(struct bench *b, struct table *t, int k)
{
    struct build build;
    struct mbs_method_info info;
    char file[64];
    const char *option = strchr(model_name[k], ','), *const options[] = {option ? option + 1 : NULL, NULL};
    snprintf(file, sizeof file, "%.*s", (int)strcspn(model_name[k], ","), model_name[k]);
    if (!library_model(b, &build, file, options))
        return;
    struct study s = {.model = build.model, .from = isnan(build.model->experiment.from) ? 0 : build.model->experiment.from, .to = build.model->experiment.to, .disturbed = NAN, .cap = CAP};
    struct yardstick *y = &t->yard[k];
    if (2 * s.model->nq + s.model->nz > MOST || !(s.to > s.from)) {
        build_close(&build);
        return;
    }
    t->tried[k] = true;
    bench_step(b, "%s: reference", model_name[k]);
    t->known[k] = measure_reference(b, &s, y);
    for (int i = 0; t->known[k] && mbs_method_list(i, &info); i++)
        for (unsigned f = 0; f < MBS_FORMS; f++)
            for (int j = 0; takes(&info, f, s.model) && j < TOLS && !bench_stopped(b); j++) {
                struct entry *e = add(b, t);
                if (!e)
                    break;
                e->model = k;
                e->tol = j;
                snprintf(e->method, sizeof e->method, "%s", info.name);
                snprintf(e->form, sizeof e->form, "%s", s.model->ng + s.model->nh ? mbs_form_name((enum mbs_form)f) : "");
                bench_step(b, "%s: %s %s %.0e", model_name[k], e->method, e->form, ASKED[j]);
                judge(&s, y, study_run(&s, info.name, mbs_form_name((enum mbs_form)f), ASKED[j]), ASKED[j], e);
            }
    if (t->known[k]) {
        struct mbs_options opt;
        mbs_options_init(&opt, s.model);
        judge(&s, y, study_run(&s, NULL, NULL, 0), fmax(opt.rtol, opt.atol), &t->standard[k]);
    }
    build_close(&build);
}

/* ---- what it says ---- */

static int by_ratio(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct summary {
    int runs, failed, beyond30, beyond100;
    double median, worst;
};
static struct summary summarise(const struct table *t, const char *method, const char *form, int tol)
{
    struct summary s = {0};
    double *ratio = malloc(((size_t)t->n + 1) * sizeof *ratio);
    int n = 0;
    for (int i = 0; ratio && i < t->n; i++) {
        const struct entry *e = &t->at[i];
        if (strcmp(e->method, method) || strcmp(e->form, form) || (tol >= 0 && e->tol != tol))
            continue;
        s.runs++;
        if (isnan(e->ratio)) {
            s.failed++;
            continue;
        }
        /* what the reference itself does not know is no fault of the method */
        double own = t->yard[e->model].error / (ASKED[e->tol] * t->yard[e->model].growth);
        ratio[n++] = fmax(e->ratio - own, 0);
        s.beyond30 += e->ratio - own > 30;
        s.beyond100 += e->ratio - own > 100;
    }
    qsort(ratio, (size_t)n, sizeof *ratio, by_ratio);
    s.median = n ? ratio[n / 2] : NAN;
    s.worst = n ? ratio[n - 1] : NAN;
    free(ratio);
    return s;
}

static bool first_of(const struct table *t, int i)
{
    for (int k = 0; k < i; k++)
        if (!strcmp(t->at[k].method, t->at[i].method) && !strcmp(t->at[k].form, t->at[i].form))
            return false;
    return true;
}

static void write_methods(struct bench *b, const struct table *t)
{
    fputs("\n### By method and formulation\n\nThe error at the end over (asked tolerance x growth of disturbances): median and largest over all models and tolerances, how often it is\n"
          "beyond 30 and 100, and how often a run ended with a message instead (or at the limit of 4 s). An empty formulation: models without constraints.\n\n"
          "| method | formulation | runs | median | largest | > 30 | > 100 | ended otherwise |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n", b->md);
    for (int i = 0; i < t->n; i++) {
        if (!first_of(t, i))
            continue;
        struct summary s = summarise(t, t->at[i].method, t->at[i].form, -1);
        fprintf(b->md, "| %s | %s | %d | %.2g | %.2g | %d | %d | %d |\n", t->at[i].method, t->at[i].form, s.runs, s.median, s.worst, s.beyond30, s.beyond100, s.failed);
    }
}

static void write_worst(struct bench *b, const struct table *t)
{
    int shown = 0, silent = 0;
    fputs("\n### Beyond 30 times what was asked\n\nThe last column: whether the run itself says that it is off by more than a hundred tolerances (energy, velocities in index 3, drift of constraints, peaks).\n\n"
          "| model | method | formulation | asked | achieved | ratio | said |\n| --- | --- | --- | --- | --- | --- | --- |\n", b->md);
    for (int i = 0; i < t->n; i++) {
        const struct entry *e = &t->at[i];
        double own = t->yard[e->model].error / (ASKED[e->tol] * t->yard[e->model].growth);
        if (!(e->ratio - own > 30))
            continue;
        fprintf(b->md, "| %s | %s | %s | %.0e | %.1e | %.0f | %s |\n", model_name[e->model], e->method, e->form, ASKED[e->tol], e->error, e->ratio, e->told ? "yes" : "no");
        shown++;
        silent += e->ratio - own > 100 && !e->told;
    }
    if (!shown)
        fputs("| none | | | | | | |\n", b->md);
    fprintf(b->md, "\nBeyond 100 without a word: %d of %d runs.\n", silent, t->n);
}

static void write_models(struct bench *b, const struct table *t)
{
    fputs("\n### Models, and what the defaults achieve\n\nEnd of the run (shortened where disturbances grow more than a thousandfold), agreement of the two reference runs, growth, and the default method at default\n"
          "tolerances.\n\n| model | end (s) | reference | growth | default: error | ratio |\n| --- | --- | --- | --- | --- | --- |\n", b->md);
    for (int k = 0; k < MODELS; k++) {
        if (!t->known[k] && !t->tried[k])
            continue;
        if (!t->known[k])
            fprintf(b->md, "| %s | no reference: two tight runs do not agree or take too long | | | | |\n", model_name[k]);
        else if (isnan(t->standard[k].ratio))
            fprintf(b->md, "| %s | %.3g | %.0e | %.2g | ended: %s | |\n", model_name[k], t->yard[k].to, t->yard[k].error, t->yard[k].growth, mbs_status_text(t->standard[k].status));
        else
            fprintf(b->md, "| %s | %.3g | %.0e | %.2g | %.1e | %.2g |\n", model_name[k], t->yard[k].to, t->yard[k].error, t->yard[k].growth, t->standard[k].error, t->standard[k].ratio);
    }
}

/* Every run as a point: asked (a little apart by method) and achieved over growth. */
static void draw(struct bench *b, const struct table *t)
{
    enum { METHODS = 12 };
    struct series series[METHODS];
    char name[METHODS][24];
    double *x = malloc(2 * ((size_t)t->n + 1) * sizeof *x), *y = x + t->n, *at = x, *yt = y;
    int n = 0;
    for (int i = 0; x && i < t->n && n < METHODS; i++) {
        bool seen = false;
        for (int k = 0; k < n; k++)
            seen = seen || !strcmp(name[k], t->at[i].method);
        if (seen)
            continue;
        snprintf(name[n], sizeof name[n], "%s", t->at[i].method);
        struct series s = {.title = name[n], .x = at, .y = yt, .style = POINTS, .color = n, .shape = n % 7};
        for (int k = 0; k < t->n; k++)
            if (!strcmp(t->at[k].method, name[n]) && t->at[k].error > 0) {
                *at++ = ASKED[t->at[k].tol] * pow(10, 0.12 * (n - 4));
                *yt++ = t->at[k].error / t->yard[t->at[k].model].growth;
                s.n++;
            }
        series[n++] = s;
    }
    if (x) {
        const struct panel panel = {.title = "Achieved against asked", .x = "asked (rtol = atol), methods side by side", .y = "error at the end / growth", .logx = true, .logy = true,
                                    .key = KEY_OUTSIDE, .n = n, .series = series};
        picture_draw(b, &(struct picture){.what = "achieved", .caption = "Every run: what was asked and what was achieved.", .rows = 1, .columns = 1, .width = 1000, .height = 620, .panel = &panel});
    }
    free(x);
}

static void write_csv(struct bench *b, const struct table *t)
{
    struct out o;
    if (!bench_open_file(b, &o, "runs.csv"))
        return;
    fputs("model,method,formulation,asked,status,error,growth,ratio,told,cpu\r\n", o.f);
    for (int i = 0; i < t->n; i++) {
        const struct entry *e = &t->at[i];
        fprintf(o.f, "\"%s\",%s,%s,%.0e,%d,%.4g,%.4g,%.4g,%d,%.4g\r\n", model_name[e->model], e->method, e->form, ASKED[e->tol], e->status, e->error,
                t->yard[e->model].growth, e->ratio, e->told, e->cpu);
    }
    bench_close_file(b, &o);
}

static void run(struct bench *b)
{
    struct table *t = calloc(1, sizeof *t);
    int models = b->quick ? 4 : MODELS;
    if (!t) {
        b->good = false;
        return;
    }
    bench_plan(b, models * 60);
    for (int k = 0; k < models && !bench_stopped(b); k++) {
        study_model(b, t, b->quick ? MODELS - 4 + k : k);
        b->done = (k + 1) * 60;
    }
    write_models(b, t);
    write_methods(b, t);
    draw(b, t);
    write_worst(b, t);
    write_csv(b, t);
    free(t->at);
    free(t);
}

const struct document document_accuracy = {
    "accuracy", "Achieved against asked accuracy",
    "Every model and example that is one file, by every method with error control, in all its formulations, at rtol = atol = 1e-4, 1e-6 and 1e-8: the error of positions and velocities at the end, |error| / (1 + |value|).",
    run};
