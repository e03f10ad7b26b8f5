"""The validator of HyperPod bundles passes what is right and catches single faults."""

import copy
import json
from typing import Any

import pytest

from tests.support.tables import flow
from tests.validators.bundle import bundle_violations
from tests.validators.good_hyperpod import EKS, FOUNDATION, LUSTRE, SCRIPTS, SLURM, bundle, update
from tests.validators.hyperpod import cluster_violations
from tests.validators.iam import iam_violations, managed_policies, roles
from tests.validators.parallelcluster import ParallelCluster
from tests.validators.seeding import GONE, changed

PLAN = "arn:aws:sagemaker:us-east-1:123456789012:training-plan/large"
CONTINUOUS = changed(
    changed(SLURM, "NodeProvisioningMode", "Continuous"), "Orchestrator", {"Slurm": {}}
)
LEGACY = copy.deepcopy(SLURM)
del LEGACY["Orchestrator"]
for _group in LEGACY["InstanceGroups"]:
    del _group["SlurmConfig"]
    _group.pop("InstanceStorageConfigs", None)
    _group["LifeCycleConfig"] = {"SourceS3Uri": SCRIPTS["SourceS3Uri"], "OnCreate": "on_create.sh"}
PARAMETERS = flow("""
{version: 1.0.0, workload_manager: slurm, controller_group: controller,
  worker_groups: [{instance_group_name: gpu, partition_name: gpu}]}
""")


def validated(request: Any, **files: str) -> list[str]:
    return cluster_violations({**bundle(request), **files}, "us-east-1")


def legacy(parameters: Any) -> list[str]:
    text = json.dumps(parameters, indent=2) + "\n"
    return validated(LEGACY, **{"lifecycle/provisioning_parameters.json": text})


@pytest.mark.parametrize("request_", [SLURM, EKS, CONTINUOUS])
def test_valid_requests_pass(request_: Any, parallelcluster: ParallelCluster) -> None:
    assert bundle_violations(bundle(request_), parallelcluster, "us-east-1") == []
    assert iam_violations(FOUNDATION) == []


def test_mode_legacy_passes() -> None:
    assert legacy(PARAMETERS) == []


GPU, HEAD = "InstanceGroups.1", "InstanceGroups.0"
DRAINED: dict[str, Any] = flow("""
PatchingStrategy: DrainFirst
DeploymentConfig: {RollingUpdatePolicy: {MaximumBatchSize: {Type: INSTANCE_COUNT, Value: 1}}}
""")
LATE = DRAINED | {"DrainPolicy": {"DrainTimeoutInSeconds": 9999}}
IDLE = {"PatchingStrategy": "WhenIdle"}
TWO_SUBNETS = {"SecurityGroupIds": ["sg-0a1b2c3d"], "Subnets": ["subnet-0a", "subnet-0b"]}
PATCHING = "InstanceGroups.0.AutoPatchConfig"
FAULTS: list[tuple[Any, str, Any, str]] = [
    # Request, path, value, words of the violation.
    (SLURM, "ClusterName", "my_train", "does not match"),
    (SLURM, "Orchestrator", {}, "exactly one of Eks, Slurm"),
    (SLURM, "Orchestrator.Eks", EKS["Orchestrator"]["Eks"], "exactly one of Eks, Slurm"),
    (SLURM, "Orchestrator.Slurm", {}, "SlurmConfigStrategy is needed"),
    (CONTINUOUS, "Orchestrator.Slurm.SlurmConfigStrategy", "Merge", "with continuous"),
    (SLURM, "Orchestrator", GONE, "without Orchestrator.Slurm"),
    (SLURM, "Placement", {}, "unknown member Placement"),
    (SLURM, "TieredStorageConfig", {"Mode": "Enable"}, "TieredStorageConfig: EKS only"),
    (SLURM, "AutoScaling", {"Mode": "Enable"}, "AutoScaling: EKS only"),
    (SLURM, "Tags.1", {"Key": "team", "Value": "b"}, "Tags: team 2 times"),
    (SLURM, f"{HEAD}.InstanceGroupName", "gpu", "gpu 2 times"),
    (SLURM, f"{HEAD}.InstanceCount", 2, "several controllers"),
    (SLURM, f"{HEAD}.SlurmConfig.NodeType", "Login", "0 Controller groups"),
    (SLURM, f"{GPU}.SlurmConfig", {"NodeType": "Controller"}, "2 Controller groups"),
    (SLURM, f"{GPU}.SlurmConfig", GONE, "every group of a Slurm cluster"),
    (SLURM, f"{GPU}.SlurmConfig.PartitionNames", [], "exactly one partition"),
    (SLURM, f"{HEAD}.SlurmConfig.PartitionNames", ["gpu"], "only be assigned to Compute"),
    (SLURM, f"{GPU}.InstanceType", "p5.48xlarge", "not one of"),
    (SLURM, f"{GPU}.InstanceType", "ml.p6e-gb200.36xlarge", "only by training plan"),
    (SLURM, f"{GPU}.InstanceType", "ml.c5.large", "GPU and Trainium only"),
    (SLURM, f"{GPU}.InstanceType", GONE, "exactly one of InstanceType"),
    (SLURM, f"{GPU}.InstanceRequirements", {"InstanceTypes": ["ml.p5.48xlarge"]}, "exactly one"),
    (SLURM, f"{GPU}.MinInstanceCount", 1, "only with continuous provisioning"),
    (CONTINUOUS, f"{GPU}.MinInstanceCount", 5, "more than InstanceCount"),
    (SLURM, f"{GPU}.LifeCycleConfig.OnCreate", "on_create.sh", "one of OnCreate, OnInitComplete"),
    (SLURM, f"{GPU}.LifeCycleConfig", {}, "one of OnCreate, OnInitComplete"),
    (SLURM, f"{GPU}.LifeCycleConfig.SourceS3Uri", "s3://mine/x", "may not s3:GetObject"),
    (SLURM, f"{GPU}.LifeCycleConfig.OnInitComplete", "setup.sh", "no lifecycle/setup.sh"),
    (SLURM, f"{GPU}.InstanceStorageConfigs.0.EbsVolumeConfig", {"RootVolume": True}, "a root vol"),
    (SLURM, f"{GPU}.InstanceStorageConfigs.2", {"FsxLustreConfig": LUSTRE}, "2 of FsxLustre"),
    (SLURM, f"{GPU}.KubernetesConfig", {"Labels": {"a": "b"}}, "KubernetesConfig: EKS only"),
    (SLURM, f"{GPU}.CapacityRequirements", {"Spot": {}}, "Spot is for EKS"),
    (SLURM, "VpcConfig", GONE, "only supported for Custom VPC"),
    (EKS, "VpcConfig", GONE, "EKS clusters need it"),
    (EKS, f"{HEAD}.LifeCycleConfig", GONE, "LifeCycleConfig is required"),
    (EKS, f"{HEAD}.LifeCycleConfig", SCRIPTS, "OnInitComplete is of API-driven Slurm"),
    (EKS, f"{HEAD}.KubernetesConfig.Labels", {"k8s.io/x": "y"}, "reserved prefix"),
    (EKS, f"{HEAD}.KubernetesConfig.Labels", {"a" * 64: "b"}, "longer than a name"),
    (EKS, "AutoScaling", {"Mode": "Enable"}, "needs ClusterRole"),
    (EKS, PATCHING, {"PatchingStrategy": "DrainFirst"}, "needs MaximumBatch"),
    (EKS, PATCHING, DRAINED | {"IdleWaitWindowInSeconds": 7200}, "is for WhenI"),
    (EKS, PATCHING, LATE, "the maximum is 5400"),
    (EKS, PATCHING, IDLE | {"DrainPolicy": {}}, "DrainPolicy is for DrainFirst"),
    (SLURM, f"{GPU}.AutoPatchConfig", DRAINED, "DrainFirst is for EKS"),
    (EKS, f"{HEAD}.ScheduledUpdateConfig", {"ScheduleExpression": "rate(7 days)"}, "six fields"),
    (EKS, f"{HEAD}.ScheduledUpdateConfig", {"ScheduleExpression": "cron(* 3 ? * SUN *)"}, "minute"),
    (EKS, f"{HEAD}.ScheduledUpdateConfig", {"ScheduleExpression": "cron(0 24 ? * SUN *)"}, "hour"),
    (EKS, f"{HEAD}.ScheduledUpdateConfig", {"ScheduleExpression": "cron(0 3 ? * SUN 19)"}, "year"),
    (EKS, f"{HEAD}.OverrideVpcConfig", TWO_SUBNETS, "EFA does not"),
    (EKS, f"{HEAD}.TrainingPlanArn", "${TrainingPlanArn}", "no output TrainingPlanArn"),
]


@pytest.mark.parametrize(("request_", "path", "value", "words"), FAULTS)
def test_faults_of_requests_are_caught(request_: Any, path: str, value: Any, words: str) -> None:
    violations = validated(changed(request_, path, value))
    assert any(words in violation for violation in violations), violations


SPOT = changed(EKS, f"{HEAD}.CapacityRequirements", {"Spot": {}})
TAINTED = changed(
    EKS, f"{HEAD}.KubernetesConfig.Taints", [{"Key": "a", "Value": "b", "Effect": "NoSchedule"}]
)
VERSION = changed(EKS, f"{HEAD}.ImageReleaseVersion", "1.2.3")
SCALED = changed(EKS, "AutoScaling", {"Mode": "Enable", "AutoScalerType": "Karpenter"})
SCALED = changed(SCALED, "ClusterRole", "arn:aws:iam::123456789012:role/scaler")
SCALED = changed(SCALED, f"{HEAD}.InstanceCount", 0)
SEVERAL: list[tuple[Any, str, Any, str]] = [
    # Right by themselves, and wrong together.
    (SPOT, f"{HEAD}.TrainingPlanArn", PLAN, "not with Spot"),
    (SPOT, "NodeProvisioningMode", GONE, "continuous provisioning"),
    (VERSION, f"{HEAD}.ImageId", "ami-0a1b2c3d", "own images only"),
    (SCALED, f"{HEAD}.TrainingPlanArn", PLAN, "not with Karpenter"),
    (SCALED, f"{HEAD}.OnStartDeepHealthChecks", ["InstanceStress"], "not with Karpenter"),
    (TAINTED, f"{HEAD}.OnStartDeepHealthChecks", ["InstanceStress"], "no taints beside"),
]


@pytest.mark.parametrize(("request_", "path", "value", "words"), SEVERAL)
def test_incompatible_settings(request_: Any, path: str, value: Any, words: str) -> None:
    assert validated(request_) == []
    assert any(words in violation for violation in validated(changed(request_, path, value)))


def test_request_and_template_agree() -> None:
    other = bundle(changed(SLURM, f"{GPU}.InstanceCount", 5))["cluster.template.json"]
    violations = validated(SLURM, **{"cluster.template.json": other})
    assert violations == [
        "cluster.template.json.InstanceGroups[1].InstanceCount: 5, the request has 4"
    ]
    bare = bundle(changed(SLURM, "Tags", GONE))["cluster.template.json"]
    assert validated(SLURM, **{"cluster.template.json": bare}) == [
        "cluster.template.json.Tags: only in create-cluster.json"
    ]


UPDATES: list[tuple[str, Any, str]] = [
    # Path, value, words of the violation.
    ("VpcConfig", SLURM["VpcConfig"], "unknown member VpcConfig"),
    ("Tags", [{"Key": "a", "Value": "b"}], "unknown member Tags"),
    ("ClusterName", GONE, "required member ClusterName"),
    (f"{GPU}.ExecutionRole", GONE, "required member ExecutionRole"),
    (f"{GPU}.InstanceCount", GONE, "required member InstanceCount"),
    (f"{GPU}.InstanceCount", 7, "InstanceGroups: not what CreateCluster says"),
    ("NodeRecovery", GONE, "NodeRecovery: not what CreateCluster says"),
    ("InstanceGroupsToDelete", ["old"], "InstanceGroupsToDelete: not what CreateCluster says"),
]


@pytest.mark.parametrize(("path", "value", "words"), UPDATES)
def test_faults_of_updates_are_caught(path: str, value: Any, words: str) -> None:
    other = json.dumps(changed(update(SLURM), path, value))
    violations = validated(SLURM, **{"update-cluster.json": other})
    assert any(words in violation and "update-cluster" in violation for violation in violations), (
        violations
    )


def test_members_that_cloudformation_lacks() -> None:
    checks = f"{GPU}.OnStartDeepHealthChecks"
    request = changed(SLURM, checks, ["InstanceStress", "MultiNodeTrainingValidation"])
    other = bundle(changed(SLURM, checks, ["InstanceStress"]))["cluster.template.json"]
    assert validated(request, **{"cluster.template.json": other}) == []


FILES = [
    # File, text in the right bundle, another in its place, words of the violation.
    ("lifecycle/on_init_complete.sh", "\n", "\r\n", "carriage returns"),
    ("lifecycle/on_init_complete.sh", "#!/bin/bash", "#!/bin/sh", "the first line"),
    ("foundation.template.json", "sagemaker.amazonaws", "ec2.amazonaws", "trusts ['ec2.amaz"),
    ("foundation.template.json", "s3:GetObject", "s3:PutObject", "may not s3:GetObject"),
    ("foundation.template.json", "s3:ListBucket", "s3:PutObject", "may not s3:ListBucket"),
    ("foundation.template.json", "ClusterInstanceRolePolicy", "ReadOnly", "ssmmessages:OpenData"),
    ("foundation.template.json", "ec2:DescribeSubnets", "ec2:DescribeVpcs", "ec2:DescribeSubnets"),
    ("foundation.template.json", "network-interface/*", "network-interface/x", "ec2:DeleteNetw"),
    ("foundation.template.json", "HyperPodExecutionRoleArn", "RoleArn", "no output HyperPodExec"),
]


@pytest.mark.parametrize(("file", "text", "other", "words"), FILES)
def test_faults_of_other_files_are_caught(file: str, text: str, other: str, words: str) -> None:
    held = bundle(SLURM)[file]
    assert text in held
    violations = validated(SLURM, **{file: held.replace(text, other)})
    assert any(words in violation for violation in violations), violations


def test_nodes_on_eks_need_more_permissions() -> None:
    held = bundle(EKS)["foundation.template.json"].replace("eks-auth:", "eks:")
    assert any(
        "eks-auth:AssumeRole" in b for b in validated(EKS, **{"foundation.template.json": held})
    )


PARAMETER_FAULTS: list[tuple[str, Any, str]] = [
    ("version", GONE, "no version"),
    ("controller_group", "head", "the request has"),
    ("worker_groups", [], "the request has"),
    ("fsx_dns_name", "fs-1", "go together"),
]


@pytest.mark.parametrize(("path", "value", "words"), PARAMETER_FAULTS)
def test_faults_with_mode_legacy_are_caught(path: str, value: Any, words: str) -> None:
    assert any(words in violation for violation in legacy(changed(PARAMETERS, path, value)))


def test_the_forms_are_exclusive() -> None:
    parameters = json.dumps(PARAMETERS)
    found = validated(SLURM, **{"lifecycle/provisioning_parameters.json": parameters})
    assert any("exclusive" in violation for violation in found)
    assert any("missing" in violation for violation in validated(LEGACY))
    flat = validated(LEGACY, **{"lifecycle/provisioning_parameters.json": parameters})
    assert any("not a line for each" in violation for violation in flat)


ROLE = "Resources.HyperPodExecutionRole.Properties"
STATEMENTS = f"{ROLE}.Policies.0.PolicyDocument.Statement"
IAM_FAULTS: list[tuple[str, Any, str]] = [
    (f"{STATEMENTS}.0.Resource", "*", "ec2:CreateNetworkInterface on *, though"),
    (f"{STATEMENTS}.2.Resource", ["arn:aws:ec2:::vpc/*"], "granted on * only"),
    (f"{STATEMENTS}.1.Action", "ec2:MakeTags", "IAM has no action"),
    (f"{STATEMENTS}.1.Action", "ec2:*", "allows too much"),
    (f"{STATEMENTS}.1.Action", "*", "allows too much"),
    (f"{STATEMENTS}.1.NotResource", "*", "allows with NotResource"),
    (f"{ROLE}.Policies.0.PolicyDocument.Version", "2008-10-17", "Version"),
    (f"{ROLE}.ManagedPolicyArns.0", "arn:aws:iam::aws:policy/AmazonHyperPod", "no managed policy"),
    (f"{ROLE}.ManagedPolicyArns.0", "arn:aws:iam::aws:policy/AWSBatchServiceRole", "is at /serv"),
]


@pytest.mark.parametrize(("path", "value", "words"), IAM_FAULTS)
def test_faults_of_policies_are_caught(path: str, value: Any, words: str) -> None:
    violations = iam_violations(changed(FOUNDATION, path, value))
    assert any(words in violation for violation in violations), violations


def test_permissions_of_a_role() -> None:
    role = roles(FOUNDATION)["HyperPodExecutionRole"]
    assert role.allows("s3:GetObject", "arn:aws:s3:::sagemaker-train-1/x")
    assert not role.allows("s3:GetObject", "arn:aws:s3:::train/x")
    assert not role.allows("s3:PutObject", "arn:aws:s3:::sagemaker-train-1/x")
    assert "AmazonSSMManagedInstanceCore" in managed_policies()


def test_cfn_lint_and_types_only_in_training_plans(parallelcluster: ParallelCluster) -> None:
    planned = changed(SLURM, f"{GPU}.InstanceType", "ml.p5e.48xlarge")
    planned = changed(planned, f"{GPU}.TrainingPlanArn", PLAN)
    assert bundle_violations(bundle(planned), parallelcluster, "us-east-1") == []
    unknown = changed(SLURM, f"{GPU}.InstanceType", "ml.trn1.2xlarge")
    none = bundle_violations(bundle(unknown), parallelcluster, "us-east-1")
    assert any("InstanceType: 'ml.trn1.2xlarge' is not one of" in violation for violation in none)
