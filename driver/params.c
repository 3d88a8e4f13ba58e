/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameter files.  Of JSON and TOML the part that a list of numbers needs: pairs of a name and a number, or of a name and a list of
 * numbers for a vector (m = [1, 2] is m[1] = 1, m[2] = 2).  Names may be quoted; # begins a note in TOML. */
#include "config.h"
#include "params.h"
#include "base/diag.h"
#include "base/out.h"
#include "build.h"
#include "json.h"
#include "settings.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { HERE = 2 };              /* of given[], while the file is read: by this file */
struct reader {
    const char *path, *at;
    int line;
    bool json;
    const struct mbs_model *model;
    double *value;
    unsigned char *given;
    char *why;
    size_t size;
};

static bool refuse(struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct reader *r, const char *fmt, ...)
{
    va_list ap;
    int n = snprintf(r->why, r->size, "%.200s:%d: ", r->path, r->line);
    va_start(ap, fmt);
    if (n > 0 && (size_t)n < r->size)
        vsnprintf(r->why + n, r->size - (size_t)n, fmt, ap);
    va_end(ap);
    return false;
}

static void skip(struct reader *r, bool lines)
{
    for (;; r->at++) {
        if (*r->at == '#' && !r->json)
            r->at += strcspn(r->at, "\n");
        if (*r->at == '\n' && lines)
            r->line++;
        else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r')
            return;
    }
}

static bool read_name(struct reader *r, char name[256])
{
    const char *from = r->at;
    size_t n;
    if (*from == '"' || (*from == '\'' && !r->json)) {
        n = strcspn(++from, *r->at == '"' ? "\"\n" : "'\n");
        r->at = from + n;
        if (*r->at != from[-1])
            return refuse(r, "the name is not ended by %c", from[-1]);
        r->at++;
    } else {
        n = r->json ? 0 : strcspn(from, " \t\r\n=:#\"");
        r->at = from + n;
    }
    if (!n || n > 255)
        return refuse(r, r->json ? "a name in quotes is expected here" : "NAME = NUMBER is expected here");
    memcpy(name, from, n);
    name[n] = 0;
    return true;
}

static bool read_number(struct reader *r, double *x)
{
    char word[64];
    size_t n = strcspn(r->at, " \t\r\n,]}#"), k = 0;
    for (size_t i = 0; i < n && k + 1 < sizeof word; i++)
        if (r->at[i] != '_')    /* TOML: 10_000 */
            word[k++] = r->at[i];
    word[k] = 0;
    if (k + 1 == sizeof word)   /* a part of it would be another number */
        return refuse(r, "'%s...' is too long for a number", word);
    if (!number_read(word, x) || isalpha((unsigned char)*word))
        return refuse(r, "a number is expected here, not '%.60s'", word);
    r->at += n;
    return true;
}

static bool assign(struct reader *r, const char *name, double x)
{
    const struct mbs_model *m = r->model;
    for (int i = 0; i < m->np; i++)
        if (!strcmp(m->param[i].name, name)) {
            if (r->given[i] & HERE)
                return refuse(r, "%s is given a second time", name);
            r->value[i] = x;
            r->given[i] |= HERE;
            return true;
        }
    struct arena arena = {0};
    struct suggestion near;
    suggest_init(&near, name);
    for (int i = 0; i < m->np; i++)
        suggest_offer(&near, m->param[i].name);
    refuse(r, "the model has no parameter '%s'%s", name, suggest_text(&near, &arena));
    arena_free(&arena);
    return false;
}

static bool read_value(struct reader *r, const char *name)
{
    double x;
    if (*r->at != '[')
        return read_number(r, &x) && assign(r, name, x);
    for (int i = 1;; i++) {
        char entry[288];
        r->at++;
        skip(r, true);
        snprintf(entry, sizeof entry, "%s[%d]", name, i);
        if (!read_number(r, &x) || !assign(r, entry, x))
            return false;
        skip(r, true);
        if (*r->at == ']') {
            r->at++;
            return true;
        }
        if (*r->at != ',')
            return refuse(r, "a list is ended by ]");
    }
}

static bool read_pairs(struct reader *r)
{
    char name[256];
    skip(r, true);
    if ((r->json = *r->at == '{')) {
        r->at++;
        skip(r, true);
    }
    while (*r->at && !(r->json && *r->at == '}')) {
        if (!r->json && *r->at == '[')
            return refuse(r, "a file of parameters has no sections: NAME = NUMBER");
        if (!read_name(r, name))
            return false;
        skip(r, r->json);
        if (*r->at != (r->json ? ':' : '='))
            return refuse(r, "%s is followed by %s", name, r->json ? ": NUMBER" : "= NUMBER");
        r->at++;
        skip(r, r->json);
        if (!read_value(r, name))
            return false;
        skip(r, r->json);
        if (r->json && *r->at != ',' && *r->at != '}')
            return refuse(r, "after a number comes , or }");
        if (!r->json && *r->at && *r->at != '\n')
            return refuse(r, "one parameter a line");
        r->at += r->json && *r->at == ',';
        skip(r, true);
    }
    if (r->json && *r->at != '}')
        return refuse(r, "the list is not ended by }");
    r->at += r->json;
    skip(r, true);
    return !*r->at || refuse(r, "nothing may follow the }");
}

bool params_read_text(const char *text, size_t length, const char *path, const struct mbs_model *m, double *value, unsigned char *given, char *why, size_t size)
{
    struct reader r = {.path = path, .at = text, .line = 1, .model = m, .value = value, .given = given, .why = why, .size = size};
    bool good = strlen(text) == length ? read_pairs(&r) : refuse(&r, "this is no text");
    for (int i = 0; i < m->np; i++)
        given[i] = given[i] != 0;
    return good;
}

bool params_read(const char *path, const struct mbs_model *m, double *value, unsigned char *given, char *why, size_t size)
{
    size_t length;
    char *text = file_read(path, &length);
    if (!text) {
        snprintf(why, size, "cannot read %s: %s", path, file_why());
        return false;
    }
    bool good = params_read_text(text, length, path, m, value, given, why, size);
    free(text);
    return good;
}

void params_write_text(FILE *f, bool json, const struct mbs_model *m, const double *value)
{
    fprintf(f, json ? "{" : "# parameters of %s\n", m->name);
    for (int i = 0; i < m->np; i++) {
        bool bare = true;
        for (const char *c = m->param[i].name; *c; c++)
            bare = bare && (isalnum((unsigned char)*c) || *c == '_');
        if (json)
            fputs(i ? ",\n  " : "\n  ", f);
        if (json || !bare)
            json_string(f, m->param[i].name);
        else
            fputs(m->param[i].name, f);
        fprintf(f, json ? ": %.17g" : " = %.17g", value[i]);
        if (!json)
            fprintf(f, *m->param[i].unit ? "    # %s\n" : "\n", m->param[i].unit);
    }
    fputs(json ? "\n}\n" : "", f);
}

bool params_write(const char *path, const struct mbs_model *m, const double *value, char *why, size_t size)
{
    size_t length = strlen(path);
    struct out out;
    bool good = out_open(&out, path);
    if (good) {
        params_write_text(out.f, length > 5 && !strcmp(path + length - 5, ".json"), m, value);
        good = out_close(&out);
    }
    if (!good)
        snprintf(why, size, "%s", out.why);
    return good;
}
