"""Document rules of HyperPod: one change of a good request, one finding."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from clustergen.artifacts import Json
from tests.checking import broken


def _slurm() -> Json:
    role = "${HyperPodExecutionRoleArn}"  # that of the foundation
    vpc = {"SecurityGroupIds": ["sg-0a1b2c3d"], "Subnets": ["subnet-0a1b2c3d"]}
    controller = {
        "InstanceGroupName": "controller",
        "InstanceType": "ml.m7i.4xlarge",
        "InstanceCount": 1,
        "ExecutionRole": role,
        "SlurmConfig": {"NodeType": "Controller"},
    }
    gpu = {
        "InstanceGroupName": "gpu",
        "InstanceType": "ml.p5.48xlarge",
        "InstanceCount": 4,
        "ExecutionRole": role,
        "SlurmConfig": {"NodeType": "Compute", "PartitionNames": ["gpu"]},
    }
    return {
        "ClusterName": "c",
        "InstanceGroups": [controller, gpu],
        "VpcConfig": vpc,
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
ABSENT = object()
GPU = ("InstanceGroups", 1)
LUSTRE = {"FsxLustreConfig": {"DnsName": "fs-0a1b2c3d.fsx", "MountName": "abcdefgh"}}
OPENZFS = {"FsxOpenZfsConfig": {"DnsName": "fs-0a1b2c3d.fsx"}}
VOLUME = {"EbsVolumeConfig": {"VolumeSizeInGB": 500}}
ROOT = {"EbsVolumeConfig": {"RootVolume": True, "VolumeKmsKeyId": "alias/a"}}
STORAGE = (*GPU, "InstanceStorageConfigs")
SCRIPT = {"SourceS3Uri": "s3://sagemaker-a/b/", "OnInitComplete": "a.sh"}
PATCHING = {"RollingUpdatePolicy": {"MaximumBatchSize": {"Type": "INSTANCE_COUNT", "Value": 1}}}


def _with(base: str, *changes: tuple[tuple[str | int, ...], Any]) -> Json:
    document = copy.deepcopy(BASES[base]())
    for path, value in changes:
        target: Any = document
        for step in path[:-1]:
            target = target[step]
        if value is ABSENT:
            del target[path[-1]]
        else:
            target[path[-1]] = value
    return document


MINIMUM = ((*GPU, "MinInstanceCount"), 2)
ONCE = (("NodeProvisioningMode",), ABSENT)
TYPES = ((*GPU, "InstanceRequirements"), {"InstanceTypes": ["ml.p5.48xlarge"]})
ROLE = "arn:aws:iam::111122223333:role/autoscaler"
SCALING = (("AutoScaling",), {"Mode": "Enable", "AutoScalerType": "Karpenter"})

NO_SCRIPTS = [("OVL332", "no scripts")]

# Base, changes, code and words of each finding.
CASES: list[tuple[str, list[Any], list[tuple[str, str]]]] = [
    ("slurm", [], []),
    ("eks", [], []),
    # Orchestrator
    ("slurm", [(("Orchestrator",), {})], [("OVL308", "neither")]),
    (
        "slurm",
        [(("Orchestrator",), {"Slurm": {}, "Eks": {}})],
        [
            ("OVL308", "Eks and Slurm"),
            ("OVL312", "with EKS"),
            ("OVL312", "with EKS"),
            *NO_SCRIPTS,
            *NO_SCRIPTS,
        ],
    ),
    (
        "slurm",
        [(("Orchestrator", "Slurm", "SlurmConfigStrategy"), "Merge")],
        [("OVL309", "SlurmConfigStrategy")],
    ),
    ("slurm", [(("Orchestrator", "Slurm", "SlurmConfigStrategy"), "Merge"), ONCE], []),
    (
        "slurm",
        [(("Orchestrator", "Slurm", "AccountingDatabase"), {}), ONCE],
        [("OVL310", "AccountingDatabase")],
    ),
    ("slurm", [(("Orchestrator", "Slurm", "AccountingDatabase"), {})], []),
    ("eks", [(("VpcConfig",), ABSENT)], [("OVL314", "without VpcConfig")]),
    # Roles of groups
    (
        "slurm",
        [((*GPU, "SlurmConfig", "NodeType"), "Controller")],
        [
            ("OVL300", "2 groups of controllers"),
            ("OVL316", "not one controller"),
            ("OVL318", "only compute groups"),
        ],
    ),
    (
        "slurm",
        [(("InstanceGroups", 0, "SlurmConfig"), ABSENT)],
        [("OVL300", "0 groups of controllers"), ("OVL319", "without SlurmConfig")],
    ),
    ("slurm", [(("InstanceGroups", 0, "InstanceCount"), 2)], [("OVL316", "not one controller")]),
    ("slurm", [((*GPU, "SlurmConfig", "PartitionNames"), ABSENT)], [("OVL317", "0 partitions")]),
    (
        "slurm",
        [((*GPU, "SlurmConfig", "PartitionNames"), ["a", "b"])],
        [("OVL317", "2 partitions")],
    ),
    ("slurm", [((*GPU, "SlurmConfig"), {"NodeType": "Login"})], []),
    (
        "eks",
        [((*GPU, "SlurmConfig"), {"NodeType": "Controller"}), ((*GPU, "InstanceCount"), 1)],
        [("OVL312", "SlurmConfig with EKS")],
    ),
    (
        "slurm",
        [
            (("Orchestrator",), ABSENT),
            (("InstanceGroups", 0, "SlurmConfig"), ABSENT),
            ((*GPU, "SlurmConfig"), ABSENT),
        ],
        [("OVL311", "no Orchestrator"), *NO_SCRIPTS, *NO_SCRIPTS],
    ),
    # Counts
    ("slurm", [((*GPU, "InstanceType"), ABSENT)], [("OVL322", "neither")]),
    ("slurm", [TYPES], [("OVL322", "both")]),
    ("slurm", [TYPES, ((*GPU, "InstanceType"), ABSENT)], []),
    ("slurm", [TYPES, ((*GPU, "InstanceType"), ABSENT), ONCE], [("OVL323", "continuous")]),
    ("slurm", [MINIMUM], []),
    ("slurm", [MINIMUM, ONCE], [("OVL323", "MinInstanceCount without")]),
    (
        "slurm",
        [((*GPU, "MinInstanceCount"), 5)],
        [("OVL301", "a minimum of 5 instances above the total of 4")],
    ),
    (
        "slurm",
        [((*GPU, "OverrideVpcConfig"), {}), (("VpcConfig",), ABSENT)],
        [("OVL324", "without VpcConfig")],
    ),
    # Storage
    ("slurm", [(STORAGE, [VOLUME, ROOT, LUSTRE, OPENZFS])], []),
    ("slurm", [(STORAGE, [LUSTRE, LUSTRE])], [("OVL325", "2 of FsxLustreConfig")]),
    ("slurm", [(STORAGE, [OPENZFS, OPENZFS])], [("OVL325", "2 of FsxOpenZfsConfig")]),
    ("slurm", [(STORAGE, [VOLUME, VOLUME])], [("OVL329", "one second volume")]),
    ("slurm", [(STORAGE, [ROOT, ROOT])], [("OVL329", "one root volume")]),
    ("slurm", [(STORAGE, [LUSTRE]), (("VpcConfig",), ABSENT)], [("OVL327", "without VpcConfig")]),
    (
        "slurm",
        [(STORAGE, [{"EbsVolumeConfig": {"RootVolume": True}}])],
        [("OVL302", "without VolumeKmsKeyId")],
    ),
    (
        "slurm",
        [(STORAGE, [{"EbsVolumeConfig": {**ROOT["EbsVolumeConfig"], "VolumeSizeInGB": 9}}])],
        [("OVL330", "with a size")],
    ),
    ("slurm", [(STORAGE, [{"EbsVolumeConfig": {}}])], [("OVL331", "without VolumeSizeInGB")]),
    ("eks", [(STORAGE, [LUSTRE])], [("OVL326", "with EKS")]),
    # Scripts
    ("slurm", [((*GPU, "LifeCycleConfig"), SCRIPT)], []),
    (
        "slurm",
        [((*GPU, "LifeCycleConfig"), {})],
        NO_SCRIPTS,
    ),
    (
        "slurm",
        [((*GPU, "LifeCycleConfig"), {**SCRIPT, "OnCreate": "b.sh"})],
        [("OVL334", "OnCreate and OnInitComplete")],
    ),
    (
        "slurm",
        [((*GPU, "LifeCycleConfig"), {"OnCreate": "b.sh"})],
        [("OVL303", "without SourceS3Uri")],
    ),
    (
        "eks",
        [((*GPU, "LifeCycleConfig"), ABSENT)],
        NO_SCRIPTS,
    ),
    ("eks", [((*GPU, "LifeCycleConfig"), SCRIPT)], [("OVL333", "only clusters whose Slurm")]),
    (
        "slurm",
        [((*GPU, "LifeCycleConfig"), {**SCRIPT, "SourceS3Uri": "s3://mine/a/"})],
        [("OVL306", "s3://mine/a/")],
    ),
    # Kubernetes
    (
        "slurm",
        [((*GPU, "KubernetesConfig"), {"Labels": {"a": "b"}})],
        [("OVL304", "only with EKS")],
    ),
    ("slurm", [((*GPU, "CapacityRequirements"), {"Spot": {}})], [("OVL304", "only with EKS")]),
    ("slurm", [((*GPU, "ImageReleaseVersion"), "1.0.0")], [("OVL304", "only with EKS")]),
    ("slurm", [SCALING], [("OVL321", "EKS, ClusterRole")]),
    ("eks", [SCALING, (("ClusterRole",), ROLE)], []),
    ("eks", [SCALING, (("ClusterRole",), ROLE), ONCE], [("OVL321", "Continuous")]),
    ("eks", [((*GPU, "CapacityRequirements"), {"Spot": {}})], []),
    ("eks", [((*GPU, "CapacityRequirements"), {"Spot": {}}), ONCE], [("OVL339", "Spot")]),
    (
        "eks",
        [((*GPU, "CapacityRequirements"), {"Spot": {}}), ((*GPU, "TrainingPlanArn"), "a")],
        [("OVL341", "with a training plan")],
    ),
    (
        "eks",
        [
            ((*GPU, "KubernetesConfig"), {"Taints": [{"Key": "a", "Effect": "NoSchedule"}]}),
            ((*GPU, "OnStartDeepHealthChecks"), ["InstanceStress"]),
        ],
        [("OVL342", "taints")],
    ),
    ("slurm", [(("TieredStorageConfig",), {"Mode": "Enable"})], [("OVL320", "only with EKS")]),
    ("eks", [(("TieredStorageConfig",), {"Mode": "Enable"})], []),
    (
        "eks",
        [((*GPU, "KubernetesConfig"), {"Labels": {"node.kubernetes.io/a": "b"}})],
        [("OVL343", "the prefix kubernetes.io/")],
    ),
    (
        "eks",
        [((*GPU, "KubernetesConfig"), {"Taints": [{"Key": "karpenter.sh/a"}]})],
        [("OVL343", "the prefix karpenter.sh/")],
    ),
    (
        "eks",
        [((*GPU, "KubernetesConfig"), {"Labels": {"a" * 64: "b"}})],
        [("OVL344", "too long")],
    ),
    ("eks", [((*GPU, "KubernetesConfig"), {"Labels": {f"b.c/{'a' * 63}": "b"}})], []),
    (
        "eks",
        [((*GPU, "KubernetesConfig"), {"Labels": {"nvidia.com/mig.config": "all-1g.10gb"}}), ONCE],
        [("OVL340", "mig.config without continuous")],
    ),
    (
        "eks",
        [((*GPU, "LifeCycleConfig"), {**SCRIPT, "OnCreate": "b.sh"})],
        [("OVL333", "only clusters whose Slurm")],
    ),
    (
        "eks",
        [
            (
                ("RestrictedInstanceGroups",),
                [
                    {
                        "InstanceGroupName": "nova",
                        "InstanceType": "ml.p5.48xlarge",
                        "ScheduledUpdateConfig": {"ScheduleExpression": "daily"},
                    }
                ],
            )
        ],
        [("OVL305", "nova: daily")],
    ),
    # Hardware
    (
        "eks",
        [((*GPU, "InstanceType"), "ml.m7i.large"), ((*GPU, "OnStartDeepHealthChecks"), ["a"])],
        [("OVL307", "without accelerators")],
    ),
    ("eks", [((*GPU, "OnStartDeepHealthChecks"), ["InstanceStress"])], []),
    (
        "eks",
        [((*GPU, "InstanceType"), "ml.p6e-gb200.36xlarge")],
        [("OVL335", "without a training plan")],
    ),
    (
        "eks",
        [((*GPU, "InstanceType"), "ml.p6e-gb200.36xlarge"), ((*GPU, "TrainingPlanArn"), "a")],
        [],
    ),
    (
        "eks",
        [((*GPU, "OverrideVpcConfig"), {"Subnets": ["a", "b"]})],
        [("OVL336", "in 2 subnets")],
    ),
    ("eks", [((*GPU, "OverrideVpcConfig"), {"Subnets": ["a"]})], []),
    (
        "eks",
        [((*GPU, "ImageId"), "ami-0a1b2c3d"), ((*GPU, "ImageReleaseVersion"), "1.2.3")],
        [("OVL337", "a custom image")],
    ),
    ("eks", [((*GPU, "ImageId"), "default"), ((*GPU, "ImageReleaseVersion"), "1.2.3")], []),
    (
        "eks",
        [
            SCALING,
            (("ClusterRole",), ROLE),
            ((*GPU, "InstanceCount"), 0),
            ((*GPU, "TrainingPlanArn"), "a"),
            ((*GPU, "OnStartDeepHealthChecks"), ["a"]),
        ],
        [("OVL338", "TrainingPlanArn in"), ("OVL338", "OnStartDeepHealthChecks in")],
    ),
    # Patches
    (
        "eks",
        [
            (
                (*GPU, "AutoPatchConfig"),
                {"PatchingStrategy": "DrainFirst", "DeploymentConfig": PATCHING},
            )
        ],
        [],
    ),
    (
        "eks",
        [((*GPU, "AutoPatchConfig"), {"PatchingStrategy": "DrainFirst"})],
        [("OVL346", "MaximumBatchSize")],
    ),
    (
        "slurm",
        [
            (
                (*GPU, "AutoPatchConfig"),
                {"PatchingStrategy": "DrainFirst", "DeploymentConfig": PATCHING},
            )
        ],
        [("OVL345", "only with EKS")],
    ),
    (
        "eks",
        [((*GPU, "AutoPatchConfig"), {"PatchingStrategy": "WhenIdle", "DrainPolicy": {}})],
        [("OVL347", "DrainPolicy")],
    ),
    (
        "eks",
        [
            (
                (*GPU, "AutoPatchConfig"),
                {
                    "PatchingStrategy": "DrainFirst",
                    "DeploymentConfig": PATCHING,
                    "IdleWaitWindowInSeconds": 3600,
                },
            )
        ],
        [("OVL348", "IdleWaitWindowInSeconds")],
    ),
    ("eks", [((*GPU, "ScheduledUpdateConfig"), {"ScheduleExpression": "cron(0 3 ? * SUN *)"})], []),
    (
        "eks",
        [((*GPU, "ScheduledUpdateConfig"), {"ScheduleExpression": "rate(7 days)"})],
        [("OVL305", "not a valid schedule")],
    ),
    (
        "eks",
        [((*GPU, "ScheduledUpdateConfig"), {"ScheduleExpression": "cron(* * ? * SUN *)"})],
        [("OVL305", "not a valid schedule")],
    ),
]


@pytest.mark.parametrize(("base", "changes", "expected"), CASES)
def test_findings(base: str, changes: list[Any], expected: list[tuple[str, str]]) -> None:
    found = broken("hyperpod-eks", _with(base, *changes))
    found.sort(key=lambda finding: (finding.code, finding.message))
    assert [finding.code for finding in found] == sorted(code for code, _ in expected), found
    for finding, (_, words) in zip(found, sorted(expected), strict=True):
        assert words in finding.message
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
