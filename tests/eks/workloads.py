"""The pods of a cluster's add-ons and charts, where they must run, and what they request.

These are the defaults; requests are rounded up. :func:`brought` adds what this bundle configures; a
test puts each of them on the nodes of every kind of cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from clustergen.kubernetes import charts
from clustergen.kubernetes.names import GPU_PRESENT_LABEL
from clustergen.plan.model import NodeGroup

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
    cpu_millis: int = 0
    memory_mib: int = 0
    image: str = ""
    """Its repository, with the registry; empty for add-ons, which come from EKS's own registry of
    the region, and where only the released chart says it."""
    daemon: bool = True
    """A DaemonSet, with a pod on each of its nodes."""


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

ADDONS: tuple[Workload, ...] = (
    Workload("vpc-cni", "aws-node", "every", _CNI, (ANY,), cpu_millis=50),
    Workload("kube-proxy", "kube-proxy", "every", _PROXY, (ANY,), cpu_millis=100),
    Workload("eks-pod-identity-agent", "eks-pod-identity-agent", "every", _IDENTITY, (ANY,)),
    Workload(
        *("coredns", "coredns", "system", _COREDNS, (_CRITICAL,)),
        cpu_millis=100,
        memory_mib=70,
        daemon=False,
    ),
    Workload("kube-state-metrics", "kube-state-metrics", "system", _STATE, daemon=False),
    Workload(
        *("eks-node-monitoring-agent", "eks-node-monitoring-agent", "every", _MONITORING, (ANY,)),
        configured=("nodeAgent", "tolerations"),
        cpu_millis=10,
        memory_mib=30,
    ),
    # Without it the agent on the same node reports its GPUs as unhealthy.
    Workload(
        *("eks-node-monitoring-agent", "dcgm-server", "gpu", _MONITORING),
        configured=("dcgmAgent", "tolerations"),
        arch=("x86_64",),
    ),
    Workload(
        *("aws-fsx-csi-driver", "fsx-csi-node", "every", _FSX, (ANY,)),
        cpu_millis=30,
        memory_mib=120,
    ),
    Workload(
        *("aws-fsx-csi-driver", "fsx-csi-controller", "system", _FSX, (_CRITICAL,)), daemon=False
    ),
    Workload(
        *("aws-efs-csi-driver", "efs-csi-node", "every", _EFS, (ANY,)),
        cpu_millis=30,
        memory_mib=120,
    ),
    Workload(
        *("aws-efs-csi-driver", "efs-csi-controller", "system", _EFS, (_CRITICAL,)), daemon=False
    ),
    Workload(
        *("aws-ebs-csi-driver", "ebs-csi-node", "every", _EBS, (ANY,)),
        cpu_millis=30,
        memory_mib=120,
    ),
    Workload(
        *("aws-ebs-csi-driver", "ebs-csi-controller", "system", _EBS, (_CRITICAL,)), daemon=False
    ),
    Workload(
        *("aws-mountpoint-s3-csi-driver", "s3-csi-node", "every", _S3, (_CRITICAL,)),
        tolerates_all=("node", "tolerateAllTaints"),
        cpu_millis=30,
        memory_mib=120,
    ),
    Workload(
        *("amazon-cloudwatch-observability", "cloudwatch-agent", "every", _WATCH, (ANY,)),
        cpu_millis=250,
        memory_mib=128,
    ),
    Workload(
        *("amazon-cloudwatch-observability", "fluent-bit", "every", _WATCH, (ANY,)),
        cpu_millis=50,
        memory_mib=25,
    ),
)
"""Of the add-ons of EKS."""

CHARTS: tuple[Workload, ...] = (
    Workload(
        *(charts.NVIDIA_PLUGIN.name, "nvidia-device-plugin", "gpu", charts.NVIDIA_PLUGIN.source),
        configured=_TOLERATIONS,
        selector={GPU_PRESENT_LABEL: "true"},
    ),
    Workload(
        *(charts.NVIDIA_DRA.name, "kubelet-plugin", "gpu", charts.NVIDIA_DRA.source),
        configured=("kubeletPlugin", "tolerations"),
        selector={GPU_PRESENT_LABEL: "true"},
    ),
    Workload(
        *(charts.NVIDIA_DRA.name, "controller", "system", charts.NVIDIA_DRA.source),
        configured=("controller", "tolerations"),
        # Of releases that wanted the control plane, which nodes of EKS never are.
        selector={"node-role.kubernetes.io/control-plane": ""},
        selects=("controller", "nodeSelector"),
        daemon=False,
    ),
    Workload(
        *(charts.GPU_OPERATOR.name, "gpu-operator", "system", charts.GPU_OPERATOR.source),
        configured=("operator", "tolerations"),
        daemon=False,
    ),
    Workload(
        *(charts.GPU_OPERATOR.name, "device plugin, MIG manager, validator", "gpu"),
        charts.GPU_OPERATOR.source,
        configured=("daemonsets", "tolerations"),
        selector={GPU_PRESENT_LABEL: "true"},
    ),
    Workload(
        *(charts.GPU_OPERATOR.name, "node-feature-discovery-worker", "gpu"),
        charts.GPU_OPERATOR.source,
        configured=("node-feature-discovery", "worker", "tolerations"),
    ),
    Workload(
        *(charts.DCGM_EXPORTER.name, "dcgm-exporter", "gpu", charts.DCGM_EXPORTER.source),
        configured=_TOLERATIONS,
        selects=("nodeSelector",),
        cpu_millis=100,
        memory_mib=128,
    ),
    Workload(
        *(charts.NEURON.name, "neuron-device-plugin", "neuron", charts.NEURON.source),
        configured=("devicePlugin", "tolerations"),
        cpu_millis=100,
        memory_mib=200,
    ),
    Workload(
        *(charts.EFA_PLUGIN.name, "aws-efa-k8s-device-plugin", "efa", charts.EFA_PLUGIN.source),
        (_CRITICAL,),
        configured=_TOLERATIONS,
        replaces=False,
        cpu_millis=10,
        memory_mib=20,
    ),
    Workload(
        *(charts.EFA_DRA.name, "aws-dranet", "efa", charts.EFA_DRA.source),
        (_CRITICAL,),
        configured=_TOLERATIONS,
        replaces=False,
        cpu_millis=100,
        memory_mib=50,
    ),
    Workload(
        *(charts.KUEUE.name, "kueue-controller-manager", "system", charts.KUEUE.source),
        selects=("controllerManager", "nodeSelector"),
        cpu_millis=500,
        memory_mib=512,
        daemon=False,
    ),
    Workload(
        *(charts.KARPENTER.name, "karpenter", "system", charts.KARPENTER.source),
        (_CRITICAL,),
        selects=("nodeSelector",),
        daemon=False,
    ),
    Workload(
        *(charts.VOLCANO.name, "scheduler, controllers, admission", "system"),
        charts.VOLCANO.source,
        daemon=False,
    ),
    Workload(*(charts.KAI.name, "scheduler, binder and others", "system"), charts.KAI.source,
             daemon=False),
    Workload(
        *(charts.TRAINER.name, "controller", "system", charts.TRAINER.source),
        selects=("manager", "nodeSelector"),
        daemon=False,
    ),
)  # fmt: skip
"""Of the charts that install.sh installs."""

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
        # Values of each chart at the source of its workload.
        (charts.NVIDIA_PLUGIN.name, "nvidia-device-plugin"): "nvcr.io/nvidia/k8s-device-plugin",
        (charts.NVIDIA_DRA.name, "kubelet-plugin"): _DRA_IMAGE,
        (charts.NVIDIA_DRA.name, "controller"): _DRA_IMAGE,
        (charts.DCGM_EXPORTER.name, "dcgm-exporter"): "nvcr.io/nvidia/k8s/dcgm-exporter",
        (charts.NEURON.name, "neuron-device-plugin"): "public.ecr.aws/neuron/neuron-device-plugin",
        (charts.EFA_PLUGIN.name, "aws-efa-k8s-device-plugin"): (
            f"{_EKS_IMAGES}/aws-efa-k8s-device-plugin"
        ),
        (charts.EFA_DRA.name, "aws-dranet"): f"{_EKS_IMAGES}/dranet",
        (charts.KARPENTER.name, "karpenter"): "public.ecr.aws/karpenter/controller",
        (charts.VOLCANO.name, "scheduler, controllers, admission"): "docker.io/volcanosh",
        (charts.TRAINER.name, "controller"): (
            "ghcr.io/kubeflow/trainer/trainer-controller-manager"
        ),
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
