/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Size decides the encoding of a column (see report/data.js): a value takes four characters of base64 as a
 * 24-bit step of the column's range, 8/3 as a 16-bit one (points: finer than any screen), 16/3 as a float
 * where the range spans many decades (violations, drift); a constant column is one number. */
#include "config.h"
#include "pack.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode_byte(struct encoder *e, unsigned byte)
{
    e->bits = e->bits << 8 | (byte & 0xff);
    if (++e->count == 3) {
        for (int k = 18; k >= 0; k -= 6)
            putc(base64[e->bits >> k & 63], e->f);
        e->bits = 0;
        e->count = 0;
    }
}
void encode_end(struct encoder *e)
{
    int left = e->count;
    if (!left)
        return;
    e->bits <<= 8 * (3 - left);
    for (int k = 0; k < 4; k++)
        putc(k <= left ? base64[e->bits >> (18 - 6 * k) & 63] : '=', e->f);
}
void encode_word(struct encoder *e, unsigned long long w, int bytes)
{
    for (int i = 0; i < bytes; i++)
        encode_byte(e, (unsigned)(w >> (8 * i)));
}

static double column_get(const struct column *c, int i) { return c->at[(size_t)i * (size_t)c->stride]; }

void column_range(const struct column *c, double *lo, double *hi)
{
    *lo = INFINITY, *hi = -INFINITY;
    for (int i = 0; i < c->n; i++) {
        double x = column_get(c, i);
        if (isfinite(x)) {
            *lo = x < *lo ? x : *lo;
            *hi = x > *hi ? x : *hi;
        }
    }
}

static void write_steps(struct encoder *e, const struct column *c, double lo, double step, int bytes)
{
    double top = ldexp(1, 8 * bytes) - 2;
    for (int i = 0; i < c->n; i++) {
        double x = column_get(c, i), k = isfinite(x) ? rint((x - lo) / step) : top + 1;
        encode_word(e, (unsigned long long)(k > top && isfinite(x) ? top : k < 0 ? 0 : k), bytes);
    }
}
void column_write(FILE *f, const struct column *c, enum packing packing)
{
    struct encoder e = {f, 0, 0};
    double lo, hi;
    column_range(c, &lo, &hi);
    if (!(hi >= lo)) {
        fputs("null", f);
        return;
    }
    if (hi == lo) {
        fprintf(f, packing == PACK_DOUBLE ? "%.17g" : "%.9g", lo);
        return;
    }
    /* A range beyond the largest double, or below the smallest step, has no steps. */
    if ((packing == PACK_16 || packing == PACK_24) && (!isfinite(hi - lo) || hi - lo < DBL_MIN * 1e10))
        packing = PACK_DOUBLE;
    int bytes = packing == PACK_16 ? 2 : 3;
    switch (packing) {
    case PACK_DOUBLE:
        fputs("{\"k\":\"d\",\"b\":\"", f);
        for (int i = 0; i < c->n; i++) {
            unsigned long long w;
            double x = column_get(c, i);
            memcpy(&w, &x, sizeof w);
            encode_word(&e, w, 8);
        }
        break;
    case PACK_FLOAT:
        fputs("{\"k\":\"f\",\"b\":\"", f);
        for (int i = 0; i < c->n; i++) {
            unsigned w;
            float x = (float)column_get(c, i);
            memcpy(&w, &x, sizeof w);
            encode_word(&e, w, 4);
        }
        break;
    case PACK_16:
    case PACK_24: {
        double step = (hi - lo) / (ldexp(1, 8 * bytes) - 2);
        fprintf(f, "{\"k\":\"%s\",\"lo\":%.12g,\"s\":%.12g,\"b\":\"", bytes == 2 ? "w" : "t", lo, step);
        write_steps(&e, c, lo, step, bytes);
        break;
    }
    }
    encode_end(&e);
    fputs("\"}", f);
}

void lines_write(FILE *f, const char *const *lines)
{
    for (; *lines; lines++)
        fputs(*lines, f);
}
