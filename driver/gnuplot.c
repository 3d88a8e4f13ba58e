/* SPDX-License-Identifier: GPL-3.0-or-later
 * gnuplot at the end of a pipe, started without a shell; its picture comes back and goes out as all files do. */
#include "config.h"
#include "plot.h"
#include "driver.h"
#include "interrupt.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum terminal { WINDOW, PNG, SVG, PDF, TEXT, UNKNOWN };
static const char *const terminal_names[] = {"window", "png", "svg", "pdf", "text"};

static bool has_screen(void)
{
    const char *x = getenv("DISPLAY"), *w = getenv("WAYLAND_DISPLAY");
    return (x && *x) || (w && *w);
}

static enum terminal choose_terminal(const struct settings *s)
{
    const char *name = s->terminal, *dot = s->output ? strrchr(s->output, '.') : NULL;
    if (!name && dot && (!strcmp(dot, ".png") || !strcmp(dot, ".svg") || !strcmp(dot, ".pdf")))
        name = dot + 1;
    if (!name && dot && !strcmp(dot, ".txt"))
        name = "text";
    if (!name)
        return s->output ? UNKNOWN : has_screen() ? WINDOW : TEXT;
    for (int i = 0; i < UNKNOWN; i++)
        if (!strcmp(name, terminal_names[i]))
            return (enum terminal)i;
    return UNKNOWN;
}

bool gnuplot_is_text(const struct settings *s) { return choose_terminal(s) == TEXT; }

static void set_terminal(FILE *f, const struct settings *s, enum terminal t)
{
    struct winsize size;
    double w = s->width, h = s->height;
    switch (t) {
    case WINDOW:        /* gnuplot's own choice of window, which the environment may name (GNUTERM) */
        break;
    case PNG:
        fprintf(f, "set terminal pngcairo noenhanced font 'sans,11' size %.0f,%.0f\n", w > 0 ? w : 1000, h > 0 ? h : 600);
        break;
    case SVG:
        fprintf(f, "set terminal svg noenhanced font 'sans-serif,13' size %.0f,%.0f background rgb 'white'\n", w > 0 ? w : 1000, h > 0 ? h : 600);
        break;
    case PDF:           /* in inches, a hundred pixels each */
        fprintf(f, "set terminal pdfcairo noenhanced font 'sans,11' size %.2f,%.2f\n", (w > 0 ? w : 800) / 100, (h > 0 ? h : 500) / 100);
        break;
    case TEXT:
    case UNKNOWN:
        if (!(w > 0))
            w = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1 : 79;
        fprintf(f, "set terminal dumb noenhanced size %.0f,%.0f\n", w, h > 0 ? h : 24);
        break;
    }
}

/* A file without a name, in memory if the system has such. */
static int nameless(void)
{
    int memory = memfd_create("mbs", MFD_CLOEXEC);
    if (memory >= 0)
        return memory;
    const char *tmp = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%.4000s/mbs-log.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

/* The child reads from a pipe of ours; its picture and its errors go to files without a name. */
static int start(struct gnuplot *g, bool window)
{
    const char *argv[] = {"gnuplot", "-d", window ? "-persist" : NULL, NULL};
    posix_spawn_file_actions_t files;
    int in[2], code;
    if (pipe2(in, O_CLOEXEC) != 0)
        return errno;
    if ((code = posix_spawn_file_actions_init(&files)) == 0) {
        code = posix_spawn_file_actions_adddup2(&files, in[0], 0);
        if (!window && !code)
            code = posix_spawn_file_actions_adddup2(&files, g->picture, 1);
        if (g->log >= 0 && !code)
            code = posix_spawn_file_actions_adddup2(&files, g->log, 2);
        if (!code)
            code = posix_spawnp(&g->pid, argv[0], &files, NULL, (char *const *)argv, environ);
        posix_spawn_file_actions_destroy(&files);
    }
    close(in[0]);
    if (code || !(g->f = fdopen(in[1], "w"))) {
        code = code ? code : errno;
        close(in[1]);
    }
    return code;
}

static void forget(struct gnuplot *g)
{
    out_discard(&g->out);
    if (g->picture >= 0)
        close(g->picture);
    if (g->log >= 0)
        close(g->log);
    g->picture = g->log = -1;
}

void gnuplot_string(FILE *f, const char *s)
{
    putc('"', f);
    for (; *s; s++)
        if (isalnum((unsigned char)*s) || strchr(" _.,:;()[]/+*^=-", *s))
            putc(*s, f);
        else if ((unsigned char)*s >= 0x20 && *s != 0x7f)
            fprintf(f, "\\%03o", (unsigned char)*s);
    putc('"', f);
}

bool gnuplot_open(struct gnuplot *g, const struct settings *s, const struct manual *m)
{
    enum terminal t = choose_terminal(s);
    *g = (struct gnuplot){.status = EXIT_FAILED, .picture = -1, .log = -1};
    if (t == UNKNOWN || (t == WINDOW && s->output)) {
        complain(m, "a picture is png, svg, pdf or text: name the file so, or say -t");
        g->status = EXIT_USAGE;
        return false;
    }
    if (t != WINDOW && !out_open(&g->out, s->output ? s->output : "-")) {
        complain(m, "%s", g->out.why);
        forget(g);
        return false;
    }
    g->kind = (int)t;
    g->log = nameless();
    if (t != WINDOW && (g->picture = nameless()) < 0) {
        complain(m, "cannot make a temporary file: %s", strerror(errno));
        forget(g);
        return false;
    }
    int code = start(g, t == WINDOW);
    if (code) {
        if (code == ENOENT)
            complain(m, "gnuplot was not found, which draws the pictures: install it (Debian: apt-get install gnuplot-nox)");
        else
            complain(m, "gnuplot cannot be run: %s", strerror(code));
        forget(g);
        return false;
    }
    g->pipe = signal(SIGPIPE, SIG_IGN);         /* if it ends early, its own words say why */
    set_terminal(g->f, s, t);
    return true;
}

static void copy_picture(struct gnuplot *g)
{
    char buffer[65536];
    off_t at = 0;
    for (ssize_t n; (n = pread(g->picture, buffer, sizeof buffer, at)) > 0; at += n)
        fwrite(buffer, 1, (size_t)n, g->out.f);
}

/* gnuplot does not look whether its writes go through: the picture must end as one of its kind does. */
static bool is_whole(const struct gnuplot *g)
{
    static const char *const ending[] = {[PNG] = "IEND", [SVG] = "</svg>", [PDF] = "%%EOF", [TEXT] = "\n", [WINDOW] = NULL};
    const char *end = g->kind < (int)(sizeof ending / sizeof *ending) ? ending[g->kind] : NULL;
    char tail[33];
    off_t size = lseek(g->picture, 0, SEEK_END);
    ssize_t n = pread(g->picture, tail, 32, size > 32 ? size - 32 : 0);
    for (ssize_t i = 0; i < n && end; i++)
        if (!memcmp(tail + i, end, (size_t)(n - i) < strlen(end) ? (size_t)(n - i) : strlen(end)) && (size_t)(n - i) >= strlen(end))
            return true;
    return !end;
}

static void complain_log(const struct gnuplot *g, const struct manual *m)
{
    char text[2000];
    ssize_t n = g->log >= 0 ? pread(g->log, text, sizeof text - 1, 0) : 0;
    text[n > 0 ? n : 0] = 0;
    complain(m, "gnuplot failed%s%s", *text ? ":\n" : "", text);
}

void gnuplot_discard(struct gnuplot *g)
{
    int status;
    fclose(g->f);
    signal(SIGPIPE, g->pipe);
    while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    forget(g);
}

bool gnuplot_close(struct gnuplot *g, const struct manual *m)
{
    int status = 0;
    bool good = fclose(g->f) == 0;
    signal(SIGPIPE, g->pipe);
    while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!good) {
        complain_log(g, m);
    } else if (*interrupt_flag()) {
        complain(m, "interrupted");
        good = false;
    } else if (g->out.f && !is_whole(g)) {
        complain(m, "cannot write %s: gnuplot's picture is not whole", g->out.path);
        good = false;
    } else if (g->out.f) {
        copy_picture(g);
        if (!(good = out_close(&g->out)))
            complain(m, "%s", g->out.why);
    }
    forget(g);
    return good;
}
