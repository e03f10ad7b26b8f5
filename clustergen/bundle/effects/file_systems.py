"""What FSx does with a changed file system.

https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-storage-capacity.html,
managing-throughput-capacity.html and managing-metadata-performance.html;
https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/managing-storage-capacity.html; 2026-11-21.
"""

from collections.abc import Callable, Iterator

from clustergen.base.artifacts import Json
from clustergen.bundle.effects import retention
from clustergen.bundle.effects.change import Change
from clustergen.bundle.effects.model import Effect
from clustergen.facts.catalog.fsx import automatic_metadata_iops
from clustergen.services.fields import value_at

_GUIDE = "https://docs.aws.amazon.com/fsx/latest/"
_LUSTRE = f"{_GUIDE}LustreGuide/managing-storage-capacity.html"
_THROUGHPUT = f"{_GUIDE}LustreGuide/managing-throughput-capacity.html"
_METADATA = f"{_GUIDE}LustreGuide/managing-metadata-performance.html"
_OPENZFS = f"{_GUIDE}OpenZFSGuide/managing-storage-capacity.html"
_UPDATE = (
    "https://docs.aws.amazon.com/fsx/latest/APIReference/"
    "API_UpdateFileSystemLustreConfiguration.html"
)


def fsx(change: Change) -> Iterator[Effect]:
    """Why FSx rejects a change, and what takes long."""
    name, old, new = change.name, change.earlier, change.properties
    for check in _RULES.get(new["FileSystemType"], ()):
        for cause, why, source in check(old, new):
            text = f"is refused: {name} {why}; undo the change, or copy the data to a new one"
            yield Effect("refused", name, cause, text, source)
    yield from retention.backups(change)
    if _grows(old, new):
        path = "LustreConfiguration.MetadataConfiguration"
        if value_at(old, path) != value_at(new, path):
            text = (
                f"is refused: metadata IOPS of {name} cannot change while it grows; deploy one "
                "change after the other"
            )
            yield Effect("refused", name, path, text, _METADATA)
        text = (
            f"enlarges {name} to {new['StorageCapacity']} GiB, in hours to days; the next change "
            "of its capacity or throughput is possible 6 hours later"
        )
        yield Effect("in-place", name, "StorageCapacity", text, _LUSTRE)


def _grows(old: Json, new: Json) -> bool:
    return bool(old.get("StorageCapacity", 0) < new.get("StorageCapacity", 0))


Rejections = Iterator[tuple[str, str, str]]
"""Property, reason, and source."""


def _shrinks(old: Json, new: Json) -> Rejections:
    before, after = old.get("StorageCapacity", 0), new.get("StorageCapacity", 0)
    if after < before:
        source = _OPENZFS if new["FileSystemType"] == "OPENZFS" else _LUSTRE
        yield "StorageCapacity", f"cannot shrink from {before} to {after} GiB", source


def _scratch(old: Json, new: Json) -> Rejections:
    if value_at(new, "LustreConfiguration.DeploymentType") == "SCRATCH_1" and _grows(old, new):
        yield "StorageCapacity", "is SCRATCH_1, which cannot grow", _LUSTRE


def _throughput(old: Json, new: Json) -> Rejections:
    """Throughput of SSD moves both ways, but not with EFA; Intelligent-Tiering only grows."""
    path = "LustreConfiguration.PerUnitStorageThroughput"
    if value_at(old, path) != value_at(new, path):
        if value_at(new, "LustreConfiguration.EfaEnabled"):
            yield path, "uses EFA, with which its throughput cannot change", _THROUGHPUT
        elif new.get("StorageType") == "HDD":
            yield path, "is on hard disks, whose throughput cannot change", _THROUGHPUT
    path = "LustreConfiguration.ThroughputCapacity"
    before, after = value_at(old, path), value_at(new, path)
    if before and after and after < before:
        yield path, f"cannot lower its throughput from {before} to {after} MB/s", _THROUGHPUT


def _metadata(old: Json, new: Json) -> Rejections:
    path = "LustreConfiguration.MetadataConfiguration"
    before, after = value_at(old, path), value_at(new, path)
    if before == after:
        return
    if not before or not after:
        yield path, "cannot change whether it has its own metadata servers", _METADATA
    elif before.get("Iops", 0) > (
        after.get("Iops") or automatic_metadata_iops(new["StorageCapacity"])
    ):
        yield f"{path}.Iops", "cannot lower its metadata IOPS", _METADATA


def _cache(old: Json, new: Json) -> Rejections:
    """Neither CloudFormation nor the API of FSx changes it."""
    path = "LustreConfiguration.DriveCacheType"
    if len({value_at(each, path) or "NONE" for each in (old, new)}) > 1:
        yield path, "cannot begin or end to use a cache of its disks", _UPDATE


def _openzfs_step(old: Json, new: Json) -> Rejections:
    before, after = old.get("StorageCapacity", 0), new.get("StorageCapacity", 0)
    least = -(-before * 11 // 10)
    if before < after < least:
        yield "StorageCapacity", f"can grow by 10 % or more, to {least} GiB at least", _OPENZFS


_RULES: dict[str, tuple[Callable[[Json, Json], Rejections], ...]] = {
    "LUSTRE": (_shrinks, _scratch, _throughput, _metadata, _cache),
    "OPENZFS": (_shrinks, _openzfs_step),
}
