/* SPDX-License-Identifier: GPL-3.0-or-later
 * Text from outside, before it is shown or written. */
#include "base/text.h"

int text_printable(const char *text, size_t left)
{
    /* lead bytes, length, and the range of the second byte: no overlong forms, no surrogates, nothing beyond U+10FFFF */
    static const struct { unsigned char from, to, length, low, high; } lead[] = {
        {0x20, 0x7E, 1, 0, 0},       {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF}, {0xE1, 0xEC, 3, 0x80, 0xBF},
        {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF}, {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF},
        {0xF4, 0xF4, 4, 0x80, 0x8F},
    };
    const unsigned char *s = (const unsigned char *)text;
    size_t n = 0;
    for (size_t i = 0; left && i < sizeof lead / sizeof *lead; i++)
        if (s[0] >= lead[i].from && s[0] <= lead[i].to) {
            n = lead[i].length;
            if (n > left || (n > 1 && (s[1] < lead[i].low || s[1] > lead[i].high)))
                return 0;
        }
    for (size_t i = 2; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if (n == 2) {
        unsigned c = (s[0] & 0x1Fu) << 6 | (s[1] & 0x3Fu);
        return c < 0xA0 || c == 0x061C ? 0 : 2;                 /* C1 controls, the Arabic letter mark */
    }
    if (n == 3) {
        unsigned c = (s[0] & 0xFu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu);
        /* zero-width and direction marks, line separators, embeddings and overrides, isolates, the byte order mark */
        if ((c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF)
            return 0;
    }
    return (int)n;
}
