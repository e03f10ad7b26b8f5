"""NET012: subnets that lie in their VPC and beside each other."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from clustergen.findings import Finding, Path, Rule
from clustergen.plan.model import Plan

RULE = Rule(
    code="NET012",
    title="Subnet outside the VPC, or over another one",
    why="Subnets are parts of their VPC's block and never overlap: one of the numbers is a slip.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html",
    bad="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  cidr: 10.42.0.0/16
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, cidr: 10.43.0.0/20}]""",
    good="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  cidr: 10.42.0.0/16
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, cidr: 10.42.0.0/20}]""",
)


def check(plan: Plan) -> Iterator[Finding]:
    if plan.network.new:
        return
    # A VPC may have several blocks; the one given is believed to be the one that matters.
    vpc = ipaddress.IPv4Network(plan.network.cidr) if plan.network.cidr else None
    seen: list[tuple[ipaddress.IPv4Network, str]] = []
    for path, id, cidr in _blocks(plan):
        block = ipaddress.IPv4Network(cidr)
        if vpc is not None and not block.subnet_of(vpc):
            yield RULE.at(path, f"{cidr} is not in the VPC's {vpc}", help="correct one of the two")
        for other, name in seen:
            if block.overlaps(other) and name != id:
                yield RULE.at(
                    path, f"{cidr} overlaps {other} of {name}", help="correct one of the two"
                )
        seen.append((block, id))


def _blocks(plan: Plan) -> Iterator[tuple[Path, str, str]]:
    for field in ("private", "public"):
        for index, subnet in enumerate(getattr(plan.network, field)):
            if subnet.cidr:
                yield ("network", f"{field}_subnets", index), str(subnet.id), subnet.cidr
