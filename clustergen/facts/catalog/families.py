"""Facts about families of instance types that EC2's data lacks.

``data/families.json`` has one row for each family; its header describes each fact, with source and
date. A family without a row has the defaults of :class:`Family`.
"""

import functools
import json
from typing import Any, NamedTuple

from clustergen.facts.catalog.lookup import DATA


class Measurement(NamedTuple):
    """A published all_reduce bus bandwidth, in GB/s at a message size in GiB."""

    size: str
    """The instance size, such as ``48xlarge``."""
    nodes: int
    busbw: float
    gib: int


class Family(NamedTuple):
    """One row of ``families.json``, which describes each fact."""

    nitro: int | None = None
    topology: str = ""
    """``all``, or sizes separated by spaces."""
    layers: int = 3
    neuron_cores: int = 0
    """Logical cores of a device; 0 if unknown."""
    device_claims: bool = True
    lustre_efa: int = 2
    """Interfaces for Lustre; 0 if it is not an EFA client."""
    nccl: Measurement | None = None
    eks_driver: bool = False
    eks_image: bool = True
    open_driver: bool = True
    parallelcluster_without: tuple[str, ...] = ()

    def layers_of(self, size: str) -> int:
        """How many layers of the network EC2 reports for instances of this size."""
        return self.layers if self.topology == "all" or size in self.topology.split() else 0


@functools.cache
def find(family: str) -> Family:
    """The facts about a family, such as ``p5en``."""
    row = table()["families"].get(family, {})
    measured = Measurement(**row["nccl"]) if "nccl" in row else None
    lacking = tuple(row.get("parallelcluster_without", ()))
    return Family(**{**row, "nccl": measured, "parallelcluster_without": lacking})


@functools.cache
def table() -> dict[str, Any]:
    """The content of the file: ``facts`` with their sources, and the rows of ``families``."""
    found: dict[str, Any] = json.loads((DATA / "families.json").read_text(encoding="ascii"))
    return found
