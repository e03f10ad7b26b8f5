"""Software of others in a cluster, which a bundle uses and does not change."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

from clustergen.base.artifacts import Json
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.software.daemon_sets import has_image, title
from clustergen.deployment.software.model import CLUSTER_QUEUES, MPI, MPI_JOBS, Chart
from clustergen.deployment.world import Stop, at

_SYSTEM: Final = ("--namespace", "kube-system")
_KINDS: Final = "customresourcedefinitions"
_LOOKS: Final = 12
_WAYS: Final = {
    CLUSTER_QUEUES: (
        "Kueue",
        "the queues of this bundle need: ask its owner for a newer release, or remove queues from "
        "the spec",
    ),
    MPI_JOBS: (
        "the training operator",
        "MPIJobs of this bundle need: ask its owner to replace its MPIJob with the MPI operator's, "
        "or write kubernetes.jobs: kubeflow-trainer and render again",
    ),
}
"""By custom resource: who has it, and what to do where that is too old."""


class Presence:
    """What a cluster has, and what of it this bundle has installed."""

    def __init__(self, api: Kubernetes, charts: Mapping[str, Chart]) -> None:
        self.api, self.run, self.charts = api, api.run, charts

    def _claim(self, name: str) -> str:
        """The ConfigMap that says so: an interrupted release of Helm may have no record."""
        return f"{self.run.bundle.objects.owner}-{name}"

    def is_claimed(self, name: str) -> bool:
        """Whether this bundle has installed something, or began to."""
        return self.api.get("configmap", self._claim(name), *_SYSTEM) is not None

    def disclaim(self, name: str) -> None:
        """Forget that this bundle has installed it."""
        claim = self._claim(name)
        self.api.change("delete", "configmap", claim, *_SYSTEM, "--ignore-not-found")

    def is_needed(self, name: str, signs: Iterable[str]) -> bool:
        """Whether this bundle installs something: it is missing, or was installed by it."""
        if self.is_claimed(name):
            return True
        if found := self.sign(signs):
            self.run.note(is_there(name, found))
            return False
        self.api.create("ConfigMap", self._claim(name), _SYSTEM[1])
        return True

    def sign(self, signs: Iterable[str]) -> str:
        """What shows that the cluster has the software; empty if no sign does."""
        for each in signs:
            kind, _, name = each.partition("/")
            if kind == "crd":
                if self.api.get(_KINDS, name):
                    return name
                continue
            for item in self._running:
                if has_image(item, name):
                    return f"{item['kind']} {title(item)}"
        return ""

    @cached_property
    def _running(self) -> list[Json]:
        """What ran before this run installed anything."""
        return self.api.everywhere("daemonsets,deployments")

    def check_api(self, resource: str, version: str) -> None:
        """Stop at a release that does not serve a version."""
        served = at(self.api.get(_KINDS, resource), "spec.versions") or ()
        known = [each["name"] for each in served if each.get("served")]
        if known and version.rpartition("/")[2] not in known:
            name, need = _WAYS[resource]
            raise Stop(f"{name} in the cluster does not serve {version}, which {need}.")

    def check_classes(self, classes: Mapping[str, str]) -> None:
        """Stop at a Kueue of others that does not count devices that jobs claim.

        It admits none of those jobs, and its configuration belongs to who installed it.
        """
        if not classes or self.is_claimed("kueue"):
            return
        selector = ("--selector", "app.kubernetes.io/name=kueue")
        maps = self.api.everywhere("configmaps", *selector)
        text = " ".join(value for each in maps for value in (each.get("data") or {}).values())
        # Without Kueue, this bundle installs it; a configuration may also be elsewhere.
        if "config.kueue.x-k8s.io" not in text:
            return
        for quota, device in classes.items():
            if device not in text:
                raise Stop(
                    f"Kueue in the cluster does not count devices of the class {device} that jobs "
                    "claim, and admits none of them. Nothing was changed. Ask its owner to add "
                    f"{{name: {quota}, deviceClassNames: [{device}]}} to "
                    "resources.deviceClassMappings of its configuration, or remove queues from the "
                    "spec."
                )

    def has_no_objects(self, chart: str) -> bool:
        """Whether a chart can go: with its kinds go all objects of them, also those of others."""
        resource = self.charts.get(chart, Chart()).resource
        if not resource or not self.api.get(_KINDS, resource):
            return True
        own = f"{self.run.bundle.objects.label}={self.run.bundle.objects.owner}"
        # Those of this bundle are being deleted.
        for _ in range(_LOOKS):
            if not self.api.everywhere(resource, "--selector", own):
                break
            self.run.world.clock.sleep(5)
        left = [each["metadata"] for each in self.api.everywhere(resource)]
        if not left:
            return True
        names = (f"{e['namespace']}/{e['name']}" if "namespace" in e else e["name"] for e in left)
        self.run.note(
            f"{chart} stays: removing it would delete objects that still exist, of {resource}: "
            f"{', '.join(names)}."
        )
        return False

    def has_no_nodes(self, chart: str, selector: str) -> bool:
        """Whether no node that the selector selects offers devices with a chart."""
        prefix = self.charts.get(chart, Chart()).devices
        if not prefix:
            return True
        nodes = self.api.items("nodes", "--selector", selector)
        names = [
            each["metadata"]["name"]
            for each in nodes
            for resource, amount in (at(each, "status.allocatable") or {}).items()
            if resource.startswith(prefix) and str(amount) != "0"
        ]
        if names:
            self.run.note(
                f"{chart} stays: other nodes offer devices with it ({prefix}): "
                f"{' '.join(dict.fromkeys(names))}."
            )
        return not names

    def has_jobs_of_others(self, namespaces: Iterable[str]) -> bool:
        """Whether MPIJobs outside of these namespaces need the operator of this bundle."""
        if not self.is_claimed(MPI) or not self.api.get(_KINDS, MPI_JOBS):
            return False
        jobs = self.api.everywhere(MPI_JOBS)
        others = [title(each) for each in jobs if at(each, "metadata.namespace") not in namespaces]
        if others:
            self.run.note(
                f"{MPI} stays: it has MPIJobs outside the namespaces of this bundle: "
                f"{' '.join(others)}."
            )
        return bool(others)


def is_there(name: str, found: str) -> str:
    """What is said of something that the cluster has already."""
    return (
        f"{name} is already installed in the cluster ({found}). This bundle uses it and does not "
        "change it."
    )
