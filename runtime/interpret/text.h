/* SPDX-License-Identifier: MIT
 *
 * text.h: the lists of a file of tapes (mbsc --tapes), which are initialisers in the syntax of C.
 *
 *   static const int NAME[] = { 1, {"two", 3}, NAME2, (const int[]){ 4 } };        const struct mbs_model NAME = { .member = value };
 */
#ifndef MBS_INTERPRET_TEXT_H
#define MBS_INTERPRET_TEXT_H

#include <stddef.h>

enum mbs_value_kind { MBS_VALUE_NUMBER, MBS_VALUE_STRING, MBS_VALUE_WORD, MBS_VALUE_LIST };
struct mbs_value {
    enum mbs_value_kind kind;
    int n;                              /* of a list */
    union {
        double number;
        const char *text;               /* of a string or a word */
        const struct mbs_value *item;
    } as;
};
struct mbs_named {
    const char *name;
    struct mbs_value value;
};

/* Memory that is freed as a whole; zeroed.  NULL: there is none, which `failed` remembers. */
struct mbs_heap {
    void *last;
    int failed;
};
void *mbs_heap_get(struct mbs_heap *, size_t n, size_t size);
void mbs_heap_free(struct mbs_heap *);

struct mbs_text {
    struct mbs_heap *heap;
    struct mbs_named *list, *member;    /* lists by name; members of the model */
    int lists, members;
    const char *wrong;                  /* NULL: it was read to the end ... */
    int line;                           /* ... else where it is wrong */
};
void mbs_text_read(struct mbs_text *, struct mbs_heap *, const char *text, size_t length);
const struct mbs_value *mbs_text_list(const struct mbs_text *, const char *name);      /* NULL: there is none */
#endif
