"""What nodes run: scripts, users, monitoring."""

from dataclasses import dataclass
from typing import Literal

from clustergen.base.findings import Path
from clustergen.plan.model.network import Id
from clustergen.plan.model.nodes import Role


@dataclass(frozen=True, slots=True)
class Script:
    """A user script; ``url`` is s3:// or https://."""

    path: Path
    url: str
    on: tuple[Role, ...]
    when: Literal["start", "configured", "updated"]
    args: tuple[str, ...]
    node_groups: tuple[str, ...]
    """The node groups it runs on; all if the spec names none."""
    sha256: str | None
    on_failure: Literal["stop", "continue"] | None = None
    """What happens to a node whose script fails; None leaves it to the target."""
    every_boot: bool = False

    def stops(self, default: bool) -> bool:
        """Whether a node whose script fails is given up."""
        return default if self.on_failure is None else self.on_failure == "stop"


@dataclass(frozen=True, slots=True)
class Software:
    """What runs on the nodes."""

    os: str
    containers: Literal["pyxis", "docker", "none"]
    registry: str | None
    """Where copies of public images are, as host and prefix."""
    scripts: tuple[Script, ...]


@dataclass(frozen=True, slots=True)
class User:
    """A user with a login and the same uid on every node."""

    path: Path
    name: str
    uid: int
    ssh_key: str | None


@dataclass(frozen=True, slots=True)
class Alerts:
    """Who hears of alerts."""

    emails: tuple[str, ...]
    topic: str | None
    """ARN of an SNS topic that exists."""

    @property
    def wanted(self) -> bool:
        return bool(self.emails or self.topic)


@dataclass(frozen=True, slots=True)
class Monitoring:
    """Metrics, dashboards, alerts and logs."""

    metrics: Literal["managed-prometheus", "self-hosted", "cloudwatch", "none"]
    dashboards: Literal["cloudwatch", "managed-grafana", "grafana-files", "none"]
    alerts: Alerts
    interval_seconds: int
    """Between two samples of a metric."""
    workspace: Id | None
    """The workspace of Amazon Managed Service for Prometheus, where metrics go to one."""
    log_retention_days: int
    """0 means forever."""

    @property
    def scraped(self) -> bool:
        """Whether a Prometheus collects metrics from a Kubernetes cluster."""
        return self.metrics in ("managed-prometheus", "self-hosted")

    @property
    def of_nodes(self) -> bool:
        """Whether nodes measure themselves and send what they measure."""
        return self.metrics in ("managed-prometheus", "cloudwatch")


@dataclass(frozen=True, slots=True)
class Resilience:
    """What happens when hardware fails."""

    replace_failed_nodes: bool
    auto_resume: bool
