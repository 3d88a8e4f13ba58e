/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     generate SEED DIRECTORY
 *
 * writes the random model of a seed into the directory: model.mbs, and where the model wants them table.csv,
 * extern.c (code of extern functions), inlined.mbs (the same model without extern), absolute.mbs (the same mechanism
 * in absolute coordinates), held (elements that must be refused); flags has the options of mbsc for it. */
#include "random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next(struct chance *c)
{
    uint64_t z = (c->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int pick(struct chance *c, int n)
{
    return n < 2 ? 0 : (int)(next(c) % (uint64_t)n);
}

bool one_in(struct chance *c, int n)
{
    return pick(c, n) == 0;
}

double number(struct chance *c, double from, double to)
{
    double x = from + (to - from) * (double)pick(c, 1000) / 1000;
    int thousandths = (int)(x * 1000 + (x < 0 ? -0.5 : 0.5));
    return thousandths / 1000.0;
}

void say(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (t->n + n + 1 > t->cap) {
        t->cap = 2 * (t->n + n + 1);
        t->s = realloc(t->s, (size_t)t->cap);
        if (!t->s)
            abort();
    }
    va_start(ap, fmt);
    vsnprintf(t->s + t->n, (size_t)n + 1, fmt, ap);
    va_end(ap);
    t->n += n;
}

void name_add(struct names *l, const char *fmt, ...)
{
    va_list ap;
    if (l->n == NAMES)
        return;
    va_start(ap, fmt);
    vsnprintf(l->at[l->n++], NAME_ROOM, fmt, ap);
    va_end(ap);
}

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) {
        fprintf(stderr, "generate: cannot write %s\n", path);
        exit(1);
    }
}

/* The model with a line exchanged: `old` is a whole line. */
static char *exchanged(const char *model, const char *old, const char *new)
{
    const char *at = strstr(model, old);
    if (!at)
        abort();
    return format("%.*s%s%s", (int)(at - model), model, new, at + strlen(old));
}

static void write_flags(struct draft *d, const char *dir)
{
    static const char *const flags[] = {"", "", "--solver", "--fold-params", "--standalone", "--solver --fold-params --standalone"};
    write_file(dir, "flags", flags[pick(&d->chance, (int)(sizeof flags / sizeof *flags))]);
}

int main(int argc, char **argv)
{
    struct draft d = {0};
    char *end;
    if (argc != 3) {
        fputs("usage: generate SEED DIRECTORY\n", stderr);
        return 2;
    }
    uint64_t seed = strtoull(argv[1], &end, 10);
    if (end == argv[1] || *end) {
        fprintf(stderr, "generate: '%s' is no seed\n", argv[1]);
        return 2;
    }
    d.chance.state = seed * 0x2545f4914f6cdd1du + 1;
    say(&d.model, "model m%llu \"Random model %llu\"\n", (unsigned long long)seed, (unsigned long long)seed);
    int kind = pick(&d.chance, 100);
    if (kind < 1)
        chain_write(&d);
    else if (kind < 42)
        energies_write(&d);
    else
        mechanism_write(&d, kind < 64);
    say(&d.model, "simulate { to = 1 }\n");
    write_file(argv[2], "model.mbs", d.model.s);
    if (d.csv.n)
        write_file(argv[2], "table.csv", d.csv.s);
    if (d.code.n) {
        write_file(argv[2], "extern.c", d.code.s);
        write_file(argv[2], "inlined.mbs", exchanged(d.model.s, "extern outside(s)\n", d.inlined.s));
    }
    if (d.held.n)
        write_file(argv[2], "held", d.held.s);
    if (d.absolute.n)
        write_file(argv[2], "absolute.mbs", exchanged(d.model.s, d.absolute.s, "coordinates absolute\n"));
    write_flags(&d, argv[2]);
    return 0;
}
