#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mbs fmu --targets: binaries for other systems by ziglang: their formats, what they offer and need; the one for arm64 runs in qemu-user and
# gives what that of this machine gives.  Compiling takes minutes: `make judge-targets`.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/world/venv.sh"
mbs=$top_builddir/mbs
if ! need ziglang || ! command -v unzip >/dev/null || ! command -v file >/dev/null || ! command -v llvm-objdump >/dev/null; then
    skip "no ziglang, unzip, file or llvm-objdump"
    done_testing
    exit
fi
PATH=$(cd "$venv/bin" && pwd):$PATH
cd "$tmp" || exit 99
ok "binaries for five systems" "$mbs" fmu "$top_srcdir/models/squeezer.mbs" --targets linux64,linux-arm64,win64,mac64,mac-arm64 -q -o all.fmu
ok "unzip finds no fault" unzip -q all.fmu -d all
cd all/binaries || exit 99
is() { # directory, extension, what file(1) calls it
    case $(file -b "$1/squeezer.$2") in
    *$3*) pass "$1: $3" ;;
    *) fail "$1: $(file -b "$1/squeezer.$2")" ;;
    esac
}
is linux64 so "ELF 64-bit LSB shared object, x86-64"
is aarch64-linux so "ELF 64-bit LSB shared object, ARM aarch64"
is win64 dll "PE32+ executable (DLL)"
is darwin64 dylib "Mach-O 64-bit x86_64 dynamically linked shared library"
is aarch64-darwin dylib "Mach-O 64-bit arm64 dynamically linked shared library"
same() { # what, list, list that it should be
    [ "$2" = "$3" ] && pass "$1" || fail "$1: $(printf '%s\n' "$2" | head -n 5 | tr '\n' ' ')"
}
offered=$(nm -D --defined-only linux64/squeezer.so | awk '{ print $3 }' | sort)
same "aarch64-linux offers the interface and nothing else" "$(llvm-nm -D --defined-only aarch64-linux/squeezer.so | awk '{ print $3 }' | sort)" "$offered"
same "win64 does" "$(llvm-readobj --coff-exports win64/squeezer.dll | sed -n 's/^ *Name: //p' | sort)" "$offered"
# __dso_handle and _mh_dylib_header are those of the linker
for mac in darwin64 aarch64-darwin; do
    same "$mac does" "$(llvm-objdump --macho --exports-trie $mac/squeezer.dylib | sed -n 's/^0x[0-9A-F]* *_//p' | grep -vxE '__dso_handle|_mh_dylib_header' | sort)" "$offered"
    same "$mac needs the system's library only" "$(llvm-objdump --macho --dylibs-used $mac/squeezer.dylib | sed -n 's,^.*/\(lib[A-Za-z.]*\.dylib\).*,\1,p')" libSystem.B.dylib
done
needs=$(llvm-readobj --needed-libs aarch64-linux/squeezer.so | grep -o 'lib[a-z]*\.so' | sort | tr '\n' ' ')
same "aarch64-linux needs libc and libm only" "$needs" "libc.so libm.so "
needs=$(llvm-readobj --coff-imports win64/squeezer.dll | sed -n 's/^ *Name: \(.*\.dll\)/\1/p' | grep -viE '^(api-ms-win-crt-|kernel32)' | sort -u | tr '\n' ' ')
same "win64 needs the C runtime of Windows only" "$needs" ""
cd "$tmp" || exit 99
if command -v qemu-aarch64 >/dev/null && [ -d /usr/aarch64-linux-gnu ]; then
    sed -e "s/@TOKEN@/$(sed -n 's/.*guid="\([^"]*\)".*/\1/p' all/modelDescription.xml)/" "$top_srcdir/tests/world/threads.c" >threads.c
    ok "threads.c for arm64" python3 -m ziglang cc -target aarch64-linux-gnu.2.17 threads.c all/binaries/aarch64-linux/squeezer.so -lpthread -o threads.arm64
    ok "threads.c here" ${CC:-cc} threads.c all/binaries/linux64/squeezer.so -lpthread -o threads.here
    here=$(LD_LIBRARY_PATH=all/binaries/linux64 ./threads.here print)
    there=$(qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=all/binaries/aarch64-linux ./threads.arm64 print)
    # other compilers round otherwise, and arm64 fuses products into sums: 1e-9 of a motion that is integrated to 1e-6
    near=$(echo "$here $there" | awk '{ d = $1 - $2; print (NF == 2 && d*d <= 1e-18*$1*$1) }')
    [ "$near" = 1 ] && pass "100 instances in qemu-aarch64: beta ends at $there, here at $here" || fail "qemu-aarch64: $there, here $here"
else
    skip "no qemu-user with a libc for arm64"
fi
done_testing
