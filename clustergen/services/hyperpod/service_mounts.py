"""The file systems that HyperPod mounts itself."""

from clustergen.base.artifacts import Json
from clustergen.plan.lustre_clients import lustre_interfaces
from clustergen.plan.model import FileCache, Lustre, NodeGroup, OpenZfs, Plan
from clustergen.services.aws import references

Mounted = Lustre | FileCache | OpenZfs


def mounted(plan: Plan, group: NodeGroup | None = None) -> tuple[Mounted, ...]:
    """What HyperPod mounts on nodes of Slurm: the first Lustre and the first OpenZFS file system.

    A group has one of each, and of OpenZFS only the root volume, which an existing file system
    selects by omitting the volume. ``group`` is None for controller and login. Where Lustre is
    reached over EFA, its client has to be set up before the first mount, and only a script can.
    """
    lustre = [item for item in plan.storage if isinstance(item, Lustre | FileCache)]
    openzfs = [
        item
        for item in plan.storage
        if isinstance(item, OpenZfs) and not (item.existing and item.volume)
    ]
    over_efa = group is not None and lustre_interfaces(plan, group)
    return (*(() if over_efa else lustre[:1]), *openzfs[:1])


def mounted_everywhere(plan: Plan) -> tuple[Mounted, ...]:
    """What HyperPod mounts on the nodes of all groups."""
    found = [mounted(plan), *(mounted(plan, group) for group in plan.node_groups)]
    return min(found, key=len)


def configs(plan: Plan, group: NodeGroup | None = None) -> list[Json]:
    """The same as ``InstanceStorageConfigs`` of the request."""
    return [_config(item) for item in mounted(plan, group)]


def _config(item: Mounted) -> Json:
    name = references.text(item.dns_name)
    if isinstance(item, OpenZfs):
        return {"FsxOpenZfsConfig": {"DnsName": name, "MountPath": item.mount}}
    # A rule checks that an existing file system has its mount name.
    mount_name = references.text(item.mount_name)
    return {"FsxLustreConfig": {"DnsName": name, "MountName": mount_name, "MountPath": item.mount}}
