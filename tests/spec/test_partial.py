"""One run reports everything: what is wrong in one place hides nothing that is wrong elsewhere."""

import re

import pytest

from clustergen.base.findings import Path as SpecPath
from clustergen.base.findings import Severity
from clustergen.spec.partial import remainders
from tests.plan.features.modes import path_of
from tests.support.checking import check
from tests.support.tables import rows

HEAD = "version: 1\nname: example\nregion: us-east-1\nnetwork: {zone: use1-az6}\n"
GROUP = "node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]"
SIZE = "storage: [{mount: /fsx, type: fsx-lustre, size: 1300GiB}]"
EXISTING = "version: 1\nname: example\nregion: us-east-1\nnetwork:"
SUBNET = "subnet-0a1b2c3d4e5f67890"
OF_PLATFORM = f"""{EXISTING}
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{{id: {SUBNET}, zone: use1-az6}}]
  security_groups: [sg-0a1b2c3d4e5f67890]
{GROUP}"""
PARTS = {"GROUP": GROUP, "SIZE": SIZE, "EXISTING": EXISTING, "OF_PLATFORM": OF_PLATFORM}
Place = tuple[str, SpecPath]


def cases(table: str) -> list[tuple[str, str, list[Place]]]:
    """Specs, each with its target, if any, and code and path of what is found in it.

    HEAD is before those without a version, and `$NAME` is one of the parts.
    """
    found = []
    for text, *said in rows(table):
        target = "" if " " in said[0] else said.pop(0)
        spec = re.sub(r"\$(\w+)", lambda match: PARTS[match[1]], f"{text}\n")
        places = [(code, path_of(path)) for code, _, path in (each.partition(" ") for each in said)]
        whole = spec if spec.startswith("version:") else HEAD + spec
        found.append((whole, target, places))
    return found


def reported(text: str, target: str = "") -> list[Place]:
    """The errors and warnings of a spec that is not planned."""
    checked = check(text, target=target)
    assert not checked.plans
    return [(f.code, f.path) for f in checked.findings if f.severity is not Severity.NOTE]


SECOND_RUNS = cases("""
# The unknown key and the unknown type, in one run.
quees: []
node_groups: [{name: a, instance_type: p5en.48x, count: 1}]
    SPC020 quees | CAP001 node_groups.0.instance_type
# An item of a list that is wrong does not move the ones behind it.
$GROUP
storage:
- {mount: /bad, type: s3, bucket: my-bucket}
- {mount: /a, type: efs}
- {mount: /a/b, type: efs}
    SPC024 storage.0.bucket | STG015 storage.2.mount
# A misspelt type of storage is taken for the nearest, so the other fields are checked.
$GROUP
storage: [{mount: /fsx, type: fsx-lustr, size: 1300GiB}]
    SPC023 storage.0.type | FSX004 storage.0.size
# What another value in the place of the wrong one resolves may follow from it.
$GROUP
monitoring: {metrics: managed, dashboards: grafana-files, alerts: {email: [a@example.com]}}
    SPC023 monitoring.metrics
# What shows only when a section is complete is found, too.
node_groups: [{name: a, count: two}]
    SPC024 node_groups.0.count | SPC024 node_groups.0
version: 1
name: example
region: us-east-2
network: {zone: use1-az6}
$GROUP
$SIZE
    NET002 network.zone | FSX004 storage.0.size
version: 1
name: example
region: us-east-2
$GROUP
$SIZE
    NET003 network.zone | FSX004 storage.0.size
$GROUP
$SIZE
queues: [{name: a, node_groups: [h100, h200]}]
    SPC031 queues.0.node_groups.0 | FSX004 storage.0.size
$GROUP
$SIZE
queues: [{name: a, node_groups: [h200]}, {name: a, node_groups: [h200]}]
    SPC030 queues.1.name | FSX004 storage.0.size
$EXISTING
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  public_subnets: [subnet-0a1b2c3d4e5f67891]
$GROUP
$SIZE
    NET005 network.private_subnets | NET005 network.public_subnets | FSX004 storage.0.size
""")


@pytest.mark.parametrize(("text", "target", "expected"), SECOND_RUNS)
def test_a_second_run_has_nothing_to_do(text: str, target: str, expected: list[Place]) -> None:
    assert reported(text, target) == expected


FOLLOW_UPS = cases("""
# A node group that is wrong somewhere is still the one that queues name.
node_groups: [{name: a, instance_type: p5en.48xlarge, count: two}]
queues: [{name: q, node_groups: [a]}]
    SPC024 node_groups.0.count
node_groups: [{name: 'a b', instance_type: p5en.48xlarge, count: 2}]
queues: [{name: q, node_groups: ['a b']}]
    SPC024 node_groups.0.name
node_groups: [{instance_type: p5en.48xlarge, count: 2}]
queues: [{name: q, node_groups: [a]}]
    SPC021 node_groups.0
# Nothing follows from an unknown type, such as that it has no GPU to partition.
node_groups: [{name: a, instance_type: p5en.48x, count: 1, efa: true, mig: {1g.18gb: 7},
  scratch: /scratch}]
    CAP001 node_groups.0.instance_type
# The capacity is wrong in form, not "on-demand".
node_groups: [{name: a, instance_type: p6-b200.48xlarge, count: 9, capacity: capacity-block}]
    SPC024 node_groups.0.capacity
$EXISTING
  vpc: vpcc-1
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  public_subnets: [subnet-0a1b2c3d4e5f67891]
  security_groups: [sg-0a1b2c3d4e5f67890]
$GROUP
    SPC023 network.vpc
$EXISTING
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnt-0a1b2c3d]
$GROUP
    SPC024 network.private_subnets.0
$EXISTING
  vpc: vpc-0a1b2c3d4e5f67890
$GROUP
    NET004 network.vpc
$GROUP
queues: [{name: 'tra in', node_groups: [h200]}]
storage: [{mount: /home, type: efs}]
    hyperpod-slurm | SPC024 queues.0.name
$GROUP
storage: [{mount: /a, type: efs, throughput_mode: provisioned, throughput: 5000}]
    SPC024 storage.0.throughput
$GROUP
targets: {hyperpod-eks: {eks_cluster: x, eks_security_group: sg-0a1b2c3d}}
    hyperpod-eks | SPC023 targets.hyperpod-eks.eks_cluster
# A misspelt key is taken for the nearest one, and a text for the ARN of a cluster.
$OF_PLATFORM
targets: {hyperpod-eks: {eks_clustr: 'arn:aws:eks:us-east-1:111122223333:cluster/platform'}}
    hyperpod-eks | SPC020 targets.hyperpod-eks.eks_clustr
$OF_PLATFORM
targets: {hyperpod-eks: {cluster: 'arn:aws:eks:us-east-1:111122223333:cluster/platform'}}
    hyperpod-eks | SPC023 targets.hyperpod-eks.cluster
$OF_PLATFORM
targets: {hyperpod-eks: 'arn:aws:eks:us-east-1:111122223333:cluster/platform'}
    hyperpod-eks | SPC022 targets.hyperpod-eks
# A section of the wrong type, that the rules of the target look into.
$GROUP
targets: [pcs]
    hyperpod-eks | SPC022 targets
$GROUP
kubernetes: [1]
    eks | SPC022 kubernetes
node_groups: 3
    eks | SPC022 node_groups
""")


@pytest.mark.parametrize(("text", "target", "expected"), FOLLOW_UPS)
def test_errors_have_no_follow_up_findings(text: str, target: str, expected: list[Place]) -> None:
    assert reported(text, target) == expected


STAND_INS = [
    # What is wrong, and how many versions of the rest are checked.
    ({"nothing_like_it": 1}, ("nothing_like_it",), 1),
    ({"region": "xx-nowhere-1"}, ("region",), 2),
]


@pytest.mark.parametrize(("wrong", "place", "versions"), STAND_INS)
def test_the_rest_is_checked_again_only_with_another_stand_in(
    wrong: dict[str, object], place: SpecPath, versions: int
) -> None:
    group = {"name": "h200", "instance_type": "p5en.48xlarge", "count": 2}
    data = {"version": 1, "name": "example", "region": "us-east-1", "node_groups": [group], **wrong}
    assert len(remainders(data, [place])) == versions
