/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The symbolic core: expressions as 32-bit handles into a hash-consed pool.
 *
 * Equal expressions have equal handles, so `==` is structural equality and every pass that keeps a
 * table by handle is memoised on the DAG.  Handles follow the order of creation, and operands have
 * smaller handles than what is made of them: a loop from low to high visits operands first.
 *
 * Canonical form, kept by the constructors:
 *   NUM   an exact rational, or a double where a decimal number or an overflow came in
 *   ADD   c0 + c1*t1 + c2*t2 + ...      operands c0, t1, c1, t2, c2, ...; t ascending, c are NUM, not 0
 *   MUL   b1^e1 * b2^e2 * ...           operands b1, e1, b2, e2, ...;     b ascending, e are NUM, not 0
 * A number times something is an ADD with one term; a root is a MUL with exponent 1/2; a quotient has
 * exponent -1; a general power x^y with y not a number is POW.  Sums of at most EXPR_FLAT terms are
 * merged into the sum that contains them, products of at most EXPR_FLAT factors into the product that
 * contains them; longer ones stay units, so that building one piece by piece is linear.  HOLD marks a
 * value to be kept as a unit by choice; it means its operand.
 * In function arguments and in bases of powers a sum has a positive leading coefficient where the
 * function's symmetry allows it: sin(b - a) is -sin(a - b) if a is older than b.
 * Truth values are the numbers 0 and 1.
 */
#ifndef EXPR_EXPR_H
#define EXPR_EXPR_H
#include <stdbool.h>
#include <stdint.h>

typedef uint32_t Expr;      /* 0 is no expression */

enum expr_op {
#define OP(name, text, args, c, calls) EXPR_##name,
#define TEST(name, text, args, symmetry, latex, value) EXPR_##name,
#define FUNCTION(name, text, args, c, symmetry, calls, price, latex, units, domain, value, by_x, by_y) EXPR_##name,
#include "mbs/ops.def"
#undef OP
#undef TEST
#undef FUNCTION
};
enum { EXPR_OPS = EXPR_HOLD + 1, EXPR_FLAT = 16 };

/* The table ops.def as data. */
enum op_symmetry { OP_NO, OP_ODD, OP_EVEN, OP_BOTH };
enum op_units { UNITS_NONE, UNITS_TURN, UNITS_PURE, UNITS_ANGLE, UNITS_ANGLE2, UNITS_SAME, UNITS_SIGN, UNITS_ALIKE };
struct op_info {
    const char *text;
    int args;
    const char *c;
    enum op_symmetry symmetry;
    bool pure, trig;            /* trig: counted as a sine, else as a call */
    const char *latex;
    enum op_units units;        /* of a function */
    double from, to;            /* of its first operand */
};
extern const struct op_info op_info[EXPR_OPS];
/* A test's or a function's number, and a function's derivative by operand k. */
double op_value(enum expr_op, double x, double y);
double op_slope(enum expr_op, int k, double x, double y);

/* What a symbol stands for.  expr_deps() is the set of kinds below an expression as bits 1 << kind. */
enum sym_kind {
    SYM_PARAM,      /* run-time parameter */
    SYM_TIME,
    SYM_Q,          /* coordinate, its velocity, its acceleration */
    SYM_V,
    SYM_A,
    SYM_LAMBDA,     /* multiplier; mu: the second set, of G' mu */
    SYM_MU,
    SYM_Z,          /* extra state */
    SYM_U,          /* input */
    SYM_LOCAL,      /* formal argument of a function, replaced before anything is derived */
    SYM_KINDS
};
#define DEP(kind) (1u << (kind))

struct number {
    bool exact;             /* num/den in lowest terms, den > 0; else only value */
    int64_t num, den;
    double value;
};

struct symbol {
    enum sym_kind kind;
    int index;              /* within its kind */
    const char *name;
};

/* A function that is called, not inlined: a table or an extern C function.  Its derivative with
 * respect to argument i is another function, made on demand by expr_fn_diff(). */
enum { FN_ARGS = 4 };
struct fn {
    const char *name;       /* as in the model */
    int args;
    int root;               /* the function it is a derivative of, or itself */
    int orders[FN_ARGS];    /* how often differentiated by each argument */
    void *data;             /* of the root: the front end's table or extern */
};

struct node {
    uint8_t op;             /* enum expr_op */
    uint16_t deps;
    uint32_t n, at;         /* operands args[at .. at+n); NUM, SYM: at is an index */
    uint32_t hash;
};

struct pool {
    struct node *node;
    uint32_t nodes, node_cap;
    uint32_t *args;
    uint32_t nargs, args_cap;
    struct number *num;
    uint32_t nums, num_cap;
    struct symbol *sym;
    uint32_t syms, sym_cap;
    struct fn *fn;
    int fns, fn_cap;
    Expr *table;            /* open addressing, size a power of two */
    uint32_t table_size;
    Expr zero, one, minus_one, two, half;
    void *memo;             /* what another room remembers of expressions, and how it is freed */
    void (*memo_free)(void *);
};

struct pool *pool_new(void);
void pool_free(struct pool *);

/* Leaves.  A symbol is identified by (kind, index); its name must outlive the pool. */
Expr expr_int(struct pool *, int64_t);
Expr expr_rational(struct pool *, int64_t num, int64_t den);
Expr expr_double(struct pool *, double);
Expr expr_number(struct pool *, struct number);
Expr expr_sym(struct pool *, enum sym_kind, int index, const char *name);

/* Arithmetic. */
Expr expr_add(struct pool *, Expr, Expr);
Expr expr_sub(struct pool *, Expr, Expr);
Expr expr_neg(struct pool *, Expr);
Expr expr_mul(struct pool *, Expr, Expr);
Expr expr_div(struct pool *, Expr, Expr);
Expr expr_pow(struct pool *, Expr base, Expr exponent);
Expr expr_powi(struct pool *, Expr base, int exponent);
Expr expr_sqrt(struct pool *, Expr);
Expr expr_sum(struct pool *, int n, const Expr *);
Expr expr_product(struct pool *, int n, const Expr *);
/* c0 + sum coef[i]*term[i] with NUM coefficients, and prod base[i]^exponent[i] with NUM exponents. */
Expr expr_linear(struct pool *, Expr c0, int n, const Expr *term, const Expr *coef);
Expr expr_powers(struct pool *, int n, const Expr *base, const Expr *exponent);

/* Functions and the rest: op is one with 1, 2 or 3 operands in ops.def (not ADD, MUL, POW, HOLD). */
Expr expr_fn1(struct pool *, enum expr_op, Expr);
Expr expr_fn2(struct pool *, enum expr_op, Expr, Expr);
Expr expr_if(struct pool *, Expr condition, Expr then, Expr otherwise);
Expr expr_hold(struct pool *, Expr);
int expr_fn_new(struct pool *, const char *name, int args, void *data);
int expr_fn_diff(struct pool *, int fn, int arg);
Expr expr_call(struct pool *, int fn, const Expr *args);

/* C leaves open in which order the operands of a call are made, and handles, hence the generated file, follow the order in
 * which expressions are made.  These make their operands from left to right, so that every C compiler builds the same
 * mbsc; tests/cases/sequence.py finds other calls whose order is open. */
#define IN_ORDER(...) IN_ORDER_NAMED(__COUNTER__, __VA_ARGS__)
#define IN_ORDER_NAMED(n, ...) IN_ORDER_WITH(n, __VA_ARGS__)
#define IN_ORDER_WITH(n, f, p, a, ...) __extension__({ __auto_type a_##n = (a); __auto_type b_##n = (__VA_ARGS__); f(p, a_##n, b_##n); })
#define expr_add(p, a, ...) IN_ORDER(expr_add, p, a, __VA_ARGS__)
#define expr_sub(p, a, ...) IN_ORDER(expr_sub, p, a, __VA_ARGS__)
#define expr_mul(p, a, ...) IN_ORDER(expr_mul, p, a, __VA_ARGS__)
#define expr_div(p, a, ...) IN_ORDER(expr_div, p, a, __VA_ARGS__)
#define expr_pow(p, a, ...) IN_ORDER(expr_pow, p, a, __VA_ARGS__)

/* Looking at expressions. */
static inline enum expr_op expr_op(const struct pool *p, Expr e)
{
    return (enum expr_op)p->node[e].op;
}
static inline unsigned expr_deps(const struct pool *p, Expr e)
{
    return p->node[e].deps;
}
static inline bool expr_is_num(const struct pool *p, Expr e)
{
    return p->node[e].op == EXPR_NUM;
}
/* Number of operands that are expressions and the k-th of them, for any op (in ADD and MUL the
 * coefficients and exponents are among them; CALL has its fn in expr_call_fn). */
static inline int expr_args(const struct pool *p, Expr e)
{
    const struct node *n = &p->node[e];
    return n->op == EXPR_CALL ? (int)n->n - 1 : (int)n->n;
}
static inline Expr expr_arg(const struct pool *p, Expr e, int k)
{
    const struct node *n = &p->node[e];
    return p->args[n->at + (uint32_t)k + (n->op == EXPR_CALL)];
}
/* Terms of an ADD or factors of a MUL. */
int expr_pairs(const struct pool *, Expr);
Expr expr_pair(const struct pool *, Expr, int k, Expr *coef_or_exponent);
Expr expr_const(const struct pool *, Expr add);     /* c0 of an ADD */
int expr_call_fn(const struct pool *, Expr);
const struct number *expr_num(const struct pool *, Expr);
double expr_value(const struct pool *, Expr num);
const struct symbol *expr_symbol(const struct pool *, Expr);
bool expr_is_int(const struct pool *, Expr, int64_t *value);    /* an exact integer */
/* Make e's operator again from other operands (in the order of expr_arg), canonically. */
Expr expr_rebuild(struct pool *, Expr e, const Expr *args);

/* --- derivatives: diff.c -------------------------------------------------------------------------- */
/* A sparse derivative: entries var[k] (symbol handles ascending) and d[k], zeros left out. */
struct gradient {
    int n;
    const Expr *var, *d;
};
/* Memo of forward derivatives with respect to all symbols of the kinds in `kinds`; linear in the
 * number of non-zero derivatives. */
struct diff;
struct diff *diff_new(struct pool *, unsigned kinds);
struct gradient diff_gradient(struct diff *, Expr);     /* valid until diff_free */
Expr diff_by(struct diff *, Expr, Expr var);
void diff_free(struct diff *);
/* One partial derivative. */
Expr expr_diff(struct pool *, Expr, Expr var);
/* Directional derivative: sum_k d e/d var[k] * dir[k], one memoised sweep for many expressions. */
struct direction;
struct direction *direction_new(struct pool *, int n, const Expr *var, const Expr *dir);
Expr direction_diff(struct direction *, Expr);
void direction_free(struct direction *);
/* Reverse sweep: out[k] = d e / d var[k]. */
void expr_reverse(struct pool *, Expr e, int n, const Expr *var, Expr *out);
/* Replace symbols (or any nodes) by expressions, memoised. */
void expr_substitute(struct pool *, int n, const Expr *from, const Expr *to, int m, const Expr *in, Expr *out);

/* --- trigonometric normal form: trig.c ------------------------------------------------------------ */
/* e as a sum over (monomial, angle combination) of coefficient * monomial * cos or sin(combination), by
 * product-to-sum; 0 if the sum would have more than `limit` terms.  Coefficients are numbers and
 * parameters; whatever is not a sum, a product or a sine or cosine counts as a factor of monomials. */
Expr trig_normal(struct pool *, Expr e, int limit);

/* --- evaluation: eval.c --------------------------------------------------------------------------- */
/* Values of symbols by kind and index; a NULL array means the kind does not occur. */
struct eval_env {
    const double *val[SYM_KINDS];
    double (*call)(void *user, const struct fn *, const double *args);
    void *user;
};
/* Interpreters that share nothing with the emitter: doubles, and complex numbers for complex steps. */
void expr_eval(const struct pool *, const struct eval_env *, int n, const Expr *, double *out);
/* The natural scale of each: what its value may be wrong by in floating point, in units of the roundoff, to first order.  A sum
 * counts as if all its terms had one sign, a function of a sum carries what is wrong with the sum (Wilkinson's running error). */
void expr_eval_magnitude(const struct pool *, const struct eval_env *, int n, const Expr *, double *out);
/* Is each of these zero but for rounding, at three states and parameters that nothing distinguishes?  No of what calls a function. */
void expr_vanish(const struct pool *, int n, const Expr *, bool *zero);
struct eval_env_complex {
    const double _Complex *val[SYM_KINDS];
    double _Complex (*call)(void *user, const struct fn *, const double _Complex *args);
    void *user;
};
void expr_eval_complex(const struct pool *, const struct eval_env_complex *, int n, const Expr *, double _Complex *out);
#ifdef HAVE_QUADMATH        /* of config.h; eval_quad.c */
struct eval_env_quad {
    const __float128 *val[SYM_KINDS];
    __float128 (*call)(void *user, const struct fn *, const __float128 *args);
    void *user;
};
void expr_eval_quad(const struct pool *, const struct eval_env_quad *, int n, const Expr *, __float128 *out);
/* The same for a cone (cone.h) that was collected before, again and again: fills val by handle, computing only what depends on
 * a symbol that changed since the last time.  dirty is by handle, EVAL_NEVER before the first time.  With factor, by handle too,
 * every result but a symbol is multiplied by a number: a model of rounding, or of anything else that goes wrong a little. */
struct cone;
enum { EVAL_NEVER = 2 };
void expr_rerun_quad(const struct pool *, const struct eval_env_quad *, const struct cone *, __float128 *val, unsigned char *dirty,
                     const __float128 *factor);
#endif

/* --- text: show.c --------------------------------------------------------------------------------- */
/* Infix text in the model language, parenthesised only where needed, into a malloc'ed string. */
char *expr_show(const struct pool *, Expr);
char *expr_show_latex(const struct pool *, Expr);
char *name_show_latex(const char *name);        /* phi_max -> \phi_{\mathrm{max}} */
#endif
