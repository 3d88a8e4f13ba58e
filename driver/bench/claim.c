/* SPDX-License-Identifier: GPL-3.0-or-later
 * Published numbers and ours. */
#include "config.h"
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct claim {
    char *what, *published, *ours, *remark;
    enum verdict verdict;
};

void claim_text(struct bench *b, const char *what, const char *published, const char *ours, enum verdict verdict, const char *remark)
{
    struct claims *c = &b->claims;
    if (c->n == c->room) {
        int room = c->room ? 2 * c->room : 64;
        struct claim *more = realloc(c->at, (size_t)room * sizeof *more);
        if (!more) {
            b->good = false;
            return;
        }
        c->at = more;
        c->room = room;
    }
    c->at[c->n++] = (struct claim){strdup(what), strdup(published), strdup(ours), strdup(remark ? remark : ""), verdict};
    c->agreed += verdict == AGREES;
    c->differed += verdict == DIFFERS;
}

/* Significant digits of a printed number, and the size of half a unit of the last one. */
static int digits(const char *text, double *half)
{
    int n = 0, after = 0;
    bool point = false, lead = true;
    const char *s = text;
    for (; *s && !strchr("eEdD", *s); s++)
        if (*s == '.') {
            point = true;
        } else if (*s >= '0' && *s <= '9') {
            lead = lead && *s == '0';
            n += !lead;
            after += point;
        }
    *half = 0.5 * pow(10, -after + (*s ? atoi(s + 1) : 0));
    return n > 0 ? n : 1;
}

bool claim_number(struct bench *b, const char *what, const char *published, double ours, double tolerance, const char *remark)
{
    double half, value = strtod(published, NULL);
    int n = digits(published, &half);
    char text[64];
    /* what a double can say of a number of more digits */
    if (n > 15)
        half = fmax(half, 5e-16 * fabs(value));
    bool agrees = fabs(value - ours) <= (tolerance > 0 ? tolerance : half * (1 + 1e-9));
    snprintf(text, sizeof text, "%.*g", n > 16 ? 16 : n < 4 ? 4 : n, ours);
    claim_text(b, what, published, text, agrees ? AGREES : DIFFERS, remark);
    return agrees;
}

void claim_parameters(struct bench *b, const char *what, const struct mbs_model *m, const char *data)
{
    double *p = library_params(m, NULL, 0);
    int count = 0, same = 0;
    char odd[200] = "", text[64], printed[64];
    for (struct data d = library_open(b, data); library_line(&d);) {
        char name[64];
        double value;
        int k = 0;
        if (!p || *d.line == '#' || sscanf(d.line, "%63s %lf", name, &value) != 2)
            continue;
        while (k < m->np && strcmp(m->param[k].name, name))
            k++;
        count++;
        if (k < m->np && p[k] == value)
            same++;
        else if (strlen(odd) < 100)
            sprintf(odd + strlen(odd), "%s%s", *odd ? ", " : "differs: ", name);
    }
    snprintf(printed, sizeof printed, "%d values", count);
    snprintf(text, sizeof text, "%d equal", same);
    claim_text(b, what, printed, text, count && same == count ? AGREES : DIFFERS, odd);
    free(p);
}

void claim_parameter(struct bench *b, const char *what, const char *published, const struct mbs_model *m, const char *name, double sign)
{
    double *p = library_params(m, NULL, 0);
    for (int i = 0; p && i < m->np; i++)
        if (!strcmp(m->param[i].name, name))
            claim_number(b, what, published, sign * p[i], 0, "");
    free(p);
}

void claims_write(struct bench *b)
{
    static const char *const word[] = {"yes", "**no**", ""};
    struct claims *c = &b->claims;
    if (c->n) {
        fputs("\n| what | published | ours | agrees | |\n| --- | --- | --- | --- | --- |\n", b->md);
        for (int i = 0; i < c->n; i++) {
            struct claim *k = &c->at[i];
            fprintf(b->md, "| %s | %s | %s | %s | %s |\n", k->what, k->published, k->ours, word[k->verdict], k->remark);
            free(k->what);
            free(k->published);
            free(k->ours);
            free(k->remark);
        }
        putc('\n', b->md);
    }
    c->n = 0;
}

void claims_free(struct claims *c)
{
    for (int i = 0; i < c->n; i++) {
        free(c->at[i].what);
        free(c->at[i].published);
        free(c->at[i].ours);
        free(c->at[i].remark);
    }
    free(c->at);
    *c = (struct claims){0};
}
