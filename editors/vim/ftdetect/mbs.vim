" SPDX-License-Identifier: 0BSD
autocmd BufNewFile,BufRead *.mbs setfiletype mbs
