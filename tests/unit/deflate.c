/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Packed data against a reader of RFC 1951 that is written for this test alone, bit by bit and without tables: text, code, runs, noise, every size up to
 * some hundreds, matches as long and as far away as there are. */
#include "../tap.h"
#include "deflate.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    const unsigned char *from;
    size_t bits, at;
    unsigned char *to;
    size_t n, room;
    int bad;
};
static unsigned bits(struct reader *r, int n)
{
    unsigned x = 0;
    for (int i = 0; i < n; i++, r->at++) {
        if (r->at >= r->bits)
            return r->bad = 1, 0;
        x |= (unsigned)(r->from[r->at / 8] >> r->at % 8 & 1) << i;
    }
    return x;
}

/* A symbol of the canonical code with these lengths: among the codes of one length the symbols are in order. */
static int symbol(struct reader *r, const int *length, int n)
{
    int code = 0, first = 0;
    for (int k = 1; k <= 15 && !r->bad; k++) {
        int index = 0, count = 0;
        code = code * 2 + (int)bits(r, 1);
        for (int i = 0; i < n; i++)
            count += length[i] == k;
        if (code - first < count) {
            for (int i = 0; i < n; i++)
                if (length[i] == k && index++ == code - first)
                    return i;
        }
        first = (first + count) * 2;
    }
    return r->bad = 1, 0;
}

static void byte(struct reader *r, int x)
{
    if (r->n < r->room)
        r->to[r->n++] = (unsigned char)x;
    else
        r->bad = 1;
}

static void own_lengths(struct reader *r, int *symbols, int *distances)
{
    static const int order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    int ns = (int)bits(r, 5) + 257, nd = (int)bits(r, 5) + 1, nk = (int)bits(r, 4) + 4, kind[19] = {0}, all[320] = {0};
    for (int i = 0; i < nk; i++)
        kind[order[i]] = (int)bits(r, 3);
    for (int i = 0; i < ns + nd && !r->bad;) {
        int s = symbol(r, kind, 19), value = s < 16 ? s : s == 16 && i ? all[i - 1] : 0;
        int times = s < 16 ? 1 : s == 16 ? 3 + (int)bits(r, 2) : s == 17 ? 3 + (int)bits(r, 3) : 11 + (int)bits(r, 7);
        r->bad |= i + times > ns + nd || (s == 16 && !i);
        while (times-- && !r->bad)
            all[i++] = value;
    }
    memcpy(symbols, all, (size_t)ns * sizeof *all);
    memcpy(distances, all + ns, (size_t)nd * sizeof *all);
}

static void block(struct reader *r)
{
    int symbols[288] = {0}, distances[32] = {0}, kind = (int)bits(r, 2);
    if (kind == 2)
        own_lengths(r, symbols, distances);
    for (int i = 0; kind == 1 && i < 288; i++)
        symbols[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    for (int i = 0; kind == 1 && i < 32; i++)
        distances[i] = 5;
    r->bad |= kind != 1 && kind != 2;
    while (!r->bad) {
        int s = symbol(r, symbols, 288), length = 3, distance = 1;
        if (s == 256)
            return;
        if (s < 256) {
            byte(r, s);
            continue;
        }
        for (int k = 257; k < s; k++)           /* the first length of a symbol is behind the last of the one before */
            length += k < 265 ? 1 : 1 << (k - 261) / 4;
        length = s == 285 ? 258 : length + (int)bits(r, s < 265 ? 0 : (s - 261) / 4);
        int d = symbol(r, distances, 32);
        for (int k = 0; k < d; k++)
            distance += k < 4 ? 1 : 1 << (k - 2) / 2;
        distance += (int)bits(r, d < 4 ? 0 : (d - 2) / 2);
        r->bad |= (size_t)distance > r->n || distance > 32768;
        while (length-- && !r->bad)
            byte(r, r->to[r->n - (size_t)distance]);
    }
}

/* The size when packed; 0: it does not come back as it was. */
static size_t packed_size(const unsigned char *data, size_t n)
{
    size_t packed;
    unsigned char *p = deflate_data(data, n, &packed), *back = malloc(n + 1);
    struct reader r = {.from = p, .bits = p ? 8 * packed : 0, .to = back, .room = n};
    for (int last = 0; !last && !r.bad;) {
        last = (int)bits(&r, 1);
        block(&r);
    }
    int good = p && back && !r.bad && r.n == n && !memcmp(back, data, n) && (r.at + 7) / 8 == packed;
    free(p);
    free(back);
    return good ? packed : 0;
}

static unsigned next(unsigned *x) { return *x = *x * 1664525u + 1013904223u, *x >> 16; }

int main(void)
{
    enum { MOST = 200000 };
    unsigned char *data = calloc(MOST, 1);
    unsigned x = 1;
    int good = 1;
    ok(packed_size(data, 0) == 2, "nothing is two bytes");
    for (size_t n = 1; n < 600 && good; n++) {
        static const unsigned kinds[] = {1, 2, 4, 256};
        for (size_t i = 0; i < n; i++)
            data[i] = (unsigned char)(next(&x) % kinds[n % 4]);
        good = packed_size(data, n) > 0;
        if (!good)
            printf("# %zu bytes\n", n);
    }
    ok(good, "1 to 599 bytes of one, two, four, all values");
    memset(data, 0, MOST);
    size_t size = packed_size(data, MOST);
    /* 258 bytes a match, whose length and distance take one bit each, and a header */
    ok(size > 0 && size < MOST / 258 * 2 / 8 + 40, "zeros: %zu bytes", size);
    for (size_t i = 0; i < MOST; i++)
        data[i] = (unsigned char)next(&x);
    size = packed_size(data, MOST);
    /* a header for each block, and blocks are joined while that saves bits */
    ok(size > 0 && size < MOST + MOST / 500, "noise: %zu bytes", size);
    memcpy(data + 32768, data, 300);
    memcpy(data + 70001, data + 70000 - 32768, 300);
    ok(packed_size(data, 32768 + 300) < 32768 + 200, "a match as far away as there is");
    ok(packed_size(data + 33100, 70301 - 33100) > 70301 - 33100, "one byte farther there is none");
    /* words with different chances, then others: a second block pays */
    for (size_t i = 0; i < MOST; i++) {
        unsigned a = next(&x) % 16, b = next(&x) % 16;
        data[i] = (unsigned char)((a < b ? a : b) + (i < MOST / 2 ? 'a' : 'A'));
    }
    size = packed_size(data, MOST);
    double entropy = 0;
    for (int k = 0; k < 16; k++) {
        double p = (31 - 2 * k) / 256.0;        /* of the smaller one of two */
        entropy -= p * log2(p);
    }
    /* no code for single letters does better than the entropy; prefix codes come within the largest chance + 0.086 bits (Gallager 1978) */
    ok(size > 0 && size < MOST * (entropy + 31 / 256.0 + 0.086) / 8 + 300, "letters of %.3f bits take %.3f", entropy, 8.0 * (double)size / MOST);
    FILE *f = fopen(__FILE__, "r");
    size_t n = f ? fread(data, 1, MOST, f) : 0;
    if (f)
        fclose(f);
    size = packed_size(data, n);
    /* what gzip -9 makes of C is a third */
    ok(!n || (size > 0 && size < n * 2 / 5), "this file: %zu of %zu bytes", size, n);
    free(data);
    return tap_done();
}
