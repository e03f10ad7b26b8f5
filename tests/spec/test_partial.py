"""One run reports everything: what is wrong in one place hides nothing that is wrong elsewhere."""

from __future__ import annotations

import pytest

from clustergen.findings import Path as SpecPath
from clustergen.findings import Severity
from clustergen.spec.partial import remainders
from tests.checking import check

HEAD = "version: 1\nname: example\nregion: us-east-1\nnetwork: {zone: use1-az6}\n"
GROUP = "node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]\n"
SIZE = "storage: [{mount: /fsx, type: fsx-lustre, size: 1300GiB}]\n"
WRONG_SIZE = ("FSX004", ("storage", 0, "size"))
NESTED = (
    "storage:\n"
    "- {mount: /bad, type: s3, bucket: my-bucket}\n"
    "- {mount: /a, type: efs}\n"
    "- {mount: /a/b, type: efs}\n"
)
EXISTING = "version: 1\nname: example\nregion: us-east-1\nnetwork:\n"
SUBNET, OTHER = "subnet-0a1b2c3d4e5f67890", "subnet-0a1b2c3d4e5f67891"
PLATFORM = "arn:aws:eks:us-east-1:111122223333:cluster/platform"
HYPERPOD = ("targets", "hyperpod-eks")
OF_PLATFORM = (
    EXISTING
    + f"  vpc: vpc-0a1b2c3d4e5f67890\n  private_subnets: [{{id: {SUBNET}, zone: use1-az6}}]\n"
    + "  security_groups: [sg-0a1b2c3d4e5f67890]\n"
    + GROUP
)
Place = tuple[str, SpecPath]


def reported(text: str, target: str = "") -> list[Place]:
    """The errors and warnings of a spec that is not planned."""
    checked = check(text, target=target)
    assert not checked.plans
    return [(f.code, f.path) for f in checked.findings if f.severity is not Severity.NOTE]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The unknown key and the unknown type, in one run.
        (
            HEAD + "quees: []\nnode_groups: [{name: a, instance_type: p5en.48x, count: 1}]\n",
            [("SPC020", ("quees",)), ("CAP001", ("node_groups", 0, "instance_type"))],
        ),
        # An item of a list that is wrong does not move the ones behind it.
        (
            HEAD + GROUP + NESTED,
            [("SPC024", ("storage", 0, "bucket")), ("STG015", ("storage", 2, "mount"))],
        ),
        # A misspelt type of storage is taken for the nearest, so the other fields are checked.
        (
            HEAD + GROUP + SIZE.replace("lustre", "lustr"),
            [("SPC023", ("storage", 0, "type")), WRONG_SIZE],
        ),
        # What shows only when a section is complete is found, too.
        (
            HEAD + "node_groups: [{name: a, count: two}]\n",
            [("SPC024", ("node_groups", 0, "count")), ("SPC024", ("node_groups", 0))],
        ),
        (
            "version: 1\nname: example\nregion: us-east-2\nnetwork: {zone: use1-az6}\n"
            + GROUP
            + SIZE,
            [("NET002", ("network", "zone")), WRONG_SIZE],
        ),
        (
            "version: 1\nname: example\nregion: us-east-2\n" + GROUP + SIZE,
            [("NET003", ("network", "zone")), WRONG_SIZE],
        ),
        (
            HEAD + GROUP + SIZE + "queues: [{name: a, node_groups: [h100, h200]}]\n",
            [("SPC031", ("queues", 0, "node_groups", 0)), WRONG_SIZE],
        ),
        (
            HEAD
            + GROUP
            + SIZE
            + "queues: [{name: a, node_groups: [h200]}, {name: a, node_groups: [h200]}]\n",
            [("SPC030", ("queues", 1, "name")), WRONG_SIZE],
        ),
        (
            EXISTING
            + f"  private_subnets: [{SUBNET}]\n  public_subnets: [{OTHER}]\n"
            + GROUP
            + SIZE,
            [
                ("NET005", ("network", "private_subnets")),
                ("NET005", ("network", "public_subnets")),
                WRONG_SIZE,
            ],
        ),
    ],
)
def test_a_second_run_has_nothing_to_do(text: str, expected: list[Place]) -> None:
    assert reported(text) == expected


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        # A node group that is wrong somewhere is still the one that queues name.
        (
            HEAD
            + "node_groups: [{name: a, instance_type: p5en.48xlarge, count: two}]\n"
            + "queues: [{name: q, node_groups: [a]}]\n",
            "",
            [("SPC024", ("node_groups", 0, "count"))],
        ),
        (
            HEAD
            + "node_groups: [{name: 'a b', instance_type: p5en.48xlarge, count: 2}]\n"
            + "queues: [{name: q, node_groups: ['a b']}]\n",
            "",
            [("SPC024", ("node_groups", 0, "name"))],
        ),
        (
            HEAD
            + "node_groups: [{instance_type: p5en.48xlarge, count: 2}]\n"
            + "queues: [{name: q, node_groups: [a]}]\n",
            "",
            [("SPC021", ("node_groups", 0))],
        ),
        # Nothing follows from an unknown type, such as that it has no GPU to partition.
        (
            HEAD
            + "node_groups: [{name: a, instance_type: p5en.48x, count: 1, efa: true,"
            + " mig: {1g.18gb: 7}, scratch: /scratch}]\n",
            "",
            [("CAP001", ("node_groups", 0, "instance_type"))],
        ),
        # The capacity is wrong in form, not "on-demand".
        (
            HEAD
            + "node_groups: [{name: a, instance_type: p6-b200.48xlarge, count: 9,"
            + " capacity: capacity-block}]\n",
            "",
            [("SPC024", ("node_groups", 0, "capacity"))],
        ),
        (
            EXISTING
            + f"  vpc: vpcc-1\n  private_subnets: [{SUBNET}]\n  public_subnets: [{OTHER}]\n"
            + "  security_groups: [sg-0a1b2c3d4e5f67890]\n"
            + GROUP,
            "",
            [("SPC023", ("network", "vpc"))],
        ),
        (
            EXISTING
            + "  vpc: vpc-0a1b2c3d4e5f67890\n  private_subnets: [subnt-0a1b2c3d]\n"
            + GROUP,
            "",
            [("SPC024", ("network", "private_subnets", 0))],
        ),
        (
            EXISTING + "  vpc: vpc-0a1b2c3d4e5f67890\n" + GROUP,
            "",
            [("NET004", ("network", "vpc"))],
        ),
        (
            HEAD + GROUP + "queues: [{name: 'tra in', node_groups: [h200]}]\n",
            "hyperpod-slurm",
            [("SPC024", ("queues", 0, "name"))],
        ),
        (
            HEAD
            + GROUP
            + "storage: [{mount: /a, type: efs, throughput_mode: provisioned, throughput: 5000}]",
            "",
            [("SPC024", ("storage", 0, "throughput"))],
        ),
        (
            HEAD
            + GROUP
            + "targets: {hyperpod-eks: {eks_cluster: x, eks_security_group: sg-0a1b2c3d}}\n",
            "hyperpod-eks",
            [("SPC023", ("targets", "hyperpod-eks", "eks_cluster"))],
        ),
        # A misspelt key is taken for the nearest one, and a text for the ARN of a cluster.
        *(
            (f"{OF_PLATFORM}targets: {{hyperpod-eks: {given}}}\n", "hyperpod-eks", [(code, path)])
            for given, code, path in (
                (f"{{eks_clustr: '{PLATFORM}'}}", "SPC020", (*HYPERPOD, "eks_clustr")),
                (f"{{cluster: '{PLATFORM}'}}", "SPC023", (*HYPERPOD, "cluster")),
                (f"'{PLATFORM}'", "SPC022", HYPERPOD),
            )
        ),
        # A section of the wrong type, that the rules of the target look into.
        (HEAD + GROUP + "targets: [pcs]\n", "hyperpod-eks", [("SPC022", ("targets",))]),
        (HEAD + GROUP + "kubernetes: [1]\n", "eks", [("SPC022", ("kubernetes",))]),
        (HEAD + "node_groups: 3\n", "eks", [("SPC022", ("node_groups",))]),
    ],
)
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
