"""Members of a request that do not go together: one change of a good request, one refusal."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from clustergen.artifacts import Json
from clustergen.hyperpod.rules.breaches import breaches


def _slurm() -> Json:
    role = "arn:aws:iam::111122223333:role/hp"
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

NO_SCRIPTS = [("scripts", "no scripts")]

# Base, changes, area and words of each breach.
CASES: list[tuple[str, list[Any], list[tuple[str, str]]]] = [
    ("slurm", [], []),
    ("eks", [], []),
    # Orchestrator
    ("slurm", [(("Orchestrator",), {})], [("roles", "neither")]),
    (
        "slurm",
        [(("Orchestrator",), {"Slurm": {}, "Eks": {}})],
        [
            ("roles", "Eks and Slurm"),
            ("roles", "with EKS"),
            ("roles", "with EKS"),
            *NO_SCRIPTS,
            *NO_SCRIPTS,
        ],
    ),
    (
        "slurm",
        [(("Orchestrator", "Slurm", "SlurmConfigStrategy"), "Merge")],
        [("roles", "SlurmConfigStrategy")],
    ),
    ("slurm", [(("Orchestrator", "Slurm", "SlurmConfigStrategy"), "Merge"), ONCE], []),
    (
        "slurm",
        [(("Orchestrator", "Slurm", "AccountingDatabase"), {}), ONCE],
        [("roles", "AccountingDatabase")],
    ),
    ("slurm", [(("Orchestrator", "Slurm", "AccountingDatabase"), {})], []),
    ("eks", [(("VpcConfig",), ABSENT)], [("roles", "without VpcConfig")]),
    # Roles of groups
    (
        "slurm",
        [((*GPU, "SlurmConfig", "NodeType"), "Controller")],
        [
            ("roles", "2 groups of controllers"),
            ("roles", "not one controller"),
            ("roles", "compute groups only"),
        ],
    ),
    (
        "slurm",
        [(("InstanceGroups", 0, "SlurmConfig"), ABSENT)],
        [("roles", "0 groups of controllers"), ("roles", "without SlurmConfig")],
    ),
    ("slurm", [(("InstanceGroups", 0, "InstanceCount"), 2)], [("roles", "not one controller")]),
    ("slurm", [((*GPU, "SlurmConfig", "PartitionNames"), ABSENT)], [("roles", "0 partitions")]),
    ("slurm", [((*GPU, "SlurmConfig", "PartitionNames"), ["a", "b"])], [("roles", "2 partitions")]),
    ("slurm", [((*GPU, "SlurmConfig"), {"NodeType": "Login"})], []),
    (
        "eks",
        [((*GPU, "SlurmConfig"), {"NodeType": "Controller"}), ((*GPU, "InstanceCount"), 1)],
        [("roles", "SlurmConfig with EKS")],
    ),
    (
        "slurm",
        [
            (("Orchestrator",), ABSENT),
            (("InstanceGroups", 0, "SlurmConfig"), ABSENT),
            ((*GPU, "SlurmConfig"), ABSENT),
        ],
        [("roles", "no Orchestrator"), *NO_SCRIPTS, *NO_SCRIPTS],
    ),
    # Counts
    ("slurm", [((*GPU, "InstanceType"), ABSENT)], [("counts", "neither")]),
    ("slurm", [TYPES], [("counts", "both")]),
    ("slurm", [TYPES, ((*GPU, "InstanceType"), ABSENT)], []),
    ("slurm", [TYPES, ((*GPU, "InstanceType"), ABSENT), ONCE], [("counts", "continuous")]),
    ("slurm", [MINIMUM], []),
    ("slurm", [MINIMUM, ONCE], [("counts", "MinInstanceCount without")]),
    ("slurm", [((*GPU, "MinInstanceCount"), 5)], [("counts", "5 instances at the least of 4")]),
    (
        "slurm",
        [((*GPU, "OverrideVpcConfig"), {}), (("VpcConfig",), ABSENT)],
        [("counts", "without VpcConfig")],
    ),
    # Storage
    ("slurm", [(STORAGE, [VOLUME, ROOT, LUSTRE, OPENZFS])], []),
    ("slurm", [(STORAGE, [LUSTRE, LUSTRE])], [("storage", "2 of FsxLustreConfig")]),
    ("slurm", [(STORAGE, [OPENZFS, OPENZFS])], [("storage", "2 of FsxOpenZfsConfig")]),
    ("slurm", [(STORAGE, [VOLUME, VOLUME])], [("storage", "one second volume")]),
    ("slurm", [(STORAGE, [ROOT, ROOT])], [("storage", "one root volume")]),
    ("slurm", [(STORAGE, [LUSTRE]), (("VpcConfig",), ABSENT)], [("storage", "without VpcConfig")]),
    (
        "slurm",
        [(STORAGE, [{"EbsVolumeConfig": {"RootVolume": True}}])],
        [("storage", "without VolumeKmsKeyId")],
    ),
    (
        "slurm",
        [(STORAGE, [{"EbsVolumeConfig": {**ROOT["EbsVolumeConfig"], "VolumeSizeInGB": 9}}])],
        [("storage", "with a size")],
    ),
    ("slurm", [(STORAGE, [{"EbsVolumeConfig": {}}])], [("storage", "without VolumeSizeInGB")]),
    ("eks", [(STORAGE, [LUSTRE])], [("storage", "with EKS")]),
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
        [("scripts", "OnCreate and OnInitComplete")],
    ),
    (
        "slurm",
        [((*GPU, "LifeCycleConfig"), {"OnCreate": "b.sh"})],
        [("scripts", "without SourceS3Uri")],
    ),
    (
        "eks",
        [((*GPU, "LifeCycleConfig"), ABSENT)],
        NO_SCRIPTS,
    ),
    ("eks", [((*GPU, "LifeCycleConfig"), SCRIPT)], [("scripts", "only Slurm")]),
    (
        "slurm",
        [((*GPU, "LifeCycleConfig"), {**SCRIPT, "SourceS3Uri": "s3://mine/a/"})],
        [("bucket", "s3://mine/a/")],
    ),
    # Kubernetes
    ("slurm", [((*GPU, "KubernetesConfig"), {"Labels": {"a": "b"}})], [("kubernetes", "for EKS")]),
    ("slurm", [((*GPU, "CapacityRequirements"), {"Spot": {}})], [("kubernetes", "for EKS")]),
    ("slurm", [((*GPU, "ImageReleaseVersion"), "1.0.0")], [("kubernetes", "for EKS")]),
    ("slurm", [SCALING], [("kubernetes", "EKS, ClusterRole")]),
    ("eks", [SCALING, (("ClusterRole",), ROLE)], []),
    ("eks", [SCALING, (("ClusterRole",), ROLE), ONCE], [("kubernetes", "Continuous")]),
    ("eks", [((*GPU, "CapacityRequirements"), {"Spot": {}})], []),
    ("eks", [((*GPU, "CapacityRequirements"), {"Spot": {}}), ONCE], [("kubernetes", "Spot")]),
    (
        "eks",
        [((*GPU, "CapacityRequirements"), {"Spot": {}}), ((*GPU, "TrainingPlanArn"), "a")],
        [("kubernetes", "with a training plan")],
    ),
    (
        "eks",
        [
            ((*GPU, "KubernetesConfig"), {"Taints": [{"Key": "a", "Effect": "NoSchedule"}]}),
            ((*GPU, "OnStartDeepHealthChecks"), ["InstanceStress"]),
        ],
        [("kubernetes", "taints")],
    ),
    ("slurm", [(("TieredStorageConfig",), {"Mode": "Enable"})], [("kubernetes", "for EKS")]),
    ("eks", [(("TieredStorageConfig",), {"Mode": "Enable"})], []),
    (
        "eks",
        [((*GPU, "KubernetesConfig"), {"Labels": {"node.kubernetes.io/a": "b"}})],
        [("kubernetes", "the prefix kubernetes.io/")],
    ),
    (
        "eks",
        [((*GPU, "KubernetesConfig"), {"Taints": [{"Key": "karpenter.sh/a"}]})],
        [("kubernetes", "the prefix karpenter.sh/")],
    ),
    (
        "eks",
        [((*GPU, "KubernetesConfig"), {"Labels": {"a" * 64: "b"}})],
        [("kubernetes", "too long")],
    ),
    ("eks", [((*GPU, "KubernetesConfig"), {"Labels": {f"b.c/{'a' * 63}": "b"}})], []),
    (
        "eks",
        [((*GPU, "KubernetesConfig"), {"Labels": {"nvidia.com/mig.config": "all-1g.10gb"}}), ONCE],
        [("kubernetes", "mig.config without continuous")],
    ),
    (
        "eks",
        [((*GPU, "LifeCycleConfig"), {**SCRIPT, "OnCreate": "b.sh"})],
        [("scripts", "only Slurm")],
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
        [("patches", "nova: daily")],
    ),
    # Hardware
    (
        "eks",
        [((*GPU, "InstanceType"), "ml.m7i.large"), ((*GPU, "OnStartDeepHealthChecks"), ["a"])],
        [("hardware", "without accelerators")],
    ),
    ("eks", [((*GPU, "OnStartDeepHealthChecks"), ["InstanceStress"])], []),
    (
        "eks",
        [((*GPU, "InstanceType"), "ml.p6e-gb200.36xlarge")],
        [("hardware", "without a training plan")],
    ),
    (
        "eks",
        [((*GPU, "InstanceType"), "ml.p6e-gb200.36xlarge"), ((*GPU, "TrainingPlanArn"), "a")],
        [],
    ),
    (
        "eks",
        [((*GPU, "OverrideVpcConfig"), {"Subnets": ["a", "b"]})],
        [("hardware", "in 2 subnets")],
    ),
    ("eks", [((*GPU, "OverrideVpcConfig"), {"Subnets": ["a"]})], []),
    (
        "eks",
        [((*GPU, "ImageId"), "ami-0a1b2c3d"), ((*GPU, "ImageReleaseVersion"), "1.2.3")],
        [("hardware", "an image of your own")],
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
        [("hardware", "TrainingPlanArn in"), ("hardware", "OnStartDeepHealthChecks in")],
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
        [("patches", "MaximumBatchSize")],
    ),
    (
        "slurm",
        [
            (
                (*GPU, "AutoPatchConfig"),
                {"PatchingStrategy": "DrainFirst", "DeploymentConfig": PATCHING},
            )
        ],
        [("patches", "for EKS")],
    ),
    (
        "eks",
        [((*GPU, "AutoPatchConfig"), {"PatchingStrategy": "WhenIdle", "DrainPolicy": {}})],
        [("patches", "DrainPolicy")],
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
        [("patches", "IdleWaitWindowInSeconds")],
    ),
    ("eks", [((*GPU, "ScheduledUpdateConfig"), {"ScheduleExpression": "cron(0 3 ? * SUN *)"})], []),
    (
        "eks",
        [((*GPU, "ScheduledUpdateConfig"), {"ScheduleExpression": "rate(7 days)"})],
        [("patches", "no schedule")],
    ),
    (
        "eks",
        [((*GPU, "ScheduledUpdateConfig"), {"ScheduleExpression": "cron(* * ? * SUN *)"})],
        [("patches", "no schedule")],
    ),
]


@pytest.mark.parametrize(("base", "changes", "expected"), CASES)
def test_breaches(base: str, changes: list[Any], expected: list[tuple[str, str]]) -> None:
    found = list(breaches(_with(base, *changes)))
    assert [breach.area for breach in found] == [area for area, _ in expected], found
    for breach, (_, words) in zip(found, expected, strict=True):
        assert words in breach.message
        assert breach.help


# What a person may write in an overlay instead of the right form.
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
def test_any_json_is_taken(document: Json) -> None:
    for request in (document, {**_slurm(), **document}):
        assert all(breach.message and breach.help for breach in breaches(request))
