"""Nodes of Karpenter, which no stack knows of."""

import json
from typing import Final

from clustergen.deployment.cluster import stop_if_shared
from clustergen.deployment.kinds import Eks
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.node_pools import CLAIMS, POOL, POOLS, NodePools
from clustergen.deployment.run import Run
from clustergen.deployment.software.installation import Installation
from clustergen.deployment.world import Stop

_CLASSES: Final = "ec2nodeclasses.karpenter.k8s.aws"


class Karpenter(NodePools):
    """The node pools of a bundle, and their nodes."""

    def __init__(self, run: Run, api: Kubernetes, service: Eks) -> None:
        super().__init__(run, api, service.pools)
        self.service = service

    def _read(self) -> tuple[list[str], list[str]]:
        """The pools of this bundle, and what others have: pools, and nodes of these.

        A pool may be gone before its nodes are.
        """
        if self.run.options.rehearses:
            return list(self.service.pools), []
        pools = self.pools()
        mine = self.mine(pools)
        own = [*(name for name in self.service.pools if name not in pools), *sorted(mine)]
        others = [f"the node pool {name}" for name in sorted(pools.keys() - mine)]
        claims = self.claims().items()
        others += [f"the node {name}" for name, pool in claims if pool not in own]
        return own, others

    def check_alone(self) -> None:
        """Stop if others have pools: their nodes would run on without Karpenter and the cluster."""
        way = "Let their owners delete them (kubectl delete nodepools)."
        stop_if_shared(self._read()[1], way)

    def stop(self) -> None:
        """End the nodes of this bundle, and start no more."""
        own, _ = self._read()
        for name in self.service.pools:
            self._limit(name, "0")
        self._end(own)

    def start(self) -> None:
        """Let pools start nodes again."""
        for name, cpus in self.service.pools.items():
            self._limit(name, cpus)

    def _limit(self, pool: str, cpus: str) -> None:
        if self.api.has_own(POOLS, pool):
            text = json.dumps({"spec": {"limits": {"cpu": cpus}}}, separators=(",", ":"))
            self.api.change("patch", "nodepool", pool, "--type", "merge", "--patch", text)

    def _end(self, pools: list[str]) -> None:
        if pools:
            self.api.delete(CLAIMS, "--selector", f"{POOL} in ({','.join(pools)})")

    def delete(self) -> None:
        """Delete the pools of this bundle, their nodes, and what these start with."""
        own, _ = self._read()
        objects = self.run.bundle.objects
        mine = f"{objects.label}={objects.owner}"
        self.api.delete(POOLS, "--selector", mine, "--cascade=foreground")
        self._end(own)
        # Karpenter deletes the instance profile with it; until then, IAM keeps the role of nodes.
        self.api.delete(_CLASSES, "--selector", mine)

    def has_left(self, pool: str) -> str:
        if self.service.karpenter:
            return f"the node group {pool} left the spec"
        return f"Karpenter left the spec. Its node pool {pool} is still there"

    def end(self) -> None:
        """Delete nodes of an earlier bundle, before the change that removes Karpenter's role."""
        self.api.reach()
        if self.is_there():
            pools = self.pools()
            if others := sorted(pools.keys() - self.mine(pools)):
                raise Stop(
                    "Karpenter left the spec, and the cluster has node pools that are not this "
                    f"bundle's: {', '.join(others)}. Without Karpenter, their nodes would run on. "
                    "Nothing was changed in the stack of the cluster. Let their owners delete them "
                    "(kubectl delete), and run this again."
                )
        self.look_again()
        Installation(self.api, self.service.software, {}).prune()
