"""Sizes of managed node groups, which change independently of the spec.

The stack creates every group without nodes: if capacity is short, a group at full size would roll
back the control plane. deploy.sh requests the nodes at the end, and passes the current size to the
stack in each later run.
"""

from collections.abc import Iterable

from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.sizes import of_eks
from clustergen.services.aws import cfn


def parameter(group: NodeGroup) -> str:
    """The parameter of the stack that holds the group's desired size."""
    return cfn.logical_id("size-of-node-group", group.name)


def command(plan: Plan, groups: Iterable[NodeGroup]) -> str:
    """The CDK command that sets sizes; the CDK keeps parameters that are not given.

    Schedules set those of groups with a start. Empty if no other is to have nodes.
    """
    undated = [group for group in groups if not group.capacity.starts]
    given = [_option(plan, g, str(count)) for g in undated if (count := _asked(g))]
    stack = plan.stack("eks")
    return f"npx cdk deploy {stack} -c spec=SPEC -c target=eks {' '.join(given)}" if given else ""


def _asked(group: NodeGroup) -> int:
    """Of a Capacity Block, all: the command is for when it has started."""
    return of_eks(group).wanted or (group.max if group.capacity.kind == "capacity-block" else 0)


def present(plan: Plan, groups: Iterable[NodeGroup]) -> str:
    """Options of `cdk deploy` for groups that schedules resize: without them, any change of a group
    sends EKS the size of the deployment before."""
    return " ".join(_option(plan, g, "PRESENT_SIZE") for g in groups if g.capacity.starts)


def _option(plan: Plan, group: NodeGroup, size: str) -> str:
    return f"--parameters {plan.stack('eks')}:{parameter(group)}={size}"
