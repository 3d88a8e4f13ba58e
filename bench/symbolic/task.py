# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Python tools share: reading the task of energies.c, places of the values, and C around them."""


def read(path):
    """n, the texts of T, U and g, and what they share: (name, text) in order."""
    n, T, U, g, shared = 0, [], [], [], []
    for line in open(path):
        word, text = line.rstrip("\n").split(" ", 1)
        if word == "n":
            n = int(text)
        elif word == "let":
            shared.append(tuple(text.replace("^", "**").split(" ", 1)))
        else:
            {"T": T, "U": U, "g": g}[word].append(text.replace("^", "**"))
    return n, " + ".join("(%s)" % x for x in T), " + ".join("(%s)" % x for x in U) or "0", g, shared


def places_e(n, k, lower, jacobian):
    """Places of M (the entries `lower`), f, g, G (the entries `jacobian`), gamma in evaluate.c's dense array."""
    f, g, G = n * n, n * n + n, n * n + n + k
    return ([j * n + i for i, j in lower] + [f + i for i in range(n)] + [g + i for i in range(k)] +
            [G + j * k + i for i, j in jacobian] + [G + k * n + i for i in range(k)])


def table(name, values):
    return "const int %s_n = %d, %s_place[] = {%s};\n" % (name, len(values), name, ", ".join(map(str, values)) or "0")


SIGNATURE_E = "void peer_e(const double *t_, const double *q, const double *v, double *out)"
SIGNATURE_J = ("void peer_j(const double *t_, const double *q, const double *v, const double *a, const double *lambda, "
               "double *out)")
