/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs plot`: curves from CSV files through gnuplot.  gnuplot is started without a shell and reads its commands and
 * the data from a pipe; names and titles go to it as quoted strings, numbers as numbers, so that nothing in a file
 * can become a command. */
#include "config.h"
#include "commands.h"
#include "base/diag.h"
#include "csv.h"
#include "interrupt.h"
#include "plot.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const struct manual manual_plot = {
    "plot", "FILE.csv... [COLUMN...] [options]", FOR_PLOT,
    "Draws columns of CSV files over the first one, several files over each other. A column is named as in the file, with\n"
    "or without its unit; `lambda*` means all that start so; without names the first eight are drawn. The picture goes to\n"
    "a window, to the file of -o (.png, .svg, .pdf by its name), or as text to the terminal if there is no screen.",
    "  mbs plot pendulum.csv phi\n"
    "  mbs plot squeezer.csv beta Theta -o squeezer.svg\n"
    "  mbs plot a.csv b.csv phi -t text            two runs over each other\n"
    "  mbs plot pendulum.csv phi --phase -o phase.png\n"
    "  mbs plot cases.csv 'max(phi)' -x l --points     the cases of a study\n",
    1, -1};

struct curve {
    int file, x, y;
};
struct plot {
    const struct settings *set;
    struct csv *csv;
    const char **path;
    int files;
    struct curve *curve;
    int curves;
};

static bool column_is(const char *header, const char *wanted)
{
    char name[512];
    snprintf(name, sizeof name, "%.*s", (int)csv_name_length(header), header);
    return !strcmp(header, wanted) || !strcmp(name, wanted);
}
static bool column_matches(const char *header, const char *pattern)
{
    char name[512];
    if (column_is(header, pattern))
        return true;
    snprintf(name, sizeof name, "%.*s", (int)csv_name_length(header), header);
    return strpbrk(pattern, "*?") && fnmatch(pattern, name, 0) == 0;
}
static int column_find(const struct csv *c, const char *name)
{
    for (int i = 0; i < c->columns; i++)
        if (column_is(c->name[i], name))
            return i;
    return -1;
}
static void column_unknown(const struct csv *c, const char *path, const char *name)
{
    struct arena arena = {0};
    struct suggestion near;
    suggest_init(&near, name);
    for (int i = 0; i < c->columns; i++)
        suggest_offer(&near, arena_strndup(&arena, c->name[i], csv_name_length(c->name[i])));
    complain(&manual_plot, "%s has no column '%s'%s", path, name, suggest_text(&near, &arena));
    arena_free(&arena);
}

static bool curve_add(struct plot *p, int file, int x, int y)
{
    struct curve *more = realloc(p->curve, ((size_t)p->curves + 1) * sizeof *more);
    if (!more)
        return false;
    p->curve = more;
    p->curve[p->curves++] = (struct curve){file, x, y};
    return true;
}

/* The curves of one wanted name in one file; false if there is none. */
static bool choose(struct plot *p, int file, int x, const char *wanted)
{
    const struct csv *c = &p->csv[file];
    int before = p->curves;
    for (int i = 0; i < c->columns; i++) {
        /* a pattern leaves the horizontal axis out, its own name does not */
        if (!column_matches(c->name[i], wanted) || (i == x && !column_is(c->name[i], wanted)))
            continue;
        if (!p->set->phase) {
            if (!curve_add(p, file, x, i))
                return complain(&manual_plot, "out of memory"), false;
            continue;
        }
        char rate[520];
        snprintf(rate, sizeof rate, "%.*s'", (int)csv_name_length(c->name[i]), c->name[i]);
        int v = column_find(c, rate);
        if (v < 0) {
            complain(&manual_plot, "%s has no velocity '%s', which --phase needs", p->path[file], rate);
            return false;
        }
        if (!curve_add(p, file, i, v))
            return complain(&manual_plot, "out of memory"), false;
    }
    if (p->curves == before)
        column_unknown(c, p->path[file], wanted);
    return p->curves > before;
}

static bool choose_all(struct plot *p, const char *const *wanted, int n)
{
    for (int f = 0; f < p->files; f++) {
        const struct csv *c = &p->csv[f];
        int x = 0;
        if (p->set->x && (x = column_find(c, p->set->x)) < 0)
            return column_unknown(c, p->path[f], p->set->x), false;
        for (int i = 0; i < n; i++)
            if (!choose(p, f, x, wanted[i]))
                return false;
        for (int i = 0, taken = 0; !n && i < c->columns && taken < 8; i++) {
            char rate[520];
            snprintf(rate, sizeof rate, "%.*s'", (int)csv_name_length(c->name[i]), c->name[i]);
            if (i == x || (p->set->phase && column_find(c, rate) < 0))
                continue;
            if (!(p->set->phase ? curve_add(p, f, i, column_find(c, rate)) : curve_add(p, f, x, i)))
                return complain(&manual_plot, "out of memory"), false;
            taken++;
        }
    }
    if (!p->curves)
        complain(&manual_plot, "there is nothing to draw");
    return p->curves > 0;
}

static void curve_title(FILE *f, const struct plot *p, const struct curve *k)
{
    char title[1400];
    const struct csv *c = &p->csv[k->file];
    const char *slash = strrchr(p->path[k->file], '/'), *name = c->name[k->y];
    if (p->files > 1)
        snprintf(title, sizeof title, "%s: %s", slash ? slash + 1 : p->path[k->file], name);
    else
        snprintf(title, sizeof title, "%s", name);
    gnuplot_string(f, title);
}

static void write_script(FILE *f, const struct plot *p)
{
    const struct settings *set = p->set;
    const struct csv *c = &p->csv[p->curve[0].file];
    bool same = true;
    fputs("set encoding utf8\nset grid lc rgb '#d0d4dc'\nset border 3\nset tics nomirror out\nset key outside top center horizontal noenhanced\n"
          "set style data lines\n", f);
    fputs("set linetype 1 lc rgb '#2a6fdb' lw 2\nset linetype 2 lc rgb '#e2672b' lw 2\nset linetype 3 lc rgb '#12996b' lw 2\n"
          "set linetype 4 lc rgb '#c99700' lw 2\nset linetype 5 lc rgb '#c2478d' lw 2\nset linetype 6 lc rgb '#6a4fc8' lw 2\n"
          "set linetype 7 lc rgb '#0f95b5' lw 2\nset linetype 8 lc rgb '#7a5a3a' lw 2\n", f);
    for (int i = 1; i < p->curves; i++)
        same = same && p->curve[i].x == p->curve[0].x;
    if (same || !set->phase) {
        fputs("set xlabel noenhanced ", f);
        gnuplot_string(f, c->name[p->curve[0].x]);
        putc('\n', f);
    }
    if (p->curves == 1) {
        fputs("set ylabel noenhanced ", f);
        gnuplot_string(f, c->name[p->curve[0].y]);
        putc('\n', f);
    }
    if (set->title) {
        fputs("set title noenhanced ", f);
        gnuplot_string(f, set->title);
        putc('\n', f);
    }
    if (set->logx)
        fputs("set logscale x\n", f);
    if (set->logy)
        fputs("set logscale y\n", f);
    for (int i = 0; i < p->curves; i++) {
        const struct curve *k = &p->curve[i];
        fprintf(f, "$data%d << END\n", i);
        for (int r = 0; r < p->csv[k->file].rows; r++) {
            double x = csv_get(&p->csv[k->file], r, k->x), y = csv_get(&p->csv[k->file], r, k->y);
            if (isfinite(x) && isfinite(y))
                fprintf(f, "%.9g %.9g\n", x, set->logy ? fabs(y) : y);
            else
                putc('\n', f);
        }
        fputs("END\n", f);
    }
    for (int i = 0; i < p->curves; i++) {
        fprintf(f, i ? ", $data%d title " : "plot $data%d title ", i);
        curve_title(f, p, &p->curve[i]);
        fprintf(f, " %slt %d", set->points ? "with points pt 7 ps 0.4 " : "", i + 1);
    }
    putc('\n', f);
}

static bool read_files(struct plot *p, const struct list *l, int files)
{
    p->csv = calloc((size_t)files, sizeof *p->csv);
    p->path = l->at;
    for (; p->csv && p->files < files; p->files++) {
        struct csv *c = &p->csv[p->files];
        if (!csv_read(c, l->at[p->files])) {
            complain(&manual_plot, "%s", c->why);
            return false;
        }
        if (c->columns < 2 || c->rows < 1) {
            complain(&manual_plot, "%s has nothing to draw: %d columns, %d rows", l->at[p->files], c->columns, c->rows);
            p->files++;
            return false;
        }
    }
    if (!p->csv)
        complain(&manual_plot, "out of memory");
    return p->csv != NULL;
}

/* The leading arguments that are files: they exist, are "-", or look like one. */
static int count_files(const struct list *l)
{
    int n = 0;
    while (n < l->n) {
        const char *a = l->at[n];
        size_t k = strlen(a);
        if (strcmp(a, "-") && access(a, F_OK) != 0 && !(k > 4 && !strcmp(a + k - 4, ".csv")))
            break;
        n++;
    }
    return n;
}

int cmd_plot(int argc, char **argv)
{
    struct settings set;
    struct plot p = {.set = &set};
    int status;
    if (!settings_parse(&set, &manual_plot, argc, argv, &status))
        return status;
    interrupt_watch();
    status = EXIT_FAILED;
    int files = count_files(&set.files);
    if (!files)
        complain(&manual_plot, "cannot read %s: %s", set.files.at[0], strerror(ENOENT));
    else if (read_files(&p, &set.files, files) && choose_all(&p, set.files.at + files, set.files.n - files)) {
        struct gnuplot g;
        if (gnuplot_open(&g, &set, &manual_plot)) {
            write_script(g.f, &p);
            status = gnuplot_close(&g, &manual_plot) ? EXIT_OK : EXIT_FAILED;
        } else {
            status = g.status;
        }
    }
    for (int i = 0; p.csv && i < files; i++)
        csv_free(&p.csv[i]);
    free(p.csv);
    free(p.curve);
    settings_free(&set);
    return status;
}
