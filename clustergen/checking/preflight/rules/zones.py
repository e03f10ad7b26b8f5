"""Zones, and the instance types that they offer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from clustergen.base.findings import Path, Problem, rule
from clustergen.checking.preflight import network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import about
from clustergen.facts.catalog import InstanceType, regions
from clustergen.plan.model import Id, Plan, Subnet

OFFERINGS: Final = "ec2:DescribeInstanceTypeOfferings"
EC2: Final = "https://docs.aws.amazon.com/AWSEC2/latest/"


def _zones(plan: Plan) -> Mapping[str, Path]:
    found: dict[str, Path] = {}
    if plan.network.zone:
        found[plan.network.zone] = ("network", "zone")
    for given in network.given_subnets(plan):
        if given.zone:
            found.setdefault(given.zone, given.path)
    return found


@rule(
    "PRE010",
    "The account cannot use the zone",
    why="Zone names are mapped to other zones in each account, new accounts do not see every zone, "
    "and Local Zones have to be enabled.",
    source=f"{EC2}APIReference/API_DescribeAvailabilityZones.html",
    calls=(network.ZONES,),
    by_hand=about(
        _zones,
        "the account can use the zone {names}: `aws ec2 describe-availability-zones --region "
        "{plan.region} --all-availability-zones`",
    ),
    bad="ec2:DescribeAvailabilityZones: {OptInStatus: not-opted-in}",
    good="ec2:DescribeAvailabilityZones: {OptInStatus: opted-in}",
)
def zone(case: Case) -> Iterator[Problem]:
    known = network.zones(case)
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
    given: Sequence[Subnet]
    own: Sequence[Id] = ()
    """Subnets of their own, which take the place of those of the network."""


def _nodes(plan: Plan) -> Iterator[_Nodes]:
    """The nodes of a plan. There is no list of what SageMaker offers in a zone."""
    if plan.system:
        yield _Nodes([plan.system.type], plan.system.at("instance_type"), plan.network.system)
    if plan.sagemaker:
        return
    for machine in (m for m in plan.machines if m is not plan.system):
        given, at = plan.network.private[:1], machine.at("instance_type")
        yield _Nodes([machine.type], at, given, machine.subnets)
    for group in plan.node_groups:
        given, at = plan.subnets_of(group), group.at("instance_type")
        yield _Nodes(group.types, at, given, group.subnets)


def _names(plan: Plan) -> list[str]:
    return sorted({type.name for nodes in _nodes(plan) for type in nodes.types})


@rule(
    "PRE011",
    "The zone does not offer the instance type",
    why="EC2 offers an instance type in some zones of a region only; elsewhere nothing starts.",
    source=f"{EC2}APIReference/API_DescribeInstanceTypeOfferings.html",
    calls=(OFFERINGS, network.ZONES, network.SUBNETS),
    by_hand=about(
        _names,
        "the zone offers {names}: `aws ec2 describe-instance-type-offerings --region "
        "{plan.region} --location-type availability-zone-id`",
    ),
    bad="ec2:DescribeInstanceTypeOfferings: []",
    good="ec2:DescribeInstanceTypeOfferings: {}",
)
def offering(case: Case) -> Iterator[Problem]:
    offered = _offered(case)
    for nodes in _nodes(case.plan):
        zones = network.zones_of(case, nodes.given, nodes.own)
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
    by_id = {"LocationType": "availability-zone-id"}
    wanted = network.filtered("instance-type", _names(case.plan))
    for offering in case.every(OFFERINGS, "InstanceTypeOfferings", **by_id, Filters=wanted):
        found.setdefault(offering["InstanceType"], set()).add(offering["Location"])
    return found
