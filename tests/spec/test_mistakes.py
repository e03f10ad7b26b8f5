"""One mistake of a tired user is one finding, with what to write instead."""

import re

import pytest

from clustergen.base.findings import Severity
from tests.support.checking import check
from tests.support.tables import rows

HEAD = "version: 1\nname: example\nregion: us-east-1\nnetwork: {zone: use1-az6}\n"
GROUP = "node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]\n"


def mistakes(table: str) -> list[tuple[str, ...]]:
    """Rows of a spec, code and help; a spec without head or node groups has the usual ones."""
    found = []
    for text, *said in rows(table):
        head = "" if re.search("^version:", text, re.MULTILINE) else HEAD
        group = "" if "node_groups: [{" in text else GROUP
        found.append((f"{head}{group}{text}\n", *said))
    return found


MISTAKES = [
    *mistakes("""
# A misspelt key is the key that was meant: it is not missing, and its value counts.
node_groups: [{name: h200, instance_type: p5en.48xlarge, counts: 2}]
    SPC020 | did you mean `count`?
version: 1
Name: example
region: us-east-1
network: {zone: use1-az6}
    SPC020 | did you mean `name`?
slurm: {acounting: managed, settings: {AccountingStorageEnforce: limits}}
storage: [{mount: /home, type: efs}]
login: {instance_type: m7i.xlarge}
targets: {pcs: {}}
    SPC020 | did you mean `accounting`?
os: rhel9
    SPC020 | write it in `software`
zone: use1-az6
    SPC020 | write it in `network`
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2, spot: true}]
    SPC020 | write capacity: spot
queues: [{name: train, node_groups: [h200], quota: 2}]
    SPC020 | a queue has all of its node groups: change count there
queues: [{name: train, node_groups: [h200], share: 2}]
    SPC020 | write fair_share in slurm.accounts, for a team
queues: [{name: train, node_groups: [h200], fair_share: 2}]
    SPC020 | write it in slurm.accounts, for a team
queues: [{name: train, node_groups: [h200], weight: 2}]
    SPC020 | write priority; or fair_share in slurm.accounts, for a team
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2,
  kms_key: 'arn:aws:kms:us-east-1:111122223333:alias/a'}]
    SPC020 | write it in `root_volume`
node_groups: [{name: h200, instance_type: [p5.48xlarge, p5en.48xlarge], count: 2}]
    SPC022 | write instance_types: a list
targets: {parallelcluster: {elastic_ip: none}}
    SPC023 | write false
login: {ssh_from: [10.0.0.0/8]}
    SPC022 | write 10.0.0.0/8, which is no list
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2,
  iam: {role: 'arn:aws:iam::111122223333:user/a'}}]
    SPC024 | role: ARN of an existing role in place of a new one.
targets: {parallelcluster: {login_pool: {name: a}}}
    LIM111 | write login: {}, with a count above 0, or remove it
leave_out: [hook]
    SPC020 | it depends on the target: write it in targets, pcs: {leave_out: [...]}
login: {}
targets: {parallelcluster: {login_pool: {grace_time: 1m}}}
    SPC024 | write 3 or more
version: 1
name: example
region: us-east-1
network: {internet: false, zone: use1-az6}
    SPC023 | write none
# Nothing follows from a value that is wrong already.
version: 1
name: example
region: us-east-1
network: {ssh_from: [203.0.113.0/24], zone: use1-az6}
users: [{name: ann, uid: 2001, ssh_key: AAAA ann}]
    SPC024 | ssh_key: OpenSSH public key.
queues: [{name: train, node_groups: [h100]}]
    SPC031 | did you mean h200?
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: {min: 4, max: 2},
  capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]
    CAP008 | write {min: 2, max: 4}
# The beginning of an id, of a path or of a place in S3.
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2,
  capacity: {capacity_block: 0a1b2c3d4e5f67890}}]
    SPC024 | write cr-0a1b2c3d4e5f67890
version: 1
name: example
region: us-east-1
network: {vpc: vcp-0a1b2c3d4e5f67890, zone: use1-az6}
    SPC023 | write vpc-0a1b2c3d4e5f67890
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2, scratch: scratch}]
    SPC024 | write /scratch
storage: [{mount: /data, type: s3, bucket: 's3:/my-bucket'}]
targets: {eks: {}}
    SPC024 | write s3://my-bucket
# Words of other languages.
queues: [{name: train, node_groups: [h200], default: 1}]
    SPC022 | write true
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: {min: O, max: 2}}]
    SPC022 | write 0
version: "1.0"
name: example
region: us-east-1
network: {zone: use1-az6}
    SPC023 | write 1
targets: [eks, pcs]
    SPC022 | write {eks: {}, pcs: {}}
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2, taints: ['team=a:NoExecute']}]
    SPC022 | write {key: team, value: a, effect: NoExecute}
"""),
    (
        HEAD + GROUP.replace("count: 2", f"count: 2, tags: {{team: {'x' * 257}}}"),
        "SPC024",
        "write at most 256",
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
