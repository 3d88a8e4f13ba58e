/* SPDX-License-Identifier: GPL-3.0-or-later
 * The section and the material of a beam, however it is computed. */
#include "model/part.h"

/* Torsion constant of a rectangle a x b, a >= b: a b^3 (1/3 - 0.21 b/a (1 - b^4/(12 a^4))), within 0.5 % of the series of Saint-Venant
 * (W. Young, R. Budynas, Roark's Formulas for Stress and Strain, table 10.1). */
static Expr torsion_constant(struct pool *p, Expr width, Expr height)
{
    Expr a = expr_fn2(p, EXPR_MAX, width, height), b = expr_fn2(p, EXPR_MIN, width, height), r = expr_div(p, b, a);
    Expr square = expr_sub(p, p->one, expr_mul(p, expr_rational(p, 1, 12), expr_powi(p, r, 4)));
    Expr factor = expr_sub(p, expr_rational(p, 1, 3), expr_product(p, 3, (Expr[]){expr_rational(p, 21, 100), r, square}));
    return expr_product(p, 3, (Expr[]){a, expr_powi(p, b, 3), factor});
}

bool section_read(const struct reading *r, struct beam_section *c)
{
    struct pool *p = r->k->pool;
    bool measured = read_value(r, "area") || read_value(r, "moment"), space = r->k->mech->spatial;
    Expr width, height, twelfth = expr_rational(p, 1, 12);
    c->moment[1] = c->torsion = c->shear = p->zero;
    if (!read_scalar(r, "length", &c->length) || !read_scalar(r, "density", &c->density) || !read_scalar(r, "youngs", &c->youngs) ||
        (space && !read_scalar(r, "shear", &c->shear)))
        return false;
    if (measured) {
        return read_scalar(r, "area", &c->area) && read_scalar(r, "moment", &c->moment[0]) &&
               (!space || (read_scalar(r, "moment2", &c->moment[1]) && read_scalar(r, "torsion", &c->torsion)));
    }
    if (!read_scalar(r, "width", &width) || !read_scalar(r, "height", &height))
        return false;
    c->area = expr_mul(p, width, height);
    c->moment[0] = expr_mul(p, twelfth, expr_mul(p, width, expr_powi(p, height, 3)));
    if (!space)
        return true;
    c->moment[1] = expr_mul(p, twelfth, expr_mul(p, height, expr_powi(p, width, 3)));
    c->torsion = torsion_constant(p, width, height);
    return !read_value(r, "torsion") || read_scalar(r, "torsion", &c->torsion);
}
