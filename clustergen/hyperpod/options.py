"""Options that both HyperPod targets share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
class Options(model.Options):
    """Options of both targets."""

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
