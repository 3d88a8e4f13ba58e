/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file is a line of text, the head, then records of equal length: `width` doubles and a sum (after FNV-1a, over the doubles and the number
 * of the record).  A torn record at the end, of which a kill left a part, is cut off when the file is opened again. */
#include "config.h"
#include "study/journal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 256, BUFFER = 1 << 17 };  /* bytes; a file system takes long pieces in half the time */
enum { BLOCK = 1 << 18 };               /* and of records that are read at once, if one is not longer; past the C library's memory */

long journal_whole(const struct journal_head *h) { return (h->cases - h->shard + h->shards - 1) / h->shards; }

/* The C library chooses a size of its own, a page, unless it is given the memory. */
static void buffer_long(struct journal *j)
{
    if ((j->buffer = malloc(BUFFER)))
        setvbuf(j->f, j->buffer, _IOFBF, BUFFER);
}

static bool fail(struct journal *j, const char *what)
{
    snprintf(j->why, sizeof j->why, "cannot %s %.300s: %s", what, j->path ? j->path : "the cases", errno ? strerror(errno) : "it is damaged");
    return false;
}

/* Word by word, in four sums that do not wait for each other: one sum over bytes takes as long as a hundredth of a short run. */
static uint64_t sum(const double *x, int n, long number)
{
    enum { SUMS = 4 };
    uint64_t h[SUMS] = {0xcbf29ce484222325u ^ (uint64_t)number, 1, 2, 3}, word;
    for (int i = 0; i < n; i += SUMS)
        for (int k = 0; k < SUMS && i + k < n; k++) {
            memcpy(&word, &x[i + k], sizeof word);
            h[k] = (h[k] ^ word) * 0x100000001b3u;
            h[k] ^= h[k] >> 32;
        }
    for (int k = 1; k < SUMS; k++) {
        h[0] = (h[0] ^ h[k]) * 0x100000001b3u;
        h[0] ^= h[0] >> 32;
    }
    return h[0];
}

static size_t record_bytes(const struct journal *j) { return (size_t)j->head.width * sizeof(double) + sizeof(uint64_t); }
static off_t record_at(const struct journal *j, long i) { return (off_t)HEAD + (off_t)i * (off_t)record_bytes(j); }

static void head_text(char text[HEAD], const struct journal_head *h)
{
    memset(text, ' ', HEAD);
    int n = snprintf(text, HEAD, "mbs study 3 %s %d %ld %d %d", h->identity, h->width, h->cases, h->shard, h->shards);
    text[n] = ' ';
    text[HEAD - 1] = '\n';
}

static bool head_parse(const char text[HEAD], struct journal_head *h)
{
    char line[HEAD];
    memcpy(line, text, HEAD);
    line[HEAD - 1] = 0;
    return text[HEAD - 1] == '\n' && sscanf(line, "mbs study 3 %64s %d %ld %d %d", h->identity, &h->width, &h->cases, &h->shard, &h->shards) == 5
           && h->width > 0 && h->cases > 0 && h->cases <= LONG_MAX / 2 && h->shards > 0 && h->shard >= 0 && h->shard < h->shards;
}

/* Whole records, up to the first that is not. */
static bool count_records(struct journal *j)
{
    double *x = NULL;
    off_t size;
    if (fseeko(j->f, 0, SEEK_END) != 0 || (size = ftello(j->f)) < 0)
        return fail(j, "read");
    j->records = size > HEAD ? (long)((size - HEAD) / (off_t)record_bytes(j)) : 0;
    if (j->records > 0 && !(x = malloc(record_bytes(j))))       /* a head may speak of more than there is memory */
        return fail(j, "read");
    while (j->records > 0) {    /* the last written may be torn: a page of it may have been lost */
        uint64_t s;
        if (fseeko(j->f, record_at(j, j->records - 1), SEEK_SET) == 0 && fread(x, record_bytes(j), 1, j->f) == 1) {
            memcpy(&s, x + j->head.width, sizeof s);
            if (s == sum(x, j->head.width, j->records - 1))
                break;
        }
        j->records--;
    }
    free(x);
    return true;
}

static bool journal_load(struct journal *j, const char *mode)
{
    char text[HEAD];
    struct stat st;
    errno = 0;
    if (stat(j->path, &st) == 0 && !S_ISREG(st.st_mode)) {      /* a pipe would keep us for ever */
        snprintf(j->why, sizeof j->why, "%.400s is no regular file", j->path);
        return false;
    }
    if (!(j->f = fopen(j->path, mode)))
        return fail(j, "open");
    buffer_long(j);
    if (fread(text, HEAD, 1, j->f) != 1 || !head_parse(text, &j->head)) {
        snprintf(j->why, sizeof j->why, "%.400s is no part of a study", j->path);
        return false;
    }
    return count_records(j);
}

static bool journal_create(struct journal *j, const struct journal_head *h)
{
    char text[HEAD];
    errno = 0;
    if (!(j->f = fopen(j->path, "wb+")))
        return fail(j, "write");
    buffer_long(j);
    j->head = *h;
    head_text(text, h);
    return (fwrite(text, HEAD, 1, j->f) == 1 && fflush(j->f) == 0) || fail(j, "write");
}

/* Two commands at one study would write over each other. */
static bool journal_lock(struct journal *j)
{
    if (flock(fileno(j->f), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return true;
    snprintf(j->why, sizeof j->why, "another mbs sweep is at work on %.300s", j->path);
    return false;
}

bool journal_open(struct journal *j, const char *path, const struct journal_head *h)
{
    *j = (struct journal){.head = *h, .at = -1};
    if (!path)
        return true;
    if (!(j->path = strdup(path)))
        return fail(j, "open");
    struct stat st;
    bool there = stat(path, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_size > 0);       /* else nothing, or killed before it had a head */
    if (!(there ? journal_load(j, "rb+") : journal_create(j, h)) || !journal_lock(j))
        return false;
    if (!there)
        return true;
    struct journal_head *o = &j->head;
    if (strcmp(o->identity, h->identity) || o->width != h->width || o->cases != h->cases || o->shard != h->shard || o->shards != h->shards) {
        snprintf(j->why, sizeof j->why, "%.300s is of another study (another model, plan or option): remove it, or give other results a name of their own", path);
        return false;
    }
    errno = 0;
    if (ftruncate(fileno(j->f), record_at(j, j->records)) != 0 || fseeko(j->f, 0, SEEK_END) != 0)
        return fail(j, "write");
    return true;
}

bool journal_read(struct journal *j, const char *path)
{
    *j = (struct journal){.path = strdup(path), .at = -1};
    return j->path ? journal_load(j, "rb") : fail(j, "open");
}

bool journal_add(struct journal *j, const double *x)
{
    size_t n = (size_t)j->head.width;
    if (j->f) {
        uint64_t s = sum(x, j->head.width, j->records);
        errno = 0;
        j->held = 0;
        j->at = -1;
        if (fwrite(x, sizeof *x, n, j->f) != n || fwrite(&s, sizeof s, 1, j->f) != 1)
            return fail(j, "write");
    } else {
        if (j->records == j->room) {
            long room = j->room ? 2 * j->room : 256;
            double *more = realloc(j->memory, (size_t)room * n * sizeof *more);
            errno = ENOMEM;
            if (!more)
                return fail(j, "keep");
            j->memory = more;
            j->room = room;
        }
        memcpy(j->memory + (size_t)j->records * n, x, n * sizeof *x);
    }
    j->records++;
    return true;
}

bool journal_flush(struct journal *j)
{
    errno = 0;
    return !j->f || fflush(j->f) == 0 || fail(j, "write");
}

bool journal_flush_soon(struct journal *j)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    if (now - j->flushed < 0.01)
        return true;
    j->flushed = now;
    return journal_flush(j);
}

/* The block from record i on. */
static bool fill(struct journal *j, long i)
{
    size_t size = record_bytes(j);
    long most = size < BLOCK ? (long)(BLOCK / size) : 1, n = j->records - i < most ? j->records - i : most;
    j->held = 0;
    errno = 0;
    if (!j->block && !(j->block = malloc((size_t)most * size)))
        return fail(j, "read");
    if (j->at != i && fseeko(j->f, record_at(j, i), SEEK_SET) != 0)     /* to seek is to read the C library's block again */
        return fail(j, "read");
    j->at = -1;
    if (n <= 0 || fread(j->block, size, (size_t)n, j->f) != (size_t)n)
        return fail(j, "read");
    j->first = i;
    j->held = n;
    j->at = i + n;
    return true;
}

bool journal_get(struct journal *j, long first, long n, double *x)
{
    size_t width = (size_t)j->head.width;
    if (!j->f) {
        memcpy(x, j->memory + (size_t)first * width, (size_t)n * width * sizeof *x);
        return true;
    }
    for (long i = first; i < first + n; i++, x += width) {
        uint64_t s;
        if ((i < j->first || i >= j->first + j->held) && !fill(j, i))
            return false;
        memcpy(x, j->block + (size_t)(i - j->first) * (width + 1), width * sizeof *x);
        memcpy(&s, j->block + (size_t)(i - j->first) * (width + 1) + width, sizeof s);
        errno = 0;
        if (s != sum(x, j->head.width, i))
            return fail(j, "read");
    }
    return true;
}

void journal_close(struct journal *j, bool remove)
{
    if (j->f)
        fclose(j->f);
    if (j->path && remove)
        unlink(j->path);
    free(j->path);
    free(j->memory);
    free(j->buffer);
    free(j->block);
    *j = (struct journal){0};
}
