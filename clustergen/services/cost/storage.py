"""File systems, volumes and buckets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Final

from clustergen.facts.catalog import fsx
from clustergen.facts.catalog.prices import Book
from clustergen.plan import sizes
from clustergen.plan.model import Bucket, Ebs, Efs, Lustre, OpenZfs, Plan, Storage, Volume
from clustergen.services.cost.model import Line, Part
from clustergen.services.cost.nodes import machines
from clustergen.services.cost.pricing import Prices, span

_STORAGE: Final[Part] = "storage"
_INCLUDED_IOPS, _INCLUDED_MBPS = 3000, 125
"""Of a gp3 volume. https://aws.amazon.com/ebs/pricing/ (2026-11)"""


def lines(plan: Plan, book: Book) -> Iterator[Line]:
    """Lines for each mount, then the root volumes of all nodes."""
    at = Prices.of(plan, book)
    for item in plan.storage:
        if item.existing and not isinstance(item, Bucket):
            yield Line(
                part="storage", name=item.mount, what="existing", outside="it exists already"
            )
        else:
            yield from _mount(item, at)
    yield from _root_volumes(plan, at)


@singledispatch
def _mount(item: Storage, at: Prices) -> Iterator[Line]:  # noqa: ARG001
    raise TypeError(f"no cost of {type(item).__name__}")


@_mount.register
def _(item: Lustre, at: Prices) -> Iterator[Line]:
    if item.storage_class == "INTELLIGENT_TIERING":
        yield from _tiering(item, at)
    else:
        speed = f", {item.throughput:,} MB/s per TiB" if item.throughput else ""
        kind = f"FSx for Lustre {item.deployment} {item.storage_class}{speed}"
        what = f"{kind}, {item.size_gib or 0:,} GiB"
        yield at.line(_STORAGE, item.mount, what, _provisioned(item))
    if item.backup_days:
        yield at.by_use(_STORAGE, f"{item.mount} backups", "FSx backups", "FSx for Lustre backup")


def _provisioned(item: Lustre) -> Mapping[str, float]:
    """Price -> units of a file system of a fixed size."""
    size = item.size_gib or 0
    cache = "cache" if item.drive_cache else None
    words = (item.deployment, item.storage_class, item.throughput, cache)
    found = {f"FSx for Lustre {' '.join(str(word) for word in words if word)}": float(size)}
    if isinstance(item.metadata_iops, int):
        # The IOPS that AUTOMATIC gives for this size are free.
        extra = item.metadata_iops - fsx.automatic_metadata_iops(size)
        found |= {"FSx for Lustre metadata": float(extra)} if extra > 0 else {}
    return found


def _tiering(item: Lustre, at: Prices) -> Iterator[Line]:
    stem = "FSx for Lustre INTELLIGENT_TIERING"
    mbps = item.throughput or 0
    cache = item.read_cache_gib
    if not isinstance(cache, int):
        cache = fsx.AUTOMATIC_CACHE_GIB_PER_MBPS * mbps if cache == "auto" else 0
    units = {f"{stem} throughput": float(mbps), f"{stem} cache": float(cache)}
    what = f"{stem}, {mbps:,} MB/s, read cache of {cache:,} GiB"
    yield at.line(_STORAGE, item.mount, what, {name: n for name, n in units.items() if n})
    yield at.by_use(_STORAGE, f"{item.mount} data", f"{stem}: data", f"{stem} frequent")


@_mount.register
def _(item: OpenZfs, at: Prices) -> Iterator[Line]:
    size = item.size_gib or 0
    what = f"FSx for OpenZFS {item.deployment}, {size:,} GiB"
    units = {
        "FSx for OpenZFS storage": float(size),
        "FSx for OpenZFS throughput": float(item.throughput or 0),
    }
    extra = (item.iops or 0) - fsx.OPENZFS_IOPS_PER_GIB * size
    units |= {"FSx for OpenZFS iops": float(extra)} if extra > 0 else {}
    if item.deployment in ("SINGLE_AZ_1", "SINGLE_AZ_2"):
        yield at.line(_STORAGE, item.mount, what, units)
    else:
        reason = f"no price of {item.deployment} is known"
        yield Line(part="storage", name=item.mount, what=what, unknown=reason)
    if item.backup_days:
        yield at.by_use(_STORAGE, f"{item.mount} backups", "FSx backups", "FSx for OpenZFS backup")
    final = "a backup that FSx takes when the file system is deleted, and keeps"
    yield at.by_use(_STORAGE, f"{item.mount} final backup", final, "FSx for OpenZFS backup")


@_mount.register
def _(item: Efs, at: Prices) -> Iterator[Line]:
    title = f"EFS{', one zone' if item.one_zone else ''}"
    stored = "EFS one-zone" if item.one_zone else "EFS standard"
    moved = ("EFS elastic read", "EFS elastic write") if item.throughput_mode == "elastic" else ()
    if item.throughput_mode == "provisioned" and item.throughput:
        what = f"{title}: {item.throughput:,} MiB/s provisioned"
        units = {"EFS provisioned": float(item.throughput)}
        yield at.regional.line(_STORAGE, f"{item.mount} throughput", what, units)
    yield at.by_use(_STORAGE, item.mount, f"{title}: data", stored, *moved)
    if item.backup_days:
        yield at.by_use(_STORAGE, f"{item.mount} backups", "AWS Backup of EFS", "EFS backup")


@_mount.register
def _(item: Ebs, at: Prices) -> Iterator[Line]:
    number = item.raid.volumes if item.raid else 1
    each = f"{number} x " if item.raid else ""
    what = f"EBS {item.volume.type}, {each}{item.volume.size_gib or 0:,} GiB"
    yield at.line(_STORAGE, item.mount, what, _volumes(item.volume, number))


@_mount.register
def _(item: Bucket, at: Prices) -> Iterator[Line]:  # noqa: ARG001
    what = f"S3 {item.bucket}"
    yield Line(part="storage", name=item.mount, what=what, outside="S3 bills data and requests")


def _root_volumes(plan: Plan, at: Prices) -> Iterator[Line]:
    """Volumes of all nodes at the minimum and the maximum; equal ones together."""
    owners: dict[tuple[Volume, bool], list[tuple[str, int, int]]] = {}
    for group in plan.node_groups:
        nodes = owners.setdefault(_sized(plan, group.volume, plan.sagemaker), [])
        nodes.append((group.name, sizes.without_jobs(plan, group), group.max))
    for title, machine in machines(plan):
        # System nodes of EKS are EC2 instances, even if SageMaker has the others.
        sagemaker = plan.sagemaker and machine is not plan.system
        nodes = owners.setdefault(_sized(plan, machine.volume, sagemaker), [])
        nodes.append((title, machine.count, machine.count))
    for (volume, sagemaker), nodes in owners.items():
        yield _root_volume(nodes, volume, at, sagemaker=sagemaker)


def _sized(plan: Plan, volume: Volume, sagemaker: bool) -> tuple[Volume, bool]:
    """The volume with its size, unless the image decides; of SageMaker, the second volume."""
    size = plan.second_volume_gib(volume) if sagemaker else plan.limits.default_root_gib
    return replace(volume, size_gib=volume.size_gib or size), sagemaker


def _root_volume(
    nodes: Sequence[tuple[str, int, int]], volume: Volume, at: Prices, *, sagemaker: bool
) -> Line:
    least = sum(low for _, low, _ in nodes)
    most = sum(high for _, _, high in nodes)
    size = f"{volume.size_gib:,} GiB" if volume.size_gib else "the size of the image"
    name = f"root volumes of {', '.join(owner for owner, _, _ in nodes)}"
    what = f"{span(least, most)} x EBS {volume.type}, {size}"
    if sagemaker:
        second = f", and a second volume of {size}" if volume.size_gib else ""
        name = name.removeprefix("root ")
        what = f"{span(least, most)} x EBS: the root volume{second}"
        reason = "no price of HyperPod's EBS volumes is known"
        return Line(part=_STORAGE, name=name, what=what, unknown=reason)
    if volume.size_gib is None:
        return at.by_use(_STORAGE, name, what, f"EBS {volume.type}")
    low, high = _volumes(volume, least), _volumes(volume, most)
    return at.line(_STORAGE, name, what, low, high)


def _volumes(volume: Volume, count: int) -> Mapping[str, float]:
    """Price -> units of ``count`` volumes."""
    units = {f"EBS {volume.type}": (volume.size_gib or 0) * count}
    if volume.type == "gp3":
        extra = {
            "EBS gp3 iops": (volume.iops or 0) - _INCLUDED_IOPS,
            "EBS gp3 throughput": (volume.throughput or 0) - _INCLUDED_MBPS,
        }
        units |= {name: more * count for name, more in extra.items() if more > 0}
    elif volume.type in ("io1", "io2"):
        units |= {f"EBS {volume.type} iops": (volume.iops or 0) * count}
    return {name: float(number) for name, number in units.items()}
