"""Autoscaling and purchase options."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe
from clustergen.plan.model import Plan
from clustergen.plan.sizes import on_spot
from clustergen.services.kubernetes import karpenter
from clustergen.targets.eks import limits, requests
from clustergen.targets.eks.rules import note, rule, warning

_KARPENTER = "kubernetes: {autoscaler: karpenter}"
_GROUP = "arn:aws:resource-groups:us-east-1:111122223333:group/held"


@warning(
    "CAP502",
    "Spot for nodes with EFA",
    why="A job over EFA stops when one of its nodes does, and EC2 reclaims each Spot node "
    "separately, with two minutes' notice.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-interruptions.html",
    bad="node_groups: [{name: h200, instance_type: p5.48xlarge, capacity: spot}]",
    good="node_groups: [{name: h200, instance_type: g6e.4xlarge, capacity: spot}]",
)
def spot(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if on_spot(group) and group.efa and group.max > 1:
            yield Problem(
                group.at("capacity"),
                f"EC2 can reclaim each of the {group.max} EFA nodes of {group.name} separately",
                help="use a reservation or a Capacity Block, or write efa: false for jobs of one "
                "node",
            )


@rule(
    "CAP503",
    "Group of reservations for nodes that Karpenter starts",
    why="Karpenter finds reservations by their ids and tags, not by resource group.",
    source=f"{limits.KARPENTER}#speccapacityreservationselectorterms",
    bad=f"""{_KARPENTER}
node_groups: [{{name: h200, count: {{max: 4}}, capacity: {{reservation_group: '{_GROUP}'}}}}]""",
    good=f"""{_KARPENTER}
node_groups: [{{name: h200, count: {{max: 4}}, capacity: {{reservation: cr-0a1b2c3d4e5f}}}}]""",
)
def reservation_group(plan: Plan) -> Iterator[Problem]:
    for group in karpenter.groups(plan):
        if group.capacity.kind == "reservation-group":
            yield Problem(
                group.at("capacity"),
                f"Karpenter cannot start {group.name} from a group of reservations",
                help=f"name one reservation, or write count: {group.max}",
                fix=unsafe(put(group.at("count"), group.max)),
            )


@warning(
    "CAP505",
    "Nodes that always run, in a group that Karpenter scales",
    why="Karpenter starts nodes for pods that wait, and stops those that are empty, down to none.",
    source=limits.NODE_POOLS,
    bad=f"{_KARPENTER}\nnode_groups: [{{name: h200, count: {{min: 2, max: 4}}}}]",
)
def minimum(plan: Plan) -> Iterator[Problem]:
    return karpenter.without_minimum(karpenter.groups(plan))


@note(
    "CAP504",
    "Node group of a Capacity Block starts empty",
    why="Nothing starts from a block before it begins, so the group is created empty. With "
    "`starts`, a schedule adds the nodes. EKS empties the group 40 minutes before the block ends.",
    source=limits.CAPACITY_BLOCKS,
    bad="node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]",
    good="""node_groups:
  - name: h200
    capacity: {capacity_block: cr-0a1b2c3d4e5f67890, starts: "2026-12-10T11:30:00Z"}""",
)
def block_start(plan: Plan) -> Iterator[Problem]:
    for group in requests.undated_blocks(plan):
        if group.min:
            yield Problem(
                group.at("capacity"),
                f"{group.name} starts without nodes: {group.capacity.id} may not have begun",
                help="write starts beside it, or once it has: aws eks update-nodegroup-config "
                "--nodegroup-name "
                f"{group.name} --scaling-config desiredSize={group.max} "
                f"--cluster-name {plan.cluster_name}",
            )
