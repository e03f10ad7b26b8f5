"""MIG partitions of NVIDIA GPUs, for each GPU model that instance types have.

Profile names: sagemaker-hyperpod 3.12.0 ``INSTANCE_TYPE_MIG_PROFILES`` (2026-10-19). Counts: its
gpu-operator chart, the same for every model; ``+me`` (media engines, one each) and the slices:
https://docs.nvidia.com/datacenter/tesla/mig-user-guide/ (2026).
"""

from collections.abc import Mapping
from typing import NamedTuple

from clustergen.facts.catalog.instance import InstanceType

COMPUTE_SLICES = 7
MEMORY_SLICES = 8


class MigProfile(NamedTuple):
    """One kind of MIG partition."""

    name: str
    most: int
    """Maximum number on one GPU."""
    compute_slices: int
    memory_slices: int


class MigUse(NamedTuple):
    """How many of one GPU's 7 compute and 8 memory slices a set of partitions uses."""

    compute_slices: int
    memory_slices: int

    @property
    def fits(self) -> bool:
        """Whether one GPU has that many slices."""
        return self.compute_slices <= COMPUTE_SLICES and self.memory_slices <= MEMORY_SLICES


# (maximum, compute slices, memory slices) in the order of the names below; the second is "+me".
_GEOMETRY = ((7, 1, 1), (1, 1, 1), (4, 1, 2), (3, 2, 2), (2, 3, 4), (1, 4, 4), (1, 7, 8))

# By GPU and its memory in GiB, rounded down. The size behind a name depends on the GPU: 1g.10gb has
# two memory slices of an A100 with 40 GB, and one of an A100 with 80 GB.
_NAMES: Mapping[tuple[str, int], str] = {
    ("A100", 40): "1g.5gb 1g.5gb+me 1g.10gb 2g.10gb 3g.20gb 4g.20gb 7g.40gb",
    ("A100", 80): "1g.10gb 1g.10gb+me 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb",
    ("H100", 80): "1g.10gb 1g.10gb+me 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb",
    ("H200", 141): "1g.18gb 1g.18gb+me 1g.35gb 2g.35gb 3g.71gb 4g.71gb 7g.141gb",
    ("B200", 179): "1g.23gb 1g.23gb+me 1g.45gb 2g.45gb 3g.90gb 4g.90gb 7g.180gb",
    ("B300", 268): "1g.34gb 1g.34gb+me 1g.67gb 2g.67gb 3g.135gb 4g.135gb 7g.269gb",
    ("GB200", 185): "1g.23gb 1g.23gb+me 1g.47gb 2g.47gb 3g.93gb 4g.93gb 7g.186gb",
}


def profiles(instance: InstanceType) -> tuple[MigProfile, ...]:
    """The profiles of each GPU of ``instance``, smallest first; empty without MIG.

    NVIDIA documents MIG for RTX PRO 6000 (g7e), but AWS does not document its use.
    """
    gpu = instance.accelerator
    if gpu is None:
        return ()
    names = _NAMES.get((gpu.name, gpu.memory_mib // 1024), "").split()
    return tuple(
        MigProfile(name, *numbers) for name, numbers in zip(names, _GEOMETRY, strict=False)
    )


def profile(instance: InstanceType, name: str) -> MigProfile | None:
    return next((found for found in profiles(instance) if found.name == name), None)


def use(instance: InstanceType, wanted: Mapping[str, int]) -> MigUse:
    """The slices that ``wanted`` (profile name -> count, per GPU) uses.

    :raises KeyError: if a name is not a profile of this GPU.
    """
    known = {found.name: found for found in profiles(instance)}
    counted = [(known[name], count) for name, count in wanted.items()]
    return MigUse(
        sum(found.compute_slices * count for found, count in counted),
        sum(found.memory_slices * count for found, count in counted),
    )
