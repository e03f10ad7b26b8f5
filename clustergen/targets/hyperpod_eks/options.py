"""Options of HyperPod with EKS: ``targets.hyperpod-eks``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from clustergen.base.findings import Path
from clustergen.plan.model import NEW, Existing
from clustergen.services.aws.options import LEFT_OUT_OF_EKS
from clustergen.services.hyperpod import options
from clustergen.services.hyperpod.options import ADDITIONS, AutoPatching
from clustergen.spec.options import option

if TYPE_CHECKING:
    from clustergen.spec.base import EksClusterArn, Role, SecurityGroupId


_OF_THE_CLUSTER: tuple[Path, ...] = (
    ("resilience", "replace_failed_nodes"),
    ("targets", "hyperpod-eks", "tiered_checkpoints"),
    ("targets", "hyperpod-eks", "cluster_role"),
)
"""What a cluster has once, and not by node group."""


@dataclass(frozen=True, slots=True)
class Options(options.Options):
    """SageMaker HyperPod with EKS."""

    SECTION: ClassVar = "HyperPodEks"

    leave_out: tuple[
        Literal[
            "second-volume",
            "threads-per-core",
            "node-recovery",
            "one-subnet",
            "security-groups",
            "operator-tag",
            "control-plane-logs",
            "secrets-key",
        ],
        ...,
    ] = option(
        [],
        f"{ADDITIONS}; operator-tag: the tag that the training operator needs; {LEFT_OUT_OF_EKS}.",
    )
    eks_cluster: Literal["new"] | EksClusterArn = option(
        "new", "`new`, or the ARN of an existing EKS cluster."
    )
    eks_security_group: SecurityGroupId | None = option(
        None,
        "Cluster security group of the existing EKS cluster; traffic between it and the new "
        "security group of the nodes is allowed. Nodes that join an existing HyperPod cluster get "
        "it.",
    )
    cluster_role: Role | None = option(
        None, "ARN of an existing role with which HyperPod adds and removes nodes for Karpenter."
    )
    tiered_checkpoints: int | None = option(
        None, "Percentage of each node's memory for managed tiered checkpointing.", ge=1, le=100
    )
    auto_patching: AutoPatching | None = option(
        None, "Automatic security patches; default: manual.", of=AutoPatching
    )
    update_schedule: str | None = option(
        None, "Schedule of image updates, in UTC: cron(0 3 ? * SUN *)."
    )

    @property
    def creates_eks(self) -> bool:
        return self.eks_cluster == NEW and not self.existing.cluster

    @property
    def existing(self) -> Existing:
        """See :attr:`clustergen.plan.model.Options.existing`."""
        arn = "" if self.eks_cluster == NEW else self.eks_cluster
        return self._existing(
            kubernetes=arn.rpartition("/")[2],
            memberships=(self.cluster_security_group, self.eks_security_group),
            owned=_OF_THE_CLUSTER,
            named={"eks_cluster": arn},
        )

    @property
    def patching(self) -> AutoPatching | None:
        return self.auto_patching
