/* SPDX-License-Identifier: GPL-3.0-or-later
 * The front end's door: from a syntax tree to the checked model. */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H
#include "model/model.h"
#include "syntax/ast.h"

/* Check the tree (reading what it includes) and fill *m; its arrays live in c->arena, its expressions
 * in `pool`, which must outlive the model.  False if there were errors; they are in c->diags. */
bool model_check(struct compilation *c, const struct ast *, struct pool *pool, struct model *m);
void dump_model(FILE *, const struct model *);
#endif
