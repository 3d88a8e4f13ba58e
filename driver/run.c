/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs run`: compile, load, integrate, write rows, say how it went. */
#include "config.h"
#include "commands.h"
#include "happening.h"
#include "interrupt.h"
#include "json.h"
#include "row.h"
#include "sink.h"
#include "study/gradient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct manual manual_run = {
    "run", "MODEL.mbs [options]", FOR_RUN,
    "Compiles a model, builds it with the C compiler (the result is kept, a second run starts at once) and\n"
    "integrates it. The model's own `simulate { ... }` says how; options say otherwise. Rows go to the file of -o:\n"
    "CSV, or HDF5 if its name ends in .h5; the events of the model to NAME.events.csv beside it, or a group of the HDF5 file. Ctrl-C ends the run and keeps what was computed.",
    "  mbs run pendulum.mbs -o pendulum.csv            1001 rows, then a table of the run\n"
    "  mbs run pendulum.mbs --to 20 --every 0.01 --set l=2 -o longer.csv\n"
    "  mbs run crank.mbs -D damped=true --solver radau5 --formulation ggl --rtol 1e-8 -o crank.h5\n"
    "  mbs run pendulum.mbs --gradient 'max(phi)' --sensitivity l,m    d(max(phi))/d(l), d(max(phi))/d(m)\n"
    "  mbs run pendulum.mbs -o - --quiet | mbs plot - phi -t text\n",
    1, 1};

struct run {
    struct session *s;
    struct sink *sink;          /* NULL: no file */
    struct outcome outcome;
    struct progress progress;
    struct happenings happenings;
    double *row, *y;            /* y: the outputs now */
    int plain;                  /* columns before those of derivatives */
    bool all, failed;
};

/* The columns of columns_derivatives(), behind the others. */
static void fill_derivatives(struct run *r)
{
    const struct mbs_model *m = r->s->model;
    const struct mbs_derivatives *d = mbs_derivatives(r->s->sim);
    double *at = r->row + r->plain;
    for (int k = 0; d && k < d->count; k++) {
        const struct { const double *from; int n; } block[] = {{d->q, m->nq}, {d->v, m->nq}, {d->z, m->nz}, {d->y, m->ny}};
        for (size_t i = 0; i < sizeof block / sizeof *block; i++) {
            if (block[i].n)
                memcpy(at, block[i].from + (size_t)k * (size_t)block[i].n, (size_t)block[i].n * sizeof *at);
            at += block[i].n;
        }
    }
}

static int on_output(void *user, const struct mbs_state *x, const double *y)
{
    struct run *r = user;
    double e[2], position, velocity;
    r->s->model->energy(r->s->c, x, e, r->s->w);
    session_violation(r->s, x, &position, &velocity);
    outcome_row(&r->outcome, r->s, x, e, position, velocity);
    if (y)
        memcpy(r->y, y, (size_t)r->s->model->ny * sizeof *y);
    if (!r->sink)
        return *interrupt_flag() != 0;
    columns_fill(r->row, r->s->model, r->all, x, y, e, position, velocity);
    fill_derivatives(r);
    if (!sink_row(r->sink, r->row))
        r->failed = true;
    return r->failed || *interrupt_flag();
}
static int on_progress(void *user, double t, const struct mbs_statistics *stat)
{
    progress_step(&((struct run *)user)->progress, t, stat);
    return 0;
}
static int on_happening(void *user, struct mbs_sim *sim, const struct mbs_happening *what)
{
    struct run *r = user;
    (void)sim;
    return !happenings_note(&r->happenings, what);
}
static int on_event(void *user, struct mbs_sim *sim, int i, const struct mbs_state *x)
{
    struct run *r = user;
    (void)sim;
    if (!r->s->settings->quiet)
        fprintf(stderr, "mbs run: output %s crosses zero at t = %.12g\n", r->s->model->output[r->s->event[i].output].name, x->t);
    return 0;
}

static void integrate(struct run *r)
{
    struct session *s = r->s;
    struct mbs_run run;
    mbs_run_init(&run, s->model);
    run.to = s->to;
    run.every = s->every > 0 ? s->every : 0;
    run.output = on_output;
    run.progress = on_progress;
    run.event = on_event;
    run.happened = on_happening;
    run.user = r;
    run.events = s->event;
    run.nevents = s->events;
    run.cancel = interrupt_flag();
    progress_begin(&r->progress, s->from, s->to, s->settings->quiet || s->settings->json);
    double began = cpu_seconds();
    interrupt_hold();
    r->outcome.status = mbs_run(s->sim, &run);
    interrupt_release();
    r->outcome.cpu = cpu_seconds() - began;
    progress_end(&r->progress);
}

static void print_passages(FILE *f, const struct mbs_passages *all, int status)
{
    if (all->redundant && status != MBS_INCONSISTENT)
        fprintf(f, "  redundant     %d constraint row%s, met because the others are\n", all->redundant, all->redundant > 1 ? "s" : "");
    if (all->stepped)
        fprintf(f, "  Zeno          contacts meet without end at t = %.9g: from there on by moreau, fixed step %g\n", all->stepped_from, all->step);
    for (int i = 0; i < all->count && i < MBS_PASSAGES; i++)
        fprintf(f, "  %s passes a singular position at t = %.6g: rows %s\n", i ? "             " : "singular     ", all->t[i], all->rows[i]);
    if (all->count > MBS_PASSAGES)
        fprintf(f, "                ... and %d more\n", all->count - MBS_PASSAGES);
}

/* Drift is an error only where the energy is conserved; else it is what work and energy differ by. */
static void print_energy(FILE *f, const struct run *r, const struct mbs_witness *w)
{
    fprintf(f, "  energy        %.10g J at the end, ", r->outcome.energy_last);
    if (w->conserves && w->jumps == 0) {
        fprintf(f, "drift %.3g J\n", r->outcome.energy_drift);
        return;
    }
    fprintf(f, "%.10g J at the start\n", r->outcome.energy_first);
    if (!w->balanced)
        return;
    fprintf(f, "                energy balance: work %.6g J", w->work);
    if (w->jumps != 0)
        fprintf(f, " and %.6g J at events", w->jumps);
    fprintf(f, ", from which its change differs by %.3g J at most\n", w->drift);
}

/* What makes results doubtful though nothing is wrong. */
static void print_accuracy(FILE *f, const struct session *s)
{
    const struct mbs_witness *w = mbs_witness(s->sim);
    const char *label = "accuracy     ";
    if (w->peak > 0) {
        fprintf(f, "  %s the velocity of %s reaches %.3g times its mean, and errors that are small there are not so later: compare with smaller tolerances\n", label,
                s->model->coord[w->peak_coord].name, w->peak);
        label = "             ";
    }
    if (w->excess > 0) {
        fprintf(f, "  %s the energy is off by %.2g of what has moved, %.3g tolerances: compare with smaller ones\n", label, w->drift / w->scale, w->excess);
        label = "             ";
    }
    if (w->strayed > 0) {
        fprintf(f, "  %s positions violate a constraint by %.3g tolerances: projected or ggl do not drift\n", label, w->strayed);
        label = "             ";
    }
    if (w->loose > 0)
        fprintf(f, "  %s velocities are off by up to %.3g tolerances in a step, which index 3 does not count: index2 or ggl do\n", label, w->loose);
}

static void print_table(FILE *f, const struct run *r, const char *output)
{
    const struct session *s = r->s;
    const struct mbs_model *m = s->model;
    const struct mbs_statistics *st = mbs_statistics(s->sim);
    const struct mbs_state *x = mbs_state(s->sim);
    char time[32];
    fprintf(f, "%s%s%s\n", m->name, m->title && *m->title ? ": " : "", m->title ? m->title : "");
    fprintf(f, "  solver        %s, %s, ", mbs_method(s->sim), m->ng + m->nh ? mbs_form_name(mbs_formulation(s->sim)) : "no constraints");
    if (s->options.step > 0)
        fprintf(f, "fixed step %g\n", s->options.step);
    else
        fprintf(f, "rtol %g, atol %g\n", s->options.rtol, isnan(s->options.atol) ? s->options.rtol : s->options.atol);
    fprintf(f, "  time          %g to %g s\n", s->from, x->t);
    fprintf(f, "  steps         %ld accepted, %ld rejected\n", st->accepted, st->rejected);
    fprintf(f, "  evaluations   %ld of the model, %ld Jacobians, %ld factorisations\n", st->f, st->jac, st->lu);
    if (st->sweeps)
        fprintf(f, "  impulses      %ld bounces, %.1f sweeps a step, solved to %.1e of the velocities\n", st->impacts, (double)st->sweeps / (double)st->accepted,
                st->residual);
    print_energy(f, r, mbs_witness(s->sim));
    if (m->ng + m->nh)
        fprintf(f, "  violation     %.3g of positions, %.3g of velocities\n", r->outcome.position, r->outcome.velocity);
    print_accuracy(f, s);
    happenings_print(f, &r->happenings);
    print_passages(f, mbs_passages(s->sim), r->outcome.status);
    if (mbs_derivatives(s->sim))
        fprintf(f, "  derivatives   by %d parameter%s, %ld steps, error of a step at most %.2g of the tolerance\n", m->nsensitive, m->nsensitive == 1 ? "" : "s",
                mbs_derivatives(s->sim)->steps, mbs_derivatives(s->sim)->error);
    fprintf(f, "  CPU time      %s%s\n", seconds_text(r->outcome.cpu, time), s->build.cached ? "" : " (besides compiling)");
    if (output)
        fprintf(f, "  written       %s: %ld rows, %d columns\n", output, r->sink->rows, r->sink->columns->n);
    for (int i = 0; !output && i < m->nq && i < 12; i++)
        fprintf(f, "  %-13s %.15g%s%s\n", m->coord[i].name, x->q[i], *m->coord[i].unit ? " " : "", m->coord[i].unit);
    if (!output && m->nq > 12)
        fprintf(f, "  ...           %d more coordinates\n", m->nq - 12);
}

static void json_values(FILE *f, const char *key, const struct mbs_name *names, int n, const double *x)
{
    fprintf(f, ",\n  \"%s\": {", key);
    for (int i = 0; i < n; i++) {
        fputs(i ? ", " : "", f);
        json_string(f, names[i].name);
        fputs(": ", f);
        json_number(f, x[i]);
    }
    putc('}', f);
}

static void json_passages(FILE *f, const struct mbs_passages *all)
{
    if (all->stepped) {
        fputs(",\n  \"time_stepping_from\": ", f);
        json_number(f, all->stepped_from);
    }
    fprintf(f, ",\n  \"redundant_rows\": %d,\n  \"singular_positions\": [", all->redundant);
    for (int i = 0; i < all->count && i < MBS_PASSAGES; i++) {
        fprintf(f, "%s{\"t\": ", i ? ", " : "");
        json_number(f, all->t[i]);
        fputs(", \"rows\": ", f);
        json_string(f, all->rows[i]);
        putc('}', f);
    }
    putc(']', f);
}

static void print_json(FILE *f, const struct run *r, const char *output)
{
    const struct session *s = r->s;
    const struct mbs_model *m = s->model;
    const struct mbs_statistics *st = mbs_statistics(s->sim);
    const struct mbs_state *x = mbs_state(s->sim);
    fputs("{\n  \"model\": ", f);
    json_string(f, m->name);
    fprintf(f, ",\n  \"solver\": \"%s\",\n  \"formulation\": \"%s\",\n  \"status\": ", mbs_method(s->sim), mbs_form_name(mbs_formulation(s->sim)));
    json_string(f, mbs_status_text(r->outcome.status));
    fputs(",\n  \"message\": ", f);
    json_string(f, mbs_message(s->sim)->text);
    fprintf(f, ",\n  \"rtol\": %.17g,\n  \"from\": %.17g,\n  \"t\": %.17g,\n  \"steps\": %ld,\n  \"accepted\": %ld,\n  \"rejected\": %ld,\n"
               "  \"evaluations\": %ld,\n  \"jacobians\": %ld,\n  \"factorisations\": %ld,\n  \"newton\": %ld",
            s->options.rtol, s->from, x->t, st->steps, st->accepted, st->rejected, st->f, st->jac, st->lu, st->newton);
    fputs(",\n  \"energy\": ", f);
    json_number(f, r->outcome.energy_last);
    fputs(",\n  \"energy_drift\": ", f);
    json_number(f, r->outcome.energy_drift);
    fprintf(f, ",\n  \"energy_conserved\": %s", mbs_witness(r->s->sim)->conserves ? "true" : "false");
    fputs(",\n  \"energy_work\": ", f);
    json_number(f, mbs_witness(r->s->sim)->balanced ? mbs_witness(r->s->sim)->work : NAN);
    fputs(",\n  \"energy_events\": ", f);
    json_number(f, mbs_witness(r->s->sim)->balanced ? mbs_witness(r->s->sim)->jumps : NAN);
    fputs(",\n  \"energy_balance\": ", f);
    json_number(f, mbs_witness(r->s->sim)->balanced ? mbs_witness(r->s->sim)->drift : NAN);
    fputs(",\n  \"energy_excess\": ", f);
    json_number(f, mbs_witness(r->s->sim)->excess);
    fputs(",\n  \"position_strayed\": ", f);
    json_number(f, mbs_witness(r->s->sim)->strayed);
    fputs(",\n  \"velocity_loose\": ", f);
    json_number(f, mbs_witness(r->s->sim)->loose);
    fputs(",\n  \"velocity_peak\": ", f);
    json_number(f, mbs_witness(r->s->sim)->peak);
    fputs(",\n  \"witness\": ", f);
    json_number(f, mbs_witness(r->s->sim)->used);
    fputs(",\n  \"violation\": ", f);
    json_number(f, r->outcome.position);
    fputs(",\n  \"violation_velocity\": ", f);
    json_number(f, r->outcome.velocity);
    json_passages(f, mbs_passages(s->sim));
    fprintf(f, ",\n  \"cpu_seconds\": %.6g", r->outcome.cpu);
    if (output) {
        fputs(",\n  \"file\": ", f);
        json_string(f, output);
        fprintf(f, ",\n  \"rows\": %ld", r->sink->rows);
    }
    json_values(f, "q", m->coord, m->nq, x->q);
    json_values(f, "v", m->coord, m->nq, x->v);
    json_values(f, "lambda", m->constraint, m->ng + m->nh, x->lambda);
    json_values(f, "z", m->state, m->nz, x->z);
    json_values(f, "outputs", m->output, m->ny, r->y);
    happenings_json(f, &r->happenings);
    fputs("\n}\n", f);
}

/* Ends the file and says how it went; the exit status. */
static int conclude(struct run *r, const char *output)
{
    struct session *s = r->s;
    FILE *f = output && !strcmp(output, "-") ? stderr : stdout;
    int status = r->outcome.status, exit = EXIT_OK;
    if (r->sink && r->failed) {
        complain(s->manual, "%s", r->sink->why);
        sink_discard(r->sink);
        return EXIT_FAILED;
    }
    if (!happenings_close(&r->happenings)) {
        complain(s->manual, "%s", r->happenings.out.why);
        exit = EXIT_FAILED;
    }
    if (!happenings_hdf5(&r->happenings, r->sink)) {
        complain(s->manual, "%s", r->sink->why);
        exit = EXIT_FAILED;
    }
    if (r->sink && !sink_close(r->sink)) {
        complain(s->manual, "%s", r->sink->why);
        return EXIT_FAILED;
    }
    if (*interrupt_flag()) {
        complain(s->manual, "interrupted at t = %g%s", mbs_state(s->sim)->t, r->sink ? "; the rows up to there are kept" : "");
        exit = EXIT_FAILED;
    } else if (status != MBS_OK && status != MBS_EVENT) {
        session_explain(s, status);
        exit = status == MBS_DOUBTFUL ? EXIT_DOUBTFUL : EXIT_FAILED;
    }
    if (s->settings->json)
        print_json(f, r, output);
    else if (!s->settings->quiet)
        print_table(f, r, output);
    if (fflush(f) != 0) {
        complain(s->manual, "cannot write the table of the run");
        exit = EXIT_FAILED;
    }
    return exit;
}

static int run_session(struct session *s)
{
    struct run r = {.s = s, .all = s->settings->all};
    struct columns columns;
    struct sink sink;
    int status = EXIT_FAILED;
    const char *output = s->settings->output;
    if (!session_span(s))
        return EXIT_USAGE;
    if (s->settings->sensitivity && mbs_derivatives_begin(s->sim, s->settings->at_equilibrium) != MBS_OK) {
        session_explain(s, mbs_message(s->sim)->status);
        return EXIT_FAILED;
    }
    bool named = columns_init(&columns, s->model, r.all);
    r.plain = columns.n;
    if (!named || (s->model->nsensitive && !columns_derivatives(&columns, s->model)) || !(r.row = malloc((size_t)columns.n * sizeof *r.row))
        || !(r.y = calloc((size_t)s->model->ny + 1, sizeof *r.y))) {
        complain(s->manual, "out of memory");
    } else if (output && !sink_open(&sink, output, &columns, s->model, 0)) {
        complain(s->manual, "%s", sink.why);
    } else if (!happenings_open(&r.happenings, s, output, s->settings->json)) {
        complain(s->manual, "%s", r.happenings.out.why);
        if (output)
            sink_discard(&sink);
    } else {
        r.sink = output ? &sink : NULL;
        integrate(&r);
        status = conclude(&r, output);
    }
    happenings_fini(&r.happenings);
    free(r.row);
    free(r.y);
    columns_fini(&columns);
    return status;
}

/* ---- gradients ---- */

static void print_gradient(FILE *f, const struct gradient *g)
{
    const struct mbs_model *m = g->session->model;
    for (int i = 0; i < g->measures.width; i++) {
        fprintf(f, "%s = %.12g%s%s\n", g->measures.name[i], g->value[i], *g->measures.unit[i] ? " " : "", g->measures.unit[i]);
        for (int k = 0; k < m->nsensitive; k++) {
            const struct mbs_name *p = &m->param[m->sensitive[k]];
            fprintf(f, "  d/d(%s)%*s %.12g\n", p->name, (int)(strlen(p->name) < 10 ? 10 - strlen(p->name) : 0), "", g->slope[i * m->nsensitive + k]);
        }
    }
    double worst = 0;
    for (int i = 0; i < g->measures.width; i++)
        worst = fmax(worst, g->check[i]);
    fprintf(f, "  %ld steps, %d checkpoints; error of a step at most %.2g of the tolerance; a forward derivative in one direction differs by %.1e\n",
            g->seen.steps, g->seen.checkpoints, g->seen.error, worst);
}

static void json_gradient(FILE *f, const struct gradient *g)
{
    const struct mbs_model *m = g->session->model;
    fputs("{\n  \"model\": ", f);
    json_string(f, m->name);
    fprintf(f, ",\n  \"steps\": %ld,\n  \"checkpoints\": %d,\n  \"gradients\": [", g->seen.steps, g->seen.checkpoints);
    for (int i = 0; i < g->measures.width; i++) {
        fputs(i ? ",\n    {\"measure\": " : "\n    {\"measure\": ", f);
        json_string(f, g->measures.name[i]);
        fputs(", \"value\": ", f);
        json_number(f, g->value[i]);
        fputs(", \"check\": ", f);
        json_number(f, g->check[i]);
        fputs(", \"by\": {", f);
        for (int k = 0; k < m->nsensitive; k++) {
            fputs(k ? ", " : "", f);
            json_string(f, m->param[m->sensitive[k]].name);
            fputs(": ", f);
            json_number(f, g->slope[i * m->nsensitive + k]);
        }
        fputs("}}", f);
    }
    fputs("\n  ]\n}\n", f);
}

/* `--gradient`: a run for these alone. */
static int gradient_session(const struct session *s)
{
    struct gradient g;
    int status = EXIT_USAGE;
    if (!session_span(s))
        return EXIT_USAGE;
    if (s->settings->output) {
        complain(s->manual, "--gradient prints; -o is for rows, with derivatives from --sensitivity");
        return EXIT_USAGE;
    }
    if (!gradient_init(&g, s, s->settings->gradient.at, s->settings->gradient.n)) {
        complain(s->manual, "%s", g.why);
    } else if (!gradient_run(&g, s->params)) {
        complain(s->manual, "%s", g.why);
        status = EXIT_FAILED;
    } else {
        status = EXIT_OK;
        if (s->settings->json)
            json_gradient(stdout, &g);
        else
            print_gradient(stdout, &g);
        if (g.status == MBS_DOUBTFUL) {
            complain(s->manual, "%s", g.why);
            status = EXIT_DOUBTFUL;
        }
    }
    gradient_fini(&g);
    return status;
}

int cmd_run(int argc, char **argv)
{
    struct settings set;
    struct session s;
    int status;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--solver=list") || (!strcmp(argv[i], "--solver") && i + 1 < argc && !strcmp(argv[i + 1], "list"))) {
            session_methods();
            return EXIT_OK;
        }
    if (!settings_parse(&set, &manual_run, argc, argv, &status))
        return status;
    interrupt_watch();
    if (set.gradient.n && !set.sensitivity)
        set.sensitivity = "*";
    status = EXIT_FAILED;
    if (session_open(&s, &set, &manual_run)) {
        status = set.gradient.n ? gradient_session(&s) : run_session(&s);
        session_close(&s);
    }
    settings_free(&set);
    return status;
}
