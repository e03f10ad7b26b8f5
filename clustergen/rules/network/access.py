"""NET013, NET014: who can reach the nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import Plan

OPEN = Rule(
    code="NET013",
    title="SSH from everywhere",
    why="An open port 22 is found and tried within minutes; SSM needs no open port at all.",
    source="https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager.html",
    severity=Severity.WARNING,
    bad="network: {ssh_from: [0.0.0.0/0]}",
    good="network: {ssh_from: [203.0.113.0/24]}",
)
NO_PUBLIC = Rule(
    code="NET014",
    title="SSH from outside, but no public subnet",
    why="Login nodes in a private subnet have no public address: the addresses in ssh_from can "
    "reach them only through a VPN or peering.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/configure-subnets.html",
    severity=Severity.WARNING,
    bad="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  ssh_from: [203.0.113.0/24]""",
    good="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  public_subnets: [subnet-0a1b2c3d4e5f67891]
  ssh_from: [203.0.113.0/24]""",
)
RULES = (OPEN, NO_PUBLIC)


def check(plan: Plan) -> Iterator[Finding]:
    for index, cidr in enumerate(plan.network.ssh_from):
        if cidr in ("0.0.0.0/0", "::/0"):
            yield OPEN.at(
                ("network", "ssh_from", index),
                f"SSH is open to {cidr}",
                help="name your own addresses, or leave ssh_from out and use SSM",
            )
    if plan.network.ssh_from and not plan.network.public:
        yield NO_PUBLIC.at(
            ("network", "ssh_from"),
            "there are no public_subnets for the nodes that ssh_from shall reach",
            help="name public_subnets, or leave ssh_from out and use SSM",
        )
