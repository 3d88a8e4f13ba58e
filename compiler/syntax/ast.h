/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The syntax tree: what the file says, with the place of every piece; no meaning yet.
 *
 * It is general on purpose: a statement is its word, a list of items and possibly blocks.  Which words
 * exist and which form each has stands in statement.def; what an item means is up to the checker.
 *
 *     param a: kg = 1.5            item: target a, unit kg, relation '=', value 1.5
 *     init x ~ 1                   item: target x, relation '~', value 1
 *     kinetic e                    item: value e
 *     constraint c: l = r          name c; item: target l, relation '=', value r
 *     constraint c: l >= r, e = x  name c; items: value l >= r;  target e, '=', value x
 *     z' = e                       word STMT_EQUATION; item: target z', relation '=', value e
 *     model m "title"              items: value m, value "title"
 *     function f(x: m): N = e      name f; args: items with target, unit; unit N; item: value e
 *     table f(x) "t.csv"           name f; args; item: value "t.csv"
 *     for i in a..b { }            name i; items: value a, value b; body
 *     if c { } else { }            item: value c; body; otherwise
 *     joint J[i]: revolute(A, B) angle phi, stiffness = k on P = m
 *                                  name J[i]; items: value revolute(A, B);  word angle, value phi;
 *                                  target stiffness, '=', value k;  word on, target P, '=', value m
 *     body K { mass = 1, point P = [1, 0] }
 *                                  name K; attrs: target mass, '=', value 1;
 *                                  word point, target P, '=', value [1, 0]
 *     drive D = e                  name D; item: relation '=', value e
 *     when w: c { x' = e, stop "s" }
 *                                  name w; item: value c; attrs: target x', '=', value e;  word stop, value "s"
 *     component c(l: m = 1) { }    name c; args: target l, unit m, value 1; body
 */
#ifndef SYNTAX_AST_H
#define SYNTAX_AST_H
#include "base/compilation.h"

#include <stdbool.h>
#include <stdio.h>

enum ast_kind {
    AST_NUMBER,     /* text as written, value; unit if one follows in brackets */
    AST_STRING,     /* text without the quotes */
    AST_NAME,       /* text */
    AST_NEG,        /* -a */
    AST_NOT,        /* not a */
    AST_ADD,        /* a + b ...: two operands in arg[0], arg[1]; chains lean to the left */
    AST_SUB,
    AST_MUL,
    AST_DIV,
    AST_POW,
    AST_LT,
    AST_LE,
    AST_GT,
    AST_GE,
    AST_EQ,
    AST_NE,
    AST_AND,
    AST_OR,
    AST_AT,         /* a @ b: the point b of a */
    AST_PRIME,      /* a' */
    AST_CALL,       /* text(arg ...), a name */
    AST_INDEX,      /* arg[0] [arg[1], ...] */
    AST_MEMBER,     /* arg[0] . text */
    AST_VECTOR,     /* [arg, ...] */
    AST_NAMED,      /* text = arg[0], as an argument of a call */
    AST_KINDS
};
/* Deepest nesting of an expression or of blocks; chains of one precedence do not count. */
enum { AST_DEEPEST = 200 };

struct ast_expr {
    enum ast_kind kind;
    int n;
    struct span span;           /* of the whole */
    struct span at;             /* of the operator or the name itself */
    int depth;
    const char *text;           /* interned */
    double value;
    const struct ast_expr *unit;
    const struct ast_expr **arg;
};

struct ast_item {
    struct span span;
    const char *word;           /* interned; NULL if none */
    struct span word_span;
    const struct ast_expr *target, *unit, *value;   /* NULL where absent */
    const struct ast_expr *deviation;               /* value +- deviation */
    char relation;              /* '=', '~' or 0 */
};
struct ast_items {
    const struct ast_item *at;
    int n;
};

enum ast_word {
#define STATEMENT(name, word, form) STMT_##name,
#include "syntax/statement.def"
#undef STATEMENT
    STMT_EQUATION,              /* target = value without a word: z' = ... */
    STMT_WORDS
};

struct ast_block {
    const struct ast_stmt *const *at;
    int n, depth;
};
struct ast_stmt {
    enum ast_word word;
    struct span span;           /* of the whole, up to an opening brace */
    struct span word_span;
    bool cut;                   /* `cut` stood before it */
    bool has_attrs;             /* braces with attributes were there, possibly empty */
    bool has_args;
    const struct ast_expr *name;        /* a name, indexed or dotted; NULL if none */
    const struct ast_expr *unit;
    struct ast_items item, args, attrs;
    const struct ast_block *body, *otherwise;
};
struct ast {
    const struct source *source;
    struct ast_block block;
    bool has_units;             /* some unit is written in it */
    bool asks_reactions;        /* some J.reaction or J.moment is */
};

/* Read a file: always a tree, without what could not be understood; errors are in c->diags.  NULL only
 * if the file cannot be read (then said at `from`, or without a place). */
const struct ast *ast_read_file(struct compilation *c, const char *path, struct span from);
const struct ast *ast_read(struct compilation *c, const struct source *);
/* Is `left`, the first operand of e, part of the same chain of + - or * / or and, or?  Whoever walks
 * expressions follows such chains in a loop, since they may be long. */
bool ast_is_chain(const struct ast_expr *e, const struct ast_expr *left);
const char *ast_word_text(enum ast_word);
void dump_ast(FILE *, const struct ast *);
/* An expression as the file could have written it, in the arena. */
const char *ast_show(struct arena *, const struct ast_expr *);
#endif
