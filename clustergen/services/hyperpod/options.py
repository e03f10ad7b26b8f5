"""Options that both HyperPod targets share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from clustergen.base.artifacts import Json
from clustergen.plan import model
from clustergen.services.aws.members import present
from clustergen.services.hyperpod.limits import CONTROLLER, LOGIN
from clustergen.spec import validators
from clustergen.spec.options import option

if TYPE_CHECKING:
    from clustergen.spec.base import (
        AlarmName,
        BatchSize,
        InstanceGroup,
        Printable,
        S3Uri,
        Seconds,
        SecurityGroupId,
    )

ADDITIONS = (
    "What clustergen adds, and you leave out. second-volume: the second EBS volume of nodes whose "
    "root_volume has no size; threads-per-core: the number for nodes that have none in the spec; "
    "node-recovery: the setting, so that the service decides; one-subnet: the choice of the first "
    "of private_subnets, so that HyperPod chooses; security-groups: those of the foundation, on "
    "groups that have their own"
)


@dataclass(frozen=True, slots=True)
class AutoPatching:
    """How HyperPod applies security patches to the nodes of every group."""

    strategy: Literal["when-idle", "when-all-idle", "drain-first"] = option(
        ...,
        "When to patch: each node once it is idle, all nodes once all are idle, or batch by batch "
        "after evicting pods.",
    )
    idle_wait: Seconds | None = option(
        None, "Maximum wait for nodes to become idle, up to 25d; default: 24h."
    )
    batch: BatchSize | None = option(
        None, "Nodes drained at a time: a number (2) or a percentage of the group (10%)."
    )
    pause: Seconds | None = option(
        None, "Pause between batches, up to 1h; default: that of the service."
    )
    drain_timeout: Seconds | None = option(
        None, "Maximum time to drain a node, up to 90m; default: 1h."
    )
    on_drain_timeout: Literal["skip", "force"] | None = option(
        None, "skip: leave the node unpatched; force: delete its pods; default: skip."
    )
    rollback_alarms: tuple[AlarmName, ...] = option(
        [], "CloudWatch alarms that roll the patch back.", max_length=10
    )


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """Lifecycle scripts of your own, in place of those of the bundle."""

    CHECK: ClassVar = staticmethod(validators.one_lifecycle_script)

    source: S3Uri = option(..., "Folder in S3 that nodes download, s3://bucket/folder.")
    on_create: Printable | None = option(
        None,
        "Script of the folder that sets nodes up; with Slurm, in place of HyperPod.",
        max_length=128,
    )
    on_init_complete: Printable | None = option(
        None, "Script of the folder that runs after HyperPod has set Slurm up.", max_length=128
    )

    @property
    def config(self) -> Json:
        """``LifeCycleConfig`` of an instance group."""
        return present(
            SourceS3Uri=self.source, OnCreate=self.on_create, OnInitComplete=self.on_init_complete
        )


@dataclass(frozen=True, slots=True)
class Options(model.Options):
    """Options of both targets."""

    cluster: Literal["new"] | InstanceGroup = option(
        "new", "`new`, or the name of an existing cluster, to which instance groups are added."
    )
    cluster_security_group: SecurityGroupId | None = option(
        None, "Security group of the nodes of the existing cluster; the added nodes get it, too."
    )
    lifecycle: Lifecycle | None = option(
        None, "Your own lifecycle scripts; default: those of the bundle.", of=Lifecycle
    )
    provisioning: Literal["continuous", "all-at-once"] = option(
        "continuous", "Node provisioning mode."
    )

    @property
    def controller(self) -> str:
        """Name of the controller's instance group."""
        return CONTROLLER

    @property
    def login(self) -> str:
        """Name of the instance group of login nodes."""
        return LOGIN

    @property
    def patching(self) -> AutoPatching | None:
        """Automatic patching of nodes, which HyperPod does with EKS only."""
        return None
