"""The pods of a cluster's add-ons and charts, where they must run, and what they request.

These are the defaults; requests are rounded up. :func:`brought` adds what this bundle configures; a
test puts each of them on the nodes of every kind of cluster.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from clustergen.plan.model import NodeGroup
from clustergen.services.kubernetes import charts
from clustergen.services.kubernetes.charts import Chart
from clustergen.services.kubernetes.names import GPU_PRESENT_LABEL

Place = Literal["every", "gpu", "neuron", "efa", "system"]
"""Nodes that a workload is for: all, those with some device, or those of the cluster's software."""

ANY: Mapping[str, str] = MappingProxyType({"operator": "Exists"})
"""Tolerates every taint."""
_CRITICAL = MappingProxyType({"key": "CriticalAddonsOnly", "operator": "Exists"})


@dataclass(frozen=True, slots=True)
class Workload:
    """Pods of one DaemonSet, Deployment or Job."""

    brought_by: str
    """The add-on or chart."""
    name: str
    place: Place
    source: str
    """Source, with version and date."""
    tolerations: tuple[Mapping[str, str], ...] = ()
    """The defaults; none where every bundle has values for them, which replace them."""
    configured: tuple[str, ...] = ()
    """Where the values have tolerations, by key."""
    replaces: bool = True
    """Whether given tolerations replace the defaults; otherwise they are added."""
    tolerates_all: tuple[str, ...] = ()
    """Where the values have a switch to tolerate every taint."""
    selector: Mapping[str, str] = field(default_factory=dict)
    selects: tuple[str, ...] = ()
    """Where the values have a node selector."""
    arch: tuple[str, ...] = ("x86_64", "arm64")
    requests: tuple[int, int] = (0, 0)
    """Thousandths of a vCPU, and MiB."""
    image: str = ""
    """Its repository, with the registry; empty for add-ons, which come from EKS's own registry of
    the region, and where only the released chart says it."""


_EKS = "https://docs.aws.amazon.com/eks/latest/userguide/"
_CNI = "https://github.com/aws/amazon-vpc-cni-k8s/tree/master/charts/aws-vpc-cni (2026)"
_PROXY = f"{_EKS}managing-kube-proxy.html (2026-11)"
_IDENTITY = "https://github.com/aws/eks-pod-identity-agent/tree/main/charts (2026)"
_COREDNS = f"{_EKS}coredns-add-on-create.html (2026-11)"
_MONITORING = (
    "https://github.com/aws/eks-node-monitoring-agent/tree/main/charts (1.7.0-eksbuild.1, 2026-08)"
)
_STATE = f"{_EKS}community-addons.html (2026-11)"
_FSX = "https://github.com/kubernetes-sigs/aws-fsx-csi-driver/tree/master/charts (1.9.0, 2026-04)"
_EFS = "https://github.com/kubernetes-sigs/aws-efs-csi-driver/tree/master/charts (2026)"
_EBS = "https://github.com/kubernetes-sigs/aws-ebs-csi-driver/tree/master/charts (2026)"
_S3 = "https://github.com/awslabs/mountpoint-s3-csi-driver/tree/main/charts (2.7.0, 2026-08)"
_WATCH = "https://github.com/aws-observability/helm-charts (amazon-cloudwatch-observability, 2026)"
_TOLERATIONS = ("tolerations",)
_ADDED: Mapping[str, Any] = {"configured": _TOLERATIONS, "replaces": False}
_EFA_PLUGIN = "aws-efa-k8s-device-plugin"
GPU = {GPU_PRESENT_LABEL: "true"}

_DRIVER = (30, 120)
"""What a driver of volumes requests on a node."""

ADDONS: tuple[Workload, ...] = (
    Workload("vpc-cni", "aws-node", "every", _CNI, (ANY,), requests=(50, 0)),
    Workload("kube-proxy", "kube-proxy", "every", _PROXY, (ANY,), requests=(100, 0)),
    Workload("eks-pod-identity-agent", "eks-pod-identity-agent", "every", _IDENTITY, (ANY,)),
    Workload("coredns", "coredns", "system", _COREDNS, (_CRITICAL,), requests=(100, 70)),
    Workload("kube-state-metrics", "kube-state-metrics", "system", _STATE),
    Workload(
        *("eks-node-monitoring-agent", "eks-node-monitoring-agent", "every", _MONITORING, (ANY,)),
        configured=("nodeAgent", "tolerations"),
        requests=(10, 30),
    ),
    # Without it the agent on the same node reports its GPUs as unhealthy.
    Workload(
        *("eks-node-monitoring-agent", "dcgm-server", "gpu", _MONITORING),
        configured=("dcgmAgent", "tolerations"),
        arch=("x86_64",),
    ),
    Workload("aws-fsx-csi-driver", "fsx-csi-node", "every", _FSX, (ANY,), requests=_DRIVER),
    Workload("aws-fsx-csi-driver", "fsx-csi-controller", "system", _FSX, (_CRITICAL,)),
    Workload("aws-efs-csi-driver", "efs-csi-node", "every", _EFS, (ANY,), requests=_DRIVER),
    Workload("aws-efs-csi-driver", "efs-csi-controller", "system", _EFS, (_CRITICAL,)),
    Workload("aws-ebs-csi-driver", "ebs-csi-node", "every", _EBS, (ANY,), requests=_DRIVER),
    Workload("aws-ebs-csi-driver", "ebs-csi-controller", "system", _EBS, (_CRITICAL,)),
    Workload(
        *("aws-mountpoint-s3-csi-driver", "s3-csi-node", "every", _S3, (_CRITICAL,)),
        tolerates_all=("node", "tolerateAllTaints"),
        requests=_DRIVER,
    ),
    Workload(
        *("amazon-cloudwatch-observability", "cloudwatch-agent", "every", _WATCH, (ANY,)),
        requests=(250, 128),
    ),
    Workload(
        *("amazon-cloudwatch-observability", "fluent-bit", "every", _WATCH, (ANY,)),
        requests=(50, 25),
    ),
)
"""Of the add-ons of EKS."""


def _of(chart: Chart, name: str, place: Place, *tolerations: Any, **more: Any) -> Workload:
    return Workload(chart.name, name, place, chart.source, tolerations, **more)


CHARTS: tuple[Workload, ...] = (
    _of(charts.NVIDIA_PLUGIN, "nvidia-device-plugin", "gpu", configured=_TOLERATIONS, selector=GPU),
    _of(
        *(charts.NVIDIA_DRA, "kubelet-plugin", "gpu"),
        configured=("kubeletPlugin", "tolerations"),
        selector=GPU,
    ),
    _of(
        *(charts.NVIDIA_DRA, "controller", "system"),
        configured=("controller", "tolerations"),
        # Of releases that wanted the control plane, which nodes of EKS never are.
        selector={"node-role.kubernetes.io/control-plane": ""},
        selects=("controller", "nodeSelector"),
    ),
    _of(charts.GPU_OPERATOR, "gpu-operator", "system", configured=("operator", "tolerations")),
    _of(
        *(charts.GPU_OPERATOR, "device plugin, MIG manager, validator", "gpu"),
        configured=("daemonsets", "tolerations"),
        selector=GPU,
    ),
    _of(
        *(charts.GPU_OPERATOR, "node-feature-discovery-worker", "gpu"),
        configured=("node-feature-discovery", "worker", "tolerations"),
    ),
    _of(
        *(charts.DCGM_EXPORTER, "dcgm-exporter", "gpu"),
        configured=_TOLERATIONS,
        selects=("nodeSelector",),
        requests=(100, 128),
    ),
    _of(
        *(charts.NEURON, "neuron-device-plugin", "neuron"),
        configured=("devicePlugin", "tolerations"),
        requests=(100, 200),
    ),
    _of(charts.EFA_PLUGIN, _EFA_PLUGIN, "efa", _CRITICAL, **_ADDED, requests=(10, 20)),
    _of(charts.EFA_DRA, "aws-dranet", "efa", _CRITICAL, **_ADDED, requests=(100, 50)),
    _of(
        *(charts.KUEUE, "kueue-controller-manager", "system"),
        selects=("controllerManager", "nodeSelector"),
        requests=(500, 512),
    ),
    _of(charts.KARPENTER, "karpenter", "system", _CRITICAL, selects=("nodeSelector",)),
    _of(charts.VOLCANO, "scheduler, controllers, admission", "system"),
    _of(charts.KAI, "scheduler, binder and others", "system"),
    _of(charts.TRAINER, "controller", "system", selects=("manager", "nodeSelector")),
)
"""Of the charts that a deployment installs."""

_EKS_IMAGES = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks"
_DRA_IMAGE = "registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu"

WITHOUT_PODS = frozenset({charts.KARPENTER_CRD.name})


def brought(by: str, values: Mapping[str, Any]) -> Iterator[Workload]:
    """The workloads of an add-on or a chart that is given these values."""
    for workload in (*ADDONS, *CHARTS):
        if workload.brought_by == by:
            image = _at(values, ("image", "repository")) or IMAGES.get((by, workload.name), "")
            yield replace(_configured(workload, values), image=image)


IMAGES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        (chart.name, workload): repository
        # Values of each chart at the source of its workload.
        for chart, workload, repository in (
            (charts.NVIDIA_PLUGIN, "nvidia-device-plugin", "nvcr.io/nvidia/k8s-device-plugin"),
            (charts.NVIDIA_DRA, "kubelet-plugin", _DRA_IMAGE),
            (charts.NVIDIA_DRA, "controller", _DRA_IMAGE),
            (charts.DCGM_EXPORTER, "dcgm-exporter", "nvcr.io/nvidia/k8s/dcgm-exporter"),
            (charts.NEURON, "neuron-device-plugin", "public.ecr.aws/neuron/neuron-device-plugin"),
            (charts.EFA_PLUGIN, _EFA_PLUGIN, f"{_EKS_IMAGES}/{_EFA_PLUGIN}"),
            (charts.EFA_DRA, "aws-dranet", f"{_EKS_IMAGES}/dranet"),
            (charts.KARPENTER, "karpenter", "public.ecr.aws/karpenter/controller"),
            (charts.VOLCANO, "scheduler, controllers, admission", "docker.io/volcanosh"),
            (charts.TRAINER, "controller", "ghcr.io/kubeflow/trainer/trainer-controller-manager"),
        )
    }
)
"""Chart and workload -> repository."""


def _configured(workload: Workload, values: Mapping[str, Any]) -> Workload:
    given = _at(values, workload.configured)
    own = () if workload.replaces and given is not None else workload.tolerations
    tolerations = (*own, *(given or ()))
    if _at(values, workload.tolerates_all):
        tolerations = (ANY,)
    selector = {**workload.selector}
    if (chosen := _at(values, workload.selects)) is not None:
        selector = dict(chosen)
    return replace(workload, tolerations=tolerations, selector=selector)


def _at(values: Mapping[str, Any], keys: Sequence[str]) -> Any:
    found: Any = values if keys else None
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def is_for(workload: Workload, group: NodeGroup) -> bool:
    """Whether a workload is meant for the nodes of a group of the spec."""
    if group.type.arch not in workload.arch:
        return False
    return {
        "every": True,
        "gpu": group.type.gpus > 0,
        "neuron": group.type.neuron_devices > 0,
        "efa": group.efa_interfaces > 0,
        "system": False,
    }[workload.place]
