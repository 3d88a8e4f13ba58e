/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text of a tape means what the tape means: random programs of sums, differences, products, quotients, negations and
 * numbers of either sign are written as C, compiled with all warnings as errors, and must give the numbers of the tape's
 * interpreter exactly.  Signs are moved about when text is written, but rounding is symmetric: not one bit may change
 * (zeros compare equal whatever their sign). */
#include "program/rows.h"
#include "emit/code.h"
#include "../tap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAPES = 1500, SYMBOLS = 4, POINTS = 3, MOST_ROWS = 20 };

static unsigned seed = 12345;

static int draw(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (unsigned)n);
}

/* Few rows, so that most are used once and stand in place. */
static struct tape *make_tape(void)
{
    static const enum tape_op ops[] = { TAPE_ADD, TAPE_SUB, TAPE_SUB, TAPE_MUL, TAPE_DIV, TAPE_NEG, TAPE_NEG };
    static const double numbers[] = { -0.5, 3, -2, 1.25 };
    struct rows b = {0};
    for (int k = 0; k < SYMBOLS; k++)
        rows_put(&b, TAPE_SYM, SYM_Q, k);
    for (int k = 0; k < 4; k++) {
        VEC_PUSH(b.num, numbers[k]);
        rows_put(&b, TAPE_NUM, k, NONE);
    }
    int rows = 3 + draw(MOST_ROWS - 3);
    for (int k = 0; k < rows; k++) {
        enum tape_op op = ops[draw(sizeof ops / sizeof *ops)];
        int last = b.row.n - 1, left = draw(3) ? last - draw(2) : draw(b.row.n), right = draw(3) ? draw(b.row.n) : last;
        rows_put(&b, op, left, op == TAPE_NEG ? NONE : right);
    }
    rows_output(&b, 0, 0, 0, b.row.n - 1);
    rows_section(&b, 0);
    return rows_finish(&b);
}

static void write_tape(struct cwriter *out, struct arena *arena, const struct tape *t, int number)
{
    struct c_scope file;
    scope_init(&file, NULL, arena);
    struct code_array array = { .local = scope_name(&file, "y") };
    struct code code = { .out = out, .arena = arena, .file = &file, .tape = t, .array = &array, .arrays = 1 };
    code.symbols[SYM_Q].array = scope_name(&file, "q");
    cw_line(out, "void f%d(const double *q, double *y);", number);
    cw_line(out, "void f%d(const double *q, double *y)", number);
    cw_line(out, "{");
    out->indent++;
    code_begin(&code);
    code_body(&code);
    code_end(&code);
    cw_line(out, "(void)q;");
    out->indent--;
    cw_line(out, "}");
    scope_fini(&file);
}

static void *load(const struct cwriter *text)
{
    char dir[] = "/tmp/mbs-code.XXXXXX", command[512], path[64];
    const char *cc = getenv("CC");
    void *handle = NULL;
    if (!mkdtemp(dir))
        return NULL;
    snprintf(path, sizeof path, "%s/f.c", dir);
    FILE *f = fopen(path, "w");
    fwrite(text->text, 1, text->n, f);
    fclose(f);
    snprintf(command, sizeof command, "%s -std=c11 -pedantic -Wall -Wextra -Wno-unused-variable -Werror -O0 -ffp-contract=off -fPIC -shared %s -o %s/f.so",
             cc && *cc ? cc : "cc", path, dir);
    bool good = !system(command);
    unlink(path);
    snprintf(path, sizeof path, "%s/f.so", dir);
    if (good)
        handle = dlopen(path, RTLD_NOW);
    unlink(path);
    rmdir(dir);
    return handle;
}

int main(void)
{
    static struct tape *tape[TAPES];
    struct arena arena = {0};
    struct cwriter out = {0};
    for (int k = 0; k < TAPES; k++) {
        tape[k] = make_tape();
        write_tape(&out, &arena, tape[k], k);
    }
    void *handle = load(&out);
    ok(handle != NULL, "the text of %d random tapes compiles", TAPES);
    int wrong = 0, compared = 0;
    for (int k = 0; handle && k < TAPES; k++)
        for (int p = 0; p < POINTS; p++) {
            char name[16];
            double q[SYMBOLS], want, got;
            for (int i = 0; i < SYMBOLS; i++)
                q[i] = (draw(2000) - 1000) / 997.0;
            const double *const val[SYM_KINDS] = { [SYM_Q] = q };
            tape_run(tape[k], NULL, NULL, val, &want);
            snprintf(name, sizeof name, "f%d", k);
            void (*f)(const double *, double *);
            *(void **)&f = dlsym(handle, name);
            f(q, &got);
            compared += isfinite(want);
            if (isfinite(want) && got != want && wrong++ < 3)
                printf("# f%d: %.17g, the tape gives %.17g\n", k, got, want);
        }
    ok(handle && !wrong && compared > TAPES, "it gives the numbers of the tapes, bit for bit: %d of %d differ", wrong, compared);
    for (int k = 0; k < TAPES; k++)
        tape_free(tape[k]);
    cw_free(&out);
    arena_free(&arena);
    return tap_done();
}
