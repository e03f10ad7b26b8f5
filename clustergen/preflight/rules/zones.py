"""Zones, and the instance types that they offer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from clustergen.catalog import InstanceType, regions
from clustergen.findings import Path, Problem
from clustergen.plan.model import Id, Plan
from clustergen.preflight import network
from clustergen.preflight.case import Case
from clustergen.preflight.rules import listed, rule

OFFERINGS: Final = "ec2:DescribeInstanceTypeOfferings"
EC2: Final = "https://docs.aws.amazon.com/AWSEC2/latest/"


def _zones(plan: Plan) -> Mapping[str, Path]:
    """The zones in the spec, and where they are."""
    found: dict[str, Path] = {}
    if plan.network.zone:
        found[plan.network.zone] = ("network", "zone")
    for given in network.given_subnets(plan):
        if given.zone:
            found.setdefault(given.zone, given.path)
    return found


def _zones_by_hand(plan: Plan) -> str:
    zones = listed(_zones(plan))
    how = f"`aws ec2 describe-availability-zones --region {plan.region} --all-availability-zones`"
    return f"the account can use the zone {zones}: {how}" if zones else ""


@rule(
    "PRE010",
    "The account cannot use the zone",
    why="Zone names are mapped to other zones in each account, new accounts do not see every zone, "
    "and Local Zones have to be enabled.",
    source=f"{EC2}APIReference/API_DescribeAvailabilityZones.html",
    calls=(network.ZONES,),
    by_hand=_zones_by_hand,
    bad="ec2:DescribeAvailabilityZones: {OptInStatus: not-opted-in}",
    good="ec2:DescribeAvailabilityZones: {OptInStatus: opted-in}",
)
def zone(case: Case) -> Iterator[Problem]:
    known = {}
    for each in network.zones(case):
        known[each["ZoneId"]] = known[each["ZoneName"]] = each
    for name, path in _zones(case.plan).items():
        found = known.get(name)
        if found is None:
            ids = ", ".join(sorted({each["ZoneId"] for each in known.values()}))
            yield Problem(path, f"the account has no zone {name}", f"zones: {ids}")
        elif found.get("OptInStatus") == "not-opted-in":
            group = found.get("GroupName") or regions.local_zone_group(name)
            yield Problem(
                path,
                f"the zone {name} is not enabled",
                f"aws ec2 modify-availability-zone-group --region {case.region} --group-name "
                f"{group} --opt-in-status opted-in",
            )
        elif found.get("State") not in ("available", "information"):
            yield Problem(path, f"the zone {name} is {found.get('State')}", "use another zone")


class _Nodes(NamedTuple):
    """Nodes that EC2 starts: one of ``types``, in one of the zones."""

    types: Sequence[InstanceType]
    path: Path
    zones: Sequence[str | None]
    subnets: Sequence[Id]
    """Subnets whose zones count instead, if they exist."""


def _nodes(plan: Plan) -> Iterator[_Nodes]:
    """The nodes of a plan. There is no list of what SageMaker offers in a zone."""
    if plan.system:
        near = plan.network.system
        zones, own = [subnet.zone for subnet in near], [subnet.id for subnet in near]
        yield _Nodes([plan.system.type], plan.system.at("instance_type"), zones, own)
    if plan.sagemaker:
        return
    for machine in (m for m in plan.machines if m is not plan.system):
        given = plan.network.private[:1]
        zones, own = [subnet.zone for subnet in given], [subnet.id for subnet in given]
        at = machine.at("instance_type")
        yield _Nodes([machine.type], at, zones, machine.subnets or own)
    for group in plan.node_groups:
        given = plan.subnets_of(group)
        zones = [subnet.zone for subnet in given]
        own = [subnet.id for subnet in given]
        yield _Nodes(group.types, group.at("instance_type"), zones, group.subnets or own)


def _names(plan: Plan) -> list[str]:
    return sorted({type.name for nodes in _nodes(plan) for type in nodes.types})


def _offerings_by_hand(plan: Plan) -> str:
    names = listed(_names(plan))
    how = (
        f"`aws ec2 describe-instance-type-offerings --region {plan.region} --location-type "
        "availability-zone-id`"
    )
    return f"the zone offers {names}: {how}" if names else ""


@rule(
    "PRE011",
    "The zone does not offer the instance type",
    why="EC2 offers an instance type in some zones of a region only; elsewhere nothing starts.",
    source=f"{EC2}APIReference/API_DescribeInstanceTypeOfferings.html",
    calls=(OFFERINGS, network.ZONES, network.SUBNETS),
    by_hand=_offerings_by_hand,
    bad="ec2:DescribeInstanceTypeOfferings: []",
    good="ec2:DescribeInstanceTypeOfferings: {}",
)
def offering(case: Case) -> Iterator[Problem]:
    offered = _offered(case)
    for nodes in _nodes(case.plan):
        zones = network.zones_of(case, nodes.zones, nodes.subnets)
        for type in nodes.types:
            where = offered.get(type.name, set())
            if not where or (zones and not where & zones):
                place = ", ".join(sorted(zones)) or case.region
                others = f"zones with it: {', '.join(sorted(where))}" if where else ""
                help = others or "use another instance type or region"
                yield Problem(nodes.path, f"{place} does not offer {type.name}", help)


def _offered(case: Case) -> Mapping[str, set[str]]:
    """Ids of the zones that offer each of the types."""
    found: dict[str, set[str]] = {}
    for offering in case.every(
        OFFERINGS,
        "InstanceTypeOfferings",
        LocationType="availability-zone-id",
        Filters=network.filtered("instance-type", _names(case.plan)),
    ):
        found.setdefault(offering["InstanceType"], set()).add(offering["Location"])
    return found
