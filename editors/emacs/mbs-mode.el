;;; mbs-mode.el --- editing of mbs models -*- lexical-binding: t; -*-
;; SPDX-License-Identifier: 0BSD
;;; Commentary:
;; Written by editors/generate.sh.  (load "mbs-mode.el") is all that is needed; M-x eglot asks mbs for the rest.
;;; Code:
(defconst mbs-statements '("beam" "body" "bushing" "clutch" "component" "const" "constraint" "contact" "coord" "coordinates" "cut" "damper" "discrete" "dissipation" "draw" "drive" "else" "every" "extern" "for" "force" "friction" "function" "gear" "gravity" "if" "include" "init" "input" "joint" "kinetic" "let" "limit" "model" "option" "output" "param" "planar" "potential" "ratchet" "rope" "rotor" "simulate" "spatial" "spring" "state" "table" "torque" "use" "wheel" "when"))
(defconst mbs-functions '("abs" "acos" "asin" "asinh" "atan" "atan2" "concat" "cos" "cosh" "cross" "diag" "dot" "erf" "exp" "floor" "identity" "if" "inverse" "log" "max" "min" "mod" "norm" "norm2" "outer" "sign" "sin" "sinh" "size" "sqrt" "sum" "tan" "tanh" "transpose"))
(defconst mbs-joints '("constant_velocity" "cylindrical" "distance" "fixed" "free" "planar" "point_on_line" "prismatic" "revolute" "screw" "slot" "spherical" "universal"))
(defconst mbs-clauses '("about" "along" "angle" "angles" "area" "atol" "axes" "axial" "axis" "axis2" "backward" "between" "coefficient" "colour" "com" "coupling" "damping" "density" "distance" "elements" "every" "exact" "exponent" "factor" "force" "formulation" "frame" "friction" "from" "height" "hidden" "inertia" "law" "length" "lower" "mass" "modes" "moment" "moment2" "normal" "offset" "on" "opacity" "pitch" "point" "radius" "radius2" "ratio" "restitution" "rtol" "shape" "shaped" "shear" "slip" "solver" "static" "step" "stiffening" "stiffness" "stribeck" "to" "tooth" "torsion" "upper" "width" "youngs"))
(defconst mbs-operators '("and" "in" "not" "or"))
(defconst mbs-constants '("false" "ground" "pi" "true"))
(defconst mbs-font-lock-keywords
  (list
   (list (concat "\\(?:^\\|[{}]\\|\\<cut\\|\\<else\\)[ \t]*\\<\\(" (regexp-opt mbs-statements) "\\)\\>\\(?:[ \t]*[^ \t=']\\|[ \t]*==\\|[ \t]*$\\)")
         1 'font-lock-keyword-face)
   (list "\\<else[ \t]+\\(if\\)\\>" 1 'font-lock-keyword-face)
   (list (concat "\\<\\(" (regexp-opt mbs-functions) "\\)\\>[ \t]*(") 1 'font-lock-builtin-face)
   (list (concat "\\<\\(" (regexp-opt mbs-joints) "\\)\\>[ \t]*(") 1 'font-lock-type-face)
   (list (regexp-opt mbs-operators 'words) 1 'font-lock-keyword-face)
   (list (regexp-opt mbs-constants 'words) 1 'font-lock-constant-face)))
(defvar mbs-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
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
(add-to-list 'auto-mode-alist '("\\.mbs\\'" . mbs-mode))
(with-eval-after-load 'eglot
  (defvar eglot-server-programs)
  (add-to-list 'eglot-server-programs '(mbs-mode . ("mbs" "lsp"))))
(provide 'mbs-mode)
;;; mbs-mode.el ends here
