"""Document rules of HyperPod: one change of a good request, one finding."""

from collections.abc import Mapping
from typing import Any

import pytest

from clustergen.base.artifacts import Json
from tests.support.checking import broken
from tests.validators.seeding import GONE, changed


def _group(name: str, type: str, count: int, **slurm: Any) -> Json:
    role = "${HyperPodExecutionRoleArn}"  # that of the foundation
    made = {"InstanceGroupName": name, "InstanceType": type, "InstanceCount": count}
    return {**made, "ExecutionRole": role, "SlurmConfig": slurm}


def _slurm() -> Json:
    controller = _group("controller", "ml.m7i.4xlarge", 1, NodeType="Controller")
    gpu = _group("gpu", "ml.p5.48xlarge", 4, NodeType="Compute", PartitionNames=["gpu"])
    return {
        "ClusterName": "c",
        "InstanceGroups": [controller, gpu],
        "VpcConfig": {"SecurityGroupIds": ["sg-0a1b2c3d"], "Subnets": ["subnet-0a1b2c3d"]},
        "Orchestrator": {"Slurm": {}},
        "NodeProvisioningMode": "Continuous",
    }


def _eks() -> Json:
    made = _slurm()
    arn = "arn:aws:eks:us-east-1:111122223333:cluster/c"
    scripts = {"SourceS3Uri": "s3://sagemaker-a/b/", "OnCreate": "on_create.sh"}
    groups = [
        {key: value for key, value in group.items() if key != "SlurmConfig"}
        | {"LifeCycleConfig": scripts}
        for group in made["InstanceGroups"]
    ]
    return {**made, "InstanceGroups": groups, "Orchestrator": {"Eks": {"ClusterArn": arn}}}


BASES = {"slurm": _slurm, "eks": _eks}
GROUPS = {"head": "InstanceGroups.0", "gpu": "InstanceGroups.1"}
ONCE = {"NodeProvisioningMode": GONE}
NO_VPC = {"VpcConfig": GONE}
LUSTRE = {"FsxLustreConfig": {"DnsName": "fs-0a1b2c3d.fsx", "MountName": "abcdefgh"}}
OPENZFS = {"FsxOpenZfsConfig": {"DnsName": "fs-0a1b2c3d.fsx"}}
VOLUME = {"EbsVolumeConfig": {"VolumeSizeInGB": 500}}
ROOT = {"EbsVolumeConfig": {"RootVolume": True, "VolumeKmsKeyId": "alias/a"}}
BOTH = {"EbsVolumeConfig": {**ROOT["EbsVolumeConfig"], "VolumeSizeInGB": 9}}
SCRIPT = {"SourceS3Uri": "s3://sagemaker-a/b/", "OnInitComplete": "a.sh"}
TWO_SCRIPTS = {**SCRIPT, "OnCreate": "b.sh"}
SPOT: dict[str, Any] = {"gpu.CapacityRequirements": {"Spot": {}}}
TYPES = {"gpu.InstanceRequirements": {"InstanceTypes": ["ml.p5.48xlarge"]}}
TYPES_ALONE = {**TYPES, "gpu.InstanceType": GONE}
ULTRASERVER = {"gpu.InstanceType": "ml.p6e-gb200.36xlarge"}
CHECKS, PLAN = "gpu.OnStartDeepHealthChecks", "gpu.TrainingPlanArn"
KUBERNETES, PATCHES = "gpu.KubernetesConfig", "gpu.AutoPatchConfig"
TAINTED = {KUBERNETES: {"Taints": [{"Key": "a", "Effect": "NoSchedule"}]}}
MIG = {KUBERNETES: {"Labels": {"nvidia.com/mig.config": "all-1g.10gb"}}}
SCALING = {"AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter"}}
ROLE = {"ClusterRole": "arn:aws:iam::111122223333:role/autoscaler"}
MERGED = {"Orchestrator.Slurm.SlurmConfigStrategy": "Merge"}
DATABASE: dict[str, Any] = {"Orchestrator.Slurm.AccountingDatabase": {}}
ROLLING = {"RollingUpdatePolicy": {"MaximumBatchSize": {"Type": "INSTANCE_COUNT", "Value": 1}}}
PATCHING = {"PatchingStrategy": "DrainFirst", "DeploymentConfig": ROLLING}
UPDATED = "gpu.ScheduledUpdateConfig"
DAILY = {"ScheduledUpdateConfig": {"ScheduleExpression": "daily"}}
RESTRICTED = {"InstanceGroupName": "nova", "InstanceType": "ml.p5.48xlarge", **DAILY}


def _with(base: str, changes: Mapping[str, Any]) -> Json:
    document = BASES[base]()
    for path, value in changes.items():
        start, dot, rest = path.replace("storage", "gpu.InstanceStorageConfigs").partition(".")
        document = changed(document, f"{GROUPS.get(start, start)}{dot}{rest}", value)
    return document


NO_SCRIPTS = "OVL332 no scripts"

# Changes of a good request, code and words of each finding.
SLURM: list[tuple[Mapping[str, Any], str]] = [
    ({}, ""),
    # Orchestrator
    ({"Orchestrator": {}}, "OVL308 neither"),
    (
        {"Orchestrator": {"Slurm": {}, "Eks": {}}},
        f"OVL308 Eks and Slurm; OVL312 with EKS; OVL312 with EKS; {NO_SCRIPTS}; {NO_SCRIPTS}",
    ),
    (MERGED, "OVL309 SlurmConfigStrategy"),
    ({**MERGED, **ONCE}, ""),
    ({**DATABASE, **ONCE}, "OVL323 AccountingDatabase"),
    (DATABASE, ""),
    # Roles of groups
    (
        {"gpu.SlurmConfig.NodeType": "Controller"},
        "OVL300 2 groups of controllers; OVL316 not one controller; OVL317 only compute groups",
    ),
    ({"head.SlurmConfig": GONE}, "OVL300 0 groups of controllers; OVL319 without SlurmConfig"),
    ({"head.InstanceCount": 2}, "OVL316 not one controller"),
    ({"gpu.SlurmConfig.PartitionNames": GONE}, "OVL317 0 partitions"),
    ({"gpu.SlurmConfig.PartitionNames": ["a", "b"]}, "OVL317 2 partitions"),
    ({"gpu.SlurmConfig": {"NodeType": "Login"}}, ""),
    (
        dict.fromkeys(("Orchestrator", "head.SlurmConfig", "gpu.SlurmConfig"), GONE),
        f"OVL311 no Orchestrator; {NO_SCRIPTS}; {NO_SCRIPTS}",
    ),
    # Counts
    ({"gpu.InstanceType": GONE}, "OVL322 neither"),
    (TYPES, "OVL322 both"),
    (TYPES_ALONE, ""),
    ({**TYPES_ALONE, **ONCE}, "OVL323 continuous"),
    ({"gpu.MinInstanceCount": 2}, ""),
    ({"gpu.MinInstanceCount": 2, **ONCE}, "OVL323 MinInstanceCount without"),
    ({"gpu.MinInstanceCount": 5}, "OVL301 a minimum of 5 instances above the total of 4"),
    ({"gpu.OverrideVpcConfig": {}, **NO_VPC}, "OVL314 without VpcConfig"),
    # Storage
    ({"storage": [VOLUME, ROOT, LUSTRE, OPENZFS]}, ""),
    ({"storage": [LUSTRE, LUSTRE]}, "OVL325 2 of FsxLustreConfig"),
    ({"storage": [OPENZFS, OPENZFS]}, "OVL325 2 of FsxOpenZfsConfig"),
    ({"storage": [VOLUME, VOLUME]}, "OVL329 one second volume"),
    ({"storage": [ROOT, ROOT]}, "OVL329 one root volume"),
    ({"storage": [LUSTRE], **NO_VPC}, "OVL314 without VpcConfig"),
    ({"storage": [{"EbsVolumeConfig": {"RootVolume": True}}]}, "OVL302 without VolumeKmsKeyId"),
    ({"storage": [BOTH]}, "OVL302 with a size"),
    ({"storage": [{"EbsVolumeConfig": {}}]}, "OVL302 without VolumeSizeInGB"),
    # Scripts
    ({"gpu.LifeCycleConfig": SCRIPT}, ""),
    ({"gpu.LifeCycleConfig": {}}, NO_SCRIPTS),
    ({"gpu.LifeCycleConfig": TWO_SCRIPTS}, "OVL334 OnCreate and OnInitComplete"),
    ({"gpu.LifeCycleConfig": {"OnCreate": "b.sh"}}, "OVL303 without SourceS3Uri"),
    ({"gpu.LifeCycleConfig": {**SCRIPT, "SourceS3Uri": "s3://mine/a/"}}, "OVL306 s3://mine/a/"),
    # Kubernetes
    ({KUBERNETES: {"Labels": {"a": "b"}}}, "OVL304 only with EKS"),
    (SPOT, "OVL304 only with EKS"),
    ({"gpu.ImageReleaseVersion": "1.0.0"}, "OVL304 only with EKS"),
    (SCALING, "OVL321 EKS, ClusterRole"),
    ({"TieredStorageConfig": {"Mode": "Enable"}}, "OVL304 only with EKS"),
    # Patches
    ({PATCHES: PATCHING}, "OVL304 only with EKS"),
]
# Changes of a good request, code and words of each finding.
EKS: list[tuple[Mapping[str, Any], str]] = [
    ({}, ""),
    # Orchestrator
    (NO_VPC, "OVL314 without VpcConfig"),
    # Roles of groups
    (
        {"gpu.SlurmConfig": {"NodeType": "Controller"}, "gpu.InstanceCount": 1},
        "OVL312 SlurmConfig with EKS",
    ),
    # Storage
    ({"storage": [LUSTRE]}, "OVL326 with EKS"),
    # Scripts
    ({"gpu.LifeCycleConfig": GONE}, NO_SCRIPTS),
    ({"gpu.LifeCycleConfig": SCRIPT}, "OVL333 only clusters whose Slurm"),
    ({"gpu.LifeCycleConfig": TWO_SCRIPTS}, "OVL333 only clusters whose Slurm"),
    # Kubernetes
    ({**SCALING, **ROLE}, ""),
    ({**SCALING, **ROLE, **ONCE}, "OVL321 Continuous"),
    (SPOT, ""),
    ({**SPOT, **ONCE}, "OVL323 Spot"),
    ({**SPOT, PLAN: "a"}, "OVL341 with a training plan"),
    ({**TAINTED, CHECKS: ["InstanceStress"]}, "OVL342 taints"),
    ({"TieredStorageConfig": {"Mode": "Enable"}}, ""),
    ({KUBERNETES: {"Labels": {"node.kubernetes.io/a": "b"}}}, "OVL343 the prefix kubernetes.io/"),
    ({KUBERNETES: {"Taints": [{"Key": "karpenter.sh/a"}]}}, "OVL343 the prefix karpenter.sh/"),
    ({KUBERNETES: {"Labels": {"a" * 64: "b"}}}, "OVL344 too long"),
    ({KUBERNETES: {"Labels": {f"b.c/{'a' * 63}": "b"}}}, ""),
    ({**MIG, **ONCE}, "OVL323 mig.config without continuous"),
    ({"RestrictedInstanceGroups": [RESTRICTED]}, "OVL305 nova: daily"),
    # Hardware
    ({"gpu.InstanceType": "ml.m7i.large", CHECKS: ["a"]}, "OVL307 without accelerators"),
    ({CHECKS: ["InstanceStress"]}, ""),
    (ULTRASERVER, "OVL335 without a training plan"),
    ({**ULTRASERVER, PLAN: "a"}, ""),
    ({"gpu.OverrideVpcConfig": {"Subnets": ["a", "b"]}}, "OVL336 in 2 subnets"),
    ({"gpu.OverrideVpcConfig": {"Subnets": ["a"]}}, ""),
    ({"gpu.ImageId": "ami-0a1b2c3d", "gpu.ImageReleaseVersion": "1.2.3"}, "OVL337 a custom image"),
    ({"gpu.ImageId": "default", "gpu.ImageReleaseVersion": "1.2.3"}, ""),
    (
        {**SCALING, **ROLE, "gpu.InstanceCount": 0, PLAN: "a", CHECKS: ["a"]},
        "OVL338 TrainingPlanArn in; OVL338 OnStartDeepHealthChecks in",
    ),
    # Patches
    ({PATCHES: PATCHING}, ""),
    ({PATCHES: {"PatchingStrategy": "DrainFirst"}}, "OVL346 MaximumBatchSize"),
    ({PATCHES: {"PatchingStrategy": "WhenIdle", "DrainPolicy": {}}}, "OVL346 DrainPolicy"),
    ({PATCHES: {**PATCHING, "IdleWaitWindowInSeconds": 3600}}, "OVL346 IdleWaitWindowInSeconds"),
    ({UPDATED: {"ScheduleExpression": "cron(0 3 ? * SUN *)"}}, ""),
    ({UPDATED: {"ScheduleExpression": "rate(7 days)"}}, "OVL305 not a valid schedule"),
    ({UPDATED: {"ScheduleExpression": "cron(* * ? * SUN *)"}}, "OVL305 not a valid schedule"),
]
CASES = [*(("slurm", *row) for row in SLURM), *(("eks", *row) for row in EKS)]


@pytest.mark.parametrize(("base", "changes", "expected"), CASES)
def test_findings(base: str, changes: Mapping[str, Any], expected: str) -> None:
    found = broken("hyperpod-eks", _with(base, changes))
    found.sort(key=lambda finding: (finding.code, finding.message))
    words = [each.partition(" ")[::2] for each in sorted(expected.split("; ")) if each]
    assert [finding.code for finding in found] == [code for code, _ in words], found
    for finding, (_, said) in zip(found, words, strict=True):
        assert said in finding.message
        assert finding.help


# What an overlay may contain instead of a request.
ODD = [
    {"InstanceGroups": None},
    {"InstanceGroups": "all"},
    {"InstanceGroups": ["gpu", 7, None]},
    {"InstanceGroups": [{"InstanceGroupName": 7, "InstanceStorageConfigs": {"a": 1}}]},
    {"InstanceGroups": [{"SlurmConfig": "Compute", "LifeCycleConfig": 3}]},
    {"Orchestrator": "Slurm"},
    {"Orchestrator": {"Slurm": None}},
    {"AutoScaling": [1]},
]


@pytest.mark.parametrize("document", ODD, ids=repr)
def test_any_json_is_accepted(document: Json) -> None:
    for request in (document, {**_slurm(), **document}):
        assert all(f.message and f.help for f in broken("hyperpod-eks", request))
