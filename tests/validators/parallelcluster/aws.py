"""Answers of the account to the API calls that ParallelCluster's validators make.

One answer per operation; an operation that is not here raises, and so becomes a finding.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from tests.validators.parallelcluster.account import VPC_ID, Account, Reservation
from tests.validators.parallelcluster.environment import VERSION
from tests.validators.parallelcluster.instance_types import instance_types, offered_in
from tests.validators.partitions import partition_of
from tests.validators.placeholders import ACCOUNT_ID

Answer = dict[str, Any]

_OFFICIAL_IMAGES = {"x86_64": "ami-0000000000000a86a", "arm64": "ami-0000000000000a64a"}
_NO_OFFICIAL_IMAGE = ("rocky8", "rocky9")
_OWN_VOLUME_GIB = 45  # the root volume of the official 3.16.1 images
_FILE_SYSTEM_GROUP = "sg-0f5f5f5f5f5f5f5f5"


@dataclass(frozen=True, slots=True)
class Aws:
    """An account, and the folder with EC2's instance facts."""

    account: Account
    resources: Path

    def call(self, service: str, operation: str, params: Mapping[str, Any]) -> Answer:
        """The API's answer. Raises `ClientError` as AWS would, `LookupError` for the unforeseen."""
        self._reject_foreign_arns(operation, params)
        answer = _ANSWERS.get((service, operation))
        if answer is None:
            raise LookupError(f"the validator's account has no answer to {service}:{operation}")
        return answer(self, params)

    def entry(self, entry_id: str, entry: Answer) -> Answer:
        """`entry` with what the caller knows of `entry_id`."""
        return {**entry, **self.account.facts.get(entry_id, {})}

    def _reject_foreign_arns(self, operation: str, params: Mapping[str, Any]) -> None:
        own = partition_of(self.account.region)
        for value in params.values():
            if isinstance(value, str) and value.startswith("arn:") and value.split(":")[1] != own:
                raise _error(
                    "InvalidParameterValue", f"{value} is not of partition {own}", operation
                )


def _error(code: str, message: str, operation: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, operation)


_Answers = Callable[[Aws, Mapping[str, Any]], Answer]


def _each(member: str, ids: str, describe: Callable[[Aws, str], Answer]) -> _Answers:
    """The answer that describes each of the ids in the parameter `ids`."""
    return lambda aws, params: {member: [aws.entry(id, describe(aws, id)) for id in params[ids]]}


def _instance_types(aws: Aws, params: Mapping[str, Any]) -> Answer:
    table, wanted = instance_types(aws.resources), params.get("InstanceTypes", [])
    unknown = [name for name in wanted if name not in table]
    if unknown:
        message = f"The following supplied instance types do not exist: {unknown}"
        raise _error("InvalidInstanceType", message, "DescribeInstanceTypes")
    return {"InstanceTypes": [aws.entry(name, table[name]) for name in wanted]}


def _offerings(aws: Aws, params: Mapping[str, Any]) -> Answer:
    offered = offered_in(aws.resources, aws.account.region)
    filters = {f["Name"]: f["Values"] for f in params.get("Filters", [])}
    named = filters.get("instance-type")
    wanted = [t for t in offered if t in named] if named else offered
    by_zone = params.get("LocationType") == "availability-zone"
    # Which zones offer a type is not derivable from a configuration: all of them.
    letters = "abcdef" if by_zone else [""]
    places = [f"{aws.account.region}{letter}" for letter in letters]
    return {
        "InstanceTypeOfferings": [
            {"InstanceType": t, "Location": p} for t in wanted for p in places
        ]
    }


def _subnet(aws: Aws, subnet: str) -> Answer:
    if subnet not in aws.account.zones:
        raise _error("InvalidSubnetID.NotFound", f"no subnet {subnet}", "DescribeSubnets")
    return {
        "SubnetId": subnet,
        "VpcId": VPC_ID,
        "AvailabilityZone": aws.account.zones[subnet],
        "CidrBlock": aws.account.cidrs[subnet],
        "AvailableIpAddressCount": 4091,
        "MapPublicIpOnLaunch": False,
        "State": "available",
    }


def _route_tables(aws: Aws, params: Mapping[str, Any]) -> Answer:
    subnets = [s for f in params["Filters"] for s in f["Values"] if s in aws.account.zones]
    public = any(
        aws.entry(subnet, _subnet(aws, subnet))["MapPublicIpOnLaunch"] for subnet in subnets
    )
    way_out = {"GatewayId": "igw-0a1b2c3d"} if public else {"NatGatewayId": "nat-0a1b2c3d"}
    return {"RouteTables": [{"Routes": [{"DestinationCidrBlock": "0.0.0.0/0", **way_out}]}]}


def _vpc_attribute(aws: Aws, params: Mapping[str, Any]) -> Answer:
    key = params["Attribute"][0].upper() + params["Attribute"][1:]
    return {key: {"Value": True}, **aws.account.facts.get(params["VpcId"], {})}


def _security_group(aws: Aws, group: str) -> Answer:
    """All traffic among its members and out to anywhere; that of file systems lets in the VPC."""
    among_members = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}
    to_anywhere = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    from_vpc = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "10.0.0.0/16"}]}
    return {
        "GroupId": group,
        "VpcId": VPC_ID,
        "IpPermissions": [from_vpc if group == _FILE_SYSTEM_GROUP else among_members],
        "IpPermissionsEgress": [among_members, to_anywhere],
    }


def _images(aws: Aws, params: Mapping[str, Any]) -> Answer:
    if "ImageIds" in params:
        return {"Images": [_image(aws, image) for image in params["ImageIds"]]}
    names = [value for f in params["Filters"] if f["Name"] == "name" for value in f["Values"]]
    arch = "arm64" if any("-arm64" in name for name in names) else "x86_64"
    if aws.account.os in _NO_OFFICIAL_IMAGE:
        return {"Images": []}
    return {"Images": [_image(aws, _OFFICIAL_IMAGES[arch])]}


def _image(aws: Aws, image: str) -> Answer:
    official = {i: arch for arch, i in _OFFICIAL_IMAGES.items()}
    architecture = official.get(image) or _architecture(aws, aws.account.image_types[image])
    entry = {
        "ImageId": image,
        "Name": f"aws-parallelcluster-{VERSION}-{aws.account.os}-hvm-{architecture}",
        "Architecture": architecture,
        "State": "available",
        "CreationDate": "2026-09-08T00:00:00.000Z",
        "RootDeviceName": "/dev/xvda",
        "BlockDeviceMappings": [
            {
                "DeviceName": "/dev/xvda",
                "Ebs": {"VolumeSize": _OWN_VOLUME_GIB, "SnapshotId": "snap-0a"},
            }
        ],
        "Tags": [
            {"Key": "parallelcluster:version", "Value": VERSION},
            {"Key": "parallelcluster:os", "Value": aws.account.os},
            {"Key": "parallelcluster:build_status", "Value": "available"},
        ],
    }
    return aws.entry(image, entry)


def _architecture(aws: Aws, instance_type: str) -> str:
    record = instance_types(aws.resources).get(instance_type)
    supported: list[str] = (
        record["ProcessorInfo"]["SupportedArchitectures"] if record else ["x86_64"]
    )
    return "arm64" if "arm64" in supported else "x86_64"


def _reservations(aws: Aws, params: Mapping[str, Any]) -> Answer:
    known = aws.account.reservations
    unknown = [i for i in params["CapacityReservationIds"] if i not in known]
    if unknown:
        message = f"no capacity reservation {unknown}"
        raise _error(
            "InvalidCapacityReservationId.NotFound", message, "DescribeCapacityReservations"
        )
    found = [known[i] for i in params["CapacityReservationIds"]]
    return {"CapacityReservations": [_reservation(aws, reservation) for reservation in found]}


def _reservation(aws: Aws, reservation: Reservation) -> Answer:
    partition, region = partition_of(aws.account.region), aws.account.region
    rhel = aws.account.os.startswith("rhel")
    entry: Answer = {
        "CapacityReservationId": reservation.id,
        "CapacityReservationArn": (
            f"arn:{partition}:ec2:{region}:{ACCOUNT_ID}:capacity-reservation/{reservation.id}"
        ),
        "InstanceType": reservation.instance_type,
        "InstancePlatform": "Red Hat Enterprise Linux" if rhel else "Linux/UNIX",
        "AvailabilityZone": reservation.zone,
        "TotalInstanceCount": reservation.count,
        "AvailableInstanceCount": reservation.count,
        "State": "active",
        "ReservationType": "capacity-block" if reservation.capacity_block else "default",
        "InstanceMatchCriteria": "targeted",
        "Tags": [],
    }
    return aws.entry(reservation.id, entry)


def _block_statuses(aws: Aws, params: Mapping[str, Any]) -> Answer:
    blocks = [r for r in aws.account.reservations.values() if r.capacity_block]
    return {
        "CapacityBlockStatuses": [
            {
                "CapacityBlockId": block.id.replace("cr-", "cb-"),
                "InterconnectStatus": "ok",
                "TotalCapacity": block.count,
                "TotalAvailableCapacity": block.count,
                "TotalUnavailableCapacity": 0,
                "CapacityReservationStatuses": [{"CapacityReservationId": block.id}],
            }
            for block in blocks
        ]
    }


def _group_resources(aws: Aws, params: Mapping[str, Any]) -> Answer:
    ids = aws.account.groups.get(params["Group"], ())
    arns = [_reservation(aws, aws.account.reservations[i])["CapacityReservationArn"] for i in ids]
    kind = "AWS::EC2::CapacityReservation"
    return {"Resources": [{"Identifier": {"ResourceArn": a, "ResourceType": kind}} for a in arns]}


def _group_configuration(aws: Aws, params: Mapping[str, Any]) -> Answer:
    pool = {"Type": "AWS::EC2::CapacityReservationPool"}
    return {"GroupConfiguration": aws.entry(params["Group"], {"Configuration": [pool]})}


def _launch_template_versions(aws: Aws, params: Mapping[str, Any]) -> Answer:
    data = aws.entry(params["LaunchTemplateId"], {"NetworkInterfaces": [{"DeviceIndex": 0}]})
    return {"LaunchTemplateVersions": [{"LaunchTemplateData": data}]}


def _run_instances(aws: Aws, params: Mapping[str, Any]) -> Answer:
    raise _error("DryRunOperation", "Request would have succeeded", "RunInstances")


def _file_system(aws: Aws, file_system: str) -> Answer:
    volume = file_system.replace("fs-", "fsvol-")
    return {
        "FileSystemId": file_system,
        "FileSystemType": aws.account.volume_types.get(volume, "LUSTRE"),
        "VpcId": VPC_ID,
        "SubnetIds": list(aws.account.zones)[:1],
        "NetworkInterfaceIds": [file_system.replace("fs-", "eni-")],
        "DNSName": f"{file_system}.fsx.{aws.account.region}.amazonaws.com",
        "LustreConfiguration": {"MountName": "abcdefgh"},
    }


def _file_cache(aws: Aws, file_cache: str) -> Answer:
    return {
        "FileCacheId": file_cache,
        "FileCacheType": "LUSTRE",
        "VpcId": VPC_ID,
        "SubnetIds": list(aws.account.zones)[:1],
        "NetworkInterfaceIds": [file_cache.replace("fc-", "eni-")],
        "LustreConfiguration": {"MountName": "abcdefgh"},
    }


def _fsx_volume(aws: Aws, volume: str) -> Answer:
    """A volume; its file system has the same digits."""
    return {
        "VolumeId": volume,
        "VolumeType": aws.account.volume_types.get(volume, "OPENZFS"),
        "FileSystemId": volume.replace("fsvol-", "fs-"),
        "OpenZFSConfiguration": {"VolumePath": "/fsx"},
        "OntapConfiguration": {
            "JunctionPath": "/vol1",
            "StorageVirtualMachineId": volume.replace("fsvol-", "svm-"),
        },
    }


def _network_interface(aws: Aws, interface: str) -> Answer:
    groups = _groups_of_storage(aws, interface.replace("eni-", "fs-"))
    return {
        "NetworkInterfaceId": interface,
        "VpcId": VPC_ID,
        "Groups": [{"GroupId": group} for group in groups],
    }


def _groups_of_storage(aws: Aws, file_system: str) -> Iterable[str]:
    """The security groups of a file system's interfaces.

    Those the caller knows, else those that the configuration gives its nodes, else one that lets
    in the whole VPC: those who name no group must have a file system that needs none.
    """
    stores = (file_system, file_system.replace("fs-", "fsvol-"))
    known = [aws.account.facts.get(store, {}).get("SecurityGroups") for store in stores]
    by_default = aws.account.security_groups or (_FILE_SYSTEM_GROUP,)
    return next((groups for groups in known if groups), by_default)


def _efs_file_systems(aws: Aws, params: Mapping[str, Any]) -> Answer:
    file_system = params["FileSystemId"]
    return {"FileSystems": [aws.entry(file_system, {"FileSystemId": file_system})]}


def _mount_targets(aws: Aws, params: Mapping[str, Any]) -> Answer:
    file_system = params["FileSystemId"]
    targets = [
        {"MountTargetId": f"fsmt-{file_system}-{n}", "SubnetId": subnet}
        for n, subnet in enumerate(aws.account.zones)
    ]
    return aws.entry(file_system, {"MountTargets": targets})


def _mount_target_groups(aws: Aws, params: Mapping[str, Any]) -> Answer:
    file_system = re.sub(r"^fsmt-|-\d+$", "", params["MountTargetId"])
    return {"SecurityGroups": list(_groups_of_storage(aws, file_system))}


def _instance_profile(aws: Aws, params: Mapping[str, Any]) -> Answer:
    name = params["InstanceProfileName"]
    role = f"arn:{partition_of(aws.account.region)}:iam::{ACCOUNT_ID}:role/{name}"
    return {
        "InstanceProfile": {"InstanceProfileName": name, "Roles": [{"RoleName": name, "Arn": role}]}
    }


def _hosted_zone(aws: Aws, params: Mapping[str, Any]) -> Answer:
    zone = {"Id": params["Id"], "Name": "cluster.internal.", "Config": {"PrivateZone": True}}
    return {"HostedZone": aws.entry(params["Id"], zone), "VPCs": [{"VPCId": VPC_ID}]}


def _bucket_location(aws: Aws, params: Mapping[str, Any]) -> Answer:
    region = aws.account.region
    entry = {"LocationConstraint": None if region == "us-east-1" else region}
    return aws.entry(params["Bucket"], entry)


def _volume(aws: Aws, volume: str) -> Answer:
    zone = next(iter(aws.account.zones.values()), f"{aws.account.region}a")
    return {"VolumeId": volume, "AvailabilityZone": zone, "State": "available", "Size": 100}


def _snapshot(aws: Aws, snapshot: str) -> Answer:
    return {"SnapshotId": snapshot, "State": "completed", "VolumeSize": 40}


def _address(aws: Aws, address: str) -> Answer:
    return {"PublicIp": address, "AllocationId": "eipalloc-0a1b2c3d"}


def _placement_group(aws: Aws, group: str) -> Answer:
    return {"GroupName": group, "Strategy": "cluster", "State": "available"}


def _machine(aws: Aws, id: str) -> Answer:
    return {"StorageVirtualMachineId": id, "Endpoints": {"Nfs": {"DNSName": f"{id}.fsx.internal"}}}


_ANSWERS: dict[tuple[str, str], _Answers] = {
    **{
        ("ec2", f"Describe{member}"): _each(member, ids, describe)
        for member, ids, describe in (
            ("Subnets", "SubnetIds", _subnet),
            ("SecurityGroups", "GroupIds", _security_group),
            ("KeyPairs", "KeyNames", lambda _, key: {"KeyName": key, "KeyType": "ed25519"}),
            ("PlacementGroups", "GroupNames", _placement_group),
            ("Volumes", "VolumeIds", _volume),
            ("Snapshots", "SnapshotIds", _snapshot),
            ("Addresses", "PublicIps", _address),
            ("NetworkInterfaces", "NetworkInterfaceIds", _network_interface),
        )
    },
    **{
        ("fsx", f"Describe{member}"): _each(member, ids, describe)
        for member, ids, describe in (
            ("FileSystems", "FileSystemIds", _file_system),
            ("Volumes", "VolumeIds", _fsx_volume),
            ("FileCaches", "FileCacheIds", _file_cache),
            ("StorageVirtualMachines", "StorageVirtualMachineIds", _machine),
        )
    },
    # What exists, without a word about it.
    **dict.fromkeys(
        (("iam", "GetPolicy"), ("iam", "GetRole"), ("s3", "HeadBucket"), ("s3", "HeadObject")),
        lambda aws, params: {},
    ),
    **dict.fromkeys(
        (("kms", "DescribeKey"), ("secretsmanager", "DescribeSecret")), lambda aws, params: {}
    ),
    ("efs", "DescribeAccessPoints"): lambda aws, params: {
        "AccessPoints": [{"AccessPointId": params["AccessPointId"]}]
    },
    ("secretsmanager", "GetSecretValue"): lambda aws, params: {
        "SecretString": base64.b64encode(bytes(64)).decode()
    },
    ("ec2", "DescribeInstanceTypes"): _instance_types,
    ("ec2", "DescribeInstanceTypeOfferings"): _offerings,
    ("ec2", "DescribeRouteTables"): _route_tables,
    ("ec2", "DescribeVpcAttribute"): _vpc_attribute,
    ("ec2", "DescribeImages"): _images,
    ("ec2", "DescribeCapacityReservations"): _reservations,
    ("ec2", "DescribeCapacityBlockStatus"): _block_statuses,
    ("ec2", "DescribeLaunchTemplateVersions"): _launch_template_versions,
    ("ec2", "RunInstances"): _run_instances,
    ("resource-groups", "ListGroupResources"): _group_resources,
    ("resource-groups", "GetGroupConfiguration"): _group_configuration,
    ("efs", "DescribeFileSystems"): _efs_file_systems,
    ("efs", "DescribeMountTargets"): _mount_targets,
    ("efs", "DescribeMountTargetSecurityGroups"): _mount_target_groups,
    ("iam", "GetInstanceProfile"): _instance_profile,
    ("route53", "GetHostedZone"): _hosted_zone,
    ("s3", "GetBucketLocation"): _bucket_location,
    ("s3", "GetBucketVersioning"): lambda aws, params: {"Status": "Enabled"},
    ("ssm", "GetParameter"): lambda aws, params: {"Parameter": {"Value": "secret"}},
    ("sts", "GetCallerIdentity"): lambda aws, params: {"Account": ACCOUNT_ID},
}
