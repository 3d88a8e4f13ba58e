/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report as one HTML page: the files of driver/report around the data of a run, nothing from a network.  Points that
 * coincide all along, as the ends of two bodies at a joint do, are stored once. */
#include "config.h"
#include "base/out.h"
#include "json.h"
#include "live.h"
#include "pack.h"
#include "play.h"
#include "report_files.h"
#include "result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const keywords[] = {
#define STATEMENT(name, word, form) word,
#include "syntax/statement.def"
#undef STATEMENT
};

/* ---- groups of curves ---- */

struct writer {
    FILE *f;
    const struct result *r;
    int groups, series;
    bool lost;                  /* out of memory */
};

static void group_begin(struct writer *w, const char *key, const char *title, const char *unit, bool tag, bool shown, bool log)
{
    FILE *f = w->f;
    fputs(w->groups++ ? ",\n{\"key\":" : "\n{\"key\":", f);
    json_string(f, key);
    fputs(",\"title\":", f);
    json_string(f, title);
    fputs(",\"unit\":", f);
    json_string(f, unit);
    if (tag && *unit) {
        fputs(",\"tag\":", f);
        json_string(f, unit);
    }
    fprintf(f, ",\"shown\":%s,\"log\":%s,\"series\":[", shown ? "true" : "false", log ? "true" : "false");
    w->series = 0;
}
static void series(struct writer *w, const char *name, const char *unit, const double *at, int stride, enum packing packing)
{
    struct column c = {at, w->r->n, stride};
    fputs(w->series++ ? ",\n{\"name\":" : "{\"name\":", w->f);
    json_string(w->f, name);
    fputs(",\"unit\":", w->f);
    json_string(w->f, unit);
    fputs(",\"data\":", w->f);
    column_write(w->f, &c, packing);
    putc('}', w->f);
}
static void group_end(struct writer *w) { fputs("]}", w->f); }

/* J.reaction.x, J.moment: what --reactions adds to the outputs. */
static bool is_reaction(const char *name)
{
    const char *r = strstr(name, ".reaction"), *m = strstr(name, ".moment");
    return (r && strchr(".", r[9])) || (m && strchr(".", m[7]));
}

static bool any_name(const char *name) { return name != NULL; }
static bool no_reaction(const char *name) { return !is_reaction(name); }

/* One group for each unit that occurs, in order of first use, of the names that `takes` takes; `per` is the divisor of the unit: "", "s", "s^2". */
static void block(struct writer *w, const char *key, const char *title, const struct mbs_name *names, int n, int offset,
                  const char *per, bool shown, bool (*takes)(const char *))
{
    bool mixed = false;
    const char *first = NULL;
    for (int i = 0; i < n; i++)
        if (takes(names[i].name)) {
            mixed = mixed || (first && strcmp(names[i].unit, first));
            first = names[i].unit;
        }
    for (int i = 0; i < n; i++) {
        const char *base = names[i].unit;
        int before = 0;
        while (before < i && (!takes(names[before].name) || strcmp(names[before].unit, base)))
            before++;
        if (before < i || !takes(names[i].name))
            continue;
        char unit[96], id[128];
        bool compound = strpbrk(base, "*/^ ") != NULL;
        if (*per && *base)
            snprintf(unit, sizeof unit, compound ? "(%s)/%s" : "%s/%s", base, per);
        else
            snprintf(unit, sizeof unit, "%s", *per ? "" : base);
        snprintf(id, sizeof id, "%s%s%s", key, mixed ? "-" : "", mixed ? base : "");
        group_begin(w, id, title, unit, mixed, shown, false);
        for (int j = i; j < n; j++)
            if (takes(names[j].name) && !strcmp(names[j].unit, base))
                series(w, names[j].name, unit, w->r->row + offset + j, w->r->width, PACK_24);
        group_end(w);
    }
}

static void energies(struct writer *w)
{
    const struct result *r = w->r;
    double *sum = malloc(2 * (size_t)r->n * sizeof *sum);
    if (!sum) {
        w->lost = true;
        return;
    }
    for (int i = 0; i < r->n; i++) {
        const double *e = r->row + (size_t)i * (size_t)r->width + r->energy;
        sum[i] = e[0] + e[1];
        sum[r->n + i] = sum[i] - sum[0];
    }
    group_begin(w, "energy", "Energy", "J", false, true, false);
    series(w, "kinetic", "J", r->row + r->energy, r->width, PACK_24);
    series(w, "potential", "J", r->row + r->energy + 1, r->width, PACK_24);
    series(w, "total", "J", sum, 1, PACK_24);
    group_end(w);
    group_begin(w, "drift", "Energy gained or lost", "J", false, false, false);
    series(w, "total − at the start", "J", sum + r->n, 1, PACK_FLOAT);
    group_end(w);
    free(sum);
}

static void groups(struct writer *w)
{
    const struct result *r = w->r;
    const struct mbs_model *m = r->model;
    fputs(",\n\"groups\":[", w->f);
    block(w, "q", "Coordinates", m->coord, m->nq, r->q, "", true, any_name);
    block(w, "z", "States", m->state, m->nz, r->z, "", true, any_name);
    block(w, "y", "Outputs", m->output, m->ny, r->y, "", true, no_reaction);
    energies(w);
    if (m->ng + m->nh) {
        group_begin(w, "violation", "Constraint violation", "", false, true, true);
        if (m->ng)
            series(w, "position", "", r->row + r->violation, r->width, PACK_FLOAT);
        series(w, "velocity", "", r->row + r->violation + 1, r->width, PACK_FLOAT);
        group_end(w);
        group_begin(w, "lambda", "Multipliers", "", false, true, false);
        for (int i = 0; i < m->ng + m->nh; i++)
            series(w, m->constraint[i].name, "", r->row + r->lambda + i, r->width, PACK_24);
        group_end(w);
    }
    block(w, "v", "Velocities", m->coord, m->nq, r->v, "s", false, any_name);
    block(w, "a", "Accelerations", m->coord, m->nq, r->a, "s^2", false, any_name);
    block(w, "reaction", "Reactions", m->output, m->ny, r->y, "", false, is_reaction);
    block(w, "u", "Inputs", m->input, r->played ? play_inputs(m) : m->nu, r->u, "", false, any_name);
    putc(']', w->f);
}

/* ---- drawing ---- */

/* What the page calls a kind, and how many of its points are places; the others are vectors. */
enum { ALL = 99, BUT_ONE = 98 };
static const struct shape_kind {
    const char *name;
    int places;
    const char *from;           /* of each vector: the number of its place; '=': three numbers that are no vector */
} shape_kinds[MBS_SHAPES] = {
    [MBS_SHAPE_POINT] = {"point", ALL, ""},
    [MBS_SHAPE_LINE] = {"line", ALL, ""},
    [MBS_SHAPE_BODY] = {"body", ALL, ""},
    [MBS_SHAPE_JOINT] = {"joint", 1, "0"},
    [MBS_SHAPE_SPRING] = {"spring", ALL, ""},
    [MBS_SHAPE_DAMPER] = {"damper", ALL, ""},
    [MBS_SHAPE_CIRCLE] = {"circle", 1, "00"},
    [MBS_SHAPE_SPHERE] = {"sphere", 1, "0"},
    [MBS_SHAPE_GROUND] = {"ground", ALL, ""},
    [MBS_SHAPE_BOX] = {"box", 1, "000"},
    [MBS_SHAPE_ELLIPSOID] = {"ellipsoid", 1, "000"},
    [MBS_SHAPE_CYLINDER] = {"cylinder", 1, "000"},
    [MBS_SHAPE_CAPSULE] = {"capsule", 1, "000"},
    [MBS_SHAPE_MESH] = {"mesh", 1, "000"},
    [MBS_SHAPE_REVOLUTE] = {"revolute", 1, "0"},
    [MBS_SHAPE_UNIVERSAL] = {"universal", 1, "00"},
    [MBS_SHAPE_CONSTANT_VELOCITY] = {"constant_velocity", 1, "00"},
    [MBS_SHAPE_SPHERICAL] = {"spherical", 1, ""},
    [MBS_SHAPE_FIXED] = {"fixed", 1, ""},
    [MBS_SHAPE_PRISMATIC] = {"prismatic", 2, "1"},
    [MBS_SHAPE_SLOT] = {"slot", 2, "1"},
    [MBS_SHAPE_CYLINDRICAL] = {"cylindrical", 2, "1"},
    [MBS_SHAPE_SCREW] = {"screw", 2, "1"},
    [MBS_SHAPE_POINT_ON_LINE] = {"point_on_line", 2, "1"},
    [MBS_SHAPE_PLANAR] = {"planar", 2, "1"},
    [MBS_SHAPE_DISTANCE] = {"distance", ALL, ""},
    [MBS_SHAPE_TURN_SPRING] = {"turn_spring", 1, "0"},
    [MBS_SHAPE_TURN_DAMPER] = {"turn_damper", 1, "0"},
    [MBS_SHAPE_BUSHING] = {"bushing", ALL, ""},
    [MBS_SHAPE_FRICTION] = {"friction", 1, "0"},
    [MBS_SHAPE_ROTOR] = {"rotor", 1, "0"},
    [MBS_SHAPE_DRIVE] = {"drive", 1, "0"},
    [MBS_SHAPE_DRIVE_ALONG] = {"drive_along", 1, "0"},
    [MBS_SHAPE_GEAR] = {"gear", 2, "01="},
    [MBS_SHAPE_CONTACT] = {"contact", 2, "1"},
    [MBS_SHAPE_FORCE] = {"force", 1, "0"},
    [MBS_SHAPE_TORQUE] = {"torque", 1, "0"},
    [MBS_SHAPE_WHEEL] = {"wheel", 1, "000="},
    [MBS_SHAPE_TOOTHED] = {"toothed", 1, "000="},
    [MBS_SHAPE_PLATE] = {"plate", BUT_ONE, "0"},
    [MBS_SHAPE_SPOT] = {"spot", ALL, ""},
    [MBS_SHAPE_LIMIT] = {"limit", 1, "0"},
    [MBS_SHAPE_CLUTCH] = {"clutch", 1, "0"},
    [MBS_SHAPE_RATCHET] = {"ratchet", 1, "0"},
    [MBS_SHAPE_HANDLE] = {"handle", 1, "000"},
};

static int places_of(const struct mbs_shape *s)
{
    int n = shape_kinds[s->kind].places;
    return n == BUT_ONE ? s->count - 1 : n < s->count ? n : s->count;
}

/* For each point the point it is a vector from: -1 where it is a place, itself where it is numbers. */
static int *point_origins(const struct mbs_model *m)
{
    int *origin = malloc(((size_t)m->npoint + 1) * sizeof *origin);
    for (int i = 0; origin && i < m->npoint; i++)
        origin[i] = -1;
    for (int i = 0; origin && i < m->nshape; i++) {
        const struct mbs_shape *s = &m->shape[i];
        const struct shape_kind *k = &shape_kinds[s->kind];
        for (int j = places_of(s); j < s->count; j++) {
            char from = k->from[j - places_of(s)];
            origin[s->first + j] = from == '=' ? s->first + j : s->first + from - '0';
        }
    }
    return origin;
}

/* Vectors are taken from their places before they are packed: axes that stay, or that bodies have in common, are stored once. */
static double *point_columns(const struct result *r, const int *origin)
{
    const struct mbs_model *m = r->model;
    size_t n = (size_t)r->n;
    double *x = malloc((3 * (size_t)m->npoint * n + 1) * sizeof *x);
    for (int i = 0; x && i < m->npoint; i++)
        for (int d = 0; d < 3; d++)
            for (size_t k = 0; k < n; k++) {
                const double *at = r->row + k * (size_t)r->width + r->xyz;
                bool vector = origin[i] >= 0 && origin[i] != i;
                x[(3 * (size_t)i + (size_t)d) * n + k] = at[3 * i + d] - (vector ? at[3 * origin[i] + d] : 0);
            }
    return x;
}

/* A number for each point; points have one number if they go together all along, within 1e-6 of the size. */
static unsigned point_hash(const double *x, int n, double size)
{
    unsigned h = 17;
    for (int d = 0; d < 3; d++)
        h = h * 1000003u + (unsigned)(long)floor((x[(size_t)d * (size_t)n] / size + 0.25e-4) * 1e4);
    return h;
}
static bool point_same(const double *a, const double *b, int n, double size)
{
    for (int k = 0; k < 3 * n; k++)
        if (!(fabs(a[k] - b[k]) <= 1e-6 * size) && !(isnan(a[k]) && isnan(b[k])))
            return false;
    return true;
}

/* Corners in 16 bits of the range along each axis, indices in 16 bits where that is enough. */
static void write_mesh(FILE *f, const struct mesh *m)
{
    struct encoder e = {f, 0, 0};
    double lo[3] = {INFINITY, INFINITY, INFINITY}, step[3] = {0};
    for (int d = 0; d < 3; d++) {
        double hi = -INFINITY;
        for (int i = 0; i < m->corner.n; i++) {
            lo[d] = fmin(lo[d], m->corner.at[i][d]);
            hi = fmax(hi, m->corner.at[i][d]);
        }
        step[d] = hi > lo[d] ? (hi - lo[d]) / 65535 : 1;
    }
    fprintf(f, "{\"lo\":[%.9g,%.9g,%.9g],\"step\":[%.9g,%.9g,%.9g],\"corners\":\"", lo[0], lo[1], lo[2], step[0], step[1], step[2]);
    for (int i = 0; i < 3 * m->corner.n; i++)
        encode_word(&e, (unsigned long long)rint((m->corner.at[i / 3][i % 3] - lo[i % 3]) / step[i % 3]), 2);
    encode_end(&e);
    int bytes = m->corner.n > 65536 ? 4 : 2;
    fprintf(f, "\",\"bytes\":%d,\"triangles\":\"", bytes);
    e = (struct encoder){f, 0, 0};
    for (int i = 0; i < 3 * m->triangle.n; i++)
        encode_word(&e, (unsigned)m->triangle.at[i / 3][i % 3], bytes);
    encode_end(&e);
    fputs("\"}", f);
}
static void write_meshes(FILE *f, const struct result *r)
{
    fputs(",\n\"meshes\":{", f);
    for (int i = 0; i < r->meshes; i++) {
        if (i)
            fputs(",\n", f);
        json_string(f, r->mesh[i].file);
        putc(':', f);
        write_mesh(f, &r->mesh[i].mesh);
    }
    putc('}', f);
}

static void write_looks(FILE *f, const struct mbs_shape *s)
{
    if (s->file) {
        fputs(",\"file\":", f);
        json_string(f, s->file);
    }
    if (s->colour) {
        fputs(",\"colour\":", f);
        json_string(f, s->colour);
    }
    if (s->clear > 0)
        fprintf(f, ",\"clear\":%.3g", s->clear);
    if (s->factor > 0 && s->factor != 1)
        fprintf(f, ",\"factor\":%.6g", s->factor);
}

static void write_shapes(FILE *f, const struct mbs_model *m, const int *where)
{
    fputs("],\n\"bodies\":[", f);
    for (int i = 0; i < m->nbody; i++) {
        if (i)
            putc(',', f);
        json_string(f, m->body[i]);
    }
    fputs("],\n\"shapes\":[", f);
    for (int i = 0, written = 0; i < m->nshape; i++) {
        const struct mbs_shape *s = &m->shape[i];
        if (s->kind == MBS_SHAPE_SPOT || s->kind == MBS_SHAPE_HANDLE)   /* page_events.c and play.c have the places that are needed */
            continue;
        fputs(written++ ? ",\n{\"name\":" : "{\"name\":", f);
        json_string(f, s->name);
        fprintf(f, ",\"kind\":\"%s\",\"places\":%d,\"at\":[", shape_kinds[s->kind].name, places_of(s));
        for (int k = 0; k < s->count; k++)
            fprintf(f, k ? ",%d" : "%d", where[s->first + k]);
        fputs("],\"on\":[", f);
        for (int k = 0; k < s->count; k++)
            fprintf(f, k ? ",%d" : "%d", m->place ? m->place[s->first + k] : -1);
        putc(']', f);
        write_looks(f, s);
        putc('}', f);
    }
    putc(']', f);
}

/* A plane model is seen along -z, one in space by an eye that goes round: whether anything leaves the plane. */
static bool leaves_plane(const struct mbs_model *m, const double *x, const int *origin, int n, double size)
{
    for (int i = 0; i < m->nshape; i++)
        if ((m->shape[i].kind >= MBS_SHAPE_BOX && m->shape[i].kind <= MBS_SHAPE_MESH) || (m->shape[i].kind == MBS_SHAPE_REVOLUTE && m->shape[i].count > 1))
            return true;
    for (int i = 0; i < m->npoint; i++)
        for (int k = 0; k < n; k++) {
            double z = x[(3 * (size_t)i + 2) * (size_t)n + (size_t)k];
            if (origin[i] < 0 && fabs(z) > 1e-9 * size)
                return true;
        }
    return false;
}

/* Which point of the model is which of the page, and what it is a vector from. */
static void write_places(FILE *f, int n, const int *where, const int *origin)
{
    fputs(",\n\"where\":[", f);
    for (int i = 0; i < n; i++)
        fprintf(f, i ? ",%d" : "%d", where[i]);
    fputs("],\"origin\":[", f);
    for (int i = 0; i < n; i++)
        fprintf(f, i ? ",%d" : "%d", origin[i]);
    putc(']', f);
}

static bool is_filled_anew(const struct result *r) { return r->live || r->played; }

/* True: it is in space. */
static bool drawing(struct writer *w)
{
    const struct result *r = w->r;
    const struct mbs_model *m = r->model;
    FILE *f = w->f;
    double lo = INFINITY, hi = -INFINITY, size;
    int *where = malloc(((size_t)m->npoint + 1) * sizeof *where), *origin = point_origins(m), count = 0;
    double *x = where && origin ? point_columns(r, origin) : NULL;
    int slots = 1;
    while (slots < 2 * m->npoint)
        slots *= 2;
    int *table = calloc((size_t)slots + 1, sizeof *table);
    bool spatial = false;
    w->lost = w->lost || !x || !table;
    if (!x || !table)
        goto end;
    for (int i = 0; i < 3 * m->npoint; i++) {
        struct column c = {x + (size_t)i * (size_t)r->n, r->n, 1};
        double a, b;
        if (origin[i / 3] >= 0)
            continue;
        column_range(&c, &a, &b);
        lo = fmin(lo, a), hi = fmax(hi, b);
    }
    size = hi > lo ? hi - lo : 1;
    spatial = m->npoint && leaves_plane(m, x, origin, r->n, size);
    fprintf(f, ",\n\"spatial\":%s,\n\"points\":[", spatial ? "true" : "false");
    for (int i = 0; i < m->npoint; i++) {
        const double *at = x + 3 * (size_t)i * (size_t)r->n;
        double scale = origin[i] < 0 ? size : 1;
        unsigned h = point_hash(at, r->n, scale) & (unsigned)(slots - 1);
        for (; table[h]; h = (h + 1) & (unsigned)(slots - 1))
            if ((origin[table[h] - 1] < 0) == (origin[i] < 0) && point_same(at, x + 3 * (size_t)(table[h] - 1) * (size_t)r->n, r->n, scale))
                break;
        if (table[h] && !is_filled_anew(r)) {   /* points that are one now may part when a parameter changes */
            where[i] = where[table[h] - 1];
            continue;
        }
        table[h] = i + 1;
        where[i] = count++;
        fputs(where[i] ? ",\n[" : "[", f);
        for (int d = 0; d < 3; d++) {
            struct column c = {at + (size_t)d * (size_t)r->n, r->n, 1};
            if (d)
                putc(',', f);
            column_write(f, &c, PACK_16);
        }
        putc(']', f);
    }
    write_shapes(f, m, where);
    if (is_filled_anew(r))
        write_places(f, m->npoint, where, origin);
end:
    free(table);
    free(x);
    free(where);
    free(origin);
    return spatial;
}

/* ---- the page ---- */

/* Lengths are in metres wherever the model speaks of units at all. */
static bool has_units(const struct mbs_name *names, int n)
{
    for (int i = 0; i < n; i++)
        if (*names[i].unit)
            return true;
    return false;
}
static bool uses_metres(const struct mbs_model *m)
{
    return has_units(m->coord, m->nq) || has_units(m->param, m->np) || has_units(m->state, m->nz) || has_units(m->output, m->ny);
}

static void field(FILE *f, const char *key, const char *text)
{
    fprintf(f, ",\n\"%s\":", key);
    json_string(f, text);
}

static bool write_data(FILE *f, const struct result *r, bool *lost)
{
    const struct mbs_model *m = r->model;
    struct writer w = {.f = f, .r = r};
    struct column time = {r->row, r->n, r->width};
    fprintf(f, "<script type=\"application/json\" id=\"data\">\n{\"n\":%d,\n\"time\":", r->n);
    column_write(f, &time, PACK_DOUBLE);
    field(f, "name", m->name);
    field(f, "title", m->title && *m->title ? m->title : m->name);
    field(f, "subtitle", r->subtitle);
    fputs(",\n\"footer\":\"Made by mbs " PACKAGE_VERSION "\"", f);
    field(f, "source", m->source);
    field(f, "lengthUnit", uses_metres(m) ? "m" : "");
    groups(&w);
    bool spatial = drawing(&w);
    *lost = w.lost;
    if (is_filled_anew(r))
        again_write(f, r);
    if (r->live)
        live_write(f, r);
    if (r->played)
        play_write(f, r);
    if (r->meshes)
        write_meshes(f, r);
    fputs(",\n\"table\":[", f);
    for (int i = 0; i < r->facts; i++) {
        fputs(i ? ",\n[" : "[", f);
        json_string(f, r->fact[i].label);
        putc(',', f);
        json_string(f, r->fact[i].value);
        putc(']', f);
    }
    putc(']', f);
    page_events(f, r);
    fputs(",\n\"params\":[", f);
    for (int i = 0; i < m->np; i++) {
        fputs(i ? ",\n{\"name\":" : "{\"name\":", f);
        json_string(f, m->param[i].name);
        fputs(",\"unit\":", f);
        json_string(f, m->param[i].unit);
        fputs(",\"value\":", f);
        json_number(f, r->params[i]);
        fprintf(f, ",\"changed\":%s}", r->given && r->given[i] ? "true" : "false");
    }
    fputs("],\n\"words\":[", f);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        fprintf(f, i ? ",\"%s\"" : "\"%s\"", keywords[i]);
    putc(']', f);
    field(f, "text", r->text);
    fprintf(f, ",\n\"equations\":[%s]}\n</script>\n", r->equations ? r->equations : "");
    return spatial;
}

static void write_html_text(FILE *f, const char *s)
{
    for (; *s; s++)
        switch (*s) {
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '&': fputs("&amp;", f); break;
        default: putc(*s, f);
        }
}

/* What `mbs watch` says is shown over the page: errors of the model as it is now.  Asks twice a second, by a script element (the only thing a page from a file may load again), whether the
 * stamp beside it changed; gives up when the stamp is gone, as it is when `mbs watch` has ended. */
void page_watch(FILE *f, const char *stamp)
{
    fputs("<script>\n(function () {\n\"use strict\";\nconst file = ", f);
    json_string(f, stamp);
    fputs(";\nlet first = null, box = null;\n"
          "function says(text) {\n  if (!box) {\n    box = document.createElement(\"pre\");\n    box.id = \"watch-says\";\n    box.setAttribute(\"role\", \"alert\");\n"
          "    box.style.cssText = \"position:fixed;left:0;right:0;bottom:0;z-index:9;margin:0;padding:12px 24px;max-height:60vh;overflow:auto;background:#8c1d18;color:#fff;font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap\";\n"
          "    document.body.append(box);\n  }\n  box.textContent = text;\n}\n"
          "window.mbsStamp = (s, text) => { if (text) says(text); else if (box || first !== null && s !== first) location.reload(); else first = s; };\n"
          "let failed = 0;\nconst timer = setInterval(() => {\n  const e = document.createElement(\"script\");\n  e.src = encodeURIComponent(file) + \"?\" + Date.now();\n"
          "  e.onload = () => { failed = 0; e.remove(); };\n  e.onerror = () => { e.remove(); if (++failed > 4) clearInterval(timer); };\n"
          "  document.head.append(e);\n}, 500);\n})();\n</script>\n", f);
}

/* Without its programs the page does not carry what would run them. */
static const char *const not_again[] = {"function againTools() { byId(\"again\").remove(); }\n", NULL};

/* What a page may do: run what it carries, and connect to nothing. */
static const char page_policy[] =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' file: 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'unsafe-inline'; img-src data: blob:; media-src blob:; form-action 'none'; base-uri 'none'\">\n";

bool page_write(FILE *f, const struct result *r)
{
    bool lost = false;
    const struct mbs_model *m = r->model;
    bool spatial = false;
    for (const char *const *line = page_html; *line; line++) {
        if ((*line)[0] != '@') {
            fputs(*line, f);
        } else if (!strcmp(*line, "@policy\n")) {
            if (!r->played)             /* what is played asks its server, which says whom the page may ask */
                fputs(page_policy, f);
        } else if (!strcmp(*line, "@title\n")) {
            fputs("<title>", f);
            write_html_text(f, m->title && *m->title ? m->title : m->name);
            fputs("</title>\n", f);
        } else if (!strcmp(*line, "@css\n")) {
            lines_write(f, page_css);
        } else if (!strcmp(*line, "@data\n")) {
            spatial = write_data(f, r, &lost);
        } else if (!strcmp(*line, "@js\n")) {
            lines_write(f, common_js);
            lines_write(f, data_js);
            lines_write(f, camera_js);
            lines_write(f, symbols_js);
            if (spatial)
                lines_write(f, gl_js);
            lines_write(f, scene_js);
            if (spatial)
                lines_write(f, space_js);
            lines_write(f, plot_js);
            lines_write(f, events_js);
            lines_write(f, math_js);
            lines_write(f, save_js);
            if (is_filled_anew(r))
                lines_write(f, again_js);
            lines_write(f, r->live ? live_js : r->played ? play_js : not_again);
            lines_write(f, app_js);
        } else if (!strcmp(*line, "@watch\n") && r->stamp) {
            page_watch(f, r->stamp);
        }
    }
    return !lost;
}

double page_sample_bytes(const struct mbs_model *m)
{
    int columns = 3 * m->nq + m->nz + m->ny + m->nu + m->ng + m->nh + 3;
    return 11 + 4.0 * columns + 16.0 + 8.0 / 3 * 3 * m->npoint;
}
