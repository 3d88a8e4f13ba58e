/* SPDX-License-Identifier: GPL-3.0-or-later
 * First pass: control statements are carried out, names declared, the rest put in the queue. */
#include "model/front.h"
#include "base/cwords.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- declarations -------------------------------------------------------------------------------------- */

/* Symbols name or name[1] .. name[n], added one by one by `add`; the value of the new entry is made of
 * them.  A parameter in mm is a symbol in mm and a value in metres. */
typedef Expr add_symbol(struct check *, const char *name, const struct ast_item *, struct unit,
                        const struct value *given, int i);

static void declare_symbols(struct check *k, struct scope *s, const struct ast_stmt *stmt, const struct ast_item *item,
                            struct unit unit, const struct value *given, add_symbol *add)
{
    const struct ast_expr *target = item->target;
    const struct ast_expr *name = target->kind == AST_INDEX ? target->arg[0] : target;
    int64_t n = 1;
    if (name->kind != AST_NAME || (target->kind == AST_INDEX && target->n != 2)) {
        diag_error(k->diags, target->span, "declare a name or a vector: name[length]");
        return;
    }
    bool known = target->kind == AST_NAME || eval_integer(k, s, target->arg[1], "the length of a vector", 1,
                                                          CHECK_COORDS, &n);
    if (!known || (given && !given->at))    /* faulty: declare the name all the same */
        given = NULL;
    if (given && given->rank && (given->rank != 1 || target->kind != AST_INDEX || given->rows != n)) {
        const struct value shape = {target->kind == AST_INDEX, (int)n, 1, false, NULL};
        diag_error(k->diags, item->value->span, "'%s' is %s, but its value is %s", name->text, shape_show(&shape,
                                                                                                          k->arena),
                   shape_show(given, k->arena));
        given = NULL;
    }
    struct entry *e = scope_declare(k, scope_of_model(k, s), name->text, name->span, stmt->word, ENTRY_VALUE);
    if (!e || !known)
        return;
    const char *full = full_name(k, s, name->text);
    struct value v = value_new(k, item->span, target->kind == AST_INDEX, (int)n, 1);
    Expr factor = expr_number(k->pool, unit.scale);
    for (int i = 0; v.at && i < n; i++) {
        const char *text = v.rank ? name_of(&k->c->names, arena_printf(k->arena, "%s[%d]", full, i + 1)) : full;
        v.at[i].e = expr_mul(k->pool, factor, add(k, text, item, unit, given, i));
        v.at[i].dim = unit.dim;
    }
    e->value = v;
}

/* The i-th given number in the unit asked for: bare numbers are, other values are in SI units. */
static Expr given_in_unit(struct check *k, const struct value *given, int i, struct unit unit)
{
    if (!given)
        return k->pool->zero;
    const struct scalar *x = &given->at[given->rank ? i : 0];
    return x->dim.kind != DIM_KNOWN ? x->e : expr_div(k->pool, x->e, expr_number(k->pool, unit.scale));
}

static Expr add_param(struct check *k, const char *name, const struct ast_item *item, struct unit unit,
                      const struct value *given, int i)
{
    struct model_param p = {name, unit.text, item->target->span, expr_sym(k->pool, SYM_PARAM, k->m->param.n, name),
                            given_in_unit(k, given, i, unit), false, 0};
    VEC_PUSH(k->m->param, p);
    return p.sym;
}

/* A discrete state is constant between events: a parameter that they change. */
static Expr add_discrete(struct check *k, const char *name, const struct ast_item *item, struct unit unit,
                         const struct value *given, int i)
{
    Expr sym = add_param(k, name, item, unit, given, i);
    k->m->param.at[k->m->param.n - 1].discrete = true;
    return sym;
}

static Expr add_coord(struct check *k, const char *name, const struct ast_item *item, struct unit unit,
                      const struct value *given, int i)
{
    (void)given;
    (void)i;
    int n = coord_add(k, name, unit.text, unit.dim, item->target->span);
    return k->m->coord.at[n].q;
}

static Expr add_state(struct check *k, const char *name, const struct ast_item *item, struct unit unit,
                      const struct value *given, int i)
{
    struct model_state z = {name, unit.text, item->target->span, expr_sym(k->pool, SYM_Z, k->m->state.n, name),
                            given_in_unit(k, given, i, unit), 0};
    VEC_PUSH(k->m->state, z);
    VEC_PUSH(k->state_dims, unit.dim);
    VEC_PUSH(k->state_equation, -1);
    return z.sym;
}

static Expr add_input(struct check *k, const char *name, const struct ast_item *item, struct unit unit,
                      const struct value *given, int i)
{
    struct model_input u = {name, unit.text, item->target->span, expr_sym(k->pool, SYM_U, k->m->input.n, name),
                            given_in_unit(k, given, i, unit)};
    VEC_PUSH(k->m->input, u);
    return u.sym;
}

/* A unit holds for the names before it that have neither unit nor value. */
static const struct ast_expr *unit_of_item(const struct ast_stmt *stmt, int i)
{
    for (int j = i; j < stmt->item.n; j++) {
        const struct ast_item *item = &stmt->item.at[j];
        if (item->unit)
            return item->unit;
        if (item->value)
            break;
    }
    return NULL;
}

/* param l: m = 0.3 +- 0.01: for all parameters from `first` on. */
static void read_deviation(struct check *k, struct scope *s, const struct ast_item *item, struct unit unit, int first)
{
    struct value d = eval(k, s, item->deviation);
    if (!d.at || !value_fits(k, item->deviation, &d, unit.dim, "this deviation"))
        return;
    for (int i = first; i < k->m->param.n; i++) {
        Expr x = given_in_unit(k, &d, d.rank && i - first < d.rows ? i - first : 0, unit);
        if (!expr_is_num(k->pool, x) || !(expr_value(k->pool, x) >= 0) || (d.rank && d.rows != k->m->param.n - first)) {
            diag_error(k->diags, item->deviation->span, "a standard deviation is a number that is not negative, or a list of as many as there are values");
            return;
        }
        k->m->param.at[i].deviation = expr_value(k->pool, x);
    }
}

static void declare_quantities(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    for (int i = 0; i < stmt->item.n; i++) {
        const struct ast_item *item = &stmt->item.at[i];
        bool is_param = stmt->word == STMT_PARAM, is_coord = stmt->word == STMT_COORD;
        struct unit unit = unit_read(k->c, is_param ? item->unit : unit_of_item(stmt, i));
        struct value given = VALUE_NONE;
        if (is_coord && item->value)
            diag_error(k->diags, item->value->span, "a coordinate gets its start value by 'init %s = ...'",
                       ast_show(k->arena, item->target));
        if (is_param && !item->value)
            diag_error(k->diags, item->span, "a parameter needs a default value");
        if ((is_coord || stmt->word == STMT_STATE || stmt->word == STMT_DISCRETE) && unit.scale.value != 1)
            diag_error(k->diags, item->unit ? item->unit->span : item->span,
                       "coordinates and states are in SI units; '%s' is not", unit.text);
        if (item->value && !is_coord) {
            given = eval(k, s, item->value);
            if (given.at && given.truth) {
                diag_error(k->diags, item->value->span, "the value must be a number; an option can be true or false");
                given = VALUE_NONE;
            }
            if (!value_fits(k, item->value, &given, unit.dim, "this value") ||
                !value_allows(k, s, item->value, &given, DEP(SYM_PARAM), "a default value"))
                given = VALUE_NONE;
        }
        add_symbol *add = is_param ? add_param : stmt->word == STMT_DISCRETE ? add_discrete : is_coord ? add_coord : stmt->word == STMT_STATE ? add_state
            : add_input;
        int first = k->m->param.n;
        declare_symbols(k, s, stmt, item, unit, item->value ? &given : NULL, add);
        if (item->deviation && !is_param)
            diag_error(k->diags, item->deviation->span, "'+-' gives the standard deviation of a parameter; nothing else is drawn at random");
        else if (item->deviation)
            read_deviation(k, s, item, unit, first);
    }
}

static void declare_consts(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    for (int i = 0; i < stmt->item.n; i++) {
        const struct ast_item *item = &stmt->item.at[i];
        struct value v = item->value ? eval(k, s, item->value) : VALUE_NONE;
        if (!item->value)
            diag_error(k->diags, item->span, "a constant needs a value");
        else if (!value_allows(k, s, item->value, &v, 0, "a constant"))
            v = VALUE_NONE;
        else
            v = value_of_name(k, value_in_unit(k, item->unit, v, item->value, "this value"));
        struct entry *e = declare_member(k, s, s, item->target, STMT_CONST, ENTRY_VALUE);
        if (e)
            e->value = v;
    }
}

/* --- options ------------------------------------------------------------------------------------------- */

/* The text behind -D name=; NULL if the command line does not name it ("" stands for true). */
static const char *option_given(const struct check *k, const char *name)
{
    size_t n = strlen(name);
    const char *found = NULL;
    for (int i = 0; i < k->c->options.defines; i++) {
        const char *d = k->c->options.define[i];
        if (!strncmp(d, name, n) && (d[n] == '=' || !d[n]))
            found = d[n] ? d + n + 1 : "true";
    }
    return found;
}

static struct value option_parse(struct check *k, const char *name, const char *text, const struct value *was)
{
    char *end;
    double x = strtod(text, &end);
    bool number = end != text && !*end && isfinite(x);
    bool yes = !strcmp(text, "true"), no = !strcmp(text, "false");
    if (was->truth && (yes || no || (number && (x == 0 || x == 1))))
        return value_truth(k, yes || (number && x == 1) ? k->pool->one : k->pool->zero);
    if (!was->truth && number)
        return value_number(k, x);
    diag_error(k->diags, SPAN_NONE, "-D %s=%s: the option '%s' is %s", name, text, name,
               was->truth ? "true or false" : "a number");
    return *was;
}

static struct value option_default(struct check *k, struct scope *s, const struct ast_expr *e)
{
    struct value v = eval(k, s, e);
    if (v.at && v.rank)
        diag_error(k->diags, e->span, "an option is a number, true or false, not %s", shape_show(&v, k->arena));
    return v.at && !v.rank && value_allows(k, s, e, &v, 0, "an option") ? v : VALUE_NONE;
}

static void declare_options(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    for (int i = 0; i < stmt->item.n; i++) {
        const struct ast_item *item = &stmt->item.at[i];
        if (item->target->kind != AST_NAME || item->unit) {
            diag_error(k->diags, item->span, "an option is a plain name without unit or index");
            continue;
        }
        const char *name = item->target->text, *given = option_given(k, name);
        struct value v = item->value ? option_default(k, s, item->value) : VALUE_NONE;
        if (!item->value)
            diag_error(k->diags, item->span, "an option needs a default value");
        if (v.at && given)
            v = option_parse(k, name, given, &v);
        struct entry *e = scope_declare(k, k->file, name, item->target->span, STMT_OPTION, ENTRY_VALUE);
        if (e)
            e->value = v;
        VEC_PUSH(k->options, name);
        VEC_PUSH(k->m->option, ((struct model_option){name, v.at ? v.at[0].e : k->pool->zero}));
    }
}

/* --- let, functions, tables ------------------------------------------------------------------------------ */

static void declare_lets(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    for (int i = 0; i < stmt->item.n; i++) {
        const struct ast_item *item = &stmt->item.at[i];
        if (!item->value)
            diag_error(k->diags, item->span, "a let needs '= expression'");
        struct entry *e = item->value ? declare_member(k, s, s, item->target, STMT_LET, ENTRY_LET) : NULL;
        if (!e)
            continue;
        e->item = item;
        e->scope = s;
        VEC_PUSH(k->lets, e);
    }
}

/* An extern function has its name in C as well: no keyword, nothing of math.h, nothing of mbs. */
static bool is_c_name(const struct check *k, const char *name)
{
    const char *model = k->m->name;
    size_t n = model ? strlen(model) : 0;
    bool descriptor = n && !strncmp(name, model, n) && !strcmp(name + n, "_model");
    return !c_is_reserved(name) && !c_is_of_mbs(name) && name[0] != '_' && !descriptor;
}

static void declare_function(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    bool is_function = stmt->word == STMT_FUNCTION, is_table = stmt->word == STMT_TABLE;
    const char *name = stmt->name->text;
    if (is_function && (stmt->item.n != 1 || stmt->item.at[0].value->kind == AST_STRING)) {
        diag_error(k->diags, stmt->span, "a function is defined by one expression: function f(x) = ...");
        return;
    }
    if (!is_function && (stmt->args.n < 1 || stmt->args.n > (is_table ? 1 : FN_ARGS))) {
        diag_error(k->diags, stmt->span, is_table ? "a table has one argument"
                   : "an extern function has one to four arguments");
        return;
    }
    if (stmt->word == STMT_EXTERN && stmt->item.n) {
        diag_error(k->diags, stmt->item.at[0].span, "an extern function is given in C, not here");
        return;
    }
    if (stmt->word == STMT_EXTERN && !is_c_name(k, name))
        diag_error(k->diags, stmt->name->span, "'%s' cannot be the name of a C function", name);
    struct unit unit[FN_ARGS + 1] = {unit_read(k->c, stmt->unit)};
    for (int i = 0; i < stmt->args.n; i++) {
        struct unit u = unit_read(k->c, stmt->args.at[i].unit);
        if (i < FN_ARGS)
            unit[i + 1] = u;
        if (stmt->args.at[i].value)
            diag_error(k->diags, stmt->args.at[i].value->span, "arguments of a function have no defaults");
        for (int j = 0; j < i; j++)
            if (stmt->args.at[j].target->text == stmt->args.at[i].target->text) {
                diag_error(k->diags, stmt->args.at[i].span, "two arguments have the name '%s'",
                           stmt->args.at[i].target->text);
                return;
            }
    }
    struct entry *e = scope_declare(k, s, name, stmt->name->span, stmt->word, is_function ? ENTRY_FUNCTION
                                    : ENTRY_CALL);
    if (!e)
        return;
    e->stmt = stmt;
    if (is_table) {
        struct model_table *t = table_read(k, s, stmt, unit[1], unit[0]);
        if (t)
            VEC_PUSH(k->m->table, t);
        e->fn = expr_fn_new(k->pool, name, 1, t);
    } else if (!is_function) {
        struct model_extern *x = ARENA_NEW(k->arena, struct model_extern, 1);
        x->name = name;
        VEC_PUSH(k->m->ext, x);
        e->fn = expr_fn_new(k->pool, name, stmt->args.n, x);
    }
}

/* --- control --------------------------------------------------------------------------------------------- */

static void run_include(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    const struct ast_expr *e = stmt->item.n == 1 ? stmt->item.at[0].value : NULL;
    if (!e || e->kind != AST_STRING) {
        diag_error(k->diags, stmt->span, "include takes a file name in quotes");
        return;
    }
    size_t length = strlen(e->text);
    if (length < 5 || strcmp(e->text + length - 4, ".mbs")) {
        diag_error(k->diags, e->span, "what is included is a model: its name ends in .mbs");
        return;
    }
    const struct source *f = file_find(k, e);
    if (!f)
        return;
    for (int i = 0; i < k->reading.n; i++)
        if (k->reading.at[i] == f) {
            diag_error(k->diags, stmt->span, "'%s' includes itself", f->path);
            return;
        }
    for (int i = 0; i < k->included.n; i++)
        if (k->included.at[i] == f)
            return;     /* once is enough */
    int before = k->diags->errors;
    const struct ast *a = ast_read(k->c, f);
    VEC_PUSH(k->included, f);
    k->has_units = k->has_units || a->has_units;
    k->reactions = k->reactions || a->asks_reactions;
    if (k->diags->errors > before) {
        k->stopped = true;      /* what it would have declared is missed everywhere */
        return;
    }
    VEC_PUSH(k->reading, f);
    if (k->reading.n > AST_DEEPEST)
        diag_error(k->diags, stmt->span, "files are included too deeply");
    else
        declare_block(k, s, &a->block);
    k->reading.n--;
}

static void run_for(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    int64_t from, to;
    bool good = eval_integer(k, s, stmt->item.at[0].value, "the first value", -CHECK_LARGEST, CHECK_LARGEST, &from);
    good = eval_integer(k, s, stmt->item.at[1].value, "the last value", -CHECK_LARGEST, CHECK_LARGEST, &to) && good;
    int64_t turns = good && from <= to ? to - from + 1 : 0, most = CHECK_LARGEST / CHECK_TURN;
    if (turns > most) {
        diag_error(k->diags, stmt->span, "this loop has %lld turns, more than %lld", (long long)turns, (long long)most);
        k->stopped = true;
    }
    if (!good || !check_work(k, stmt->span, CHECK_TURN * turns))
        return;
    for (int64_t i = from; i <= to && !k->stopped && !diag_full(k->diags); i++) {
        struct scope *inner = scope_new(k, s);
        struct entry *e = scope_declare(k, inner, stmt->name->text, stmt->name->span, STMT_FOR, ENTRY_VALUE);
        if (!e)
            return;
        e->value = value_number(k, (double)i);
        declare_block(k, inner, stmt->body);
    }
}

static void run_if(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    bool yes;
    if (!eval_condition(k, s, stmt->item.at[0].value, &yes))
        return;
    if (yes || stmt->otherwise)
        declare_block(k, s, yes ? stmt->body : stmt->otherwise);
    scope_mark_used(k, s, yes ? stmt->otherwise : stmt->body);
}

static void declare_component(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    struct entry *e = scope_declare(k, s, stmt->name->text, stmt->name->span, STMT_COMPONENT, ENTRY_COMPONENT);
    if (e)
        e->stmt = stmt;
}

/* The value of an argument: by name, by place, or the default. */
static const struct ast_expr *argument(struct check *k, const struct ast_stmt *def, const struct ast_expr *call, int i,
                                       bool *given)
{
    const char *name = def->args.at[i].target->text;
    const struct ast_expr *found = NULL;
    for (int n = 0; n < call->n; n++) {
        const struct ast_expr *a = call->arg[n];
        if (a->kind == AST_NAMED ? a->text != name : n != i)
            continue;
        if (found)
            diag_error(k->diags, a->span, "'%s' is given twice", name);
        found = a->kind == AST_NAMED ? a->arg[0] : a;
    }
    *given = found != NULL;
    if (!found && !def->args.at[i].value)
        diag_error(k->diags, call->span, "'%s' of the component '%s' is not given", name, def->name->text);
    return found ? found : def->args.at[i].value;
}

static void check_arguments(struct check *k, const struct ast_stmt *def, const struct ast_expr *call)
{
    struct suggestion near;
    for (int n = 0; n < call->n; n++) {
        const struct ast_expr *a = call->arg[n];
        bool known = a->kind != AST_NAMED && n < def->args.n;
        suggest_init(&near, a->kind == AST_NAMED ? a->text : "");
        for (int i = 0; i < def->args.n; i++) {
            suggest_offer(&near, def->args.at[i].target->text);
            known = known || (a->kind == AST_NAMED && a->text == def->args.at[i].target->text);
        }
        if (!known && a->kind == AST_NAMED)
            diag_error(k->diags, a->span, "the component '%s' has no '%s'%s", def->name->text, a->text,
                       suggest_text(&near, k->arena));
        else if (!known)
            diag_error(k->diags, a->span, "the component '%s' takes %d arguments", def->name->text, def->args.n);
    }
}

/* use arm: link(l = 2): the statements of the component, with names that begin with arm. */
static void run_use(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    const struct ast_expr *call = stmt->item.n == 1 && !stmt->item.at[0].word ? stmt->item.at[0].value : NULL;
    const char *name = eval_name(k, s, stmt->name);
    if (!call || call->kind != AST_CALL || !name) {
        diag_error(k->diags, stmt->span, "write: use NAME: COMPONENT(argument = value, ...)");
        return;
    }
    struct entry *e = scope_find(s, call->text);
    if (!e || e->kind != ENTRY_COMPONENT) {
        struct suggestion near;
        suggest_init(&near, call->text);
        for (const struct scope *o = s; o; o = o->parent)
            for (const struct entry *x = o->first; x; x = x->next)
                if (x->kind == ENTRY_COMPONENT)
                    suggest_offer(&near, x->name);
        diag_error(k->diags, call->at, "there is no component '%s'%s", call->text, suggest_text(&near, k->arena));
        return;
    }
    if (++k->using > AST_DEEPEST) {
        diag_error(k->diags, stmt->span, "components are used too deeply: does '%s' use itself?", call->text);
        k->stopped = true;
        return;
    }
    const struct ast_stmt *def = e->stmt;
    struct scope *inner = scope_new(k, e->scope);
    inner->prefix = full_name(k, s, name);
    e->used = true;
    if (use_at(k, inner->prefix)) {
        diag_error(k->diags, stmt->name->span, "'%s' is used twice as the name of a component", inner->prefix);
        k->using--;
        return;
    }
    use_add(k, inner);
    check_arguments(k, def, call);
    for (int i = 0; i < def->args.n; i++) {
        bool given;
        const struct ast_expr *value = argument(k, def, call, i, &given);
        struct entry *a = scope_declare(k, inner, def->args.at[i].target->text, def->args.at[i].target->span,
                                        STMT_CONST, ENTRY_VALUE);
        if (!value || !a)
            continue;
        a->value = value_of_name(k, value_in_unit(k, def->args.at[i].unit, eval(k, given ? s : inner, value), value,
                                                  "this argument"));
    }
    declare_block(k, inner, def->body);
    k->using--;
}

static void declare_model(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    const struct ast_expr *name = stmt->item.n > 0 ? stmt->item.at[0].value : NULL;
    const struct ast_expr *title = stmt->item.n > 1 ? stmt->item.at[1].value : NULL;
    if (k->model_stmt) {
        diag_error(k->diags, stmt->span, "a second model statement");
        diag_note(k->diags, k->model_stmt->span, "the first is here");
        return;
    }
    k->model_stmt = stmt;
    if (!name || name->kind != AST_NAME || (title && title->kind != AST_STRING) || stmt->item.n > 2) {
        diag_error(k->diags, stmt->span, "write: model NAME \"title\"");
        return;
    }
    if (!s->is_file || k->reading.n > 1)
        diag_error(k->diags, stmt->span, "the model statement stands in the main file, outside of blocks");
    k->m->name = name->text;
    k->m->title = title ? title->text : "";
}

static void declare_statement(struct check *k, struct scope *s, const struct ast_stmt *stmt)
{
    switch (stmt->word) {
    case STMT_MODEL:
        declare_model(k, s, stmt);
        break;
    case STMT_INCLUDE:
        run_include(k, s, stmt);
        break;
    case STMT_PARAM: case STMT_COORD: case STMT_STATE: case STMT_DISCRETE: case STMT_INPUT:
        declare_quantities(k, s, stmt);
        break;
    case STMT_CONST:
        declare_consts(k, s, stmt);
        break;
    case STMT_OPTION:
        declare_options(k, s, stmt);
        break;
    case STMT_LET:
        declare_lets(k, s, stmt);
        break;
    case STMT_FUNCTION: case STMT_TABLE: case STMT_EXTERN:
        declare_function(k, s, stmt);
        break;
    case STMT_FOR:
        run_for(k, s, stmt);
        break;
    case STMT_IF:
        run_if(k, s, stmt);
        break;
    case STMT_OUTPUT: case STMT_KINETIC: case STMT_POTENTIAL: case STMT_DISSIPATION: case STMT_INIT: case STMT_FORCE:
    case STMT_CONSTRAINT: case STMT_SIMULATE: case STMT_DRAW: case STMT_EQUATION: case STMT_WHEN: case STMT_EVERY:
        VEC_PUSH(k->queue, ((struct pending){stmt, s}));
        break;
    case STMT_PLANAR: case STMT_SPATIAL: case STMT_COORDINATES: case STMT_GRAVITY:
        mech_setting(k, s, stmt);
        break;
    case STMT_COMPONENT:
        declare_component(k, s, stmt);
        break;
    case STMT_USE:
        run_use(k, s, stmt);
        break;
#define PART(NAME, noun, form) case STMT_##NAME:
#define FORCE_ELEMENT(NAME, function, noun, form)
#define SETTINGS(NAME, noun, form)
#define CLAUSE(name, shape, unit, turning, otherwise, help)
#include "model/parts.def"
        mech_declare(k, s, stmt);
        break;
    case STMT_ELSE: case STMT_CUT: case STMT_WORDS:
        break;
    }
}

void declare_block(struct check *k, struct scope *s, const struct ast_block *b)
{
    for (int i = 0; i < b->n && check_work(k, b->at[i]->span, CHECK_TURN) && !diag_full(k->diags); i++) {
        int before = k->diags->errors;
        declare_statement(k, s, b->at[i]);
        if (!b->at[i]->body)
            note_turn(k, s, before);
    }
}
