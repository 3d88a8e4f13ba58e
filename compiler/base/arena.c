/* SPDX-License-Identifier: GPL-3.0-or-later
 * Blocks of growing size, newest first; each allocation takes the next aligned piece of the newest. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16, FIRST = 1 << 14, LARGEST = 1 << 22 };

struct arena_block {
    struct arena_block *older;
    size_t size;
    _Alignas(ALIGN) char data[];
};

_Thread_local jmp_buf *memory_escape;

_Noreturn void mem_ended(void)
{
    if (memory_escape)
        longjmp(*memory_escape, 1);
    fputs("mbs: out of memory\n", stderr);
    exit(1);
}

void *mem_grow(void *old, size_t count, size_t size)
{
    if (size && count > PTRDIFF_MAX / size)
        mem_ended();
    size_t bytes = count * size;
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        mem_ended();
    return p;
}

void *mem_zeros(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p)
        mem_ended();
    return p;
}

void *arena_alloc(struct arena *a, size_t size)
{
    if (size > PTRDIFF_MAX / 2)
        mem_ended();
    size = size ? (size + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
    if (size > (size_t)(a->end - a->at)) {
        size_t want = a->block ? 2 * a->block->size : FIRST;
        if (want > LARGEST)
            want = LARGEST;
        if (want < size)
            want = size;
        struct arena_block *b = mem_grow(NULL, 1, sizeof *b + want);
        b->older = a->block;
        b->size = want;
        a->block = b;
        a->at = b->data;
        a->end = b->data + want;
    }
    void *p = a->at;
    a->at += size;
    return memset(p, 0, size);
}

void *arena_copy(struct arena *a, const void *from, size_t size)
{
    void *p = arena_alloc(a, size ? size : 1);
    return size ? memcpy(p, from, size) : p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    memcpy(p, s, n);
    return p;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
    char text[256];     /* most are short: one pass */
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    char *p = arena_alloc(a, (size_t)n + 1);
    if ((size_t)n < sizeof text)
        memcpy(p, text, (size_t)n);
    else
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *p = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return p;
}

void arena_free(struct arena *a)
{
    while (a->block) {
        struct arena_block *older = a->block->older;
        free(a->block);
        a->block = older;
    }
    a->at = a->end = NULL;
}
