/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A generator of random valid models, for tests.  A seed gives the same model on every machine: integers decide
 * everything, numbers are written with few digits, and no library takes part.
 *
 *   generate.c    the files of a seed, and which kind of model it is
 *   formula.c     random formulas: every operator and function, inside their domains
 *   energies.c    models from energies: coordinates, states, inputs, constraints, functions, tables, externs
 *   mechanism.c   models from bodies and joints, in a plane and in space
 *   hybrid.c      what hits, sticks, rolls and happens in them
 */
#ifndef RANDOM_H
#define RANDOM_H
#include <stdbool.h>
#include <stdint.h>

/* --- chance: splitmix64 (Steele, Lea & Flood 2014) --- */
struct chance {
    uint64_t state;
};
int pick(struct chance *, int n);                   /* 0 .. n-1 */
bool one_in(struct chance *, int n);
double number(struct chance *, double from, double to);     /* with three digits */

/* --- text that grows --- */
struct text {
    char *s;
    int n, cap;
};
void say(struct text *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* --- a model in the making: one statement a line --- */
enum { NAMES = 96, NAME_ROOM = 48 };
struct names {
    char at[NAMES][NAME_ROOM];
    int n;
};
void name_add(struct names *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct draft {
    struct chance chance;
    struct text model;          /* the model */
    struct text inlined;        /* not empty: the same with `function` in place of `extern` */
    struct text absolute;       /* not empty: the same in absolute coordinates */
    struct text code;           /* C of the extern functions */
    struct text csv;            /* table.csv */
    struct text held;           /* a damper between the two places that a joint holds together, a line each */
    struct names param, coord, state, input, smooth, rough;    /* smooth, rough: functions of one argument */
    bool corners;               /* functions with corners may be used now */
};

/* What a formula may contain. */
enum { WITH_Q = 1, WITH_V = 2, WITH_T = 4, WITH_Z = 8, WITH_U = 16, WITH_P = 32 };
/* A formula of moderate size for moderate values of its variables, in brackets where that is needed.  The result is the
 * caller's to free. */
char *formula(struct draft *, int depth, unsigned with);
/* A variable or a number. */
char *leaf(struct draft *, unsigned with);
char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void energies_write(struct draft *);
void mechanism_write(struct draft *, bool spatial);
void chain_write(struct draft *);                  /* long enough for matrices by columns and code in pieces */
#endif
