"""Options of ParallelCluster: ``targets.parallelcluster``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clustergen.plan import model


@dataclass(frozen=True, slots=True)
class Options(model.Options):
    """See :class:`clustergen.spec.targets.ParallelCluster`."""

    version: str
    key_name: str | None
    scaling_strategy: Literal["all-or-nothing", "greedy-all-or-nothing", "best-effort"]
    queue_update_strategy: Literal["drain", "compute-fleet-stop", "terminate"]
