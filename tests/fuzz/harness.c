/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What libFuzzer calls, one of these by its FUZZ_ name:
 *   compiler  the whole compiler, up to C text or tapes; tapes are read again and run once
 *   model     its front end, up to the checked model
 *   format    the formatter; what it writes has the tree of what it read and does not change when formatted again
 *   csv       the reader of data
 *   params    files of parameters, JSON and TOML; what is written is read again as it was
 *   import    robots in URDF, MJCF, SDFormat and SD/FAST; what is accepted is a model
 *   mesh      STL, OBJ, DAE, MSH; what is accepted can be made thinner and weighed
 *   tapes     files of tapes; what is accepted can be run
 *   lsp       messages of an editor, one a line
 * Anything that is said in words is fine; a crash, a sanitizer, a broken promise is a finding.
 *
 * Nothing is read from or written to a file, and nothing is set up again for each input.
 * The mutator knows lines, words, numbers and signs: it repeats, drops and joins lines and puts pieces in the place of others of their kind, so that models
 * stay models more often; and it returns to what was accepted. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

#if defined FUZZ_format
#include "../../driver/fmt.c"
#elif defined FUZZ_import
#include "../../driver/import.c"
#elif defined FUZZ_lsp
#include "../../driver/lsp.c"
#else
#include "compile.h"
#include "csv.h"
#include "mbs/mbs.h"
#include "mesh.h"
#include "params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static long accepted;   /* inputs that were what the harness reads, not only refused in words */
static void say_accepted(void) { fprintf(stderr, "stat::accepted: %ld\n", accepted); }

/* What was accepted, to be changed again: the first ones, which are seeds, stay; the later ones give way to later ones.  One time in OFTEN the mutator
 * begins with one of them, since most texts of a corpus are broken, and what is changed twice is hardly a model.  An accepted text costs the compiler
 * fifty times as much as another. */
#if defined FUZZ_compiler
enum { OFTEN = 64 };
#else
enum { OFTEN = 10 };
#endif
enum { STAY = 256, KEPT = 512, ROOM = 6000 };
static struct { size_t n; uint8_t text[ROOM]; } kept[KEPT];

static void accept(const uint8_t *data, size_t size)
{
    long at = accepted < STAY ? accepted : STAY + accepted % (KEPT - STAY);
    accepted++;
    kept[at].n = size <= ROOM ? size : 0;
    memcpy(kept[at].text, data, kept[at].n);
}

static void promised(bool what)
{
    if (!what)
        abort();
}

/* Readers of text want a NUL behind it, and may cut it in pieces. */
static char *as_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

#if defined FUZZ_compiler || defined FUZZ_tapes
/* The start and a step or two of a model there, by one method or another.  What is large is only read. */
static void run_once(const struct mbs_model *m, size_t which)
{
    static const char *const method[] = {"dop853", "radau5", "moreau", "nsalpha"};
    struct mbs_sim *sim = NULL;
    struct mbs_options o;
    struct mbs_message why;
    mbs_options_init(&o, m);
    o.method = method[which % 4];
    o.formulation = "auto";
    o.max_steps = 2;
    if (which % 4 > 1)
        o.step = 1e-3;
    if (m->nq + m->nz + m->ng + m->np > 64 || m->nw > 10000 || m->nc > 10000)
        return;
    if (mbs_new(&sim, m, NULL, &o, &why) == MBS_OK)
        mbs_advance(sim, 1e-3);
    mbs_free(sim);
}
#endif

#if defined FUZZ_compiler
/* How it is compiled goes by the length: every way sees every kind of text. */
static void try_input(const uint8_t *data, size_t size)
{
    static const struct compile_options ways[] = {
        {.solver = true}, {.tapes = true}, {.sensitivity = "*"}, {.way = WAY_TREE, .standalone = true, .solver = true},
        {.way = WAY_MIXED}, {.way = WAY_ROLLED}, {.way = WAY_ENERGIES, .fold_params = true}, {.lanes = 4, .way = WAY_TREE},
    };
    const struct compile_options *way = &ways[size % (sizeof ways / sizeof *ways)];
    struct compile *c = compile_memory("fuzz.mbs", (const char *)data, size, way, COMPILE_TEXT);
    promised(c->good || *compile_messages(c));
    if (c->good)
        accept(data, size);
    if (c->good && way->tapes) {
        size_t length;
        const char *text = compile_text(c, &length);
        const struct mbs_model *m = NULL;
        promised(mbs_interpret(&m, text, length, NULL) == MBS_OK);
        run_once(m, size / 8);
        mbs_interpret_free(m);
    }
    compile_free(c);
}
#elif defined FUZZ_model
static void try_input(const uint8_t *data, size_t size)
{
    struct compile *c = compile_memory("fuzz.mbs", (const char *)data, size, NULL, COMPILE_MODEL);
    promised(c->good || *compile_messages(c));
    if (c->good)
        accept(data, size);
    compile_free(c);
}
#elif defined FUZZ_tapes
static void try_input(const uint8_t *data, size_t size)
{
    const struct mbs_model *m = NULL;
    struct mbs_message why = {0};
    char *text = as_text(data, size);
    if (mbs_interpret(&m, text, size, &why) == MBS_OK) {
        accept(data, size);
        run_once(m, size);
        mbs_interpret_free(m);
    } else {
        promised(*why.text);
    }
    free(text);
}
#elif defined FUZZ_format
static void try_input(const uint8_t *data, size_t size)
{
    char *text = as_text(data, size), *result = NULL, *again = NULL, *before = NULL, *after = NULL;
    if (strlen(text) == size && (before = tree_text("fuzz", text, size, false)) && (result = format_text(text, size))) {
        accept(data, size);
        after = tree_text("fuzz", result, strlen(result), false);
        again = format_text(result, strlen(result));
        promised(after && same_tree(before, after) && again && !strcmp(result, again));
    }
    free(text), free(result), free(again), free(before), free(after);
}
#elif defined FUZZ_import
/* As cmd_import() does it; the first byte says whether the rest is XML or SD/FAST. */
static void try_input(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct robot r = {.arena = &arena, .gravity = {0, 0, -9.81}, .format = "robot", .name = "robot", .contacts = size & 1};
    r.path = r.file = size && data[0] == '<' ? "fuzz.xml" : "fuzz.sd";
    char *text = as_text(data, size), *result = NULL;
    size_t length;
    if (read_any(&r, text, size) && robot_tree(&r) && moves(&r)) {
        accept(data, size);
        robot_touch(&r);
        robot_snap(&r);
        robot_merge(&r);
        robot_start(&r);
        robot_names(&r);
        FILE *f = stream_open(&result, &length);
        robot_write(&r, f, size & 2);
        promised(stream_close(f) && is_model("fuzz.mbs", result, length));
    } else {
        promised(r.error && *r.error);
    }
    free(text), free(result);
    robot_free(&r);
    arena_free(&arena);
}
#elif defined FUZZ_mesh
/* The first byte says what the rest is. */
static void try_input(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"a.stl", "a.obj", "a.dae", "a.msh"};
    struct mesh m = {0};
    struct mesh_solid solid;
    char *why = NULL;
    if (!size)
        return;
    char *text = as_text(data + 1, size - 1);
    if (mesh_parse(&m, name[data[0] % 4], text, size - 1, &why)) {
        accept(data, size);
        for (int body = MESH_EXACT; body <= MESH_SHELL; body++)
            mesh_solid(&m, (double[]){1, -2, 1e3}, body, &solid);
        mesh_thin(&m, 10);
        promised(m.triangle.n <= 10);
        for (int i = 0; i < m.triangle.n; i++)
            for (int k = 0; k < 3; k++)
                promised(m.triangle.at[i][k] >= 0 && m.triangle.at[i][k] < m.corner.n);
    } else {
        promised(why && *why);
    }
    free(text), free(why);
    mesh_free(&m);
}
#elif defined FUZZ_lsp
static void try_input(const uint8_t *data, size_t size)
{
    struct server s = {.status = -1, .ready = true};
    if (stdout->_fileno == 1)
        freopen("/dev/null", "w", stdout);
    char *text = as_text(data, size), *line = text;
    for (char *end; line; line = end ? end + 1 : NULL) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        size_t n = (size_t)((end ? end : text + size) - line);
        char *alone = as_text((const uint8_t *)line, n);        /* so that reading beyond it is seen */
        receive(&s, alone, n);
        free(alone);
    }
    accepted += s.first != NULL;        /* a text was opened */
    while (s.first)
        close_text(&s, s.first->uri);
    free(text);
}
#elif defined FUZZ_csv
static void try_input(const uint8_t *data, size_t size)
{
    struct csv c;
    char *text = as_text(data, size);
    if (csv_read_text(&c, text, "fuzz")) {
        accept(data, size);
        volatile double sum = 0;        /* every value is looked at */
        for (int i = 0; i < c.rows; i++)
            for (int k = 0; k < c.columns; k++)
                sum += csv_get(&c, i, k);
        for (int k = 0; k < c.columns; k++)
            promised(csv_column(&c, c.name[k]) >= 0);
        csv_free(&c);
    } else {
        promised(*c.why);
    }
    free(text);
}
#elif defined FUZZ_params
enum { NP = 6 };
static void try_input(const uint8_t *data, size_t size)
{
    static const struct mbs_name param[NP] = {{"l", "m", 1}, {"m[1]", "kg", 1}, {"m[2]", "kg", 1}, {"arm.m", "", 1}, {"k", "N/m", 1}, {"x_1", "", 1}};
    static const struct mbs_model model = {.name = "fuzz", .np = NP, .param = param};
    double value[NP] = {1, 1, 1, 1, 1, 1}, again[NP];
    unsigned char given[NP] = {0};
    char why[300] = "", written[1024];
    char *text = as_text(data, size);
    if (params_read_text(text, size, "fuzz", &model, value, given, why, sizeof why)) {
        accept(data, size);
        /* all of them written and read again, in both formats */
        for (int json = 0; json < 2; json++) {
            FILE *f = fmemopen(written, sizeof written, "w");
            params_write_text(f, json, &model, value);
            promised(!fclose(f) && params_read_text(written, strlen(written), "again", &model, again, given, why, sizeof why) && !memcmp(value, again, sizeof value));
        }
    } else {
        promised(*why);
    }
    free(text);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool known;
    if (!known)
        known = atexit(say_accepted) == 0;
    try_input(data, size);
    return 0;
}

/* What libFuzzer would learn from comparisons of texts: nothing that the dictionary does not say, at a tenth of the time. */
#define HOOK(name) void __sanitizer_weak_hook_##name(void); void __sanitizer_weak_hook_##name(void) {}
HOOK(memcmp) HOOK(strcmp) HOOK(strncmp) HOOK(strcasecmp) HOOK(strncasecmp) HOOK(strstr) HOOK(strcasestr) HOOK(memmem)

/* ---- the mutator ---- */

static bool is_word(uint8_t c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static bool is_sign(uint8_t c) { return c && strchr("+-*/^<>=,.:@'()[]{}~", c); }

/* The piece of one kind that ends behind `at`, or the next such piece in a circle; its begin, or size if there is none. */
static size_t piece_at(const uint8_t *data, size_t size, size_t at, bool (*is)(uint8_t), size_t *end)
{
    size_t looked = 0;
    while (looked < size && !is(data[at])) {
        at = at + 1 < size ? at + 1 : 0;
        looked++;
    }
    if (looked == size)
        return size;
    for (*end = at; *end < size && is(data[*end]);)
        ++*end;
    while (at > 0 && is(data[at - 1]))
        at--;
    return at;
}

/* Puts a text in the place of data[from .. end); the new size, or 0 if there is no room. */
static size_t put_piece(uint8_t *data, size_t size, size_t most, size_t from, size_t end, const void *text, size_t n)
{
    if (size - (end - from) + n > most)
        return 0;
    memmove(data + from + n, data + end, size - end);
    memcpy(data + from, text, n);
    return size - (end - from) + n;
}

/* A number for a number, a word of the text for a word, one sign for another: what was a model often stays one. */
static size_t change_piece(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    /* large ones are rare: what loops over them costs as much as a thousand others */
    static const char *const small[] = {"0", "1", "2", "3", "5", "0.5", "12", "1e-3"}, *const large[] = {"100", "65536", "2147483648", "9999999999", "1e300", "1e-300", "-1", "4097"};
    bool (*const kinds[])(uint8_t) = {is_digit, is_word, is_word, is_sign};
    unsigned kind = seed % 4;
    size_t end, other_end, from = piece_at(data, size, seed / 4 % size, kinds[kind], &end);
    if (from == size)
        return 0;
    if (kind == 0) {
        const char *with = (seed / 4099 % 64 ? small : large)[seed / 262144 % 8];
        return put_piece(data, size, most, from, end, with, strlen(with));
    }
    if (kind == 3) {
        data[from] = (uint8_t)"+-*/^<>=,.:@'()[]{}~"[seed / 4099 % 20];
        return size;
    }
    char word[64];
    size_t other = piece_at(data, size, seed / 65537 % size, is_word, &other_end), n = other_end - other;
    if (n > sizeof word)
        return 0;
    memcpy(word, data + other, n);
    return put_piece(data, size, most, from, end, word, n);
}

static size_t line_at(const uint8_t *data, size_t size, size_t at, size_t *end)
{
    while (at > 0 && data[at - 1] != '\n')
        at--;
    const uint8_t *stop = memchr(data + at, '\n', size - at);
    *end = stop ? (size_t)(stop - data) + 1 : size;
    return at;
}

static size_t change_lines(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    size_t end, to_end, from = line_at(data, size, seed / 4 % size, &end), n = end - from, to = line_at(data, size, seed / 77777 % size, &to_end);
    switch (seed % 4) {
    case 0: case 1: {   /* again, elsewhere */
        if (size + n > most)
            return 0;
        uint8_t *line = malloc(n);
        memcpy(line, data + from, n);
        memmove(data + to + n, data + to, size - to);
        memcpy(data + to, line, n);
        free(line);
        return size + n;
    }
    case 2:             /* away */
        memmove(data + from, data + end, size - end);
        return size - n ? size - n : 1;
    default:            /* joined with the next */
        if (data[end - 1] == '\n')
            data[end - 1] = ' ';
        return size;
    }
}

/* Whole numbers, which loops and lengths are made of, are cut to one digit, one time in 64 to two; one time in 2048 they stay: three loops of 50 in each
 * other cost as much as a thousand models.  What stands behind a point has two digits. */
static size_t calm_numbers(uint8_t *data, size_t size, unsigned seed)
{
    size_t n = 0, digits = 0, most = seed % 64 ? 1 : 2;
    bool behind = false;
    if (seed % 2048 == 0)
        return size;
    for (size_t i = 0; i < size; i++) {
        digits = is_digit(data[i]) ? digits + 1 : 0;
        if (!digits)
            behind = data[i] == '.' && (i + 1 == size || data[i + 1] != '.') && (i == 0 || data[i - 1] != '.');
        if (digits <= (behind ? 2 : most))
            data[n++] = data[i];
    }
    return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    unsigned how = seed % 5, from = seed / 3125 % (unsigned)(accepted < 1 ? 1 : accepted < KEPT ? accepted : KEPT);
    if (seed / 5 % OFTEN == 0 && kept[from].n > 0 && kept[from].n <= most) {
        size = kept[from].n;
        memcpy(data, kept[from].text, size);
        how %= 4;
    }
    size_t n = size < 2 ? 0 : how < 2 ? change_piece(data, size, most, seed / 5 / OFTEN) : how < 4 ? change_lines(data, size, most, seed / 5 / OFTEN) : 0;
    n = n ? n : LLVMFuzzerMutate(data, size, most);
#if defined FUZZ_compiler || defined FUZZ_model || defined FUZZ_lsp
    n = calm_numbers(data, n, seed / 3125);
#endif
    return n;
}
