"""The sizes of managed node groups of EKS."""

from typing import Final, NamedTuple

from clustergen.base.artifacts import Json
from clustergen.deployment import schedules
from clustergen.deployment.bucket import Rows
from clustergen.deployment.kinds import Eks
from clustergen.deployment.run import Run
from clustergen.deployment.world import Stop

_GROUP_MINUTES: Final = 30


class Scaling(NamedTuple):
    """The size of a node group, and its status."""

    minimum: int
    desired: int
    status: str = "ACTIVE"


class Sizes:
    """The sizes of a bundle's node groups, by name, as EKS has them."""

    def __init__(self, run: Run, service: Eks) -> None:
        self.run, self.service = run, service

    def scaling(self, name: str) -> Scaling | None:
        """A node group as EKS shows it; None if it does not exist."""
        found = self.shown(name)
        if found is None:
            return None
        size = found["scalingConfig"]
        return Scaling(int(size["minSize"]), int(size["desiredSize"]), found["status"])

    def shown(self, name: str) -> Json | None:
        """All that EKS says of a node group; None if it does not exist."""
        names = {"clusterName": self.service.eks_cluster, "nodegroupName": name}
        found: Json | None = self.run.world.need("eks:DescribeNodegroup", "nodegroup", **names)
        return found

    def count(self, name: str) -> int:
        """How many nodes a group has; none where it does not exist."""
        found = self.scaling(name)
        return found.desired if found else 0

    def present(self) -> dict[str, int]:
        """How many nodes each group has; none in a dry run."""
        rehearses = self.run.options.rehearses
        return {name: 0 if rehearses else self.count(name) for name in self.service.groups}

    def rows(self) -> Rows:
        """Name, minimum and size of each group that exists."""
        sizes = {name: self.scaling(name) for name in self.service.groups}
        return [[n, str(s.minimum), str(s.desired)] for n, s in sizes.items() if s]

    def command(self, group: str) -> str:
        """The command that scales a group, without the sizes."""
        return (
            f"aws eks update-nodegroup-config --region {self.run.bundle.region} --cluster-name "
            f"{self.service.eks_cluster} --nodegroup-name {group} --scaling-config"
        )

    def check_earlier_nodes(self) -> None:
        """A change of the reservation terminates nodes: none are there before its start."""
        for group in self.service.dated:
            if schedules.phase(self.run, group) == "before" and self.count(group):
                raise Stop(
                    f"nodes of the earlier capacity of {group} still run, and this deployment "
                    "would terminate them. Deploy after its end, or scale to zero: "
                    f"{self.command(group)} minSize=0,desiredSize=0"
                )

    def active(self, name: str) -> Scaling:
        """A node group once EKS can change it."""

        def active() -> Scaling | None:
            found = self.scaling(name)
            if found is None:
                raise Stop(f"EKS has no node group {name}")
            if found.status.endswith("_FAILED"):
                raise Stop(
                    f"EKS cannot change the node group {name}: aws --region "
                    f"{self.run.bundle.region} eks describe-nodegroup --cluster-name "
                    f"{self.service.eks_cluster} --nodegroup-name {name} --query nodegroup.health"
                )
            return found if found.status in ("ACTIVE", "DEGRADED") else None

        return self.run.world.wait(_GROUP_MINUTES, f"the node group {name}", active)

    def resize(self, name: str, minimum: int, desired: int) -> None:
        """Scale a group, once EKS can change it."""
        if not self.run.options.rehearses:
            self.active(name)
        self._scale(name, minimum, desired)

    def _scale(self, name: str, minimum: int, desired: int) -> None:
        self.run.world.change(
            "eks:UpdateNodegroupConfig",
            clusterName=self.service.eks_cluster,
            nodegroupName=name,
            scalingConfig={"minSize": minimum, "desiredSize": desired},
        )

    def settle(self, name: str) -> None:
        """Request missing nodes of a group while it has capacity; end all after that.

        Cluster Autoscaler, if the cluster has it, keeps the minimum of idle nodes.
        """
        group, phase = self.service.groups[name], schedules.phase(self.run, name)
        found = Scaling(0, 0) if self.run.options.rehearses else self.active(name)
        if phase == "over":
            self.run.note(f"The capacity of {name} has ended: it gets no nodes.")
            if found.desired:
                self._scale(name, 0, 0)
        if phase != "during" or (found.desired >= group.wanted and found.minimum == group.kept):
            return
        self._scale(name, group.kept, max(found.desired, group.wanted))
        if found.desired < group.wanted:
            self.run.note(
                f"{name}: requested {group.wanted} nodes. To see why one is missing: aws eks "
                f"describe-nodegroup --region {self.run.bundle.region} --cluster-name "
                f"{self.service.eks_cluster} --nodegroup-name {name} --query nodegroup.health"
            )
