/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mbsc: the command line.  The only place that prints, writes files and exits.
 *
 * Exit status: 0 for success, 1 if the model has errors or a file cannot be read or written, 2 for a wrong
 * command line.  Output appears whole or not at all: see base/out.h. */
#include "base/out.h"
#include "compile.h"
#include "emit/dump.h"
#include "model/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "mbsc turns the description of a mechanism into C.\n"
    "\n"
    "    mbsc MODEL.mbs                  writes NAME.c, where the file says `model NAME`\n"
    "    mbsc MODEL.mbs -o - | less      shows it\n"
    "    mbsc MODEL.mbs --dump=equations shows M, f, G, gamma, ... as formulas\n"
    "    cc -O2 -c NAME.c                no library is needed for that; add -I if mbs is not installed\n"
    "\n"
    "The C file defines `const struct mbs_model NAME_model`; mbs/model.h says what is in it, libmbs\n"
    "integrates it, and `mbs run MODEL.mbs` does all of this at once.  A first model:\n"
    "\n"
    "    model pendulum \"A pendulum in ten lines\"\n"
    "    param m: kg = 1, l: m = 1, g: m/s^2 = 9.81\n"
    "    coord phi: rad\n"
    "    let P = l*[sin(phi), -cos(phi)]\n"
    "    kinetic m*norm2(P')/2\n"
    "    potential m*g*P[2]\n"
    "    init phi = 1\n"
    "\n"
    "Options:\n"
    "  -o FILE         write FILE; - is standard output\n"
    "  -D NAME=VALUE   set an option of the model (-D NAME: to true)\n"
    "  -I DIR          look for included files and tables in DIR as well\n"
    "  -MD             write a rule for make to the output's name with .d: what the model was made from\n"
    "  --standalone    put the declarations of mbs/model.h into the file: it needs nothing but math.h\n"
    "  --fold-params   bake the default values of the parameters in\n"
    "  --solver        add factor() and solve(): straight-line code for the linear systems of a small model, for speed\n"
    "  --scalar=TYPE   compute in TYPE: float, double or long-double; with --standalone, since libmbs takes double\n"
    "  --batch=N       add the accelerations of N = 4 or 8 states at once, in the vector types of gcc and clang\n"
    "  --way=WAY       derive by 'energies' or by recursions over the 'tree' of bodies, written as statements or 'rolled'\n"
    "                  into loops over tables of the bodies, or 'mixed': accelerations as statements, the rest as loops; else\n"
    "                  what is 'cheapest'\n"
    "  --sensitivity=A,B  add the derivatives of everything by these parameters (*: all)\n"
    "  --tapes         write the programs as lists of numbers instead of C, for the interpreter of libmbs (NAME.tapes)\n"
    "  --dump=WHAT     show a station instead of writing C: ast, model, equations, jacobian, tape\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 success, 1 errors in the model or with a file, 2 a wrong command line.\n"
    "The generated file is yours (0BSD, no obligation).  Manual: man mbsc, doc/language.md, doc/abi.md.\n";

enum dump { DUMP_NONE, DUMP_AST, DUMP_MODEL, DUMP_EQUATIONS, DUMP_JACOBIAN, DUMP_TAPE };
static const struct { const char *name; enum compile_station station; } dumps[] = {
    [DUMP_NONE] = { "", COMPILE_TEXT },
    [DUMP_AST] = { "ast", COMPILE_AST },
    [DUMP_MODEL] = { "model", COMPILE_MODEL },
    [DUMP_EQUATIONS] = { "equations", COMPILE_EQUATIONS },
    [DUMP_JACOBIAN] = { "jacobian", COMPILE_EQUATIONS },
    [DUMP_TAPE] = { "tape", COMPILE_PROGRAMS },
};
enum { DUMPS = sizeof dumps / sizeof *dumps };

struct arguments {
    const char *model, *output;
    bool dependencies;
    enum dump dump;
    const char **define, **include;
    int defines, includes;
    struct compile_options options;
};

static int usage(const char *format, const char *what)
{
    fputs("mbsc: ", stderr);
    fprintf(stderr, format, what);
    fputs("\nTry `mbsc --help`.\n", stderr);
    return 2;
}

static bool starts_with(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

/* The value of an option written -oVALUE or -o VALUE; NULL if there is none. */
static const char *value_of(int argc, char **argv, int *i)
{
    return argv[*i][2] ? argv[*i] + 2 : *i + 1 < argc ? argv[++*i] : NULL;
}

static int parse_dump(struct arguments *a, const char *name)
{
    for (int k = DUMP_AST; k < DUMPS; k++)
        if (!strcmp(dumps[k].name, name)) {
            a->dump = (enum dump)k;
            return 0;
        }
    return usage("--dump shows ast, model, equations, jacobian or tape, not '%s'", name);
}

static int parse_batch(struct arguments *a, const char *number)
{
    if (strcmp(number, "4") && strcmp(number, "8"))
        return usage("--batch is 4 or 8, not '%s'", number);
    a->options.lanes = *number - '0';
    return 0;
}

static int parse_scalar(struct arguments *a, const char *name)
{
    static const char *const type[] = {"float", "double", "long-double"};
    static const char *const word[] = {"float", NULL, "long double"};
    for (int k = 0; k < 3; k++)
        if (!strcmp(name, type[k])) {
            a->options.scalar = word[k];
            return 0;
        }
    return usage("--scalar is float, double or long-double, not '%s'", name);
}

static int parse_way(struct arguments *a, const char *name)
{
    return derive_way_find(name, &a->options.way) ? 0 : usage("--way is cheapest, energies, tree, mixed or rolled, not '%s'", name);
}

/* 0: go on; else the exit status, or -1 for a success that ends here. */
static int parse_option(struct arguments *a, int argc, char **argv, int *i)
{
    const char *s = argv[*i], *value;
    if (!strcmp(s, "--help")) {
        fputs(help, stdout);
        return -1;
    }
    if (!strcmp(s, "--version")) {
        printf("mbsc %s\n", compile_version);
        return -1;
    }
    if (!strcmp(s, "-MD"))
        a->dependencies = true;
    else if (!strcmp(s, "--standalone"))
        a->options.standalone = true;
    else if (!strcmp(s, "--fold-params"))
        a->options.fold_params = true;
    else if (!strcmp(s, "--solver"))
        a->options.solver = true;
    else if (!strcmp(s, "--tapes"))
        a->options.tapes = true;
    else if (starts_with(s, "--batch="))
        return parse_batch(a, s + strlen("--batch="));
    else if (starts_with(s, "--scalar="))
        return parse_scalar(a, s + strlen("--scalar="));
    else if (starts_with(s, "--way="))
        return parse_way(a, s + strlen("--way="));
    else if (starts_with(s, "--sensitivity="))
        a->options.sensitivity = s + strlen("--sensitivity=");
    else if (starts_with(s, "--dump="))
        return parse_dump(a, s + strlen("--dump="));
    else if (starts_with(s, "-o") || starts_with(s, "-D") || starts_with(s, "-I")) {
        if (!(value = value_of(argc, argv, i)) || !*value)
            return usage("option %.2s needs a value", s);
        if (s[1] == 'o')
            a->output = value;
        else if (s[1] == 'D')
            a->define[a->defines++] = value;
        else
            a->include[a->includes++] = value;
    } else
        return usage("unknown option '%s'", s);
    return 0;
}

static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    bool options = true;
    for (int i = 1; i < argc; i++) {
        if (options && !strcmp(argv[i], "--")) {
            options = false;
        } else if (options && argv[i][0] == '-' && argv[i][1]) {
            int status = parse_option(a, argc, argv, &i);
            if (status)
                return status;
        } else if (a->model) {
            return usage("one model at a time: '%s' is a second one", argv[i]);
        } else {
            a->model = argv[i];
        }
    }
    if (!a->model)
        return usage("%s", "no model file was given");
    if (a->options.scalar && (!a->options.standalone || a->options.lanes || a->options.tapes))
        return usage("--scalar=%s needs --standalone, for mbs/model.h and libmbs have numbers of type double, and goes with neither --batch nor --tapes", a->options.scalar);
    a->options.front = (struct front_options){ .define = a->define, .defines = a->defines, .include = a->include, .includes = a->includes };
    return 0;
}

/* --- writing ---------------------------------------------------------------------------------------- */

static bool write_file(const char *path, const char *text, size_t n)
{
    struct out out;
    bool good = out_open(&out, path);
    if (good) {
        fwrite(text, 1, n, out.f);
        good = out_close(&out);
    }
    if (!good)
        fprintf(stderr, "mbsc: %s\n", out.why);
    return good;
}

static bool write_output(struct compile *c, const struct arguments *a)
{
    struct arena *arena = &c->base.arena;
    const char *path = a->output ? a->output : arena_printf(arena, "%s.%s", c->model->name, a->options.tapes ? "tapes" : "c");
    size_t n;
    const char *text = compile_text(c, &n);
    if (!write_file(path, text, n))
        return false;
    if (!a->dependencies || !strcmp(path, "-"))
        return true;
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    const char *rule = compile_dependencies(c, path);
    return write_file(arena_printf(arena, "%.*s.d", (int)stem, path), rule, strlen(rule));
}

static bool write_dump(struct compile *c, const struct arguments *a)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = stream_open(&text, &n);
    if (!f) {
        fputs("mbsc: out of memory\n", stderr);
        return false;
    }
    switch (a->dump) {
    case DUMP_AST: dump_ast(f, c->ast); break;
    case DUMP_MODEL: dump_model(f, c->model); break;
    case DUMP_EQUATIONS: dump_equations(f, c->equations); break;
    case DUMP_JACOBIAN: dump_jacobian(f, c->equations); break;
    case DUMP_TAPE: dump_tapes(f, c->programs); break;
    case DUMP_NONE: break;
    }
    bool good = stream_close(f);
    if (!good)
        fputs("mbsc: out of memory\n", stderr);
    good = good && write_file(a->output ? a->output : "-", text, n);
    free(text);
    return good;
}

int main(int argc, char **argv)
{
    struct arguments a = { .define = mem_grow(NULL, (size_t)argc, sizeof *a.define),
                           .include = mem_grow(NULL, (size_t)argc, sizeof *a.include) };
    int status = parse_arguments(&a, argc, argv);
    if (!status) {
        struct compile *c = compile_file(a.model, &a.options, dumps[a.dump].station);
        fputs(compile_messages(c), stderr);
        bool good = c->good && (a.dump ? write_dump(c, &a) : write_output(c, &a));
        compile_free(c);
        status = !good;
    }
    free(a.define);
    free(a.include);
    return out_finish("mbsc", status == -1 ? 0 : status);
}
