"""Each command has a test, a page and a line in the contents; each format a test and a page."""

import argparse
import re

import pytest

from clustergen.commands.arguments import parser
from tests.support.paths import DOCS, ROOT

[_ACTION] = [a for a in parser()._actions if isinstance(a, argparse._SubParsersAction)]
COMMANDS = sorted(_ACTION.choices)
FILES = {*DOCS.rglob("*.md")} - {*DOCS.glob("rules/*")}
PAGES = {path: path.read_text(encoding="utf-8") for path in FILES}
CONTENTS = PAGES.pop(DOCS / "README.md") + (ROOT / "README.md").read_text(encoding="utf-8")
TESTS = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
SHARED = {"cloudformation", "rules"}
FORMATS = sorted({p.parent.name for p in (ROOT / "clustergen/importing").glob("*/*.py")} - SHARED)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_a_test_a_page_and_a_line_in_the_contents(command: str) -> None:
    assert re.search(rf"clustergen {command}\b", CONTENTS)
    # `cli.md` is generated from the options, and so has every command.
    own = [text for path, text in PAGES.items() if path.name != "cli.md"]
    assert any(re.search(rf"clustergen {command}\b", text) for text in own)
    assert any(re.search(rf"[(\[]f?\"{command}[ \"]", text) for text in TESTS.values())


@pytest.mark.parametrize("name", FORMATS)
def test_each_import_format_has_a_page_and_a_test(name: str) -> None:
    assert name in PAGES[DOCS / "import.md"].casefold()
    tests = [path for path in TESTS if path.parent.name == "importing"]
    assert any(name in path.name or f"importing.{name}" in TESTS[path] for path in tests)
