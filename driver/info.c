/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs info`: what the compiler made of a model: coordinates, constraints, freedom and redundancy, patterns and
 * the cost of each generated function; its equations in LaTeX. */
#include "config.h"
#include "commands.h"
#include "compile.h"
#include "generate.h"
#include "interrupt.h"
#include "base/out.h"
#include "json.h"
#include "params.h"
#include "roll/roll.h"
#include "session.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct manual manual_info = {
    "info", "MODEL.mbs [options]", FOR_INFO,
    "Shows what a model is: its coordinates and constraints, the degrees of freedom by counting and by the numerical\n"
    "rank at the assembled start, constraints that depend on others, how full the matrices are and how many operations\n"
    "each generated function takes. --latex prints the equations of motion instead. --assemblies looks for other positions\n"
    "of the start: closed the other way, as near to the guesses as can be.",
    "  mbs info squeezer.mbs\n"
    "  mbs info fourbar_spatial.mbs --assemblies\n"
    "  mbs info chain.mbs -D n=8 --json\n"
    "  mbs info pendulum.mbs --latex > pendulum.tex\n",
    1, 1};

enum { OTHER_STARTS = 200 };

struct info {
    FILE *f;
    struct compile *c;
    struct session *s;          /* NULL: no start was found */
    struct mbs_rank rank;
    unsigned char *redundant;   /* rows; NULL: not known */
    struct mbs_assemblies assemblies;   /* count 0: not asked for */
};

static const char *init_text(enum init_kind k)
{
    switch (k) {
    case INIT_FREE: return "free";
    case INIT_GUESS: return "guess";
    case INIT_FIXED: return "fixed";
    }
    return "";
}

static int line_of(struct span s) { return s.source ? (int)source_place(s.source, s.begin).line : 0; }

static int operations(const struct tape_cost *c) { return c->add + c->mul + c->div + c->root + c->trig + c->call; }

/* setup() and the functions that evaluate the model, where they compute anything themselves. */
static bool is_listed(const struct programs *p, const struct program *x)
{
    bool from_dynamics = p->by_products && x->kind == PROGRAM_FUNCTION && x->index == FUNCTION_residual;
    return x->kind == PROGRAM_SETUP ? x->tape->outs > 0 : x->kind == PROGRAM_FUNCTION && !from_dynamics && (x->tape->outs || operations(&x->cost));
}

/* ---- text ---- */

static void text_params(const struct info *i)
{
    const struct model *m = i->c->model;
    if (!m->param.n)
        return;
    fprintf(i->f, "\n%-16s %-10s %-24s line   (--set %s=... changes it)\n", "parameter", "unit", "value", m->param.at[0].name);
    for (int k = 0; k < m->param.n; k++) {
        char value[32] = "";
        if (i->s)
            snprintf(value, sizeof value, "%.16g", i->s->params[k]);
        fprintf(i->f, "%-16s %-10s %-24s %d\n", m->param.at[k].name, m->param.at[k].unit ? m->param.at[k].unit : "", value, line_of(m->param.at[k].span));
    }
}

static void text_coordinates(const struct info *i)
{
    const struct model *m = i->c->model;
    const struct mbs_state *x = i->s ? mbs_state(i->s->sim) : NULL;
    fprintf(i->f, "\n%-16s %-10s %-7s %-24s %-24s line\n", "coordinate", "unit", "start", "value", "velocity");
    for (int k = 0; k < m->coord.n; k++) {
        const struct model_coord *q = &m->coord.at[k];
        char a[32] = "", b[32] = "";
        if (x) {
            snprintf(a, sizeof a, "%.16g", x->q[k]);
            snprintf(b, sizeof b, "%.16g", x->v[k]);
        }
        fprintf(i->f, "%-16s %-10s %-7s %-24s %-24s %d\n", q->name, q->unit ? q->unit : "", init_text(q->q_init), a, b, line_of(q->span));
    }
}

/* How the bodies hang together: the tree of joints that brings the coordinates. */
static void text_roadmap(const struct info *i)
{
    const struct model *m = i->c->model;
    if (!m->road.n)
        return;
    fprintf(i->f, "\n%-16s %-16s %-16s %-16s coordinates\n", "body", "parent", "joint", "kind");
    for (int k = 0; k < m->road.n; k++) {
        const struct model_road *r = &m->road.at[k];
        fprintf(i->f, "%-16s %-16s %-16s %-16s", r->body, r->parent, r->joint, r->kind);
        for (int c = 0; c < r->coords; c++)
            fprintf(i->f, "%s%s", c ? ", " : " ", m->coord.at[r->coord + c].name);
        fputs(r->coords ? "\n" : " none\n", i->f);
    }
}

/* How many rows are so. */
static int rows_that(const struct info *i, enum mbs_row_rank what)
{
    int n = 0;
    for (int k = 0; k < i->c->model->constraint.n; k++)
        n += i->redundant[k] == what;
    return n;
}

static const char *row_text(const struct info *i, int k)
{
    switch (i->redundant ? (enum mbs_row_rank)i->redundant[k] : MBS_ROW_COUNTS) {
    case MBS_ROW_COUNTS: return "";
    case MBS_ROW_FOLLOWS: return "   redundant: follows from those before it";
    case MBS_ROW_VANISHES: return "   vanishes: it is met, and its derivatives are zero here";
    }
    return "";
}

static void text_constraints(const struct info *i)
{
    const struct model *m = i->c->model;
    if (!m->constraint.n)
        return;
    fprintf(i->f, "\n%-16s %-14s %-24s line\n", "constraint", "kind", "multiplier at start");
    for (int k = 0; k < m->constraint.n; k++) {
        char a[32] = "";
        if (i->s)
            snprintf(a, sizeof a, "%.16g", mbs_state(i->s->sim)->lambda[k]);
        fprintf(i->f, "%-16s %-14s %-24s %d%s\n", m->constraint.at[k].name, k < m->holonomic ? "holonomic" : "non-holonomic", a,
                line_of(m->constraint.at[k].span), row_text(i, k));
    }
}

/* Rows of joints that hold by themselves: a plane loop in space keeps its height and its axes. */
static void text_dropped(const struct info *i)
{
    const struct model *m = i->c->model;
    if (!m->dropped.n)
        return;
    fprintf(i->f, "\n%-32s line\n", "left out: holds identically");
    for (int k = 0; k < m->dropped.n; k++)
        fprintf(i->f, "%-32s %d\n", m->dropped.at[k].name, line_of(m->dropped.at[k].span));
}

/* Do the assemblies differ in coordinate c? */
static bool differs(const struct mbs_assemblies *a, int c)
{
    for (int k = 1; k < a->count; k++)
        if (fabs(a->q[k * a->nq + c] - a->q[c]) > 1e-6 * fmax(1, fabs(a->q[c])))
            return true;
    return false;
}

static void text_assemblies(const struct info *i)
{
    enum { ACROSS = 5 };
    const struct mbs_assemblies *a = &i->assemblies;
    int nearest = 0;
    if (!a->count)
        return;
    if (a->count == 1)
        fprintf(i->f, "\nassemblies          1: no other was found from %d other guesses", a->starts);
    else
        fprintf(i->f, "\nassemblies          %d, the start is number 1; from %d other guesses", a->count, a->starts);
    if (a->lost)
        fprintf(i->f, "; %d of these led nowhere", a->lost);
    putc('\n', i->f);
    for (int k = 1; k < a->count; k++)
        nearest = a->distance[k] < 0.999 * a->distance[nearest] ? k : nearest;
    if (nearest)
        fprintf(i->f, "                    number %d is nearer to the guesses: better guesses or fixed values lead there\n", nearest + 1);
    for (int from = 0; from < a->count && a->count > 1; from += ACROSS) {
        int to = from + ACROSS < a->count ? from + ACROSS : a->count;
        fprintf(i->f, "%-16s", "number");
        for (int k = from; k < to; k++)
            fprintf(i->f, " %-18d", k + 1);
        for (int c = 0; c < a->nq; c++) {
            if (!differs(a, c))
                continue;
            fprintf(i->f, "\n%-16s", i->c->model->coord.at[c].name);
            for (int k = from; k < to; k++)
                fprintf(i->f, " %-18.12g", a->q[k * a->nq + c]);
        }
        fprintf(i->f, "\n%-16s", "from the guesses");
        for (int k = from; k < to; k++)
            fprintf(i->f, " %-18.6g", a->distance[k]);
        putc('\n', i->f);
    }
}

static void json_assemblies(const struct info *i)
{
    const struct mbs_assemblies *a = &i->assemblies;
    if (!a->count)
        return;
    fprintf(i->f, ",\n \"assemblies\": {\"starts\": %d, \"lost\": %d, \"found\": [", a->starts, a->lost);
    for (int k = 0; k < a->count; k++) {
        fprintf(i->f, "%s{\"distance\": ", k ? ",\n  " : "");
        json_number(i->f, a->distance[k]);
        fputs(", \"q\": [", i->f);
        for (int c = 0; c < a->nq; c++) {
            fputs(c ? ", " : "", i->f);
            json_number(i->f, a->q[k * a->nq + c]);
        }
        fputs("]}", i->f);
    }
    fputs("]}", i->f);
}

/* What `init EXPRESSION = value` asks for beside the constraints, and `~` guesses. */
static void text_conditions(const struct info *i)
{
    const struct model *m = i->c->model;
    if (!m->condition.n)
        return;
    fprintf(i->f, "\n%-16s %-14s %-7s line\n", "start condition", "on", "start");
    for (int k = 0; k < m->condition.n; k++)
        fprintf(i->f, "%-16s %-14s %-7s %d\n", m->condition.at[k].name, k < m->condition_q ? "positions" : "velocities",
                m->condition.at[k].guess ? "guess" : "fixed", line_of(m->condition.at[k].span));
}

static void text_freedom(const struct info *i)
{
    const struct model *m = i->c->model;
    fprintf(i->f, "\nfreedom by count    %d = %d coordinates - %d constraints\n", m->coord.n - m->constraint.n, m->coord.n, m->constraint.n);
    if (!i->redundant)
        return;
    fprintf(i->f, "freedom by rank     %d = %d coordinates - rank %d of G at the start", i->rank.freedom, m->coord.n, i->rank.rank);
    if (m->constraint.n)
        fprintf(i->f, ", condition %.3g", i->rank.condition);
    putc('\n', i->f);
    int follow = rows_that(i, MBS_ROW_FOLLOWS), vanish = rows_that(i, MBS_ROW_VANISHES);
    if (follow)
        fprintf(i->f, "                    %d redundant constraint%s: the multipliers are those of least size\n", follow, follow == 1 ? "" : "s");
    if (vanish)
        fprintf(i->f, "                    %d constraint%s: the position is singular, from it the motion is not determined\n", vanish,
                vanish == 1 ? " vanishes" : "s vanish");
}

static const char *const way_words[WAYS] = {
    [WAY_ENERGIES] = "derivatives of the energies",
    [WAY_TREE] = "recursions over the tree of bodies",
    [WAY_ROLLED] = "recursions over the tree of bodies, all as loops",
    [WAY_MIXED] = "recursions over the tree of bodies: accelerations as statements, the rest as loops",
};

static const char *way_text(const struct equations *eq)
{
    if (eq->roll && eq->roll->inverse && !eq->roll->stepped)
        return "recursions over the tree of bodies: accelerations and residual as statements, the rest as loops";
    return way_words[eq->roll && eq->roll->stepped ? WAY_ROLLED : eq->way];
}

/* Of a matrix, also where loops give it. */
static int entries(const struct equations *eq, enum eq_id id)
{
    int n = eq->roll ? roll_entries(eq->roll, id) : -1;
    return n < 0 ? eq->array[id].nnz : n;
}

static void text_cost(const struct info *i)
{
    const struct equations *eq = i->c->equations;
    const struct programs *p = i->c->programs;
    fprintf(i->f, "\n%-16s %-12s %-10s %s\n", "matrix", "size", "entries", "filled");
    for (int k = 0; k < EQ_COUNT; k++) {
        const struct eq_array *a = &eq->array[k];
        char size[32];
        bool lower = abi_quantity[k].lower;
        double full = lower ? 0.5 * a->rows * (a->rows + 1.0) : (double)a->rows * a->cols;
        int n = entries(eq, (enum eq_id)k);
        if (!n || !abi_is_matrix((enum eq_id)k))
            continue;
        snprintf(size, sizeof size, "%d x %d", a->rows, a->cols);
        fprintf(i->f, "%-16s %-12s %-10d %.0f %%%s\n", a->name, size, n, 100 * n / full, lower ? " of the lower triangle" : "");
    }
    fprintf(i->f, "\n%-16s %8s %8s %8s %8s %8s %8s %8s\n", "function", "all", "+ -", "*", "/", "sqrt", "sin cos", "other");
    for (int k = 0; k < p->list.n; k++) {
        const struct program *x = &p->list.at[k];
        const struct tape_cost *c = &x->cost;
        if (!is_listed(p, x))
            continue;
        fprintf(i->f, "%-16s %8d %8d %8d %8d %8d %8d %8d\n", x->kind == PROGRAM_SETUP ? "setup (once)" : x->name, operations(c), c->add, c->mul, c->div, c->root,
                c->trig, c->call);
    }
    if (eq->roll)
        fprintf(i->f, "rest_...: beside the bodies, for which the functions have loops\n");
    fprintf(i->f, "derived by %s", way_text(eq));
    if (eq->roll)
        fprintf(i->f, " (%d bodies in %d class%s; as statements dynamics, residual and jacobian would have about %.0f operations)", eq->roll->n,
                eq->roll->classes, eq->roll->classes == 1 ? "" : "es", roll_statements(i->c->model->tree));
    if (eq->way_cost[0] > 0)
        fprintf(i->f, ": %.0f operations in dynamics, residual and jacobian by energies, %.0f by the tree", eq->way_cost[0], eq->way_cost[1]);
    putc('\n', i->f);
    if (p->by_products && !eq->roll)
        fprintf(i->f, "residual: from dynamics, %d operations more\n", p->product_flops);
    if (p->saddle)
        fprintf(i->f, "the linear systems are solved by generated straight-line code\n");
}

static void text(const struct info *i)
{
    const struct model *m = i->c->model;
    fprintf(i->f, "%s%s%s\n", m->name, m->title && *m->title ? ": " : "", m->title ? m->title : "");
    fprintf(i->f, "%d parameters, %d coordinates, %d states, %d inputs, %d outputs, %d constraints\n", m->param.n, m->coord.n, m->state.n, m->input.n,
            m->output.n, m->constraint.n);
    text_roadmap(i);
    text_params(i);
    text_coordinates(i);
    text_constraints(i);
    text_dropped(i);
    text_conditions(i);
    text_assemblies(i);
    text_freedom(i);
    text_cost(i);
}

/* ---- JSON ---- */

static void json_named(const struct info *i, const char *key, const char *name, const char *unit, struct span span, int k)
{
    (void)key;
    fputs(k ? ", {\"name\": " : "{\"name\": ", i->f);
    json_string(i->f, name);
    fputs(", \"unit\": ", i->f);
    json_string(i->f, unit ? unit : "");
    fprintf(i->f, ", \"line\": %d", line_of(span));
}
#define JSON_LIST(key, list)                                                                               \
    do {                                                                                                   \
        fprintf(i->f, ",\n \"%s\": [", key);                                                               \
        for (int k = 0; k < m->list.n; k++) {                                                              \
            json_named(i, key, m->list.at[k].name, m->list.at[k].unit, m->list.at[k].span, k);             \
            putc('}', i->f);                                                                               \
        }                                                                                                  \
        putc(']', i->f);                                                                                   \
    } while (0)

static void json_costs(const struct info *i)
{
    const struct equations *eq = i->c->equations;
    const struct programs *p = i->c->programs;
    bool first = true;
    fprintf(i->f, ",\n \"way\": {\"taken\": \"%s\", \"cost\": {\"energies\": %.17g, \"tree\": %.17g}}", derive_way_name[eq->way], eq->way_cost[0], eq->way_cost[1]);
    fputs(",\n \"matrices\": {", i->f);
    for (int k = 0; k < EQ_COUNT; k++) {
        const struct eq_array *a = &eq->array[k];
        if (abi_is_matrix((enum eq_id)k))
            fprintf(i->f, "%s\"%s\": {\"rows\": %d, \"cols\": %d, \"entries\": %d}", k ? ", " : "", a->name, a->rows, a->cols, entries(eq, (enum eq_id)k));
    }
    fputs("},\n \"functions\": {", i->f);
    for (int k = 0; k < p->list.n; k++) {
        const struct program *x = &p->list.at[k];
        const struct tape_cost *c = &x->cost;
        if (x->kind != PROGRAM_SETUP && !is_listed(p, x))
            continue;
        fprintf(i->f, "%s\"%s\": {\"operations\": %d, \"add\": %d, \"mul\": %d, \"div\": %d, \"sqrt\": %d, \"trig\": %d, \"other\": %d}", first ? "" : ",\n  ",
                x->name, operations(c), c->add, c->mul, c->div, c->root, c->trig, c->call);
        first = false;
    }
    putc('}', i->f);
}

static void json(const struct info *i)
{
    const struct model *m = i->c->model;
    fputs("{\"model\": ", i->f);
    json_string(i->f, m->name);
    fputs(", \"title\": ", i->f);
    json_string(i->f, m->title);
    JSON_LIST("parameters", param);
    JSON_LIST("dropped", dropped);
    JSON_LIST("conditions", condition);
    fputs(",\n \"roadmap\": [", i->f);
    for (int k = 0; k < m->road.n; k++) {
        const struct model_road *r = &m->road.at[k];
        const char *const pair[4][2] = {{"{\"body\": ", r->body}, {", \"parent\": ", r->parent}, {", \"joint\": ", r->joint}, {", \"kind\": ", r->kind}};
        fputs(k ? ", " : "", i->f);
        for (int j = 0; j < 4; j++) {
            fputs(pair[j][0], i->f);
            json_string(i->f, pair[j][1]);
        }
        fprintf(i->f, ", \"coordinate\": %d, \"coordinates\": %d}", r->coord, r->coords);
    }
    fputs("],\n \"coordinates\": [", i->f);
    for (int k = 0; k < m->coord.n; k++) {
        json_named(i, "", m->coord.at[k].name, m->coord.at[k].unit, m->coord.at[k].span, k);
        fprintf(i->f, ", \"init\": \"%s\"", init_text(m->coord.at[k].q_init));
        if (i->s) {
            fputs(", \"q\": ", i->f);
            json_number(i->f, mbs_state(i->s->sim)->q[k]);
            fputs(", \"v\": ", i->f);
            json_number(i->f, mbs_state(i->s->sim)->v[k]);
        }
        putc('}', i->f);
    }
    putc(']', i->f);
    JSON_LIST("states", state);
    JSON_LIST("inputs", input);
    JSON_LIST("outputs", output);
    fputs(",\n \"constraints\": [", i->f);
    for (int k = 0; k < m->constraint.n; k++) {
        json_named(i, "", m->constraint.at[k].name, m->constraint.at[k].unit, m->constraint.at[k].span, k);
        fprintf(i->f, ", \"holonomic\": %s", k < m->holonomic ? "true" : "false");
        if (i->redundant)
            fprintf(i->f, ", \"redundant\": %s, \"vanishes\": %s", i->redundant[k] == MBS_ROW_FOLLOWS ? "true" : "false",
                    i->redundant[k] == MBS_ROW_VANISHES ? "true" : "false");
        putc('}', i->f);
    }
    fprintf(i->f, "],\n \"freedom_by_count\": %d", m->coord.n - m->constraint.n);
    if (i->redundant)
        fprintf(i->f, ",\n \"rank\": %d, \"freedom_by_rank\": %d", i->rank.rank, i->rank.freedom);
    json_assemblies(i);
    json_costs(i);
    fputs("}\n", i->f);
}

/* ---- LaTeX ---- */

/* "phi_1, beta[2]": rows and columns by their names. */
static void latex_index(FILE *f, char *names)
{
    for (char *next; names; names = next) {
        if ((next = strstr(names, ", "))) {
            *next = 0;
            next += 2;
        }
        char *text = name_show_latex(names);
        fprintf(f, next ? "%s," : "%s", text);
        free(text);
    }
}

static void latex_entries(const struct info *i, enum eq_id id, const char *symbol, const char *about)
{
    const struct equations *eq = i->c->equations;
    const struct eq_array *a = &eq->array[id];
    struct arena scratch = {0};
    if (!a->nnz)
        return;
    if (a->by_columns) {
        fprintf(i->f, "\n%% %s: %d entries, computed column by column\n", about, a->nnz);
        return;
    }
    fprintf(i->f, "\n%% %s\n\\begin{align*}\n", about);
    for (int k = 0; k < a->nnz; k++) {
        struct span span;
        char *value = expr_show_latex(eq->model->pool, a->value[k]), *name = equations_entry(eq, &scratch, id, k, &span), *inside = strchr(name, '[');
        fprintf(i->f, "  %s_{", symbol);
        if (inside) {
            inside[strlen(inside) - 1] = 0;
            latex_index(i->f, inside + 1);
        }
        fprintf(i->f, "} &= %s%s\n", value, k + 1 < a->nnz ? " \\\\" : "");
        free(value);
    }
    fputs("\\end{align*}\n", i->f);
    arena_free(&scratch);
}

static void latex(const struct info *i)
{
    fprintf(i->f, "%% Equations of motion of %s, by mbs %s; needs amsmath.\n", i->c->model->name, PACKAGE_VERSION);
    fputs("\\[ M(q,t)\\,\\ddot q = f(q,\\dot q,t) - G(q,t)^{\\mathsf T}\\lambda", i->f);
    fputs(i->c->model->constraint.n ? ",\\qquad g(q,t) = 0 \\]\n" : " \\]\n", i->f);
    latex_entries(i, EQ_M, "M", "mass matrix, lower triangle");
    latex_entries(i, EQ_f, "f", "forces");
    latex_entries(i, EQ_g, "g", "constraints");
    latex_entries(i, EQ_G, "G", "constraint matrix");
    latex_entries(i, EQ_gamma, "\\gamma", "acceleration level: G a + gamma = 0");
    latex_entries(i, EQ_zdot, "\\dot z", "rates of the states");
}

static int show(struct info *i, const struct settings *set, const struct manual *m)
{
    struct out out;
    if (!out_open(&out, set->output ? set->output : "-")) {
        complain(m, "%s", out.why);
        out_discard(&out);
        return EXIT_FAILED;
    }
    i->f = out.f;
    if (set->latex)
        latex(i);
    else if (set->json)
        json(i);
    else
        text(i);
    if (out_close(&out))
        return EXIT_OK;
    complain(m, "%s", out.why);
    return EXIT_FAILED;
}

static int write_params(const struct settings *set)
{
    struct session s;
    char why[512];
    if (!session_open(&s, set, &manual_info))
        return EXIT_FAILED;
    bool good = params_write(set->write_params, s.model, s.params, why, sizeof why);
    if (!good)
        complain(&manual_info, "%s", why);
    session_close(&s);
    return good ? EXIT_OK : EXIT_FAILED;
}

int cmd_info(int argc, char **argv)
{
    struct settings set;
    struct session s;
    int status;
    if (!settings_parse(&set, &manual_info, argc, argv, &status))
        return status;
    interrupt_watch();
    if (set.write_params) {
        status = write_params(&set);
        settings_free(&set);
        return status;
    }
    struct compile_options o = {.front = settings_front(&set), .solver = true};
    if (!way_given(set.way, &o.way))
        return EXIT_FAILED;
    struct info i = {.c = compile_file(set.files.at[0], &o, COMPILE_PROGRAMS)};
    fputs(compile_messages(i.c), stderr);
    status = EXIT_FAILED;
    if (i.c->good) {
        if (!set.latex && session_open(&s, &set, &manual_info)) {
            i.s = &s;
            i.redundant = calloc((size_t)i.c->model->constraint.n + 1, 1);
            int ranked = i.redundant ? mbs_rank(s.sim, &i.rank, i.redundant) : MBS_NO_MEMORY;
            if (ranked != MBS_OK) {
                complain(&manual_info, "the rank of the constraints is not known: %s", mbs_status_text(ranked));
                free(i.redundant);
                i.redundant = NULL;
            }
        }
        bool known = !set.assemblies || set.latex;
        if (i.s && !known) {
            status = mbs_assemblies(s.sim, mbs_state(s.sim)->t, OTHER_STARTS, &i.assemblies);
            known = status == MBS_OK;
            if (!known)
                session_explain(&s, status);
        }
        /* what the compiler knows is shown all the same, but not as a file that looks whole */
        bool whole = set.latex || (i.s && i.redundant && known);
        if (whole || !set.output)
            status = show(&i, &set, &manual_info);
        if (!whole)
            status = EXIT_FAILED;
        if (i.s)
            session_close(&s);
        free(i.redundant);
        mbs_assemblies_free(&i.assemblies);
    }
    compile_free(i.c);
    settings_free(&set);
    return status;
}
