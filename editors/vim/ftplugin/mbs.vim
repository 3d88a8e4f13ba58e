" SPDX-License-Identifier: 0BSD
" Comments, and :make with its errors in the quickfix list.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=#\ %s comments=:# suffixesadd=.mbs expandtab shiftwidth=4
setlocal makeprg=mbsc\ -o\ /dev/null\ %:S
setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ %tote:\ %m,%-G%.%#
if executable("mbs")
  setlocal equalprg=mbs\ fmt\ -
endif
let b:undo_ftplugin = "setlocal commentstring< comments< suffixesadd< expandtab< shiftwidth< makeprg< errorformat< equalprg<"
