/* SPDX-License-Identifier: GPL-3.0-or-later
 * What an FMU says about itself: modelDescription.xml in both versions, the manifest of FMI-LS-DAE, terminals, and how to build its sources. */
#include "config.h"
#include "fmu.h"
#include "fmu_depend.h"
#include "model/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void escaped(FILE *f, const char *s)
{
    for (; *s; s++)
        switch (*s) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        default:
            putc((unsigned char)*s < ' ' ? ' ' : *s, f);
        }
}
static void attribute(FILE *f, const char *name, const char *value)
{
    fprintf(f, " %s=\"", name);
    escaped(f, value);
    putc('"', f);
}

/* ---- variables ---- */

enum kind { TIME, STATE, RATE, INPUT, OUTPUT, LOCAL, PARAMETER, FOLLOWS, DISCRETE, ALGEBRAIC, SWITCH };
struct variable {
    const char *name, *unit, *what;
    enum kind kind;
    double start;
    int of;                     /* of a rate: the variable whose rate it is */
};
struct description {
    FILE *f;
    struct fmu_parts *p;
    struct session *s;
    const struct mbs_model *m;
    struct variable *v;
    int n;
    /* where the blocks begin; the order of runtime/fmu/fmu.h.  From `dae` on only in FMI 3.0 with Model Exchange */
    int q, vel, z, dq, dv, dz, u, y, lambda, param, guard, dae, acceleration, r, ga, gv, g;
    struct fmu_depends on;
};

static bool taken(const struct description *d, const char *name)
{
    for (int i = 0; i < d->n; i++)
        if (!strcmp(d->v[i].name, name))
            return true;
    return false;
}
/* Names must differ: an output may be called as a coordinate is. */
static int add(struct description *d, enum kind kind, const char *unit, double start, const char *what, const char *name)
{
    while (taken(d, name))
        name = arena_printf(&d->p->arena, "%s_", name);
    d->v[d->n] = (struct variable){name, arena_printf(&d->p->arena, "%s", unit), what, kind, start, -1};
    return d->n++;
}

/* Contacts change the equations themselves: which bodies touch, stick and slide is not to be seen from outside. */
static bool offers_exchange(const struct mbs_model *m) { return m->ncontact == 0; }
bool fmu_offers_exchange(const struct session *s) { return offers_exchange(s->model); }
static bool offers_dae(const struct description *d) { return d->p->version == 3 && offers_exchange(d->m); }

/* What DAE mode adds. */
static void list_dae(struct description *d)
{
    const struct mbs_model *m = d->m;
    const struct mbs_state *x = mbs_state(d->s->sim);
    struct arena *arena = &d->p->arena;
    int rows = m->ng + m->nh;
    char unit[160];
    d->dae = add(d, SWITCH, "", 0, "DAE mode as FMI-LS-DAE defines it", "dae_mode");
    d->acceleration = d->n;
    for (int i = 0; i < m->nq; i++) {
        unit_over(unit, sizeof unit, m->coord[i].unit, "s^2");
        add(d, ALGEBRAIC, unit, x->a[i], "acceleration", arena_printf(arena, "%s''", m->coord[i].name));
    }
    d->r = d->n;
    for (int i = 0; i < m->nq; i++)
        add(d, LOCAL, "", 0, "residual of the equation of motion", arena_printf(arena, "residual(%s)", m->coord[i].name));
    d->ga = d->n;
    for (int i = 0; i < rows; i++)
        add(d, LOCAL, "", 0, "constraint differentiated to accelerations", arena_printf(arena, "%s''", m->constraint[i].name));
    d->gv = d->n;
    for (int i = 0; i < rows; i++)
        add(d, LOCAL, "", 0, "constraint on velocities", arena_printf(arena, "%s'", m->constraint[i].name));
    d->g = d->n;
    for (int i = 0; i < m->ng; i++)
        add(d, LOCAL, "", 0, "constraint on positions", m->constraint[i].name);
}

static void list_variables(struct description *d)
{
    const struct mbs_model *m = d->m;
    const struct mbs_state *x = mbs_state(d->s->sim);
    struct arena *arena = &d->p->arena;
    char unit[160];
    int rows = m->ng + m->nh;
    d->v = ARENA_NEW(arena, struct variable, 6 * m->nq + 2 * m->nz + m->nu + m->ny + 4 * rows + m->np + m->nevent + 5);
    add(d, TIME, "s", 0, "", "time");
    d->q = d->n;
    for (int i = 0; i < m->nq; i++)
        add(d, STATE, m->coord[i].unit, x->q[i], "coordinate", m->coord[i].name);
    d->vel = d->n;
    for (int i = 0; i < m->nq; i++) {
        unit_over(unit, sizeof unit, m->coord[i].unit, "s");
        add(d, STATE, unit, x->v[i], "velocity", arena_printf(arena, "%s'", m->coord[i].name));
    }
    d->z = d->n;
    for (int i = 0; i < m->nz; i++)
        add(d, STATE, m->state[i].unit, x->z[i], "state", m->state[i].name);
    d->dq = d->n;
    d->dv = d->dq + m->nq;
    d->dz = d->dv + m->nq;
    for (int i = 0; i < 2 * m->nq + m->nz; i++) {
        unit_over(unit, sizeof unit, d->v[d->q + i].unit, "s");
        int k = add(d, RATE, unit, 0, "", arena_printf(arena, "der(%s)", d->v[d->q + i].name));
        d->v[k].of = d->q + i;
    }
    d->u = d->n;
    for (int i = 0; i < m->nu; i++)
        add(d, INPUT, m->input[i].unit, d->s->u[i], "", m->input[i].name);
    d->y = d->n;
    for (int i = 0; i < m->ny; i++)
        add(d, OUTPUT, m->output[i].unit, 0, "", m->output[i].name);
    add(d, LOCAL, "J", 0, "kinetic energy", "kinetic");
    add(d, LOCAL, "J", 0, "potential energy", "potential");
    d->lambda = d->n;
    for (int i = 0; i < rows; i++)
        add(d, offers_dae(d) ? ALGEBRAIC : LOCAL, "", x->lambda[i], "multiplier", arena_printf(arena, "lambda(%s)", m->constraint[i].name));
    d->param = d->n;
    for (int i = 0; i < m->np; i++)
        add(d, m->discrete && m->discrete[i] ? DISCRETE : d->p->follows[i] ? FOLLOWS : PARAMETER, m->param[i].unit, d->s->params[i], "", m->param[i].name);
    d->guard = d->n;
    for (int k = 0; offers_exchange(m) && k < m->nevent; k++)
        if (m->when[k].kind != MBS_WHEN_EVERY)
            add(d, LOCAL, "", 0, "event indicator", arena_printf(arena, "indicator(%s)", m->event[k].name));
    d->dae = d->n;
    if (offers_dae(d))
        list_dae(d);
}

static const char *const causality[] = {"independent", "local", "local", "input", "output", "local", "parameter", "calculatedParameter", "local", "local", "structuralParameter"};
static const char *const variability[] = {"continuous", "continuous", "continuous", "continuous", "continuous", "continuous", "fixed", "fixed", "discrete", "continuous", "tunable"};
static const char *const initial[] = {NULL, "approx", "calculated", NULL, "calculated", "calculated", "exact", "calculated", "exact", "approx", "exact"};
static bool has_start(enum kind k) { return k == STATE || k == INPUT || k == PARAMETER || k == DISCRETE || k == ALGEBRAIC; }

static void write_variables(struct description *d)
{
    FILE *f = d->f;
    bool two = d->p->version == 2;
    fputs("  <ModelVariables>\n", f);
    for (int i = 0; i < d->n; i++) {
        const struct variable *v = &d->v[i];
        fputs(two ? "    <ScalarVariable" : v->kind == SWITCH ? "    <Boolean" : "    <Float64", f);
        attribute(f, "name", v->name);
        fprintf(f, " valueReference=\"%d\"", i);
        if (*v->what)
            attribute(f, "description", v->what);
        attribute(f, "causality", causality[v->kind]);
        attribute(f, "variability", variability[v->kind]);
        if (initial[v->kind])
            attribute(f, "initial", initial[v->kind]);
        if (two)
            fputs("><Real", f);
        if (*v->unit)
            attribute(f, "unit", v->unit);
        if (v->kind == RATE)
            fprintf(f, " derivative=\"%d\"", v->of + two);
        if (has_start(v->kind))
            fprintf(f, " start=\"%.17g\"", v->start);
        if (v->kind == SWITCH)
            fputs(" start=\"false\"", f);
        fputs(two ? "/></ScalarVariable>\n" : "/>\n", f);
    }
    fputs("  </ModelVariables>\n", f);
}

/* ---- units ---- */

/* Exponents of the base units, if the unit is made of coherent ones only, so that the factor is 1. */
static bool coherent(const char *unit)
{
    static const char *const known[] = {"m", "kg", "s", "A", "K", "rad", "N", "J", "W", "Pa", "V", "C", "F", "Wb", "T", "H", "S", "Ohm"};
    for (const char *s = unit; *s;) {
        size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        bool found = n == 0;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            found = found || (strlen(known[k]) == n && !strncmp(s, known[k], n));
        if (!found || (unsigned char)*s >= 0x80)
            return false;
        s += n ? n : 1;
    }
    return true;
}

static void write_unit(FILE *f, const char *unit)
{
    static const char *const base[] = {"m", "kg", "s", "A", "K"};
    static const char *const order[] = {"kg", "m", "s", "A", "K"};
    fputs("    <Unit", f);
    attribute(f, "name", unit);
    struct dim dim = coherent(unit) && !strchr(unit, '(') ? dim_of_text(unit) : DIM_OF_ANY;
    bool whole = dim.kind == DIM_KNOWN;
    for (int k = 0; k < DIM_BASES; k++)
        whole = whole && dim.exponent[k] % DIM_PARTS == 0;
    if (!whole) {
        fputs("/>\n", f);
        return;
    }
    fputs("><BaseUnit", f);
    for (int o = 0; o < 5; o++)
        for (int k = 0; k < DIM_BASES; k++)
            if (!strcmp(order[o], base[k]) && dim.exponent[k])
                fprintf(f, " %s=\"%d\"", base[k], dim.exponent[k] / DIM_PARTS);
    if (dim.angle && dim.angle % DIM_PARTS == 0)
        fprintf(f, " rad=\"%d\"", dim.angle / DIM_PARTS);
    fputs("/></Unit>\n", f);
}

static void write_units(struct description *d)
{
    fputs("  <UnitDefinitions>\n", d->f);
    for (int i = 0; i < d->n; i++) {
        bool seen = !*d->v[i].unit;
        for (int k = 0; k < i && !seen; k++)
            seen = !strcmp(d->v[k].unit, d->v[i].unit);
        if (!seen)
            write_unit(d->f, d->v[i].unit);
    }
    fputs("  </UnitDefinitions>\n", d->f);
}

/* ---- dependencies ---- */

enum moment { AT_START, IN_MOTION, IN_DAE };

/* The variable of a symbol, if it is a known one at that moment; else -1. */
static int known_variable(const struct description *d, int symbol, enum moment when)
{
    const struct fmu_depends *on = &d->on;
    if (symbol == on->t)
        return 0;
    if (symbol >= on->p) {
        int k = d->param + symbol - on->p;
        return when == AT_START && (d->v[k].kind == PARAMETER || d->v[k].kind == DISCRETE) ? k : -1;
    }
    if (symbol >= on->u)
        return d->u + symbol - on->u;
    if (when == AT_START)
        return -1;
    if (symbol >= on->z)
        return d->z + symbol - on->z;
    if (symbol < on->a)
        return d->q + symbol - on->q;
    return when != IN_DAE ? -1 : symbol < on->lambda ? d->acceleration + symbol - on->a : d->lambda + symbol - on->lambda;
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* set: what the unknown depends on; NULL: on everything, as far as is known. */
static void write_unknown(struct description *d, const char *element, int i, const uint64_t *set, enum moment when)
{
    FILE *f = d->f;
    bool two = d->p->version == 2;
    int *list = ARENA_NEW(&d->p->arena, int, d->on.symbols + 1), n = 0;
    fprintf(f, two ? "    <%s index=\"%d\"" : "    <%s valueReference=\"%d\"", element, i + two);
    if (set && d->on.known) {
        for (int s = 0; s < d->on.symbols; s++)
            if (depend_has(set, s) && known_variable(d, s, when) >= 0)
                list[n++] = known_variable(d, s, when);
        qsort(list, (size_t)n, sizeof *list, by_number);
        fputs(" dependencies=\"", f);
        for (int k = 0; k < n; k++)
            fprintf(f, k ? " %d" : "%d", list[k] + two);
        fputs("\"", f);
    }
    fputs("/>\n", f);
}
/* A rate that is another variable. */
static void write_equal(struct description *d, const char *element, int i, int other)
{
    bool two = d->p->version == 2;
    fprintf(d->f, two ? "    <%s index=\"%d\" dependencies=\"%d\" dependenciesKind=\"constant\"/>\n"
                      : "    <%s valueReference=\"%d\" dependencies=\"%d\" dependenciesKind=\"constant\"/>\n", element, i + two, other + two);
}

/* What a rate or an output is made of while the model moves. */
static const uint64_t *in_motion(const struct description *d, int i)
{
    const struct fmu_depends *on = &d->on;
    if (!on->known)
        return NULL;
    if (i >= d->y)
        return depend_row(on, on->y, i - d->y);
    return i >= d->dz ? depend_row(on, on->zdot, i - d->dz) : depend_row(on, on->solution, i - d->dv);
}

/* What an unknown of the initialisation is made of. */
static const uint64_t *at_start(const struct description *d, int i)
{
    const struct fmu_depends *on = &d->on;
    if (!on->known)
        return NULL;
    if (i >= d->param)
        return depend_row(on, on->param, i - d->param);
    if (i < d->dv)
        return depend_row(on, on->start, i < d->dq ? i - d->q : i - d->dq + d->m->nq);
    depend_set set = ARENA_NEW(&d->p->arena, uint64_t, on->words);
    depend_at_start(on, in_motion(d, i), set);
    return set;
}

static bool is_initial_unknown(enum kind k) { return k == STATE || k == RATE || k == OUTPUT || k == FOLLOWS; }

static void write_structure(struct description *d)
{
    FILE *f = d->f;
    bool two = d->p->version == 2;
    int rates = 2 * d->m->nq + d->m->nz;
    fputs("  <ModelStructure>\n", f);
    if (two && d->m->ny)
        fputs("  <Outputs>\n", f);
    for (int i = 0; i < d->m->ny; i++)
        write_unknown(d, two ? "Unknown" : "Output", d->y + i, in_motion(d, d->y + i), IN_MOTION);
    if (two && d->m->ny)
        fputs("  </Outputs>\n", f);
    if (two && rates)
        fputs("  <Derivatives>\n", f);
    for (int i = 0; i < rates; i++)
        if (i < d->m->nq)
            write_equal(d, two ? "Unknown" : "ContinuousStateDerivative", d->dq + i, d->vel + i);
        else
            write_unknown(d, two ? "Unknown" : "ContinuousStateDerivative", d->dq + i, in_motion(d, d->dq + i), IN_MOTION);
    if (two && rates)
        fputs("  </Derivatives>\n", f);
    if (two)
        fputs("  <InitialUnknowns>\n", f);
    for (int i = 0; i < d->n; i++)
        if (is_initial_unknown(d->v[i].kind))
            write_unknown(d, two ? "Unknown" : "InitialUnknown", i, at_start(d, i), AT_START);
    if (two)
        fputs("  </InitialUnknowns>\n", f);
    for (int i = d->guard, k = 0; !two && i < d->dae; k++)
        if (d->m->when[k].kind != MBS_WHEN_EVERY)
            write_unknown(d, "EventIndicator", i++, d->on.known ? depend_row(&d->on, d->on.guard, k) : NULL, IN_MOTION);
    fputs("  </ModelStructure>\n", f);
}

/* ---- FMI-LS-DAE ---- */

/* The levels of one constraint, which differentiation leads through, for importers that choose or project. */
static void write_levels(struct description *d, int row)
{
    const struct fmu_depends *on = &d->on;
    bool holonomic = row < d->m->ng;
    fprintf(d->f, "      <Residual>\n");
    if (holonomic)
        write_unknown(d, "Formulation index=\"3\"", d->g + row, on->known ? depend_row(on, on->g, row) : NULL, IN_DAE);
    write_unknown(d, "Formulation index=\"2\"", d->gv + row, on->known ? depend_row(on, on->gv, row) : NULL, IN_DAE);
    write_unknown(d, "Formulation index=\"1\"", d->ga + row, on->known ? depend_row(on, on->ga, row) : NULL, IN_DAE);
    fprintf(d->f, "      </Residual>\n");
}

static void write_dae_structure(struct description *d)
{
    const struct mbs_model *m = d->m;
    const struct fmu_depends *on = &d->on;
    int rows = m->ng + m->nh;
    fputs("  <ModelStructure>\n", d->f);
    for (int i = 0; i < m->ny; i++)
        write_unknown(d, "Output", d->y + i, on->known ? depend_row(on, on->y_direct, i) : NULL, IN_DAE);
    for (int i = 0; i < m->nq; i++)
        write_equal(d, "ContinuousStateDerivative", d->dq + i, d->vel + i);
    for (int i = 0; i < m->nq; i++)
        write_equal(d, "ContinuousStateDerivative", d->dv + i, d->acceleration + i);
    for (int i = 0; i < m->nz; i++)
        write_unknown(d, "ContinuousStateDerivative", d->dz + i, in_motion(d, d->dz + i), IN_DAE);
    for (int i = 0; i < d->n; i++)
        if (is_initial_unknown(d->v[i].kind))
            write_unknown(d, "InitialUnknown", i, at_start(d, i), AT_START);
    for (int i = d->guard, k = 0; i < d->dae; k++)
        if (m->when[k].kind != MBS_WHEN_EVERY)
            write_unknown(d, "EventIndicator", i++, NULL, IN_DAE);
    for (int i = 0; i < m->nq; i++)
        write_unknown(d, "Residual", d->r + i, on->known ? depend_row(on, on->r, i) : NULL, IN_DAE);
    for (int i = 0; i < rows; i++)
        write_unknown(d, "Residual", d->ga + i, on->known ? depend_row(on, on->ga, i) : NULL, IN_DAE);
    fputs("  </ModelStructure>\n", d->f);
}

static void describe(struct description *d)
{
    list_variables(d);
    fmu_depends_init(&d->on, &d->p->arena, d->p->tapes, d->p->tapes_length, d->p->follows);
}

void fmu_dae_manifest(FILE *f, struct fmu_parts *p, struct session *s)
{
    struct description d = {.f = f, .p = p, .s = s, .m = s->model};
    int rows = d.m->ng + d.m->nh;
    describe(&d);
    fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiDAEManifest xmlns:fmi-ls=\"http://fmi-standard.org/fmi-ls-manifest\""
               " fmi-ls:fmi-ls-name=\"org.fmi-standard.fmi-ls-dae\" fmi-ls:fmi-ls-version=\"1.0.0-alpha.1\""
               " fmi-ls:fmi-ls-description=\"Layered standard for DAE support in FMI.\">\n"
               "  <EnableDAEParameter valueReference=\"%d\"/>\n  <AlgebraicVariables>\n", d.dae);
    for (int i = 0; i < d.m->nq + rows; i++)
        fprintf(f, "    <AlgebraicVariable valueReference=\"%d\"/>\n", i < d.m->nq ? d.acceleration + i : d.lambda + i - d.m->nq);
    fputs("  </AlgebraicVariables>\n", f);
    write_dae_structure(&d);
    if (rows) {
        fputs("  <Annotations>\n    <Annotation type=\"mbs.formulations\">\n", f);
        for (int i = 0; i < rows; i++)
            write_levels(&d, i);
        fputs("    </Annotation>\n  </Annotations>\n", f);
    }
    fputs("</fmiDAEManifest>\n", f);
}

/* ---- terminals ---- */

/* The coordinate that an input acts along: r has it there, and there alone, with the constant factor -1; else -1. */
static int coordinate_of(const struct description *d, const double *ru, int input)
{
    const struct mbs_pattern *p = &d->m->ru;
    const struct fmu_depends *on = &d->on;
    if (!on->known || !p->colptr || p->colptr[input + 1] - p->colptr[input] != 1)
        return -1;
    int k = p->colptr[input];
    for (int s = 0; s < on->p; s++)
        if (depend_has(depend_row(on, on->ru, k), s))
            return -1;
    return ru[k] == -1 ? p->rowidx[k] : -1;
}

/* dr/du at the start; NULL: none. */
static double *input_matrix(struct description *d)
{
    const struct mbs_model *m = d->m;
    struct mbs_state x = *mbs_state(d->s->sim);
    struct mbs_jacobian out = {.rq = NULL};
    double *w = ARENA_NEW(&d->p->arena, double, m->nw + 1);
    if (!m->jacobian || !m->nu)
        return NULL;
    const struct { double **to; const struct mbs_pattern *p; } parts[] = {
        {&out.rq, &m->rq}, {&out.rv, &m->rv}, {&out.M, &m->M}, {&out.G, &m->G}, {&out.rz, &m->rz}, {&out.zq, &m->zq}, {&out.zv, &m->zv},
        {&out.zz, &m->zz}, {&out.ru, &m->ru}, {&out.zu, &m->zu}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i].to = ARENA_NEW(&d->p->arena, double, parts[i].p->nnz + 1);
    m->jacobian(mbs_constants(d->s->sim), &x, &out, w);
    return out.ru;
}

/* The variable that shows a coordinate: an output, if one does. */
static int shown(const struct description *d, char by, int index)
{
    for (int i = 0; i < d->m->ny; i++)
        if (d->p->motion[i].by == by && d->p->motion[i].index == index)
            return d->y + i;
    return (by == 'q' ? d->q : d->vel) + index;
}

static void write_member(const struct description *d, int variable, const char *member, const char *kind)
{
    fputs("      <TerminalMemberVariable", d->f);
    attribute(d->f, "variableName", d->v[variable].name);
    fprintf(d->f, " memberName=\"%s\" variableKind=\"%s\"/>\n", member, kind);
}

/* A flange as that of Modelica: the force flows in, the place is common. */
static void write_terminal(const struct description *d, int input, int coordinate)
{
    const char *unit = d->m->coord[coordinate].unit, *force = d->m->input[input].unit;
    bool turns = !strcmp(unit, "rad") || !strcmp(force, "N*m");
    fputs("    <Terminal", d->f);
    attribute(d->f, "name", d->m->input[input].name);
    fprintf(d->f, " matchingRule=\"plug\" terminalKind=\"org.modelica.Mechanics.%s.Interfaces.Flange_a\"", turns ? "Rotational" : "Translational");
    attribute(d->f, "description", arena_printf(&d->p->arena, "%s along %s", d->m->input[input].name, d->m->coord[coordinate].name));
    fputs(">\n", d->f);
    write_member(d, shown(d, 'q', coordinate), turns ? "phi" : "s", "signal");
    write_member(d, d->u + input, turns ? "tau" : "f", "inflow");
    fputs("    </Terminal>\n", d->f);
}

bool fmu_has_terminals(struct fmu_parts *p, struct session *s)
{
    struct description d = {.p = p, .s = s, .m = s->model};
    describe(&d);
    const double *ru = input_matrix(&d);
    for (int k = 0; ru && k < d.m->nu; k++)
        if (coordinate_of(&d, ru, k) >= 0)
            return true;
    return false;
}

void fmu_terminals(FILE *f, struct fmu_parts *p, struct session *s)
{
    struct description d = {.f = f, .p = p, .s = s, .m = s->model};
    describe(&d);
    const double *ru = input_matrix(&d);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n  <Terminals>\n", f);
    for (int k = 0; ru && k < d.m->nu; k++)
        if (coordinate_of(&d, ru, k) >= 0)
            write_terminal(&d, k, coordinate_of(&d, ru, k));
    fputs("  </Terminals>\n</fmiTerminalsAndIcons>\n", f);
}

/* ---- the whole ---- */

static void write_source_files(FILE *f, struct fmu_parts *p)
{
    fputs("    <SourceFiles>\n", f);
    const char *name;
    for (int k = 0; (name = fmu_source(p, k)); k++) {
        fputs("      <File", f);
        attribute(f, "name", name);
        fputs("/>\n", f);
    }
    fputs("    </SourceFiles>\n", f);
}

static void write_kinds(struct description *d)
{
    FILE *f = d->f;
    const char *name = d->p->name;
    bool exchange = offers_exchange(d->m);
    if (d->p->version == 2) {
        static const char can[] = " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"";
        if (exchange) {
            fprintf(f, "  <ModelExchange modelIdentifier=\"%s\"%s>\n", name, can);
            write_source_files(f, d->p);
            fprintf(f, "  </ModelExchange>\n");
        }
        fprintf(f, "  <CoSimulation modelIdentifier=\"%s\" canHandleVariableCommunicationStepSize=\"true\" canInterpolateInputs=\"true\"%s>\n",
                name, can);
        write_source_files(f, d->p);
        fputs("  </CoSimulation>\n", f);
    } else {
        static const char can[] = " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"true\""
                                  " providesAdjointDerivatives=\"true\"";
        if (exchange)
            fprintf(f, "  <ModelExchange modelIdentifier=\"%s\"%s/>\n", name, can);
        fprintf(f, "  <CoSimulation modelIdentifier=\"%s\" canHandleVariableCommunicationStepSize=\"true\"%s/>\n", name, can);
    }
}

static void write_experiment(struct description *d)
{
    const struct session *s = d->s;
    fputs("  <DefaultExperiment", d->f);
    fprintf(d->f, " startTime=\"%.17g\"", s->from);
    if (!isnan(s->to) && s->to > s->from)
        fprintf(d->f, " stopTime=\"%.17g\"", s->to);
    if (!(s->options.step > 0))
        fprintf(d->f, " tolerance=\"%.17g\"", s->options.rtol);
    if (!isnan(s->to) && s->to > s->from && s->every > 0)
        fprintf(d->f, " stepSize=\"%.17g\"", s->every);
    fputs("/>\n", d->f);
}

void fmu_description(FILE *f, struct fmu_parts *p, struct session *s)
{
    struct description d = {.f = f, .p = p, .s = s, .m = s->model};
    bool two = p->version == 2;
    describe(&d);
    fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"", two ? "2.0" : "3.0");
    attribute(f, "modelName", s->model->name);
    attribute(f, two ? "guid" : "instantiationToken", p->token);
    if (s->model->title && *s->model->title)
        attribute(f, "description", s->model->title);
    attribute(f, "generationTool", "mbs " PACKAGE_VERSION);
    attribute(f, "variableNamingConvention", "flat");
    if (two)
        fprintf(f, " numberOfEventIndicators=\"%d\"", d.dae - d.guard);
    fputs(">\n", f);
    write_kinds(&d);
    write_units(&d);
    fprintf(f, "  <LogCategories>\n    <Category name=\"logStatusWarning\"/>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n");
    write_experiment(&d);
    write_variables(&d);
    write_structure(&d);
    fputs("</fmiModelDescription>\n", f);
}

void fmu_build_description(FILE *f, struct fmu_parts *p)
{
    const char *name;
    fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n  <BuildConfiguration modelIdentifier=\"%s\">\n"
               "    <SourceFileSet language=\"C11\">\n", p->name);
    for (int k = 0; (name = fmu_source(p, k)); k++) {
        fputs("      <SourceFile", f);
        attribute(f, "name", name);
        fputs("/>\n", f);
    }
    fputs("      <IncludeDirectory name=\".\"/>\n    </SourceFileSet>\n    <Library name=\"m\" external=\"true\"/>\n  </BuildConfiguration>\n</fmiBuildDescription>\n", f);
}
