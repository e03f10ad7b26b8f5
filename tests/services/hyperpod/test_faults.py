"""Single faults of HyperPod clusters: a finding catches them, or a validator of the artifact.

Beside these, each rule has its own example, and `tests/validators/test_hyperpod.py` has faults for
every branch of the validator.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.checking import caught, example_files
from tests.validators.cloudformation import lint
from tests.validators.hyperpod import cluster_violations
from tests.validators.seeding import GONE, changed

SLURM, EKS = "hyperpod-slurm", "hyperpod-eks"
PLAIN, DEPT = "hyperpod-slurm-bootstrap", "hyperpod-slurm-scripts"
OWN, OLD = "hyperpod-slurm-customer-managed", "hyperpod-slurm-legacy"
PLAN = "hyperpod-training-plan"
MIG, KARPENTER = "hyperpod-eks-mig", "hyperpod-eks-karpenter"
SPOT, ZONES = "hyperpod-eks-spot", "hyperpod-eks-two-zones"
ARN = "arn:aws:eks:us-east-1:111122223333:cluster/platform"
GROUPS = "targets: {%s: {overlay: {InstanceGroups: [{InstanceGroupName: %s, %s}]}}}"


def target_of(spec: str) -> str:
    return EKS if spec.startswith(EKS) else SLURM


# The spec, what is laid over it, and the code of the finding.
IN_SPECS: list[tuple[str, str, str]] = [
    # What.
    (PLAIN, "node_groups: [{name: h200, instance_type: p5en.48xl}]", "CAP001"),
    (PLAIN, "login: {instance_type: c7i.large}", "CAP300"),
    (PLAIN, "node_groups: [{name: cpu, instance_type: m8a.xlarge, count: 1}]", "CAP300"),
    (PLAIN, "node_groups: [{name: h200, count: {min: 0, max: 8}}]", "SUP001"),
    (PLAIN, "node_groups: [{name: h200, capacity: spot}]", "SUP001"),
    (PLAIN, "node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d}}]", "SUP001"),
    (PLAIN, "node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d}}]", "SUP001"),
    (PLAIN, "node_groups: [{name: h200, mig: {1g.18gb: 7}}]", "SUP001"),
    (PLAIN, "node_groups: [{name: h200, placement: {group: ours}}]", "SUP001"),
    (PLAIN, "node_groups: [{name: h200, root_volume: {iops: 6000}}]", "STG301"),
    (PLAIN, "node_groups: [{name: h200, count: 40}]", "LIM003"),
    (PLAIN, "node_groups: [{name: h200, instance_type: c6i.8xlarge}]", "CAP304"),
    (PLAN, "node_groups: [{name: h200, capacity: {training_plan: p5e-november}}]", ""),
    # Slurm.
    (PLAIN, "name: hp-train-", "LIM001"),
    (PLAIN, "queues: [{name: more, node_groups: [h200]}]", "SUP001"),
    (PLAIN, "slurm: {version: '25.11'}", "SUP001"),
    (DEPT, "slurm: {accounting: {secret: 'arn:aws:ssm:us-west-2:1:parameter/x'}}", "S"),
    (OWN, "software: {os: rhel9}", "IMG001"),
    (OWN, "users: [{name: alice, uid: 500}]", "SPC"),
    # Kubernetes.
    (MIG, "targets: {hyperpod-eks: {eks_cluster: new}}\nnetwork: {control_plane_subnets: []}",
     "NET022"),
    (MIG, f"targets: {{hyperpod-eks: {{eks_cluster: '{ARN.replace('cluster/', '')}'}}}}", "SPC023"),
    (ZONES, "software: {os: ubuntu2404}", "IMG001"),
    # Overlays: first the schema, then the rules that only the documentation has.
    (PLAIN, "targets: {hyperpod-slurm: {overlay: {NodeRecovery: Sometimes}}}", "OVL003"),
    (PLAIN, "targets: {hyperpod-slurm: {overlay: {NodRecovery: None}}}", "OVL002"),
    (PLAIN, GROUPS % (SLURM, "h200", "InstanceType: ml.p5.48xl"), "OVL003"),
    (PLAIN, GROUPS % (SLURM, "h200", "ThreadsPerCore: 4"), "OVL003"),
    (SPOT, GROUPS % (EKS, "spot", "InstanceType: ml.g5.4xlarge"), "OVL"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "fault", "code"), IN_SPECS)
def test_a_fault_in_a_spec_is_a_finding(spec: str, fault: str, code: str) -> None:
    assert all(each.message for each in caught(spec, fault, target_of(spec), code))


def rendered(spec: str) -> Mapping[str, str]:
    """The files of a good spec's bundle."""
    return example_files(spec, target_of(spec))


def validated(spec: str, files: Mapping[str, str]) -> list[str]:
    return cluster_violations({**rendered(spec), **files}, "us-east-1")


@pytest.mark.parametrize("spec", [PLAIN, DEPT, OWN, OLD, PLAN, MIG, KARPENTER, SPOT, ZONES])
def test_the_base_of_seeded_faults_is_valid(spec: str) -> None:
    assert validated(spec, {}) == []


GPU = "InstanceGroups.2"  # after the controller and login nodes
ONLY = "InstanceGroups.1"  # where there are no login nodes
ONE = "InstanceGroups.0"

# Spec, path in create-cluster.json, value, words of a violation.
IN_REQUESTS: list[tuple[str, str, Any, str]] = [
    (PLAIN, f"{ONLY}.SlurmConfig.PartitionNames", ["train", "dev"], "the maximum is 1"),
    (PLAIN, f"{ONLY}.ExecutionRole", "${NodeRole}", "no output NodeRole"),
    (DEPT, "Orchestrator.Slurm.AccountingDatabase.Port", 0, "the minimum is 1"),
    (DEPT, f"{GPU}.LifeCycleConfig.SourceS3Uri", "s3://ours/x", "may not s3:GetObject"),
    (OWN, f"{GPU}.LifeCycleConfig.OnCreate", GONE, "one of OnCreate, OnInitComplete"),
    (OLD, "Orchestrator", {"Slurm": {"SlurmConfigStrategy": "Merge"}}, "exclusive"),
    (OLD, f"{GPU}.InstanceGroupName", "v100", "the request has"),
    (PLAN, f"{GPU}.TrainingPlanArn", "p5e-november", "TrainingPlanArn"),
    (MIG, f"{ONE}.KubernetesConfig.Labels", {"eks.amazonaws.com/x": "y"}, "reserved"),
    (KARPENTER, "NodeProvisioningMode", GONE, "only with continuous"),
    (SPOT, f"{ONE}.InstanceRequirements.InstanceTypes", [], "the minimum is 1"),
    (ZONES, "InstanceGroups.1.OverrideVpcConfig.SecurityGroupIds", [], "the minimum is 1"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "path", "value", "words"), IN_REQUESTS)
def test_a_fault_in_a_request_is_a_violation(spec: str, path: str, value: Any, words: str) -> None:
    good = json.loads(rendered(spec)["create-cluster.json"])
    text = json.dumps(changed(good, path, value))
    violations = validated(spec, {"create-cluster.json": text})
    assert any(words in violation for violation in violations), violations


CLUSTER = "Resources.Cluster.Properties"
FOUNDATION, TEMPLATE = "foundation.template.json", "cluster.template.json"

# Spec, file, path, value, words of a violation.
IN_FILES: list[tuple[str, str, str, Any, str]] = [
    (PLAIN, FOUNDATION, "Resources.ClusterSecurityGroupSelfEgress.Properties.IpProtocol", "tcp",
     "(Egress)"),
    (PLAIN, FOUNDATION, "Resources.ClusterSecurityGroupSelfIngress", GONE, "(Ingress)"),
    (PLAIN, TEMPLATE, "Resources", {}, "0 clusters"),
    (KARPENTER, FOUNDATION, "Resources.HyperPodClusterRole.Properties.Policies", [],
     "sagemaker:BatchAddClusterNodes"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "file", "path", "value", "words"), IN_FILES)
def test_a_fault_in_another_file(spec: str, file: str, path: str, value: Any, words: str) -> None:
    good = json.loads(rendered(spec)[file])
    text = json.dumps(changed(good, path, value), indent=2)
    violations = validated(spec, {file: text})
    assert any(words in violation for violation in violations), violations


# Spec, path in cluster.template.json, value, rule of cfn-lint.
FOR_CFN_LINT: list[tuple[str, str, Any, str]] = [
    (PLAIN, f"{CLUSTER}.Orchestrator", {}, "E3018"),
    (PLAIN, f"{CLUSTER}.{ONLY}.ExecutionRole", {"Ref": "Nowhere"}, "E1020"),
    (PLAIN, f"{CLUSTER}.{ONLY}.Placement", "x", "E3002"),
    (DEPT, f"{CLUSTER}.{GPU}.LifeCycleConfig.OnInitComplete", "x" * 129, "E3033"),
]


@pytest.mark.parametrize(("spec", "path", "value", "rule"), FOR_CFN_LINT)
def test_a_fault_that_cloudformation_rejects(spec: str, path: str, value: Any, rule: str) -> None:
    text = json.dumps(changed(json.loads(rendered(spec)[TEMPLATE]), path, value))
    assert rule in {found.rule for found in lint({TEMPLATE: text})}
