"""Shared storage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from clustergen.importing.parallelcluster.parts import Json, section
from clustergen.targets.parallelcluster.storage import storage_name


def storage(entries: Sequence[Any]) -> list[Json]:
    """What has words; the rest is left to the overlay."""
    return [word for entry in entries for word in _words(section({"it": entry}, "it"))]


def _words(entry: Json) -> Iterator[Json]:
    mount = entry.get("MountDir")
    if entry.get("Name") != storage_name(str(mount)):
        return  # ParallelCluster cannot rename it
    base = {"mount": mount}
    lustre = section(entry, "FsxLustreSettings")
    if lustre.get("FileSystemId"):
        yield {**base, "type": "fsx-lustre", "existing": {"id": lustre["FileSystemId"]}}
    efs = section(entry, "EfsSettings")
    if efs.get("FileSystemId"):
        yield {**base, "type": "efs", "existing": {"id": efs["FileSystemId"]}}
    ebs = section(entry, "EbsSettings")
    if ebs.get("VolumeId"):
        yield {**base, "type": "ebs", "existing": {"id": ebs["VolumeId"]}}
