/* SPDX-License-Identifier: GPL-3.0-or-later
 * The models and the data of the literature, from inside the program. */
#include "config.h"
#include "bench.h"
#include "bench_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct file {
    const char *name;
    const char *const *lines;
} files[] = {
#define FILE_NAMED(base, ending) {#base "." #ending, base##_##ending},
#include "library.def"
#undef FILE_NAMED
};

const char *const *library_data(const char *name)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(files[i].name, name))
            return files[i].lines;
    return NULL;
}

double *library_params(const struct mbs_model *m, const char *name, double value)
{
    double *p = calloc((size_t)m->np + 1, sizeof *p);
    unsigned char *given = calloc((size_t)m->np + 1, 1);
    for (int i = 0; p && given && name && i < m->np; i++)
        if (!strcmp(m->param[i].name, name)) {
            p[i] = value;
            given[i] = 1;
        }
    if (p && given)
        m->defaults(p, given);
    free(given);
    return p;
}

/* With `from` changed to `to` wherever it stands (NULL: nowhere), which must be somewhere. */
static bool write_lines(const char *path, const char *const *lines, const char *from, const char *to)
{
    FILE *f = fopen(path, "w");
    bool found = !from;
    for (; f && *lines; lines++) {
        const char *at = from ? strstr(*lines, from) : NULL;
        found = found || at;
        if (at)
            fprintf(f, "%.*s%s%s", (int)(at - *lines), *lines, to, at + strlen(from));
        else
            fputs(*lines, f);
    }
    return f && fclose(f) == 0 && found;
}

bool library_variant(struct bench *b, struct build *build, const char *name, const char *const *options, const char *from, const char *to)
{
    char dir[1024], path[2048];
    const char *tmp = getenv("TMPDIR");
    struct build_options o = {.optimize = "2", .quiet = true};
    int n = 0;
    while (options && options[n])
        n++;
    o.front.define = options;
    o.front.defines = n;
    snprintf(path, sizeof path, "%s.mbs", name);
    const char *const *lines = library_data(path);
    snprintf(dir, sizeof dir, "%.900s/mbs-bench.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    *build = (struct build){0};
    if (!lines || !mkdtemp(dir)) {
        complain(b->manual, lines ? "cannot make a directory for the model %s: %s" : "there is no model %s inside: %s", name, strerror(errno));
        return b->good = false;
    }
    snprintf(path, sizeof path, "%s/%s.mbs", dir, name);
    if (write_lines(path, lines, from, to))
        b->good = build_model(build, path, &o) && b->good;
    else
        complain(b->manual, "cannot write %s: %s", path, strerror(errno)), b->good = false;
    unlink(path);
    rmdir(dir);
    return b->good;
}

bool library_model(struct bench *b, struct build *build, const char *name, const char *const *options)
{
    return library_variant(b, build, name, options, NULL, NULL);
}
