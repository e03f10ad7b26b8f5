"""Software in a cluster that is not an EKS add-on, with its values."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from clustergen.base.artifacts import Json
from clustergen.facts.catalog import regions, ultraservers
from clustergen.plan.model import NodeGroup, Plan, Taint
from clustergen.services.kubernetes import (
    charts,
    devices,
    gpu_metrics,
    karpenter,
    kueue_configuration,
    labels_and_taints,
    mig,
    names,
)
from clustergen.services.kubernetes.charts import Component
from clustergen.services.kubernetes.devices import Offer


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


_TERM = "nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
_NAMES_IN_AFFINITY = f"affinity.{_TERM}.matchExpressions[0].values"
"""Path of the names in :func:`labels_and_taints.affinity_to`."""


def _nvidia(plan: Plan) -> Iterator[Component]:
    groups = tuple(group for group in plan.node_groups if group.type.gpus)
    if not groups:
        return
    claims = plan.kubernetes.devices == "dra"
    if any(group.mig for group in groups):
        why = "partitions GPUs by the label nvidia.com/mig.config (mig)"
        yield Component(charts.GPU_OPERATOR, why, _gpu_operator(plan, groups))
    elif not claims:
        offer = Offer(groups, devices.NVIDIA_PLUGIN, f"{_NVIDIA_DRIVER} gpus", _NAMES_IN_AFFINITY)
        why, values = f"offers {names.GPU_RESOURCE}", _on_nodes(groups)
        yield Component(charts.NVIDIA_PLUGIN, why, values, offer)
    domains = any(ultraservers.containing(group.type.name) for group in groups)
    if claims or domains:
        yield _nvidia_dra(plan, groups, domains)


_NVIDIA_DRIVER = "(dra-driver-nvidia-gpu|k8s-dra-driver-gpu)"
"""The end of the names of its image, since it began; its containers are named for their devices."""


def _nvidia_dra(plan: Plan, groups: tuple[NodeGroup, ...], domains: bool) -> Component:
    claims = plan.kubernetes.devices == "dra"
    why = [
        *(["offers GPUs to claims (devices: dra)"] if claims else []),
        *(["joins the GPUs of an UltraServer by ComputeDomains"] if domains else []),
    ]
    values: Json = {
        "resources": {"gpus": {"enabled": claims}, "computeDomains": {"enabled": domains}},
        # GPU claims also need this switch.
        **({"gpuResourcesEnabledOverride": True} if claims else {}),
        "kubeletPlugin": _on_nodes(groups),
        # Some releases of the chart require control plane nodes, which EKS does not have.
        "controller": {
            "nodeSelector": labels_and_taints.on_system_nodes(plan),
            "affinity": {"nodeAffinity": None},
        },
    }
    same = f"{_NVIDIA_DRIVER} {'gpus' if claims else 'compute-domains'}"
    offer = Offer(groups, same, devices.NVIDIA_PLUGIN if claims else "")
    return Component(charts.NVIDIA_DRA, "; ".join(why), values, offer)


def _gpu_operator(plan: Plan, groups: tuple[NodeGroup, ...]) -> Json:
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
        "daemonsets": {"tolerations": _tolerations(groups)},
        # The operator serves the nodes on which this finds GPUs.
        "node-feature-discovery": {"worker": _on_nodes(groups)},
    }


def _neuron(plan: Plan) -> Iterator[Component]:
    groups = tuple(group for group in plan.node_groups if group.type.neuron_devices)
    if not groups:
        return
    claims = plan.kubernetes.devices == "dra"
    on_nodes = _on_nodes(groups)
    plugin, driver = devices.NEURON_PLUGIN, "neuron-dra-driver"
    offer = (
        Offer(groups, driver, plugin)
        if claims
        else Offer(groups, plugin, driver, f"devicePlugin.{_NAMES_IN_AFFINITY}")
    )
    values = {
        "devicePlugin": {"enabled": not claims, **on_nodes, **_own_names(plan, offer)},
        "draDriver": {"enabled": claims, **on_nodes},
        # EKS's agent monitors the devices and requests replacement of nodes.
        "npd": {"enabled": False},
    }
    offered = "Neuron devices to claims (devices: dra)" if claims else names.NEURON_RESOURCE
    yield Component(charts.NEURON, f"offers {offered}", values, offer)


def _own_names(plan: Plan, offer: Offer) -> Json:
    """Names of objects for a release beside others: those of the chart do not depend on it."""
    release = devices.release(plan, charts.NEURON.name, offer)
    if release == charts.NEURON.name:
        return {}
    return {"fullnameOverride": release, "serviceAccount": {"name": release}}


def _efa(plan: Plan) -> Iterator[Component]:
    groups = tuple(group for group in plan.node_groups if group.efa_interfaces)
    if not groups:
        return
    values: Json = {
        # The chart selects types by this, and has a list of them. It is an affinity to any label.
        "supportedInstanceLabels": {
            "keys": [labels_and_taints.NODE_GROUP_LABEL],
            "values": [group.name for group in groups],
        },
        "tolerations": _tolerations(groups),
    }
    claims = plan.kubernetes.devices == "dra"
    plugin, driver = devices.EFA_PLUGIN, "dranet"
    if registry := _registry(plan.region):
        image = driver if claims else plugin
        values = {"image": {"repository": f"{registry}/eks/{image}"}, **values}
    if claims:
        why, offer = "offers EFA to claims (devices: dra)", Offer(groups, driver, plugin)
        yield Component(charts.EFA_DRA, why, values, offer)
    else:
        offer = Offer(groups, plugin, driver, "supportedInstanceLabels.values")
        yield Component(charts.EFA_PLUGIN, f"offers {names.EFA_RESOURCE}", values, offer)


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
        "tolerations": _tolerations(group for group in plan.node_groups if group.type.gpus),
    }
    yield Component(charts.DCGM_EXPORTER, "metrics of GPUs (monitoring)", values)


def _replicas(plan: Plan) -> int:
    """Two replicas on different nodes, so that one may fail."""
    return min(plan.kubernetes.system_nodes.count, 2)


def _tolerations(groups: Iterable[NodeGroup]) -> list[Json]:
    """All tolerations of agents on the nodes of groups; they replace the chart's list."""
    taints = (taint for group in groups for taint in labels_and_taints.taints(group))
    # Agents tolerate all values.
    return [toleration(each) for each in dict.fromkeys(replace(t, value="") for t in taints)]


def _on_nodes(groups: Sequence[NodeGroup]) -> Json:
    """Values of agents that run on the nodes of groups only."""
    affinity = labels_and_taints.affinity_to(groups)
    return {"affinity": affinity, "tolerations": _tolerations(groups)}


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
