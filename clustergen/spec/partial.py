"""A spec with invalid places removed or replaced by stand-ins.

One run reports everything: an error in one place must not hide findings about others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic_core import ValidationError

from clustergen.base.findings import Finding, Path
from clustergen.spec import core_schema, errors, misspelt, patterns, substitutes
from clustergen.spec.edits import Edits

if TYPE_CHECKING:
    from clustergen.spec.model import Spec

_ROUNDS = 12
"""Maximum rounds: omitting a value may make its section incomplete, and so on."""


@dataclass(frozen=True, slots=True)
class Remainder:
    """A spec made of the valid parts of some data; ``edits`` replaced the others."""

    spec: Spec
    written: frozenset[Path]
    """The remaining paths, as in :meth:`clustergen.spec.source.Document.written`."""
    edits: Edits
    findings: tuple[Finding, ...] = field(default=())
    """Findings about the form that occur only once other places are valid."""
    misspelt: Mapping[Path, Path] = field(default_factory=dict)
    """Keys as they should be written, with those that are written."""

    def restored(self, finding: Finding) -> Finding | None:
        """The finding with its original path; None if it is about a replaced value, or resolved
        by another one in its place."""
        place = self._original(finding.path)
        changes = finding.fix.changes if finding.fix else ()
        if place is None or not all(self._original(change.path) for change in changes):
            return None
        fix = finding.fix.moved(self._original) if finding.fix else None
        same = place == finding.path and fix == finding.fix
        return finding if same else replace(finding, path=place, fix=fix)

    def _original(self, path: Path) -> Path | None:
        path = self.edits.original(path)
        if self.edits.within(path) is not None:
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
    unknown = _unknown_keys(data)
    meant = misspelt.keys(data, unknown)
    data = misspelt.corrected(data, meant)
    gone = dict.fromkeys(path for path in unknown if path not in meant)
    causes = (_CAUSES.get(path, path) for path in bad if path and path not in meant)
    moved = (misspelt.moved(path, meant) for path in causes)
    places = [path for path in dict.fromkeys(moved) if path not in gone]
    made = [_remainder(Edits(data, choice, gone), places, meant) for choice in (0, -1)]
    found = [each for each in made if each is not None]
    # Most places have one stand-in, such as a key that is left out: one check is enough.
    return found[:1] if all(each == found[0] for each in found) else found


def _unknown_keys(data: Any) -> list[Path]:
    try:
        core_schema.read(data)
    except ValidationError as error:
        return errors.unknown_keys(error, data)
    return []


def _remainder(edits: Edits, bad: Sequence[Path], meant: Mapping[Path, Path]) -> Remainder | None:
    found: dict[Finding, None] = {}
    for path in bad:
        edits.replace(path)
    for _ in range(_ROUNDS):
        left = edits.applied()
        if isinstance(left, dict):
            _rename(left, edits)
            _complete(left, edits)
        try:
            spec = core_schema.read(left)
        except ValidationError as error:
            # Before the edits, which move items of lists.
            for at, finding in [
                (edits.original(place), each) for place, each in errors.by_place(error, left)
            ]:
                if not edits.explain(at):
                    found[_at(finding, at)] = None
                edits.replace(at)
        else:
            rest = frozenset(_paths(left, ()))
            written = {new: old for old, new in meant.items()}
            placed = (_renamed(f, written) for f in found)
            return Remainder(spec, rest, edits, tuple(placed), written)
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


def _rename(left: dict[str, Any], edits: Edits) -> None:
    """Change references in ``left`` to node groups whose name has a stand-in."""
    groups = [path for path in edits.made if path[:1] == ("node_groups",) and len(path) > 1]
    new = {_written_name(edits.data, path): f"node-groups-{path[1]}" for path in groups}
    names = frozenset(substitutes.group_names(left))
    for section in _referring(left):
        references = section.get("node_groups")
        if isinstance(references, list):
            section["node_groups"] = [
                each if not isinstance(each, str) or each in names else _new_name(new, names, each)
                for each in references
            ]


def _new_name(new: Mapping[str, str], names: Set[str], old: str) -> str:
    """The new name of a group; a reference may mean the group without a name."""
    name = new.get(old) or new.get("", old)
    return name if name in names else old


def _complete(left: dict[str, Any], edits: Edits) -> None:
    """Add what the stand-in for a VPC needs."""
    network = left.get("network")
    stands_in = ("network", "vpc") in edits.made
    if stands_in and isinstance(network, dict) and network.get("vpc") != "new":
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
