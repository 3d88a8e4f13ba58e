/* SPDX-License-Identifier: GPL-3.0-or-later
 * RFC 4180: fields between commas, quoted where they contain commas, quotes or line ends, lines end with CR LF
 * (a bare LF is read too; lines that start with # are notes). */
#include "config.h"
#include "csv.h"
#include "build.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void csv_write_text(FILE *f, const char *s)
{
    if (!strpbrk(s, ",\"\r\n")) {
        fputs(s, f);
        return;
    }
    putc('"', f);
    for (; *s; s++) {
        if (*s == '"')
            putc('"', f);
        putc(*s, f);
    }
    putc('"', f);
}

void csv_write_row(FILE *f, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        char number[40];
        int k = isfinite(x[i]) ? snprintf(number, sizeof number, "%.17g", x[i]) : snprintf(number, sizeof number, "NaN");
        if (i)
            putc(',', f);
        fwrite(number, 1, (size_t)k, f);
    }
    fputs("\r\n", f);
}

/* Takes one field off *s into place (unquoted); returns the character that ended it: ',' '\n' or 0. */
static int field_next(char **s, char **field)
{
    char *from = *s, *to = *s;
    *field = to;
    if (*from == '"') {
        for (from++; *from && !(*from == '"' && from[1] != '"'); from++) {
            if (*from == '"')
                from++;
            *to++ = *from;
        }
        if (*from == '"')
            from++;
    }
    while (*from && *from != ',' && *from != '\n')
        *to++ = *from++;
    int end = *from;
    *s = end ? from + 1 : from;
    if (to > *field && to[-1] == '\r')
        to--;
    *to = 0;
    return end;
}

static double field_number(const char *field)
{
    char *end;
    double x = strtod(field, &end);
    while (*end == ' ' || *end == '\t')
        end++;
    return end == field || *end ? NAN : x;
}

static int count_columns(const char *s)
{
    int n = 1;
    bool quoted = false;
    for (; *s && (quoted || *s != '\n'); s++) {
        quoted = *s == '"' ? !quoted : quoted;
        n += !quoted && *s == ',';
    }
    return n;
}

static char *skip_notes(char *s)
{
    while (*s == '#' || *s == '\n' || (*s == '\r' && s[1] == '\n')) {
        s += strcspn(s, "\n");
        s += *s == '\n';
    }
    return s;
}

static bool read_rows(struct csv *c, char *s, const char *path)
{
    int cap = 0, line = 0;
    while (*(s = skip_notes(s))) {
        if (c->rows == cap) {
            cap = cap ? 2 * cap : 1024;
            double *more = realloc(c->at, (size_t)cap * (size_t)c->columns * sizeof *more);
            if (!more) {
                snprintf(c->why, sizeof c->why, "out of memory while reading %s", path);
                return false;
            }
            c->at = more;
        }
        double *row = c->at + (size_t)c->rows * (size_t)c->columns;
        int n = 0, end;
        char *field;
        line++;
        do {
            end = field_next(&s, &field);
            if (n < c->columns)
                row[n] = field_number(field);
            n++;
        } while (end == ',');
        if (n != c->columns) {
            snprintf(c->why, sizeof c->why, "%s: row %d has %d fields, the first has %d", path, line, n, c->columns);
            return false;
        }
        c->rows++;
    }
    return true;
}

bool csv_read_text(struct csv *c, char *text, const char *path)
{
    char *s = skip_notes(text), *field = s;
    bool lost = false;
    *c = (struct csv){.columns = count_columns(s)};
    c->name = calloc((size_t)c->columns, sizeof *c->name);
    bool header = *s && isnan(field_number((char[]){*s, 0})) && !strchr("+-.", *s);
    for (int i = 0, end = ','; c->name && i < c->columns; i++) {
        if (header && end == ',')
            end = field_next(&s, &field);
        c->name[i] = strdup(header ? field : "");
        lost = lost || !c->name[i];
    }
    if (!c->name || lost)
        snprintf(c->why, sizeof c->why, "out of memory while reading %s", path);
    bool good = c->name && !lost && read_rows(c, s, path);
    if (!good)
        csv_free(c);
    return good;
}

bool csv_read(struct csv *c, const char *path)
{
    size_t length;
    *c = (struct csv){0};
    char *text = file_read(!strcmp(path, "-") ? "/dev/stdin" : path, &length);
    if (!text) {
        snprintf(c->why, sizeof c->why, "cannot read %s: %s", path, file_why());
        return false;
    }
    bool good = csv_read_text(c, text, path);
    free(text);
    return good;
}

void csv_free(struct csv *c)
{
    for (int i = 0; c->name && i < c->columns; i++)
        free(c->name[i]);
    free(c->name);
    free(c->at);
    c->name = NULL;
    c->at = NULL;
    c->rows = c->columns = 0;
}

size_t csv_name_length(const char *header)
{
    const char *unit = strstr(header, " [");
    for (const char *next; unit && (next = strstr(unit + 1, " ["));)
        unit = next;
    return unit && header[strlen(header) - 1] == ']' ? (size_t)(unit - header) : strlen(header);
}

int csv_column(const struct csv *c, const char *name)
{
    for (int i = 0; i < c->columns; i++)
        if (!strcmp(c->name[i], name) || (csv_name_length(c->name[i]) == strlen(name) && !strncmp(c->name[i], name, strlen(name))))
            return i;
    return -1;
}
