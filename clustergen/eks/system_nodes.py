"""The nodes of DNS, controllers and the like, of a cluster whose other nodes are no EC2 instances.

They carry the security group that EKS makes for the cluster, and none besides.
"""

from __future__ import annotations

from collections.abc import Iterable

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_eks as eks
from aws_cdk import aws_iam as iam
from constructs import Construct, IDependable

from clustergen.cdk.inputs import Inputs
from clustergen.eks import images, roles
from clustergen.eks.control_plane import ControlPlane
from clustergen.plan.model import Plan

_ROOT_DEVICE = "/dev/xvda"
"""Of Amazon Linux 2023."""
_ROOT_GIB = 50
"""Where the spec says nothing: images of controllers are small."""


class SystemNodes(Construct):
    """A managed node group, its launch template and the role of its nodes."""

    role: iam.Role
    launch_template: ec2.CfnLaunchTemplate
    node_group: eks.CfnNodegroup

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        plan: Plan,
        inputs: Inputs,
        control_plane: ControlPlane,
        after: Iterable[IDependable] = (),
    ) -> None:
        """``after`` are the add-ons without which no node becomes ready."""
        super().__init__(scope, id)
        nodes = plan.kubernetes.system_nodes
        self.role = roles.of_nodes(self, "Role")
        self.launch_template = _launch_template(self, plan)
        self.node_group = eks.CfnNodegroup(
            self,
            "Resource",
            cluster_name=control_plane.name,
            node_role=self.role.role_arn,
            subnets=[inputs.value(subnet.id) for subnet in plan.network.private],
            ami_type=images.ami_type(nodes.type),
            instance_types=[nodes.type.name],
            launch_template=eks.CfnNodegroup.LaunchTemplateSpecificationProperty(
                id=self.launch_template.ref,
                version=self.launch_template.attr_latest_version_number,
            ),
            # One more while an update replaces the nodes one by one.
            scaling_config=eks.CfnNodegroup.ScalingConfigProperty(
                min_size=nodes.count, max_size=nodes.count + 1, desired_size=nodes.count
            ),
            update_config=eks.CfnNodegroup.UpdateConfigProperty(max_unavailable=1),
            node_repair_config=eks.CfnNodegroup.NodeRepairConfigProperty(enabled=True),
        )
        self.node_group.node.add_dependency(*after)


def _launch_template(scope: Construct, plan: Plan) -> ec2.CfnLaunchTemplate:
    """Encrypted disks, and metadata that pods cannot reach: they have roles of their own."""
    volume = plan.kubernetes.system_nodes.volume
    disk = ec2.CfnLaunchTemplate.EbsProperty(
        delete_on_termination=True,
        encrypted=True,
        volume_type=volume.type,
        volume_size=volume.size_gib or _ROOT_GIB,
    )
    tags = [
        cdk.CfnTag(key=key, value=value)
        for key, value in {**plan.tags, "Name": f"{plan.name}-system"}.items()
    ]
    data = ec2.CfnLaunchTemplate.LaunchTemplateDataProperty(
        metadata_options=ec2.CfnLaunchTemplate.MetadataOptionsProperty(
            http_endpoint="enabled", http_tokens="required", http_put_response_hop_limit=1
        ),
        block_device_mappings=[
            ec2.CfnLaunchTemplate.BlockDeviceMappingProperty(device_name=_ROOT_DEVICE, ebs=disk)
        ],
        tag_specifications=[
            ec2.CfnLaunchTemplate.TagSpecificationProperty(resource_type=kind, tags=tags)
            for kind in ("instance", "volume", "network-interface")
        ],
    )
    return ec2.CfnLaunchTemplate(scope, "LaunchTemplate", launch_template_data=data)
