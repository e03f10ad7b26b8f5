"""Dynamic resource allocation: claim templates that pods name instead of requesting devices."""

from collections.abc import Iterable, Iterator

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.kubernetes import names, namespaces
from clustergen.services.kubernetes.manifest import kubernetes_object

API = "resource.k8s.io/v1"


def is_on(plan: Plan) -> bool:
    """Whether pods use claims for devices."""
    return plan.kubernetes.devices == "dra"


def objects(plan: Plan) -> Iterator[Json]:
    """Claim templates in each namespace: for each group, a whole node and a share of it.

    https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html (2026-11)
    """
    for namespace in namespaces.all_namespaces(plan) if is_on(plan) else ():
        for group in namespaces.groups_of(plan, namespace):
            for name, devices in _templates(group):
                spec = {"spec": {"devices": devices}}
                yield kubernetes_object(
                    API, "ResourceClaimTemplate", name, namespace=namespace, spec=spec
                )


def names_of(group: NodeGroup, devices: Iterable[str]) -> list[str]:
    """Names of the templates that replace device plugin resources, for a whole node."""
    kinds = ("efa" if device == names.EFA_RESOURCE else "accelerators" for device in devices)
    return [f"{group.object_name}-{kind}" for kind in dict.fromkeys(kinds)]


def _templates(group: NodeGroup) -> Iterator[tuple[str, Json]]:
    """Separate templates for accelerators and EFA, by number.

    A claim can hold 32 devices, and a p5.48xlarge has more. With the mode All, Kubernetes and Kueue
    cannot count devices. https://kueue.sigs.k8s.io/docs/concepts/ (2026-03)
    """
    if accelerators := group.type.gpus or group.type.neuron_devices:
        kind = names.GPU_CLASS if group.type.gpus else names.NEURON_CLASS
        request = _request("accelerators", kind, accelerators)
        yield f"{group.object_name}-accelerators", {"requests": [request]}
    if interfaces := group.efa_interfaces:
        request = _request("efa", names.EFA_CLASS, interfaces)
        yield f"{group.object_name}-efa", {"requests": [request]}
    if share := _share(group):
        yield f"{group.object_name}-gpu", share


def _share(group: NodeGroup) -> Json | None:
    """One GPU with its nearest EFA interfaces, if there are enough for each GPU."""
    interfaces, gpus = group.efa_interfaces, group.type.gpus
    if not gpus or not interfaces or interfaces % gpus:
        return None
    return {
        "requests": [
            _request("gpu", names.GPU_CLASS, 1),
            _request("efa", names.EFA_CLASS, interfaces // gpus),
        ],
        "constraints": [{"requests": ["gpu", "efa"], "matchAttribute": names.PCIE_ROOT}],
    }


def _request(name: str, kind: str, count: int) -> Json:
    exactly = {"deviceClassName": kind, "allocationMode": "ExactCount", "count": count}
    return {"name": name, "exactly": exactly}
