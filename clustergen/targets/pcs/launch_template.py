"""EC2 launch templates: what a node is, as far as PCS leaves it to the template.

PCS ignores some members (InstanceType outside Capacity Blocks, CpuOptions, IamInstanceProfile) and
takes them from the node group instead.
https://docs.aws.amazon.com/pcs/latest/userguide/working-with_launch-templates_overview.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clustergen import cfn
from clustergen.plan.model import Id, Interface, Machine, NodeGroup, Plan, Volume
from clustergen.targets.pcs import limits, names, subnets, user_data

# One hop ends in the node's own network; processes in a bridged container are one further.
METADATA_HOPS = 2

# cfn-lint takes its list of types from On-Demand prices, which types sold only in blocks lack.
_LINT = {"cfn-lint": {"config": {"ignore_checks": ["E3628"]}}}


def of_group(plan: Plan, group: NodeGroup) -> cfn.Json:
    """The launch template of a node group."""
    data = {
        **_base(plan, group.name, group.volume),
        **_network(plan, group),
        **_placement(group),
        **_capacity(group),
        **_user_data(user_data.of(group)),
    }
    metadata = {"Metadata": _LINT} if "InstanceType" in data else {}
    return {**_resource(plan, group.name, data), **metadata}


def of_login(plan: Plan, login: Machine) -> cfn.Json:
    """The launch template of the login nodes."""
    subnet = subnets.of_login(plan)
    groups = [*plan.network.login_security_groups, *plan.network.node_security_groups]
    interface = {
        **_interface(Interface(0, 0, "interface"), subnet.id, groups),
        "AssociatePublicIpAddress": subnets.login_is_public(plan),
    }
    data = {**_base(plan, names.LOGIN, login.volume), "NetworkInterfaces": [interface]}
    return _resource(plan, names.LOGIN, data)


def _resource(plan: Plan, name: str, data: cfn.Json) -> cfn.Json:
    tags = [{"ResourceType": "launch-template", "Tags": _tags(plan, name)}]
    return {
        "Type": "AWS::EC2::LaunchTemplate",
        "Properties": {"LaunchTemplateData": data, "TagSpecifications": tags},
    }


def _base(plan: Plan, name: str, volume: Volume) -> cfn.Json:
    return {
        "MetadataOptions": {
            "HttpEndpoint": "enabled",
            "HttpTokens": "required",
            "HttpPutResponseHopLimit": METADATA_HOPS,
        },
        "BlockDeviceMappings": [
            {"DeviceName": limits.ROOT_DEVICES[plan.software.os], "Ebs": _ebs(volume)}
        ],
        "TagSpecifications": [
            {"ResourceType": kind, "Tags": _tags(plan, name)}
            for kind in ("instance", "volume", "network-interface")
        ],
    }


def _tags(plan: Plan, name: str) -> list[cfn.Json]:
    return cfn.tags({**plan.tags, "Name": f"{plan.name}-{name}"})


def _ebs(volume: Volume) -> cfn.Json:
    given: Mapping[str, Any] = {"Iops": volume.iops, "Throughput": volume.throughput}
    return {
        "DeleteOnTermination": True,
        "Encrypted": True,
        "VolumeType": volume.type,
        "VolumeSize": volume.size_gib or limits.DEFAULT_ROOT_GIB,
        **{name: value for name, value in given.items() if value is not None},
    }


def _network(plan: Plan, group: NodeGroup) -> cfn.Json:
    """Security groups at the top for one plain interface, else every interface in full."""
    groups = plan.network.node_security_groups
    if subnets.spreads(group):
        return {"SecurityGroupIds": [cfn.value(id) for id in groups]}
    subnet = subnets.of_group(plan, group)[0]
    return {"NetworkInterfaces": [_interface(i, subnet.id, groups) for i in group.interfaces]}


def _interface(interface: Interface, subnet: Id, groups: Sequence[Id]) -> cfn.Json:
    kind = {} if interface.type == "interface" else {"InterfaceType": interface.type}
    return {
        "NetworkCardIndex": interface.card,
        "DeviceIndex": interface.device,
        **kind,
        "SubnetId": cfn.value(subnet),
        "Groups": [cfn.value(id) for id in groups],
        "DeleteOnTermination": True,
    }


def _placement(group: NodeGroup) -> cfn.Json:
    match group.placement.kind:
        case "cluster":
            # Ref of a placement group is its name, which CloudFormation makes up.
            return {"Placement": {"GroupName": cfn.ref(names.placement_group(group))}}
        case "existing":
            return {"Placement": {"GroupName": group.placement.group}}
        case _:
            return {}


_MARKETS = {
    "capacity-block": "capacity-block",
    "interruptible-reservation": "interruptible-capacity-reservation",
}


def _capacity(group: NodeGroup) -> cfn.Json:
    """Market and reservation; a Capacity Block wants the instance type said here as well.

    https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-configure-cng.html
    """
    kind = group.capacity.kind
    data: cfn.Json = {}
    if kind in _MARKETS:
        data["InstanceMarketOptions"] = {"MarketType": _MARKETS[kind]}
    if target := _reservation(group):
        data["CapacityReservationSpecification"] = {"CapacityReservationTarget": target}
    if kind == "capacity-block":
        data["InstanceType"] = group.type.name
    return data


_RESERVATIONS = {
    "reservation": "CapacityReservationId",
    "capacity-block": "CapacityReservationId",
    "interruptible-reservation": "CapacityReservationId",
    "reservation-group": "CapacityReservationResourceGroupArn",
}


def _reservation(group: NodeGroup) -> cfn.Json:
    member = _RESERVATIONS.get(group.capacity.kind)
    return {member: group.capacity.id} if member else {}


def _user_data(text: str | None) -> cfn.Json:
    return {"UserData": {"Fn::Base64": text}} if text else {}
