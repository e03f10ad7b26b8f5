"""Parts of a cluster configuration that have several spellings."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.importing.machines import items, section

Json = dict[str, Any]
EVERYONE = "0.0.0.0/0"
DCV_PORT = 8443
EVENTS = ("OnNodeStart", "OnNodeConfigured", "OnNodeUpdated")


def actions(node: Mapping[str, Any], event: str) -> list[Json]:
    """The scripts of an event, in order: one, or a sequence."""
    action = section(node, "CustomActions", event)
    sequence = items(action, "Sequence") or ([action] if action.get("Script") else [])
    return [
        {"Script": str(each.get("Script", ""))}
        | ({"Args": [str(word) for word in each["Args"]]} if each.get("Args") else {})
        for each in sequence
    ]


def effective(configuration: Mapping[str, Any]) -> Json:
    """The configuration with every setting where it takes effect."""
    found = dict(configuration)
    if "HeadNode" in found:
        found["HeadNode"] = _with_sequences(section(found, "HeadNode"))
    if items(found, "LoginNodes", "Pools"):
        pools = [_with_sequences(pool) for pool in items(found, "LoginNodes", "Pools")]
        found["LoginNodes"] = {**section(found, "LoginNodes"), "Pools": pools}
    queues = [_queue(queue) for queue in items(found, "Scheduling", "SlurmQueues")]
    found["Scheduling"] = {**section(found, "Scheduling"), "SlurmQueues": queues}
    return found


def _with_sequences(node: Json) -> Json:
    if "CustomActions" not in node:
        return node
    events = {event: actions(node, event) for event in EVENTS}
    return {**node, "CustomActions": {e: {"Sequence": each} for e, each in events.items() if each}}


def _queue(queue: Json) -> Json:
    queue = dict(_with_sequences(queue))
    resources = [dict(each) for each in items(queue, "ComputeResources")]
    group = section(queue, "Networking", "PlacementGroup")
    for resource in resources:
        for key in ("CapacityReservationTarget", "HealthChecks"):
            if key in queue and not resource.get(key):
                resource[key] = queue[key]
        placement = section(resource, "Networking", "PlacementGroup") or group
        resource.pop("Networking", None)
        if found := _placement(placement):
            resource["Networking"] = {"PlacementGroup": found}
    moved = ("CapacityReservationTarget", "HealthChecks")
    rest = {key: value for key, value in queue.items() if key not in moved}
    networking = section(rest, "Networking")
    networking.pop("PlacementGroup", None)
    return {**rest, "Networking": networking, "ComputeResources": resources}


def is_true(value: Any) -> bool:
    return value in (True, "true")


def _placement(group: Json) -> Json:
    """A placement group, whose ``Id`` is another word for ``Name``."""
    name = group.get("Name") or group.get("Id")
    if name:
        return {"Name": name}
    return {"Enabled": is_true(group["Enabled"])} if "Enabled" in group else {}


def without_repetitions(found: Json) -> Json:
    """A normal form without what follows from the rest."""
    allowed = section(found, "HeadNode", "Ssh").get("AllowedIps")
    for pool in items(found, "LoginNodes", "Pools"):
        ssh = section(pool, "Ssh")
        if ssh.get("AllowedIps") in (allowed, EVERYONE if allowed is None else allowed):
            _drop(pool, "Ssh", "AllowedIps")
    queues = items(found, "Scheduling", "SlurmQueues")
    for queue in queues:
        flexible = any(each.get("Instances") for each in items(queue, "ComputeResources"))
        if not flexible:
            queue.pop("AllocationStrategy", None)
    return found


def _drop(node: Json, outer: str, key: str) -> None:
    rest = {k: v for k, v in node.get(outer, {}).items() if k != key}
    if rest:
        node[outer] = rest
    else:
        node.pop(outer, None)


def nodes(configuration: Mapping[str, Any]) -> Iterator[Json]:
    """The head node, the login pools and the queues."""
    yield section(configuration, "HeadNode")
    yield from items(configuration, "LoginNodes", "Pools")
    yield from items(configuration, "Scheduling", "SlurmQueues")
