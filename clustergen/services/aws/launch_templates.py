"""EC2 launch templates as plain data: the members that the nodes of all targets share.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestLaunchTemplateData.html
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.plan.model import Interface, NodeGroup, Plan, Volume
from clustergen.services.aws import cfn
from clustergen.services.aws.members import present
from clustergen.services.aws.options import LaunchTemplates
from clustergen.services.fields import Field, written

MAX_USER_DATA = 16 * 1024
"""Bytes before base64.
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html (2026-11)"""
TAGGED = ("instance", "volume", "network-interface")
"""Resources that EC2 creates with an instance. No service passes tags of node groups to all."""


def options(hops: int) -> tuple[Field, ...]:
    """Metadata service, key pair and monitoring; ``hops`` is the target's limit of hops.

    IMDSv2 only, unless the user wants the older one as well.
    """
    return (
        Field(
            "imds",
            "MetadataOptions.HttpTokens",
            default="v2.0",
            words={"v1.0": "optional", "v2.0": "required"},
            always=True,
        ),
        Field("imds_hops", "MetadataOptions.HttpPutResponseHopLimit", default=hops, always=True),
        Field("key_name", "KeyName"),
        Field("detailed_monitoring", "Monitoring.Enabled", default=False),
    )


def instance_options(plan: Plan, hops: int) -> Json:
    """Key pair, monitoring and metadata service."""
    own = plan.options if isinstance(plan.options, LaunchTemplates) else None
    found = written(options(hops), own)
    found["MetadataOptions"] = {"HttpEndpoint": "enabled", **found["MetadataOptions"]}
    return found


ROOT_VOLUME = (
    Field(
        "on_delete",
        "DeleteOnTermination",
        plan="retain",
        default=False,
        words={True: False, False: True},
        spelled={True: "retain"},
        always=True,
    ),
    Field("encrypted", "Encrypted", default=True, always=True),
    Field("type", "VolumeType", default="gp3", always=True),
    Field("size", "VolumeSize", plan="size_gib", spelled="{}GiB"),
    Field("iops", "Iops"),
    Field("throughput", "Throughput"),
    Field("kms_key", "KmsKeyId"),
)
"""``root_volume``."""


def root_volume(volume: Volume, *, device: str, default_gib: int) -> Json:
    """The root volume; ``default_gib`` is its size if the spec has none."""
    sized = replace(volume, size_gib=volume.size_gib or default_gib)
    return {"BlockDeviceMappings": [{"DeviceName": device, "Ebs": written(ROOT_VOLUME, sized)}]}


def tag_specifications(
    plan: Plan, name: str, own: Mapping[str, str] = {}, kinds: Sequence[str] = TAGGED
) -> Json:
    """The spec's tags, the nodes' ``own`` ones and the Name tag ``name``, for all their resources.

    A Name of the nodes' own takes the place of ours.
    """
    tags = cfn.tags({**plan.tags, "Name": f"{plan.name}-{name}", **own})
    return {"TagSpecifications": [{"ResourceType": kind, "Tags": tags} for kind in kinds]}


def resource(plan: Plan, name: str, data: Json) -> Json:
    """The launch template of the nodes ``name``, with tags of its own."""
    tags = tag_specifications(plan, name, kinds=["launch-template"])
    return cfn.resource("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": data, **tags})


def user_data(text: Json | str | None) -> Json:
    """User data in clear text, with values of outputs; nothing if nodes need none."""
    return {"UserData": {"Fn::Base64": text}} if text else {}


def interface(interface: Interface, groups: Sequence[Any], subnet: Any = None) -> Json:
    """One network interface; with ``subnet`` if the template names it."""
    return {
        "NetworkCardIndex": interface.card,
        "DeviceIndex": interface.device,
        **({} if interface.type == "interface" else {"InterfaceType": interface.type}),
        **present(SubnetId=subnet),
        "Groups": list(groups),
        "DeleteOnTermination": True,
    }


def network(interfaces: Sequence[Interface], groups: Sequence[Any], subnet: Any = None) -> Json:
    """Top-level security groups for one plain interface in any subnet; otherwise all interfaces."""
    if subnet is None and len(interfaces) == 1 and interfaces[0].type == "interface":
        return {"SecurityGroupIds": list(groups)}
    return {"NetworkInterfaces": [interface(each, groups, subnet) for each in interfaces]}


# Without the spec's tags: changing them would replace it with its nodes.
PLACEMENT_GROUP = cfn.resource("AWS::EC2::PlacementGroup", {"Strategy": "cluster"})


def placement_group(group: NodeGroup, made: str) -> Json | str | None:
    """The name of a group's placement group; ``made`` is the logical id of one of its own."""
    # The Ref of a placement group is its name, which CloudFormation generates.
    return cfn.ref(made) if group.placement.kind == "cluster" else group.placement.group


MARKETS = {
    "capacity-block": "capacity-block",
    "interruptible-reservation": "interruptible-capacity-reservation",
}
RESERVATIONS = {
    "reservation": "CapacityReservationId",
    "capacity-block": "CapacityReservationId",
    "interruptible-reservation": "CapacityReservationId",
    "reservation-group": "CapacityReservationResourceGroupArn",
}


CPU = (Field("threads_per_core", "CpuOptions.ThreadsPerCore", words={1: 1}),)
"""What says that SMT is off."""


def cpu(group: NodeGroup) -> Json:
    """Options that switch SMT off, if a type has it on."""
    if not group.switches_smt_off:
        return {}
    threads = group.threads_per_core
    return {"CpuOptions": {"CoreCount": group.type.cores, "ThreadsPerCore": threads}}


def market(group: NodeGroup) -> Json:
    """The market options of a Capacity Block or an interruptible reservation."""
    kind = MARKETS.get(group.capacity.kind)
    return {"InstanceMarketOptions": {"MarketType": kind}} if kind else {}


def reservation(group: NodeGroup) -> Json:
    """The reservation, Capacity Block or group of reservations that nodes start in."""
    member = RESERVATIONS.get(group.capacity.kind)
    if member is None:
        return {}
    target = {"CapacityReservationTarget": {member: group.capacity.id}}
    return {"CapacityReservationSpecification": target}


def block_type(group: NodeGroup) -> Json:
    """The instance type, which only launch templates for Capacity Blocks name.

    https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-configure-cng.html
    https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
    """
    return {"InstanceType": group.type.name} if group.capacity.kind == "capacity-block" else {}
