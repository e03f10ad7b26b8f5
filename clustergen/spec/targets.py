"""``targets``: options that only one target has, and ``overlay``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from clustergen.spec import patterns
from clustergen.spec.base import AlarmName, Arn, BatchSize, Seconds, Section, SecurityGroupId


class Target(Section):
    """Options of every target."""

    overlay: dict[str, Any] = Field(
        {},
        description="Merged into the document rendered for the target, which is then checked "
        "again.",
    )


class ParallelCluster(Target):
    """AWS ParallelCluster."""

    version: Literal["3.16.1"] = Field("3.16.1", description="ParallelCluster version.")
    key_name: str | None = Field(
        None, pattern=patterns.PRINTABLE.regex, description="EC2 key pair of the nodes."
    )
    scaling_strategy: Literal["all-or-nothing", "greedy-all-or-nothing", "best-effort"] = Field(
        "all-or-nothing", description="What to do when not all nodes of a job are available."
    )
    queue_update_strategy: Literal["drain", "compute-fleet-stop", "terminate"] = Field(
        "drain", description="How updates are applied to running nodes."
    )


class Pcs(Target):
    """AWS Parallel Computing Service."""

    size: Literal["auto", "small", "medium", "large"] = Field(
        "auto", description="Controller size; auto: the smallest that supports the number of nodes."
    )
    rest: bool = Field(False, description="Enable the Slurm REST API.")
    purge_accounting: Seconds | None = Field(
        None, description="Retention time of job records, in whole days."
    )


class HyperPodSlurm(Target):
    """SageMaker HyperPod with Slurm."""

    provisioning: Literal["continuous", "all-at-once"] = Field(
        "continuous", description="Node provisioning mode."
    )
    mode: Literal["api", "customer-managed", "legacy"] = Field(
        "api",
        description="What configures Slurm: the service (api), lifecycle scripts that you review "
        "(customer-managed), or provisioning_parameters.json (legacy).",
    )
    controllers: int = Field(
        1, ge=1, le=3, description="Number of controllers; several, for failover, need mode legacy."
    )


class AutoPatching(Section):
    """How HyperPod applies security patches to the nodes of every group."""

    strategy: Literal["when-idle", "when-all-idle", "drain-first"] = Field(
        description="When to patch: each node once it is idle, all nodes once all are idle, or "
        "batch "
        "by batch after evicting pods."
    )
    idle_wait: Seconds | None = Field(
        None, description="Maximum wait for nodes to become idle, up to 25d; default: 24h."
    )
    batch: BatchSize | None = Field(
        None,
        description="Nodes drained at a time: a number (2) or a percentage of the group (10%).",
    )
    pause: Seconds | None = Field(
        None, description="Pause between batches, up to 1h; default: that of the service."
    )
    drain_timeout: Seconds | None = Field(
        None, description="Maximum time to drain a node, up to 90m; default: 1h."
    )
    on_drain_timeout: Literal["skip", "force"] | None = Field(
        None, description="skip: leave the node unpatched; force: delete its pods; default: skip."
    )
    rollback_alarms: list[AlarmName] = Field(
        [], max_length=10, description="CloudWatch alarms that roll the patch back."
    )


class HyperPodEks(Target):
    """SageMaker HyperPod with EKS."""

    eks_cluster: Literal["new"] | Arn = Field(
        "new", description="`new`, or the ARN of an existing EKS cluster."
    )
    eks_security_group: SecurityGroupId | None = Field(
        None,
        description="Cluster security group of the existing EKS cluster; traffic between it and "
        "the "
        "new security group of the nodes is allowed.",
    )
    tiered_checkpoints: int | None = Field(
        None,
        ge=1,
        le=100,
        description="Percentage of each node's memory for managed tiered checkpointing.",
    )
    auto_patching: AutoPatching | None = Field(
        None, description="Automatic security patches; default: manual."
    )
    update_schedule: str | None = Field(
        None, description="Schedule of image updates, in UTC: cron(0 3 ? * SUN *)."
    )


class Eks(Target):
    """Amazon EKS, deployed with the AWS CDK."""

    install: Literal["script", "stack"] = Field(
        "script",
        description="What installs the software in the cluster: install.sh (script), or "
        "`cdk deploy` (stack).",
    )
    deletion_protection: bool = Field(False, description="Protect the cluster against deletion.")


class Batch(Target):
    """AWS Batch."""

    image: str | None = Field(
        None,
        max_length=255,
        pattern=patterns.PRINTABLE.regex,
        description="Container image of the training jobs in jobs/; default: a public one.",
    )


class Targets(Section):
    """Targets to render for, each with its options, if any."""

    parallelcluster: ParallelCluster | None = Field(None, description="AWS ParallelCluster.")
    pcs: Pcs | None = Field(None, description="AWS PCS.")
    hyperpod_slurm: HyperPodSlurm | None = Field(
        None, alias="hyperpod-slurm", description="HyperPod with Slurm."
    )
    hyperpod_eks: HyperPodEks | None = Field(
        None, alias="hyperpod-eks", description="HyperPod with EKS."
    )
    eks: Eks | None = Field(None, description="EKS.")
    batch: Batch | None = Field(None, description="AWS Batch.")
