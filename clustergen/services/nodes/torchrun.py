"""What torchrun needs on the nodes of a group: image, processes, threads and variables."""

from clustergen.facts.catalog import neuron
from clustergen.plan.model import NodeGroup
from clustergen.services.nodes import nccl

# With PyTorch, NCCL and EFA's plugin for it; from CUDA 12.9, which older drivers of images run too.
# https://aws.github.io/deep-learning-containers/reference/available_images/ (2026-11)
_IMAGES = "public.ecr.aws/deep-learning-containers"
_IMAGE = {
    "x86_64": f"{_IMAGES}/pytorch-training:2.8.0-gpu-py312-cu129-ubuntu22.04-ec2",
    "arm64": f"{_IMAGES}/pytorch-training-arm64:2.7.0-gpu-py312-cu128-ubuntu22.04-ec2",
}
# https://github.com/aws-neuron/deep-learning-containers (2026-11): it includes aws-neuronx-tools.
NEURON_IMAGE = (
    "public.ecr.aws/neuron/pytorch-training-neuronx:2.9.0-neuronx-py312-sdk2.27.1-ubuntu24.04"
)


def image(group: NodeGroup) -> str:
    """The public image with PyTorch for the accelerators of a group."""
    return _IMAGE[group.type.arch] if group.type.gpus else NEURON_IMAGE


def processes(group: NodeGroup) -> int:
    """Processes on a node: one for each GPU or Neuron core; NCCL joins no MIG partitions."""
    return 1 if group.mig else _accelerators(group)


def threads(group: NodeGroup) -> int:
    """Physical cores for each accelerator or partition."""
    return max(group.type.cores // max(_accelerators(group), 1), 1)


def _accelerators(group: NodeGroup) -> int:
    """Neuron cores, or GPUs and partitions of them."""
    return neuron.cores(group.type) or group.accelerators[1] * (sum(group.mig.values()) or 1)


def environment(group: NodeGroup) -> dict[str, str]:
    """The variables of a process that do not depend on the job."""
    # Data loaders fork, and would run out of memory with huge pages.
    # https://github.com/awslabs/awsome-distributed-ai (2026-07: EFA cheat sheet)
    forks = {"FI_EFA_USE_HUGE_PAGE": "0"} if group.efa_interfaces else {}
    return {**nccl.environment(group), **forks, "OMP_NUM_THREADS": str(threads(group))}
