/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs play`: a model in the browser, integrated here while it is looked at.
 *
 * The page is that of `mbs report` about the model's own run, which tells it how large everything becomes.  It then asks for one state after the other
 * (design 0008):
 *
 *     GET  /TOKEN/         the page
 *     POST /TOKEN/step     {"dt": 0.016, "pace": 1, "pull": {"handle": 2, "place": [x, y, z], "to": [x, y, z]}}
 *     POST /TOKEN/set      {"given": [[parameter, value], ...]}      start values are parameters, too
 *     POST /TOKEN/reset    {}
 *
 * Each of the last three is answered with the row of the state reached, as doubles: struct result, then where the hand holds and its force.  What
 * there is to say, of a run that ended for one, is the header Mbs-Says. */
#include "config.h"
#include "play.h"
#include "base/out.h"
#include "commands.h"
#include "http.h"
#include "interrupt.h"
#include "json.h"
#include "lsp/node.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct manual manual_play = {
    "play", "MODEL.mbs [options]", FOR_PLAY,
    "Runs a model in the browser while you look at it: run, pause and reset it, move sliders for parameters and start values, and pull at\n"
    "bodies with the mouse (a spring and a damper from the place that you take hold of to the cursor). It prints the address to open, which is on\n"
    "this machine only and has a secret in it. The model is integrated by the same solver as in `mbs run`. Ctrl-C ends it.",
    "  mbs play swing.mbs\n"
    "  mbs play swing.mbs --set l=0.3 --port 8000\n",
    1, 1};

enum { AT, TO = 3, LAG = 6, STIFFNESS, HELD = 6 };      /* inputs that pull, behind the model's own; numbers behind a row */
static const double TURN_MOST = 0.1;    /* s of the clock for one answer */
static const double HAND_RATE = 30;     /* rad/s of the clock: how stiff the hand is for the mass that it feels ... */
static const double HAND_DAMPING = 0.7; /* ... and how damped */

struct player {
    struct session *s;
    char *page;
    size_t page_length;
    struct result row;          /* of one row */
    double *y, *x, *a;          /* outputs; a state (q, v, z); accelerations with and without a force, rates, coordinates; or parameters */
    double *base;               /* parameters as the command line has them */
    unsigned char *base_given;
    double *xyz;                /* points, for the hand */
    int own, handle;            /* inputs of the model; what is held, -1: nothing */
    bool begun;                 /* it has moved since the start */
    double since;
    char says[480];
};

/* ---- handles ---- */

static const struct mbs_shape *handle_at(const struct mbs_model *m, int k)
{
    for (int i = 0; i < m->nshape; i++)
        if (m->shape[i].kind == MBS_SHAPE_HANDLE && k-- == 0)
            return &m->shape[i];
    return NULL;
}
static int handle_count(const struct mbs_model *m)
{
    int n = 0;
    while (handle_at(m, n))
        n++;
    return n;
}
int play_inputs(const struct mbs_model *m)
{
    int n = handle_count(m);
    return m->nu - (n ? STIFFNESS + n : 0);
}

/* Where the place `at` of a handle is, or how far from it a place in space is (back), from its points. */
static void handle_place(const struct mbs_shape *h, const double *xyz, const double at[3], double out[3])
{
    const double *o = xyz + 3 * h->first;
    for (int k = 0; k < 3; k++) {
        out[k] = o[k];
        for (int i = 0; i < h->count - 1; i++)
            out[k] += at[i] * (o[3 * (i + 1) + k] - o[k]);
    }
}
static void handle_local(const struct mbs_shape *h, const double *xyz, const double place[3], double at[3])
{
    const double *o = xyz + 3 * h->first;
    for (int i = 0; i < 3; i++) {
        at[i] = 0;
        for (int k = 0; k < 3 && i < h->count - 1; k++)
            at[i] += (place[k] - o[k]) * (o[3 * (i + 1) + k] - o[k]);
    }
}

/* x = (q, v, z) as of now. */
static void keep_state(struct player *p)
{
    const struct mbs_model *m = p->s->model;
    const struct mbs_state *now = mbs_state(p->s->sim);
    memcpy(p->x, now->q, (size_t)m->nq * sizeof(double));
    memcpy(p->x + m->nq, now->v, (size_t)m->nq * sizeof(double));
    if (m->nz)
        memcpy(p->x + 2 * m->nq, now->z, (size_t)m->nz * sizeof(double));
}

static double *hand(struct player *p) { return p->s->u + p->own; }

static int set_inputs(struct player *p)
{
    struct session *s = p->s;
    /* with a table of inputs these are asked for at each time: the integration only has to start afresh */
    return s->tables ? mbs_set_state(s->sim, mbs_state(s->sim)->t, NULL, NULL, NULL) : mbs_set_inputs(s->sim, s->u);
}

static void points_now(struct player *p, const double *q, double *xyz)
{
    struct mbs_state x = *mbs_state(p->s->sim);
    x.q = (double *)q;
    p->s->model->points(p->s->c, &x, xyz, p->s->w);
}

/* How fast the held place gives way to a force of 1 N along an axis, m/s^2: by the accelerations with and without it. */
static double mobility(struct player *p, const struct mbs_shape *h, int axis, const double *free, double place[3])
{
    const struct mbs_model *m = p->s->model;
    double *u = hand(p), moved[3], size = 0, step;
    for (int k = 0; k < 3; k++)
        u[TO + k] = place[k] + (k == axis);
    u[STIFFNESS + p->handle] = 1;
    if (set_inputs(p) != MBS_OK || mbs_forward(p->s->sim, mbs_state(p->s->sim)->t, p->x, p->a, NULL, p->a + 2 * m->nq) != MBS_OK)
        return 0;
    for (int i = 0; i < m->nq; i++)
        size = fmax(size, fabs(p->a[i] - free[i]));
    if (!(size > 0))
        return 0;
    step = 1e-6 / size;         /* a derivative along the change, by central differences */
    double *q = p->a + 2 * m->nq + m->nz, gives = 0;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < m->nq; i++)
            q[i] = p->x[i] + side * step * (p->a[i] - free[i]);
        points_now(p, q, p->xyz);
        handle_place(h, p->xyz, u + AT, moved);
        gives += side * moved[axis] / (2 * step);
    }
    return gives;
}

static void let_go(struct player *p)
{
    double *u = hand(p);
    if (p->handle >= 0)
        u[STIFFNESS + p->handle] = 0;
    p->handle = -1;
}

/* The hand is as stiff as the mass that it feels asks for, in the direction that gives way most easily, so that it follows the mouse at any scale
 * and pace without making the equations stiff. */
static void take_hold(struct player *p, int k, const double place[3], double pace)
{
    const struct mbs_model *m = p->s->model;
    const struct mbs_state *now = mbs_state(p->s->sim);
    const struct mbs_shape *h = handle_at(m, k);
    double *u = hand(p), at[3], rate = HAND_RATE / pace, most = 0;
    let_go(p);
    if (!h)
        return;
    p->handle = k;
    keep_state(p);
    points_now(p, now->q, p->xyz);
    handle_local(h, p->xyz, place, u + AT);
    handle_place(h, p->xyz, u + AT, at);
    u[LAG] = 0;
    double *free = p->a + m->nq;
    if (set_inputs(p) == MBS_OK && mbs_forward(p->s->sim, now->t, p->x, free, NULL, p->a + 2 * m->nq) == MBS_OK)
        for (int axis = 0; axis < 3; axis++)
            most = fmax(most, mobility(p, h, axis, free, at));
    u[LAG] = 2 * HAND_DAMPING / rate;
    u[STIFFNESS + k] = most > 0 ? rate * rate / most : 0;
}

/* ---- the state ---- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int on_progress(void *user, double t, const struct mbs_statistics *stat)
{
    const struct player *p = user;
    (void)t, (void)stat;
    return seconds() - p->since > TURN_MOST;
}

static void say(struct player *p, int status)
{
    const struct mbs_message *msg = mbs_message(p->s->sim);
    if (status != MBS_OK)
        snprintf(p->says, sizeof p->says, "%s: %s", mbs_status_text(status), msg && *msg->text ? msg->text : "no more is known");
}

static void step(struct player *p, double dt)
{
    struct session *s = p->s;
    struct mbs_run run;
    mbs_run_init(&run, s->model);
    run.to = mbs_state(s->sim)->t + dt;
    run.progress = on_progress;
    run.user = p;
    run.cancel = interrupt_flag();
    run.events = s->event;
    run.nevents = s->events;
    p->since = seconds();
    p->begun = true;
    int status = mbs_run(s->sim, &run);
    if (status == MBS_CANCELLED)
        snprintf(p->says, sizeof p->says, "slower than the clock");
    else
        say(p, status);
}

static int reset(struct player *p)
{
    let_go(p);
    set_inputs(p);
    p->begun = false;
    int status = mbs_assemble(p->s->sim, p->s->from);
    if (status == MBS_OK && p->s->settings->at_equilibrium)
        status = mbs_equilibrium(p->s->sim);
    return status;
}

/* The parameters of the command line and those given now; discrete states stay as events have left them. */
static int set_parameters(struct player *p, const struct json *given)
{
    struct session *s = p->s;
    const struct mbs_model *m = s->model;
    double *x = s->params;
    memcpy(x, p->base, (size_t)m->np * sizeof *x);
    memcpy(s->given, p->base_given, (size_t)m->np);
    for (const struct json *i = given ? given->child : NULL; i; i = i->next) {
        const struct json *k = i->child, *v = k ? k->next : NULL;
        if (!v || k->kind != NODE_NUMBER || v->kind != NODE_NUMBER || !(k->number >= 0 && k->number < m->np) || !isfinite(v->number))
            return MBS_BAD_ARGUMENT;
        x[(int)k->number] = v->number;
        s->given[(int)k->number] = 1;
    }
    m->defaults(x, s->given);
    for (int i = 0; m->discrete && p->begun && i < m->np; i++)
        if (m->discrete[i])
            x[i] = mbs_parameters(s->sim)[i];
    int status = mbs_set_parameters(s->sim, x);
    if (status == MBS_OK)
        status = p->begun ? mbs_consistent(s->sim) : reset(p);
    return status;
}

/* If the new values cannot be, the old ones stay. */
static void change(struct player *p, const struct json *given)
{
    struct session *s = p->s;
    const struct mbs_model *m = s->model;
    double *old = p->a, t = mbs_state(s->sim)->t;
    memcpy(old, mbs_parameters(s->sim), (size_t)m->np * sizeof *old);
    keep_state(p);
    int status = set_parameters(p, given);
    if (status == MBS_OK)
        return;
    say(p, status);
    if (mbs_set_parameters(s->sim, old) == MBS_OK && mbs_set_state(s->sim, t, p->x, p->x + m->nq, m->nz ? p->x + 2 * m->nq : NULL) == MBS_OK)
        mbs_consistent(s->sim);
}

/* ---- requests ---- */

static void write_answer(struct player *p, struct http_answer *a)
{
    struct session *s = p->s;
    const struct mbs_model *m = s->model;
    struct mbs_state x = *mbs_state(s->sim);
    double *row = p->row.row, *held = row + p->row.width;
    session_follow(s);
    memset(row, 0, ((size_t)p->row.width + HELD) * sizeof *row);
    x.u = s->u;
    if (m->ny)
        mbs_outputs(s->sim, p->y);
    report_row(s, &p->row, &x, p->y, row);
    for (int k = 0; k < HELD; k++)
        held[k] = NAN;
    if (p->handle >= 0) {
        const double *u = hand(p);
        handle_place(handle_at(m, p->handle), row + p->row.xyz, u + AT, held);
        for (int k = 0; k < 3; k++)
            held[3 + k] = u[STIFFNESS + p->handle] * (u[TO + k] - held[k]);
    }
    *a = (struct http_answer){200, "application/octet-stream", p->says, row, ((size_t)p->row.width + HELD) * sizeof *row};
}

static double read_number(const struct json *of, const char *name, double otherwise)
{
    const struct json *x = node_find(of, name);
    return x && x->kind == NODE_NUMBER ? x->number : x ? NAN : otherwise;
}

static bool read_place(const struct json *of, const char *name, double x[3])
{
    const struct json *list = node_find(of, name);
    int n = 0;
    for (const struct json *i = list ? list->child : NULL; i && n < 3; i = i->next)
        if (i->kind == NODE_NUMBER && isfinite(i->number))
            x[n++] = i->number;
    return n == 3;
}

static bool take_step(struct player *p, const struct json *body)
{
    const struct json *pull = node_find(body, "pull");
    double dt = read_number(body, "dt", NAN), pace = read_number(body, "pace", 1), k = read_number(pull, "handle", -1), place[3], to[3];
    if (!(dt >= 0 && isfinite(dt)) || !(pace > 0 && isfinite(pace)))
        return false;
    if (pull && pull->kind == NODE_OBJECT) {
        if (!(k >= 0 && k < handle_count(p->s->model)) || !read_place(pull, "to", to))
            return false;
        if (p->handle != (int)k && !read_place(pull, "place", place))
            return false;
        if (p->handle != (int)k)
            take_hold(p, (int)k, place, pace);
        memcpy(hand(p) + TO, to, sizeof to);
        set_inputs(p);
    } else if (p->handle >= 0) {
        let_go(p);
        set_inputs(p);
    }
    if (dt > 0)
        step(p, dt);
    return true;
}

static void answer(void *user, const struct http_request *request, struct http_answer *a)
{
    struct player *p = user;
    struct arena arena = {0};
    const struct json *body = request->post ? node_read(&arena, request->body, request->length) : NULL;
    bool good = body && body->kind == NODE_OBJECT;
    *p->says = 0;
    if (!request->post && !*request->path) {
        *a = (struct http_answer){200, "text/html; charset=utf-8", NULL, p->page, p->page_length};
    } else if (request->post && !strcmp(request->path, "step")) {
        good = good && take_step(p, body);
        if (good)
            write_answer(p, a);
    } else if (request->post && !strcmp(request->path, "set")) {
        if (good)
            change(p, node_find(body, "given"));
        if (good)
            write_answer(p, a);
    } else if (request->post && !strcmp(request->path, "reset")) {
        say(p, reset(p));
        write_answer(p, a);
        good = true;
    } else
        good = true;            /* there is no such thing: 404 */
    if (!good && request->post)
        *a = (struct http_answer){400, "text/plain", NULL, "that is no such request\n", 24};
    arena_free(&arena);
}

/* ---- the page ---- */

void play_write(FILE *f, const struct result *r)
{
    const struct mbs_model *m = r->model;
    fprintf(f, ",\n\"play\":{\"q\":%d,\"v\":%d,\"a\":%d,\"lambda\":%d,\"z\":%d,\"u\":%d,\"y\":%d,\"energy\":%d,\"violation\":%d,\"xyz\":%d,\"width\":%d,\"handles\":[", r->q, r->v, r->a,
            r->lambda, r->z, r->u, r->y, r->energy, r->violation, r->xyz, r->width);
    const struct mbs_shape *h;
    for (int k = 0; (h = handle_at(m, k)); k++) {
        fputs(k ? ",[" : "[", f);
        json_string(f, h->name);
        fprintf(f, ",%d,%d]", h->count > 1 && m->place ? m->place[h->first] : 0, h->first);
    }
    fputs("]}", f);
}

static bool write_page(void *user, const struct result *run)
{
    struct player *p = user;
    struct result r = *run;
    FILE *f = stream_open(&p->page, &p->page_length);
    r.played = true;
    r.happenings = NULL;        /* of a run that is not shown */
    bool whole = f && page_write(f, &r);
    if (!(f && stream_close(f)) || !whole) {
        complain(p->s->manual, "out of memory");
        free(p->page);
        p->page = NULL;
    }
    return p->page != NULL;
}

static bool player_init(struct player *p, struct session *s)
{
    const struct mbs_model *m = s->model;
    size_t n = (size_t)m->nq, extra = n + (size_t)m->nz + 1;
    *p = (struct player){.s = s, .handle = -1, .own = play_inputs(m)};
    if (!result_init(&p->row, m))
        return false;
    double *row = realloc(p->row.row, ((size_t)p->row.width + HELD) * sizeof *row);
    p->row.row = row ? row : p->row.row;
    p->y = calloc((size_t)m->ny + 1, sizeof(double));
    p->x = calloc(2 * n + (size_t)m->nz + 1, sizeof(double));
    p->a = calloc(2 * n + extra + (size_t)m->np, sizeof(double));
    p->base = calloc((size_t)m->np + 1, sizeof(double));
    p->base_given = calloc((size_t)m->np + 1, 1);
    p->xyz = calloc(3 * (size_t)m->npoint + 1, sizeof(double));
    if (!row || !p->y || !p->x || !p->a || !p->base || !p->base_given || !p->xyz)
        return false;
    memcpy(p->base, s->params, (size_t)m->np * sizeof(double));
    memcpy(p->base_given, s->given, (size_t)m->np);
    return true;
}

static void player_fini(struct player *p)
{
    result_fini(&p->row);
    free(p->page);
    free(p->y);
    free(p->x);
    free(p->a);
    free(p->base);
    free(p->base_given);
    free(p->xyz);
}

static bool play(struct session *s, struct http *h)
{
    enum { SECONDS = 10 };
    struct player p;
    bool good = false;
    if (isnan(s->to))
        s->to = s->from + SECONDS;
    if (!player_init(&p, s))
        complain(s->manual, "out of memory");
    else
        report_page(s, NULL, "the model's own run", write_page, &p);    /* one that ends early has been explained, and is shown up to there */
    if (p.page && !*interrupt_flag()) {
        int status = reset(&p);
        if (status != MBS_OK)
            session_explain(s, status);
        printf("http://127.0.0.1:%d/%s/\n", h->port, h->token);
        fflush(stdout);
        if (!s->settings->quiet && !s->settings->once)
            fprintf(stderr, "mbs play: open this address in a browser; Ctrl-C ends\n");
        interrupt_hold();
        good = s->settings->once || http_serve(h, interrupt_flag(), answer, &p);
        interrupt_release();
        if (!good)
            complain(s->manual, "%s", h->why);
    }
    player_fini(&p);
    return good;
}

int cmd_play(int argc, char **argv)
{
    struct settings set;
    struct session s;
    struct http h;
    int status;
    if (!settings_parse(&set, &manual_play, argc, argv, &status))
        return status;
    set.handles = true;
    interrupt_watch();
    status = EXIT_FAILED;
    if (set.port > 65535)
        complain(&manual_play, "--port is 1 to 65535, not %ld", set.port);
    else if (!http_open(&h, set.port > 0 ? (int)set.port : 0)) {        /* before the model may do anything: from then on no socket can be made */
        complain(&manual_play, "%s", h.why);
        http_close(&h);
    } else {
        if (session_open(&s, &set, &manual_play)) {
            status = play(&s, &h) ? EXIT_OK : EXIT_FAILED;
            session_close(&s);
        }
        http_close(&h);
    }
    settings_free(&set);
    return status;
}
