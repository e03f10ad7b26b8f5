"""EC2 launch templates: parts that all EKS nodes share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_eks as eks
from constructs import Construct

from clustergen.aws import launch_templates
from clustergen.kubernetes import disks
from clustergen.plan.model import Plan, Volume

ROOT_DEVICE = "/dev/xvda"
"""Root device of Amazon Linux 2023."""

# Pods get their roles through pod identity, and cannot use the node's role.
# https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html
METADATA_HOPS = 1


class LaunchTemplate(cdk.CfnResource):
    """A launch template with its data as CloudFormation properties.

    The CDK's class for it loads all of EC2, which takes longer than all other parts of a cluster.
    """

    def __init__(self, scope: Construct, id: str, *, data: Mapping[str, Any]) -> None:
        super().__init__(
            scope,
            id,
            type="AWS::EC2::LaunchTemplate",
            properties={"LaunchTemplateData": dict(data)},
        )

    @property
    def newest(self) -> eks.CfnNodegroup.LaunchTemplateSpecificationProperty:
        """Its id and newest version; with a literal version, nodes would never change."""
        return eks.CfnNodegroup.LaunchTemplateSpecificationProperty(
            id=self.ref, version=cdk.Token.as_string(self.get_att("LatestVersionNumber"))
        )


def make(
    scope: Construct, plan: Plan, name: str, volume: Volume, more: Mapping[str, Any]
) -> LaunchTemplate:
    """The launch template of the nodes ``name``: disk, metadata, tags and ``more``."""
    root_gib = disks.root_gib(volume)
    data = {
        **launch_templates.metadata_options(METADATA_HOPS),
        **launch_templates.root_volume(volume, device=ROOT_DEVICE, default_gib=root_gib),
        # EKS does not copy the tags of a node group to its instances.
        **launch_templates.tag_specifications(plan, name),
        **more,
    }
    return LaunchTemplate(scope, "LaunchTemplate", data=data)
