"""The ParallelCluster validator passes what is right and catches single faults."""

from typing import Any

import pytest
import yaml

from clustergen.base.text_lists import words
from tests.validators.good import CLUSTER, MANAGED_LUSTRE
from tests.validators.parallelcluster import Message, ParallelCluster
from tests.validators.placeholders import value_for
from tests.validators.seeding import GONE, changed

SETTINGS = "Scheduling.SlurmSettings.CustomSlurmSettings"
H200 = "Scheduling.SlurmQueues.0"
H200_NODES = f"{H200}.ComputeResources.0"
HPC = "Scheduling.SlurmQueues.1"
HPC_NODES = f"{HPC}.ComputeResources.0"
FAST = "SharedStorage.0"
WITH_LUSTRE = changed(CLUSTER, FAST, MANAGED_LUSTRE)
LUSTRE = f"{FAST}.FsxLustreSettings"
IN_GOVCLOUD = changed(CLUSTER, "Region", "us-gov-west-1")
PUBLIC, PRIVATE = "${PublicSubnetId}", "${PrivateSubnetId}"
ON = {"Enabled": True}
HTTP = "http://example.org/setup.sh"
POLICY = {"Policy": "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"}
RESERVATION = "cr-0a1b2c3d4e5f67890"
GROUP_ARN = "arn:aws:resource-groups:us-east-1:123456789012:group/reserved"


def _text(config: Any) -> str:
    return yaml.safe_dump(config, sort_keys=False)


def _errors(messages: list[Message]) -> list[tuple[str, str]]:
    return [(m.validator, m.text) for m in messages if m.level != "INFO"]


@pytest.mark.parametrize(
    "config",
    [
        CLUSTER,
        WITH_LUSTRE,
        IN_GOVCLOUD,
        changed(CLUSTER, "Region", "cn-north-1"),
        changed(CLUSTER, "HeadNode.Iam", {"S3Access": [{"BucketName": "${ScriptsBucketName}"}]}),
        changed(CLUSTER, f"{HPC}.CapacityType", "SPOT"),
        changed(CLUSTER, "Image.CustomAmi", "ami-0a1b2c3d4e5f60718"),
        changed(
            changed(CLUSTER, f"{HPC}.Networking.PlacementGroup", {"Enabled": False}),
            HPC_NODES,
            {
                "Name": "any",
                "Instances": [{"InstanceType": "m7i.8xlarge"}, {"InstanceType": "m6i.8xlarge"}],
                "CapacityReservationTarget": {"CapacityReservationResourceGroupArn": GROUP_ARN},
            },
        ),
    ],
    ids=words("cluster managed-lustre govcloud china s3-access spot own-image resource-group"),
)
def test_valid_clusters_pass(parallelcluster: ParallelCluster, config: Any) -> None:
    messages = parallelcluster.validator(_text(config))
    assert _errors(messages) == []


def test_an_ultraserver_passes(parallelcluster: ParallelCluster) -> None:
    config = changed(CLUSTER, f"{H200_NODES}.InstanceType", "p6e-gb200.36xlarge")
    config = changed(config, "HeadNode.InstanceType", "m8g.4xlarge")
    config = changed(config, "LoginNodes", GONE)
    config = changed(config, HPC, GONE)
    assert _errors(parallelcluster.validator(_text(config))) == []


FAULTS: list[tuple[str, Any, str, str]] = [
    # Path, value, validator, word of its message.
    ("HeadNode.Ami", "x", "Schema", "Unknown field"),
    ("Image.Os", "alinux2", "Schema", "Must be one of"),
    (f"{H200}.Networking.SubnetIds.0", "sn-1", "Schema", "SubnetIds"),
    (f"{H200}.Name", "H200", "Name", "lowercase"),
    ("Region", "ap-south-2", "Region", "officially supported"),
    (f"{H200_NODES}.InstanceType", "p5x.48xlarge", "AWSClientError", "p5x"),
    (f"{HPC_NODES}.InstanceType", "hpc7a.96xlarge", "InstanceTypeBaseAMICompatible", "supported"),
    (f"{HPC_NODES}.InstanceType", "m7i.8xlarge", "Efa", "not support EFA"),
    (f"{HPC_NODES}.InstanceType", "c8gn.48xlarge", "InstanceArchitectureCompatibility", "arch"),
    (f"{HPC}.Networking.PlacementGroup", GONE, "EfaPlacementGroup", "explicit"),
    (f"{HPC}.Networking.SubnetIds", [PUBLIC], "MultiNetworkInterfacesInstances", "public"),
    (f"{HPC}.Networking.SubnetIds", [PRIVATE, "${OtherSubnetId}"], "EfaMultiAz", "Availability"),
    (f"{HPC}.Networking.AdditionalSecurityGroups", GONE, "ExistingFsxNetworking", "988"),
    (f"{HPC}.CustomActions", {"OnNodeStart": {"Script": HTTP}}, "AsyncTimedUrl", "prefix"),
    (f"{HPC_NODES}.MinCount", 9, "ComputeResourceSize", "greater"),
    (f"{H200_NODES}.MinCount", 8, "ComputeResourceSize", "same value"),
    (f"{H200_NODES}.CapacityReservationTarget", GONE, "CapacityType", "id is required"),
    (f"{H200_NODES}.InstanceType", "c8in.96xlarge", "CapacityType", "capacity-block"),
    (f"{H200}.Networking.PlacementGroup", ON, "PlacementGroupCapacityType", "placement group"),
    ("HeadNode.InstanceType", "t3.micro", "HeadNodeMemorySize", "memory"),
    ("HeadNode.LocalStorage", {"RootVolume": {"Size": 35}}, "RootVolumeSize", "35"),
    (f"{SETTINGS}.0", {"SlurmctldParameters": "x"}, "CustomSlurmSettings", "SlurmctldParameters"),
    (f"{H200}.CustomSlurmSettings", {"PartitionName": "x"}, "CustomSlurmSettings", "PartitionName"),
    (f"{FAST}.MountDir", "/opt", "SharedStorageMountDir", "reserved"),
    (f"{FAST}.MountDir", "/home", "DuplicateMountDir", "/home"),
    (f"{FAST}.MountDir", "/scratch", "DuplicateMountDir", "ephemeral"),
]

FAULTS_OF_MANAGED_LUSTRE: list[tuple[str, Any, str, str]] = [
    (f"{LUSTRE}.StorageCapacity", 5000, "FsxStorageCapacity", "2,400"),
    (f"{LUSTRE}.PerUnitStorageThroughput", 300, "FsxStorageTypeOptions", "125"),
    (f"{LUSTRE}.PerUnitStorageThroughput", GONE, "FsxPersistentOptions", "must be specified"),
    (f"{LUSTRE}.EfaEnabled", True, "Schema", "Unknown field"),
]

FAULTS_IN_GOVCLOUD: list[tuple[str, Any, str, str]] = [
    ("HeadNode.Iam", {"AdditionalIamPolicies": [POLICY]}, "AdditionalIamPolicy", "partition")
]


@pytest.mark.parametrize(
    ("good", "path", "value", "validator", "word"),
    [
        *((CLUSTER, *fault) for fault in FAULTS),
        *((WITH_LUSTRE, *fault) for fault in FAULTS_OF_MANAGED_LUSTRE),
        *((IN_GOVCLOUD, *fault) for fault in FAULTS_IN_GOVCLOUD),
    ],
)
def test_single_faults_are_caught(
    parallelcluster: ParallelCluster, *, good: Any, path: str, value: Any, validator: str, word: str
) -> None:
    messages = _errors(parallelcluster.validator(_text(changed(good, path, value))))
    by_validator = {by.removesuffix("Validator"): text for by, text in messages if word in text}
    assert validator in by_validator, messages


FACTS = [
    # A fact of the account that only its owner knows, and who minds it.
    (RESERVATION, {"InstanceType": "p5.48xlarge"}, "CapacityReservationValidator"),
    (RESERVATION, {"AvailabilityZone": "us-east-1f"}, "CapacityReservationValidator"),
    (RESERVATION, {"ReservationType": "default"}, "CapacityReservationValidator"),
    (RESERVATION, {"TotalInstanceCount": 4}, "CapacityReservationSizeValidator"),
    ("mine", {"KeyType": "rsa"}, "KeyPairValidator"),
    (value_for("PublicSubnetId"), {"VpcId": "vpc-other"}, "SubnetsValidator"),
    (value_for("StorageFsxId"), {"VpcId": "vpc-other"}, "ExistingFsxNetworkingValidator"),
    (value_for("StorageToolsId"), {"MountTargets": []}, "EfsIdValidator"),
]


@pytest.mark.parametrize(("owner", "fact", "validator"), FACTS)
def test_facts_of_the_account_count(
    parallelcluster: ParallelCluster, owner: str, fact: dict[str, Any], validator: str
) -> None:
    messages = parallelcluster.validator(_text(CLUSTER), facts={owner: fact})
    assert validator in {m.validator for m in messages if m.level == "ERROR"}, messages


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Region: us-east-1\nRegion: us-east-2\n", "Duplicate"),
        ("- a\n", "not a mapping"),
        ("a: [", "not YAML"),
        ("Image: 1\nHeadNode: []\nScheduling: x\n", "Invalid"),
    ],
)
def test_invalid_documents_are_rejected(
    parallelcluster: ParallelCluster, text: str, word: str
) -> None:
    messages = parallelcluster.validator(text)
    assert any(word in m.text for m in messages if m.validator == "Schema"), messages


def test_the_cluster_name_counts(parallelcluster: ParallelCluster) -> None:
    messages = parallelcluster.validator(_text(CLUSTER), cluster_name="1-starts-with-a-digit")
    assert "ClusterNameValidator" in {m.validator for m in messages}
