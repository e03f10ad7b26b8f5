"""Every rule: its bad example has the finding, its good one has no error at all."""

from __future__ import annotations

import pytest

from clustergen import discovery
from clustergen.findings import Rule, errors
from tests.targets.parallelcluster.planning import every_finding, own_findings

RULES = discovery.rules("clustergen.targets.parallelcluster.rules")
BY_CODE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


@BY_CODE
def test_bad_example_has_the_finding(rule: Rule) -> None:
    found = [f for f in own_findings(rule.bad) if f.code == rule.code]
    assert found
    assert all(f.help for f in found)


@BY_CODE
def test_good_example_has_no_error(rule: Rule) -> None:
    found = every_finding(rule.good)
    assert rule.code not in [f.code for f in found]
    assert errors(found) == []


def test_codes_are_of_this_target_and_used_once() -> None:
    codes = [rule.code for rule in RULES]
    assert len(codes) == len(set(codes))
    assert all(code[3] == "1" and len(code) == 6 for code in codes)
    assert {rule.target for rule in RULES} == {"parallelcluster"}


@pytest.mark.parametrize(
    ("fragment", "message", "help"),
    [
        (
            "queues: [{name: a-queue-of-twenty-six-chars, node_groups: [h200]}]",
            "'a-queue-of-twenty-six-chars' has 27 characters; at most 25 are allowed",
            "shorten it, for example to a-queue-of-twenty-six-cha",
        ),
        ("slurm: {idle_timeout: 61s}", "61 seconds are rounded up to 2 min", "write 2m"),
        ("monitoring: {log_retention: 31d}", "CloudWatch keeps logs for 60d, not 31d", "write 60d"),
        (
            "monitoring: {log_retention: 9999d}",
            "CloudWatch keeps logs for 3653d, not 9999d",
            "write 3653d",
        ),
        (
            "storage: [{mount: /w, type: ebs, volume_type: st1, size: 200GiB}]",
            "ParallelCluster accepts size 500 to 16384, not 200",
            "write 500GiB",
        ),
        (
            "storage: [{mount: /w, type: ebs, size: 1GiB}]",
            "ParallelCluster accepts size 6 to 16384, not 1",
            "write 6GiB",
        ),
        (
            "storage: [{mount: /w, type: ebs, size: 1TiB, iops: 16000, throughput: 2000}]",
            "ParallelCluster accepts throughput 125 to 1000, not 2000",
            "write 1000",
        ),
        (
            "node_groups: [{name: h200, root_volume: {type: io1, iops: 3000}}]",
            "ParallelCluster accepts iops 100 to 2250, not 3000",
            "write 2250",
        ),
        (
            "node_groups: [{name: h200, scratch: /.local}]",
            "/.local has a component that begins with a dot",
            "write /local",
        ),
        (
            "head_node: {root_volume: {size: 40GiB}}",
            "40GiB cannot hold the image of 45GiB",
            "write 50GiB or more, or leave it out",
        ),
        (
            "users: [{name: alice, uid: 1000}]",
            "1000 is the uid of ubuntu, the image's default user",
            "choose 1001 or more",
        ),
        (
            "software: {scripts: [{run: 's3://My_Bucket/x.sh'}]}",
            "'s3://My_Bucket/x.sh' does not name a bucket and a key",
            "write s3://bucket/folder/script.sh; bucket names are in lower case",
        ),
        (
            "login: {instance_type: m8g.xlarge}",
            "m8g.xlarge is arm64, the rest of the cluster is x86_64",
            "use an Intel or AMD type, such as m7i.4xlarge",
        ),
        (
            "slurm: {settings: {SuspendTime: 300}}",
            "ParallelCluster sets SuspendTime itself",
            "write slurm.idle_timeout",
        ),
        (
            "queues: [{name: train, node_groups: [h200], priority: 1, slurm: {prioritytier: 2}}]",
            "prioritytier and `priority` of the queue are the same setting",
            "keep `priority`, leave prioritytier out",
        ),
    ],
)
def test_what_is_said(fragment: str, message: str, help: str) -> None:
    assert [(f.message, f.help) for f in own_findings(fragment)] == [(message, help)]


def test_accounting_settings_are_denied_only_beside_a_database() -> None:
    settings = "settings: {JobAcctGatherType: jobacct_gather/linux}"
    database = (
        "accounting: {endpoint: db.example.com, "
        "secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:slurm-AbCdEf}"
    )
    assert own_findings(f"slurm: {{{settings}}}") == []
    found = own_findings(f"slurm: {{{settings}, {database}}}")
    assert [f.code for f in found] == ["SLM102"]


def test_a_rocky_cluster_names_what_lacks_an_image() -> None:
    found = own_findings(
        "software: {os: rocky9}\nlogin: {instance_type: m7i.large}\n"
        "head_node: {image: ami-0a1b2c3d4e5f67890}"
    )
    assert [f.message for f in found] == [
        "ParallelCluster has no rocky9 image; without one: login, node_groups[0]"
    ]


def test_the_example_has_nothing_to_say() -> None:
    assert own_findings("") == []
