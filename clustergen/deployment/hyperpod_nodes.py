"""The nodes of a HyperPod cluster, for people who look after it."""

from collections.abc import Collection, Iterator
from typing import cast

from clustergen.base.artifacts import Json
from clustergen.deployment import slurm_nodes
from clustergen.deployment.bucket import Rows
from clustergen.deployment.cluster import Cluster
from clustergen.deployment.hyperpod_api import Api, groups_of
from clustergen.deployment.kinds import HyperPod
from clustergen.deployment.nodes import Node
from clustergen.deployment.run import Run
from clustergen.deployment.world import Stop


class HyperPodNodes(Cluster):
    """A HyperPod cluster that runs."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.api = Api(run, self.service.name)

    @property
    def service(self) -> HyperPod:
        return cast("HyperPod", self.run.bundle.service)

    @property
    def among(self) -> Collection[str] | None:
        """The groups that are this bundle's; None for all of the cluster."""
        return None

    @property
    def shared(self) -> bool:
        return self.among is not None

    def present(self, shown: Json) -> list[str]:
        """The groups of the cluster that are this bundle's."""
        return [*groups_of(shown)]

    @property
    def eks_cluster(self) -> str:
        return self.service.eks_cluster

    @property
    def entrances(self) -> tuple[str, ...]:
        return self.service.login, self.service.controller

    def state(self) -> Rows:
        shown = self.api.describe()
        return self.api.rows(shown, self.present(shown))

    def nodes(self) -> Iterator[Node]:
        return self.api.nodes_among(self.present(self.api.describe()) if self.shared else None)

    def session(self, node: Node) -> str:
        return f"sagemaker-cluster:{self.api.id()}_{node.group}-{node.id}"

    def log_groups(self) -> list[str]:
        return [self.api.log_group()]

    def drain(self, node: Node, entrance: Node) -> str:
        name = node.address.partition(".")[0] or "NODE"
        command = f'sudo "$(which scontrol)" update nodename={name} state=drain reason=WHY'
        raise _by_hand(f"--login --node {entrance.id}", command)

    def test(self, group: str, entrance: Node | None) -> None:  # noqa: ARG002
        script = slurm_nodes.testing(self.run, group)
        raise _by_hand("--login", f"sudo bash -s, with this:\n{script}")

    def replace(self, node: Node) -> None:
        if node.group == self.service.controller:
            raise Stop("HyperPod replaces a failed controller by itself, and no other.")
        self.api.replace(node.id)


def _by_hand(login: str, command: str) -> Stop:
    return Stop(
        "Systems Manager opens shells on nodes of HyperPod, and runs no commands there: deploy.sh "
        f"{login}, and there: {command}"
    )
