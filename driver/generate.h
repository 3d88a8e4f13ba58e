/* SPDX-License-Identifier: GPL-3.0-or-later
 * The C text of a model, by the passes of mbsc; messages go to standard error. */
#ifndef DRIVER_GENERATE_H
#define DRIVER_GENERATE_H
#include "base/compilation.h"
#include "derive/equations.h"

#include <stdbool.h>
#include <stddef.h>

struct generated {
    char *text;
    size_t length;
    size_t statements;          /* how much of that the C compiler has to optimise: not the tables of rolled code */
    char symbol[256];           /* NAME_model */
    struct dependency {
        char *path;             /* as it was asked for, from the root; links in it are followed anew each time */
        char hash[65];          /* of the text that was read; "-": there was nothing */
    } *dep;
    int deps;
    char **ext;                 /* functions that a .mbs file takes from the user's C code */
    int externs;
};
#define EXTERN_PREFIX "mbs_extern_"     /* of their names at the linker */
/* A .mbs file is compiled; a .c file is taken as it is. */
struct build_options;
bool generate_c(struct generated *, const char *path, const struct build_options *);
/* The same as tapes, for mbs_interpret(). */
bool generate_tapes(struct generated *, const char *path, const struct build_options *);
void generated_fini(struct generated *);
/* The text of mbs/model.h. */
char *generate_header(size_t *length);
/* The way of derivation by its name (NULL: the cheapest); false, with a message: there is none. */
bool way_given(const char *name, enum derive_way *);
#endif
