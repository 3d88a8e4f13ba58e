/* SPDX-License-Identifier: MIT
 *
 * product.h: products L Gh' of a sparse matrix L with the transpose of the first rows Gh of G, patterns found once. */
#ifndef MBS_PRODUCT_H
#define MBS_PRODUCT_H

#include "mbs/model.h"

struct mbs_columns {
    int *ptr, *row, *from; /* column j: entries ptr[j] .. ptr[j+1]-1, their rows and the numbers of their values */
};
struct mbs_product {
    struct mbs_columns left, gt;
    struct mbs_pattern pattern;
    double *val, *work;
    int *memory;
};
/* 0 or MBS_NO_MEMORY; free() also after a failure. */
int mbs_product_new(struct mbs_product *p, const struct mbs_pattern *left, int symmetric, const struct mbs_pattern *G, int ng);
void mbs_product_free(struct mbs_product *p);
void mbs_product_values(struct mbs_product *p, const double *left, const double *G);

#endif
