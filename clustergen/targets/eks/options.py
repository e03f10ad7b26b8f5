"""Options of EKS: ``targets.eks``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clustergen.aws import launch_templates
from clustergen.eks import addresses
from clustergen.findings import Path
from clustergen.plan.model import NodeGroup

_OF_THE_CLUSTER: tuple[Path, ...] = (
    *(("kubernetes", name) for name in ("support", "admins", "access", "addons")),
    *(("kubernetes", name) for name in ("system_nodes", "public_endpoint_from")),
    ("targets", "eks", "deletion_protection"),
    ("monitoring", "log_retention"),
)
"""What a cluster has once, and not by node group or queue."""


@dataclass(frozen=True, slots=True)
class Options(launch_templates.Options):
    """See :class:`clustergen.spec.targets.Eks`."""

    cluster: str
    """``new``, or the name of a cluster."""
    cluster_security_group: str | None
    install: Literal["script", "stack", "none"]
    deletion_protection: bool

    @property
    def by_stack(self) -> bool:
        """Whether the stack installs the software, which needs CDK assets."""
        return self.install == "stack"

    @property
    def by_hand(self) -> bool:
        """Whether deploy.sh leaves the software in the cluster alone."""
        return self.install == "none"

    @property
    def creates_eks(self) -> bool:
        return not self.joined

    @property
    def of_clusters(self) -> tuple[Path, ...]:
        """See :attr:`clustergen.plan.model.Options.of_clusters`."""
        return _OF_THE_CLUSTER

    def pod_addresses(self, group: NodeGroup) -> int | None:
        """See :meth:`clustergen.plan.model.Options.pod_addresses`."""
        return None if self.creates_eks else addresses.by_default(group.types)
