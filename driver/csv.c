/* SPDX-License-Identifier: GPL-3.0-or-later
 * RFC 4180: fields between commas, quoted where they contain commas, quotes or line ends, lines end with CR LF
 * (a bare LF is read too; lines that start with # are notes). */
#include "config.h"
#include "csv.h"
#include "build.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
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

/* The 17 digits of x, which lies between 10^p and 10^(p + 1): x 10^(16 - p) = m 5^(16 - p) 2^s exactly, rounded to even.  0: not in 128 bits. */
static uint64_t digits_of(double x, int p)
{
    static const uint64_t five[] = {1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625, 30517578125,
                                    152587890625, 762939453125, 3814697265625, 19073486328125, 95367431640625, 476837158203125, 2384185791015625, 11920928955078125,
                                    59604644775390625, 298023223876953125, 1490116119384765625, 7450580596923828125};
    int power = 16 - p;
    uint64_t bits;
    if (power < 0 || power >= (int)(sizeof five / sizeof *five))
        return 0;
    memcpy(&bits, &x, sizeof bits);
    uint64_t m = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    int shift = -((int)(bits >> 52) - 1075 + power);
    unsigned __int128 all = (unsigned __int128)m * five[power], rest, half;
    if (shift <= 0 || shift > 126)
        return 0;
    rest = all & (((unsigned __int128)1 << shift) - 1);
    half = (unsigned __int128)1 << (shift - 1);
    all >>= shift;
    return (uint64_t)all + (rest > half || (rest == half && all & 1));
}

/* Eight digits, two at a time. */
static void digits_put(char to[8], uint32_t x)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960"
                                "616263646566676869707172737475767778798081828384858687888990919293949596979899";
    uint32_t high = x / 10000, low = x % 10000;
    memcpy(to, pairs + 2 * (high / 100), 2);
    memcpy(to + 2, pairs + 2 * (high % 100), 2);
    memcpy(to + 4, pairs + 2 * (low / 100), 2);
    memcpy(to + 6, pairs + 2 * (low % 100), 2);
}

/* As snprintf("%.17g") would write it, which takes six times as long, for numbers of usual sizes; else by that. */
int csv_number(char *out, size_t size, double x)
{
    char digit[17], *to = out;
    double a = fabs(x);
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    int p = a >= 1e-10 && a < 1e16 ? (((int)(bits >> 52) - 1023) * 1233 + 4096 * 1233) / 4096 - 1233 : 99, count = 17;     /* 1233/4096 = log10(2) */
    uint64_t all = digits_of(a, p);
    if (all >= 100000000000000000u)     /* p is one too small, or the digits were rounded up */
        all = digits_of(a, ++p);
    else if (all && all < 10000000000000000u)
        all = digits_of(a, --p);
    if (all < 10000000000000000u || all >= 100000000000000000u)
        return snprintf(out, size, "%.17g", x);
    uint64_t rest = all % 10000000000000000u;
    digit[0] = (char)('0' + all / 10000000000000000u);
    digits_put(digit + 1, (uint32_t)(rest / 100000000));
    digits_put(digit + 9, (uint32_t)(rest % 100000000));
    while (count > 1 && digit[count - 1] == '0')
        count--;
    if (x < 0)
        *to++ = '-';
    int point = p < -4 ? 0 : p;         /* behind which digit */
    if (point < 0) {                    /* 0.000123: all of the digits are behind it */
        memcpy(to, "0.000", 5);
        to += 1 - point;
        memcpy(to, digit, sizeof digit);
        to += count;
    } else {                            /* zeros of integers are among the digits, since p < 17 */
        memcpy(to, digit, sizeof digit);
        to[point + 1] = '.';
        memcpy(to + point + 2, digit + point + 1, sizeof digit - 1 - (size_t)point);
        to += count > point + 1 ? count + 1 : point + 1;
    }
    if (p < -4) {
        *to++ = 'e';
        *to++ = '-';
        *to++ = (char)('0' + -p / 10);
        *to++ = (char)('0' + -p % 10);
    }
    *to = 0;
    return (int)(to - out);
}

void csv_write_row(FILE *f, const double *x, int n)
{
    char text[4096], *to = text;
    for (int i = 0; i < n; i++) {
        if (to > text + sizeof text - 64) {
            fwrite(text, 1, (size_t)(to - text), f);
            to = text;
        }
        if (i)
            *to++ = ',';
        to += isfinite(x[i]) ? csv_number(to, 40, x[i]) : snprintf(to, 40, "NaN");
    }
    *to++ = '\r';
    *to++ = '\n';
    fwrite(text, 1, (size_t)(to - text), f);
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
    const char *dot = strrchr(path, '.');
    if (dot && (!strcmp(dot, ".h5") || !strcmp(dot, ".hdf5")))
        return hdf5_read(c, path);
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
