"""``targets``: what only one target has, typed and small; and the escape hatch, ``overlay``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from clustergen.spec.base import Arn, Seconds, Section


class Target(Section):
    """What every target takes."""

    overlay: dict[str, Any] = Field(
        {}, description="Merged into the target's own document, which is then checked again."
    )


class ParallelCluster(Target):
    """AWS ParallelCluster."""

    version: Literal["3.16.1"] = Field("3.16.1", description="ParallelCluster version.")
    key_name: str | None = Field(
        None, min_length=1, max_length=255, description="EC2 key pair of the nodes."
    )
    scaling_strategy: Literal["all-or-nothing", "greedy-all-or-nothing", "best-effort"] = Field(
        "all-or-nothing", description="What to do when not all nodes of a job can be had."
    )
    queue_update_strategy: Literal["drain", "compute-fleet-stop", "terminate"] = Field(
        "drain", description="How an update reaches running nodes."
    )


class Pcs(Target):
    """AWS Parallel Computing Service."""

    size: Literal["auto", "small", "medium", "large"] = Field(
        "auto", description="Controller size; auto: the smallest that holds the nodes."
    )
    rest: bool = Field(False, description="Slurm REST API.")
    purge_accounting: Seconds | None = Field(
        None, description="Forget job records after this, in whole days."
    )


class HyperPodSlurm(Target):
    """SageMaker HyperPod with Slurm."""

    provisioning: Literal["continuous", "all-at-once"] = Field(
        "continuous", description="Node provisioning."
    )
    mode: Literal["api", "customer-managed", "legacy"] = Field(
        "api",
        description="Who configures Slurm: the service, the lifecycle scripts, or the old form.",
    )
    controllers: int = Field(
        1, ge=1, le=3, description="Controllers; several take over from each other, in mode legacy."
    )


class HyperPodEks(Target):
    """SageMaker HyperPod with EKS."""

    eks_cluster: Literal["new"] | Arn = Field(
        "new", description="`new`, or the ARN of an EKS cluster."
    )


class Eks(Target):
    """EKS through the CDK."""


class Targets(Section):
    """The targets that this spec is for; each may be left empty."""

    parallelcluster: ParallelCluster | None = Field(None, description="AWS ParallelCluster.")
    pcs: Pcs | None = Field(None, description="AWS PCS.")
    hyperpod_slurm: HyperPodSlurm | None = Field(
        None, alias="hyperpod-slurm", description="HyperPod with Slurm."
    )
    hyperpod_eks: HyperPodEks | None = Field(
        None, alias="hyperpod-eks", description="HyperPod with EKS."
    )
    eks: Eks | None = Field(None, description="EKS.")
