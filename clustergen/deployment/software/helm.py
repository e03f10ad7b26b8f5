"""Releases of Helm in one cluster."""

import base64
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from clustergen.base.artifacts import Json
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.programs import Ended
from clustergen.deployment.run import FILLED
from clustergen.deployment.software.model import Release
from clustergen.deployment.world import PAUSE_SECONDS, Stop

LABEL: Final = "managed-by"
"""The label of releases, which cannot have a prefix."""
_CURRENT: Final = ("--deployed", "--failed", "--pending", "--uninstalling")
EVERY: Final = (*_CURRENT, "--uninstalled", "--superseded")
"""Helm 4 has no --all."""
_LOGIN: Final = "helm-registry.json"
_TRIES: Final = 3


class Helm:
    """Runs Helm. It does not change the user's own configuration."""

    def __init__(self, api: Kubernetes) -> None:
        self.api, self.run = api, api.run
        self.label = f"{LABEL}={self.run.bundle.objects.owner}"
        self.others = f"{LABEL}!={self.run.bundle.objects.owner}"
        self._environment: Mapping[str, str] = {}

    def releases(self, selector: str = "", states: Sequence[str] = _CURRENT) -> list[Json]:
        """The releases with a label, also those whose last change was interrupted."""
        words = ["list", "--all-namespaces", "--max", "0", "--output", "json", *states]
        ended = self._answer(*words, *(["--selector", selector] if selector else []))
        if ended.status:
            raise Stop("Helm does not say what it has installed. Run this again.", ended.err)
        return json.loads(ended.out or "null") or []

    def own(self) -> list[Json]:
        """The releases of this bundle."""
        return self.releases(self.label)

    def _answer(self, *words: str) -> Ended:
        return self.api.answer(self._helm(*words), self._environment)

    def _helm(self, *words: str) -> list[str]:
        return ["helm", *words, "--kube-context", self.api.context]

    def install(self, release: Release, values: Sequence[str], *more: str) -> None:
        """Install or update a release; ``values`` are files."""
        place = ["--repo", release.repository] if release.repository else []
        files = [word for path in values for word in ("--values", path)]
        self.upgrade(
            release.name,
            release.reference,
            release.namespace,
            *("--version", release.version, "--create-namespace", "--timeout", "10m"),
            *(*place, *(["--wait"] if release.waits else []), *files, *more),
        )

    def upgrade(self, name: str, chart: str, namespace: str, *more: str) -> None:
        """Install or update a release with the label of this bundle."""
        self._stop_at_pending(name, namespace)
        words = ["upgrade", "--install", name, chart, "--namespace", namespace]
        self.api.execute(self._helm(*words, "--labels", self.label, *more), self._environment)

    def uninstall(self, name: str, namespace: str, *more: str) -> None:
        self.api.execute(self._helm("uninstall", name, "--namespace", namespace, *more))

    @cached_property
    def _pending(self) -> set[tuple[str, str]]:
        return {(each["name"], each["namespace"]) for each in self.releases("", ("--pending",))}

    def _stop_at_pending(self, name: str, namespace: str) -> None:
        """Helm rejects all changes of a release whose last one could not write how it ended.

        It was killed, or its credentials expired.
        """
        if (name, namespace) in self._pending:
            states = "pending-install,pending-upgrade,pending-rollback"
            secret = f"'owner=helm,name={name},status in ({states})'"
            raise Stop(
                f"an earlier change of the Helm release {name} did not end, and Helm rejects "
                "others until then. If nobody else installs anything, delete its record "
                f"({self.api.shown} delete secret --namespace {namespace} --selector {secret}), "
                "and run the same command again."
            )

    def log_in(self, host: str, region: str) -> None:
        """Use a login at the registry that does not become the user's own; it is for 12 hours."""
        if not region:
            return
        words = ["aws", "ecr", "get-login-password", "--region", region]
        self.run.note(f"+ write a login at {host} to {FILLED}/{_LOGIN}")
        ended = self.api.answer(words)
        if ended.status:
            raise Stop(f"ECR gives no login at {host}, for the reason above.", ended.err)
        login = base64.b64encode(f"AWS:{ended.out.strip()}".encode()).decode()
        self.run.write(_LOGIN, json.dumps({"auths": {host: {"auth": login}}}), 0o600)
        self._environment = {"HELM_REGISTRY_CONFIG": f"{FILLED}/{_LOGIN}"}

    def find(self, reference: str, version: str) -> None:
        """Stop if the registry lacks a chart: mirror.sh may not have run since it was added."""
        ended = self._answer("show", "chart", reference, "--version", version)
        if ended.status:
            folder, _, name = reference.rpartition("/")
            raise Stop(
                f"the chart {name} {version} is not in {folder}, or cannot be read there: run "
                "./mirror.sh where the internet and the registry can be reached, and then the same "
                "command again.",
                ended.err,
            )

    def download(self, *command: str) -> None:
        """Run a command that may fail for a moment: registries limit requests."""
        for attempt in range(1, _TRIES + 1):
            try:
                self.api.execute(command, self._environment)
            except Stop:
                if attempt == _TRIES:
                    raise
                self.run.world.clock.sleep(PAUSE_SECONDS * attempt)
            else:
                return
