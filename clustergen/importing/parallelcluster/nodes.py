"""Head node, login nodes, and compute resources as node groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from clustergen.importing.parallelcluster.parts import Json, items, section

_NOBODY = "127.0.0.1/32"
_EVERYONE = "0.0.0.0/0"


class Named(NamedTuple):
    """A compute resource: its name as node group, unique in the cluster, and its place."""

    name: str
    queue: int
    resource: int


def named(config: Json) -> list[Named]:
    """The compute resources; those whose name several queues use begin with that of the queue."""
    queues = items(config, "Scheduling", "SlurmQueues")
    found = [
        (str(queue.get("Name")), str(resource.get("Name")), q, r)
        for q, queue in enumerate(queues)
        for r, resource in enumerate(items(queue, "ComputeResources"))
    ]
    uses = Counter(name for _, name, _, _ in found)
    return [
        Named(name if uses[name] == 1 else f"{queue}-{name}", q, r) for queue, name, q, r in found
    ]


def head(node: Json, image: Json) -> Json:
    return {
        "instance_type": node.get("InstanceType"),
        "image": section(node, "Image").get("CustomAmi") or image.get("CustomAmi"),
        "root_volume": _root_volume(section(node, "LocalStorage", "RootVolume")),
    }


def login(config: Json) -> Json | None:
    """The login nodes, if they are one pool; several are for the overlay."""
    pools = items(config, "LoginNodes", "Pools")
    if len(pools) != 1:
        return None
    pool = pools[0]
    count = pool.get("Count", 1)
    return {
        "instance_type": pool.get("InstanceType"),
        "count": count if count != 1 else None,
        "image": section(pool, "Image").get("CustomAmi")
        or section(config, "Image").get("CustomAmi"),
    }


def access(config: Json) -> Json:
    """Who reaches the cluster, and the security groups of its nodes."""
    return {"ssh_from": _sources(section(config, "HeadNode", "Ssh"))}


def _sources(ssh: Mapping[str, Any]) -> list[str]:
    allowed = str(ssh.get("AllowedIps", _EVERYONE))
    return [] if allowed == _NOBODY else [allowed]


def group(config: Json, place: Named) -> Json:
    """A node group, with what its queue says for all of its compute resources."""
    queue = items(config, "Scheduling", "SlurmQueues")[place.queue]
    resource = items(queue, "ComputeResources")[place.resource]
    settings = section(queue, "ComputeSettings", "LocalStorage")
    efa = section(resource, "Efa")
    return {
        "name": place.name,
        **_types(resource),
        "count": _count(resource),
        "capacity": _capacity(queue, resource),
        "efa": efa.get("Enabled") is True,
        "placement": _placement(section(resource, "Networking", "PlacementGroup")),
        "threads_per_core": 1
        if resource.get("DisableSimultaneousMultithreading") is True
        else None,
        "image": section(queue, "Image").get("CustomAmi")
        or section(config, "Image").get("CustomAmi"),
        "root_volume": _root_volume(section(settings, "RootVolume")),
        "scratch": section(settings, "EphemeralVolume").get("MountDir", "/scratch")
        if "EphemeralVolume" in settings
        else None,
        "health_checks": ["gpu"] if _checks_gpus(resource) else None,
        "slurm": _node_settings(resource),
    }


def _types(resource: Json) -> Json:
    several = [each.get("InstanceType") for each in items(resource, "Instances")]
    return (
        {"instance_types": several} if several else {"instance_type": resource.get("InstanceType")}
    )


def _count(resource: Json) -> Json | int:
    low, high = resource.get("MinCount", 0), resource.get("MaxCount", 10)
    return high if low == high else {"min": low, "max": high}


def _capacity(queue: Json, resource: Json) -> Json | str | None:
    target = section(resource, "CapacityReservationTarget")
    id, group = (
        target.get("CapacityReservationId"),
        target.get("CapacityReservationResourceGroupArn"),
    )
    if queue.get("CapacityType") == "SPOT":
        return "spot"
    if id:
        block = queue.get("CapacityType") == "CAPACITY_BLOCK"
        return {"capacity_block" if block else "reservation": id}
    return {"reservation_group": group} if group else None


def _placement(group: Json) -> Json | str:
    if group.get("Name"):
        return {"group": group["Name"]}
    return "cluster" if group.get("Enabled") is True else "none"


def _root_volume(volume: Json) -> Json:
    size = volume.get("Size")
    kind = volume.get("VolumeType", "gp3")
    return {
        "size": f"{size}GiB" if size else None,
        "type": kind if kind != "gp3" else None,
        "iops": volume.get("Iops"),
        "throughput": volume.get("Throughput"),
    }


def _checks_gpus(resource: Json) -> bool:
    return section(resource, "HealthChecks", "Gpu").get("Enabled") is True


def _node_settings(resource: Json) -> Json:
    """Node parameters; equal priorities are Slurm's Weight."""
    static, dynamic = (resource.get(f"{kind}NodePriority") for kind in ("Static", "Dynamic"))
    weight = {"Weight": static} if static is not None and static == dynamic else {}
    return weight | section(resource, "CustomSlurmSettings")


def partition(settings: Json) -> Json:
    """Partition parameters of a queue."""
    default = str(settings.get("Default", "")).lower() == "yes" or settings.get("Default") is True
    rest = {key: value for key, value in settings.items() if key != "Default"}
    return {"default": True if default else None, "slurm": rest}
