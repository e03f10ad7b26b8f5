"""What edits of a spec do to a running cluster, by target."""

import pytest

from clustergen.bundle.effects import KINDS, Kind, effects, worst
from tests.support.checking import Fragments
from tests.support.tables import flow

TARGETS = flow("""
{PC: parallelcluster, PCS: pcs, HP: hyperpod-slurm, EKS: eks, HPE: hyperpod-eks, BATCH: batch}
""")
GROUP = "node_groups: [{name: h200, %s}]\n"
STORED = "storage: [{mount: /work, type: %s}]\n"
LUSTRE = STORED % "fsx-lustre, size: 4800GiB%s"
ZFS = STORED % "fsx-openzfs, size: 1000GiB%s"
SMALL = STORED % "fsx-openzfs, size: %sGiB"
EFS = STORED % "efs%s"
EBS = STORED % "ebs, size: 500GiB%s"
DISKS = (
    STORED % "fsx-lustre, size: 6000GiB, deployment: persistent-1, storage_class: hdd, "
    "throughput: 12%s"
)
EXISTING = STORED % "fsx-lustre, existing: {id: %s, mount_name: abcdefgh}"
FS_1, FS_2 = "fs-0a1b2c3d4e5f67890", "fs-0a1b2c3d4e5f67899"
LOGIN = "login: {instance_type: m7i.large%s}\n"
REPOSITORY = LUSTRE % ", data_repositories: [{path: /in, s3: 's3://my-bucket/%s'%s}]"
ALLOWED = "network: {ssh_from: [203.0.113.%s/32]}\n" + LOGIN % ""
TWO = "node_groups: [{name: h200}, {name: cpu, instance_type: m7i.large, count: 2}]\n"
QUEUE = "queues: [{name: long, node_groups: [h200]%s}]\n"
CPU = "node_groups: [{name: h200}, {name: cpu, instance_type: m7i.8xlarge, count: 2%s}]\n"
QUEUES = "queues: [{name: train, node_groups: [h200]%s}%s]\n"
TRAIN, PREP = QUEUES % ("", ""), QUEUES % ("", ", {name: prep, node_groups: [h200]}")
PLAN = "capacity: {training_plan: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/a'}"
TAINT = "taints: [{key: a, value: b, effect: NoSchedule}]"
HEAD = "head_node: {instance_type: %s}"
SLURM, KUBERNETES = "slurm: {version: '%s'}", "kubernetes: {version: '%s'}"
BLOCK = "capacity: {capacity_block: cr-0a1b2c3d4e5f6789%s}"
POOL = "node_groups: [{name: h200, count: {min: 0, max: 4}%s}]\nkubernetes: {autoscaler: %s}\n"
SYSTEM = "kubernetes: {system_nodes: {%s}}"
DATABASE = (
    "slurm: {accounting: {endpoint: %s.example.com, user: slurm, "
    "secret: 'arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf'}}"
)
SIZE = "targets: {pcs: {size: %s}}\n"
TIERED = STORED % "fsx-lustre, storage_class: intelligent-tiering, throughput: 4000"
LARGER = LUSTRE.replace("4800", "9600")
FAST = LARGER % ", efa: true, throughput: %s"
IOPS = LUSTRE % ", metadata_iops: %s"
IMPORTS = REPOSITORY % ("a", ", import: [%s]")
USERS = "users: [{name: ann, uid: 2001}%s]"
HELD = GROUP % "capacity: {reservation: cr-0a1b2c3d4e5f6789%s}"
IMAGE = GROUP % "image: ami-0a1b2c3d4e5f6789%s"
LEFT_OUT = "targets: {hyperpod-slurm: {leave_out: [second-volume]}}"
MOVED = (EXISTING % FS_1).replace("/work", "/other")
UPDATE = "targets: {parallelcluster: {queue_update_strategy: %s}}"
MIG = GROUP % "efa: false, mig: {%s}"
BUCKET = "storage: [{mount: /a, type: s3, bucket: 's3://bucket-%s'}]"
SPOT = CPU % ", capacity: spot, allocation: %s"
TYPE = "instance_type: m7i.xlarge"

JOINED = "targets: {pcs: {cluster: pcs_%s, cluster_security_group: sg-0a1b2c3d4e5f67891}}\n"
SUBNET = "{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.20.0.0/17}"
GIVEN = (
    f"network: {{vpc: vpc-0a1b2c3d4e5f67890, cidr: 10.20.0.0/16, private_subnets: [{SUBNET}]}}\n"
)
TO = GIVEN + JOINED

# By what they do, and on which targets: edits, from one fragment to another.
EDITS: dict[str, dict[str, tuple[str, str]]] = {
    "none: PC PCS HP": {"nothing": ("", "")},
    "leftover: PC PCS HP": {
        "another name": ("", "name: other"),
        # It stays as long as its file system does, and continues to import.
        "a repository less": (REPOSITORY % ("a", ""), LUSTRE % ""),
    },
    "data-at-risk: PC PCS HP": {
        "another storage class of Lustre": (LUSTRE % "", TIERED),
        "OpenZFS with a standby": (ZFS % "", ZFS % ", deployment: single-az-ha-2"),
        "EFS in place of OpenZFS": (ZFS % "", EFS % ""),
    },
    "refused: PC PCS HP EKS HPE BATCH": {"another zone": ("", "network: {zone: use1-az5}")},
    "refused: PC PCS HP": {
        "another address range": ("", "network: {cidr: 10.7.0.0/16}"),
        "a smaller Lustre": ((LUSTRE % "").replace("4800", "7200"), LUSTRE % ""),
        "a faster Lustre with EFA": (FAST % 500, FAST % 1000),
        "more metadata IOPS while it grows": (IOPS % 3000, LARGER % ", metadata_iops: 12000"),
        "a cache of hard disks": (DISKS % "", DISKS % ", drive_cache: true"),
        "fewer metadata IOPS": (IOPS % 12000, IOPS % 3000),
        "a slightly larger OpenZFS": (ZFS % "", (ZFS % "").replace("1000", "1099")),
        "another bucket": (REPOSITORY % ("a", ""), REPOSITORY % ("b", "")),
    },
    "in-place: PC PCS HP": {
        "SSH from elsewhere": (ALLOWED % 7, ALLOWED % 8),
        "more login nodes": (LOGIN % "", LOGIN % ", count: 3"),
        "a larger Lustre": (LUSTRE % "", (LUSTRE % "").replace("4800", "7200")),
        "a faster Lustre": (LUSTRE % "", LUSTRE % ", throughput: 500"),
        "no compression of Lustre": (LUSTRE % "", LUSTRE % ", compression: none"),
        "more metadata IOPS": (IOPS % 3000, IOPS % 12000),
        "metadata IOPS that grow with the capacity": (LUSTRE % "", LARGER % ""),
        "EFS in another mode": (EFS % "", EFS % ", throughput_mode: bursting"),
        "a larger OpenZFS": (ZFS % "", (ZFS % "").replace("1000", "1100")),
        "a small OpenZFS that grows by 10 %": (SMALL % 100, SMALL % 110),
        "backups": (ZFS % "", ZFS % ", backups: 7d"),
        "protection": (LUSTRE % ", on_delete: delete", LUSTRE % ""),
        "a repository": (LUSTRE % "", REPOSITORY % ("a", "")),
        "a repository less, of a file system without protection": (
            REPOSITORY.replace("size", "on_delete: delete, size") % ("a", ""),
            LUSTRE % ", on_delete: delete",
        ),
        "imports": (IMPORTS % "new", IMPORTS % "new, changed"),
        "a user": (USERS % "", USERS % ", {name: bob, uid: 2002}"),
    },
    "in-place: PC HP, replaces-nodes: PCS": {"a tag": ("", "tags: {cost: blue}")},
    "refused: PC HP, none: PCS": {"a larger head node": ("", HEAD % "m7i.8xlarge")},
    "in-place: PC PCS, new-nodes-only: HP": {
        "login nodes": ("", LOGIN % ""),
        "a node group": ("", TWO),
        "a queue's limit": (QUEUE % "", QUEUE % ", time_limit: 2d"),
    },
    "needs-stop: PC, removes-nodes: PCS, leftover: HP": {"a node group less": (TWO, "")},
    "needs-stop: PC, ends-sessions: PCS, leftover: HP": {"no login nodes": (LOGIN % "", "")},
    "ends-sessions: PC PCS HP": {"fewer login nodes": (LOGIN % ", count: 3", LOGIN % "")},
    "needs-stop: PC, refused: PCS HP EKS HPE, replaces-nodes: BATCH": {
        "another type of nodes": ("", GROUP % "instance_type: p5.48xlarge")
    },
    "in-place: PC PCS HP EKS HPE BATCH": {"more nodes": ("", GROUP % "count: 6")},
    "needs-stop: PC, removes-nodes: PCS HP EKS HPE, in-place: BATCH": {
        "fewer nodes": (GROUP % "count: 6", "")
    },
    "in-place: PC HP, refused: PCS": {
        "more nodes than a small controller has": (GROUP % "count: 4", GROUP % "count: 40")
    },
    "needs-stop: PC, in-place: PCS": {
        # ParallelCluster accepts another minimum only with a maximum that moves as far.
        "nodes that may be fewer": ("", GROUP % "count: {min: 0, max: 2}")
    },
    "needs-stop: PC, replaces-nodes: PCS EKS BATCH": {"a reservation": ("", HELD % 0)},
    "replaces-nodes: PC PCS": {"another reservation": (HELD % 0, HELD % 9)},
    "replaces-nodes: PC PCS BATCH, new-nodes-only: HP HPE, refused: EKS": {
        "an image": ("", IMAGE % 0)
    },
    "replaces-nodes: PC PCS EKS BATCH, new-nodes-only: HP HPE": {
        "larger root volumes": ("", GROUP % "root_volume: {size: 700GiB}")
    },
    "needs-stop: PC, none: PCS, refused: HP HPE, replaces-nodes: EKS BATCH": {
        "one thread per core": ("", GROUP % "threads_per_core: 1")
    },
    "refused: PC": {
        # ParallelCluster switches threads off where the spec says so, also on types that have one.
        "one thread per core, of types that have one": (
            CPU % "" + HEAD % "m8a.xlarge",
            CPU % "" + HEAD % "m8a.xlarge, threads_per_core: 1",
        ),
        "a larger volume": (EBS % "", (EBS % "").replace("500", "600")),
    },
    "in-place: PC, replaces-nodes: PCS": {"health checks": ("", GROUP % "health_checks: [gpu]")},
    "needs-stop: PC, replaces-resource: PCS, in-place: HP": {
        "a queue's name": (QUEUE % "", (QUEUE % "").replace("long", "train"))
    },
    "replaces-nodes: PC PCS, new-nodes-only: HP": {
        "a script": ("", "software: {scripts: [{run: 's3://my-bucket/a.sh', on: [compute]}]}")
    },
    "replaces-resource: PCS": {
        # Nothing keeps groups of these names from being there, and none is renamed.
        "another existing cluster": (TO % "0a1b2c3d4e", TO % "0a1b2c3d4f")
    },
    "replaces-nodes: PCS": {"a newer Slurm": (SLURM % "25.05", SLURM % "25.11")},
    "refused: PCS": {
        "an older Slurm": (SLURM % "25.11", SLURM % "25.05"),
        "a larger controller": (SIZE % "small", SIZE % "medium"),
    },
    "needs-stop: PC, refused: HP": {
        # The controller gets a role of its own, which HyperPod cannot change.
        "a database of accounting": ("", DATABASE % "a"),
        "no database of accounting": (DATABASE % "a", ""),
    },
    "needs-stop: PC, in-place: HP": {
        "another database of accounting": (DATABASE % "a", DATABASE % "b")
    },
    "new-nodes-only: HP": {"nodes without a second volume": ("", LEFT_OUT)},
    "in-place: PC, replaces-nodes: PCS, new-nodes-only: HP": {
        "a file system": ("", LUSTRE % ""),
        "another mount point of an existing file system": (EXISTING % FS_1, MOVED),
    },
    "refused: PC, replaces-nodes: PCS, new-nodes-only: HP": {
        "another existing file system": (EXISTING % FS_1, EXISTING % FS_2)
    },
    "data-at-risk: PC": {
        "a volume less": (EBS % "", ""),
        "no protection of a volume": (EBS % "", EBS % ", on_delete: delete"),
    },
    "removes-nodes: PC": {
        "fewer nodes, without a stop": (GROUP % "count: 6", UPDATE % "terminate")
    },
    "replaces-nodes: EKS": {"other MIG partitions": (MIG % "1g.18gb: 7", MIG % "2g.35gb: 3")},
    "none: PC": {"how queues are updated": (UPDATE % "drain", UPDATE % "terminate")},
    "in-place: EKS HPE, replaces-nodes: BATCH": {"a label": ("", GROUP % "labels: {team: blue}")},
    "in-place: EKS HPE": {
        # Kueue rejects other tolerations of a flavor: there is a new one.
        "a taint": ("", GROUP % TAINT),
        "more system nodes": (SYSTEM % "count: 2", SYSTEM % "count: 3"),
        "addresses of people": ("", "kubernetes: {public_endpoint_from: [203.0.113.0/24]}"),
    },
    "in-place: EKS": {"no taint of accelerators": ("", GROUP % "accelerator_taint: false")},
    "refused: EKS HPE, replaces-nodes: BATCH": {
        "another purchase option": (CPU % "", CPU % ", capacity: spot"),
        "another file system in a bucket's place": (BUCKET % "a", BUCKET % "b"),
    },
    "replaces-nodes: PC, new-nodes-only: PCS": {
        "another choice of Spot": (SPOT % "capacity-optimized", SPOT % "lowest-price")
    },
    "refused: EKS HPE": {
        "no Spot": (CPU % ", capacity: spot", CPU % ""),
        "two versions at once": (KUBERNETES % 1.33, KUBERNETES % 1.35),
        "an older Kubernetes": (KUBERNETES % 1.34, KUBERNETES % 1.33),
        "another type of system nodes": (SYSTEM % TYPE, SYSTEM % TYPE.replace("xl", "2xl")),
    },
    "refused: EKS": {"a Capacity Block": ("", GROUP % (BLOCK % 1))},
    "needs-stop: EKS": {"the next Capacity Block": (GROUP % (BLOCK % 1), GROUP % (BLOCK % 2))},
    "new-nodes-only: HPE": {"a training plan": ("", GROUP % PLAN)},
    "replaces-nodes: EKS BATCH, new-nodes-only: HPE": {"another image": (IMAGE % 0, IMAGE % 1)},
    "replaces-nodes: EKS BATCH, none: HPE": {
        # HyperPod attaches EFA anyway.
        "no EFA": ("", GROUP % "efa: false")
    },
    "in-place: EKS BATCH, new-nodes-only: HPE": {"a group of large nodes": ("", CPU % "")},
    "removes-nodes: EKS BATCH, leftover: HPE": {
        "a node group less, whose queue stays": (CPU % "" + TRAIN, TRAIN)
    },
    "replaces-resource: EKS, removes-nodes: BATCH": {
        "a node group's name": (CPU % "", (CPU % "").replace("cpu", "other"))
    },
    "in-place: EKS HPE BATCH": {
        "a priority": (QUEUES % (", priority: 10", ""), QUEUES % (", priority: 20", "")),
        "a queue": (TRAIN, PREP),
        "a larger Lustre for pods": (LUSTRE % "", (LUSTRE % "").replace("4800", "7200")),
    },
    "replaces-resource: EKS HPE, removes-nodes: BATCH": {
        "a queue less": (PREP, TRAIN),
        "a node group less, with its queue": (CPU % "", ""),
    },
    "replaces-resource: EKS HPE BATCH": {
        "the name of a queue of pods": (TRAIN, TRAIN.replace("train", "other"))
    },
    "replaces-nodes: EKS HPE BATCH": {"a tag of pods' nodes": ("", "tags: {team: blue}")},
    "replaces-nodes: EKS HPE": {"the next Kubernetes": (KUBERNETES % 1.33, KUBERNETES % 1.34)},
    "leftover: EKS": {
        "another scheduler": ("kubernetes: {scheduler: kai}", "kubernetes: {scheduler: volcano}"),
        "claims of devices": ("", "kubernetes: {devices: dra}"),
        "no claims": ("kubernetes: {devices: dra}", ""),
    },
    "removes-nodes: EKS": {"Karpenter": (POOL % ("", "none"), POOL % ("", "karpenter"))},
    "replaces-resource: EKS": {
        "no Karpenter": (POOL % ("", "karpenter"), POOL % ("", "none")),
        "no Kueue": ("", "kubernetes: {admission: none}"),
    },
    "new-nodes-only: EKS": {
        "a taint of Karpenter's nodes": (
            POOL % ("", "karpenter"),
            POOL % (f", {TAINT}", "karpenter"),
        )
    },
}
# Each answer to an edit on one of its targets, by the length of its name; the others are repeated.
CASES = [
    pytest.param(
        *(before, after, TARGETS[name], kind),
        id=f"{edit}-{TARGETS[name]}-{kind}",
        marks=[pytest.mark.repeated()] * ((number - len(edit)) % len(names.split()) > 0),
    )
    for answers, edits in EDITS.items()
    for kind, _, names in (answer.partition(": ") for answer in answers.split(", "))
    for number, name in enumerate(names.split())
    for edit, (before, after) in edits.items()
]


@pytest.mark.parametrize(("before", "after", "target", "kind"), CASES)
def test_the_most_dangerous_effect(before: str, after: str, target: str, kind: Kind) -> None:
    made = Fragments(target)
    found = effects(made.files(before), made.files(after))
    assert worst(found) == kind, [each.text for each in found]
    assert all(each.text for each in found)


def test_groups_move_from_our_cluster_to_an_existing_one() -> None:
    made = Fragments("pcs")
    before, after = made.files(GIVEN), made.files(GIVEN + JOINED % "0a1b2c3d4e")
    found = effects(before, after)
    assert worst(found) == "replaces-resource"
    [gone] = [each for each in found if each.subject == "Cluster"]
    assert gone.text.startswith("deletes")


def test_another_existing_cluster_is_no_other_name_of_ours() -> None:
    """The bundle has both names: its own, and that of the cluster it adds to."""
    arn = "arn:aws:eks:us-east-1:111122223333:cluster"
    option = "targets: {hyperpod-eks: {eks_cluster: '%s/%s'}}\n"
    before, after = (
        {"bundle.json": Fragments("hyperpod-eks").files(option % (arn, name))["bundle.json"]}
        for name in "ab"
    )
    [effect] = effects(before, after)
    assert (effect.kind, effect.stays) == ("leftover", "objects in a")


def test_kinds_are_ordered() -> None:
    assert KINDS[0] == worst(())
    assert KINDS.index("refused") < KINDS.index("data-at-risk")
