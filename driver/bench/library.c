/* SPDX-License-Identifier: GPL-3.0-or-later
 * The models and the data of the literature, from files. */
#include "config.h"
#include "bench.h"
#include "commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The installed files for the installed program, else those of the source that it was built from. */
static FILE *find(const char *name)
{
    static const char *const installed[] = {MBS_BENCH_DATA, NULL}, *const source[] = {MBS_SOURCE "/models", MBS_SOURCE "/models/impacts", MBS_SOURCE "/tests/data",
                                                                                      MBS_SOURCE "/examples", MBS_SOURCE "/bench/impacts", NULL};
    char self[4096], path[4300];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    FILE *f = NULL;
    for (const char *const *dir = !strncmp(self, MBS_LIBEXEC "/", strlen(MBS_LIBEXEC) + 1) ? installed : source; *dir && !f; dir++) {
        snprintf(path, sizeof path, "%.4000s/%.200s", *dir, name);
        f = fopen(path, "r");
    }
    return f;
}

struct data library_open(struct bench *b, const char *name)
{
    struct data d = {.f = find(name)};
    if (!d.f) {
        complain(&manual_bench, "cannot read its file %s: %s", name, strerror(errno));
        if (b)
            b->good = false;
    }
    return d;
}

bool library_line(struct data *d)
{
    if (d->f && fgets(d->line, sizeof d->line, d->f))
        return true;
    if (d->f)
        fclose(d->f);
    d->f = NULL;
    return false;
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
static bool write_lines(const char *path, struct data *d, const char *from, const char *to)
{
    FILE *f = fopen(path, "w");
    bool found = !from;
    while (library_line(d)) {
        const char *at = from ? strstr(d->line, from) : NULL;
        found = found || at;
        if (f && at)
            fprintf(f, "%.*s%s%s", (int)(at - d->line), d->line, to, at + strlen(from));
        else if (f)
            fputs(d->line, f);
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
    struct data d = library_open(b, path);
    snprintf(dir, sizeof dir, "%.900s/mbs-bench.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    *build = (struct build){0};
    if (!d.f)
        return false;
    if (!mkdtemp(dir)) {
        complain(b->manual, "cannot make a directory for the model %s: %s", name, strerror(errno));
        return b->good = false;
    }
    snprintf(path, sizeof path, "%s/%s.mbs", dir, name);
    if (write_lines(path, &d, from, to))
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
