/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What libFuzzer calls.  FUZZ_compiler: the whole compiler, up to C text.  FUZZ_model: its front end, up to the checked model.
 * FUZZ_format: the formatter; what it writes has the tree of what it read and does not change when formatted again.  FUZZ_csv: the
 * reader of data.  FUZZ_params: files of parameters, JSON and TOML; what is written is read again as it was.  FUZZ_import: robots in
 * URDF, MJCF, SDFormat and SD/FAST; what is accepted is a model.  Anything that is said in words is fine; a crash, a sanitizer, a
 * broken promise is a finding.
 *
 * The mutator knows lines: it repeats, drops, swaps and joins them, so that models stay models more often. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#if defined FUZZ_format
#include "../../driver/fmt.c"
#include "interrupt.h"
#elif defined FUZZ_import
#include "../../driver/import.c"
#else
#include "compile.h"
#include "csv.h"
#include "params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif
#include <unistd.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static void promised(bool what)
{
    if (!what)
        abort();
}

#if defined FUZZ_compiler || defined FUZZ_model
static void try_input(const uint8_t *data, size_t size)
{
#ifdef FUZZ_compiler
    enum compile_station to = COMPILE_TEXT;
#else
    enum compile_station to = COMPILE_MODEL;
#endif
    struct compile *c = compile_memory("fuzz.mbs", (const char *)data, size, &(struct compile_options){.solver = true}, to);
    promised(c->good || *compile_messages(c));
    compile_free(c);
}
#elif defined FUZZ_format
static void try_input(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *result = NULL, *again = NULL, *before = NULL, *after = NULL;
    memcpy(text, data, size);
    text[size] = 0;
    if (strlen(text) == size && (before = tree_text("fuzz", text, size, false)) && (result = format_text(text, size))) {
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
    struct robot r = {.arena = &arena, .gravity = {0, 0, -9.81}, .format = "robot", .name = "robot"};
    r.path = r.file = size && data[0] == '<' ? "fuzz.xml" : "fuzz.sd";
    char *text = malloc(size + 1), *result = NULL;
    size_t length;
    memcpy(text, data, size);
    text[size] = 0;
    if (read_any(&r, text, size) && robot_tree(&r) && moves(&r)) {
        robot_snap(&r);
        robot_merge(&r);
        robot_names(&r);
        FILE *f = stream_open(&result, &length);
        robot_write(&r, f, true);
        promised(stream_close(f) && is_model("fuzz.mbs", result, length));
    } else {
        promised(r.error && *r.error);
    }
    free(text), free(result);
    robot_free(&r);
    arena_free(&arena);
}
#else
/* Readers that take the name of a file. */
static const char *as_file(const uint8_t *data, size_t size)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0)
        snprintf(path, sizeof path, "/dev/fd/%d", fd = memfd_create("fuzz", 0));
    promised(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
    lseek(fd, 0, SEEK_SET);
    return path;
}
#ifdef FUZZ_csv
static void try_input(const uint8_t *data, size_t size)
{
    struct csv c;
    if (csv_read(&c, as_file(data, size))) {
        volatile double sum = 0;        /* every value is looked at */
        for (int i = 0; i < c.rows; i++)
            for (int k = 0; k < c.columns; k++)
                sum += csv_get(&c, i, k);
        csv_free(&c);
    } else {
        promised(*c.why);
    }
}
#else
enum { NP = 6 };
static void try_input(const uint8_t *data, size_t size)
{
    static const struct mbs_name param[NP] = {{"l", "m", 1}, {"m[1]", "kg", 1}, {"m[2]", "kg", 1}, {"arm.m", "", 1}, {"k", "N/m", 1}, {"x_1", "", 1}};
    static const struct mbs_model model = {.name = "fuzz", .np = NP, .param = param};
    double value[NP] = {1, 1, 1, 1, 1, 1}, again[NP];
    unsigned char given[NP] = {0};
    char why[300] = "", path[64];
    if (params_read(as_file(data, size), &model, value, given, why, sizeof why)) {
        /* all of them written and read again, in both formats */
        for (int json = 0; json < 2; json++) {
            snprintf(path, sizeof path, "/tmp/mbs-fuzz-%ld.%s", (long)getpid(), json ? "json" : "toml");
            promised(params_write(path, &model, value, why, sizeof why) && params_read(path, &model, again, given, why, sizeof why) && !memcmp(value, again, sizeof value));
            unlink(path);
        }
    } else {
        promised(*why);
    }
}
#endif
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_input(data, size);
    return 0;
}

static size_t line_at(const uint8_t *data, size_t size, size_t at, size_t *end)
{
    while (at > 0 && data[at - 1] != '\n')
        at--;
    const uint8_t *stop = memchr(data + at, '\n', size - at);
    *end = stop ? (size_t)(stop - data) + 1 : size;
    return at;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    if (seed % 3 == 0 || size < 2)
        return LLVMFuzzerMutate(data, size, most);
    size_t end, to_end, from = line_at(data, size, seed / 7 % size, &end), n = end - from, to = line_at(data, size, seed / 77777 % size, &to_end);
    switch (seed / 3 % 3) {
    case 0:             /* again, elsewhere */
        if (size + n > most)
            break;
        {
            uint8_t *line = malloc(n);
            memcpy(line, data + from, n);
            memmove(data + to + n, data + to, size - to);
            memcpy(data + to, line, n);
            free(line);
        }
        return size + n;
    case 1:             /* away */
        memmove(data + from, data + end, size - end);
        return size - n ? size - n : 1;
    default:            /* joined with the next */
        if (end > from && end <= size && data[end - 1] == '\n')
            data[end - 1] = ' ';
        break;
    }
    return LLVMFuzzerMutate(data, size, most);
}
