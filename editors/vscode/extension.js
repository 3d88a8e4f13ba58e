// SPDX-License-Identifier: 0BSD
// VS Code: starts `mbs lsp`.  `npm install` in this directory brings the client; then link or pack it as an extension.
const { LanguageClient } = require("vscode-languageclient/node");
let client;

exports.activate = () => {
  const server = { command: "mbs", args: ["lsp"] };
  client = new LanguageClient("mbs", "mbs", server, { documentSelector: [{ language: "mbs" }] });
  return client.start();
};
exports.deactivate = () => client && client.stop();
