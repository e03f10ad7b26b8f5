"""HyperPod's chart, which an EKS cluster needs before its nodes join."""

import shutil
from collections.abc import Iterator
from typing import Final

import yaml

from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.run import FILLED
from clustergen.deployment.software import daemon_sets
from clustergen.deployment.software.daemon_sets import has_image, release_of, title
from clustergen.deployment.software.helm import EVERY, Helm
from clustergen.deployment.software.model import (
    HYPERPOD,
    HYPERPOD_CHART,
    HyperPodChart,
    Part,
    Software,
)
from clustergen.deployment.software.presence import is_there
from clustergen.deployment.world import Stop

_SPACE: Final = "kube-system"
_OWN: Final = f"{_SPACE}/{HYPERPOD}"
_CHARTS: Final = f"{FILLED}/charts"
_CHECKOUT: Final = f"{FILLED}/sagemaker-hyperpod-cli"
_IMAGES: Final = "gpu-operator-images.yaml"


class HyperPodInstallation:
    """Installs the chart at a fixed state, with the values of the bundle."""

    def __init__(
        self, api: Kubernetes, chart: HyperPodChart, software: Software, *, new: bool
    ) -> None:
        self.api, self.run, self.chart, self.helm = api, api.run, chart, Helm(api)
        self.registry, self.region = software.registry, software.registry_region
        self.new = new
        """Whether the bundle creates the EKS cluster."""
        self.folder = f"{_CHECKOUT}/helm_chart/HyperPodHelmChart"
        if self.registry:
            self.folder = f"{_CHARTS}/{HYPERPOD_CHART}"

    def install(self) -> None:
        """Install or update the release; running it again changes nothing."""
        self._check_release()
        left_out = [] if self.new or self.run.options.rehearses else [*self._left_out()]
        if self.registry:
            self._pull()
        else:
            self._check_out()
        images = ["--values", self._nested_images()] if self.chart.partitioned else []
        switches = [word for each in left_out for word in ("--set", f"{each}=false")]
        values = ["--values", self.chart.values]
        self.helm.upgrade(HYPERPOD, self.folder, _SPACE, *images, *values, *switches)

    def _check_release(self) -> None:
        """An EKS cluster has the chart once; a release that was there before keeps its values."""
        found = [
            f"{each['name']} in {each['namespace']}"
            for each in self.helm.releases(self.helm.others, EVERY)
            if (each["name"], each["namespace"]) == (HYPERPOD, _SPACE)
            or each.get("chart", "").startswith(f"{HYPERPOD_CHART}-")
        ]
        if not found:
            return
        way = (
            "If nobody needs it, delete it (helm uninstall), and run the same command again."
            if self.new
            else f"Have its owner add what it lacks of {self.chart.values}, and run deploy.sh."
        )
        raise Stop(
            f"{self.api.cluster} has HyperPod's chart already, which this bundle did not install: "
            f"the release {', '.join(found)}. Nothing was changed. {way}"
        )

    def _left_out(self) -> Iterator[str]:
        """The switches of parts that others have in the cluster.

        Two plugins on one node compete for its devices, and Helm does not take over objects that it
        did not make.
        """
        sets = daemon_sets.read(self.api)
        for part in self.chart.parts:
            by = self._operator(part) if part.operator else self._plugin(part, sets)
            if by:
                self.run.note(is_there(part.switch.partition(".")[0], by))
                yield part.switch

    def _plugin(self, part: Part, sets: list[daemon_sets.DaemonSet]) -> str:
        """What offers the devices of a plugin on the nodes of the bundle; empty if nothing does."""
        found = daemon_sets.serving(sets, self.chart.nodes, part.chart, [_OWN], part.same)
        rows = [*found]
        served = next((by for _, by in reversed(rows) if by), "")
        lacking = ", ".join(f"{node.type} of {node.group}" for node, by in rows if not by)
        if served and lacking:
            raise Stop(
                f"{served} of the cluster offers devices on some nodes of this bundle only, not "
                f"on {lacking}: ask its owner to include them, or to leave out all. Nothing was "
                "changed."
            )
        return served

    def _operator(self, part: Part) -> str:
        """The Deployment of others that has an operator; empty if this bundle has one."""
        deployments = self.api.everywhere("deployments")
        found = [each for each in deployments if has_image(each, part.operator)]
        if not found or any(release_of(each) == _OWN for each in found):
            return ""
        return f"Deployment {title(found[0])}"

    def _pull(self) -> None:
        """Get the chart from the registry: mirror.sh has put it there, with its dependencies."""
        self.helm.log_in(self.registry, self.region)
        self.helm.find(self.chart.reference, self.chart.version)
        self._clear(self.folder)
        place = ("--version", self.chart.version, "--untar", "--untardir", _CHARTS)
        self.helm.download("helm", "pull", self.chart.reference, *place)

    def _check_out(self) -> None:
        """Get the chart from its repository: a commit is its own checksum."""
        git, commit = ("git", "-C", _CHECKOUT), self.chart.commit
        if self.api.answer([*git, "rev-parse", "HEAD"]).out.strip() != commit:
            self._clear(_CHECKOUT)
            self.api.execute(["git", "init", "--quiet", _CHECKOUT])
            fetch = ("fetch", "--quiet", "--depth", "1", self.chart.repository, commit)
            self.helm.download(*git, *fetch)
            self.api.execute([*git, "checkout", "--quiet", "FETCH_HEAD"])
        # Helm updates only direct dependencies of a chart.
        nested = [f"{self.folder}/charts/gpu-operator"] if self.chart.partitioned else []
        for folder in (*nested, self.folder):
            self.helm.download("helm", "dependency", "update", folder)

    def _clear(self, folder: str) -> None:
        if not self.run.options.rehearses:
            shutil.rmtree(self.run.folder / folder, ignore_errors=True)

    def _nested_images(self) -> str:
        """The file of images of NVIDIA's operator, which is two levels below the chart.

        The images of the region are for the chart in between.
        """
        region = self.run.bundle.region
        path = f"{self.folder}/charts/gpu-operator/regional-values/values-{region}.yaml"
        self.run.note(f"+ nest {path} under gpu-operator: in {FILLED}/{_IMAGES}")
        if self.run.options.rehearses:
            return f"{FILLED}/{_IMAGES}"
        if not (self.run.folder / path).exists():
            raise Stop(
                f"HyperPod's chart has no images of NVIDIA's operator for {region}, and so no MIG: "
                "use another region, or remove mig from the spec"
            )
        nested = {"gpu-operator": yaml.safe_load(self.run.text(path))}
        return self.run.write(_IMAGES, yaml.safe_dump(nested))
