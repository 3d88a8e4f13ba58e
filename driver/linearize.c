/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs linearize`: A, B, C, D of a model at a point, at several times, along a stored run, and its frequency response. */
#include "config.h"
#include "commands.h"
#include "csv.h"
#include "interrupt.h"
#include "linearize.h"
#include "base/out.h"
#include "plot.h"
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct manual manual_linearize = {
    "linearize", "MODEL.mbs [options]", FOR_LINEARIZE,
    "The equations of motion linearised: dx' = A dx + B du, dy = C dx + D du, exact and with all terms of moving, constrained and\n"
    "non-holonomic systems. The states x are as many of the coordinates and velocities as the constraints leave free, chosen\n"
    "and named, and the states of the model. The point is the start, a static equilibrium, a steady motion, or any time.\n"
    "It says whether the point is at rest, on a steady motion (constant speeds along coordinates on which nothing depends, or\n"
    "along a symmetry of the model: then A is that of the frame that moves along, A + K that of coordinates that do not), or\n"
    "neither. The format goes by the name of the file: .json, .csv, .mat, .py, .m, .txt. --bode gives the frequency\n"
    "response from each input to each output, as a table or, into .svg, .png, .pdf, as a picture.",
    "  mbs linearize cart.mbs --at-equilibrium\n"
    "  mbs linearize disc.mbs --steady -o disc.json\n"
    "  mbs linearize squeezer.mbs --at 0.01 --at 0.02 -o points.csv\n"
    "  mbs linearize cart.mbs --along run.csv -o along.json\n"
    "  mbs linearize cart.mbs --bode 0.1:100 -o bode.svg\n",
    1, 1};

static void names_free(char **name, int n)
{
    for (int i = 0; name && i < n; i++)
        free(name[i]);
    free(name);
}
static char *joined(const char *a, const char *b)
{
    char *s = malloc(strlen(a) + strlen(b) + 1);
    if (s)
        strcat(strcpy(s, a), b);
    return s;
}
static char **names_new(const struct mbs_name *from, int n)
{
    char **name = calloc((size_t)n + 1, sizeof *name);
    for (int i = 0; name && i < n; i++)
        if (!(name[i] = joined(from[i].name, ""))) {
            names_free(name, n);
            return NULL;
        }
    return name;
}

struct writer {
    struct session *s;
    const struct linear_format *format;
    struct out out;
    int points;
    bool descriptor;
};

static void set_matrices(struct linear_point *p, const struct mbs_linearization *x)
{
    const struct linear_matrix m[5] = {{"A", x->nx, x->nx, x->A, p->rate, p->state}, {"B", x->nx, x->nu, x->B, p->rate, p->input},
                                       {"C", x->ny, x->nx, x->C, p->output, p->state}, {"D", x->ny, x->nu, x->D, p->output, p->input},
                                       {"K", x->nx, x->nx, x->frame, p->rate, p->state}};
    memcpy(p->matrix, m, sizeof m);
    p->matrices = x->motion == MBS_STEADY && x->by_symmetry ? 5 : 4;
}

/* Names and values of state k: a coordinate, a velocity, a state. */
static bool name_state(struct linear_point *p, double *value, int k, const char *name, const char *state, const char *rate, double x)
{
    p->state[k] = joined(name, state);
    p->rate[k] = joined(name, rate);
    value[k] = x;
    return p->state[k] && p->rate[k];
}

static bool write_linearization(struct writer *w, struct linear_point *p, double *value)
{
    const struct mbs_model *m = p->model;
    const struct mbs_state *x = mbs_state(w->s->sim);
    struct mbs_linearization l;
    int status = mbs_linearize(w->s->sim, &l), k = 0;
    bool good = status == MBS_OK;
    if (!good) {
        session_explain(w->s, status);
        return false;
    }
    p->nx = l.nx;
    for (int i = 0; i < l.nqi && good; i++, k++)
        good = name_state(p, value, k, m->coord[l.q[i]].name, "", "'", x->q[l.q[i]]);
    for (int i = 0; i < l.nvi && good; i++, k++)
        good = name_state(p, value, k, m->coord[l.v[i]].name, "'", "''", x->v[l.v[i]]);
    for (int i = 0; i < l.nz && good; i++, k++)
        good = name_state(p, value, k, m->state[i].name, "", "'", x->z[i]);
    p->motion = l.motion;
    p->x_rate = l.rate;
    p->cyclic = l.cyclic;
    p->restless = l.restless;
    p->timed = l.timed;
    p->by_symmetry = l.by_symmetry;
    set_matrices(p, &l);
    if (good)
        w->format->write(w->out.f, p, w->points);
    else
        complain(w->s->manual, "out of memory");
    mbs_linearization_free(&l);
    return good;
}

static bool write_descriptor(struct writer *w, struct linear_point *p, double *value)
{
    const struct mbs_model *m = p->model;
    const struct mbs_state *x = mbs_state(w->s->sim);
    struct mbs_descriptor d;
    struct mbs_linearization l;
    int status = mbs_linearize(w->s->sim, &l), k = 0;
    if (status == MBS_OK) {
        p->motion = l.motion;
        p->timed = l.timed;
        mbs_linearization_free(&l);
        status = mbs_descriptor(w->s->sim, &d);
    }
    if (status != MBS_OK) {
        session_explain(w->s, status);
        return false;
    }
    bool good = true;
    p->nx = d.n;
    for (int i = 0; i < m->nq && good; i++, k++)
        good = name_state(p, value, k, m->coord[i].name, "", "'", x->q[i]);
    for (int i = 0; i < m->nq && good; i++, k++)
        good = name_state(p, value, k, m->coord[i].name, "'", "''", x->v[i]);
    for (int i = 0; i < m->nz && good; i++, k++)
        good = name_state(p, value, k, m->state[i].name, "", "'", x->z[i]);
    for (int i = 0; i < m->ng + m->nh && good; i++, k++) {
        char *lambda = joined("lambda(", m->constraint[i].name);
        good = lambda && name_state(p, value, k, lambda, ")", ")", x->lambda[i]);
        free(lambda);
    }
    p->restless = -1;
    p->matrix[0] = (struct linear_matrix){"E", d.n, d.n, d.E, p->rate, p->state};
    p->matrix[1] = (struct linear_matrix){"A", d.n, d.n, d.A, p->rate, p->state};
    p->matrix[2] = (struct linear_matrix){"B", d.n, d.nu, d.B, p->rate, p->input};
    p->matrices = 3;
    if (good)
        w->format->write(w->out.f, p, w->points);
    else
        complain(w->s->manual, "out of memory");
    mbs_descriptor_free(&d);
    return good;
}

/* The point where the simulation stands. */
static bool write_point(struct writer *w)
{
    const struct mbs_model *m = w->s->model;
    size_t most = 2 * (size_t)m->nq + (size_t)(m->nz + m->ng + m->nh) + 1;
    struct linear_point p = {.model = m, .t = mbs_state(w->s->sim)->t};
    double *value = calloc(most, sizeof *value);
    bool good = false;
    p.state = calloc(most, sizeof *p.state);
    p.rate = calloc(most, sizeof *p.rate);
    p.input = names_new(m->input, m->nu);
    p.output = names_new(m->output, m->ny);
    p.value = value;
    if (value && p.state && p.rate && p.input && p.output)
        good = (w->descriptor ? write_descriptor : write_linearization)(w, &p, value);
    else
        complain(w->s->manual, "out of memory");
    names_free(p.state, (int)most);
    names_free(p.rate, (int)most);
    names_free(p.input, m->nu);
    names_free(p.output, m->ny);
    free(value);
    w->points++;
    return good && !*interrupt_flag();
}

/* ---- where ---- */

static bool go_to(struct session *s, double t)
{
    struct mbs_run run;
    mbs_run_init(&run, s->model);
    run.to = t;
    run.cancel = interrupt_flag();
    int status = mbs_run(s->sim, &run);
    if (status != MBS_OK)
        session_explain(s, status);
    return status == MBS_OK || status == MBS_DOUBTFUL;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool at_times(struct writer *w, const struct list *at)
{
    double *t = calloc((size_t)at->n + 1, sizeof *t);
    bool good = t != NULL;
    for (int i = 0; i < at->n && good; i++)
        if (!(good = number_read(at->at[i], &t[i]) && isfinite(t[i]) && t[i] >= w->s->from))
            complain(w->s->manual, "--at takes a time from %g on, not '%s'", w->s->from, at->at[i]);
    if (good)
        qsort(t, (size_t)at->n, sizeof *t, compare_times);
    for (int i = 0; i < at->n && good; i++)
        good = (t[i] == mbs_state(w->s->sim)->t || go_to(w->s, t[i])) && write_point(w);
    free(t);
    return good;
}

/* The columns of a run: the state of each row. */
static int *find_columns(struct session *s, const struct csv *c)
{
    const struct mbs_model *m = s->model;
    int n = m->nq, nz = m->nz, *col = calloc(2 * (size_t)n + (size_t)(nz + m->nu) + 1, sizeof *col);
    char name[512];
    for (int k = 0; col && k < 2 * n + nz + m->nu; k++) {
        const struct mbs_name *from = k < 2 * n ? &m->coord[k % n] : k < 2 * n + nz ? &m->state[k - 2 * n] : &m->input[k - 2 * n - nz];
        snprintf(name, sizeof name, "%s%s", from->name, k >= n && k < 2 * n ? "'" : "");
        col[k] = csv_column(c, name);
        if (col[k] < 0 && k < 2 * n + nz) {
            complain(s->manual, "%s has no column '%s'; `mbs run MODEL.mbs -o FILE.csv` writes one", s->settings->along, name);
            free(col);
            return NULL;
        }
    }
    return col;
}

static bool along_run(struct writer *w)
{
    struct session *s = w->s;
    const struct mbs_model *m = s->model;
    struct csv c = {0};
    int n = m->nq, *col = NULL;
    double *x = calloc(2 * (size_t)n + (size_t)(m->nz + m->nu) + 1, sizeof *x), *u = x + 2 * n + m->nz;
    bool good = x && csv_read(&c, s->settings->along);
    if (!good)
        complain(s->manual, "%s", x ? c.why : "out of memory");
    else
        good = (col = find_columns(s, &c)) != NULL;
    for (int row = 0; row < c.rows && good; row++) {
        int status = MBS_OK;
        for (int k = 0; k < 2 * n + m->nz + m->nu; k++)
            x[k] = col[k] >= 0 ? csv_get(&c, row, col[k]) : s->u[k - 2 * n - m->nz];
        if (m->nu)
            status = mbs_set_inputs(s->sim, u);
        if (status == MBS_OK)
            status = mbs_set_state(s->sim, csv_get(&c, row, 0), x, x + n, x + 2 * n);
        if (status != MBS_OK)
            session_explain(s, status);
        good = status == MBS_OK && write_point(w);
    }
    free(col);
    free(x);
    csv_free(&c);
    return good;
}

static bool write_points(struct writer *w)
{
    const struct settings *set = w->s->settings;
    if (set->steady) {
        int status = mbs_steady(w->s->sim);
        if (status != MBS_OK) {
            session_explain(w->s, status);
            return false;
        }
    }
    return set->along ? along_run(w) : set->at.n ? at_times(w, &set->at) : write_point(w);
}

static int write_matrices(struct session *s)
{
    const struct settings *set = s->settings;
    struct writer w = {.s = s, .format = linear_format(set->json ? ".json" : set->output), .descriptor = set->descriptor};
    char formats[100];
    linear_formats(formats, sizeof formats, w.format != NULL);
    if (!w.format) {
        complain(s->manual, "a linearisation is written to %s; '%s' has none of these names", formats, set->output);
        return EXIT_USAGE;
    }
    if (!w.format->several && (set->at.n > 1 || set->along)) {
        complain(s->manual, "several points go into %s, not into '%s'", formats, set->output);
        return EXIT_USAGE;
    }
    if (!out_open(&w.out, set->output ? set->output : "-")) {
        complain(s->manual, "%s", w.out.why);
        out_discard(&w.out);
        return EXIT_FAILED;
    }
    if (w.format->begin)
        w.format->begin(w.out.f);
    if (!write_points(&w)) {
        out_discard(&w.out);
        return EXIT_FAILED;
    }
    if (w.format->end)
        w.format->end(w.out.f);
    if (out_close(&w.out))
        return EXIT_OK;
    complain(s->manual, "%s", w.out.why);
    return EXIT_FAILED;
}

/* ---- frequency response ---- */

struct bode {
    int n, pairs;
    double *hz;
    double *H;                  /* n x pairs of numbers: outputs of input 0, outputs of input 1, ... */
};

static bool read_range(const struct session *s, double *low, double *high)
{
    char *text = joined(s->settings->bode, ""), *colon = text ? strchr(text, ':') : NULL;
    bool good = colon != NULL;
    if (colon)
        *colon = 0;
    good = good && number_read(text, low) && number_read(colon + 1, high) && *low > 0 && *high > *low && isfinite(*high);
    free(text);
    if (!good)
        complain(s->manual, "--bode takes two frequencies in Hz, such as 0.1:100, not '%s'", s->settings->bode);
    return good;
}

/* In place: gain in dB and phase in degrees, unwrapped from the frequency before. */
static void bode_polar(struct bode *b)
{
    size_t width = 2 * (size_t)b->pairs;
    for (size_t k = 0; k < (size_t)b->n * width; k += 2) {
        double gain = 20 * log10(hypot(b->H[k], b->H[k + 1])), phase = atan2(b->H[k + 1], b->H[k]) * 180 / M_PI;
        b->H[k] = gain;
        b->H[k + 1] = k >= width ? phase + 360 * rint((b->H[k + 1 - width] - phase) / 360) : phase;
    }
}

static bool bode_fill(struct bode *b, struct session *s, double low, double high)
{
    struct mbs_linearization l;
    int status = mbs_linearize(s->sim, &l);
    if (status != MBS_OK) {
        session_explain(s, status);
        return false;
    }
    b->n = 401;
    b->pairs = l.nu * l.ny;
    b->hz = calloc((size_t)b->n, sizeof *b->hz);
    b->H = calloc((size_t)b->n * (size_t)b->pairs * 2 + 1, sizeof *b->H);
    bool good = b->hz && b->H;
    for (int i = 0; i < b->n && good; i++) {
        b->hz[i] = low * pow(high / low, i / (b->n - 1.0));
        good = mbs_frequency_response(&l, 2 * M_PI * b->hz[i], b->H + 2 * (size_t)i * (size_t)b->pairs) == MBS_OK;
    }
    if (good)
        bode_polar(b);
    else
        complain(s->manual, "out of memory");
    mbs_linearization_free(&l);
    return good;
}

static void bode_table(FILE *f, const struct session *s, const struct bode *b)
{
    const struct mbs_model *m = s->model;
    fputs("frequency [Hz]", f);
    for (int p = 0; p < b->pairs; p++)
        fprintf(f, ",%s/%s gain [dB],%s/%s phase [deg]", m->output[p % m->ny].name, m->input[p / m->ny].name, m->output[p % m->ny].name, m->input[p / m->ny].name);
    fputs("\r\n", f);
    for (int i = 0; i < b->n; i++) {
        fprintf(f, "%.17g", b->hz[i]);
        for (int k = 0; k < 2 * b->pairs; k++)
            fprintf(f, ",%.17g", b->H[2 * i * b->pairs + k]);
        fputs("\r\n", f);
    }
}

static void bode_script(FILE *f, const struct session *s, const struct bode *b)
{
    const struct mbs_model *m = s->model;
    for (int p = 0; p < b->pairs; p++) {
        fprintf(f, "$data%d << END\n", p);
        for (int i = 0; i < b->n; i++) {
            const double *h = b->H + 2 * (i * b->pairs + p);
            fprintf(f, "%.9g %.9g %.9g\n", b->hz[i], h[0], h[1]);
        }
        fputs("END\n", f);
    }
    fputs("set multiplot layout 2,1\nset logscale x\nset grid\nset key outside right\nset lmargin 10\n", f);
    for (int pane = 0; pane < 2; pane++) {
        fprintf(f, "set ylabel \"%s\"\n%s", pane ? "phase [deg]" : "gain [dB]", pane ? "set xlabel \"frequency [Hz]\"\n" : "");
        for (int p = 0; p < b->pairs; p++) {
            char title[300];
            snprintf(title, sizeof title, "%s/%s", m->output[p % m->ny].name, m->input[p / m->ny].name);
            fprintf(f, p ? ", $data%d using 1:%d with lines lw 2 title " : "plot $data%d using 1:%d with lines lw 2 title ", p, pane + 2);
            gnuplot_string(f, title);
        }
        putc('\n', f);
    }
    fputs("unset multiplot\n", f);
}

static bool is_picture(const struct settings *set)
{
    const char *dot = set->output ? strrchr(set->output, '.') : NULL;
    return dot && (!strcmp(dot, ".svg") || !strcmp(dot, ".png") || !strcmp(dot, ".pdf"));
}

static int bode_write(struct session *s, const struct bode *b, struct gnuplot *g)
{
    struct out out;
    if (g->f) {
        bode_script(g->f, s, b);
        bool good = gnuplot_close(g, s->manual);
        g->f = NULL;
        return good ? EXIT_OK : EXIT_FAILED;
    }
    if (!out_open(&out, s->settings->output ? s->settings->output : "-")) {
        complain(s->manual, "%s", out.why);
        out_discard(&out);
        return EXIT_FAILED;
    }
    bode_table(out.f, s, b);
    if (out_close(&out))
        return EXIT_OK;
    complain(s->manual, "%s", out.why);
    return EXIT_FAILED;
}

static int bode(struct session *s, struct gnuplot *g)
{
    struct bode b = {0};
    double low, high;
    int status = EXIT_FAILED;
    if (!read_range(s, &low, &high))
        return EXIT_USAGE;
    if (s->model->nu == 0 || s->model->ny == 0) {
        complain(s->manual, "a frequency response needs an input and an output; the model has %d and %d", s->model->nu, s->model->ny);
        return EXIT_FAILED;
    }
    int found = s->settings->steady ? mbs_steady(s->sim) : MBS_OK;
    if (found != MBS_OK)
        session_explain(s, found);
    else if (bode_fill(&b, s, low, high))
        status = bode_write(s, &b, g);
    free(b.hz);
    free(b.H);
    return status;
}

int cmd_linearize(int argc, char **argv)
{
    struct settings set;
    struct session s;
    struct gnuplot g = {.f = NULL};
    int status;
    if (!settings_parse(&set, &manual_linearize, argc, argv, &status))
        return status;
    interrupt_watch();
    status = EXIT_FAILED;
    /* gnuplot first: once a model is loaded, no program is started any more */
    if (set.bode && is_picture(&set) && !gnuplot_open(&g, &set, &manual_linearize)) {
        settings_free(&set);
        return g.status;
    }
    if (session_open(&s, &set, &manual_linearize)) {
        status = set.bode ? bode(&s, &g) : write_matrices(&s);
        session_close(&s);
    }
    if (g.f)
        gnuplot_discard(&g);
    settings_free(&set);
    return status;
}
