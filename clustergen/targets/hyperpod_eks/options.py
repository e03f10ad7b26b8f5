"""Options of HyperPod with EKS: ``targets.hyperpod-eks``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clustergen.findings import Path
from clustergen.hyperpod import options
from clustergen.hyperpod.options import Patching
from clustergen.plan.model import NEW


@dataclass(frozen=True, slots=True)
class Options(options.Options):
    """See :class:`clustergen.spec.targets.HyperPodEks`."""

    eks_cluster: str
    """``new``, or the ARN of an EKS cluster."""
    eks_security_group: str | None
    cluster_role: str | None
    """A role of the user's for Karpenter."""
    tiered_checkpoints: int | None
    """Percentage of the memory of each node."""
    auto_patching: Patching | None
    update_schedule: str | None

    @classmethod
    def convert(cls, name: str, value: Any) -> Any:
        if name != "auto_patching" or value is None:
            return options.Options.convert(name, value)
        return Patching(
            strategy=value.strategy,
            idle_wait=value.idle_wait,
            batch=value.batch,
            pause=value.pause,
            drain_timeout=value.drain_timeout,
            on_drain_timeout=value.on_drain_timeout,
            rollback_alarms=tuple(value.rollback_alarms),
        )

    @property
    def creates_eks(self) -> bool:
        return self.eks_cluster == NEW and not self.joined

    @property
    def kubernetes(self) -> str:
        """See :attr:`clustergen.plan.model.Options.kubernetes`."""
        return "" if self.eks_cluster == NEW else self.eks_cluster.rpartition("/")[2]

    @property
    def named(self) -> Mapping[str, str]:
        """See :attr:`clustergen.plan.model.Options.named`."""
        return {} if self.eks_cluster == NEW else {"eks_cluster": self.eks_cluster}

    @property
    def memberships(self) -> tuple[str, ...]:
        """See :attr:`clustergen.plan.model.Options.memberships`."""
        given = (self.cluster_security_group, self.eks_security_group)
        return tuple(dict.fromkeys(filter(None, given))) if self.joined else ()

    @property
    def of_clusters(self) -> tuple[Path, ...]:
        """See :attr:`clustergen.plan.model.Options.of_clusters`."""
        section = ("targets", "hyperpod-eks")
        own = (*section, "tiered_checkpoints"), (*section, "cluster_role")
        return (("resilience", "replace_failed_nodes"), *own)

    @property
    def patching(self) -> Patching | None:
        return self.auto_patching
