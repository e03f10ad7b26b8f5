"""Sizes of managed node groups, which change independently of the spec.

The stack creates every group without nodes: if capacity is short, a group at full size would roll
back the control plane. deploy.sh requests the nodes at the end, and passes the current size to the
stack in each later run.
"""

from __future__ import annotations

from collections.abc import Iterable

from clustergen.aws import cfn
from clustergen.plan.model import NodeGroup, Plan


def parameter(group: NodeGroup) -> str:
    """The parameter of the stack that holds the group's desired size."""
    return cfn.logical_id("size-of-node-group", group.name)


def wanted(group: NodeGroup) -> int:
    """Nodes to request once the cluster exists and its capacity has started; 0 for Capacity Blocks
    that start at an unknown time."""
    if group.capacity.starts:
        return group.max
    if group.capacity.kind == "capacity-block":
        return 0
    if group.held:
        return group.max
    return group.min if group.desired is None else group.desired


def least(group: NodeGroup) -> int:
    """The minimum size, of which an autoscaler of the cluster's owner removes no idle node.

    It may remove nodes of capacity that ends, which is still reserved then: EKS sets such groups to
    zero at the end, with the minimum that they have.
    """
    return 0 if group.capacity.kind == "capacity-block" or group.capacity.ends else group.min


def most(group: NodeGroup) -> int:
    """The maximum size; EKS requires at least 1."""
    return max(group.max, 1)


def command(plan: Plan, groups: Iterable[NodeGroup]) -> str:
    """The CDK command that sets sizes; the CDK keeps parameters that are not given.

    Schedules set those of groups with a start. Empty if all have one.
    """
    given = [_option(plan, g, str(wanted(g) or g.max)) for g in groups if not g.capacity.starts]
    stack = plan.stack("eks")
    return f"npx cdk deploy {stack} -c spec=SPEC -c target=eks {' '.join(given)}" if given else ""


def present(plan: Plan, groups: Iterable[NodeGroup]) -> str:
    """Options of `cdk deploy` for groups that schedules resize: without them, any change of a group
    sends EKS the size of the deployment before."""
    return " ".join(_option(plan, g, "PRESENT_SIZE") for g in groups if g.capacity.starts)


def _option(plan: Plan, group: NodeGroup, size: str) -> str:
    return f"--parameters {plan.stack('eks')}:{parameter(group)}={size}"
