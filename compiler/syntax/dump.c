/* SPDX-License-Identifier: GPL-3.0-or-later
 * The syntax tree as text: expressions fully parenthesised, one statement a line, blocks indented. */
#include "syntax/ast.h"
#include "base/out.h"

#include <stdlib.h>

static const char *operator_text(enum ast_kind kind)
{
    switch (kind) {
    case AST_ADD: return " + ";
    case AST_SUB: return " - ";
    case AST_MUL: return "*";
    case AST_DIV: return "/";
    case AST_POW: return "^";
    case AST_LT: return " < ";
    case AST_LE: return " <= ";
    case AST_GT: return " > ";
    case AST_GE: return " >= ";
    case AST_EQ: return " == ";
    case AST_NE: return " != ";
    case AST_AND: return " and ";
    case AST_OR: return " or ";
    case AST_AT: return " @ ";
    case AST_NUMBER: case AST_STRING: case AST_NAME: case AST_NEG: case AST_NOT: case AST_PRIME: case AST_CALL:
    case AST_INDEX: case AST_MEMBER: case AST_VECTOR: case AST_NAMED: case AST_KINDS:
        break;
    }
    return NULL;
}

static void show_expr(FILE *out, const struct ast_expr *e, bool inside);

static void show_list(FILE *out, const struct ast_expr *e, int from)
{
    for (int i = from; i < e->n; i++) {
        fputs(i > from ? ", " : "", out);
        show_expr(out, e->arg[i], false);
    }
}

/* a + b - c: the left spine in a loop, without parentheses. */
static void show_binary(FILE *out, const struct ast_expr *e, bool inside)
{
    struct { const struct ast_expr **at; int n, cap; } spine = {0};
    for (; e->n == 2; e = e->arg[0]) {
        VEC_PUSH(spine, e);
        if (!ast_is_chain(e, e->arg[0]))
            break;
    }
    fputs(inside ? "(" : "", out);
    show_expr(out, spine.at[spine.n - 1]->arg[0], true);
    for (int i = spine.n; i-- > 0;) {
        fputs(operator_text(spine.at[i]->kind), out);
        show_expr(out, spine.at[i]->arg[1], true);
    }
    fputs(inside ? ")" : "", out);
    free(spine.at);
}

static void show_expr(FILE *out, const struct ast_expr *e, bool inside)
{
    switch (e->kind) {
    case AST_NUMBER: case AST_NAME:
        fputs(e->text, out);
        if (e->unit) {
            fputs(" [", out);
            show_expr(out, e->unit, false);
            fputc(']', out);
        }
        break;
    case AST_STRING:
        fprintf(out, "\"%s\"", e->text);
        break;
    case AST_NEG: case AST_NOT:
        fputs(inside ? "(" : "", out);
        fputs(e->kind == AST_NEG ? "-" : "not ", out);
        show_expr(out, e->arg[0], true);
        fputs(inside ? ")" : "", out);
        break;
    case AST_PRIME:
        show_expr(out, e->arg[0], true);
        fputc('\'', out);
        break;
    case AST_CALL:
        fprintf(out, "%s(", e->text);
        show_list(out, e, 0);
        fputc(')', out);
        break;
    case AST_INDEX:
        show_expr(out, e->arg[0], true);
        fputc('[', out);
        show_list(out, e, 1);
        fputc(']', out);
        break;
    case AST_MEMBER:
        show_expr(out, e->arg[0], true);
        fprintf(out, ".%s", e->text);
        break;
    case AST_VECTOR:
        fputc('[', out);
        show_list(out, e, 0);
        fputc(']', out);
        break;
    case AST_NAMED:
        fprintf(out, "%s = ", e->text);
        show_expr(out, e->arg[0], false);
        break;
    case AST_ADD: case AST_SUB: case AST_MUL: case AST_DIV: case AST_POW: case AST_LT: case AST_LE: case AST_GT:
    case AST_GE: case AST_EQ: case AST_NE: case AST_AND: case AST_OR: case AST_AT:
        show_binary(out, e, inside);
        break;
    case AST_KINDS:
        break;
    }
}

const char *ast_show(struct arena *arena, const struct ast_expr *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = stream_open(&text, &size);
    if (!out)
        return "";
    show_expr(out, e, false);
    const char *kept = stream_close(out) ? arena_strndup(arena, text, size) : "";
    free(text);
    return kept;
}

static void dump_items(FILE *out, const struct ast_items *items)
{
    for (int i = 0; i < items->n; i++) {
        const struct ast_item *item = &items->at[i];
        fputs(i ? ", " : "", out);
        if (item->word)
            fprintf(out, "<%s>%s", item->word, item->target || item->value ? " " : "");
        if (item->target)
            show_expr(out, item->target, false);
        if (item->unit) {
            fputs(": ", out);
            show_expr(out, item->unit, false);
        }
        if (item->relation)
            fprintf(out, "%s%c ", item->target ? " " : "", item->relation);
        if (item->value)
            show_expr(out, item->value, false);
        if (item->deviation) {
            fputs(" +- ", out);
            show_expr(out, item->deviation, false);
        }
    }
}

static void dump_block(FILE *out, const struct ast_block *b, int indent);

static void dump_stmt(FILE *out, const struct ast_stmt *s, int indent)
{
    unsigned line = source_place(s->span.source, s->span.begin).line;
    fprintf(out, "%*s%u: %s%s", 4 * indent, "", line, s->cut ? "cut " : "", ast_word_text(s->word));
    if (s->name) {
        fputc(' ', out);
        show_expr(out, s->name, false);
    }
    if (s->has_args) {
        fputc('(', out);
        dump_items(out, &s->args);
        fputc(')', out);
    }
    if (s->unit) {
        fputs(": ", out);
        show_expr(out, s->unit, false);
    }
    fputs(s->item.n ? " | " : "", out);
    dump_items(out, &s->item);
    if (s->has_attrs) {
        fputs(" { ", out);
        dump_items(out, &s->attrs);
        fputs(" }", out);
    }
    fputc('\n', out);
    if (s->body)
        dump_block(out, s->body, indent + 1);
    if (s->otherwise) {
        fprintf(out, "%*selse\n", 4 * indent, "");
        dump_block(out, s->otherwise, indent + 1);
    }
}

static void dump_block(FILE *out, const struct ast_block *b, int indent)
{
    for (int i = 0; i < b->n; i++)
        dump_stmt(out, b->at[i], indent);
}

void dump_ast(FILE *out, const struct ast *a)
{
    dump_block(out, &a->block, 0);
}
