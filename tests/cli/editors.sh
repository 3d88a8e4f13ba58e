#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Syntax files: made from the words of the compiler as it is, and right on every statement of every model.  The syntax
# tree of mbsc says where statements start; the grammars must mark those words and no others.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
ok "generate.sh runs" sh "$top_srcdir/editors/generate.sh" "$tmp/made"
for f in vim/syntax/mbs.vim vim/ftdetect/mbs.vim emacs/mbs-mode.el vscode/syntaxes/mbs.tmLanguage.json vscode/package.json vscode/language-configuration.json; do
    ok "editors/$f is up to date (run editors/generate.sh)" cmp "$tmp/made/$f" "$top_srcdir/editors/$f"
done
for m in "$top_srcdir"/models/*.mbs "$top_srcdir"/examples/*.mbs; do
    "$top_builddir/mbsc" --dump=ast "$m" 2>/dev/null | sed -n 's/: cut /: /; s/^ *\([0-9][0-9]*\): \([a-z][a-z]*\).*/\1 \2/p' >"$tmp/$(basename "$m").words"
done
if command -v python3 >/dev/null; then
    cat >"$tmp/grammar.py" <<'END'
import json, re, sys
patterns = [(re.compile(p["match"]), p["name"]) for p in json.load(open(sys.argv[1]))["patterns"]]
statements = re.search(r"\((beam[a-z|]*)\)", next(r.pattern for r, n in patterns if n == "keyword.control.mbs")).group(1).split("|")
bad = 0
for path, words in zip(sys.argv[2::2], sys.argv[3::2]):
    want = sorted(tuple(w.split()) for w in open(words))
    got = []
    for number, line in enumerate(open(path).read().split("\n"), 1):
        at = 0
        while at < len(line):
            found = [(m.start(), i, m) for i, (r, n) in enumerate(patterns) for m in [r.search(line, at)] if m and m.end() > m.start()]
            if not found:
                break
            _, i, m = min(found, key=lambda f: f[:2])
            if patterns[i][1] == "keyword.control.mbs" and m.group(1) not in ("cut", "else"):
                got.append((str(number), m.group(1)))
            at = max(m.end(), at + 1)
    want = [w for w in want if w[1] in statements]      # z' = ... has no word
    if sorted(got) != sorted(want):
        bad += 1
        print(path, "missing", sorted(set(want) - set(got))[:5], "too many", sorted(set(got) - set(want))[:5])
sys.exit(bad > 0)
END
    set --
    for m in "$top_srcdir"/models/*.mbs "$top_srcdir"/examples/*.mbs; do set -- "$@" "$m" "$tmp/$(basename "$m").words"; done
    ok "the TextMate grammar marks every statement of every model, and nothing else" python3 "$tmp/grammar.py" "$top_srcdir/editors/vscode/syntaxes/mbs.tmLanguage.json" "$@"
    ok "package.json and configuration are JSON" sh -c 'for f in "$1"/*.json; do python3 -m json.tool "$f" >/dev/null || exit 1; done' sh "$top_srcdir/editors/vscode"
else
    skip "no python3"
    skip "no python3"
fi
if vim --version 2>/dev/null | grep -q "+syntax"; then
    cat >"$tmp/check.vim" <<'END'
syntax on
syntax clear
unlet! b:current_syntax
execute "source " . $MBS_SYNTAX
let out = []
for row in range(1, line("$"))
  let first = match(getline(row), '\S')
  if first >= 0
    let name = synIDattr(synID(row, first + 1, 1), "name")
    if name ==# "mbsStatement"
      call add(out, row . " " . matchstr(getline(row), '\w\+', first))
    endif
  endif
endfor
call writefile(out, $MBS_OUT)
qall!
END
    good=yes
    for m in "$top_srcdir"/models/*.mbs "$top_srcdir"/examples/*.mbs; do
        MBS_SYNTAX=$top_srcdir/editors/vim/syntax/mbs.vim MBS_OUT=$tmp/vim.out vim -e -s -u NONE -S "$tmp/check.vim" "$m" </dev/null >/dev/null 2>&1
        grep -E '^[0-9]+ (param|coord|kinetic|init|simulate|body|joint|constraint) *' "$tmp/$(basename "$m").words" | LC_ALL=C sort >"$tmp/want"
        LC_ALL=C sort "$tmp/vim.out" 2>/dev/null >"$tmp/got"
        # words that start their line; those behind a brace are Vim's own affair
        while read -r row word; do
            sed -n "${row}p" "$m" | grep -q "^ *$word" && ! grep -q "^$row $word\$" "$tmp/got" && good="$(basename "$m"): $row $word"
        done <"$tmp/want"
    done
    ok "Vim marks the statements of every model ($good)" test "$good" = yes
else
    skip "no vim with syntax"
fi
if command -v emacs >/dev/null; then
    printf 'model m\nif a == 1 {\n} else if a == 2 {\n}\nlet else_if = 1\n' >"$tmp/branches.mbs"
    ok "both words of 'else if' are keywords in Emacs" emacs --batch -Q -l "$top_srcdir/editors/emacs/mbs-mode.el" "$tmp/branches.mbs" --eval '(progn (mbs-mode) (font-lock-ensure) (dolist (word (list "else" "if a == 2")) (goto-char (point-min)) (search-forward word) (unless (eq (get-text-property (match-beginning 0) (quote face)) (quote font-lock-keyword-face)) (message "%s" word) (kill-emacs 1))))'
    ok "the mode loads in Emacs and takes a model" emacs --batch -Q -l "$top_srcdir/editors/emacs/mbs-mode.el" "$top_srcdir/examples/pendulum.mbs" --eval '(progn (font-lock-ensure) (goto-char (point-min)) (search-forward "param") (unless (eq (get-text-property (match-beginning 0) (quote face)) (quote font-lock-keyword-face)) (kill-emacs 1)))'
else
    skip "no emacs"
fi

# completions
PATH=$top_builddir:$PATH
export PATH
if command -v bash >/dev/null; then
    cat >"$tmp/complete.bash" <<'END'
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_mbs
printf '%s\n' "${COMPREPLY[@]}"
END
    complete() { bash "$tmp/complete.bash" "$top_srcdir/doc/completions/mbs.bash" "$@"; }
    ok "bash completes commands" test "$(complete mbs rep)" = report
    ok "bash completes options of a command" test "$(complete mbs run --rto)" = --rtol
    ok "bash completes solvers" test "$(complete mbs run --solver radau5)" = radau5
    ok "bash completes model files" sh -c 'cd "$1" && bash "$2" "$3" mbs run pend | grep -q pendulum.mbs' sh "$top_srcdir/examples" "$tmp/complete.bash" "$top_srcdir/doc/completions/mbs.bash"
else
    for i in 1 2 3 4; do skip "no bash"; done
fi
if command -v zsh >/dev/null; then ok "the completion reads in zsh" zsh -n "$top_srcdir/doc/completions/_mbs"; else skip "no zsh"; fi
if command -v fish >/dev/null; then ok "the completion reads in fish" fish -n "$top_srcdir/doc/completions/mbs.fish"; else skip "no fish"; fi

# the manual knows every command and every option
for c in $(mbs --list | cut -f 1); do
    ok "mbs(1) describes mbs $c and all its options" sh -c 'grep -q "^\.SS mbs $2 " "$1/doc/mbs.1" && for o in $(mbs --list "$2" | cut -f 1 | sed s/^--//); do o=$(echo "$o" | sed "s/-/\\\\\\\\-/g"); grep -q -- "\\\\-\\\\-$o" "$1/doc/mbs.1" || { echo "no --$o"; exit 1; }; done' sh "$top_srcdir" "$c"
done
done_testing
