"""``targets``: what only one target has, typed and small; and the escape hatch, ``overlay``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from clustergen.spec.base import AlarmName, Arn, Batch, Seconds, Section, SecurityGroupId


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


class AutoPatching(Section):
    """How HyperPod puts security patches on the nodes of every group, once it has them."""

    strategy: Literal["when-idle", "when-all-idle", "drain-first"] = Field(
        description="Each node once it is idle, all once all are, or batch by batch after pods "
        "were evicted."
    )
    idle_wait: Seconds | None = Field(
        None, description="How long nodes may take to become idle, up to 25d; default: 24h."
    )
    batch: Batch | None = Field(
        None, description="Nodes that are drained together: 2, or a part of the group, 10%."
    )
    pause: Seconds | None = Field(
        None, description="Between batches, up to 1h; default: the service's own."
    )
    drain_timeout: Seconds | None = Field(
        None, description="How long pods may take to leave a node, up to 90m; default: 1h."
    )
    on_drain_timeout: Literal["skip", "force"] | None = Field(
        None, description="Leave such a node unpatched, or delete its pods; default: skip."
    )
    rollback_alarms: list[AlarmName] = Field(
        [], max_length=10, description="CloudWatch alarms at which the patch is taken back."
    )


class HyperPodEks(Target):
    """SageMaker HyperPod with EKS."""

    eks_cluster: Literal["new"] | Arn = Field(
        "new", description="`new`, or the ARN of an EKS cluster."
    )
    eks_security_group: SecurityGroupId | None = Field(
        None,
        description="Cluster security group of that EKS cluster, which the new security group of "
        "the nodes is opened to, and it to them.",
    )
    tiered_checkpoints: int | None = Field(
        None,
        ge=1,
        le=100,
        description="Memory of each node, in per cent, for managed tiered checkpointing.",
    )
    auto_patching: AutoPatching | None = Field(
        None, description="Security patches by themselves; default: by hand."
    )
    update_schedule: str | None = Field(
        None, description="When nodes get new images: cron(0 3 ? * SUN *), in UTC."
    )


class Eks(Target):
    """EKS through the CDK."""

    install: Literal["script", "stack"] = Field(
        "script",
        description="Who installs the software in the cluster: install.sh, or the stack itself by "
        "`cdk deploy`.",
    )
    deletion_protection: bool = Field(
        False, description="EKS refuses to delete the cluster until this is taken back."
    )


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
