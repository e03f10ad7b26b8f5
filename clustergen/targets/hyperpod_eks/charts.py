"""Values for the chart that HyperPod requires: the parts to install, with reasons.

The chart HyperPodHelmChart 0.1.0 of https://github.com/aws/sagemaker-hyperpod-cli, 2026-11-20.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from clustergen.base.artifacts import Artifact
from clustergen.base.yaml_text import yaml_text
from clustergen.deployment.software.model import HYPERPOD_CHART, HyperPodChart, Part
from clustergen.facts.catalog import InstanceType
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services import mirror
from clustergen.services.kubernetes import charts as published
from clustergen.services.kubernetes import devices
from clustergen.services.kubernetes.labels_and_taints import affinity
from clustergen.services.kubernetes.names import EFA_RESOURCE, INSTANCE_TYPE_LABEL
from clustergen.targets.hyperpod_eks import karpenter
from clustergen.targets.hyperpod_eks.limits import (
    CHART_REPOSITORY,
    COMPUTE_TYPE_LABEL,
    GROUP_LABEL,
    HEALTH_LABEL,
)

PATH = "manifests/helm-values.yaml"
COMMIT = "067d658b2d5c3d347afbadd75e1425214e965dcb"
"""Commit of the chart with the switches below, read on 2026-11-20."""
_HARD_CODED = ("public.ecr.aws/neuron/neuron-device-plugin",)
"""Images in the templates of Neuron's device plugin, which no value changes."""


def _nothing(_: Plan) -> dict[str, object]:
    return {}


@dataclass(frozen=True, slots=True)
class _Part:
    """A dependency of the chart: keys of its switch, whether it is enabled, and the reason."""

    keys: tuple[str, ...]
    wanted: Callable[[Plan], bool]
    why: str
    settings: Callable[[Plan], dict[str, object]] = _nothing
    """Additional values of its chart."""
    images: Mapping[str, str] = field(default_factory=dict)
    """Path of a value -> what the chart has there: the beginning of an image, with its registry."""
    containers: str = ""
    """Of device plugins: see :attr:`clustergen.services.kubernetes.devices.Offer.same`."""
    offers: Callable[[NodeGroup], object] = bool
    """Of device plugins: whether it offers devices on the nodes of a group."""
    operator: str = ""
    """Of operators: the name of its image."""

    @property
    def switch(self) -> str:
        """The path of the value that switches it on."""
        return ".".join((*self.keys, "enabled"))


def _any(test: Callable[[InstanceType], object]) -> Callable[[Plan], bool]:
    return lambda plan: any(test(type) for type in plan.instance_types)


def _always(_: Plan) -> bool:
    return True


def _never(_: Plan) -> bool:
    return False


def _partitioned(plan: Plan) -> bool:
    return any(group.mig for group in plan.node_groups)


def _deep(plan: Plan) -> bool:
    return any(set(group.health_checks) - {"gpu"} for group in plan.node_groups)


def _ml_types(plan: Plan, test: Callable[[NodeGroup], object]) -> list[str]:
    types = (type for group in plan.node_groups if test(group) for type in group.types)
    return list(dict.fromkeys(type.ml_name for type in types))


def gpu_types(plan: Plan) -> list[str]:
    """The instance types with NVIDIA's GPUs, as HyperPod calls them."""
    return _ml_types(plan, lambda group: group.type.gpus)


def efa_types(plan: Plan) -> list[str]:
    """The instance types with EFA, as HyperPod calls them."""
    return _ml_types(plan, lambda group: group.efa)


def _nvidia(plan: Plan) -> dict[str, object]:
    """The instance types in the plan; the chart's list may be outdated."""
    nodes = affinity(INSTANCE_TYPE_LABEL, gpu_types(plan))
    tolerations = _tolerations(plan, lambda group: group.type.gpus, "nvidia.com/gpu")
    return {"affinity": nodes, **tolerations}


def _efa(plan: Plan) -> dict[str, object]:
    types = {"values": efa_types(plan)}
    tolerations = _tolerations(plan, lambda group: group.efa, "aws.amazon.com/efa")
    return {"supportedInstanceLabels": types, **tolerations}


def _tolerations(plan: Plan, test: Callable[[NodeGroup], object], own: str) -> dict[str, object]:
    """Tolerations for the taints of nodes, and those of the chart, which the list replaces."""
    groups = (group for group in plan.node_groups if test(group))
    taints = [
        (taint.key, taint.effect) for group in groups for taint in karpenter.taints(plan, group)
    ]
    if not taints:
        return {}
    tolerated = dict.fromkeys([(own, "NoSchedule"), *taints])
    health = {"key": HEALTH_LABEL, "operator": "Equal", "value": "Unschedulable"}
    return {
        "tolerations": [
            {"key": "CriticalAddonsOnly", "operator": "Exists"},
            {**health, "effect": "NoSchedule"},
            *({"key": key, "operator": "Exists", "effect": effect} for key, effect in tolerated),
        ]
    }


_UNUSED = {
    "cluster-role-and-bindings": "roles of users; access entries give these",
    "team-role-and-bindings": "roles of users in the namespaces of teams",
    "mlflow": "a service account of MLflow",
    "storage": "a claim of a file system; the claims of the spec are in manifests/",
    "inferenceOperators": "serves models; it needs buckets and roles that the spec does not have",
    "hyperpod-ray-endpoint-operator": "endpoints of Ray",
}
# The switches are the conditions in the chart's Chart.yaml, all of them: Helm installs a dependency
# whose condition has no value.
# https://helm.sh/docs/topics/charts/#tags-and-condition-fields-in-dependencies
_PARTS = (
    _Part(
        ("health-monitoring-agent",),
        _always,
        "watches accelerators; without it no node is found faulty and replaced",
    ),
    _Part(("hyperpod-patching",), _always, "lets HyperPod drain nodes for new images"),
    _Part(
        ("job-auto-restart",),
        lambda plan: plan.resilience.auto_resume,
        "lets HyperPod restart jobs (resilience.auto_resume)",
    ),
    _Part(("deep-health-check",), _deep, "runs the deep health checks (health_checks)"),
    _Part(
        ("nvidia-device-plugin", "devicePlugin"),
        lambda plan: _any(lambda type: type.gpus)(plan) and not _partitioned(plan),
        "offers nvidia.com/gpu; never beside gpu-operator, which installs its own",
        _nvidia,
        {"nvidia-device-plugin.image.repository": "nvcr.io/nvidia/k8s-device-plugin"},
        containers=devices.NVIDIA_PLUGIN,
        offers=lambda group: group.type.gpus,
    ),
    _Part(
        ("gpu-operator",),
        _partitioned,
        "partitions GPUs by the label nvidia.com/mig.config (mig)",
        # The chart has regional copies of its other images.
        images={
            "gpu-operator.gpu-operator.node-feature-discovery.image.repository": "registry.k8s.io/"
            "nfd/node-feature-discovery"
        },
    ),
    _Part(
        ("neuron-device-plugin", "devicePlugin"),
        _any(lambda type: type.neuron_devices),
        "offers aws.amazon.com/neuron",
        containers=devices.NEURON_PLUGIN,
        offers=lambda group: group.type.neuron_devices,
    ),
    _Part(
        ("aws-efa-k8s-device-plugin", "devicePlugin"),
        lambda plan: any(group.efa for group in plan.node_groups),
        f"offers {EFA_RESOURCE}",
        _efa,
        {
            "aws-efa-k8s-device-plugin.image.repository": published.EFA_PLUGIN.images[
                "image.repository"
            ]
        },
        devices.EFA_PLUGIN,
        lambda group: group.efa,
    ),
    _Part(
        ("trainingOperators",),
        _always,
        "runs PyTorchJob of Kubeflow",
        images={"training-operators.image.repository": "docker.io/kubeflow/training-operator"},
        operator="training-operator",
    ),
    _Part(
        ("mpi-operator",),
        _always,
        "runs MPIJob, as the tests in smoke/ are",
        images={"mpi-operator.mpiOperator.image.repository": "docker.io/mpioperator/mpi-operator"},
        operator="mpi-operator",
    ),
    _Part(
        ("cert-manager",),
        _never,
        "the add-on amazon-sagemaker-hyperpod-training-operator needs it; new EKS clusters have it "
        "as an add-on",
    ),
    _Part(
        ("namespaced-role-and-bindings",),
        _never,
        "roles of teams; its switch is `enabled`, though the chart's own values say `enable`",
    ),
    *(_Part((name,), _never, why) for name, why in _UNUSED.items()),
)


def values(plan: Plan) -> Artifact:
    """The values file, with every switch."""
    switches = "".join(_switch(part, plan) for part in _PARTS)
    region = yaml_text({"global": {"region": plan.region}})
    return Artifact(PATH, f"{_HEAD}{region}{switches}")


def deployed(plan: Plan) -> HyperPodChart:
    """What ``bundle.json`` says of the chart, which an EKS cluster needs before it has nodes."""
    wanted = [part for part in _PARTS if part.wanted(plan)]
    offers = {
        part.keys[0]: tuple(group for group in plan.node_groups if part.offers(group))
        for part in wanted
        if part.containers
    }
    return HyperPodChart(
        values=PATH,
        reference=mirror.chart(plan, HYPERPOD_CHART) if plan.software.registry else "",
        version=_version(plan),
        repository=CHART_REPOSITORY,
        commit=COMMIT,
        partitioned=_partitioned(plan),
        parts=tuple(
            Part(part.keys[0], part.switch, part.containers, part.operator)
            for part in wanted
            if part.containers or part.operator
        ),
        nodes=tuple(devices.nodes(plan, offers, _marks(plan))),
    )


def _marks(plan: Plan) -> devices.Marks:
    """https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-resiliency-node-labels.html"""

    def labels(group: NodeGroup) -> dict[str, str]:
        own = {GROUP_LABEL: group.name, COMPUTE_TYPE_LABEL: "hyperpod"}
        return {**group.labels, **own}

    return devices.Marks(
        lambda type: type.ml_name, labels, lambda group: karpenter.taints(plan, group)
    )


def mirrored(plan: Plan, rendered: Iterable[Artifact]) -> Iterator[Artifact]:
    """The script that copies images and the chart to the registry of the spec, if it has one."""
    return mirror.files(
        plan,
        rendered,
        (),
        "hyperpod/mirror.sh.j2",
        helm=True,
        private=published.private_registries(
            address for part in _PARTS if part.wanted(plan) for address in part.images.values()
        ),
        kubernetes=f"{plan.kubernetes.version}.0",
        name=HYPERPOD_CHART,
        version=_version(plan),
        hard_coded=list(_HARD_CODED),
        **_repository(plan),
    )


def _version(plan: Plan) -> str:
    """In a registry, where the commit is not part of the address, and versions never change.

    The chart includes NVIDIA's operator only for MIG.
    """
    return f"0.1.0-{COMMIT[:12]}{'-mig' if _partitioned(plan) else ''}"


def _repository(plan: Plan) -> dict[str, Any]:
    return {"repository": CHART_REPOSITORY, "commit": COMMIT, "partitioned": _partitioned(plan)}


_HEAD = """\
# Values for HyperPod's chart of what has to run in the EKS cluster before nodes join.
"""


def _switch(part: _Part, plan: Plan) -> str:
    wanted = part.wanted(plan)
    value: dict[str, object] = {"enabled": wanted}
    for key in reversed(part.keys[1:]):
        value = {key: value}
    settings = part.settings(plan) if wanted else {}
    images = published.image_values(plan, part.images) if wanted else {}
    why = f"# {part.why[0].upper()}{part.why[1:]}.\n"
    return why + yaml_text(published.merged({part.keys[0]: {**value, **settings}}, images))
