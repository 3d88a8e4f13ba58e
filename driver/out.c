/* SPDX-License-Identifier: GPL-3.0-or-later
 * Output files that are never seen half written, and JSON values. */
#include "config.h"
#include "out.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(struct out *o, const char *what, int code)
{
    snprintf(o->why, sizeof o->why, "%s %s: %s", what, o->path, strerror(code));
    return false;
}

/* The file behind a symbolic link is the one to replace, not the link. */
static char *target(const char *path)
{
    struct stat st;
    char *real = lstat(path, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(path, NULL) : NULL;
    return real ? real : strdup(path);
}

bool out_open(struct out *o, const char *path)
{
    struct stat st;
    *o = (struct out){.standard = !strcmp(path, "-")};
    o->path = o->standard ? strdup("standard output") : target(path);
    if (!o->path)
        return false;
    if (o->standard) {
        o->f = stdout;
        return true;
    }
    if (stat(o->path, &st) == 0 && S_ISDIR(st.st_mode))
        return fail(o, "cannot write", EISDIR);
    if (stat(o->path, &st) == 0 && !S_ISREG(st.st_mode)) {
        o->f = fopen(o->path, "w");
        return o->f || fail(o, "cannot write", errno);
    }
    size_t n = strlen(o->path) + 16;
    o->temp = malloc(n);
    if (!o->temp)
        return fail(o, "cannot write", ENOMEM);
    snprintf(o->temp, n, "%s.XXXXXX", o->path);
    int fd = mkstemp(o->temp);
    if (fd < 0) {
        int code = errno;
        free(o->temp);
        o->temp = NULL;
        return fail(o, "cannot write", code);
    }
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) != 0 || !(o->f = fdopen(fd, "w"))) {
        int code = errno;
        close(fd);
        fail(o, "cannot write", code);
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
        fail(o, "cannot write", errno ? errno : EIO);
    return false;
}

bool out_close(struct out *o)
{
    bool good = o->f != NULL;
    if (good && (fflush(o->f) != 0 || ferror(o->f)))
        good = *o->why ? false : fail(o, "cannot write", errno);
    if (o->f && !o->standard && fclose(o->f) != 0 && good)
        good = fail(o, "cannot write", errno);
    o->f = NULL;
    if (good && o->temp && rename(o->temp, o->path) != 0)
        good = fail(o, "cannot write", errno);
    if (!good && o->temp)
        unlink(o->temp);
    free(o->temp);
    free(o->path);
    o->temp = o->path = NULL;
    return good;
}

void out_discard(struct out *o)
{
    if (o->f && !o->standard)
        fclose(o->f);
    if (o->temp)
        unlink(o->temp);
    free(o->temp);
    free(o->path);
    o->f = NULL;
    o->temp = o->path = NULL;
}

/* Length of the UTF-8 sequence at s, 0 if it is none (RFC 3629, table of well-formed sequences). */
static int utf8_length(const unsigned char *s)
{
    int n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

void json_string(FILE *f, const char *text)
{
    putc('"', f);
    for (const unsigned char *s = (const unsigned char *)(text ? text : ""); *s;) {
        int n = utf8_length(s);
        if (!n)
            fputs("\\ufffd", f), n = 1;
        else if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", f);
        else if (*s < 0x20 || *s == '<' || *s == 0x7f)
            fprintf(f, "\\u%04x", *s);
        else
            fwrite(s, 1, (size_t)n, f);
        s += n;
    }
    putc('"', f);
}

void json_number(FILE *f, double x)
{
    if (isfinite(x))
        fprintf(f, "%.17g", x);
    else
        fputs("null", f);
}
