"""An account in which a plan can be deployed, and the same with one thing wrong.

Requests and answers are validated against the models of botocore, so the account speaks the
services' language; what it says is made from the plan.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from clustergen import targets
from clustergen.catalog import regions
from clustergen.plan import quotas
from clustergen.plan.model import FileCache, Lustre, Ontap, OpenZfs, Plan
from clustergen.preflight import files, network, reserved
from clustergen.words import words

OWNER = "111122223333"
VPC = "vpc-0aaaaaaaaaaaaaaa0"
NODES_GROUP = "sg-0a1b2c3d4e5f60005"
"""The one that the foundation makes."""
FILES_GROUP = "sg-0ffffffffffffff00"
PLENTY = 1_000_000
Answer = dict[str, Any]
ELSEWHERE = "subnet-0elsewhere"
"""A subnet in the first zone of the region."""
LATER = "2099-01-01T11:30:00+00:00"


@functools.cache
def _session() -> Any:
    import botocore.session

    return botocore.session.get_session()


@functools.cache
def _model(service: str) -> Any:
    return _session().get_service_model(service)


@dataclass
class Account:
    """What AWS answers where nothing is wrong, besides what ``wrong`` says.

    ``wrong`` has, by call, an error code, the items of the list in its answer, or fields that
    replace those of each item.
    """

    plan: Plan
    wrong: Mapping[str, Any] = field(default_factory=dict)
    deployed: bool = False
    """The cluster runs: it has stacks, and its nodes have all addresses and reserved instances."""
    calls: list[str] = field(default_factory=list)

    def clients(self, service: str, region: str) -> Client:
        assert region == self.plan.region
        return Client(service, self)

    def answer(self, service: str, operation: str, arguments: Mapping[str, Any]) -> Answer:
        self.calls.append(f"{service}:{operation}")
        wrong = self.wrong.get(f"{service}:{operation}")
        if isinstance(wrong, str):
            raise _error(wrong, operation)
        name = f"{service}_{operation}".replace("-", "_")
        made: Answer = getattr(self, name)(SimpleNamespace(**arguments))
        return made if wrong is None else _changed(made, wrong)

    # -- EC2 ----------------------------------------------------------------------------------

    @property
    def zones(self) -> list[str]:
        """Ids of the region's zones; Local Zones where the plan has one."""
        region = self.plan.region
        prefix = regions.zone_prefix(region)
        known = regions.surveyed_zones().get(region) or [f"{prefix}-az{n}" for n in (1, 2, 3)]
        local = [
            zone
            for zone in (self.plan.network.zone, *(s.zone for s in self.plan.network.private))
            if zone and regions.is_local_zone(zone)
        ]
        return [*known, *dict.fromkeys(local)]

    def zone_name(self, zone: str) -> str:
        number = self.zones.index(zone)
        return f"{self.plan.region}{'abcdefghijklm'[number]}"

    def zone_of(self, subnet: str) -> str:
        """The id of the zone in which a subnet is, as the spec says; the nodes' if it does not."""
        if subnet == ELSEWHERE:
            return self.zones[0]
        by_name = {self.zone_name(zone): zone for zone in self.zones}
        said = {given.id: given.zone for given in network.given_subnets(self.plan)}
        fallback = self.plan.network.private[0].zone or self.plan.network.zone or self.zones[0]
        zone = said.get(subnet) or fallback
        return by_name.get(zone, zone)

    @property
    def vpc(self) -> str:
        return network.vpc_of(self.plan) or VPC

    def sts_GetCallerIdentity(self, _: Any) -> Answer:
        return {"Account": OWNER, "Arn": f"arn:aws:iam::{OWNER}:user/me", "UserId": "me"}

    def ec2_DescribeAvailabilityZones(self, _: Any) -> Answer:
        zones = [
            {
                "ZoneId": zone,
                "ZoneName": self.zone_name(zone),
                "State": "available",
                "OptInStatus": "opt-in-not-required",
                "GroupName": self.plan.region,
            }
            for zone in self.zones
        ]
        return {"AvailabilityZones": zones}

    def ec2_DescribeInstanceTypeOfferings(self, asked: Any) -> Answer:
        offered = [
            {"InstanceType": type, "Location": zone, "LocationType": "availability-zone-id"}
            for type in asked.Filters[0]["Values"]
            for zone in self.zones
        ]
        return {"InstanceTypeOfferings": offered}

    def ec2_DescribeSubnets(self, asked: Any) -> Answer:
        found = [
            {
                "SubnetId": id,
                "VpcId": self.vpc,
                "AvailabilityZoneId": self.zone_of(id),
                "AvailabilityZone": self.zone_name(self.zone_of(id)),
                "AvailableIpAddressCount": 0 if self.deployed else PLENTY,
                "MapPublicIpOnLaunch": False,
                "State": "available",
            }
            for id in asked.Filters[0]["Values"]
        ]
        return {"Subnets": found}

    def ec2_DescribeVpcs(self, asked: Any) -> Answer:
        ids = asked.Filters[0]["Values"] if hasattr(asked, "Filters") else [VPC]
        return {"Vpcs": [{"VpcId": id, "State": "available"} for id in ids]}

    def ec2_DescribeVpcAttribute(self, asked: Any) -> Answer:
        attribute = asked.Attribute[0].upper() + asked.Attribute[1:]
        return {"VpcId": asked.VpcId, attribute: {"Value": True}}

    def ec2_DescribeRouteTables(self, asked: Any) -> Answer:
        vpc = asked.Filters[0]["Values"][0]
        public = [g.id for g in network.given_subnets(self.plan) if g.use == "public"]
        out = {"DestinationCidrBlock": "0.0.0.0/0", "State": "active"}
        return {
            "RouteTables": [
                {
                    "RouteTableId": "rtb-1",
                    "VpcId": vpc,
                    "Associations": [{"Main": True, "RouteTableId": "rtb-1"}],
                    "Routes": [{**out, "NatGatewayId": "nat-1"}],
                },
                {
                    "RouteTableId": "rtb-2",
                    "VpcId": vpc,
                    "Associations": [{"Main": False, "SubnetId": id} for id in public],
                    "Routes": [{**out, "GatewayId": "igw-1"}],
                },
            ]
        }

    def ec2_DescribeVpcEndpoints(self, _: Any) -> Answer:
        return {"VpcEndpoints": []}

    def ec2_DescribeVpcEndpointServices(self, asked: Any) -> Answer:
        zone = self.plan.network.zone
        names = asked.Filters[0]["Values"]
        services = [{"ServiceName": name, "AvailabilityZoneIds": [zone]} for name in names]
        return {"ServiceDetails": services}

    def ec2_DescribeAddresses(self, _: Any) -> Answer:
        return {"Addresses": [{"PublicIp": "203.0.113.1"}]}

    def ec2_DescribeSecurityGroups(self, asked: Any) -> Answer:
        ids = asked.Filters[0]["Values"]
        return {"SecurityGroups": [{"GroupId": id, "VpcId": self.vpc} for id in ids]}

    def ec2_DescribeSecurityGroupRules(self, asked: Any) -> Answer:
        """Each group admits itself in both directions, and the nodes."""
        nodes = [id for id in self.plan.network.node_security_groups if isinstance(id, str)]
        rules = [
            {
                "GroupId": id,
                "IsEgress": egress,
                "IpProtocol": "-1",
                "ReferencedGroupInfo": {"GroupId": peer},
            }
            for id in asked.Filters[0]["Values"]
            for peer in (id, *(nodes or [NODES_GROUP]), *self.plan.options.memberships)
            for egress in (False, True)
        ]
        return {"SecurityGroupRules": rules}

    def ec2_DescribeNetworkInterfaces(self, asked: Any) -> Answer:
        ids = asked.Filters[0]["Values"]
        groups = [{"GroupId": FILES_GROUP}]
        return {"NetworkInterfaces": [{"NetworkInterfaceId": i, "Groups": groups} for i in ids]}

    def ec2_DescribeCapacityReservations(self, asked: Any) -> Answer:
        return {
            "CapacityReservations": [
                self._reservation(id, item)
                for id in asked.CapacityReservationIds
                for item in reserved.wanted(self.plan)
                if item.id == id or item.kind == "reservation-group"
            ][:1]
        }

    def _reservation(self, id: str, item: reserved.Wanted) -> Answer:
        group = item.groups[0]
        zone = group.zone or self.zone_of(str(group.subnets[0]) if group.subnets else "")
        start, end = group.capacity.starts, group.capacity.ends
        found = {
            "CapacityReservationId": id,
            "State": "active",
            "InstanceType": group.type.name,
            "AvailabilityZoneId": zone,
            "TotalInstanceCount": item.nodes,
            "AvailableInstanceCount": 0 if self.deployed else item.nodes,
            "ReservationType": "capacity-block" if item.kind == "capacity-block" else "default",
            "Interruptible": item.kind == "interruptible-reservation",
            "StartDate": start.isoformat() if start else "2020-01-01T00:00:00+00:00",
            "EndDate": end.isoformat() if end else LATER,
        }
        return _dated(found, "StartDate", "EndDate")

    def resource_groups_ListGroupResources(self, _: Any) -> Answer:
        arn = f"arn:aws:ec2:{self.plan.region}:{OWNER}:capacity-reservation/cr-0bbbbbbbbbbbbbbb0"
        kind = "AWS::EC2::CapacityReservation"
        return {"Resources": [{"Identifier": {"ResourceArn": arn, "ResourceType": kind}}]}

    def sagemaker_DescribeTrainingPlan(self, asked: Any) -> Answer:
        item = next(
            item
            for item in reserved.wanted(self.plan)
            if item.id.endswith(f"/{asked.TrainingPlanName}")
        )
        group = item.groups[0]
        start, end = group.capacity.starts, group.capacity.ends
        part = {
            "ReservedCapacityArn": f"{item.id}/1",
            "InstanceType": group.type.hyperpod,
            "TotalInstanceCount": item.nodes,
            "Status": "Active",
            "AvailabilityZoneId": self.zone_of(""),
        }
        found = {
            "TrainingPlanArn": item.id,
            "TrainingPlanName": asked.TrainingPlanName,
            "Status": "Active",
            "TargetResources": ["hyperpod-cluster"],
            "AvailableInstanceCount": 0 if self.deployed else item.nodes,
            "StartTime": start.isoformat() if start else "2020-01-01T00:00:00+00:00",
            "EndTime": end.isoformat() if end else LATER,
            "ReservedCapacitySummaries": [part],
        }
        return _dated(found, "StartTime", "EndTime")

    def ec2_DescribeImages(self, asked: Any) -> Answer:
        owners = network.owners(self.plan)
        archs = {owner.image: owner.type.arch for owner in owners}
        device = {"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 8}}
        found = [
            {
                "ImageId": id,
                "State": "available",
                "Architecture": archs[id],
                "RootDeviceName": "/dev/sda1",
                "BlockDeviceMappings": [device],
                "ImageAllowed": True,
                "DeprecationTime": "2099-01-01T00:00:00.000Z",
            }
            for id in asked.Filters[0]["Values"]
        ]
        return {"Images": found}

    def ec2_DescribeKeyPairs(self, asked: Any) -> Answer:
        return {"KeyPairs": [{"KeyName": name} for name in asked.Filters[0]["Values"]]}

    def ec2_DescribePlacementGroups(self, asked: Any) -> Answer:
        names = asked.Filters[0]["Values"]
        return {"PlacementGroups": [{"GroupName": n, "Strategy": "cluster"} for n in names]}

    def ec2_DescribeManagedPrefixLists(self, asked: Any) -> Answer:
        return {"PrefixLists": [{"PrefixListId": id} for id in asked.Filters[0]["Values"]]}

    def ec2_DescribeVolumes(self, asked: Any) -> Answer:
        zone = self.zone_name(self.zone_of(""))
        ids = asked.Filters[0]["Values"]
        return {
            "Volumes": [
                {"VolumeId": i, "State": "available", "AvailabilityZone": zone} for i in ids
            ]
        }

    def ec2_DescribeSnapshots(self, asked: Any) -> Answer:
        ids = asked.Filters[0]["Values"]
        return {"Snapshots": [{"SnapshotId": id, "State": "completed"} for id in ids]}

    # -- file systems -------------------------------------------------------------------------

    def fsx_DescribeFileSystems(self, asked: Any) -> Answer:
        item = next(i for i in files.given(self.plan) if i.id == asked.FileSystemIds[0])
        kinds = {Lustre: "LUSTRE", OpenZfs: "OPENZFS", Ontap: "ONTAP"}
        found: Answer = {
            "FileSystemId": item.id,
            "FileSystemType": kinds[type(item)],
            "Lifecycle": "AVAILABLE",
            "VpcId": self.vpc,
            "SubnetIds": ["subnet-0of0the0files"],
            "NetworkInterfaceIds": ["eni-0of0the0files"],
        }
        if isinstance(item, Lustre):
            name = item.mount_name if isinstance(item.mount_name, str) else "abcdefgh"
            found["LustreConfiguration"] = {"MountName": name, "EfaEnabled": item.efa}
        return {"FileSystems": [found]}

    def fsx_DescribeFileCaches(self, asked: Any) -> Answer:
        cache = next(i for i in files.given(self.plan) if isinstance(i, FileCache))
        found = {
            "FileCacheId": cache.id,
            "FileCacheType": "LUSTRE",
            "Lifecycle": "AVAILABLE",
            "VpcId": self.vpc,
            "NetworkInterfaceIds": ["eni-0of0the0files"],
        }
        assert asked.FileCacheIds == [cache.id]
        return {"FileCaches": [found]}

    def efs_DescribeFileSystems(self, asked: Any) -> Answer:
        found = {
            "OwnerId": OWNER,
            "CreationToken": "-",
            "FileSystemId": asked.FileSystemId,
            "CreationTime": "2020-01-01T00:00:00+00:00",
            "LifeCycleState": "available",
            "NumberOfMountTargets": 1,
            "SizeInBytes": {"Value": 6144},
            "PerformanceMode": "generalPurpose",
            "Tags": [],
        }
        return {"FileSystems": [_dated(found, "CreationTime")]}

    def efs_DescribeMountTargets(self, asked: Any) -> Answer:
        return {
            "MountTargets": [
                {
                    "MountTargetId": f"fsmt-{zone}",
                    "FileSystemId": asked.FileSystemId,
                    "SubnetId": "subnet-0of0the0files",
                    "LifeCycleState": "available",
                    "AvailabilityZoneId": zone,
                }
                for zone in self.zones
            ]
        }

    def efs_DescribeMountTargetSecurityGroups(self, _: Any) -> Answer:
        return {"SecurityGroups": [FILES_GROUP]}

    def s3_HeadBucket(self, _: Any) -> Answer:
        return {"BucketRegion": self.plan.region}

    # -- what else the spec names -------------------------------------------------------------

    def service_quotas_GetServiceQuota(self, asked: Any) -> Answer:
        return {"Quota": {"QuotaCode": asked.QuotaCode, "Value": float(PLENTY)}}

    def service_quotas_GetAWSDefaultServiceQuota(self, asked: Any) -> Answer:
        return self.service_quotas_GetServiceQuota(asked)

    def service_quotas_ListServiceQuotas(self, asked: Any) -> Answer:
        traits = targets.load(self.plan.target).traits
        titles = [n.title for n in quotas.needs(self.plan, traits) if n.service == "sagemaker"]
        assert asked.ServiceCode == "sagemaker"
        listed = [
            {"QuotaName": title, "QuotaCode": f"L-{number}", "Value": float(PLENTY)}
            for number, title in enumerate(titles)
        ]
        return {"Quotas": listed}

    def secretsmanager_DescribeSecret(self, asked: Any) -> Answer:
        return {"ARN": asked.SecretId}

    def kms_DescribeKey(self, asked: Any) -> Answer:
        return {"KeyMetadata": {"KeyId": asked.KeyId.rpartition("/")[2], "KeyState": "Enabled"}}

    def iam_GetRole(self, asked: Any) -> Answer:
        role = {
            "Path": "/",
            "RoleName": asked.RoleName,
            "RoleId": "AROAEXAMPLEEXAMPLE",
            "Arn": f"arn:aws:iam::{OWNER}:role/{asked.RoleName}",
            "CreateDate": "2020-01-01T00:00:00+00:00",
        }
        return {"Role": _dated(role, "CreateDate")}

    def iam_GetUser(self, asked: Any) -> Answer:
        user = {
            "Path": "/",
            "UserName": asked.UserName,
            "UserId": "AIDAEXAMPLEEXAMPLE",
            "Arn": f"arn:aws:iam::{OWNER}:user/{asked.UserName}",
            "CreateDate": "2020-01-01T00:00:00+00:00",
        }
        return {"User": _dated(user, "CreateDate")}

    def iam_GetInstanceProfile(self, asked: Any) -> Answer:
        profile = {
            "Path": "/",
            "InstanceProfileName": asked.InstanceProfileName,
            "InstanceProfileId": "AIPAEXAMPLEEXAMPLE",
            "Arn": f"arn:aws:iam::{OWNER}:instance-profile/{asked.InstanceProfileName}",
            "CreateDate": "2020-01-01T00:00:00+00:00",
            "Roles": [],
        }
        return {"InstanceProfile": _dated(profile, "CreateDate")}

    def sns_GetTopicAttributes(self, asked: Any) -> Answer:
        return {"Attributes": {"TopicArn": asked.TopicArn}}

    def amp_DescribeWorkspace(self, asked: Any) -> Answer:
        workspace = {
            "workspaceId": asked.workspaceId,
            "arn": f"arn:aws:aps:us-east-1:{OWNER}:workspace/{asked.workspaceId}",
            "status": {"statusCode": "ACTIVE"},
            "createdAt": "2020-01-01T00:00:00+00:00",
        }
        return {"workspace": _dated(workspace, "createdAt")}

    # -- what has the names of the plan -------------------------------------------------------

    def cloudformation_DescribeStacks(self, asked: Any) -> Answer:
        if not self.deployed and "cloudformation:DescribeStacks" not in self.wrong:
            raise _error("ValidationError", "", f"Stack with id {asked.StackName} does not exist")
        stack = {
            "StackName": asked.StackName,
            "CreationTime": "2020-01-01T00:00:00+00:00",
            "StackStatus": "CREATE_COMPLETE",
            "Tags": [{"Key": "parallelcluster:version", "Value": "3.16.1"}],
            "Outputs": [{"OutputKey": "ClusterSecurityGroupId", "OutputValue": NODES_GROUP}],
        }
        return {"Stacks": [_dated(stack, "CreationTime")]}

    def sagemaker_DescribeCluster(self, asked: Any) -> Answer:
        joined = self.plan.options.existing.get("cluster")
        if not self.deployed and not joined:
            raise _error("ResourceNotFound", "")
        arn = f"arn:aws:sagemaker:{self.plan.region}:{OWNER}:cluster/abcdefghijkl"
        assert asked.ClusterName == (joined or self.plan.name)
        peers = self.plan.options.memberships[:1] or ("sg-0abcd",)
        network = {"Subnets": ["subnet-0abcd"], "SecurityGroupIds": list(peers)}
        names = [group.name for group in self.plan.node_groups] if self.deployed else []
        return {
            "ClusterArn": arn,
            "ClusterStatus": "InService",
            "InstanceGroups": [{"InstanceGroupName": name} for name in names],
            "VpcConfig": network,
        }

    def pcs_ListClusters(self, _: Any) -> Answer:
        cluster = {
            "name": self.plan.name if self.deployed else "another",
            "id": "pcs_abcdefghij",
            "arn": f"arn:aws:pcs:{self.plan.region}:{OWNER}:cluster/pcs_abcdefghij",
            "createdAt": "2020-01-01T00:00:00+00:00",
            "modifiedAt": "2020-01-01T00:00:00+00:00",
            "status": "ACTIVE",
        }
        return {"clusters": [_dated(cluster, "createdAt", "modifiedAt")]}

    def pcs_GetCluster(self, asked: Any) -> Answer:
        plan = self.plan
        groups = [given] if (given := plan.network.scheduler_security_group) else []
        cluster = {
            "name": "platform",
            "id": asked.clusterIdentifier,
            "arn": f"arn:aws:pcs:{plan.region}:{OWNER}:cluster/{asked.clusterIdentifier}",
            "status": "ACTIVE",
            "createdAt": "2020-01-01T00:00:00+00:00",
            "modifiedAt": "2020-01-01T00:00:00+00:00",
            "scheduler": {"type": "SLURM", "version": plan.slurm.version},
            "size": "MEDIUM",
            "networking": {"subnetIds": ["subnet-0abcd"], "securityGroupIds": groups},
        }
        return {"cluster": _dated(cluster, "createdAt", "modifiedAt")}

    def pcs_ListComputeNodeGroups(self, asked: Any) -> Answer:
        return {"computeNodeGroups": [self._member("another", asked.clusterIdentifier)]}

    def pcs_ListQueues(self, asked: Any) -> Answer:
        return {"queues": [self._member("another", asked.clusterIdentifier)]}

    def _member(self, name: str, cluster: str) -> Answer:
        """A node group or queue of a PCS cluster."""
        member = {
            "name": name,
            "id": "pcs_0a1b2c3d4f",
            "arn": f"arn:aws:pcs:{self.plan.region}:{OWNER}:cluster/{cluster}/{name}",
            "clusterId": cluster,
            "createdAt": "2020-01-01T00:00:00+00:00",
            "modifiedAt": "2020-01-01T00:00:00+00:00",
            "status": "ACTIVE",
        }
        return _dated(member, "createdAt", "modifiedAt")

    def batch_DescribeJobQueues(self, asked: Any) -> Answer:
        if not self.deployed:
            return {"jobQueues": []}
        return {
            "jobQueues": [
                {
                    "jobQueueName": name,
                    "jobQueueArn": f"arn:aws:batch:{self.plan.region}:{OWNER}:job-queue/{name}",
                    "state": "ENABLED",
                    "priority": 1,
                    "computeEnvironmentOrder": [],
                }
                for name in asked.jobQueues
            ]
        }

    def eks_DescribeCluster(self, asked: Any) -> Answer:
        if (
            asked.name == self.plan.name
            and not self.deployed
            and "eks:DescribeCluster" not in self.wrong
        ):
            raise _error("ResourceNotFoundException", "")
        return {
            "cluster": {
                "name": asked.name,
                "status": "ACTIVE",
                "accessConfig": {"authenticationMode": "API"},
                "resourcesVpcConfig": {
                    "vpcId": self.vpc,
                    "clusterSecurityGroupId": "sg-0a1b2c3d4e5f60009",
                },
                "version": self.plan.kubernetes.version,
            }
        }

    def eks_ListNodegroups(self, _: Any) -> Answer:
        return {"nodegroups": ["another"]}

    def eks_DescribeClusterVersions(self, _: Any) -> Answer:
        versions = words("1.32 1.33 1.34 1.35 1.36")
        support = "STANDARD_SUPPORT"
        return {
            "clusterVersions": [{"clusterVersion": v, "versionStatus": support} for v in versions]
        }

    def eks_DescribeAddonVersions(self, _: Any) -> Answer:
        names = words("""
            vpc-cni kube-proxy eks-pod-identity-agent coredns eks-node-monitoring-agent
            aws-ebs-csi-driver aws-fsx-csi-driver aws-efs-csi-driver aws-mountpoint-s3-csi-driver
            amazon-cloudwatch-observability kube-state-metrics
        """)
        version = [{"addonVersion": "v1.0.0-eksbuild.1"}]
        return {"addons": [{"addonName": name, "addonVersions": version} for name in names]}


class Client:
    """A client of botocore as far as preflight uses one."""

    def __init__(self, service: str, account: Account) -> None:
        from botocore import xform_name

        self._service, self._account, self._model = service, account, _model(service)
        self._operations = {xform_name(name): name for name in self._model.operation_names}

    def __getattr__(self, method: str) -> Callable[..., Answer]:
        return lambda **arguments: self._ask(self._operations[method], arguments)

    def get_paginator(self, method: str) -> Any:
        """Pages of one item, where the API has pages."""
        operation = self._operations[method]
        result = _pagination(self._service)[operation]["result_key"]
        members = result if isinstance(result, list) else [result]

        def paginate(**arguments: Any) -> Iterator[Answer]:
            answer = self._ask(operation, arguments)
            member = next(name for name in members if name in answer)
            for item in answer[member]:
                yield {**answer, member: [item]}

        return SimpleNamespace(paginate=paginate)

    def _ask(self, operation: str, arguments: Mapping[str, Any]) -> Answer:
        shapes = self._model.operation_model(operation)
        _validate(shapes.input_shape, dict(arguments))
        answer = self._account.answer(self._service, operation, arguments)
        _validate(shapes.output_shape, answer)
        return answer


@functools.cache
def _pagination(service: str) -> Mapping[str, Any]:
    loader = _session().get_component("data_loader")
    found: Mapping[str, Any] = loader.load_service_model(service, "paginators-1")["pagination"]
    return found


def _validate(shape: Any, value: Answer) -> None:
    from botocore.validate import ParamValidator

    if shape is not None:
        report = ParamValidator().validate(value, shape)
        assert not report.has_errors(), report.generate_report()


def _error(code: str, operation: str, message: str = "refused") -> Exception:
    from botocore.exceptions import ClientError

    error: Exception = ClientError({"Error": {"Code": code, "Message": message}}, operation)
    return error


def _dated(found: Answer, *names: str) -> Answer:
    """Timestamps as botocore gives them."""
    from datetime import datetime

    return found | {name: datetime.fromisoformat(found[name]) for name in names}


def _changed(answer: Answer, wrong: Any) -> Answer:
    """The answer with other items, or other fields of it or of each item."""
    made = copy.deepcopy(answer)
    member = next((name for name, value in made.items() if _is_listing(value)), None)
    if isinstance(wrong, list):
        assert member
        return {**made, member: wrong}
    if wrong.keys() & made.keys() or not any(isinstance(v, dict | list) for v in made.values()):
        merged: Answer = _merged(made, wrong)
        return merged
    if member:
        return {**made, member: [_merged(item, wrong) for item in made[member]]}
    return {k: _merged(v, wrong) if isinstance(v, dict) else v for k, v in made.items()}


def _is_listing(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(item, str) for item in value)


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
