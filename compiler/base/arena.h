/* SPDX-License-Identifier: GPL-3.0-or-later
 * Arenas: memory that is given back all at once.  One lives as long as a compilation, scratch ones as
 * long as a pass.  Allocation never returns NULL: without memory the compilation is given up (compile.c sets where to),
 * or, outside of one, the program ends with a message. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

struct arena {
    struct arena_block *block;  /* newest first */
    char *at, *end;
};

void *arena_alloc(struct arena *, size_t size);     /* zeroed, aligned for anything */
void *arena_copy(struct arena *, const void *, size_t size);
char *arena_strndup(struct arena *, const char *, size_t n);
char *arena_printf(struct arena *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *, const char *fmt, va_list);
void arena_free(struct arena *);                    /* the arena is empty and usable afterwards */

/* Where to go without memory, in this thread; NULL: the program ends with status 1. */
extern _Thread_local jmp_buf *memory_escape;

/* The heap with the same promise, for tables that grow. */
void *mem_grow(void *, size_t count, size_t size);
void *mem_zeros(size_t count, size_t size);     /* of a large array only what is touched costs */
_Noreturn void mem_ended(void);                    /* for memory that others were asked for */
#define ARENA_NEW(arena, type, n) ((type *)arena_alloc((arena), (size_t)(n) * sizeof(type)))

/* Growable array in three fields:  struct { T *at; int n, cap; } v;  VEC_PUSH(v, x); */
#define VEC_PUSH(v, x)                                                                                     \
    ((v).n == (v).cap ? ((v).cap = (v).cap ? 2 * (v).cap : 8,                                              \
                         (v).at = mem_grow((v).at, (size_t)(v).cap, sizeof *(v).at))                       \
                      : (v).at,                                                                            \
     (v).at[(v).n++] = (x))
#endif
