/* SPDX-License-Identifier: GPL-3.0-or-later
 * Numbers, comments and files for the readers. */
#include "config.h"
#include "import/read.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST = 32 << 20 };

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; }

int read_some(struct robot *r, const struct xml *x, const char *what, const char *text, int most, double *out)
{
    int n = 0;
    for (const char *s = text;; n++) {
        char *end;
        while (is_blank(*s))
            s++;
        if (!*s)
            return n;
        if (n == most) {
            robot_fail(r, x->file, x->line, "'%s' of <%s> takes %d number%s, but it is \"%.60s\"", what, x->name, most, most == 1 ? "" : "s", text);
            return -1;
        }
        double value = strtod(s, &end);
        bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
        if (end == s || hex || (*end && !is_blank(*end)) || !isfinite(value) || fabs(value) > 1e100) {
            robot_fail(r, x->file, x->line, "'%s' of <%s> is no number: \"%.60s\"", what, x->name, text);
            return -1;
        }
        out[n] = value;
        s = end;
    }
}

bool read_numbers(struct robot *r, const struct xml *x, const char *what, const char *text, int n, double *out)
{
    int found = read_some(r, x, what, text, n, out);
    if (found >= 0 && found != n)
        robot_fail(r, x->file, x->line, "'%s' of <%s> takes %d number%s, but it is \"%.60s\"", what, x->name, n, n == 1 ? "" : "s", text);
    return found == n;
}

bool read_attribute(struct robot *r, const struct xml *x, const char *name, int n, double *out)
{
    const char *text = xml_get(x, name);
    return !text || read_numbers(r, x, name, text, n, out);
}

const char *read_name(struct robot *r, const struct xml *x, const char *attribute)
{
    const char *name = x ? xml_get(x, attribute) : NULL;
    if (x && !name)
        robot_fail(r, x->file, x->line, "<%s> needs an attribute '%s'", x->name, attribute);
    return name;
}

static void comment_add(struct robot *r, const char *text, struct robot_lines *lines)
{
    const char *end = text + strlen(text);
    while (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r')
        text++;
    if (text < end)
        lines_add(r, lines, "%s", text);
}

void read_comments(struct robot *r, const struct xml *parent, const struct xml *to, struct robot_lines *lines)
{
    const struct xml *from = parent->child;
    for (const struct xml *x = parent->child; x && x != to; x = x->next)
        if (x->name && to)
            from = x->next;
    for (const struct xml *x = from; x && x != to; x = x->next)
        if (!x->name)
            comment_add(r, x->text, lines);
}

void read_comments_inside(struct robot *r, const struct xml *x, struct robot_lines *lines)
{
    for (const struct xml *c = x->child; c; c = c->next)
        if (c->name)
            read_comments_inside(r, c, lines);
        else
            comment_add(r, c->text, lines);
}

void read_rest(struct robot *r, const struct xml *x, const char *where, struct robot_lines *lines)
{
    for (const struct xml *c = x->child; c; c = c->next)
        if (c->name && !c->read) {
            const char *name = xml_get(c, "name") ? xml_get(c, "name") : xml_get(c, "reference");
            robot_lose(r, lines, c->line, "<%s>%s%s of %s", c->name, name ? " " : "", name ? name : "", where);
        }
}

char *read_whole(const char *path, size_t *size, const char **why)
{
    struct stat st;
    char *text = NULL;
    FILE *f = fopen(path, "rb");
    if (!f || fstat(fileno(f), &st) != 0)
        *why = strerror(errno);
    else if (!S_ISREG(st.st_mode))
        *why = "it is no regular file";
    else if (st.st_size > LARGEST)
        *why = "it is larger than 32 MB";
    else if (!(text = malloc((size_t)st.st_size + 1)) || fread(text, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
        *why = "it cannot be read";
    else
        text[*size = (size_t)st.st_size] = 0, *why = NULL;
    if (f)
        fclose(f);
    if (*why)
        free(text);
    return *why ? NULL : text;
}

static char *home_of(const struct robot *r)
{
    const char *slash = strrchr(r->path, '/');
    char *dir = slash ? strndup(r->path, (size_t)(slash - r->path) + (slash == r->path)) : strdup(".");
    char *home = dir ? realpath(dir, NULL) : NULL;
    free(dir);
    return home;
}

bool read_is_beside(const struct robot *r, const char *path)
{
    struct stat st;
    char *home = home_of(r);
    bool is = home && stat(arena_printf(r->arena, "%s/%s", home, path), &st) == 0;
    free(home);
    return is;
}

/* Inside the directory of the main file, also behind symbolic links. */
char *read_file_beside(struct robot *r, const struct xml *from, const char *path, size_t *size)
{
    const char *why = NULL;
    char *home = home_of(r), *text = NULL;
    char *file = home ? realpath(path[0] == '/' ? path : arena_printf(r->arena, "%s/%s", home, path), NULL) : NULL;
    size_t n = home ? strlen(home) : 0;
    if (!file)
        robot_fail(r, from->file, from->line, "cannot read '%s': %s", path, strerror(errno));
    else if (strncmp(file, home, n) || (n > 1 && file[n] != '/'))
        robot_fail(r, from->file, from->line, "'%s' is refused: it lies outside the directory of the file", path);
    else if (!(text = read_whole(file, size, &why)))
        robot_fail(r, from->file, from->line, "cannot read '%s': %s", path, why);
    free(home);
    free(file);
    return text;
}
