/* SPDX-License-Identifier: GPL-3.0-or-later
 * The program mbs-bench, which `mbs bench` calls: its command line, the directory it writes to, progress. */
#include "config.h"
#include "bench.h"
#include "commands.h"
#include "interrupt.h"
#include "row.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct document *const documents[] = {&document_testset, &document_book, &document_alpha, &document_iftomm, &document_impacts, &document_piles, &document_accuracy};
enum { DOCUMENTS = sizeof documents / sizeof *documents };

void bench_plan(struct bench *b, int pieces) { b->total += pieces; }

static void progress_clear(struct bench *b)
{
    if (b->drawn)
        fputs("\r\x1b[K", stderr);
    b->drawn = false;
}

/* On a terminal one line that changes, else a line every ten seconds. */
void bench_step(struct bench *b, const char *fmt, ...)
{
    bool terminal = isatty(STDERR_FILENO);
    double now = wall_seconds();
    int part = b->total == 0 ? 0 : b->done < b->total ? 100 * b->done / b->total : 99;
    va_list ap;
    b->done++;
    if (b->quiet || now - b->shown < (terminal ? 0.05 : 10))
        return;
    b->shown = now;
    fprintf(stderr, "%s[%2d%%, %3.0f s] ", terminal ? "\r" : "", part, now - b->began);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputs(terminal ? "\x1b[K" : "\n", stderr);
    fflush(stderr);
    b->drawn = terminal;
}

bool bench_stopped(const struct bench *b) { return *interrupt_flag() || !b->good; }

bool bench_open_file(struct bench *b, struct out *o, const char *what)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%s", b->dir, b->name, what);
    if (out_open(o, path))
        return true;
    progress_clear(b);
    complain(b->manual, "%s", o->why);
    return b->good = false;
}

void bench_close_file(struct bench *b, struct out *o)
{
    if (!out_close(o)) {
        progress_clear(b);
        complain(b->manual, "%s", o->why);
        b->good = false;
    }
}

/* mkdir -p */
static bool make_directory(const struct manual *m, const char *path)
{
    char part[4096];
    if (strlen(path) >= sizeof part - 64) {
        complain(m, "the name of the directory is too long");
        return false;
    }
    strcpy(part, path);
    for (char *s = part + 1;; s++)
        if (*s == '/' || !*s) {
            char was = *s;
            *s = 0;
            if (mkdir(part, 0777) != 0 && errno != EEXIST) {
                complain(m, "cannot make the directory %s: %s", part, strerror(errno));
                return false;
            }
            *s = was;
            if (!was)
                return true;
        }
}

static int run(struct bench *b, const struct document *d)
{
    char path[4096], time[32];
    snprintf(path, sizeof path, "%s/%s.md", b->dir, d->name);
    if (!out_open(&b->document, path)) {
        complain(b->manual, "%s", b->document.why);
        return EXIT_FAILED;
    }
    b->md = b->document.f;
    b->began = b->shown = wall_seconds();
    fprintf(b->md, "## %s\n\n%s Made by `mbs bench %s%s`.\n", d->title, d->summary, d->name, b->quick ? " --quick" : "");
    d->run(b);
    claims_write(b);
    progress_clear(b);
    if (!b->good) {
        out_discard(&b->document);
        complain(b->manual, "not finished");
        return EXIT_FAILED;
    }
    if (*interrupt_flag())
        fputs("\n**Interrupted: this document is not complete.**\n", b->md);
    if (b->claims.agreed + b->claims.differed)
        fprintf(b->md, "\nOf %d published numbers %d agree and %d differ.\n", b->claims.agreed + b->claims.differed, b->claims.agreed,
                b->claims.differed);
    if (!out_close(&b->document)) {
        complain(b->manual, "%s", b->document.why);
        return EXIT_FAILED;
    }
    if (*interrupt_flag()) {
        complain(b->manual, "interrupted; what was computed is in %s", b->dir);
        return EXIT_FAILED;
    }
    if (!b->quiet)
        printf("%s: %d published numbers agree, %d differ; %s\nwritten: %s and %s/%s-*\n", d->name, b->claims.agreed, b->claims.differed,
               seconds_text(wall_seconds() - b->began, time), path, b->dir, d->name);
    return EXIT_OK;
}

static int command(int argc, char **argv)
{
    struct settings set;
    int status;
    if (!settings_parse(&set, &manual_bench, argc, argv, &status))
        return status;
    const struct document *d = NULL;
    for (int i = 0; i < DOCUMENTS; i++)
        if (!strcmp(set.files.at[0], documents[i]->name))
            d = documents[i];
    struct bench b = {.manual = &manual_bench, .dir = set.output ? set.output : "mbs-bench", .quick = set.quick, .quiet = set.quiet, .good = true,
                      .seed = set.seed > 0 ? set.seed : 0, .cases = set.cases};
    if (!d) {
        complain(&manual_bench, "there is no document '%s'; `mbs bench --help` lists them", set.files.at[0]);
        status = EXIT_USAGE;
    } else if (!make_directory(&manual_bench, b.dir)) {
        status = EXIT_FAILED;
    } else {
        b.name = d->name;
        interrupt_watch();
        interrupt_hold();
        status = run(&b, d);
    }
    claims_free(&b.claims);
    settings_free(&set);
    return status;
}

int main(int argc, char **argv) { return out_finish("mbs bench", command(argc, argv)); }
