"""Labels and taints of nodes, for selection by pods, flavors and pools."""

from collections.abc import Iterable, Mapping, Sequence

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan, Taint
from clustergen.services.kubernetes.names import GPU_PRESENT_LABEL

SYSTEM = "system_nodes"
"""The node group of the cluster software. No group of a spec can have this name."""

NODE_GROUP_LABEL = "eks.amazonaws.com/nodegroup"
"""EKS labels the nodes of a managed node group with its name; our node pools do the same."""


def on_system_nodes(plan: Plan) -> Json:
    """The node selector of cluster software; empty in an existing cluster, which has nodes for it
    under names of its own."""
    return {NODE_GROUP_LABEL: SYSTEM} if plan.system else {}


def affinity_to(groups: Iterable[NodeGroup], label: str = NODE_GROUP_LABEL) -> Json:
    """The affinity of pods that run on the nodes of these groups only."""
    return affinity(label, [group.name for group in groups])


def affinity(label: str, values: Sequence[str]) -> Json:
    """The affinity of pods that run only on nodes with one of these values of a label."""
    match = {"matchExpressions": [{"key": label, "operator": "In", "values": values}]}
    needed = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [match]}}
    return {"nodeAffinity": needed}


# https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-mig.html
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-gpu-partitioning.html
MIG_LABEL = "nvidia.com/mig.config"

# It keeps pods without accelerators away; the plugins of NVIDIA and Neuron tolerate it.
# https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html (2026-11)
GPU_TAINT = Taint("nvidia.com/gpu", "present", "NoSchedule")
NEURON_TAINT = Taint("aws.amazon.com/neuron", "present", "NoSchedule")


def taints(group: NodeGroup) -> tuple[Taint, ...]:
    """The taints of a group's nodes: those of the spec, or else one for accelerators."""
    own = accelerator_taint(group)
    given = any(own and taint.key == own.key for taint in group.taints)
    return group.taints if own is None or given else (*group.taints, own)


def labels(group: NodeGroup) -> Mapping[str, str]:
    """The labels of a group's nodes: those of the spec, and those that GPU agents select.

    EKS images set the GPU label only from Kubernetes 1.35 on, and Karpenter counts agents on future
    nodes only if the node pool has it.
    https://github.com/awslabs/amazon-eks-ami/blob/main/CHANGELOG.md (2026-07)
    """
    gpus = {GPU_PRESENT_LABEL: "true"} if group.type.gpus else {}
    # The MIG manager knows the partitions of a group by its name.
    return {**group.labels, **gpus, **({MIG_LABEL: group.name} if group.mig else {})}


def accelerator_taint(group: NodeGroup) -> Taint | None:
    """The taint that keeps pods without accelerators away from a group's nodes."""
    if not group.accelerator_taint:
        return None
    if group.type.gpus:
        return GPU_TAINT
    return NEURON_TAINT if group.type.neuron_devices else None
