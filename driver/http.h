/* SPDX-License-Identifier: GPL-3.0-or-later
 * As much of HTTP/1.1 as a page on the same machine needs: one client after the other, requests with a length, connections that stay open.
 *
 * It listens on 127.0.0.1 only.  The path of a request starts with a token that nobody can guess; Host names this machine and this port, so that no
 * other site's name that was made to point here gets through, and Origin, if there is one, too. */
#ifndef DRIVER_HTTP_H
#define DRIVER_HTTP_H
#include <stdbool.h>
#include <stddef.h>

enum { HTTP_CLIENTS = 8, HTTP_REQUEST = 1 << 16, HTTP_TOKEN = 32 };

struct http_client {
    int fd;                             /* -1: none */
    size_t have;
    unsigned long used;                 /* when, for who must give way */
    char *buffer;                       /* HTTP_REQUEST + 1 */
};
struct http {
    int fd, port;
    char token[HTTP_TOKEN + 1];
    unsigned long turn;
    struct http_client client[HTTP_CLIENTS];
    char why[160];                      /* after a failure */
};

struct http_request {
    bool post;
    const char *path;                   /* behind the token and its slash */
    const char *body;                   /* with a final NUL */
    size_t length;
};
struct http_answer {
    int status;                         /* 200, 400, 404, 405, 500 */
    const char *type;                   /* of the contents */
    const char *says;                   /* a line for the header Mbs-Says, or NULL */
    const void *body;
    size_t length;
};

/* Port 0: any that is free. */
bool http_open(struct http *, int port);
void http_close(struct http *);
/* Answers requests until *stop is not zero (a signal interrupts the waiting); false: it cannot go on. */
bool http_serve(struct http *, const volatile int *stop, void (*answer)(void *user, const struct http_request *, struct http_answer *), void *user);
#endif
