/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the files that write parts of the generated file share. */
#ifndef EMIT_PARTS_H
#define EMIT_PARTS_H
#include "emit/code.h"
#include "emit/emit.h"

struct emitter {
    struct cwriter *out;
    struct arena arena;
    const struct programs *programs;
    const struct equations *eq;
    const struct model *model;
    const struct emit_options *options;
    struct c_scope file;
    struct c_scope locals;                  /* words of fixed text, which would hide names of the model */
    const char *const *name[SYM_KINDS];     /* enumeration constants by index */
    const char *const *constant;            /* the same for c: parameters, then what is made of them */
    const char *array[SYM_KINDS];           /* local pointers */
    const char *time, *c, *s, *w, *p, *given;
    const char *descriptor;                 /* NAME_model, which others link with */
    const char **function;                  /* by program: the name of its C function */
    const char *k;                          /* the shared position: the local variable */
    const char *const *member, *const *member_read;     /* "sin_beta", "k.sin_beta" */
    struct cwriter rolled;                  /* tables and text of loops, which no name of the model changes */
    int pattern[EQ_COUNT][2];               /* numbers of the lists of its column pointers and row indices */
};

struct model_name_list {
    int n;
    const char *(*name)(const struct model *, int);
};

/* names.c: constants of the block c by their formulas; an array of the ABI with the names of its entries. */
void emit_name_constants(struct emitter *);
struct code_array emit_array(struct emitter *, enum eq_id, const char *local, const char *source);
/* helpers.c: tables, extern functions, small functions that C lacks. */
void emit_helpers(struct emitter *);
const char *emit_call(void *emitter, int fn);
void emit_keep_extern_names(struct emitter *);      /* nothing else in the file may have them */
void emit_keep_locals(struct emitter *, const char *text);
/* sines.c: whether a program gathers its angles, and whether any does. */
bool emit_gathers_sines(const struct emitter *, const struct program *);
bool emit_uses_sines(const struct emitter *);
/* descriptor.c */
void emit_descriptor(struct emitter *);
void emit_patterns(struct emitter *);
/* columns.c: matrices by columns, and the functions that loop over them. */
void emit_columns(struct emitter *, const struct program *);
/* A function of the ABI that has columns: its other entries, and calls of both. */
bool emit_has_columns(const struct emitter *, const struct program *function);
void emit_with_columns(struct emitter *, const struct program *function);
/* shared.c: what functions share; statements of code_function for those that use it, with a struct shared_user. */
struct shared_user {
    struct emitter *e;
    const struct program *program;
};
void emit_name_shared(struct emitter *);
void emit_position(struct emitter *, const struct program *);
void emit_part(struct emitter *, const struct program *);
void emit_call_shared(struct code *);
void emit_call_optional(struct code *);
/* rolled.c: see roll/roll.h */
void emit_keep_rolled_names(struct emitter *);
bool emit_has_fixed_name(const struct emitter *, const struct program *);      /* the text calls it */
void emit_rolled_head(struct emitter *);
void emit_bodies(struct emitter *, const struct program *);
void emit_law(struct emitter *, const struct program *);
void emit_joint(struct emitter *, const struct program *);
void emit_step(struct emitter *, const struct program *);
void emit_rolled_members(struct emitter *);
/* lanes.c: forward dynamics of several states at once. */
void emit_keep_lanes_names(struct emitter *);
void emit_lanes(struct emitter *, const struct program *);
/* tapes.c: the tapes themselves as lists of numbers. */
void emit_tapes(struct emitter *);
/* emit.c */
const char *emit_function_name(const struct emitter *, const struct program *);
void emit_code_init(struct emitter *, struct code *, const struct program *);
/* The tape of a function of the ABI, under its own name or another one. */
void emit_program(struct emitter *, const struct program *, const char *name);
void emit_for_gcc(struct emitter *, const char *lines);
void emit_close(struct emitter *);
/* The body of a function that is one tape and nothing else. */
void emit_body(struct emitter *, struct code *);
/* The text of mbs/model.h, without its helper for callers. */
extern const char abi_text[];
#endif
