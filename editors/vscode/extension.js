// Starts `clustergen lsp` for YAML files; the server tells which of them are specs.
"use strict";

const { homedir } = require("os");
const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const INSTALL =
  "clustergen did not start: run pip install '.[lsp]' in its checkout, or set clustergen.command.";
let client;

async function activate(context) {
  context.subscriptions.push(workspace.onDidGrantWorkspaceTrust(restart));
  await start();
}

async function restart() {
  await deactivate();
  await start();
}

async function start() {
  const settings = workspace.getConfiguration("clustergen");
  // A relative path, and any name on Windows, would start a program of the folder.
  const folder = workspace.isTrusted && workspace.workspaceFolders?.[0]?.uri.fsPath;
  const cwd = folder || homedir();
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
