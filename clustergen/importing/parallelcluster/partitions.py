"""Partitions in slurm.conf besides the queues, over nodes of these."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from clustergen.importing.machines import items, section
from clustergen.importing.parallelcluster.parts import Json
from clustergen.plan import numbers

_HOSTS: Final = re.compile(r"([^\s,\[\]]+)(?:\[([0-9,-]+)\])?(?:,|$)")
_DEFAULT_SIZE: Final = 10
_PARTITION, _NODE_SET = "partitionname", "nodeset"


class Kind(NamedTuple):
    """The static or the dynamic nodes of a compute resource, whose names count from 1."""

    prefix: str
    queue: int
    resource: int
    before: int
    """Nodes of the compute resource before them."""
    size: int


def kinds(config: Json) -> list[Kind]:
    """All nodes, in the order in which clustergen names them."""
    found = []
    for q, queue in enumerate(items(config, "Scheduling", "SlurmQueues")):
        for r, resource in enumerate(items(queue, "ComputeResources")):
            least = int(resource.get("MinCount", 0))
            most = int(resource.get("MaxCount", max(least, _DEFAULT_SIZE)))
            for mark, before, last in (("st", 0, least), ("dy", least, most)):
                name = f"{queue.get('Name')}-{mark}-{resource.get('Name')}-"
                found.append(Kind(name, q, r, before, last - before))
    return found


Nodes = dict[Kind, tuple[range, ...]]
"""Numbers of nodes, by kind."""


def _partitions(config: Json) -> list[tuple[Json, Nodes]]:
    """The lines about partitions, each with its nodes; none if some nodes are unknown."""
    every, sets = kinds(config), _sets(config)
    lines = [line for line in _settings(config) if _word(line) == _PARTITION]
    found = [(line, _resolved(str(line.get("Nodes", "")), every, sets)) for line in lines]
    known = [(line, nodes) for line, nodes in found if nodes]
    return known if len(known) == len(lines) else []


def _settings(config: Json) -> list[Any]:
    return items(config, "Scheduling", "SlurmSettings", "CustomSlurmSettings")


def resolved(config: Json) -> Json:
    """The configuration whose partitions name all of their nodes."""
    scheduling = section(config, "Scheduling")
    settings = section(scheduling, "SlurmSettings")
    if "CustomSlurmSettings" not in settings:
        return config
    settings["CustomSlurmSettings"] = _lines(config)
    return {**config, "Scheduling": {**scheduling, "SlurmSettings": settings}}


def _lines(config: Json) -> list[Any]:
    """The lines of slurm.conf; sets of nodes have no other use, and go if all nodes are known."""
    found = _partitions(config)
    named = [{**line, "Nodes": _text(nodes)} for line, nodes in found]
    gone = (_PARTITION, _NODE_SET) if found else ()
    rest = [line for line in _settings(config) if _word(line) not in gone]
    lines = [*rest, *sorted(named, key=lambda line: not _is_default(line))]
    return [{key: _text_of(value) for key, value in line.items()} for line in lines]


def _text_of(value: Any) -> Any:
    """A value as it is in slurm.conf, where a number is text like any other."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


def _is_default(line: Json) -> bool:
    return str(line.get("Default")).lower() in ("yes", "true")


def _word(line: Any) -> str:
    """What a line of slurm.conf is about, if it is about something with a name."""
    return next(iter(line), "").lower() if isinstance(line, Mapping) else ""


def _sets(config: Json) -> dict[str, str]:
    """Sets of nodes: those of the user, and ParallelCluster's of each queue."""
    found: dict[str, str] = {}
    for q, queue in enumerate(items(config, "Scheduling", "SlurmQueues")):
        mine = (kind for kind in kinds(config) if kind.queue == q and kind.size)
        found[f"{queue.get('Name')}_nodes"] = ",".join(f"{k.prefix}[1-{k.size}]" for k in mine)
    for line in _settings(config):
        if _word(line) == _NODE_SET and set(line) == {"NodeSet", "Nodes"}:
            found[str(line["NodeSet"])] = str(line["Nodes"])
    return found


def _resolved(text: str, every: Sequence[Kind], sets: Mapping[str, str]) -> Nodes | None:
    if text == "ALL":
        return {kind: (range(1, kind.size + 1),) for kind in every if kind.size}
    found: dict[Kind, list[range]] = {}
    for name, given in _HOSTS.findall(text):
        if name in sets:
            inner = {key: value for key, value in sets.items() if key != name}
            more = _resolved(sets[name], every, inner)
        else:
            more = _named(name, given, every)
        if more is None:
            return None
        for kind, parts in more.items():
            found.setdefault(kind, []).extend(parts)
    ordered = {kind: found[kind] for kind in every if kind in found}
    return {kind: numbers.merged(parts) for kind, parts in ordered.items()}


def _named(name: str, given: str, every: Sequence[Kind]) -> Nodes | None:
    """The nodes ``queue-st-resource-[1-4]`` or ``queue-st-resource-1``."""
    prefix = name if given else name.rstrip("0123456789")
    number = given or name.removeprefix(prefix)
    kind = next((kind for kind in every if kind.prefix == prefix), None)
    if kind is None or not number:
        return None
    parts = numbers.ranges(number)
    return {kind: parts} if parts[-1].stop <= kind.size + 1 else None


def _text(nodes: Nodes) -> str:
    return ",".join(
        f"{kind.prefix}[{','.join(f'{p.start}-{p.stop - 1}' for p in parts)}]"
        for kind, parts in nodes.items()
    )


def queues(config: Json, names: Mapping[tuple[int, int], str]) -> Iterator[Json]:
    """The partitions as queues; ``names`` has the node group of each queue and resource."""
    sizes: dict[str, int] = {}
    for kind in kinds(config):
        group = names[kind.queue, kind.resource]
        sizes[group] = sizes.get(group, 0) + kind.size
    for line, nodes in _partitions(config):
        parts: dict[str, list[range]] = {}
        for kind, found in nodes.items():
            moved = (range(p.start + kind.before, p.stop + kind.before) for p in found)
            parts.setdefault(names[kind.queue, kind.resource], []).extend(moved)
        some = {
            group: numbers.text(merged)
            for group, each in parts.items()
            if sum(map(len, merged := numbers.merged(each))) < sizes[group]
        }
        yield _queue(line, list(parts), some)


def _queue(line: Json, groups: list[str], some: Mapping[str, str]) -> Json:
    rest = {key: value for key, value in line.items() if key not in ("PartitionName", "Nodes")}
    exclusive = str(rest.get("OverSubscribe", "")).upper() == "EXCLUSIVE"
    if exclusive:
        del rest["OverSubscribe"]
    rest.pop("Default", None)
    return {
        "name": line["PartitionName"],
        "node_groups": groups,
        "nodes": dict(some),
        "exclusive": True if exclusive else None,
        "default": True if _is_default(line) else None,
        "slurm": rest,
    }
