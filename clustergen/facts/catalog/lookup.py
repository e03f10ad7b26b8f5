"""Looking up instance types in the catalog, reading only the necessary rows."""

import functools
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from clustergen.facts.catalog import rows
from clustergen.facts.catalog.instance import InstanceType

DATA = Path(__file__).with_name("data")


@functools.cache
def find(name: str) -> InstanceType | None:
    """The instance type with exactly this name, or None; ``explain_missing`` gives the reason."""
    text = _text()
    # A name with a quote or a line end cannot be in the file, and must not match its syntax.
    start = text.find(f'\n{{"name":{json.dumps(name)},') if name.isprintable() else -1
    if start < 0:
        return None
    end = text.index("\n", start + 1)
    return rows.decode(json.loads(text[start + 1 : end]))


@functools.cache
def names() -> tuple[str, ...]:
    """All names in the catalog, sorted."""
    return tuple(sorted(re.findall(r'^\{"name":"([^"]+)"', _text(), flags=re.MULTILINE)))


def every() -> Iterator[InstanceType]:
    """All instance types in the catalog, by name."""
    return containing('"name"')


def containing(text: str) -> Iterator[InstanceType]:
    """The instance types whose row has this text, such as the name of an accelerator."""
    for line in _text().splitlines():
        if text in line:
            yield rows.decode(json.loads(line))


def describe(project: Path, lines: Mapping[str, str]) -> None:
    """Add the rows of types that a project describes, by name, in place of its earlier ones.

    Types of the catalog stay as they are. The rows are there for the rest of the process.
    """
    found = ((name, line, find(name)) for name, line in lines.items())
    _OWN[project] = {name: line for name, line, known in found if not known or known.own}
    for each in (_text, find, names):
        each.cache_clear()


_OWN: dict[Path, Mapping[str, str]] = {}
"""By the folder of a project: an editor has several."""


@functools.cache
def _text() -> str:
    # The empty first line puts a line end before every row, including the first.
    known = (DATA / "instances.jsonl").read_text(encoding="ascii")
    own = {name: line for lines in _OWN.values() for name, line in lines.items()}
    return "\n" + known + "".join(f"{line}\n" for line in own.values())
