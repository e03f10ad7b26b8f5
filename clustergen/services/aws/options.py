"""Options that several targets have whose nodes are EC2 instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from clustergen.base.findings import Path
from clustergen.plan.model import Existing, Options
from clustergen.spec.options import option

if TYPE_CHECKING:
    from clustergen.spec.base import Printable, StackName


@dataclass(frozen=True, slots=True)
class Instances(Options):
    """Options of targets whose nodes are EC2 instances in the account."""

    OWNED: ClassVar[tuple[Path, ...]] = ()
    """What a cluster has once, and not by node group or queue."""

    key_name: Printable | None = option(None, "EC2 key pair of the nodes.")
    detailed_monitoring: bool = option(
        False, "Metrics of EC2 instances each minute rather than every 5."
    )
    imds: Literal["v1.0", "v2.0"] = option(
        "v2.0", "Oldest version of the instance metadata service that nodes offer."
    )

    @property
    def existing(self) -> Existing:
        """See :attr:`clustergen.plan.model.Options.existing`."""
        return self._existing(owned=self.OWNED, named={"key_name": self.key_name})


@dataclass(frozen=True, slots=True)
class LaunchTemplates(Instances):
    """Options of targets that start instances from launch templates of the bundle."""

    imds_hops: int | None = option(
        None,
        "Network hops at which the metadata service responds: 1 for the node alone, 2 for its "
        "containers too; default: by the target.",
        ge=1,
        le=64,
    )
    stack: StackName | None = option(
        None,
        "Name of the stack that has the cluster already, as `import --adopt` writes it: deploy.sh "
        "updates this stack, and never creates one. Default: a new one, such as CLUSTER-pcs.",
    )


LEFT_OUT = (
    "What clustergen adds, and you leave out. security-groups: those of the foundation, on nodes "
    "that have their own; session-manager: shells on nodes without SSH"
)
LEFT_OUT_OF_EKS = (
    "control-plane-logs: logs of a new control plane in CloudWatch; secrets-key: a key in your "
    "account for the secrets of a new EKS cluster, which EKS encrypts anyway"
)
