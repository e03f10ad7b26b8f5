"""Sizes of file systems: nearest allowed numbers, defaults, and addresses. The tables are in
:mod:`clustergen.facts.catalog.fsx`.
"""

from collections.abc import Sequence
from typing import Literal

from clustergen.facts.catalog import fsx
from clustergen.facts.catalog.fsx import Storage as Media
from clustergen.plan.model import Efs, Lustre, OpenZfs, Storage

PER_TIB = "MB/s per TiB"
_USUAL_THROUGHPUT = {
    ("PERSISTENT_1", "SSD"): 200,
    ("PERSISTENT_1", "HDD"): 12,
    ("PERSISTENT_2", "SSD"): 250,
}
"""MB/s per TiB, if the spec has no throughput and the size requires no other."""


def around(steps: fsx.Steps, number: int) -> tuple[int, ...]:
    """The allowed numbers next to ``number``, below and above; one if both are the same."""
    below, above = steps.down(number), steps.up(number)
    return (above,) if below in (None, above) else (below or above, above)


def beside(values: Sequence[int], number: int) -> tuple[int, ...]:
    """The values next to ``number`` among ``values``, in ascending order."""
    below = [value for value in values if value <= number][-1:]
    above = [value for value in values if value >= number][:1]
    return tuple(dict.fromkeys((*below, *above)))


Deployment = Literal["SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"]


def default_deployment(
    storage_class: str, *, throughput: int | None, features: bool, at: tuple[str, str]
) -> tuple[Deployment, str]:
    """The default deployment and the reason.

    ``storage_class`` is spelled as in the spec; ``features`` if the file system has EFA or metadata
    IOPS; ``at`` are its region and zone.
    """
    if storage_class == "hdd":
        return "PERSISTENT_1", "the only one with hdd"
    if features or storage_class != "ssd":
        return "PERSISTENT_2", "the only one with the requested features"
    first = fsx.lustre_class("PERSISTENT_1")
    if first and throughput in first.throughputs:
        return "PERSISTENT_1", f"the one with {throughput} {PER_TIB}"
    if throughput or fsx.persistent_2_in(*at) in (fsx.Persistent2.FULL, fsx.Persistent2.SLOW):
        return "PERSISTENT_2", "the durable one with the highest throughput"
    return "PERSISTENT_1", f"as {at[0]} is not known to have persistent-2"


def default_throughput(kind: fsx.LustreClass, size_gib: int | None, *, efa: bool) -> int | None:
    """The default throughput; None if it must not be set.

    The usual one, unless it does not allow ``size_gib``: then the next faster one that does, or
    else the next slower one.
    """
    if kind.storage is Media.INTELLIGENT_TIERING:
        return fsx.INTELLIGENT_TIERING_MBPS.least
    if not kind.throughputs:
        return None
    usual = _USUAL_THROUGHPUT[kind.deployment, kind.storage]
    faster = [tier for tier in kind.throughputs if tier >= usual]
    slower = [tier for tier in reversed(kind.throughputs) if tier < usual]
    return next((t for t in (*faster, *slower) if _fits(kind, t, size_gib, efa)), usual)


def _fits(kind: fsx.LustreClass, throughput: int, size_gib: int | None, efa: bool) -> bool:
    steps = kind.sizes(throughput, efa=efa)
    return size_gib is None or (steps is not None and steps.allows(size_gib))


def default_size(kind: fsx.LustreClass, throughput: int | None, *, efa: bool) -> int | None:
    """The smallest size in GiB; None if it must not be set, or ``throughput`` is invalid."""
    steps = kind.sizes(throughput, efa=efa)
    return steps.least if steps else None


def metadata_iops(file_system: Lustre) -> int | None:
    """The metadata IOPS of a new file system; None without a metadata configuration."""
    if file_system.metadata_iops == "AUTOMATIC":
        return fsx.automatic_metadata_iops(file_system.size_gib or 0)
    return file_system.metadata_iops


def metadata_steps(storage_class: str) -> fsx.Steps:
    """The metadata IOPS that can be provisioned with this storage class."""
    return fsx.METADATA_IOPS.get(Media(storage_class), fsx.METADATA_IOPS[Media.SSD])


def addresses(item: Storage) -> int:
    """IPv4 addresses that new storage uses in the nodes' subnet."""
    if item.existing:
        return 0
    match item:
        case Lustre():
            return _lustre_addresses(item)
        case OpenZfs():
            # A standby file server, and an endpoint that moves between the two.
            # https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/availability-durability.html
            return 3 if item.deployment.startswith("SINGLE_AZ_HA") else 1
        case Efs():
            return 1
        case _:
            return 0


def _lustre_addresses(item: Lustre) -> int:
    kind = fsx.lustre_class(item.deployment, item.storage_class)
    if kind is None:
        return 0
    return fsx.lustre_addresses(
        kind,
        capacity_gib=item.size_gib or 0,
        throughput=item.throughput,
        metadata_iops=metadata_iops(item),
        efa=item.efa,
    )
