/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a model file to a loaded model: mbsc's passes, the system's C compiler, dlopen.  The shared object is
 * kept under $XDG_CACHE_HOME/mbs (or ~/.cache/mbs) by a hash of all that it depends on, so that a second run
 * starts at once.  What goes wrong is said on standard error. */
#ifndef DRIVER_BUILD_H
#define DRIVER_BUILD_H
#include "base/compilation.h"
#include "mbs/model.h"

#include <stdbool.h>

struct build_options {
    struct front_options front;         /* -D, -I */
    const char *const *with;            /* C files with the model's extern functions */
    int withs;
    const char *optimize;               /* "0" .. "3"; NULL: by the size of the code */
    const char *way;                    /* of derivation; NULL: the cheapest */
    const char *sensitivity;            /* parameters, by commas, of which derivatives are wanted; NULL: none */
    int batch;                          /* states at once, 0: one */
    bool quiet;                         /* no note about a cache that cannot be written */
    bool told;                          /* the compiler's messages were shown already */
    bool interpret;                     /* without a C compiler: the tapes are interpreted */
};
struct build {
    const struct mbs_model *model;
    void *handle;                       /* NULL: it is interpreted */
    bool cached;                        /* nothing had to be compiled */
    char hash[65];                      /* of the object, or of the tapes, as build_model() has loaded them; their file may be gone */
};

/* A .mbs file, or a .c file that mbsc wrote. */
bool build_model(struct build *, const char *path, const struct build_options *);
/* A shared object that was built elsewhere; path is what messages call it. */
bool build_open(struct build *, const char *object, const char *symbol, const char *path);
void build_close(struct build *);

/* Compiles and loads other C or Fortran code (-Dname=value options among the arguments), nothing kept.  NULL:
 * failed; then *log holds what the compiler said, or "" (to be freed). */
void *build_load(const char *const *arguments, char **log);
/* The C compiler: $CC, or the one mbs was configured with. */
const char *build_compiler(void);
/* Runs a program found on the PATH, output into the file log (NULL: ours).  Its exit status; -1 if it could not
 * be started (errno says why); 128 + signal. */
int build_spawn(const char *const *argv, const char *log);
enum { FILE_LARGEST = 1 << 30 };                /* bytes */
/* The contents of a regular file (or of /dev/stdin, /dev/fd/N) with a final NUL, NULL and errno if that fails. */
char *file_read(const char *path, size_t *length);
char *file_read_most(const char *path, size_t *length, size_t most);     /* no more than so many bytes */
char *model_read(const char *path, size_t *length);      /* up to SOURCE_LARGEST */
/* Why it failed, from errno. */
const char *file_why(void);
#endif
