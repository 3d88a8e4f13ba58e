/* SPDX-License-Identifier: GPL-3.0-or-later
 * Writing zip files. */
#ifndef DRIVER_ZIP_H
#define DRIVER_ZIP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct zip_entry {
    char *name;
    uint32_t crc, packed, size, at;
    int method;                 /* 0 stored, 8 deflated */
    bool program;               /* may be executed */
};
struct zip {
    FILE *f;
    struct zip_entry *entry;
    int n, cap;
    uint32_t at;
    bool failed;
};
void zip_begin(struct zip *, FILE *);
void zip_add(struct zip *, const char *name, const void *data, size_t size, bool program);
/* The same if the file has at most so many bytes then; false: it is left out. */
bool zip_add_within(struct zip *, const char *name, const void *data, size_t size, size_t most);
/* False: not all could be written. */
bool zip_end(struct zip *);
uint32_t zip_crc(uint32_t crc, const void *data, size_t size);
#endif
