/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tapes mean what their expressions mean: random outputs are computed by the tape's rows and by the
 * interpreter of expressions.  Sharing and the addition theorems reorder operations, so values agree to
 * rounding: 1e-9 of the largest intermediate magnitude leaves room for the cancellations of random sums.
 * Also: cutting into pieces, reuse of slots, sections, and operation counts of known cases.  Tapes of functions that share a
 * position compute the same.
 */
#include "tape/joint.h"
#include "tape/tape.h"
#include "expr_random.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>

enum { OUTS = 12, ROUNDS = 2000 };

static bool is_leaf(enum tape_op op)
{
    return op == TAPE_NUM || op == TAPE_SYM || op == TAPE_CONST;
}

/* Every value that crosses pieces has a slot, and no slot is overwritten while its value is needed. */
static bool slots_hold(const struct tape *t)
{
    int *owner = calloc((size_t)t->slots + 1, sizeof *owner);
    bool good = true;
    for (int k = 0; k < t->pieces; k++) {
        for (int i = t->piece[k].begin; i < t->piece[k].end; i++) {
            const struct tape_row *r = &t->row[i];
            const int op[4] = {r->a, r->b, r->c, r->d};
            for (int j = 0; j < 4 && !is_leaf(r->op); j++)
                if (op[j] >= 0 && op[j] < t->piece[k].begin && !is_leaf(t->row[op[j]].op))
                    good = good && t->row[op[j]].slot >= 0 && owner[t->row[op[j]].slot] == op[j] + 1;
        }
        for (int i = 0; i < t->outs; i++)
            if (t->out[i].piece == k && t->out[i].row < t->piece[k].begin && !is_leaf(t->row[t->out[i].row].op))
                good = good && owner[t->row[t->out[i].row].slot] == t->out[i].row + 1;
        for (int i = t->piece[k].begin; i < t->piece[k].end; i++)
            if (t->row[i].slot >= 0)
                owner[t->row[i].slot] = i + 1;
    }
    free(owner);
    return good;
}

/* tape_run() knows no functions to call: such outputs are NaN and left out */
static double no_call(void *user, const struct fn *f, const double *args)
{
    (void)user, (void)f, (void)args;
    return NAN;
}

static void random_tapes(void)
{
    struct random r = {.seed = 1};
    int wrong = 0, uncut = 0, unsafe = 0, unsorted = 0, compared = 0, miscounted = 0;
    for (int round = 0; round < ROUNDS; round++) {
        random_reset(&r);
        random_start(&r);
        struct tape_output out[OUTS];
        Expr e[OUTS];
        double val[VARS], got[OUTS], want[OUTS];
        for (int k = 0; k < VARS; k++)
            val[k] = (double)r.at[k];
        for (int k = 0; k < OUTS; k++) {
            e[k] = random_expr(&r, 3).e;
            out[k] = (struct tape_output){.value = e[k], .index = k, .section = k % 3};
        }
        struct eval_env env = {.val = {[SYM_PARAM] = &val[3], [SYM_TIME] = &val[2], [SYM_Q] = &val[0], [SYM_V] = &val[1]}, .call = no_call};
        expr_eval(r.pool, &env, OUTS, e, want);
        double scale = (double)r.largest;
        struct hoist h;
        hoist_init(&h, r.pool, 1);
        int limit = round % 2 ? 20 : 0;
        struct tape *t = tape_build(r.pool, &h, OUTS, out, limit), *s = tape_build_setup(&h, 0);
        double *c = calloc((size_t)h.value.n + 1, sizeof *c);
        c[0] = val[3];
        tape_run(s, r.pool, NULL, env.val, c + 1);
        tape_run(t, r.pool, c, env.val, got);
        for (int k = 0; k < OUTS; k++) {
            if (!isfinite(want[k]) || !(scale < 1e6))
                continue;
            compared++;
            if (!(fabs(got[k] - want[k]) <= 1e-9 * fmax(1, scale)) && wrong++ < 3) {
                char *text = expr_show(r.pool, e[k]);
                printf("# round %d: %.17g, expected %.17g for %s\n", round, got[k], want[k], text);
                free(text);
            }
        }
        miscounted += expr_cost(r.pool, h.params, OUTS, e) != tape_cost_total(&t->cost);
        for (int k = 0; k < t->pieces; k++)
            uncut += limit && t->piece[k].end - t->piece[k].begin > limit;
        for (int i = 0; i < t->rows; i++) {
            const struct tape_row *x = &t->row[i];
            unsorted += (i && x->section < x[-1].section) || (!is_leaf(x->op) && (x->a >= i || x->b >= i || x->c >= i));
        }
        unsafe += limit && t->rows > limit && !slots_hold(t);
        free(c);
        tape_free(t);
        tape_free(s);
        hoist_fini(&h);
    }
    pool_free(r.pool);
    ok(wrong == 0 && compared > ROUNDS, "%d random outputs as the interpreter has them", compared);
    ok(miscounted == 0, "costs are those of the tapes: %d differ", miscounted);
    ok(uncut == 0, "pieces keep to their limit");
    ok(unsafe == 0, "slots hold their values as long as needed");
    ok(unsorted == 0, "rows follow their operands and are sorted by section");
}

/* Four functions with three outputs each, and a part that the first two have in common. */
static void random_joints(void)
{
    enum { PARTS = 5, EACH = 3 };
    struct random r = {.seed = 2};
    int wrong = 0, compared = 0, members = 0;
    for (int round = 0; round < ROUNDS; round++) {
        random_reset(&r);
        random_start(&r);
        struct tape_output out[PARTS * EACH];
        struct joint_part part[PARTS];
        Expr e[PARTS * EACH];
        double val[VARS], want[PARTS * EACH], got[EACH];
        for (int k = 0; k < VARS; k++)
            val[k] = (double)r.at[k];
        for (int k = 0; k < PARTS * EACH; k++) {
            e[k] = k % 4 == 3 ? expr_add(r.pool, e[k - 1], random_expr(&r, 2).e) : random_expr(&r, 3).e;
            out[k] = (struct tape_output){.value = e[k], .index = k % EACH};
        }
        for (int p = 0; p < PARTS; p++)
            part[p] = (struct joint_part){EACH, out + EACH * p, p ? 1u << (p - 1) : 3u};
        struct eval_env env = {.val = {[SYM_PARAM] = &val[3], [SYM_TIME] = &val[2], [SYM_Q] = &val[0], [SYM_V] = &val[1]}, .call = no_call};
        expr_eval(r.pool, &env, PARTS * EACH, e, want);
        double scale = (double)r.largest;
        struct hoist h;
        struct joint j;
        hoist_init(&h, r.pool, 1);
        if (joint_build(&j, r.pool, &h, PARTS, part, 3, true, 10000)) {
            struct tape *s = tape_build_setup(&h, 0);
            double *c = calloc((size_t)h.value.n + 1, sizeof *c), position[1000];
            const double *all[TAPE_SHARED + 1];
            for (int k = 0; k < SYM_KINDS; k++)
                all[k] = env.val[k];
            all[TAPE_SHARED] = position;
            c[0] = val[3];
            tape_run(s, r.pool, NULL, env.val, c + 1);
            if (j.position && j.position->outs < 1000)
                tape_run(j.position, r.pool, c, env.val, position);
            members += j.position != NULL;
            for (int p = 0; p < PARTS; p++) {
                tape_run(j.tape[p], r.pool, c, all, got);
                for (int k = 0; k < EACH; k++) {
                    double x = want[EACH * p + k];
                    if (!isfinite(x) || !(scale < 1e6))
                        continue;
                    compared++;
                    wrong += !(fabs(got[k] - x) <= 1e-9 * fmax(1, scale));
                }
            }
            free(c);
            tape_free(s);
            joint_free(&j);
        }
        hoist_fini(&h);
    }
    pool_free(r.pool);
    ok(wrong == 0 && compared > ROUNDS && members > ROUNDS / 10, "%d outputs of joint functions, %d times with a position: %d wrong", compared,
       members, wrong);
}

static struct tape_cost cost_of(struct pool *p, struct hoist *h, int n, const Expr *e)
{
    struct tape_output out[8] = {0};
    for (int i = 0; i < n; i++)
        out[i] = (struct tape_output){.value = e[i], .index = i};
    struct tape *t = tape_build(p, h, n, out, 0);
    struct tape_cost c = t->cost;
    tape_free(t);
    return c;
}

static void known_costs(void)
{
    struct pool *p = pool_new();
    Expr x = expr_sym(p, SYM_Q, 0, "x"), y = expr_sym(p, SYM_Q, 1, "y"), z = expr_sym(p, SYM_Q, 2, "z");
    Expr k = expr_sym(p, SYM_PARAM, 0, "k"), l = expr_sym(p, SYM_PARAM, 1, "l");
    struct hoist h;
    hoist_init(&h, p, 2);
    struct tape_cost c;

    Expr sum = expr_add(p, expr_mul(p, k, x), expr_mul(p, l, x));
    c = cost_of(p, &h, 1, &sum);
    ok(c.mul == 1 && c.add == 0, "k*x + l*x is one multiplication by a hoisted constant");

    Expr f = expr_add(p, expr_product(p, 4, (Expr[]){k, x, y, y}), expr_product(p, 5, (Expr[]){p->two, k, x, y, z}));
    c = cost_of(p, &h, 1, &f);
    ok(c.mul == 4 && c.add == 1, "k*x*y^2 + 2*k*x*y*z is k*x*y*(y + 2*z): %d, %d", c.mul, c.add);

    Expr two[2] = {expr_sum(p, 3, (Expr[]){x, expr_neg(p, y), z}), expr_product(p, 2, (Expr[]){z, expr_sub(p, y, x)})};
    c = cost_of(p, &h, 2, two);
    ok(c.add == 2 && c.mul == 1, "x - y is shared by x - y + z and z*(y - x): %d, %d", c.add, c.mul);

    Expr both[3] = {x, expr_fn1(p, EXPR_SIN, x), expr_mul(p, y, expr_fn1(p, EXPR_SIN, x))};
    double costs = expr_costs(p, 2, 2, (int[]){0, 1, 3}, both), again = expr_costs(p, 2, 2, (int[]){0, 2, 3}, both);
    ok(costs == 21 && again == 41, "two functions cost what each needs, x nothing, sin(x) and y*sin(x) 21: %g, %g", costs, again);

    Expr p8 = expr_powi(p, x, 8);
    c = cost_of(p, &h, 1, &p8);
    ok(c.mul == 3 && c.call == 0, "x^8 takes three multiplications: %d", c.mul);

    Expr xy = expr_add(p, x, y);
    Expr trig[6] = {expr_fn1(p, EXPR_SIN, x), expr_fn1(p, EXPR_COS, x), expr_fn1(p, EXPR_SIN, y), expr_fn1(p, EXPR_COS, y),
                    expr_fn1(p, EXPR_SIN, xy), expr_fn1(p, EXPR_COS, xy)};
    c = cost_of(p, &h, 6, trig);
    ok(c.trig == 4 && c.mul == 4 && c.add == 2, "the sum of two angles comes from its parts");
    c = cost_of(p, &h, 2, trig + 4);
    ok(c.trig == 2 && c.add == 1, "unless its parts are not needed");

    Expr inv[3] = {expr_div(p, x, z), expr_div(p, y, z), expr_div(p, x, y)};
    c = cost_of(p, &h, 3, inv);
    ok(c.div == 2 && c.mul == 2, "a reciprocal used twice is shared, one used once is a division: %d, %d", c.div, c.mul);

    Expr p0 = expr_mul(p, k, expr_fn1(p, EXPR_SIN, l));
    c = cost_of(p, &h, 1, &p0);
    ok(c.trig == 0 && c.mul == 0, "what depends on parameters alone costs nothing in a step");

    /* a held sum is another expression than the sum, but the same node: z (x + y) - z hold(x + y) */
    Expr held = expr_hold(p, xy), gone[2] = {expr_sub(p, expr_mul(p, held, z), expr_mul(p, xy, z)), expr_add(p, held, expr_hold(p, expr_neg(p, xy)))};
    c = cost_of(p, &h, 2, gone);
    ok(c.add + c.mul == 0, "a product with a held sum less that with the sum is nothing: %d, %d", c.add, c.mul);
    Expr minus = expr_mul(p, x, expr_hold(p, expr_neg(p, z)));
    ok(expr_hold(p, expr_neg(p, z)) == expr_neg(p, expr_hold(p, z)) && minus == expr_neg(p, expr_mul(p, x, expr_hold(p, z))), "the sign of what is held stays outside");
    hoist_fini(&h);
    pool_free(p);
}

/* The same node twice in a sum, with equal signs and with others: held sums beside the same sums. */
static void twice(void)
{
    struct pool *p = pool_new();
    Expr x = expr_sym(p, SYM_Q, 0, "x"), y = expr_sym(p, SYM_Q, 1, "y"), z = expr_sym(p, SYM_Q, 2, "z"), sum = expr_add(p, x, y), held = expr_hold(p, sum),
         a = expr_mul(p, sum, z), b = expr_mul(p, held, z);
    Expr e[] = {expr_add(p, a, b), expr_sub(p, a, b), expr_sub(p, expr_neg(p, a), b), expr_sum(p, 3, (Expr[]){a, b, x}), expr_sum(p, 3, (Expr[]){a, expr_neg(p, b), x}),
                expr_sum(p, 3, (Expr[]){a, expr_neg(p, b), p->one}), expr_mul(p, x, expr_sub(p, a, b))};
    enum { MANY = sizeof e / sizeof *e };
    double q[] = {0.7, -1.9, 2.3}, got[MANY], want[MANY];
    struct eval_env env = {.val = {[SYM_Q] = q}};
    struct tape_output out[MANY];
    struct hoist h;
    int wrong = 0;
    for (int i = 0; i < MANY; i++)
        out[i] = (struct tape_output){.value = e[i], .index = i};
    hoist_init(&h, p, 0);
    struct tape *t = tape_build(p, &h, MANY, out, 0);
    tape_run(t, p, NULL, env.val, got);
    expr_eval(p, &env, MANY, e, want);
    for (int i = 0; i < MANY; i++)
        wrong += !(fabs(got[i] - want[i]) <= 1e-15);
    ok(wrong == 0, "a node that stands in a sum twice counts twice, or not at all: %d wrong", wrong);
    tape_free(t);
    hoist_fini(&h);
    pool_free(p);
}

/* Random sums in which the same products come held, multiplied out and with other signs, so that many of their terms are one node in the end. */
static void held_sums(void)
{
    enum { SUMS = 4000, TERMS = 9 };
    struct random r = {.seed = 5};
    int wrong = 0;
    for (int round = 0; round < SUMS; round++) {
        random_reset(&r);
        struct pool *p = r.pool;
        double val[VARS], got, want;
        Expr term[TERMS];
        int n = 2 + random_below(&r, TERMS - 1);
        for (int k = 0; k < VARS; k++)
            val[k] = (double)r.at[k];
        for (int i = 0; i < n; i++) {
            Expr a = r.var[random_below(&r, 3)], b = expr_mul(p, r.var[0], r.var[1]), c = expr_mul(p, r.var[1], r.var[2]), sum = expr_add(p, b, c);
            switch (random_below(&r, 5)) {
            case 0: term[i] = expr_mul(p, a, expr_hold(p, sum)); break;
            case 1: term[i] = expr_mul(p, a, sum); break;
            case 2: term[i] = expr_mul(p, a, random_below(&r, 2) ? b : c); break;
            case 3: term[i] = expr_product(p, 3, (Expr[]){a, r.var[1], expr_hold(p, expr_add(p, r.var[0], r.var[2]))}); break;
            default: term[i] = expr_mul(p, a, expr_hold(p, expr_sub(p, b, c))); break;
            }
            if (random_below(&r, 2))
                term[i] = expr_neg(p, term[i]);
            if (random_below(&r, 3) == 0)
                term[i] = expr_hold(p, term[i]);
        }
        Expr e = expr_mul(p, r.var[random_below(&r, 3)], expr_sum(p, n, term));
        struct eval_env env = {.val = {[SYM_PARAM] = &val[3], [SYM_TIME] = &val[2], [SYM_Q] = &val[0], [SYM_V] = &val[1]}, .call = no_call};
        struct tape_output out = {.value = e};
        struct hoist h;
        hoist_init(&h, p, 1);
        struct tape *t = tape_build(p, &h, 1, &out, 0);
        tape_run(t, p, NULL, env.val, &got);
        expr_eval(p, &env, 1, &e, &want);
        wrong += !(fabs(got - want) <= 1e-12);          /* up to nine terms below 16, times 2: some hundred roundings */
        tape_free(t);
        hoist_fini(&h);
    }
    pool_free(r.pool);
    ok(wrong == 0, "sums of held and other products: %d of %d wrong", wrong, SUMS);
}

/* Numbers beside sums of parameters that begin with a minus: c * (a + b + ... - k) * x for c = 2, -2, ..., of the sum and its negative, short and so long that
 * numbers are not multiplied into it, one to three of them in a tape. */
static void signs(void)
{
    static const int number[] = {1, -1, 2, -2, 3, -4};
    enum { NUMBERS = sizeof number / sizeof *number, LONG = EXPR_FLAT + 3, MANY = 8 * NUMBERS };
    struct pool *p = pool_new();
    Expr x = expr_sym(p, SYM_Q, 0, "x"), k[LONG], e[MANY];
    double q = 0.7, param[LONG];
    struct eval_env env = {.val = {[SYM_PARAM] = param, [SYM_Q] = &q}};
    int wrong = 0;
    for (int i = 0; i < LONG; i++) {
        param[i] = 1.3 + 0.1 * i;
        k[i] = expr_sym(p, SYM_PARAM, i, "k");
    }
    k[0] = expr_neg(p, k[0]);
    for (int i = 0; i < MANY; i++) {
        Expr sum = expr_sum(p, i & 4 ? LONG : 2, k), c = expr_mul(p, expr_int(p, number[i / 8]), i & 2 ? expr_neg(p, sum) : sum);
        e[i] = expr_mul(p, i & 1 ? expr_neg(p, c) : c, x);
    }
    for (int from = 0; from < MANY; from++)
        for (int n = 1; n <= 3 && from + n <= MANY; n++) {
            struct hoist h;
            struct tape_output out[3];
            double c[LONG + 32] = {0}, got[3], want[3];
            memcpy(c, param, sizeof param);
            for (int i = 0; i < n; i++)
                out[i] = (struct tape_output){.value = e[from + i], .index = i};
            hoist_init(&h, p, LONG);
            struct tape *t = tape_build(p, &h, n, out, 0), *s = tape_build_setup(&h, 0);
            tape_run(s, p, NULL, env.val, c + LONG);
            tape_run(t, p, c, env.val, got);
            expr_eval(p, &env, n, e + from, want);
            for (int i = 0; i < n; i++)
                wrong += !(fabs(got[i] - want[i]) <= 1e-14 * fabs(want[i]));        /* some ten roundings */
            tape_free(t);
            tape_free(s);
            hoist_fini(&h);
        }
    pool_free(p);
    ok(wrong == 0, "numbers times sums of parameters have their signs: %d have not", wrong);
}

int main(void)
{
    known_costs();
    twice();
    held_sums();
    signs();
    random_tapes();
    random_joints();
    return tap_done();
}
