/* SPDX-License-Identifier: GPL-3.0-or-later
 * The page of a study: one file in the manner of a report.  What is drawn is drawn here, as SVG; the script (study.js) adds what the pointer asks for. */
#ifndef STUDY_PAGE_H
#define STUDY_PAGE_H
#include "session.h"
#include "study/chart.h"
#include "study/free.h"

/* The page of a command, given to page_study(). */
struct page {
    const struct session *s;
    char subtitle[400];
    void (*body)(struct page *, FILE *);
    void (*data)(struct page *, FILE *);        /* members of the JSON object of the script, each after a comma; NULL: none */
    const void *user;
    bool lost;                          /* out of memory: nothing is written */
};
/* Whether the page of --page can be written, if it is asked for, before the work begins; says what is wrong. */
bool page_ready(const struct session *);
/* Writes it to the file of --page, whole or not at all; says what is wrong. */
bool page_study(struct page *);

/* ---- what the bodies are made of ---- */

void section_begin(FILE *, const char *id, const char *title);
void section_end(FILE *);
void paragraph(FILE *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A fact of the head: a label and a value. */
void fact(FILE *, const char *label, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Cells of a table. */
void cell_text(FILE *, const char *);
void cell_number(FILE *, double x, int digits);
/* A name and its unit. */
void cell_name(FILE *, const char *name, const char *unit);
/* A line that can be copied. */
void command_line(FILE *, const char *);
/* A card with a chart: <figure><figcaption>. */
void figure_begin(FILE *, const char *class, const char *title, const char *unit);
/* The rest of a <figcaption>. */
void figure_title(FILE *, const char *title, const char *unit);
void figure_end(FILE *);
/* The command line of a run with other values of some parameters; to be freed, NULL: out of memory. */
char *run_command(const struct session *, const int *param, const double *value, int n);

/* ---- of what searches for parameters ---- */

enum { COURSE_POINTS = 3000 };  /* more are left out */
/* A cell: bounds as a line, the value as a mark with two standard errors (NaN: none), the start as a grey one; without bounds the line is ten errors long. */
void span_cell(FILE *, double low, double high, double value, double error, double start);
/* A card: the values of the parameters on the way, over those that were found; course has a row of `stride` numbers a step, the parameters its first. */
void course_parameters(FILE *, struct page *, double width, const char *step_name, const struct freedom *, const double *value, int n, const double *course, long steps, size_t stride);
/* The section with the command, and with the run of what was found. */
void found_commands(FILE *, struct page *, const char *name, const struct freedom *, const double *value, int n);
#endif
