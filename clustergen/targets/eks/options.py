"""Options of EKS: ``targets.eks``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from clustergen.plan.model import NodeGroup
from clustergen.services.aws.options import LEFT_OUT, LEFT_OUT_OF_EKS, LaunchTemplates
from clustergen.services.eks import addresses
from clustergen.spec.options import option

if TYPE_CHECKING:
    from clustergen.spec.base import EksClusterName, SecurityGroupId


@dataclass(frozen=True, slots=True)
class Options(LaunchTemplates):
    """Amazon EKS."""

    SECTION: ClassVar = "Eks"
    OWNED: ClassVar = (
        *(("kubernetes", name) for name in ("support", "admins", "access", "addons")),
        *(("kubernetes", name) for name in ("system_nodes", "public_endpoint_from")),
        ("targets", "eks", "deletion_protection"),
        ("monitoring", "log_retention"),
    )

    cluster: Literal["new"] | EksClusterName = option(
        "new",
        "`new`, or the name of an existing cluster, to which node groups and queues are added.",
    )
    cluster_security_group: SecurityGroupId | None = option(
        None,
        "Security group of the existing cluster that EKS created for it, and that all nodes get; "
        "default: deploy.sh looks it up.",
    )
    install: Literal["script", "stack", "none"] = option(
        "script",
        "What installs the software in the cluster: deploy.sh (script), `cdk deploy` (stack), or "
        "you, by running deploy.sh --install (none).",
    )
    deletion_protection: bool = option(False, "Protect the cluster against deletion.")
    leave_out: tuple[
        Literal[
            "security-groups",
            "session-manager",
            "control-plane-logs",
            "secrets-key",
            "ebs-driver",
            "node-monitoring",
        ],
        ...,
    ] = option(
        [],
        f"{LEFT_OUT}; {LEFT_OUT_OF_EKS}; ebs-driver: the driver for volumes of pods; "
        "node-monitoring: EKS's agent that finds failed nodes to repair.",
    )

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
        return not self.existing.cluster

    def pod_addresses(self, group: NodeGroup) -> int | None:
        """See :meth:`clustergen.plan.model.Options.pod_addresses`."""
        return None if self.creates_eks else addresses.by_default(group.types)
