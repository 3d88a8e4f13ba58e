/* SPDX-License-Identifier: GPL-3.0-or-later
 * What all passes of one compilation share: memory, the files read, names, messages, and what the
 * command line said about the model. */
#ifndef BASE_COMPILATION_H
#define BASE_COMPILATION_H
#include "base/arena.h"
#include "base/diag.h"
#include "base/name.h"
#include "base/source.h"

struct front_options {
    const char *const *define;          /* -D: "name=value" or "name" (true) */
    int defines;
    const char *const *include;         /* -I: directories, searched in order */
    int includes;
    bool reactions;                     /* of all joints as outputs */
    bool handles;                       /* inputs that pull at bodies, start values as parameters: for `mbs play` */
};

struct compilation {
    struct arena arena;
    struct sources sources;
    struct names names;
    struct diags diags;
    struct front_options options;       /* the strings stay the caller's */
};

void compilation_init(struct compilation *, const struct front_options *);  /* NULL: no options */
void compilation_fini(struct compilation *);
#endif
