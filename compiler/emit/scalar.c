/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The generated file in another type of number (mbsc --standalone --scalar=TYPE).
 *
 * The text is complete when this begins: `double` becomes the type, floating constants get its suffix, and functions are those of <tgmath.h>.  Constants
 * are the shortest decimals of the doubles that the compiler computed, so that 0.1 of the model is 0.1L.  What a type cannot hold is its
 * infinity or its least number.  Comments and strings stay as they are.
 */
#include "emit/emit.h"

#include <ctype.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* How long the comment, string or character is that begins here; 0: none does. */
static size_t quoted(const char *s)
{
    if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");
        return end ? (size_t)(end - s) + 2 : strlen(s);
    }
    if (*s != '"' && *s != '\'')
        return 0;
    size_t n = 1;
    while (s[n] && s[n] != *s)
        n += s[n] == '\\' && s[n + 1] ? 2 : 1;
    return n + (s[n] != 0);
}

static size_t number_length(const char *s)
{
    size_t n = 0;
    while (is_word(s[n]) || s[n] == '.' || (n && strchr("+-", s[n]) && s[n] && strchr(s[1] == 'x' ? "pP" : "eE", s[n - 1])))
        n++;
    return n;
}

static void put_number(struct cwriter *out, const char *s, size_t n, char suffix)
{
    bool hex = n > 1 && s[1] == 'x', floating = memchr(s, '.', n) || memchr(s, hex ? 'p' : 'e', n);
    double value = floating ? strtod(s, NULL) : 0;
    const char *instead = suffix != 'f' ? NULL : value > FLT_MAX ? "INFINITY" : value > 0 && value < FLT_MIN ? "0x1p-126f" : NULL;
    if (instead) {
        cw_put(out, instead, strlen(instead));
        return;
    }
    cw_put(out, s, n);
    if (floating)
        cw_put(out, &suffix, 1);
}

void emit_scalar(struct cwriter *out, const char *type)
{
    static const char math[] = "#include <math.h>\n", generic[] = "#include <tgmath.h>\n#undef I\n";
    struct cwriter old = *out;
    const char *s = old.text;
    *out = (struct cwriter){.indent = old.indent};
    while (*s) {
        size_t n = quoted(s);
        if (n) {
            cw_put(out, s, n);
        } else if (!strncmp(s, math, strlen(math))) {
            n = strlen(math);
            cw_put(out, generic, strlen(generic));
        } else if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) {
            n = number_length(s);
            put_number(out, s, n, *type == 'f' ? 'f' : 'L');
        } else if (is_word(*s)) {
            while (is_word(s[n]))
                n++;
            bool number = n == strlen("double") && !strncmp(s, "double", n);
            cw_put(out, number ? type : s, number ? strlen(type) : n);
        } else {
            n = 1;
            cw_put(out, s, 1);
        }
        s += n;
    }
    cw_free(&old);
}
