/* SPDX-License-Identifier: GPL-3.0-or-later
 * The descriptor: names with units and lines, sparsity patterns, sizes and the table of functions. */
#include "emit/parts.h"
#include "roll/roll.h"

#include <math.h>
#include <string.h>

static int line_of(struct span span)
{
    return span.source ? (int)source_place(span.source, span.begin).line : 0;
}

static bool is_rolled(const struct emitter *e, enum eq_id id)
{
    return e->eq->roll && (id == EQ_M || id == EQ_rq || id == EQ_rv);
}

/* A matrix without rows or columns has no pattern; G has one even then. */
static bool has_pattern(const struct emitter *e, enum eq_id id)
{
    const struct eq_array *a = &e->eq->array[id];
    if (is_rolled(e, id) && !a->by_columns)     /* has its own; loops over columns read the rest's */
        return false;
    return abi_is_matrix(id) && (id == EQ_G || (a->rows && a->cols));
}

#define NAMES(list)                                                                                        \
    do {                                                                                                   \
        struct cw_list names;                                                                              \
        cw_list_begin(&names, e->out, "static const struct mbs_name " #list "_names[] = { ", " };");       \
        for (int k = 0; k < m->list.n; k++)                                                                \
            cw_list_item(&names, "{%s, %s, %d}", c_string(&e->arena, m->list.at[k].name),                \
                         c_string(&e->arena, m->list.at[k].unit ? m->list.at[k].unit : ""),                \
                         line_of(m->list.at[k].span));                                                     \
        cw_list_end(&names);                                                                               \
    } while (0)

static void emit_shape(struct emitter *e, struct cw_list *list, const struct model_shape *s)
{
    const char *file = s->file ? c_string(&e->arena, s->file) : "0", *colour = s->colour ? c_string(&e->arena, s->colour) : "0";
    cw_list_item(list, "{%s,%d,%d,%d,%s,%s,%g,%g}", c_string(&e->arena, s->name ? s->name : ""), s->kind, s->first, s->count, file, colour,
                 s->clear, s->factor);
}

static void emit_names(struct emitter *e)
{
    const struct model *m = e->model;
    NAMES(param);
    NAMES(coord);
    NAMES(state);
    NAMES(input);
    NAMES(output);
    NAMES(constraint);
    NAMES(condition);
    NAMES(event);
    NAMES(jump);
    NAMES(contact);
    NAMES(touch);
    struct cw_list list;
    cw_list_begin(&list, e->out, "static const struct mbs_shape shapes[] = { ", " };");
    for (int k = 0; k < m->shape.n; k++)
        emit_shape(e, &list, &m->shape.at[k]);
    cw_list_end(&list);
    if (m->point.n && m->bodies) {
        cw_list_begin(&list, e->out, "static const char *const bodies[] = { ", " };");
        for (int k = 0; k < m->bodies; k++)
            cw_list_item(&list, "%s", c_string(&e->arena, m->body_name[k]));
        cw_list_end(&list);
        cw_list_begin(&list, e->out, "static const int places[] = { ", " };");
        for (int k = 0; k < m->point.n; k++)
            cw_list_item(&list, "%d", m->point.at[k].body - 1);
        cw_list_end(&list);
    }
    cw_line(e->out, "%s", "");
}

/* An array of ints, once for all patterns that have the same. */
struct int_list {
    int n;
    const int *at;
};

static int find_list(const struct int_list *lists, int n, const struct int_list *x)
{
    int k = 0;
    while (k < n && (lists[k].n < x->n || (x->n && memcmp(lists[k].at, x->at, (size_t)x->n * sizeof *x->at))))
        k++;
    return k;
}

void emit_patterns(struct emitter *e)
{
    struct int_list lists[2 * EQ_COUNT];
    int n = 0;
    for (int p = 0; p < EQ_COUNT; p++)
        for (int k = 0; k < 2 && has_pattern(e, (enum eq_id)p); k++) {
            const struct eq_array *a = &e->eq->array[p];
            struct int_list x = { k ? a->nnz : a->cols + 1, k ? a->rowidx : a->colptr };
            int at = find_list(lists, n, &x);
            e->pattern[p][k] = at;
            if (at < n)
                continue;
            lists[n++] = x;
            struct cw_list list;
            cw_list_begin(&list, e->out, arena_printf(&e->arena, "static const int i%d[] = { ", at), " };");
            for (int j = 0; j < x.n; j++)
                cw_list_item(&list, "%d", x.at[j]);
            cw_list_end(&list);
        }
    cw_line(e->out, "%s", "");
}

static void emit_init(struct emitter *e, const char *member, bool velocity)
{
    const struct model *m = e->model;
    struct cw_list list;
    cw_list_begin(&list, e->out, arena_printf(&e->arena, ".%s = (const unsigned char[]){ ", member), " },");
    for (int k = 0; k < m->coord.n; k++)
        cw_list_item(&list, "%d", velocity ? m->coord.at[k].v_init : m->coord.at[k].q_init);
    cw_list_end(&list);
}

/* Which conditions are guesses; nothing where all are kept. */
static void emit_guesses(struct emitter *e)
{
    const struct model *m = e->model;
    struct cw_list list;
    int guesses = 0;
    for (int k = 0; k < m->condition.n; k++)
        guesses += m->condition.at[k].guess;
    if (!guesses)
        return;
    cw_list_begin(&list, e->out, ".s_init = (const unsigned char[]){ ", " },");
    for (int k = 0; k < m->condition.n; k++)
        cw_list_item(&list, "%d", m->condition.at[k].guess ? INIT_GUESS : INIT_FIXED);
    cw_list_end(&list);
}

static void emit_events(struct emitter *e)
{
    const struct model *m = e->model;
    struct cw_list list;
    int discrete = 0;
    for (int k = 0; k < m->param.n; k++)
        discrete += m->param.at[k].discrete;
    if (discrete) {
        cw_list_begin(&list, e->out, ".discrete = (const unsigned char[]){ ", " },");
        for (int k = 0; k < m->param.n; k++)
            cw_list_item(&list, "%d", m->param.at[k].discrete);
        cw_list_end(&list);
    }
    double deviations = 0;
    for (int k = 0; k < m->param.n; k++)
        deviations += m->param.at[k].deviation;
    if (deviations > 0) {
        cw_list_begin(&list, e->out, ".deviation = (const double[]){ ", " },");
        for (int k = 0; k < m->param.n; k++)
            cw_list_item(&list, "%s", m->param.at[k].deviation > 0 ? c_number(&e->arena, m->param.at[k].deviation) : "0");
        cw_list_end(&list);
    }
    if (m->contact.n) {
        cw_line(e->out, ".ncontact = %d, .ntouch = %d, .contact = contact_names, .touch = touch_names,", m->contact.n, m->touch.n);
        cw_list_begin(&list, e->out, ".pair = (const struct mbs_contact[]){ ", " },");
        for (int k = 0; k < m->contact.n; k++) {
            const struct model_contact *c = &m->contact.at[k];
            cw_list_item(&list, "{%d, %d, %d, %d, %d, %d}", c->kind, c->first, c->rows, c->solid, c->poisson, c->reacts);
        }
        cw_list_end(&list);
    }
    if (!m->event.n)
        return;
    cw_line(e->out, ".nevent = %d, .njump = %d, .event = event_names,%s", m->event.n, m->jump.n, m->jump.n ? " .jump = jump_names," : "");
    cw_list_begin(&list, e->out, ".when = (const struct mbs_when[]){ ", " },");
    for (int k = 0; k < m->event.n; k++) {
        const struct model_event *x = &m->event.at[k];
        cw_list_item(&list, "{%d, %d, %d, %d, %d, %s}", x->kind, x->first, x->count, x->record, x->stop,
                     x->message ? c_string(&e->arena, x->message) : "0");
    }
    cw_list_end(&list);
    if (!m->jump.n)
        return;
    cw_list_begin(&list, e->out, ".target = (const struct mbs_jump[]){ ", " },");
    for (int k = 0; k < m->jump.n; k++)
        cw_list_item(&list, "{%d, %d}", m->jump.at[k].kind, m->jump.at[k].index);
    cw_list_end(&list);
}

static void emit_experiment(struct emitter *e)
{
    const struct model_experiment *x = &e->model->experiment;
    const char *solver = x->solver ? c_string(&e->arena, x->solver) : "0";
    const char *form = x->formulation ? c_string(&e->arena, x->formulation) : "0";
#define N(member) c_number(&e->arena, x->member)
    cw_line(e->out, ".experiment = { %s, %s, %s, %s, %s, %s, %s, %s },", N(from), N(to), N(rtol), N(atol), N(step),
            N(every), solver, form);
#undef N
}

static int workspace(const struct programs *p)
{
    int most = 0;
    for (int k = 0; k < p->list.n; k++)
        most = p->list.at[k].workspace > most ? p->list.at[k].workspace : most;
    return most;
}

/* A part of a function that is rolled. */
static bool is_rest(const struct emitter *e, const struct program *p)
{
    const struct roll *r = e->eq->roll;
    return r && (p->kind == PROGRAM_SETUP || (p->kind == PROGRAM_FUNCTION && roll_has(r, (enum abi_function_id)p->index)));
}

void emit_descriptor(struct emitter *e)
{
    const struct model *m = e->model;
    const struct programs *p = e->programs;
    const char *path = m->source ? m->source->path : "", *slash = strrchr(path, '/');
    emit_names(e);
    if (!e->eq->columns)        /* else they came first */
        emit_patterns(e);
    cw_line(e->out, "extern const struct mbs_model %s;", e->descriptor);
    cw_line(e->out, "const struct mbs_model %s = {", e->descriptor);
    e->out->indent++;
    cw_line(e->out, ".abi = MBS_ABI,");
    cw_line(e->out, ".name = %s,", c_string(&e->arena, m->name));
    cw_line(e->out, ".title = %s,", c_string(&e->arena, m->title ? m->title : ""));
    cw_line(e->out, ".source = %s,", c_string(&e->arena, slash ? slash + 1 : path));
    const struct { const char *name; int value; } sizes[] = {
        { "nq", m->coord.n }, { "nz", m->state.n }, { "nu", m->input.n }, { "ny", m->output.n }, { "np", m->param.n }, { "ng", m->holonomic },
        { "nh", m->constraint.n - m->holonomic }, { "nl", p->saddle ? p->saddle->nl : 0 },
        { "nc", m->param.n + p->hoist.value.n + (e->eq->roll ? roll_constants(e->eq->roll) + roll_lanes(e->eq->roll) : 0) },
        { "conserves", !e->eq->unbalanced && e->eq->array[EQ_power].value[0] == m->pool->zero } };
    struct cw_list list;
    cw_list_begin(&list, e->out, "", ",");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (sizes[k].value)
            cw_list_item(&list, ".%s = %d", sizes[k].name, sizes[k].value);
    cw_list_item(&list, ".nw = %s", e->eq->roll ? "WORKSPACE" : arena_printf(&e->arena, "%d", workspace(p)));
    cw_list_end(&list);
#define NAMED(list)                                                                                        \
    if (m->list.n)                                                                                         \
    cw_line(e->out, "." #list " = " #list "_names,")
    NAMED(coord);
    NAMED(state);
    NAMED(input);
    NAMED(output);
    NAMED(param);
    NAMED(constraint);
    if (m->condition.n)
        cw_line(e->out, ".ns = %d, .nsq = %d, .condition = condition_names,", m->condition.n, m->condition_q);
    if (m->sensitives) {
        cw_line(e->out, ".nsensitive = %d,", m->sensitives);
        cw_list_begin(&list, e->out, ".sensitive = (const int[]){ ", " },");
        for (int k = 0; k < m->sensitives; k++)
            cw_list_item(&list, "%d", m->sensitive[k]);
        cw_list_end(&list);
    }
    if (m->shape.n)
        cw_line(e->out, ".nshape = %d, .npoint = %d, .shape = shapes,", m->shape.n, m->point.n);
    if (m->point.n && m->bodies)
        cw_line(e->out, ".nbody = %d, .body = bodies, .place = places,", m->bodies);
    emit_init(e, "q_init", false);
    emit_init(e, "v_init", true);
    emit_guesses(e);
    emit_events(e);
    for (int k = 0; k < EQ_COUNT; k++) {
        const struct eq_array *a = &e->eq->array[k];
        if (has_pattern(e, (enum eq_id)k) && !is_rolled(e, (enum eq_id)k))
            cw_line(e->out, ".%s = { %d, %d, %d, i%d, i%d },", a->name, a->rows, a->cols, a->nnz,
                    e->pattern[k][0], e->pattern[k][1]);
    }
    emit_experiment(e);
    struct cw_list functions;
    cw_list_begin(&functions, e->out, "", ",");
    for (int k = 0; k < p->list.n; k++)
        if (program_is_member(&p->list.at[k]) && !is_rest(e, &p->list.at[k]))
            cw_list_item(&functions, ".%s = %s", p->list.at[k].name, emit_function_name(e, &p->list.at[k]));
    cw_list_end(&functions);
    if (program_find(p, PROGRAM_LANES, FUNCTION_accelerations))
        cw_line(e->out, ".batch = &batch,");
    if (e->eq->roll)
        emit_rolled_members(e);
    e->out->indent--;
    cw_line(e->out, "};");
}
