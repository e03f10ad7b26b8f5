"""Rules of ParallelCluster: what they say, and cases that their two examples do not show."""

import pytest

from clustergen.base.findings import errors
from tests.support.tables import rows
from tests.targets.parallelcluster.planned import every_finding, own_findings, plan_of

MANY_GROUPS = ", ".join(f"{{name: g{n}, instance_type: m7i.4xlarge, count: 1}}" for n in range(51))
DATABASE = (
    "slurm: {accounting: {endpoint: db.example.com, "
    "secret: 'arn:aws:secretsmanager:%s:123456789012:secret:slurm-AbCdEf'}}"
)
REGION = """region: %s
network: {zone: %s}
node_groups: [{name: h200, instance_type: m7i.4xlarge}]"""
QUEUE = "queues: [{name: %s, node_groups: [h200]}]"
CPU = "node_groups: [{name: %s, instance_type: m7i.4xlarge, count: %s}]"
ROOT = "node_groups: [{name: h200, root_volume: {%s}}]"
REPLACED = "resilience: {replace_failed_nodes: %s}"
# Code, a spec with the finding, one without.
SHARED = {
    "NET020": (REGION % ("ap-south-2", "aps2-az1"), REGION % ("ap-south-1", "aps1-az1")),
    "IMG001": (
        "software: {os: rocky9}",
        "software: {os: rocky9}\nhead_node: {image: ami-0a1b2c3d4e5f67890}\n"
        "node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]",
    ),
    "IMG002": ("users: [{name: ubuntu, uid: 2001}]", "users: [{name: alice, uid: 2001}]"),
    "LIM001": (QUEUE % "pre-training-of-large-models", QUEUE % "pre-training"),
    "LIM002": (CPU % ("default", 1), CPU % ("main", 1)),
    "LIM003": (f"node_groups: [{MANY_GROUPS}]", CPU % ("g0", 51)),
    "SLM001": ('slurm: {version: "24.11"}', 'slurm: {version: "25.11"}'),
    "SLM002": (REPLACED % "false", REPLACED % "true"),
    "SLM003": (DATABASE % "eu-west-1", DATABASE % "us-east-1"),
    "STG051": (ROOT % "size: 40GiB", ROOT % "size: 50GiB"),
}


@pytest.mark.parametrize(("code", "bad", "good"), [(code, *row) for code, row in SHARED.items()])
def test_shared_rules_use_its_limits(code: str, bad: str, good: str) -> None:
    found = own_findings(bad)
    assert {finding.code for finding in found} == {code}
    assert all(finding.help and finding.target == "parallelcluster" for finding in found)
    assert errors(every_finding(good)) == []


def test_a_group_without_a_queue_is_reported_once_for_its_name() -> None:
    found = own_findings("node_groups: [{name: default, instance_type: m7i.4xlarge, count: 1}]")
    assert [finding.path for finding in found] == [("node_groups", 1, "name")]


# A spec; the message of its finding, and the help.
FINDINGS = """
queues: [{name: a-queue-of-twenty-six-chars, node_groups: [h200]}]
    'a-queue-of-twenty-six-chars' is 27 characters long; ParallelCluster accepts up to 25 lower-case
    letters, digits and -, the first one a letter | write a-queue-of-twenty-six-cha
slurm: {idle_timeout: 61s}
    61 seconds are rounded up to 2 min | write 2m
monitoring: {log_retention: 31d}
    CloudWatch keeps logs for 60d, not 31d | write 60d
monitoring: {log_retention: 9999d}
    CloudWatch keeps logs for 3653d, not 9999d | write 3653d
storage: [{mount: /w, type: ebs, volume_type: st1, size: 200GiB}]
    ParallelCluster accepts size 500 to 16384, not 200 | write 500GiB
storage: [{mount: /w, type: ebs, size: 1GiB}]
    ParallelCluster accepts size 6 to 16384, not 1 | write 6GiB
storage: [{mount: /w, type: ebs, size: 1TiB, iops: 16000, throughput: 2000}]
    ParallelCluster accepts throughput 125 to 1000, not 2000 | write 1000
node_groups: [{name: h200, root_volume: {type: io1, iops: 3000}}]
    ParallelCluster accepts iops 100 to 2250, not 3000 | write 2250
storage: [{mount: /w, type: fsx-lustre, created_by: cluster, metadata_iops: auto}]
    /w: ParallelCluster creates no Lustre with metadata IOPS of its own | write
    created_by: foundation
storage: [{mount: /w, type: fsx-lustre, created_by: cluster, throughput: 1000, efa: true}]
    /w: ParallelCluster creates no Lustre that serves clients over EFA | write
    created_by: foundation
storage: [{mount: /w, type: fsx-lustre, created_by: cluster, storage_class: intelligent-tiering}]
    /w: ParallelCluster creates no Lustre with intelligent tiering | write created_by: foundation
storage: [{mount: /w, type: efs, created_by: cluster, throughput_mode: bursting, one_zone: true}]
    /w: ParallelCluster creates no EFS in one zone | write created_by: foundation
node_groups: [{name: h200, scratch: /.local}]
    /.local has a component that begins with a dot | write /local
head_node: {root_volume: {size: 40GiB}}
    a volume of 40 GiB for an image of 45 GiB | write 100GiB: container images are kept there too
users: [{name: alice, uid: 1000}]
    1000 is the uid of the default user of the image, ubuntu | write 2000 or more
software: {scripts: [{run: 's3://My_Bucket/x.sh'}]}
    's3://My_Bucket/x.sh' does not name a bucket and a key
    | write s3://bucket/folder/script.sh; bucket names are in lower case
login: {instance_type: m8g.xlarge}
    m8g.xlarge is arm64, the rest of the cluster is x86_64
    | use an Intel or AMD type, such as m7i.4xlarge
slurm: {settings: {SuspendTime: 300}}
    ParallelCluster sets SuspendTime itself | write slurm.idle_timeout
queues: [{name: train, node_groups: [h200], priority: 1, slurm: {prioritytier: 2}}]
    prioritytier and `priority` of the queue are the same setting
    | keep `priority` of the queue, remove prioritytier
region: us-west-2
network: {zone: usw2-az2}
node_groups: [{name: h200, instance_type: dl2q.24xlarge}]
    the official images have no driver for dl2q.24xlarge | use an image with the driver
node_groups: [{name: h200, count: 2}, {name: spare, instance_type: p5en.48xlarge, count: {max: 2},
  slurm: {Weight: 1}}]
queues: [{name: train, node_groups: [h200, spare]}]
    jobs may start nodes of spare (priority 1) while nodes of h200 (priority 1) are idle
    | remove Weight, or write a fixed count
node_groups: [{name: h200, instance_type: null, instance_types: [g6e.48xlarge, g6e.4xlarge]}]
    g6e.48xlarge has 4 network cards, and nodes of h200 only those of g6e.4xlarge: 1
    | give each type a group of its own
targets: {parallelcluster: {dcv: {allowed_from: 203.0.113.0/24}}}
head_node: {instance_type: t3.medium}
    t3.medium has 4 GiB of memory, and no GPU for desktops
    | use a type with a GPU, such as g6.xlarge
targets: {parallelcluster: {overlay: {DevSettings: {Cookbook: {ExtraChefAttributes:
  '{"cluster": {"cluster_readiness_check_enabled": "no"}}'}}}}}
    cluster.cluster_readiness_check_enabled is 'no' | write true or false
"""


@pytest.mark.parametrize(("fragment", "message", "help"), rows(FINDINGS))
def test_expected_findings(fragment: str, message: str, help: str) -> None:
    assert [(f.message, f.help) for f in own_findings(fragment)] == [(message, help)]


def test_accounting_settings_are_denied_only_with_a_database() -> None:
    settings = "settings: {JobAcctGatherType: jobacct_gather/linux}"
    assert own_findings(f"slurm: {{{settings}}}") == []
    database = (DATABASE % "us-east-1").removesuffix("}")
    found = own_findings(f"{database}, {settings}}}")
    assert [f.code for f in found] == ["SLM009"]


def test_nodes_without_a_rocky_image_are_reported() -> None:
    rocky = "software: {os: rocky9}\nhead_node: {image: ami-0a1b2c3d4e5f67890}\n"
    found = own_findings(f"{rocky}login: {{instance_type: m7i.large}}")
    words = "ParallelCluster has no image of rocky9; needed for login nodes, nodes of h200"
    assert [f.message for f in found] == [words]


@pytest.mark.parametrize(
    "fragment",
    [
        "",
        # 1 GiB for 25 nodes, and 0.6 GiB: all the memory that it has.
        "head_node: {instance_type: t3.medium}\n" + CPU % ("h200", 85),
        # Nodes have the groups of ParallelCluster.
        "targets: {parallelcluster: {leave_out: [security-groups]}}",
    ],
)
def test_these_have_no_findings(fragment: str) -> None:
    assert own_findings(fragment) == []


def test_nodes_have_the_cards_of_the_type_with_the_fewest() -> None:
    types = "instance_type: null, instance_types: [p5.48xlarge, p5en.48xlarge]"
    text = f"node_groups: [{{name: h200, {types}}}]"
    assert plan_of(text).node_groups[0].efa_interfaces == 16
    assert [each.code for each in every_finding(text) if each.code[:3] == "NIC"] == ["NIC004"]


@pytest.mark.parametrize(("left_out", "missing"), [("hook", False), ("security-groups", True)])
def test_a_slurmdbd_has_to_accept_the_head_node(left_out: str, *, missing: bool) -> None:
    overlay = "{Scheduling: {SlurmSettings: {ExternalSlurmdbd: {Host: db.example.com}}}}"
    options = f"leave_out: [{left_out}], overlay: {overlay}"
    found = own_findings(f"targets: {{parallelcluster: {{{options}}}}}")
    helps = [each.help for each in found if each.code == "OVL110"]
    assert ["head_node.security_groups" in each for each in helps] == [missing]
