/* SPDX-License-Identifier: MIT
 *
 * A model from a file of tapes: its descriptor and its functions (design 0017).
 *
 * The functions of a model know nothing but the constants c that setup() made; so c[0] of an interpreted model says which model it is,
 * the constants of the file follow.  defaults() and setup(), which come before there is a c, are of a fixed number, one pair for each
 * of the models that may be open at the same time (slots.c). */
#include "interpret/interpret.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions ---- */

static const struct mbs_interpreted *context(const double *c)
{
    const struct mbs_interpreted *x;

    memcpy(&x, c, sizeof x);
    return x;
}

/* Rows of a program that is given no workspace; NULL: there is no memory, and the results are NaN. */
static double *own_rows(const struct mbs_tape *t) { return malloc(((size_t)t->rows + 1) * sizeof(double)); }

void mbs_interpreted_defaults(const struct mbs_interpreted *x, double *p, const unsigned char *given)
{
    for (int i = 0; i < x->model.np; i++)
        if (!given || !given[i])
            p[i] = x->value[i];
    for (int i = 0; i < x->defaults; i++) {
        const struct mbs_tape *t = &x->default_tape[i];
        int k = t->out[0].index;
        double *w = given && given[k] ? NULL : own_rows(t);
        if (w)
            mbs_tape_run(t, x->table, NULL, p, NULL, &p, w);
        else if (!given || !given[k])
            p[k] = NAN;
        free(w);
    }
}

void mbs_interpreted_setup(const struct mbs_interpreted *x, const double *p, double *c)
{
    double *to = c + 1, *w = own_rows(&x->setup);

    memcpy(c, &x, sizeof x);
    for (int i = 0; i < x->model.nc - 1; i++)
        to[i] = i < x->model.np ? p[i] : (double)NAN;
    if (w)
        mbs_tape_run(&x->setup, x->table, NULL, p, NULL, &to, w);
    free(w);
}

static void initial(const double *c, double *q, double *v, double *z, double *u)
{
    const struct mbs_interpreted *x = context(c);
    double *const array[] = { q, v, z, u }, *w = own_rows(&x->initial);

    if (w)
        mbs_tape_run(&x->initial, x->table, c + 1, NULL, NULL, array, w);
    for (int i = 0; !w && i < x->model.nq; i++)
        q[i] = v[i] = NAN;
    free(w);
}

#define ARGUMENT_STRUCT(name) const struct mbs_##name *
#define ARGUMENT_ARRAY(name) double *
#define ARRAYS_STRUCT(out) ((double *const *)(const void *)(out))       /* its members are pointers to arrays, in the order of model.def */
#define ARRAYS_ARRAY(out) (&(out))
#define QUANTITY(name, rows, columns, of, by, form)
#define FUNCTION(name, argument, form, reads, gives)                                                                                     \
    static void run_##name(const double *c, const struct mbs_state *s, ARGUMENT_##form(name) out, double *w)                             \
    {                                                                                                                                    \
        const struct mbs_interpreted *x = context(c);                                                                                    \
        mbs_tape_run(&x->function[MBS_FUNCTION_##name], x->table, c + 1, NULL, s, ARRAYS_##form(out), w);                                 \
    }
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION

/* ---- lists of the descriptor ---- */

struct loader {
    struct mbs_interpreted *x;
    struct mbs_text text;
    char why[300];
};

static int wrong(struct loader *l, const char *what, const char *name)
{
    if (!*l->why)
        snprintf(l->why, sizeof l->why, "%.100s: %.150s", name, what);
    if (!strcmp(what, "out of memory"))         /* which is no fault of the text */
        l->x->heap.failed = 1;
    return 0;
}

/* A list that stands there, or elsewhere under a name. */
static const struct mbs_value *list_of(struct loader *l, const struct mbs_value *v)
{
    return v->kind == MBS_VALUE_LIST ? v : v->kind == MBS_VALUE_WORD ? mbs_text_list(&l->text, v->as.text) : NULL;
}
static const struct mbs_value *item(const struct mbs_value *v, int k)
{
    static const struct mbs_value zero;

    return v->kind == MBS_VALUE_LIST && k < v->n ? &v->as.item[k] : &zero;
}
static double number(const struct mbs_value *v) { return v->kind == MBS_VALUE_NUMBER ? v->as.number : 0; }
static int whole(const struct mbs_value *v) { return fabs(number(v)) < 2e9 ? (int)number(v) : 0; }
static const char *text(const struct mbs_value *v) { return v->kind == MBS_VALUE_STRING ? v->as.text : NULL; }
static const char *text_or_empty(const struct mbs_value *v) { return text(v) ? text(v) : ""; }

static void fill_int(void *to, const struct mbs_value *v) { *(int *)to = whole(v); }
static void fill_double(void *to, const struct mbs_value *v) { *(double *)to = number(v); }
static void fill_byte(void *to, const struct mbs_value *v) { *(unsigned char *)to = (unsigned char)whole(v); }
static void fill_string(void *to, const struct mbs_value *v) { *(const char **)to = text_or_empty(v); }
static void fill_name(void *to, const struct mbs_value *v)
{
    *(struct mbs_name *)to = (struct mbs_name){ text_or_empty(item(v, 0)), text_or_empty(item(v, 1)), whole(item(v, 2)) };
}
static void fill_shape(void *to, const struct mbs_value *v)
{
    *(struct mbs_shape *)to = (struct mbs_shape){ text_or_empty(item(v, 0)), whole(item(v, 1)), whole(item(v, 2)), whole(item(v, 3)),
                                                  text(item(v, 4)), text(item(v, 5)), number(item(v, 6)), number(item(v, 7)) };
}
static void fill_when(void *to, const struct mbs_value *v)
{
    *(struct mbs_when *)to = (struct mbs_when){ whole(item(v, 0)), whole(item(v, 1)), whole(item(v, 2)), whole(item(v, 3)), whole(item(v, 4)),
                                                text(item(v, 5)) };
}
static void fill_jump(void *to, const struct mbs_value *v) { *(struct mbs_jump *)to = (struct mbs_jump){ whole(item(v, 0)), whole(item(v, 1)) }; }
static void fill_contact(void *to, const struct mbs_value *v)
{
    *(struct mbs_contact *)to = (struct mbs_contact){ whole(item(v, 0)), whole(item(v, 1)), whole(item(v, 2)), whole(item(v, 3)), whole(item(v, 4)),
                                                      whole(item(v, 5)) };
}

static int wrong_list(struct loader *l, const char *name) { return wrong(l, "a list of the descriptor is missing or short", name); }

/* At least `least` items of a list; the array in *to. */
static int fill_list(struct loader *l, const char *name, const struct mbs_value *v, int least, size_t size, void (*fill)(void *, const struct mbs_value *),
                     const void *to)
{
    const struct mbs_value *list = list_of(l, v);
    char *all = list && list->n >= least ? mbs_heap_get(&l->x->heap, (size_t)list->n + 1, size) : NULL;

    if (!all)
        return wrong_list(l, name);
    for (int i = 0; i < list->n; i++)
        fill(all + (size_t)i * size, item(list, i));
    memcpy((void *)to, &all, sizeof all);
    return 1;
}

/* ---- members ---- */

#define INTS(X) X(nq) X(nz) X(nu) X(ny) X(np) X(ng) X(nh) X(ns) X(nsq) X(nshape) X(npoint) X(nbody) X(nevent) X(njump) X(ncontact) X(ntouch) X(nc) X(nw) \
    X(nl) X(nsensitive) X(conserves)
#define STRINGS(X) X(name) X(title) X(source)
/* member, how many, type, how an item is read */
#define LISTS(X) X(coord, nq, struct mbs_name, fill_name) X(state, nz, struct mbs_name, fill_name) X(input, nu, struct mbs_name, fill_name) \
    X(output, ny, struct mbs_name, fill_name) X(param, np, struct mbs_name, fill_name) X(constraint, ng + m->nh, struct mbs_name, fill_name) \
    X(condition, ns, struct mbs_name, fill_name) X(event, nevent, struct mbs_name, fill_name) X(jump, njump, struct mbs_name, fill_name) \
    X(when, nevent, struct mbs_when, fill_when) X(target, njump, struct mbs_jump, fill_jump) X(contact, ncontact, struct mbs_name, fill_name) \
    X(touch, ntouch, struct mbs_name, fill_name) X(pair, ncontact, struct mbs_contact, fill_contact) X(discrete, np, unsigned char, fill_byte) \
    X(deviation, np, double, fill_double) \
    X(sensitive, nsensitive, int, fill_int) X(q_init, nq, unsigned char, fill_byte) X(v_init, nq, unsigned char, fill_byte) \
    X(s_init, ns, unsigned char, fill_byte) X(shape, nshape, struct mbs_shape, fill_shape) X(body, nbody, const char *, fill_string) \
    X(place, npoint, int, fill_int)
/* optional: may be NULL though its number is not 0 */
static int is_optional(const char *name) { return !strcmp(name, "discrete") || !strcmp(name, "deviation") || !strcmp(name, "s_init") || !strcmp(name, "place"); }

static int fill_pattern(struct loader *l, const char *name, struct mbs_pattern *p, const struct mbs_value *v)
{
    *p = (struct mbs_pattern){ whole(item(v, 0)), whole(item(v, 1)), whole(item(v, 2)), NULL, NULL };
    if (p->rows < 0 || p->cols < 0 || p->nnz < 0 || !fill_list(l, name, item(v, 3), p->cols + 1, sizeof(int), fill_int, &p->colptr))
        return wrong_list(l, name);
    if (p->nnz && !fill_list(l, name, item(v, 4), p->nnz, sizeof(int), fill_int, &p->rowidx))
        return 0;
    for (int j = 0; j <= p->cols; j++)
        if (p->colptr[j] < (j ? p->colptr[j - 1] : 0) || p->colptr[j] > p->nnz)
            return wrong(l, "a pattern is not one", name);
    for (int k = 0; k < p->nnz; k++)
        if (p->rowidx[k] < 0 || p->rowidx[k] >= p->rows)
            return wrong(l, "a pattern is not one", name);
    return 1;
}

static void fill_experiment(struct mbs_experiment *e, const struct mbs_value *v)
{
    *e = (struct mbs_experiment){ number(item(v, 0)), number(item(v, 1)), number(item(v, 2)), number(item(v, 3)), number(item(v, 4)), number(item(v, 5)),
                                  text(item(v, 6)), text(item(v, 7)) };
}

/* Numbers and strings, which come before lists. */
static int fill_plain(struct loader *l, const struct mbs_named *f)
{
    struct mbs_model *m = &l->x->model;
#define INT(member)                                                                                                  \
    if (!strcmp(f->name, #member))                                                                                    \
        return (m->member = whole(&f->value)) >= 0 && m->member < 100000000;
#define STRING(member)                                                                                               \
    if (!strcmp(f->name, #member))                                                                                    \
        return (m->member = text_or_empty(&f->value)) != NULL;
    INTS(INT)
    STRINGS(STRING)
#undef INT
#undef STRING
    return 1;
}

static int is_plain(const char *name)
{
#define SAME(member) || !strcmp(name, #member)
    return 0 INTS(SAME) STRINGS(SAME) SAME(abi);
#undef SAME
}

#define PATTERN_ONE(member)
#define PATTERN_OF(member)                                                                                           \
    if (!strcmp(f->name, #member))                                                                                    \
        return fill_pattern(l, f->name, &m->member, &f->value);
#define PATTERN_COORD(member) PATTERN_OF(member)
#define PATTERN_STATE(member) PATTERN_OF(member)
#define PATTERN_INPUT(member) PATTERN_OF(member)
#define PATTERN_PARAM(member) PATTERN_OF(member)
#define PATTERN_CONSTRAINT(member) PATTERN_OF(member)

static int fill_other(struct loader *l, const struct mbs_named *f)
{
    struct mbs_model *m = &l->x->model;
#define LIST(member, number, type, fill)                                                                             \
    if (!strcmp(f->name, #member))                                                                                    \
        return fill_list(l, f->name, &f->value, m->number, sizeof(type), fill, &m->member);
    LISTS(LIST)
#undef LIST
#define QUANTITY(quantity, rows, columns, of, by, form) PATTERN_##columns(quantity)
#define FUNCTION(function, argument, form, reads, gives)                                                             \
    if (!strcmp(f->name, #function)) {                                                                                \
        l->x->program[MBS_FUNCTION_##function] = f->value.kind == MBS_VALUE_WORD ? f->value.as.text : NULL;           \
        m->function = run_##function;                                                                                 \
        return 1;                                                                                                     \
    }
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION
    if (!strcmp(f->name, "experiment"))
        return fill_experiment(&m->experiment, &f->value), 1;
    if (!strcmp(f->name, "defaults"))
        return 1;                       /* see fill_defaults */
    if (!strcmp(f->name, "setup"))
        return (l->x->setup_name = f->value.kind == MBS_VALUE_WORD ? f->value.as.text : "") != NULL;
    if (!strcmp(f->name, "initial"))
        return (l->x->initial_name = f->value.kind == MBS_VALUE_WORD ? f->value.as.text : "") != NULL;
    return wrong(l, "the descriptor has a member that this version does not know", f->name);
}

static int fill_descriptor(struct loader *l)
{
    const struct mbs_model *m = &l->x->model;

    for (int i = 0; i < l->text.members; i++)
        if (!fill_plain(l, &l->text.member[i]))
            return wrong(l, "it is not a number of things", l->text.member[i].name);
    for (int i = 0; i < l->text.members; i++)
        if (!is_plain(l->text.member[i].name) && !fill_other(l, &l->text.member[i]))
            return 0;
#define THERE(member, number, type, fill)                                                                            \
    if (m->number > 0 && !m->member && !is_optional(#member))                                                         \
        return wrong_list(l, #member);
    LISTS(THERE)
#undef THERE
    if (m->G.colptr && m->dynamics && m->constraints && m->residual && m->jacobian && m->energy && m->outputs && m->name)
        return 1;
    return wrong(l, "it is not whole", "model");
}

/* ---- programs ---- */

static int fill_tables(struct loader *l)
{
    struct mbs_interpreted *x = l->x;

    for (int i = 0; i < l->text.lists; i++) {
        int k;
        if (sscanf(l->text.list[i].name, "table_%d", &k) == 1 && k >= 0 && k < 100000 && k >= x->tables)
            x->tables = k + 1;
    }
    if (!(x->table = mbs_heap_get(&x->heap, (size_t)x->tables + 1, sizeof *x->table)))
        return wrong(l, "out of memory", "tables");
    for (int k = 0; k < x->tables; k++) {
        char name[40];
        snprintf(name, sizeof name, "table_%d", k);
        const struct mbs_value *v = mbs_text_list(&l->text, name);
        double *all = v ? mbs_heap_get(&x->heap, (size_t)v->n + 1, sizeof *all) : NULL;
        for (int i = 0; all && i < v->n; i++)
            all[i] = number(&v->as.item[i]);
        x->table[k] = (struct mbs_spline){ all ? v->n / 3 : 0, all };
    }
    return 1;
}

static int read_tape(struct loader *l, struct mbs_tape *t, const char *name, struct mbs_limits *limits, int arrays, const int *length)
{
    limits->arrays = arrays;
    limits->length = length;
    const char *why = mbs_tape_read(t, &l->text, name ? name : "", limits);
    return why ? wrong(l, why, name) : 1;
}

enum { LENGTH_MOST = 16 };        /* arrays of a function */

/* What a function is not given, its program may not read. */
static struct mbs_limits limits_of(const struct mbs_interpreted *x, enum mbs_function_id id)
{
    enum { READ_t = 1, READ_q = 2, READ_v = 4, READ_a = 8, READ_lambda = 16, READ_mu = 32, READ_z = 64, READ_u = 128 };
    static const int reading[] = {
#define QUANTITY(name, rows, columns, of, by, form)
#define READS(name) READ_##name
#define FUNCTION(name, argument, form, reads, gives) [MBS_FUNCTION_##name] = reads,
#include "mbs/model.def"
#undef FUNCTION
#undef READS
#undef QUANTITY
    };
    const struct mbs_model *m = &x->model;
    int what = reading[id], nc = m->ng + m->nh;

    return (struct mbs_limits){ .t = what & READ_t ? 1 : 0, .q = what & READ_q ? m->nq : 0, .v = what & READ_v ? m->nq : 0, .a = what & READ_a ? m->nq : 0,
                                .lambda = what & READ_lambda ? nc : 0, .mu = what & READ_mu ? nc : 0, .z = what & READ_z ? m->nz : 0,
                                .u = what & READ_u ? m->nu : 0, .c = m->nc, .table = x->table, .tables = x->tables, .whole = 1 };
}

static int fill_functions(struct loader *l)
{
    struct mbs_interpreted *x = l->x;
    struct mbs_model *m = &x->model;
    static const enum mbs_quantity_id quantity[][LENGTH_MOST] = {
#define QUANTITY(name, rows, columns, of, by, form)
#define GIVES(name, group) MBS_QUANTITY_##name,
#define FUNCTION(name, argument, form, reads, gives) [MBS_FUNCTION_##name] = { gives },
#include "mbs/model.def"
#undef GIVES
#undef FUNCTION
    };
    static const int parts[] = {
#define GIVES(name, group) + 1
#define FUNCTION(name, argument, form, reads, gives) [MBS_FUNCTION_##name] = 0 gives,
#include "mbs/model.def"
#undef GIVES
#undef FUNCTION
#undef QUANTITY
    };
    for (int k = 0; k < MBS_FUNCTIONS; k++) {
        int length[LENGTH_MOST];
        struct mbs_limits limits = limits_of(x, (enum mbs_function_id)k);
        for (int i = 0; i < parts[k]; i++)
            length[i] = mbs_quantity_length(m, quantity[k][i]);
        if (x->program[k] && !read_tape(l, &x->function[k], x->program[k], &limits, parts[k], length))
            return 0;
        if (x->function[k].rows > m->nw)
            m->nw = x->function[k].rows;
    }
    return 1;
}

static int fill_defaults(struct loader *l, struct mbs_limits *limits)
{
    struct mbs_interpreted *x = l->x;
    const struct mbs_value *values = mbs_text_list(&l->text, "default_values"), *programs = mbs_text_list(&l->text, "default_programs");
    int np = x->model.np;

    x->defaults = programs ? programs->n : 0;
    x->value = mbs_heap_get(&x->heap, (size_t)np + 1, sizeof *x->value);
    x->default_tape = mbs_heap_get(&x->heap, (size_t)x->defaults + 1, sizeof *x->default_tape);
    if (!x->value || !x->default_tape || (np && (!values || values->n < np)))
        return wrong_list(l, "default_values");
    for (int i = 0; i < np; i++)
        x->value[i] = number(&values->as.item[i]);
    for (int i = 0; i < x->defaults; i++)
        if (!read_tape(l, &x->default_tape[i], text_or_empty(&programs->as.item[i]), limits, 1, &np) || x->default_tape[i].outs != 1)
            return wrong_list(l, "default_programs");
    return 1;
}

static int fill_programs(struct loader *l)
{
    struct mbs_interpreted *x = l->x;
    struct mbs_model *m = &x->model;
    const struct mbs_limits of_parameters = { .p = m->np, .table = x->table, .tables = x->tables };
    const int start[] = { m->nq, m->nq, m->nz, m->nu };
    struct mbs_limits first = of_parameters, initial_limits = { .c = m->nc, .table = x->table, .tables = x->tables, .whole = 1 };

    return fill_functions(l) && fill_defaults(l, &first) && read_tape(l, &x->setup, x->setup_name, &first, 1, &m->nc) &&
           read_tape(l, &x->initial, x->initial_name, &initial_limits, 4, start);
}

/* ---- the whole ---- */

static int load(struct loader *l)
{
    struct mbs_interpreted *x = l->x;

    if (l->text.wrong) {
        snprintf(l->why, sizeof l->why, "line %d: %s", l->text.line, l->text.wrong);
        return 0;
    }
    x->model.abi = MBS_ABI;
    x->model.initial = initial;
    const char *part;
    if (!fill_descriptor(l))
        return 0;
    if ((part = mbs_descriptor_wrong(&x->model)))
        return wrong(l, "it names what is not there", part);
    if (!fill_tables(l) || !fill_programs(l))
        return 0;
    x->model.nc++;
    return 1;
}

static int refuse(struct mbs_message *why, int status, const char *text)
{
    if (why) {
        *why = (struct mbs_message){ .status = status, .t = NAN, .coord = -1, .constraint = -1 };
        snprintf(why->text, sizeof why->text, "%s", text);
    }
    return status;
}

int mbs_interpret(const struct mbs_model **model, const char *text, unsigned long length, struct mbs_message *why)
{
    struct mbs_interpreted *x = model && text ? calloc(1, sizeof *x) : NULL;
    struct loader l = { .x = x };
    int good;

    if (!model || !text)
        return refuse(why, MBS_BAD_ARGUMENT, "there is no text to be interpreted, or no place for the model");
    *model = NULL;
    if (!x)
        return refuse(why, MBS_NO_MEMORY, "out of memory");
    mbs_text_read(&l.text, &x->heap, text, length);
    good = load(&l) && !x->heap.failed;
    if (good && !mbs_slot_take(x)) {
        snprintf(l.why, sizeof l.why, "more than %d models are interpreted at the same time", MBS_SLOTS);
        good = 0;
    }
    if (good) {
        *model = &x->model;
        return MBS_OK;
    }
    good = x->heap.failed;
    mbs_heap_free(&x->heap);
    free(x);
    return good ? refuse(why, MBS_NO_MEMORY, "out of memory") : refuse(why, MBS_BAD_ARGUMENT, l.why);
}

void mbs_interpret_free(const struct mbs_model *model)
{
    struct mbs_interpreted *x = (struct mbs_interpreted *)(void *)model;        /* its first member */

    if (!x || !mbs_slot_leave(x))       /* compiled code, or closed before: its memory is not ours */
        return;
    mbs_heap_free(&x->heap);
    free(x);
}
