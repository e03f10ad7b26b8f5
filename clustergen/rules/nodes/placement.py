"""PLC001 to PLC003: placement groups where they help, and only there."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import NodeGroup, Plan

_GUIDE = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html"

NO_CLUSTER = Rule(
    code="PLC001",
    title="The type does not go into a cluster placement group",
    why="EC2 refuses to start it there.",
    source=_GUIDE,
    bad="node_groups: [{name: h200, instance_type: vt1.24xlarge, placement: cluster}]",
    good="node_groups: [{name: h200, instance_type: vt1.24xlarge, placement: none}]",
)
RESERVED = Rule(
    code="PLC002",
    title="A placement group beside a reservation",
    why="The reservation or block has fixed where its instances are; a placement group of the "
    "cluster's own lies elsewhere, and instances fail to start for want of capacity.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html",
    severity=Severity.WARNING,
    bad="""node_groups:
  - {name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}, placement: cluster}""",
    good="""node_groups:
  - {name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}, placement: auto}""",
)
SCATTERED = Rule(
    code="PLC003",
    title="EFA nodes without a placement group",
    why="On-Demand nodes that nothing holds together may be far apart, which costs latency in "
    "every collective operation.",
    source=_GUIDE,
    severity=Severity.WARNING,
    bad="node_groups: [{name: h200, placement: none}]",
    good="node_groups: [{name: h200, placement: auto}]",
)
RULES = (NO_CLUSTER, RESERVED, SCATTERED)


def check(plan: Plan) -> Iterator[Finding]:
    for group in plan.node_groups:
        yield from _group(group)
        if not plan.sagemaker:
            yield from _scattered(group)


def _group(group: NodeGroup) -> Iterator[Finding]:
    bought = group.capacity.kind
    if group.placement.kind == "cluster":
        for type in group.types:
            if "cluster" not in type.placement:
                yield NO_CLUSTER.at(
                    group.at("placement"),
                    f"{type.name} does not go into a cluster placement group",
                    help="write placement: none",
                )
        if bought not in ("on-demand", "spot"):
            yield RESERVED.at(
                group.at("placement"),
                f"a placement group beside the {bought} {group.capacity.id or ''}".rstrip(),
                help="write placement: auto",
            )


def _scattered(group: NodeGroup) -> Iterator[Finding]:
    loose = group.placement.kind == "none" and group.capacity.kind == "on-demand"
    if loose and group.efa and group.max > 1:
        yield SCATTERED.at(
            group.at("placement"),
            f"{group.max} EFA nodes may start far from each other",
            help="write placement: auto",
        )
