"""The code blocks of a page of the documentation, and running them as a reader would.

``python -m tests.support.documents PAGE...`` rewrites the console blocks of pages with what their
commands print now. Review the difference.
"""

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import yaml

from clustergen.cli import main
from tests.support.paths import ROOT

RUN = ("bash", "console", "python")
"""Languages of blocks that the tests run; `sh` is for commands that need AWS or a checkout."""
PARSED: Mapping[str, Callable[[str], Any]] = {
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": lambda text: list(yaml.safe_load_all(text)),
}


_BLOCK = re.compile(
    r"(?:<!-- file: (?P<file>\S+) -->\n)?^(?P<fence>```+)(?P<language>\w+)\n"
    r"(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the file that it is the content of, if any."""

    language: str
    text: str
    file: str


class Ran(NamedTuple):
    """The exit status of a command, and what it printed."""

    status: int
    out: str


def blocks(markdown: str) -> list[Block]:
    """The blocks of a page in order."""
    return [_block(match) for match in _BLOCK.finditer(markdown)]


def _block(match: re.Match[str]) -> Block:
    return Block(match["language"], match["text"], match["file"] or "")


def failures(markdown: str, folder: Path) -> Iterator[str]:
    """What fails when a reader follows the page in `folder`: writes its files, runs its blocks."""
    for block in blocks(markdown):
        yield from _failures(block, folder)


def _failures(block: Block, folder: Path) -> Iterator[str]:
    if block.file:
        path = folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
    elif block.language == "console":
        yield from _unlike(block.text, folder)
    elif block.language in ("bash", "python"):
        python = shlex.join([sys.executable, "-c", block.text])
        done = run(block.text if block.language == "bash" else python, folder)
        if done.status:
            yield f"{block.text}{done.out}"


def _unlike(session: str, folder: Path) -> Iterator[str]:
    """Commands of a console block that print something else than the block shows."""
    for command, shown in _commands(session):
        printed = run(command, folder).out
        if printed.rstrip("\n") != shown.rstrip("\n"):
            yield f"$ {command}\n{printed}"


def _commands(session: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with what the block shows below it."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def refreshed(markdown: str, folder: Path) -> str:
    """The page with console blocks that show what their commands print now."""
    made = ""
    end = 0
    for match in _BLOCK.finditer(markdown):
        block = _block(match)
        list(_failures(block, folder))
        text = _session(block.text, folder) if block.language == "console" else block.text
        made += markdown[end : match.start("text")] + text
        end = match.end("text")
    return made + markdown[end:]


def _session(text: str, folder: Path) -> str:
    return "".join(f"$ {command}\n{run(command, folder).out}" for command, _ in _commands(text))


def run(script: str, folder: Path) -> Ran:
    """Run a script in `folder`: in this process if it is only commands of clustergen."""
    lines = re.sub(r"\\\n\s*", " ", script).splitlines()
    commands = [plain_command(line) for line in lines if line.strip()]
    if not all(commands):
        return _bash(script, folder)
    printed = ""
    for command in commands:
        status, out = _here(command, folder)
        printed += out
        if status:
            return Ran(status, printed)
    return Ran(0, printed)


def plain_command(line: str) -> list[str]:
    """The arguments of a plain command of clustergen; empty if the shell has to read the line."""
    if not line.startswith("clustergen ") or re.search(r"[|&;$`*?]", line):
        return []
    return shlex.split(line, comments=True)[1:]


def _here(arguments: list[str], folder: Path) -> Ran:
    """Run clustergen in this process; `> FILE` as last words take what it prints."""
    into = arguments[-1] if arguments[-2:-1] == [">"] else ""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.dict(os.environ, {"NO_COLOR": "1"}),
    ):
        try:
            status = main(arguments[:-2] if into else arguments)
        except SystemExit as exit:  # argparse leaves this way
            status = int(exit.code or 0)
    if into:
        (folder / into).write_text(out.getvalue(), encoding="utf-8")
        return Ran(status, err.getvalue())
    return Ran(status, out.getvalue() + err.getvalue())


def _bash(script: str, folder: Path) -> Ran:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        # Pytest's options of this run are not those of a reader.
        env={
            **os.environ,
            "PATH": path,
            "PYTHONPATH": str(ROOT),
            "NO_COLOR": "1",
            "PYTEST_ADDOPTS": "",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return Ran(done.returncode, done.stdout + done.stderr)


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as made:
            page.write_text(
                refreshed(page.read_text(encoding="utf-8"), Path(made)), encoding="utf-8"
            )
