"""The AWS account that a cluster configuration takes for granted.

Every id that the configuration names exists, with the properties that a careful user would have
seen to: the subnets lie in one VPC, those that a queue lists together lie in different zones, and
a capacity reservation is of the kind, type and size that the queue expects. What such a guess
cannot know is stated by the caller as facts.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

VPC_ID = "vpc-0a1b2c3d4e5f60718"

# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ultraservers.html, read 2026-11-20: a block
# of p6e-gb200 is 9 or 18 instances, even when a queue uses fewer.
_ULTRASERVER_SIZES = (9, 18)

Config = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reservation:
    """A capacity reservation: `capacity_block` distinguishes a Capacity Block from an on-demand
    one."""

    id: str
    instance_type: str
    zone: str
    count: int
    capacity_block: bool


@dataclass(frozen=True, slots=True)
class Account:
    """What exists. `zones` and `cidrs` are by subnet id, `image_types` by AMI id (instance type),
    `volume_types` by FSx volume id (OPENZFS or ONTAP), `groups` by resource group ARN (reservation
    ids); `facts` overlay the entry of any id."""

    region: str
    os: str
    zones: Mapping[str, str]
    cidrs: Mapping[str, str]
    security_groups: tuple[str, ...]
    image_types: Mapping[str, str]
    volume_types: Mapping[str, str]
    reservations: Mapping[str, Reservation]
    groups: Mapping[str, tuple[str, ...]]
    facts: Mapping[str, Mapping[str, Any]]


def account_for(config: Config, facts: Mapping[str, Mapping[str, Any]]) -> Account:
    """The account that `config` expects; one that is malformed expects less, but is no error."""
    region = str(config.get("Region") or "us-east-1")
    zones = _zones(config, region)
    reserved = list(_reserved(config, zones))
    return Account(
        region=region,
        os=str(_map(config, "Image").get("Os")),
        zones=zones,
        cidrs={subnet: f"10.0.{16 * n}.0/20" for n, subnet in enumerate(zones)},
        security_groups=tuple(_security_groups(config)),
        image_types=dict(_image_types(config)),
        volume_types=dict(_volume_types(config)),
        reservations=_merged(reservation for _, reservation in reserved),
        groups=_by_group(reserved),
        facts=facts,
    )


def _map(node: object, key: str) -> Config:
    value = node.get(key) if isinstance(node, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _list(node: object, key: str) -> list[Any]:
    value = node.get(key) if isinstance(node, Mapping) else None
    return value if isinstance(value, list) else []


def _strings(node: object, key: str) -> list[str]:
    return [item for item in _list(node, key) if isinstance(item, str)]


def _queues(config: Config) -> list[Any]:
    return _list(_map(config, "Scheduling"), "SlurmQueues")


def _pools(config: Config) -> list[Any]:
    return _list(_map(config, "LoginNodes"), "Pools")


def _zones(config: Config, region: str) -> dict[str, str]:
    zones: dict[str, str] = {}
    for subnets in _subnet_lists(config):
        taken = {zones[subnet] for subnet in subnets if subnet in zones}
        free = (z for z in (f"{region}{letter}" for letter in "abcdef") if z not in taken)
        zones |= {s: next(free, f"{region}a") for s in dict.fromkeys(subnets) if s not in zones}
    return zones


def _subnet_lists(config: Config) -> Iterator[list[str]]:
    head = _map(_map(config, "HeadNode"), "Networking").get("SubnetId")
    for queue in _queues(config):
        yield _strings(_map(queue, "Networking"), "SubnetIds")
    yield [head] if isinstance(head, str) else []
    for pool in _pools(config):
        yield _strings(_map(pool, "Networking"), "SubnetIds")
    lambdas = _map(_map(config, "DeploymentSettings"), "LambdaFunctionsVpcConfig")
    yield _strings(lambdas, "SubnetIds")


def _security_groups(config: Config) -> list[str]:
    nodes = [_map(config, "HeadNode"), *_queues(config), *_pools(config)]
    networks = [_map(node, "Networking") for node in nodes]
    lambdas = _map(_map(config, "DeploymentSettings"), "LambdaFunctionsVpcConfig")
    named = [
        *(g for n in networks for g in _strings(n, "SecurityGroups")),
        *(g for n in networks for g in _strings(n, "AdditionalSecurityGroups")),
        *_strings(lambdas, "SecurityGroupIds"),
    ]
    return list(dict.fromkeys(named))


def _image_types(config: Config) -> Iterator[tuple[str, str]]:
    """Which instance type each custom AMI is meant for; the last to speak is the head node."""
    default = _map(config, "Image").get("CustomAmi")
    head = _map(config, "HeadNode")
    for node, instance_type in [
        *((queue, _first_type(queue)) for queue in _queues(config)),
        *((pool, pool.get("InstanceType")) for pool in _pools(config) if isinstance(pool, Mapping)),
        (head, head.get("InstanceType")),
    ]:
        image = _map(node, "Image").get("CustomAmi") or default
        if isinstance(image, str) and isinstance(instance_type, str):
            yield image, instance_type


def _volume_types(config: Config) -> Iterator[tuple[str, str]]:
    for storage in _list(config, "SharedStorage"):
        for settings, kind in (("FsxOpenZfsSettings", "OPENZFS"), ("FsxOntapSettings", "ONTAP")):
            volume = _map(storage, settings).get("VolumeId")
            if isinstance(volume, str):
                yield volume, kind


def _first_type(queue: object) -> str | None:
    types = (t for resource in _list(queue, "ComputeResources") for t in _types(resource))
    return next(types, None)


def _types(resource: object) -> list[str]:
    entries = (resource, *_list(resource, "Instances"))
    types = [entry.get("InstanceType") for entry in entries if isinstance(entry, Mapping)]
    return [name for name in types if isinstance(name, str)]


def _reserved(config: Config, zones: Mapping[str, str]) -> Iterator[tuple[str | None, Reservation]]:
    """Each use of a reservation: the ARN of its group, if any, and what it must be."""
    for queue in _queues(config):
        for resource in _list(queue, "ComputeResources"):
            yield from _reserved_by(queue, resource, zones)


def _reserved_by(
    queue: Any, resource: Any, zones: Mapping[str, str]
) -> Iterator[tuple[str | None, Reservation]]:
    target = _map(resource, "CapacityReservationTarget") or _map(queue, "CapacityReservationTarget")
    group = target.get("CapacityReservationResourceGroupArn")
    subnets = _strings(_map(queue, "Networking"), "SubnetIds")
    # A resource without a type takes that of its reservation: any type will do.
    for instance_type in _types(resource) or ["p5.48xlarge"]:
        reservation = Reservation(
            id=str(target.get("CapacityReservationId") or _id_in_group(group, instance_type)),
            instance_type=instance_type,
            zone=zones.get(subnets[0], "") if subnets else "",
            count=_count(resource),
            capacity_block=queue.get("CapacityType") == "CAPACITY_BLOCK",
        )
        if target:
            yield group, reservation


def _id_in_group(group: object, instance_type: str) -> str:
    return "cr-0" + hashlib.sha256(f"{group}{instance_type}".encode()).hexdigest()[:16]


def _count(resource: Mapping[str, Any]) -> int:
    count = resource.get("MaxCount", 10)
    return count if isinstance(count, int) else 10


def _merged(uses: Iterator[Reservation]) -> dict[str, Reservation]:
    by_id: dict[str, list[Reservation]] = defaultdict(list)
    for use in uses:
        by_id[use.id].append(use)
    return {i: _reservation(same) for i, same in by_id.items()}


def _reservation(uses: list[Reservation]) -> Reservation:
    """One reservation that is large enough for all its uses."""
    first, wanted = uses[0], sum(use.count for use in uses)
    ultraserver = first.instance_type.startswith("p6e-gb200")
    sizes = (size for size in _ULTRASERVER_SIZES if size >= wanted) if ultraserver else iter(())
    return Reservation(
        id=first.id,
        instance_type=first.instance_type,
        zone=first.zone,
        count=next(sizes, wanted),
        capacity_block=any(use.capacity_block for use in uses),
    )


def _by_group(reserved: list[tuple[str | None, Reservation]]) -> dict[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for group, reservation in reserved:
        if group:
            groups[group].append(reservation.id)
    return {group: tuple(dict.fromkeys(ids)) for group, ids in groups.items()}
