"""FSx for OpenZFS: size, throughput and IOPS."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, rule, unsafe
from clustergen.facts.catalog.fsx import OPENZFS_GIB, OPENZFS_IOPS_PER_GIB, openzfs_class
from clustergen.plan import fsx
from clustergen.plan.model import Ebs, OpenZfs, Plan
from clustergen.plan.storage_kinds import either, listed, new, spelled

_API = "https://docs.aws.amazon.com/fsx/latest/APIReference/"
_MOST_IOPS = 200_000


@rule(
    "STG007",
    "No size",
    why="OpenZFS file systems and EBS volumes are created, and billed, with a fixed size; no "
    "default would be right for everybody.",
    source=f"{_API}API_CreateFileSystem.html",
    bad="storage: [{mount: /home, type: fsx-openzfs}]",
)
def missing_size(plan: Plan) -> Iterator[Problem]:
    for item in plan.storage:
        size: int | None = 0
        if isinstance(item, OpenZfs):
            size = item.size_gib
        elif isinstance(item, Ebs) and not item.snapshot:
            size = item.volume.size_gib
        if size is None and not item.existing:
            fix = unsafe(put(item.at("size"), "1024GiB"))
            message = f"{item.mount} has no size"
            yield Problem(item.path, message, help="add e.g. size: 1024GiB", fix=fix)


@rule(
    "FSX024",
    "Invalid size of an OpenZFS file system",
    why="FSx for OpenZFS holds 64 GiB to 512 TiB.",
    source=f"{_API}API_CreateFileSystem.html",
    bad="storage: [{mount: /home, type: fsx-openzfs, size: 32GiB}]",
)
def size(plan: Plan) -> Iterator[Problem]:
    least, most = OPENZFS_GIB
    for item in new(plan, OpenZfs):
        if item.size_gib is not None and not least <= item.size_gib <= most:
            nearest = min(max(item.size_gib, least), most)
            yield Problem(
                item.at("size"),
                f"{item.size_gib}GiB is not a size of an OpenZFS file system",
                help=f"{least}GiB to {most}GiB; nearest: {nearest}GiB",
                fix=unsafe(put(item.at("size"), f"{nearest}GiB")),
            )


@rule(
    "FSX025",
    "Invalid throughput for the OpenZFS deployment type",
    why="Throughput of the file system comes in tiers, which differ between deployment types.",
    source=f"{_API}API_CreateFileSystemOpenZFSConfiguration.html",
    bad="storage: [{mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 256}]",
)
def throughput(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, OpenZfs):
        kind = openzfs_class(item.deployment)
        if kind and item.throughput is not None and item.throughput not in kind.throughputs:
            beside = fsx.beside(kind.throughputs, item.throughput)
            yield Problem(
                item.at("throughput"),
                f"{item.throughput} is not a throughput of {spelled(item.deployment)}",
                help=f"nearest: {either(beside)}; available: {listed(kind.throughputs)} MB/s",
                fix=unsafe(put(item.at("throughput"), beside[-1])),
            )


@rule(
    "FSX026",
    "OpenZFS IOPS out of range",
    why="An OpenZFS file system has 3 IOPS per GiB by default; more can be provisioned, up to "
    "200,000.",
    source=f"{_API}API_DiskIopsConfiguration.html",
    bad="storage: [{mount: /home, type: fsx-openzfs, size: 1024GiB, iops: 3000}]",
)
def iops(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, OpenZfs):
        if item.iops is None or item.size_gib is None:
            continue
        least = min(item.size_gib * OPENZFS_IOPS_PER_GIB, _MOST_IOPS)
        nearest = min(max(item.iops, least), _MOST_IOPS)
        if nearest != item.iops:
            yield Problem(
                item.at("iops"),
                f"{item.size_gib}GiB of OpenZFS do not support {item.iops} IOPS",
                help=f"{least} to {_MOST_IOPS}; nearest: {nearest}",
                fix=unsafe(put(item.at("iops"), nearest)),
            )
