/* SPDX-License-Identifier: GPL-3.0-or-later
 * SHA-256 (FIPS 180-4): names of cached files by what they are made from. */
#ifndef DRIVER_SHA256_H
#define DRIVER_SHA256_H
#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t h[8];
    uint64_t length;
    unsigned char block[64];
};
void sha256_init(struct sha256 *);
void sha256_add(struct sha256 *, const void *data, size_t length);
/* A text and its final NUL, so that "ab","c" differs from "a","bc". */
void sha256_text(struct sha256 *, const char *text);
/* 64 hexadecimal digits and a NUL. */
void sha256_hex(struct sha256 *, char hex[65]);
#endif
