#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `mbs video`: pictures and films, without anybody looking; skipped without a browser, films without ffmpeg.
. "${top_srcdir:-.}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache TMPDIR=$tmp
export XDG_CACHE_HOME TMPDIR
model=$top_srcdir/examples/double_pendulum.mbs
fails_with "a name says what is wanted" 2 'must end in .mp4' "$mbs" video "$model" -o "$tmp/x.avi"
fails_with "--at takes a time" 1 'write a time in seconds' "$mbs" video "$model" --at noon -o "$tmp/x.png"
mkdir "$tmp/bin"
fails_with "without a browser it says what is missing" 1 'no chromium' env PATH="$tmp/bin" "$mbs" video --interpret "$model" -o "$tmp/x.png"
if [ -z "$(command -v chromium || command -v chromium-browser || command -v google-chrome)" ]; then
    skip "no chromium (Debian: apt-get install chromium)"
    done_testing
    exit
fi
"$mbs" video -q --interpret "$model" --at 0.5 --width 300 --height 200 -o "$tmp/x.svg"
ok "a drawing of the size asked for, with circles and names of colours that every reader knows" sh -c 'grep -q "width=\"300\" height=\"200\"" "$1" && grep -q "<path d=\"M[^\"]*A" "$1" && ! grep -q color-mix "$1" && tail -n 1 "$1" | grep -q "</svg>"' sh "$tmp/x.svg"
# a title that looks like a picture is a title
sed '/^model/s/"[^"]*"/"mbs-pictures:1; mbs-picture:PHN2Zy8+;"/' "$model" >"$tmp/title.mbs"
ok "the title of a model brings no picture" sh -c '"$1" video -q --interpret "$2/title.mbs" --at 0.5 --width 300 --height 200 -o "$2/t.svg" && cmp "$2/t.svg" "$2/x.svg"' sh "$mbs" "$tmp"
# bytes FROM COUNT FILE, as one word of hexadecimals
bytes() { od -A n -t x1 -j "$1" -N "$2" "$3" | tr -d ' \n'; }
if command -v ffmpeg >/dev/null; then
    "$mbs" video -q --interpret "$model" --to 1 --speed 1 --fps 5 --width 200 --height 150 --scale 2 -o "$tmp/x.gif"
    ok "a film: GIF of twice the size" [ "$(bytes 0 10 "$tmp/x.gif")" = 47494638396190012c01 ]
else
    skip "no ffmpeg (Debian: apt-get install ffmpeg)"
fi
# What a killed one has left is removed by the next, and nothing that another one works in.
mkdir -p "$tmp/mbs-video.killed/profile/Default"
: >"$tmp/mbs-video.killed/profile/Default/file"
mkdir "$tmp/mbs-video.other"
exec 8<"$tmp/mbs-video.other"
flock 8
"$mbs" video -q --interpret "$model" --at 0.5 --width 300 --height 200 -o "$tmp/x.svg"
ok "the directory of a killed one is removed, that of one that lives is not" [ "$(ls "$tmp" | grep '^mbs-video')" = mbs-video.other ]
exec 8<&-
"$mbs" video -q --interpret "$model" --at 0.5 --width 300 --height 200 -o "$tmp/x.svg"
ok "nothing is left behind" sh -c 'test -z "$(find "$1" -name "mbs-video*")"' sh "$tmp"
done_testing
