"""Single faults of HyperPod clusters: a finding catches them, or a validator of the artifact."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from clustergen import resources
from clustergen.findings import Severity
from tests.checking import check, example_files
from tests.oracles.bundle import bundle_violations
from tests.oracles.cloudformation import lint
from tests.oracles.hyperpod import cluster_violations
from tests.oracles.iam import iam_violations
from tests.oracles.parallelcluster import ParallelCluster
from tests.oracles.seeding import GONE, changed

SPECS = resources.tree("specs")
SLURM, EKS = "hyperpod-slurm", "hyperpod-eks"
PLAIN, DEPT = "hyperpod-slurm-bootstrap", "hyperpod-slurm-scripts"
OWN, OLD, PLAN = (
    "hyperpod-slurm-customer-managed",
    "hyperpod-slurm-legacy",
    "hyperpod-training-plan",
)
MIG, KARPENTER = "hyperpod-eks-mig", "hyperpod-eks-karpenter"
SPOT, ZONES = "hyperpod-eks-spot", "hyperpod-eks-two-zones"
ARN = "arn:aws:eks:us-east-1:111122223333:cluster/platform"
GROUPS = "targets: {%s: {overlay: {InstanceGroups: [{InstanceGroupName: %s, %s}]}}}"


def target_of(spec: str) -> str:
    return EKS if spec.startswith(EKS) else SLURM


# The spec, what is laid over it, and the code of the finding.
IN_SPECS: list[tuple[str, str, str]] = [
    # Where.
    (PLAIN, "region: eu-west-3\nnetwork: {zone: euw3-az1}", "NET020"),
    (PLAIN, "network: {zone: usw2-az1}", "NET002"),
    (PLAIN, "network: {cidr: 10.0.0.0/25}", "NET010"),
    (PLAIN, "network: {ssh_from: [203.0.113.0/24]}", "NET021"),
    (ZONES, "network: {security_groups: null}", "NET401"),
    (ZONES, "network: {vpc: new, private_subnets: null, security_groups: null}", "NET400"),
    # What.
    (PLAIN, "node_groups: [{name: h200, instance_type: p5en.48xl}]", "CAP001"),
    (PLAIN, "login: {instance_type: c7i.large}", "CAP300"),
    (PLAIN, "node_groups: [{name: cpu, instance_type: m8a.xlarge, count: 1}]", "CAP300"),
    (PLAIN, "node_groups: [{name: h200, count: {min: 0, max: 8}}]", "SUP001"),
    (PLAIN, "node_groups: [{name: h200, capacity: spot}]", "SUP001"),
    (PLAIN, "node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d}}]",
     "SUP001"),
    (PLAIN, "node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d}}]", "SUP001"),
    (PLAIN, "node_groups: [{name: h200, mig: {1g.18gb: 7}}]", "SUP001"),
    (PLAIN, "node_groups: [{name: h200, placement: {group: ours}}]", "SUP001"),
    (PLAIN, "node_groups: [{name: h200, efa: false}]", "NIC300"),
    (PLAIN, "node_groups: [{name: h200, root_volume: {size: 20000GiB}}]", "STG300"),
    (PLAIN, "node_groups: [{name: h200, root_volume: {iops: 6000}}]", "STG301"),
    (PLAIN, "node_groups: [{name: h200, count: 40}]", "LIM003"),
    (PLAIN, "node_groups: [{name: controller, instance_type: c6i.large, count: 1}]",
     "SLM363"),
    (PLAIN, "node_groups: [{name: h200, instance_type: c6i.8xlarge}]", "CAP304"),
    (PLAN, "node_groups: [{name: h200, instance_type: g6e.48xlarge}]", "CAP301"),
    (PLAN, "node_groups: [{name: h200, capacity: {training_plan: "
     "'arn:aws:sagemaker:us-east-1:111122223333:training-plan/p'}}]", "CAP302"),
    (PLAN, "node_groups: [{name: h200, capacity: {training_plan: p5e-november}}]", ""),
    # Slurm.
    (PLAIN, "name: hp-train-", "LIM001"),
    (PLAIN, "queues: [{name: dev, node_groups: [h200]}]", "SLM351"),
    (PLAIN, "queues: [{name: more, node_groups: [h200]}]", "SUP001"),
    (PLAIN, "node_groups: [{name: cpu, instance_type: c6i.large, count: 1}]", "SLM350"),
    (PLAIN, "slurm: {version: '25.11'}", "SUP001"),
    (DEPT, "targets: {hyperpod-slurm: {provisioning: all-at-once}}", "SLM352"),
    (DEPT, "slurm: {accounting: {user: root}}", "SLM353"),
    (DEPT, "slurm: {accounting: {secret: 'arn:aws:ssm:us-west-2:1:parameter/x'}}", "S"),
    (OLD, "targets: {hyperpod-slurm: {provisioning: continuous}}", "SLM355"),
    (OLD, "node_groups: [{name: a100, instance_type: null, instance_types: "
     "[p4d.24xlarge, p4de.24xlarge]}]", "CAP350"),
    (OWN, "storage: [{mount: /home, type: fsx-lustre, existing: {id: fs-0a1b2c3d4e}}]",
     "STG052"),
    (OWN, "software: {os: rhel9}", "IMG001"),
    (OWN, "users: [{name: alice, uid: 500}]", "SPC"),
    # Kubernetes.
    (MIG, "targets: {hyperpod-eks: {eks_cluster: new}}\nnetwork: {control_plane_subnets: []}",
     "NET022"),
    (MIG, f"targets: {{hyperpod-eks: {{eks_cluster: '{ARN.replace('cluster/', '')}'}}}}",
     "K8S401"),
    (KARPENTER, f"targets: {{hyperpod-eks: {{eks_cluster: '{ARN}'}}}}", "K8S402"),
    (KARPENTER, "kubernetes: {version: '1.29'}", "K8S403"),
    (KARPENTER, "kubernetes: {scheduler: kai}", "K8S404"),
    (KARPENTER, "kubernetes: {autoscaler: none}", "CAP011"),
    (KARPENTER, "node_groups: [{name: large, health_checks: [instance-stress]}]", "CAP402"),
    (KARPENTER, "node_groups: [{name: large, capacity: {training_plan: "
     "'arn:aws:sagemaker:us-west-2:111122223333:training-plan/p'}}]", "CAP"),
    (MIG, "kubernetes: {autoscaler: karpenter}", "CAP012"),
    (MIG, "node_groups: [{name: sliced, labels: {kubernetes.io/role: a}}]", "K8S003"),
    (MIG, "node_groups: [{name: sliced, labels: {a: ''}}]", "K8S002"),
    (MIG, "node_groups: [{name: sliced, labels: {nvidia.com/mig.config: x}}]", "GPU003"),
    (MIG, "node_groups: [{name: sliced, mig: {1g.10gb: 3}}]", "GPU400"),
    (MIG, "node_groups: [{name: sliced, mig: {1g.18gb: 7}}]", "GPU001"),
    (MIG, "node_groups: [{name: sliced, taints: [{key: 'a b'}]}]", "K8S004"),
    (ZONES, "node_groups: [{name: h200, taints: [{key: a}]}]", "K8S413"),
    (ZONES, "software: {os: ubuntu2404}", "IMG001"),
    # Overlays: first the schema, then the rules that only the documentation has.
    (PLAIN, "targets: {hyperpod-slurm: {overlay: {NodeRecovery: Sometimes}}}", "OVL003"),
    (PLAIN, "targets: {hyperpod-slurm: {overlay: {NodRecovery: None}}}", "OVL002"),
    (PLAIN, GROUPS % (SLURM, "h200", "InstanceType: ml.p5.48xl"), "OVL003"),
    (PLAIN, GROUPS % (SLURM, "h200", "ThreadsPerCore: 4"), "OVL003"),
    (PLAIN, GROUPS % (SLURM, "h200", "SlurmConfig: {NodeType: Controller,"
     " PartitionNames: null}"), "OVL300"),
    (PLAIN, "targets: {hyperpod-slurm: {overlay: {Orchestrator: {Slurm: "
     "{SlurmConfigStrategy: Merge}}}}}", "OVL"),
    (PLAIN, GROUPS % (SLURM, "h200", "MinInstanceCount: 9"), "OVL301"),
    (PLAIN, GROUPS % (SLURM, "h200", "LifeCycleConfig: {OnCreate: a.sh}"), "OVL303"),
    (PLAIN, GROUPS % (SLURM, "h200", "KubernetesConfig: {Labels: {a: b}}"), "OVL304"),
    (MIG, GROUPS % (EKS, "sliced", "LifeCycleConfig: null"), "OVL332"),
    (SPOT, GROUPS % (EKS, "spot", "InstanceType: ml.g5.4xlarge"), "OVL"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "fault", "code"), IN_SPECS)
def test_a_fault_in_a_spec_is_a_finding(spec: str, fault: str, code: str) -> None:
    text = (SPECS / f"{spec}.yaml").read_text(encoding="utf-8")
    checked = check(text, fault, target=target_of(spec))
    heavy = [f for f in checked.findings if f.severity is not Severity.NOTE]
    caught = [finding for finding in heavy if finding.code.startswith(code)]
    assert caught, [f"{f.code} {f.message}" for f in checked.findings]
    for finding in caught:
        assert finding.message
        assert finding.span is not None


def rendered(spec: str) -> Mapping[str, str]:
    """The files of a good spec's bundle."""
    return example_files(spec, target_of(spec))


def validated(spec: str, files: Mapping[str, str]) -> list[str]:
    return cluster_violations({**rendered(spec), **files}, "us-east-1")


@pytest.mark.parametrize("spec", [PLAIN, DEPT, OWN, OLD, PLAN, MIG, KARPENTER, SPOT, ZONES])
def test_the_base_of_seeded_faults_is_valid(spec: str) -> None:
    assert validated(spec, {}) == []


HEAD, GPU = "InstanceGroups.0", "InstanceGroups.2"  # the controller, login nodes, then the spec's
ONLY = "InstanceGroups.1"  # where there are no login nodes
ONE = "InstanceGroups.0"
PLAN_ARN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/large"

# Spec, path in create-cluster.json, value, words of a violation.
IN_REQUESTS: list[tuple[str, str, Any, str]] = [
    (PLAIN, "ClusterName", "hp_train", "does not match"),
    (PLAIN, "Orchestrator", GONE, "without Orchestrator.Slurm"),
    (PLAIN, "Orchestrator.Slurm.SlurmConfigStrategy", "Managed", "with continuous"),
    (PLAIN, "NodeProvisioningMode", GONE, "SlurmConfigStrategy is needed"),
    (PLAIN, "VpcConfig", GONE, "only supported for Custom VPC"),
    (PLAIN, "NodeRecovery", None, "string expected"),
    (PLAIN, f"{HEAD}.InstanceCount", 2, "several controllers"),
    (PLAIN, f"{HEAD}.SlurmConfig.NodeType", "Compute", "0 Controller groups"),
    (PLAIN, f"{ONLY}.SlurmConfig.NodeType", "Worker", "not one of"),
    (PLAIN, f"{ONLY}.SlurmConfig.PartitionNames", ["train", "dev"], "the maximum is 1"),
    (PLAIN, f"{ONLY}.InstanceType", "p5en.48xlarge", "not one of"),
    (PLAIN, f"{ONLY}.InstanceCount", "8", "integer expected"),
    (PLAIN, f"{ONLY}.ExecutionRole", GONE, "required member ExecutionRole"),
    (PLAIN, f"{ONLY}.ExecutionRole", "${NodeRole}", "no output NodeRole"),
    (PLAIN, f"{ONLY}.OnStartDeepHealthChecks.0", "GPU", "not one of"),
    (PLAIN, f"{ONLY}.CapacityRequirements", {"Spot": {}}, "Spot is for EKS"),
    (PLAIN, f"{ONLY}.Placement", "cluster", "unknown member Placement"),
    (DEPT, "Orchestrator.Slurm.AccountingDatabase.Port", 0, "the minimum is 1"),
    (DEPT, "Orchestrator.Slurm.AccountingDatabase.SecretArn", "slurm", "SecretArn"),
    (DEPT, f"{GPU}.LifeCycleConfig.OnInitComplete", "setup.sh", "no lifecycle/setup.sh"),
    (DEPT, f"{GPU}.LifeCycleConfig.SourceS3Uri", "s3://ours/x", "reads sagemaker-*"),
    (DEPT, f"{GPU}.ThreadsPerCore", 0, "the minimum is 1"),
    (OWN, f"{GPU}.LifeCycleConfig.OnCreate", GONE, "one of OnCreate, OnInitComplete"),
    (OWN, "Orchestrator.Slurm.SlurmConfigStrategy", GONE, "is needed"),
    (OLD, "Orchestrator", {"Slurm": {"SlurmConfigStrategy": "Merge"}}, "exclusive"),
    (OLD, f"{GPU}.InstanceGroupName", "v100", "the request has"),
    (OLD, f"{GPU}.ImageId", "ami-old", "does not match"),
    (PLAN, f"{GPU}.TrainingPlanArn", "p5e-november", "TrainingPlanArn"),
    (MIG, "VpcConfig", GONE, "EKS clusters need it"),
    (MIG, "Orchestrator.Eks.ClusterArn", "platform", "ClusterArn"),
    (MIG, f"{ONE}.LifeCycleConfig", GONE, "LifeCycleConfig is required"),
    (MIG, f"{ONE}.KubernetesConfig.Labels", {"eks.amazonaws.com/x": "y"}, "reserved"),
    (MIG, f"{ONE}.SlurmConfig", {"NodeType": "Compute"}, "without Orchestrator.Slurm"),
    (KARPENTER, "ClusterRole", GONE, "needs ClusterRole"),
    (KARPENTER, "NodeProvisioningMode", GONE, "only with continuous"),
    (KARPENTER, f"{ONE}.OnStartDeepHealthChecks", ["InstanceStress"], "not with Karpenter"),
    (SPOT, f"{ONE}.TrainingPlanArn", PLAN_ARN, "not with Spot"),
    (SPOT, f"{ONE}.InstanceRequirements.InstanceTypes", [], "the minimum is 1"),
    (SPOT, f"{ONE}.InstanceType", "ml.g6e.4xlarge", "exactly one of InstanceType"),
    (ZONES, "TieredStorageConfig.InstanceMemoryAllocationPercentage", 120, "maximum is 100"),
    (ZONES, "InstanceGroups.1.OverrideVpcConfig.SecurityGroupIds", [], "the minimum is 1"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "path", "value", "words"), IN_REQUESTS)
def test_a_fault_in_a_request_is_a_violation(spec: str, path: str, value: Any, words: str) -> None:
    good = json.loads(rendered(spec)["create-cluster.json"])
    text = json.dumps(changed(good, path, value))
    violations = validated(spec, {"create-cluster.json": text})
    assert any(words in violation for violation in violations), violations


CLUSTER = "Resources.Cluster.Properties"
ROLE = "Resources.HyperPodExecutionRole.Properties"

# Spec, file, path, value, words of a violation.
IN_FILES: list[tuple[str, str, str, Any, str]] = [
    (PLAIN, "foundation.template.json",
     "Resources.ClusterSecurityGroupSelfEgress.Properties.IpProtocol", "tcp", "(Egress)"),
    (PLAIN, "foundation.template.json", "Resources.ClusterSecurityGroupSelfIngress", GONE,
     "(Ingress)"),
    (PLAIN, "cluster.template.json", f"{CLUSTER}.ClusterName", "other", "request has"),
    (PLAIN, "cluster.template.json", f"{CLUSTER}.NodeRecovery", GONE, "only in create-"),
    (PLAIN, "cluster.template.json", f"{CLUSTER}.{ONLY}.InstanceCount", 9, "request has"),
    (PLAIN, "cluster.template.json", "Resources", {}, "0 clusters"),
    (PLAIN, "foundation.template.json", f"{ROLE}.ManagedPolicyArns", [], "may not"),
    (PLAIN, "foundation.template.json", f"{ROLE}.Policies", [], "ec2:CreateNetworkInter"),
    (PLAIN, "foundation.template.json",
     f"{ROLE}.AssumeRolePolicyDocument.Statement.0.Principal.Service", "ec2.amazonaws.com",
     "not sagemaker.amazonaws.com"),
    (PLAIN, "foundation.template.json", "Outputs.HyperPodExecutionRoleArn", GONE,
     "no output HyperPodExecutionRoleArn"),
    (DEPT, "foundation.template.json", "Resources.ScriptsBucket.Properties.BucketName",
     "hp-dept-scripts", "reads sagemaker-*"),
    (KARPENTER, "foundation.template.json",
     "Resources.HyperPodClusterRole.Properties.Policies", [], "sagemaker:BatchAddClusterNodes"),
    (OLD, "lifecycle/provisioning_parameters.json", "controller_group", "head", "has"),
    (OLD, "lifecycle/provisioning_parameters.json", "worker_groups", [], "request has"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "file", "path", "value", "words"), IN_FILES)
def test_a_fault_in_another_file_is_a_violation(
    spec: str, file: str, path: str, value: Any, words: str
) -> None:
    good = json.loads(rendered(spec)[file])
    text = json.dumps(changed(good, path, value), indent=2)
    violations = validated(spec, {file: text})
    assert any(words in violation for violation in violations), violations


# Spec, path in cluster.template.json, value, rule of cfn-lint.
FOR_CFN_LINT: list[tuple[str, str, Any, str]] = [
    (PLAIN, f"{CLUSTER}.Orchestrator", {}, "E3018"),
    (PLAIN, f"{CLUSTER}.{ONLY}.InstanceType", "ml.trn1.2xlarge", ""),
    (PLAIN, f"{CLUSTER}.{ONLY}.ExecutionRole", {"Ref": "Nowhere"}, "E1020"),
    (PLAIN, f"{CLUSTER}.{ONLY}.Placement", "x", "E3002"),
    (DEPT, f"{CLUSTER}.{GPU}.LifeCycleConfig.OnInitComplete", "x" * 129, "E3033"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "path", "value", "rule"), FOR_CFN_LINT)
def test_a_fault_that_cloudformation_rejects(
    spec: str, path: str, value: Any, rule: str, parallelcluster: ParallelCluster
) -> None:
    file = "cluster.template.json"
    text = json.dumps(changed(json.loads(rendered(spec)[file]), path, value))
    if rule:
        assert rule in {found.rule for found in lint({file: text})}
    else:  # cfn-lint's list has types that the API lacks; the API's own model is heard.
        assert bundle_violations({file: text}, parallelcluster, "us-east-2") != []


def test_a_role_that_allows_too_much_is_a_violation() -> None:
    good = json.loads(rendered(PLAIN)["foundation.template.json"])
    statement = f"{ROLE}.Policies.0.PolicyDocument.Statement.0"
    assert iam_violations(good, "us-east-2") == []
    for key, value, words in [
        ("Resource", "*", "though it can be scoped"),
        ("Action", ["ec2:*"], "allows too much"),
        ("Action", ["ec2:MakeInterface"], "no action"),
    ]:
        violations = iam_violations(changed(good, f"{statement}.{key}", value), "us-east-2")
        assert any(words in violation for violation in violations), violations


# A line of a script that is in every lifecycle set, another in its place, words of a violation.
IN_SCRIPTS = [
    ("#!/bin/bash", "#!/bin/sh", "the first line"),
    ("\n", "\r\n", "carriage returns"),
    ("set -", "ls $1\nset -", "SC2086"),
    ("set -", "  set -", "shfmt"),
]


@pytest.mark.parametrize("spec", [DEPT, OWN, OLD, MIG])
@pytest.mark.parametrize(("text", "other", "words"), IN_SCRIPTS)
def test_a_fault_in_a_script_is_a_violation(
    spec: str, text: str, other: str, words: str, parallelcluster: ParallelCluster
) -> None:
    held = rendered(spec)
    entry = "on_init_complete.sh" if spec == DEPT else "on_create.sh"
    faulty = held[f"lifecycle/{entry}"].replace(text, other, 1 if other != "\r\n" else -1)
    kept = ("create-cluster.json", "foundation.template.json")
    files = {path: value for path, value in held.items() if path in kept}
    files |= {path: value for path, value in held.items() if path.startswith("lifecycle/")}
    violations = bundle_violations(
        {**files, f"lifecycle/{entry}": faulty}, parallelcluster, "us-west-2"
    )
    assert any(words in violation for violation in violations), violations
