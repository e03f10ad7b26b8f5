"""An account in which a plan can be deployed, and the same with one thing wrong.

Requests and answers are validated against the models of botocore, so the account speaks the
services' language; what it says is made from the plan.
"""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from clustergen import targets
from clustergen.base.text_lists import words
from clustergen.checking.preflight import files, network, reserved
from clustergen.checking.preflight.rules import images
from clustergen.facts.catalog import regions
from clustergen.plan import quotas
from clustergen.plan.model import FileCache, Lustre, Ontap, OpenZfs, Plan
from clustergen.services.aws import marks
from clustergen.targets.parallelcluster import limits
from tests.support import service_models

OWNER = "111122223333"
VPC = "vpc-0aaaaaaaaaaaaaaa0"
NODES_GROUP = "sg-0a1b2c3d4e5f60005"
"""The one that the foundation makes."""
FILES_GROUP = "sg-0ffffffffffffff00"
PLENTY = 1_000_000
Answer = dict[str, Any]
ELSEWHERE = "subnet-0elsewhere"
"""A subnet in the first zone of the region."""
EARLIER = datetime(2020, 1, 1, tzinfo=UTC)
LATER = datetime(2099, 1, 1, 11, 30, tzinfo=UTC)


@dataclass
class Account:
    """What AWS answers where nothing is wrong, besides what ``wrong`` says.

    ``wrong`` has, by call, an error code, an error, the items of the list in its answer, or fields
    that replace those of each item.
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
        if isinstance(wrong, Exception):
            raise wrong
        if isinstance(wrong, str):
            raise error(wrong, operation)
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
        state = {"State": "available", "OptInStatus": "opt-in-not-required"}
        zones = [
            {"ZoneId": zone, "ZoneName": self.zone_name(zone), "GroupName": self.plan.region}
            for zone in self.zones
        ]
        return {"AvailabilityZones": [zone | state for zone in zones]}

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
        main: Answer = {"RouteTableId": "rtb-1", "Routes": [{**out, "NatGatewayId": "nat-1"}]}
        main |= {"VpcId": vpc, "Associations": [{"Main": True, "RouteTableId": "rtb-1"}]}
        other: Answer = {"RouteTableId": "rtb-2", "Routes": [{**out, "GatewayId": "igw-1"}]}
        other |= {"VpcId": vpc, "Associations": [{"Main": False, "SubnetId": i} for i in public]}
        return {"RouteTables": [main, other]}

    def ec2_DescribeVpcEndpoints(self, _: Any) -> Answer:
        return {"VpcEndpoints": []}

    def ec2_DescribeVpcEndpointServices(self, asked: Any) -> Answer:
        zone = self.plan.network.zone
        return _each(asked, "ServiceDetails", "ServiceName", AvailabilityZoneIds=[zone])

    def ec2_DescribeAddresses(self, _: Any) -> Answer:
        return {"Addresses": [{"PublicIp": "203.0.113.1"}]}

    def ec2_DescribeSecurityGroups(self, asked: Any) -> Answer:
        return _each(asked, "SecurityGroups", "GroupId", VpcId=self.vpc)

    def ec2_DescribeSecurityGroupRules(self, asked: Any) -> Answer:
        """Each group admits itself in both directions, and the nodes."""
        nodes = [id for id in self.plan.network.node_security_groups if isinstance(id, str)]
        rules = [
            {"GroupId": id, "IsEgress": egress, "ReferencedGroupInfo": {"GroupId": peer}}
            | {"IpProtocol": "-1"}
            for id in asked.Filters[0]["Values"]
            for peer in (id, *(nodes or [NODES_GROUP]), *self.plan.existing.memberships)
            for egress in (False, True)
        ]
        return {"SecurityGroupRules": rules}

    def ec2_DescribeNetworkInterfaces(self, asked: Any) -> Answer:
        groups = [{"GroupId": FILES_GROUP}]
        return _each(asked, "NetworkInterfaces", "NetworkInterfaceId", Groups=groups)

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
        return {
            "CapacityReservationId": id,
            "State": "active",
            "InstanceType": group.type.name,
            "AvailabilityZoneId": zone,
            "TotalInstanceCount": item.nodes,
            "AvailableInstanceCount": 0 if self.deployed else item.nodes,
            "ReservationType": "capacity-block" if item.kind == "capacity-block" else "default",
            "Interruptible": item.kind == "interruptible-reservation",
            "StartDate": group.capacity.starts or EARLIER,
            "EndDate": group.capacity.ends or LATER,
        }

    def resource_groups_ListGroupResources(self, _: Any) -> Answer:
        arn = f"arn:aws:ec2:{self.plan.region}:{OWNER}:capacity-reservation/cr-0bbbbbbbbbbbbbbb0"
        kind = "AWS::EC2::CapacityReservation"
        return {"Resources": [{"Identifier": {"ResourceArn": arn, "ResourceType": kind}}]}

    def sagemaker_DescribeTrainingPlan(self, asked: Any) -> Answer:
        end_of_id = f"/{asked.TrainingPlanName}"
        item = next(i for i in reserved.wanted(self.plan) if i.id.endswith(end_of_id))
        group = item.groups[0]
        part = {
            "ReservedCapacityArn": f"{item.id}/1",
            "InstanceType": group.type.hyperpod,
            "TotalInstanceCount": item.nodes,
            "Status": "Active",
            "AvailabilityZoneId": self.zone_of(""),
        }
        return {
            "TrainingPlanArn": item.id,
            "TrainingPlanName": asked.TrainingPlanName,
            "Status": "Active",
            "TargetResources": ["hyperpod-cluster"],
            "AvailableInstanceCount": 0 if self.deployed else item.nodes,
            "StartTime": group.capacity.starts or EARLIER,
            "EndTime": group.capacity.ends or LATER,
            "ReservedCapacitySummaries": [part],
        }

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
                "Tags": [{"Key": images.MADE_BY, "Value": limits.VERSION}],
            }
            for id in asked.Filters[0]["Values"]
        ]
        return {"Images": found}

    def ec2_GetAllowedImagesSettings(self, _: Any) -> Answer:
        return {"State": "disabled", "ImageCriteria": []}

    def ec2_GetEbsDefaultKmsKeyId(self, _: Any) -> Answer:
        return {"KmsKeyId": "alias/aws/ebs"}

    def ec2_DescribeKeyPairs(self, asked: Any) -> Answer:
        return _each(asked, "KeyPairs", "KeyName")

    def ec2_DescribePlacementGroups(self, asked: Any) -> Answer:
        return _each(asked, "PlacementGroups", "GroupName", Strategy="cluster")

    def ec2_DescribeManagedPrefixLists(self, asked: Any) -> Answer:
        return _each(asked, "PrefixLists", "PrefixListId")

    def ec2_DescribeVolumes(self, asked: Any) -> Answer:
        zone = self.zone_name(self.zone_of(""))
        return _each(asked, "Volumes", "VolumeId", State="available", AvailabilityZone=zone)

    def ec2_DescribeSnapshots(self, asked: Any) -> Answer:
        return _each(asked, "Snapshots", "SnapshotId", State="completed")

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
        found = {"FileSystemId": asked.FileSystemId, "LifeCycleState": "available"}
        return {"FileSystems": [found | {"NumberOfMountTargets": 1}]}

    def efs_DescribeMountTargets(self, asked: Any) -> Answer:
        same = {"SubnetId": "subnet-0of0the0files", "LifeCycleState": "available"}
        same |= {"FileSystemId": asked.FileSystemId}
        targets = [{"MountTargetId": f"fsmt-{z}", "AvailabilityZoneId": z} for z in self.zones]
        return {"MountTargets": [target | same for target in targets]}

    def efs_DescribeFileSystemPolicy(self, asked: Any) -> Answer:
        allowed = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "elasticfilesystem:*"}
        return {"FileSystemId": asked.FileSystemId, "Policy": json.dumps({"Statement": allowed})}

    def efs_DescribeMountTargetSecurityGroups(self, _: Any) -> Answer:
        return {"SecurityGroups": [FILES_GROUP]}

    def s3_HeadBucket(self, _: Any) -> Answer:
        return {"BucketRegion": self.plan.region}

    # -- what else the spec names -------------------------------------------------------------

    def service_quotas_GetServiceQuota(self, asked: Any) -> Answer:
        quota = {"QuotaCode": asked.QuotaCode, "Value": float(PLENTY)}
        if asked.ServiceCode != "ec2":
            return {"Quota": quota}
        names = {"Service": "EC2", "Resource": "vCPU", "Type": "Resource", "Class": "Standard"}
        metric: Answer = {"MetricNamespace": "AWS/Usage", "MetricName": "ResourceCount"}
        metric |= {"MetricDimensions": names, "MetricStatisticRecommendation": "Maximum"}
        return {"Quota": quota | {"UsageMetric": metric}}

    def cloudwatch_GetMetricStatistics(self, asked: Any) -> Answer:
        assert asked.Namespace == "AWS/Usage"
        assert {"Name": "Resource", "Value": "vCPU"} in asked.Dimensions
        return {"Datapoints": [{"Timestamp": datetime(2026, 11, 22, tzinfo=UTC), "Maximum": 0.0}]}

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
        name = asked.RoleName
        return {"Role": {"RoleName": name, "Arn": f"arn:aws:iam::{OWNER}:role/{name}"}}

    def iam_GetUser(self, asked: Any) -> Answer:
        name = asked.UserName
        return {"User": {"UserName": name, "Arn": f"arn:aws:iam::{OWNER}:user/{name}"}}

    def iam_GetInstanceProfile(self, asked: Any) -> Answer:
        name = asked.InstanceProfileName
        arn = f"arn:aws:iam::{OWNER}:instance-profile/{name}"
        return {"InstanceProfile": {"InstanceProfileName": name, "Arn": arn}}

    def sns_GetTopicAttributes(self, asked: Any) -> Answer:
        return {"Attributes": {"TopicArn": asked.TopicArn}}

    def amp_DescribeWorkspace(self, asked: Any) -> Answer:
        workspace = {
            "workspaceId": asked.workspaceId,
            "arn": f"arn:aws:aps:us-east-1:{OWNER}:workspace/{asked.workspaceId}",
            "status": {"statusCode": "ACTIVE"},
        }
        return {"workspace": workspace}

    # -- what has the names of the plan -------------------------------------------------------

    def cloudformation_DescribeStacks(self, asked: Any) -> Answer:
        if not self.deployed and "cloudformation:DescribeStacks" not in self.wrong:
            raise error("ValidationError", "", f"Stack with id {asked.StackName} does not exist")
        stack = {
            "StackName": asked.StackName,
            "StackStatus": "CREATE_COMPLETE",
            "Tags": [{"Key": "parallelcluster:version", "Value": "3.16.1"}],
            "Outputs": [{"OutputKey": "ClusterSecurityGroupId", "OutputValue": NODES_GROUP}],
        }
        return {"Stacks": [stack]}

    def cloudformation_GetTemplateSummary(self, asked: Any) -> Answer:
        founded = asked.StackName.endswith("-foundation")
        of = marks.of_foundation if founded else marks.of_cluster
        return {"Metadata": json.dumps(marks.marked({}, of(self.plan))["Metadata"])}

    def sagemaker_DescribeCluster(self, asked: Any) -> Answer:
        joined = self.plan.existing.named.get("cluster")
        if not self.deployed and not joined:
            raise error("ResourceNotFound", "")
        arn = f"arn:aws:sagemaker:{self.plan.region}:{OWNER}:cluster/abcdefghijkl"
        assert asked.ClusterName == (joined or self.plan.name)
        peers = self.plan.existing.memberships[:1] or ("sg-0abcd",)
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
            "status": "ACTIVE",
        }
        return {"clusters": [cluster]}

    def pcs_GetCluster(self, asked: Any) -> Answer:
        plan = self.plan
        groups = [given] if (given := plan.network.scheduler_security_group) else []
        cluster = {
            "name": "platform",
            "id": asked.clusterIdentifier,
            "arn": f"arn:aws:pcs:{plan.region}:{OWNER}:cluster/{asked.clusterIdentifier}",
            "status": "ACTIVE",
            "scheduler": {"type": "SLURM", "version": plan.slurm.version},
            "size": "MEDIUM",
            "networking": {"subnetIds": ["subnet-0abcd"], "securityGroupIds": groups},
        }
        return {"cluster": cluster}

    def pcs_ListComputeNodeGroups(self, asked: Any) -> Answer:
        return {"computeNodeGroups": [self._member("another", asked.clusterIdentifier)]}

    def pcs_ListQueues(self, asked: Any) -> Answer:
        return {"queues": [self._member("another", asked.clusterIdentifier)]}

    def _member(self, name: str, cluster: str) -> Answer:
        """A node group or queue of a PCS cluster."""
        return {
            "name": name,
            "id": "pcs_0a1b2c3d4f",
            "arn": f"arn:aws:pcs:{self.plan.region}:{OWNER}:cluster/{cluster}/{name}",
            "clusterId": cluster,
            "status": "ACTIVE",
        }

    def batch_DescribeJobQueues(self, asked: Any) -> Answer:
        arn = f"arn:aws:batch:{self.plan.region}:{OWNER}:job-queue"
        same: Answer = {"state": "ENABLED", "priority": 1, "computeEnvironmentOrder": []}
        queues = [
            {"jobQueueName": name, "jobQueueArn": f"{arn}/{name}"} for name in asked.jobQueues
        ]
        return {"jobQueues": [queue | same for queue in queues] if self.deployed else []}

    def eks_DescribeCluster(self, asked: Any) -> Answer:
        there = self.deployed or "eks:DescribeCluster" in self.wrong
        if asked.name == self.plan.name and not there:
            raise error("ResourceNotFoundException", "")
        vpc = {"vpcId": self.vpc, "clusterSecurityGroupId": "sg-0a1b2c3d4e5f60009"}
        return {
            "cluster": {
                "name": asked.name,
                "status": "ACTIVE",
                "accessConfig": {"authenticationMode": "API"},
                "resourcesVpcConfig": vpc,
                "version": self.plan.kubernetes.version,
            }
        }

    def eks_ListNodegroups(self, _: Any) -> Answer:
        return {"nodegroups": ["another"]}

    def eks_DescribeClusterVersions(self, _: Any) -> Answer:
        versions = words("1.32 1.33 1.34 1.35 1.36")
        supported = [{"clusterVersion": v, "versionStatus": "STANDARD_SUPPORT"} for v in versions]
        return {"clusterVersions": supported}

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

        self._service, self._account, self._model = service, account, service_models.model(service)
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
        said = self._account.answer(self._service, operation, arguments)
        answer: Answer = _filled(shapes.output_shape, said)
        _validate(shapes.output_shape, answer)
        return answer


@functools.cache
def _pagination(service: str) -> Mapping[str, Any]:
    loader = service_models.session().get_component("data_loader")
    found: Mapping[str, Any] = loader.load_service_model(service, "paginators-1")["pagination"]
    return found


_ANY: Mapping[str, Any] = {
    **{"string": "example-of-a-value", "integer": 1, "long": 1, "boolean": False},
    **{"timestamp": EARLIER, "list": (), "structure": {}},
}
"""Values of members that no check reads, by the type that botocore gives them."""


def _filled(shape: Any, value: Any) -> Any:
    """An answer with the members that the service always sends."""
    if shape is not None and shape.type_name == "list":
        return [_filled(shape.member, item) for item in value]
    if shape is None or shape.type_name != "structure":
        return value
    missing = {name for name in shape.required_members if name not in value}
    given = {**value, **{name: _ANY[shape.members[name].type_name] for name in missing}}
    return {name: _filled(shape.members.get(name), inner) for name, inner in given.items()}


def _validate(shape: Any, value: Answer) -> None:
    from botocore.validate import ParamValidator

    if shape is not None:
        report = ParamValidator().validate(value, shape)
        assert not report.has_errors(), report.generate_report()


def error(code: str, operation: str, message: str = "refused") -> Exception:
    from botocore.exceptions import ClientError

    refusal: Exception = ClientError({"Error": {"Code": code, "Message": message}}, operation)
    return refusal


def _each(asked: Any, members: str, id: str, **same: Any) -> Answer:
    """The answer with an item for each value of the filter."""
    return {members: [{id: value, **same} for value in asked.Filters[0]["Values"]]}


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
