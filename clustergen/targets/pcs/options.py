"""Options of PCS: ``targets.pcs``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from clustergen.aws import launch_templates
from clustergen.findings import Path
from clustergen.plan.model import Plan
from clustergen.targets.pcs import limits

_OF_THE_CLUSTER: tuple[Path, ...] = (
    *(("slurm", name) for name in ("accounting", "accounts", "qos", "idle_timeout", "settings")),
    *(("slurm", name) for name in ("slurmdbd_settings", "cgroup_settings")),
    *(("targets", "pcs", name) for name in ("size", "rest", "purge_accounting")),
    ("resilience", "auto_resume"),
    ("monitoring", "log_retention"),
)
"""What a cluster has once, and not by node group or queue."""


@dataclass(frozen=True, slots=True)
class Options(launch_templates.Options):
    """See :class:`clustergen.spec.targets.Pcs`."""

    cluster: str
    """``new``, or the id of a cluster."""
    cluster_security_group: str | None
    size: Literal["auto", "small", "medium", "large"]
    rest: bool
    purge_accounting: int | None
    """Time in seconds."""

    @property
    def of_clusters(self) -> tuple[Path, ...]:
        """See :attr:`clustergen.plan.model.Options.of_clusters`."""
        return _OF_THE_CLUSTER

    def resolved(self, plan: Plan) -> Mapping[str, tuple[Any, str]]:
        """See :meth:`clustergen.plan.model.Options.resolved`."""
        smallest = limits.smallest_size(managed_nodes(plan))
        if self.size != "auto" or smallest is None or self.joined:
            return {}
        return {"size": (smallest.name.lower(), f"the smallest for {managed_nodes(plan)} nodes")}


def managed_nodes(plan: Plan) -> int:
    """Instances that count against the controller's size, including login nodes."""
    return plan.max_nodes + (plan.login.count if plan.login else 0)
