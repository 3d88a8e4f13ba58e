# SPDX-License-Identifier: GPL-3.0-or-later
"""python notebook.py FILE.ipynb: runs the code of a notebook cell by cell as Jupyter does, and shows what it would show.  Prints TAP lines."""
import ast
import json
import sys

with open(sys.argv[1]) as f:
    cells = [c for c in json.load(f)["cells"] if c["cell_type"] == "code"]
space = {"__name__": "__main__"}
for number, cell in enumerate(cells, 1):
    tree = ast.parse("".join(cell["source"]))
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    shown = ""
    try:
        exec(compile(tree, "cell %d" % number, "exec"), space)
        value = eval(compile(last, "cell %d" % number, "eval"), space) if last else None
        for form in ("_repr_html_", "_repr_latex_"):
            if hasattr(value, form):
                shown += ", %s of %d kB" % (form, len(getattr(value, form)()) // 1000)
        print("ok - cell %d%s" % (number, shown))
    except Exception as e:
        print("not ok - cell %d: %r" % (number, e))
        break
