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

from clustergen.eks import launch_templates
from clustergen.plan.model import Interface, NodeGroup, Plan


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
    return launch_templates.make(
        scope,
        plan,
        group.name,
        group.volume,
        **_network(group.interfaces, security_groups),
        **_capacity(group),
        **_cpu(group),
        **_placement(placement_group),
        image_id=group.image,
        user_data=cdk.Fn.base64(user_data),
    )


def _network(interfaces: Sequence[Interface], groups: Sequence[str]) -> Mapping[str, Any]:
    """Security groups at the top for one plain interface, else every interface in full."""
    if len(interfaces) == 1 and interfaces[0].type == "interface":
        return {"security_group_ids": list(groups)}
    return {"network_interfaces": [_interface(interface, groups) for interface in interfaces]}


def _interface(
    interface: Interface, groups: Sequence[str]
) -> ec2.CfnLaunchTemplate.NetworkInterfaceProperty:
    return ec2.CfnLaunchTemplate.NetworkInterfaceProperty(
        network_card_index=interface.card,
        device_index=interface.device,
        interface_type=None if interface.type == "interface" else interface.type,
        groups=list(groups),
        delete_on_termination=True,
    )


def _placement(group: str | None) -> Mapping[str, Any]:
    if group is None:
        return {}
    return {"placement": ec2.CfnLaunchTemplate.PlacementProperty(group_name=group)}


_RESERVATIONS = {
    "reservation": "capacity_reservation_id",
    "capacity-block": "capacity_reservation_id",
    "reservation-group": "capacity_reservation_resource_group_arn",
}


def _capacity(group: NodeGroup) -> Mapping[str, Any]:
    """The reservation; of a Capacity Block the market and the instance type as well.

    https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
    """
    member = _RESERVATIONS.get(group.capacity.kind)
    if member is None:
        return {}
    target: Any = {member: group.capacity.id}
    specification = ec2.CfnLaunchTemplate.CapacityReservationSpecificationProperty(
        capacity_reservation_target=ec2.CfnLaunchTemplate.CapacityReservationTargetProperty(
            **target
        )
    )
    data = {"capacity_reservation_specification": specification}
    return {**data, **_block(group)} if group.capacity.kind == "capacity-block" else data


def _block(group: NodeGroup) -> Mapping[str, Any]:
    market = ec2.CfnLaunchTemplate.InstanceMarketOptionsProperty(market_type="capacity-block")
    return {"instance_market_options": market, "instance_type": group.type.name}


def _cpu(group: NodeGroup) -> Mapping[str, Any]:
    """SMT switched off, where the type has it on."""
    if group.threads_per_core == group.type.threads_per_core:
        return {}
    options = ec2.CfnLaunchTemplate.CpuOptionsProperty(
        core_count=group.type.cores, threads_per_core=group.threads_per_core
    )
    return {"cpu_options": options}
