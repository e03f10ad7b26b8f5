"""NET011: EFA nodes stay in one zone, whatever subnets there are."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import Plan

RULE = Rule(
    code="NET011",
    title="EFA nodes stay in the first subnet",
    why="EFA traffic does not leave a zone, and neither does a cluster placement group: EFA nodes "
    "go into the first private subnet, and subnets in other zones serve other nodes only.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits",
    severity=Severity.NOTE,
    bad="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets:
    - {id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}
    - {id: subnet-0a1b2c3d4e5f67891, zone: use1-az2}""",
    good="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]""",
)


def check(plan: Plan) -> Iterator[Finding]:
    first = plan.network.private[0].zone
    tight = ", ".join(group.name for group in plan.node_groups if group.efa)
    for index, subnet in enumerate(plan.network.private):
        if tight and subnet.zone != first:
            yield RULE.at(
                ("network", "private_subnets", index),
                f"no node of {tight} starts in {subnet.id}: EFA keeps them in {first}",
                help="put the subnet of the EFA nodes first",
            )
