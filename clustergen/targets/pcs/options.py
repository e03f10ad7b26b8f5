"""Options of PCS: ``targets.pcs``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from clustergen.plan.model import Plan
from clustergen.services.aws.options import LEFT_OUT, LaunchTemplates
from clustergen.spec.options import option
from clustergen.targets.pcs import limits

if TYPE_CHECKING:
    from clustergen.spec.base import LongSeconds, PcsClusterId, SecurityGroupId
    from clustergen.spec.model import Spec


@dataclass(frozen=True, slots=True)
class Options(LaunchTemplates):
    """AWS Parallel Computing Service."""

    SECTION: ClassVar = "Pcs"
    OWNED: ClassVar = (
        *(("slurm", name) for name in ("accounting", "accounts", "qos", "idle_timeout")),
        *(("slurm", name) for name in ("settings", "slurmdbd_settings", "cgroup_settings")),
        *(("targets", "pcs", name) for name in ("size", "rest", "purge_accounting")),
        ("resilience", "auto_resume"),
        ("monitoring", "log_retention"),
    )

    cluster: Literal["new"] | PcsClusterId = option(
        "new",
        "`new`, or the id of an existing cluster, as `aws pcs list-clusters` shows it: node groups "
        "and queues are added to it.",
    )
    cluster_security_group: SecurityGroupId | None = option(
        None,
        "Security group of the existing cluster; traffic between it and the new security group of "
        "the nodes is allowed.",
    )
    size: Literal["auto", "small", "medium", "large"] = option(
        "auto",
        "Controller size, which cannot change later; small: 256 jobs at a time, each task of an "
        "array counted; auto: the smallest that supports the number of nodes.",
    )
    rest: bool = option(False, "Enable the Slurm REST API.")
    purge_accounting: LongSeconds | None = option(
        None, "Retention time of job records, in whole days."
    )
    leave_out: tuple[Literal["security-groups", "session-manager"], ...] = option(
        [], f"{LEFT_OUT}."
    )

    def unneeded(self, spec: Spec) -> frozenset[str]:  # noqa: ARG002 of any spec
        """See :meth:`clustergen.plan.model.Options.unneeded`."""
        return frozenset({"pcs-sessions"} if self.leaves_out("session-manager") else ())

    def resolved(self, plan: Plan) -> Mapping[str, tuple[Any, str]]:
        """See :meth:`clustergen.plan.model.Options.resolved`."""
        smallest = limits.smallest_size(managed_nodes(plan))
        if self.size != "auto" or smallest is None or self.existing.cluster:
            return {}
        return {"size": (smallest.name.lower(), f"the smallest for {managed_nodes(plan)} nodes")}


def managed_nodes(plan: Plan) -> int:
    """Instances that count against the controller's size, including login nodes."""
    return plan.max_nodes + (plan.login.count if plan.login else 0)
