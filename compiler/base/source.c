/* SPDX-License-Identifier: GPL-3.0-or-later
 * Reading files whole, each once (whatever path leads to it), and finding line and column of an offset.  Columns count UTF-8 code
 * points: bytes of the form 10xxxxxx continue a character and are not counted. */
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct source *source_new(struct sources *s, const char *path, const char *text, size_t length)
{
    struct source *f = ARENA_NEW(s->arena, struct source, 1);
    f->path = arena_strndup(s->arena, path, strlen(path));
    f->text = arena_strndup(s->arena, text, length);
    f->length = length;
    size_t lines = 1, n = strlen(path);
    for (const char *at = f->text; (at = memchr(at, '\n', (size_t)(f->text + length - at))); at++)
        lines++;
    unsigned *line = ARENA_NEW(s->arena, unsigned, lines);
    for (const char *at = f->text; (at = memchr(at, '\n', (size_t)(f->text + length - at)));)
        line[++f->lines] = (unsigned)(++at - f->text);
    f->line = line;
    f->lines++;
    f->hidden = s->list.n > 0 && !(n > 4 && !strcmp(path + n - 4, ".mbs"));
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

/* A file, or what the user handed over as a descriptor; a pipe or a device of another name could keep us for ever. */
static FILE *open_source(const char *path, const char **why)
{
    struct stat st;
    bool handed = !strcmp(path, "/dev/stdin") || !strncmp(path, "/dev/fd/", 8);
    int fd = open(path, O_RDONLY | O_CLOEXEC | (handed ? 0 : O_NONBLOCK));
    if (fd < 0)
        return NULL;
    if (!handed && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
        *why = S_ISDIR(st.st_mode) ? "it is a directory" : "it is no regular file";
        close(fd);
        return NULL;
    }
    FILE *f = fdopen(fd, "rb");
    if (!f)
        close(fd);
    return f;
}

static const struct source *load(struct sources *s, const char *path, const char **why)
{
    struct stat st = {0};
    char *text = NULL;
    size_t length = 0;
    *why = NULL;
    errno = 0;
    FILE *in = open_source(path, why);
    if (*why)
        return NULL;
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

const struct source *source_load(struct sources *s, const char *path, const char **why)
{
    const struct source *f = load(s, path, why);
    struct source_asked asked = {arena_strndup(s->arena, path, strlen(path)), f};
    VEC_PUSH(s->asked, asked);
    return f;
}

bool source_is_below(const char *real, const char *dir)
{
    char *root = realpath(dir, NULL);
    size_t n = root ? strlen(root) : 0;
    bool below = n && !strncmp(real, root, n) && (real[n] == '/' || n == 1);
    free(root);
    return below;
}

bool source_allowed(const struct sources *s, const char *path, const char *const *dirs, int n)
{
    char *real = realpath(path, NULL);
    if (!real)
        return true;
    const char *first = s->list.n ? s->list.at[0]->path : "", *slash = strrchr(first, '/');
    char *own = slash ? strndup(first, (size_t)(slash + 1 - first)) : strdup(".");
    bool allowed = own && source_is_below(real, own);
    for (int i = 0; i < n && !allowed; i++)
        allowed = source_is_below(real, dirs[i]);
    free(own);
    free(real);
    return allowed;
}

void sources_fini(struct sources *s)
{
    free(s->list.at);
    s->list.at = NULL;
    s->list.n = s->list.cap = 0;
    free(s->asked.at);
    s->asked.at = NULL;
    s->asked.n = s->asked.cap = 0;
}

struct place source_place(const struct source *f, unsigned offset)
{
    struct place p = {.line = 1, .column = 1};
    if (offset > f->length)
        offset = (unsigned)f->length;
    unsigned below = 0, above = f->lines;       /* line[below] <= offset < line[above] */
    while (above - below > 1) {
        unsigned middle = below + (above - below) / 2;
        if (f->line[middle] <= offset)
            below = middle;
        else
            above = middle;
    }
    p.line = below + 1;
    p.line_begin = f->line[below];
    for (unsigned i = p.line_begin; i < offset; i++)
        p.column += ((unsigned char)f->text[i] & 0xC0) != 0x80;
    const char *end = memchr(f->text + p.line_begin, '\n', f->length - p.line_begin);
    p.line_end = end ? (unsigned)(end - f->text) : (unsigned)f->length;
    if (p.line_end > p.line_begin && f->text[p.line_end - 1] == '\r')
        p.line_end--;
    return p;
}
