/* SPDX-License-Identifier: GPL-3.0-or-later
 * rolled_tables.c: what the text of rolled files (roll/text) reads, one table after the other. */
#ifndef EMIT_ROLLED_H
#define EMIT_ROLLED_H
#include "emit/parts.h"
#include "roll/roll.h"

void emit_ints(struct emitter *, const char *name, int n, const int *at);
/* Bodies: of rolled files, and of mixed ones. */
void emit_tree(struct emitter *, const struct roll *);
void emit_bodies_of_mixed(struct emitter *, const struct roll *);
void emit_inner(struct emitter *, const struct roll *);
void emit_points(struct emitter *, const struct roll *);
void emit_numbers(struct emitter *, const struct roll *);
void emit_laws(struct emitter *, const struct roll_laws *);
void emit_matrices(struct emitter *, const struct roll *);
void emit_rows(struct emitter *, const struct roll *);
/* Macros that do something for the class of a joint. */
void emit_classes(struct emitter *, const struct roll *);
void emit_each_step(struct emitter *, const struct roll *);
/* How many numbers bind() of the text needs. */
int emit_bind_space(const struct roll *);

#endif
