/* SPDX-License-Identifier: GPL-3.0-or-later
 * The C compiler at work on a model; what build.c and cc.c share. */
#ifndef DRIVER_CC_H
#define DRIVER_CC_H
#include "build.h"
#include "generate.h"

enum { PATH_ROOM = 4096 };

/* WORK/model.c (and what --with names) to WORK/model.so; false: said why, if it shall (and of an interruption always). */
bool cc_model(const char *work, const struct generated *, const char *path, const struct build_options *, bool tell);

/* The option of the C compiler for the widest registers that this machine has and so many lanes fill; "" if there are none. */
const char *cc_vectors(int lanes);

/* One line on standard error. */
void build_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool build_write(const char *dir, const char *name, const char *text, size_t length, bool tell);
#endif
