/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Units and dimensions.
 *
 * A dimension is what is known of a quantity's unit.  KNOWN: exponents of m, kg, s, A, K (the radian is
 * a pure number).  NUMBER: a number written in the model, also times pure numbers; it fits any unit in a
 * sum or where a value is given, and leaves the dimension of a product alone.  ANY: nothing is known (a parameter
 * without a unit, a measured number such as 9.81); it fits everywhere, and so does what it multiplies.
 */
#ifndef MODEL_UNIT_H
#define MODEL_UNIT_H
#include "base/compilation.h"
#include "expr/expr.h"
#include "syntax/ast.h"

enum dim_kind { DIM_ANY, DIM_NUMBER, DIM_KNOWN };
enum { DIM_BASES = 5, DIM_PARTS = 12 };     /* exponents count twelfths, so that roots stay exact */
struct dim {
    int8_t kind;
    int16_t exponent[DIM_BASES];
};
struct unit {
    struct dim dim;
    struct number scale;    /* SI units in one of these: 1/1000 for mm */
    const char *text;       /* as written, without blanks; "" if none */
};

#define DIM_OF_ANY ((struct dim){.kind = DIM_ANY})
#define DIM_OF_NUMBER ((struct dim){.kind = DIM_NUMBER})
#define DIM_PURE ((struct dim){.kind = DIM_KNOWN})
struct dim dim_joule(void);
struct dim dim_second(void);

bool dim_equal(struct dim, struct dim);                 /* both KNOWN and the same */
bool dim_agrees(struct dim, struct dim);                /* may be added */
bool dim_is_pure(struct dim);                           /* fits an angle or a pure number */
struct dim dim_common(struct dim, struct dim);          /* of a sum of the two */
struct dim dim_mul(struct dim, struct dim);
struct dim dim_div(struct dim, struct dim);
struct dim dim_pow(struct dim, const struct number *);  /* ANY if the exponents would not be twelfths */
struct dim dim_of_double(double);                       /* of a number in the model */
const char *dim_show(struct dim, struct arena *);       /* kg*m^2/s^2; with its name: J = kg*m^2/s^2 */
const char *dim_unit(struct dim, struct arena *);       /* short: J; "" if pure or not known */

/* The unit written after a colon; no unit (e NULL) is ANY.  Errors are reported and give ANY. */
struct unit unit_read(struct compilation *, const struct ast_expr *e);
#endif
