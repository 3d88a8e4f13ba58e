/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs plot`: curves from CSV and HDF5 files, runs and sweeps, through gnuplot.  gnuplot is started without a shell and reads its commands and
 * the data from a pipe; names and titles go to it as quoted strings, numbers as numbers, so that nothing in a file
 * can become a command. */
#include "config.h"
#include "commands.h"
#include "base/diag.h"
#include "csv.h"
#include "interrupt.h"
#include "plot.h"
#include "plot_pane.h"
#include "plot_sweep.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const struct manual manual_plot = {
    "plot", "FILE.csv... [COLUMN...] [options]", FOR_PLOT,
    "Draws columns of CSV or HDF5 files over the first one, several files over each other. A column is named as in the file, with\n"
    "or without its unit; `lambda*` means all that start so; without names the first eight are drawn. Each unit has a pane of its own; more\n"
    "than eight curves of one unit get one each, on one scale. A path (-x P.x P.y) has equal scales. Of a sweep, measures are drawn over the\n"
    "first parameter that varies (or -x), a line for each value of the others, and curves that it has kept over time. The picture goes to\n"
    "a window, to the file of -o (.png, .svg, .pdf by its name), or as text to the terminal if there is no screen.",
    "  mbs plot pendulum.csv phi\n"
    "  mbs plot squeezer.csv beta Theta -o squeezer.svg\n"
    "  mbs plot a.csv b.csv phi -t text            two runs over each other\n"
    "  mbs plot pendulum.csv phi --phase -o phase.png\n"
    "  mbs plot sweep.csv 'max(phi)' -x l -o lengths.png\n"
    "  mbs plot sweep.csv 'max(phi)' -x l --points -o cases.png\n",
    1, -1};

struct plot {
    const struct settings *set;
    struct csv *csv;
    const char **path;
    int files;
    struct figure figure;
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
    const char *list = "";
    suggest_init(&near, name);
    for (int i = 0; i < c->columns; i++) {
        const char *one = arena_strndup(&arena, c->name[i], csv_name_length(c->name[i]));
        suggest_offer(&near, one);
        if (i < 20)
            list = arena_printf(&arena, "%s%s%s", list, i ? ", " : "", one);
    }
    complain(&manual_plot, "%s has no column '%s'%s; it has %s%s", path, name, suggest_text(&near, &arena), list, c->columns > 20 ? " ..." : "");
    arena_free(&arena);
}

/* Column y of a file over column x. */
static bool curve_add(struct plot *p, int file, int x, int y)
{
    const struct csv *c = &p->csv[file];
    const char *slash = strrchr(p->path[file], '/');
    char title[1400];
    if (p->files > 1)
        snprintf(title, sizeof title, "%s: %s", slash ? slash + 1 : p->path[file], c->name[y]);
    else
        snprintf(title, sizeof title, "%s", c->name[y]);
    struct curve *k = figure_add(&p->figure, title, c->name[x], c->name[y], c->rows);
    for (int r = 0; k && r < c->rows; r++) {
        k->x[r] = csv_get(c, r, x);
        k->y[r] = csv_get(c, r, y);
    }
    if (!k)
        complain(&manual_plot, "out of memory");
    return k != NULL;
}

/* The curves of one wanted name in one file; false if there is none. */
static bool choose(struct plot *p, int file, int x, const char *wanted)
{
    const struct csv *c = &p->csv[file];
    int before = p->figure.curves;
    for (int i = 0; i < c->columns; i++) {
        /* a pattern leaves the horizontal axis out, its own name does not */
        if (!column_matches(c->name[i], wanted) || (i == x && !column_is(c->name[i], wanted)))
            continue;
        if (!p->set->phase) {
            if (!curve_add(p, file, x, i))
                return false;
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
            return false;
    }
    if (p->figure.curves == before)
        column_unknown(c, p->path[file], wanted);
    return p->figure.curves > before;
}

static bool choose_all(struct plot *p, const char *const *wanted, int n)
{
    for (int f = 0; f < p->files; f++) {
        const struct csv *c = &p->csv[f];
        char why[300];
        int x = 0;
        if (sweep_is(c)) {
            if (!sweep_curves(&p->figure, c, p->set->x, wanted, n, why))
                return complain(&manual_plot, "%s: %s", p->path[f], why), false;
            continue;
        }
        if (p->set->x && (x = column_find(c, p->set->x)) < 0)
            return column_unknown(c, p->path[f], p->set->x), false;
        for (int i = 0; i < n; i++)
            if (!choose(p, f, x, wanted[i]))
                return false;
        for (int i = 0, taken = 0; !n && i < c->columns && taken < PANE_CURVES; i++) {
            char rate[520];
            snprintf(rate, sizeof rate, "%.*s'", (int)csv_name_length(c->name[i]), c->name[i]);
            if (i == x || (p->set->phase && column_find(c, rate) < 0))
                continue;
            if (!(p->set->phase ? curve_add(p, f, i, column_find(c, rate)) : curve_add(p, f, x, i)))
                return false;
            taken++;
        }
    }
    if (!p->figure.curves)
        complain(&manual_plot, "there is nothing to draw");
    return p->figure.curves > 0;
}

/* P.x and P.y: two components of one thing. */
static bool are_components(const char *x, const char *y)
{
    size_t a = csv_name_length(x), b = csv_name_length(y);
    return a == b && a > 2 && x[a - 2] == '.' && !strncmp(x, y, a - 1) && strchr("xyz", x[a - 1]) && strchr("xyz", y[a - 1]);
}
/* Places over places, in one unit of length: a path. */
static bool is_path(const struct plot *p)
{
    bool path = p->set->x && !p->set->phase && !p->set->logx && !p->set->logy;
    for (int i = 0; i < p->figure.curves && path; i++) {
        const struct curve *k = &p->figure.curve[i];
        const char *a = k->x_name + csv_name_length(k->x_name), *b = k->y_name + csv_name_length(k->y_name);
        path = !strcmp(a, b) && (!strcmp(a, " [m]") || !strcmp(a, " [mm]") || are_components(k->x_name, k->y_name));
    }
    return path;
}

static int draw(struct plot *p)
{
    struct settings set = *p->set;
    struct gnuplot g;
    char why[200];
    if (!figure_arrange(&p->figure, why)) {
        complain(&manual_plot, "%s", why);
        return EXIT_FAILED;
    }
    p->figure.equal = is_path(p);
    for (int i = 0; i < p->figure.curves; i++)
        p->figure.curve[i].points |= set.points;
    bool text = gnuplot_is_text(&set);
    if (!(set.height > 0) && p->figure.panes > 1 && !text)
        set.height = figure_height(&p->figure);
    if (!gnuplot_open(&g, &set, &manual_plot))
        return g.status;
    figure_write(g.f, &p->figure, &(struct figure_style){set.title, set.logx, set.logy, text});
    return gnuplot_close(&g, &manual_plot) ? EXIT_OK : EXIT_FAILED;
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
        if (strcmp(a, "-") && access(a, F_OK) != 0 && !(k > 4 && !strcmp(a + k - 4, ".csv")) && !(k > 3 && !strcmp(a + k - 3, ".h5")))
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
    else if (read_files(&p, &set.files, files) && choose_all(&p, set.files.at + files, set.files.n - files))
        status = draw(&p);
    for (int i = 0; p.csv && i < files; i++)
        csv_free(&p.csv[i]);
    free(p.csv);
    figure_free(&p.figure);
    settings_free(&set);
    return status;
}
