"""Software in a cluster that is not an EKS add-on, with its values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from clustergen.artifacts import Json
from clustergen.catalog import regions, ultraservers
from clustergen.kubernetes import (
    charts,
    gpu_metrics,
    karpenter,
    kueue_configuration,
    labels_and_taints,
    mig,
    names,
)
from clustergen.kubernetes.charts import Component
from clustergen.plan.model import NodeGroup, Plan, Taint


def components(plan: Plan) -> tuple[Component, ...]:
    """The charts of a cluster, in order of installation."""
    parts = (_karpenter, _nvidia, _neuron, _efa, _schedulers, _jobs, _metrics)
    return tuple(_pointed(plan, component) for part in parts for component in part(plan))


def _pointed(plan: Plan, component: Component) -> Component:
    """With images of the registry of the spec, if it has one."""
    images = charts.image_values(plan, component.chart.images)
    return replace(component, values=charts.merged(images, component.values))


def _karpenter(plan: Plan) -> Iterator[Component]:
    if not karpenter.is_on(plan):
        return
    yield Component(charts.KARPENTER_CRD, "the custom resource definitions of Karpenter", {})
    values = {
        "replicas": _replicas(plan),
        "nodeSelector": labels_and_taints.on_system_nodes(plan),
        "serviceAccount": {"name": karpenter.SERVICE_ACCOUNT},
        "settings": {
            "clusterName": plan.name,
            "interruptionQueue": karpenter.QUEUE,
            # It asks for no prices then, which have no endpoint.
            **({"isolatedVPC": True} if plan.network.closed else {}),
        },
    }
    yield Component(charts.KARPENTER, "starts nodes for pods that wait (autoscaler)", values)


def _nvidia(plan: Plan) -> Iterator[Component]:
    if not any(group.type.gpus for group in plan.node_groups):
        return
    claims = plan.kubernetes.devices == "dra"
    tolerations = _tolerations(plan, lambda group: group.type.gpus > 0)
    if any(group.mig for group in plan.node_groups):
        why = "partitions GPUs by the label nvidia.com/mig.config (mig)"
        yield Component(charts.GPU_OPERATOR, why, _gpu_operator(plan, tolerations))
    elif not claims:
        values = {"tolerations": tolerations}
        yield Component(charts.NVIDIA_PLUGIN, f"offers {names.GPU_RESOURCE}", values)
    domains = any(ultraservers.containing(group.type.name) for group in plan.node_groups)
    if claims or domains:
        yield Component(charts.NVIDIA_DRA, *_nvidia_dra(plan, domains, tolerations))


def _nvidia_dra(plan: Plan, domains: bool, tolerations: list[Json]) -> tuple[str, Json]:
    claims = plan.kubernetes.devices == "dra"
    why = [
        *(["offers GPUs to claims (devices: dra)"] if claims else []),
        *(["joins the GPUs of an UltraServer by ComputeDomains"] if domains else []),
    ]
    values: Json = {
        "resources": {"gpus": {"enabled": claims}, "computeDomains": {"enabled": domains}},
        # GPU claims also need this switch.
        **({"gpuResourcesEnabledOverride": True} if claims else {}),
        "kubeletPlugin": {"tolerations": tolerations},
        # Some releases of the chart require control plane nodes, which EKS does not have.
        "controller": {
            "nodeSelector": labels_and_taints.on_system_nodes(plan),
            "affinity": {"nodeAffinity": None},
        },
    }
    return "; ".join(why), values


def _gpu_operator(plan: Plan, tolerations: list[Json]) -> Json:
    return {
        # EKS images include both.
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        "devicePlugin": {"enabled": plan.kubernetes.devices == "plugin"},
        # Pinned separately.
        "dcgmExporter": {"enabled": False},
        "mig": {"strategy": "mixed"},
        "migManager": {
            "config": {
                "create": True,
                "name": mig.config_map(plan),
                "default": mig.DISABLED,
                "data": {"config.yaml": mig.config(plan)},
            },
            # Some GPUs need a reboot to change partitions.
            "env": [{"name": "WITH_REBOOT", "value": "true"}],
        },
        "daemonsets": {"tolerations": tolerations},
        "node-feature-discovery": {"worker": {"tolerations": tolerations}},
    }


def _neuron(plan: Plan) -> Iterator[Component]:
    groups = [group for group in plan.node_groups if group.type.neuron_devices]
    if not groups:
        return
    claims = plan.kubernetes.devices == "dra"
    tolerations = _tolerations(plan, lambda group: group.type.neuron_devices > 0)
    values = {
        "neuronInstances": _types(groups),
        "devicePlugin": {"enabled": not claims, "tolerations": tolerations},
        "draDriver": {"enabled": claims, "tolerations": tolerations},
        # EKS's agent monitors the devices and requests replacement of nodes.
        "npd": {"enabled": False},
    }
    offered = "Neuron devices to claims (devices: dra)" if claims else names.NEURON_RESOURCE
    yield Component(charts.NEURON, f"offers {offered}", values)


def _efa(plan: Plan) -> Iterator[Component]:
    groups = [group for group in plan.node_groups if group.efa_interfaces]
    if not groups:
        return
    values: Json = {
        # The types in the plan; the chart's list may be outdated.
        "supportedInstanceLabels": {
            "keys": [names.INSTANCE_TYPE_LABEL],
            "values": _types(groups),
        },
        "tolerations": _tolerations(plan, lambda group: group.efa_interfaces > 0),
    }
    claims = plan.kubernetes.devices == "dra"
    if registry := _registry(plan.region):
        image = "dranet" if claims else "aws-efa-k8s-device-plugin"
        values = {"image": {"repository": f"{registry}/eks/{image}"}, **values}
    if claims:
        yield Component(charts.EFA_DRA, "offers EFA to claims (devices: dra)", values)
    else:
        yield Component(charts.EFA_PLUGIN, f"offers {names.EFA_RESOURCE}", values)


def _schedulers(plan: Plan) -> Iterator[Component]:
    if plan.kubernetes.admission == "kueue":
        manager = {
            "replicas": _replicas(plan),
            "nodeSelector": labels_and_taints.on_system_nodes(plan),
        }
        why = "holds jobs back until their nodes are free (admission)"
        configuration = kueue_configuration.values(plan)
        yield Component(charts.KUEUE, why, {"controllerManager": manager, **configuration})
    if plan.kubernetes.scheduler == "volcano":
        yield Component(charts.VOLCANO, "starts the pods of a job together (scheduler)", {})
    if plan.kubernetes.scheduler == "kai":
        values = {"defaultQueue": {"createDefaultQueue": False}}
        yield Component(charts.KAI, "packs and shares GPUs between queues (scheduler)", values)


def _jobs(plan: Plan) -> Iterator[Component]:
    """The operators for jobs. The MPI operator has no chart, only a manifest."""
    if plan.kubernetes.jobs == "kubeflow-trainer":
        values = {
            "jobset": {"install": True},
            "manager": {"nodeSelector": labels_and_taints.on_system_nodes(plan)},
            # The chart would install runtimes by a job that downloads kubectl from Docker Hub's
            # and Alpine's servers, which a closed VPC does not reach.
            "runtimes": {"torchDistributed": {"enabled": False}},
        }
        yield Component(charts.TRAINER, "runs TrainJob (jobs)", values)


def _metrics(plan: Plan) -> Iterator[Component]:
    if not gpu_metrics.is_on(plan):
        return
    values = {
        "image": {"tag": "4.5.2-4.8.1-distroless"},
        # The managed scraper finds the pods by their label; ServiceMonitor needs an operator.
        "serviceMonitor": {"enabled": False},
        **gpu_metrics.values(),
        "nodeSelector": {names.GPU_PRESENT_LABEL: "true"},
        "tolerations": _tolerations(plan, lambda group: group.type.gpus > 0),
    }
    yield Component(charts.DCGM_EXPORTER, "metrics of GPUs (monitoring)", values)


def _replicas(plan: Plan) -> int:
    """Two replicas on different nodes, so that one may fail."""
    return min(plan.kubernetes.system_nodes.count, 2)


def _types(groups: Iterable[NodeGroup]) -> list[str]:
    return list(dict.fromkeys(type.name for group in groups for type in group.types))


def _tolerations(plan: Plan, wanted: Callable[[NodeGroup], bool]) -> list[Json]:
    """All tolerations of agents on nodes; they replace the chart's list."""
    taints = (
        t for group in plan.node_groups if wanted(group) for t in labels_and_taints.taints(group)
    )
    return [toleration(taint) for taint in dict.fromkeys(_keys(taints))]


def _keys(taints: Iterable[Taint]) -> Iterator[Taint]:
    """Keys and effects of taints; agents tolerate all values."""
    return (Taint(taint.key, "", taint.effect) for taint in taints)


def toleration(taint: Taint) -> Json:
    """A toleration for a taint with any value."""
    return {"key": taint.key, "operator": "Exists", "effect": taint.effect}


# Registries for partitions that cannot reach the charts' default registry in us-west-2.
# https://docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html (2026-11)
_REGISTRIES = {
    "us-gov-west-1": "013241004608",
    "us-gov-east-1": "151742754352",
    "cn-north-1": "918309763551",
    "cn-northwest-1": "961992271922",
}


def _registry(region: str) -> str:
    """The registry of EKS images; empty if the charts' default registry can be reached."""
    account = _REGISTRIES.get(region)
    suffix = regions.partition_of(region).dns_suffix
    return f"{account}.dkr.ecr.{region}.{suffix}" if account else ""
