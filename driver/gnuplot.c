/* SPDX-License-Identifier: GPL-3.0-or-later
 * gnuplot at the end of a pipe, started without a shell.  A picture is written under another name and renamed. */
#include "config.h"
#include "plot.h"
#include "build.h"
#include "driver.h"
#include "interrupt.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
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

/* The child's standard input is our pipe, its errors go to a file. */
static int start(struct gnuplot *g, bool window)
{
    const char *argv[] = {"gnuplot", "-d", window ? "-persist" : NULL, NULL};
    posix_spawn_file_actions_t files;
    int ends[2], code;
    if (pipe(ends) != 0)
        return errno;
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[0], 0);
    posix_spawn_file_actions_addclose(&files, ends[0]);
    posix_spawn_file_actions_addopen(&files, 2, g->log, O_WRONLY | O_TRUNC, 0600);
    code = posix_spawnp(&g->pid, argv[0], &files, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[0]);
    if (code || !(g->f = fdopen(ends[1], "w"))) {
        close(ends[1]);
        return code ? code : errno;
    }
    return 0;
}

/* A name for the picture while it is made, in its directory. */
static bool reserve(struct gnuplot *g, const char *path, const struct manual *m)
{
    size_t n = strlen(path) + 16;
    g->path = strdup(path);
    g->temp = malloc(n);
    if (!g->path || !g->temp)
        return complain(m, "out of memory"), false;
    snprintf(g->temp, n, "%s.XXXXXX", path);
    int fd = mkstemp(g->temp);
    if (fd < 0) {
        complain(m, "cannot write %s: %s", path, strerror(errno));
        *g->temp = 0;
        return false;
    }
    fchmod(fd, 0644);
    close(fd);
    interrupt_cover(g->temp);
    return true;
}

static void forget(struct gnuplot *g)
{
    if (g->temp && *g->temp) {
        unlink(g->temp);
        interrupt_uncover(g->temp);
    }
    if (*g->log)
        unlink(g->log);
    free(g->temp);
    free(g->path);
    g->temp = g->path = NULL;
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
    *g = (struct gnuplot){.status = EXIT_FAILED};
    if (t == UNKNOWN || (t == WINDOW && s->output)) {
        complain(m, "a picture is png, svg, pdf or text: name the file so, or say -t");
        g->status = EXIT_USAGE;
        return false;
    }
    snprintf(g->log, sizeof g->log, "/tmp/mbs-gnuplot-XXXXXX");
    int fd = mkstemp(g->log);
    if (fd >= 0)
        close(fd);
    else
        strcpy(g->log, "/dev/null");
    bool file = s->output && strcmp(s->output, "-");
    if (file && strpbrk(s->output, "\r\n")) {
        complain(m, "gnuplot cannot write to a file with a line end in its name");
        forget(g);
        return false;
    }
    if (file && !reserve(g, s->output, m)) {
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
    set_terminal(g->f, s, t);
    if (file) {
        fputs("set output ", g->f);
        gnuplot_string(g->f, g->temp);
        putc('\n', g->f);
    }
    return true;
}

bool gnuplot_close(struct gnuplot *g, const struct manual *m)
{
    int status = 0;
    bool good = fclose(g->f) == 0;
    while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!good) {
        char *log = strcmp(g->log, "/dev/null") ? file_read(g->log, NULL) : NULL;
        complain(m, "gnuplot failed%s%s", log && *log ? ":\n" : "", log ? log : "");
        free(log);
    } else if (g->temp && rename(g->temp, g->path) != 0) {
        complain(m, "cannot write %s: %s", g->path, strerror(errno));
        good = false;
    } else if (g->temp) {
        interrupt_uncover(g->temp);
        *g->temp = 0;
    }
    if (!strcmp(g->log, "/dev/null"))
        *g->log = 0;
    forget(g);
    return good;
}
