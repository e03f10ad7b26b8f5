"""FSx for Lustre: caches and metadata IOPS."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, rule, unsafe, unwanted
from clustergen.facts.catalog.fsx import INTELLIGENT_TIERING_MBPS
from clustergen.plan import fsx
from clustergen.plan.model import Lustre, Plan
from clustergen.plan.storage_kinds import either, new, spelled

_API = "https://docs.aws.amazon.com/fsx/latest/APIReference/"
_METADATA = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html"


@rule(
    "FSX012",
    "Drive cache without hdd",
    why="Only persistent-1 file systems on hdd have the SSD cache of 20 % of the capacity.",
    source=f"{_API}API_CreateFileSystemLustreConfiguration.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, drive_cache: true}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, drive_cache: false}]",
)
def drive_cache(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, Lustre):
        if item.drive_cache and item.storage_class != "HDD":
            yield Problem(
                item.at("drive_cache"),
                f"{spelled(item.storage_class)} has no drive cache",
                help="remove drive_cache, or write storage_class: hdd",
            )


_CACHE_GIB_PER_SERVER = (32, 131_072)


@rule(
    "FSX014",
    "Read cache without intelligent-tiering, or of a wrong size",
    why="With intelligent-tiering the SSD read cache is between 32 and 131,072 GiB for each 4,000 "
    "MB/s of throughput; no other storage class has one.",
    source=f"{_API}API_LustreReadCacheConfiguration.html",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, storage_class: intelligent-tiering, read_cache: 16GiB}""",
)
def read_cache(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, Lustre):
        if item.storage_class != "INTELLIGENT_TIERING":
            if plan.wrote(*item.at("read_cache")):
                yield Problem(
                    item.at("read_cache"),
                    f"{spelled(item.storage_class)} has no read cache",
                    help="remove read_cache, or write storage_class: intelligent-tiering",
                )
        elif isinstance(item.read_cache_gib, int):
            yield from _cache_size(item, item.read_cache_gib)


def _cache_size(item: Lustre, size: int) -> Iterator[Problem]:
    throughput = item.throughput or INTELLIGENT_TIERING_MBPS.least
    servers = max(1, throughput // INTELLIGENT_TIERING_MBPS.step)
    least, most = (gib * servers for gib in _CACHE_GIB_PER_SERVER)
    nearest = min(max(size, least), most)
    if nearest != size:
        yield Problem(
            item.at("read_cache"),
            f"{size}GiB is not a read cache of a file system with {throughput} MB/s",
            help=f"{least}GiB to {most}GiB, or auto; nearest: {nearest}GiB",
            fix=unsafe(put(item.at("read_cache"), f"{nearest}GiB")),
        )


@rule(
    "FSX015",
    "Metadata IOPS without persistent-2",
    why="Only persistent-2 file systems have a metadata configuration.",
    source=_METADATA,
    bad="storage: [{mount: /fsx, type: fsx-lustre, deployment: scratch-2, metadata_iops: auto}]",
    good="""storage:
  - {mount: /fsx, type: fsx-lustre, deployment: persistent-2, metadata_iops: auto}""",
)
def metadata_deployment(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, Lustre):
        given = plan.wrote(*item.at("metadata_iops")) and item.metadata_iops is not None
        if given and item.deployment != "PERSISTENT_2":
            yield unwanted(
                item.at("metadata_iops"),
                f"{spelled(item.deployment)} has no metadata IOPS setting",
                help="remove metadata_iops, or write deployment: persistent-2",
            )


@rule(
    "FSX016",
    "Invalid number of metadata IOPS",
    why="SSD file systems accept 1500, 3000, 6000 and multiples of 12000 up to 192000, "
    "intelligent-tiering accepts 6000 or 12000.",
    source=_METADATA,
    bad="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, metadata_iops: 10000}]",
)
def metadata_iops(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, Lustre):
        iops, steps = item.metadata_iops, fsx.metadata_steps(item.storage_class)
        if item.deployment == "PERSISTENT_2" and isinstance(iops, int) and not steps.allows(iops):
            auto = "" if item.storage_class == "INTELLIGENT_TIERING" else ", or auto"
            yield Problem(
                item.at("metadata_iops"),
                f"{iops} is not a number of metadata IOPS for {spelled(item.storage_class)}",
                help=f"nearest: {either(fsx.around(steps, iops))}{auto}",
                fix=unsafe(put(item.at("metadata_iops"), fsx.around(steps, iops)[-1])),
            )
