"""The disk that a node boots from."""

from __future__ import annotations

from clustergen.plan.model import Volume

# Images of training frameworks take some 20 GB each; without local disks they are all here.
_DEFAULT_ROOT_GIB = 100


def root_gib(volume: Volume) -> int:
    """The size of a root volume; what the nodes have where the spec does not size it."""
    return volume.size_gib or _DEFAULT_ROOT_GIB
