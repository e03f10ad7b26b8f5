"""Options of HyperPod with Slurm: ``targets.hyperpod-slurm``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clustergen.findings import Path
from clustergen.hyperpod import options
from clustergen.words import words

_OF_SLURM = words("accounting accounts qos settings slurmdbd_settings cgroup_settings idle_timeout")


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
    def of_clusters(self) -> tuple[Path, ...]:
        """See :attr:`clustergen.plan.model.Options.of_clusters`."""
        return (
            ("resilience", "replace_failed_nodes"),
            ("head_node",),
            *(("slurm", name) for name in _OF_SLURM),
            ("targets", "hyperpod-slurm", "controllers"),
        )

    @property
    def head_nodes(self) -> int:
        return 0 if self.joined else self.controllers
