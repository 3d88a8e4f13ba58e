/* SPDX-License-Identifier: GPL-3.0-or-later
 * Output files that are never seen half written. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "base/out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char ending[] = ".mbs-XXXXXX";

static bool fail(struct out *o, int code)
{
    snprintf(o->why, sizeof o->why, "cannot write %s: %s", o->path ? o->path : "a file", strerror(code ? code : EIO));
    return false;
}

/* The name behind symbolic links, even if there is no file of that name yet; NULL: out of memory. */
static char *target(const char *path)
{
    char *at = strdup(path), link[4096];
    for (int i = 0; at && i < 40; i++) {
        ssize_t n = readlink(at, link, sizeof link - 1);
        if (n <= 0)
            break;
        link[n] = 0;
        char *slash = strrchr(at, '/'), *next = NULL;
        size_t dir = *link == '/' || !slash ? 0 : (size_t)(slash + 1 - at);
        if ((next = malloc(dir + (size_t)n + 1))) {
            memcpy(next, at, dir);
            strcpy(next + dir, link);
        }
        free(at);
        at = next;
    }
    return at;
}

/* Removes what killed programs left.  A living one holds a lock on its file. */
static void sweep(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base), whole = length + sizeof ending - 1;
    char *dir = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
    DIR *d = dir ? opendir(dir) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (strlen(e->d_name) != whole || strncmp(e->d_name, base, length) || strncmp(e->d_name + length, ending, 5))
            continue;
        int fd = openat(dirfd(d), e->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(d), e->d_name, 0);
        close(fd);
    }
    if (d)
        closedir(d);
    free(dir);
}

/* Six letters that nobody else has: another try has others, and a name that is there already is not taken. */
static void draw_letters(char *to)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    uint64_t x = 0;
    if (getrandom(&x, sizeof x, GRND_NONBLOCK) != sizeof x) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        x = ((uint64_t)getpid() * 1000003 + (uint64_t)now.tv_sec) * 1000000007 + (uint64_t)now.tv_nsec;
    }
    for (int i = 0; i < 6; i++, x /= 62)
        to[i] = letters[x % 62];
}

/* A new file beside the path, locked while it is ours.  It has its mode from the beginning, since a process that runs a model has given up changing any. */
static int make_temp(struct out *o, mode_t mode)
{
    size_t n = strlen(o->path);
    struct stat st;
    if (!(o->temp = malloc(n + sizeof ending)))
        return errno = ENOMEM, -1;
    memcpy(o->temp, o->path, n);
    strcpy(o->temp + n, ending);
    for (int i = 0; i < 100; i++) {
        draw_letters(o->temp + n + 5);
        mode_t mask = umask(0);
        int fd = open(o->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        umask(mask);
        if (fd < 0 && errno == EEXIST)
            continue;
        if (fd < 0)
            break;
        /* between the two calls another one may have taken it for a remnant */
        if (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &st) != 0 || st.st_nlink > 0)
            return fd;
        close(fd);
    }
    int code = errno;
    free(o->temp);
    o->temp = NULL;
    return errno = code, -1;
}

static bool open_file(struct out *o)
{
    struct stat st;
    bool there = stat(o->path, &st) == 0;
    if (there && S_ISDIR(st.st_mode))
        return errno = EISDIR, false;
    if (there && !S_ISREG(st.st_mode))
        return (o->f = fopen(o->path, "we")) != NULL;
    if (there && access(o->path, W_OK) != 0)
        return false;
    sweep(o->path);
    mode_t mask = umask(0);
    umask(mask);
    int fd = make_temp(o, there ? st.st_mode & 0777 : 0666 & ~mask);
    if (fd < 0)
        return false;
    if (there && st.st_uid != geteuid() && fchown(fd, st.st_uid, st.st_gid) != 0)
        errno = 0;      /* then the file is ours from now on */
    if ((o->f = fdopen(fd, "w")))
        return true;
    int code = errno;
    close(fd);
    return errno = code, false;
}

bool out_open(struct out *o, const char *path)
{
    *o = (struct out){.standard = !strcmp(path, "-")};
    o->path = o->standard ? strdup("standard output") : target(path);
    if (!o->path)
        return fail(o, ENOMEM);
    if (o->standard)
        o->f = stdout;
    else if (!open_file(o)) {
        fail(o, errno);
        out_discard(o);
        return false;
    }
    return true;
}

bool out_good(struct out *o)
{
    if (!ferror(o->f))
        return true;
    if (!*o->why)
        fail(o, errno);
    return false;
}

bool out_close(struct out *o)
{
    bool good = o->f != NULL;
    if (good && (fflush(o->f) != 0 || ferror(o->f)))
        good = *o->why ? false : fail(o, errno);
    /* the lock stays until the file has its name: what nobody holds is a remnant */
    int lock = good && o->temp ? dup(fileno(o->f)) : -1;
    if (o->f && !o->standard && fclose(o->f) != 0 && good)
        good = fail(o, errno);
    if (good && o->temp && rename(o->temp, o->path) != 0)
        good = fail(o, errno);
    if (!good && o->temp)
        unlink(o->temp);
    if (lock >= 0)
        close(lock);
    if (o->standard && !good)
        clearerr(stdout);       /* it is said; out_finish need not say it again */
    o->f = NULL;
    free(o->temp);
    free(o->path);
    o->temp = o->path = NULL;
    return good;
}

void out_discard(struct out *o)
{
    if (o->temp)
        unlink(o->temp);
    if (o->f && !o->standard)
        fclose(o->f);
    free(o->temp);
    free(o->path);
    o->f = NULL;
    o->temp = o->path = NULL;
}

struct stream {
    char **text;
    size_t *length, room;
};

static ssize_t stream_write(void *cookie, const char *data, size_t n)
{
    struct stream *s = cookie;
    if (*s->length + n + 1 > s->room) {
        size_t room = 2 * (*s->length + n + 1);
        char *more = realloc(*s->text, room);
        if (!more)
            return errno = ENOMEM, 0;
        *s->text = more;
        s->room = room;
    }
    memcpy(*s->text + *s->length, data, n);
    *s->length += n;
    (*s->text)[*s->length] = 0;
    return (ssize_t)n;
}

/* Only tells where it is. */
static int stream_seek(void *cookie, off64_t *to, int whence)
{
    struct stream *s = cookie;
    if (whence != SEEK_CUR || *to != 0)
        return errno = ESPIPE, -1;
    *to = (off64_t)*s->length;
    return 0;
}

static int stream_free(void *cookie)
{
    free(cookie);
    return 0;
}

bool out_text(struct out *o, const char *path, const char *text, size_t size)
{
    if (!out_open(o, path)) {
        out_discard(o);
        return false;
    }
    fwrite(text, 1, size, o->f);
    return out_close(o);
}

FILE *stream_open(char **text, size_t *length)
{
    struct stream *s = malloc(sizeof *s);
    *text = calloc(1, 256);
    *length = 0;
    if (s && *text) {
        *s = (struct stream){text, length, 256};
        FILE *f = fopencookie(s, "w", (cookie_io_functions_t){.write = stream_write, .seek = stream_seek, .close = stream_free});
        if (f)
            return f;
    }
    free(s);
    free(*text);
    *text = NULL;
    return NULL;
}

bool stream_close(FILE *f)
{
    bool good = !ferror(f);
    return fclose(f) == 0 && good;
}

int out_finish(const char *program, int status)
{
    bool lost = ferror(stdout);
    errno = 0;
    if (fclose(stdout) == 0 && !lost)
        return status;
    fprintf(stderr, "%s: cannot write standard output%s%s\n", program, errno ? ": " : "", errno ? strerror(errno) : "");
    return status ? status : 1;
}
