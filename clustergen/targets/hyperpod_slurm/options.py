"""Options of HyperPod with Slurm: ``targets.hyperpod-slurm``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clustergen.hyperpod import options


@dataclass(frozen=True, slots=True)
class Options(options.Options):
    """See :class:`clustergen.spec.targets.HyperPodSlurm`."""

    provisioning: Literal["continuous", "all-at-once"]
    mode: Literal["api", "customer-managed", "legacy"]
    controllers: int

    @property
    def head_nodes(self) -> int:
        return self.controllers
