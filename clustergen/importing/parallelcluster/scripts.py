"""Custom actions of all nodes, as one list that keeps the order of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clustergen.importing.parallelcluster.nodes import Named
from clustergen.importing.parallelcluster.parts import Json, actions, items, section

_WHEN: Final = {
    "OnNodeStart": "start",
    "OnNodeConfigured": "configured",
    "OnNodeUpdated": "updated",
}


@dataclass(slots=True)
class _Entry:
    """A script of the list, and who runs it: roles, or queues by index."""

    action: Json
    when: str
    runners: set[str | int] = field(default_factory=set)


def merged(config: Json, groups: Sequence[Named]) -> list[Json]:
    """The scripts of the head node, the login nodes and all queues."""
    entries: list[_Entry] = []
    for runner, node in _nodes(config):
        for event, when in _WHEN.items():
            _merge(entries, actions(node, event), when, runner)
    every = {queue for queue, _ in enumerate(items(config, "Scheduling", "SlurmQueues"))}
    return [_script(entry, every, groups) for entry in entries]


def _nodes(config: Json) -> Iterator[tuple[str | int, Json]]:
    yield "head", section(config, "HeadNode")
    pools = items(config, "LoginNodes", "Pools")
    # All pools run the same scripts; others are for the overlay.
    if pools and all(pool.get("CustomActions") == pools[0].get("CustomActions") for pool in pools):
        yield "login", pools[0]
    yield from enumerate(items(config, "Scheduling", "SlurmQueues"))


def _merge(entries: list[_Entry], sequence: list[Json], when: str, runner: str | int) -> None:
    """Add the scripts of one event of one node, in their order, to what others run as well."""
    place = 0
    for action in sequence:
        found = next((i for i in range(place, len(entries)) if _is(entries[i], action, when)), None)
        if found is None or runner in entries[found].runners:
            found = place
            entries.insert(found, _Entry(action, when))
        entries[found].runners.add(runner)
        place = found + 1


def _is(entry: _Entry, action: Json, when: str) -> bool:
    return entry.when == when and entry.action == action


def _script(entry: _Entry, every: set[int], groups: Sequence[Named]) -> Json:
    queues = {runner for runner in entry.runners if isinstance(runner, int)}
    roles: list[Any] = [role for role in ("head", "login") if role in entry.runners]
    roles += ["compute"] if queues else []
    return {
        "run": entry.action["Script"],
        "args": entry.action.get("Args"),
        "on": roles,
        "when": entry.when if entry.when != "configured" else None,
        "node_groups": [each.name for each in groups if each.queue in queues]
        if queues and queues != every
        else None,
    }
