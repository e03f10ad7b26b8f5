"""The scripts of all nodes as one list that keeps the order of each."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from clustergen.base.artifacts import Json


class Run(NamedTuple):
    """The scripts that some nodes run at one time, in order."""

    role: str
    """``head``, ``login`` or ``compute``."""
    groups: tuple[str, ...]
    when: str
    scripts: list[Json]


@dataclass(slots=True)
class _Entry:
    """A script of the list, and who runs it."""

    script: Json
    when: str
    runners: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)


def merged(runs: Iterable[Run]) -> list[Json]:
    """``software.scripts`` for what nodes run."""
    entries: list[_Entry] = []
    known = list(runs)
    for run in known:
        _merge(entries, run)
    every = dict.fromkeys(name for run in known if run.role == "compute" for name in run.groups)
    return [_script(entry, list(every)) for entry in entries]


def _merge(entries: list[_Entry], run: Run) -> None:
    """Add the scripts of some nodes, in their order, to what others run as well."""
    place, runner = 0, (run.role, run.groups)
    for script in run.scripts:
        same = (i for i, e in enumerate(entries) if (e.script, e.when) == (script, run.when))
        found = next((i for i in same if i >= place), None)
        if found is None or runner in entries[found].runners:
            found = place
            entries.insert(found, _Entry(script, run.when))
        entries[found].runners.add(runner)
        place = found + 1


def _script(entry: _Entry, every: list[str]) -> Json:
    used = {name for role, groups in entry.runners if role == "compute" for name in groups}
    found = {role for role, _ in entry.runners}
    roles: list[Any] = [role for role in ("head", "login", "compute") if role in found]
    return {
        **entry.script,
        "on": roles,
        "when": entry.when if entry.when != "configured" else None,
        "node_groups": [name for name in every if name in used]
        if used and used != set(every)
        else None,
    }
