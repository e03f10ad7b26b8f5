"""What edits of a spec do to a running cluster, by target."""

from __future__ import annotations

import pytest

from clustergen.effects import KINDS, Kind, effects, worst
from tests.checking import Fragments

PC, PCS, HP = "parallelcluster", "pcs", "hyperpod-slurm"
EKS, HPE, BATCH = "eks", "hyperpod-eks", "batch"
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
DISKS = (
    STORED % "fsx-lustre, size: 6000GiB, deployment: persistent-1, storage_class: hdd, "
    "throughput: 12%s"
)
EXISTING = STORED % "fsx-lustre, existing: {id: %s, mount_name: abcdefgh}"
FS_1, FS_2 = "fs-0a1b2c3d4e5f67890", "fs-0a1b2c3d4e5f67899"
LOGIN = "login: {instance_type: m7i.large%s}\n"
KEY = ", kms_key: 'arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789'"
REPOSITORY = LUSTRE % ", data_repositories: [{path: /in, s3: 's3://my-bucket/%s'%s}]"
ALLOWED = "network: {ssh_from: [203.0.113.%s/32]}\n" + LOGIN % ""
TWO = "node_groups: [{name: h200}, {name: cpu, instance_type: m7i.large, count: 2}]\n"
QUEUE = "queues: [{name: long, node_groups: [h200]%s}]\n"
CPU = "node_groups: [{name: h200}, {name: cpu, instance_type: m7i.8xlarge, count: 2%s}]\n"
QUEUES = "queues: [{name: train, node_groups: [h200]%s}%s]\n"
PREP = ", {name: prep, node_groups: [h200]}"
PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/a"
BLOCK = "capacity: {capacity_block: cr-0a1b2c3d4e5f6789%s}"
POOL = "node_groups: [{name: h200, count: {min: 0, max: 4}%s}]\nkubernetes: {autoscaler: %s}\n"
SYSTEM = "kubernetes: {system_nodes: {%s}}"
DATABASE = (
    "slurm: {accounting: {endpoint: %s.example.com, user: slurm, "
    "secret: 'arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf'}}"
)
SIZE = "targets: {pcs: {size: %s}}\n"

EDITS: dict[str, tuple[str, str, Answers]] = {
    "nothing": ("", "", all_slurm("none")),
    "another name": ("", "name: other", all_slurm("leftover")),
    "another name, with data": (
        LUSTRE % "",
        f"name: other\n{LUSTRE % ''}",
        all_slurm("data-at-risk"),
    ),
    "another zone": (
        "",
        "network: {zone: use1-az5}",
        all_slurm("refused") | {EKS: "refused", HPE: "refused", BATCH: "refused"},
    ),
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
        {
            PC: "needs-stop",
            PCS: "refused",
            HP: "refused",
            EKS: "refused",
            HPE: "refused",
            BATCH: "replaces-nodes",
        },
    ),
    "more nodes": (
        "",
        GROUP % "count: 6",
        all_slurm("in-place") | {EKS: "in-place", HPE: "in-place", BATCH: "in-place"},
    ),
    "fewer nodes": (
        GROUP % "count: 6",
        "",
        {
            PC: "needs-stop",
            PCS: "removes-nodes",
            HP: "removes-nodes",
            EKS: "removes-nodes",
            HPE: "removes-nodes",
            BATCH: "in-place",
        },
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
        {PC: "needs-stop", PCS: "replaces-nodes", EKS: "replaces-nodes", BATCH: "replaces-nodes"},
    ),
    "another reservation": (
        GROUP % "capacity: {reservation: cr-0a1b2c3d4e5f67890}",
        GROUP % "capacity: {reservation: cr-0a1b2c3d4e5f67899}",
        {PC: "replaces-nodes", PCS: "replaces-nodes"},
    ),
    "an image": (
        "",
        GROUP % "image: ami-0a1b2c3d4e5f67890",
        {
            PC: "replaces-nodes",
            PCS: "replaces-nodes",
            HP: "new-nodes-only",
            EKS: "refused",
            HPE: "new-nodes-only",
            BATCH: "replaces-nodes",
        },
    ),
    "larger root volumes": (
        "",
        GROUP % "root_volume: {size: 700GiB}",
        {
            PC: "replaces-nodes",
            PCS: "replaces-nodes",
            HP: "new-nodes-only",
            EKS: "replaces-nodes",
            HPE: "new-nodes-only",
            BATCH: "replaces-nodes",
        },
    ),
    "one thread per core": (
        "",
        GROUP % "threads_per_core: 1",
        {
            PC: "needs-stop",
            PCS: "none",
            HP: "refused",
            EKS: "replaces-nodes",
            HPE: "refused",
            BATCH: "replaces-nodes",
        },
    ),
    # ParallelCluster switches threads off where the spec says so, also on types that have one.
    "one thread per core, of types that have one": (
        CPU % "" + "head_node: {instance_type: m8a.xlarge}",
        CPU % "" + "head_node: {instance_type: m8a.xlarge, threads_per_core: 1}",
        {PC: "refused"},
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
    "a database of accounting": ("", DATABASE % "a", {PC: "needs-stop", HP: "in-place"}),
    "another database of accounting": (
        DATABASE % "a",
        DATABASE % "b",
        {PC: "needs-stop", HP: "in-place"},
    ),
    "no database of accounting": (DATABASE % "a", "", {PC: "needs-stop", HP: "refused"}),
    "nodes without a second volume": (
        "",
        "targets: {hyperpod-slurm: {leave_out: [second-volume]}}",
        {HP: "new-nodes-only"},
    ),
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
    "more metadata IOPS while it grows": (
        LUSTRE % ", metadata_iops: 3000",
        (LUSTRE % ", metadata_iops: 12000").replace("4800", "9600"),
        all_slurm("refused"),
    ),
    "metadata IOPS that grow with the capacity": (
        LUSTRE % "",
        (LUSTRE % "").replace("4800", "9600"),
        all_slurm("in-place"),
    ),
    "a cache of hard disks": (DISKS % "", DISKS % ", drive_cache: true", all_slurm("refused")),
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
    # It stays as long as its file system does, and continues to import.
    "a repository less": (REPOSITORY % ("a", ""), LUSTRE % "", all_slurm("leftover")),
    "a repository less, of a file system without protection": (
        REPOSITORY.replace("size", "on_delete: delete, size") % ("a", ""),
        LUSTRE % ", on_delete: delete",
        all_slurm("in-place"),
    ),
    "imports": (
        REPOSITORY % ("a", ", import: [new]"),
        REPOSITORY % ("a", ", import: [new, changed]"),
        all_slurm("in-place"),
    ),
    "a larger volume": (EBS % "", (EBS % "").replace("500", "600"), {PC: "refused"}),
    "a volume less": (EBS % "", "", {PC: "data-at-risk"}),
    "no protection of a volume": (EBS % "", EBS % ", on_delete: delete", {PC: "data-at-risk"}),
    "another storage class of Lustre": (
        LUSTRE % "",
        STORED % "fsx-lustre, storage_class: intelligent-tiering, throughput: 4000",
        all_slurm("data-at-risk"),
    ),
    "OpenZFS with a standby": (
        ZFS % "",
        ZFS % ", deployment: single-az-ha-2",
        all_slurm("data-at-risk"),
    ),
    "EFS in place of OpenZFS": (ZFS % "", EFS % "", all_slurm("data-at-risk")),
    "fewer nodes, without a stop": (
        GROUP % "count: 6",
        "targets: {parallelcluster: {queue_update_strategy: terminate}}",
        {PC: "removes-nodes"},
    ),
    "other MIG partitions": (
        GROUP % "efa: false, mig: {1g.18gb: 7}",
        GROUP % "efa: false, mig: {2g.35gb: 3}",
        {EKS: "replaces-nodes"},
    ),
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
    "a label": (
        "",
        GROUP % "labels: {team: blue}",
        {EKS: "in-place", HPE: "in-place", BATCH: "replaces-nodes"},
    ),
    # Kueue rejects other tolerations of a flavor: there is a new one.
    "a taint": (
        "",
        GROUP % "taints: [{key: a, value: b, effect: NoSchedule}]",
        {EKS: "in-place", HPE: "in-place"},
    ),
    "no taint of accelerators": (
        "",
        GROUP % "accelerator_taint: false",
        {EKS: "in-place"},
    ),
    "another purchase option": (
        CPU % "",
        CPU % ", capacity: spot",
        {EKS: "refused", HPE: "refused", BATCH: "replaces-nodes"},
    ),
    "another choice of Spot": (
        CPU % ", capacity: spot, allocation: capacity-optimized",
        CPU % ", capacity: spot, allocation: lowest-price",
        {PC: "replaces-nodes", PCS: "new-nodes-only"},
    ),
    "no Spot": (CPU % ", capacity: spot", CPU % "", {EKS: "refused", HPE: "refused"}),
    "a Capacity Block": ("", GROUP % (BLOCK % 1), {EKS: "refused"}),
    "the next Capacity Block": (GROUP % (BLOCK % 1), GROUP % (BLOCK % 2), {EKS: "needs-stop"}),
    "a training plan": (
        "",
        GROUP
        % "capacity: {training_plan: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/a'}",
        {HPE: "new-nodes-only"},
    ),
    "another image": (
        GROUP % "image: ami-0a1b2c3d4e5f67890",
        GROUP % "image: ami-0a1b2c3d4e5f67891",
        {EKS: "replaces-nodes", HPE: "new-nodes-only", BATCH: "replaces-nodes"},
    ),
    "no EFA": (
        "",
        GROUP % "efa: false",
        {EKS: "replaces-nodes", HPE: "new-nodes-only", BATCH: "replaces-nodes"},
    ),
    "a group of large nodes": (
        "",
        CPU % "",
        {EKS: "in-place", HPE: "new-nodes-only", BATCH: "in-place"},
    ),
    "a node group less, with its queue": (
        CPU % "",
        "",
        {EKS: "removes-nodes", HPE: "replaces-resource", BATCH: "removes-nodes"},
    ),
    "a node group less, whose queue stays": (
        (CPU % "") + QUEUES % ("", ""),
        QUEUES % ("", ""),
        {EKS: "removes-nodes", HPE: "leftover", BATCH: "removes-nodes"},
    ),
    "a node group's name": (
        CPU % "",
        (CPU % "").replace("cpu", "other"),
        {EKS: "replaces-resource", BATCH: "removes-nodes"},
    ),
    "a priority": (
        QUEUES % (", priority: 10", ""),
        QUEUES % (", priority: 20", ""),
        {EKS: "in-place", HPE: "in-place", BATCH: "in-place"},
    ),
    "a queue": (
        QUEUES % ("", ""),
        QUEUES % ("", PREP),
        {EKS: "in-place", HPE: "in-place", BATCH: "in-place"},
    ),
    "a queue less": (
        QUEUES % ("", PREP),
        QUEUES % ("", ""),
        {EKS: "leftover", HPE: "replaces-resource", BATCH: "removes-nodes"},
    ),
    "the name of a queue of pods": (
        QUEUES % ("", ""),
        (QUEUES % ("", "")).replace("train", "other"),
        {EKS: "leftover", HPE: "replaces-resource", BATCH: "replaces-resource"},
    ),
    "a tag of pods' nodes": (
        "",
        "tags: {team: blue}",
        {EKS: "replaces-nodes", HPE: "replaces-nodes", BATCH: "replaces-nodes"},
    ),
    "the next Kubernetes": (
        "kubernetes: {version: '1.33'}",
        "kubernetes: {version: '1.34'}",
        {EKS: "replaces-nodes", HPE: "replaces-nodes"},
    ),
    "two versions at once": (
        "kubernetes: {version: '1.33'}",
        "kubernetes: {version: '1.35'}",
        {EKS: "refused", HPE: "refused"},
    ),
    "an older Kubernetes": (
        "kubernetes: {version: '1.34'}",
        "kubernetes: {version: '1.33'}",
        {EKS: "refused", HPE: "refused"},
    ),
    "another type of system nodes": (
        SYSTEM % "instance_type: m7i.xlarge",
        SYSTEM % "instance_type: m7i.2xlarge",
        {EKS: "refused", HPE: "refused"},
    ),
    "more system nodes": (
        SYSTEM % "count: 2",
        SYSTEM % "count: 3",
        {EKS: "in-place", HPE: "in-place"},
    ),
    "no Kueue": ("", "kubernetes: {admission: none}", {EKS: "leftover"}),
    "another scheduler": (
        "kubernetes: {scheduler: kai}",
        "kubernetes: {scheduler: volcano}",
        {EKS: "leftover"},
    ),
    "Karpenter": (POOL % ("", "none"), POOL % ("", "karpenter"), {EKS: "removes-nodes"}),
    "no Karpenter": (POOL % ("", "karpenter"), POOL % ("", "none"), {EKS: "replaces-resource"}),
    "a taint of Karpenter's nodes": (
        POOL % ("", "karpenter"),
        POOL % (", taints: [{key: a, value: b, effect: NoSchedule}]", "karpenter"),
        {EKS: "new-nodes-only"},
    ),
    "claims of devices": ("", "kubernetes: {devices: dra}", {EKS: "leftover"}),
    "no claims": ("kubernetes: {devices: dra}", "", {EKS: "leftover"}),
    "addresses of people": (
        "",
        "kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
        {EKS: "in-place", HPE: "in-place"},
    ),
    "another file system in a bucket's place": (
        "storage: [{mount: /a, type: s3, bucket: 's3://bucket-a'}]",
        "storage: [{mount: /a, type: s3, bucket: 's3://bucket-b'}]",
        {EKS: "refused", HPE: "refused", BATCH: "replaces-nodes"},
    ),
    "a larger Lustre for pods": (
        "storage: [{mount: /a, type: fsx-lustre, size: 4800GiB}]",
        "storage: [{mount: /a, type: fsx-lustre, size: 7200GiB}]",
        {EKS: "in-place", HPE: "in-place", BATCH: "in-place"},
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


def test_another_existing_cluster_is_no_other_name_of_ours() -> None:
    """The script has both names: that of the bundle, and that of the cluster it adds to."""
    before, after = (
        {"deploy.sh": f"region=us-east-1\ncluster=mine\neks_cluster={name}\n"} for name in "ab"
    )
    [effect] = effects(before, after)
    assert (effect.kind, effect.stays) == ("leftover", "objects in a")


def test_kinds_are_ordered() -> None:
    assert KINDS[0] == worst(())
    assert KINDS.index("refused") < KINDS.index("data-at-risk")
