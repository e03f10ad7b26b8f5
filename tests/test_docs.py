"""The documentation is what the code does: generated pages, and every command of the README."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the file that it is the content of, if any."""

    language: str
    text: str
    file: str


def blocks(markdown: str) -> list[Block]:
    found = re.finditer(
        r"(?:<!-- file: (?P<file>\S+) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
        markdown,
        re.MULTILINE | re.DOTALL,
    )
    return [Block(m["language"], m["text"], m["file"] or "") for m in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the README shows."""
    made = tmp_path_factory.mktemp("readme")
    for block in blocks(README):
        if block.file:
            (made / block.file).write_text(block.text, encoding="utf-8")
    return made


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euc", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_commands_of_the_readme_work(folder: Path) -> None:
    commands = [block.text for block in blocks(README) if block.language == "bash"]
    assert commands
    for command in commands:  # in order: each may build on those before
        done = run(command, folder)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def test_the_readme_shows_what_the_commands_print(folder: Path) -> None:
    shown = [block.text for block in blocks(README) if block.language == "console"]
    assert shown
    for text in shown:
        command, _, expected = text.partition("\n")
        done = run(command.removeprefix("$ "), folder)
        assert done.stdout + done.stderr == expected


def test_the_readme_as_a_library(folder: Path) -> None:
    (code,) = (block.text for block in blocks(README) if block.language == "python")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("FSX004 ")


def test_ci_runs_the_commands_of_the_readme() -> None:
    set_up = [b.text.strip() for b in blocks(README) if b.text.startswith("python3 -m venv")]
    assert len(set_up) == 2
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert [line for line in set_up if line not in ci] == []


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "docs/build.py", "--check"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_have_targets(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(
        r"(?<!`)\[[^\]\n]+\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)
    )
    targets = [link for link in links if not link.startswith(("http://", "https://"))]
    assert [link for link in targets if not leads(page, link)] == []


def leads(page: Path, link: str) -> bool:
    file, _, anchor = link.partition("#")
    target = page.parent / file if file else page
    return target.exists() and (not anchor or anchor in anchors(target.read_text(encoding="utf-8")))


def anchors(markdown: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", markdown, re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return made | set(re.findall(r'<a id="([^"]+)">', markdown))


NAMED = re.findall(r"^\| `([\w./<>*{},-]+)`", CONTRIBUTING, re.MULTILINE)


@pytest.mark.parametrize("path", [name for name in NAMED if "/" in name or "." in name])
def test_contributing_names_files_that_exist(path: str) -> None:
    pattern = re.sub(r"<[^>]+>", "*", path)
    assert list(ROOT.glob(pattern)), path
