"""Which file systems HyperPod mounts by itself."""

from __future__ import annotations

from clustergen.plan.model import FileCache, Lustre, OpenZfs, Plan


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
