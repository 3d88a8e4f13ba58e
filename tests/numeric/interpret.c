/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Interpreted models: what the reader of tapes does with texts that no mbsc wrote, and how many models can be open.  That the functions
 * compute what they should is shown by tests/cli/interpret.sh. */
#include "compile.h"
#include "mbs/mbs.h"
#include "../tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "model m\nparam a = 2, b = 3*a\ncoord x, y\ntable T(x) = [[0, 1], [1, 2], [2, 5]]\nkinetic a*(x'^2 + y'^2)/2\npotential b*sin(x)*y + T(x)\n"
                           "constraint c: x^2 + y^2 = 1\nstate s = 0\ns' = x\ninit x = 1, y ~ 0\noutput o = x*y\nsimulate { to = 1 }\n";

static unsigned random_state = 12345;
static unsigned next(unsigned n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

/* Everything that a simulation would call; the memory checkers of a build with sanitizers watch it. */
static void use(const struct mbs_model *m)
{
    struct mbs_options opt;
    struct mbs_sim *sim;
    mbs_options_init(&opt, m);
    opt.max_steps = 20;
    if (mbs_new(&sim, m, NULL, &opt, NULL) == MBS_OK) {
        if (mbs_assemble(sim, 0) == MBS_OK)
            mbs_advance(sim, 0.01);
        mbs_free(sim);
    }
}

static void mutations(const char *good, size_t n)
{
    enum { TRIES = 1500 };
    int taken = 0, refused = 0, said = 0;
    char *copy = malloc(n + 1);
    for (int i = 0; i < TRIES; i++) {
        const struct mbs_model *m;
        struct mbs_message why = {0};
        size_t length = n;
        memcpy(copy, good, n + 1);
        for (unsigned k = next(3) + 1; k; k--) {
            size_t at = next((unsigned)n);
            unsigned kind = next(4);
            if (kind == 0)
                length = at + 1;
            else if (kind == 1)
                copy[at] = "0123456789-{},\"[]=."[next(19)];
            else if (kind == 2 && at + 20 < n)
                memmove(copy + at, copy + at + next(20), n - at - 20);
            else
                copy[at] = (char)next(256);
        }
        if (mbs_interpret(&m, copy, length < n ? length : n, &why) == MBS_OK) {
            taken++;
            /* a text that still is a model may ask for a great deal of memory, which is no fault */
            if (m->nq <= 10 && m->nw < 100000 && m->nc < 100000)
                use(m);
            mbs_interpret_free(m);
        } else {
            refused++;
            said += *why.text != 0 && why.status < 0;
        }
    }
    ok(taken + refused == TRIES && said == refused && refused > TRIES / 4, "%d changed texts: %d refused with a reason, %d run", TRIES, refused, taken);
    free(copy);
}

/* A string over lines, as no mbsc writes it, in a text without an end: room is made for all of it, and nothing beyond the text is read. */
static void long_string(void)
{
    enum { LONG = 1 << 20 };
    static const char begin[] = "const struct mbs_model m_model = { .name = \"";
    const struct mbs_model *m;
    struct mbs_message why = {0};
    char *all = malloc(sizeof begin - 1 + LONG);
    memcpy(all, begin, sizeof begin - 1);
    memset(all + sizeof begin - 1, '\\', LONG);
    for (int i = 1; i < LONG; i += 2)
        all[sizeof begin - 1 + (size_t)i] = '\n';
    ok(mbs_interpret(&m, all, sizeof begin - 1 + LONG, &why) == MBS_BAD_ARGUMENT && strstr(why.text, "no end"), "a string over lines: %s", why.text);
    free(all);
}

/* A ball with a stop, an event and a condition of the start: each part of the descriptor names something that is not there. */
static const char hybrid[] = "model m\nplanar\nbody A { mass = 1, inertia = 1 }\njoint J: prismatic(ground, A) axis [1, 0] distance x\nlimit L: on J, lower = -1, upper = 1\n"
                             "discrete d = 0\nwhen e: x > 0.5 { d = 1 }\ninit x^2 = 0.04\nsimulate { to = 1 }\n";

/* good with the first `from` behind `after` replaced by `to`, to be freed; NULL: it is not there */
static char *changed(const char *good, const char *after, const char *from, const char *to)
{
    const char *at = strstr(good, after);
    at = at ? strstr(at, from) : NULL;
    char *all = at ? malloc(strlen(good) + strlen(to) + 1) : NULL;
    if (all)
        sprintf(all, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    return all;
}

static void descriptors(void)
{
    static const struct { const char *what, *after, *from, *to; } fault[] = {
        {"a matrix of other rows", ".M = ", "{ 1, 1, 1", "{ 2, 1, 1"},
        {"a matrix of other columns", ".G = ", "{ 0, 1, 0", "{ 0, 0, 0"},
        {"a function without its matrix", ".W = ", ".W = ", ".S = "},
        {"an event of an unknown kind", ".when = ", "{ {0,", "{ {9,"},
        {"an event with assignments that are not there", ".when = ", "{0, 0, 1,", "{0, 0, 7,"},
        {"an assignment to what is not there", ".target = ", "{3, 0}", "{3, 5}"},
        {"a contact with rows that are not there", ".pair = ", "{0, 1, 1", "{0, 2, 1"},
        {"a contact of an unknown kind", ".pair = ", "{0, 0, 1", "{8, 0, 1"},
        {"a contact without a function", ".contacts = contacts", ".contacts = contacts,", ""},
        {"a condition without a function", ".conditions = conditions", ".conditions = conditions,", ""},
        {"a start of an unknown kind", ".q_init = ", "{ 0", "{ 9"},
        {"a number that no program gives", "dynamics_outs[] = ", "{ 0,0,0,", "{ 1,0,0,"},
        {"dynamics that read accelerations", "const operators[] = ", "\"q\"", "\"a\""},
        {"a function of one argument with a second one", "const operators[] = ", "\"*\"", "\"neg\""},
    };
    struct compile_options o = {.tapes = true};
    struct compile *c = compile_memory("m.mbs", hybrid, strlen(hybrid), &o, COMPILE_TEXT);
    struct mbs_message why;
    const struct mbs_model *m = NULL;
    size_t n;
    const char *tapes = compile_text(c, &n);
    ok(c->good && mbs_interpret(&m, tapes, n, &why) == MBS_OK, "a model with a stop and an event%s", compile_messages(c));
    mbs_interpret_free(m);
    for (size_t i = 0; c->good && i < sizeof fault / sizeof *fault; i++) {
        char *other = changed(tapes, fault[i].after, fault[i].from, fault[i].to);
        why.text[0] = 0;
        ok(other && mbs_interpret(&m, other, strlen(other), &why) == MBS_BAD_ARGUMENT && *why.text, "%s: %s", fault[i].what, other ? why.text : "the text has another form");
        free(other);
    }
    compile_free(c);
}

int main(void)
{
    struct compile_options o = {.tapes = true};
    struct compile *c = compile_memory("m.mbs", text, strlen(text), &o, COMPILE_TEXT);
    const struct mbs_model *m[80] = {0};
    struct mbs_message why;
    size_t n;
    const char *tapes = compile_text(c, &n);
    int open = 0;
    ok(c->good, "the model compiles%s", compile_messages(c));
    ok(mbs_interpret(&m[0], tapes, n, &why) == MBS_OK, "it is interpreted");
    if (m[0]) {
        double p[2] = {5, 0};
        const unsigned char given[2] = {1, 0};
        m[0]->defaults(p, given);
        ok(p[0] == 5 && p[1] == 15, "defaults follow what was given");
        mbs_interpret_free(m[0]);
    }
    ok(mbs_interpret(NULL, tapes, n, &why) == MBS_BAD_ARGUMENT && mbs_interpret(&m[0], NULL, 0, &why) == MBS_BAD_ARGUMENT, "NULL is refused");
    ok(mbs_interpret(&m[0], "nonsense", 8, &why) == MBS_BAD_ARGUMENT && *why.text, "nonsense is refused: %s", why.text);
    while (open < 80 && mbs_interpret(&m[open], tapes, n, &why) == MBS_OK)
        open++;
    ok(open == 64 && strstr(why.text, "64"), "the 65th model is refused: %s", why.text);
    mbs_interpret_free(m[30]);
    ok(mbs_interpret(&m[30], tapes, n, &why) == MBS_OK, "a place that was left is taken again");
    for (int i = 0; i < open; i++)
        mbs_interpret_free(m[i]);
    mutations(tapes, n);
    long_string();
    descriptors();
    compile_free(c);
    return tap_done();
}
