"""A spec with invalid places removed or replaced by stand-ins.

One run reports everything: an error in one place must not hide findings about others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_core import ValidationError

from clustergen.findings import Finding, Path
from clustergen.spec import core_schema, errors, misspelt, patterns, stand_ins
from clustergen.spec.model import Spec
from clustergen.spec.stand_ins import ABSENT

_ROUNDS = 12
"""Maximum rounds: omitting a value may make its section incomplete, and so on."""


@dataclass(frozen=True, slots=True)
class Remainder:
    """A spec made of the valid parts of ``data``; ``edits`` are the replaced paths."""

    spec: Spec
    written: frozenset[Path]
    """The remaining paths, as in :meth:`clustergen.source.Document.written`."""
    data: Any
    edits: Mapping[Path, Any]
    findings: tuple[Finding, ...] = field(default=())
    """Findings about the form that occur only once other places are valid."""
    misspelt: Mapping[Path, Path] = field(default_factory=dict)
    """Keys as they should be written, with those that are written."""

    def restored(self, finding: Finding) -> Finding | None:
        """The finding with its original path; None if it is about a replaced value."""
        place = self._original(finding.path)
        if place is None:
            return None
        fix = finding.fix.moved(self._original) if finding.fix else None
        same = place == finding.path and fix == finding.fix
        return finding if same else replace(finding, path=place, fix=fix)

    def _original(self, path: Path) -> Path | None:
        path = _original(path, self.data, self.edits)
        if any(path[: len(edit)] == edit for edit in self.edits):
            return None
        return misspelt.moved(path, self.misspelt)


_CAUSES: Mapping[Path, Path] = {
    ("network", field): ("network", "vpc")
    for field in ("private_subnets", "public_subnets", "control_plane_subnets", "security_groups")
}
"""Places that become valid together with another place."""


def remainders(data: Any, bad: Iterable[Path]) -> list[Remainder]:
    """Versions of ``data`` without the places ``bad`` and those with an invalid form.

    There are at most two versions, with different stand-ins.
    """
    meant = misspelt.keys(data, _unknown_keys(data))
    data = misspelt.corrected(data, meant)
    causes = (_CAUSES.get(path, path) for path in bad if path and path not in meant)
    places = list(dict.fromkeys(misspelt.moved(path, meant) for path in causes))
    made = [_remainder(data, places, choice, meant) for choice in (0, -1)]
    found = [each for each in made if each is not None]
    # Most places have one stand-in, such as a key that is left out: one check is enough.
    return found[:1] if all(each == found[0] for each in found) else found


def _unknown_keys(data: Any) -> list[Path]:
    try:
        core_schema.read(data)
    except ValidationError as error:
        return errors.unknown_keys(error, data)
    return []


def _remainder(
    data: Any, bad: Sequence[Path], choice: int, meant: Mapping[Path, Path]
) -> Remainder | None:
    edits: dict[Path, Any] = {}
    found: dict[Finding, None] = {}
    for path in bad:
        _edit(edits, path, data, choice)
    for _ in range(_ROUNDS):
        left = _edited(data, (), edits)
        if isinstance(left, dict):
            _rename(left, data, edits)
            _complete(left, edits)
        try:
            spec = core_schema.read(left)
        except ValidationError as error:
            # Before the edits, which move items of lists.
            for at, finding in [
                (_original(place, data, edits), each)
                for place, each in errors.by_place(error, left)
            ]:
                if not any(_explains(edit, value, at) for edit, value in edits.items()):
                    found[_at(finding, at)] = None
                _edit(edits, at, data, choice)
        else:
            rest = frozenset(_paths(left, ()))
            written = {new: old for old, new in meant.items()}
            placed = (_renamed(f, written) for f in found)
            return Remainder(spec, rest, data, edits, tuple(placed), written)
    return None


def _at(finding: Finding, path: Path) -> Finding:
    """The finding at the beginning of ``path``; a fix at another place is left out."""
    place = path[: len(finding.path)]
    return finding if place == finding.path else replace(finding, path=place, fix=None)


def _renamed(finding: Finding, names: Mapping[Path, Path]) -> Finding:
    """The finding with keys as they are written."""
    place = misspelt.moved(finding.path, names)
    fix = finding.fix.moved(lambda path: misspelt.moved(path, names)) if finding.fix else None
    return replace(finding, path=place, fix=fix)


def _explains(edit: Path, value: Any, at: Path) -> bool:
    """Whether an error at ``at`` is a result of the edit."""
    return at[: len(edit)] == edit or (value is ABSENT and edit[: len(at)] == at)


def _edit(edits: dict[Path, Any], path: Path, data: Any, choice: int) -> None:
    """Replace ``path``; if that did not help before, omit it, and then its parents."""
    within = next((edit for edit in edits if path[: len(edit)] == edit), None)
    if within is None:
        edits[path] = stand_ins.choose(path, _edited(data, (), edits))[choice]
    elif edits[within] is not ABSENT:
        edits[within] = ABSENT
    elif len(within) > 1:
        edits[within[:-1]] = stand_ins.choose(within[:-1], _edited(data, (), edits))[choice]


def _edited(data: Any, here: Path, edits: Mapping[Path, Any]) -> Any:
    """``data`` with ``edits`` applied, including new keys."""
    if here in edits:
        return edits[here]
    if isinstance(data, dict):
        below = [path[len(here)] for path in edits if path[: len(here)] == here]
        added: dict[str, Any] = {
            str(key): {} for key in below if isinstance(key, str) and key not in data
        }
        made = {k: _edited(v, (*here, k), edits) for k, v in (data | added).items()}
        return {key: value for key, value in made.items() if value is not ABSENT}
    if isinstance(data, list):
        items = (_edited(item, (*here, index), edits) for index, item in enumerate(data))
        return [item for item in items if item is not ABSENT]
    return data


def _rename(left: dict[str, Any], data: Any, edits: Mapping[Path, Any]) -> None:
    """Change references in ``left`` to node groups whose name has a stand-in."""
    groups = [path for path in edits if path[:1] == ("node_groups",) and len(path) > 1]
    new = {_written_name(data, path): f"node-groups-{path[1]}" for path in groups}
    names = stand_ins.group_names(left)
    for section in _referring(left):
        references = section.get("node_groups")
        if isinstance(references, list):
            section["node_groups"] = [
                each if each in names or not isinstance(each, str) else _new_name(new, names, each)
                for each in references
            ]


def _new_name(new: Mapping[str, str], names: Sequence[str], old: str) -> str:
    """The new name of a group; a reference may mean the group without a name."""
    name = new.get(old) or new.get("", old)
    return name if name in names else old


def _complete(left: dict[str, Any], edits: Mapping[Path, Any]) -> None:
    """Add what the stand-in for a VPC needs."""
    network = left.get("network")
    if ("network", "vpc") in edits and isinstance(network, dict) and network.get("vpc") != "new":
        network.setdefault("private_subnets", [patterns.EXAMPLES[patterns.SUBNET.regex]])


def _written_name(data: Any, path: Path) -> str:
    """The user's name of the node group that contains ``path``; empty if it is not readable."""
    groups, index = data["node_groups"], path[1]
    group = groups[index] if isinstance(groups, list) and isinstance(index, int) else None
    name = group.get("name") if isinstance(group, dict) else group
    return str(name) if isinstance(name, str | int | float) else ""


def _referring(data: Any) -> Iterator[dict[str, Any]]:
    """The queues and scripts, which name node groups."""
    software = data.get("software")
    scripts = software.get("scripts") if isinstance(software, dict) else None
    for section in (data.get("queues"), scripts):
        for item in section if isinstance(section, list) else ():
            if isinstance(item, dict):
                yield item


def _paths(data: Any, here: Path) -> Iterator[Path]:
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    for step, value in entries:
        yield (*here, step)
        if isinstance(value, dict | list):
            yield from _paths(value, (*here, step))


def _original(path: Path, data: Any, edits: Mapping[Path, Any]) -> Path:
    """``path`` with the original indexes of list items, before others were omitted."""
    restored: Path = ()
    for step in path:
        if isinstance(step, int) and isinstance(data, list):
            index = step + _left_out_before(step, restored, edits)
            data = data[index] if index < len(data) else None
            restored = (*restored, index)
        else:
            data = data.get(step) if isinstance(data, dict) else None
            restored = (*restored, step)
    return restored


def _left_out_before(index: int, list_path: Path, edits: Mapping[Path, Any]) -> int:
    """The number of omitted list items before the one that is now at ``index``."""
    removed = sorted(
        edit[-1]
        for edit, value in edits.items()
        if value is ABSENT and edit[:-1] == list_path and isinstance(edit[-1], int)
    )
    count = 0
    for item in removed:
        count += item <= index + count
    return count
