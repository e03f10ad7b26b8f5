// Starts `clustergen lsp` for YAML files; the server tells which of them are specs.
"use strict";

const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const INSTALL =
  "clustergen did not start: run pip install 'clustergen[lsp]', or set clustergen.command.";
let client;

async function activate() {
  const settings = workspace.getConfiguration("clustergen");
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const server = {
    command: settings.get("command"),
    args: settings.get("arguments"),
    options: { cwd },
  };
  client = new LanguageClient("clustergen", "clustergen", server, {
    documentSelector: [{ language: "yaml" }],
  });
  try {
    await client.start();
  } catch {
    window.showErrorMessage(INSTALL);
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
