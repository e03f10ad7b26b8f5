"""Options of HyperPod with Slurm: ``targets.hyperpod-slurm``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from clustergen.base.findings import Path
from clustergen.base.text_lists import words
from clustergen.plan.model import Existing
from clustergen.services.hyperpod import options
from clustergen.services.hyperpod.options import ADDITIONS
from clustergen.spec.options import option

if TYPE_CHECKING:
    from clustergen.spec.base import InstanceGroup

_OF_SLURM = words("accounting accounts qos settings slurmdbd_settings cgroup_settings idle_timeout")
_OF_THE_CLUSTER: tuple[Path, ...] = (
    ("resilience", "replace_failed_nodes"),
    ("head_node",),
    *(("slurm", name) for name in _OF_SLURM),
    ("targets", "hyperpod-slurm", "controllers"),
)
"""What a cluster has once, and not by node group or queue."""


@dataclass(frozen=True, slots=True)
class Options(options.Options):
    """SageMaker HyperPod with Slurm."""

    SECTION: ClassVar = "HyperPodSlurm"

    leave_out: tuple[
        Literal[
            "second-volume",
            "threads-per-core",
            "node-recovery",
            "one-subnet",
            "security-groups",
            "controller-role",
        ],
        ...,
    ] = option(
        [],
        f"{ADDITIONS}; controller-role: the role of the controller alone, which reads the password "
        "of the accounting database; without it, users of every node can read it.",
    )
    mode: Literal["api", "customer-managed", "legacy"] = option(
        "api",
        "What configures Slurm: the service (api), lifecycle scripts that you review "
        "(customer-managed), or provisioning_parameters.json (legacy).",
    )
    controllers: int = option(
        1, "Number of controllers; several, for failover, need mode legacy.", ge=1, le=3
    )
    controller_group: InstanceGroup = option(
        "controller", "Name of the instance group of the controller."
    )
    login_group: InstanceGroup = option("login", "Name of the instance group of login nodes.")

    @property
    def controller(self) -> str:
        return self.controller_group

    @property
    def login(self) -> str:
        return self.login_group

    @property
    def existing(self) -> Existing:
        """See :attr:`clustergen.plan.model.Options.existing`."""
        return self._existing(memberships=(self.cluster_security_group,), owned=_OF_THE_CLUSTER)

    @property
    def head_nodes(self) -> int:
        return 0 if self.existing.cluster else self.controllers
