"""What HyperPod itself attaches to the instances of a group."""

from __future__ import annotations

from clustergen.hyperpod import limits
from clustergen.hyperpod.request import EbsVolume, InstanceStorage, LustreMount, OpenZfsMount
from clustergen.plan.model import FileCache, Lustre, OpenZfs, Plan, Storage, Volume


def volume(volume: Volume) -> EbsVolume:
    """The second volume: the root volume's size is fixed, so what is asked for comes beside it."""
    return EbsVolume(volume.size_gib or limits.DEFAULT_VOLUME_GB)


def by_service(plan: Plan) -> tuple[Storage, ...]:
    """The file systems that HyperPod mounts on Slurm nodes: the first Lustre and first OpenZFS."""
    lustre = [item for item in plan.storage if isinstance(item, Lustre | FileCache)]
    openzfs = [item for item in plan.storage if isinstance(item, OpenZfs)]
    return (*lustre[:1], *openzfs[:1])


def mounts(plan: Plan) -> tuple[InstanceStorage, ...]:
    """:func:`by_service` as members of a group; the same for all, the controller included."""
    return tuple(_mount(item) for item in by_service(plan))


def _mount(item: Storage) -> InstanceStorage:
    if isinstance(item, Lustre | FileCache):
        # The mount name of an existing file system is checked to be there.
        return LustreMount(item.dns_name, item.mount_name or "", item.mount)
    assert isinstance(item, OpenZfs)
    return OpenZfsMount(item.dns_name, item.mount)
