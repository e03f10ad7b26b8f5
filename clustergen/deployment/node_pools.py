"""Node pools of Karpenter that left the spec, and their nodes."""

from collections.abc import Collection, Mapping
from typing import Final

from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.run import Run
from clustergen.deployment.world import Stop

POOLS: Final = "nodepools.karpenter.sh"
CLAIMS: Final = "nodeclaims.karpenter.sh"
POOL: Final = "karpenter.sh/nodepool"
"""The label of a node with the name of its pool."""
_LATER: Final = "node-pools-later"


class NodePools:
    """The node pools of a bundle; ``names`` are those in the spec."""

    def __init__(self, run: Run, api: Kubernetes, names: Collection[str]) -> None:
        self.run, self.api, self.names = run, api, names

    def is_there(self) -> bool:
        """Whether the cluster has node pools."""
        return self.api.has("customresourcedefinitions", POOLS)

    def pools(self) -> dict[str, str]:
        """The node pools of the cluster, and who has made each."""
        return {e["metadata"]["name"]: self.api.owner(e) for e in self.api.items(POOLS)}

    def mine(self, pools: Mapping[str, str]) -> set[str]:
        """Those of the pools that this bundle has made."""
        return {name for name, by in pools.items() if by == self.run.bundle.objects.owner}

    def claims(self) -> dict[str, str]:
        """The nodes of Karpenter, and the pool of each."""
        found = (each["metadata"] for each in self.api.items(CLAIMS))
        return {each["name"]: (each.get("labels") or {}).get(POOL, "") for each in found}

    def look_before(self, reachable: bool) -> None:
        """Stop at pools that left the spec and have nodes: a deployment deletes such pools.

        Where the API does not respond, the deployment may be about to change that: they are looked
        at before they change.
        """
        if self._needs_no_look() or not reachable:
            return
        try:
            self.api.reach()
            there = self.is_there()
        except Stop:
            self.run.note(
                "The API of the EKS cluster does not respond, or not to you. Its node pools are "
                "looked at before they change."
            )
            self.run.later.add(_LATER)
            return
        if there:
            self._stop_at_left("Nothing was changed.")

    def look(self) -> None:
        """The same where the API is known to respond."""
        if not self._needs_no_look() and self.is_there():
            self._stop_at_left("Nothing was changed.")

    def look_again(self) -> None:
        """The same before anything deletes node pools, where it was not known before."""
        if _LATER in self.run.later and self.is_there():
            self._stop_at_left("No node pool was changed.")

    def _needs_no_look(self) -> bool:
        return self.run.options.rehearses or self.run.consents("replaces-resource")

    def _stop_at_left(self, so_far: str) -> None:
        mine = self.mine(self.pools())
        for pool in self.claims().values():
            if pool in mine and pool not in self.names:
                raise Stop(
                    f"{self.has_left(pool)}, and has nodes: they would be terminated, with the "
                    f"jobs on them. {so_far} If this is intended, add --allow-replacement."
                )

    def has_left(self, pool: str) -> str:
        """What has left the spec."""
        return f"the node pool {pool} left the spec, perhaps because its queue has another name"
