"""Fixing in rounds: fixes that do not overlap are applied, and the spec is checked again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from clustergen.compiler import Checked
from clustergen.findings import Edit, Finding
from clustergen.report import ordered
from clustergen.source import editing, name_of

_ROUNDS = 20
"""Most specs need two rounds: one that fixes, and one that finds nothing more."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Contents = Mapping[str, bytes]
"""Files by the name that the user gave them."""
Check = Callable[[Contents], Checked]
"""Checks a spec, with the given contents in place of those on disk."""


class Fixed(NamedTuple):
    """A spec after its fixes."""

    checked: Checked
    contents: Contents
    """All files of the spec; those that did not change, too."""
    findings: tuple[Finding, ...]
    """The findings that were fixed."""


def fix(
    contents: Contents,
    check: Check,
    *,
    wanted: Callable[[Finding], bool],
    frozen: Set[str] = frozenset(),
) -> Fixed:
    """Apply the fixes of all ``wanted`` findings of a spec to ``contents``.

    Files in ``frozen`` do not change. Fixes that undo each other are left out.
    """
    states: list[Contents] = [dict(contents)]
    fixed: list[tuple[Finding, ...]] = [()]
    checked = check(contents)
    while len(states) <= _ROUNDS:
        chosen = _chosen([f for f in checked.findings if wanted(f)], states[-1], frozen)
        if not chosen:
            break
        edits = {edit for _, edits in chosen for edit in edits}
        contents = _edited(states[-1], edits)
        if contents in states:  # two rules undo the work of each other
            last = states.index(contents)
            del states[last + 1 :], fixed[last + 1 :]
            checked = check(contents)
            break
        states.append(contents)
        fixed.append(tuple(finding for finding, _ in chosen))
        checked = check(contents)
    return Fixed(checked, states[-1], tuple(each for done in fixed for each in done))


def _chosen(
    findings: Sequence[Finding], contents: Contents, frozen: Set[str]
) -> list[tuple[Finding, tuple[Edit, ...]]]:
    """The findings to fix in one round, with their edits, none of which overlap."""
    editable = {name_of(file) for file in contents} - {name_of(file) for file in frozen}
    chosen: list[tuple[Finding, tuple[Edit, ...]]] = []
    for finding, edits in _editable(findings):
        if not {edit.file for edit in edits} <= editable:
            continue
        others = (other for _, other in chosen)
        if not any(other != edits and editing.overlapping(other, edits) for other in others):
            chosen.append((finding, edits))
    return chosen


def _editable(findings: Sequence[Finding]) -> Iterator[tuple[Finding, tuple[Edit, ...]]]:
    for finding in ordered(findings):
        if edits := finding.edits:
            yield finding, edits


def _edited(contents: Contents, edits: Set[Edit]) -> dict[str, bytes]:
    return {file: _file(content, name_of(file), edits) for file, content in contents.items()}


def _file(content: bytes, name: str, edits: Set[Edit]) -> bytes:
    mine = [edit for edit in edits if edit.file == name]
    if not mine:
        return content
    mark = _BYTE_ORDER_MARK if content.startswith(_BYTE_ORDER_MARK) else b""
    text = content.decode("utf-8-sig")
    return mark + editing.apply(text, mine).encode("utf-8")
