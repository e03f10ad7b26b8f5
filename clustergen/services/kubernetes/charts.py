"""Pinned Helm charts of the software in a cluster, with sources for the versions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from clustergen.base.yaml_files import read
from clustergen.deployment.software import model
from clustergen.plan.images import region_of
from clustergen.plan.model import Plan
from clustergen.services.kubernetes.devices import Offer


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: ``reference`` is a name in ``repository``, or an ``oci://`` address."""

    name: str
    """Name of the release, and of the values file."""
    reference: str
    version: str
    namespace: str
    source: str
    """Source of the version and values, read in 2026-11."""
    repository: str = ""
    ready: bool = False
    """Whether later steps need it: it installs webhooks or custom resources. A deployment does
    not wait for pods on nodes that may not exist yet."""
    signs: tuple[str, ...] = ()
    """Each shows that a cluster has the software, however it was installed: ``crd/NAME``, or
    ``image/NAME`` for the end of the name of an image of a DaemonSet or Deployment. Helm leaves
    kinds in the folder crds/ of a chart behind, so that these are no sign."""
    resource: str = ""
    """The custom resource whose objects show that it is in use."""
    devices: str = ""
    """How the names of the resources begin that it adds to nodes."""
    images: Mapping[str, str] = field(default_factory=dict)
    """Path of a value -> what the chart has there: the beginning of an image, with its registry.
    mirror.sh renders the chart, and stops at an image that does not begin with one of them."""
    operands: tuple[str, ...] = ()
    """Images that its operator starts, in pods that are not among the objects of the chart."""


@dataclass(frozen=True, slots=True)
class Component:
    """A chart with values for one cluster, and the reason for it."""

    chart: Chart
    why: str
    values: dict[str, Any]
    offer: Offer | None = None
    """What it offers on nodes, if it offers devices."""

    @property
    def name(self) -> str:
        return self.chart.name


def _chart(
    name: str, version: str, signs: Iterable[str] = (), operands: Iterable[str] = (), **row: Any
) -> Chart:
    images = (image if ":" in image else f"{image}:{version}" for image in operands)
    return Chart(name, version=version, signs=tuple(signs), operands=tuple(images), **row)


_ROWS: Final = read(Path(__file__).with_suffix(".yaml"))
_CHARTS: Final = {name: _chart(name, **row) for name, row in _ROWS.items()}
EFA_PLUGIN: Final = _CHARTS["aws-efa-k8s-device-plugin"]
EFA_DRA: Final = _CHARTS["aws-dranet"]
NVIDIA_PLUGIN: Final = _CHARTS["nvidia-device-plugin"]
NVIDIA_DRA: Final = _CHARTS["dra-driver-nvidia-gpu"]
GPU_OPERATOR: Final = _CHARTS["gpu-operator"]
NEURON: Final = _CHARTS["neuron-helm-chart"]
KUEUE: Final = _CHARTS["kueue"]
VOLCANO: Final = _CHARTS["volcano"]
KAI: Final = _CHARTS["kai-scheduler"]
TRAINER: Final = _CHARTS["kubeflow-trainer"]
DCGM_EXPORTER: Final = _CHARTS["dcgm-exporter"]
KARPENTER_CRD: Final = _CHARTS["karpenter-crd"]
KARPENTER: Final = _CHARTS["karpenter"]


def image_values(plan: Plan, images: Mapping[str, str]) -> dict[str, Any]:
    """The values with which a chart uses the registry; none without one."""
    values: dict[str, Any] = {}
    for path, address in images.items() if plan.software.registry else ():
        *folders, last = path.split(".")
        at = values
        for name in folders:
            at = at.setdefault(name, {})
        at[last] = f"{plan.software.registry}/{address}"
    return values


def private_registries(addresses: Iterable[str]) -> list[tuple[str, str]]:
    """Registries of ECR among those of ``addresses``, each with its region."""
    found = {(address.partition("/")[0], region_of(address)) for address in addresses}
    return sorted((host, region) for host, region in found if region)


def merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Values of a chart with others, member by member; the latter win."""
    both = {
        name for name in first if all(isinstance(each.get(name), dict) for each in (first, second))
    }
    return {**first, **second, **{name: merged(first[name], second[name]) for name in both}}


_OF_DEVICES: Final = {e.name for e in (EFA_PLUGIN, EFA_DRA, NVIDIA_PLUGIN, NVIDIA_DRA, NEURON)}
"""Those that offer the devices of nodes to pods."""
EVERY: Final = tuple(_CHARTS.values())
"""All charts, also those that a bundle does without."""


def known(*, shared: bool) -> dict[str, model.Chart]:
    """What has to be known to uninstall charts, in a cluster that others use or in our own."""
    return {
        chart.name: model.Chart(chart.resource, chart.devices, chart.name in _OF_DEVICES)
        if shared
        else model.Chart(chart.resource)
        for chart in EVERY
        if shared or chart.resource
    }
