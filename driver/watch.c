/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs watch`: a model is checked, run and its report written anew whenever one of its files is saved.
 *
 * Files are looked at four times a second: editors save by renaming as often as by writing, and the state of a name
 * tells both.  The page knows of a small script beside it, loads itself again when that one changes, and shows what is wrong if it says so: all that
 * the check and the run have said on standard error. */
#include "config.h"
#include "commands.h"
#include "compile.h"
#include "interrupt.h"
#include "base/out.h"
#include "json.h"
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const struct manual manual_watch = {
    "watch", "MODEL.mbs [options] [-o report.html]", FOR_WATCH,
    "Checks a model, runs it and writes its report each time the file, or one that it includes, is saved. A report that is\n"
    "open in a browser shows the new run by itself. Ctrl-C ends it.",
    "  mbs watch pendulum.mbs\n"
    "  mbs watch crank.mbs -D damped=true --to 0.05 -o crank.html\n",
    1, 1};

struct seen {
    char *path;
    struct timespec time;
    off_t size;
    ino_t inode;
    bool there;
};
struct watch {
    struct seen *at;
    int n;
};

static struct seen look(const char *path)
{
    struct stat st;
    struct seen s = {.path = strdup(path)};
    if (stat(path, &st) == 0)
        s.there = true, s.time = st.st_mtim, s.size = st.st_size, s.inode = st.st_ino;
    return s;
}
static void forget(struct watch *w)
{
    for (int i = 0; i < w->n; i++)
        free(w->at[i].path);
    free(w->at);
    *w = (struct watch){0};
}
static void remember(struct watch *w, const char *path)
{
    struct seen *more = realloc(w->at, ((size_t)w->n + 1) * sizeof *more);
    if (!more)
        return;
    w->at = more;
    w->at[w->n++] = look(path);
}
static bool changed(const struct watch *w)
{
    bool any = false;
    for (int i = 0; i < w->n && !any; i++) {
        struct seen old = w->at[i], now = look(old.path);
        any = old.there != now.there || (now.there && (old.size != now.size || old.inode != now.inode || old.time.tv_sec != now.time.tv_sec
                                                       || old.time.tv_nsec != now.time.tv_nsec));
        free(now.path);
    }
    return any;
}

/* Reads the model for the names of its files and for messages. */
static bool check(struct watch *w, const struct settings *set)
{
    struct compile_options o = {.front = settings_front(set)};
    forget(w);
    remember(w, set->files.at[0]);
    struct compile *c = compile_file(set->files.at[0], &o, COMPILE_EQUATIONS);
    bool good = c->good;
    for (int i = 0; i < c->base.sources.list.n; i++)
        remember(w, c->base.sources.list.at[i]->path);
    if (!good)
        fputs(compile_messages(c), stderr);
    compile_free(c);
    return good;
}

/* The stamp of this turn, and what was wrong in it ("": nothing). */
static void write_stamp(const char *path, int number, const char *wrong)
{
    struct out out;
    if (!out_open(&out, path)) {
        out_discard(&out);
        return;
    }
    fprintf(out.f, "mbsStamp(\"%ld.%d\"", (long)getpid(), number);
    if (*wrong) {
        fputs(", ", out.f);
        json_string(out.f, wrong);
    }
    fputs(");\n", out.f);
    out_close(&out);
}

/* A page that waits for the first good run. */
static void write_waiting(const char *page, const char *stamp)
{
    struct out out;
    if (access(page, F_OK) == 0)
        return;
    if (!out_open(&out, page)) {
        out_discard(&out);
        return;
    }
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>mbs watch</title></head>\n<body>\n<p>The model has not run yet.</p>\n", out.f);
    page_watch(out.f, stamp);
    fputs("</body>\n</html>\n", out.f);
    out_close(&out);
}

/* Standard error goes to a file without a name, to be shown in two places. */
struct hearing {
    FILE *log;
    int before;
};
static void hear(struct hearing *h)
{
    fflush(stderr);
    h->log = tmpfile();
    h->before = h->log ? dup(STDERR_FILENO) : -1;
    if (h->before >= 0)
        dup2(fileno(h->log), STDERR_FILENO);
}
/* What was said, on standard error after all; to be freed. */
static char *heard(struct hearing *h)
{
    char *text = NULL;
    long n = 0;
    fflush(stderr);
    if (h->before >= 0) {
        dup2(h->before, STDERR_FILENO);
        close(h->before);
        n = lseek(fileno(h->log), 0, SEEK_END);
        text = n >= 0 ? malloc((size_t)n + 1) : NULL;
        n = text ? pread(fileno(h->log), text, (size_t)n, 0) : 0;
    }
    if (text) {
        text[n > 0 ? n : 0] = 0;
        fputs(text, stderr);
    }
    if (h->log)
        fclose(h->log);
    return text;
}

static bool make_report(struct watch *w, const struct settings *set, const char *page, const char *stamp)
{
    return check(w, set) && report_apart(set, &manual_watch, page, stamp);
}

static bool once(struct watch *w, const struct settings *set, const char *page, const char *stamp, int number)
{
    const char *slash = strrchr(stamp, '/'), *name = slash ? slash + 1 : stamp;
    struct hearing h;
    hear(&h);
    bool good = make_report(w, set, page, name);
    char *text = heard(&h);
    if (!good && !set->quiet)
        fprintf(stderr, "mbs watch: %s has errors; %s still shows the last good run\n", set->files.at[0], page);
    if (!good && !set->once)
        write_waiting(page, name);
    write_stamp(stamp, number, good ? "" : text && *text ? text : "mbs watch: it did not go well; the terminal says why");
    free(text);
    return good;
}

int cmd_watch(int argc, char **argv)
{
    struct settings set;
    struct watch w = {0};
    char stamp[4200];
    int status;
    if (!settings_parse(&set, &manual_watch, argc, argv, &status))
        return status;
    interrupt_watch();
    char *page = output_name(&set, &manual_watch, ".html");
    if (!page) {
        settings_free(&set);
        return EXIT_FAILED;
    }
    snprintf(stamp, sizeof stamp, "%s.stamp.js", page);
    interrupt_cover(stamp);
    for (int number = 1;; number++) {
        status = once(&w, &set, page, stamp, number) ? EXIT_OK : EXIT_FAILED;
        if (set.once)
            break;
        interrupt_hold();
        while (!*interrupt_flag() && !changed(&w))
            nanosleep(&(struct timespec){0, 250000000}, NULL);
        interrupt_release();
        if (*interrupt_flag())
            break;
    }
    unlink(stamp);
    interrupt_uncover(stamp);
    forget(&w);
    free(page);
    settings_free(&set);
    return *interrupt_flag() ? EXIT_OK : status;
}
