/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing zip files (PKWARE's APPNOTE 6.3, sections 4.3.7 and 4.3.12): no encryption, no 64-bit sizes, one date for all, so that
 * the same contents give the same bytes. */
#include "config.h"
#include "zip.h"

#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

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

/* Deflated data, or NULL if it is not to be had or not shorter; *failed: there was no memory for it. */
static void *pack(const void *data, size_t size, uint32_t *packed, bool *failed)
{
#ifdef HAVE_ZLIB
    z_stream s = {0};
    void *to = malloc(size + 1);
    if (!to || deflateInit2(&s, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        *failed = true;
        free(to);
        return NULL;
    }
    s.next_in = (unsigned char *)data;
    s.avail_in = (unsigned)size;
    s.next_out = to;
    s.avail_out = (unsigned)size;
    int status = size ? deflate(&s, Z_FINISH) : Z_OK;
    if (status == Z_STREAM_END)
        *packed = (uint32_t)s.total_out;
    deflateEnd(&s);
    if (status == Z_STREAM_END)
        return to;
    free(to);
#else
    (void)data, (void)size, (void)packed, (void)failed;
#endif
    return NULL;
}

size_t zip_packed(struct zip *z, const void *data, size_t size)
{
    uint32_t packed = (uint32_t)size;
    free(pack(data, size, &packed, &z->failed));
    return packed;
}

void zip_add(struct zip *z, const char *name, const void *data, size_t size, bool program)
{
    if (z->n == z->cap) {
        int cap = z->cap ? 2 * z->cap : 32;
        struct zip_entry *more = realloc(z->entry, (size_t)cap * sizeof *more);
        if (!more) {
            z->failed = true;
            return;
        }
        z->entry = more;
        z->cap = cap;
    }
    struct zip_entry *e = &z->entry[z->n];
    *e = (struct zip_entry){.name = strdup(name), .crc = zip_crc(0, data, size), .packed = (uint32_t)size, .size = (uint32_t)size, .at = z->at, .program = program};
    if (!e->name || size > 0x7fffffff) {
        free(e->name);
        z->failed = true;
        return;
    }
    z->n++;
    void *packed = pack(data, size, &e->packed, &z->failed);
    e->method = packed ? 8 : 0;
    put4(z, 0x04034b50);
    put_facts(z, e);
    put(z, name, strlen(name));
    put(z, packed ? packed : data, e->packed);
    free(packed);
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
