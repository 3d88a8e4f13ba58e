# SPDX-License-Identifier: 0BSD
# Completion of mbs for bash.  Commands and options come from the program itself (mbs --list), so they are always right.
_mbs() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "$(mbs --list 2>/dev/null | cut -f 1) --help --version" -- "$word"))
        return
    fi
    case $before in
    --solver) COMPREPLY=($(compgen -W "$(mbs run --solver list 2>/dev/null | awk 'NR > 1 && /^[a-z]/ { print $1 }') list" -- "$word")); return ;;
    --formulation) COMPREPLY=($(compgen -W "index3 index2 index1 ggl baumgarte projected" -- "$word")); return ;;
    -t | --terminal) COMPREPLY=($(compgen -W "window png svg pdf text" -- "$word")); return ;;
    esac
    case $word in
    -*) COMPREPLY=($(compgen -W "$(mbs --list "$command" 2>/dev/null | cut -f 1)" -- "$word")) ;;
    *)
        local end=mbs
        [ "$command" = plot ] && end=csv
        COMPREPLY=($(compgen -f -X "!*.$end" -- "$word") $(compgen -d -S / -- "$word"))
        ;;
    esac
}
complete -o filenames -F _mbs mbs
