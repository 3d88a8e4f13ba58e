# SPDX-License-Identifier: 0BSD
# Completion of mbs for fish.  Commands and options come from the program itself (mbs --list).
function __mbs_options
    set -l words (commandline -opc)
    test (count $words) -ge 2; and mbs --list $words[2] 2>/dev/null | awk -F '\t' '{ print $1 "\t" $4 }'
end
function __mbs_solvers
    mbs run --solver list 2>/dev/null | awk 'NR > 1 && /^[a-z]/ { print $1 }'
end
complete -c mbs -n __fish_use_subcommand -f -a '(mbs --list 2>/dev/null)'
complete -c mbs -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__mbs_options)'
complete -c mbs -l solver -x -a '(__mbs_solvers)'
complete -c mbs -l formulation -x -a 'index3 index2 index1 ggl baumgarte projected'
complete -c mbs -l terminal -s t -x -a 'window png svg pdf text'
