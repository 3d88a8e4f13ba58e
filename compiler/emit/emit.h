/* SPDX-License-Identifier: GPL-3.0-or-later
 * The generated file: the text of the programs in C. */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H
#include "emit/cwriter.h"
#include "program/programs.h"

struct emit_options {
    bool standalone;            /* with the declarations of the ABI in the file */
    bool tapes;                 /* no C: the tapes themselves, see emit/tapes.c; of programs that are whole */
    const char *scalar;         /* float or long double; NULL: double */
    const char *version;
};
void emit_file(struct cwriter *, const struct programs *, const struct emit_options *);
/* scalar.c: the finished text in another type of number. */
void emit_scalar(struct cwriter *, const char *type);
/* lanes.c: the extern function whose name is one of the text of batches, or NULL. */
const char *lanes_clash(const struct model *);
#endif
