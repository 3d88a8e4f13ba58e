/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing zip files (PKWARE's APPNOTE 6.3, sections 4.3.7 and 4.3.12): no encryption, no 64-bit sizes, one date for all, so that
 * the same contents give the same bytes. */
#include "config.h"
#include "deflate.h"
#include "zip.h"

#include <stdlib.h>
#include <string.h>

enum { DATE = (2020 - 1980) << 9 | 1 << 5 | 1 };

uint32_t zip_crc(uint32_t crc, const void *data, size_t size)
{
    const unsigned char *s = data;
    crc = ~crc;
    while (size--) {
        crc ^= *s++;
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

void zip_begin(struct zip *z, FILE *f) { *z = (struct zip){.f = f}; }

static void put(struct zip *z, const void *data, size_t n)
{
    if (n && fwrite(data, 1, n, z->f) != n)
        z->failed = true;
    if (n > 0xffffffffu - z->at)
        z->failed = true;
    z->at += (uint32_t)n;
}
static void put2(struct zip *z, unsigned x) { put(z, (unsigned char[]){x & 255, x >> 8 & 255}, 2); }
static void put4(struct zip *z, uint32_t x)
{
    put2(z, x & 0xffff);
    put2(z, x >> 16);
}

/* What both headers have. */
static void put_facts(struct zip *z, const struct zip_entry *e)
{
    put2(z, 20);
    put2(z, 1 << 11);           /* names are UTF-8 */
    put2(z, (unsigned)e->method);
    put2(z, 0);
    put2(z, DATE);
    put4(z, e->crc);
    put4(z, e->packed);
    put4(z, e->size);
    put2(z, (unsigned)strlen(e->name));
    put2(z, 0);
}

static struct zip_entry *new_entry(struct zip *z)
{
    if (z->n == z->cap) {
        int cap = z->cap ? 2 * z->cap : 32;
        struct zip_entry *more = realloc(z->entry, (size_t)cap * sizeof *more);
        if (!more)
            return NULL;
        z->entry = more;
        z->cap = cap;
    }
    return &z->entry[z->n];
}

/* Stored where deflating makes it no shorter.  False: there is no memory for it, or it is too large. */
static bool add(struct zip *z, const char *name, const void *data, size_t size, bool program, size_t most, bool *left_out)
{
    size_t packed = 0;
    struct zip_entry *e = size > 0x7fffffff ? NULL : new_entry(z);
    char *own_name = e ? strdup(name) : NULL;
    unsigned char *shorter = own_name ? deflate_data(data, size, &packed) : NULL;
    bool good = shorter, stored = packed >= size;
    packed = stored ? size : packed;
    *left_out = z->at + packed > most;
    if (good && !*left_out) {
        *e = (struct zip_entry){.name = own_name, .crc = zip_crc(0, data, size), .packed = (uint32_t)packed, .size = (uint32_t)size, .at = z->at,
                                .method = stored ? 0 : 8, .program = program};
        z->n++;
        own_name = NULL;
        put4(z, 0x04034b50);
        put_facts(z, e);
        put(z, name, strlen(name));
        put(z, stored ? data : shorter, packed);
    }
    free(own_name);
    free(shorter);
    return good;
}

void zip_add(struct zip *z, const char *name, const void *data, size_t size, bool program)
{
    bool left_out;
    if (!add(z, name, data, size, program, SIZE_MAX, &left_out))
        z->failed = true;
}

bool zip_add_within(struct zip *z, const char *name, const void *data, size_t size, size_t most)
{
    bool left_out = false;
    if (!add(z, name, data, size, false, most, &left_out))
        z->failed = true;
    return !left_out;
}

bool zip_end(struct zip *z)
{
    uint32_t start = z->at;
    for (int i = 0; i < z->n; i++) {
        const struct zip_entry *e = &z->entry[i];
        put4(z, 0x02014b50);
        put2(z, 3 << 8 | 20);   /* made on Unix */
        put_facts(z, e);
        put2(z, 0);
        put4(z, 0);
        put4(z, (e->program ? 0100755u : 0100644u) << 16);
        put4(z, e->at);
        put(z, e->name, strlen(e->name));
    }
    uint32_t length = z->at - start;
    put4(z, 0x06054b50);
    put4(z, 0);
    put2(z, (unsigned)z->n);
    put2(z, (unsigned)z->n);
    put4(z, length);
    put4(z, start);
    put2(z, 0);
    if (z->n > 0xffff)
        z->failed = true;
    for (int i = 0; i < z->n; i++)
        free(z->entry[i].name);
    free(z->entry);
    return !z->failed && !ferror(z->f);
}
