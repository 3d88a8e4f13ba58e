/* SPDX-License-Identifier: GPL-3.0-or-later
 * Smoke test: models with random damage must give messages or a model, never a crash, whatever comes in.
 * The seed is fixed, so a failure repeats; built with --enable-asan it also finds silent faults.  What
 * still is a small model goes through the whole compiler.  FUZZ_ROUNDS and FUZZ_SEED in the environment
 * make it another and longer test. */
#include "../tap.h"
#include "compile.h"
#include "model/check.h"

#include <glob.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4000, LONGEST = 1 << 16, SMALL = 8 };

static uint64_t rng = 20240607;
static int rounds = ROUNDS;

/* xorshift64*: S. Vigna, ACM TOMS 42 (2016) 30. */
static unsigned draw(unsigned n)
{
    rng ^= rng >> 12;
    rng ^= rng << 25;
    rng ^= rng >> 27;
    return (unsigned)((rng * 2685821657736338717u) >> 33) % n;
}

struct text {
    char *at;
    size_t n;
};

static const char *const piece[] = {
    "(", ")", "[", "]", "{", "}", "'", "''", ",", ":", "=", "~", "..", "@", ".", "^", "-", "+", "*", "/", "<", "==", "#", "\"",
    "\n", "\t", "\r\n", "\xCF\x86", "\xFF", "\x01", "and", "or", "not", "if", "else", "for i in 1..3 {", "for i in 1..999999999 {",
    "coord", "param", "let", "state", "input", "output", "kinetic", "potential", "dissipation", "force", "constraint", "init",
    "simulate {", "function f(x) = ", "table g(x) = [[0, 0], [1, 1]]", "extern h(x)", "option", "const", "include \"", "model",
    "mass", "inertia", "point P", "frame F = at([0, 0])", "axis", "axis [0, 0, 1]", "angles zxz", "ground", "ground @ [0, 0]", "on", "between",
    "joint J: revolute(ground, K)", "joint L: free(ground, K)", "beam B { length = 1, elements = 2 }", "draw D: line(", "drive", "gear G: ",
    "spatial", "coordinates absolute", "fixed(", "universal(", "spherical(", "screw(", "distance(", "contact C: ", "friction F: on J",
    "cut joint J: ", "body K { mass = 1 }", "spring S: between A and B", "component c(l) {", "use", "gravity [0, -1]", "planar",
    "0", "1", "1e308", "1e-308", "99999999999999999999", "0.1", "pi", "t", "true", "x", "x'", "x''", "q[1]", "sin(", "norm(", "dot(",
    "cross(", "transpose(", "lambda(", "identity(300)", "concat(", "if(", "x^x", "1/0", "0^0", ": m", ": kg*m^2", ": mm", ": 1/s",
};
enum { PIECES = sizeof piece / sizeof *piece };

/* Seeds that are meant to cost much are left out; whole models are taken more often than faulty ones. */
static unsigned pick(const glob_t *files, size_t whole)
{
    for (;;) {
        unsigned i = draw((unsigned)(whole && draw(4) ? whole : files->gl_pathc));
        if (!strstr(files->gl_pathv[i], "/limit_") && !strstr(files->gl_pathv[i], "too_much"))
            return i;
    }
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* Replace [at, at+cut) by n bytes. */
static void splice(struct text *t, size_t at, size_t cut, const char *with, size_t n)
{
    if (t->n - cut + n > LONGEST)
        return;
    memmove(t->at + at + n, t->at + at + cut, t->n - at - cut);
    memmove(t->at + at, with, n);
    t->n += n - cut;
}

static size_t line_begin(const struct text *t, size_t at)
{
    while (at > 0 && t->at[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const struct text *t, size_t at)
{
    while (at < t->n && t->at[at] != '\n')
        at++;
    return at < t->n ? at + 1 : at;
}

static void damage(struct text *t, const struct text *other)
{
    size_t at = t->n ? draw((unsigned)t->n) : 0, left = t->n - at;
    const char *p = piece[draw(PIECES)];
    char copy[200];
    switch (draw(8)) {
    case 0:         /* a byte */
        if (left)
            t->at[at] = (char)draw(256);
        break;
    case 1:         /* less */
        splice(t, at, left ? draw((unsigned)(left < 20 ? left : 20)) : 0, "", 0);
        break;
    case 2: case 3: /* a piece more */
        splice(t, at, 0, p, strlen(p));
        break;
    case 4:         /* a piece instead */
        splice(t, at, left < 4 ? left : draw(4), p, strlen(p));
        break;
    case 5: {       /* a line of another model */
        size_t b = line_begin(other, other->n ? draw((unsigned)other->n) : 0), e = line_end(other, b);
        splice(t, line_begin(t, at), 0, other->at + b, e - b);
        break;
    }
    case 6: {       /* a line less, or twice */
        size_t b = line_begin(t, at), e = line_end(t, at);
        if (draw(2)) {
            splice(t, b, e - b, "", 0);
        } else if (e - b < sizeof copy) {
            memcpy(copy, t->at + b, e - b);
            splice(t, b, 0, copy, e - b);
        }
        break;
    }
    default:        /* the same again elsewhere */
        left = left < sizeof copy ? left : sizeof copy;
        memcpy(copy, t->at + at, left);
        splice(t, t->n ? draw((unsigned)t->n) : 0, 0, copy, left ? draw((unsigned)left) : 0);
    }
}

static int checked, accepted, compiled;

/* The check must not crash; messages must be text; a small model goes on. */
static bool survive(const char *path, const struct text *t)
{
    struct compilation c;
    struct model m;
    struct pool *pool = pool_new();
    compilation_init(&c, NULL);
    const struct ast *a = ast_read(&c, source_text(&c.sources, path, t->at, t->n));
    bool good = model_check(&c, a, pool, &m);
    const char *said = diags_render(&c.diags);
    bool fair = good == !strstr(said, "error: ");
    FILE *nowhere = fopen("/dev/null", "w");
    if (nowhere) {
        dump_ast(nowhere, a);
        if (good)
            dump_model(nowhere, &m);
        fclose(nowhere);
    }
    checked++;
    accepted += good;
    int terms = good ? m.kinetic.n + m.potential.n + m.dissipation.n + m.force.n + m.constraint.n + m.output.n : 0;
    if (good && m.coord.n <= SMALL && terms <= 4 * SMALL && draw(4) == 0) {
        struct compile *all = compile_memory(path, t->at, t->n, NULL, COMPILE_TEXT);
        fair = fair && all->good == !strstr(compile_messages(all), "error: ");
        compiled += all->good;
        compile_free(all);
    }
    pool_free(pool);
    compilation_fini(&c);
    return fair;
}

/* What longer runs have found goes through the whole compiler as it is. */
static bool found_before(const char *top)
{
    static const struct compile_options ways[] = {{.solver = true}, {.tapes = true}, {.sensitivity = "*"}, {.way = WAY_TREE}, {.way = WAY_ROLLED}};
    char pattern[4096], text[4096];
    glob_t files = {0};
    bool fair = true;
    snprintf(pattern, sizeof pattern, "%s/tests/fuzz/found/models/*", top ? top : ".");
    glob(pattern, 0, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *in = fopen(files.gl_pathv[i], "rb");
        size_t n = in ? fread(text, 1, sizeof text, in) : 0;
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            struct compile *all = compile_memory(files.gl_pathv[i], text, n, &ways[k], COMPILE_TEXT);
            fair = fair && all->good == !strstr(compile_messages(all), "error: ");
            compile_free(all);
        }
        if (in)
            fclose(in);
    }
    fair = fair && files.gl_pathc > 0;
    globfree(&files);
    return fair;
}

int main(void)
{
    const char *top = getenv("top_srcdir");
    static const char *const where[] = {"models/*.mbs", "examples/*.mbs", "tests/errors/*.mbs", "models/lib/*.mbs"};
    glob_t files = {0};
    size_t whole = 0;
    rng = number_from("FUZZ_SEED", rng);
    rounds = (int)number_from("FUZZ_ROUNDS", ROUNDS);
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        char pattern[4096];
        snprintf(pattern, sizeof pattern, "%s/%s", top ? top : ".", where[i]);
        glob(pattern, i ? GLOB_APPEND : 0, NULL, &files);
        whole = i < 2 ? files.gl_pathc : whole;
    }
    ok(files.gl_pathc > 10, "%d models to damage", (int)files.gl_pathc);
    struct text *seed = calloc(files.gl_pathc + 1, sizeof *seed), work = {malloc(LONGEST + 256), 0};
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *in = fopen(files.gl_pathv[i], "rb");
        seed[i].at = malloc(LONGEST);
        seed[i].n = in ? fread(seed[i].at, 1, LONGEST / 2, in) : 0;
        if (in)
            fclose(in);
    }
    bool fair = true;
    for (int round = 0; round < rounds && files.gl_pathc; round++) {
        unsigned i = pick(&files, whole), j = pick(&files, whole);
        memcpy(work.at, seed[i].at, seed[i].n);
        work.n = seed[i].n;
        for (unsigned k = 1 + draw(3); k > 0; k--)
            damage(&work, &seed[j]);
        if (!survive(files.gl_pathv[i], &work)) {
            fair = false;
            printf("# round %d, from %s\n", round, files.gl_pathv[i]);
        }
    }
    ok(found_before(top), "what was found before is compiled or refused");
    ok(fair, "a model is refused if and only if an error is reported");
    ok(checked == rounds, "%d damaged models, %d of them still models, %d compiled to C", checked, accepted, compiled);
    for (size_t i = 0; i < files.gl_pathc; i++)
        free(seed[i].at);
    free(seed);
    free(work.at);
    globfree(&files);
    return tap_done();
}
