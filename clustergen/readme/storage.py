"""The storage of a cluster, as a table."""

from __future__ import annotations

from functools import singledispatch

from clustergen.plan.model import (
    Bucket,
    Ebs,
    Efs,
    FileCache,
    Lustre,
    Ontap,
    OpenZfs,
    Plan,
    Ref,
    Storage,
)
from clustergen.readme import markdown
from clustergen.readme.markdown import Row

_HEADER = ("Mount", "Storage", "Size", "Throughput", "After deletion")


def table(plan: Plan) -> str:
    """One row for each mount."""
    return markdown.table(_HEADER, (_row(item) for item in plan.storage))


def _row(item: Storage) -> Row:
    kind, size, throughput = _form(item)
    if item.existing and not isinstance(item, Bucket):
        known = "" if isinstance(item.id, Ref) else f" {item.id}"
        return (item.mount, f"{kind}, existing{known}", "", "", "stays")
    # The foundation creates file systems, unless the cluster does; the head node has the volumes.
    kept = "stays" if item.retain else "stays until the foundation is deleted"
    if (isinstance(item, Ebs) or item.by_cluster) and not item.retain:
        snapshot = isinstance(item, Ebs) and item.ends_as_snapshot
        kept = "stays as a snapshot" if snapshot else "is deleted"
    return (item.mount, kind, size, throughput, kept)


def described(item: Storage) -> tuple[str, ...]:
    """Kind, size, throughput, and whether it stays, each if it is known."""
    kind, size, throughput = _form(item)
    after = "existing" if item.existing else "stays after deletion" if item.retain else ""
    return tuple(dict.fromkeys(filter(None, (kind, size, throughput, after))))


@singledispatch
def _form(item: Storage) -> tuple[str, str, str]:
    """Kind, size and throughput as text."""
    raise TypeError(f"no words for {type(item).__name__}")


@_form.register
def _(item: Lustre) -> tuple[str, str, str]:
    if item.existing:
        return "FSx for Lustre", "", ""
    words = ["FSx for Lustre", f"{item.deployment} {item.storage_class}", "EFA" if item.efa else ""]
    tiered = item.storage_class == "INTELLIGENT_TIERING"
    unit = "MB/s" if tiered else "MB/s per TiB"
    size = "elastic" if tiered else _gib(item.size_gib)
    return ", ".join(filter(None, words)), size, _rate(item.throughput, unit)


@_form.register
def _(item: OpenZfs) -> tuple[str, str, str]:
    words = "FSx for OpenZFS" if item.existing else f"FSx for OpenZFS, {item.deployment}"
    return words, _gib(item.size_gib), _rate(item.throughput, "MB/s")


@_form.register
def _(item: Efs) -> tuple[str, str, str]:
    rate = _rate(item.throughput, "MiB/s") or item.throughput_mode
    return f"EFS{', one zone' if item.one_zone else ''}", "elastic", rate


@_form.register
def _(item: Ebs) -> tuple[str, str, str]:
    return (
        f"EBS {item.volume.type}",
        _gib(item.volume.size_gib),
        _rate(item.volume.throughput, "MiB/s"),
    )


@_form.register
def _(item: Bucket) -> tuple[str, str, str]:
    place = "/".join(filter(None, (item.bucket, item.prefix.strip("/"))))
    return f"S3 s3://{place}{', read only' if item.read_only else ''}", "elastic", ""


@_form.register
def _(_item: Ontap) -> tuple[str, str, str]:
    return "FSx for ONTAP", "", ""


@_form.register
def _(_item: FileCache) -> tuple[str, str, str]:
    return "Amazon File Cache", "", ""


def _gib(size: int | None) -> str:
    return f"{size:,} GiB" if size else ""


def _rate(rate: int | None, unit: str) -> str:
    return f"{rate:,} {unit}" if rate else ""
