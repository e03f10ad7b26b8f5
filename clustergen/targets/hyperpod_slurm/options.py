"""Options of HyperPod with Slurm: ``targets.hyperpod-slurm``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clustergen.hyperpod import options


@dataclass(frozen=True, slots=True)
class Options(options.Options):
    """See :class:`clustergen.spec.targets.HyperPodSlurm`."""

    mode: Literal["api", "customer-managed", "legacy"]
    controllers: int
    controller_group: str
    login_group: str

    @property
    def controller(self) -> str:
        return self.controller_group

    @property
    def login(self) -> str:
        return self.login_group

    @property
    def head_nodes(self) -> int:
        return self.controllers
