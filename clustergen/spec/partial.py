"""A spec without the places that are wrong, with stand-ins where it needs them.

One run reports everything: an error in one place must not hide findings about others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_core import ValidationError

from clustergen.findings import Finding, Path
from clustergen.spec import core_schema, errors, patterns, stand_ins
from clustergen.spec.model import Spec
from clustergen.spec.stand_ins import ABSENT

_ROUNDS = 12
"""A place that is left out can leave its section without what it needs, and so on outwards."""


@dataclass(frozen=True, slots=True)
class Remainder:
    """A spec made of what is right in ``data``; ``edits`` are the paths that were replaced."""

    spec: Spec
    written: frozenset[Path]
    """The paths that are left, as :meth:`clustergen.source.Document.written` gives them."""
    data: Any
    edits: Mapping[Path, Any]
    findings: tuple[Finding, ...] = field(default=())
    """What is wrong in form and shows only once other places are right."""

    def restored(self, finding: Finding) -> Finding | None:
        """The finding as one on the whole; None when it is about what was replaced."""
        path = _original(finding.path, self.data, self.edits)
        if any(path[: len(edit)] == edit for edit in self.edits):
            return None
        return replace(finding, path=path)


_CAUSES: Mapping[Path, Path] = {
    ("network", field): ("network", "vpc")
    for field in ("private_subnets", "public_subnets", "control_plane_subnets", "security_groups")
}
"""Places that are right once another place is."""


def remainders(data: Any, bad: Iterable[Path]) -> list[Remainder]:
    """What can be checked of ``data``, apart from the places ``bad`` and those wrong in form.

    There are up to two versions, with different stand-ins.
    """
    places = list(dict.fromkeys(_CAUSES.get(path, path) for path in bad if path))
    made = [_remainder(data, places, choice) for choice in (0, -1)]
    return [each for each in made if each is not None]


def _remainder(data: Any, bad: Sequence[Path], choice: int) -> Remainder | None:
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
            for place, finding in list(errors.by_place(error, left)):
                at = _original(place, data, edits)
                if not any(_explains(edit, value, at) for edit, value in edits.items()):
                    found[replace(finding, path=at[: len(finding.path)])] = None
                _edit(edits, at, data, choice)
        else:
            rest = frozenset(_paths(left, ()))
            return Remainder(spec, rest, data, edits, tuple(found))
    return None


def _explains(edit: Path, value: Any, at: Path) -> bool:
    """Whether an error at ``at`` comes of the edit: of the stand-in, or of what it leaves out."""
    return at[: len(edit)] == edit or (value is ABSENT and edit[: len(at)] == at)


def _edit(edits: dict[Path, Any], path: Path, data: Any, choice: int) -> None:
    """Replace ``path``; where that did not help before, leave it out, and then what is around."""
    within = next((edit for edit in edits if path[: len(edit)] == edit), None)
    if within is None:
        edits[path] = stand_ins.choose(path, _edited(data, (), edits))[choice]
    elif edits[within] is not ABSENT:
        edits[within] = ABSENT
    elif len(within) > 1:
        edits[within[:-1]] = stand_ins.choose(within[:-1], _edited(data, (), edits))[choice]


def _edited(data: Any, here: Path, edits: Mapping[Path, Any]) -> Any:
    """``data`` with ``edits``, keys that it lacks included."""
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
    """Change references in ``left`` to node groups that have a stand-in for their name."""
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
    """The name that a group has now; the group that lacks one may be the one that is meant."""
    name = new.get(old) or new.get("", old)
    return name if name in names else old


def _complete(left: dict[str, Any], edits: Mapping[Path, Any]) -> None:
    """Add what the stand-in for a VPC needs."""
    network = left.get("network")
    if ("network", "vpc") in edits and isinstance(network, dict) and network.get("vpc") != "new":
        network.setdefault("private_subnets", [patterns.EXAMPLES[patterns.SUBNET.regex]])


def _written_name(data: Any, path: Path) -> str:
    """What the user calls the node group that ``path`` is in; empty if nothing readable."""
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
    """``path`` with the indexes that list items had before others were left out before them."""
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
    """How many items before the one that is now at ``index`` were left out of the list."""
    gone = sorted(
        edit[-1]
        for edit, value in edits.items()
        if value is ABSENT and edit[:-1] == list_path and isinstance(edit[-1], int)
    )
    count = 0
    for item in gone:
        count += item <= index + count
    return count
