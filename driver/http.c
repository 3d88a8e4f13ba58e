/* SPDX-License-Identifier: GPL-3.0-or-later
 * A small server for one page on this machine. */
#include "config.h"
#include "http.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static bool failed(struct http *h, const char *what)
{
    snprintf(h->why, sizeof h->why, "%s: %s", what, strerror(errno));
    return false;
}

static bool make_token(struct http *h)
{
    unsigned char random[HTTP_TOKEN / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return failed(h, "no random numbers");
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(h->token + 2 * i, 3, "%02x", random[i]);
    return true;
}

bool http_open(struct http *h, int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    *h = (struct http){.fd = -1};
    for (int i = 0; i < HTTP_CLIENTS; i++)
        h->client[i].fd = -1;
    for (int i = 0; i < HTTP_CLIENTS; i++)
        if (!(h->client[i].buffer = malloc(HTTP_REQUEST + 1)))
            return failed(h, "out of memory");
    if (!make_token(h))
        return false;
    h->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (h->fd < 0)
        return failed(h, "no socket");
    setsockopt(h->fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(h->fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(h->fd, HTTP_CLIENTS) != 0)
        return failed(h, "cannot listen on 127.0.0.1");
    if (getsockname(h->fd, (struct sockaddr *)&at, &size) != 0)
        return failed(h, "no port");
    h->port = ntohs(at.sin_port);
    return true;
}

static void drop(struct http_client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    c->have = 0;
}

void http_close(struct http *h)
{
    for (int i = 0; i < HTTP_CLIENTS; i++) {
        drop(&h->client[i]);
        free(h->client[i].buffer);
        h->client[i].buffer = NULL;
    }
    if (h->fd >= 0)
        close(h->fd);
    h->fd = -1;
}

/* Of many clients the one that was silent for longest gives way.  False: no client will ever be let in. */
static bool take_client(struct http *h)
{
    int fd = accept(h->fd, NULL, NULL), least = 0;
    if (fd < 0)
        return errno == EPERM || errno == EINVAL || errno == EBADF ? failed(h, "cannot accept a connection") : true;
    for (int i = 0; i < HTTP_CLIENTS; i++) {
        if (h->client[i].fd < 0) {
            least = i;
            break;
        }
        if (h->client[i].used < h->client[least].used)
            least = i;
    }
    drop(&h->client[least]);
    h->client[least].fd = fd;
    h->client[least].used = ++h->turn;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){5, 0}, sizeof(struct timeval));
    return true;
}

static bool send_all(int fd, const char *data, size_t n)
{
    while (n) {
        ssize_t k = send(fd, data, n, MSG_NOSIGNAL);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        data += k;
        n -= (size_t)k;
    }
    return true;
}

static const char *phrase(int status)
{
    switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 413: return "Content Too Large";
    default: return "Internal Server Error";
    }
}

/* The header's value is one line of printable ASCII, whatever the text is. */
static void printable(char *to, size_t size, const char *from)
{
    size_t n = 0;
    for (; from && *from && n + 1 < size; from++)
        to[n++] = (char)(*from >= ' ' && *from < 127 ? *from : ' ');
    to[n] = 0;
}

static bool reply(struct http_client *c, const struct http_answer *a)
{
    char head[1400], says[600];
    printable(says, sizeof says, a->says);
    int n = snprintf(head, sizeof head,
                     "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                     "Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                     "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data: blob:; media-src blob:\r\n"
                     "%s%s%s\r\n",
                     a->status, phrase(a->status), a->type, a->length, *says ? "Mbs-Says: " : "", says, *says ? "\r\n" : "");
    return send_all(c->fd, head, (size_t)n) && send_all(c->fd, a->body, a->length);
}

static bool refuse(struct http_client *c, int status)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%s\n", phrase(status));
    reply(c, &(struct http_answer){.status = status, .type = "text/plain", .body = text, .length = (size_t)n});
    return false;               /* whoever asks so is not listened to any longer */
}

/* The value of a header between the lines from `head` to `end`; *n its length, -1: twice. */
static const char *header(const char *head, const char *end, const char *name, int *n)
{
    size_t length = strlen(name);
    const char *found = NULL;
    for (const char *line = strstr(head, "\r\n"); line && line < end; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, length) || line[length] != ':')
            continue;
        const char *from = line + length + 1, *to = strstr(from, "\r\n");
        while (from < to && (*from == ' ' || *from == '\t'))
            from++;
        while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
            to--;
        *n = found ? -1 : (int)(to - from);
        found = from;
    }
    return found;
}

/* 127.0.0.1:PORT or localhost:PORT, behind `scheme`. */
static bool is_here(const struct http *h, const char *scheme, const char *value, int n)
{
    char want[2][64];
    snprintf(want[0], sizeof want[0], "%s127.0.0.1:%d", scheme, h->port);
    snprintf(want[1], sizeof want[1], "%slocalhost:%d", scheme, h->port);
    for (int i = 0; i < 2; i++)
        if (n == (int)strlen(want[i]) && !strncasecmp(value, want[i], (size_t)n))
            return true;
    return false;
}

/* As long for a wrong token as for a right one. */
static bool token_fits(const struct http *h, const char *text)
{
    unsigned differs = 0;
    for (int i = 0; i < HTTP_TOKEN; i++) {
        if (!text[i])
            return false;
        differs |= (unsigned)(text[i] ^ h->token[i]);
    }
    return !differs && text[HTTP_TOKEN] == '/';
}

/* "GET /token/path HTTP/1.1", cut into its words; false: it is none. */
static bool read_line(char *line, char **path, bool *post)
{
    char *space = strchr(line, ' '), *end = space ? strchr(space + 1, ' ') : NULL;
    if (!end || strncmp(end, " HTTP/1.", 8))
        return false;
    *space = *end = 0;
    *path = space + 1;
    *post = !strcmp(line, "POST");
    return *post || !strcmp(line, "GET");
}

/* A whole request at the start of the buffer is answered; *used: its length, 0: it is not whole yet.  False: the connection ends. */
static bool serve_one(struct http *h, struct http_client *c, size_t *used, void (*answer)(void *, const struct http_request *, struct http_answer *), void *user)
{
    struct http_request request = {0};
    struct http_answer a = {.status = 404, .type = "text/plain", .body = "", .length = 0};
    int n = 0;
    char *path, *end, kept;
    *used = 0;
    c->buffer[c->have] = 0;
    if (!(end = strstr(c->buffer, "\r\n\r\n")))
        return strlen(c->buffer) == c->have && c->have < HTTP_REQUEST ? true : refuse(c, 400);
    const char *value = header(c->buffer, end, "Content-Length", &n);
    if (value && (n <= 0 || n > 6 || (int)strspn(value, "0123456789") != n))
        return refuse(c, 400);
    request.length = value ? (size_t)atol(value) : 0;
    size_t head = (size_t)(end + 4 - c->buffer);
    if (head + request.length > HTTP_REQUEST)
        return refuse(c, 413);
    if (header(c->buffer, end, "Transfer-Encoding", &n))
        return refuse(c, 400);
    if (c->have < head + request.length)
        return true;
    *used = head + request.length;
    if (!(value = header(c->buffer, end, "Host", &n)) || !is_here(h, "", value, n))
        return refuse(c, 403);
    if ((value = header(c->buffer, end, "Origin", &n)) && !is_here(h, "http://", value, n))
        return refuse(c, 403);
    if (!read_line(c->buffer, &path, &request.post))
        return refuse(c, 405);
    if (*path != '/' || !token_fits(h, path + 1))
        return refuse(c, 404);
    request.path = path + 1 + HTTP_TOKEN + 1;
    request.body = c->buffer + head;
    kept = c->buffer[*used];
    c->buffer[*used] = 0;
    answer(user, &request, &a);
    c->buffer[*used] = kept;
    return reply(c, &a);
}

/* False: the client is gone, or shall go. */
static bool listen_to(struct http *h, struct http_client *c, void (*answer)(void *, const struct http_request *, struct http_answer *), void *user)
{
    ssize_t got = recv(c->fd, c->buffer + c->have, HTTP_REQUEST - c->have, 0);
    size_t used = 1;
    if (got <= 0)
        return got < 0 && errno == EINTR;
    c->have += (size_t)got;
    c->used = ++h->turn;
    while (used && c->have) {
        if (!serve_one(h, c, &used, answer, user))
            return false;
        c->have -= used;
        memmove(c->buffer, c->buffer + used, c->have);
    }
    return true;
}

bool http_serve(struct http *h, const volatile int *stop, void (*answer)(void *, const struct http_request *, struct http_answer *), void *user)
{
    while (!*stop) {
        struct pollfd p[HTTP_CLIENTS + 1] = {{.fd = h->fd, .events = POLLIN}};
        for (int i = 0; i < HTTP_CLIENTS; i++)
            p[1 + i] = (struct pollfd){.fd = h->client[i].fd, .events = POLLIN};
        /* a signal between the look at the flag and the waiting is seen half a second later */
        if (poll(p, HTTP_CLIENTS + 1, 500) < 0) {
            if (errno == EINTR)
                continue;
            return failed(h, "cannot wait for requests");
        }
        for (int i = 0; i < HTTP_CLIENTS && !*stop; i++)
            if (p[1 + i].revents && h->client[i].fd >= 0 && !listen_to(h, &h->client[i], answer, user))
                drop(&h->client[i]);
        if (p[0].revents && !take_client(h))
            return false;
    }
    return true;
}
