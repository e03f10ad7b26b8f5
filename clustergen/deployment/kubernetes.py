"""The API of an EKS cluster, by kubectl, and the scripts that install software there."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clustergen.base.artifacts import Json
from clustergen.deployment import printing
from clustergen.deployment.programs import Ended
from clustergen.deployment.run import FILLED, Run
from clustergen.deployment.world import Stop, at

_UP: Final = ("ACTIVE", "UPDATING")
_KUBECONFIG: Final = f"{FILLED}/kubeconfig"


def kubeconfig(region: str, cluster: str) -> list[str]:
    """The command that lets kubectl reach a cluster."""
    return ["aws", "eks", "update-kubeconfig", "--region", region, "--name", cluster]


class Kubernetes:
    """One cluster. kubectl and helm do not change the configuration of the user."""

    def __init__(self, run: Run, cluster: str) -> None:
        self.run, self.cluster = run, cluster

    @property
    def _environment(self) -> Mapping[str, str]:
        return {"KUBECONFIG": _KUBECONFIG}

    def describe(self) -> Json | None:
        """The cluster as EKS shows it; None if it does not exist."""
        call = "eks:DescribeCluster"
        found: Json | None = self.run.world.need(call, "cluster", name=self.cluster)
        if found is not None and "status" not in found:
            raise Stop(f"EKS shows no status of {self.cluster}. Run this again.")
        return found

    def is_up(self) -> bool:
        """Whether kubectl can be set up: the CLI refuses while EKS makes or deletes the cluster."""
        return self.run.options.rehearses or (self.describe() or {}).get("status") in _UP

    def silence(self) -> str:
        """Why the API does not respond; empty if it does."""
        if not self.run.options.rehearses:
            doubts: list[str] = []
            asked = "eks:DescribeCluster", "cluster"
            found = self.run.world.allowed(doubts, *asked, name=self.cluster)
            status = at(found, "cluster.status")
            if status not in _UP:
                return doubts[0] if doubts else f"EKS says that it is {status or 'not there'}"
        try:
            self.reach()
        except Stop as stop:
            return str(stop)
        ended = self.ask("get", "--raw", "/readyz")
        return f"kubectl said: {ended.err.strip() or 'nothing'}" if ended.status else ""

    def check_access(self) -> None:
        """Stop if the API does not respond: without it, a deployment could not be completed."""
        if silence := self.silence():
            raise Stop(
                f"the API of {self.cluster} does not respond: it is private, or you have no access "
                "entry. Run deploy.sh in its VPC, and ask its owner for access (aws eks "
                f"create-access-entry). {silence}"
            )

    def reach(self) -> None:
        """Write a configuration of kubectl for this cluster alone."""
        alias = ["--alias", self.run.bundle.cluster, "--kubeconfig", _KUBECONFIG]
        self.run.filled("kubeconfig")
        self._change([*kubeconfig(self.run.bundle.region, self.cluster), *alias])

    def _kubectl(self, *words: str) -> list[str]:
        return self._patient("--request-timeout", "30s", *words)

    def _patient(self, *words: str) -> list[str]:
        """A command that waits by itself."""
        return ["kubectl", "--context", self.run.bundle.cluster, *words]

    def ask(self, *words: str) -> Ended:
        """How a command of kubectl ended that changes nothing."""
        command = self._kubectl(*words)
        return self.run.world.programs.run(command, self.run.folder, self._environment)

    def get(self, resource: str, *words: str) -> Json | None:
        """What the API has, with `items` where no name is given; None if there is no such object.

        :raises Stop: if it does not answer.
        """
        command = ["get", resource, *words, "--ignore-not-found", "--output", "json"]
        ended = self.ask(*command)
        if ended.status:
            raise Stop(
                f"this command failed: {printing.line(self._kubectl(*command))}. Fix what it "
                "reports, and run this again.",
                ended.err.strip(),
            )
        found: Json | None = json.loads(ended.out) if ended.out.strip() else None
        return found

    def items(self, resource: str, *words: str) -> list[Json]:
        """The objects of a kind."""
        found = self.get(resource, *words) or {}
        return list(found.get("items", ()))

    def has(self, resource: str, name: str) -> bool:
        """Whether the API has an object: an interrupted install.sh may not have created it."""
        return self.run.options.rehearses or self.get(resource, name) is not None

    def owner(self, thing: Mapping[str, Any]) -> str:
        """Who has made an object, by its label; empty if that is not known."""
        labels = thing.get("metadata", {}).get("labels") or {}
        return str(labels.get(self.run.bundle.objects.label, ""))

    def has_own(self, resource: str, name: str) -> bool:
        """Whether the API has an object that this bundle has made."""
        if self.run.options.rehearses:
            return True
        found = self.get(resource, name)
        return found is not None and self.owner(found) == self.run.bundle.objects.owner

    def change(self, *words: str) -> None:
        """Run a command of kubectl that changes something."""
        self._change(self._kubectl(*words))

    def delete(self, resource: str, *words: str) -> None:
        """Delete objects, and wait until they are gone: nodes take minutes."""
        until = ["--ignore-not-found", "--timeout", "30m"]
        self._change(self._patient("delete", resource, *words, *until))

    def cordon(self, id: str) -> str:
        """Keep pods off the node of an instance; how to take that back."""
        self.reach()
        nodes = ((n["metadata"]["name"], at(n, "spec.providerID")) for n in self.items("nodes"))
        name = next((name for name, provider in nodes if str(provider).endswith(id)), "")
        if not name:
            raise Stop(f"Kubernetes has no node {id}: see `kubectl get nodes`.")
        self.change("cordon", name)
        return (
            f"kubectl uncordon {name}; to evict what runs there: kubectl drain {name} "
            "--ignore-daemonsets --delete-emptydir-data"
        )

    def wait(self, deployment: str, namespace: str) -> None:
        """Wait until the pods of a deployment are there."""
        words = ["wait", f"deployment/{deployment}", "--namespace", namespace]
        until = ["--for=condition=Available", "--timeout", "5m"]
        self._change(self._patient(*words, *until))

    def script(self, name: str, *options: str) -> None:
        """Run a script of the bundle, which prints its commands too."""
        self.own_script(name, "--context", self.run.bundle.cluster, *options)

    def own_script(self, name: str, *words: str) -> None:
        """The same of a script that finds the cluster itself."""
        rehearses = ["--dry-run"] if self.run.options.rehearses else []
        command = ["bash", name, *words, *rehearses]
        self.run.note(f"+ ./{printing.line([name, *words])}")
        self._run(command)

    def _change(self, command: Sequence[str]) -> None:
        self.run.world.screen.command(command)
        if not self.run.options.rehearses:
            self._run(command)

    def _run(self, command: Sequence[str]) -> None:
        told, folder = self.run.note, self.run.folder
        ended = self.run.world.programs.run(command, folder, self._environment, told)
        if ended.status:
            raise Stop(
                f"{printing.line(command)} failed, for the reason above. Fix it, and run the same "
                "command again: it continues from there."
            )
