/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs modes` and `mbs equilibrium`: the motion linearised about a state, and the state at rest. */
#include "config.h"
#include "commands.h"
#include "interrupt.h"
#include "base/out.h"
#include "json.h"
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct manual manual_modes = {
    "modes", "MODEL.mbs [options]", FOR_MODES,
    "Eigenvalues of the motion linearised about the start of the model, its static equilibrium or a steady motion, restricted to\n"
    "what the constraints allow: frequency, damping ratio and shape of each mode. A positive real part is an instability.\n"
    "It says where it stands and whether that lasts: at rest, a steady motion along cyclic coordinates, or along a symmetry of\n"
    "the model, as that of a top whose orientation is in Euler parameters.",
    "  mbs modes pendulum.mbs --at-equilibrium\n"
    "  mbs modes top.mbs --steady\n"
    "  mbs modes crank.mbs --count 4\n"
    "  mbs modes cart.mbs --json\n",
    1, 1};
const struct manual manual_equilibrium = {
    "equilibrium", "MODEL.mbs [options]", FOR_EQUILIBRIUM,
    "Finds the static equilibrium near the start of the model: all at rest, forces balanced, constraints met; says whether it is\n"
    "stable, with the eigenvalues that say so.",
    "  mbs equilibrium pendulum.mbs\n"
    "  mbs equilibrium squeezer.mbs --set mom=0.01 --json\n",
    1, 1};

static bool open_out(struct out *out, const struct settings *set, const struct manual *m)
{
    if (out_open(out, set->output ? set->output : "-"))
        return true;
    complain(m, "%s", out->why);
    out_discard(out);
    return false;
}
static int close_out(struct out *out, const struct manual *m)
{
    if (out_close(out))
        return EXIT_OK;
    complain(m, "%s", out->why);
    return EXIT_FAILED;
}

/* ---- modes ---- */

/* Modes in the order of their distance from zero, conjugate pairs once. */
struct order {
    int at;
    double size;
};
static int order_compare(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return x->size != y->size ? (x->size > y->size) - (x->size < y->size) : x->at - y->at;
}
static int sort_modes(const struct mbs_modes *k, struct order *order)
{
    int n = 0;
    for (int i = 0; i < k->count; i++)
        if (k->im[i] >= 0)
            order[n++] = (struct order){i, hypot(k->re[i], k->im[i])};
    qsort(order, (size_t)n, sizeof *order, order_compare);
    return n;
}

/* The coordinates that take part, the largest first: "phi 1, x 0.32 at 90 deg". */
static void print_shape(FILE *f, const struct session *s, const struct mbs_modes *k, int i)
{
    const double *c = k->shape + 2 * (size_t)i * (size_t)k->nq;
    for (int shown = 0, last = -1; shown < 4; shown++) {
        int best = -1;
        double size = 0.01, limit = last < 0 ? INFINITY : hypot(c[2 * last], c[2 * last + 1]);
        for (int j = 0; j < k->nq; j++) {
            double r = hypot(c[2 * j], c[2 * j + 1]);
            if (r > size && (r < limit || (r == limit && j > last)))
                size = r, best = j;
        }
        if (best < 0)
            break;
        double angle = atan2(c[2 * best + 1], c[2 * best]) * 180 / M_PI;
        bool opposite = fabs(fabs(angle) - 180) < 0.5, along = fabs(angle) < 0.5;
        fprintf(f, "%s%s %s%.3g", shown ? ", " : "", s->model->coord[best].name, opposite ? "-" : "", hypot(c[2 * best], c[2 * best + 1]));
        if (!opposite && !along)
            fprintf(f, " at %.0f°", angle);
        last = best;
    }
}

static double largest_mode(const struct mbs_modes *k)
{
    double largest = 0;
    for (int i = 0; i < k->count; i++)
        largest = fmax(largest, hypot(k->re[i], k->im[i]));
    return largest;
}
/* Below 1e-8 of the largest an eigenvalue is not told from zero: double ones move by the root of rounding errors. */
static bool grows(const struct mbs_modes *k, int i, double largest)
{
    return k->re[i] > 1e-7 * hypot(k->re[i], k->im[i]) && k->re[i] > 1e-8 * largest;
}

/* Where the motion was linearised, and whether that is a motion that lasts. */
static void print_point(FILE *f, const struct session *s, const struct mbs_modes *k)
{
    const struct mbs_state *x = mbs_state(s->sim);
    enum { SHOWN = 12 };
    for (int i = 0; i < k->nq && i < SHOWN; i++) {
        fprintf(f, "%s%s = %.6g", i % 6 ? ", " : i ? ",\n  " : "  ", s->model->coord[i].name, x->q[i]);
        if (x->v[i] != 0)
            fprintf(f, ", %s' = %.6g", s->model->coord[i].name, x->v[i]);
    }
    fputs(k->nq > SHOWN ? ", ...\n  " : "\n  ", f);
    switch (k->motion) {
    case MBS_AT_REST:
        fputs("at rest\n\n", f);
        break;
    case MBS_STEADY:
        fprintf(f, "a steady motion: %s\n\n", k->by_symmetry ? "along a symmetry of the model, seen from a frame that moves along" : "constant speeds along cyclic coordinates");
        break;
    case MBS_UNSTEADY:
        fprintf(f, "neither at rest nor on a steady motion (%s): the eigenvalues are those of this instant\n",
                k->timed ? "the model changes with time" : k->restless >= 0 ? s->model->coord[k->restless].name : "a state");
        fputs(k->timed ? "\n" : "  (--at-equilibrium or --steady look for a point that lasts)\n\n", f);
        break;
    }
}

static void modes_text(FILE *f, const struct session *s, const struct mbs_modes *k, const struct order *order, int n)
{
    const struct mbs_state *x = mbs_state(s->sim);
    fprintf(f, "%s at t = %g: %d eigenvalues\n", s->model->name, x->t, k->count);
    print_point(f, s, k);
    double largest = largest_mode(k);
    fprintf(f, "%4s %14s %14s %14s %10s  %s\n", "mode", "frequency/Hz", "re / (1/s)", "im / (rad/s)", "damping", "shape");
    for (int i = 0; i < n; i++) {
        int j = order[i].at;
        fprintf(f, "%4d %14.7g %14.6g %14.7g %10.4g  ", i + 1, k->frequency[j], k->re[j], k->im[j], order[i].size > 0 ? k->damping[j] : 0);
        print_shape(f, s, k, j);
        fputs(grows(k, j, largest) ? "   unstable\n" : "\n", f);
    }
}

static void modes_json(FILE *f, const struct session *s, const struct mbs_modes *k, const struct order *order, int n)
{
    fputs("{\"model\": ", f);
    json_string(f, s->model->name);
    fprintf(f, ", \"t\": %.17g, \"motion\": \"%s\"", mbs_state(s->sim)->t, k->motion == MBS_AT_REST ? "at rest" : k->motion == MBS_STEADY ? "steady" : "unsteady");
    fputs(",\n \"modes\": [", f);
    for (int i = 0; i < n; i++) {
        int j = order[i].at;
        fprintf(f, "%s{\"re\": %.17g, \"im\": %.17g, \"frequency\": %.17g, \"damping\": ", i ? ",\n  " : "", k->re[j], k->im[j], k->frequency[j]);
        json_number(f, k->damping[j]);
        fputs(", \"shape\": {", f);
        for (int c = 0; c < k->nq; c++) {
            const double *x = k->shape + 2 * ((size_t)j * (size_t)k->nq + (size_t)c);
            fputs(c ? ", " : "", f);
            json_string(f, s->model->coord[c].name);
            fputs(": [", f);
            json_number(f, x[0]);
            fputs(", ", f);
            json_number(f, x[1]);
            putc(']', f);
        }
        fputs("}}", f);
    }
    fputs("]}\n", f);
}

static int modes(struct session *s)
{
    struct mbs_modes k;
    struct out out;
    int status = s->settings->steady ? mbs_steady(s->sim) : MBS_OK;
    if (status == MBS_OK)
        status = mbs_modes(s->sim, &k);
    if (status != MBS_OK) {
        session_explain(s, status);
        return EXIT_FAILED;
    }
    struct order *order = malloc(((size_t)k.count + 1) * sizeof *order);
    status = EXIT_FAILED;
    if (!order) {
        complain(s->manual, "out of memory");
    } else if (open_out(&out, s->settings, s->manual)) {
        int n = sort_modes(&k, order);
        if (s->settings->count > 0 && s->settings->count < n)
            n = (int)s->settings->count;
        (s->settings->json ? modes_json : modes_text)(out.f, s, &k, order, n);
        status = close_out(&out, s->manual);
    }
    free(order);
    mbs_modes_free(&k);
    return status;
}

/* ---- equilibrium ---- */

/* Stable unless an eigenvalue has a positive real part; nothing is decided if one stands on the axis without its motion being
 * an oscillation, as a position that may drift. */
enum stability { STABLE, UNSTABLE, UNDECIDED };
static const char *const stability_name[] = {"stable", "unstable", "undecided"};
static enum stability stability(const struct mbs_modes *k)
{
    double largest = largest_mode(k);
    enum stability s = STABLE;
    for (int i = 0; i < k->count; i++) {
        if (grows(k, i, largest))
            return UNSTABLE;
        if (hypot(k->re[i], k->im[i]) <= 1e-7 * largest)
            s = UNDECIDED;
    }
    return s;
}
/* The eigenvalues that say so: of instability those that grow, else all, the slowest first. */
static void stability_text(FILE *f, const struct mbs_modes *k)
{
    enum stability verdict = stability(k);
    enum { SHOWN = 16 };
    double largest = largest_mode(k);
    int shown = 0;
    fputs(verdict == UNSTABLE ? "unstable: eigenvalues " : verdict == STABLE ? "stable, no eigenvalue has a positive real part: "
          : "not decided to first order, an eigenvalue is zero, and none has a positive real part: ", f);
    for (int i = 0; i < k->count; i++)
        if (k->im[i] >= 0 && (verdict != UNSTABLE || grows(k, i, largest)) && shown++ < SHOWN) {
            fputs(shown > 1 ? ", " : "", f);
            if (k->re[i] != 0 || k->im[i] == 0)
                fprintf(f, "%.7g", k->re[i]);
            if (k->im[i] > 0)
                fprintf(f, k->re[i] != 0 ? " +- %.7g i" : "+-%.7g i", k->im[i]);
        }
    fputs(shown > SHOWN ? ", ... (1/s)\n" : " (1/s)\n", f);
    if (k->timed)
        fputs("the model changes with time: it would rest here if time stood still\n", f);
    putc('\n', f);
}

static void equilibrium_text(FILE *f, struct session *s, const struct mbs_modes *k)
{
    const struct mbs_model *m = s->model;
    const struct mbs_state *x = mbs_state(s->sim);
    double e[2] = {0, 0};
    mbs_energy(s->sim, e);
    fprintf(f, "%s: static equilibrium", m->name);
    if (k->timed)
        fprintf(f, " at t = %g", x->t);
    fprintf(f, ", potential energy %.12g J\n", e[1]);
    stability_text(f, k);
    for (int i = 0; i < m->nq; i++)
        fprintf(f, "%-20s %.15g %s\n", m->coord[i].name, x->q[i], m->coord[i].unit);
    for (int i = 0; i < m->ng + m->nh; i++)
        fprintf(f, "lambda(%s)%*s %.15g\n", m->constraint[i].name, (int)(12 - strlen(m->constraint[i].name)), "", x->lambda[i]);
}
static void equilibrium_json(FILE *f, struct session *s, const struct mbs_modes *modes)
{
    const struct mbs_model *m = s->model;
    const struct mbs_state *x = mbs_state(s->sim);
    const struct { const char *key; const struct mbs_name *name; int n; const double *at; } list[] = {
        {"q", m->coord, m->nq, x->q}, {"lambda", m->constraint, m->ng + m->nh, x->lambda}, {"z", m->state, m->nz, x->z}};
    fputs("{\"model\": ", f);
    json_string(f, m->name);
    for (int k = 0; k < 3; k++) {
        fprintf(f, ",\n \"%s\": {", list[k].key);
        for (int i = 0; i < list[k].n; i++) {
            fputs(i ? ", " : "", f);
            json_string(f, list[k].name[i].name);
            fputs(": ", f);
            json_number(f, list[k].at[i]);
        }
        putc('}', f);
    }
    fprintf(f, ",\n \"t\": %.17g, \"changes_with_time\": %s", x->t, modes->timed ? "true" : "false");
    fprintf(f, ",\n \"stability\": \"%s\", \"eigenvalues\": [", stability_name[stability(modes)]);
    for (int i = 0; i < modes->count; i++)
        fprintf(f, "%s[%.17g, %.17g]", i ? ", " : "", modes->re[i], modes->im[i]);
    fputs("]}\n", f);
}
static int equilibrium(struct session *s)
{
    struct out out;
    struct mbs_modes k;
    int status = mbs_equilibrium(s->sim);
    if (status == MBS_OK)
        status = mbs_modes(s->sim, &k);
    if (status != MBS_OK) {
        session_explain(s, status);
        return EXIT_FAILED;
    }
    status = EXIT_FAILED;
    if (open_out(&out, s->settings, s->manual)) {
        (s->settings->json ? equilibrium_json : equilibrium_text)(out.f, s, &k);
        status = close_out(&out, s->manual);
    }
    mbs_modes_free(&k);
    return status;
}

static int analyse(int argc, char **argv, const struct manual *m, int (*command)(struct session *))
{
    struct settings set;
    struct session s;
    int status;
    if (!settings_parse(&set, m, argc, argv, &status))
        return status;
    interrupt_watch();
    status = EXIT_FAILED;
    if (session_open(&s, &set, m)) {
        status = command(&s);
        session_close(&s);
    }
    settings_free(&set);
    return status;
}
int cmd_modes(int argc, char **argv) { return analyse(argc, argv, &manual_modes, modes); }
int cmd_equilibrium(int argc, char **argv) { return analyse(argc, argv, &manual_equilibrium, equilibrium); }
