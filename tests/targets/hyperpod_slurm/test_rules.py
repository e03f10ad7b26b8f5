"""Rules of HyperPod with Slurm: the place, the words, and what to write instead."""

from __future__ import annotations

import pytest

from clustergen.findings import Path
from tests.targets.hyperpod_slurm.planned import found, request_of, validated
from tests.targets.hyperpod_slurm.specs import AT_ONCE, CUSTOMER, DATABASE, LEGACY, SPECS

GROUP = ("node_groups", 0)
CONTROLLERS = ("targets", "hyperpod-slurm", "controllers")
OVERLAY = ("targets", "hyperpod-slurm", "overlay")
WEST = "arn:aws:sagemaker:us-west-2:111122223333:training-plan/mine"
RESERVATION = "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/mine"


def _group(text: str) -> str:
    return f"node_groups: [{{name: h200, {text}}}]"


def _overlay(text: str) -> str:
    return f"targets: {{hyperpod-slurm: {{overlay: {{{text}}}}}}}"


CASES: list[tuple[str, str, Path, str, str]] = [
    # Instance types: a size that exists, else an alike one
    (
        _group("instance_type: trn1.2xlarge, count: 1"),
        "CAP300", (*GROUP, "instance_type"), "no trn1.2xlarge", "trn1.32xlarge",
    ),
    (
        _group("instance_type: c7i.8xlarge"),
        "CAP300", (*GROUP, "instance_type"), "no c7i.8xlarge", "c6i.8xlarge",
    ),
    (
        "head_node: {instance_type: m7a.4xlarge}",
        "CAP300", ("head_node", "instance_type"), "no m7a.4xlarge", "m7i.4xlarge",
    ),
    (
        "login: {instance_type: t4g.large}",
        "CAP300", ("login", "instance_type"), "no t4g.large", "m7g",
    ),
    # Training plans
    (
        _group(f"capacity: {{training_plan: '{WEST}'}}"),
        "CAP302", (*GROUP, "capacity", "training_plan"), "us-west-2", "region: us-west-2",
    ),
    (
        _group(f"capacity: {{training_plan: '{RESERVATION}'}}"),
        "CAP302", (*GROUP, "capacity", "training_plan"), "not the ARN", ":training-plan/NAME",
    ),
    # Names
    (
        "name: example--",
        "LIM001", ("name",), "'example--' does not have the form of a name", "write example",
    ),
    (
        "queues: [{name: train-, node_groups: [h200]}]",
        "LIM001", ("queues", 0, "name"), "'train-'", "write train",
    ),
    (
        "node_groups: [{name: login, instance_type: c6i.large, count: 1}]",
        "SLM363", ("node_groups", 1, "name"), "login nodes", "login-nodes",
    ),
    # Quotas
    (_group("count: 20"), "LIM003", (*GROUP, "count"), "21 instances", "Service Quotas"),
    # Accounting
    (
        DATABASE + "targets: {hyperpod-slurm: {provisioning: all-at-once}}",
        "SLM352", ("slurm", "accounting"), "all at once", "provisioning: continuous",
    ),
    # Images
    (
        CUSTOMER + "login: {instance_type: m7i.xlarge}\nsoftware: {containers: pyxis}",
        "IMG352", ("software", "containers"), "controller, login, h200", "when: start",
    ),
    (
        LEGACY + "node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]\n"
        "software: {containers: pyxis}",
        "IMG352", ("software", "containers"), "Pyxis on controller", "mode: api",
    ),
    # Scripts
    (
        "software: {scripts: [{run: 's3://my-bucket/a.sh', on: [login]}]}",
        "LIM005", ("software", "scripts", 0, "on"), "is a login node", "or login nodes",
    ),
    # Minimum of nodes
    (
        _group("count: {min: 2, max: 4}") + AT_ONCE.replace("targets", "\ntargets"),
        "CAP351", (*GROUP, "count"), "a minimum of 2 nodes", "provisioning: continuous",
    ),
    # Several controllers
    (
        "targets: {hyperpod-slurm: {controllers: 2}}",
        "SLM359", CONTROLLERS, "2 controllers", "mode: legacy",
    ),
    (
        "targets: {hyperpod-slurm: {mode: customer-managed, controllers: 3}}",
        "SLM359", CONTROLLERS, "3 controllers", "mode: legacy",
    ),
    (
        "targets: {hyperpod-slurm: {mode: legacy, controllers: 2}}",
        "SLM358", CONTROLLERS, "no place", "fsx-lustre, and slurm.accounting: {endpoint",
    ),
    (
        DATABASE + "targets: {hyperpod-slurm: {mode: legacy, controllers: 2}}",
        "SLM358", CONTROLLERS, "no place", "add storage of type fsx-lustre",
    ),
    (
        "targets: {hyperpod-slurm: {mode: legacy, overlay: {InstanceGroups: "
        "[{InstanceGroupName: controller, InstanceCount: 2}]}}}",
        "SLM360",
        (*OVERLAY, "InstanceGroups", 0, "InstanceCount"),
        "scripts for 1", "controllers: 2",
    ),
    (
        "targets: {hyperpod-slurm: {mode: legacy, overlay: {Orchestrator: {Slurm: {}}}}}",
        "SLM362", (*OVERLAY, "Orchestrator"), "no orchestrator", "customer-managed",
    ),
    # What the image and HyperPod have already
    (
        "users: [{name: slurm, uid: 2001}]",
        "IMG002", ("users", 0, "name"), "'slurm' is a user", "another name",
    ),
    ("users: [{name: alice, uid: 1000}]", "IMG002", ("users", 0, "uid"), "image, ubuntu", "2000"),
    (
        "storage: [{mount: /opt/sagemaker/home, type: efs}]",
        "STG352", ("storage", 0, "mount"), "HyperPod uses", "/shared/home",
    ),
    (
        _group("scratch: /opt/dlami/nvme"),
        "STG352", (*GROUP, "scratch"), "HyperPod uses", "/shared/nvme",
    ),
    (
        _group("slurm: {Weight: 10}"),
        "SUP001", (*GROUP, "slurm"), "Slurm settings for a node group", "remove their settings",
    ),
    # Settings
    (
        "slurm: {settings: {NodeName: x}}",
        "SLM009", ("slurm", "settings", "NodeName"), "begins a line", "node groups",
    ),
    (
        'slurm: {settings: {Prolog: "a\\nPartitionName=x"}}',
        "SLM008", ("slurm", "settings", "Prolog"), "not read", "on one line",
    ),
    (
        "slurm: {settings: {SchedulerParameters: 'defer # soon'}}",
        "SLM008", ("slurm", "settings", "SchedulerParameters"), "not read", "without #",
    ),
    (
        "slurm: {settings: {Prolog: ''}}",
        "SLM008", ("slurm", "settings", "Prolog"), "not read", "on one line",
    ),
    (
        "slurm: {settings: {'Max Jobs': 5}}",
        "SLM008", ("slurm", "settings", "Max Jobs"), "not a name", "letters and digits",
    ),
    (
        "slurm: {cgroup_settings: {AllowedRAMSpace: '9\\'}}",
        "SLM008", ("slurm", "cgroup_settings", "AllowedRAMSpace"), "not read", "at the end",
    ),
    (
        "queues: [{name: train, node_groups: [h200], slurm: {AllowAccounts: a b}}]",
        "SLM008", ("queues", 0, "slurm", "AllowAccounts"), "not read 'a b'", "without blanks",
    ),
    # What CloudFormation lacks
    (
        _group("health_checks: [instance-stress, multi-node]"),
        "LIM303", (*GROUP, "health_checks", 1), "over several nodes", "deploy.sh",
    ),
    (
        _overlay(
            "InstanceGroups: [{InstanceGroupName: h200, AutoPatchConfig: "
            "{PatchingStrategy: WhenIdle, IdleWaitWindowInSeconds: 7200}}]"
        ),
        "LIM303",
        (*OVERLAY, "InstanceGroups", 0, "AutoPatchConfig", "IdleWaitWindowInSeconds"),
        "idle", "deploy.sh",
    ),
    # Overlays that HyperPod rejects
    (
        _overlay("Orchestrator: {Slurm: {SlurmConfigStrategy: Merge}}"),
        "OVL309", (*OVERLAY, "Orchestrator"), "continuous provisioning", "remove the strategy",
    ),
    (
        _overlay("InstanceGroups: [{InstanceGroupName: controller, InstanceCount: 2}]"),
        "OVL316", OVERLAY, "not one controller", "mode: legacy",
    ),
    (
        _overlay("InstanceGroups: [{InstanceGroupName: h200, MinInstanceCount: 9}]"),
        "OVL301",
        (*OVERLAY, "InstanceGroups", 0, "MinInstanceCount"),
        "9 instances", "2 or less",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "path", "message", "help"), CASES)
def test_finding(text: str, code: str, path: Path, message: str, help: str) -> None:
    findings = found(text, code)
    assert len(findings) == 1, [f"{f.code} {f.path} {f.message}" for f in validated(text).findings]
    [finding] = findings
    assert finding.path[: len(path)] == path
    assert message in finding.message
    assert help in finding.help
    assert finding.target == "hyperpod-slurm"


# What is right must not be complained about.
QUIET: list[tuple[str, str]] = [
    (DATABASE + LEGACY, "SLM352"),
    (LEGACY, "SLM355"),
    (_group("count: 19"), "LIM003"),
    (_group("efa: false, instance_type: c6i.8xlarge"), "NIC300"),
    (_group("image: ami-0a1b2c3d4e5f67890") + "\nsoftware: {os: ubuntu2204}", "IMG001"),
    (SPECS["restricted"], "OVL301"),
    (
        LEGACY.replace(
            "legacy}",
            "legacy, overlay: {InstanceGroups: "
            "[{InstanceGroupName: controller, InstanceCount: 2}]}}",
        ),
        "OVL300",
    ),
    ("slurm: {settings: {SchedulerParameters: 'defer,bf_window=4320'}}", "SLM008"),
    (f"{LEGACY}\nqueues: [{{name: dev, node_groups: [h200]}}]", "SLM351"),
]


@pytest.mark.parametrize(("text", "code"), QUIET)
def test_cases_without_a_finding(text: str, code: str) -> None:
    assert found(text, code) == []


@pytest.mark.parametrize("code", ["SLM352", "SLM353"])
def test_scripts_connect_a_database_without_continuous_provisioning(code: str) -> None:
    options = "{mode: customer-managed, provisioning: all-at-once}"
    text = f"{DATABASE}targets: {{hyperpod-slurm: {options}}}"
    assert found(text, code) == []
    assert "AccountingDatabase" not in request_of(text)["Orchestrator"]["Slurm"]
