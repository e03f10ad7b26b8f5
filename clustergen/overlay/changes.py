"""Reports of the changes in an overlay."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clustergen.base.findings import Finding, Path
from clustergen.overlay.merging import RENAME, called, deletes, likely_name, naming, needs_item
from clustergen.overlay.parts import Json
from clustergen.overlay.rules.changes import CHANGES, IDLE_DELETION
from clustergen.overlay.suggestions import nearest

_SHOWN: Final = 12


@dataclass(frozen=True, slots=True)
class _Change:
    """One leaf of the overlay; ``text`` is its path in the document.

    ``name`` is its key or the name of its item; ``known``, those that the document has there.
    """

    path: Path
    text: str
    before: Any
    after: Any
    name: str = ""
    known: Collection[str] = ()

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to delete or rename."""
        return self.before is _ABSENT and (self.after is None or needs_item(self.after))


_ABSENT: Final = object()


def _changes(
    base: Any, over: Any, keys: Sequence[str], path: Path = (), text: str = ""
) -> Iterator[_Change]:
    if isinstance(over, Mapping) and over:
        inner = base if isinstance(base, Mapping) else {}
        for key, value in over.items():
            place = f"{text}.{key}" if text else str(key)
            if value is None:
                before = inner.get(key, _ABSENT)
                yield _Change((*path, key), place, before, None, str(key), inner)
            else:
                yield from _changes(inner.get(key, _ABSENT), value, keys, (*path, key), place)
    elif isinstance(over, list):
        yield from _of_list(base, over, keys, path, text)
    elif base != over:
        yield _Change(path, text, base, over)


def _of_list(
    base: Any, over: Sequence[Any], keys: Sequence[str], path: Path, text: str
) -> Iterator[_Change]:
    name = naming(base, over, keys)
    by_name = {called(item, name): item for item in base} if name else {}
    known = [str(who) for who in by_name]
    for index, item in enumerate(over):
        who = called(item, name) if name else likely_name(item, keys) or "?"
        found, place, named = by_name.get(who, _ABSENT), (*path, index), f"{text}[{who}]"
        if deletes(item):
            yield _Change(place, named, found, None, str(who), known)
        elif needs_item(item):
            yield _Change(place, named, found, item, str(who), known)
            rest = {key: value for key, value in item.items() if key != RENAME}
            yield from _changes(found, rest, keys, place, named) if found is not _ABSENT else ()
        elif name:
            yield from _changes(found, item, keys, place, named)
    only_directives = over and all(map(needs_item, over))
    if not name and base != over and not only_directives:
        yield _Change(path, text, base, over)


def reports(document: Json, overlay: Json, keys: Sequence[str]) -> Iterator[Finding]:
    """A note with all changes, and a finding for each deletion of a missing key."""
    changes = list(_changes(document, overlay, keys))
    idle = [change for change in changes if change.is_idle]
    texts = [_in_words(change) for change in changes if not change.is_idle]
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    listed = ", ".join(texts[:_SHOWN]) + more
    yield CHANGES.at((), f"overlay changes: {listed}" if listed else "the overlay changes nothing")
    for change in idle:
        verb = "delete" if change.after is None else "rename"
        message = f"the rendered document has no {change.text} to {verb}"
        absent = f"remove {change.name} from the overlay"
        help = nearest(change.name, change.known) if change.known else absent
        yield IDLE_DELETION.at(change.path, message, help=help)


def _in_words(change: _Change) -> str:
    if change.after is None:
        return f"{change.text} (deleted)"
    renamed = isinstance(change.after, Mapping) and RENAME in change.after
    return f"{change.text} (now {change.after[RENAME]})" if renamed else change.text
