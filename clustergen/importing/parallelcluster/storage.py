"""Shared storage."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from clustergen.base.digests import sha256
from clustergen.importing.companion_files import Beside
from clustergen.importing.file_systems import gib, lustre, new
from clustergen.importing.machines import section
from clustergen.importing.notes import Notes
from clustergen.importing.parallelcluster.parts import Json, is_true
from clustergen.targets.parallelcluster.storage import storage_name

_STAND_IN: Final = "fs-" + "0" * 14


def storage(entries: Sequence[Any], beside: Beside, notes: Notes, *, efa: bool) -> list[Json]:
    """What has words; the rest is left to the overlay."""
    found: list[Json] = []
    for index, entry in enumerate(entries):
        kind = str(entry.get("StorageType"))
        words = _KINDS.get(kind)
        if words is None:
            continue
        mount, name = str(entry.get("MountDir")), entry.get("Name")
        settings = section(entry, f"{kind}Settings")
        at = mount if mount.startswith("/") else f"/{mount}"
        id = str(settings.get("FileSystemId") or settings.get("VolumeId"))
        if id.startswith("${") and kind in _NEW:  # one that another stack creates
            over_efa = efa and kind == "FsxLustre"
            made = new(_NEW[kind], id, at, beside, notes, efa=over_efa)
        else:
            made = words(settings)
        named = {"name": name if name != storage_name(mount) else None}
        found.append({"mount": at, **named, **made})
        if _STAND_IN in str(found[-1]):
            text = f"the configuration does not name the file system of {mount}"
            volume = settings.get("VolumeId")
            help = f"`aws fsx describe-volumes --volume-ids {volume}` shows it"
            notes.asked(("SharedStorage", index), text, help, "storage")
    return found


_NEW: Final = {"FsxLustre": "fsx-lustre", "FsxOpenZfs": "fsx-openzfs", "Efs": "efs"}


def _lustre(settings: Json) -> Json:
    if settings.get("FileSystemId"):
        return {"type": "fsx-lustre", "existing": {"id": settings["FileSystemId"]}}
    made = {"type": "fsx-lustre", "created_by": "cluster", "on_delete": _on_delete(settings)}
    return {**made, **lustre(settings)}


def _efs(settings: Json) -> Json:
    if settings.get("FileSystemId"):
        return {"type": "efs", "existing": {"id": settings["FileSystemId"]}}
    return {
        "type": "efs",
        "created_by": "cluster",
        "on_delete": _on_delete(settings),
        "throughput_mode": settings.get("ThroughputMode", "bursting"),
        "throughput": settings.get("ProvisionedThroughput"),
        "encrypted": None if is_true(settings.get("Encrypted")) else False,
        "kms_key": settings.get("KmsKeyId"),
    }


def _ebs(settings: Json) -> Json:
    if settings.get("VolumeId"):
        return {"type": "ebs", "existing": {"id": settings["VolumeId"]}}
    kind = settings.get("VolumeType", "gp3")
    raid = section(settings, "Raid")
    size = settings.get("Size", None if settings.get("SnapshotId") else 40)
    return {
        "type": "ebs",
        "on_delete": _on_delete(settings),
        "size": gib(size),
        "volume_type": kind if kind != "gp3" else None,
        "iops": settings.get("Iops", 100 if kind in ("io1", "io2") else None),
        "throughput": settings.get("Throughput"),
        "encrypted": False if settings.get("Encrypted") in (False, "false") else None,
        "kms_key": settings.get("KmsKeyId"),
        "snapshot": settings.get("SnapshotId"),
        "raid": {"level": raid["Type"], "volumes": raid.get("NumberOfVolumes", 2)}
        if "Type" in raid
        else None,
    }


def _volume(type: str) -> Callable[[Json], Json]:
    """OpenZFS and ONTAP, of which ParallelCluster only knows the volume."""
    return lambda settings: {
        "type": type,
        "existing": {"id": _stand_in(settings), "volume_id": settings.get("VolumeId")},
    }


def _stand_in(settings: Json) -> str:
    """An id for a file system of which only a volume is known; volumes of one may differ."""
    digits = int(sha256(str(settings.get("VolumeId")))[:2], 16)
    return f"{_STAND_IN}{digits:03}"


def _cache(settings: Json) -> Json:
    return {"type": "file-cache", "existing": {"id": settings.get("FileCacheId")}}


_KINDS: Final[Mapping[str, Callable[[Json], Json]]] = MappingProxyType(
    {
        "Ebs": _ebs,
        "Efs": _efs,
        "FileCache": _cache,
        "FsxLustre": _lustre,
        "FsxOntap": _volume("fsx-ontap"),
        "FsxOpenZfs": _volume("fsx-openzfs"),
    }
)


def _on_delete(settings: Json) -> str | None:
    words = {"Retain": None, "Snapshot": "snapshot"}
    return words.get(str(settings.get("DeletionPolicy")), "delete")
