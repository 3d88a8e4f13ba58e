/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Packing by deflate (RFC 1951) for files that are written once and carried about often: time is spent on the shortest form.
 *
 *   matches   at every byte, for each length the nearest place in the window where as many bytes are the same
 *   parse     the cheapest way through the data in literals and matches, by dynamic programming over bytes, with the prices (bits) that
 *             symbols had in the parse before
 *   blocks    neighbours with like statistics are joined while that saves bits; each block has codes of its own, and so its own prices
 *
 * Prices follow from a parse and the parse from prices; a few rounds settle. */
#include "config.h"
#include "deflate.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 32768, SHORTEST = 3, LONGEST = 258,
    SYMBOLS = 286, END = 256, DISTANCES = 30, RUNS = 19, LONGEST_CODE = 15, LONGEST_RUN_CODE = 7,
    HASHES = 1 << 15,
    /* a thousand places, blocks of 600 tokens and five rounds gain 0.4 % more in twice the time */
    LOOKS = 300,                /* places that are tried for a match */
    GRAIN = 1000,               /* tokens: where blocks may begin */
    ROUNDS = 3
};

struct match {
    uint16_t length, distance;
};
/* A literal has the distance 0 and its byte as the length. */
typedef struct match Token;

struct counts {
    uint32_t symbol[SYMBOLS], distance[DISTANCES];
};
struct prices {
    float literal[256], length[LONGEST + 1], distance[DISTANCES];
};
struct block {
    size_t first, n;            /* tokens */
    size_t end;                 /* byte behind the last of them */
    struct counts counts;
    double bits;
};

struct packer {
    const unsigned char *data;
    size_t size;
    struct match *match;        /* those of byte i are at start[i] to start[i+1] - 1, longer and longer ones, farther and farther away */
    size_t *start, matches, room;
    double *price;              /* of all bytes up to here */
    Token *by, *token;          /* the last step to a byte; the parse */
    size_t tokens;
    struct block *block;
    int blocks;
    struct prices prices;
};

/* ---- symbols ---- */

static int log_floor(unsigned x) { return 31 - __builtin_clz(x); }
static int length_extra(int length) { return length < 11 || length == LONGEST ? 0 : log_floor((unsigned)length - 3) - 2; }
static int length_symbol(int length)
{
    int e = length_extra(length);
    return length == LONGEST ? SYMBOLS - 1 : 257 + 4 * e + ((length - 3) >> e);
}
static int distance_extra(int distance) { return distance < 5 ? 0 : log_floor((unsigned)distance - 1) - 1; }
static int distance_symbol(int distance)
{
    int e = distance_extra(distance);
    return 2 * e + ((distance - 1) >> e);
}

static void count_token(struct counts *c, Token t)
{
    if (!t.distance) {
        c->symbol[t.length]++;
    } else {
        c->symbol[length_symbol(t.length)]++;
        c->distance[distance_symbol(t.distance)]++;
    }
}

/* ---- codes ---- */

struct leaf {
    uint32_t count;
    int symbol;
};
static int rarer_first(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? -1 : 1) : x->symbol - y->symbol;
}

/* Lengths of a prefix code of at most `limit` bits, by package-merge (Larmore and Hirschberg 1990): the list of each level has all leaves and the pairs of
 * the list before it in the order of their counts; of the last one the first 2 m - 2 are taken, and with each pair its two halves. */
static void code_lengths(const uint32_t *count, int n, int limit, unsigned char *length)
{
    struct leaf leaf[SYMBOLS];
    uint64_t weight[2][2 * SYMBOLS];
    bool is_leaf[LONGEST_CODE][2 * SYMBOLS];
    int m = 0, size = 0;
    memset(length, 0, (size_t)n);
    for (int i = 0; i < n; i++)
        if (count[i])
            leaf[m++] = (struct leaf){count[i], i};
    if (m == 1)
        length[leaf[0].symbol] = 1;
    if (m < 2)
        return;
    qsort(leaf, (size_t)m, sizeof *leaf, rarer_first);
    for (int level = 0; level < limit; level++) {
        const uint64_t *before = weight[(level + 1) % 2];
        uint64_t *now = weight[level % 2];
        int pairs = size / 2, l = 0, k = 0;
        while (l < m || k < pairs) {
            uint64_t pair = k < pairs ? before[2 * k] + before[2 * k + 1] : UINT64_MAX;
            bool takes_leaf = l < m && leaf[l].count <= pair;
            is_leaf[level][l + k] = takes_leaf;
            now[l + k] = takes_leaf ? leaf[l].count : pair;
            if (takes_leaf)
                l++;
            else
                k++;
        }
        size = m + pairs;
    }
    for (int level = limit - 1, taken = 2 * m - 2; level >= 0; level--) {
        int leaves = 0;
        for (int i = 0; i < taken; i++)
            leaves += is_leaf[level][i];
        for (int i = 0; i < leaves; i++)
            length[leaf[i].symbol]++;
        taken = 2 * (taken - leaves);
    }
}

/* Codes in the order of their lengths, the first bit lowest. */
static void code_words(const unsigned char *length, int n, uint16_t *word)
{
    unsigned next = 0;
    for (int bits = 1; bits <= LONGEST_CODE; bits++, next <<= 1)
        for (int i = 0; i < n; i++)
            if (length[i] == bits) {
                word[i] = 0;
                for (int b = 0; b < bits; b++)
                    word[i] = (uint16_t)(word[i] | (next >> b & 1) << (bits - 1 - b));
                next++;
            }
}

/* ---- bits ---- */

/* Without a place to write to, bits are only counted. */
struct bits {
    unsigned char *to;
    uint64_t n;
};
static void put(struct bits *b, unsigned value, int n)
{
    for (int i = 0; b->to && i < n; i++)
        b->to[(b->n + (unsigned)i) / 8] |= (unsigned char)((value >> i & 1) << (b->n + (unsigned)i) % 8);
    b->n += (unsigned)n;
}

/* The two codes of a block. */
struct code {
    unsigned char length[SYMBOLS + DISTANCES];
    uint16_t word[SYMBOLS + DISTANCES];
};

/* Lengths of codes as runs: 16 repeats the one before 3 to 6 times, 17 and 18 are 3 to 10 and 11 to 138 zeros. */
struct runs {
    int n;
    unsigned char symbol[SYMBOLS + DISTANCES], times[SYMBOLS + DISTANCES];
};
static void add_run(struct runs *r, int symbol, int times)
{
    r->symbol[r->n] = (unsigned char)symbol;
    r->times[r->n++] = (unsigned char)times;
}
static void find_runs(struct runs *r, const unsigned char *length, int n)
{
    for (int i = 0, k; i < n; i += k) {
        for (k = 1; i + k < n && length[i + k] == length[i] && k < 138;)
            k++;
        if (length[i] == 0 && k >= 3) {
            add_run(r, k < 11 ? 17 : 18, k);
        } else if (length[i] && k >= 4) {
            k = k > 7 ? 7 : k;
            add_run(r, length[i], 1);
            add_run(r, 16, k - 1);
        } else {
            add_run(r, length[i], k = 1);
        }
    }
}

static int used(const unsigned char *length, int n, int least)
{
    while (n > least && !length[n - 1])
        n--;
    return n;
}

/* The code lengths of a block with codes of its own (RFC 1951, 3.2.7). */
static void put_code(struct bits *b, const struct code *c)
{
    static const unsigned char order[RUNS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}, extra[RUNS] = {[16] = 2, [17] = 3, [18] = 7},
                               first[RUNS] = {[16] = 3, [17] = 3, [18] = 11};
    int symbols = used(c->length, SYMBOLS, 257), distances = used(c->length + SYMBOLS, DISTANCES, 1), kinds;
    unsigned char all[SYMBOLS + DISTANCES], length[RUNS];
    uint32_t count[RUNS] = {0};
    uint16_t word[RUNS];
    struct runs r = {0};
    memcpy(all, c->length, (size_t)symbols);
    memcpy(all + symbols, c->length + SYMBOLS, (size_t)distances);
    find_runs(&r, all, symbols + distances);
    for (int i = 0; i < r.n; i++)
        count[r.symbol[i]]++;
    code_lengths(count, RUNS, LONGEST_RUN_CODE, length);
    code_words(length, RUNS, word);
    for (kinds = RUNS; kinds > 4 && !length[order[kinds - 1]];)
        kinds--;
    put(b, (unsigned)symbols - 257, 5);
    put(b, (unsigned)distances - 1, 5);
    put(b, (unsigned)kinds - 4, 4);
    for (int i = 0; i < kinds; i++)
        put(b, length[order[i]], 3);
    for (int i = 0; i < r.n; i++) {
        put(b, word[r.symbol[i]], length[r.symbol[i]]);
        put(b, (unsigned)(r.times[i] - first[r.symbol[i]]), extra[r.symbol[i]]);
    }
}

static void fixed_code(struct code *c)
{
    for (int i = 0; i < SYMBOLS; i++)
        c->length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(c->length + SYMBOLS, 5, DISTANCES);
}
static double counted_bits(const struct counts *n, const struct code *c)
{
    double bits = 0;
    for (int i = 0; i < SYMBOLS; i++)
        bits += n->symbol[i] * (double)c->length[i];
    for (int i = 0; i < DISTANCES; i++)
        bits += n->distance[i] * (double)c->length[SYMBOLS + i];
    return bits;
}

/* The cheaper code for these symbols: the fixed one of the standard, or one of their own; *bits: what the block takes, without the extra bits of its matches,
 * which do not depend on this.  True: its own. */
static bool choose_code(const struct counts *n, struct code *c, double *bits)
{
    struct code own;
    struct bits header = {NULL, 0};
    code_lengths(n->symbol, SYMBOLS, LONGEST_CODE, own.length);
    code_lengths(n->distance, DISTANCES, LONGEST_CODE, own.length + SYMBOLS);
    put_code(&header, &own);
    fixed_code(c);
    double fixed = counted_bits(n, c), with_own = (double)header.n + counted_bits(n, &own);
    *bits = 3 + fmin(fixed, with_own);
    if (with_own >= fixed)
        return false;
    *c = own;
    return true;
}

static void put_block(struct bits *b, const struct packer *p, const struct block *k, bool last)
{
    struct code c;
    double unused;
    bool own = choose_code(&k->counts, &c, &unused);
    put(b, last, 1);
    put(b, own ? 2 : 1, 2);
    if (own)
        put_code(b, &c);
    /* the fixed code has two symbols that are never used, behind ours */
    unsigned char length[288];
    uint16_t word[288];
    memcpy(length, c.length, SYMBOLS);
    length[286] = length[287] = own ? 0 : 8;
    code_words(length, 288, word);
    code_words(c.length + SYMBOLS, DISTANCES, c.word + SYMBOLS);
    for (const Token *t = p->token + k->first; t < p->token + k->first + k->n; t++) {
        int s = t->distance ? length_symbol(t->length) : t->length;
        put(b, word[s], length[s]);
        if (!t->distance)
            continue;
        int d = SYMBOLS + distance_symbol(t->distance), e = length_extra(t->length), f = distance_extra(t->distance);
        put(b, (unsigned)(t->length - 3) & ((1u << e) - 1), e);
        put(b, c.word[d], c.length[d]);
        put(b, (unsigned)(t->distance - 1) & ((1u << f) - 1), f);
    }
    put(b, word[END], length[END]);
}

/* ---- matches ---- */

static unsigned hash(const unsigned char *s) { return (s[0] * 0x9e5fu ^ s[1] * 0x3d1u ^ s[2] * 0x11u) % HASHES; }

static bool add_match(struct packer *p, size_t length, size_t distance)
{
    if (p->matches == p->room) {
        size_t room = p->room ? 2 * p->room : 4096;
        struct match *more = realloc(p->match, room * sizeof *more);
        if (!more)
            return false;
        p->match = more;
        p->room = room;
    }
    p->match[p->matches++] = (struct match){(uint16_t)length, (uint16_t)distance};
    return true;
}

/* Places whose three bytes have the same hash are chained, the nearest first; places count from 1. */
static bool find_matches(struct packer *p)
{
    const unsigned char *s = p->data;
    size_t *head = calloc(HASHES, sizeof *head), *before = malloc((p->size + 1) * sizeof *before);
    bool good = head && before;
    for (size_t i = 0; good && i < p->size; i++) {
        p->start[i] = p->matches;
        size_t most = p->size - i < LONGEST ? p->size - i : LONGEST, best = SHORTEST - 1;
        if (most < SHORTEST)
            continue;
        unsigned h = hash(s + i);
        size_t at = head[h];
        for (int looks = 0; at && i - (at - 1) <= WINDOW && best < most && looks < LOOKS && good; at = before[at - 1], looks++) {
            const unsigned char *there = s + at - 1, *here = s + i;
            size_t n = 0;
            if (there[best] != here[best])
                continue;
            while (n < most && there[n] == here[n])
                n++;
            if (n > best)
                good = add_match(p, best = n, i - (at - 1));
        }
        before[i] = head[h];
        head[h] = i + 1;
    }
    p->start[p->size] = p->matches;
    free(head);
    free(before);
    return good;
}

/* ---- parse ---- */

static float price(uint32_t count, double all, int extra) { return (float)(log2(all / (count ? count : 0.4)) + extra); }

static void set_prices(struct prices *p, const struct counts *n)
{
    double symbols = 1, distances = 1;
    for (int i = 0; i < SYMBOLS; i++)
        symbols += n->symbol[i];
    for (int i = 0; i < DISTANCES; i++)
        distances += n->distance[i];
    for (int i = 0; i < 256; i++)
        p->literal[i] = price(n->symbol[i], symbols, 0);
    for (int i = SHORTEST; i <= LONGEST; i++)
        p->length[i] = price(n->symbol[length_symbol(i)], symbols, length_extra(i));
    for (int i = 0; i < DISTANCES; i++)
        p->distance[i] = price(n->distance[i], distances, i < 4 ? 0 : i / 2 - 1);
}

/* To begin with: literals as often as the bytes are, a match on four of them.  Where matches are thought cheap at first, they stay so. */
static void set_first_counts(struct packer *p, struct counts *n)
{
    for (size_t i = 0; i < p->size; i++)
        n->symbol[p->data[i]]++;
    for (int i = END; i < SYMBOLS; i++)
        n->symbol[i] = 1 + (uint32_t)(p->size / (4 * (SYMBOLS - END)));
    for (int i = 0; i < DISTANCES; i++)
        n->distance[i] = 1;
}

static void step(struct packer *p, size_t to, double price, struct match by)
{
    if (price < p->price[to]) {
        p->price[to] = price;
        p->by[to] = by;
    }
}

static void parse(struct packer *p)
{
    const struct block *b = p->block;
    set_prices(&p->prices, &b->counts);
    for (size_t i = 1; i <= p->size; i++)
        p->price[i] = INFINITY;
    p->price[0] = 0;
    for (size_t i = 0; i < p->size; i++) {
        if (i >= b->end)
            set_prices(&p->prices, &(++b)->counts);
        step(p, i + 1, p->price[i] + p->prices.literal[p->data[i]], (Token){p->data[i], 0});
        unsigned length = SHORTEST;
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            const struct match *m = &p->match[k];
            double far = p->price[i] + p->prices.distance[distance_symbol(m->distance)];
            for (; length <= m->length; length++)
                step(p, i + length, far + p->prices.length[length], (Token){(uint16_t)length, m->distance});
        }
    }
    p->tokens = 0;
    for (size_t i = p->size; i > 0; i -= p->by[i].distance ? p->by[i].length : 1)
        p->token[p->tokens++] = p->by[i];
    for (size_t i = 0; i < p->tokens / 2; i++) {
        Token t = p->token[i];
        p->token[i] = p->token[p->tokens - 1 - i];
        p->token[p->tokens - 1 - i] = t;
    }
}

/* ---- blocks ---- */

static void measure(struct block *b)
{
    struct code unused;
    choose_code(&b->counts, &unused, &b->bits);
}

/* Two neighbours as one. */
static struct block joined(const struct block *a, const struct block *b)
{
    struct block both = {.first = a->first, .n = a->n + b->n, .end = b->end};
    for (int i = 0; i < SYMBOLS; i++)
        both.counts.symbol[i] = a->counts.symbol[i] + b->counts.symbol[i];
    for (int i = 0; i < DISTANCES; i++)
        both.counts.distance[i] = a->counts.distance[i] + b->counts.distance[i];
    both.counts.symbol[END] = 1;
    measure(&both);
    return both;
}
static double saving(const struct block *a, const struct block *b) { return a->bits + b->bits - joined(a, b).bits; }

/* The parse in blocks; `saves` has room for one number a block. */
static void split(struct packer *p, double *saves)
{
    size_t byte = 0;
    p->blocks = 0;
    for (size_t i = 0; i < p->tokens || !p->blocks; i += GRAIN) {
        struct block *b = &p->block[p->blocks++];
        *b = (struct block){.first = i, .n = p->tokens - i < GRAIN ? p->tokens - i : GRAIN};
        for (size_t k = i; k < i + b->n; k++) {
            count_token(&b->counts, p->token[k]);
            byte += p->token[k].distance ? p->token[k].length : 1;
        }
        b->counts.symbol[END] = 1;
        b->end = byte;
        measure(b);
    }
    for (int i = 0; i + 1 < p->blocks; i++)
        saves[i] = saving(&p->block[i], &p->block[i + 1]);
    for (;;) {
        int best = 0;
        for (int i = 1; i + 1 < p->blocks; i++)
            best = saves[i] > saves[best] ? i : best;
        if (p->blocks < 2 || saves[best] <= 0)
            return;
        p->block[best] = joined(&p->block[best], &p->block[best + 1]);
        p->blocks--;
        memmove(&p->block[best + 1], &p->block[best + 2], (size_t)(p->blocks - best - 1) * sizeof *p->block);
        memmove(&saves[best], &saves[best + 1], (size_t)(p->blocks - best) * sizeof *saves);
        for (int i = best > 0 ? best - 1 : 0; i <= best && i + 1 < p->blocks; i++)
            saves[i] = saving(&p->block[i], &p->block[i + 1]);
    }
}

static void put_all(const struct packer *p, struct bits *b)
{
    for (int i = 0; i < p->blocks; i++)
        put_block(b, p, &p->block[i], i == p->blocks - 1);
}

static unsigned char *pack(struct packer *p, double *saves, size_t *packed)
{
    unsigned char *best = NULL;
    *p->block = (struct block){.end = p->size};
    set_first_counts(p, &p->block->counts);
    for (int round = 0; round < ROUNDS; round++) {
        struct bits b = {NULL, 0};
        parse(p);
        split(p, saves);
        put_all(p, &b);
        size_t size = (size_t)(b.n + 7) / 8;
        if (best && size >= *packed)
            continue;
        free(best);
        if (!(best = calloc(size, 1)))
            return NULL;
        *packed = size;
        b = (struct bits){best, 0};
        put_all(p, &b);
    }
    return best;
}

unsigned char *deflate_data(const void *data, size_t size, size_t *packed)
{
    struct packer p = {.data = data, .size = size};
    size_t most = size / GRAIN + 2;
    double *saves = malloc(most * sizeof *saves);
    p.start = malloc((size + 1) * sizeof *p.start);
    p.price = malloc((size + 1) * sizeof *p.price);
    p.by = malloc((size + 1) * sizeof *p.by);
    p.token = malloc((size + 1) * sizeof *p.token);
    p.block = malloc(most * sizeof *p.block);
    bool room = saves && p.start && p.price && p.by && p.token && p.block;
    unsigned char *to = room && find_matches(&p) ? pack(&p, saves, packed) : NULL;
    free(saves);
    free(p.match);
    free(p.start);
    free(p.price);
    free(p.by);
    free(p.token);
    free(p.block);
    return to;
}
