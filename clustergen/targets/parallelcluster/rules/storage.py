"""Storage that ParallelCluster can attach, and mount points."""

import re
from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe
from clustergen.plan.model import Ebs, Efs, FileCache, Id, Lustre, Ontap, OpenZfs, Plan, Storage
from clustergen.plan.paths import inside
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.rules import rule, warning

_STORAGE = "https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html"


@rule(
    "STG101",
    "OpenZFS without its volume",
    why="ParallelCluster mounts a volume of an OpenZFS file system, by the volume's id.",
    source=f"{_STORAGE}#SharedStorage-v3-FsxOpenZfsSettings",
    bad="storage: [{mount: /home, type: fsx-openzfs, existing: {id: fs-0123456789abcdef0}}]",
    good="""storage:
  - {mount: /home, type: fsx-openzfs,
     existing: {id: fs-0123456789abcdef0, volume_id: fsvol-0123456789abcdef0}}""",
)
def no_volume(plan: Plan) -> Iterator[Problem]:
    for item in plan.storage:
        if isinstance(item, OpenZfs) and item.volume is None:
            yield Problem(
                item.at("existing"),
                "ParallelCluster must know which volume of the file system to mount",
                help="add volume_id: fsvol-...",
            )


@rule(
    "STG102",
    "Path with a component that begins with a dot",
    why="ParallelCluster rejects such paths for storage and for scratch.",
    source="pcluster.schemas.common_schema: file_path",
    bad="storage: [{mount: /.shared, type: efs}]",
)
def hidden(plan: Plan) -> Iterator[Problem]:
    mounts = [(item.at("mount"), item.mount) for item in plan.storage]
    scratches = [(group.at("scratch"), group.scratch or "") for group in plan.node_groups]
    for path, folder in mounts + scratches:
        if "/." in folder:
            yield Problem(
                path,
                f"{folder} has a component that begins with a dot",
                help=f"write {folder.replace('/.', '/')}",
                fix=unsafe(put(path, folder.replace("/.", "/"))),
            )


@rule(
    "STG103",
    "A file cache cannot be /home",
    why="ParallelCluster rejects it: a cache does not keep files that its repository lacks.",
    source="pcluster.validators.cluster_validators: SharedFileCacheNotHomeValidator",
    bad="""storage:
  - {mount: /home, type: file-cache, existing: {id: fc-0123456789abcdef0, mount_name: abcdefgh}}""",
)
def cache_home(plan: Plan) -> Iterator[Problem]:
    for item in plan.storage:
        if isinstance(item, FileCache) and item.mount.rstrip("/") == "/home":
            yield Problem(
                item.at("mount"),
                "/home is a file cache",
                help="mount the cache elsewhere, such as /data, or use an FSx file system",
                fix=unsafe(put(item.at("mount"), "/data")),
            )


@warning(
    "STG112",
    "Snapshot of an array of volumes",
    why="ParallelCluster makes a new array and a new file system on the volumes, over what a "
    "snapshot had; and a snapshot is of one volume, not of the array.",
    source="https://github.com/aws/aws-parallelcluster-cookbook",
    bad="""storage:
  - {mount: /apps, type: ebs, size: 100GiB, raid: {level: 0, volumes: 2},
     snapshot: snap-0a1b2c3d4e5f67890}""",
    good="storage: [{mount: /apps, type: ebs, size: 100GiB, raid: {level: 0, volumes: 2}}]",
)
def raid_of_snapshot(plan: Plan) -> Iterator[Problem]:
    for item in plan.storage:
        if isinstance(item, Ebs) and item.raid and (item.snapshot or item.ends_as_snapshot):
            field = "snapshot" if item.snapshot else "on_delete"
            way = "remove raid, or the snapshot" if item.snapshot else "write on_delete: retain"
            yield Problem(
                item.at(field),
                f"{item.mount} is an array of {item.raid.volumes} volumes; a snapshot is of one",
                help=way,
            )


@warning(
    "STG104",
    "Shared storage where local NVMe is mounted",
    why="ParallelCluster mounts local NVMe at /scratch unless the spec names another place.",
    source="pcluster.validators.cluster_validators: DuplicateMountDirValidator",
    bad="storage: [{mount: /scratch, type: efs}]",
    good="storage: [{mount: /scratch, type: efs}]\nnode_groups: [{name: h200, scratch: /local}]",
)
def on_scratch(plan: Plan) -> Iterator[Problem]:
    default = [
        group.name
        for group in plan.node_groups
        if not group.scratch and any(type.disk_count for type in group.types)
    ]
    for item in plan.storage:
        if default and inside(item.mount, limits.DEFAULT_SCRATCH):
            yield Problem(
                item.at("mount"),
                f"{default[0]} has its local NVMe at {limits.DEFAULT_SCRATCH}",
                help=f"set scratch: /local on {default[0]}, or mount the storage elsewhere",
                fix=unsafe(put(item.at("mount"), "/shared/scratch")),
            )


@rule(
    "STG108",
    "Id with the wrong length",
    why="ParallelCluster checks the whole form of an id.",
    source=_STORAGE,
    bad="storage: [{mount: /work, type: efs, existing: {id: fs-0123456789ab}}]",
    good="storage: [{mount: /work, type: efs, existing: {id: fs-0123456789abcdef0}}]",
)
def id_length(plan: Plan) -> Iterator[Problem]:
    for item in plan.storage:
        field, id = _id(item)
        pattern = limits.ID_PATTERNS.get(type(item), "")
        # Another rule reports ids with the prefix of another kind.
        if isinstance(id, str) and id[:3] == pattern[:3] and not re.fullmatch(pattern, id):
            yield Problem(
                item.at("existing", field),
                f"{id} has the wrong length",
                help=f"ids have the form {pattern}",
            )


def _id(item: Storage) -> tuple[str, Id | None]:
    if isinstance(item, OpenZfs | Ontap):
        return "volume_id", item.volume
    return "id", item.id


@warning(
    "STG109",
    "One head node serves an EBS volume to many nodes",
    why="The head node exports the volume over NFS, and all nodes share its network.",
    source="pcluster.validators.cluster_validators: SharedEbsPerformanceBottleNeckValidator",
    bad="""storage: [{mount: /work, type: ebs, size: 500GiB}]
node_groups: [{name: h200, instance_type: m7i.4xlarge, count: {max: 200}}]""",
    good="""storage: [{mount: /work, type: efs}]
node_groups: [{name: h200, instance_type: m7i.4xlarge, count: {max: 200}}]""",
)
def bottleneck(plan: Plan) -> Iterator[Problem]:
    for item in plan.storage:
        if isinstance(item, Ebs) and plan.max_nodes > limits.SHARED_EBS_NODES:
            yield Problem(
                item.at("type"),
                f"{plan.max_nodes} nodes share {item.mount} through the head node",
                help="use efs, fsx-openzfs or fsx-lustre",
            )


@rule(
    "STG111",
    "File system that ParallelCluster cannot create",
    why="ParallelCluster creates file systems with some of their settings only, and FSx cannot add "
    "metadata settings later.",
    source=f"{_STORAGE}#SharedStorage-v3-FsxLustreSettings",
    bad="storage: [{mount: /home, type: efs, created_by: cluster}]",
)
def of_cluster(plan: Plan) -> Iterator[Problem]:
    for item in plan.storage:
        if not item.new_in_cluster:
            continue
        for name, what in _lacking(item):
            elastic = name == "throughput_mode"
            yield Problem(
                item.at(name),
                f"{item.mount}: ParallelCluster creates no {what}",
                help=f"write {'throughput_mode: bursting, or ' if elastic else ''}"
                "created_by: foundation",
                fix=unsafe(
                    put(item.at(name), "bursting")
                    if elastic
                    else put(item.at("created_by"), "foundation")
                ),
            )


def _lacking(item: Storage) -> Iterator[tuple[str, str]]:
    """The fields that ParallelCluster's configuration lacks, and what they would make."""
    match item:
        case Efs():
            if item.throughput_mode == "elastic":
                yield "throughput_mode", "EFS with elastic throughput"
            if item.one_zone:
                yield "one_zone", "EFS in one zone"
            if item.backup_days is not None:
                yield "backups", "EFS with a retention time of its own for backups"
        case Lustre():
            if item.storage_class == "INTELLIGENT_TIERING":
                yield "storage_class", "Lustre with intelligent tiering"
            elif item.metadata_iops is not None and not item.efa:
                yield "metadata_iops", "Lustre with metadata IOPS of its own"
            if item.efa:
                yield "efa", "Lustre that serves clients over EFA"
