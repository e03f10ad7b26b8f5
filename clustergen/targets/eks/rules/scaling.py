"""Who starts nodes, from which capacity."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.kubernetes import karpenter
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.eks import limits

_KARPENTER = "kubernetes: {autoscaler: karpenter}"
_GROUP = "arn:aws:resource-groups:us-east-1:111122223333:group/held"

UNSCALED = Rule(
    code="CAP500",
    title="Nodes on demand without an autoscaler",
    why="A managed node group starts and stops nodes when it is told to, and nobody tells it.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/autoscaling.html",
    severity=Severity.WARNING,
    target="eks",
    bad="node_groups: [{name: h200, count: {min: 0, max: 4}}]",
    good=f"{_KARPENTER}\nnode_groups: [{{name: h200, count: {{min: 0, max: 4}}}}]",
)
IDLE = Rule(
    code="CAP501",
    title="Autoscaler without anything to scale",
    why="Karpenter scales the groups whose minimum and maximum differ; the others stay as they "
    "are.",
    source=limits.NODE_POOLS,
    severity=Severity.WARNING,
    target="eks",
    bad=_KARPENTER,
    good=f"{_KARPENTER}\nnode_groups: [{{name: h200, count: {{min: 0, max: 4}}}}]",
)
SPOT = Rule(
    code="CAP502",
    title="Spot for nodes that work as one",
    why="A job over EFA stops when one of its nodes does, and Spot takes each of them back on its "
    "own, with two minutes' notice.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-interruptions.html",
    severity=Severity.WARNING,
    target="eks",
    bad="node_groups: [{name: h200, instance_type: p5.48xlarge, capacity: spot}]",
    good="node_groups: [{name: h200, instance_type: g6e.4xlarge, capacity: spot}]",
)
RESERVATION_GROUP = Rule(
    code="CAP503",
    title="Group of reservations for nodes that Karpenter starts",
    why="Karpenter finds reservations by their ids and tags, and knows no resource groups.",
    source=f"{limits.KARPENTER}#speccapacityreservationselectorterms",
    target="eks",
    bad=f"""{_KARPENTER}
node_groups: [{{name: h200, count: {{max: 4}}, capacity: {{reservation_group: '{_GROUP}'}}}}]""",
    good=f"""{_KARPENTER}
node_groups: [{{name: h200, count: {{max: 4}}, capacity: {{reservation: cr-0a1b2c3d4e5f}}}}]""",
)
MINIMUM = Rule(
    code="CAP505",
    title="Nodes that always run, in a group that Karpenter scales",
    why="Karpenter starts nodes for pods that wait, and stops those that are empty, down to none.",
    source=limits.NODE_POOLS,
    severity=Severity.WARNING,
    target="eks",
    bad=f"{_KARPENTER}\nnode_groups: [{{name: h200, count: {{min: 2, max: 4}}}}]",
    good=f"{_KARPENTER}\nnode_groups: [{{name: h200, count: {{min: 0, max: 4}}}}]",
)
BLOCK_START = Rule(
    code="CAP504",
    title="Node group of a Capacity Block begins without nodes",
    why="Nothing starts from a block before it begins, so the group is made empty, and filled on "
    "the day. EKS empties it 40 minutes before the block ends.",
    source=limits.CAPACITY_BLOCKS,
    severity=Severity.NOTE,
    target="eks",
    bad="node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]",
    good="node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]",
)
RULES = (UNSCALED, IDLE, SPOT, RESERVATION_GROUP, MINIMUM, BLOCK_START)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    for group in plan.node_groups:
        if karpenter.is_karpenter(plan, group):
            yield from _by_karpenter(group)
        elif not group.static:
            yield _unscaled(group)
        yield from _bought(plan.name, group)
    if karpenter.is_on(plan) and all(group.static for group in plan.node_groups):
        yield IDLE.at(
            ("kubernetes", "autoscaler"),
            "every node group has a fixed number of nodes",
            help="write count: {min: 0, max: N} where nodes may come and go",
        )


def _unscaled(group: NodeGroup) -> Finding:
    return UNSCALED.at(
        group.at("count"),
        f"{group.name} begins with {group.min} nodes, and nothing starts more on demand",
        help=f"write kubernetes.autoscaler: karpenter, or count: {group.max}",
    )


def _by_karpenter(group: NodeGroup) -> Iterator[Finding]:
    if group.capacity.kind == "reservation-group":
        yield RESERVATION_GROUP.at(
            group.at("capacity"),
            f"Karpenter cannot start {group.name} from a group of reservations",
            help=f"name one reservation, or write count: {group.max}",
        )
    if group.min:
        yield MINIMUM.at(
            group.at("count"),
            f"Karpenter keeps no {group.min} nodes of {group.name} when nothing runs there",
            help=f"write {{min: 0, max: {group.max}}}, and a second group with count: {group.min}",
        )


def _bought(name: str, group: NodeGroup) -> Iterator[Finding]:
    kind = group.capacity.kind
    if kind == "spot" and group.efa and group.max > 1:
        yield SPOT.at(
            group.at("capacity"),
            f"each of the {group.max} EFA nodes of {group.name} can be taken back alone",
            help="take a reservation or a Capacity Block, or write efa: false for jobs of one node",
        )
    if kind == "capacity-block" and group.min:
        yield BLOCK_START.at(
            group.at("capacity"),
            f"{group.name} begins without nodes, for {group.capacity.id} may not have begun",
            help="when it has: aws eks update-nodegroup-config --nodegroup-name "
            f"{group.name} --scaling-config desiredSize={group.max} --cluster-name {name}",
        )
