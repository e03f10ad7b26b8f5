"""What HyperPod itself attaches to the instances of a group, as members of the request."""

from __future__ import annotations

from clustergen.hyperpod import limits
from clustergen.hyperpod.mounted import by_service
from clustergen.hyperpod.request import EbsVolume, InstanceStorage, LustreMount, OpenZfsMount
from clustergen.plan.model import FileCache, Lustre, NodeGroup, OpenZfs, Plan, Volume


def volume(volume: Volume) -> EbsVolume:
    """The second volume: the root volume's size is fixed, so what is asked for comes beside it."""
    return EbsVolume(volume.size_gib or limits.DEFAULT_VOLUME_GB)


def mounts(plan: Plan, group: NodeGroup | None = None) -> tuple[InstanceStorage, ...]:
    """The file systems that HyperPod mounts on the nodes of a group; None: controller and login."""
    return tuple(_mount(item) for item in by_service(plan, group))


def _mount(item: Lustre | FileCache | OpenZfs) -> InstanceStorage:
    if isinstance(item, OpenZfs):
        return OpenZfsMount(item.dns_name, item.mount)
    # The mount name of an existing file system is checked to be there.
    return LustreMount(item.dns_name, item.mount_name or "", item.mount)
