"""What HyperPod itself attaches to the instances of a group."""

from __future__ import annotations

from clustergen.hyperpod import limits
from clustergen.hyperpod.request import EbsVolume, InstanceStorage, LustreMount, OpenZfsMount
from clustergen.plan.model import FileCache, Lustre, OpenZfs, Plan, Volume


def volume(volume: Volume) -> EbsVolume:
    """The second volume: the root volume's size is fixed, so what is asked for comes beside it."""
    return EbsVolume(volume.size_gib or limits.DEFAULT_VOLUME_GB)


def by_service(plan: Plan) -> tuple[Lustre | FileCache | OpenZfs, ...]:
    """The file systems that HyperPod mounts on Slurm nodes: the first Lustre and first OpenZFS.

    A group takes one of each; OpenZFS only its root volume, which an existing one is asked for by
    leaving the volume out.
    """
    lustre = [item for item in plan.storage if isinstance(item, Lustre | FileCache)]
    openzfs = [
        item
        for item in plan.storage
        if isinstance(item, OpenZfs) and not (item.existing and item.volume)
    ]
    return (*lustre[:1], *openzfs[:1])


def mounts(plan: Plan) -> tuple[InstanceStorage, ...]:
    """:func:`by_service` as members of a group; the same for all, the controller included."""
    return tuple(_mount(item) for item in by_service(plan))


def _mount(item: Lustre | FileCache | OpenZfs) -> InstanceStorage:
    if isinstance(item, OpenZfs):
        return OpenZfsMount(item.dns_name, item.mount)
    # The mount name of an existing file system is checked to be there.
    return LustreMount(item.dns_name, item.mount_name or "", item.mount)
