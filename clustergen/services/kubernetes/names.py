"""Resources, labels and annotations in Kubernetes objects; the same in every partition."""

from clustergen.plan.model import Plan

EFA_RESOURCE = "vpc.amazonaws.com/efa"
"""EFA interfaces, from EFA's device plugin."""
GPU_RESOURCE = "nvidia.com/gpu"
"""Whole GPUs, from NVIDIA's device plugin."""
MIG_PREFIX = "nvidia.com/mig-"
"""Prefix of resources for GPU partitions, followed by a profile."""
NEURON_RESOURCE = "aws.amazon.com/neuron"
"""Whole Trainium and Inferentia devices, from Neuron's device plugin."""
HUGE_PAGES = "hugepages-2Mi"

# Huge pages that the EFA driver reserves on every node, and the part that pods may request.
# https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html (2026-11)
HUGE_PAGES_MIB = 5128 * 2
HUGE_PAGES_OF_A_POD_MIB = 5120

INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"
NETWORK_LABELS = tuple(f"topology.k8s.aws/network-node-layer-{layer}" for layer in (1, 2, 3, 4))
"""Topology labels of nodes, top layer first, for types with topology in EC2.
https://docs.aws.amazon.com/eks/latest/userguide/ml-workload-topology.html (2026-11)"""
HOST_LABEL = "kubernetes.io/hostname"
GPU_PRESENT_LABEL = "nvidia.com/gpu.present"
"""On nodes that have NVIDIA GPUs."""

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
PREFERRED_TOPOLOGY = "kueue.x-k8s.io/podset-preferred-topology"
VOLCANO_QUEUE = "scheduling.volcano.sh/queue-name"
VOLCANO_MEMBERS = "scheduling.volcano.sh/group-min-member"
"""On a Job: Volcano starts that many of its pods together, or none."""
KAI_QUEUE = "kai.scheduler/queue"
KAI_ROOT = "clustergen"
"""KAI's parent queue of those in the spec: it schedules two levels."""

GPU_CLASS, EFA_CLASS, NEURON_CLASS = "gpu.nvidia.com", "efa.networking.k8s.aws", "neuron.aws.com"
"""Device classes of the drivers of dynamic resource allocation."""
# https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu (0.4.1, 2026-08)
CHANNEL_CLASS = "compute-domain-default-channel.nvidia.com"
"""Device class of the channel by which a pod joins a ComputeDomain: one on each node."""
CHANNEL_RESOURCE = "resource.nvidia.com/channel"
"""What quotas of Kueue count these as."""
CLIQUE_LABEL = "nvidia.com/gpu.clique"
"""On nodes whose GPUs are in one NVLink domain, with the same value."""
PCIE_ROOT = "resource.kubernetes.io/pcieRoot"


def of_bundle(plan: Plan, name: str) -> str:
    """The name of an object; in an existing cluster, which may have others of this name, the name
    of the plan comes first."""
    return name if plan.system else f"{plan.name}-{name}"
