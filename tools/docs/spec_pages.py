"""The pages of the site on the example specs: one for each file in ``specs/``, and the list."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import yaml

from tools.docs.contents import ROOT

_HEAD = """\
# Example specs

The tests render each of these specs for the targets that it names, and check the bundles with the
validators of the services.

| spec | targets | about |
|---|---|---|
"""


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of each page."""
    files = sorted((ROOT / "specs").glob("*.yaml"))
    yield "specs.md", _HEAD + "".join(_row(file) for file in files)
    for file in files:
        yield f"specs/{file.stem}.md", _page(file)


def _row(file: Path) -> str:
    link = f"[{file.stem}](specs/{file.stem}.md)"
    about = _about(file).partition(". ")[0].rstrip(".")
    return f"| {link} | {', '.join(_targets(file))} | {about} |\n"


def _targets(file: Path) -> list[str]:
    return list(yaml.safe_load(file.read_text(encoding="utf-8")).get("targets", {}))


def _about(file: Path) -> str:
    """The comment at the top of a spec, without the line for editors."""
    _, *lines = file.read_text(encoding="utf-8").splitlines()
    comment = itertools.takewhile(lambda line: line.startswith("#"), lines)
    return " ".join(line.lstrip("# ") for line in comment).strip()


def _page(file: Path) -> str:
    _, *lines = file.read_text(encoding="utf-8").splitlines()
    text = "\n".join(itertools.dropwhile(lambda line: line.startswith("#"), lines))
    targets = ", ".join(f"`{name}`" for name in _targets(file))
    return (
        f"---\norphan: true\n---\n\n[Example specs](../specs.md)\n\n# {file.stem}\n\n"
        f"{_about(file)}\n\nTargets: {targets}.\n\n"
        f"```{{code-block}} yaml\n:caption: specs/{file.name}\n\n{text}\n```\n"
    )
