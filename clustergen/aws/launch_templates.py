"""EC2 launch templates as plain data: the members that the nodes of all targets share.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestLaunchTemplateData.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from clustergen.artifacts import Json
from clustergen.aws import cfn
from clustergen.aws.members import present
from clustergen.plan import model
from clustergen.plan.model import Interface, NodeGroup, Plan, Volume

_NO_TAGS: Mapping[str, str] = MappingProxyType({})
TAGGED = ("instance", "volume", "network-interface")
"""Resources that EC2 creates with an instance. No service passes tags of node groups to all."""


@dataclass(frozen=True, slots=True)
class Options(model.Options):
    """Options of instances: see :class:`clustergen.spec.targets.LaunchTemplates`."""

    key_name: str | None
    detailed_monitoring: bool
    imds: Literal["v1.0", "v2.0"]
    imds_hops: int | None
    leave_out: tuple[str, ...]

    @classmethod
    def convert(cls, name: str, value: Any) -> Any:
        return tuple(value) if name == "leave_out" else value

    @property
    def named(self) -> Mapping[str, str]:
        """See :attr:`clustergen.plan.model.Options.named`."""
        return present(key_name=self.key_name)


def instance_options(plan: Plan, hops: int) -> Json:
    """Key pair, monitoring and metadata service; ``hops`` is the target's limit of hops."""
    options = plan.options if isinstance(plan.options, Options) else None
    return {
        "MetadataOptions": metadata_options(plan, hops),
        **present(
            KeyName=options and options.key_name,
            Monitoring={"Enabled": True} if options and options.detailed_monitoring else None,
        ),
    }


def metadata_options(plan: Plan, hops: int) -> Json:
    """The metadata service of a node: IMDSv2 only, unless the user wants the older one as well."""
    options = plan.options if isinstance(plan.options, Options) else None
    return {
        "HttpEndpoint": "enabled",
        "HttpTokens": "optional" if options and options.imds == "v1.0" else "required",
        "HttpPutResponseHopLimit": (options and options.imds_hops) or hops,
    }


def root_volume(volume: Volume, *, device: str, default_gib: int) -> Json:
    """The root volume; ``default_gib`` is its size if the spec has none."""
    ebs = {
        "DeleteOnTermination": not volume.retain,
        "Encrypted": volume.encrypted,
        "VolumeType": volume.type,
        "VolumeSize": volume.size_gib or default_gib,
        **present(Iops=volume.iops, Throughput=volume.throughput, KmsKeyId=volume.kms_key),
    }
    return {"BlockDeviceMappings": [{"DeviceName": device, "Ebs": ebs}]}


def tag_specifications(
    plan: Plan, name: str, own: Mapping[str, str] = _NO_TAGS, kinds: Sequence[str] = TAGGED
) -> Json:
    """The spec's tags, the nodes' ``own`` ones and the Name tag ``name``, for all their resources.

    A Name of the nodes' own takes the place of ours.
    """
    tags = cfn.tags({**plan.tags, "Name": f"{plan.name}-{name}", **own})
    return {"TagSpecifications": [{"ResourceType": kind, "Tags": tags} for kind in kinds]}


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


_MARKETS = {
    "capacity-block": "capacity-block",
    "interruptible-reservation": "interruptible-capacity-reservation",
}
_RESERVATIONS = {
    "reservation": "CapacityReservationId",
    "capacity-block": "CapacityReservationId",
    "interruptible-reservation": "CapacityReservationId",
    "reservation-group": "CapacityReservationResourceGroupArn",
}


def market(group: NodeGroup) -> Json:
    """The market options of a Capacity Block or an interruptible reservation."""
    kind = _MARKETS.get(group.capacity.kind)
    return {"InstanceMarketOptions": {"MarketType": kind}} if kind else {}


def reservation(group: NodeGroup) -> Json:
    """The reservation, Capacity Block or group of reservations that nodes start in."""
    member = _RESERVATIONS.get(group.capacity.kind)
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
