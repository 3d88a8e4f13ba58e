/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the commands that compute share: a model built and loaded, its parameters and inputs as the command line
 * has them, a simulation at a consistent start. */
#ifndef DRIVER_SESSION_H
#define DRIVER_SESSION_H
#include "build.h"
#include "mbs/mbs.h"
#include "settings.h"

struct input_table {            /* u(t) from a file: linear between the rows, constant outside */
    int input, n;
    double *t, *u;
};

struct session {
    const struct settings *settings;
    const struct manual *manual;
    struct build build;
    const struct mbs_model *model;
    double *params;             /* np */
    unsigned char *given;       /* np */
    double *c, *w, *u;          /* for evaluating the model here: its constants, workspace, inputs */
    double *G, *gt;             /* workspace of session_violation */
    struct mbs_options options;
    struct mbs_event *event;
    int events;
    struct input_table *table;
    int tables;
    double *breaks;
    struct mbs_sim *sim;
    double from, to, every;     /* NaN: not said */
};

/* Builds, sets, assembles; what goes wrong is said on standard error. */
/* The options of building, of any command that has them; false if they are wrong, which has been said. */
bool session_building(struct build_options *, const struct settings *, const struct manual *);
bool session_open(struct session *, const struct settings *, const struct manual *);
/* Whether the run has a length; says so if not. */
bool session_span(const struct session *);
void session_close(struct session *);

/* Largest violation of positions and velocities at a state. */
void session_violation(struct session *, const struct mbs_state *, double *position, double *velocity);
/* The same for a model with its constants; G has room for G and g, gt for a row each. */
void model_violation(const struct mbs_model *, const double *c, const struct mbs_state *, double *G, double *gt, double *w, double *position, double *velocity);
/* Says what a status of libmbs means, with the message of the simulation. */
/* After an event of the model: the functions that are called with s->c see its discrete states. */
void session_follow(struct session *);
void session_explain(const struct session *, int status);
/* Prints the methods (`--solver list`). */
void session_methods(void);
/* The index of a name among n, -1 and a message with a suggestion if it is none. */
int session_find(const struct manual *, const char *what, const char *name, size_t length, const struct mbs_name *, int n);
/* "rad" and "s" -> "rad/s"; "" stays "". */
void unit_over(char *to, size_t size, const char *unit, const char *per);
#endif
