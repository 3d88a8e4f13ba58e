/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Expressions as text, for dumps and messages (in the model's language) and for documents (LaTeX).
 *
 * One walk writes both.  A subexpression is put in parentheses only if it binds weaker than its place
 * asks for.  A sum starts with a positive term if it has one; coefficients join the product they
 * multiply, so that 1/2*m*x^2/l reads m*x^2/(2*l).
 *
 * A DAG as a tree can be exponentially long and arbitrarily deep: where the text gets longer than anyone
 * reads, or the nesting deeper, an ellipsis stands for the rest.
 */
#include "base/arena.h"
#include "expr/expr.h"
#include "expr/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 1000, LONGEST = 1 << 20 };
enum binding { LOOSE, OR, AND, NOT, COMPARE, SUM, PRODUCT, POWER, ATOM };

struct text {
    const struct pool *pool;
    bool latex;
    char *at;
    int n, cap;
    int depth;
};

static void show(struct text *, Expr, enum binding);

static void put(struct text *t, const char *s)
{
    for (; *s; s++)
        VEC_PUSH(*t, *s);
}

static void put_double(struct text *t, double v)
{
    char s[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, v);
        if (strtod(s, NULL) == v)
            break;
    }
    char *e = t->latex ? strchr(s, 'e') : NULL;
    if (e) {
        *e = 0;
        put(t, s);
        put(t, "\\cdot 10^{");
        snprintf(s, sizeof s, "%d", atoi(e + 1));
        put(t, s);
        put(t, "}");
    } else {
        put(t, s);
    }
}

static void put_int(struct text *t, int64_t v)
{
    char s[24];
    snprintf(s, sizeof s, "%lld", (long long)v);
    put(t, s);
}

static void open_paren(struct text *t)
{
    put(t, t->latex ? "\\left(" : "(");
}

static void close_paren(struct text *t)
{
    put(t, t->latex ? "\\right)" : ")");
}

/* --- names in LaTeX --------------------------------------------------------------------------------- */
static const char *const greek[] = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu",
    "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta",
    "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
};

/* The Greek letter that a word starts with, if nothing but a number or a capital follows: phi, phi1, phiA.  Its length, 0: none. */
static size_t greek_length(const char *s, size_t n)
{
    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++) {
        size_t k = strlen(greek[i]);
        if (k <= n && !memcmp(greek[i], s, k) && (k == n || (k + 1 == n && isupper((unsigned char)s[k]))))
            return k;
    }
    return 0;
}

/* Letters: a Greek one by its name, one as it is, several upright. */
static void latex_letters(struct text *t, const char *s, size_t n)
{
    bool greek_name = greek_length(s, n) == n;
    put(t, greek_name ? "\\" : n > 1 ? "\\mathrm{" : "");
    for (size_t i = 0; i < n; i++)
        VEC_PUSH(*t, s[i]);
    put(t, !greek_name && n > 1 ? "}" : "");
}

static size_t letters(const char *s, size_t from, size_t n)
{
    while (from < n && isalpha((unsigned char)s[from]))
        from++;
    return from;
}

/* beta' -> \dot{\beta}, q[4] -> q_{4}, m1 -> m_{1}, loop.x -> \mathrm{loop}_{x}, phi_max -> \phi_{\mathrm{max}}, k_alpha1 -> k_{\alpha 1} */
static void latex_name(struct text *t, const char *name)
{
    size_t n = strlen(name), dots = 0, word;
    while (n > 0 && name[n - 1] == '\'')
        n--, dots++;
    word = letters(name, 0, n);
    size_t letter = greek_length(name, word);
    word = letter ? letter : word;
    put(t, dots == 0 ? "" : dots == 1 ? "\\dot{" : "\\ddot{");
    latex_letters(t, name, word);
    put(t, dots ? "}" : "");
    if (word == n)
        return;
    put(t, "_{");
    for (size_t i = word; i < n;) {
        size_t end = letters(name, i, n);
        if (end > i)
            latex_letters(t, name + i, end - i);
        else if (strchr("[]._", name[i]))
            put(t, t->at[t->n - 1] != '{' && i + 1 < n && !strchr("[]._", name[i + 1]) ? "," : "");
        else {
            put(t, i > word && isalpha((unsigned char)name[i - 1]) && isalpha((unsigned char)t->at[t->n - 1]) ? " " : "");
            VEC_PUSH(*t, name[i]);
        }
        i = end > i ? end : i + 1;
    }
    put(t, "}");
}

char *name_show_latex(const char *name)
{
    struct text t = {.latex = true};
    latex_name(&t, name);
    VEC_PUSH(t, '\0');
    return t.at;
}

/* --- numbers and products --------------------------------------------------------------------------- */
static void show_number(struct text *t, const struct number *k, enum binding least)
{
    bool fraction = k->exact && k->den != 1, negative = k->value < 0;
    enum binding has = negative ? SUM : fraction ? PRODUCT : ATOM;
    bool paren = has < least && !(t->latex && fraction && !negative);
    if (paren)
        open_paren(t);
    if (!k->exact) {
        put_double(t, k->value);
    } else if (fraction && t->latex) {
        put(t, negative ? "-\\frac{" : "\\frac{");
        put_int(t, negative ? -k->num : k->num);
        put(t, "}{");
        put_int(t, k->den);
        put(t, "}");
    } else {
        put_int(t, k->num);
        if (fraction) {
            put(t, "/");
            put_int(t, k->den);
        }
    }
    if (paren)
        close_paren(t);
}

/* base^exponent with a positive exponent */
static void show_power(struct text *t, Expr base, struct number exponent, enum binding least)
{
    if (number_is(exponent, 1)) {
        show(t, base, least);
    } else if (exponent.exact && exponent.num == 1 && exponent.den == 2) {
        put(t, t->latex ? "\\sqrt{" : "sqrt(");
        show(t, base, LOOSE);
        put(t, t->latex ? "}" : ")");
    } else {
        bool paren = least > POWER;     /* (x^2)^(2/3): powers bind from the right */
        if (paren)
            open_paren(t);
        show(t, base, ATOM);
        put(t, t->latex ? "^{" : "^");
        show_number(t, &exponent, t->latex ? LOOSE : ATOM);
        put(t, t->latex ? "}" : "");
        if (paren)
            close_paren(t);
    }
}

static struct number number_abs(struct number a)
{
    return a.value < 0 ? number_mul(a, number_rational(-1, 1)) : a;
}

/* Factors of a term with exponents of one sign, and a whole or decimal number before them. */
static int show_factors(struct text *t, Expr e, int sign, const struct number *number, enum binding one)
{
    const struct pool *p = t->pool;
    bool is_product = expr_op(p, e) == EXPR_MUL;
    int n = is_product ? expr_pairs(p, e) : e != p->one, count = 0;
    const char *times = t->latex ? "\\," : "*";
    if (!number_is(*number, 1)) {
        show_number(t, number, one);
        count++;
    }
    for (int k = 0; k < n; k++) {
        Expr x = p->one, base = is_product ? expr_pair(p, e, k, &x) : e;
        struct number exponent = *expr_num(p, x);
        if ((exponent.value < 0) != (sign < 0))
            continue;
        put(t, count++ ? times : "");
        show_power(t, base, number_abs(exponent), one);
    }
    return count;
}

static int count_factors(const struct pool *p, Expr e, int sign)
{
    int count = 0;
    Expr x;
    if (expr_op(p, e) != EXPR_MUL)
        return sign > 0 && e != p->one;
    for (int k = 0, n = expr_pairs(p, e); k < n; k++) {
        expr_pair(p, e, k, &x);
        count += (expr_value(p, x) < 0) == (sign < 0);
    }
    return count;
}

/* |coefficient| * e as numerator/denominator */
static void show_term(struct text *t, struct number coefficient, Expr e, enum binding least)
{
    struct number one = number_rational(1, 1), up = number_abs(coefficient), down = one;
    if (up.exact && up.den != 1) {
        down = number_rational(up.den, 1);
        up = number_rational(up.num, 1);
    }
    int above = count_factors(t->pool, e, 1) + !number_is(up, 1);
    int below = count_factors(t->pool, e, -1) + !number_is(down, 1);
    bool bare = below == 0 && above == 1;       /* then the single factor decides about parentheses */
    bool paren = !bare && least > PRODUCT && !(t->latex && below);
    if (paren)
        open_paren(t);
    if (below && t->latex)
        put(t, "\\frac{");
    enum binding factor = bare ? least : t->latex && below && above == 1 ? LOOSE : PRODUCT;
    if (show_factors(t, e, 1, &up, factor) == 0)
        put(t, "1");
    if (below) {
        bool group = below > 1 && !t->latex;
        put(t, t->latex ? "}{" : group ? "/(" : "/");
        show_factors(t, e, -1, &down, group ? PRODUCT : t->latex ? (below == 1 ? LOOSE : PRODUCT) : POWER);
        put(t, t->latex ? "}" : group ? ")" : "");
    }
    if (paren)
        close_paren(t);
}

static void show_sum(struct text *t, Expr e, enum binding least)
{
    const struct pool *p = t->pool;
    int n = expr_pairs(p, e), lead = 0;
    Expr c, c0 = expr_const(p, e);
    bool single = n == 1 && c0 == p->zero;
    for (lead = 0; lead < n; lead++) {
        expr_pair(p, e, lead, &c);
        if (expr_value(p, c) > 0)
            break;
    }
    bool number_first = lead == n && expr_value(p, c0) > 0;
    lead = lead == n ? 0 : lead;
    expr_pair(p, e, lead, &c);
    if (single && expr_value(p, c) > 0) {
        show_term(t, *expr_num(p, c), expr_pair(p, e, 0, &c), least);
        return;
    }
    bool paren = least > SUM;
    if (paren)
        open_paren(t);
    int shown = 0;
    if (number_first) {
        show_number(t, expr_num(p, c0), SUM);
        shown++;
    }
    for (int i = -1; i < n; i++) {              /* the leading term, then the others in order */
        if (i == lead)
            continue;
        Expr x = expr_pair(p, e, i < 0 ? lead : i, &c);
        bool negative = expr_value(p, c) < 0;
        put(t, shown ? (negative ? " - " : " + ") : negative ? "-" : "");
        show_term(t, *expr_num(p, c), x, negative || shown ? PRODUCT : SUM);
        shown++;
    }
    if (c0 != p->zero && !number_first) {
        struct number k = number_abs(*expr_num(p, c0));
        put(t, expr_value(p, c0) < 0 ? " - " : " + ");
        show_number(t, &k, SUM);
    }
    if (paren)
        close_paren(t);
}

/* --- the rest --------------------------------------------------------------------------------------- */
static const char *op_text(const struct text *t, enum expr_op op)
{
    return t->latex && op_info[op].latex ? op_info[op].latex : op_info[op].text;
}

static void show_infix(struct text *t, Expr e, const char *op, enum binding has, enum binding least)
{
    bool paren = has < least;
    if (paren)
        open_paren(t);
    show(t, expr_arg(t->pool, e, 0), has == COMPARE ? SUM : has);
    put(t, " ");
    put(t, op);
    put(t, " ");
    show(t, expr_arg(t->pool, e, 1), has == COMPARE ? SUM : has + 1);
    if (paren)
        close_paren(t);
}

static void show_call(struct text *t, Expr e, const char *name)
{
    put(t, name);
    open_paren(t);
    for (int k = 0, n = expr_args(t->pool, e); k < n; k++) {
        put(t, k ? ", " : "");
        show(t, expr_arg(t->pool, e, k), LOOSE);
    }
    close_paren(t);
}

/* A derivative of a table or an extern shows its orders: f_x' of the model's f as f{1}, f{0,2}. */
static void show_model_call(struct text *t, Expr e)
{
    const struct fn *f = &t->pool->fn[expr_call_fn(t->pool, e)];
    int orders = 0;
    if (t->latex)
        latex_name(t, f->name);
    else
        put(t, f->name);
    for (int k = 0; k < f->args; k++)
        orders += f->orders[k];
    if (orders) {
        put(t, t->latex ? "^{(" : "{");
        for (int k = 0; k < f->args; k++) {
            put(t, k ? "," : "");
            put_int(t, f->orders[k]);
        }
        put(t, t->latex ? ")}" : "}");
    }
    show_call(t, e, "");
}

static void show_if(struct text *t, Expr e)
{
    if (!t->latex) {
        show_call(t, e, "if");
        return;
    }
    put(t, "\\begin{cases}");
    show(t, expr_arg(t->pool, e, 1), LOOSE);
    put(t, " & ");
    show(t, expr_arg(t->pool, e, 0), LOOSE);
    put(t, " \\\\ ");
    show(t, expr_arg(t->pool, e, 2), LOOSE);
    put(t, " & \\text{otherwise}\\end{cases}");
}

static void show_function(struct text *t, Expr e)
{
    enum expr_op op = expr_op(t->pool, e);
    if (t->latex && op == EXPR_ABS) {
        put(t, "\\left|");
        show(t, expr_arg(t->pool, e, 0), LOOSE);
        put(t, "\\right|");
        return;
    }
    show_call(t, e, op_text(t, op));
}

static void show_not(struct text *t, Expr e, enum binding least)
{
    if (least > NOT)
        open_paren(t);
    put(t, op_text(t, EXPR_NOT));
    put(t, " ");
    show(t, expr_arg(t->pool, e, 0), NOT);
    if (least > NOT)
        close_paren(t);
}

static void show_general_power(struct text *t, Expr e, enum binding least)
{
    bool paren = least > POWER;
    if (paren)
        open_paren(t);
    show(t, expr_arg(t->pool, e, 0), ATOM);
    put(t, t->latex ? "^{" : "^");
    show(t, expr_arg(t->pool, e, 1), t->latex ? LOOSE : ATOM);
    put(t, t->latex ? "}" : "");
    if (paren)
        close_paren(t);
}

static void show_node(struct text *t, Expr e, enum binding least)
{
    const struct pool *p = t->pool;
    enum expr_op op = expr_op(p, e);
    switch (op) {
    case EXPR_NUM:
        show_number(t, expr_num(p, e), least);
        break;
    case EXPR_SYM:
        if (t->latex)
            latex_name(t, expr_symbol(p, e)->name);
        else
            put(t, expr_symbol(p, e)->name);
        break;
    case EXPR_ADD:
        show_sum(t, e, least);
        break;
    case EXPR_MUL:
        show_term(t, number_rational(1, 1), e, least);
        break;
    case EXPR_POW:
        show_general_power(t, e, least);
        break;
    case EXPR_LT: case EXPR_LE: case EXPR_EQ:
        show_infix(t, e, op_text(t, op), COMPARE, least);
        break;
    case EXPR_AND:
        show_infix(t, e, op_text(t, op), AND, least);
        break;
    case EXPR_OR:
        show_infix(t, e, op_text(t, op), OR, least);
        break;
    case EXPR_NOT:
        show_not(t, e, least);
        break;
    case EXPR_IF:
        show_if(t, e);
        break;
    case EXPR_CALL:
        show_model_call(t, e);
        break;
    case EXPR_HOLD:
        show(t, expr_arg(p, e, 0), least);
        break;
#include "expr/function_cases.inc"
        show_function(t, e);
        break;
    }
}

static void show(struct text *t, Expr e, enum binding least)
{
    if (t->depth >= DEEPEST || t->n >= LONGEST) {
        put(t, t->latex ? "\\ldots" : "...");
        return;
    }
    t->depth++;
    show_node(t, e, least);
    t->depth--;
}

static char *text_of(const struct pool *p, Expr e, bool latex)
{
    struct text t = {.pool = p, .latex = latex};
    show(&t, e, LOOSE);
    VEC_PUSH(t, '\0');
    return t.at;
}

char *expr_show(const struct pool *p, Expr e)
{
    return text_of(p, e, false);
}

char *expr_show_latex(const struct pool *p, Expr e)
{
    return text_of(p, e, true);
}
