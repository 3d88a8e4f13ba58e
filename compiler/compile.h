/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A compilation from a model file to C text, in memory.  Used by mbsc and by mbs.
 *
 *     struct compile *c = compile_file("squeezer.mbs", NULL, COMPILE_TEXT);
 *     fputs(compile_messages(c), stderr);
 *     if (c->good) ... c->model, c->equations, compile_text(c) ...
 *     compile_free(c);
 */
#ifndef COMPILE_H
#define COMPILE_H
#include "base/compilation.h"
#include "derive/equations.h"
#include "emit/emit.h"
#include "model/model.h"
#include "syntax/ast.h"

struct compile_options {
    struct front_options front;         /* -D and -I */
    bool fold_params;                   /* bake the defaults of the parameters in */
    bool standalone;                    /* no #include of mbs/model.h */
    bool solver;                        /* with factor() and solve(), if the model is small */
    const char *scalar;                 /* type of all numbers of a standalone file: float, long double; NULL: double */
    int lanes;                          /* with accelerations of so many states at once */
    enum derive_way way;                /* by the energies, by the tree, or what is cheaper */
    const char *sensitivity;            /* names of parameters between commas, * for all: their derivatives, too; NULL: none */
    bool tapes;                         /* the text is that of the tapes, for the interpreter; no solver, no lanes, no loops */
    bool entries;                       /* large full matrices entry by entry too, not by columns */
    void (*extend)(struct model *, void *user);         /* adds to the checked model, such as outputs; may be NULL */
    void *user;
    int rows_per_piece;                 /* of a tape, before it becomes several functions; 0: the default */
};

/* The stations, in order; a compilation may stop at any of them. */
enum compile_station { COMPILE_AST, COMPILE_MODEL, COMPILE_EQUATIONS, COMPILE_PROGRAMS, COMPILE_TEXT };

struct compile {
    bool good;                          /* no errors, and all that was asked for is there */
    bool no_memory;                     /* the passes ran out of it */
    struct compilation base;            /* memory, messages, files read */
    const struct ast *ast;
    struct pool *pool;
    struct model *model;                /* without parameters if they are folded */
    const struct equations *equations;
    const struct programs *programs;
    struct cwriter text;
};

/* Never NULL.  The options' strings stay the caller's and must outlive the compilation. */
struct compile *compile_file(const char *path, const struct compile_options *, enum compile_station);
/* The same from a text; `path` is what messages call it, and where includes are looked for. */
struct compile *compile_memory(const char *path, const char *text, size_t length, const struct compile_options *,
                               enum compile_station);
void compile_free(struct compile *);

/* Errors and warnings as they are shown to the user; "" if there are none. */
const char *compile_messages(const struct compile *);
/* The generated C, after COMPILE_TEXT. */
const char *compile_text(const struct compile *, size_t *length);
/* A rule for make: `target` depends on every file that was read (-MD).  In the compilation's memory. */
const char *compile_dependencies(struct compile *, const char *target);
extern const char compile_version[];
#endif
