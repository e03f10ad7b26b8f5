"""Options that both HyperPod targets share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from clustergen.artifacts import Json
from clustergen.aws.members import present
from clustergen.hyperpod.limits import CONTROLLER, LOGIN
from clustergen.plan import model


@dataclass(frozen=True, slots=True)
class Patching:
    """Automatic security patches; times in seconds, None for the service's default."""

    strategy: Literal["when-idle", "when-all-idle", "drain-first"]
    idle_wait: int | None
    batch: str | None
    """``2`` is a number of nodes, ``10%`` a part of the group."""
    pause: int | None
    drain_timeout: int | None
    on_drain_timeout: Literal["skip", "force"] | None
    rollback_alarms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The user's lifecycle scripts: a folder in S3, and the script of it that nodes run."""

    source: str
    on_create: str | None
    on_init_complete: str | None

    @property
    def config(self) -> Json:
        """``LifeCycleConfig`` of an instance group."""
        return present(
            SourceS3Uri=self.source,
            OnCreate=self.on_create,
            OnInitComplete=self.on_init_complete,
        )


@dataclass(frozen=True, slots=True)
class Options(model.Options):
    """Options of both targets."""

    cluster: str
    """``new``, or the name of a cluster."""
    cluster_security_group: str | None
    lifecycle: Lifecycle | None
    provisioning: Literal["continuous", "all-at-once"]
    leave_out: tuple[str, ...]

    @classmethod
    def convert(cls, name: str, value: Any) -> Any:
        if name == "leave_out":
            return tuple(value)
        if name == "lifecycle" and value is not None:
            return Lifecycle(value.source, value.on_create, value.on_init_complete)
        return value

    @property
    def memberships(self) -> tuple[str, ...]:
        """See :attr:`clustergen.plan.model.Options.memberships`."""
        return tuple(filter(None, (self.cluster_security_group,))) if self.joined else ()

    @property
    def controller(self) -> str:
        """Name of the controller's instance group."""
        return CONTROLLER

    @property
    def login(self) -> str:
        """Name of the instance group of login nodes."""
        return LOGIN

    @property
    def patching(self) -> Patching | None:
        """Automatic patching of nodes, which HyperPod does with EKS only."""
        return None
