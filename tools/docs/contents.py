"""The contents of the documentation: the sections of ``docs/README.md`` and the pages they list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
CONTENTS = PurePosixPath("docs/README.md")


class Entry(NamedTuple):
    """A page, with the title that the contents give it."""

    title: str
    page: PurePosixPath
    """Its path from the root of the repository."""


class Section(NamedTuple):
    """A heading of the contents, and what it lists."""

    title: str
    entries: tuple[Entry, ...]


def sections() -> list[Section]:
    """The sections in order."""
    text = (ROOT / CONTENTS).read_text(encoding="utf-8")
    _, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    return [Section(part.partition("\n")[0], tuple(_entries(part))) for part in parts]


def _entries(section: str) -> Iterator[Entry]:
    for title, link in re.findall(r"^- \[([^\]]+)\]\(([^)#]+)\)", section, re.MULTILINE):
        yield Entry(title, resolve(CONTENTS, link))


def resolve(page: PurePosixPath, link: str) -> PurePosixPath:
    """The path from the root of the repository that ``link`` in ``page`` names."""
    parts: list[str] = []
    for part in (page.parent / link).parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return PurePosixPath(*parts)
