"""EC2 launch templates: what a node is, as far as a managed node group leaves it to them.

A template with any security group loses the cluster's own, which EKS adds only where there is
none; so that one is in every list. Subnets, instance profile and Spot are the node group's.
https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from clustergen.plan.model import Interface, NodeGroup, Plan, Volume

Data = ec2.CfnLaunchTemplate.LaunchTemplateDataProperty

ROOT_DEVICE = "/dev/xvda"
"""Of Amazon Linux 2023."""

# Images of training frameworks take some 20 GB each; without local disks they are all here.
DEFAULT_ROOT_GIB = 100

# Pods have roles of their own by pod identity; the node's stays out of their reach.
# https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html
METADATA_HOPS = 1


def of_group(
    scope: Construct,
    plan: Plan,
    group: NodeGroup,
    *,
    security_groups: Sequence[str],
    placement_group: str | None,
    user_data: str,
) -> ec2.CfnLaunchTemplate:
    """The launch template of a node group of the spec."""
    return launch_template(
        scope,
        **_base(plan, group.name, group.volume),
        **_network(group.interfaces, security_groups),
        **_capacity(group),
        **_cpu(group),
        image_id=group.image,
        placement=ec2.CfnLaunchTemplate.PlacementProperty(group_name=placement_group)
        if placement_group
        else None,
        user_data=cdk.Fn.base64(user_data),
    )


def of_system(
    scope: Construct, plan: Plan, name: str, *, security_groups: Sequence[str], user_data: str
) -> ec2.CfnLaunchTemplate:
    """The launch template of the system nodes."""
    return launch_template(
        scope,
        **_base(plan, name, plan.kubernetes.system_nodes.volume),
        security_group_ids=list(security_groups),
        user_data=cdk.Fn.base64(user_data),
    )


def launch_template(scope: Construct, **data: Any) -> ec2.CfnLaunchTemplate:
    """A launch template of the CDK's own type, with ``data`` by the names of its properties."""
    return ec2.CfnLaunchTemplate(scope, "LaunchTemplate", launch_template_data=Data(**data))


def _base(plan: Plan, name: str, volume: Volume) -> dict[str, Any]:
    device = ec2.CfnLaunchTemplate.BlockDeviceMappingProperty(
        device_name=ROOT_DEVICE, ebs=_ebs(volume)
    )
    tags = [
        cdk.CfnTag(key=key, value=value)
        for key, value in {**plan.tags, "Name": f"{plan.name}-{name}"}.items()
    ]
    return {
        "metadata_options": ec2.CfnLaunchTemplate.MetadataOptionsProperty(
            http_endpoint="enabled",
            http_tokens="required",
            http_put_response_hop_limit=METADATA_HOPS,
        ),
        "block_device_mappings": [device],
        "tag_specifications": [
            ec2.CfnLaunchTemplate.TagSpecificationProperty(resource_type=kind, tags=tags)
            for kind in ("instance", "volume", "network-interface")
        ],
    }


def _ebs(volume: Volume) -> ec2.CfnLaunchTemplate.EbsProperty:
    return ec2.CfnLaunchTemplate.EbsProperty(
        delete_on_termination=True,
        encrypted=True,
        volume_type=volume.type,
        volume_size=volume.size_gib or DEFAULT_ROOT_GIB,
        iops=volume.iops,
        throughput=volume.throughput,
    )


def _network(interfaces: Sequence[Interface], groups: Sequence[str]) -> dict[str, Any]:
    """Security groups at the top for one plain interface, else every interface in full."""
    if len(interfaces) == 1 and interfaces[0].type == "interface":
        return {"security_group_ids": list(groups)}
    return {
        "network_interfaces": [
            ec2.CfnLaunchTemplate.NetworkInterfaceProperty(
                network_card_index=interface.card,
                device_index=interface.device,
                interface_type=None if interface.type == "interface" else interface.type,
                groups=list(groups),
                delete_on_termination=True,
            )
            for interface in interfaces
        ]
    }


_RESERVATIONS = {
    "reservation": "capacity_reservation_id",
    "capacity-block": "capacity_reservation_id",
    "interruptible-reservation": "capacity_reservation_id",
    "reservation-group": "capacity_reservation_resource_group_arn",
}


def _capacity(group: NodeGroup) -> Mapping[str, Any]:
    """The reservation; of a Capacity Block the market and the instance type as well.

    https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
    """
    data: dict[str, Any] = {}
    if member := _RESERVATIONS.get(group.capacity.kind):
        target: Any = {member: group.capacity.id}
        data["capacity_reservation_specification"] = (
            ec2.CfnLaunchTemplate.CapacityReservationSpecificationProperty(
                capacity_reservation_target=ec2.CfnLaunchTemplate.CapacityReservationTargetProperty(
                    **target
                )
            )
        )
    if group.capacity.kind == "capacity-block":
        data["instance_market_options"] = ec2.CfnLaunchTemplate.InstanceMarketOptionsProperty(
            market_type="capacity-block"
        )
        data["instance_type"] = group.type.name
    return data


def _cpu(group: NodeGroup) -> Mapping[str, Any]:
    """SMT switched off, where the type has it on."""
    if group.threads_per_core == group.type.threads_per_core:
        return {}
    options = ec2.CfnLaunchTemplate.CpuOptionsProperty(
        core_count=group.type.cores, threads_per_core=group.threads_per_core
    )
    return {"cpu_options": options}
