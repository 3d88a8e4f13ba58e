/* SPDX-License-Identifier: GPL-3.0-or-later
 * The table of subcommands, and what can be said about it: help, version, lists for completions. */
#include "config.h"
#include "commands.h"
#include "base/diag.h"

#include <stdio.h>
#include <string.h>

static const struct command commands[] = {
    {"new", "start a model that runs", cmd_new},
    {"import", "make a model of a robot in URDF, MJCF, SDFormat or SD/FAST", cmd_import},
    {"run", "compile a model, integrate it, write the results", cmd_run},
    {"report", "run a model and write an animated page about it", cmd_report},
    {"plot", "draw columns of results", cmd_plot},
    {"watch", "check, run and report again whenever the model is saved", cmd_watch},
    {"info", "show coordinates, constraints, freedom, cost, equations", cmd_info},
    {"modes", "frequencies, damping and shapes of small vibrations", cmd_modes},
    {"equilibrium", "find the static equilibrium", cmd_equilibrium},
    {"compare", "check generated code against hand-written code, a model, the energies", cmd_compare},
    {"bench", "recompute published problems, ours beside the printed numbers", cmd_bench},
    {"fmt", "format model files", cmd_fmt},
    {NULL, NULL, NULL},
};

static void help(FILE *f)
{
    fputs("usage: mbs COMMAND [options] ...\n\n", f);
    for (const struct command *c = commands; c->name; c++)
        fprintf(f, "  %-12s %s\n", c->name, c->summary);
    fputs("\n`mbs COMMAND --help` explains a command with examples.\n", f);
}

/* For shell completions: all commands with what they do, or the options of one. */
static int list(const char *name)
{
    static const struct manual *const manuals[] = {&manual_run,  &manual_report,      &manual_plot, &manual_info, &manual_modes,
                                                   &manual_equilibrium, &manual_new, &manual_fmt, &manual_watch, &manual_import, &manual_compare, &manual_bench};
    for (const struct command *c = commands; !name && c->name; c++)
        printf("%s\t%s\n", c->name, c->summary);
    for (size_t i = 0; name && i < sizeof manuals / sizeof *manuals; i++)
        if (!strcmp(name, manuals[i]->name))
            settings_list(stdout, manuals[i]->command);
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

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--list"))
        return list(argc > 2 ? argv[2] : NULL);
    if (argc > 1 && !strcmp(argv[1], "--version")) {
        printf("mbs %s\n", PACKAGE_VERSION);
        return EXIT_OK;
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
