"""Roles of nodes: one for managed node groups, one for Karpenter's nodes, and those of groups."""

from collections.abc import Iterator
from typing import Final

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.aws import cfn
from clustergen.services.eks import addons, control_plane, roles
from clustergen.services.foundation import access
from clustergen.services.kubernetes import karpenter

NODE_ROLE = "NodeRole"
"""The logical id of the role of the nodes of managed node groups."""
KARPENTER_ROLE = "KarpenterNodeRole"
"""That of the nodes that Karpenter starts."""
CNI_POLICIES = addons.VPC_CNI.policies
"""For the nodes of an existing cluster: its VPC CNI may have no role, and use that of the nodes.
https://docs.aws.amazon.com/eks/latest/userguide/cni-iam-role.html"""
_ENTRY = "KarpenterNodeAccess"
_JOINS: Final = {"Type": "EC2_LINUX"}


def resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    """The shared roles, and a role for each group with permissions of its own."""
    yield NODE_ROLE, _role(plan)
    if karpenter.is_on(plan):
        yield KARPENTER_ROLE, _role(plan)
    for group in plan.node_groups:
        if group.iam.adds:
            yield _own_id(plan, group), _role(plan, group)
    yield from _entries(plan)
    for output, role in _profiles(plan).items():
        profile = {"Roles": [role]}
        yield _profile_id(output), cfn.resource("AWS::IAM::InstanceProfile", profile)


def arn(plan: Plan, group: NodeGroup) -> Json | str:
    """The role of a group's nodes."""
    if group.iam.role:
        return group.iam.role
    shared = KARPENTER_ROLE if karpenter.is_karpenter(plan, group) else NODE_ROLE
    return cfn.get_att(_own_id(plan, group) if group.iam.adds else shared, "Arn")


def passed(plan: Plan) -> list[Json | str]:
    """The roles that Karpenter gives to instances."""
    found: list[Json | str] = [cfn.get_att(KARPENTER_ROLE, "Arn")]
    for group in karpenter.groups(plan):
        if (role := arn(plan, group)) not in found:
            found.append(role)
    return found


def outputs(plan: Plan) -> Iterator[tuple[str, tuple[str, Json]]]:
    """The names of roles, which node classes of Karpenter contain."""
    yield "NodeRoleName", ("Role of managed nodes", cfn.ref(NODE_ROLE))
    if karpenter.is_on(plan):
        description = "Role of the nodes that Karpenter starts"
        yield "KarpenterNodeRoleName", (description, cfn.ref(KARPENTER_ROLE))
    for group in karpenter.groups(plan):
        if group.iam.adds:
            output = karpenter.role_output(group)
            yield output, (f"Role of the nodes of {group.name}", cfn.ref(_own_id(plan, group)))
    for output in _profiles(plan):
        yield output, ("Instance profile of nodes", cfn.ref(_profile_id(output)))


def _profiles(plan: Plan) -> dict[str, Json | str]:
    """Output -> name of the role, of each instance profile that Karpenter cannot make itself."""
    if not (karpenter.is_on(plan) and plan.network.closed):
        return {}
    found: dict[str, Json | str] = {}
    for group in karpenter.groups(plan):
        own = group.iam.role.rpartition("/")[2] if group.iam.role else None
        made = cfn.ref(_own_id(plan, group) if group.iam.adds else KARPENTER_ROLE)
        found[karpenter.profile_output(group)] = own or made
    return found


def _profile_id(output: str) -> str:
    return output.removesuffix("Name")


def _role(plan: Plan, group: NodeGroup | None = None) -> Json:
    granted = access.grants(group.iam) if group else ()
    policies = group.iam.policies if group else ()
    if not plan.creates_cluster:
        policies = (*CNI_POLICIES, *policies)
    return roles.node_role(plan, [*access.user_scripts(plan), *granted], policies)


def _own_id(plan: Plan, group: NodeGroup) -> str:
    scaled = karpenter.is_karpenter(plan, group)
    return cfn.logical_id("karpenter-node-role" if scaled else "node-role", group.name)


def _entries(plan: Plan) -> Iterator[tuple[str, Json]]:
    """What lets Karpenter's nodes into the cluster; EKS does it for managed node groups."""
    if not karpenter.is_on(plan):
        return
    yield _ENTRY, control_plane.access_entry(plan, cfn.get_att(KARPENTER_ROLE, "Arn"), **_JOINS)
    scaled = karpenter.groups(plan)
    known = [arn(plan, group) for group in plan.node_groups if group not in scaled]
    for group in scaled:
        role = arn(plan, group)
        if (group.iam.role or group.iam.adds) and role not in known:
            id = f"{_ENTRY}{cfn.logical_id(group.name)}"
            yield id, control_plane.access_entry(plan, role, **_JOINS)
            known.append(role)
