"""CAP009: UltraServers come whole."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan

RULE = Rule(
    code="CAP009",
    title="Not a whole number of UltraServers",
    why="P6e-GB200 is sold as UltraServers of 9 or 18 instances that share one NVLink domain.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-ultraservers.html",
    bad="""node_groups:
  - {name: h200, instance_type: p6e-gb200.36xlarge, count: 16,
     capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}""",
    good="""node_groups:
  - {name: h200, instance_type: p6e-gb200.36xlarge, count: 18,
     capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}""",
)

INSTANCES = 9


def check(plan: Plan) -> Iterator[Finding]:
    for group in plan.node_groups:
        extra = group.max % INSTANCES
        if extra and group.type.family == "p6e-gb200":
            below, above = group.max - extra, group.max - extra + INSTANCES
            nearest = f"{below} or {above}" if below else str(above)
            yield RULE.at(
                group.at("count"),
                f"{group.max} instances are not whole UltraServers of {INSTANCES}",
                help=f"write {nearest}",
            )
