/* SPDX-License-Identifier: GPL-3.0-or-later
 * Giving up what a process that computes does not need (doc/security.md). */
#ifndef DRIVER_CONTAIN_H
#define DRIVER_CONTAIN_H
#include <stdbool.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

/* For the rest of the process: no new privileges, no programs, no processes, no connections, files written only in the
 * directories of `output` and `page` (NULL or "-": nowhere), memory bounded.  engine: what MPI has made in /dev/shm and for temporary files may be removed. */
void contain(const char *output, const char *page, bool engine);
#endif
