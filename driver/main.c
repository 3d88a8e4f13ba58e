/* SPDX-License-Identifier: GPL-3.0-or-later
 * The table of subcommands, and what can be said about it: help, version, lists for completions. */
#include "config.h"
#include "commands.h"
#include "contain.h"
#include "base/diag.h"
#include "base/out.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef HAVE_GSL
#include <gsl/gsl_errno.h>
#endif

static const struct command commands[] = {
#define COMMAND(name, NAME, summary) {#name, summary, cmd_##name, &manual_##name},
#include "commands.def"
#undef COMMAND
    {NULL, NULL, NULL, NULL},
};

static void help(FILE *f)
{
    fputs("usage: mbs COMMAND [options] ...\n\n", f);
    for (const struct command *c = commands; c->name; c++)
        fprintf(f, "  %-12s %s\n", c->name, c->summary);
    fputs("\n`mbs COMMAND --help` or `mbs help COMMAND` explains a command with examples.\n", f);
}

/* For shell completions: all commands with what they do, or the options of one. */
static int list(const char *name)
{
    for (const struct command *c = commands; !name && c->name; c++)
        printf("%s\t%s\n", c->name, c->summary);
    for (const struct command *c = commands; name && c->name; c++)
        if (!strcmp(name, c->name))
            settings_list(stdout, c->manual->command);
    return EXIT_OK;
}

static void unknown(const char *name)
{
    struct arena arena = {0};
    struct suggestion near;
    suggest_init(&near, name);
    for (const struct command *c = commands; c->name; c++)
        suggest_offer(&near, c->name);
    fprintf(stderr, "mbs: there is no command '%s'%s\n", name, suggest_text(&near, &arena));
    arena_free(&arena);
}

static int run(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--list"))
        return list(argc > 2 ? argv[2] : NULL);
    if (argc > 1 && !strcmp(argv[1], "--version")) {
        printf("mbs %s\n", PACKAGE_VERSION);
        return EXIT_OK;
    }
    for (const struct command *c = commands; argc == 3 && !strcmp(argv[1], "help") && c->name; c++)
        if (!strcmp(argv[2], c->name))
            return c->run(2, (char *[]){argv[2], (char[]){"--help"}, NULL});
    if (argc == 3 && !strcmp(argv[1], "help")) {
        unknown(argv[2]);
        return EXIT_USAGE;
    }
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))) {
        help(stdout);
        return EXIT_OK;
    }
    for (const struct command *c = commands; argc > 1 && c->name; c++)
        if (!strcmp(argv[1], c->name))
            return c->run(argc - 1, argv + 1);
    if (argc > 1)
        unknown(argv[1]);
    help(stderr);
    return EXIT_USAGE;
}

#ifndef SANITIZED
/* Where the address space is small, threads of a linear algebra library may wait for memory for ever, and who calls it for them. */
extern void openblas_set_num_threads(int) __attribute__((weak));
static void want_no_threads(void)
{
    struct rlimit r;
    if (openblas_set_num_threads && getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur < (rlim_t)1 << 30)
        openblas_set_num_threads(1);
}

/* All is written and said: what libraries would do at the end, such as wait for those threads, is not waited for. */
static int leave(int status) { _exit(status); }
#else
static void want_no_threads(void) {}
static int leave(int status) { return status; }         /* leaks are looked for at the end */
#endif

int main(int argc, char **argv)
{
#ifdef HAVE_GSL
    gsl_set_error_handler_off();        /* a program may: its commands look at what GSL returns */
#endif
    want_no_threads();
    return leave(out_finish("mbs", run(argc, argv)));
}
