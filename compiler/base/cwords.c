/* SPDX-License-Identifier: GPL-3.0-or-later
 * Words of C; see cwords.h. */
#include "base/cwords.h"

#include <ctype.h>
#include <string.h>

static bool in_words(const char *words, const char *name, size_t n)
{
    for (const char *w = words; (w = strstr(w, name)); w++)
        if ((w == words || w[-1] == ' ') && (w[n] == ' ' || !w[n]))
            return true;
    return false;
}

bool c_is_reserved(const char *name)
{
    size_t n = strlen(name);
    char stem[16] = "";
    if (n > 1 && n < sizeof stem && (name[n - 1] == 'f' || name[n - 1] == 'l'))
        memcpy(stem, name, n - 1);
#define WORDS(list)                                                                                        \
    if (in_words(list, name, n))                                                                           \
        return true;
#define MATH(list)                                                                                         \
    if (in_words(list, name, n) || (*stem && in_words(list, stem, n - 1)))                                 \
        return true;
#include "base/reserved.def"
#undef WORDS
#undef MATH
    return false;
}

bool c_is_of_mbs(const char *name)
{
    return !strncmp(name, "mbs_", 4) || !strncmp(name, "MBS_", 4);
}

const char *c_word(const char *s, size_t *length)
{
    while (*s) {
        size_t n = 0;
        while (isalnum((unsigned char)s[n]) || s[n] == '_')
            n++;
        if (n && !isdigit((unsigned char)*s)) {
            *length = n;
            return s;
        }
        const char *end = strncmp(s, "/*", 2) ? NULL : strstr(s, "*/");
        s = end ? end + 2 : s + (n ? n : 1);
    }
    return NULL;
}
