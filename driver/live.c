/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs report --live`: the programs of the model for the page, which runs them again (report/live.js).  They are those of the interpreter
 * (mbsc --tapes), without the ones that only implicit methods need. */
#include "config.h"
#include "live.h"
#include "generate.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIVE_UNKNOWNS = 120 };   /* coordinates and constraint rows: dense elimination in JavaScript */

/* Why the page cannot run this model; NULL: it can. */
static const char *refusal(const struct session *s)
{
    const struct mbs_model *m = s->model;
    const char *file = s->settings->files.at[0], *dot = strrchr(file, '.');
    return dot && !strcmp(dot, ".c") ? "it needs the model, not its C code"
         : m->nevent || m->ncontact  ? "the model has events or one-sided contacts"
         : m->ns                     ? "start values are given to what is no coordinate"
         : s->settings->with.n       ? "the model calls C functions"
         : s->settings->input.n      ? "its inputs come from the command line"
         : m->nq + m->ng + m->nh > LIVE_UNKNOWNS ? "the model is too large for a page"
                                     : NULL;
}

/* The lists of these programs are kept: static const TYPE NAME_...[] = { ... }; */
static bool is_kept(const char *name)
{
    static const char *const kept[] = {"default_", "setup_", "initial_", "dynamics_", "constraints_", "energy_", "outputs_", "points_", "operators[", "table_"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (!strncmp(name, kept[i], strlen(kept[i])))
            return true;
    return false;
}

char *live_text(struct session *s)
{
    struct generated g;
    const char *why = refusal(s);
    struct build_options o = {.front = settings_front(s->settings), .quiet = true};
    if (why) {
        complain(s->manual, "the page will not run by itself (--live): %s", why);
        return NULL;
    }
    if (!generate_tapes(&g, s->settings->files.at[0], &o))
        return NULL;
    char *to = g.text, *at = g.text;
    while ((at = strstr(at, "\nstatic const "))) {
        char *end = strstr(++at, "};"), *name = strstr(at, "[]");
        while (name && name > at && name[-1] != ' ')
            name--;
        if (!end || !name)
            break;
        size_t n = (size_t)(end + 3 - at);
        if (is_kept(name)) {
            memmove(to, at, n);
            to += n;
        }
        at = end;
    }
    *to = 0;
    char *text = strdup(g.text);
    generated_fini(&g);
    return text;
}

static void write_numbers(FILE *f, const char *key, const double *x, int n)
{
    fprintf(f, ",\n\"%s\":[", key);
    for (int i = 0; i < n; i++) {
        if (i)
            putc(',', f);
        json_number(f, x[i]);
    }
    putc(']', f);
}
static void write_names(FILE *f, const char *key, const struct mbs_name *x, int n, bool unit)
{
    fprintf(f, ",\n\"%s\":[", key);
    for (int i = 0; i < n; i++) {
        if (i)
            putc(',', f);
        json_string(f, unit ? x[i].unit : x[i].name);
    }
    putc(']', f);
}
static void write_kinds(FILE *f, const char *key, const unsigned char *x, int n)
{
    fprintf(f, ",\n\"%s\":[", key);
    for (int i = 0; i < n; i++)
        fprintf(f, i ? ",%d" : "%d", x[i]);
    putc(']', f);
}
static void write_pattern(FILE *f, const char *key, const struct mbs_pattern *p)
{
    fprintf(f, ",\n\"%s\":{\"colptr\":[", key);
    for (int i = 0; i <= p->cols; i++)
        fprintf(f, i ? ",%d" : "%d", p->colptr[i]);
    fputs("],\"rowidx\":[", f);
    for (int i = 0; i < p->nnz; i++)
        fprintf(f, i ? ",%d" : "%d", p->rowidx[i]);
    fputs("]}", f);
}

void again_write(FILE *f, const struct result *r)
{
    const struct mbs_model *m = r->model;
    fputs(",\n\"again\":{\"given\":[", f);
    for (int i = 0, any = 0; i < m->np; i++)
        if (r->given && r->given[i]) {
            fprintf(f, any++ ? ",[%d," : "[%d,", i);
            json_number(f, r->params[i]);
            putc(']', f);
        }
    putc(']', f);
    write_names(f, "coord", m->coord, m->nq, false);
    write_names(f, "state", m->state, m->nz, false);
    write_names(f, "input", m->input, m->nu, false);
    write_names(f, "output", m->output, m->ny, false);
    write_names(f, "constraint", m->constraint, m->ng + m->nh, false);
    putc('}', f);
}

void live_write(FILE *f, const struct result *r)
{
    const struct mbs_model *m = r->model;
    fprintf(f, ",\n\"live\":{\"nq\":%d,\"nz\":%d,\"nu\":%d,\"ny\":%d,\"np\":%d,\"nc\":%d,\"ng\":%d,\"nh\":%d,\"npoint\":%d,\"rtol\":%.6g,\"atol\":%.6g", m->nq, m->nz, m->nu, m->ny,
            m->np, m->nc, m->ng, m->nh, m->npoint, r->rtol, r->atol);
    write_pattern(f, "M", &m->M);
    write_pattern(f, "G", &m->G);
    write_kinds(f, "qInit", m->q_init, m->nq);
    write_kinds(f, "vInit", m->v_init, m->nq);
    write_numbers(f, "q0", r->row + r->q, m->nq);
    write_numbers(f, "v0", r->row + r->v, m->nq);
    write_numbers(f, "u", r->row + r->u, m->nu);
    write_names(f, "coordUnit", m->coord, m->nq, true);
    fputs(",\n\"tapes\":", f);
    json_string(f, r->live);
    putc('}', f);
}
