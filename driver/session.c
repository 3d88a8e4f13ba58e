/* SPDX-License-Identifier: GPL-3.0-or-later
 * A model built and loaded, with parameters, inputs, options, at a consistent start. */
#include "config.h"
#include "session.h"
#include "base/diag.h"
#include "contain.h"
#include "csv.h"
#include "interrupt.h"
#include "params.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int session_find(const struct manual *m, const char *what, const char *name, size_t length, const struct mbs_name *names, int n)
{
    struct arena arena = {0};
    struct suggestion near;
    for (int i = 0; i < n; i++)
        if (strlen(names[i].name) == length && !strncmp(names[i].name, name, length))
            return i;
    char *word = arena_strndup(&arena, name, length);
    suggest_init(&near, word);
    for (int i = 0; i < n; i++)
        suggest_offer(&near, names[i].name);
    const char *hint = suggest_text(&near, &arena);
    enum { LISTED = 20 };
    for (int i = 0; !*suggest_text(&near, &arena) && i < n && i <= LISTED; i++)
        hint = i == LISTED ? arena_printf(&arena, "%s, ...", hint) : arena_printf(&arena, "%s%s%s", hint, i ? ", " : "; it has ", names[i].name);
    complain(m, "the model has no %s '%s'%s", what, word, hint);
    arena_free(&arena);
    return -1;
}

void unit_over(char *to, size_t size, const char *unit, const char *per)
{
    bool compound = strpbrk(unit, "*/^ ") != NULL;
    if (!*unit)
        *to = 0;
    else
        snprintf(to, size, compound ? "(%s)/%s" : "%s/%s", unit, per);
}

void session_methods(void)
{
    struct mbs_method_info info;
    printf("%-14s %-12s %s\n", "solver", "formulation", "");
    printf("%-14s %-12s %s\n", "auto", "", "chosen from the model and the tolerance");
    for (int i = 0; mbs_method_list(i, &info); i++) {
        printf("%-14s %-12s %s%s%s%s\n", info.name, mbs_form_name(info.form_default), info.summary, info.needs ? " [needs " : "",
               info.needs ? info.needs : "", info.needs ? "; not in this build]" : "");
        for (unsigned f = 0; f < MBS_FORMS; f++)
            if (info.forms & 1u << f && f != info.form_default)
                printf("%-14s %s\n", "", mbs_form_name((enum mbs_form)f));
    }
}

/* ---- parameters, inputs, events ---- */

/* k=[1, 2, 3] or k=1,2,3: the parameters k[1], k[2], k[3]. */
static bool set_vector(struct session *s, const char *text, const char *eq)
{
    const struct mbs_model *m = s->model;
    const char *at = eq + 1;
    bool bracket = *at == '[';
    char name[512];
    at += bracket;
    for (int n = 1;; n++) {
        char *end;
        double x = strtod(at, &end);
        if (end == at) {
            complain(s->manual, "--set %s: number %d is none; write NAME=[X,Y,...]", text, n);
            return false;
        }
        snprintf(name, sizeof name, "%.*s[%d]", (int)(eq - text), text, n);
        int k = session_find(s->manual, "parameter", name, strlen(name), m->param, m->np);
        if (k < 0)
            return false;
        s->params[k] = x;
        s->given[k] = 1;
        at = end + strspn(end, " ");
        if (*at == ',') {
            at++;
            continue;
        }
        if (strcmp(at, bracket ? "]" : "")) {
            complain(s->manual, "--set %s: what is '%s'? Write NAME=[X,Y,...]", text, at);
            return false;
        }
        return true;
    }
}

static bool set_params(struct session *s)
{
    const struct settings *set = s->settings;
    const struct mbs_model *m = s->model;
    char why[512];
    if (set->params && !params_read(set->params, m, s->params, s->given, why, sizeof why)) {
        complain(s->manual, "%s", why);
        return false;
    }
    for (int i = 0; i < set->set.n; i++) {
        const char *text = set->set.at[i], *eq = strchr(text, '=');
        double x;
        if (eq && (eq[1] == '[' || strchr(eq, ','))) {
            if (!set_vector(s, text, eq))
                return false;
            continue;
        }
        if (!eq || !number_read(eq + 1, &x)) {
            complain(s->manual, "--set needs NAME=NUMBER or, for a vector, NAME=[X,Y,...], not '%s'", text);
            return false;
        }
        int k = session_find(s->manual, "parameter", text, (size_t)(eq - text), m->param, m->np);
        if (k < 0)
            return false;
        s->params[k] = x;
        s->given[k] = 1;
    }
    m->defaults(s->params, s->given);
    m->setup(s->params, s->c);
    return true;
}

static bool read_input_file(struct session *s, int input, const char *path)
{
    struct csv csv;
    struct input_table *more = realloc(s->table, ((size_t)s->tables + 1) * sizeof *more);
    if (!more || !csv_read(&csv, path)) {
        complain(s->manual, "%s", more ? csv.why : "out of memory");
        s->table = more ? more : s->table;
        return false;
    }
    s->table = more;
    struct input_table *t = &s->table[s->tables];
    *t = (struct input_table){input, csv.rows, malloc(((size_t)csv.rows + 1) * sizeof(double)), malloc(((size_t)csv.rows + 1) * sizeof(double))};
    s->tables++;
    bool good = csv.columns >= 2 && csv.rows > 0 && t->t && t->u;
    for (int i = 0; i < csv.rows && good; i++) {
        t->t[i] = csv_get(&csv, i, 0);
        t->u[i] = csv_get(&csv, i, 1);
        good = isfinite(t->t[i]) && isfinite(t->u[i]) && (i == 0 || t->t[i] > t->t[i - 1]);
    }
    csv_free(&csv);
    if (!good)
        complain(s->manual, "%s needs two columns of numbers, time (ascending) and value", path);
    return good;
}

static bool set_inputs(struct session *s)
{
    const struct settings *set = s->settings;
    const struct mbs_model *m = s->model;
    for (int i = 0; i < set->input.n; i++) {
        const char *text = set->input.at[i], *eq = strchr(text, '=');
        double x;
        if (!eq) {
            complain(s->manual, "--input needs NAME=NUMBER or NAME=FILE.csv, not '%s'", text);
            return false;
        }
        int k = session_find(s->manual, "input", text, (size_t)(eq - text), m->input, m->nu);
        if (k < 0)
            return false;
        if (number_read(eq + 1, &x))
            s->u[k] = x;
        else if (!read_input_file(s, k, eq + 1))
            return false;
    }
    return true;
}

static double table_at(const struct input_table *t, double x)
{
    int a = 0, b = t->n - 1;
    if (x <= t->t[0])
        return t->u[0];
    if (x >= t->t[b])
        return t->u[b];
    while (b - a > 1) {
        int mid = (a + b) / 2;
        if (t->t[mid] <= x)
            a = mid;
        else
            b = mid;
    }
    return t->u[a] + (x - t->t[a]) / (t->t[b] - t->t[a]) * (t->u[b] - t->u[a]);
}
static void inputs_at(void *user, double t, double *u)
{
    struct session *s = user;
    memcpy(u, s->u, (size_t)s->model->nu * sizeof *u);
    for (int i = 0; i < s->tables; i++)
        u[s->table[i].input] = table_at(&s->table[i], t);
}
static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
/* The corners of the tables are where steps end, unless there are so many that they would set the step. */
static bool set_breaks(struct session *s)
{
    int n = 0;
    for (int i = 0; i < s->tables; i++)
        n += s->table[i].n;
    if (!s->tables)
        return true;
    s->options.input = inputs_at;
    s->options.input_user = s;
    if (n > 1000)
        return true;
    if (!(s->breaks = malloc((size_t)n * sizeof *s->breaks)))
        return complain(s->manual, "out of memory"), false;
    n = 0;
    for (int i = 0; i < s->tables; i++)
        for (int k = 0; k < s->table[i].n; k++)
            s->breaks[n++] = s->table[i].t[k];
    qsort(s->breaks, (size_t)n, sizeof *s->breaks, ascending);
    s->options.breaks = s->breaks;
    for (int k = 0; k < n; k++)         /* tables of several inputs may have the same times */
        if (k == 0 || s->breaks[k] > s->breaks[k - 1])
            s->breaks[s->options.nbreaks++] = s->breaks[k];
    return true;
}

/* OUTPUT[:rising|falling][:stop|record] */
static bool set_events(struct session *s)
{
    const struct settings *set = s->settings;
    s->event = calloc((size_t)set->event.n + 1, sizeof *s->event);
    if (!s->event)
        return complain(s->manual, "out of memory"), false;
    for (int i = 0; i < set->event.n; i++) {
        const char *text = set->event.at[i];
        size_t length = strcspn(text, ":");
        struct mbs_event *e = &s->event[s->events++];
        e->output = session_find(s->manual, "output", text, length, s->model->output, s->model->ny);
        e->action = MBS_EVENT_STOP;
        if (e->output < 0)
            return false;
        for (const char *w = text + length; *w;) {
            size_t n = strcspn(++w, ":");
            if (n == 6 && !strncmp(w, "rising", n))
                e->direction = 1;
            else if (n == 7 && !strncmp(w, "falling", n))
                e->direction = -1;
            else if (n == 6 && !strncmp(w, "record", n))
                e->action = MBS_EVENT_RECORD;
            else if (n == 7 && !strncmp(w, "restart", n))
                e->action = MBS_EVENT_RESTART;
            else if (n != 4 || strncmp(w, "stop", n)) {
                complain(s->manual, "--event %s: after the output come rising, falling, stop, record or restart", text);
                return false;
            }
            w += n;
        }
    }
    return true;
}

static void set_options(struct session *s)
{
    const struct settings *set = s->settings;
    struct mbs_options *o = &s->options;
    mbs_options_init(o, s->model);
    if (set->solver)
        o->method = set->solver, o->formulation = set->formulation ? "auto" : s->model->experiment.formulation && s->model->experiment.solver
                                     && !strcmp(set->solver, s->model->experiment.solver) ? s->model->experiment.formulation : "auto";
    if (set->formulation)
        o->formulation = set->formulation;
    if (!isnan(set->rtol))
        o->rtol = set->rtol;
    if (!isnan(set->atol))
        o->atol = set->atol;
    if (!isnan(set->step))
        o->step = set->step;
    if (!isnan(set->rho))
        o->rho = set->rho;
    if (!isnan(set->alpha))
        o->alpha = set->alpha;
    o->motion_steps = set->motion_steps;
    o->witness = set->no_witness ? 0 : o->witness;
    if (set->max_steps > 0)
        o->max_steps = set->max_steps;
    /* A tolerance asked for by hand means error control, whatever fixed step the model has. */
    if (isnan(set->step) && !isnan(set->rtol))
        o->step = 0;
}

static bool allocate(struct session *s)
{
    const struct mbs_model *m = s->model;
    size_t most = (size_t)m->np + (size_t)m->nc + (size_t)m->nw + (size_t)m->nu + (size_t)m->nq + (size_t)m->nz + 1;
    s->params = calloc(most, sizeof(double));
    s->given = calloc((size_t)m->np + 1, 1);
    s->c = calloc((size_t)m->nc + 1, sizeof(double));
    s->w = calloc((size_t)m->nw + 1, sizeof(double));
    s->u = calloc((size_t)m->nu + 1, sizeof(double));
    s->G = calloc((size_t)m->G.nnz + (size_t)m->ng + 1, sizeof(double));
    s->gt = calloc((size_t)(m->ng + m->nh) + 1, sizeof(double));
    return s->params && s->given && s->c && s->w && s->u && s->G && s->gt;
}

static bool start(struct session *s)
{
    const struct mbs_model *m = s->model;
    struct mbs_message why;
    size_t n = (size_t)m->nq, k = (size_t)m->nz;
    double *q = calloc(2 * n + k + 1, sizeof *q);
    if (!q)
        return complain(s->manual, "out of memory"), false;
    m->initial(s->c, q, q + n, q + 2 * n, s->u);
    free(q);
    if (!set_inputs(s) || !set_breaks(s) || !set_events(s))
        return false;
    if (mbs_new(&s->sim, m, s->params, &s->options, &why) != MBS_OK) {
        complain(s->manual, "%s", why.text);
        return false;
    }
    int status = m->nu && !s->tables ? mbs_set_inputs(s->sim, s->u) : MBS_OK;
    if (status == MBS_OK)
        status = mbs_assemble(s->sim, s->from);
    if (status == MBS_OK && s->settings->at_equilibrium)
        status = mbs_equilibrium(s->sim);
    if (status != MBS_OK)
        session_explain(s, status);
    return status == MBS_OK;
}

bool session_building(struct build_options *o, const struct settings *set, const struct manual *manual)
{
    *o = (struct build_options){.front = settings_front(set), .with = set->with.at, .withs = set->with.n, .optimize = set->optimize, .way = set->way,
                                .sensitivity = set->sensitivity, .batch = set->batch > 0 ? (int)set->batch : 0, .quiet = set->quiet,
                                .interpret = set->interpret};
    if (o->batch && o->batch != 4 && o->batch != 8) {
        complain(manual, "--batch takes 4 or 8, not %d", o->batch);
        return false;
    }
    if (!set->optimize || (strlen(set->optimize) == 1 && strchr("0123s", *set->optimize)))
        return true;
    complain(manual, "--optimize takes 0, 1, 2 or 3, not '%s'", set->optimize);
    return false;
}

bool session_open(struct session *s, const struct settings *set, const struct manual *manual)
{
    struct build_options o;
    *s = (struct session){.settings = set, .manual = manual};
    if (!session_building(&o, set, manual))
        return false;
    if (set->time_limit <= 0) {
        complain(manual, "--time-limit is a number of seconds above zero, not %g", set->time_limit);
        return false;
    }
    o.told = manual->command == FOR_INFO && !set->write_params;
    if (!build_model(&s->build, set->files.at[0], &o))
        return false;
    /* from here on code runs that was made from the model */
    contain(set->write_params ? set->write_params : set->output ? set->output : manual->command == FOR_REPORT ? set->files.at[0] : NULL, set->page, set->among_others);
    interrupt_limit(set->time_limit);
    const struct mbs_model *m = s->model = s->build.model;
    const struct mbs_experiment *e = &m->experiment;
    s->from = !isnan(set->from) ? set->from : !isnan(e->from) ? e->from : 0;
    s->to = !isnan(set->to) ? set->to : e->to;
    s->every = !isnan(set->every) ? set->every : e->every > 0 ? e->every : fabs(s->to - s->from) / 1000;
    if (!allocate(s)) {
        complain(manual, "out of memory");
        session_close(s);
        return false;
    }
    set_options(s);
    if (set_params(s) && start(s))
        return true;
    session_close(s);
    return false;
}

bool session_span(const struct session *s)
{
    if (isnan(s->to))
        complain(s->manual, "how long? Give --to TIME, or the model a line `simulate { to = TIME }`");
    else if (s->to == s->from)
        complain(s->manual, "the run starts and ends at t = %g; --from and --to give it a length", s->to);
    else if (s->every < 0)
        complain(s->manual, "--every is a time between rows, not %g", s->every);
    else
        return true;
    return false;
}

void session_close(struct session *s)
{
    mbs_free(s->sim);
    for (int i = 0; i < s->tables; i++) {
        free(s->table[i].t);
        free(s->table[i].u);
    }
    free(s->table);
    free(s->breaks);
    free(s->event);
    free(s->params);
    free(s->given);
    free(s->c);
    free(s->w);
    free(s->u);
    free(s->G);
    free(s->gt);
    build_close(&s->build);
    *s = (struct session){0};
}

void model_violation(const struct mbs_model *m, const double *c, const struct mbs_state *x, double *G, double *gt, double *w, double *position, double *velocity)
{
    double *g = G + m->G.nnz;
    struct mbs_constraints out = {g, G, gt};
    *position = *velocity = 0;
    if (m->ng + m->nh == 0)
        return;
    m->constraints(c, x, &out, w);
    for (int j = 0; j < m->G.cols; j++)
        for (int k = m->G.colptr[j]; k < m->G.colptr[j + 1]; k++)
            gt[m->G.rowidx[k]] += G[k] * x->v[j];
    for (int i = 0; i < m->ng; i++)
        *position = fmax(*position, fabs(g[i]));
    for (int i = 0; i < m->ng + m->nh; i++)
        *velocity = fmax(*velocity, fabs(gt[i]));
}
void session_violation(struct session *s, const struct mbs_state *x, double *position, double *velocity)
{
    model_violation(s->model, s->c, x, s->G, s->gt, s->w, position, velocity);
}

void session_follow(struct session *s)
{
    memcpy(s->params, mbs_parameters(s->sim), (size_t)s->model->np * sizeof *s->params);
    memcpy(s->c, mbs_constants(s->sim), (size_t)s->model->nc * sizeof *s->c);
}

void session_explain(const struct session *s, int status)
{
    const struct mbs_message *msg = mbs_message(s->sim);
    complain(s->manual, "%s: %s", mbs_status_text(status), msg && *msg->text ? msg->text : "no more is known");
    /* what the start can cure; constraints that contradict each other later on are no matter of it */
    if (status == MBS_INCONSISTENT && !(msg && msg->t > s->from))
        fputs("         `init x ~ 1` is a guess that assembly may move, `init x = 1` is not.\n", stderr);
    if (status == MBS_DOUBTFUL)
        fputs("         All that was computed is kept; --no-witness asks for no judgement.\n", stderr);
    if (status == MBS_DRIFT)
        fputs("         --no-witness goes on regardless.\n", stderr);
    if (status == MBS_ENDLESS)
        fputs("         doc/language.md, \"when, every\", says what to do about it.\n", stderr);
    if (status == MBS_MAX_STEPS)
        fputs("         --max-steps allows more.\n", stderr);
}
