"""CAP003: the type is offered where the cluster is."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog import InstanceType, regions
from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import Plan

RULE = Rule(
    code="CAP003",
    title="The type is not offered there",
    why="Instances start only where EC2 has the type. Offerings grow, so this is a warning: it was "
    "true when the catalog was built (`clustergen catalog TYPE` gives the date).",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/"
    "API_DescribeInstanceTypeOfferings.html",
    severity=Severity.WARNING,
    bad="network: {zone: use1-az3}",
    good="network: {zone: use1-az6}",
)


def check(plan: Plan) -> Iterator[Finding]:
    machines: list[tuple[Path, InstanceType]] = [
        (
            group.at("instance_type")
            if len(group.types) == 1
            else group.at("instance_types", index),
            type,
        )
        for group in plan.node_groups
        for index, type in enumerate(group.types)
    ]
    machines += [((*machine.path, "instance_type"), machine.type) for machine in plan.machines]
    for path, type in machines:
        yield from _where(plan, path, type)


def _where(plan: Plan, path: Path, type: InstanceType) -> Iterator[Finding]:
    zone = plan.network.zone
    if type.offered_in(plan.region) is False:
        somewhere = ", ".join(type.regions) or "no surveyed region"
        yield RULE.at(
            path, f"{type.name} is not offered in {plan.region}", help=f"offered in {somewhere}"
        )
    elif zone and regions.is_zone_id(zone) and type.offered_in_zone(zone) is False:
        here = [z for z in type.zone_ids if regions.region_of_zone(z) == plan.region]
        yield RULE.at(
            path,
            f"{type.name} is not offered in {zone}",
            help=f"in {plan.region}: {', '.join(here)}",
        )
