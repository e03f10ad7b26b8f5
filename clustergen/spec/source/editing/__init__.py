"""Edits of a text that change its data: comments, quotes, styles and line breaks stay.

A rule states new data for a path (:class:`clustergen.base.findings.Fix`); :func:`edits` finds the
ranges of the text to replace. It parses the edited text: if that does not hold exactly the new data
and the same comments, there are no edits. Nor are there any where an anchor or a merge key repeats
the value elsewhere, or where the value is not in a file.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import yaml

from clustergen.base.findings import Change, Edit, Fix, Path
from clustergen.spec.source.editing.changing import Target, changed, replacements
from clustergen.spec.source.editing.layout import Kind, Layout, comments_in, layout, line_offsets
from clustergen.spec.source.editing.reading import read
from clustergen.spec.source.editing.replacement import (
    NotEditable,
    Replacement,
    apply_all,
    difference,
    overlap,
)
from clustergen.spec.source.nodes import Node, Text

__all__ = ["apply", "edits", "overlapping"]


def edits(root: Node, texts: Sequence[Text], fix: Fix) -> tuple[Edit, ...]:
    """The edits of ``texts``, merged to ``root``, that make the changes of ``fix``."""
    try:
        by_text: dict[int, list[tuple[Target, Change]]] = {}
        for change in fix.changes:
            index, target = _target(root, texts, change.path)
            by_text.setdefault(index, []).append((target, change))
        made: list[Edit] = []
        for index, changes in by_text.items():
            made += _edits_of(texts[index], changes)
    except NotEditable:
        return ()
    return tuple(made)


def apply(source: str, edits: Iterable[Edit]) -> str:
    """The text ``source``, without a byte order mark, with ``edits``, which do not overlap."""
    lines = line_offsets(source)

    def offset(line: int, column: int) -> int:
        return lines[line] + column if line < len(lines) else len(source)

    ranges = ((offset(e.line, e.column), offset(e.end_line, e.end_column), e.text) for e in edits)
    return apply_all(source, [Replacement(*each) for each in ranges])


def overlapping(first: Iterable[Edit], second: Iterable[Edit]) -> bool:
    """Whether two fixes change the same characters, or insert at the same place."""
    return any(_touch(one, other) for one in first for other in second)


def _touch(one: Edit, other: Edit) -> bool:
    if one.file != other.file:
        return False
    (start, end), (begin, stop) = _ends(one), _ends(other)
    return start <= stop and begin <= end


def _ends(edit: Edit) -> tuple[tuple[int, int], tuple[int, int]]:
    return (edit.line, edit.column), (edit.end_line, edit.end_column)


def _target(root: Node, texts: Sequence[Text], path: Path) -> tuple[int, Target]:
    """The text that holds ``path`` or its nearest parent, and the place there."""
    node, used = root, 0
    for step in path:
        child = node.child(step)
        if child is None:
            break
        node, used = child, used + 1
    index = next((i for i, text in enumerate(texts) if text is node.at.text), None)
    if index is None:
        raise NotEditable
    located = _layout(texts[index].source).find(node.at, _kind(node))
    if located is None:
        raise NotEditable
    return index, Target(located, path[used:])


def _kind(node: Node) -> Kind:
    if isinstance(node.value, dict):
        return "mapping"
    return "list" if isinstance(node.value, tuple) else "scalar"


def _edits_of(text: Text, changes: Sequence[tuple[Target, Change]]) -> list[Edit]:
    """The edits that make all changes of one text, if possible each on its own."""
    found = _layout(text.source)
    wanted = read(text.source)
    for target, change in changes:
        wanted = changed(wanted, (*target.located.path, *target.rest), change)
    for find in (_at_once, _in_turn):
        made = find(found, changes)
        if made and _holds(found, made, wanted):
            return [_edit(found, text.name, each) for each in made]
    raise NotEditable


def _at_once(found: Layout, changes: Sequence[tuple[Target, Change]]) -> list[Replacement]:
    """The replacements for each change on its own; none if they depend on each other."""
    try:
        made = [each for target, c in changes for each in replacements(found, target, c)]
    except NotEditable:
        return []
    made.sort(key=lambda each: each[:2])
    return [] if overlap(made) else made


def _in_turn(found: Layout, changes: Sequence[tuple[Target, Change]]) -> list[Replacement]:
    """One replacement for changes that build on each other, such as two keys of a new section."""
    after = found.source
    for target, change in changes:
        now = _layout(after)
        located, rest = now.nearest((*target.located.path, *target.rest))
        after = apply_all(after, replacements(now, Target(located, rest), change))
    return [difference(found.source, after)]


def _layout(source: str) -> Layout:
    found = layout(source)
    if found is None:
        raise NotEditable
    return found


def _holds(before: Layout, made: list[Replacement], wanted: Any) -> bool:
    """Whether the edited text has the wanted data, and still has its comments."""
    for start, end, text in made:
        lost = Counter(before.comments(start, end)) - Counter(comments_in(text))
        if not all("clustergen:" in comment for comment in lost):
            return False
    try:
        return repr(read(apply_all(before.source, made))) == repr(wanted)
    except yaml.YAMLError:
        return False


def _edit(found: Layout, name: str, replacement: Replacement) -> Edit:
    start, end, text = replacement
    return Edit(name, *found.position(start), *found.position(end), text)
