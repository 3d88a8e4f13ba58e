#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A page about all models: DIRECTORY/index.html with a picture of each that leads to its report.  The pictures of the examples also go to
# examples/pictures, where examples/README.md shows them.
# Usage: doc/gallery.sh MBS DIRECTORY [MODEL...]   (`make gallery`; needs chromium, and convert of ImageMagick)
set -eu
mbs=$1 to=$2
shift 2
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$to" "$top/examples/pictures"
[ $# -gt 0 ] || set -- "$top"/examples/*.mbs "$top"/models/*.mbs
escape() { sed 's/&/\&amp;/g; s/</\&lt;/g'; }
{
    printf '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">\n'
    printf '<title>Models of mbs</title><style>body { font: 15px/1.4 system-ui, sans-serif; margin: 24px } main { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 18px }\n'
    printf 'a { color: inherit; text-decoration: none; border: 1px solid #8884; border-radius: 12px; overflow: hidden } img { width: 100%%; display: block } p { margin: 8px 12px 12px } small { opacity: .65 }</style></head>\n<body><h1>Models</h1><main>\n'
    for model; do
        name=$(basename "$model" .mbs)
        title=$(sed -n 's/^model [A-Za-z_0-9]* *"\(.*\)".*/\1/p' "$model" | escape)
        "$mbs" report -q "$model" -o "$to/$name.html" >&2 || { echo "$name: no report" >&2; continue; }
        span=$(sed -n 's/.*"Simulated","\([-0-9.e+]*\) to \([-0-9.e+]*\) s".*/\1 \2/p' "$to/$name.html" | head -n 1)
        at=$(echo "$span" | awk '{ print $1 + 0.3*($2 - $1) }')
        "$mbs" video -q "$model" --at "$at" --width 300 --height 200 -o "$to/$name.png" >&2 || { echo "$name: no picture" >&2; continue; }
        convert "$to/$name.png" -strip -dither None -colors 64 PNG8:"$to/$name.png"
        case $model in "$top"/examples/*) cp "$to/$name.png" "$top/examples/pictures/$name.png" ;; esac
        printf '<a href="%s.html"><img src="%s.png" alt="" width="300" height="200" loading="lazy"><p>%s<br><small>%s</small></p></a>\n' "$name" "$name" "$title" "$name"
    done
    printf '</main></body></html>\n'
} >"$to/index.html"
