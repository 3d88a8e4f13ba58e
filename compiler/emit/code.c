/* SPDX-License-Identifier: GPL-3.0-or-later
 * See code.h.  The rows of a piece are taken in order; definitions that follow each other become one
 * declaration, and a value that is stored and read again is stored by its definition. */
#include "emit/code_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_INLINE = 84, DEEPEST_INLINE = 12, MANY_ZEROS = 9 };

/* The head of a declaration; what is stored must be lanes, also where it is a number. */
static const char *number(const struct code *e)
{
    return e->lanes ? "lanes " : e->scalar ? arena_printf(e->arena, "%s ", e->scalar) : "double ";
}
static const char *whole(const struct code *e, const char *value)
{
    bool literal = e->scalar && value[strspn(value, "-.0123456789eE+")] == 0;
    return e->lanes ? arena_printf(e->arena, "ALL(%s)", value) : literal ? arena_printf(e->arena, "K(%s)", value) : value;
}

void code_begin(struct code *e)
{
    const struct tape *t = e->tape;
    size_t rows = (size_t)t->rows + 1, outs = (size_t)t->outs + 1;
    e->row = mem_grow(NULL, rows, sizeof *e->row);
    e->next_output = mem_grow(NULL, outs, sizeof *e->next_output);
    e->filled = mem_grow(NULL, outs, sizeof *e->filled);
    memset(e->row, 0, rows * sizeof *e->row);
    memset(e->filled, 0, outs * sizeof *e->filled);
    scope_init(&e->scope, e->file, e->arena);
    e->temps = 0;
    if (e->gathers_sines) {
        e->angles = ARENA_NEW(e->arena, struct code_angles, 1);
        *e->angles = code_angles_begin(t);
    }
    e->uses_c = e->uses_s = e->uses_out = e->uses_w = false;
    for (int p = 0; p < t->pieces; p++)
        for (int k = t->piece[p].begin; k < t->piece[p].end; k++)
            e->row[k].piece = p;
    for (int k = 0; k < t->rows; k++)
        e->row[k].output = -1;
    for (int k = t->outs - 1; k >= 0; k--) {
        e->next_output[k] = e->row[t->out[k].row].output;
        e->row[t->out[k].row].output = k;
    }
}

void code_end(struct code *e)
{
    if (e->gathers_sines)
        code_angles_end(e->angles);
    free(e->row);
    free(e->next_output);
    free(e->filled);
    scope_fini(&e->scope);
}

/* --- what a piece needs ------------------------------------------------------------------------------ */

/* Rows that piece p reads and does not compute: leaves to be loaded, values of earlier pieces. */
struct needs {
    struct code *e;
    int piece;
    struct { int *at; int n, cap; } leaf, outside;
};

static void need_row(struct needs *n, int k)
{
    struct code_row *r = &n->e->row[k];
    r->reads++;
    if (r->text)
        return;
    if (code_is_leaf(&n->e->tape->row[k])) {
        code_text(n->e, k);
        VEC_PUSH(n->leaf, k);
    } else if (r->piece != n->piece) {
        r->text = "";           /* named when it is loaded */
        VEC_PUSH(n->outside, k);
    }
}

/* A function of its own: reads are counted within the piece. */
static void find_needs(struct needs *n)
{
    const struct tape *t = n->e->tape;
    int at[4];
    for (int k = t->piece[n->piece].begin; k < t->piece[n->piece].end; k++)
        for (int j = code_operands(&t->row[k], at); j-- > 0;)
            need_row(n, at[j]);
    for (int k = 0; k < t->outs; k++)
        if (t->out[k].piece == n->piece)
            need_row(n, t->out[k].row);
}

static void forget_needs(struct needs *n)
{
    const struct tape_piece *p = &n->e->tape->piece[n->piece];
    struct code_row *row = n->e->row;
    for (int k = 0; k < n->leaf.n; k++)
        row[n->leaf.at[k]].text = NULL, row[n->leaf.at[k]].reads = 0;
    for (int k = 0; k < n->outside.n; k++)
        row[n->outside.at[k]].text = NULL, row[n->outside.at[k]].reads = 0;
    for (int k = p->begin; k < p->end; k++)
        row[k].text = row[k].gathered = NULL, row[k].reads = 0, row[k].named = row[k].truth = false;
    free(n->leaf.at);
    free(n->outside.at);
}

/* All pieces in one function: a leaf is loaded in the section that its row belongs to. */
static void find_leaves(struct needs *n)
{
    const struct tape_piece *p = &n->e->tape->piece[n->piece];
    for (int k = p->begin; k < p->end; k++)
        if (code_is_leaf(&n->e->tape->row[k]) && n->e->tape->row[k].uses) {
            code_text(n->e, k);
            VEC_PUSH(n->leaf, k);
        }
}

/* --- declarations ----------------------------------------------------------------------------------- */

static int leaf_order(const void *x, const void *y)
{
    const int *a = x, *b = y;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : a[1] < b[1] ? -1 : a[1] > b[1];
}

/* The arrays that symbols are read from, and those symbols that need copies; sorted, each once.
 * `declared`: kinds whose array an outer block has declared. */
static void declare_leaves(struct code *e, struct needs *n, unsigned *declared)
{
    int (*leaf)[2] = mem_grow(NULL, (size_t)n->leaf.n + 1, sizeof *leaf), count = 0;
    for (int k = 0; k < n->leaf.n; k++) {
        const struct tape_row *t = &e->tape->row[n->leaf.at[k]];
        e->uses_c |= t->op == TAPE_CONST;
        if (t->op == TAPE_SYM && t->a != TAPE_SHARED) {
            *(e->symbols[t->a].in_w ? &e->uses_w : &e->uses_s) = true;
            leaf[count][0] = t->a;
            leaf[count++][1] = t->b;
        }
    }
    qsort(leaf, (size_t)count, sizeof *leaf, leaf_order);
    struct cw_list list;
    cw_list_begin(&list, e->out, e->lanes ? "const lanes " : "const double ", ";");
    for (int k = 0; k < count; k++) {
        const struct code_symbols *s = &e->symbols[leaf[k][0]];
        if (*declared & 1u << leaf[k][0])
            continue;
        if (leaf[k][0] == SYM_TIME)
            cw_list_item(&list, e->lanes ? "%s = *%s->t" : "%s = %s->t", e->time, e->s_name);
        else if (s->source)
            cw_list_item(&list, "*%s = %s", s->array, s->source);
        else if (s->local && (!k || leaf[k][0] != leaf[k - 1][0] || leaf[k][1] != leaf[k - 1][1]))
            cw_list_item(&list, "%s = %s[%d]", s->local[leaf[k][1]], s->array, leaf[k][1]);
        if (!s->local)
            *declared |= 1u << leaf[k][0];
    }
    cw_list_end(&list);
    free(leaf);
}

static void declare_arrays(struct code *e, int p)
{
    struct cw_list list;
    cw_list_begin(&list, e->out, number(e), ";");
    for (int a = 0; a < e->arrays; a++) {
        bool used = false;
        for (int k = 0; k < e->tape->outs && !used; k++)
            used = e->tape->out[k].array == a && e->tape->out[k].piece == p;
        if (used && e->array[a].source)
            cw_list_item(&list, "*%s = %s", e->array[a].local, e->array[a].source);
        *(e->array[a].in_w ? &e->uses_w : &e->uses_out) |= used;
    }
    cw_list_end(&list);
}

/* --- rows ------------------------------------------------------------------------------------------- */

/* What an angle is called: the coordinate, or the coordinates that are added.  In long programs, where names would be a fifth of the text, the
 * number of the coordinate. */
static const char *angle_name(const struct code *e, int k)
{
    const struct tape_row *t = &e->tape->row[k];
    if (t->op == TAPE_SYM && e->symbols[t->a].index)
        return e->tape->rows > LONG_TAPE ? arena_printf(e->arena, "%d", t->b) : e->symbols[t->a].index[t->b];
    if (t->op != TAPE_ADD)
        return NULL;
    const char *left = angle_name(e, t->a), *right = angle_name(e, t->b);
    return left && right && strlen(left) + strlen(right) < 24 ? arena_printf(e->arena, "%s_%s", left, right) : NULL;
}

/* A readable name for a sine or a cosine, else t1, t2, ... */
static const char *name_row(struct code *e, int k)
{
    const struct tape_row *t = &e->tape->row[k];
    const char *angle = code_is_trig(t) ? angle_name(e, t->a) : NULL;
    char name[16];
    if (angle)
        return scope_name(&e->scope, arena_printf(e->arena, e->tape->rows > LONG_TAPE ? "%s%s" : "%s_%s", t->fn == EXPR_SIN ? "sin" : "cos", angle));
    for (;;) {
        snprintf(name, sizeof name, "t%d", ++e->temps);
        const char *got = scope_name(&e->scope, name);
        if (!strcmp(got, name))
            return got;
    }
}

static int inline_depth(const struct code *e, int k)
{
    int at[4], depth = 0;
    for (int j = code_operands(&e->tape->row[k], at); j-- > 0;)
        if (!e->row[at[j]].named && e->row[at[j]].depth >= depth)
            depth = e->row[at[j]].depth + 1;
    return depth;
}

static const char *store(struct code *e, const struct tape_output *o)
{
    const struct code_array *a = &e->array[o->array];
    return a->member ? arena_printf(e->arena, "%s.%s", a->local, a->member[o->index])
           : a->index ? arena_printf(e->arena, "%s[%s]", a->local, a->index[o->index])
                     : arena_printf(e->arena, "%s[%d]", a->local, o->index);
}

/* One store, with what the entry is called behind it, or above where the line is too short for both. */
static void put_store(struct code *e, const struct tape_output *o, const char *value)
{
    enum { COMMENTS = 32 };         /* the column where they stand if they can */
    const struct code_array *a = &e->array[o->array];
    const char *text = arena_printf(e->arena, "%s = %s;", store(e, o), whole(e, value));
    if (!a->entry) {
        cw_line(e->out, "%s", text);
        return;
    }
    size_t at = CW_TAB * (size_t)e->out->indent + strlen(text), tabs = at < COMMENTS ? (COMMENTS - at + CW_TAB - 1) / CW_TAB : 0;
    if (at + 8 + strlen(a->entry[o->index]) > CW_COLUMNS) {
        cw_line(e->out, "/* %s */", a->entry[o->index]);
        cw_line(e->out, "%s", text);
    } else {
        cw_line(e->out, "%s%.*s/* %s */", text, tabs ? (int)tabs : 1, tabs ? "\t\t\t\t\t\t\t" : " ", a->entry[o->index]);
    }
}

/* "M[3] = f[2] = " for the outputs of row k that are stored in piece p. */
static const char *stores(struct code *e, int k, int p)
{
    const char *text = "";
    for (int o = e->row[k].output; o >= 0; o = e->next_output[o])
        if (e->tape->out[o].piece == p)
            text = arena_printf(e->arena, "%s%s = ", text, store(e, &e->tape->out[o]));
    return text;
}

/* Items that begin otherwise make another statement. */
static void list_head(struct code *e, struct cw_list *list, const char *head)
{
    if (!strcmp(list->head, head))
        return;
    cw_list_end(list);
    cw_list_begin(list, e->out, head, ";");
}

/* As an item of a declaration, or alone if it is too long. */
static void put_definition(struct code *e, struct cw_list *list, const char *head, const char *definition)
{
    list_head(e, list, head);
    if (CW_TAB * ((size_t)e->out->indent + 1) + strlen(definition) > CW_COLUMNS) {
        cw_list_end(list);
        cw_list_begin(list, e->out, head, ";");
        cw_line(e->out, "%s%s;", head, definition);
    } else {
        cw_list_item(list, "%s", definition);
    }
}

static int count_stores(const struct code *e, int k, int p)
{
    int n = 0;
    for (int o = e->row[k].output; o >= 0; o = e->next_output[o])
        n += e->tape->out[o].piece == p;
    return n;
}

static void define_row(struct code *e, struct cw_list *list, int k, int p, bool alone)
{
    const struct tape_row *t = &e->tape->row[k];
    struct code_row *r = &e->row[k];
    code_text(e, k);
    r->depth = inline_depth(e, k);
    int stored = count_stores(e, k, p), reads = r->reads - stored;      /* in other expressions, or by a later section */
    bool later = e->in_order && stored;     /* in their turn */
    const char *target = later ? "" : stores(e, k, p);
    if (later && reads <= 0 && (!alone || t->slot < 0))
        return;
    if (alone && t->slot >= 0) {
        target = arena_printf(e->arena, "%s%s[%d] = ", target, e->w_name, t->slot);
        e->uses_w = true;
        stored++;
    }
    const char *name = NULL;
    if (r->output >= 0 && e->array[e->tape->out[r->output].array].member) {
        name = store(e, &e->tape->out[r->output]);
        cw_list_end(list);
        cw_list_begin(list, e->out, number(e), ";");
        cw_line(e->out, "%s%s;", target, r->text);
    } else if (stored && reads <= 0 && !later) {
        cw_list_end(list);
        cw_list_begin(list, e->out, number(e), ";");
        cw_line(e->out, "%s%s;", target, r->text);
        return;
    }
    if (!stored && reads == 1 && !code_is_trig(t) && r->depth <= DEEPEST_INLINE && strlen(r->text) <= LONGEST_INLINE)
        return;
    if (!name) {
        name = name_row(e, k);
        put_definition(e, list, number(e), arena_printf(e->arena, "%s = %s%s", name, target, r->text));
    }
    r->text = name;
    r->binding = BIND_PRIMARY;
    r->named = true;
    r->truth = false;
    r->depth = 0;
}

static bool is_zero(const struct code *e, int row)
{
    const struct tape_row *t = &e->tape->row[row];
    return t->op == TAPE_NUM && e->tape->num[t->a] == 0;
}

/* An array with many zeros that is stored in piece p alone, and has no values before that are read: set to zero as a whole first. */
static bool is_filled(const struct code *e, int array, int p)
{
    int zeros = 0, all = 0;
    for (int k = 0; k < e->tape->rows; k++) {
        const struct tape_row *t = &e->tape->row[k];
        const char *read = t->op == TAPE_SYM ? e->symbols[t->a].array : NULL;
        if (read && !strcmp(read, e->array[array].local))
            return false;
    }
    for (int o = 0; o < e->tape->outs; o++) {
        const struct tape_output *out = &e->tape->out[o];
        if (out->array == array && out->piece != p)
            return false;
        all += out->array == array;
        zeros += out->array == array && is_zero(e, out->row);
    }
    return zeros >= MANY_ZEROS || (zeros == all && zeros > 2);
}

static void fill_zeros(struct code *e, int p)
{
    for (int a = 0; a < e->arrays; a++) {
        int n = 0;
        for (int o = 0; o < e->tape->outs; o++)
            if (e->tape->out[o].array == a && e->tape->out[o].index >= n)
                n = e->tape->out[o].index + 1;
        if (!n || !is_filled(e, a, p))
            continue;
        cw_line(e->out, "for (int i = 0; i < %d; i++)", n);
        cw_line(e->out, "\t%s[i] = %s;", e->array[a].local, whole(e, "0.0"));
        for (int o = 0; o < e->tape->outs; o++)
            if (e->tape->out[o].array == a && is_zero(e, e->tape->out[o].row))
                e->filled[o] = true;
    }
}

/* Outputs stored in piece p whose rows were computed before it or are leaves; several of one row in one
 * statement, up to a line's length. */
static void store_rest(struct code *e, int p)
{
    for (int o = 0; o < e->tape->outs; o++) {
        int k = e->tape->out[o].row;
        bool elsewhere = e->row[k].piece != p || code_is_leaf(&e->tape->row[k]);
        if (e->tape->out[o].piece != p || !elsewhere || e->row[k].stored == p + 1 || e->filled[o])
            continue;
        const char *text = "";
        for (int f = e->row[k].output; f >= 0; f = e->next_output[f]) {
            if (e->tape->out[f].piece != p || e->filled[f])
                continue;
            text = arena_printf(e->arena, "%s%s = ", text, store(e, &e->tape->out[f]));
            if (strlen(text) > LONGEST_INLINE) {
                cw_line(e->out, "%s%s;", text, whole(e, e->row[k].text));
                text = "";
            }
        }
        if (*text)
            cw_line(e->out, "%s%s;", text, whole(e, e->row[k].text));
        e->row[k].stored = p + 1;
    }
}

static void load_outside(struct code *e, struct needs *n)
{
    struct cw_list list;
    cw_list_begin(&list, e->out, number(e), ";");
    for (int k = 0; k < n->outside.n; k++) {
        int row = n->outside.at[k];
        struct code_row *r = &e->row[row];
        r->text = name_row(e, row);
        r->binding = BIND_PRIMARY;
        r->named = true;
        cw_list_item(&list, "%s = %s[%d]", r->text, e->w_name, e->tape->row[row].slot);
        e->uses_w = true;
    }
    cw_list_end(&list);
}

/* Calls come first, with what they need: few values are alive then that a call would make the C
 * compiler save. */
static void mark_early(struct code *e, const struct tape_piece *p)
{
    int at[4];
    for (int k = p->end - 1; k >= p->begin; k--) {
        if (code_is_trig(&e->tape->row[k]))
            e->row[k].early = true;
        for (int j = code_operands(&e->tape->row[k], at); e->row[k].early && j-- > 0;)
            e->row[at[j]].early = true;
    }
}

/* A pivot must keep 1e-7 of the diagonal entry it comes from: a pivot that is zero but for rounding looks like 1e-16
 * divided by the smallest ratio before it, and that must not pass either.  A check right after its pivot ends the
 * lives of both; one that needs no elimination comes first of all. */
static void check_pivots(struct code *e, struct cw_list *list, int row)
{
    for (int k = 0; e->pivots && k < e->pivots->pivots; k++) {
        const struct saddle_pivot *p = &e->pivots->pivot[k];
        bool leaf = code_is_leaf(&e->tape->row[p->row]);
        if (row < 0 ? !leaf : leaf || p->row != row)
            continue;
        const char *diagonal = p->diagonal == p->row ? "0" : arena_printf(e->arena, "1e-7*%s", e->row[p->diagonal].text);
        cw_list_end(list);
        cw_line(e->out, "if (!(%s > %s)) return %d;", e->row[p->row].text, diagonal, p->number);
        cw_list_begin(list, e->out, number(e), ";");
    }
}

static void define_rows(struct code *e, struct cw_list *list, int from, int to, bool early, int p, bool alone)
{
    for (int k = from; k < to; k++)
        if (e->row[k].early == early && !e->row[k].text && !code_is_leaf(&e->tape->row[k]) && e->tape->row[k].uses) {
            define_row(e, list, k, p, alone);
            check_pivots(e, list, k);
        }
}

/* Coordinates that follow each other are read where they stand: what to write for them, or NULL. */
static const char *angles_in_place(struct code *e)
{
    const struct code_angles *a = e->angles;
    const struct tape_row *first = &e->tape->row[a->row[0]], *last = &e->tape->row[a->row[a->n - 1]];
    if (first->op != TAPE_SYM || last->op != TAPE_SYM || first->a != SYM_Q || last->a != SYM_Q || last->b - first->b != a->n - 1)
        return NULL;
    return first->b ? arena_printf(e->arena, "%s + %d", e->symbols[SYM_Q].array, first->b) : e->symbols[SYM_Q].array;
}

static void put_angles(struct code *e, struct cw_list *list, const char *cosine, const char *sine)
{
    const struct code_angles *a = e->angles;
    int room = (a->n + 3) / 4 * 4;
    const char *angle = angles_in_place(e), *head = arena_printf(e->arena, "double %s[%d], %s[%d]", cosine, room, sine, room);
    cw_list_end(list);
    if (angle) {
        cw_line(e->out, "%s;", head);
        cw_line(e->out, "mbs_sines(%d, %s, %s, %s);", a->n, angle, cosine, sine);
    } else {
        angle = scope_name(&e->scope, "angle");
        cw_list_begin(list, e->out, arena_printf(e->arena, "%s, %s[%d] = { ", head, angle, room), " };");
        for (int k = 0; k < a->n; k++)
            cw_list_item(list, "%s", e->row[a->row[k]].text);
        cw_list_end(list);
        cw_line(e->out, "mbs_sines(%d, %s, %s, %s);", room, angle, cosine, sine);
    }
    cw_list_begin(list, e->out, number(e), ";");
}

/* The angles with what they are made of, then the sines and cosines of all at once. */
static void gather_sines(struct code *e, struct cw_list *list, int p, bool alone)
{
    const struct tape_piece *piece = &e->tape->piece[p];
    const struct code_angles *a = e->angles;
    int at[4];
    const char *cosine = scope_name(&e->scope, "cosine"), *sine = scope_name(&e->scope, "sine");
    for (int k = 0; k < a->n; k++) {
        e->row[a->row[k]].in_angle = true;
        e->row[a->row[k]].reads++;          /* into the array, and no longer by each */
    }
    for (int k = piece->end - 1; k >= piece->begin; k--) {
        const struct tape_row *t = &e->tape->row[k];
        if (code_is_trig(t) && t->uses && a->number[t->a] >= 0) {
            e->row[t->a].reads--;
            e->row[k].gathered = arena_printf(e->arena, "%s[%d]", t->fn == EXPR_SIN ? sine : cosine, a->number[t->a]);
        }
        for (int j = code_operands(t, at); e->row[k].in_angle && j-- > 0;)
            e->row[at[j]].in_angle = true;
    }
    for (int k = piece->begin; k < piece->end; k++)
        if (e->row[k].in_angle && !code_is_leaf(&e->tape->row[k]))
            define_row(e, list, k, p, alone);
    put_angles(e, list, cosine, sine);
}

/* Each output in its turn, after the rows that it needs.  A value that is nothing but stored is written once; further
 * entries are copies of the first. */
static void rows_by_output(struct code *e, struct cw_list *list, int p, bool alone)
{
    const struct tape_piece *piece = &e->tape->piece[p];
    int next = piece->begin;
    for (int o = 0; o < e->tape->outs; o++) {
        const struct tape_output *out = &e->tape->out[o];
        struct code_row *r = &e->row[out->row];
        if (out->piece != p || e->filled[o])
            continue;
        if (r->piece == p && out->row >= next) {
            define_rows(e, list, next, out->row + 1, false, p, alone);
            next = out->row + 1;
        }
        cw_list_end(list);
        cw_list_begin(list, e->out, number(e), ";");
        put_store(e, out, r->text);
        if (!r->named && !code_is_leaf(&e->tape->row[out->row])) {
            r->text = store(e, out);
            r->binding = BIND_PRIMARY;
        }
    }
    define_rows(e, list, next, piece->end, false, p, alone);
}

static void piece_rows(struct code *e, int p, bool alone)
{
    const struct tape_piece *piece = &e->tape->piece[p];
    struct cw_list list;
    fill_zeros(e, p);
    mark_early(e, piece);
    cw_list_begin(&list, e->out, number(e), ";");
    check_pivots(e, &list, -1);
    if (e->gathers_sines) {
        code_angles_find(e->angles, p);
        if (e->angles->n)
            gather_sines(e, &list, p, alone);
    }
    define_rows(e, &list, piece->begin, piece->end, true, p, alone);
    if (e->in_order)
        rows_by_output(e, &list, p, alone);
    else
        define_rows(e, &list, piece->begin, piece->end, false, p, alone);
    cw_list_end(&list);
    if (!e->in_order)
        store_rest(e, p);
}

/* --- functions -------------------------------------------------------------------------------------- */

/* The output whose presence asks for a section; NULL if the section writes nothing. */
static const char *section_guard(const struct code *e, int section)
{
    for (int k = 0; k < e->tape->outs; k++)
        if (e->tape->out[k].section == section) {
            const struct code_array *a = &e->array[e->tape->out[k].array];
            return a->guard ? a->guard : a->source;
        }
    return NULL;
}

void code_body(struct code *e)
{
    const struct tape *t = e->tape;
    unsigned declared = 0;
    for (int k = 0; k < t->rows; k++)
        e->row[k].reads = t->row[k].uses;
    for (int p = 0; p < t->pieces; p++) {
        struct needs needs = { .e = e, .piece = p };
        const char *guard = t->piece[p].section ? section_guard(e, t->piece[p].section) : "";
        unsigned outer = declared;
        if (!guard)
            continue;
        if (*guard) {
            cw_line(e->out, "if (%s) {", guard);
            e->out->indent++;
        }
        find_leaves(&needs);
        declare_leaves(e, &needs, &declared);
        declare_arrays(e, p);
        piece_rows(e, p, false);
        if (*guard) {
            declared = outer;
            e->out->indent--;
            cw_line(e->out, "}");
        }
        free(needs.leaf.at);
    }
}

static void piece_alone(struct code *e, int p)
{
    struct needs needs = { .e = e, .piece = p };
    unsigned declared = 0;
    find_needs(&needs);
    declare_leaves(e, &needs, &declared);
    declare_arrays(e, p);
    load_outside(e, &needs);
    piece_rows(e, p, true);
    forget_needs(&needs);
}

void code_head(struct code *e, const char *name, const char *out_type)
{
    cw_line(e->out, "static void %s(const %s*restrict %s, const struct %s *%s, %s%s, %s*%s%s)",
            name, e->lanes ? "lanes " : "double ", e->c_name, e->state ? e->state : "mbs_state", e->s_name, out_type, e->out_name, number(e), e->tape->slots ? "restrict " : "", e->w_name);
    cw_line(e->out, "{");
    e->out->indent++;
}

static void function_foot(struct code *e)
{
    const bool used[] = { e->uses_c, e->uses_s, e->uses_out, e->uses_w };
    const char *name[] = { e->c_name, e->s_name, e->out_name, e->w_name }, *text = "";
    for (int k = 0; k < 4; k++)
        if (!used[k])
            text = arena_printf(e->arena, "%s%s(void)%s", text, *text ? ", " : "", name[k]);
    if (*text)
        cw_line(e->out, "%s;", text);
    e->out->indent--;
    cw_line(e->out, "}");
    cw_line(e->out, "%s", "");
    e->uses_c = e->uses_s = e->uses_out = e->uses_w = false;
}

void code_pieces(struct code *e, const char *name, const char *out_type)
{
    for (int p = 0; p < e->tape->pieces; p++)
        if (!e->tape->piece[p].section || section_guard(e, e->tape->piece[p].section)) {
            code_head(e, arena_printf(e->arena, "%s_%d", name, p + 1), out_type);
            piece_alone(e, p);
            function_foot(e);
            scope_fini(&e->scope);
            scope_init(&e->scope, e->file, e->arena);
            e->temps = 0;
        }
}

void code_call_piece(struct code *e, const char *name, int p)
{
    cw_line(e->out, "%s_%d(%s, %s, %s, %s);", name, p + 1, e->c_name, e->s_name, e->out_name, e->w_name);
}

void code_function(struct code *e, const char *name, const char *out_type, void (*before)(struct code *), void (*after)(struct code *))
{
    const struct tape *t = e->tape;
    bool whole = true;
    for (int p = 1; p < t->pieces && whole; p++)
        whole = t->piece[p].section != t->piece[p - 1].section;
    code_begin(e);
    if (whole) {
        code_head(e, name, out_type);
        before(e);
        code_body(e);
        after(e);
        function_foot(e);
        code_end(e);
        return;
    }
    code_pieces(e, name, out_type);
    code_head(e, name, out_type);
    for (int p = 0; p < t->pieces; p++) {
        const char *guard = t->piece[p].section ? section_guard(e, t->piece[p].section) : "";
        if (!guard)
            continue;
        if (*guard)
            cw_line(e->out, "if (%s)", guard);
        e->out->indent += *guard != 0;
        code_call_piece(e, name, p);
        e->out->indent -= *guard != 0;
    }
    after(e);
    e->uses_c = e->uses_s = e->uses_out = e->uses_w = true;
    function_foot(e);
    code_end(e);
}
