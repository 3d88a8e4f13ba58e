/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What libFuzzer calls.  FUZZ_compiler: the whole compiler, up to C text.  FUZZ_format: the formatter; what it writes has
 * the tree of what it read and does not change when formatted again.  FUZZ_csv: the reader of data.  Anything that is
 * said in words is fine; a crash, a sanitizer, a broken promise is a finding.
 *
 * The mutator knows lines: it repeats, drops, swaps and joins them, so that models stay models more often. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#ifdef FUZZ_format
#include "../../driver/fmt.c"
#include "interrupt.h"
#else
#include "compile.h"
#include "csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#endif

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
#if defined FUZZ_compiler
    struct compile *c = compile_memory("fuzz.mbs", (const char *)data, size, &(struct compile_options){.solver = true}, COMPILE_TEXT);
    if (!c->good && !*compile_messages(c))
        abort();
    compile_free(c);
#elif defined FUZZ_format
    char *text = malloc(size + 1), *result = NULL, *again = NULL, *before = NULL, *after = NULL;
    memcpy(text, data, size);
    text[size] = 0;
    if (strlen(text) == size && (before = tree_text("fuzz", text, size, false)) && (result = format_text(text, size))) {
        after = tree_text("fuzz", result, strlen(result), false);
        again = format_text(result, strlen(result));
        if (!after || !same_tree(before, after) || !again || strcmp(result, again))
            abort();
    }
    free(text), free(result), free(again), free(before), free(after);
#else
    struct csv c;
    char path[64];
    int fd = memfd_create("fuzz", 0);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    if (write(fd, data, size) == (ssize_t)size) {
        lseek(fd, 0, SEEK_SET);
        if (csv_read(&c, path)) {
            double sum = 0;
            for (int i = 0; i < c.rows; i++)
                for (int k = 0; k < c.columns; k++)
                    sum += csv_get(&c, i, k);
            if (sum == 1e308)
                puts("");
            csv_free(&c);
        } else if (!*c.why) {
            abort();
        }
    }
    close(fd);
#endif
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
