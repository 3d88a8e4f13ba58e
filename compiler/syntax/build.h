/* SPDX-License-Identifier: GPL-3.0-or-later
 * Making nodes of the syntax tree, for the grammar's actions. */
#ifndef SYNTAX_BUILD_H
#define SYNTAX_BUILD_H
#include "syntax/scanner.h"

struct ast_expr *build_leaf(struct scanner *, enum ast_kind, const char *text, struct span);
struct ast_expr *build_unit(struct scanner *, struct ast_expr *);
struct ast_expr *build_number(struct scanner *, const char *text, struct span);
struct ast_expr *build_unary(struct scanner *, enum ast_kind, struct ast_expr *, struct span all, struct span at);
struct ast_expr *build_binary(struct scanner *, enum ast_kind, struct ast_expr *, struct ast_expr *, struct span at);
struct ast_expr *build_call(struct scanner *, const char *, struct span at, struct expr_list, struct span all);
struct ast_expr *build_index(struct scanner *, struct ast_expr *, struct expr_list, struct span all, struct span at);
struct ast_expr *build_member(struct scanner *, struct ast_expr *, const char *, struct span at, struct span all);
struct ast_expr *build_vector(struct scanner *, struct expr_list, struct span);
/* ( e ): the same node, no longer part of a chain. */
struct ast_expr *build_group(struct scanner *, struct ast_expr *, struct span);
/* e, which must be a name, possibly indexed or dotted. */
struct ast_expr *build_name(struct scanner *, struct ast_expr *);

struct expr_list exprs_push(struct scanner *, struct expr_list, const struct ast_expr *);
struct item_list items_push(struct scanner *, struct item_list, struct ast_item);   /* empty ones are left out */
struct stmt_list stmts_push(struct scanner *, struct stmt_list, const struct ast_stmt *);
struct ast_items items_done(struct item_list);

struct ast_items build_one(struct scanner *, struct ast_item);
struct ast_items build_value(struct scanner *, const struct ast_expr *);
struct ast_items build_pair(struct scanner *, const struct ast_expr *, const struct ast_expr *);
struct ast_items build_first(struct scanner *, const struct ast_expr *, struct item_list clauses);

struct ast_stmt *build_stmt(struct scanner *, struct word, struct span);
struct ast_stmt *build_part(struct scanner *, struct word, struct span, const struct ast_expr *name);
struct ast_stmt *build_func(struct scanner *, struct word, struct span, const char *name, struct span name_span,
                            struct item_list args, const struct ast_expr *unit);
struct ast_stmt *build_equation(struct scanner *, struct span, const struct ast_expr *, const struct ast_expr *);
struct ast_block *build_block(struct scanner *, struct stmt_list, struct span);
#endif
