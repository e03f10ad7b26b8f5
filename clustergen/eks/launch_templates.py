"""What the EC2 launch templates of all nodes of EKS have in common."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_eks as eks
from constructs import Construct

from clustergen.plan.model import Plan, Volume

ROOT_DEVICE = "/dev/xvda"
"""Of Amazon Linux 2023."""

# Images of training frameworks take some 20 GB each; without local disks they are all here.
DEFAULT_ROOT_GIB = 100

# Pods have roles of their own by pod identity; the node's stays out of their reach.
# https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html
METADATA_HOPS = 1


def make(
    scope: Construct, plan: Plan, name: str, volume: Volume, **data: Any
) -> ec2.CfnLaunchTemplate:
    """A launch template of the nodes called ``name``.

    ``data`` are properties of LaunchTemplateData by the CDK's names, beside those for disk,
    metadata and tags.
    """
    device = ec2.CfnLaunchTemplate.BlockDeviceMappingProperty(
        device_name=ROOT_DEVICE, ebs=_ebs(volume)
    )
    metadata = ec2.CfnLaunchTemplate.MetadataOptionsProperty(
        http_endpoint="enabled",
        http_tokens="required",
        http_put_response_hop_limit=METADATA_HOPS,
    )
    return ec2.CfnLaunchTemplate(
        scope,
        "LaunchTemplate",
        launch_template_data=ec2.CfnLaunchTemplate.LaunchTemplateDataProperty(
            metadata_options=metadata,
            block_device_mappings=[device],
            tag_specifications=_tags(plan, name),
            **data,
        ),
    )


def newest(
    template: ec2.CfnLaunchTemplate,
) -> eks.CfnNodegroup.LaunchTemplateSpecificationProperty:
    """A launch template and its newest version, as text: a literal would never reach the nodes."""
    return eks.CfnNodegroup.LaunchTemplateSpecificationProperty(
        id=template.ref, version=template.attr_latest_version_number
    )


def _ebs(volume: Volume) -> ec2.CfnLaunchTemplate.EbsProperty:
    return ec2.CfnLaunchTemplate.EbsProperty(
        delete_on_termination=True,
        encrypted=True,
        volume_type=volume.type,
        volume_size=volume.size_gib or DEFAULT_ROOT_GIB,
        iops=volume.iops,
        throughput=volume.throughput,
    )


def _tags(plan: Plan, name: str) -> list[ec2.CfnLaunchTemplate.TagSpecificationProperty]:
    """EKS does not hand the tags of a node group on to its instances."""
    tags = [
        cdk.CfnTag(key=key, value=value)
        for key, value in {**plan.tags, "Name": f"{plan.name}-{name}"}.items()
    ]
    return [
        ec2.CfnLaunchTemplate.TagSpecificationProperty(resource_type=kind, tags=tags)
        for kind in ("instance", "volume", "network-interface")
    ]
