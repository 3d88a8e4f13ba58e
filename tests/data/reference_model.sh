#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A 128-bit reference for a model, by reference_model.c:
#   reference_model.sh MODEL.mbs TOLERANCE END [-D option=value] [param=value ...]
# prints name, -, end and start of every component.  $MBSC is the compiler to use (default: mbsc).
set -e
here=$(cd "$(dirname "$0")" && pwd)
model=$1 tolerance=$2 end=$3
shift 3
define=
if [ "${1-}" = -D ]; then
    define=$2
    shift 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${MBSC:-mbsc}" ${define:+-D "$define"} "$model" -o "$work/double.c"
name=$(sed -n 's/^const struct mbs_model \([A-Za-z0-9_]*\) = {/\1/p' "$work/double.c")
# double becomes __float128 and every decimal constant gets its suffix, outside of comments and strings
quad() {
    sed -E '/^ \*|^\/\*/b; s/\bdouble\b/__float128/g; /"/b; s/\b([0-9]+\.[0-9]*([eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)/\1Q/g' "$1"
}
mkdir "$work/mbs"
quad "$here/../../runtime/mbs/model.h" > "$work/mbs/model.h"
{
    echo '#include <math.h>'
    echo '#include <quadmath.h>'
    for f in sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt fabs fmin fmax pow; do echo "#define $f ${f}q"; done
    quad "$work/double.c"
} > "$work/quad.c"
${CC:-cc} -O2 -I"$work" "-DMODEL=$name" -o "$work/reference" "$here/reference_model.c" "$work/quad.c" -lquadmath -lm
"$work/reference" "$tolerance" "$end" "$@"
