"""Nodes for DNS and controllers: few, small, without taints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aws_cdk import aws_eks as eks
from aws_cdk import aws_iam as iam
from constructs import Construct, IDependable

from clustergen.cdk.inputs import Inputs
from clustergen.eks import images, launch_templates, roles
from clustergen.eks.control_plane import ControlPlane
from clustergen.eks.launch_templates import LaunchTemplate
from clustergen.kubernetes import labels_and_taints
from clustergen.plan.model import Plan


class SystemNodes(Construct):
    """A managed node group with its launch template and node role."""

    role: iam.Role
    launch_template: LaunchTemplate
    node_group: eks.CfnNodegroup

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        plan: Plan,
        inputs: Inputs,
        control_plane: ControlPlane,
        role: iam.Role | None = None,
        security_groups: Sequence[str] = (),
        after: Iterable[IDependable] = (),
    ) -> None:
        """``after`` are the add-ons that nodes need to become ready.

        Without ``role``, a role is created. Without ``security_groups``, EKS adds the security
        group of the cluster; otherwise nodes have only those listed.
        """
        super().__init__(scope, id)
        nodes = plan.kubernetes.system_nodes
        self.role = role or roles.node_role(self, "Role")
        groups = {"SecurityGroupIds": list(security_groups)} if security_groups else {}
        self.launch_template = launch_templates.make(self, plan, "system", nodes.volume, groups)
        self.node_group = eks.CfnNodegroup(
            self,
            "Resource",
            cluster_name=control_plane.name,
            nodegroup_name=labels_and_taints.SYSTEM,
            node_role=self.role.role_arn,
            version=plan.kubernetes.version,
            subnets=[inputs.value(subnet.id) for subnet in plan.network.system],
            ami_type=images.ami_type(nodes.type),
            capacity_type="ON_DEMAND",
            instance_types=[nodes.type.name],
            launch_template=self.launch_template.newest,
            # One more, because an update replaces nodes one by one.
            scaling_config=eks.CfnNodegroup.ScalingConfigProperty(
                min_size=nodes.count, max_size=nodes.count + 1, desired_size=nodes.count
            ),
            update_config=eks.CfnNodegroup.UpdateConfigProperty(max_unavailable=1),
            node_repair_config=eks.CfnNodegroup.NodeRepairConfigProperty(enabled=True),
        )
        self.node_group.node.add_dependency(*after)
