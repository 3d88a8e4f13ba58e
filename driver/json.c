/* SPDX-License-Identifier: GPL-3.0-or-later
 * JSON values. */
#include "config.h"
#include "json.h"

#include <math.h>

/* Length of the UTF-8 sequence at s, 0 if it is none (RFC 3629, table of well-formed sequences). */
static int utf8_length(const unsigned char *s)
{
    int n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

void json_string(FILE *f, const char *text)
{
    putc('"', f);
    for (const unsigned char *s = (const unsigned char *)(text ? text : ""); *s;) {
        int n = utf8_length(s);
        if (!n)
            fputs("\\ufffd", f), n = 1;
        else if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", f);
        else if (*s < 0x20 || *s == '<' || *s == 0x7f)
            fprintf(f, "\\u%04x", *s);
        else
            fwrite(s, 1, (size_t)n, f);
        s += n;
    }
    putc('"', f);
}

void json_string_or_null(FILE *f, const char *text)
{
    if (text)
        json_string(f, text);
    else
        fputs("null", f);
}

void json_number(FILE *f, double x)
{
    if (isfinite(x))
        fprintf(f, "%.17g", x);
    else
        fputs("null", f);
}
