"""One mistake of a tired user is one finding, with what to write instead."""

from __future__ import annotations

import pytest

from clustergen.findings import Severity
from tests.checking import check

HEAD = "version: 1\nname: example\nregion: us-east-1\nnetwork: {zone: use1-az6}\n"
GROUP = "node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]\n"
KEY = "ssh_key: ssh-ed25519 AAAA ann"
OUTSIDE = HEAD.replace("zone:", "ssh_from: [203.0.113.0/24], zone:")
ID = "0a1b2c3d4e5f67890"

MISTAKES = [
    # A misspelt key is the key that was meant: it is not missing, and its value counts.
    (HEAD + GROUP.replace("count:", "counts:"), "SPC020", "did you mean `count`?"),
    (HEAD.replace("name:", "Name:") + GROUP, "SPC020", "did you mean `name`?"),
    (
        HEAD
        + GROUP
        + "slurm: {acounting: managed, settings: {AccountingStorageEnforce: limits}}\n"
        + "login: {instance_type: m7i.xlarge}\ntargets: {pcs: {}}\n",
        "SPC020",
        "did you mean `accounting`?",
    ),
    (HEAD + GROUP + "os: rhel9\n", "SPC020", "write it in `software`"),
    (HEAD + GROUP + "zone: use1-az6\n", "SPC020", "write it in `network`"),
    (
        HEAD + GROUP.replace("count: 2", "count: 2, spot: true"),
        "SPC020",
        "write capacity: spot",
    ),
    (
        HEAD + GROUP.replace("count: 2", "count: 2, kms_key: 'arn:aws:kms:us-east-1:1:key/a'"),
        "SPC020",
        "write it in `root_volume`",
    ),
    (
        HEAD + GROUP + "targets: {parallelcluster: {elastic_ip: none}}\n",
        "SPC023",
        "write false",
    ),
    (
        HEAD + GROUP + "login: {ssh_from: [10.0.0.0/8]}\n",
        "SPC022",
        "write 10.0.0.0/8, which is no list",
    ),
    (
        HEAD
        + GROUP.replace("count: 2", "count: 2, iam: {role: 'arn:aws:iam::111122223333:user/a'}"),
        "SPC024",
        "role: ARN of an existing role in place of a new one.",
    ),
    (
        HEAD + GROUP + "targets: {parallelcluster: {login_pool: {name: a}}}\n",
        "LIM111",
        "write login: {}, with a count above 0, or remove it",
    ),
    (
        HEAD + GROUP.replace("count: 2", f"count: 2, tags: {{team: {'x' * 257}}}"),
        "SPC024",
        "write at most 256",
    ),
    (
        HEAD + GROUP + "leave_out: [hook]\n",
        "SPC020",
        "it depends on the target: write it in targets, pcs: {leave_out: [...]}",
    ),
    (
        HEAD + GROUP + "login: {}\ntargets: {parallelcluster: {login_pool: {grace_time: 1m}}}\n",
        "SPC024",
        "write 3 or more",
    ),
    (
        HEAD.replace("zone:", "internet: false, zone:") + GROUP,
        "SPC023",
        "write none",
    ),
    # Nothing follows from a value that is wrong already.
    (
        f"{OUTSIDE}{GROUP}users: [{{name: ann, uid: 2001, {KEY.replace('ssh-ed25519 ', '')}}}]\n",
        "SPC024",
        "ssh_key: OpenSSH public key.",
    ),
    (
        HEAD + GROUP + "queues: [{name: train, node_groups: [h100]}]\n",
        "SPC031",
        "did you mean h200?",
    ),
    (
        HEAD
        + GROUP.replace(
            "count: 2", f"count: {{min: 4, max: 2}}, capacity: {{capacity_block: cr-{ID}}}"
        ),
        "CAP008",
        "write {min: 2, max: 4}",
    ),
    # The beginning of an id, of a path or of a place in S3.
    (
        HEAD + GROUP.replace("count: 2", f"count: 2, capacity: {{capacity_block: {ID}}}"),
        "SPC024",
        f"write cr-{ID}",
    ),
    (HEAD.replace("zone:", f"vpc: vcp-{ID}, zone:") + GROUP, "SPC023", f"write vpc-{ID}"),
    (HEAD + GROUP.replace("count: 2", "count: 2, scratch: scratch"), "SPC024", "write /scratch"),
    (
        HEAD + GROUP + "storage: [{mount: /data, type: s3, bucket: 's3:/my-bucket'}]\n"
        "targets: {eks: {}}\n",
        "SPC024",
        "write s3://my-bucket",
    ),
    # Words of other languages.
    (
        HEAD + GROUP + "queues: [{name: train, node_groups: [h200], default: 1}]\n",
        "SPC022",
        "write true",
    ),
    (HEAD + GROUP.replace("count: 2", "count: {min: O, max: 2}"), "SPC022", "write 0"),
    (HEAD.replace("version: 1", 'version: "1.0"') + GROUP, "SPC023", "write 1"),
    (HEAD + GROUP + "targets: [eks, pcs]\n", "SPC022", "write {eks: {}, pcs: {}}"),
    (
        HEAD + GROUP.replace("count: 2", "count: 2, taints: ['team=a:NoExecute']"),
        "SPC022",
        "write {key: team, value: a, effect: NoExecute}",
    ),
]


@pytest.mark.parametrize(("text", "code", "help"), MISTAKES)
def test_one_mistake_is_one_finding(text: str, code: str, help: str) -> None:
    found = check(text, target="" if "targets: {" in text else "parallelcluster").findings
    bad = [(f.code, f.help) for f in found if f.severity is not Severity.NOTE]
    assert bad == [(code, help)]


def test_each_wrong_item_of_a_list_is_one_finding() -> None:
    taints = "count: 2, taints: ['a:NoExecute', 'b:NoSchedule']"
    found = check(HEAD + GROUP.replace("count: 2", taints), target="eks").findings
    assert [f.path[-1] for f in found if f.code == "SPC022"] == [0, 1]
    assert "SPC022" in {f.code for f in found}


def test_a_mistake_below_a_misspelt_key_is_found_where_it_is() -> None:
    text = HEAD + GROUP + "storage: []\nsoftwares: {os: rhel99}\n"
    found = [(f.code, f.path) for f in check(text, target="pcs").findings]
    assert ("SPC020", ("softwares",)) in found
    assert ("SPC023", ("softwares", "os")) in found
