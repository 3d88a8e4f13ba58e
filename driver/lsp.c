/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs lsp`: a language server (LSP 3.17) over standard input and output.
 *
 * One message after the other; a text is checked whole at each change, which takes milliseconds.  Answers come from lsp/answer.c. */
#include "config.h"
#include "commands.h"
#include "json.h"
#include "lsp/answer.h"
#include "lsp/node.h"
#include "base/out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct manual manual_lsp = {
    "lsp", "[options]", FOR_LSP,
    "A language server for editors: messages while typing, values and units under the cursor, completion, definitions, new names,\n"
    "formatting, symbols. It speaks the Language Server Protocol over standard input and output; editors start it (see editors/).",
    "  mbs lsp < session.txt\n",
    0, 0};

enum { LARGEST = 1 << 26, PARSE_ERROR = -32700, NOT_READY = -32002, NO_METHOD = -32601, BAD_REQUEST = -32600, REFUSED = -32803 };
struct server {
    struct document *first;
    enum encoding encoding;
    bool ready, ending;
    int status;                 /* -1: goes on */
};

/* --- messages ------------------------------------------------------------------------------------------------------------ */

/* The next message, to be freed; NULL: there are no more. */
static char *message_read(FILE *in, size_t *length)
{
    char line[256];
    long n = -1;
    while (fgets(line, sizeof line, in)) {
        if (!strncmp(line, "Content-Length:", 15))
            n = strtol(line + 15, NULL, 10);
        if (strcmp(line, "\r\n") && strcmp(line, "\n"))
            continue;
        if (n < 0 || n > LARGEST)
            return NULL;
        char *text = malloc((size_t)n + 1);
        if (!text || fread(text, 1, (size_t)n, in) != (size_t)n) {
            free(text);
            return NULL;
        }
        text[n] = 0;
        *length = (size_t)n;
        return text;
    }
    return NULL;
}

/* A message while it is written: its length goes before it. */
struct letter {
    char *text;
    size_t size;
    FILE *f;
};

static FILE *letter_open(struct letter *l)
{
    *l = (struct letter){0};
    l->f = stream_open(&l->text, &l->size);
    if (l->f)
        fputs("{\"jsonrpc\":\"2.0\"", l->f);
    return l->f;
}

static void letter_send(struct letter *l)
{
    putc('}', l->f);
    if (stream_close(l->f)) {
        printf("Content-Length: %zu\r\n\r\n", strlen(l->text));
        fputs(l->text, stdout);
        fflush(stdout);
    }
    free(l->text);
}

static void put_id(FILE *f, const struct json *id)
{
    fputs(",\"id\":", f);
    if (id && id->kind == NODE_STRING)
        json_string(f, id->text);
    else
        fputs(id && id->kind == NODE_NUMBER ? id->text : "null", f);
}

static void refuse(const struct json *id, int code, const char *why)
{
    struct letter l;
    if (!letter_open(&l))
        return;
    put_id(l.f, id);
    fprintf(l.f, ",\"error\":{\"code\":%d,\"message\":", code);
    json_string(l.f, why);
    putc('}', l.f);
    letter_send(&l);
}

/* --- texts ------------------------------------------------------------------------------------------------------------------ */

static struct document *document_find(const struct server *s, const char *uri)
{
    struct document *d = s->first;
    while (d && strcmp(d->uri, uri))
        d = d->next;
    return d;
}

static void publish(const struct server *s, const char *uri, const struct document *d)
{
    struct letter l;
    if (!letter_open(&l))
        return;
    fputs(",\"method\":\"textDocument/publishDiagnostics\",\"params\":{\"uri\":", l.f);
    json_string(l.f, uri);
    if (d)
        fprintf(l.f, ",\"version\":%d", d->version);
    fputs(",\"diagnostics\":", l.f);
    if (d)
        answer_diagnostics(l.f, &(struct question){.d = d, .encoding = s->encoding});
    else
        fputs("[]", l.f);
    putc('}', l.f);
    letter_send(&l);
}

static void document_free(struct document *d)
{
    free(d->uri);
    free(d->path);
    free(d->text);
    free(d->line);
    free(d);
}

static void close_text(struct server *s, const char *uri)
{
    for (struct document **p = &s->first; *p; p = &(*p)->next)
        if (!strcmp((*p)->uri, uri)) {
            struct document *gone = *p;
            *p = gone->next;
            document_free(gone);
            return;
        }
}

static void set_text(struct server *s, const char *uri, const struct json *text, int version)
{
    struct document *d = document_find(s, uri);
    char *copy = text && text->kind == NODE_STRING ? malloc(text->length + 1) : NULL;
    if (!copy)
        return;
    memcpy(copy, text->text, text->length + 1);
    if (!d) {
        d = calloc(1, sizeof *d);
        if (!d || !(d->uri = strdup(uri)) || !(d->path = path_of_uri(uri))) {
            free(copy);
            if (d)
                document_free(d);
            return;
        }
        d->next = s->first;
        s->first = d;
    }
    free(d->text);
    d->text = copy;
    d->length = text->length;
    d->version = version;
    if (!document_lines(d))
        close_text(s, uri);
    else
        publish(s, uri, d);
}

/* Changes in order; one without a range is the whole text. */
static void change_text(struct server *s, const char *uri, const struct json *params)
{
    const struct json *changes = node_find(params, "contentChanges"), *last = NULL;
    for (const struct json *c = changes ? changes->child : NULL; c; c = c->next)
        if (!node_find(c, "range"))
            last = node_find(c, "text");
    if (last)
        set_text(s, uri, last, node_whole(params, "textDocument.version", 0));
}

/* --- what it can do -------------------------------------------------------------------------------------------------------- */

static void initialize(struct server *s, const struct json *params, const struct json *id)
{
    struct letter l;
    const struct json *offered = node_find(params, "capabilities.general.positionEncodings");
    for (const struct json *e = offered ? offered->child : NULL; e; e = e->next)
        if (e->kind == NODE_STRING && !strcmp(e->text, "utf-8"))
            s->encoding = ENCODING_UTF8;
    s->ready = true;
    if (!letter_open(&l))
        return;
    put_id(l.f, id);
    fprintf(l.f, ",\"result\":{\"capabilities\":{\"positionEncoding\":\"%s\",\"textDocumentSync\":{\"openClose\":true,\"change\":1,\"save\":true},"
            "\"hoverProvider\":true,\"completionProvider\":{\"triggerCharacters\":[\".\"]},\"definitionProvider\":true,\"referencesProvider\":true,"
            "\"documentSymbolProvider\":true,\"documentFormattingProvider\":true,\"renameProvider\":{\"prepareProvider\":true}},"
            "\"serverInfo\":{\"name\":\"mbs\",\"version\":\"%s\"}}", s->encoding == ENCODING_UTF8 ? "utf-8" : "utf-16", PACKAGE_VERSION);
    letter_send(&l);
}

static const char *plain_null(FILE *f, const struct question *x)
{
    (void)x;
    fputs("null", f);
    return NULL;
}
#define ALWAYS(name) static const char *do_##name(FILE *f, const struct question *x) { answer_##name(f, x); return NULL; }
ALWAYS(hover)
ALWAYS(completion)
ALWAYS(definition)
ALWAYS(references)
ALWAYS(symbols)
ALWAYS(formatting)
static const struct {
    const char *method;
    const char *(*answer)(FILE *, const struct question *);     /* NULL, or why not */
} methods[] = {
    {"textDocument/hover", do_hover},
    {"textDocument/completion", do_completion},
    {"textDocument/definition", do_definition},
    {"textDocument/references", do_references},
    {"textDocument/documentSymbol", do_symbols},
    {"textDocument/formatting", do_formatting},
    {"textDocument/rename", answer_rename},
    {"textDocument/prepareRename", answer_rename_range},
    {"shutdown", plain_null},
};

static void request(struct server *s, const char *method, const struct json *params, const struct json *id)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(methods[i].method, method))
            continue;
        s->ending = s->ending || !strcmp(method, "shutdown");
        const struct document *d = document_find(s, node_text(params, "textDocument.uri", ""));
        if (!d && methods[i].answer != plain_null)
            return refuse(id, BAD_REQUEST, "this text is not open");
        struct question x = {.d = d, .encoding = s->encoding, .name = node_text(params, "newName", "")};
        struct letter l;
        char *result = NULL;
        size_t size = 0;
        FILE *f = stream_open(&result, &size);
        if (!f || !letter_open(&l))
            return;
        if (d)
            x.offset = offset_of(d, s->encoding, node_whole(params, "position.line", 0), node_whole(params, "position.character", 0));
        const char *why = methods[i].answer(f, &x);
        bool good = stream_close(f);
        put_id(l.f, id);
        if (why || !good) {
            fprintf(l.f, ",\"error\":{\"code\":%d,\"message\":", REFUSED);
            json_string(l.f, why ? why : "no memory");
            putc('}', l.f);
        } else {
            fprintf(l.f, ",\"result\":%s", result);
        }
        letter_send(&l);
        free(result);
        return;
    }
    refuse(id, NO_METHOD, "there is no such method");
}

static void notified(struct server *s, const char *method, const struct json *params)
{
    const char *uri = node_text(params, "textDocument.uri", "");
    if (!strcmp(method, "exit")) {
        s->status = s->ending ? EXIT_OK : EXIT_FAILED;
    } else if (!strcmp(method, "textDocument/didOpen")) {
        set_text(s, uri, node_find(params, "textDocument.text"), node_whole(params, "textDocument.version", 0));
    } else if (!strcmp(method, "textDocument/didChange")) {
        change_text(s, uri, params);
    } else if (!strcmp(method, "textDocument/didSave")) {       /* what it includes may be new */
        for (const struct document *d = s->first; d; d = d->next)
            publish(s, d->uri, d);
    } else if (!strcmp(method, "textDocument/didClose")) {
        close_text(s, uri);
        publish(s, uri, NULL);
    }
}

static void receive(struct server *s, const char *text, size_t length)
{
    struct arena arena = {0};
    const struct json *m = node_read(&arena, text, length), *id = node_find(m, "id"), *params = node_find(m, "params");
    const char *method = node_text(m, "method", NULL);
    if (!m)
        refuse(NULL, PARSE_ERROR, "this is no JSON");
    else if (!method && !id)
        refuse(NULL, BAD_REQUEST, "a message has a method");
    else if (method && id && !strcmp(method, "initialize"))
        initialize(s, params, id);
    else if (method && id && !s->ready)
        refuse(id, NOT_READY, "initialize comes first");
    else if (method && id)
        request(s, method, params, id);
    else if (method && (s->ready || !strcmp(method, "exit")))
        notified(s, method, params);
    arena_free(&arena);
}

int cmd_lsp(int argc, char **argv)
{
    struct settings set;
    struct server s = {.status = -1};
    int status;
    char *text;
    size_t length;
    if (!settings_parse(&set, &manual_lsp, argc, argv, &status))
        return status;
    while (s.status < 0 && (text = message_read(stdin, &length))) {
        receive(&s, text, length);
        free(text);
    }
    while (s.first)
        close_text(&s, s.first->uri);
    settings_free(&set);
    return s.status < 0 ? EXIT_FAILED : s.status;
}
