"""Queues of Kueue while a cluster is paused."""

import json
from dataclasses import dataclass
from typing import Final

from clustergen.deployment.kinds import Eks
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.run import Run
from clustergen.deployment.software.model import CLUSTER_QUEUES

_LOOKS: Final = 24


@dataclass(frozen=True, slots=True)
class Queues:
    """The ClusterQueues of a bundle."""

    run: Run
    api: Kubernetes
    service: Eks

    def hold(self) -> None:
        """Hold the queues.

        Without nodes, Kueue would admit jobs again and again, and then give up on them. Held, it
        suspends those that run, and all wait.
        """
        if not self._are_there():
            return
        for name in self.service.queues:
            self.hold_queue(name)
        self.await_suspension()

    def hold_queue(self, name: str) -> None:
        """Hold one queue, if this bundle has made it."""
        policy, before = self._read(name)
        if policy is not None and before is None:
            self._patch(name, "HoldAndDrain", policy)

    def release(self) -> None:
        """Release the queues that a pause holds: what others held before stays held."""
        if not self._are_there():
            return
        for name in self.service.queues:
            self.release_queue(name)

    def release_queue(self, name: str) -> None:
        """Release one queue."""
        _, before = self._read(name)
        before = "None" if self.run.options.rehearses else before
        if before is not None:
            self._patch(name, before, None)

    def _are_there(self) -> bool:
        return bool(self.service.queues) and self.api.has(
            "customresourcedefinitions", CLUSTER_QUEUES
        )

    def _read(self, name: str) -> tuple[str | None, str | None]:
        """The policy of a queue of this bundle, and that of before a pause; None where not."""
        if self.run.options.rehearses:
            return "None", None
        found = self.api.get(CLUSTER_QUEUES, name)
        if found is None or self.api.owner(found) != self.run.bundle.objects.owner:
            return None, None
        marks = found["metadata"].get("annotations") or {}
        policy = found.get("spec", {}).get("stopPolicy") or "None"
        return policy, marks.get(self.run.bundle.objects.paused)

    def _patch(self, name: str, policy: str, mark: str | None) -> None:
        annotations = {self.run.bundle.objects.paused: mark}
        patch = {"metadata": {"annotations": annotations}, "spec": {"stopPolicy": policy}}
        text = json.dumps(patch, separators=(",", ":"))
        self.api.change("patch", CLUSTER_QUEUES, name, "--type", "merge", "--patch", text)

    def await_suspension(self) -> None:
        """A pod that ends with its node before Kueue has suspended its job is a failure."""
        if self.run.options.rehearses:
            return
        for look in range(_LOOKS):
            found = [self.api.get(CLUSTER_QUEUES, name) or {} for name in self.service.queues]
            if not any(each.get("status", {}).get("reservingWorkloads") for each in found):
                return
            if look == 1:
                self.run.note("Waiting up to 2 minutes for Kueue to suspend the jobs that run.")
            self.run.world.clock.sleep(5)
