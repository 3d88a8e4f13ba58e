/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs report`: a run kept in memory, written as one HTML page. */
#include "config.h"
#include "report.h"
#include "commands.h"
#include "compile.h"
#include "happening.h"
#include "interrupt.h"
#include "base/out.h"
#include "json.h"
#include "live.h"
#include "result.h"
#include "row.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const struct manual manual_report = {
    "report", "MODEL.mbs [options] [-o report.html]", FOR_REPORT,
    "Runs a model and writes one HTML page about the run: the mechanism moving, plots of coordinates, energies,\n"
    "multipliers and constraint violation linked with it, the model with its equations, the table of the run. The\n"
    "page needs no network and no other file. Without -o its name is that of the model with .html.",
    "  mbs report pendulum.mbs                     writes pendulum.html\n"
    "  mbs report squeezer.mbs --samples 2000 -o squeezer.html\n"
    "  mbs report crank.mbs -D damped=true --to 0.2 -o damped.html\n"
    "  mbs report pendulum.mbs --live              sliders that run it again in the page\n",
    1, 1};

enum { SAMPLES = 1000, PAGE_BYTES = 1800000, EQUATION_BYTES = 100000, EQUATION_LONGEST = 4000, MESH_TRIANGLES = 40000 };

struct recorder {
    struct session *s;
    struct result *r;
    struct outcome outcome;
    struct progress progress;
    struct happenings happenings;
    bool no_memory;
};

static void copy(double *to, const double *from, int n)
{
    if (n)
        memcpy(to, from, (size_t)n * sizeof *to);
}
void report_row(struct session *s, const struct result *r, const struct mbs_state *x, const double *y, double *row)
{
    const struct mbs_model *m = s->model;
    row[0] = x->t;
    copy(row + r->q, x->q, m->nq);
    copy(row + r->v, x->v, m->nq);
    copy(row + r->a, x->a, m->nq);
    copy(row + r->lambda, x->lambda, m->ng + m->nh);
    copy(row + r->z, x->z, m->nz);
    copy(row + r->u, x->u, m->nu);
    copy(row + r->y, y, m->ny);
    m->energy(s->c, x, row + r->energy, s->w);
    session_violation(s, x, row + r->violation, row + r->violation + 1);
    if (m->npoint)
        m->points(s->c, x, row + r->xyz, s->w);
}
static int on_output(void *user, const struct mbs_state *x, const double *y)
{
    struct recorder *k = user;
    struct result *r = k->r;
    struct session *s = k->s;
    double *row = result_row(r);
    if (!row) {
        k->no_memory = true;
        return 1;
    }
    report_row(s, r, x, y, row);
    outcome_row(&k->outcome, s, x, row + r->energy, row[r->violation], row[r->violation + 1]);
    return *interrupt_flag() != 0;
}
static int on_happening(void *user, struct mbs_sim *sim, const struct mbs_happening *what)
{
    struct recorder *k = user;
    (void)sim;
    k->no_memory |= !happenings_note(&k->happenings, what);
    return k->no_memory;
}
static int on_progress(void *user, double t, const struct mbs_statistics *stat)
{
    progress_step(&((struct recorder *)user)->progress, t, stat);
    return 0;
}

static long sample_count(const struct session *s)
{
    double fit = PAGE_BYTES / page_sample_bytes(s->model);
    if (s->settings->samples > 0)
        return s->settings->samples;
    return fit < SAMPLES ? (long)fmax(fit, 50) : SAMPLES;
}

static void describe(struct recorder *k)
{
    struct session *s = k->s;
    struct result *r = k->r;
    const struct mbs_model *m = s->model;
    const struct mbs_statistics *st = mbs_statistics(s->sim);
    char time[32];
    snprintf(r->subtitle, sizeof r->subtitle, "%s · %d coordinate%s, %d constraint%s · %s%s%s", m->source ? m->source : m->name, m->nq,
             m->nq == 1 ? "" : "s", m->ng + m->nh, m->ng + m->nh == 1 ? "" : "s", mbs_method(s->sim), m->ng + m->nh ? ", " : "",
             m->ng + m->nh ? mbs_form_name(mbs_formulation(s->sim)) : "");
    result_fact(r, "Solver", "%s", mbs_method(s->sim));
    if (m->ng + m->nh)
        result_fact(r, "Formulation", "%s", mbs_form_name(mbs_formulation(s->sim)));
    if (s->options.step > 0)
        result_fact(r, "Fixed step", "%g s", s->options.step);
    else
        result_fact(r, "Tolerances", "rtol %g, atol %g", s->options.rtol, isnan(s->options.atol) ? s->options.rtol : s->options.atol);
    result_fact(r, "Simulated", "%g to %g s", s->from, mbs_state(s->sim)->t);
    if (k->outcome.status != MBS_OK)
        result_fact(r, "Ended", "%s", mbs_status_text(k->outcome.status));
    result_fact(r, "Steps accepted", "%ld", st->accepted);
    result_fact(r, "Steps rejected", "%ld", st->rejected);
    result_fact(r, "Evaluations", "%ld", st->f);
    result_fact(r, "Jacobians", "%ld", st->jac);
    result_fact(r, "Factorisations", "%ld", st->lu);
    result_fact(r, "Step sizes", "%.2g to %.2g s", st->h_min, st->h_max);
    if (mbs_witness(s->sim)->conserves)
        result_fact(r, "Energy drift", "%.3g J", k->outcome.energy_drift);
    else if (mbs_witness(s->sim)->balanced)
        result_fact(r, "Energy balance", "work %.6g J, events %.6g J, off by %.3g J", mbs_witness(s->sim)->work, mbs_witness(s->sim)->jumps, mbs_witness(s->sim)->drift);
    if (m->ng)
        result_fact(r, "Violation of positions", "%.3g", k->outcome.position);
    if (m->ng + m->nh)
        result_fact(r, "Violation of velocities", "%.3g", k->outcome.velocity);
    if (mbs_passages(s->sim)->redundant)
        result_fact(r, "Redundant constraint rows", "%d", mbs_passages(s->sim)->redundant);
    if (mbs_passages(s->sim)->stepped)
        result_fact(r, "Time stepping", "from t = %.9g on, step %g: contacts meet without end", mbs_passages(s->sim)->stepped_from, mbs_passages(s->sim)->step);
    for (int i = 0; i < mbs_passages(s->sim)->count && i < MBS_PASSAGES; i++)
        result_fact(r, "Singular position", "t = %.6g: rows %s", mbs_passages(s->sim)->t[i], mbs_passages(s->sim)->rows[i]);
    if (k->s->manual->command != FOR_FMU)       /* whose bytes are the same each time */
        result_fact(r, "CPU time", "%s", seconds_text(k->outcome.cpu, time));
    result_fact(r, "Samples", "%d", r->n);
}

static void integrate(struct recorder *k)
{
    struct session *s = k->s;
    struct mbs_run run;
    mbs_run_init(&run, s->model);
    run.to = s->to;
    run.every = fabs(s->to - s->from) / fmax((double)sample_count(s) - 1, 1);
    run.output = on_output;
    run.progress = on_progress;
    run.happened = on_happening;
    run.user = k;
    run.cancel = interrupt_flag();
    progress_begin(&k->progress, s->from, s->to, s->settings->quiet);
    double began = cpu_seconds();
    interrupt_hold();
    k->outcome.status = mbs_run(s->sim, &run);
    interrupt_release();
    k->outcome.cpu = cpu_seconds() - began;
    progress_end(&k->progress);
}

/* The equations for the page, unless they are too long for anybody to read. */
static char *equations_text(const struct compile *c)
{
    static const struct { enum eq_id id; const char *title; } list[] = {
        {EQ_M, "Mass matrix (lower triangle): M a = f − Gᵀ λ"}, {EQ_f, "Forces"}, {EQ_g, "Constraints: g = 0"}, {EQ_G, "Constraint matrix"},
        {EQ_gamma, "Acceleration level: G a + γ = 0"}, {EQ_zdot, "Rates of the states"}};
    char *text = NULL;
    size_t size = 0;
    struct arena scratch = {0};
    FILE *f = c->good ? stream_open(&text, &size) : NULL;
    if (!f)
        return NULL;
    bool any = false;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const struct eq_array *a = &c->equations->array[list[i].id];
        if (!a->nnz || a->by_columns || ftell(f) > EQUATION_BYTES)
            continue;
        fputs(any ? ",\n{\"title\":" : "{\"title\":", f);
        any = true;
        json_string(f, list[i].title);
        fputs(",\"list\":[", f);
        for (int k = 0; k < a->nnz && ftell(f) <= EQUATION_BYTES; k++) {
            struct span span;
            char *value = expr_show(c->equations->model->pool, a->value[k]);
            fputs(k ? ",\n[" : "[", f);
            json_string(f, equations_entry(c->equations, &scratch, list[i].id, k, &span));
            putc(',', f);
            if (strlen(value) > EQUATION_LONGEST)
                fprintf(f, "%zu", strlen(value));
            else
                json_string(f, value);
            putc(']', f);
            free(value);
        }
        fputs("]}", f);
    }
    arena_free(&scratch);
    if (stream_close(f))
        return text;
    free(text);
    errno = ENOMEM;
    return NULL;
}

/* The meshes that the model draws, few triangles enough for a page.  What cannot be read is said, and its body keeps its lines. */
static void read_meshes(struct recorder *k)
{
    const struct mbs_model *m = k->s->model;
    const struct settings *set = k->s->settings;
    struct result *r = k->r;
    r->mesh = calloc((size_t)m->nshape + 1, sizeof *r->mesh);
    for (int i = 0; r->mesh && i < m->nshape; i++) {
        const char *file = m->shape[i].file;
        char *why = NULL;
        int j = 0;
        while (file && j < r->meshes && strcmp(r->mesh[j].file, file))
            j++;
        if (!file || j < r->meshes)
            continue;
        char *path = mesh_find(set->files.at[0], set->include.at, set->include.n, file);
        if (path && mesh_read(&r->mesh[r->meshes].mesh, path, &why))
            r->mesh[r->meshes++].file = file;
        else
            complain(k->s->manual, "the mesh %s is not shown: %s", file, why ? why : "there is no such file beside the model or below a directory of -I");
        free(why);
        free(path);
    }
    for (int j = 0; j < r->meshes; j++)
        mesh_thin(&r->mesh[j].mesh, MESH_TRIANGLES / r->meshes > 200 ? MESH_TRIANGLES / r->meshes : 200);
}

static void free_meshes(struct result *r)
{
    for (int j = 0; j < r->meshes; j++)
        mesh_free(&r->mesh[j].mesh);
    free(r->mesh);
    r->mesh = NULL;
    r->meshes = 0;
}

/* Where the page of a report goes. */
struct file_page {
    const struct manual *manual;
    const char *path;
};

static bool write_file(void *user, const struct result *r)
{
    const struct file_page *page = user;
    struct out out;
    if (!out_open(&out, page->path)) {
        complain(page->manual, "%s", out.why);
        out_discard(&out);
        return false;
    }
    if (out.temp)
        interrupt_cover(out.temp);
    bool whole = page_write(out.f, r);
    char *temp = out.temp ? strdup(out.temp) : NULL;
    bool good = whole && out_close(&out);
    if (!whole) {
        out_discard(&out);
        snprintf(out.why, sizeof out.why, "out of memory");
    }
    if (temp)
        interrupt_uncover(temp);
    free(temp);
    if (!good)
        complain(page->manual, "%s", out.why);
    return good;
}

bool report_page(struct session *s, const char *stamp, const char *name, bool (*write)(void *user, const struct result *), void *user)
{
    struct result r;
    struct recorder k = {.s = s, .r = &r};
    bool good = false;
    if (!session_span(s))
        return false;
    if (!result_init(&r, s->model)) {
        complain(s->manual, "out of memory");
        return false;
    }
    k.no_memory = !happenings_open(&k.happenings, s, NULL, true);
    r.happenings = &k.happenings;
    if (!k.no_memory)
        integrate(&k);
    if (k.no_memory) {
        complain(s->manual, "out of memory; fewer --samples need less");
    } else if (r.n == 0) {
        session_explain(s, k.outcome.status);
    } else {
        if (*interrupt_flag())
            complain(s->manual, "interrupted at t = %g; the page shows the run up to there", mbs_state(s->sim)->t);
        else if (k.outcome.status != MBS_OK)
            session_explain(s, k.outcome.status);
        struct compile_options o = {.front = settings_front(s->settings)};
        struct compile *c = compile_file(s->settings->files.at[0], &o, COMPILE_EQUATIONS);
        r.params = s->params;
        r.given = s->given;
        char *text = model_read(s->settings->files.at[0], NULL);
        r.text = text;
        r.stamp = stamp;
        char *equations = equations_text(c);
        r.equations = equations;
        describe(&k);
        result_ascend(&r);
        read_meshes(&k);
        char *live = s->settings->live ? live_text(s) : NULL;
        r.live = live;
        r.rtol = s->options.rtol > 0 ? s->options.rtol : 1e-6;
        r.atol = s->options.atol > 0 ? s->options.atol : r.rtol;
        const char *dot = strrchr(s->settings->files.at[0], '.');
        if (!c->good && (c->no_memory || !dot || strcmp(dot, ".c")))
            complain(s->manual, "cannot read %s again:\n%s", s->settings->files.at[0], compile_messages(c));
        else if (!text || (c->good && !equations))
            complain(s->manual, "cannot read %s again: %s", s->settings->files.at[0], file_why());
        else
            good = write(user, &r) && (k.outcome.status == MBS_OK || k.outcome.status == MBS_DOUBTFUL);
        free(text);
        free(equations);
        free(live);
        free_meshes(&r);
        compile_free(c);
        if (!s->settings->quiet && good)
            fprintf(stderr, "mbs %s: %s: %d samples, CPU time %s\n", s->manual->name, name, r.n, seconds_text(k.outcome.cpu, (char[32]){0}));
    }
    happenings_fini(&k.happenings);
    result_fini(&r);
    return good;
}

bool report_write(struct session *s, const char *path, const char *stamp)
{
    struct file_page page = {s->manual, path};
    return report_page(s, stamp, path, write_file, &page);
}

char *output_name(const struct settings *set, const struct manual *manual, const char *ending)
{
    const char *file = set->files.at[0], *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');
    size_t n = dot ? (size_t)(dot - file) : strlen(file), room = n + strlen(ending) + 1;
    char *name = set->output ? strdup(set->output) : malloc(room);
    if (!name)
        complain(manual, "out of memory");
    else if (!set->output)
        snprintf(name, room, "%.*s%s", (int)n, file, ending);
    return name;
}

bool report_apart(const struct settings *given, const struct manual *manual, const char *page, const char *stamp)
{
    struct settings set = *given;
    struct session s;
    int status = 1;
    set.output = page;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        bool good = session_open(&s, &set, manual);
        if (good) {
            good = report_write(&s, page, stamp);
            session_close(&s);
        }
        fflush(NULL);
        _exit(good ? 0 : 1);
    }
    if (pid < 0)
        complain(manual, "%s", strerror(errno));
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        if (*interrupt_flag())
            kill(pid, SIGTERM);
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int cmd_report(int argc, char **argv)
{
    struct settings set;
    struct session s;
    int status;
    if (!settings_parse(&set, &manual_report, argc, argv, &status))
        return status;
    interrupt_watch();
    status = EXIT_FAILED;
    char *path = output_name(&set, &manual_report, ".html");
    if (path && session_open(&s, &set, &manual_report)) {
        status = report_write(&s, path, NULL) ? EXIT_OK : EXIT_FAILED;
        session_close(&s);
    }
    free(path);
    settings_free(&set);
    return status;
}
