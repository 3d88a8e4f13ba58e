/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Units and dimensions.
 *
 * A dimension is what is known of a quantity's unit.  KNOWN: exponents of m, kg, s, A, K (the radian is
 * a pure number; its exponent is kept for the eye, and nothing is checked by it).  NUMBER: a number written in the model
 * without a unit, also times pure numbers; it fits any unit in a sum or where a value is given, and leaves the
 * dimension of a product alone.  ANY: nothing is known (a name declared without a unit, and 0); it fits everywhere, and
 * so does what it multiplies.
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
    int16_t angle;          /* exponent of the radian: kg*m^2/s^2 is an energy with 0, a torque with -1 */
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
struct dim dim_angle(void);                             /* rad */

bool dim_equal(struct dim, struct dim);                 /* both KNOWN and the same */
bool dim_agrees(struct dim, struct dim);                /* may be added */
bool dim_is_pure(struct dim);                           /* fits an angle or a pure number */
struct dim dim_common(struct dim, struct dim);          /* of a sum of the two */
struct dim dim_mul(struct dim, struct dim);
struct dim dim_div(struct dim, struct dim);
struct dim dim_pow(struct dim, const struct number *);  /* ANY if the exponents would not be twelfths */
const char *dim_show(struct dim, struct arena *);       /* kg*m^2/s^2; with its name: J = kg*m^2/s^2 */
/* For headings: a named unit (J, never Hz) or a product of base units; the radian is shown where nothing but seconds stands
 * beside it (rad/s), and makes a torque N*m.  "" if pure or not known. */
const char *dim_unit(struct dim, struct arena *);

/* Of a unit in our own tables: "N*m*s/rad". */
struct dim dim_of_text(const char *);

/* The unit written after a colon; no unit (e NULL) is ANY.  Errors are reported and give ANY. */
struct unit unit_read(struct compilation *, const struct ast_expr *e);
#endif
