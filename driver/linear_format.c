/* SPDX-License-Identifier: GPL-3.0-or-later
 * A linearisation as text for people, JSON, CSV, MAT, Python and Octave. */
#include "config.h"
#include "linearize.h"
#include "csv.h"
#include "base/out.h"
#include "json.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const char *const motion_text[] = {"at rest", "steady", "unsteady"};

/* ---- for people ---- */

static void text_matrix(FILE *f, const struct linear_matrix *m)
{
    int wide = 4;
    if (m->rows == 0 || m->cols == 0)
        return;
    for (int i = 0; i < m->rows; i++)
        wide = (int)fmax(wide, strlen(m->row[i]));
    fprintf(f, "\n%-*s", wide + 2, m->name);
    for (int j = 0; j < m->cols; j++)
        fprintf(f, " %13s", m->col[j]);
    for (int i = 0; i < m->rows; i++) {
        fprintf(f, "\n  %-*s", wide, m->row[i]);
        for (int j = 0; j < m->cols; j++)
            fprintf(f, " %13.6g", m->at[(size_t)i * (size_t)m->cols + (size_t)j]);
    }
    putc('\n', f);
}

static void text_motion(FILE *f, const struct linear_point *p)
{
    const char *sep = "";
    switch (p->motion) {
    case MBS_AT_REST:
        fputs("at rest\n", f);
        return;
    case MBS_STEADY:
        if (p->by_symmetry) {
            fputs("a steady motion along a symmetry of the model: A is that of the frame that moves along\n", f);
            return;
        }
        fputs("a steady motion: ", f);
        for (int i = 0; i < p->nx; i++)
            if (p->cyclic && p->cyclic[i] && p->x_rate[i] != 0) {
                fprintf(f, "%s%s = %.6g", sep, p->rate[i], p->x_rate[i]);
                sep = ", ";
            }
        fputs(*sep ? "; nothing else depends on these coordinates\n" : "what is driven goes round\n", f);
        return;
    case MBS_UNSTEADY:
        if (p->timed)
            fputs("not a steady motion (the model changes with time): the matrices hold at this instant only\n", f);
        else if (p->restless < 0)
            fputs("not a steady motion: the matrices hold at this instant only\n", f);
        else
            fprintf(f, "not a steady motion (%s = %.6g): the matrices hold at this instant only\n", p->rate[p->restless], p->x_rate[p->restless]);
    }
}

static void text_point(FILE *f, const struct linear_point *p, int number)
{
    fprintf(f, "%s%s at t = %.9g, ", number ? "\n" : "", p->model->name, p->t);
    text_motion(f, p);
    for (int i = 0; i < p->nx; i++)
        fprintf(f, "%s%s = %.9g", i % 6 ? ", " : i ? ",\n  " : "  ", p->state[i], p->value[i]);
    putc('\n', f);
    for (int k = 0; k < p->matrices; k++)
        text_matrix(f, &p->matrix[k]);
}

/* ---- JSON ---- */

static void json_names(FILE *f, const char *key, char *const *name, int n)
{
    fprintf(f, "\"%s\": [", key);
    for (int i = 0; i < n; i++) {
        fputs(i ? ", " : "", f);
        json_string(f, name[i]);
    }
    fputs("]", f);
}

static void json_point(FILE *f, const struct linear_point *p, int number)
{
    fputs(number ? ",\n {\"model\": " : " {\"model\": ", f);
    json_string(f, p->model->name);
    fprintf(f, ", \"t\": %.17g, \"motion\": \"%s\",\n  ", p->t, motion_text[p->motion]);
    json_names(f, "states", p->state, p->nx);
    fputs(", ", f);
    json_names(f, "inputs", p->input, p->model->nu);
    fputs(", ", f);
    json_names(f, "outputs", p->output, p->model->ny);
    fputs(",\n  \"x\": [", f);
    for (int i = 0; i < p->nx; i++) {
        fputs(i ? ", " : "", f);
        json_number(f, p->value[i]);
    }
    fputs("]", f);
    for (int k = 0; k < p->matrices; k++) {
        const struct linear_matrix *m = &p->matrix[k];
        fprintf(f, ",\n  \"%s\": [", m->name);
        for (int i = 0; i < m->rows; i++) {
            fputs(i ? ", [" : "[", f);
            for (int j = 0; j < m->cols; j++) {
                fputs(j ? ", " : "", f);
                json_number(f, m->at[(size_t)i * (size_t)m->cols + (size_t)j]);
            }
            fputs("]", f);
        }
        fputs("]", f);
    }
    fputs("}", f);
}
static void json_begin(FILE *f) { fputs("[\n", f); }
static void json_end(FILE *f) { fputs("\n]\n", f); }

/* ---- CSV: one entry a row ---- */

static void csv_begin(FILE *f) { fputs("t,matrix,row,column,value\r\n", f); }
static void csv_point(FILE *f, const struct linear_point *p, int number)
{
    (void)number;
    for (int k = 0; k < p->matrices; k++) {
        const struct linear_matrix *m = &p->matrix[k];
        for (int i = 0; i < m->rows; i++)
            for (int j = 0; j < m->cols; j++) {
                fprintf(f, "%.17g,%s,", p->t, m->name);
                csv_write_text(f, m->row[i]);
                putc(',', f);
                csv_write_text(f, m->col[j]);
                fprintf(f, ",%.17g\r\n", m->at[(size_t)i * (size_t)m->cols + (size_t)j]);
            }
    }
}

/* ---- Python and Octave ---- */

/* A name between quotes; names of models have no quotes but primes, and no backslashes. */
static void script_names(FILE *f, const char *key, char *const *name, int n, const char *open, const char *close)
{
    fprintf(f, "%s = %s", key, open);
    for (int i = 0; i < n; i++)
        fprintf(f, "%s\"%s\"", i ? ", " : "", name[i]);
    fprintf(f, "%s\n", close);
}
/* Both know NaN and Inf by these names (Python's script defines them). */
static void script_number(FILE *f, double x)
{
    if (isfinite(x))
        fprintf(f, "%.17g", x);
    else
        fputs(isnan(x) ? "NaN" : x > 0 ? "Inf" : "-Inf", f);
}
static void script_matrix(FILE *f, const struct linear_matrix *m, const char *row_end)
{
    for (int i = 0; i < m->rows; i++) {
        fputs(row_end[0] == ']' ? "    [" : "    ", f);
        for (int j = 0; j < m->cols; j++) {
            fputs(j ? ", " : "", f);
            script_number(f, m->at[(size_t)i * (size_t)m->cols + (size_t)j]);
        }
        fprintf(f, "%s\n", row_end);
    }
}
/* The values of the states: x = [...]. */
static void script_point(FILE *f, const struct linear_point *p, const char *open, const char *close)
{
    fprintf(f, "x = %s", open);
    for (int i = 0; i < p->nx; i++) {
        fputs(i ? ", " : "", f);
        script_number(f, p->value[i]);
    }
    fprintf(f, "%s\n", close);
}

static void python_point(FILE *f, const struct linear_point *p, int number)
{
    (void)number;
    fprintf(f, "# %s linearised at t = %.9g (%s)\nimport numpy as np\n\nNaN, Inf = float(\"nan\"), float(\"inf\")\nt = %.17g\n", p->model->name, p->t, motion_text[p->motion], p->t);
    script_names(f, "states", p->state, p->nx, "[", "]");
    script_names(f, "inputs", p->input, p->model->nu, "[", "]");
    script_names(f, "outputs", p->output, p->model->ny, "[", "]");
    script_point(f, p, "np.array([", "], dtype=float)");
    for (int k = 0; k < p->matrices; k++) {
        const struct linear_matrix *m = &p->matrix[k];
        fprintf(f, "%s = np.array([\n", m->name);
        script_matrix(f, m, "],");
        fprintf(f, "], dtype=float).reshape(%d, %d)\n", m->rows, m->cols);
    }
}

static void octave_point(FILE *f, const struct linear_point *p, int number)
{
    (void)number;
    fprintf(f, "%% %s linearised at t = %.9g (%s)\nt = %.17g;\n", p->model->name, p->t, motion_text[p->motion], p->t);
    script_names(f, "states", p->state, p->nx, "{", "};");
    script_names(f, "inputs", p->input, p->model->nu, "{", "};");
    script_names(f, "outputs", p->output, p->model->ny, "{", "};");
    script_point(f, p, "[", "]';");
    for (int k = 0; k < p->matrices; k++) {
        const struct linear_matrix *m = &p->matrix[k];
        if (m->rows == 0 || m->cols == 0) {
            fprintf(f, "%s = zeros(%d, %d);\n", m->name, m->rows, m->cols);
            continue;
        }
        fprintf(f, "%s = [\n", m->name);
        script_matrix(f, m, ";");
        fputs("];\n", f);
    }
}

/* ---- MAT, level 4: a header of five 32-bit numbers, the name, the columns; every reader of MAT files knows it ---- */

static void put32(FILE *f, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        putc((int)(x >> (8 * i) & 255), f);
}
static void put64(FILE *f, double value)
{
    uint64_t x;
    memcpy(&x, &value, sizeof x);
    for (int i = 0; i < 8; i++)
        putc((int)(x >> (8 * i) & 255), f);
}
static void mat_head(FILE *f, const char *name, int text, int rows, int cols)
{
    put32(f, (uint32_t)text);           /* little-endian doubles, full; 1: characters */
    put32(f, (uint32_t)rows);
    put32(f, (uint32_t)cols);
    put32(f, 0);
    put32(f, (uint32_t)strlen(name) + 1);
    fwrite(name, 1, strlen(name) + 1, f);
}
static void mat_names(FILE *f, const char *key, char *const *name, int n)
{
    size_t wide = 0;
    for (int i = 0; i < n; i++)
        wide = strlen(name[i]) > wide ? strlen(name[i]) : wide;
    mat_head(f, key, 1, n, (int)wide);
    for (size_t j = 0; j < wide; j++)
        for (int i = 0; i < n; i++)
            put64(f, j < strlen(name[i]) ? (unsigned char)name[i][j] : ' ');
}
static void mat_point(FILE *f, const struct linear_point *p, int number)
{
    (void)number;
    mat_head(f, "t", 0, 1, 1);
    put64(f, p->t);
    mat_head(f, "x", 0, p->nx, 1);
    for (int i = 0; i < p->nx; i++)
        put64(f, p->value[i]);
    mat_names(f, "states", p->state, p->nx);
    mat_names(f, "inputs", p->input, p->model->nu);
    mat_names(f, "outputs", p->output, p->model->ny);
    for (int k = 0; k < p->matrices; k++) {
        const struct linear_matrix *m = &p->matrix[k];
        mat_head(f, m->name, 0, m->rows, m->cols);
        for (int j = 0; j < m->cols; j++)
            for (int i = 0; i < m->rows; i++)
                put64(f, m->at[(size_t)i * (size_t)m->cols + (size_t)j]);
    }
}

/* ---- the table ---- */

static const struct linear_format table[] = {
    {".json", true, json_begin, json_point, json_end},
    {".csv", true, csv_begin, csv_point, NULL},
    {".mat", false, NULL, mat_point, NULL},
    {".py", false, NULL, python_point, NULL},
    {".m", false, NULL, octave_point, NULL},
    {".txt", true, NULL, text_point, NULL},
};
enum { FORMATS = sizeof table / sizeof *table };

void linear_formats(char *out, size_t size, bool several)
{
    *out = 0;
    for (size_t i = 0, n = 0; i < FORMATS && n < size; i++)
        if (table[i].several || !several)
            n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", table[i].suffix);
}

const struct linear_format *linear_format(const char *path)
{
    const char *dot = path && strcmp(path, "-") ? strrchr(path, '.') : ".txt";
    for (size_t i = 0; dot && i < FORMATS; i++)
        if (!strcmp(dot, table[i].suffix))
            return &table[i];
    return NULL;
}
