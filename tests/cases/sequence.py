#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls whose order C does not define, where it matters.

Expressions are numbered as they are made and names handed out as they are asked for.  f(g(pool), h(pool)) makes them in an
order that the C compiler chooses, and the generated file follows it.  This looks for two arguments of one call that both
make something, and prints where.  (The order in an initialiser is as open by the standard, but compilers keep it.)

    sequence.py FILE.c ...
"""
import re, sys

MAKERS = set("""expr_int expr_rational expr_double expr_number expr_sym expr_add expr_sub expr_neg expr_mul expr_div expr_pow expr_powi
expr_sqrt expr_sum expr_product expr_linear expr_powers expr_fn1 expr_fn2 expr_if expr_hold expr_fn_new expr_fn_diff expr_call
expr_rebuild expr_diff expr_reverse expr_substitute diff_gradient diff_by direction_diff trig_normal scope_name
graph_node hoist_put rows_put row_push""".split())
IN_ORDER = set("expr_add expr_sub expr_mul expr_div expr_pow vec_add vec_sub vec_scale vec_cross vec_dot spatial_add".split())  # macros that see to it
WORDS = set("if while for switch return sizeof do else case _Static_assert _Generic defined".split())


def clean(text):
    """Without comments, strings, and preprocessor lines but macros' bodies; of the same length."""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group(0))
    text = re.sub(r"/\*.*?\*/", blank, text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', lambda m: '"' + " " * (len(m.group(0)) - 2) + '"', text)
    return re.sub(r"'(?:\\.|[^'\\\n])'", blank, text)


def close_of(text, at):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for k in range(at, len(text)):
        if text[k] in "([{":
            depth += 1
        elif text[k] in ")]}":
            depth -= 1
            if depth == 0:
                return k
    return len(text) - 1


def split(text):
    """The parts between commas of one level."""
    parts, depth, begin = [], 0, 0
    for k, c in enumerate(text):
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[begin:k])
            begin = k + 1
    parts.append(text[begin:])
    return parts


def functions(text):
    """(name, is static, begin of the body, end of the body)"""
    for m in re.finditer(r"^(static )?[A-Za-z_][\w \*]*?[ \*]\(?(\w+)\)?\(", text, flags=re.M):
        end = close_of(text, m.end() - 1)
        rest = re.match(r"\s*\{", text[end + 1:])
        if rest:
            begin = end + 1 + rest.end() - 1
            yield m.group(2), bool(m.group(1)), begin, close_of(text, begin)


def calls(text):
    return {m.group(1) for m in re.finditer(r"(\w+)\s*\(", text)} - WORDS


def main(files):
    texts = {f: clean(open(f).read()) for f in files}
    body = {}
    for f, text in texts.items():
        for name, static, begin, end in functions(text):
            body[(f if static else "", name)] = (f, calls(text[begin:end]))
    making = {("", m) for m in MAKERS}

    def makes(f, name):
        return (f, name) in making or ((f, name) not in body and ("", name) in making)

    changed = True
    while changed:
        changed = False
        for key, (f, called) in body.items():
            if key not in making and any(makes(f, c) for c in called):
                making.add(key)
                changed = True
    bad = 0
    for f, text in texts.items():
        spans = [(m.start(), m.end() - 1) for m in re.finditer(r"\w+\s*\(", text)]
        for start, at in spans:
            if re.match(r"\w+", text[start:]).group(0) in WORDS | IN_ORDER:
                continue
            inside = text[at + 1:close_of(text, at)]
            if ";" in inside:
                continue
            found = [p for p in split(inside) if any(makes(f, c) for c in calls(p))]
            if len(found) > 1:
                bad += 1
                print(f"{f}:{text.count(chr(10), 0, start) + 1}: {' '.join(text[start:close_of(text, at) + 1].split())[:150]}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
