"""What edits of a spec do to a running cluster, by target."""

from __future__ import annotations

import pytest

from clustergen.effects import KINDS, Kind, effects, worst
from tests.checking import Fragments

PC, PCS, HP = "parallelcluster", "pcs", "hyperpod-slurm"
SLURM = (PC, PCS, HP)
Answers = dict[str, Kind]


def all_slurm(kind: Kind) -> Answers:
    return dict.fromkeys(SLURM, kind)


GROUP = "node_groups: [{name: h200, %s}]\n"
STORED = "storage: [{mount: /work, type: %s}]\n"
LUSTRE = STORED % "fsx-lustre, size: 4800GiB%s"
ZFS = STORED % "fsx-openzfs, size: 1000GiB%s"
EFS = STORED % "efs%s"
EBS = STORED % "ebs, size: 500GiB%s"
EXISTING = STORED % "fsx-lustre, existing: {id: %s, mount_name: abcdefgh}"
FS_1, FS_2 = "fs-0a1b2c3d4e5f67890", "fs-0a1b2c3d4e5f67899"
LOGIN = "login: {instance_type: m7i.large%s}\n"
KEY = ", kms_key: 'arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789'"
REPOSITORY = LUSTRE % ", data_repositories: [{path: /in, s3: 's3://my-bucket/%s'%s}]"
ALLOWED = "network: {ssh_from: [203.0.113.%s/32]}\n" + LOGIN % ""
TWO = "node_groups: [{name: h200}, {name: cpu, instance_type: m7i.large, count: 2}]\n"
QUEUE = "queues: [{name: long, node_groups: [h200]%s}]\n"
SIZE = "targets: {pcs: {size: %s}}\n"

EDITS: dict[str, tuple[str, str, Answers]] = {
    "nothing": ("", "", all_slurm("none")),
    "another name": ("", "name: other", all_slurm("leftover")),
    "another name, with data": (
        LUSTRE % "",
        f"name: other\n{LUSTRE % ''}",
        all_slurm("data-at-risk"),
    ),
    "another zone": ("", "network: {zone: use1-az5}", all_slurm("refused")),
    "another address range": ("", "network: {cidr: 10.7.0.0/16}", all_slurm("refused")),
    "SSH from elsewhere": (ALLOWED % 7, ALLOWED % 8, all_slurm("in-place")),
    "a tag": (
        "",
        "tags: {cost: blue}",
        {PC: "in-place", PCS: "replaces-nodes", HP: "in-place"},
    ),
    "a larger head node": (
        "",
        "head_node: {instance_type: m7i.8xlarge}",
        {PC: "refused", PCS: "none", HP: "refused"},
    ),
    "login nodes": ("", LOGIN % "", all_slurm("in-place") | {HP: "new-nodes-only"}),
    "no login nodes": (
        LOGIN % "",
        "",
        {PC: "needs-stop", PCS: "removes-nodes", HP: "leftover"},
    ),
    "more login nodes": (LOGIN % "", LOGIN % ", count: 3", all_slurm("in-place")),
    "fewer login nodes": (
        LOGIN % ", count: 3",
        LOGIN % "",
        {PC: "in-place", PCS: "removes-nodes", HP: "removes-nodes"},
    ),
    "a node group": ("", TWO, all_slurm("in-place") | {HP: "new-nodes-only"}),
    "a node group less": (
        TWO,
        "",
        {PC: "needs-stop", PCS: "removes-nodes", HP: "leftover"},
    ),
    "another type of nodes": (
        "",
        GROUP % "instance_type: p5.48xlarge",
        {PC: "needs-stop", PCS: "refused", HP: "refused"},
    ),
    "more nodes": ("", GROUP % "count: 6", all_slurm("in-place")),
    "fewer nodes": (
        GROUP % "count: 6",
        "",
        {PC: "needs-stop", PCS: "removes-nodes", HP: "removes-nodes"},
    ),
    "more nodes than a small controller has": (
        GROUP % "count: 4",
        GROUP % "count: 40",
        {PC: "in-place", PCS: "refused", HP: "in-place"},
    ),
    # ParallelCluster accepts another minimum only with a maximum that moves as far.
    "nodes that may be fewer": (
        "",
        GROUP % "count: {min: 0, max: 2}",
        {PC: "needs-stop", PCS: "in-place"},
    ),
    "a reservation": (
        "",
        GROUP % "capacity: {reservation: cr-0a1b2c3d4e5f67890}",
        {PC: "needs-stop", PCS: "replaces-nodes"},
    ),
    "another reservation": (
        GROUP % "capacity: {reservation: cr-0a1b2c3d4e5f67890}",
        GROUP % "capacity: {reservation: cr-0a1b2c3d4e5f67899}",
        {PC: "replaces-nodes", PCS: "replaces-nodes"},
    ),
    "an image": (
        "",
        GROUP % "image: ami-0a1b2c3d4e5f67890",
        {PC: "replaces-nodes", PCS: "replaces-nodes", HP: "new-nodes-only"},
    ),
    "larger root volumes": (
        "",
        GROUP % "root_volume: {size: 700GiB}",
        {PC: "replaces-nodes", PCS: "replaces-nodes", HP: "new-nodes-only"},
    ),
    "one thread per core": (
        "",
        GROUP % "threads_per_core: 1",
        {PC: "needs-stop", PCS: "none", HP: "refused"},
    ),
    "health checks": (
        "",
        GROUP % "health_checks: [gpu]",
        {PC: "in-place", PCS: "replaces-nodes"},
    ),
    "a queue's name": (
        QUEUE % "",
        (QUEUE % "").replace("long", "train"),
        {PC: "needs-stop", PCS: "replaces-resource", HP: "in-place"},
    ),
    "a queue's limit": (
        QUEUE % "",
        QUEUE % ", time_limit: 2d",
        all_slurm("in-place") | {HP: "new-nodes-only"},
    ),
    "a script": (
        "",
        "software: {scripts: [{run: 's3://my-bucket/a.sh', on: [compute]}]}",
        {PC: "replaces-nodes", PCS: "replaces-nodes", HP: "new-nodes-only"},
    ),
    "a newer Slurm": (
        "slurm: {version: '25.05'}",
        "slurm: {version: '25.11'}",
        {PCS: "replaces-nodes"},
    ),
    "an older Slurm": ("slurm: {version: '25.11'}", "slurm: {version: '25.05'}", {PCS: "refused"}),
    "a larger controller": (SIZE % "small", SIZE % "medium", {PCS: "refused"}),
    "a file system": (
        "",
        LUSTRE % "",
        {PC: "in-place", PCS: "replaces-nodes", HP: "new-nodes-only"},
    ),
    "a file system less": (LUSTRE % "", "", all_slurm("data-at-risk")),
    "another mount point": (
        LUSTRE % "",
        (LUSTRE % "").replace("/work", "/other"),
        all_slurm("data-at-risk"),
    ),
    "another mount point of an existing file system": (
        EXISTING % FS_1,
        (EXISTING % FS_1).replace("/work", "/other"),
        {PC: "in-place", PCS: "replaces-nodes", HP: "new-nodes-only"},
    ),
    "another existing file system": (
        EXISTING % FS_1,
        EXISTING % FS_2,
        {PC: "refused", PCS: "replaces-nodes", HP: "new-nodes-only"},
    ),
    "a larger Lustre": (LUSTRE % "", (LUSTRE % "").replace("4800", "7200"), all_slurm("in-place")),
    "a smaller Lustre": ((LUSTRE % "").replace("4800", "7200"), LUSTRE % "", all_slurm("refused")),
    "a faster Lustre": (LUSTRE % "", LUSTRE % ", throughput: 500", all_slurm("in-place")),
    "a faster Lustre with EFA": (
        (LUSTRE % ", efa: true, throughput: 500").replace("4800", "9600"),
        (LUSTRE % ", efa: true, throughput: 1000").replace("4800", "9600"),
        all_slurm("refused"),
    ),
    "EFA to Lustre": (LUSTRE % "", LUSTRE % ", efa: true", all_slurm("data-at-risk")),
    "no compression of Lustre": (
        LUSTRE % "",
        LUSTRE % ", compression: none",
        all_slurm("in-place"),
    ),
    "another class of Lustre": (
        LUSTRE % "",
        LUSTRE % ", deployment: scratch-2",
        all_slurm("data-at-risk"),
    ),
    "more metadata IOPS": (
        LUSTRE % ", metadata_iops: 3000",
        LUSTRE % ", metadata_iops: 12000",
        all_slurm("in-place"),
    ),
    "fewer metadata IOPS": (
        LUSTRE % ", metadata_iops: 12000",
        LUSTRE % ", metadata_iops: 3000",
        all_slurm("refused"),
    ),
    "a key": (LUSTRE % "", LUSTRE % KEY, all_slurm("data-at-risk")),
    "a key of EFS": (EFS % "", EFS % KEY, all_slurm("data-at-risk")),
    "EFS in one zone": (EFS % "", EFS % ", one_zone: true", all_slurm("data-at-risk")),
    "EFS in another mode": (EFS % "", EFS % ", throughput_mode: bursting", all_slurm("in-place")),
    "a larger OpenZFS": (ZFS % "", (ZFS % "").replace("1000", "1100"), all_slurm("in-place")),
    "a slightly larger OpenZFS": (
        ZFS % "",
        (ZFS % "").replace("1000", "1099"),
        all_slurm("refused"),
    ),
    "no compression of OpenZFS": (ZFS % "", ZFS % ", compression: none", all_slurm("data-at-risk")),
    "backups": (ZFS % "", ZFS % ", backups: 7d", all_slurm("in-place")),
    "no protection": (LUSTRE % "", LUSTRE % ", on_delete: delete", all_slurm("data-at-risk")),
    "protection": (LUSTRE % ", on_delete: delete", LUSTRE % "", all_slurm("in-place")),
    "a repository": (LUSTRE % "", REPOSITORY % ("a", ""), all_slurm("in-place")),
    "another bucket": (REPOSITORY % ("a", ""), REPOSITORY % ("b", ""), all_slurm("refused")),
    "imports": (
        REPOSITORY % ("a", ", import: [new]"),
        REPOSITORY % ("a", ", import: [new, changed]"),
        all_slurm("in-place"),
    ),
    "a larger volume": (EBS % "", (EBS % "").replace("500", "600"), {PC: "refused"}),
    "a volume less": (EBS % "", "", {PC: "data-at-risk"}),
    "no protection of a volume": (EBS % "", EBS % ", on_delete: delete", {PC: "data-at-risk"}),
    "a user": (
        "users: [{name: ann, uid: 2001}]",
        "users: [{name: ann, uid: 2001}, {name: bob, uid: 2002}]",
        {PC: "replaces-nodes", PCS: "replaces-nodes", HP: "new-nodes-only"},
    ),
    "how queues are updated": (
        "targets: {parallelcluster: {queue_update_strategy: drain}}",
        "targets: {parallelcluster: {queue_update_strategy: terminate}}",
        {PC: "none"},
    ),
}
CASES = [(edit, target, kind) for edit, row in EDITS.items() for target, kind in row[2].items()]


@pytest.mark.parametrize(("edit", "target", "kind"), CASES)
def test_the_most_dangerous_effect(edit: str, target: str, kind: Kind) -> None:
    before, after, _ = EDITS[edit]
    made = Fragments(target)
    found = effects(made.files(before), made.files(after))
    assert worst(found) == kind, [each.text for each in found]
    assert all(each.text for each in found)


JOINED = "targets: {pcs: {cluster: pcs_%s, cluster_security_group: sg-0a1b2c3d4e5f67891}}\n"
SUBNET = "{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.20.0.0/17}"
GIVEN = (
    f"network: {{vpc: vpc-0a1b2c3d4e5f67890, cidr: 10.20.0.0/16, private_subnets: [{SUBNET}]}}\n"
)


def test_groups_move_to_another_existing_cluster() -> None:
    """Names are unique within a cluster: nothing keeps the groups from being there, and none is
    renamed."""
    made = Fragments(PCS)
    before, after = (made.files(GIVEN + JOINED % id) for id in ("0a1b2c3d4e", "0a1b2c3d4f"))
    assert worst(effects(before, after)) == "replaces-resource"


def test_groups_move_from_our_cluster_to_an_existing_one() -> None:
    made = Fragments(PCS)
    before, after = made.files(GIVEN), made.files(GIVEN + JOINED % "0a1b2c3d4e")
    found = effects(before, after)
    assert worst(found) == "replaces-resource"
    [gone] = [each for each in found if each.subject == "Cluster"]
    assert gone.text.startswith("deletes")


def test_kinds_are_ordered() -> None:
    assert KINDS[0] == worst(())
    assert KINDS.index("refused") < KINDS.index("data-at-risk")
