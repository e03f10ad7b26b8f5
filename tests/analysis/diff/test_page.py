"""The page about changes has all kinds and levels."""

import re

from clustergen.bundle.effects.model import KINDS, MEANINGS
from clustergen.commands.diff import LEVELS
from tests.support.paths import DOCS

PAGE = (DOCS / "how-to/change.md").read_text(encoding="utf-8")


def test_the_page_has_the_kinds_in_order() -> None:
    rows = re.findall(r"^\| `([a-z][\w-]+)` \| ([^`\n]+) \|$", PAGE, re.MULTILINE)
    assert rows == [(kind, MEANINGS[kind]) for kind in KINDS]


def test_the_page_has_the_levels() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| `([\w-]+)` \|$", PAGE, re.MULTILINE)
    assert rows == list(LEVELS.items())
