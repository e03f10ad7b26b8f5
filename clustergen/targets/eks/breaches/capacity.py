"""Capacity Blocks, reservations and Spot: what group and launch template say together.

https://docs.aws.amazon.com/eks/latest/userguide/ml-node-groups.html (2026-11-20)
"""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.targets.eks.breaches.breach import Breach
from clustergen.targets.eks.breaches.resources import Json, Nodes, Template, a_list, a_map

BLOCK, MARKET = "CAPACITY_BLOCK", "capacity-block"


def breaches(_: Template, nodes: Nodes) -> Iterator[Breach]:
    """What keeps instances from starting out of the capacity that is meant."""
    kind = nodes.group.properties.get("CapacityType", "ON_DEMAND")
    if kind == BLOCK:
        yield from _block(nodes)
    elif _market(nodes) == MARKET:
        yield nodes.group.breach(
            "capacity",
            ("CapacityType",),
            f"{kind} with a launch template for a Capacity Block",
            f"write CapacityType: {BLOCK}",
        )
    if nodes.template:
        yield from _target(nodes, str(kind))
    yield from _one_zone(nodes, str(kind))


def _block(nodes: Nodes) -> Iterator[Breach]:
    lacking = [
        member
        for member, there in (
            (f"InstanceMarketOptions.MarketType: {MARKET}", _market(nodes) == MARKET),
            ("CapacityReservationId", "CapacityReservationId" in _reserved(nodes)),
            ("InstanceType", "InstanceType" in nodes.data),
        )
        if not there
    ]
    if lacking:
        yield nodes.group.breach(
            "capacity",
            ("CapacityType",),
            f"a Capacity Block whose launch template lacks {', '.join(lacking)}",
            "add them to the launch template",
        )
    if "AmiType" not in nodes.group.properties and "ImageId" not in nodes.data:
        yield nodes.group.breach(
            "capacity",
            ("AmiType",),
            "a Capacity Block without AmiType",
            "write the type of its image, such as AL2023_x86_64_NVIDIA",
        )
    if "GroupName" in a_map(nodes.data.get("Placement")):
        yield nodes.in_template(
            "capacity",
            ("Placement",),
            "a placement group beside a Capacity Block, which is placed already",
            "leave Placement out",
        )


def _target(nodes: Nodes, kind: str) -> Iterator[Breach]:
    path = ("CapacityReservationSpecification",)
    target = _reserved(nodes)
    if "CapacityReservationId" in target and "CapacityReservationResourceGroupArn" in target:
        yield nodes.in_template(
            "capacity", path, "a reservation by id and by resource group", "leave one of them out"
        )
    preference = a_map(nodes.data.get(path[0])).get("CapacityReservationPreference")
    if target and preference in ("open", "none"):
        yield nodes.in_template(
            "capacity",
            path,
            f"the preference {preference} beside a reservation that is named",
            "leave CapacityReservationPreference out",
        )
    if target and kind == "SPOT":
        yield nodes.group.breach(
            "capacity",
            ("CapacityType",),
            "Spot instances do not come from reservations",
            "write CapacityType: ON_DEMAND, or leave the reservation out",
        )
    if _market(nodes) == MARKET and not target:
        yield nodes.in_template(
            "capacity",
            ("InstanceMarketOptions",),
            f"the market {MARKET} without the block",
            "name it in CapacityReservationSpecification",
        )


def _one_zone(nodes: Nodes, kind: str) -> Iterator[Breach]:
    subnets = a_list(nodes.group.properties.get("Subnets"))
    efa = any(interface.get("InterfaceType") in _EFA for interface in nodes.interfaces)
    if len(subnets) > 1 and (efa or kind == BLOCK):
        what = "a Capacity Block" if kind == BLOCK else "EFA"
        yield nodes.group.breach(
            "capacity",
            ("Subnets",),
            f"{len(subnets)} subnets for {what}, which is in one zone",
            "keep the subnet of that zone",
        )


_EFA = ("efa", "efa-only")


def _market(nodes: Nodes) -> object:
    return a_map(nodes.data.get("InstanceMarketOptions")).get("MarketType")


def _reserved(nodes: Nodes) -> Json:
    specification = a_map(nodes.data.get("CapacityReservationSpecification"))
    return a_map(specification.get("CapacityReservationTarget"))
