/* SPDX-License-Identifier: GPL-3.0-or-later
 * What an FMU says about itself: modelDescription.xml in both versions, and how to build its sources. */
#include "config.h"
#include "fmu.h"
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

enum kind { TIME, STATE, RATE, INPUT, OUTPUT, LOCAL, PARAMETER, FOLLOWS, DISCRETE };
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
    int q, vel, z, dq, dv, dz, u, y, param, guard;      /* where the blocks begin; the order of runtime/fmu/fmu.h */
    unsigned char *depends;     /* rows of known(): accelerations and multipliers by component, then all outputs */
    int *component;             /* of coordinates and constraints */
    int known;
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

static void list_variables(struct description *d)
{
    const struct mbs_model *m = d->m;
    const struct mbs_state *x = mbs_state(d->s->sim);
    struct arena *arena = &d->p->arena;
    char unit[160];
    int rows = m->ng + m->nh;
    d->v = ARENA_NEW(arena, struct variable, 4 * m->nq + 2 * m->nz + m->nu + m->ny + rows + m->np + m->nevent + 4);
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
    for (int i = 0; i < 2 * m->nq + m->nz; i++) {
        if (i == m->nq)
            d->dv = d->n;
        if (i == 2 * m->nq)
            d->dz = d->n;
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
    for (int i = 0; i < rows; i++)
        add(d, LOCAL, "", 0, "multiplier", arena_printf(arena, "lambda(%s)", m->constraint[i].name));
    d->param = d->n;
    for (int i = 0; i < m->np; i++)
        add(d, m->discrete && m->discrete[i] ? DISCRETE : d->p->follows[i] ? FOLLOWS : PARAMETER, m->param[i].unit, d->s->params[i], "", m->param[i].name);
    d->guard = d->n;
    for (int k = 0; offers_exchange(m) && k < m->nevent; k++)
        if (m->when[k].kind != MBS_WHEN_EVERY)
            add(d, LOCAL, "", 0, "event indicator", arena_printf(arena, "indicator(%s)", m->event[k].name));
}

static const char *const causality[] = {"independent", "local", "local", "input", "output", "local", "parameter", "calculatedParameter", "local"};
static const char *const variability[] = {"continuous", "continuous", "continuous", "continuous", "continuous", "continuous", "fixed", "fixed", "discrete"};
static const char *const initial[] = {NULL, "approx", "calculated", NULL, "calculated", "calculated", "exact", "calculated", "exact"};
static bool has_start(enum kind k) { return k == STATE || k == INPUT || k == PARAMETER || k == DISCRETE; }

static void write_variables(struct description *d)
{
    FILE *f = d->f;
    bool two = d->p->version == 2;
    fputs("  <ModelVariables>\n", f);
    for (int i = 0; i < d->n; i++) {
        const struct variable *v = &d->v[i];
        fputs(two ? "    <ScalarVariable" : "    <Float64", f);
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

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}
static void tie(int *parent, const struct mbs_pattern *p, int row0)
{
    for (int j = 0; p->colptr && j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            parent[root_of(parent, row0 + p->rowidx[k])] = root_of(parent, j);
}
/* Row i of a pattern depends on known `first` + j. */
static void mark(struct description *d, const struct mbs_pattern *p, int row0, int first)
{
    for (int j = 0; p->colptr && j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            d->depends[(size_t)root_of(d->component, row0 + p->rowidx[k]) * (size_t)d->known + (size_t)(first + j)] = 1;
}

/* Knowns: q, v, z, u.  [M G'; G 0] falls into components; the solution in one depends on all that its equations depend on. */
static bool find_dependencies(struct description *d)
{
    const struct mbs_model *m = d->m;
    int n = m->nq, rows = m->ng + m->nh, nodes = n + rows, z = 2 * n, u = 2 * n + m->nz;
    d->known = u + m->nu;
    d->component = ARENA_NEW(&d->p->arena, int, nodes + 1);
    d->depends = calloc((size_t)(nodes + m->nz + m->ny) * (size_t)d->known + 1, 1);
    if (!d->depends)
        return false;
    for (int i = 0; i < nodes; i++)
        d->component[i] = i;
    tie(d->component, &m->M, 0);
    tie(d->component, &m->G, n);
    mark(d, &m->rq, 0, 0);
    mark(d, &m->rv, 0, n);
    mark(d, &m->rz, 0, z);
    mark(d, &m->ru, 0, u);
    mark(d, &m->gaq, n, 0);
    mark(d, &m->gav, n, n);
    unsigned char *rate = d->depends + (size_t)nodes * (size_t)d->known, *out = rate + (size_t)m->nz * (size_t)d->known;
    const struct { const struct mbs_pattern *p; int first; } zs[] = {{&m->zq, 0}, {&m->zv, n}, {&m->zz, z}, {&m->zu, u}};
    for (int s = 0; s < 4; s++)
        for (int j = 0; zs[s].p->colptr && j < zs[s].p->cols; j++)
            for (int k = zs[s].p->colptr[j]; k < zs[s].p->colptr[j + 1]; k++)
                rate[(size_t)zs[s].p->rowidx[k] * (size_t)d->known + (size_t)(zs[s].first + j)] = 1;
    for (int k = 0; k < d->p->entries; k++) {
        const struct fmu_jacobian_entry *e = &d->p->entry[k];
        unsigned char *row = out + (size_t)e->output * (size_t)d->known;
        if (e->by == 'a' || e->by == 'l') {
            const unsigned char *from = d->depends + (size_t)root_of(d->component, e->by == 'a' ? e->index : n + e->index) * (size_t)d->known;
            for (int i = 0; i < d->known; i++)
                row[i] |= from[i];
        } else {
            row[(e->by == 'q' ? 0 : e->by == 'v' ? n : e->by == 'z' ? z : u) + e->index] = 1;
        }
    }
    return true;
}

static const unsigned char *dependencies_of(const struct description *d, int variable)
{
    const struct mbs_model *m = d->m;
    size_t nodes = (size_t)(m->nq + m->ng + m->nh), known = (size_t)d->known;
    if (variable >= d->y)
        return d->depends + (nodes + (size_t)m->nz + (size_t)(variable - d->y)) * known;
    if (variable >= d->dv + m->nq)
        return d->depends + (nodes + (size_t)(variable - d->dv - m->nq)) * known;
    return d->depends + (size_t)root_of(d->component, variable - d->dv) * known;
}

/* Number of the k-th known variable: q, v, z, u. */
static int known_variable(const struct description *d, int k)
{
    int states = 2 * d->m->nq + d->m->nz;
    return k < states ? d->q + k : d->u + k - states;
}

static void write_unknown(struct description *d, const char *element, int i, bool dependencies)
{
    FILE *f = d->f;
    bool two = d->p->version == 2, velocity = d->v[i].kind == RATE && i < d->dv, any = false;
    fprintf(f, two ? "    <%s index=\"%d\"" : "    <%s valueReference=\"%d\"", element, i + two);
    if (dependencies && velocity)
        fprintf(f, " dependencies=\"%d\" dependenciesKind=\"constant\"", i - d->dq + d->vel + two);
    else if (dependencies) {
        const unsigned char *row = dependencies_of(d, i);
        fputs(" dependencies=\"", f);
        for (int k = 0; k < d->known; k++)
            if (row[k]) {
                fprintf(f, any ? " %d" : "%d", known_variable(d, k) + two);
                any = true;
            }
        fputs("\"", f);
    }
    fputs("/>\n", f);
}

static void write_structure(struct description *d)
{
    FILE *f = d->f;
    bool two = d->p->version == 2;
    int rates = 2 * d->m->nq + d->m->nz;
    fputs("  <ModelStructure>\n", f);
    if (two && d->m->ny)
        fputs("  <Outputs>\n", f);
    for (int i = 0; i < d->m->ny; i++)
        write_unknown(d, two ? "Unknown" : "Output", d->y + i, true);
    if (two && d->m->ny)
        fputs("  </Outputs>\n", f);
    if (two && rates)
        fputs("  <Derivatives>\n", f);
    for (int i = 0; i < rates; i++)
        write_unknown(d, two ? "Unknown" : "ContinuousStateDerivative", d->dq + i, true);
    if (two && rates)
        fputs("  </Derivatives>\n", f);
    /* the start solves the constraints: all of it may depend on all that is given */
    if (two)
        fputs("  <InitialUnknowns>\n", f);
    for (int i = 0; i < d->n; i++)
        if (d->v[i].kind == STATE || d->v[i].kind == RATE || d->v[i].kind == OUTPUT || d->v[i].kind == FOLLOWS)
            write_unknown(d, two ? "Unknown" : "InitialUnknown", i, false);
    if (two)
        fputs("  </InitialUnknowns>\n", f);
    for (int i = d->guard; !two && i < d->n; i++)
        write_unknown(d, "EventIndicator", i, false);
    fputs("  </ModelStructure>\n", f);
}

/* ---- the whole ---- */

static void write_source_files(FILE *f, const struct fmu_parts *p)
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
    list_variables(&d);
    if (!find_dependencies(&d))
        return;
    fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"", two ? "2.0" : "3.0");
    attribute(f, "modelName", s->model->name);
    attribute(f, two ? "guid" : "instantiationToken", p->token);
    if (s->model->title && *s->model->title)
        attribute(f, "description", s->model->title);
    attribute(f, "generationTool", "mbs " PACKAGE_VERSION);
    attribute(f, "variableNamingConvention", "flat");
    if (two)
        fprintf(f, " numberOfEventIndicators=\"%d\"", d.n - d.guard);
    fputs(">\n", f);
    write_kinds(&d);
    write_units(&d);
    fprintf(f, "  <LogCategories>\n    <Category name=\"logStatusWarning\"/>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n");
    write_experiment(&d);
    write_variables(&d);
    write_structure(&d);
    fputs("</fmiModelDescription>\n", f);
    free(d.depends);
}

void fmu_build_description(FILE *f, const struct fmu_parts *p)
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
