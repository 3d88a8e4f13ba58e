/* SPDX-License-Identifier: GPL-3.0-or-later
 * The rows of a study as they come: case after case, in a file beside the results from which a study that was killed goes on.  A
 * record is complete or it is not there: each ends with a sum over its bytes. */
#ifndef STUDY_JOURNAL_H
#define STUDY_JOURNAL_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct journal_head {
    char identity[65];          /* of model, plan, measures and options */
    int width;                  /* doubles of a record */
    long cases;                 /* of the whole study */
    int shard, shards;          /* cases shard, shard + shards, ... */
};

struct journal {
    struct journal_head head;
    FILE *f;                    /* NULL: in memory */
    char *path;
    char *buffer;               /* of f */
    double *memory;
    long records, room;
    double *block;              /* records as they stand in the file: */
    long first, held;           /* from this one on so many */
    long at;                    /* the record that would be read next; -1: that is not known */
    double flushed;             /* when the file had last been given all that was added */
    char why[512];
};

/* How many records a whole journal has. */
long journal_whole(const struct journal_head *);
/* path NULL: in memory.  What is there of the same study is kept (journal->records), of another one refused. */
bool journal_open(struct journal *, const char *path, const struct journal_head *);
/* Opens what another run has written, to read. */
bool journal_read(struct journal *, const char *path);
bool journal_add(struct journal *, const double *record);
/* All that was added is in the file. */
bool journal_flush(struct journal *);
/* The same unless that was the case a hundredth of a second ago: so much work, at most, is lost with a process that is killed. */
bool journal_flush_soon(struct journal *);
/* The records first .. first + n - 1. */
bool journal_get(struct journal *, long first, long n, double *records);
void journal_close(struct journal *, bool remove);
#endif
