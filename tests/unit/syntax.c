/* SPDX-License-Identifier: GPL-3.0-or-later
 * From text to tree: every statement form by its dump, where newlines end a statement, and how the
 * parser recovers from errors. */
#include "syntax/ast.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>

/* The dump of a text, followed by its messages. */
static char *parse(const char *text)
{
    struct compilation c;
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    compilation_init(&c, NULL);
    dump_ast(out, ast_read(&c, source_text(&c.sources, "t", text, strlen(text))));
    fputs(diags_render(&c.diags), out);
    fclose(out);
    compilation_fini(&c);
    return got;
}

static void gives(const char *text, const char *want, const char *what)
{
    char *got = parse(text);
    if (!ok(!strcmp(got, want), "%s", what))
        printf("# got:\n%s\n# want:\n%s\n", got, want);
    free(got);
}

static void has(const char *text, const char *want, const char *what)
{
    char *got = parse(text);
    if (!ok(strstr(got, want) != NULL, "%s", what))
        printf("# got:\n%s\n# without:\n%s\n", got, want);
    free(got);
}

static void statements(void)
{
    gives("model m \"a title\"\n", "1: model | m, \"a title\"\n", "model");
    gives("param a: kg = 1.5, b: kg*m^2 = 2*a\n", "1: param | a: kg = 1.5, b: kg*(m^2) = 2*a\n", "param");
    gives("coord x, y: m, q[4]\n", "1: coord | x, y: m, q[4]\n", "coord");
    gives("z' = -z\n", "1: equation | z' = -z\n", "equation");
    gives("init x ~ 1, y' = 2\n", "1: init | x ~ 1, y' = 2\n", "init");
    gives("constraint c[i]: [x, y] = P\n", "1: constraint c[i] | [x, y] = P\n", "constraint with a name");
    gives("constraint x = y\n", "1: constraint | x = y\n", "constraint without");
    gives("function f(x, y: m): N = x*y\n", "1: function f(x, y: m): N | x*y\n", "function");
    gives("table f(x) \"t.csv\" clamped(0, 1)\n", "1: table f(x) | \"t.csv\", clamped(0, 1)\n", "table");
    gives("table f(x) = [[1, 2], [3, 4]]\n", "1: table f(x) | [[1, 2], [3, 4]]\n", "inline table");
    gives("extern f(x)\n", "1: extern f(x)\n", "extern");
    gives("simulate { to = 1, solver = radau5 }\n", "1: simulate { to = 1, solver = radau5 }\n", "simulate");
    gives("for i in 1..n {\n  let a[i] = i\n}\n", "1: for i | 1, n\n    2: let | a[i] = i\n", "for");
    gives("for i in (1 + 1)..n { kinetic i }\n", "1: for i | 1 + 1, n\n    1: kinetic | i\n", "for from a group");
    gives("if a { kinetic x }\nelse if b { kinetic y } else {\n kinetic z\n }\n",
          "1: if | a\n    1: kinetic | x\nelse\n    2: if | b\n        2: kinetic | y\n    else\n        3: kinetic | z\n", "if");
    gives("component c(l: m = 1) { coord x }\n", "1: component c(l: m = 1)\n    1: coord | x\n", "component");
}

static void parts(void)
{
    gives("planar\ngravity [0, -9.81]\ncoordinates absolute\n",
          "1: planar\n2: gravity | [0, -9.81]\n3: coordinates | absolute\n", "mechanism settings");
    gives("body K1 { mass = m1, com = [ra, 0], point E = [rr, 0] }\n",
          "1: body K1 { mass = m1, com = [ra, 0], <point> E = [rr, 0] }\n", "body");
    gives("body link[i] {\n  mass = 1\n  point tip = [1, 0]\n\n  force = 3\n}\n",
          "1: body link[i] { mass = 1, <point> tip = [1, 0], force = 3 }\n", "body over several lines");
    gives("joint B: revolute(ground @ [xb, yb], K3) angle gamma\n",
          "1: joint B | revolute(ground @ [xb, yb], K3), <angle> gamma\n", "joint");
    gives("joint J[i]: revolute(link[i-1].tip, link[i])\n", "1: joint J[i] | revolute(link[i - 1].tip, link[i])\n", "indexed joint");
    gives("joint S: revolute(A, B, offset = 2) axis [0, 0, 1] angle q[2] locked\n",
          "1: joint S | revolute(A, B, offset = 2), <axis> [0, 0, 1], <angle> q[2], <locked>\n", "joint clauses");
    gives("cut joint F: fixed(A, B)\n", "1: cut joint F | fixed(A, B)\n", "cut joint");
    gives("spring S: between K3.D and ground @ [xc, yc],\n  stiffness = c0, length = l0\n",
          "1: spring S | <between> K3.D and (ground @ [xc, yc]), stiffness = c0, length = l0\n", "spring");
    gives("torque M: on O = mom\ndrive D = Omega*t\n", "1: torque M | <on> O = mom\n2: drive D | = Omega*t\n", "torque and drive");
    gives("force F: on K.P = [0, 1] { axes = body }\nforce x = 3, y = 4\n",
          "1: force F | <on> K.P = [0, 1] { axes = body }\n2: force | x = 3, y = 4\n", "both forces");
}

static void lines_and_words(void)
{
    gives("let a = (1 +\n  2\n  * 3)\nlet b = 4 +\n  5 # why\n\n", "1: let | a = 1 + (2*3)\n4: let | b = 4 + 5\n", "continuation");
    gives("let force = param + state\nforce' = if(param > 1, 2, 3)\n",
          "1: let | force = param + state\n2: equation | force' = if(param > 1, 2, 3)\n", "words are names elsewhere");
    gives("let a = -x^2*y/z - b'[2]'\n", "1: let | a = ((-(x^2))*y/z) - b'[2]'\n", "precedence");
    gives("let a = 2^-x^y\n", "1: let | a = 2^(-(x^y))\n", "power");
    gives("let a = not x < y and b or c\n", "1: let | a = ((not (x < y)) and b) or c\n", "logic");
    gives("let a = 1.e3 + .5 + 2. + 3e-4\n", "1: let | a = 1.e3 + .5 + 2. + 3e-4\n", "numbers");
    gives("\xEF\xBB\xBFlet a = 1\r\nlet b = 2", "1: let | a = 1\n2: let | b = 2\n", "byte order mark, CR LF, no last newline");
    gives("", "", "empty file");
    gives("\n# nothing\n\n", "", "comments only");
}

static void errors(void)
{
    has("parm a = 1\n", "t:1:1: error: 'parm' starts no statement, did you mean 'param'?\n    parm a = 1\n    ^~~~\n", "unknown statement");
    has("let a = (1 + 2\nlet b = 3\nlet c = = 4\n", "t:1:15: error: unexpected end of line", "a bracket left open");
    has("let a = (1 + 2\nlet b = 3\nlet c = = 4\n", "t:1:9: note: this bracket is not closed", "names the bracket");
    has("let a = (1 + 2\nlet b = 3\nlet c = = 4\n", "t:3:9: error: unexpected '=', expected an expression", "goes on after it");
    has("let a = 2x\n", "t:1:9: error: a number followed by letters", "2x");
    has("\tlet \xCF\x86 = 1\n", "t:1:6: error: names and operators are written in ASCII\n    \tlet \xCF\x86 = 1\n    \t    ^\n", "UTF-8 and tabs");
    has("body K {\n mass = = 1\n com = 2\n}\nlet c = = 4\n", "t:5:9: error", "recovers in attributes");
    has("body K {\n mass = = 1\n com = 2\n}\nlet c = 4\n", "body K { com = 2 }", "keeps what is right");
    has("let a = \"x\n", "t:1:9: error: this string is not closed", "open string");
    has("for i in 1..3 {\n", "t:1:15: error: this '{' is not closed", "open block");
    has("let a = 1e999\n", "too large", "huge number");
}

static void deep(void)
{
    enum { N = 50000 };
    char *text = malloc(4 * N + 100);
    strcpy(text, "let a = ");
    memset(text + 8, '(', N);
    strcpy(text + 8 + N, "\n");
    has(text, "nested too deeply", "many parentheses");
    memset(text + 8, '-', N);
    strcpy(text + 8 + N, "1\n");
    has(text, "nested too deeply", "many signs");
    char *p = text + 8;
    for (int i = 0; i < N; i++)
        p = stpcpy(p, "x+");
    strcpy(p, "1\n");
    char *got = parse(text);
    ok(!strstr(got, "error"), "a long sum is fine");
    free(got);
    p = text;
    for (int i = 0; i < 1000; i++)
        p = stpcpy(p, "if a { ");
    strcpy(p, "\n");
    has(text, "error", "many blocks");
    free(text);
}

int main(void)
{
    statements();
    parts();
    lines_and_words();
    errors();
    deep();
    return tap_done();
}
