"""Requests for the nodes of groups whose capacity starts at an unknown time."""

from collections.abc import Iterator

from clustergen.plan.model import NodeGroup, Plan


def undated_blocks(plan: Plan) -> Iterator[NodeGroup]:
    """Groups that deploy.sh leaves without nodes: it is unknown when their capacity starts."""
    for group in plan.node_groups:
        if group.capacity.kind == "capacity-block" and not group.capacity.starts:
            yield group


def command(plan: Plan, group: NodeGroup, sizes: str) -> str:
    where = f"--region {plan.region} --cluster-name {plan.cluster_name}"
    of = f"--nodegroup-name {group.name}"
    return f"aws eks update-nodegroup-config {where} {of} --scaling-config {sizes}"
