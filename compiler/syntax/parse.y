/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The grammar.  Statements are parsed by form, not by word: statement.def says which word has which
 * form, so that a new statement is a line there.  Nodes live in the arena, so nothing is ever freed
 * when an error throws them away.  After an error the parser goes on at the next end of a statement.
 */
%code requires {
#include "syntax/scanner.h"
}
%code {
#include "syntax/build.h"

#include <string.h>

int mbs_scan_lex(YYSTYPE *, struct span *, void *scanner);
static int yylex(YYSTYPE *value, struct span *at, void *scanner, struct scanner *s)
{
    (void)s;
    return mbs_scan_lex(value, at, scanner);
}
static void yyerror(struct span *at, void *scanner, struct scanner *s, const char *message);

#define YYLLOC_DEFAULT(now, rhs, n)                                                                        \
    ((now) = (n) ? span_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n))                                           \
                 : (struct span){YYRHSLOC(rhs, 0).source, YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end})
#define YYMAXDEPTH 20000
}
%define api.pure full
%define api.prefix {mbs_parse_}
%define api.location.type {struct span}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param {void *scanner} {struct scanner *s}
%initial-action { @$ = (struct span){s->source, 0, 0}; }

%union {
    const char *text;
    struct word word;
    struct ast_expr *expr;
    struct expr_list exprs;
    struct ast_item item;
    struct item_list items;
    struct ast_stmt *stmt;
    struct stmt_list stmts;
    struct ast_block *block;
}
%token T_END 0 "end of file"
%token T_NEWLINE "end of line"
%token <text> T_NAME "a name"
%token <text> T_NUMBER "a number"
%token <text> T_STRING "a string"
%token <word> T_WORDS T_DECL T_EXPR T_SET T_NAMED T_FUNC T_BLOCK T_PART T_FORCE T_DEF T_FOR T_IF T_ELSE T_CUT T_WHEN
%token T_CALL "'('" T_DOTS "'..'" T_PLUS_MINUS "'+-'" T_LE "'<='" T_GE "'>='" T_EQ "'=='" T_NE "'!='" T_AND "'and'" T_OR "'or'" T_NOT "'not'"
%token T_IN "'in'" T_BAD
%precedence FLAG
%precedence T_NAME

%type <expr> expr disjunct conjunct relation sum term factor power place postfix quantity object primary nref unit_opt arg
%type <exprs> exprs args args_opt
%type <item> decl set clause attr attr_opt word_item param action action_opt
%type <items> actions action_list decls sets clauses clauses_opt attrs attr_list words params params_opt
%type <stmt> stmt stmt_opt simple part
%type <stmts> list
%type <block> block otherwise

%%

file: list                              { s->out->block = *build_block(s, $1, @1); }

list: stmt_opt                          { $$ = stmts_push(s, (struct stmt_list){0}, $1); }
    | list T_NEWLINE stmt_opt           { $$ = stmts_push(s, $1, $3); }

stmt_opt: %empty                        { $$ = NULL; }
    | stmt
    | error                             { $$ = NULL; }

block: '{' list '}'                     { $$ = build_block(s, $2, @$); }

stmt: simple
    | part
    | T_CUT part                        { $$ = $2; $$->cut = true; $$->span = @$; }
    | T_FOR T_NAME T_IN sum T_DOTS sum block
        { $$ = build_stmt(s, $1, span_join(@1, @6)); $$->name = build_leaf(s, AST_NAME, $2, @2);
          $$->item = build_pair(s, $4, $6); $$->body = $7; }
    | T_IF expr block otherwise
        { $$ = build_stmt(s, $1, span_join(@1, @2)); $$->item = build_value(s, $2); $$->body = $3; $$->otherwise = $4; }
    | T_WHEN expr actions
        { $$ = build_stmt(s, $1, span_join(@1, @2)); $$->item = build_value(s, $2); $$->attrs = items_done($3); $$->has_attrs = true; }
    | T_WHEN expr ':' expr actions
        { $$ = build_stmt(s, $1, span_join(@1, @4)); $$->name = build_name(s, $2); $$->item = build_value(s, $4);
          $$->attrs = items_done($5); $$->has_attrs = true; }
    | T_DEF T_NAME block
        { $$ = build_stmt(s, $1, span_join(@1, @2)); $$->name = build_leaf(s, AST_NAME, $2, @2); $$->body = $3; }
    | T_DEF T_NAME T_CALL params_opt ')' block
        { $$ = build_stmt(s, $1, span_join(@1, @5)); $$->name = build_leaf(s, AST_NAME, $2, @2);
          $$->args = items_done($4); $$->has_args = true; $$->body = $6; }

otherwise: %empty                       { $$ = NULL; }
    | T_ELSE block                      { $$ = $2; }
    | T_ELSE T_IF expr block otherwise
        { struct ast_stmt *i = build_stmt(s, $2, span_join(@2, @3)); i->item = build_value(s, $3); i->body = $4;
          i->otherwise = $5;
          $$ = build_block(s, stmts_push(s, (struct stmt_list){0}, i), @$); }

simple: T_WORDS                         { $$ = build_stmt(s, $1, @$); }
    | T_WORDS words                     { $$ = build_stmt(s, $1, @$); $$->item = items_done($2); }
    | T_DECL decls                      { $$ = build_stmt(s, $1, @$); $$->item = items_done($2); }
    | T_EXPR expr                       { $$ = build_stmt(s, $1, @$); $$->item = build_value(s, $2); }
    | T_SET sets                        { $$ = build_stmt(s, $1, @$); $$->item = items_done($2); }
    | T_FORCE sets                      { $$ = build_stmt(s, $1, @$); $$->item = items_done($2); }
    | T_NAMED set                       { $$ = build_stmt(s, $1, @$); $$->item = build_one(s, $2); }
    | T_NAMED expr ':' set
        { $$ = build_stmt(s, $1, @$); $$->name = build_name(s, $2); $$->item = build_one(s, $4); }
    | T_NAMED expr ':' expr
        { $$ = build_stmt(s, $1, @$); $$->name = build_name(s, $2); $$->item = build_value(s, $4); }
    | T_NAMED expr ':' expr ',' clauses
        { $$ = build_stmt(s, $1, @$); $$->name = build_name(s, $2); $$->item = build_first(s, $4, $6); }
    | T_FUNC T_NAME T_CALL params_opt ')' unit_opt
        { $$ = build_func(s, $1, @$, $2, @2, $4, $6); }
    | T_FUNC T_NAME T_CALL params_opt ')' unit_opt '=' expr clauses_opt
        { $$ = build_func(s, $1, @$, $2, @2, $4, $6); $$->item = build_first(s, $8, $9); }
    | T_FUNC T_NAME T_CALL params_opt ')' unit_opt T_STRING clauses_opt
        { $$ = build_func(s, $1, @$, $2, @2, $4, $6); $$->item = build_first(s, build_leaf(s, AST_STRING, $7, @7), $8); }
    | T_BLOCK attrs
        { $$ = build_stmt(s, $1, @1); $$->attrs = items_done($2); $$->has_attrs = true; }
    | postfix '=' expr                  { $$ = build_equation(s, @$, $1, $3); }

part: T_PART nref                       { $$ = build_part(s, $1, @$, $2); }
    | T_PART nref attrs
        { $$ = build_part(s, $1, span_join(@1, @2), $2); $$->attrs = items_done($3); $$->has_attrs = true; }
    | T_PART nref '=' expr
        { $$ = build_part(s, $1, @$, $2); $$->item = build_one(s, (struct ast_item){.span = @4, .value = $4, .relation = '='}); }
    | T_PART nref ':' clauses
        { $$ = build_part(s, $1, @$, $2); $$->item = items_done($4); }
    | T_PART nref ':' clauses attrs
        { $$ = build_part(s, $1, span_join(@1, @4), $2); $$->item = items_done($4);
          $$->attrs = items_done($5); $$->has_attrs = true; }
    | T_FORCE expr ':' clauses
        { $$ = build_part(s, $1, @$, build_name(s, $2)); $$->item = items_done($4); }
    | T_FORCE expr ':' clauses attrs
        { $$ = build_part(s, $1, span_join(@1, @4), build_name(s, $2)); $$->item = items_done($4);
          $$->attrs = items_done($5); $$->has_attrs = true; }

words: word_item                        { $$ = items_push(s, (struct item_list){0}, $1); }
    | words word_item                   { $$ = items_push(s, $1, $2); }
word_item: T_NAME                       { $$ = (struct ast_item){.span = @1, .value = build_leaf(s, AST_NAME, $1, @1)}; }
    | T_STRING                          { $$ = (struct ast_item){.span = @1, .value = build_leaf(s, AST_STRING, $1, @1)}; }

decls: decl                             { $$ = items_push(s, (struct item_list){0}, $1); }
    | decls ',' decl                    { $$ = items_push(s, $1, $3); }
decl: nref unit_opt                     { $$ = (struct ast_item){.span = @$, .target = $1, .unit = $2}; }
    | nref unit_opt '=' expr
        { $$ = (struct ast_item){.span = @$, .target = $1, .unit = $2, .relation = '=', .value = $4}; }
    | nref unit_opt '=' expr T_PLUS_MINUS expr
        { $$ = (struct ast_item){.span = @$, .target = $1, .unit = $2, .relation = '=', .value = $4, .deviation = $6}; }
unit_opt: %empty                        { $$ = NULL; }
    | ':' term                          { $$ = build_unit(s, $2); }

sets: set                               { $$ = items_push(s, (struct item_list){0}, $1); }
    | sets ',' set                      { $$ = items_push(s, $1, $3); }
set: expr '=' expr                      { $$ = (struct ast_item){.span = @$, .target = $1, .relation = '=', .value = $3}; }
    | expr '~' expr                     { $$ = (struct ast_item){.span = @$, .target = $1, .relation = '~', .value = $3}; }

params_opt: %empty                      { $$ = (struct item_list){0}; }
    | params
params: param                           { $$ = items_push(s, (struct item_list){0}, $1); }
    | params ',' param                  { $$ = items_push(s, $1, $3); }
param: T_NAME unit_opt
        { $$ = (struct ast_item){.span = @$, .target = build_leaf(s, AST_NAME, $1, @1), .unit = $2}; }
    | T_NAME unit_opt '=' expr
        { $$ = (struct ast_item){.span = @$, .target = build_leaf(s, AST_NAME, $1, @1), .unit = $2, .relation = '=',
                                 .value = $4}; }

clauses_opt: %empty                     { $$ = (struct item_list){0}; }
    | clauses
clauses: clause                         { $$ = items_push(s, (struct item_list){0}, $1); }
    | clauses clause                    { $$ = items_push(s, $1, $2); }
    | clauses ',' clause                { $$ = items_push(s, $1, $3); }
clause: T_NAME T_CALL args_opt ')'      { $$ = (struct ast_item){.span = @$, .value = build_call(s, $1, @1, $3, @$)}; }
    | T_NAME '=' expr
        { $$ = (struct ast_item){.span = @$, .target = build_leaf(s, AST_NAME, $1, @1), .relation = '=', .value = $3}; }
    | T_NAME expr                       { $$ = (struct ast_item){.span = @$, .word = $1, .word_span = @1, .value = $2}; }
    | T_NAME expr '=' expr
        { $$ = (struct ast_item){.span = @$, .word = $1, .word_span = @1, .target = $2, .relation = '=', .value = $4}; }
    | T_NAME %prec FLAG                 { $$ = (struct ast_item){.span = @$, .word = $1, .word_span = @1}; }

attrs: '{' attr_list '}'                { $$ = $2; }
attr_list: attr_opt                     { $$ = items_push(s, (struct item_list){0}, $1); }
    | attr_list ',' attr_opt            { $$ = items_push(s, $1, $3); }
    | attr_list T_NEWLINE attr_opt      { $$ = items_push(s, $1, $3); }
attr_opt: %empty                        { $$ = (struct ast_item){0}; }
    | attr
    | error                             { $$ = (struct ast_item){0}; }
attr: nref '=' expr                     { $$ = (struct ast_item){.span = @$, .target = $1, .relation = '=', .value = $3}; }
    | T_NAME nref '=' expr
        { $$ = (struct ast_item){.span = @$, .word = $1, .word_span = @1, .target = $2, .relation = '=', .value = $4}; }
    | nref                              { $$ = (struct ast_item){.span = @$, .target = $1}; }

actions: '{' action_list '}'            { $$ = $2; }
action_list: action_opt                 { $$ = items_push(s, (struct item_list){0}, $1); }
    | action_list ',' action_opt        { $$ = items_push(s, $1, $3); }
    | action_list T_NEWLINE action_opt  { $$ = items_push(s, $1, $3); }
action_opt: %empty                      { $$ = (struct ast_item){0}; }
    | action
    | error                             { $$ = (struct ast_item){0}; }
action: postfix '=' expr                { $$ = (struct ast_item){.span = @$, .target = $1, .relation = '=', .value = $3}; }
    | T_NAME                            { $$ = (struct ast_item){.span = @$, .word = $1, .word_span = @1}; }
    | T_NAME T_STRING
        { $$ = (struct ast_item){.span = @$, .word = $1, .word_span = @1, .value = build_leaf(s, AST_STRING, $2, @2)}; }

nref: T_NAME                            { $$ = build_leaf(s, AST_NAME, $1, @1); }
    | nref '[' exprs ']'                { $$ = build_index(s, $1, $3, @$, span_join(@2, @4)); }
    | nref '.' T_NAME                   { $$ = build_member(s, $1, $3, @3, @$); }

exprs: expr                             { $$ = exprs_push(s, (struct expr_list){0}, $1); }
    | exprs ',' expr                    { $$ = exprs_push(s, $1, $3); }
args_opt: %empty                        { $$ = (struct expr_list){0}; }
    | args
args: arg                               { $$ = exprs_push(s, (struct expr_list){0}, $1); }
    | args ',' arg                      { $$ = exprs_push(s, $1, $3); }
arg: expr
    | T_NAME '=' expr                   { $$ = build_unary(s, AST_NAMED, $3, @$, @1); $$->text = $1; }

expr: disjunct
disjunct: conjunct
    | disjunct T_OR conjunct            { $$ = build_binary(s, AST_OR, $1, $3, @2); }
conjunct: relation
    | conjunct T_AND relation           { $$ = build_binary(s, AST_AND, $1, $3, @2); }
relation: sum
    | T_NOT relation                    { $$ = build_unary(s, AST_NOT, $2, @$, @1); }
    | sum '<' sum                       { $$ = build_binary(s, AST_LT, $1, $3, @2); }
    | sum '>' sum                       { $$ = build_binary(s, AST_GT, $1, $3, @2); }
    | sum T_LE sum                      { $$ = build_binary(s, AST_LE, $1, $3, @2); }
    | sum T_GE sum                      { $$ = build_binary(s, AST_GE, $1, $3, @2); }
    | sum T_EQ sum                      { $$ = build_binary(s, AST_EQ, $1, $3, @2); }
    | sum T_NE sum                      { $$ = build_binary(s, AST_NE, $1, $3, @2); }
sum: term
    | sum '+' term                      { $$ = build_binary(s, AST_ADD, $1, $3, @2); }
    | sum '-' term                      { $$ = build_binary(s, AST_SUB, $1, $3, @2); }
term: factor
    | term '*' factor                   { $$ = build_binary(s, AST_MUL, $1, $3, @2); }
    | term '/' factor                   { $$ = build_binary(s, AST_DIV, $1, $3, @2); }
factor: power
    | '-' factor                        { $$ = build_unary(s, AST_NEG, $2, @$, @1); }
    | '+' factor                        { $$ = $2; }
power: place
    | place '^' factor                  { $$ = build_binary(s, AST_POW, $1, $3, @2); }
place: postfix
    | postfix '@' postfix               { $$ = build_binary(s, AST_AT, $1, $3, @2); }
postfix: quantity
    | object
quantity: T_NUMBER                      { $$ = build_number(s, $1, @1); }
    | T_NUMBER '[' term ']'             { $$ = build_number(s, $1, @1); $$->unit = build_unit(s, $3); $$->span = @$; }
object: primary
    | postfix '\''                      { $$ = build_unary(s, AST_PRIME, $1, @$, @2); }
    | object '[' exprs ']'              { $$ = build_index(s, $1, $3, @$, span_join(@2, @4)); }
    | object '.' T_NAME                 { $$ = build_member(s, $1, $3, @3, @$); }
primary: T_STRING                          { $$ = build_leaf(s, AST_STRING, $1, @1); }
    | T_NAME                            { $$ = build_leaf(s, AST_NAME, $1, @1); }
    | T_NAME T_CALL args_opt ')'        { $$ = build_call(s, $1, @1, $3, @$); }
    | '(' expr ')'                      { $$ = build_group(s, $2, @$); }
    | '[' exprs ']'                     { $$ = build_vector(s, $2, @$); }

%%

/* Too deep for the parser's stack; everything else comes through yyreport_syntax_error. */
static void yyerror(struct span *at, void *scanner, struct scanner *s, const char *message)
{
    (void)scanner;
    (void)message;
    diag_error(&s->c->diags, *at, "this is nested too deeply");
}

static bool is_expected(const yysymbol_kind_t *want, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(yysymbol_name(want[i]), name))
            return true;
    return false;
}

/* What could have stood there, in words: not every operator, but what a reader misses. */
static const char *expectation(struct scanner *s, const yysymbol_kind_t *want, int n)
{
    static const struct { const char *symbol, *text; } choice[] = {
        {"T_DECL", "a statement"}, {"a number", "an expression"}, {"a name", "a name"}, {"a string", "a string"}, {"'in'", "'in'"}, {"'..'", "'..'"},
        {"'('", "'('"}, {"'='", "'='"}, {"')'", "')'"}, {"']'", "']'"}, {"'{'", "'{'"}, {"'}'", "'}'"},
        {"end of line", "the end of the line"},
    };
    enum { MOST = 3 };
    /* A statement may start with an expression; after an operand a call or an operator may go on. */
    bool any_statement = is_expected(want, n, "T_DECL"), any_expression = is_expected(want, n, "a number");
    bool after_operand = is_expected(want, n, "'+'") && !any_expression;
    const char *found[MOST], *text = "";
    int k = 0;
    for (size_t i = 0; i < sizeof choice / sizeof *choice && k < MOST; i++) {
        bool call = !strcmp(choice[i].symbol, "'('") && (any_expression || after_operand);
        bool covered = (any_expression && i > 1 && i < 4) || (any_statement && i > 0 && strcmp(choice[i].symbol, "'}'"));
        if (!call && !covered && is_expected(want, n, choice[i].symbol))
            found[k++] = choice[i].text;
    }
    for (int i = 0; i < k; i++)
        text = arena_printf(&s->c->arena, "%s%s%s", text, i == 0 ? ", expected " : i + 1 < k ? ", " : " or ", found[i]);
    return text;
}

static const char *token_text(struct scanner *s, yysymbol_kind_t token, struct span at)
{
    if (token == YYSYMBOL_T_NEWLINE || token == YYSYMBOL_YYEOF)
        return yysymbol_name(token);
    int n = (int)(at.end - at.begin);
    return arena_printf(&s->c->arena, "'%.*s'", n > 40 ? 40 : n, s->source->text + at.begin);
}

/* Inside braces that hold no statements, on a line that begins as a statement does: the brace above it was forgotten. */
static bool starts_statement(const struct scanner *s, struct span at)
{
    const char *text = s->source->text;
    unsigned line = at.begin, end;
    enum ast_word word;
    enum form form;
    if (!s->brace.n || !s->brace.at[s->brace.n - 1].attrs)
        return false;
    while (line > 0 && text[line - 1] != '\n')
        line--;
    while (text[line] == ' ' || text[line] == '\t')
        line++;
    for (end = line; text[end] >= 'a' && text[end] <= 'z'; end++)
        ;
    return line > s->brace.at[s->brace.n - 1].at.begin && end > line && text[end] == ' ' && statement_find(text + line, end - line, &word, &form);
}

static int yyreport_syntax_error(const yypcontext_t *ctx, void *scanner, struct scanner *s)
{
    (void)scanner;
    yysymbol_kind_t token = yypcontext_token(ctx), want[YYNTOKENS];
    struct span at = *yypcontext_location(ctx);
    struct diags *d = &s->c->diags;
    int n = yypcontext_expected_tokens(ctx, want, YYNTOKENS);
    if (token == YYSYMBOL_T_BAD) {
        /* said by the scanner */
    } else if (s->first && s->tokens == 2) {
        struct suggestion near;
        suggest_init(&near, s->first);
        for (int w = 0; w < STMT_EQUATION; w++)
            suggest_offer(&near, ast_word_text((enum ast_word)w));
        diag_error(d, s->first_span, "'%s' starts no statement%s", s->first, suggest_text(&near, &s->c->arena));
    } else if (token == YYSYMBOL_YYEOF && s->brace.n && !s->open.n) {
        diag_error(d, s->brace.at[s->brace.n - 1].at, "this '{' is not closed: the file ends before its '}'");
    } else if (starts_statement(s, at)) {
        diag_error(d, s->brace.at[s->brace.n - 1].at, "this '{' is not closed: a new statement begins before its '}'");
        diag_note(d, at, "the statement that cannot stand in it");
    } else {
        const char *text = s->source->text;
        diag_error(d, at, "unexpected %s%s", token_text(s, token, at), expectation(s, want, n > 0 ? n : 0));
        if (s->open.n && (token == YYSYMBOL_T_NEWLINE || token == YYSYMBOL_YYEOF))
            diag_note(d, s->open.at[s->open.n - 1], "this bracket is not closed");
        else if (text[at.begin] == '/' && (text[at.begin + 1] == '/' || text[at.begin + 1] == '*' || (at.begin > 0 && text[at.begin - 1] == '/')))
            diag_note(d, at, "a comment starts with # and goes to the end of the line");
        else if (text[at.begin] == '(' && s->brace.n && s->brace.at[s->brace.n - 1].attrs)
            diag_note(d, at, "a shape is an attribute of a body: shape = box(x, y, z), shape = disc(radius, height)");
    }
    s->open.n = 0;
    return 0;
}
