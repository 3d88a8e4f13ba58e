/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the files that write parts of the generated file share. */
#ifndef EMIT_PARTS_H
#define EMIT_PARTS_H
#include "emit/emit.h"

struct emitter {
    struct cwriter *out;
    struct arena arena;
    const struct programs *programs;
    const struct equations *eq;
    const struct model *model;
    const struct emit_options *options;
    struct c_scope file;
    const char *const *name[SYM_KINDS];     /* enumeration constants by index */
    const char *array[SYM_KINDS];           /* local pointers */
    const char *time, *c, *s, *w, *p, *given;
    const char *function[PROGRAM_COUNT];
    int pattern[EQ_COUNT][2];               /* numbers of the lists of its column pointers and row indices */
};

struct model_name_list {
    int n;
    const char *(*name)(const struct model *, int);
};

/* helpers.c: tables, extern functions, small functions that C lacks. */
void emit_helpers(struct emitter *);
const char *emit_call(void *emitter, int fn);
void emit_keep_extern_names(struct emitter *);      /* nothing else in the file may have them */
/* descriptor.c */
void emit_descriptor(struct emitter *);
void emit_patterns(struct emitter *);
/* columns.c: matrices by columns, and the functions that loop over them. */
void emit_columns(struct emitter *, enum program_id);
int columns_workspace(const struct programs *);
/* emit.c */
struct code;
void emit_code_init(struct emitter *, struct code *, const struct tape *);
void emit_program(struct emitter *, enum program_id, const char *name);
void emit_close(struct emitter *);
/* The text of mbs/model.h, without its helper for callers. */
extern const char abi_text[];
#endif
