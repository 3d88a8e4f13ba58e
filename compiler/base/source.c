/* SPDX-License-Identifier: GPL-3.0-or-later
 * Reading files whole, each once (whatever path leads to it), and finding line and column of an offset.  Columns count UTF-8 code
 * points: bytes of the form 10xxxxxx continue a character and are not counted. */
#include "base/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct source *source_new(struct sources *s, const char *path, const char *text, size_t length)
{
    struct source *f = ARENA_NEW(s->arena, struct source, 1);
    f->path = arena_strndup(s->arena, path, strlen(path));
    f->text = arena_strndup(s->arena, text, length);
    f->length = length;
    VEC_PUSH(s->list, f);
    return f;
}

const struct source *source_text(struct sources *s, const char *path, const char *text, size_t length)
{
    return source_new(s, path, text, length);
}

/* The rest of the stream into a heap buffer; false with errno set, EFBIG if it is too long. */
static bool stream_read(FILE *in, char **text, size_t *length)
{
    struct { char *at; size_t n, cap; } b = {0};
    for (;;) {
        if (b.cap - b.n < 4096) {
            b.cap = b.cap ? 2 * b.cap : 1 << 14;
            b.at = mem_grow(b.at, b.cap, 1);
        }
        size_t got = fread(b.at + b.n, 1, b.cap - b.n, in);
        b.n += got;
        if (b.n > SOURCE_LARGEST)
            errno = EFBIG;
        if (b.n > SOURCE_LARGEST || ferror(in)) {
            free(b.at);
            return false;
        }
        if (!got)
            break;
    }
    *text = b.at;
    *length = b.n;
    return true;
}

const struct source *source_load(struct sources *s, const char *path, const char **why)
{
    FILE *in = fopen(path, "rb");
    struct stat st = {0};
    char *text = NULL;
    size_t length = 0;
    errno = in ? 0 : errno;
    bool known = in && !fstat(fileno(in), &st) && S_ISREG(st.st_mode);
    for (int i = 0; known && i < s->list.n; i++)
        if (s->list.at[i]->device == st.st_dev && s->list.at[i]->inode == st.st_ino) {
            fclose(in);
            return s->list.at[i];
        }
    bool good = in && stream_read(in, &text, &length);
    int error = errno;
    if (in)
        fclose(in);
    if (!good) {
        *why = error == EFBIG ? "the file is too large" : error ? strerror(error) : "it cannot be read";
        return NULL;
    }
    struct source *f = source_new(s, path, text, length);
    f->device = known ? st.st_dev : 0;
    f->inode = known ? st.st_ino : 0;
    free(text);
    return f;
}

void sources_fini(struct sources *s)
{
    free(s->list.at);
    s->list.at = NULL;
    s->list.n = s->list.cap = 0;
}

struct place source_place(const struct source *f, unsigned offset)
{
    struct place p = {.line = 1, .column = 1};
    if (offset > f->length)
        offset = (unsigned)f->length;
    for (unsigned i = 0; i < offset; i++)
        if (f->text[i] == '\n') {
            p.line++;
            p.line_begin = i + 1;
        }
    for (unsigned i = p.line_begin; i < offset; i++)
        p.column += ((unsigned char)f->text[i] & 0xC0) != 0x80;
    const char *end = memchr(f->text + p.line_begin, '\n', f->length - p.line_begin);
    p.line_end = end ? (unsigned)(end - f->text) : (unsigned)f->length;
    if (p.line_end > p.line_begin && f->text[p.line_end - 1] == '\r')
        p.line_end--;
    return p;
}
