"""The storage of a cluster, as a table."""

from clustergen.output import markdown_text
from clustergen.output.markdown_text import Row
from clustergen.plan import model
from clustergen.services.aws import mounts

_HEADER = ("Mount", "Storage", "Size", "Throughput", "After deletion")


def table(plan: model.Plan) -> str:
    """One row for each mount."""
    return markdown_text.table(_HEADER, (_row(item) for item in plan.storage))


def linked(plan: model.Plan) -> str:
    """Who can write where Lustre is linked with S3.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/posix-metadata-support.html
    """
    items = [item for item in plan.storage if isinstance(item, model.Lustre) and item.repositories]
    paths = [item.mount.rstrip("/") + path for item in items for path in mounts.exported(item)]
    # ParallelCluster mounts it itself, and opens only the root.
    command = f"`sudo chmod 1777 {' '.join(paths)}`"
    by_hand = f"On the head node, let users write to what FSx exports: {command}."
    imported = "Objects of S3 without POSIX metadata appear as root's: others can only read them."
    shown = (by_hand if paths and mounts.exports_homes(plan) else "", imported if items else "")
    return " ".join(filter(None, shown))


def _row(item: model.Storage) -> Row:
    kind, size, throughput = _form(item)
    if item.existing and not isinstance(item, model.Bucket):
        known = "" if isinstance(item.id, model.Ref) else f" {item.id}"
        return (item.mount, f"{kind}, existing{known}", "", "", "stays")
    # The foundation creates file systems, unless the cluster does; the head node has the volumes.
    kept = "stays" if item.retain else "stays until the foundation is deleted"
    if (isinstance(item, model.Ebs) or item.by_cluster) and not item.retain:
        snapshot = isinstance(item, model.Ebs) and item.ends_as_snapshot
        kept = "stays as a snapshot" if snapshot else "is deleted"
    return (item.mount, kind, size, throughput, kept)


def described(item: model.Storage) -> tuple[str, ...]:
    """Kind, size, throughput, and whether it stays, each if it is known."""
    kind, size, throughput = _form(item)
    after = "existing" if item.existing else "stays after deletion" if item.retain else ""
    return tuple(dict.fromkeys(filter(None, (kind, size, throughput, after))))


def _form(item: model.Storage) -> tuple[str, str, str]:
    """Kind, size and throughput as text."""
    match item:
        case model.Lustre():
            return _lustre(item)
        case model.OpenZfs():
            words = "FSx for OpenZFS" if item.existing else f"FSx for OpenZFS, {item.deployment}"
            return words, _gib(item.size_gib), _rate(item.throughput, "MB/s")
        case model.Efs():
            rate = _rate(item.throughput, "MiB/s") or item.throughput_mode
            return f"EFS{', one zone' if item.one_zone else ''}", "elastic", rate
        case model.Ebs():
            raid, each = "", ""
            if item.raid:
                raid, each = f", RAID {item.raid.level} of {item.raid.volumes} volumes", " each"
            size, rate = _gib(item.volume.size_gib), _rate(item.volume.throughput, "MiB/s")
            return f"EBS {item.volume.type}{raid}", f"{size}{each}", rate
        case model.Bucket():
            place = "/".join(filter(None, (item.bucket, item.prefix.strip("/"))))
            return f"S3 s3://{place}{', read only' if item.read_only else ''}", "elastic", ""
        case model.Ontap():
            return "FSx for ONTAP", "", ""
        case model.FileCache():
            return "Amazon File Cache", "", ""
    raise TypeError(f"no words for {type(item).__name__}")


def _lustre(item: model.Lustre) -> tuple[str, str, str]:
    if item.existing:
        return "FSx for Lustre", "", ""
    # https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html
    lossy = "not replicated" if item.deployment.startswith("SCRATCH") else ""
    efa = "EFA" if item.efa else ""
    words = ["FSx for Lustre", f"{item.deployment} {item.storage_class}", efa, lossy]
    tiered = item.storage_class == "INTELLIGENT_TIERING"
    unit = "MB/s" if tiered else "MB/s per TiB"
    size = "elastic" if tiered else _gib(item.size_gib)
    return ", ".join(filter(None, words)), size, _rate(item.throughput, unit)


def _gib(size: int | None) -> str:
    return f"{size:,} GiB" if size else ""


def _rate(rate: int | None, unit: str) -> str:
    return f"{rate:,} {unit}" if rate else ""
