"""Storage: what ParallelCluster can attach and where, and EBS volumes within its bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.catalog import ebs
from clustergen.catalog.ebs import VolumeType
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
HIDDEN = Rule(
    code="STG102",
    title="A path with a part that begins with a dot",
    why="ParallelCluster refuses such paths for storage and for scratch.",
    source="pcluster.schemas.common_schema: file_path",
    target=_TARGET,
    bad="storage: [{mount: /.shared, type: efs}]",
    good="storage: [{mount: /shared, type: efs}]",
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
    why="Types with instance store have it mounted at /scratch unless told another place.",
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
    title="An EBS volume that ParallelCluster does not know",
    why="Its bounds on size, IOPS and throughput are narrower than those of EBS have become.",
    source=_EBS,
    target=_TARGET,
    bad="storage: [{mount: /work, type: ebs, size: 500GiB, iops: 20000}]",
    good="storage: [{mount: /work, type: ebs, size: 500GiB, iops: 16000}]",
)
ID = Rule(
    code="STG108",
    title="Id of another length",
    why="ParallelCluster checks the whole form of an id.",
    source=_STORAGE,
    target=_TARGET,
    bad="storage: [{mount: /work, type: efs, existing: {id: fs-0123456789ab}}]",
    good="storage: [{mount: /work, type: efs, existing: {id: fs-0123456789abcdef0}}]",
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
RULES = (
    NO_VOLUME,
    HIDDEN,
    CACHE_HOME,
    ON_SCRATCH,
    LOGIN_VOLUME,
    ROOT_SIZE,
    VOLUME,
    ID,
    BOTTLENECK,
)


def check(plan: Plan) -> Iterator[Finding]:
    """Findings on storage and volumes."""
    for storage in plan.storage:
        yield from _attached(storage)
        yield from _hidden(storage.at("mount"), storage.mount)
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
    field, kind, id = _id(storage)
    pattern = limits.ID_PATTERNS.get(kind, "")
    # That the id is of another kind, its prefix says; here is only how long it is.
    if isinstance(id, str) and id[:3] == pattern[:3] and not re.fullmatch(pattern, id):
        yield ID.at(storage.at("existing", field), f"{id} has another length", help=f"as {pattern}")


def _id(storage: Storage) -> tuple[str, str, Id | None]:
    """The field that ParallelCluster is given, its kind of id, and the id."""
    match storage:
        case OpenZfs() | Ontap():
            return "volume_id", "volume", storage.volume
        case Lustre():
            return "id", "fsx-lustre", storage.id
        case FileCache():
            return "id", "file-cache", storage.id
        case Efs():
            return "id", "efs", storage.id
        case Ebs():
            return "id", "ebs", storage.id
    return "id", "", None


def _hidden(at: Path, mount: str) -> Iterator[Finding]:
    if "/." in mount:
        shown = mount.replace("/.", "/")
        yield HIDDEN.at(at, f"{mount} has a part that begins with a dot", help=f"as {shown}")


def _ebs(plan: Plan, storage: Ebs) -> Iterator[Finding]:
    if not storage.existing:
        yield from _bounds(storage.path, storage.volume)
    if plan.max_nodes > limits.SHARED_EBS_NODES:
        yield BOTTLENECK.at(
            storage.at("type"),
            f"{plan.max_nodes} nodes share {storage.mount} through the head node",
            help="take efs, fsx-openzfs or fsx-lustre",
        )


def _scratch(plan: Plan) -> Iterator[Finding]:
    unsaid = [g for g in plan.node_groups if not g.scratch and any(t.disk_count for t in g.types)]
    for group in plan.node_groups:
        if group.scratch:
            yield from _hidden(group.at("scratch"), group.scratch)
    for storage in plan.storage:
        if unsaid and storage.mount.rstrip("/") == limits.DEFAULT_SCRATCH:
            yield ON_SCRATCH.at(
                storage.at("mount"),
                f"{unsaid[0].name} has its local NVMe at {storage.mount}",
                help=f"set scratch: /local on {unsaid[0].name}, or mount the storage elsewhere",
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
        yield from _bounds(at, volume)
        if volume.size_gib and volume.size_gib < limits.MIN_ROOT_VOLUME_GIB and not image:
            yield ROOT_SIZE.at(
                (*at, "size"),
                f"{volume.size_gib}GiB do not hold the image of {limits.MIN_ROOT_VOLUME_GIB}GiB",
                help="write 50GiB or more, or leave it out",
            )


def _bounds(at: Path, volume: Volume) -> Iterator[Finding]:
    """What of a volume EBS has and ParallelCluster refuses; what EBS lacks is told elsewhere."""
    ours, theirs = limits.VOLUME_TYPES[volume.type], ebs.VOLUME_TYPES[volume.type]
    for field, number, most, known in (
        ("size", volume.size_gib, theirs.gib, ours.gib),
        ("iops", volume.iops, theirs.iops, _iops(volume, ours)),
        ("throughput", volume.throughput, theirs.mibps, ours.mibps),
    ):
        if number is None or not most or not known or not most[0] <= number <= most[1]:
            continue
        if not known[0] <= number <= known[1]:
            nearest = min(max(number, known[0]), known[1])
            yield VOLUME.at(
                (*at, field),
                f"ParallelCluster takes {field} {known[0]} to {known[1]}, not {number}",
                help=f"write {nearest}{'GiB' if field == 'size' else ''}",
            )


def _iops(volume: Volume, type: VolumeType) -> tuple[int, int] | None:
    """IOPS that a volume may have; one without a size has that of the official images."""
    if type.iops is None or type.iops_per_gib is None or volume.size_gib:
        return type.iops
    least, most = type.iops
    return least, max(least, min(most, limits.MIN_ROOT_VOLUME_GIB * type.iops_per_gib))
