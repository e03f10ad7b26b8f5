"""How many nodes a managed node group has, which changes without the spec.

The stack makes every group without nodes: where capacity is short, a group at full size would roll
the control plane back with it. deploy.sh asks for the nodes at the end, and passes the present
size to the stack at each later run.
"""

from __future__ import annotations

from collections.abc import Iterable

from clustergen.aws import cfn
from clustergen.plan.model import NodeGroup, Plan


def parameter(group: NodeGroup) -> str:
    """The parameter of the stack that holds the group's desired size."""
    return cfn.logical_id("size-of-node-group", group.name)


def wanted(group: NodeGroup) -> int:
    """Nodes to ask for once the cluster is there; none from a Capacity Block before it begins."""
    return 0 if group.capacity.kind == "capacity-block" else group.min


def most(group: NodeGroup) -> int:
    """EKS wants room for one node at least."""
    return max(group.max, 1)


def command(plan: Plan, groups: Iterable[NodeGroup]) -> str:
    """How the CDK sets sizes; it passes the parameters again that it is not given."""
    stack = f"{plan.name}-eks"
    given = (f"--parameters {stack}:{parameter(g)}={wanted(g) or g.max}" for g in groups)
    return f"npx cdk deploy {stack} -c spec=SPEC -c target=eks {' '.join(given)}"
