/* SPDX-License-Identifier: GPL-3.0-or-later
 * Text from outside, before it is shown or written. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H
#include <stddef.h>

/* Bytes of the character at s, of which `left` are there: well-formed UTF-8 (RFC 3629) that prints.  0 for anything else:
 * controls (C0, C1, DEL), and the marks that change the direction of text, by which it can look like other text. */
int text_printable(const char *s, size_t left);
#endif
