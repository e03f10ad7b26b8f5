"""Subnets, zones and security groups of a plan, and what the account says about them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from clustergen.base.account import Answer
from clustergen.base.findings import Path, Problem
from clustergen.checking.preflight.case import Case
from clustergen.plan.model import Id, Machine, NodeGroup, Plan, Subnet

SUBNETS: Final = "ec2:DescribeSubnets"
ZONES: Final = "ec2:DescribeAvailabilityZones"
GROUPS: Final = "ec2:DescribeSecurityGroups"
GROUP_RULES: Final = "ec2:DescribeSecurityGroupRules"
TABLES: Final = "ec2:DescribeRouteTables"

Use = Literal["private", "public", "control plane", "own"]


class Given(NamedTuple):
    """A subnet that exists already, as the spec names it."""

    id: str
    path: Path
    use: Use
    zone: str | None = None


def given_subnets(plan: Plan) -> list[Given]:
    """All subnets with an id in the spec, each once."""
    found = {given.id: given for given in reversed([*_given(plan)])}
    return [*reversed(found.values())]


def _given(plan: Plan) -> Iterator[Given]:
    network = plan.network
    yield from _listed(network.private, "private_subnets", "private")
    yield from _listed(network.public, "public_subnets", "public")
    if plan.system:
        yield from _listed(network.control_plane, "control_plane_subnets", "control plane")
    for owner in owners(plan):
        for number, id in enumerate(owner.subnets):
            if isinstance(id, str):
                yield Given(id, owner.at("subnets", number), "own")


def _listed(subnets: Iterable[Subnet], field: str, use: Use) -> Iterator[Given]:
    for number, subnet in enumerate(subnets):
        if isinstance(subnet.id, str):
            yield Given(subnet.id, ("network", field, number), use, subnet.zone)


def owners(plan: Plan) -> tuple[NodeGroup | Machine, ...]:
    """What may have subnets and security groups of its own."""
    return (*plan.node_groups, *plan.machines)


def filtered(name: str, values: Iterable[str]) -> list[dict[str, object]]:
    """A filter, which unlike a list of ids lets a call succeed where some do not exist."""
    return [{"Name": name, "Values": sorted(set(values))}]


def subnets(case: Case) -> Mapping[str, Answer]:
    """The subnets in the spec that exist, by id."""
    ids = [given.id for given in given_subnets(case.plan)]
    return {subnet["SubnetId"]: subnet for subnet in described(case, ids)}


def described(case: Case, ids: Sequence[str]) -> list[Answer]:
    """What the account says about subnets, without those that do not exist."""
    return case.every(SUBNETS, "Subnets", Filters=filtered("subnet-id", ids)) if ids else []


def existing(case: Case) -> Iterator[tuple[Given, Answer]]:
    """The subnets in the spec that exist, and what the account says about them."""
    known = subnets(case)
    for given in given_subnets(case.plan):
        if given.id in known:
            yield given, known[given.id]


def zones(case: Case) -> Mapping[str, Answer]:
    """All zones of the region by name and by id, also Local Zones that are not enabled."""
    found = case.ask(ZONES, AllAvailabilityZones=True).get("AvailabilityZones", ())
    return {name: zone for zone in found for name in (zone["ZoneId"], zone["ZoneName"])}


def security_groups(plan: Plan) -> Mapping[str, Path]:
    """The security groups with an id in the spec, and where they are."""
    found: dict[str, Path] = {}
    if not plan.network.new_security_groups:
        for number, id in enumerate(_ids(plan.network.node_security_groups)):
            found.setdefault(id, ("network", "security_groups", number))
    for owner in owners(plan):
        for number, id in enumerate(owner.security_groups):
            found.setdefault(id, owner.at("security_groups", number))
    if theirs := plan.network.control_plane_security_group:
        found.setdefault(theirs, ("targets", "hyperpod-eks", "eks_security_group"))
    if theirs := plan.network.scheduler_security_group:
        found.setdefault(theirs, ("targets", "pcs", "cluster_security_group"))
    for id in plan.existing.memberships:
        found.setdefault(id, place_of_membership(plan, id))
    return found


def place_of_membership(plan: Plan, id: str) -> Path:
    """The place of a group of an existing cluster that the nodes get."""
    joined = id == plan.existing.security_group
    return ("targets", plan.target, "cluster_security_group" if joined else "eks_security_group")


def group_rules(case: Case, groups: Iterable[str]) -> list[Answer]:
    wanted = filtered("group-id", groups)
    return case.every(GROUP_RULES, "SecurityGroupRules", Filters=wanted)


def vpc_of(plan: Plan) -> str | None:
    """The id of the VPC, if it exists already."""
    return _ids([plan.network.vpc])[0] if not plan.network.new else None


def _ids(given: Iterable[Id]) -> list[str]:
    return [id for id in given if isinstance(id, str)]


def zones_of(case: Case, given: Sequence[Subnet], own: Sequence[Id] = ()) -> set[str]:
    """Ids of the zones of subnets that exist, else of those in the spec; empty if unknown.

    ``own`` subnets take the place of the ``given`` ones.
    """
    known = subnets(case)
    ids = _ids(own or [subnet.id for subnet in given])
    actual = {known[id]["AvailabilityZoneId"] for id in ids if id in known}
    return actual or as_ids(case, (subnet.zone for subnet in given if subnet.zone))


def zones_of_group(case: Case, group: NodeGroup) -> set[str]:
    """Ids of the zones in which nodes of a group start; empty if they are not known."""
    return zones_of(case, case.plan.subnets_of(group), group.subnets)


def as_ids(case: Case, names: Iterable[str]) -> set[str]:
    """The ids of zones that are written as ids or names, without zones that do not exist."""
    known = zones(case)
    return {known[name]["ZoneId"] for name in names if name in known}


def misfits(
    case: Case, cluster: str, groups: Sequence[str], subnets: Sequence[str]
) -> Iterator[Problem]:
    """What keeps nodes from joining an existing cluster that has these groups and subnets."""
    plan, place = case.plan, ("targets", case.traits.section)
    given = plan.existing.security_group
    if given and groups and given not in groups:
        message = f"{given} is not a security group of {cluster}"
        help = f"write {' or '.join(groups)}"
        yield Problem((*place, "cluster_security_group"), message, help)
    vpcs, mine = {subnet["VpcId"] for subnet in described(case, subnets)}, vpc_of(plan)
    if mine and vpcs and mine not in vpcs:
        message = f"{cluster} is in {' and '.join(sorted(vpcs))}, and the nodes in {mine}"
        help = "use a cluster of that VPC, or write its VPC and subnets"
        yield Problem((*place, "cluster"), message, help)
