/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A library to be loaded before a program of ours (LD_PRELOAD): the FAULT_AT-th call of one kind fails, once.  FAULT_KIND is
 * memory (malloc, calloc, realloc, reallocarray), or name (open, rename, the making of temporary files and directories).
 * With FAULT_COUNT the number of calls is written to that file at the end instead.  Other programs that ours starts
 * (FAULT_PROGRAM is not their name) are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static enum { OFF, MEMORY, NAME } kind;
static long at, calls;
static bool ready;
static int count_file = -1;     /* opened at once: later the program may have given up opening files */

__attribute__((constructor)) static void begin(void)
{
    const char *k = getenv("FAULT_KIND"), *n = getenv("FAULT_AT"), *program = getenv("FAULT_PROGRAM");
    if (!k || !program || strcmp(program, program_invocation_short_name))
        return;
    kind = !strcmp(k, "memory") ? MEMORY : NAME;
    at = n ? strtol(n, NULL, 10) : 0;
    const char *path = getenv("FAULT_COUNT");
    if (path)
        count_file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    calls = 0;
    ready = true;
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    if (!ready || count_file < 0)
        return;
    ready = false;
    int n = snprintf(text, sizeof text, "%ld\n", calls);
    if (write(count_file, text, (size_t)n) == n)
        close(count_file);
}

/* The program ends so, when all is written. */
void _exit(int status)
{
    static void (*real)(int);
    end();
    *(void **)&real = dlsym(RTLD_NEXT, "_exit");
    real(status);
    abort();
}

static bool fails(int which) { return ready && (int)kind == which && ++calls == at; }

void *malloc(size_t n) { return fails(MEMORY) ? (errno = ENOMEM, NULL) : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return fails(MEMORY) ? (errno = ENOMEM, NULL) : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return fails(MEMORY) ? (errno = ENOMEM, NULL) : __libc_realloc(p, n); }
void *reallocarray(void *p, size_t n, size_t m) { return n && m > (size_t)-1 / n ? (errno = ENOMEM, NULL) : realloc(p, n * m); }

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)

int rename(const char *a, const char *b)
{
    REAL(int, "rename", const char *, const char *);
    return fails(NAME) ? (errno = EIO, -1) : real(a, b);
}
int mkostemp(char *t, int flags)
{
    REAL(int, "mkostemp", char *, int);
    return fails(NAME) ? (errno = ENOSPC, -1) : real(t, flags);
}
char *mkdtemp(char *t)
{
    REAL(char *, "mkdtemp", char *);
    return fails(NAME) ? (errno = ENOSPC, NULL) : real(t);
}
int fchmod(int fd, mode_t mode)
{
    REAL(int, "fchmod", int, mode_t);
    return fails(NAME) ? (errno = EIO, -1) : real(fd, mode);
}
FILE *fopen(const char *path, const char *mode)
{
    REAL(FILE *, "fopen", const char *, const char *);
    return fails(NAME) ? (errno = EIO, NULL) : real(path, mode);
}
FILE *fdopen(int fd, const char *mode)
{
    REAL(FILE *, "fdopen", int, const char *);
    return fails(NAME) ? (errno = EIO, NULL) : real(fd, mode);
}
int open(const char *path, int flags, ...)
{
    REAL(int, "open", const char *, int, ...);
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & O_CREAT ? (mode_t)va_arg(ap, int) : 0;
    va_end(ap);
    return fails(NAME) ? (errno = EIO, -1) : real(path, flags, mode);
}
