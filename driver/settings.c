/* SPDX-License-Identifier: GPL-3.0-or-later
 * Reading the options of a command by the table in settings.def. */
#include "config.h"
#include "settings.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/out.h"
#include "driver.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { KIND_FLAG, KIND_TEXT, KIND_NUMBER, KIND_WHOLE, KIND_LIST };

struct option {
    const char *name;
    char letter;
    enum kind kind;
    size_t field;
    const char *argument;
    unsigned commands;
    const char *help;
};
static const struct option options[] = {
#define OPTION(name, letter, kind, field, argument, commands, help) \
    {name, letter, KIND_##kind, offsetof(struct settings, field), argument, commands, help},
#include "settings.def"
#undef OPTION
};
enum { OPTIONS = sizeof options / sizeof *options };

void complain(const struct manual *m, const char *fmt, ...)
{
    va_list ap;
    fprintf(stderr, "mbs %s: ", m->name);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    putc('\n', stderr);
}

bool number_read(const char *text, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

static void option_label(char *label, size_t size, const struct option *o)
{
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(label, size, "%s--%s%s%s", letter, o->name, o->argument ? " " : "", o->argument ? o->argument : "");
}

static void help(const struct manual *m)
{
    printf("usage: mbs %s %s\n\n%s\n", m->name, m->arguments, m->summary);
    printf("\noptions:\n");
    for (int i = 0; i < OPTIONS; i++)
        if (options[i].commands & m->command) {
            char label[64];
            option_label(label, sizeof label, &options[i]);
            printf("  %-24s %s\n", label, options[i].help);
        }
    printf("\nexamples:\n%s", m->examples);
}

void settings_list(FILE *f, unsigned command)
{
    for (int i = 0; i < OPTIONS; i++)
        if (options[i].commands & command) {
            const struct option *o = &options[i];
            fprintf(f, "--%s\t%s\t", o->name, o->argument ? o->argument : "");
            if (o->letter)
                fprintf(f, "-%c", o->letter);
            fprintf(f, "\t%s\n", o->help);
        }
}

void shell_word(FILE *f, const char *word)
{
    if (*word && !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_=.,:/%+-")]) {
        fputs(word, f);
        return;
    }
    putc('\'', f);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", f);
        else
            putc(*word, f);
    putc('\'', f);
}

static void word_option(FILE *f, const struct option *o, const char *value)
{
    fprintf(f, " --%s ", o->name);
    shell_word(f, value);
}

char *settings_command(const struct settings *s, const struct manual *m, unsigned command, const char *name)
{
    static const char *const left_out[] = {"output", "page", "path", "json", "quiet", "jobs", "shard", "merge", "time-limit"};
    char *text = NULL, number[32];
    size_t size = 0;
    FILE *f = stream_open(&text, &size);
    if (!f)
        return NULL;
    fprintf(f, "mbs %s", name);
    for (int i = 0; i < (command == m->command ? s->files.n : 1); i++) {
        putc(' ', f);
        shell_word(f, s->files.at[i]);
    }
    for (int i = 0; i < OPTIONS; i++) {
        const struct option *o = &options[i];
        const void *field = (const char *)s + o->field;
        bool wanted = (o->commands & m->command) && (o->commands & command);
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            wanted = wanted && strcmp(o->name, left_out[k]);
        if (!wanted)
            continue;
        switch (o->kind) {
        case KIND_FLAG:
            if (*(const bool *)field)
                fprintf(f, " --%s", o->name);
            break;
        case KIND_TEXT:
            if (*(const char *const *)field)
                word_option(f, o, *(const char *const *)field);
            break;
        case KIND_NUMBER:
            snprintf(number, sizeof number, "%.17g", *(const double *)field);
            for (int digits = 1; digits < 17; digits++) {       /* as short as it was written */
                char shorter[32];
                snprintf(shorter, sizeof shorter, "%.*g", digits, *(const double *)field);
                if (strtod(shorter, NULL) == *(const double *)field) {
                    memcpy(number, shorter, sizeof number);
                    break;
                }
            }
            if (!isnan(*(const double *)field))
                word_option(f, o, number);
            break;
        case KIND_WHOLE:
            snprintf(number, sizeof number, "%ld", *(const long *)field);
            if (*(const long *)field > 0)
                word_option(f, o, number);
            break;
        case KIND_LIST:
            for (int k = 0; k < ((const struct list *)field)->n; k++)
                word_option(f, o, ((const struct list *)field)->at[k]);
            break;
        }
    }
    if (stream_close(f))
        return text;
    free(text);
    return NULL;
}

static bool list_add(struct list *l, const char *text)
{
    l->at = mem_grow(l->at, (size_t)l->n + 1, sizeof *l->at);
    l->at[l->n++] = text;
    return true;
}

static bool value_set(struct settings *s, const struct manual *m, const struct option *o, const char *text)
{
    void *field = (char *)s + o->field;
    double x = 0;
    switch (o->kind) {
    case KIND_FLAG:
        *(bool *)field = true;
        return true;
    case KIND_TEXT:
        *(const char **)field = text;
        return true;
    case KIND_NUMBER:
        if (number_read(text, field))
            return true;
        complain(m, "--%s needs a number, not '%s'", o->name, text);
        return false;
    case KIND_WHOLE:
        if (number_read(text, &x) && x == floor(x) && x >= 1 && x <= 1e15) {
            *(long *)field = (long)x;
            return true;
        }
        complain(m, "--%s needs a whole number from 1, not '%s'", o->name, text);
        return false;
    case KIND_LIST:
        return list_add(field, text);
    }
    return false;
}

static const struct option *find_long(const struct manual *m, const char *name, size_t length)
{
    for (int i = 0; i < OPTIONS; i++)
        if (options[i].commands & m->command && strlen(options[i].name) == length && !strncmp(options[i].name, name, length))
            return &options[i];
    return NULL;
}
static const struct option *find_short(const struct manual *m, char letter)
{
    for (int i = 0; i < OPTIONS; i++)
        if (options[i].commands & m->command && options[i].letter == letter)
            return &options[i];
    return NULL;
}

static void unknown(const struct manual *m, const char *text)
{
    struct arena arena = {0};
    struct suggestion near;
    char *word = arena_strndup(&arena, text, strlen(text));
    word[strcspn(word, "=")] = 0;
    suggest_init(&near, word + (word[1] == '-' ? 2 : 1));
    for (int i = 0; i < OPTIONS; i++)
        if (options[i].commands & m->command)
            suggest_offer(&near, options[i].name);
    complain(m, "there is no option %s%s", word, suggest_text(&near, &arena));
    arena_free(&arena);
}

/* One option at argv[i]; returns how many arguments it took, 0 on error. */
static int option_read(struct settings *s, const struct manual *m, char **argv, int left)
{
    const char *a = argv[0], *value = NULL;
    const struct option *o;
    if (a[1] == '-') {
        size_t length = strcspn(a + 2, "=");
        o = find_long(m, a + 2, length);
        value = a[2 + length] ? a + 3 + length : NULL;
    } else {
        o = find_short(m, a[1]);
        value = a[2] ? a + 2 : NULL;
    }
    if (!o)
        return unknown(m, a), 0;
    if (o->kind == KIND_FLAG) {
        if (value)
            return complain(m, "--%s takes no value", o->name), 0;
        return value_set(s, m, o, NULL);
    }
    if (value)
        return value_set(s, m, o, value);
    if (left < 2)
        return complain(m, "--%s needs %s", o->name, o->argument), 0;
    return value_set(s, m, o, argv[1]) ? 2 : 0;
}

static bool usage(const struct manual *m, int *status)
{
    fprintf(stderr, "usage: mbs %s %s\n`mbs %s --help` explains it with examples.\n", m->name, m->arguments, m->name);
    *status = EXIT_USAGE;
    return false;
}

/* `mbs run pendulum` means pendulum.mbs, where there is one and no file pendulum. */
static void find_model(struct settings *s)
{
    const char *name = s->files.at[0], *slash = strrchr(name, '/');
    size_t n = strlen(name) + 5;
    if (strchr(slash ? slash : name, '.') || !access(name, F_OK) || !(s->found = malloc(n)))
        return;
    snprintf(s->found, n, "%s.mbs", name);
    if (!access(s->found, R_OK))
        s->files.at[0] = s->found;
}

bool settings_parse(struct settings *s, const struct manual *m, int argc, char **argv, int *status)
{
    *s = (struct settings){.max_steps = -1, .samples = -1, .count = -1, .states = -1, .seed = -1, .cases = -1, .jobs = -1, .starts = -1};
    s->from = s->to = s->rtol = s->atol = s->step = s->every = s->rho = s->alpha = s->width = s->height = s->tol = s->time_limit = NAN;
    bool ended = false;
    for (int i = 1; i < argc;) {
        int took = 1;
        if (!ended && !strcmp(argv[i], "--"))
            ended = true;
        else if (!ended && argv[i][0] == '-' && argv[i][1])
            took = option_read(s, m, argv + i, argc - i);
        else
            took = list_add(&s->files, argv[i]);
        if (!took) {
            settings_free(s);
            return usage(m, status);
        }
        i += took;
    }
    if (s->help) {
        help(m);
        *status = EXIT_OK;
        settings_free(s);
        return false;
    }
    if (s->files.n < m->least || (m->most >= 0 && s->files.n > m->most)) {
        if (s->files.n < m->least)
            complain(m, "an argument is missing");
        else
            complain(m, "what is '%s' for?", s->files.at[m->most]);
        settings_free(s);
        return usage(m, status);
    }
    if (m->command & FOR_MODEL && s->files.n)
        find_model(s);
    return true;
}

struct front_options settings_front(const struct settings *s)
{
    return (struct front_options){s->define.at, s->define.n, s->include.at, s->include.n, s->reactions, s->handles};
}

void settings_free(struct settings *s)
{
    free(s->found);
    struct list *lists[] = {&s->files, &s->define, &s->include, &s->set, &s->with, &s->input, &s->event, &s->at, &s->vary, &s->measure,
                            &s->free, &s->prior, &s->deviation, &s->gradient, &s->subject, &s->path};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        free(lists[i]->at);
        *lists[i] = (struct list){0};
    }
}
