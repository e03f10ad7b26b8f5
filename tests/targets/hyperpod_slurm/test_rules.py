"""Rules of HyperPod with Slurm: the place, the words, and what to write instead."""

import pytest

from clustergen.base.findings import Path
from tests.support.checking import message_and_help
from tests.support.tables import findings
from tests.targets.hyperpod_slurm.planned import found, request_of, validated
from tests.targets.hyperpod_slurm.specs import CUSTOMER, DATABASE, LEGACY, SPECS


def _group(text: str) -> str:
    return f"node_groups: [{{name: h200, {text}}}]"


ROWS = r"""
# Instance types: a size that exists, else an alike one
node_groups: [{name: h200, instance_type: trn1.2xlarge, count: 1}]
    CAP300 node_groups.0.instance_type | no trn1.2xlarge | trn1.32xlarge
node_groups: [{name: h200, instance_type: c7i.8xlarge}]
    CAP300 node_groups.0.instance_type | no c7i.8xlarge | c6i.8xlarge
head_node: {instance_type: m7a.4xlarge}
    CAP300 head_node.instance_type | no m7a.4xlarge | m7i.4xlarge
login: {instance_type: t4g.large}
    CAP300 login.instance_type | no t4g.large | m7g
# Training plans
node_groups: [{name: h200, capacity: {training_plan:
    'arn:aws:sagemaker:us-west-2:111122223333:training-plan/mine'}}]
    CAP302 node_groups.0.capacity.training_plan | us-west-2 | region: us-west-2
# Names
name: example--
    LIM001 name | 'example--' does not have the form of a name | write example
queues: [{name: train-, node_groups: [h200]}]
    LIM001 queues.0.name | 'train-' | write train
node_groups: [{name: login, instance_type: c6i.large, count: 1}]
    SLM363 node_groups.1.name | login nodes | login-nodes
# Quotas
node_groups: [{name: h200, count: 20}]
    LIM003 node_groups.0.count | 21 instances | Service Quotas
# Accounting
$DATABASE
targets: {hyperpod-slurm: {provisioning: all-at-once}}
    CAP350 slurm.accounting | a database | or write accounting: managed
# Images
software: {os: rhel9}
    IMG001 software.os | no image of rhel9 | write os: ubuntu2404
$CUSTOMER
login: {instance_type: m7i.xlarge}
software: {containers: pyxis}
    IMG352 software.containers | controller, login, h200 | when: start
$LEGACY
node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]
software: {containers: pyxis}
    IMG352 software.containers | Pyxis on controller | mode: api
# Scripts
software: {scripts: [{run: 's3://my-bucket/a.sh', on: [login]}]}
    LIM005 software.scripts.0.on | is a login node | or login nodes
# Minimum of nodes
node_groups: [{name: h200, count: {min: 2, max: 4}}]
targets: {hyperpod-slurm: {provisioning: all-at-once}}
    CAP350 node_groups.0.count | a minimum of 2 nodes | remove provisioning, or write count: 4
# Several controllers
targets: {hyperpod-slurm: {controllers: 2}}
    SLM359 targets.hyperpod-slurm.controllers | 2 controllers | mode: legacy
targets: {hyperpod-slurm: {mode: customer-managed, controllers: 3}}
    SLM359 targets.hyperpod-slurm.controllers | 3 controllers | mode: legacy
targets: {hyperpod-slurm: {mode: legacy, controllers: 2}}
    SLM358 targets.hyperpod-slurm.controllers | no place
        | fsx-lustre, and slurm.accounting: {endpoint
$DATABASE
targets: {hyperpod-slurm: {mode: legacy, controllers: 2}}
    SLM358 targets.hyperpod-slurm.controllers | no place | add storage of type fsx-lustre
targets: {hyperpod-slurm: {mode: legacy, overlay: {InstanceGroups: [{InstanceGroupName: controller,
    InstanceCount: 2}]}}}
    SLM360 $OVERLAY.InstanceGroups.0.InstanceCount | scripts for 1 | controllers: 2
targets: {hyperpod-slurm: {mode: legacy, overlay: {Orchestrator: {Slurm: {}}}}}
    SLM362 $OVERLAY.Orchestrator | no orchestrator | customer-managed
# What the image and HyperPod have already
users: [{name: slurm, uid: 2001}]
    IMG002 users.0.name | 'slurm' is a user | another name
users: [{name: alice, uid: 1000}]
    IMG002 users.0.uid | image, ubuntu | 2000
storage: [{mount: /opt/sagemaker/home, type: efs}]
    STG352 storage.0.mount | HyperPod uses | /shared/home
node_groups: [{name: h200, scratch: /opt/dlami/nvme}]
    STG352 node_groups.0.scratch | HyperPod uses | /shared/nvme
node_groups: [{name: h200, slurm: {Weight: 10}}]
    SUP001 node_groups.0.slurm | Slurm settings for a node group | remove their settings
# Settings
slurm: {settings: {NodeName: x}}
    SLM009 slurm.settings.NodeName | begins a line | node groups
slurm: {settings: {Prolog: "a\nPartitionName=x"}}
    SLM008 slurm.settings.Prolog | not read | on one line
slurm: {settings: {SchedulerParameters: 'defer # soon'}}
    SLM008 slurm.settings.SchedulerParameters | not read | without #
slurm: {settings: {Prolog: ''}}
    SLM008 slurm.settings.Prolog | not read | on one line
slurm: {settings: {'Max Jobs': 5}}
    SLM008 slurm.settings.Max Jobs | not a name | letters and digits
slurm: {cgroup_settings: {AllowedRAMSpace: '9\'}}
    SLM008 slurm.cgroup_settings.AllowedRAMSpace | not read | at the end
queues: [{name: train, node_groups: [h200], slurm: {AllowAccounts: a b}}]
    SLM008 queues.0.slurm.AllowAccounts | not read 'a b' | without blanks
# What CloudFormation lacks
node_groups: [{name: h200, health_checks: [instance-stress, multi-node]}]
    LIM303 node_groups.0.health_checks.1 | over several nodes | deploy.sh
targets: {hyperpod-slurm: {overlay: {InstanceGroups: [{InstanceGroupName: h200, AutoPatchConfig:
    {PatchingStrategy: WhenIdle, IdleWaitWindowInSeconds: 7200}}]}}}
    LIM303 $OVERLAY.InstanceGroups.0.AutoPatchConfig.IdleWaitWindowInSeconds | idle | deploy.sh
# Overlays that HyperPod rejects
targets: {hyperpod-slurm: {overlay: {Orchestrator: {Slurm: {SlurmConfigStrategy: Merge}}}}}
    OVL309 $OVERLAY.Orchestrator | continuous provisioning | remove the strategy
targets: {hyperpod-slurm: {overlay: {InstanceGroups: [{InstanceGroupName: controller, InstanceCount:
    2}]}}}
    OVL316 $OVERLAY | not one controller | mode: legacy
targets: {hyperpod-slurm: {overlay: {InstanceGroups: [{InstanceGroupName: h200, MinInstanceCount:
    9}]}}}
    OVL301 $OVERLAY.InstanceGroups.0.MinInstanceCount | 9 instances | 2 or less
"""
OVERLAY = "targets.hyperpod-slurm.overlay"
CASES = findings(ROWS, DATABASE=DATABASE, LEGACY=LEGACY, CUSTOMER=CUSTOMER, OVERLAY=OVERLAY)


@pytest.mark.parametrize(("text", "code", "path", "message", "help"), CASES)
def test_finding(text: str, code: str, path: Path, message: str, help: str) -> None:
    findings = found(text, code)
    assert len(findings) == 1, [f"{f.code} {f.path} {f.message}" for f in validated(text).findings]
    [finding] = findings
    assert finding.path[: len(path)] == path
    assert message in finding.message
    assert help in finding.help
    assert finding.target == "hyperpod-slurm"


PAIR = "{InstanceGroupName: controller, InstanceCount: 2}"
# What is right must not be complained about.
QUIET: list[tuple[str, str]] = [
    (DATABASE + LEGACY, "CAP350"),
    (LEGACY, "SLM355"),
    (_group("count: 19"), "LIM003"),
    (_group("efa: false, instance_type: c6i.8xlarge"), "NIC300"),
    (_group("image: ami-0a1b2c3d4e5f67890") + "\nsoftware: {os: ubuntu2204}", "IMG001"),
    (SPECS["restricted"], "OVL301"),
    (LEGACY.replace("legacy}", f"legacy, overlay: {{InstanceGroups: [{PAIR}]}}}}"), "OVL300"),
    ("slurm: {settings: {SchedulerParameters: 'defer,bf_window=4320'}}", "SLM008"),
    (f"{LEGACY}\nqueues: [{{name: dev, node_groups: [h200]}}]", "SLM351"),
]


@pytest.mark.parametrize(("text", "code"), QUIET)
def test_cases_without_a_finding(text: str, code: str) -> None:
    assert found(text, code) == []


@pytest.mark.parametrize("code", ["CAP350", "SLM353"])
def test_scripts_connect_a_database_without_continuous_provisioning(code: str) -> None:
    options = "{mode: customer-managed, provisioning: all-at-once}"
    text = f"{DATABASE}targets: {{hyperpod-slurm: {options}}}"
    assert found(text, code) == []
    assert "AccountingDatabase" not in request_of(text)["Orchestrator"]["Slurm"]


def test_the_message_about_instances_names_one_quota() -> None:
    message, help = message_and_help(_group("count: 70"), "LIM003", "hyperpod-slurm")
    assert message == "71 instances in a cluster; the default quota is 20"
    assert "all clusters of an account together have 30 by default" in help
