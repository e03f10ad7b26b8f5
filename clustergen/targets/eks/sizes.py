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


def most(group: NodeGroup) -> int:
    """The maximum size; EKS requires at least 1."""
    return max(group.max, 1)


def command(plan: Plan, groups: Iterable[NodeGroup]) -> str:
    """The CDK command that sets sizes; the CDK keeps parameters that are not given."""
    stack = plan.stack("eks")
    given = (f"--parameters {stack}:{parameter(g)}={wanted(g) or g.max}" for g in groups)
    return f"npx cdk deploy {stack} -c spec=SPEC -c target=eks {' '.join(given)}"
