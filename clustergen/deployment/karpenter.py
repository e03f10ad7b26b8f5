"""Nodes of Karpenter, which no stack knows of."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from clustergen.deployment.cluster import stop_at_others
from clustergen.deployment.kinds import Eks
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.run import Run
from clustergen.deployment.world import Stop

_POOLS: Final = "nodepools.karpenter.sh"
_CLAIMS: Final = "nodeclaims.karpenter.sh"
_POOL: Final = "karpenter.sh/nodepool"
"""The label of a node with the name of its pool."""
_LATER: Final = "karpenter-later"


class Karpenter:
    """The node pools of a bundle, and their nodes."""

    def __init__(self, run: Run, api: Kubernetes, service: Eks) -> None:
        self.run, self.api, self.service = run, api, service

    def is_there(self) -> bool:
        """Whether the cluster has node pools."""
        return self.api.has("customresourcedefinitions", _POOLS)

    def _pools(self) -> dict[str, str]:
        """The node pools of the cluster, and who has made each."""
        return {e["metadata"]["name"]: self.api.owner(e) for e in self.api.items(_POOLS)}

    def _claims(self) -> dict[str, str]:
        """The nodes of Karpenter, and the pool of each."""
        found = (each["metadata"] for each in self.api.items(_CLAIMS))
        return {each["name"]: (each.get("labels") or {}).get(_POOL, "") for each in found}

    def _read(self) -> tuple[list[str], list[str]]:
        """The pools of this bundle, and what others have: pools, and nodes of these.

        A pool may be gone before its nodes are.
        """
        if self.run.options.rehearses:
            return list(self.service.pools), []
        pools = self._pools()
        mine = {name for name, by in pools.items() if by == self.run.bundle.objects.owner}
        own = [*(name for name in self.service.pools if name not in pools), *sorted(mine)]
        others = [f"the node pool {name}" for name in sorted(pools.keys() - mine)]
        claims = self._claims().items()
        others += [f"the node {name}" for name, pool in claims if pool not in own]
        return own, others

    def check_alone(self) -> None:
        """Stop if others have pools: their nodes would run on without Karpenter and the cluster."""
        way = "Let their owners delete them (kubectl delete nodepools)."
        stop_at_others(self._read()[1], way)

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
        if self.api.has_own(_POOLS, pool):
            text = json.dumps({"spec": {"limits": {"cpu": cpus}}}, separators=(",", ":"))
            self.api.change("patch", "nodepool", pool, "--type", "merge", "--patch", text)

    def _end(self, pools: list[str]) -> None:
        if pools:
            self.api.delete(_CLAIMS, "--selector", f"{_POOL} in ({','.join(pools)})")

    def delete(self) -> None:
        """Delete the pools of this bundle, and their nodes."""
        own, _ = self._read()
        objects = self.run.bundle.objects
        mine = f"{objects.label}={objects.owner}"
        self.api.delete(_POOLS, "--selector", mine, "--cascade=foreground")
        self._end(own)

    def look_before(self, reachable: bool) -> None:
        """Stop at pools that left the spec and have nodes: install.sh deletes such pools.

        Where the API does not respond, the deployment may be about to change that: they are looked
        at before they change.
        """
        if self.run.options.rehearses or self.run.consents("replaces-resource") or not reachable:
            return
        try:
            self.api.reach()
            there = self.api.get("customresourcedefinitions", _POOLS) is not None
        except Stop:
            self.run.note(
                "The API of the EKS cluster does not respond, or not to you. Its node pools are "
                "looked at before they change."
            )
            self.run.later.add(_LATER)
            return
        if there:
            self._stop_at_left("Nothing was changed.")

    def look_again(self) -> None:
        """The same before anything deletes node pools, where it was not known before."""
        if _LATER in self.run.later and self.is_there():
            self._stop_at_left("No node pool was changed.")

    def _stop_at_left(self, so_far: str) -> None:
        mine = {name for name, by in self._pools().items() if by == self.run.bundle.objects.owner}
        for pool in self._claims().values():
            if pool in mine and pool not in self.service.pools:
                left = (
                    f"the node group {pool} left the spec"
                    if self.service.karpenter
                    else f"Karpenter left the spec. Its node pool {pool} is still there"
                )
                raise Stop(
                    f"{left}, and has nodes: they would be terminated, with the jobs on them. "
                    f"{so_far} If this is intended, add --allow-replacement."
                )

    def end(self, reach: Callable[[], None]) -> None:
        """Delete nodes of an earlier bundle, before the change that removes Karpenter's role."""
        reach()
        if self.is_there():
            owner = self.run.bundle.objects.owner
            if others := sorted(name for name, by in self._pools().items() if by != owner):
                raise Stop(
                    "Karpenter left the spec, and the cluster has node pools that are not this "
                    f"bundle's: {', '.join(others)}. Without Karpenter, their nodes would run on. "
                    "Nothing was changed in the stack of the cluster. Let their owners delete them "
                    "(kubectl delete), and run this again."
                )
        self.look_again()
        self.api.script("install.sh", "--prune")
