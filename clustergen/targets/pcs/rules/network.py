"""The subnet of the controller."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.plan.model import Plan
from clustergen.targets.pcs import subnets
from clustergen.targets.pcs.rules import rule


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
    if plan.creates_cluster and subnets.controller_subnet(plan) is None:
        yield Problem(
            ("network", "zone"),
            f"{plan.network.zone} is a Local Zone, and no private subnet is in another zone",
            help="use an existing VPC that also has a private subnet in a zone of the region",
        )
