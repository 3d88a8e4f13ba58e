/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The C compiler at work on a model.
 *
 * The text is ours, but the model it was made from is not trusted.  What it calls is bound when it is linked: its
 * extern functions to the user's files (--with) through names of our own (--defsym takes no symbol of a shared
 * library), the functions of math.h to libm; nothing is left open (-z defs) and nothing but the descriptor is seen
 * from outside (a version script).  Warnings that mean a wrong result are errors. */
#include "config.h"
#include "cc.h"
#include "interrupt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define NOTHING_OPEN "-Wl,-z,defs"      /* a function that nobody defines is an error when linking, not a crash when called */

struct words {
    char **at;
    int n, cap;
    bool lost;                          /* out of memory */
};

static void add(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct words *w, const char *fmt, ...)
{
    va_list ap;
    if (w->n + 1 >= w->cap) {
        int cap = w->cap ? 2 * w->cap : 32;
        char **more = realloc(w->at, (size_t)cap * sizeof *more);
        if (!more) {
            w->lost = true;
            return;
        }
        w->at = more;
        w->cap = cap;
    }
    va_start(ap, fmt);
    if (vasprintf(&w->at[w->n], fmt, ap) < 0)
        w->lost = true;
    else
        w->at[++w->n] = NULL;
    va_end(ap);
}

static void words_fini(struct words *w)
{
    for (int i = 0; i < w->n; i++)
        free(w->at[i]);
    free(w->at);
}

/* The words of $CC. */
static void add_compiler(struct words *w)
{
    for (const char *s = build_compiler(); *(s += strspn(s, " \t"));) {
        int n = (int)strcspn(s, " \t");
        add(w, "%.*s", n, s);
        s += n;
    }
}

/* A file of the user: never an option (-x) nor a response file (@x). */
static void add_file(struct words *w, const char *path)
{
    add(w, *path == '-' || *path == '@' ? "./%s" : "%s", path);
}

static int run(const struct words *w, const char *log)
{
    if (w->lost)
        return errno = ENOMEM, -1;
    return build_spawn((const char *const *)w->at, log);
}

/* ---- what went wrong ---- */

/* The user's own C files may have errors of their own; those are shown. */
static bool with_fault(const char *work, const struct build_options *o, const char *log)
{
    for (int i = 0; i < o->withs; i++) {
        struct words w = {0};
        add_compiler(&w);
        add(&w, "-fsyntax-only");
        add(&w, "-Werror=implicit-function-declaration");
        add(&w, "-I%s", work);
        add_file(&w, o->with[i]);
        int status = run(&w, log);
        words_fini(&w);
        if (status > 0) {
            char *text = file_read(log, NULL);
            build_say("the C compiler does not accept %s:\n%s", o->with[i], text ? text : "");
            free(text);
            return true;
        }
    }
    return false;
}

static void add_each(struct words *w, const char *const *word, int n)
{
    for (int i = 0; i < n; i++)
        add(w, "%s", word[i]);
}

static void add_extern(struct words *w, const char *name)
{
    add(w, "-Xlinker");
    add(w, "--defsym=" EXTERN_PREFIX "%s=%s", name, name);
}

/* Links the user's files alone, with a function that the model calls (or NULL) or with nothing left open; false if that fails. */
static bool withs_link(const char *work, const char *called, const struct build_options *o, const char *log)
{
    static const char *const shared[] = {"-fPIC", "-shared", "-o"};
    struct words w = {0};
    add_compiler(&w);
    add_each(&w, shared, 3);
    add(&w, "%s/model.so", work);
    add(&w, "-I%s", work);
    if (called)
        add_extern(&w, called);
    else
        add(&w, NOTHING_OPEN);
    for (int k = 0; k < o->withs; k++)
        add_file(&w, o->with[k]);
    add(&w, "-lm");
    int status = run(&w, log);
    words_fini(&w);
    return status <= 0;
}

/* The function that the model calls and the user's files do not define. */
static bool extern_missing(const char *work, const struct generated *g, const char *path, const struct build_options *o, const char *log)
{
    for (int i = 0; i < g->externs; i++)
        if (!withs_link(work, g->ext[i], o, log)) {
            build_say("%s calls the C function '%s', which the files of --with do not define", path, g->ext[i]);
            return true;
        }
    return false;
}

/* Files that call what none of them defines, or that define a name twice. */
static bool withs_open(const char *work, const struct build_options *o, const char *log)
{
    if (!o->withs || withs_link(work, NULL, o, log))
        return false;
    char *text = file_read(log, NULL);
    build_say("the files of --with cannot be linked:\n%s", text ? text : "");
    free(text);
    return true;
}

/* Whether the compiler can make a shared object of nothing at all. */
static bool compiler_works(const char *work, const char *log)
{
    struct words w = {0};
    char path[PATH_ROOM + 64];
    snprintf(path, sizeof path, "%s/empty.c", work);
    FILE *f = fopen(path, "w");
    if (!f)
        return true;
    fputs("#include <math.h>\ndouble mbs_empty(double x);\ndouble mbs_empty(double x) { return sin(x); }\n", f);
    fclose(f);
    add_compiler(&w);
    add_each(&w, (const char *const[]){"-fPIC", "-shared", "-o"}, 3);
    add(&w, "%s/model.so", work);
    add(&w, "%s", path);
    add(&w, "-lm");
    int status = run(&w, log);
    words_fini(&w);
    unlink(path);
    return status == 0;
}

/* No room for a few pages: then even what the compiler says may be lost. */
static bool disk_full(const char *path)
{
    struct statvfs st;
    return statvfs(path, &st) == 0 && (double)st.f_bavail * (double)st.f_frsize < 16384;
}

/* Keeps what is needed to find a fault of ours. */
static void keep_evidence(const struct generated *g, const char *text)
{
    char kept[PATH_ROOM + 16];
    const char *tmp = getenv("TMPDIR");
    snprintf(kept, sizeof kept, "%.4000s/mbs-bug.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(kept) && build_write(kept, "model.c", g->text, g->length, true) && text && build_write(kept, "log", text, strlen(text), true))
        build_say("     Please report it with the files in %s", kept);
}

static void explain(const char *work, const struct generated *g, const char *path, const struct build_options *o, int status, const char *log)
{
    const char *cc = build_compiler();
    char *text = file_read(log, NULL);
    if (*interrupt_flag()) {
        build_say("interrupted while the C compiler was at work");
    } else if (disk_full(work) || (text && strstr(text, "No space left on device"))) {
        build_say("the disk is full: the C compiler could not write to %s", work);
    } else if (status >= 128) {
        build_say("the C compiler %s was ended by signal %d (out of memory?)", cc, status - 128);
    } else if (!compiler_works(work, log)) {
        char *why = file_read(log, NULL);
        build_say("the C compiler '%s' does not work:\n%s", cc, why ? why : "");
        free(why);
    } else if (!with_fault(work, o, log) && !withs_open(work, o, log) && !extern_missing(work, g, path, o, log)) {
        build_say("the C compiler %s rejected the code that mbs generated for %s.\n"
                  "     This is a fault of mbs, not of the model.", cc, path);
        keep_evidence(g, text);
    }
    free(text);
}

/* ---- compiling ---- */

const char *cc_vectors(int lanes)
{
#if defined __x86_64__
    return lanes >= 8 && __builtin_cpu_supports("avx512f") ? "-mavx512f" : lanes && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "-mavx2" : "";
#else
    (void)lanes;
    return "";
#endif
}

bool cc_model(const char *work, const struct generated *g, const char *path, const struct build_options *o, bool tell)
{
    static const char *const fixed[] = {
        "-std=gnu11", "-fPIC", "-shared", "-fno-math-errno", NOTHING_OPEN, "-Werror=implicit-function-declaration", "-Werror=implicit-int",
        "-Werror=int-conversion", "-Werror=incompatible-pointer-types", "-Werror=return-type",
    };
    struct words w = {0};
    char log[PATH_ROOM + 64], script[400];
    snprintf(log, sizeof log, "%s/log", work);
    snprintf(script, sizeof script, "{ global: %s; local: *; };\n", g->symbol);
    if (!build_write(work, "exports", script, strlen(script), tell))
        return false;
    add_compiler(&w);
    /* A C compiler takes about 15 s a megabyte at -O2, a quarter of that without: for long code a run is over sooner so. */
    add(&w, "-O%.4s", o->optimize ? o->optimize : g->statements > 1000000 ? "0" : g->statements > 400000 ? "1" : "2");
    add_each(&w, fixed, sizeof fixed / sizeof *fixed);
    if (o->batch && *cc_vectors(o->batch)) {
        add(&w, "%s", cc_vectors(o->batch));
        add(&w, "-mfma");
        add(&w, "-ffp-contract=fast");
    }
    add(&w, "-Xlinker");        /* one word each: a path may have commas */
    add(&w, "--version-script=%s/exports", work);
    for (int i = 0; i < g->externs; i++)
        add_extern(&w, g->ext[i]);
    add(&w, "-I%s", work);
    add(&w, "-o");
    add(&w, "%s/model.so", work);
    add(&w, "%s/model.c", work);
    for (int i = 0; i < o->withs; i++)
        add_file(&w, o->with[i]);
    add(&w, "-lm");
    int status = run(&w, log);
    bool good = status == 0 && !*interrupt_flag();
    if (good || (!tell && !*interrupt_flag())) {
        words_fini(&w);
        return good;
    }
    if (status < 0 || status == 127)
        build_say("the C compiler '%s' cannot be run (%s).\n"
                  "     mbs turns models into C and needs one: install gcc or clang (Debian: apt-get install gcc), or name yours in CC; --interpret does without.",
                  build_compiler(), status < 0 ? strerror(errno) : "not found");
    else
        explain(work, g, path, o, status, log);
    words_fini(&w);
    return good;
}
