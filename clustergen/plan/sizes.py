"""How many nodes of a group there are, and when.

``count`` of a node group has a minimum, a maximum, and the number to begin with. What they mean
depends on who starts nodes, and on whether their capacity is reserved, dated or paid for anyway.
"""

from typing import NamedTuple

from clustergen.plan.model import NodeGroup, Plan


class Size(NamedTuple):
    """The size of a group that is asked for a number of nodes, and has them."""

    least: int
    wanted: int
    most: int


def runs_multi_node(group: NodeGroup) -> bool:
    """Whether the jobs of a group on Batch are multi-node parallel jobs: its nodes have EFA.

    Such jobs have whole nodes. Those of other groups run on one node each, several at a time.
    """
    return group.efa and group.max > 1


def without_jobs(plan: Plan, group: NodeGroup) -> int:
    """The nodes that run without jobs: on Batch, jobs over several nodes start all of theirs.

    https://docs.aws.amazon.com/batch/latest/userguide/managed_compute_environments.html
    """
    return 0 if plan.scheduler == "batch" and runs_multi_node(group) else group.min


def on_spot(group: NodeGroup) -> bool:
    """Whether EC2 may have Spot instances for a group that asks for them."""
    return group.capacity.kind == "spot" and all("spot" in t.usage_classes for t in group.types)


def waits(group: NodeGroup) -> bool:
    """Whether jobs wait until the capacity starts: services do that for Capacity Blocks."""
    return group.capacity.kind == "reservation" and group.capacity.starts is not None


def kept_by_slurm(group: NodeGroup) -> int:
    """The nodes that run without jobs: none before the capacity starts, and all until it ends,
    because they are paid for."""
    if waits(group):
        return 0
    return group.max if group.held else group.min


def of_eks(group: NodeGroup) -> Size:
    """The size of a managed node group, which deploy.sh or a schedule requests.

    An autoscaler of the cluster's owner removes no idle node of the minimum. It may remove nodes of
    capacity that ends, which is still reserved then: EKS sets such groups to zero at the end, with
    the minimum that they have. EKS requires a maximum of at least 1.
    """
    ends = group.capacity.kind == "capacity-block" or group.capacity.ends
    return Size(0 if ends else group.min, _requested(group), max(group.max, 1))


def _requested(group: NodeGroup) -> int:
    """Nodes to request once the cluster exists and its capacity has started; 0 for Capacity Blocks
    that start at an unknown time."""
    if group.capacity.starts:
        return group.max
    if group.capacity.kind == "capacity-block":
        return 0
    if group.held:
        return group.max
    return group.min if group.desired is None else group.desired
