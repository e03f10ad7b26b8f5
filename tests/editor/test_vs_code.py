"""The extension of VS Code, with stand-ins for its two libraries."""

import json
import subprocess
from pathlib import Path

import pytest

EXTENSION = Path("editors/vscode/extension.js").resolve()
SCRIPT = """
const [extension, folder, trusted] = process.argv.slice(1);
const Module = require("module"), load = Module._load, started = [];
let grant;
const settings = { command: "clustergen", arguments: ["lsp"] };
const workspace = {
  isTrusted: trusted === "true",
  workspaceFolders: [{ uri: { fsPath: folder } }],
  getConfiguration: () => ({ get: (name) => settings[name] }),
  onDidGrantWorkspaceTrust: (then) => { grant = then; return {}; },
};
class LanguageClient {
  constructor(id, name, server) { this.server = server; }
  start() { started.push([this.server.command, this.server.options.cwd]); }
  stop() { started.push("stopped"); }
}
const client = "vscode-languageclient/node";
const libraries = { vscode: { workspace, window: {} }, [client]: { LanguageClient } };
Module._load = (name, ...rest) => libraries[name] ?? load(name, ...rest);
(async () => {
  await require(extension).activate({ subscriptions: [] });
  workspace.isTrusted = true;
  await grant();
  console.log(JSON.stringify(started));
})();
"""


@pytest.mark.parametrize("trusted", [False, pytest.param(True, marks=pytest.mark.repeated())])
def test_only_a_trusted_folder_is_the_working_folder(*, trusted: bool, tmp_path: Path) -> None:
    """A relative path, and on Windows any name, would start a program of the folder."""
    home = tmp_path / "home"
    ran = subprocess.run(
        ["node", "-e", SCRIPT, str(EXTENSION), str(tmp_path), str(trusted).lower()],
        env={"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    inside = ["clustergen", str(tmp_path)]
    first = inside if trusted else ["clustergen", str(home)]
    assert json.loads(ran.stdout) == [first, "stopped", inside]
