"""Reports of the changes in an overlay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clustergen.findings import Finding, Path
from clustergen.overlay.merging import called, deletes, naming
from clustergen.overlay.rules.changes import CHANGES, IDLE_DELETION
from clustergen.overlay.words import nearest

_SHOWN: Final = 12


@dataclass(frozen=True, slots=True)
class _Change:
    """One leaf of the overlay; ``text`` is its path in the document."""

    path: Path
    text: str
    before: Any
    after: Any


_ABSENT: Final = object()


def _changes(
    base: Any, over: Any, keys: Sequence[str], path: Path = (), text: str = ""
) -> Iterator[_Change]:
    if isinstance(over, Mapping) and over:
        inner = base if isinstance(base, Mapping) else {}
        for key, value in over.items():
            place = f"{text}.{key}" if text else str(key)
            yield from _changes(inner.get(key, _ABSENT), value, keys, (*path, key), place)
    elif isinstance(over, list) and (name := naming(base, over, keys)):
        by_name = {called(item, name): item for item in base}
        for index, item in enumerate(over):
            who = called(item, name)
            inner = by_name.get(who, _ABSENT)
            if deletes(item):
                yield _Change((*path, index), f"{text}[{who}]", inner, None)
                continue
            yield from _changes(inner, item, keys, (*path, index), f"{text}[{who}]")
    elif over is None or base != over:
        yield _Change(path, text, base, over)


def reports(
    document: Mapping[str, Any], overlay: Mapping[str, Any], keys: Sequence[str]
) -> Iterator[Finding]:
    """A note with all changes, and a finding for each deletion of a missing key."""
    changes = list(_changes(document, overlay, keys))
    idle = [change for change in changes if change.after is None and change.before is _ABSENT]
    texts = [_in_words(change) for change in changes if change not in idle]
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    listed = ", ".join(texts[:_SHOWN]) + more
    yield CHANGES.at((), f"overlay changes: {listed}" if listed else "the overlay changes nothing")
    for change in idle:
        message = f"the rendered document has no {change.text} to delete"
        siblings = _at(document, change.path[:-1])
        known = siblings if isinstance(siblings, Mapping) else ()
        yield IDLE_DELETION.at(change.path, message, help=nearest(change.path[-1], known))


def _in_words(change: _Change) -> str:
    return f"{change.text} (deleted)" if change.after is None else change.text


def _at(document: Any, path: Path) -> Any:
    for step in path:
        document = document.get(step) if isinstance(document, Mapping) else None
    return document
