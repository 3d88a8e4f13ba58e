#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes the syntax files of Vim, Emacs and VS Code into a directory (default: this one) from the words of the
# compiler: statements from statement.def, functions from ops.def and the table of builtin.c, joints from mech_joint.c, clauses of parts from parts.def.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$here/..
to=${1-$here}
mkdir -p "$to/vim/syntax" "$to/vim/ftdetect" "$to/emacs" "$to/vscode/syntaxes"

lines() { tr ' ' '\n' | grep . | LC_ALL=C sort -u; }
bar() { tr '\n' '|' | sed 's/|$//'; }
statements=$(sed -n 's/^STATEMENT([A-Z_]*, "\([a-z]*\)".*/\1/p' "$top/compiler/syntax/statement.def" | lines | bar)
functions=$({
    sed -n 's/^FUNCTION([A-Z0-9]*, "\([a-z0-9]*\)".*/\1/p' "$top/runtime/mbs/ops.def"
    sed -n '/^static const struct builtin/,/^};/p' "$top/compiler/model/builtin.c" | grep -o '{"[a-z0-9]*"' | tr -d '{"'
} | lines | bar)
joints=$(grep -o '^    {"[a-z_]*", \(true\|false\)' "$top/compiler/model/mech_joint.c" | sed 's/.*"\(.*\)".*/\1/' | lines | bar)
clauses=$(sed -n 's/^\(CLAUSE\|SETTING\)(\([a-z0-9]*\),.*/\2/p' "$top/compiler/model/parts.def" | lines | bar)
operators='and|in|not|or'
constants='false|ground|pi|true'
test -n "$statements" && test -n "$functions" && test -n "$joints" && test -n "$clauses"

cat >"$to/vim/ftdetect/mbs.vim" <<END
" SPDX-License-Identifier: 0BSD
autocmd BufNewFile,BufRead *.mbs setfiletype mbs
END

cat >"$to/vim/syntax/mbs.vim" <<END
" SPDX-License-Identifier: 0BSD
" Vim syntax of mbs models; written by editors/generate.sh.
if exists("b:current_syntax")
  finish
endif
syntax case match
syntax match mbsStatement /\v(^\s*|[{}]\s*|<(cut|else)\s+)@<=<($statements)>(\s*(\=\=@!|'))@!/
syntax match mbsFunction /\v<($functions)>\ze\s*\(/
syntax match mbsJoint /\v<($joints)>\ze\s*\(/
syntax match mbsClause /\v([{,]\s*|^\s+)@<=<($clauses)>\ze\s*\=\=@!/
syntax keyword mbsOperator $(echo "$operators" | tr '|' ' ')
syntax keyword mbsConstant $(echo "$constants" | tr '|' ' ')
syntax match mbsNumber /\v<\d+(\.\d+)?([eE][-+]?\d+)?>/
syntax region mbsString start=/"/ end=/"/ oneline
syntax match mbsComment /#.*\$/
highlight default link mbsStatement Statement
highlight default link mbsFunction Function
highlight default link mbsJoint Type
highlight default link mbsClause Identifier
highlight default link mbsOperator Operator
highlight default link mbsConstant Constant
highlight default link mbsNumber Number
highlight default link mbsString String
highlight default link mbsComment Comment
let b:current_syntax = "mbs"
END

quoted() { echo "$1" | sed 's/[^|]*/"&"/g; s/|/ /g'; }
cat >"$to/emacs/mbs-mode.el" <<END
;;; mbs-mode.el --- editing of mbs models -*- lexical-binding: t; -*-
;; SPDX-License-Identifier: 0BSD
;;; Commentary:
;; Written by editors/generate.sh.  (load "mbs-mode.el") is all that is needed; M-x eglot asks mbs for the rest.
;;; Code:
(defconst mbs-statements '($(quoted "$statements")))
(defconst mbs-functions '($(quoted "$functions")))
(defconst mbs-joints '($(quoted "$joints")))
(defconst mbs-clauses '($(quoted "$clauses")))
(defconst mbs-operators '($(quoted "$operators")))
(defconst mbs-constants '($(quoted "$constants")))
(defconst mbs-font-lock-keywords
  (list
   (list (concat "\\\\(?:^\\\\|[{}]\\\\|\\\\<cut\\\\|\\\\<else\\\\)[ \\t]*\\\\<\\\\(" (regexp-opt mbs-statements) "\\\\)\\\\>\\\\(?:[ \\t]*[^ \\t=']\\\\|[ \\t]*==\\\\|[ \\t]*\$\\\\)")
         1 'font-lock-keyword-face)
   (list "\\\\<else[ \t]+\\\\(if\\\\)\\\\>" 1 'font-lock-keyword-face)
   (list (concat "\\\\<\\\\(" (regexp-opt mbs-functions) "\\\\)\\\\>[ \\t]*(") 1 'font-lock-builtin-face)
   (list (concat "\\\\<\\\\(" (regexp-opt mbs-joints) "\\\\)\\\\>[ \\t]*(") 1 'font-lock-type-face)
   (list (regexp-opt mbs-operators 'words) 1 'font-lock-keyword-face)
   (list (regexp-opt mbs-constants 'words) 1 'font-lock-constant-face)))
(defvar mbs-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\\n ">" table)
    (modify-syntax-entry ?\\" "\\"" table)
    (modify-syntax-entry ?' "." table)
    (modify-syntax-entry ?_ "w" table)
    table))
(defun mbs-complete ()
  "Words of the language for the symbol at point."
  (let ((bounds (bounds-of-thing-at-point 'symbol)))
    (when bounds
      (list (car bounds) (cdr bounds)
            (append mbs-statements mbs-functions mbs-joints mbs-clauses mbs-constants) :exclusive 'no))))
;;;###autoload
(define-derived-mode mbs-mode prog-mode "mbs"
  "Major mode for models of mechanisms in the language of mbs."
  (setq-local comment-start "# ")
  (add-hook 'completion-at-point-functions #'mbs-complete nil t)
  (setq-local font-lock-defaults '(mbs-font-lock-keywords)))
;;;###autoload
(add-to-list 'auto-mode-alist '("\\\\.mbs\\\\'" . mbs-mode))
(with-eval-after-load 'eglot
  (defvar eglot-server-programs)
  (add-to-list 'eglot-server-programs '(mbs-mode . ("mbs" "lsp"))))
(provide 'mbs-mode)
;;; mbs-mode.el ends here
END

cat >"$to/vscode/syntaxes/mbs.tmLanguage.json" <<END
{
  "name": "mbs",
  "scopeName": "source.mbs",
  "comment": "SPDX-License-Identifier: 0BSD; written by editors/generate.sh",
  "fileTypes": ["mbs"],
  "patterns": [
    { "name": "comment.line.number-sign.mbs", "match": "#.*\$" },
    { "name": "string.quoted.double.mbs", "match": "\\"[^\\"]*\\"" },
    { "name": "keyword.control.mbs", "match": "(?:^\\\\s*|(?<=[{}])\\\\s*|(?<=\\\\bcut)\\\\s+|(?<=\\\\belse)\\\\s+)\\\\b($statements)\\\\b(?!\\\\s*(?:=(?!=)|'))", "captures": { "1": { "name": "keyword.control.mbs" } } },
    { "name": "support.function.mbs", "match": "\\\\b($functions)\\\\b(?=\\\\s*\\\\()" },
    { "name": "support.type.mbs", "match": "\\\\b($joints)\\\\b(?=\\\\s*\\\\()" },
    { "name": "entity.other.attribute-name.mbs", "match": "(?<=[{,])\\\\s*\\\\b($clauses)\\\\b(?=\\\\s*=(?!=))" },
    { "name": "keyword.operator.word.mbs", "match": "\\\\b($operators)\\\\b" },
    { "name": "constant.language.mbs", "match": "\\\\b($constants)\\\\b" },
    { "name": "constant.numeric.mbs", "match": "\\\\b\\\\d+(?:\\\\.\\\\d+)?(?:[eE][-+]?\\\\d+)?\\\\b" },
    { "name": "variable.other.mbs", "match": "\\\\b[A-Za-z_][A-Za-z_0-9]*\\\\b" }
  ]
}
END
cat >"$to/vscode/package.json" <<END
{
  "name": "mbs",
  "displayName": "mbs models of mechanisms",
  "version": "0.1.0",
  "license": "0BSD",
  "engines": { "vscode": "^1.75.0" },
  "main": "./extension.js",
  "dependencies": { "vscode-languageclient": "^8.1.0" },
  "contributes": {
    "languages": [{ "id": "mbs", "extensions": [".mbs"], "configuration": "./language-configuration.json" }],
    "grammars": [{ "language": "mbs", "scopeName": "source.mbs", "path": "./syntaxes/mbs.tmLanguage.json" }]
  }
}
END
cat >"$to/vscode/language-configuration.json" <<END
{
  "comments": { "lineComment": "#" },
  "brackets": [["{", "}"], ["[", "]"], ["(", ")"]],
  "autoClosingPairs": [["{", "}"], ["[", "]"], ["(", ")"], ["\\"", "\\""]]
}
END
