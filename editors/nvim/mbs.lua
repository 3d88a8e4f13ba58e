-- SPDX-License-Identifier: 0BSD
-- Neovim: the language server for every model.  Put this file into ~/.config/nvim/plugin and the files of ../vim into ~/.config/nvim.
vim.api.nvim_create_autocmd("FileType", {
  pattern = "mbs",
  callback = function(args)
    local config = { name = "mbs", cmd = vim.g.mbs_lsp or { "mbs", "lsp" }, root_dir = vim.fn.fnamemodify(args.file, ":p:h") }
    if vim.lsp.start then
      vim.lsp.start(config)
    else -- before 0.8
      vim.lsp.buf_attach_client(args.buf, vim.lsp.start_client(config))
    end
  end,
})
