"""What ParallelCluster refuses offline, an import refuses, too; and nothing else."""

import json
from typing import Any

import pytest
import yaml

from clustergen.base.findings import errors
from clustergen.checking.compiler import check_text
from clustergen.importing import Imported
from tests.importing.templates import VPC, bring, filled
from tests.validators.good import CLUSTER, MANAGED_LUSTRE
from tests.validators.parallelcluster import ParallelCluster
from tests.validators.placeholders import fill
from tests.validators.seeding import GONE, changed

HPC = "Scheduling.SlurmQueues.1"
NODES = f"{HPC}.ComputeResources.0"
SLURM = "Scheduling.SlurmSettings"
SETTINGS = f"{SLURM}.CustomSlurmSettings"
LUSTRE = "SharedStorage.0.FsxLustreSettings"
SUBNETS = ["${PrivateSubnetId}", "${OtherSubnetId}"]
ONE, OTHER = "m7i.8xlarge", "m6i.8xlarge"
SECRET = "arn:aws:secretsmanager:us-east-1:123456789012:secret:key-AbCdEf"
PARAMETER = "arn:aws:ssm:us-east-1:123456789012:parameter/key"
OF_SSM = SECRET.replace("secretsmanager", "ssm")
KEY = "arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"
RESERVED = {"CapacityReservationId": "cr-0a1b2c3d4e5f67890"}
DIRECTORY = {
    "DomainName": "corp.example.com",
    "DomainAddr": "ldaps://corp.example.com",
    "PasswordSecretArn": SECRET,
    "DomainReadOnlyUser": "cn=reader,dc=corp",
}
DATABASE = {"Uri": "db.example.com:3306", "UserName": "slurm", "PasswordSecretArn": SECRET}
FLEXIBLE = {
    "Name": "any",
    "Instances": [{"InstanceType": ONE}, {"InstanceType": OTHER}],
    "MinCount": 0,
    "MaxCount": 4,
}


def disk(**settings: Any) -> dict[str, Any]:
    return {"Name": "d", "MountDir": "/d", "StorageType": "Ebs", "EbsSettings": settings}


def efs(name: str = "e", **settings: Any) -> dict[str, Any]:
    return {"Name": name, "MountDir": f"/{name}", "StorageType": "Efs", "EfsSettings": settings}


WITH_LUSTRE = changed(CLUSTER, "SharedStorage.0", MANAGED_LUSTRE)
WITH_TYPES = changed(
    changed(CLUSTER, f"{HPC}.Networking.PlacementGroup", {"Enabled": False}), NODES, FLEXIBLE
)
WITH_DIRECTORY = changed(CLUSTER, "DirectoryService", DIRECTORY)
STORAGE = "SharedStorage.2"

REFUSED: list[tuple[Any, str, Any]] = [
    (CLUSTER, STORAGE, efs(AccessPointId="fsap-0a1b2c3d4e5f60718", EncryptionInTransit=True)),
    (CLUSTER, f"{STORAGE}.EfsSettings.IamAuthorization", True),
    (CLUSTER, STORAGE, efs(KmsKeyId=KEY)),
    (CLUSTER, STORAGE, efs(ThroughputMode="provisioned")),
    (CLUSTER, STORAGE, disk(Encrypted=False, KmsKeyId=KEY)),
    (CLUSTER, STORAGE, disk(VolumeType="standard", Size=2000)),
    (CLUSTER, STORAGE, disk(VolumeType="standard", Iops=100)),
    (CLUSTER, STORAGE, disk(Size=20000)),
    (CLUSTER, STORAGE, disk(Size=400, Throughput=1000)),
    (CLUSTER, f"{STORAGE}.Name", "default"),
    (CLUSTER, f"{STORAGE}.Name", "fast"),
    (CLUSTER, f"{STORAGE}.Name", "fast/"),
    (CLUSTER, f"{STORAGE}.Name", "a-name-of-more-than-thirty-letters"),
    (CLUSTER, "SharedStorage", [efs("a"), efs("b")]),
    (WITH_LUSTRE, f"{LUSTRE}.AutoImportPolicy", "NEW"),
    (WITH_LUSTRE, f"{LUSTRE}.ExportPath", "s3://team-data"),
    (WITH_LUSTRE, f"{LUSTRE}.PerUnitStorageThroughput", GONE),
    (WITH_LUSTRE, f"{LUSTRE}.StorageCapacity", GONE),
    (WITH_LUSTRE, f"{LUSTRE}.DailyAutomaticBackupStartTime", "03:00"),
    (WITH_LUSTRE, f"{LUSTRE}.BackupId", "backup-0a1b2c3d4e5f60718"),
    (CLUSTER, f"{HPC}.Networking.PlacementGroup", {"Enabled": False, "Name": "mine"}),
    (CLUSTER, f"{HPC}.Networking.PlacementGroup", {"Id": "a", "Name": "b"}),
    (CLUSTER, f"{HPC}.Networking.AssignPublicIp", True),
    (CLUSTER, f"{HPC}.Networking.SubnetIds", SUBNETS),
    (WITH_TYPES, f"{HPC}.Networking", {"SubnetIds": SUBNETS, "PlacementGroup": {"Enabled": True}}),
    (WITH_TYPES, f"{HPC}.Networking.SubnetIds", ["${PrivateSubnetId}", "${PrivateSubnetId}"]),
    (WITH_TYPES, f"{HPC}.AllocationStrategy", "capacity-optimized"),
    (WITH_TYPES, f"{NODES}.CapacityReservationTarget", RESERVED),
    (CLUSTER, f"{HPC}.CapacityType", "CAPACITY_BLOCK"),
    (CLUSTER, f"{NODES}.Efa", {"Enabled": False, "GdrSupport": True}),
    (CLUSTER, f"{NODES}.SchedulableMemory", 0),
    (CLUSTER, f"{NODES}.SchedulableMemory", 9000000),
    (CLUSTER, f"{NODES}.CustomSlurmSettings", {"Weight": 3}),
    (CLUSTER, f"{NODES}.Tags", [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]),
    (CLUSTER, f"{HPC}.Tags", [{"Key": "parallelcluster:a", "Value": "1"}]),
    (CLUSTER, SETTINGS, [{"NodeName": "my-st-node", "CPUs": 4}]),
    (CLUSTER, f"{SLURM}.CustomSlurmSettingsIncludeFile", "s3://team-scripts/slurm.conf"),
    (CLUSTER, f"{SLURM}.MungeKeySecretArn", PARAMETER),
    (CLUSTER, f"{SLURM}.ExternalSlurmdbd", {"Host": "db.example.com"}),
    (CLUSTER, f"{SLURM}.Database", {**DATABASE, "Uri": "mysql://db.example.com"}),
    (CLUSTER, f"{SLURM}.Database", {**DATABASE, "PasswordSecretArn": OF_SSM}),
    (WITH_DIRECTORY, "DirectoryService.DomainName", "corp example"),
    (WITH_DIRECTORY, "DirectoryService.PasswordSecretArn", PARAMETER),
    (WITH_DIRECTORY, "DirectoryService.AdditionalSssdConfigs", {"id_provider": "ad"}),
    (CLUSTER, "Iam", {"ResourcePrefix": "teams/"}),
    (CLUSTER, "HeadNode.SharedStorageEfsSettings", {"Encrypted": True}),
    (CLUSTER, "HeadNode.CustomActions", {"OnNodeStart": {"Script": "http://example.org/a"}}),
    (CLUSTER, "LoginNodes.Pools.0.Name", "default"),
    (CLUSTER, "LoginNodes.Pools.0.Name", "Login"),
    (CLUSTER, "DevSettings", {"Cookbook": {"ExtraChefAttributes": "{x"}}),
    (CLUSTER, "AdditionalPackages", {"IntelSoftware": {"IntelHpcPlatform": True}}),
]

ACCEPTED: list[tuple[Any, str, Any]] = [
    (CLUSTER, STORAGE, efs(IamAuthorization=False)),
    (CLUSTER, STORAGE, efs(Encrypted=True, KmsKeyId=KEY)),
    (CLUSTER, STORAGE, disk(VolumeType="standard", Size=400)),
    (CLUSTER, STORAGE, disk(Size="400", Encrypted="true")),
    (CLUSTER, f"{STORAGE}.Name", "a:b@c=d"),
    (CLUSTER, f"{STORAGE}.Name", "/fast"),
    (WITH_LUSTRE, f"{LUSTRE}.AutomaticBackupRetentionDays", 7),
    (CLUSTER, f"{HPC}.CapacityType", "SPOT"),
    (CLUSTER, f"{NODES}.SpotPrice", "1.25"),
    (CLUSTER, "HeadNode.Iam", {"S3Access": [{"BucketName": "team-*", "KeyName": "a/*"}]}),
    (CLUSTER, "Iam", {"ResourcePrefix": "/teams/ml/gpu-"}),
    (WITH_TYPES, f"{HPC}.AllocationStrategy", "prioritized"),
    (WITH_DIRECTORY, "DirectoryService.DomainName", "dc=corp,dc=example"),
    (CLUSTER, f"{SLURM}.Database", DATABASE),
    (CLUSTER, SETTINGS, [{"NodeName": "mine", "CPUs": 4}]),
]


STATIC = changed(CLUSTER, f"{NODES}.MinCount", 1)
WEIGHED = {**STATIC["Scheduling"]["SlurmQueues"][1]["ComputeResources"][0]} | dict.fromkeys(
    ("StaticNodePriority", "DynamicNodePriority"), 5
)
BY_MEMORY = changed(WITH_TYPES, f"{SLURM}.EnableMemoryBasedScheduling", True)
DESKTOPS = {"Enabled": True, "AllowedIps": "203.0.113.0/24"}
TEAM = [{"Key": "team", "Value": "fluids"}]
ON, OFF = {"Enabled": True}, {"Enabled": False}
EXTERNAL = {"ExternalSlurmdbd": {"Host": "db.example.com"}, "MungeKeySecretArn": SECRET}


def types(*names: str, **more: Any) -> dict[str, Any]:
    return {**FLEXIBLE, "Instances": [{"InstanceType": name} for name in names], **more}


def readiness(setting: str, value: Any) -> dict[str, Any]:
    attributes = {"cluster": {f"cluster_readiness_check_{setting}": value}}
    return {"Cookbook": {"ExtraChefAttributes": json.dumps(attributes)}}


WARNED: list[tuple[Any, str, Any, str]] = [
    # Also the validator that speaks, and our code.
    (WITH_DIRECTORY, "DirectoryService.DomainAddr", "ldap://corp.example.com", "Addr IAM107"),
    (WITH_DIRECTORY, "DirectoryService.DomainAddr", "corp.example.com", "Addr IAM107"),
    (WITH_DIRECTORY, "DirectoryService.LdapTlsReqCert", "try", "LdapTlsReqCert IAM107"),
    (CLUSTER, "HeadNode.Dcv", DESKTOPS, "Dcv GPU101"),
    (CLUSTER, "LoginNodes.Pools.0.Dcv", DESKTOPS, "Dcv GPU101"),
    (CLUSTER, "Monitoring", {"DetailedMonitoring": True}, "DetailedMonitoring MON101"),
    (CLUSTER, f"{NODES}.SchedulableMemory", 1000, "SchedulableMemory OVL104"),
    (CLUSTER, "DevSettings", readiness("enabled", "false"), "ExtraChefAttributes OVL107"),
    (CLUSTER, "DevSettings", readiness("ignore_failure", True), "ExtraChefAttributes OVL107"),
    (STATIC, f"{NODES}.StaticNodePriority", 2000, "SlurmNodePriorities OVL108"),
    (STATIC, NODES, WEIGHED, "SlurmNodePriorities SLM113"),
    (CLUSTER, f"{HPC}.Tags", TEAM, "ComputeResourceTags OVL109"),
    (WITH_TYPES, NODES, types("c6in.32xlarge", "c6i.32xlarge"), "InstancesNetworking NIC102"),
    (
        WITH_TYPES,
        NODES,
        types("c6in.32xlarge", "c6i.32xlarge", Efa=ON),
        "InstancesNetworking NIC004",
    ),
    (BY_MEMORY, NODES, types("c7i.8xlarge", "m7i.8xlarge"), "InstancesMemory SLM114"),
    (CLUSTER, "Monitoring", {"Logs": {"CloudWatch": OFF}}, "LogRotation OVL111"),
    (CLUSTER, SLURM, EXTERNAL, "ExternalSlurmdbdTrafficNotEncrypted OVL110"),
]


def brought(text: str) -> Imported:
    zones = {"": "use1-az6", fill("${OtherSubnetId}"): "use1-az4"}
    return bring(("cluster.yaml", text), region="us-east-1", vpc=VPC, zones=zones)


def written(base: Any, path: str, value: Any) -> str:
    return fill(yaml.safe_dump(changed(base, path, value), sort_keys=False))


def refused_by(parallelcluster: ParallelCluster, text: str) -> list[str]:
    return [each.text for each in parallelcluster.validator(text) if each.level == "ERROR"]


def found(result: Imported) -> list[str]:
    """Errors of the import, and of the spec that it wrote."""
    checked = errors(check_text(filled(result).text).findings) if result.text else []
    return [f"{each.code} {each.message}" for each in (*errors(result.findings), *checked)]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("base", "path", "value"), REFUSED)
def test_what_parallelcluster_refuses_is_an_error(
    parallelcluster: ParallelCluster, base: Any, path: str, value: Any
) -> None:
    text = written(base, path, value)
    assert refused_by(parallelcluster, text)
    assert found(brought(text))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("base", "path", "value"), ACCEPTED)
def test_what_parallelcluster_accepts_is_none(
    parallelcluster: ParallelCluster, base: Any, path: str, value: Any
) -> None:
    text = written(base, path, value)
    assert refused_by(parallelcluster, text) == []
    result = brought(text)
    assert found(result) == []
    assert result.lossless


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("base", "path", "value", "both"), WARNED)
def test_what_parallelcluster_warns_of_is_found(
    parallelcluster: ParallelCluster, base: Any, path: str, value: Any, both: str
) -> None:
    validator, code = both.split()
    for text, warned in ((written(base, path, value), True), (written(base, "Tags", GONE), False)):
        messages = parallelcluster.validator(text)
        assert [each.text for each in messages if each.level == "ERROR"] == []
        assert any(validator in each.validator for each in messages) is warned
        findings = check_text(filled(brought(text)).text).findings
        assert errors(findings) == []
        assert (code in {each.code for each in findings}) is warned


@pytest.mark.parametrize("more", ["Region: us-east-1\nRegion: us-east-1\n", "x: &x {}\n<<: *x\n"])
def test_keys_that_its_reader_refuses_are_errors(more: str) -> None:
    text = written(CLUSTER, "Region", "us-east-1") + more
    assert any("IMP012" in each for each in found(brought(text)))


def test_a_refused_value_stays_in_the_overlay_with_one_error() -> None:
    text = written(CLUSTER, f"{HPC}.Networking.AssignPublicIp", True)
    result = brought(text)
    assert errors(result.findings) == []
    (error,) = result.errors
    assert error.code == "OVL102"
    assert error.span is not None
    assert error.span.text.strip() == "AssignPublicIp: true"
