"""Rules of HyperPod with EKS: cases that their two examples do not show."""

import pytest

from clustergen.base.findings import errors
from tests.support.checking import check_fragment
from tests.targets.hyperpod_eks.planned import codes, validated

KARPENTER = "kubernetes: {autoscaler: karpenter}\n"


TRAINIUM = "node_groups: [{name: h200, count: 2, instance_type: %s}]"


def groups(*fields: str) -> str:
    """Node groups of which each has one more field."""
    made = (f"{{name: h200{n or ''}, instance_type: p5.48xlarge, count: 2, {f}}}"
            for n, f in enumerate(fields))  # fmt: skip
    return f"node_groups: [{', '.join(made)}]"


VPC = """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}]
"""


def theirs(number: int) -> str:
    """The security group of the EKS cluster."""
    return f"targets: {{hyperpod-eks: {{eks_security_group: sg-0a1b2c3d4e5f6789{number}}}}}"


def patching(settings: str) -> str:
    """Patching by itself."""
    return f"targets: {{hyperpod-eks: {{auto_patching: {settings}}}}}"


CASES = [
    # HyperPod chooses among the types of a group, each with interfaces of its own.
    ("node_groups: [{name: h200, instance_type: null, count: 2, "
     "instance_types: [p5.48xlarge, p4d.24xlarge, g6.48xlarge]}]", "CAP004", False),
    ("node_groups: [{name: h200, instance_type: null, count: 2, "
     "instance_types: [p5.48xlarge, p4d.24xlarge, g6.48xlarge]}]", "NIC004", False),
    # Pods mount Lustre by a name that does not follow from the id.
    ("storage: [{mount: /fsx, type: fsx-lustre, existing: {id: fs-0abc123def456789}}]", "STG052",
     True),
    # A key below a reserved domain is reserved, too; one that merely ends like it is not.
    (groups("labels: {node.kubernetes.io/role: x}"), "K8S003", True),
    (groups("labels: {notkubernetes.io/role: x}"), "K8S003", False),
    (groups("labels: {kubernetes.io: x}"), "K8S003", False),
    (groups("labels: {nvidia.com/mig.config: all-1g.10gb}"), "K8S003", False),
    (groups("taints: [{key: karpenter.sh/own}]"), "K8S003", True),
    (groups("taints: [{key: x, value: 'a b'}]"), "K8S004", True),
    (groups("taints: [{key: x}]"), "K8S004", False),
    (groups("taints: [{key: x}, {key: x, value: y}]"), "K8S004", True),
    (groups("taints: [{key: x}, {key: x, effect: NoExecute}]"), "K8S004", False),
    (groups("labels: {a..b/role: x}"), "K8S002", True),
    (groups("labels: {a.b/role: x}"), "K8S002", False),
    (groups("taints: [{key: x}], health_checks: [gpu]"), "K8S413", False),
    (TRAINIUM % "trn2.48xlarge, taints: [{key: x, effect: PreferNoSchedule}]", "K8S441", False),
    (TRAINIUM % "trn2.48xlarge, taints: [{key: x, effect: NoExecute}]", "K8S441", True),
    (TRAINIUM % "trn2.48xlarge, taints: [{key: aws.amazon.com/neuron}]", "K8S441", False),
    (TRAINIUM % "trn2.3xlarge", "K8S441", True),
    (TRAINIUM % "p5en.48xlarge, taints: [{key: x}]", "K8S441", False),
    # What all-1g.10gb makes does not fit on the smaller A100, where the name means another piece.
    ("node_groups: [{name: h200, instance_type: p4d.24xlarge, mig: {1g.10gb: 4}}]", "GPU400", True),
    ("node_groups: [{name: h200, instance_type: p4d.24xlarge, mig: {1g.5gb: 7}}]", "GPU400", False),
    ("node_groups: [{name: h200, instance_type: p6-b200.48xlarge, mig: {1g.23gb: 7}}]",
     "GPU400", True),
    ("node_groups: [{name: h200, instance_type: p6-b300.48xlarge, mig: {2g.67gb: 3}}]",
     "GPU400", False),
    (groups("mig: {1g.10gb: 5}"), "GPU400", True),
    (groups("mig: {1g.10gb: 5, 2g.20gb: 1}"), "GPU400", False),
    ("kubernetes: {version: '1.36'}", "K8S403", True),
    ("kubernetes: {version: '1.30'}", "K8S403", False),
    ("kubernetes: {public_endpoint_from: [203.0.113.0/24]}", "K8S404", True),
    ("kubernetes: {admission: kueue}", "K8S404", True),
    ("kubernetes: {admission: kueue}\nqueues: [{name: train, node_groups: [h200]}]",
     "K8S404", False),
    ("targets: {hyperpod-eks: {eks_cluster: 'arn:aws-cn:eks:us-east-1:111122223333:cluster/a'}}",
     "K8S402", True),
    (KARPENTER + "node_groups: [{name: h200, count: {min: 2, max: 4}}]", "CAP405", True),
    ("node_groups: [{name: h200, count: {min: 2, max: 4}}]", "CAP011", False),
    ("node_groups: [{name: h200, count: {min: 2, max: 4}}]", "SUP001", False),
    ("node_groups: [{name: h200, count: 0}]", "CAP015", False),
    (KARPENTER + "node_groups: [{name: h200, count: {max: 4}, health_checks: [gpu]}]",
     "CAP402", False),
    ("node_groups: [{name: h200, capacity: spot}]", "SUP001", False),
    # What cannot be checked at all is reported once.
    ("node_groups: [{name: h200, instance_type: m7i.4xlarge, health_checks: [instance-stress], "
     "taints: [{key: x}]}]", "K8S413", False),
    (groups("mig: {1g.10gb: 7}"), "CAP404", False),
    # Fields that a strategy does not have, and times that it does not take: one finding for each.
    (patching("{strategy: when-idle, batch: 2}"), "K8S406", True),
    (patching("{strategy: when-idle, on_drain_timeout: skip}"), "K8S406", True),
    (patching("{strategy: when-idle, drain_timeout: 2h}"), "LIM402", False),
    (patching("{strategy: when-all-idle, idle_wait: 26d}"), "LIM402", True),
    (patching("{strategy: drain-first, batch: 1, drain_timeout: 91m}"), "LIM402", True),
    (patching("{strategy: drain-first, batch: 1, drain_timeout: 90m}"), "LIM402", False),
    (patching("{strategy: drain-first, batch: 1, pause: 61m}"), "LIM402", True),
    (patching("{strategy: drain-first, batch: 1}"), "LIM303", True),
    (patching("{strategy: when-idle, idle_wait: 2h}"), "LIM303", True),
    (patching("{strategy: when-idle}"), "LIM303", False),
    (patching("{strategy: drain-first, batch: 101%}"), "SPC024", True),
    (patching("{strategy: drain-first, batch: 0}"), "SPC024", True),
    ("targets: {hyperpod-eks: {tiered_checkpoints: 0}}", "SPC024", True),
    ("targets: {hyperpod-eks: {update_schedule: rate(7 days)}}", "K8S407", True),
    ("targets: {hyperpod-eks: {update_schedule: cron(60 3 ? * SUN *)}}", "K8S407", True),
    ("targets: {hyperpod-eks: {update_schedule: cron(0 3 ? * 7L 2027)}}", "K8S407", False),
    # Groups that know each other: the cluster's own, and new ones that are opened to it.
    (f"{VPC}  security_groups: [sg-0a1b2c3d4e5f67890]", "NET401", False),
    (f"{VPC}{theirs(1)}", "NET401", False),
    (VPC, "NET401", True),
    (f"{VPC}  security_groups: [sg-0a1b2c3d4e5f67890]\n{theirs(0)}", "NET402", False),
    (f"{VPC}  security_groups: [sg-0a1b2c3d4e5f67890]\n{theirs(1)}", "NET402", True),
    # Shared by both HyperPod targets.
    ("software: {os: ubuntu2404}", "IMG001", True),
    ("node_groups: [{name: h200, count: 21}]", "LIM003", True),
    (KARPENTER + "node_groups: [{name: h200, count: {max: 6759}}]", "LIM004", True),
    ("node_groups: [{name: h200, health_checks: [multi-node]}]", "LIM303", True),
    ("targets: {hyperpod-eks: {overlay: {NodeProvisioningMode: null, "
     "AutoScaling: {Mode: Enable}}}}", "OVL321", True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), CASES)
def test_finding(text: str, code: str, expected: bool) -> None:
    assert (code in codes(text)) is expected


def group(members: str) -> str:
    """An overlay of the group h200."""
    changed = f"[{{InstanceGroupName: h200, {members}}}]"
    return f"targets: {{hyperpod-eks: {{overlay: {{InstanceGroups: {changed}}}}}}}"


# One mistake in an overlay, one error.
OVERLAYS = [
    (group("InstanceRequirements: {InstanceTypes: [ml.p5.48xlarge]}"), "OVL322"),
    (group("LifeCycleConfig: {OnInitComplete: x.sh}"), "OVL333"),
    ("targets: {hyperpod-eks: {overlay: {Orchestrator: {Slurm: {}}}}}", "OVL308"),
    (group("SlurmConfig: {NodeType: Compute}"), "OVL312"),
    (group("InstanceStorageConfigs: [{}]"), "OVL007"),
    (group("KubernetesConfig: {Labels: {k8s.io/a: b}}"), "OVL343"),
    (group("KubernetesConfig: {Taints: [{Key: a, effect: NoSchedule}]}"), "OVL002"),
    (group("TrainingPlanArn: ''"), "OVL003"),
    (group("InstanceType: ml.m7i.large, OnStartDeepHealthChecks: [InstanceStress]"), "OVL307"),
]


@pytest.mark.parametrize(("text", "code"), OVERLAYS)
def test_an_overlay_has_one_error_per_mistake(text: str, code: str) -> None:
    assert [finding.code for finding in errors(validated(text).findings)] == [code]


HELP = [
    (groups("mig: {1g.10gb: 5}"), "GPU400", "write {1g.10gb: 7}, or "),
    ("node_groups: [{name: h200, instance_type: p6-b200.48xlarge, mig: {1g.23gb: 7}}]", "GPU400",
     "remove mig: there is no configuration for B200"),
    ("kubernetes: {version: '1.36'}", "K8S403", "use an EKS cluster of version 1.35"),
    ("kubernetes: {version: '1.29'}", "K8S403", "use an EKS cluster of version 1.30"),
    ("node_groups: [{name: h200, count: {max: 4}}]", "CAP011",
     "write kubernetes.autoscaler: karpenter, or count: 4"),
    (groups("labels: {node.kubernetes.io/role: x}"), "K8S003",
     "use a domain of your own: example.com/role"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), HELP)
def test_help_suggests_a_fix(text: str, code: str, expected: str) -> None:
    [finding] = [finding for finding in validated(text).findings if finding.code == code]
    assert finding.help.startswith(expected)


def test_the_help_for_partitions_is_valid() -> None:
    """Every set of partitions that is offered is one that is taken."""
    finding = next(f for f in validated(groups("mig: {1g.10gb: 5}")).findings if f.code == "GPU400")
    offered = finding.help.removeprefix("write ").split(", or ")
    assert len(offered) == 3
    for parts in offered:
        assert "GPU400" not in codes(groups(f"mig: {parts}"))


def test_a_new_eks_cluster_is_the_default() -> None:
    checked = check_fragment("", "hyperpod-eks")
    assert errors(checked.findings) == []
    assert checked.plans["hyperpod-eks"].options.creates_eks


@pytest.mark.parametrize(
    ("role", "expected"),
    [("", True), ("ExecutionRole: arn:aws:iam::111122223333:role/own, ", False)],
)
def test_a_role_of_the_user_may_read_buckets_of_the_user(role: str, expected: bool) -> None:
    scripts = "LifeCycleConfig: {OnCreate: setup.sh, SourceS3Uri: 's3://my-scripts/x/'}"
    group = f"{{InstanceGroupName: h200, {role}{scripts}}}"
    text = f"targets: {{hyperpod-eks: {{overlay: {{InstanceGroups: [{group}]}}}}}}"
    assert ("OVL306" in codes(text)) is expected
