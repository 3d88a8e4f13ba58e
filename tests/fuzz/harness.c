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
 *   plan      what varies in a study, --vary a line, or a list of cases; every case is a number, and the same when asked for again
 *   journal   the cases of a study that was interrupted; what is read can be gone on with
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
#elif defined FUZZ_journal
#include "../../driver/study/journal.c"
#include <sys/mman.h>
#else
#include "compile.h"
#include "csv.h"
#include "mbs/mbs.h"
#include "mesh.h"
#include "params.h"
#include "study/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
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

#if defined FUZZ_plan || defined FUZZ_params
enum { NP = 6 };
static const struct mbs_name param[NP] = {{"l", "m", 1}, {"m[1]", "kg", 1}, {"m[2]", "kg", 1}, {"arm.m", "", 1}, {"k", "N/m", 1}, {"x_1", "", 1}};
static const double deviation[NP] = {0.1, 0, 0, 1, 0, 0};
static const struct mbs_model model = {.name = "fuzz", .np = NP, .param = param, .deviation = deviation};
#endif

#if defined FUZZ_plan || defined FUZZ_journal
/* A file that is in memory alone; its path. */
static const char *in_memory(const char *text, size_t n, char path[32])
{
    static int file = -1;
    if (file < 0)
        file = memfd_create("fuzz", 0);
    promised(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, text, n, 0) == (ssize_t)n);
    snprintf(path, 32, "/proc/self/fd/%d", file);
    return path;
}
#endif

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
#elif defined FUZZ_plan
/* The first line has the sampling (list: the rest is a file with the cases) and the number of cases, the others say what varies. */
static void try_input(const uint8_t *data, size_t size)
{
    static const double value[NP] = {1, 0, -3, 1e300, 2, 5};
    const char *vary[8];
    char *text = as_text(data, size), *line = strchr(text, '\n'), sampling[16] = "", path[32];
    struct plan_request r = {.vary = vary, .seed = size, .cases = -1};
    struct plan p;
    double x[NP], again[NP];
    sscanf(text, "%15s %ld", sampling, &r.cases);
    r.sampling = *sampling == '-' ? NULL : sampling;
    if (!strcmp(sampling, "list"))
        r = (struct plan_request){.list = in_memory(line ? line : "", line ? strlen(line) : 0, path), .cases = -1};
    for (; line && !r.list && r.nvary < 8; r.nvary++) {
        *line = 0;
        vary[r.nvary] = line + 1;
        line = strchr(line + 1, '\n');
    }
    if (line)
        *line = 0;
    if (plan_init(&p, &model, value, &r)) {
        accept(data, size);
        promised(p.cases > 0 && p.factors > 0 && p.factors <= NP);
        long some[] = {0, p.cases / 3, p.cases - 1, 0};
        for (int i = 0; i < 4; i++) {
            plan_case(&p, some[i], i < 3 ? x : again);
            for (int k = 0; k < p.factors; k++)
                promised(!isnan(x[k]) && (p.factor[k].spread.kind > SPREAD_UNIFORM || isfinite(x[k])));
        }
        plan_case(&p, 0, x);
        promised(!memcmp(x, again, (size_t)p.factors * sizeof *x));
    } else {
        promised(*p.why);
    }
    plan_fini(&p);
    free(text);
}
#elif defined FUZZ_journal
/* A line, the head; then the doubles of records.  Their sums are put in, but for every eighth length: nobody guesses a sum. */
static void try_input(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, '\n', size);
    size_t n = end ? (size_t)(end - data) : size, left = end ? size - n - 1 : 0, length = HEAD;
    char *file = malloc(HEAD + 2 * size + 8), path[32];
    struct journal j;
    memset(file, ' ', HEAD);
    memcpy(file, data, n < HEAD ? n : HEAD);
    file[HEAD - 1] = '\n';
    struct journal_head h;
    int width = head_parse(file, &h) && h.width < 100 ? h.width : 1;
    double x[100];
    for (long i = 0; left >= (size_t)width * sizeof *x && size % 8; i++) {
        memcpy(x, end + 1, (size_t)width * sizeof *x);
        uint64_t s = sum(x, width, i);
        memcpy(file + length, x, (size_t)width * sizeof *x);
        memcpy(file + length + (size_t)width * sizeof *x, &s, sizeof s);
        length += (size_t)(width + 1) * sizeof *x;
        left -= (size_t)width * sizeof *x;
        end += (size_t)width * sizeof *x;
    }
    memcpy(file + length, end ? (const char *)end + 1 : "", left);     /* what is torn */
    in_memory(file, length + left, path);
    if (journal_read(&j, path)) {
        h = j.head;
        long records = j.records;
        double *row = records || h.width < 100 ? calloc((size_t)h.width, sizeof *row) : NULL;
        promised(records >= 0 && journal_whole(&h) >= 0);
        bool whole = true;
        for (long i = 0; i < records; i++)
            whole = journal_get(&j, i, 1, row) && whole;
        promised(whole || *j.why);
        journal_close(&j, false);
        if (records)
            accept(data, size);
        if (row) {      /* goes on with it */
            promised(journal_open(&j, path, &h) && j.records == records && journal_add(&j, row) && journal_flush(&j));
            journal_close(&j, false);
            promised(journal_read(&j, path) && j.records == records + 1 && journal_get(&j, records, 1, row));
            journal_close(&j, false);
        }
        free(row);
    } else {
        promised(*j.why);
        journal_close(&j, false);
    }
    free(file);
}
#elif defined FUZZ_params
static void try_input(const uint8_t *data, size_t size)
{
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

/* What libFuzzer would learn from comparisons of texts: nothing that the dictionary does not say, at a tenth of the time.  run.sh puts this in the place of
 * libFuzzer's functions, which come first when it is linked. */
void learn_nothing(void);
void learn_nothing(void) {}

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
 * other cost as much as a thousand models.  What stands behind a point has two digits.  A power of ten is zero, since 9e3 is a whole number, too. */
static size_t calm_numbers(uint8_t *data, size_t size, unsigned seed)
{
    size_t n = 0, digits = 0, most = seed % 64 ? 1 : 2;
    bool behind = false, power = false;
    if (seed % 2048 == 0)
        return size;
    for (size_t i = 0; i < size; i++) {
        digits = is_digit(data[i]) ? digits + 1 : 0;
        if (!digits) {
            behind = data[i] == '.' && (i + 1 == size || data[i + 1] != '.') && (i == 0 || data[i - 1] != '.');
            power = ((data[i] | 32) == 'e' && i > 0 && (is_digit(data[i - 1]) || data[i - 1] == '.')) || (power && data[i] == '+');
        }
        if (digits <= (behind ? 2 : most))
            data[n++] = digits && power ? '0' : data[i];
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
