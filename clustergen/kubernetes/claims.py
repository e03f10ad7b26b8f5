"""Dynamic resource allocation: templates of claims that pods name instead of counting devices."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.kubernetes import capacity, names, namespaces
from clustergen.kubernetes.manifest import Json, thing
from clustergen.plan.model import NodeGroup, Plan

API = "resource.k8s.io/v1"


def is_on(plan: Plan) -> bool:
    """Whether pods claim devices."""
    return plan.kubernetes.devices == "dra"


def objects(plan: Plan) -> Iterator[Json]:
    """For each group a whole node, and the share of one GPU, in every namespace.

    https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html (2026-11)
    """
    for group in plan.node_groups if is_on(plan) else ():
        for namespace in namespaces.all_of(plan):
            if requests := list(_whole_node(group)):
                yield _template(whole_node(group), namespace, {"requests": requests})
            if share := _share(group):
                yield _template(f"{group.name}-gpu", namespace, share)


def whole_node(group: NodeGroup) -> str:
    """The name of the template that claims all devices of a node."""
    return f"{group.name}-node"


def claimed(group: NodeGroup) -> bool:
    """Whether nodes of a group have devices to claim."""
    return any(True for _ in _whole_node(group))


def _template(name: str, namespace: str, devices: Json) -> Json:
    spec = {"spec": {"devices": devices}}
    return thing(API, "ResourceClaimTemplate", name, namespace=namespace, spec=spec)


def _whole_node(group: NodeGroup) -> Iterator[Json]:
    kind = names.NEURON_CLASS if group.type.neuron_devices else names.GPU_CLASS
    if group.type.neuron_devices or group.type.gpus:
        yield _request("accelerators", {"deviceClassName": kind, "allocationMode": "All"})
    if capacity.efa_interfaces(group):
        efa = {"deviceClassName": names.EFA_CLASS, "allocationMode": "All"}
        yield _request("efa", efa)


def _share(group: NodeGroup) -> Json | None:
    """One GPU with the EFA interfaces beside it, where each GPU has some of its own."""
    interfaces, gpus = capacity.efa_interfaces(group), group.type.gpus
    if not gpus or not interfaces or interfaces % gpus or group.mig:
        return None
    return {
        "requests": [
            _request("gpu", _exactly(names.GPU_CLASS, 1)),
            _request("efa", _exactly(names.EFA_CLASS, interfaces // gpus)),
        ],
        "constraints": [{"requests": ["gpu", "efa"], "matchAttribute": names.PCIE_ROOT}],
    }


def _exactly(kind: str, count: int) -> Json:
    return {"deviceClassName": kind, "allocationMode": "ExactCount", "count": count}


def _request(name: str, exactly: Json) -> Json:
    return {"name": name, "exactly": exactly}
