"""Pinned Helm charts of the software in a cluster, with sources for the versions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clustergen.base.text_lists import words
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
    """Whether later steps need it: it installs webhooks or custom resources. install.sh does
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


_EKS_CHARTS = "https://aws.github.io/eks-charts"
_EKS_IMAGES = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks"

EFA_PLUGIN: Final = Chart(
    name="aws-efa-k8s-device-plugin",
    signs=("image/aws-efa-k8s-device-plugin",),
    devices="vpc.amazonaws.com/efa",
    reference="aws-efa-k8s-device-plugin",
    version="v0.5.30",
    namespace="kube-system",
    repository=_EKS_CHARTS,
    source="https://github.com/aws/eks-charts/tree/master/stable/aws-efa-k8s-device-plugin",
    images={"image.repository": f"{_EKS_IMAGES}/aws-efa-k8s-device-plugin"},
)
EFA_DRA: Final = Chart(
    name="aws-dranet",
    signs=("image/dranet",),
    reference="aws-dranet",
    version="1.0.0",
    namespace="kube-system",
    repository=_EKS_CHARTS,
    source="https://github.com/aws/eks-charts/tree/master/stable/aws-dranet",
    images={"image.repository": f"{_EKS_IMAGES}/dranet"},
)
# 0.19.0 to 0.19.2 also claimed /dev/infiniband, which belongs to the EFA plugin.
NVIDIA_PLUGIN: Final = Chart(
    name="nvidia-device-plugin",
    # The operator starts the plugin once there are GPU nodes.
    signs=("image/k8s-device-plugin", "image/gpu-operator"),
    devices="nvidia.com/",
    reference="nvidia-device-plugin",
    version="0.20.0",
    namespace="nvidia",
    repository="https://nvidia.github.io/k8s-device-plugin",
    source="https://github.com/NVIDIA/k8s-device-plugin/tree/main/deployments/helm",
    images={"image.repository": "nvcr.io/nvidia/k8s-device-plugin"},
)
NVIDIA_DRA: Final = Chart(
    name="dra-driver-nvidia-gpu",
    signs=("image/dra-driver-nvidia-gpu", "image/k8s-dra-driver-gpu"),
    resource="computedomains.resource.nvidia.com",
    reference="oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu",
    version="0.4.1",
    namespace="nvidia",
    source="https://docs.aws.amazon.com/eks/latest/userguide/device-management-nvidia.html",
    images={"image.repository": "registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu"},
)
# 26.3.1 includes one of those device plugins; this one includes 0.19.3.
GPU_OPERATOR: Final = Chart(
    name="gpu-operator",
    signs=("image/gpu-operator",),
    devices="nvidia.com/",
    reference="gpu-operator",
    version="v26.3.3",
    namespace="gpu-operator",
    repository="https://helm.ngc.nvidia.com/nvidia",
    source="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/"
    "gpu-operator-mig.html",
    ready=True,
    images={
        "operator.repository": "nvcr.io/nvidia",
        "validator.repository": "nvcr.io/nvidia",
        "devicePlugin.repository": "nvcr.io/nvidia",
        "gfd.repository": "nvcr.io/nvidia",
        "migManager.repository": "nvcr.io/nvidia/cloud-native",
        "node-feature-discovery.image.repository": "registry.k8s.io/nfd/node-feature-discovery",
    },
    operands=words("""
        nvcr.io/nvidia/gpu-operator:v26.3.3 nvcr.io/nvidia/k8s-device-plugin:v0.19.3
        nvcr.io/nvidia/cloud-native/k8s-mig-manager:v0.14.2
    """),
)
NEURON: Final = Chart(
    name="neuron-helm-chart",
    signs=("image/neuron-device-plugin", "image/neuron-dra-driver"),
    devices="aws.amazon.com/neuron",
    reference="oci://public.ecr.aws/neuron/neuron-helm-chart",
    version="1.10.0",
    namespace="kube-system",
    source="https://github.com/aws-neuron/neuron-helm-charts/releases",
    images={
        "devicePlugin.image.repository": "public.ecr.aws/neuron/neuron-device-plugin",
        "draDriver.image.repository": "public.ecr.aws/neuron/neuron-dra-driver",
    },
)
KUEUE: Final = Chart(
    name="kueue",
    signs=("crd/clusterqueues.kueue.x-k8s.io",),
    resource="clusterqueues.kueue.x-k8s.io",
    reference="oci://registry.k8s.io/kueue/charts/kueue",
    version="0.19.2",
    namespace="kueue-system",
    source="https://github.com/kubernetes-sigs/kueue/tree/main/charts/kueue",
    ready=True,
    images={"controllerManager.manager.image.repository": "registry.k8s.io/kueue/kueue"},
)
VOLCANO: Final = Chart(
    name="volcano",
    signs=("crd/podgroups.scheduling.volcano.sh",),
    resource="podgroups.scheduling.volcano.sh",
    reference="volcano",
    version="1.15.2",
    namespace="volcano-system",
    repository="https://volcano-sh.github.io/helm-charts",
    source="https://volcano-sh.github.io/helm-charts/index.yaml",
    ready=True,
    images={"basic.image_registry": "docker.io"},
)
_KAI = "ghcr.io/kai-scheduler/kai-scheduler"
KAI: Final = Chart(
    name="kai-scheduler",
    signs=("image/kai-scheduler/operator", "image/kai-scheduler/scheduler"),
    resource="queues.scheduling.run.ai",
    reference="oci://ghcr.io/kai-scheduler/kai-scheduler/kai-scheduler",
    version="v0.12.23",
    namespace="kai-scheduler",
    source="https://pkg.go.dev/github.com/NVIDIA/KAI-scheduler?tab=versions",
    ready=True,
    images={"global.registry": _KAI},
    operands=tuple(
        f"{_KAI}/{name}:v0.12.23"
        for name in words("""
            podgrouper podgroupcontroller binder resourcereservation scheduler queuecontroller
            admission
        """)
    ),
)
TRAINER: Final = Chart(
    name="kubeflow-trainer",
    signs=("image/trainer-controller-manager",),
    resource="trainjobs.trainer.kubeflow.org",
    reference="oci://ghcr.io/kubeflow/charts/kubeflow-trainer",
    version="2.4.0",
    namespace="kubeflow-system",
    source="https://github.com/kubeflow/trainer/tree/master/charts/kubeflow-trainer",
    ready=True,
    images={
        "image.registry": "ghcr.io",
        "jobset.image.repository": "registry.k8s.io/jobset/jobset",
    },
)
# 4.9.0 and later change names and units of metrics; rules and dashboards use the older ones.
DCGM_EXPORTER: Final = Chart(
    name="dcgm-exporter",
    reference="dcgm-exporter",
    version="4.8.1",
    namespace="monitoring",
    repository="https://nvidia.github.io/dcgm-exporter/helm-charts",
    source="https://docs.nvidia.com/datacenter/dcgm/latest/release-notes/dcgm-exporter.html",
    images={"image.repository": "nvcr.io/nvidia/k8s/dcgm-exporter"},
)
_NODE_POOLS = "nodepools.karpenter.sh"
KARPENTER_CRD: Final = Chart(
    name="karpenter-crd",
    resource=_NODE_POOLS,
    reference="oci://public.ecr.aws/karpenter/karpenter-crd",
    version="1.14.1",
    namespace="kube-system",
    source="https://karpenter.sh/docs/upgrading/upgrade-guide/#crd-upgrades",
    ready=True,
)
KARPENTER: Final = Chart(
    name="karpenter",
    resource=_NODE_POOLS,
    reference="oci://public.ecr.aws/karpenter/karpenter",
    version="1.14.1",
    namespace="kube-system",
    source="https://github.com/aws/karpenter-provider-aws/tree/main/charts/karpenter",
    ready=True,
    images={"controller.image.repository": "public.ecr.aws/karpenter/controller"},
)


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


OF_DEVICES: Final = (EFA_PLUGIN, EFA_DRA, NVIDIA_PLUGIN, NVIDIA_DRA, NEURON)
"""Those that offer the devices of nodes to pods."""
EVERY: Final = tuple(chart for chart in list(globals().values()) if isinstance(chart, Chart))
"""All charts, also those that a bundle does without."""
