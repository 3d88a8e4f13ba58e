/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an editor asks, answered by the compiler itself.
 *
 * The value of anything under the cursor is asked of the compiler in its own language: `output` statements are added to the text, and their
 * expressions and units read from the checked model.  So a parameter, a let, K.tip or S.force need no code of their own here, and
 * what the compiler refuses is not shown.  A new name is given to a word everywhere in the file at once, which keeps the meaning if nothing had
 * that name and the word is none of the language.
 */
#include "config.h"
#include "json.h"
#include "lsp/answer.h"
#include "lsp/words.h"
#include "base/out.h"
#include "fmt.h"
#include "model/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A text as it is checked, and its tokens. */
struct view {
    struct compile *c;
    struct compilation scanned;
    struct tokens tokens;
};

static struct view view_open(const struct document *d, enum compile_station to)
{
    struct view v = {.c = compile_memory(d->path, d->text, d->length, NULL, to)};
    compilation_init(&v.scanned, NULL);
    v.tokens = tokens_read(&v.scanned, source_text(&v.scanned.sources, "", d->text, d->length));
    return v;
}

static void view_close(struct view *v)
{
    free(v->tokens.at);
    compilation_fini(&v->scanned);
    compile_free(v->c);
}

static void put_range(FILE *f, const struct question *x, struct span s)
{
    range_write(f, x->d, x->encoding, s.begin, s.end);
}

/* --- diagnostics -------------------------------------------------------------------------------------------------------- */

/* Where the text itself is to blame: a message in an included file is shown where the file begins. */
static struct span here(const struct compile *c, struct span s)
{
    return s.source && c->base.sources.list.n && s.source == c->base.sources.list.at[0] ? s : SPAN_NONE;
}

static void put_related(FILE *f, const struct question *x, const struct compile *c, int note)
{
    const struct diags *all = &c->base.diags;
    for (int n = 0; note < all->list.n && all->list.at[note].severity == DIAG_NOTE; note++) {
        const struct diag *m = &all->list.at[note];
        if (!here(c, m->span).source)
            continue;
        fputs(n++ ? "," : ",\"relatedInformation\":[", f);
        fputs("{\"location\":{\"uri\":", f);
        json_string(f, x->d->uri);
        fputs(",\"range\":", f);
        put_range(f, x, m->span);
        fputs("},\"message\":", f);
        json_string(f, m->message);
        fputs("}", f);
        if (note + 1 == all->list.n || all->list.at[note + 1].severity != DIAG_NOTE)
            putc(']', f);
    }
}

/* Notes without an own line of the array: editors that do not show related information would lose them, so they end the message as well. */
static void put_message(FILE *f, const struct compile *c, int at)
{
    const struct diags *all = &c->base.diags;
    char *text = NULL;
    size_t size;
    FILE *s = stream_open(&text, &size);
    if (!s)
        return json_string(f, all->list.at[at].message);
    const struct span own = all->list.at[at].span;
    if (own.source && !here(c, own).source)
        fprintf(s, "%s:%u: ", own.source->path, source_place(own.source, own.begin).line);
    fputs(all->list.at[at].message, s);
    for (int i = at + 1; i < all->list.n && all->list.at[i].severity == DIAG_NOTE; i++)
        fprintf(s, "\n%s", all->list.at[i].message);
    json_string(f, stream_close(s) ? text : all->list.at[at].message);
    free(text);
}

void answer_diagnostics(FILE *f, const struct question *x)
{
    struct compile *c = compile_memory(x->d->path, x->d->text, x->d->length, NULL, COMPILE_MODEL);
    const struct diags *all = &c->base.diags;
    int n = 0;
    putc('[', f);
    for (int i = 0; i < all->list.n; i++) {
        const struct diag *m = &all->list.at[i];
        if (m->severity == DIAG_NOTE)
            continue;
        fprintf(f, "%s{\"range\":", n++ ? "," : "");
        put_range(f, x, here(c, m->span));
        fprintf(f, ",\"severity\":%d,\"source\":\"mbs\",\"message\":", m->severity == DIAG_ERROR ? 1 : 2);
        put_message(f, c, i);
        put_related(f, x, c, i + 1);
        putc('}', f);
    }
    putc(']', f);
    compile_free(c);
}

/* --- hover ----------------------------------------------------------------------------------------------------------------- */

static struct compile *compile_with(const struct document *d, const char *outputs)
{
    size_t n = d->length + strlen(outputs) + 2;
    char *text = malloc(n);
    if (!text)
        return NULL;
    memcpy(text, d->text, d->length);
    snprintf(text + d->length, n - d->length, "\n%s", outputs);
    struct compile *c = compile_memory(d->path, text, n - 1, NULL, COMPILE_MODEL);
    free(text);
    if (c->good)
        return c;
    compile_free(c);
    return NULL;
}

/* Values at the start as the file says: what is not given is zero, and constraints are not met. */
struct start {
    double *p, *q, *v, *z, *u, t;
};

static double value_at_start(const struct model *m, const struct start *s, Expr e)
{
    double y;
    if (expr_deps(m->pool, e) & (DEP(SYM_A) | DEP(SYM_LAMBDA) | DEP(SYM_MU)))
        return NAN;
    struct eval_env env = {.val = {[SYM_PARAM] = s->p, [SYM_TIME] = &s->t, [SYM_Q] = s->q, [SYM_V] = s->v, [SYM_Z] = s->z, [SYM_U] = s->u}};
    expr_eval(m->pool, &env, 1, &e, &y);
    return y;
}

static bool start_of(const struct model *m, struct start *s)
{
    *s = (struct start){calloc((size_t)m->param.n + 1, sizeof(double)), calloc((size_t)m->coord.n + 1, sizeof(double)),
                        calloc((size_t)m->coord.n + 1, sizeof(double)), calloc((size_t)m->state.n + 1, sizeof(double)),
                        calloc((size_t)m->input.n + 1, sizeof(double)), 0};
    if (!s->p || !s->q || !s->v || !s->z || !s->u)
        return false;
    for (int i = 0; i < m->param.n; i++)
        s->p[i] = value_at_start(m, s, m->param.at[i].value);
    for (int i = 0; i < m->coord.n; i++) {
        s->q[i] = value_at_start(m, s, m->coord.at[i].q0);
        s->v[i] = value_at_start(m, s, m->coord.at[i].v0);
    }
    for (int i = 0; i < m->state.n; i++)
        s->z[i] = value_at_start(m, s, m->state.at[i].z0);
    for (int i = 0; i < m->input.n; i++)
        s->u[i] = value_at_start(m, s, m->input.at[i].value);
    return true;
}

static void start_free(struct start *s)
{
    free(s->p), free(s->q), free(s->v), free(s->z), free(s->u);
}

static bool calls_outside(const struct model *m)
{
    return m->table.n || m->ext.n;         /* values of tables and C functions are not known here */
}

static void say_values(FILE *f, const struct model *m, const char *name, const char *title)
{
    enum { SHOWN = 9, LONGEST = 160 };
    struct start s;
    size_t n = strlen(name);
    int said = 0;
    if (!start_of(m, &s))
        return start_free(&s);
    for (int i = 0; i < m->output.n && said < SHOWN; i++) {
        const struct model_output *o = &m->output.at[i];
        if (strncmp(o->name, name, n) || (o->name[n] && o->name[n] != '.' && o->name[n] != '['))
            continue;
        char *formula = expr_show(m->pool, o->value);
        double y = calls_outside(m) ? NAN : value_at_start(m, &s, o->value);
        fprintf(f, "%s%s%s", said++ ? "\n" : "", title, o->name + n);
        bool itself = formula && !o->name[n] && !strcmp(formula, title);
        if (formula && !itself && strlen(formula) <= LONGEST && !expr_is_num(m->pool, o->value))
            fprintf(f, " = %s", formula);
        if (isfinite(y))
            fprintf(f, "%s%.6g", itself || expr_is_num(m->pool, o->value) ? " = " : ", at the start ", y);
        fprintf(f, "%s%s", *o->unit ? " " : "", o->unit);
        free(formula);
    }
    start_free(&s);
}

/* The value of an expression and its derivative as the compiler has them; false: it has none. */
static bool say_value(FILE *f, const struct document *d, const char *text)
{
    char both[1200];
    int n = snprintf(both, sizeof both, "output hover__value = %s\noutput hover__rate = (%s)'\n", text, text);
    struct compile *c = n < (int)sizeof both ? compile_with(d, both) : NULL;
    bool rate = c != NULL;
    if (!c) {
        snprintf(both, sizeof both, "output hover__value = %s\n", text);
        c = compile_with(d, both);
    }
    if (!c)
        return false;
    fputs("```mbs\n", f);
    say_values(f, c->model, "hover__value", text);
    if (rate) {
        char title[500];
        snprintf(title, sizeof title, "%.400s'", text);
        putc('\n', f);
        say_values(f, c->model, "hover__rate", title);
    }
    fputs("\n```\n", f);
    compile_free(c);
    return true;
}

/* The lines of a declaration, at most a few. */
static void say_declaration(FILE *f, const struct document *d, const struct declared *x)
{
    enum { LINES = 6 };
    const char *s = d->text + x->stmt->span.begin, *end = d->text + d->length;
    const char *last = d->text + x->stmt->span.end;
    fputs("```mbs\n", f);
    for (int lines = 0; s < end && lines < LINES; s++) {
        if (*s == '\n') {
            lines++;
            if (s >= last)
                break;
        }
        putc(*s, f);
    }
    fputs("\n```\n", f);
}

static void say_word(FILE *f, const struct view *v, const struct document *d, int token)
{
    char name[64];
    const struct span s = v->tokens.at[token].span;
    size_t n = s.end - s.begin;
    enum ast_word part = STMT_WORDS;
    if (n >= sizeof name)
        return;
    memcpy(name, d->text + s.begin, n);
    name[n] = 0;
    for (int i = token; i >= 0 && part == STMT_WORDS; i--)      /* the statement it stands in */
        for (int w = 0; v->tokens.at[i].kind == TOKEN_WORD && w < STMT_EQUATION; w++)
            if (token_is(d, &v->tokens.at[i], ast_word_text((enum ast_word)w)))
                part = (enum ast_word)w;
    const struct word *clause = word_clause(part, name);
    if (v->tokens.at[token].kind == TOKEN_WORD && word_form(part)) {
        fprintf(f, "```mbs\n%s\n```\n", word_form(part));
    } else if (clause) {
        fprintf(f, "`%s`%s%s%s: %s", name, clause->unit && *clause->unit ? " in `" : "", clause->unit && *clause->unit ? clause->unit : "",
                clause->unit && *clause->unit ? "`" : "", clause->help);
        if (!clause->otherwise)
            fputs("; needed", f);
        else if (*clause->otherwise)
            fprintf(f, "; `%s` if it is not given", clause->otherwise);
    }
}

void answer_hover(FILE *f, const struct question *x)
{
    const struct document *d = x->d;
    struct view v = view_open(d, COMPILE_AST);
    int at = token_at(&v.tokens, x->offset);
    char *said = NULL;
    size_t size = 0;
    FILE *s = stream_open(&said, &size);
    if (s && at >= 0 && (v.tokens.at[at].kind == TOKEN_NAME || v.tokens.at[at].kind == TOKEN_WORD)) {
        int first = token_chain(d, &v.tokens, at);
        struct span span = {NULL, v.tokens.at[first].span.begin, v.tokens.at[at].span.end};
        char text[500];
        struct declarations all = declarations_of(v.c->ast);
        bool clause = at + 1 < v.tokens.n && token_is(d, &v.tokens.at[at + 1], "=") && first == at;
        snprintf(text, sizeof text, "%.*s", (int)(span.end - span.begin), d->text + span.begin);
        const struct declared *found = NULL;
        for (int i = 0; i < all.n && !found; i++)
            if (!strcmp(all.at[i].name, text))
                found = &all.at[i];
        if (v.tokens.at[at].kind != TOKEN_WORD && (found || !clause) && say_value(s, d, text))
            fputs("\n", s);
        if (found)
            say_declaration(s, d, found);
        else
            say_word(s, &v, d, at);
        free(all.at);
    }
    bool good = s && stream_close(s) && said && *said;
    if (good) {
        fputs("{\"contents\":{\"kind\":\"markdown\",\"value\":", f);
        json_string(f, said);
        fputs("}}", f);
    } else {
        fputs("null", f);
    }
    free(said);
    view_close(&v);
}

/* --- completion -------------------------------------------------------------------------------------------------------------- */

struct offers {
    FILE *f;
    int n;
    struct { const char **at; int n, cap; } names;
};

/* kind: enum CompletionItemKind of the protocol */
static void offer(struct offers *o, const char *name, int kind, const char *detail, const char *insert)
{
    for (int i = 0; i < o->names.n; i++)
        if (!strcmp(o->names.at[i], name))
            return;
    VEC_PUSH(o->names, name);
    fprintf(o->f, "%s{\"label\":", o->n++ ? "," : "");
    json_string(o->f, name);
    fprintf(o->f, ",\"kind\":%d", kind);
    if (detail) {
        fputs(",\"detail\":", o->f);
        json_string(o->f, detail);
    }
    if (insert) {
        fputs(",\"insertText\":", o->f);
        json_string(o->f, insert);
    }
    putc('}', o->f);
}
enum { IS_FUNCTION = 3, IS_FIELD = 5, IS_VARIABLE = 6, IS_PROPERTY = 10, IS_KEYWORD = 14, IS_CLASS = 7 };

/* The statement that the cursor stands in, and whether inside its braces; STMT_WORDS: where one starts. */
static enum ast_word statement_around(const struct document *d, const struct tokens *t, size_t offset, bool *braces)
{
    int i = t->n - 1, depth = 0;
    *braces = false;
    while (i >= 0 && t->at[i].span.begin >= offset)
        i--;
    bool fresh = i < 0 || t->at[i].kind == TOKEN_END;
    for (; i >= 0; i--) {
        if (token_is(d, &t->at[i], "}"))
            depth++;
        else if (token_is(d, &t->at[i], "{") && depth-- == 0)
            *braces = true, fresh = false, depth = 0;
        else if (t->at[i].kind == TOKEN_END && depth == 0 && !*braces && !fresh && i + 1 < t->n && t->at[i + 1].kind != TOKEN_WORD)
            continue;
        if (t->at[i].kind != TOKEN_WORD || depth > 0 || (fresh && !*braces))
            continue;
        for (int w = 0; w < STMT_EQUATION; w++)
            if (token_is(d, &t->at[i], ast_word_text((enum ast_word)w)) && w != STMT_CUT)
                return t->at[i].span.end >= offset ? STMT_WORDS : (enum ast_word)w;
    }
    return STMT_WORDS;
}

static bool holds_statements(enum ast_word w)
{
    return w == STMT_FOR || w == STMT_IF || w == STMT_ELSE || w == STMT_COMPONENT;
}

static void offer_clauses(struct offers *o, enum ast_word w, bool braces, struct arena *arena)
{
    bool inside = false;
    for (const struct word *x = word_parts; x->help; x++) {
        if (!x->name)
            inside = x->part == w;
        else if (inside)
            offer(o, x->name, IS_PROPERTY, x->help, braces && strcmp(x->name, "point") && strcmp(x->name, "frame") ? arena_printf(arena, "%s = ", x->name) : NULL);
    }
}

static bool is_joint(const struct declarations *all, const char *owner, struct arena *arena)
{
    for (int i = 0; i < all->n; i++)
        if (all->at[i].stmt->word == STMT_JOINT && all->at[i].stmt->name && !strcmp(ast_show(arena, all->at[i].stmt->name), owner))
            return true;
    return false;
}

/* What stands behind `owner.`: points of a body, coordinates of a joint, quantities that everything of its kind has, what an element tells of itself. */
static void offer_members(struct offers *o, const struct compile *c, const struct declarations *all, const char *owner, struct arena *arena)
{
    size_t n = strlen(owner);
    bool body = false;
    for (int i = 0; i < all->n; i++) {
        const struct declared *x = &all->at[i];
        if (!x->stmt->name || x->stmt->word != STMT_BODY || strcmp(ast_show(arena, x->stmt->name), owner))
            continue;
        body = true;
        if (x->item)
            offer(o, x->name, IS_FIELD, "a point", NULL);
    }
    for (int i = 0; body && mech_body_quantity(i); i++)
        offer(o, mech_body_quantity(i), IS_FIELD, NULL, NULL);
    for (int i = 0; !body && is_joint(all, owner, arena) && mech_joint_quantity(i); i++)
        offer(o, mech_joint_quantity(i), IS_FIELD, "on its second body, in space axes", NULL);
    for (int i = 0; c->model && i < c->model->coord.n; i++)
        if (!strncmp(c->model->coord.at[i].name, owner, n) && c->model->coord.at[i].name[n] == '.')
            offer(o, c->model->coord.at[i].name + n + 1, IS_FIELD, c->model->coord.at[i].unit, NULL);
    for (int i = 0; c->model && i < c->model->told.n; i++)
        if (!strcmp(c->model->told.at[i].owner, owner))
            offer(o, c->model->told.at[i].part, IS_FIELD, c->model->told.at[i].unit, NULL);
}

static void offer_names(struct offers *o, const struct declarations *all)
{
    for (int i = 0; i < all->n; i++)
        offer(o, all->at[i].name, IS_VARIABLE, ast_word_text(all->at[i].stmt->word), NULL);
    for (int i = 0; builtin_name(i); i++)
        offer(o, builtin_name(i), IS_FUNCTION, NULL, NULL);
}

static void offer_joints(struct offers *o, struct arena *arena)
{
    for (int space = 0; space < 2; space++)
        for (const char *s = joint_kind_list(arena, space); *s; s += strspn(s, ", ")) {
            int n = (int)strcspn(s, ",");
            offer(o, arena_printf(arena, "%.*s", n, s), IS_CLASS, "joint", NULL);
            s += n;
        }
}

/* The model without the line that is being written, which is seldom right yet; NULL: there is none. */
static struct compile *compile_without_line(const struct document *d, size_t offset)
{
    char *text = malloc(d->length + 1);
    if (!text)
        return NULL;
    memcpy(text, d->text, d->length);
    for (size_t i = offset; i > 0 && text[i - 1] != '\n'; i--)
        text[i - 1] = ' ';
    for (size_t i = offset; i < d->length && text[i] != '\n'; i++)
        text[i] = ' ';
    struct compile *c = compile_memory(d->path, text, d->length, NULL, COMPILE_MODEL);
    free(text);
    return c;
}

void answer_completion(FILE *f, const struct question *x)
{
    const struct document *d = x->d;
    struct view v = view_open(d, COMPILE_MODEL);
    struct declarations all = declarations_of(v.c->ast);
    struct offers o = {.f = f};
    struct arena arena = {0};
    int before = v.tokens.n - 1;
    bool braces;
    putc('[', f);
    while (before >= 0 && (v.tokens.at[before].span.begin >= x->offset || v.tokens.at[before].kind == TOKEN_END))
        before--;
    if (before >= 0 && v.tokens.at[before].span.end >= x->offset && (v.tokens.at[before].kind == TOKEN_NAME || v.tokens.at[before].kind == TOKEN_WORD))
        before--;                /* the word that is being typed */
    enum ast_word w = statement_around(d, &v.tokens, x->offset, &braces);
    if (before >= 1 && token_is(d, &v.tokens.at[before], ".") && v.tokens.at[before].span.end + 80 > x->offset) {
        int first = token_chain(d, &v.tokens, before - 1);
        int n = (int)(v.tokens.at[before - 1].span.end - v.tokens.at[first].span.begin);
        struct compile *other = v.c->model ? NULL : compile_without_line(d, x->offset);
        offer_members(&o, other ? other : v.c, &all, arena_printf(&arena, "%.*s", n, d->text + v.tokens.at[first].span.begin), &arena);
        if (other)
            compile_free(other);
    } else if (w == STMT_WORDS || (braces && holds_statements(w))) {
        for (int i = 0; i < STMT_EQUATION; i++)
            offer(&o, ast_word_text((enum ast_word)i), IS_KEYWORD, word_form((enum ast_word)i), NULL);
        offer_names(&o, &all);
    } else {
        offer_clauses(&o, w, braces, &arena);
        if (w == STMT_JOINT)
            offer_joints(&o, &arena);
        offer_names(&o, &all);
    }
    putc(']', f);
    free(o.names.at);
    free(all.at);
    arena_free(&arena);
    view_close(&v);
}

/* --- places of names -------------------------------------------------------------------------------------------------------- */

/* The name under the cursor: its token; -1: there is none. */
static int name_at(const struct view *v, const struct question *x)
{
    int at = token_at(&v->tokens, x->offset);
    return at >= 0 && v->tokens.at[at].kind == TOKEN_NAME ? at : -1;
}

static bool same_name(const struct document *d, const struct token *a, const struct token *b)
{
    size_t n = a->span.end - a->span.begin;
    return a->kind == TOKEN_NAME && b->kind == TOKEN_NAME && b->span.end - b->span.begin == n &&
           !memcmp(d->text + a->span.begin, d->text + b->span.begin, n);
}

/* The declaration that a name means: of K.P the point of K. */
static const struct declared *declaration_of(const struct view *v, const struct document *d, const struct declarations *all, int at, struct arena *arena)
{
    int first = token_chain(d, &v->tokens, at);
    const char *owner = NULL;
    if (first < at)
        owner = arena_printf(arena, "%.*s", (int)(v->tokens.at[first].span.end - v->tokens.at[first].span.begin), d->text + v->tokens.at[first].span.begin);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < all->n; i++) {
            const struct declared *x = &all->at[i];
            if (!token_is(d, &v->tokens.at[at], x->name))
                continue;
            if (pass || !owner || (x->item && x->stmt->name && !strcmp(ast_show(arena, x->stmt->name), owner)))
                return x;
        }
    return NULL;
}

void answer_definition(FILE *f, const struct question *x)
{
    struct view v = view_open(x->d, COMPILE_AST);
    struct declarations all = declarations_of(v.c->ast);
    struct arena arena = {0};
    int at = name_at(&v, x);
    const struct declared *found = at >= 0 ? declaration_of(&v, x->d, &all, at, &arena) : NULL;
    if (found) {
        fputs("{\"uri\":", f);
        json_string(f, x->d->uri);
        fputs(",\"range\":", f);
        put_range(f, x, found->span);
        putc('}', f);
    } else {
        fputs("null", f);
    }
    free(all.at);
    arena_free(&arena);
    view_close(&v);
}

void answer_references(FILE *f, const struct question *x)
{
    struct view v = view_open(x->d, COMPILE_AST);
    int at = name_at(&v, x);
    putc('[', f);
    for (int i = 0, n = 0; at >= 0 && i < v.tokens.n; i++)
        if (same_name(x->d, &v.tokens.at[at], &v.tokens.at[i])) {
            fprintf(f, "%s{\"uri\":", n++ ? "," : "");
            json_string(f, x->d->uri);
            fputs(",\"range\":", f);
            put_range(f, x, v.tokens.at[i].span);
            putc('}', f);
        }
    putc(']', f);
    view_close(&v);
}

static bool is_name(const char *s)
{
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return n && !s[n] && n <= 200 && (*s < '0' || *s > '9');
}

/* Why the name of a token cannot be changed; NULL: it can. */
static const char *keeps_name(const struct view *v, const struct document *d, const struct declarations *all, int at)
{
    char name[256];
    if (at < 0)
        return "there is no name here";
    const struct span s = v->tokens.at[at].span;
    snprintf(name, sizeof name, "%.*s", (int)(s.end - s.begin < 255 ? s.end - s.begin : 255), d->text + s.begin);
    if (word_is_any(name))
        return "this is a word of the language";
    for (int i = 0; i < all->n; i++)
        if (!strcmp(all->at[i].name, name))
            return NULL;
    return "it is not declared in this file";
}

const char *answer_rename_range(FILE *f, const struct question *x)
{
    struct view v = view_open(x->d, COMPILE_AST);
    struct declarations all = declarations_of(v.c->ast);
    int at = name_at(&v, x);
    const char *why = keeps_name(&v, x->d, &all, at);
    if (!why)
        put_range(f, x, v.tokens.at[at].span);
    free(all.at);
    view_close(&v);
    return why;
}

const char *answer_rename(FILE *f, const struct question *x)
{
    const struct document *d = x->d;
    struct view v = view_open(d, COMPILE_AST);
    struct declarations all = declarations_of(v.c->ast);
    int at = name_at(&v, x);
    const char *why = keeps_name(&v, d, &all, at);
    if (!why && (!is_name(x->name) || word_is_any(x->name)))
        why = "the new name is no name, or a word of the language";
    for (int i = 0; !why && i < v.tokens.n; i++)
        if (v.tokens.at[i].kind == TOKEN_NAME && token_is(d, &v.tokens.at[i], x->name))
            why = "this name is taken";
    if (!why) {
        fputs("{\"changes\":{", f);
        json_string(f, d->uri);
        fputs(":[", f);
        for (int i = 0, n = 0; i < v.tokens.n; i++)
            if (same_name(d, &v.tokens.at[at], &v.tokens.at[i])) {
                fprintf(f, "%s{\"range\":", n++ ? "," : "");
                put_range(f, x, v.tokens.at[i].span);
                fputs(",\"newText\":", f);
                json_string(f, x->name);
                putc('}', f);
            }
        fputs("]}}", f);
    }
    free(all.at);
    view_close(&v);
    return why;
}

/* --- the whole text ------------------------------------------------------------------------------------------------------------ */

static int symbol_kind(enum ast_word w)
{
    enum { CLASS = 5, FIELD = 8, FUNCTION = 12, VARIABLE = 13, CONSTANT = 14, OBJECT = 19, EVENT = 24, OPERATOR = 25 };
    switch (w) {
    case STMT_COMPONENT: return CLASS;
    case STMT_FUNCTION: case STMT_TABLE: case STMT_EXTERN: return FUNCTION;
    case STMT_PARAM: case STMT_CONST: case STMT_OPTION: return CONSTANT;
    case STMT_WHEN: case STMT_EVERY: return EVENT;
    case STMT_JOINT: case STMT_CONSTRAINT: return OPERATOR;
    case STMT_OUTPUT: return FIELD;
    case STMT_COORD: case STMT_STATE: case STMT_LET: case STMT_INPUT: case STMT_DISCRETE: return VARIABLE;
    default: return OBJECT;
    }
}

void answer_symbols(FILE *f, const struct question *x)
{
    struct view v = view_open(x->d, COMPILE_AST);
    struct declarations all = declarations_of(v.c->ast);
    putc('[', f);
    for (int i = 0; i < all.n; i++) {
        const struct declared *s = &all.at[i];
        fprintf(f, "%s{\"name\":", i ? "," : "");
        json_string(f, s->name);
        fputs(",\"detail\":", f);
        json_string(f, ast_word_text(s->stmt->word));
        fprintf(f, ",\"kind\":%d,\"range\":", symbol_kind(s->stmt->word));
        put_range(f, x, s->item ? s->item->span : s->stmt->span);
        fputs(",\"selectionRange\":", f);
        put_range(f, x, s->span);
        putc('}', f);
    }
    putc(']', f);
    free(all.at);
    view_close(&v);
}

void answer_formatting(FILE *f, const struct question *x)
{
    char *text = fmt_text(x->d->path, x->d->text, x->d->length);
    if (!text) {
        fputs("null", f);
        return;
    }
    putc('[', f);
    if (strcmp(text, x->d->text)) {
        fputs("{\"range\":", f);
        range_write(f, x->d, x->encoding, 0, x->d->length);
        fputs(",\"newText\":", f);
        json_string(f, text);
        putc('}', f);
    }
    putc(']', f);
    free(text);
}
