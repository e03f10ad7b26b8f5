"""A CreateCluster request as values: what both targets decide, before anybody writes it down.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateCluster.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from clustergen.plan.model import Id, Taint


@dataclass(frozen=True, slots=True)
class EbsVolume:
    """The second volume of an instance, at /opt/sagemaker; size in GB."""

    size_gb: int


@dataclass(frozen=True, slots=True)
class LustreMount:
    """A Lustre file system or cache that HyperPod mounts."""

    dns_name: Id
    mount_name: Id
    mount_path: str


@dataclass(frozen=True, slots=True)
class OpenZfsMount:
    """An OpenZFS file system that HyperPod mounts."""

    dns_name: Id
    mount_path: str


InstanceStorage = EbsVolume | LustreMount | OpenZfsMount


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """Scripts in S3, and which of them runs: ``source`` is a folder, the others file names."""

    source: str
    """s3:// URI; ``${Name}`` in it is a foundation output."""
    on_create: str | None = None
    """Instead of HyperPod's own set-up of the node."""
    on_init_complete: str | None = None
    """After it."""


@dataclass(frozen=True, slots=True)
class Vpc:
    """Where instances have their interfaces."""

    security_groups: tuple[Id, ...]
    subnets: tuple[Id, ...]


@dataclass(frozen=True, slots=True)
class SlurmNode:
    """What an instance group is to Slurm; only compute nodes have a partition."""

    type: Literal["Controller", "Login", "Compute"]
    partition: str | None = None


@dataclass(frozen=True, slots=True)
class KubernetesNode:
    """What Kubernetes is told of the nodes of a group."""

    labels: Mapping[str, str]
    taints: tuple[Taint, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """How many instances of a group are away together: a number, or per cent of the group."""

    size: int
    percent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Patching:
    """How security patches reach instances by themselves; times in seconds, None: the default.

    https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterAutoPatchConfig.html
    """

    strategy: Literal["WhenIdle", "WhenAllIdle", "DrainFirst"]
    idle_wait: int | None = None
    batch: Batch | None = None
    pause: int | None = None
    drain_timeout: int | None = None
    on_drain_timeout: Literal["Skip", "Force"] | None = None
    alarms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceGroup:
    """Instances of one kind; several ``types`` are in order of preference."""

    name: str
    count: int
    types: tuple[str, ...]
    """SageMaker's names: ``ml.p5en.48xlarge``."""
    role: Id
    threads_per_core: int | None = None
    min_count: int | None = None
    storage: tuple[InstanceStorage, ...] = ()
    lifecycle: Lifecycle | None = None
    health_checks: tuple[str, ...] = ()
    """In the API's words: InstanceStress, ..."""
    training_plan: str | None = None
    vpc: Vpc | None = None
    """Of this group alone; None: the cluster's."""
    image: str | None = None
    interface_type: Literal["efa", "efa-only"] | None = None
    spot: bool = False
    slurm: SlurmNode | None = None
    kubernetes: KubernetesNode | None = None
    patching: Patching | None = None
    update_schedule: str | None = None
    """When instances get new images: a cron expression of the service's."""


@dataclass(frozen=True, slots=True)
class AccountingDatabase:
    """An external database of Slurm's job records; only with continuous provisioning."""

    endpoint: str
    port: int
    name: str
    secret: str


@dataclass(frozen=True, slots=True)
class Slurm:
    """Slurm as orchestrator. ``strategy`` is absent with continuous provisioning."""

    strategy: Literal["Managed", "Overwrite", "Merge"] | None = None
    database: AccountingDatabase | None = None


@dataclass(frozen=True, slots=True)
class Eks:
    """An EKS cluster as orchestrator."""

    cluster: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A cluster. ``orchestrator`` None is the old form, in which scripts make the Slurm."""

    name: str
    groups: tuple[InstanceGroup, ...]
    vpc: Vpc
    orchestrator: Slurm | Eks | None
    recover: bool
    """Failed nodes are replaced or rebooted."""
    continuous: bool
    """Instances join as they come; otherwise all at once or none."""
    tags: Mapping[str, str] = field(default_factory=dict)
    cluster_role: Id | None = None
    karpenter: bool = False
    tiered_memory_percent: int | None = None
    """Memory of each node for checkpoints, in per cent; None: none."""
