"""Root volumes of nodes."""

from clustergen.plan.model import Volume

# Images of training frameworks use about 20 GB each; without local disks they are all here.
DEFAULT_ROOT_GIB = 100


def root_gib(volume: Volume) -> int:
    """The size of a root volume in GiB; the default if the spec has none."""
    return volume.size_gib or DEFAULT_ROOT_GIB
