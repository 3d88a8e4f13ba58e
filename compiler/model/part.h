/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table parts.def as data, and the one reader of what it lists. */
#ifndef MODEL_PART_H
#define MODEL_PART_H
#include "model/mechanism.h"

enum clause_shape { CLAUSE_SCALAR, CLAUSE_POSITIVE, CLAUSE_NONNEGATIVE, CLAUSE_COUNT, CLAUSE_TRUTH, CLAUSE_VECTOR, CLAUSE_WORD, CLAUSE_OWN };

struct clause {
    const char *name;
    enum clause_shape shape;
    const char *unit, *turning;     /* for lengths and angles; NULL: not checked */
    const char *otherwise;          /* NULL: needed; "": may be left out */
};
/* A line of the table: the head of a part (with a noun), then its clauses. */
struct part {
    enum ast_word word;
    const char *noun, *form;
    struct clause clause;
};
const struct part *part_find(enum ast_word);

/* One statement of a part while it is read. */
struct reading {
    struct check *k;
    struct scope *scope;
    const struct ast_stmt *stmt;
    const struct part *part;
    const char *noun;               /* spring */
    unsigned allowed;               /* kinds of symbols that values may contain */
    bool turning;                   /* acts on what turns: units of angles */
};
/* False after errors: clauses that the part does not know, that are given twice or without a value. */
bool reading_begin(struct reading *, struct check *, struct scope *, const struct ast_stmt *, unsigned allowed);
/* The words that may stand in a statement; for parts whose words depend on more than the table. */
struct words {
    const char *at[32];
    int n;
};
void words_add(struct words *, const char *);
bool words_check(struct check *, const struct ast_stmt *, int from, const char *noun, const struct words *);

/* The expression that a clause has; NULL: it is not given. */
const struct ast_expr *read_value(const struct reading *, const char *clause);
/* By its shape, its unit and its default; false after an error.  What may be left out has a value only if it is given. */
bool read_scalar(const struct reading *, const char *clause, Expr *);
int read_count(const struct reading *, const char *clause, int most);   /* 0 if it is not given, -1 after an error */
bool read_truth(const struct reading *, const char *clause);
/* law = newton or poisson: whether it is the second; false after an error. */
bool read_law(const struct reading *, bool *poisson);
/* The dimension its values have. */
struct dim read_dim(const struct reading *, const char *clause);
void read_needs(const struct reading *, const char *clause);    /* says that it is missing */
#endif
