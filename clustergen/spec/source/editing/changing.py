"""Changes of one text: from a path and a value to replacements of ranges of the text."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from clustergen.base.findings import Change, Path
from clustergen.spec.source.editing import removing
from clustergen.spec.source.editing.inserting import insert
from clustergen.spec.source.editing.layout import Layout, Located, Part, data
from clustergen.spec.source.editing.replacement import NotEditable, Replacement
from clustergen.spec.source.editing.writing import key_of, text_of


class Target(NamedTuple):
    """Where a change begins: the deepest value that exists, and the path from there."""

    located: Located
    rest: Path


def replacements(layout: Layout, target: Target, change: Change) -> list[Replacement]:
    """The replacements that make ``change`` of one text.

    :raises NotEditable: if the text gives no clear place for it.
    """
    if change.kind == "put":
        return [*_put(layout, target.located.part, target.rest, change.value, change.first)]
    if target.rest or not target.located.around:
        raise NotEditable
    parent, step = target.located.around[-1], target.located.path[-1]
    index = _index(parent, step)
    if change.kind == "drop":
        holder = target.located.around[-2] if len(target.located.around) > 1 else None
        return removing.remove(layout, parent, index, holder)
    if change.value in parent.names():
        raise NotEditable
    key = parent.keys[index]
    return [Replacement(key.start, key.end, key_of(str(change.value), key.style or layout.quote))]


def changed(value: Any, path: Path, change: Change) -> Any:
    """The plain data with ``change`` made at ``path``: what an edited text must hold."""
    if not path:
        if change.kind != "put":
            raise NotEditable
        return change.value
    step, rest = path[0], path[1:]
    if value is not None and not isinstance(value, list if isinstance(step, int) else dict):
        raise NotEditable
    if isinstance(step, int):
        items = list(value or ())
        if not rest and change.kind == "drop":
            return items[:step] + items[step + 1 :]
        new = changed(items[step] if step < len(items) else None, rest, change)
        return [*items[:step], new, *items[step + 1 :]]
    entries = dict(value or {})
    if not rest and change.kind == "drop":
        return {key: item for key, item in entries.items() if key != step}
    if not rest and change.kind == "rename":
        return {change.value if k == step else k: item for k, item in entries.items()}
    new = changed(entries.get(step), rest, change)
    if change.first and step not in entries and not rest:
        return {step: new, **entries}
    return {**entries, step: new}


def _put(layout: Layout, part: Part, rest: Path, value: Any, first: bool) -> Iterator[Replacement]:
    if not rest:
        yield from _replaced(layout, part, value)
    elif part.kind == "scalar" and part.value is None:
        yield from _replaced(layout, part, _nested(rest, value))
    elif part.kind == "mapping" and rest[0] in part.names():
        # Of several files, a later one deletes what this one has, or null deletes it here.
        inner = part.parts[part.names().index(str(rest[0]))]
        yield from _put(layout, inner, rest[1:], value, first)
    elif part.kind == "mapping" and isinstance(rest[0], str):
        yield from insert(layout, part, rest[0], _nested(rest[1:], value), first=first)
    elif part.kind == "list" and rest[0] == len(part.parts):
        yield from insert(layout, part, None, _nested(rest[1:], value))
    else:
        raise NotEditable


def _nested(path: Path, value: Any) -> Any:
    for step in reversed(path):
        if isinstance(step, int) and step:
            raise NotEditable
        value = {step: value} if isinstance(step, str) else [value]
    return value


def _replaced(layout: Layout, part: Part, value: Any) -> Iterator[Replacement]:
    """Make ``part`` hold ``value``, with as few replacements as possible."""
    if repr(data(part)) == repr(value):
        return
    if part.kind == "mapping" and isinstance(value, dict) and set(value) & set(part.names()):
        yield from _entries(layout, part, value)
    elif part.kind == "list" and isinstance(value, list) and value:
        yield from _items(layout, part, value)
    else:
        yield _whole(layout, part, value)


def _entries(layout: Layout, part: Part, value: dict[str, Any]) -> Iterator[Replacement]:
    names = part.names()
    for index, name in enumerate(names):
        if name in value:
            yield from _replaced(layout, part.parts[index], value[name])
        else:
            yield from removing.remove(layout, part, index, None)
    for name, item in value.items():
        if name not in names:
            yield from insert(layout, part, name, item)


def _items(layout: Layout, part: Part, value: list[Any]) -> Iterator[Replacement]:
    known = [data(item) for item in part.parts]
    kept = _positions(value, known)
    if kept is not None:
        for index in range(len(known)):
            if index not in kept:
                yield from removing.remove(layout, part, index, None)
        return
    for index, item in enumerate(value):
        if index < len(known):
            yield from _replaced(layout, part.parts[index], item)
        else:
            yield from insert(layout, part, None, item)
    for index in range(len(value), len(known)):
        yield from removing.remove(layout, part, index, None)


def _positions(wanted: list[Any], known: list[Any]) -> set[int] | None:
    """The indexes of ``wanted`` in ``known``; None unless it is ``known`` without some items."""
    positions: list[int] = []
    for item in wanted:
        start = positions[-1] + 1 if positions else 0
        found = next((i for i in range(start, len(known)) if repr(known[i]) == repr(item)), None)
        if found is None:
            return None
        positions.append(found)
    return set(positions) if len(positions) < len(known) else None


def _whole(layout: Layout, part: Part, value: Any) -> Replacement:
    if part.anchor or part.kind == "alias":
        raise NotEditable
    in_flow = _is_in_flow(layout, part)
    quote = part.style if part.style in ("'", '"') and isinstance(value, str) else layout.quote
    text = text_of(value, in_flow=in_flow, quote=quote)
    if part.start == part.end:  # an empty value, right behind its colon or dash
        return Replacement(part.start, part.end, f" {text}")
    if part.kind != "scalar" and not part.style:
        start = _behind_key(layout, part)
        return Replacement(start, part.end, f" {text}")
    return Replacement(part.start, part.end, text)


def _behind_key(layout: Layout, part: Part) -> int:
    """The offset behind the colon or the dash that a block collection follows."""
    before = layout.source[: part.start].rstrip()
    if not before.endswith((":", "-")):
        raise NotEditable
    return len(before)


def _is_in_flow(layout: Layout, part: Part) -> bool:
    around = next(each.around for each in layout.located.values() if each.part is part)
    return any(each.style for each in around)


def _index(parent: Part, step: str | int) -> int:
    return step if isinstance(step, int) else parent.names().index(step)
