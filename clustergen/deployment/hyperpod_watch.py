"""Watches a HyperPod cluster until it is complete, or will not be."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, Protocol

from clustergen.base.artifacts import Json
from clustergen.deployment.hyperpod_api import Api

_EXPLAINED: Final = 120
"""After so many looks, 15 seconds apart, it says why nodes lack: HyperPod retries endlessly, and
never reports a failure of the cluster."""
_UNDONE: Final = 8
"""Looks after which an update counts as undone: HyperPod shows at once what it works towards."""


class Watched(Protocol):
    """Whose nodes are watched."""

    @property
    def among(self) -> Collection[str] | None: ...

    def lacking(self, shown: Json) -> str: ...

    def rolled_back(self, shown: Json) -> str: ...

    def explain(self) -> None: ...


@dataclass
class Watch:
    """What the last look has seen."""

    api: Api
    watched: Watched
    shown: Json = field(default_factory=dict)
    lacking: str = ""
    looks: int = 0
    undone: int = 0

    @property
    def status(self) -> str:
        """Empty if the cluster does not exist."""
        return str(self.shown.get("ClusterStatus", ""))

    def __post_init__(self) -> None:
        self.api.begin()

    def has_ended(self) -> bool:
        """Whether the cluster is complete, or will not be."""
        shown = self.shown = self.api.describe()
        self.lacking = busy = undone = ""
        if self.status == "InService":
            undone = self.watched.rolled_back(shown)
            self.lacking = f"{undone}{self.watched.lacking(shown)}"
            busy = self.api.busy(self.watched.among)
        nodes = f", nodes:{self.lacking}" if self.lacking else ""
        self.api.tell(f"{self.status or 'deleted'}{nodes}{busy}")
        if self.status in ("Failed", "") or (self.status == "InService" and not nodes + busy):
            return True
        self.undone += bool(undone)
        if self.undone >= _UNDONE:
            return True
        self.looks += 1
        if self.looks == _EXPLAINED and self.lacking:
            self.watched.explain()
        return False
