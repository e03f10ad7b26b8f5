"""Managed node groups, one for each node group of the spec.

Names are fixed, because labels, flavors and pools refer to them. A change that EKS cannot make in
place, such as other instance types, fails because the name is in use: rename the group too.
"""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_eks as eks
from aws_cdk import aws_iam as iam
from constructs import Construct

from clustergen.cdk.inputs import Inputs
from clustergen.eks import images
from clustergen.eks.control_plane import ControlPlane, service_cidr
from clustergen.eks.launch_templates import LaunchTemplate
from clustergen.kubernetes import labels_and_taints
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.eks import launch_templates, placement_groups, sizes, user_data

_EFFECTS = {
    "NoSchedule": "NO_SCHEDULE",
    "NoExecute": "NO_EXECUTE",
    "PreferNoSchedule": "PREFER_NO_SCHEDULE",
}
_CAPACITY = {"spot": "SPOT", "capacity-block": "CAPACITY_BLOCK"}
"""All others are ON_DEMAND: the launch template names reservations."""

# A job that spans a group stops with its first node, so update in few rounds, not node by node.
UPDATED_AT_ONCE = 33


class ManagedNodeGroup(Construct):
    """One node group of the spec, with its launch template and placement group."""

    launch_template: LaunchTemplate
    node_group: eks.CfnNodegroup
    placement_group: cdk.CfnResource | None
    size: cdk.CfnParameter
    """Its desired size, which changes independently of the spec."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        plan: Plan,
        group: NodeGroup,
        inputs: Inputs,
        control_plane: ControlPlane,
        role: iam.IRole,
    ) -> None:
        super().__init__(scope, id)
        self.placement_group = placement_groups.for_group(self, group)
        self.launch_template = launch_templates.for_group(
            self,
            plan,
            group,
            security_groups=security_groups(plan, inputs, control_plane),
            placement_group=placement_groups.name(group, self.placement_group),
            user_data=user_data.for_group(plan, group, joining(plan, control_plane)),
        )
        self.node_group = eks.CfnNodegroup(
            self,
            "Resource",
            cluster_name=control_plane.name,
            nodegroup_name=group.name,
            node_role=role.role_arn,
            subnets=[inputs.value(s.id) for s in plan.subnets_of(group)],
            # With a custom image, EKS accepts neither an image type nor a version. Without the
            # version, nodes would not follow an update of Kubernetes.
            version=None if group.image else plan.kubernetes.version,
            ami_type=None if group.image else images.ami_type(group.type),
            capacity_type=_CAPACITY.get(group.capacity.kind, "ON_DEMAND"),
            instance_types=_instance_types(group),
            launch_template=self.launch_template.newest,
            scaling_config=self._scaling(group),
            update_config=_updates(group),
            node_repair_config=eks.CfnNodegroup.NodeRepairConfigProperty(
                enabled=plan.resilience.replace_failed_nodes
            ),
            labels=dict(labels_and_taints.labels(group)) or None,
            taints=_taints(group) or None,
        )

    def _scaling(self, group: NodeGroup) -> eks.CfnNodegroup.ScalingConfigProperty:
        """Zero nodes by default, so that a shortage of capacity does not fail the stack of the
        control plane."""
        self.size = cdk.CfnParameter(
            cdk.Stack.of(self),
            sizes.parameter(group),
            type="Number",
            default=0,
            min_value=0,
            description=f"Present number of nodes of {group.name}, which any update sends to EKS",
        )
        return eks.CfnNodegroup.ScalingConfigProperty(
            min_size=0, max_size=sizes.most(group), desired_size=self.size.value_as_number
        )


def security_groups(plan: Plan, inputs: Inputs, control_plane: ControlPlane) -> list[str]:
    """The cluster's security group, which nodes need to join, and that of the foundation."""
    own = [inputs.value(group) for group in plan.network.node_security_groups]
    return [control_plane.security_group, *own]


def joining(plan: Plan, control_plane: ControlPlane) -> user_data.Cluster:
    """Settings with which nodes with a custom image join the cluster."""
    cluster = control_plane.cluster
    return user_data.Cluster(
        name=control_plane.name,
        endpoint=cluster.attr_endpoint,
        certificate_authority=cluster.attr_certificate_authority_data,
        service_cidr=service_cidr(plan),
    )


def _instance_types(group: NodeGroup) -> list[str] | None:
    """The instance types; None if the launch template has the type."""
    if group.capacity.kind == "capacity-block":
        return None
    return [type.name for type in group.types]


def can_surge(group: NodeGroup) -> bool:
    """Whether additional nodes can start while a group is updated."""
    return not (group.reserved or group.efa)


def _updates(group: NodeGroup) -> eks.CfnNodegroup.UpdateConfigProperty:
    """The update settings: without spare capacity, old nodes must stop before new ones start.

    https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
    """
    return eks.CfnNodegroup.UpdateConfigProperty(
        max_unavailable_percentage=UPDATED_AT_ONCE,
        update_strategy="DEFAULT" if can_surge(group) else "MINIMAL",
    )


def _taints(group: NodeGroup) -> list[eks.CfnNodegroup.TaintProperty]:
    return [
        eks.CfnNodegroup.TaintProperty(
            key=taint.key, value=taint.value or None, effect=_EFFECTS[taint.effect]
        )
        for taint in labels_and_taints.taints(group)
    ]
