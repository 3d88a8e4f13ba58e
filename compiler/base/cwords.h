/* SPDX-License-Identifier: GPL-3.0-or-later
 * Words of C. */
#ifndef BASE_CWORDS_H
#define BASE_CWORDS_H
#include <stdbool.h>
#include <stddef.h>

/* A word that a generated file must not redefine; see reserved.def. */
bool c_is_reserved(const char *name);
/* Names of mbs/model.h. */
bool c_is_of_mbs(const char *name);
/* The next word of C text that is no number and stands in no comment, and its length; NULL: there is none. */
const char *c_word(const char *text, size_t *length);
#endif
