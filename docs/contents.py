"""The contents of the documentation: the sections of ``docs/README.md`` and the pages they list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CONTENTS = PurePosixPath("docs/README.md")


class Section(NamedTuple):
    """A heading of the contents, and what it lists: paths from the root of the repository."""

    title: str
    pages: tuple[PurePosixPath, ...]


def sections() -> list[Section]:
    """The sections in order."""
    text = (ROOT / CONTENTS).read_text(encoding="utf-8")
    _, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    return [Section(part.partition("\n")[0], tuple(_pages(part))) for part in parts]


def _pages(section: str) -> Iterator[PurePosixPath]:
    for link in re.findall(r"^- \[[^\]]+\]\(([^)#]+)\)", section, re.MULTILINE):
        yield resolve(CONTENTS, link)


def resolve(page: PurePosixPath, link: str) -> PurePosixPath:
    """The path from the root of the repository that ``link`` in ``page`` names."""
    parts: list[str] = []
    for part in (page.parent / link).parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return PurePosixPath(*parts)
