"""The API of an EKS cluster, by kubectl."""

import base64
import binascii
import json
from collections.abc import Collection, Mapping, Sequence
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
    def context(self) -> str:
        """The context of kubectl that reaches the cluster."""
        return self.run.options.context or self.run.bundle.cluster

    @property
    def _environment(self) -> Mapping[str, str]:
        return {} if self.run.options.context else {"KUBECONFIG": _KUBECONFIG}

    @property
    def shown(self) -> str:
        """kubectl as the user has to call it."""
        words = [f"{key}={value}" for key, value in self._environment.items()]
        return printing.line([*words, "kubectl", "--context", self.context])

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
        if self.run.options.context:
            # Of the user, who has to know that it is wrong.
            self._check_context()
        else:
            try:
                self.reach()
            except Stop as stop:
                return "\n".join([*stop.notes, str(stop)])
        ended = self.ask("get", "--raw", "/readyz")
        return f"kubectl said: {ended.err.strip() or 'nothing'}" if ended.status else ""

    def check_access(self) -> None:
        """Stop if the API does not respond: without it, a deployment could not be completed."""
        if silence := self.silence():
            raise Stop(
                f"the API of {self.cluster} does not respond: it is private, or you have no access "
                "entry (kubernetes.public_endpoint_from, kubernetes.admins). Run this in its VPC, "
                f"and ask its owner for access (aws eks create-access-entry). {silence}"
            )

    def reach(self) -> None:
        """Write a configuration of kubectl for this cluster alone, or check the user's context."""
        if self.run.options.context:
            self._check_context()
            return
        alias = ["--alias", self.run.bundle.cluster, "--kubeconfig", _KUBECONFIG]
        self.run.filled("kubeconfig")
        self.execute([*kubeconfig(self.run.bundle.region, self.cluster), *alias])
        if self.run.options.rehearses:
            self.run.note(f"+ export KUBECONFIG={_KUBECONFIG}")

    def _check_context(self) -> None:
        """Stop at a context of another cluster, whose objects have the same label.

        A tunnel or a proxy has another address, and leads to the certificate authority of the
        cluster.
        """
        if self.run.options.rehearses:
            return
        found = self.describe() or {}
        shown = self.ask("config", "view", "--minify", "--output", "json")
        if shown.status:
            raise Stop(
                f"kubectl has no context {self.context}. Nothing was changed. See `kubectl config "
                "get-contexts`.",
                shown.err,
            )
        address = at(json.loads(shown.out), "clusters.0.cluster.server")
        if address and address == found.get("endpoint"):
            return
        try:
            authority = base64.b64decode(at(found, "certificateAuthority.data") or "").decode()
        except (binascii.Error, UnicodeDecodeError):
            authority = ""
        space = ("--namespace", "kube-system")
        known = at(self.get("configmap", "kube-root-ca.crt", *space), "data") or {}
        if not authority or known.get("ca.crt", "").strip() != authority.strip():
            raise Stop(
                f"the context {self.context} does not reach the EKS cluster {self.cluster} in "
                f"{self.run.bundle.region}: it has another address and another certificate "
                "authority. Nothing was changed. Leave --context out, or give a context of this "
                "cluster, and AWS credentials of its account."
            )

    def _kubectl(self, *words: str) -> list[str]:
        return self._patient("--request-timeout", "30s", *words)

    def _patient(self, *words: str) -> list[str]:
        """A command that waits by itself."""
        return ["kubectl", "--context", self.context, *words]

    def ask(self, *words: str) -> Ended:
        """How a command of kubectl ended that changes nothing."""
        return self.answer(self._kubectl(*words))

    def answer(self, command: Sequence[str], more: Mapping[str, str] = {}) -> Ended:
        """How a command ended that changes nothing; ``more`` are variables of its environment."""
        environment = {**self._environment, **more}
        return self.run.world.programs.run(command, self.run.folder, environment)

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
        return list(found.get("items") or ())

    def everywhere(self, resource: str, *words: str) -> list[Json]:
        """Those of all namespaces."""
        return self.items(resource, "--all-namespaces", *words)

    def resources(self, wanted: Collection[str]) -> set[str]:
        """Those of the resources that the API has, as plural and group with a dot between."""
        # kubectl fails if one service behind the API does not respond, and prints the others.
        ended = self.ask("api-resources", "--output", "name")
        groups = {each.partition(".")[2] for each in wanted} - {""}
        if ended.status and (not ended.out.strip() or any(each in ended.err for each in groups)):
            raise Stop("the API of the cluster did not respond. Run this again.", ended.err)
        return set(ended.out.split()).intersection(wanted)

    def has(self, resource: str, name: str) -> bool:
        """Whether the API has an object: an interrupted run may not have created it."""
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
        self.execute(self._kubectl(*words))

    def create(self, kind: str, name: str, namespace: str = "") -> None:
        """Create an object of the core API without content; it may be there."""
        metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
        item = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
        path = self.run.write(f"{kind}-{name}.json".lower(), json.dumps(item))
        self.change("apply", "--server-side", "--filename", path)

    def delete(self, resource: str, *words: str, minutes: int = 30) -> None:
        """Delete objects, and wait until they are gone: nodes take minutes."""
        until = ["--ignore-not-found", "--timeout", f"{minutes}m"]
        self.execute(self._patient("delete", resource, *words, *until))

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
        self.execute(self._patient(*words, *until))

    def execute(self, command: Sequence[str], more: Mapping[str, str] = {}) -> None:
        """Show a command, and run it; ``more`` are variables of its environment."""
        self.run.world.screen.command(command)
        if self.run.options.rehearses:
            return
        told, environment = self.run.note, {**self._environment, **more}
        ended = self.run.world.programs.run(command, self.run.folder, environment, told)
        if ended.status:
            raise Stop(
                f"{printing.line(command)} failed, for the reason above. Fix it, and run the same "
                "command again: it continues from there."
            )
