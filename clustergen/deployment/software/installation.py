"""Installs the charts and applies the manifests of a bundle, and removes what it has no more."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.run import Outputs
from clustergen.deployment.software import timetable
from clustergen.deployment.software.applying import Manifests
from clustergen.deployment.software.devices import Devices
from clustergen.deployment.software.helm import Helm
from clustergen.deployment.software.model import HYPERPOD, MPI, MPI_JOBS, Joined, Release, Software
from clustergen.deployment.software.objects import Object, Objects
from clustergen.deployment.software.presence import Presence
from clustergen.deployment.world import Stop

_OPERATOR: Final = f"image/{MPI}"
"""Not its kind, which is never deleted."""


class Installation:
    """What a bundle has in a cluster; ``outputs`` are those of its stacks that are known."""

    def __init__(self, api: Kubernetes, software: Software, outputs: Outputs) -> None:
        self.api, self.run, self.software = api, api.run, software
        self.helm = Helm(api)
        self.presence = Presence(api, software.charts)
        self.manifests = Manifests(api, outputs, dict(software.volumes))
        joined = software.joined or Joined(node_label="")
        self.shared = [*filter(None, (joined.operator, joined.runtimes))]
        paths = [*software.early, *software.late, *self.shared]
        self.objects = Objects(api, paths)
        self.joined = software.joined
        self.devices = Devices(api, self.helm, self.presence, joined)

    # -- before anything changes

    def check(self) -> None:
        """Stop if the cluster cannot take what the bundle has, before anything changes."""
        self._check_presence()
        runtimes = self.joined.runtimes if self.joined else ""
        self.manifests.check(filter(None, (*self.software.late, runtimes)))

    def _check_presence(self) -> None:
        if self.run.options.rehearses:
            return
        self.objects.check_names(self.shared)
        if self.joined is None:
            self._check_releases()
            return
        for each in self.software.releases:
            if each.same:
                self.devices.check(each)
        for resource, version in self.joined.apis.items():
            self.presence.check_api(resource, version)
        self.presence.check_classes(self.joined.classes)

    def _check_releases(self) -> None:
        """Helm would replace the values of a release of others, and later uninstall it."""
        if not self.software.releases:
            return
        there = {(e["name"], e["namespace"]) for e in self.helm.releases(self.helm.others)}
        for each in self.software.releases:
            if (each.name, each.namespace) in there:
                raise Stop(
                    f"the cluster has the Helm release {each.name} in {each.namespace}, which this "
                    f"bundle did not install: it has no label {self.helm.label}. Nothing was "
                    f"changed. The spec asks for this chart too ({each.why}): change that and "
                    "render again to keep the release as it is. Or give it to this bundle, which "
                    f"replaces its values: {self.api.shown} label secrets --namespace "
                    f"{each.namespace} --overwrite --selector owner=helm,name={each.name} "
                    f"{self.helm.label}"
                )

    # -- changes

    def install(self) -> None:
        """Install and apply everything; running it again changes nothing."""
        self._check_presence()
        values = (each.values for each in self.software.releases if each.values)
        for path in (*values, *self.objects.paths):
            # What lacks is known before anything changes.
            self.manifests.ready(path)
        self._check_registry()
        if self.joined:
            self._make_namespaces(self.joined.namespaces)
        self._step("manifests before the charts", self.software.early)
        self._install_operator()
        if self.joined and self.joined.nodes:
            self._drop_other_ways()
        for each in self.software.releases:
            self.run.note(f"== {each.chart}: {each.why}")
            self._install(each)
        if self.software.mpi_operator and not self.joined:
            self._wait("rollout", "status", f"deployment/{MPI}", "--namespace", MPI, "300s")
        self._step("manifests", self.software.late)
        self._apply_runtimes()
        self.prune()

    def _step(self, what: str, paths: Iterable[str]) -> None:
        if names := [*paths]:
            self.run.note(f"== {what}")
            self.manifests.apply(names)

    def _check_registry(self) -> None:
        if self.software.registry and self.software.releases:
            self.run.note("== charts in the registry")
            self.helm.log_in(self.software.registry, self.software.registry_region)
            for each in self.software.releases:
                self.helm.find(each.reference, each.version)

    def _make_namespaces(self, names: Iterable[str]) -> None:
        """Those of teams may exist, with what others keep there."""
        for name in names:
            if self.api.get("namespace", name) is None:
                self.api.create("Namespace", name)

    def _install_operator(self) -> None:
        path = self.joined.operator if self.joined else ""
        if path and self.presence.is_needed(MPI, [_OPERATOR]):
            self._step(path, [path])
        elif path or not self.software.mpi_operator:
            return
        self._wait("wait", "--for=condition=Established", f"crd/{MPI_JOBS}", "60s")

    def _wait(self, *words: str) -> None:
        *rest, until = words
        command = ["kubectl", "--context", self.api.context, *rest, "--timeout", until]
        self.api.execute(command)

    def _install(self, release: Release) -> None:
        more: list[str] = []
        if self.joined and release.groups_value:
            if not (more := self.devices.needed_for(release)):
                return
        elif self.joined and not self.presence.is_needed(release.chart, release.signs):
            return
        values = [self.manifests.ready(release.values)] if release.values else []
        self.helm.install(release, values, *more)

    def _apply_runtimes(self) -> None:
        """Those of another installation of Kubeflow Trainer stay as they are."""
        path = self.joined.runtimes if self.joined else ""
        if not path:
            return
        for each in Objects(self.api, [path]).wanted:
            found = self.api.get(each.resource, each.name)
            if found is not None and self.api.owner(found) != self.run.bundle.objects.owner:
                self.run.note(
                    f"The runtime {each.name} exists already. This bundle uses it and does not "
                    "change it."
                )
                return
        self._step(path, [path])

    def _drop_other_ways(self) -> None:
        """Uninstall what offered devices in the way that the spec no longer has."""
        wanted = {each.name for each in self.software.releases}
        offering = [name for name, chart in self.software.charts.items() if chart.offers]
        for each in self.helm.own():
            name, space = each["name"], each["namespace"]
            ours = any(name == chart or name.startswith(f"{chart}-") for chart in offering)
            if ours and name not in wanted and self._is_unused(name):
                self.devices.uninstall(name, space)
                self.presence.disclaim(name)
        self.devices.look_again()

    def _is_unused(self, chart: str) -> bool:
        """Whether no object outside of this bundle, and no node of others, needs a chart."""
        if not self.presence.has_no_objects(chart):
            return False
        return self.joined is None or self.presence.has_no_nodes(chart, self._nodes("notin"))

    def _nodes(self, how: str) -> str:
        """What selects nodes by whether they are of this bundle."""
        label = self.joined.node_label if self.joined else ""
        return f"{label} {how} ({','.join(self.run.bundle.groups)})" if label else ""

    # -- what the bundle has no more

    def remove(self) -> None:
        """Delete what this bundle has in the cluster; namespaces, data and others' things stay."""
        joined = self.joined and replace(self.joined, operator="", runtimes="")
        nothing = replace(
            self.software, early=(), late=(), releases=(), mpi_operator=False, joined=joined
        )
        Installation(self.api, nothing, {}).prune(consents=True)

    def prune(self, *, consents: bool = False) -> None:
        """Delete what an earlier bundle installed and this one does not have.

        Where jobs use it, that needs consent.
        """
        self.run.note("== objects removed from the bundle")
        found = self.objects.left_over()
        if not consents and not self.run.consents("replaces-resource"):
            self.objects.stop_at_work(found)
        # This account is deleted last, so the run after an interrupted one releases the rest.
        account = Object("serviceaccounts", "kube-system", self.software.timetable)
        if account in found:
            own = self.objects.own if self.joined else ""
            timetable.release(self.api, self.software, own, self._nodes("in"))
        spaces = self.joined.namespaces if self.joined else ()
        may_go = bool(self.joined and self.software.charts and not self.software.mpi_operator)
        keeps = may_go and self.presence.has_jobs_of_others(spaces)
        for each in found:
            if each.stays:
                self.run.note(
                    f"{each} is no longer in the bundle. It stays, with all its content: delete it "
                    "when you no longer need that"
                )
            elif not keeps or each.name != MPI:
                self.objects.delete(each)
        if self.software.charts:
            self._prune_charts()
        if may_go and not keeps:
            self.presence.disclaim(MPI)

    def _prune_charts(self) -> None:
        wanted = {HYPERPOD, *(each.name for each in self.software.releases)}
        for each in self.helm.own():
            name = each["name"]
            if name not in wanted and self._is_unused(name):
                self.helm.uninstall(name, each["namespace"])
                if self.joined:
                    self.presence.disclaim(name)
