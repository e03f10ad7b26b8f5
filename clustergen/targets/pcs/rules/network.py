"""Where a cluster may be: the region, and the subnet of the controller."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog import services
from clustergen.findings import Problem, Severity
from clustergen.plan.model import Plan
from clustergen.targets.pcs import subnets
from clustergen.targets.pcs.rules import rule


@rule(
    "NET201",
    "PCS is not available in this region",
    why="PCS is not in every region. The message gives the date of the list.",
    source="https://docs.aws.amazon.com/general/latest/gr/pcs.html",
    severity=Severity.WARNING,
    bad="region: us-west-1\nnetwork: {zone: usw1-az1}",
    good="region: us-west-2\nnetwork: {zone: usw2-az1}",
)
def region(plan: Plan) -> Iterator[Problem]:
    if services.available("pcs", plan.region) is False:
        near = ", ".join(services.SERVICES["pcs"].nearest(plan.region))
        yield Problem(
            ("region",),
            f"PCS was not in {plan.region} on {services.SERVICES['pcs'].date}",
            help=f"regions that have it: {near}" if near else "",
        )


@rule(
    "NET202",
    "Controller in a Local Zone",
    why="PCS puts the controller's network interface into one subnet, which cannot be in a Local "
    "Zone.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_NetworkingRequest.html",
    bad="network: {zone: use1-dfw2-az1}",
    good="network: {zone: use1-az6}",
)
def local_zone(plan: Plan) -> Iterator[Problem]:
    if subnets.of_controller(plan) is None:
        yield Problem(
            ("network", "zone"),
            f"{plan.network.zone} is a Local Zone, and no private subnet is elsewhere",
            help="use an existing VPC that also has a private subnet in a zone of the region",
        )
