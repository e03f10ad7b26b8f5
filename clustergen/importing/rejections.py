"""Words that the rules for specs reject: the overlay says the same instead."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from typing import Any

from clustergen.base.findings import Path
from clustergen.base.text_lists import word_set
from clustergen.plan.names import object_name
from clustergen.spec import patterns

_STAND_INS: dict[str, Any] = {"instance_type": "m7i.4xlarge", "instance_types": None, "count": 1}
"""What a node group cannot do without, until the overlay says what it is."""

_WITHOUT_QUEUES = word_set("eks hyperpod-eks")
"""The sections of targets whose documents have no queues."""


def without(spec: dict[str, Any], rejected: Iterable[Path]) -> dict[str, Any]:
    """``spec`` without its values at the paths, or with stand-ins where it needs one."""
    found = copy.deepcopy(spec)
    for path in sorted(set(rejected), key=str, reverse=True):
        _remove(found, path)
    return found


def without_paths(value: Any, paths: Iterable[Path]) -> Any:
    """``value`` without what is at the paths; empty, if one of them is the whole."""
    rejected = set(paths)
    if () in rejected:
        return {}
    found = copy.deepcopy(value)
    for path in sorted(rejected, key=lambda each: [str(step) for step in each], reverse=True):
        node = found
        for step in path[:-1]:
            if isinstance(node, list):
                node = node[step] if isinstance(step, int) and step < len(node) else None
            else:
                node = node.get(step) if isinstance(node, dict) else None
        if isinstance(node, dict):
            node.pop(path[-1], None)
        elif isinstance(node, list) and isinstance(path[-1], int) and path[-1] < len(node):
            del node[path[-1]]
    return found


def _renames_queue(spec: dict[str, Any], group: str) -> bool:
    """Gives the queue of a group another name; whether it had that of the group before.

    A name that only a queue may not have, such as ``prometheus``, is right for a node group.
    Documents of EKS show no queues.
    """
    if not set(spec["targets"]) & _WITHOUT_QUEUES or not re.fullmatch(patterns.NAME.regex, group):
        return False
    names = [str(each.get("name")) for each in spec["node_groups"]]
    queues = spec.setdefault("queues", [{"name": each, "node_groups": [each]} for each in names])
    own = [queue for queue in queues if queue.get("name") == group]
    name = object_name(group)
    for queue in own:
        queue["name"] = name if name != group else f"{group}-queue"
    return bool(own)


def _remove(spec: dict[str, Any], path: Path) -> None:
    match path:
        case ("node_groups", int(index), str(key), *_):
            group = spec["node_groups"][index]
            if key == "name" and _renames_queue(spec, str(group.get("name"))):
                return
            group.pop(key, None)
            if key == "name":
                group["name"] = f"nodes-{index + 1}"
                spec.pop("queues", None)
            if key in _STAND_INS:
                group.pop("instance_types", None)
                group |= {name: _STAND_INS[name] for name in ("instance_type",)}
                group.setdefault("count", 1)
        case ("node_groups", int(index)):
            spec["node_groups"][index] |= {"instance_type": _STAND_INS["instance_type"]}
        case ("network", "vpc" | "private_subnets", *_):
            spec["network"] = {"zone": f"{spec.get('region')}a"}
        case ("storage" | "users", int(index), *_):
            del spec[str(path[0])][index : index + 1]
        case (
            "network" | "head_node" | "login" | "slurm" | "monitoring" | "software",
            str(key),
            *_,
        ):
            spec.get(str(path[0]), {}).pop(key, None)
        case ("targets", str(target), str(key), *_):
            spec["targets"].get(target, {}).pop(key, None)
        case ("name",):
            spec["name"] = "imported"
        case (str(section), *_) if section not in ("version", "region", "node_groups", "targets"):
            spec.pop(section, None)
