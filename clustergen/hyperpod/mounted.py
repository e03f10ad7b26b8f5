"""Which file systems HyperPod mounts by itself."""

from __future__ import annotations

from clustergen.plan.lustre_clients import lustre_interfaces
from clustergen.plan.model import FileCache, Lustre, NodeGroup, OpenZfs, Plan

Mounted = Lustre | FileCache | OpenZfs


def by_service(plan: Plan, group: NodeGroup | None = None) -> tuple[Mounted, ...]:
    """The file systems that HyperPod mounts on nodes of Slurm: the first Lustre and first OpenZFS.

    A group takes one of each; OpenZFS only its root volume, which an existing one is asked for by
    leaving the volume out. ``group`` is the one of the nodes, None for controller and login. Where
    Lustre is to be reached over EFA, its client is set up before the first mount of any, which
    only a script can do.
    """
    lustre = [item for item in plan.storage if isinstance(item, Lustre | FileCache)]
    openzfs = [
        item
        for item in plan.storage
        if isinstance(item, OpenZfs) and not (item.existing and item.volume)
    ]
    over_efa = group is not None and lustre_interfaces(plan, group)
    return (*(() if over_efa else lustre[:1]), *openzfs[:1])


def on_every_node(plan: Plan) -> tuple[Mounted, ...]:
    """What HyperPod mounts on the nodes of all groups."""
    found = [by_service(plan), *(by_service(plan, group) for group in plan.node_groups)]
    return min(found, key=len)
