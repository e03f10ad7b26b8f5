"""Applying the fixes of findings to the files of a spec.

That is done in rounds: fixes that do not overlap are applied, and the spec is checked again.
:func:`fix` works on contents in memory; :func:`clustergen.checking.fixing.files.write` writes them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from clustergen.base.findings import Edit, Finding, errors
from clustergen.checking.compiler import Checked
from clustergen.output import ordered
from clustergen.spec.source import editing, name_of

_ROUNDS = 20
"""Most specs need two rounds: one that fixes, and one that finds nothing more."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Contents = Mapping[str, bytes]
"""Files by the name that the user gave them."""
Check = Callable[[Contents], Checked]
"""Checks a spec, with the given contents in place of those on disk."""
Edits = tuple[Edit, ...]


class Fixed(NamedTuple):
    """A spec after its fixes, or after some of them."""

    checked: Checked
    contents: Contents
    """All files of the spec; those that did not change, too."""
    findings: tuple[Finding, ...]
    """The findings that were fixed; in the state after a round, those of the round."""


def fix(
    contents: Contents,
    check: Check,
    *,
    wanted: Callable[[Finding], bool],
    frozen: Set[str] = frozenset(),
) -> Fixed:
    """Apply the fixes of all ``wanted`` findings of a spec to ``contents``.

    Files in ``frozen`` do not change. Fixes that undo each other, or that cause errors, are left
    out.
    """
    states = [Fixed(check(contents), dict(contents), ())]
    refused: set[Edits] = set()
    while len(states) <= _ROUNDS:
        state = states[-1]
        findings = filter(wanted, state.checked.findings)
        chosen = [each for each in _chosen(findings, contents, frozen) if each[1] not in refused]
        if not chosen:
            break
        after = _applied(state, chosen, check)
        if _errors(after) - _errors(state):
            harmful = [each for each in chosen if _is_harmful(state, each, check)]
            if harmful:
                refused |= {edits for _, edits in harmful}
                continue
            if not _uncovers(state):  # only together: one writes a name that another changes
                chosen = chosen[:1]
                after = _applied(state, chosen, check)
        earlier = [index for index, each in enumerate(states) if each.contents == after.contents]
        if earlier:  # two rules undo the work of each other
            del states[earlier[0] + 1 :]
            break
        states.append(after)
    done = tuple(finding for state in states for finding in state.findings)
    return states[-1]._replace(findings=done)


def _applied(state: Fixed, chosen: Sequence[tuple[Finding, Edits]], check: Check) -> Fixed:
    edits = {edit for _, made in chosen for edit in made}
    contents = {file: _file(text, name_of(file), edits) for file, text in state.contents.items()}
    return Fixed(check(contents), contents, tuple(finding for finding, _ in chosen))


def _is_harmful(state: Fixed, chosen: tuple[Finding, Edits], check: Check) -> bool:
    """Whether a fix alone causes an error of another rule, such as one of another target."""
    after = _applied(state, [chosen], check)
    if state.checked.data is None:  # errors that show once the text can be read are not new
        return after.checked.data is None and _read_until(after) <= _read_until(state)
    return bool(_errors(after) - _errors(state)) and not _uncovers(state)


def _uncovers(state: Fixed) -> bool:
    """Whether errors that show after a fix may have been there before."""
    unread = state.checked.data is None
    return unread or any(finding.fatal for finding in state.checked.findings)


def _read_until(state: Fixed) -> tuple[int, int]:
    """How far a text can be read."""
    spans = [finding.span for finding in state.checked.findings if finding.span]
    return max(((span.line, span.column) for span in spans), default=(0, 0))


def _errors(state: Fixed) -> set[str]:
    return {finding.code for finding in errors(state.checked.findings)}


def _chosen(
    findings: Iterable[Finding], contents: Contents, frozen: Set[str]
) -> list[tuple[Finding, Edits]]:
    """The findings to fix in one round, with their edits, none of which overlap."""
    editable = {name_of(file) for file in contents} - {name_of(file) for file in frozen}
    chosen: list[tuple[Finding, Edits]] = []
    for finding in ordered(findings):
        edits = finding.edits
        if not edits or not {edit.file for edit in edits} <= editable:
            continue
        others = (other for _, other in chosen)
        if not any(other != edits and editing.overlapping(other, edits) for other in others):
            chosen.append((finding, edits))
    return chosen


def edited(content: bytes, name: str, findings: Iterable[Finding]) -> bytes:
    """The contents of a file that findings call ``name``, with all their edits."""
    return _file(content, name, {edit for finding in findings for edit in finding.edits})


def _file(content: bytes, name: str, edits: Set[Edit]) -> bytes:
    mine = [edit for edit in edits if edit.file == name]
    if not mine:
        return content
    mark = _BYTE_ORDER_MARK if content.startswith(_BYTE_ORDER_MARK) else b""
    text = content.decode("utf-8-sig")
    return mark + editing.apply(text, mine).encode("utf-8")
