#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Pictures of reports for the documents: doc/screens/*.webp.  Usage: doc/screenshots.sh MBS   (`make screenshots`; needs chromium, node, ImageMagick)
set -eu
mbs=$1
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mbs-screens.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$here/screens"
"$mbs" report -q "$here/../models/squeezer.mbs" -o "$tmp/squeezer.html"
"$mbs" report -q "$here/../models/crank.mbs" -o "$tmp/crank.html"
"$mbs" report -q "$here/../models/robot_arm.mbs" -o "$tmp/robot_arm.html"
"$mbs" report -q "$here/../examples/gyroscope.mbs" -o "$tmp/gyroscope.html"
"$mbs" report -q "$here/../models/chain.mbs" -D n=32 -o "$tmp/chain.html"
node "$here/screenshots.mjs" "$(command -v chromium)" "$tmp" "squeezer=$tmp/squeezer.html@0.4" "crank=$tmp/crank.html@0.35" "robot_arm=$tmp/robot_arm.html@0.05" "gyroscope=$tmp/gyroscope.html@0.2" "chain=$tmp/chain.html@0.5"
for f in "$tmp"/*.png; do convert "$f" -quality 55 -define webp:method=6 "$here/screens/$(basename "$f" .png).webp"; done
