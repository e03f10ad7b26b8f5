"""Words that the rules for specs reject: other names, or the overlay says the same instead."""

import copy
import re
from collections.abc import Iterable, Mapping
from typing import Any

from clustergen.base.findings import Path
from clustergen.base.text_lists import word_set
from clustergen.plan.names import object_name
from clustergen.spec import patterns

Json = dict[str, Any]

_IDENTITY = word_set("name instance_type instance_types count")
"""What a node group cannot do without: no stand-in could be true."""
_MEMBERS = word_set("name node_groups")
"""What a queue cannot do without."""
_NEEDED = word_set("version name region network node_groups targets")
_WITHOUT_QUEUES = word_set("eks hyperpod-eks")
"""The sections of targets whose documents have no queues."""


def without(spec: Json, rejected: Iterable[Path]) -> Json:
    """``spec`` without its values at the paths, but for those that it cannot do without."""
    found = copy.deepcopy(spec)
    for path in _from_the_end(rejected):
        _remove(found, path)
    return found


def _from_the_end(paths: Iterable[Path]) -> list[Path]:
    """The paths, each before those that move when it is deleted."""

    def order(path: Path) -> list[tuple[int, str]]:
        return [(step, "") if isinstance(step, int) else (-1, step) for step in path]

    return sorted(set(paths), key=order, reverse=True)


def queue_names(spec: Json, rejected: Iterable[Path]) -> dict[str, str]:
    """Names for queues that cannot have those of their node groups, by node group.

    A name that only a queue may not have, such as ``prometheus``, is right for a node group.
    Documents of EKS show no queues.
    """
    if not set(spec["targets"]) & _WITHOUT_QUEUES:
        return {}
    groups = [str(each.get("name")) for each in spec["node_groups"]]
    named = {queue["name"] for queue in _queues(spec)}
    taken, found = {*groups, *named}, {}
    for path in rejected:
        match path:
            case ("node_groups", int(index), "name") if groups[index] in named and re.fullmatch(
                patterns.NAME.regex, groups[index]
            ):
                name = object_name(groups[index])
                while name in taken:
                    name += "-queue"
                taken.add(name)
                found[groups[index]] = name
    return found


def with_queue_names(spec: Json, names: Mapping[str, str]) -> Json:
    """``spec`` with queues of other names, by node group."""
    renamed = [{**each, "name": names.get(each["name"], each["name"])} for each in _queues(spec)]
    return {**spec, "queues": renamed}


def _queues(spec: Json) -> list[Json]:
    """The queues; where the spec has none, each node group has one of its name."""
    names = [str(each.get("name")) for each in spec["node_groups"]]
    return spec.get("queues") or [{"name": each, "node_groups": [each]} for each in names]


def _remove(spec: Json, path: Path) -> None:
    match path:
        case ("node_groups", int(index), str(key), *_) if key not in _IDENTITY:
            spec["node_groups"][index].pop(key, None)
        case ("queues", int(index), str(key), *_) if key not in _MEMBERS:
            spec["queues"][index].pop(key, None)
        case (
            ("queues", *_) | ("storage", int(), "name") | ("network", "vpc" | "private_subnets", *_)
        ):
            pass  # the document needs it
        case ("storage" | "users", int(index), *_):
            del spec[str(path[0])][index : index + 1]
        case (
            "network" | "head_node" | "login" | "slurm" | "monitoring" | "software" | "tags",
            str(key),
            *_,
        ):
            spec.get(str(path[0]), {}).pop(key, None)
        case ("targets", str(target), str(key), *_):
            spec["targets"].get(target, {}).pop(key, None)
        case (str(section), *_) if section not in _NEEDED:
            spec.pop(section, None)
