"""The configuration of editors, as the documentation has it."""

import json
import re
import tomllib
from pathlib import Path

from clustergen import __version__
from clustergen.commands.arguments import parser

PAGE = Path("docs/how-to/editors.md").read_text(encoding="utf-8")
EXTENSION = json.loads(Path("editors/vscode/package.json").read_text(encoding="utf-8"))


def block(language: str, within: str) -> str:
    """The block of a section."""
    section = PAGE.split(f"\n## {within}\n")[1].split("\n## ")[0]
    found = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert found
    return found[1]


def runs(command: list[str]) -> bool:
    """Whether a command starts the language server."""
    program, *arguments = command
    return program == "clustergen" and parser().parse_args(arguments).command == "lsp"


def test_helix() -> None:
    settings = tomllib.loads(block("toml", "Helix"))
    server = settings["language-server"]["clustergen"]
    assert runs([server["command"], *server["args"]])
    assert settings["language"][0]["language-servers"][0] == "clustergen"


def test_neovim() -> None:
    command = re.search(r"cmd = \{ (.*) \}", block("lua", "Neovim"))
    assert command
    assert runs(json.loads(f"[{command[1]}]"))


def test_jetbrains() -> None:
    template = json.loads(block("json", "JetBrains"))
    assert runs(template["programArgs"]["default"].split())


def test_vs_code() -> None:
    settings = EXTENSION["contributes"]["configuration"]["properties"]
    command, arguments = (settings[f"clustergen.{name}"] for name in ("command", "arguments"))
    assert runs([command["default"], *arguments["default"]])
    assert runs([command["default"], "lsp", "--stdio"]), "which some clients add"
    assert EXTENSION["version"] == __version__
    assert set(json.loads(block("json", "VS Code"))) <= set(settings)
    assert EXTENSION["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] == [
        *settings
    ]
    script = Path("editors/vscode", EXTENSION["main"]).read_text(encoding="utf-8")
    assert set(re.findall(r'settings\.get\("(\w+)"\)', script)) == {"command", "arguments"}
