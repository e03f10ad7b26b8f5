"""Storage: what ParallelCluster can attach and where, and EBS volumes within its bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import (
    Ebs,
    Efs,
    FileCache,
    Id,
    Lustre,
    Ontap,
    OpenZfs,
    Plan,
    Storage,
    Volume,
)
from clustergen.targets.parallelcluster import limits

_TARGET = "parallelcluster"
_STORAGE = "https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html"
_EBS = f"{_STORAGE}#SharedStorage-v3-EbsSettings"

NO_VOLUME = Rule(
    code="STG101",
    title="OpenZFS without its volume",
    why="ParallelCluster mounts a volume of an OpenZFS file system, by the volume's id.",
    source=f"{_STORAGE}#SharedStorage-v3-FsxOpenZfsSettings",
    target=_TARGET,
    bad="storage: [{mount: /home, type: fsx-openzfs, existing: {id: fs-0123456789abcdef0}}]",
    good="""storage:
  - mount: /home
    type: fsx-openzfs
    existing: {id: fs-0123456789abcdef0, volume_id: fsvol-0123456789abcdef0}""",
)
MOUNT = Rule(
    code="STG102",
    title="Not a folder to mount on",
    why="ParallelCluster refuses folders of the system, and parts that begin with a dot.",
    source="pcluster.validators.cluster_validators: SharedStorageMountDirValidator",
    target=_TARGET,
    bad="storage: [{mount: /mnt, type: efs}]",
    good="storage: [{mount: /mnt/efs, type: efs}]",
)
CACHE_HOME = Rule(
    code="STG103",
    title="A file cache cannot be /home",
    why="ParallelCluster refuses it: a cache forgets what its repository does not have.",
    source="pcluster.validators.cluster_validators: SharedFileCacheNotHomeValidator",
    target=_TARGET,
    bad="""storage:
  - {mount: /home, type: file-cache, existing: {id: fc-0123456789abcdef0, mount_name: abcdefgh}}""",
    good="""storage:
  - {mount: /data, type: file-cache, existing: {id: fc-0123456789abcdef0, mount_name: abcdefgh}}""",
)
ON_SCRATCH = Rule(
    code="STG104",
    title="Shared storage where local NVMe is mounted",
    why="Types with instance store have it mounted at /scratch unless told another place; both "
    "cannot be in one folder.",
    source="pcluster.validators.cluster_validators: DuplicateMountDirValidator",
    target=_TARGET,
    bad="storage: [{mount: /scratch, type: efs}]",
    good="""storage: [{mount: /scratch, type: efs}]
node_groups: [{name: h200, scratch: /local}]""",
)
LOGIN_VOLUME = Rule(
    code="STG105",
    title="Login nodes have the root volume of their image",
    why="ParallelCluster has no setting for the root volume of a login node.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/LoginNodes-v3.html",
    target=_TARGET,
    bad="login: {instance_type: m7i.xlarge, root_volume: {size: 200GiB}}",
    good="login: {instance_type: m7i.xlarge}",
)
ROOT_SIZE = Rule(
    code="STG106",
    title="Root volume smaller than the image",
    why="The official images have 45 GiB, and 50 from version 3.16.2 on.",
    source="https://github.com/aws/aws-parallelcluster/releases/tag/v3.16.2",
    target=_TARGET,
    bad="node_groups: [{name: h200, root_volume: {size: 40GiB}}]",
    good="node_groups: [{name: h200, root_volume: {size: 50GiB}}]",
)
VOLUME = Rule(
    code="STG107",
    title="Outside what ParallelCluster allows of an EBS volume",
    why="Its bounds on size, IOPS and throughput are older and narrower than those of EBS.",
    source=_EBS,
    target=_TARGET,
    bad="storage: [{mount: /work, type: ebs, size: 500GiB, iops: 20000}]",
    good="storage: [{mount: /work, type: ebs, size: 500GiB, iops: 16000}]",
)
ID = Rule(
    code="STG108",
    title="Not an id of this kind of storage",
    why="ParallelCluster checks the form of ids: a file system, a cache and a volume differ.",
    source=_STORAGE,
    target=_TARGET,
    bad="storage: [{mount: /work, type: ebs, existing: {id: fs-0123456789abcdef0}}]",
    good="storage: [{mount: /work, type: ebs, existing: {id: vol-0123456789abcdef0}}]",
)
BOTTLENECK = Rule(
    code="STG109",
    title="One head node serves an EBS volume to many nodes",
    why="The volume is exported over NFS by the head node, whose network all of them share.",
    source="pcluster.validators.cluster_validators: SharedEbsPerformanceBottleNeckValidator",
    severity=Severity.WARNING,
    target=_TARGET,
    bad="""storage: [{mount: /work, type: ebs, size: 500GiB}]
node_groups: [{name: h200, instance_type: m7i.4xlarge, count: {max: 200}}]""",
    good="""storage: [{mount: /work, type: efs}]
node_groups: [{name: h200, instance_type: m7i.4xlarge, count: {max: 200}}]""",
)
EBS_BACKUPS = Rule(
    code="STG110",
    title="ParallelCluster makes no backups of EBS volumes",
    why="Snapshots by a schedule are the work of Data Lifecycle Manager or AWS Backup.",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/snapshot-lifecycle.html",
    target=_TARGET,
    bad="storage: [{mount: /work, type: ebs, size: 500GiB, backups: 7d}]",
    good="storage: [{mount: /work, type: ebs, size: 500GiB}]",
)
RULES = (
    NO_VOLUME,
    MOUNT,
    CACHE_HOME,
    ON_SCRATCH,
    LOGIN_VOLUME,
    ROOT_SIZE,
    VOLUME,
    ID,
    BOTTLENECK,
    EBS_BACKUPS,
)


def check(plan: Plan) -> Iterator[Finding]:
    """Findings on storage and volumes."""
    for storage in plan.storage:
        yield from _attached(storage)
        yield from _mount(storage.at("mount"), storage.mount)
        if isinstance(storage, Ebs):
            yield from _ebs(plan, storage)
    yield from _scratch(plan)
    yield from _root_volumes(plan)


def _attached(storage: Storage) -> Iterator[Finding]:
    if isinstance(storage, OpenZfs) and storage.volume is None:
        yield NO_VOLUME.at(
            storage.at("existing"), "which volume of it?", help="add volume_id: fsvol-..."
        )
    if isinstance(storage, FileCache) and storage.mount.rstrip("/") == "/home":
        yield CACHE_HOME.at(storage.at("mount"), "/home is a file cache", help="as /data, or FSx")
    for field, kind, id in _ids(storage):
        pattern = limits.ID_PATTERNS[kind]
        if isinstance(id, str) and not re.fullmatch(pattern, id):
            yield ID.at(
                storage.at("existing", field),
                f"{id} is not the id of a {kind}",
                help=f"as {pattern}",
            )


def _ids(storage: Storage) -> Iterator[tuple[str, str, Id | None]]:
    match storage:
        case OpenZfs() | Ontap():
            yield "volume_id", "volume", storage.volume
        case Lustre():
            yield "id", "fsx-lustre", storage.id
        case FileCache():
            yield "id", "file-cache", storage.id
        case Efs():
            yield "id", "efs", storage.id
        case Ebs():
            yield "id", "ebs", storage.id


def _mount(at: Path, mount: str) -> Iterator[Finding]:
    if mount.rstrip("/") in limits.RESERVED_MOUNTS:
        yield MOUNT.at(
            at, f"{mount} is a folder of the system", help=f"take {mount.rstrip('/')}/shared"
        )
    elif not re.fullmatch(limits.MOUNT_PATTERN, mount):
        yield MOUNT.at(at, f"{mount!r} is not a path that can be mounted on", help="as /data/x")


def _ebs(plan: Plan, storage: Ebs) -> Iterator[Finding]:
    if not storage.existing:
        size = storage.volume.size_gib or limits.EBS_DEFAULT_SIZE_GIB
        yield from _bounds(storage.path, _Bounded(storage.volume, size))
    if storage.backup_days is not None:
        yield EBS_BACKUPS.at(
            storage.at("backups"),
            f"{storage.mount} is an EBS volume",
            help="leave it out, and schedule snapshots with Data Lifecycle Manager",
        )
    if plan.max_nodes > limits.SHARED_EBS_NODES:
        yield BOTTLENECK.at(
            storage.at("type"),
            f"{plan.max_nodes} nodes share {storage.mount} through the head node",
            help="take efs, fsx-openzfs or fsx-lustre",
        )


def _scratch(plan: Plan) -> Iterator[Finding]:
    local = {
        group.scratch or limits.DEFAULT_SCRATCH: group
        for group in plan.node_groups
        if any(type.disk_count for type in group.types)
    }
    for group in plan.node_groups:
        if group.scratch:
            yield from _mount(group.at("scratch"), group.scratch)
    for storage in plan.storage:
        if storage.mount.rstrip("/") in local:
            group = local[storage.mount.rstrip("/")]
            yield ON_SCRATCH.at(
                storage.at("mount"),
                f"{group.name} has its local NVMe at {storage.mount}",
                help=f"set scratch: /local on {group.name}, or mount the storage elsewhere",
            )


def _root_volumes(plan: Plan) -> Iterator[Finding]:
    if plan.wrote("login", "root_volume"):
        yield LOGIN_VOLUME.at(
            ("login", "root_volume"),
            "login nodes keep the root volume of their image",
            help="leave it out, or build an image with the volume that you want",
        )
    nodes = [(plan.head.path, plan.head.volume, plan.head.image)] if plan.head else []
    nodes += [(group.path, group.volume, group.image) for group in plan.node_groups]
    for path, volume, image in nodes:
        at = (*path, "root_volume")
        yield from _bounds(at, _Bounded(volume, volume.size_gib or limits.MIN_ROOT_VOLUME_GIB))
        if volume.size_gib and volume.size_gib < limits.MIN_ROOT_VOLUME_GIB and not image:
            yield ROOT_SIZE.at(
                (*at, "size"),
                f"{volume.size_gib}GiB do not hold the image of {limits.MIN_ROOT_VOLUME_GIB}GiB",
                help="write 50GiB or more, or leave it out",
            )


@dataclass(frozen=True, slots=True)
class _Bounded:
    """A volume with the size it will have."""

    volume: Volume
    size_gib: int


def _bounds(at: Path, bounded: _Bounded) -> Iterator[Finding]:
    """Size, IOPS and throughput of a volume at ``at`` against ParallelCluster's bounds."""
    volume, size = bounded.volume, bounded.size_gib
    least, most = limits.EBS_SIZE_GIB[volume.type]
    if volume.size_gib and not least <= volume.size_gib <= most:
        yield VOLUME.at(
            (*at, "size"),
            f"a {volume.type} volume has {least} to {most} GiB, not {volume.size_gib}",
            help=f"write {min(max(volume.size_gib, least), most)}GiB",
        )
    if volume.iops is not None:
        yield from _iops(at, volume, volume.iops, size)
    if volume.throughput is not None:
        yield from _throughput(at, volume, volume.throughput)


def _iops(at: Path, volume: Volume, iops: int, size: int) -> Iterator[Finding]:
    if volume.type not in limits.EBS_IOPS:
        yield VOLUME.at((*at, "iops"), f"{volume.type} has no IOPS to choose", help="leave it out")
        return
    least, most = limits.EBS_IOPS[volume.type]
    most = max(least, min(most, size * limits.EBS_IOPS_PER_GIB[volume.type]))
    if not least <= iops <= most:
        yield VOLUME.at(
            (*at, "iops"),
            f"a {volume.type} volume of {size} GiB has {least} to {most} IOPS, not {iops}",
            help=f"write {min(max(iops, least), most)}",
        )


def _throughput(at: Path, volume: Volume, throughput: int) -> Iterator[Finding]:
    if volume.type != "gp3":
        yield VOLUME.at(
            (*at, "throughput"), f"{volume.type} has no throughput to choose", help="leave it out"
        )
        return
    least, most = limits.GP3_THROUGHPUT
    iops = volume.iops or limits.EBS_DEFAULT_IOPS["gp3"]
    most = min(most, int(iops * limits.GP3_THROUGHPUT_PER_IOPS))
    if not least <= throughput <= most:
        yield VOLUME.at(
            (*at, "throughput"),
            f"gp3 with {iops} IOPS has {least} to {most} MiB/s, not {throughput}",
            help=f"write {min(max(throughput, least), most)}, or more iops",
        )
