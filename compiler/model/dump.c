/* SPDX-License-Identifier: GPL-3.0-or-later
 * The checked model as text, in the order of its arrays. */
#include "model/check.h"

#include <math.h>
#include <stdlib.h>

static void put_expr(FILE *out, const struct model *m, Expr e)
{
    char *text = expr_show(m->pool, e);
    fputs(text, out);
    free(text);
}

/* The shortest of 15 to 17 digits that reads back as the same number. */
static void put_number(FILE *out, double x)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    fputs(text, out);
}

static void put_named(FILE *out, const char *word, const char *name, const char *unit)
{
    fprintf(out, "%s %s%s%s", word, name, *unit ? ": " : "", unit);
}

static void put_line(FILE *out, const struct model *m, const char *before, Expr e)
{
    fputs(before, out);
    put_expr(out, m, e);
    fputc('\n', out);
}

static void dump_coords(FILE *out, const struct model *m)
{
    static const char *const sign[] = {"free", "~", "="};
    for (int i = 0; i < m->coord.n; i++) {
        const struct model_coord *c = &m->coord.at[i];
        put_named(out, "coord", c->name, c->unit);
        fprintf(out, "    start %s ", sign[c->q_init]);
        put_expr(out, m, c->q0);
        fprintf(out, ", velocity %s ", sign[c->v_init]);
        put_line(out, m, "", c->v0);
    }
}

static void dump_signals(FILE *out, const struct model *m)
{
    for (int i = 0; i < m->state.n; i++) {
        put_named(out, "state", m->state.at[i].name, m->state.at[i].unit);
        put_line(out, m, " = ", m->state.at[i].z0);
        fprintf(out, "    %s'", m->state.at[i].name);
        put_line(out, m, " = ", m->state.at[i].rate);
    }
    for (int i = 0; i < m->input.n; i++) {
        put_named(out, "input", m->input.at[i].name, m->input.at[i].unit);
        put_line(out, m, " = ", m->input.at[i].value);
    }
}

static void dump_terms(FILE *out, const struct model *m, const char *word, const struct model_term *at, int n)
{
    for (int i = 0; i < n; i++)
        put_line(out, m, word, at[i].value);
}

static void dump_tables(FILE *out, const struct model *m)
{
    for (int i = 0; i < m->table.n; i++) {
        const struct model_table *t = m->table.at[i];
        fprintf(out, "table %s: %d points\n", t->name, t->n);
        for (int j = 0; j < t->n; j++) {
            fputs("    ", out);
            put_number(out, t->x[j]);
            fputc(' ', out);
            put_number(out, t->y[j]);
            fputc(' ', out);
            put_number(out, t->m[j]);
            fputc('\n', out);
        }
    }
    for (int i = 0; i < m->ext.n; i++)
        fprintf(out, "extern %s\n", m->ext.at[i]->name);
}

static void dump_experiment(FILE *out, const struct model_experiment *x)
{
    const struct { const char *name; double value; } number[] = {
        {"from", x->from}, {"to", x->to}, {"rtol", x->rtol}, {"atol", x->atol}, {"step", x->step}, {"every", x->every},
    };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (!isnan(number[i].value)) {
            fprintf(out, "simulate %s = ", number[i].name);
            put_number(out, number[i].value);
            fputc('\n', out);
        }
    if (x->solver)
        fprintf(out, "simulate solver = %s\n", x->solver);
    if (x->formulation)
        fprintf(out, "simulate formulation = %s\n", x->formulation);
}

void dump_model(FILE *out, const struct model *m)
{
    fprintf(out, "model %s \"%s\"\n", m->name, m->title);
    for (int i = 0; i < m->param.n; i++) {
        put_named(out, m->param.at[i].discrete ? "discrete" : "param", m->param.at[i].name, m->param.at[i].unit);
        put_line(out, m, " = ", m->param.at[i].value);
    }
    dump_coords(out, m);
    dump_signals(out, m);
    dump_tables(out, m);
    dump_terms(out, m, "kinetic ", m->kinetic.at, m->kinetic.n);
    dump_terms(out, m, "potential ", m->potential.at, m->potential.n);
    dump_terms(out, m, "dissipation ", m->dissipation.at, m->dissipation.n);
    for (int i = 0; i < m->force.n; i++) {
        fprintf(out, "force %s", m->coord.at[m->force.at[i].coord].name);
        put_line(out, m, " = ", m->force.at[i].value);
    }
    for (int i = 0; i < m->constraint.n; i++) {
        put_named(out, i < m->holonomic ? "constraint" : "constraint on velocities", m->constraint.at[i].name,
                  m->constraint.at[i].unit);
        put_line(out, m, "    0 = ", m->constraint.at[i].g);
    }
    for (int i = 0; i < m->condition.n; i++) {
        put_named(out, "start", m->condition.at[i].name, m->condition.at[i].unit);
        put_line(out, m, m->condition.at[i].guess ? "    0 ~ " : "    0 = ", m->condition.at[i].value);
    }
    for (int i = 0; i < m->contact.n; i++) {
        const struct model_contact *c = &m->contact.at[i];
        put_named(out, "contact", c->name, "");
        put_line(out, m, " restitution ", c->restitution);
        put_line(out, m, "    friction ", c->friction);
        for (int j = c->first; j < c->first + c->rows; j++)
            put_line(out, m, c->kind == CONTACT_BODY ? "    pose " : m->touch.at[j].holonomic ? "    0 <= " :
                     c->kind == CONTACT_RATE && j == c->first ? "    rate 0 <= " : "    along ", m->touch.at[j].value);
    }
    for (int i = 0; i < m->event.n; i++) {
        const struct model_event *e = &m->event.at[i];
        static const char *const how[] = {[EVENT_RISES] = "    0 < ", [EVENT_CROSSES] = "    0 == ", [EVENT_EVERY] = "    every ", [EVENT_HOLDS] = "    while 0 < "};
        put_named(out, "event", e->name, "");
        fputc('\n', out);
        put_line(out, m, how[e->kind], e->guard);
        for (int j = e->first; j < e->first + e->count; j++) {
            fprintf(out, "    %s", m->jump.at[j].name);
            put_line(out, m, " = ", m->jump.at[j].value);
        }
        if (e->record || e->stop || e->message)
            fprintf(out, "    %s%s%s%s\n", e->record ? "record " : "", e->stop ? "stop " : "", e->message ? "message " : "", e->message ? e->message : "");
    }
    for (int i = 0; i < m->output.n; i++) {
        put_named(out, "output", m->output.at[i].name, m->output.at[i].unit);
        put_line(out, m, " = ", m->output.at[i].value);
    }
    dump_experiment(out, &m->experiment);
}
