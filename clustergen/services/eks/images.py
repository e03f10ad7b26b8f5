"""EKS images that nodes boot."""

from clustergen.facts.catalog import InstanceType


def ami_type(type: InstanceType) -> str:
    """The Amazon Linux 2023 AMI type for the processor and accelerator of an instance type.

    https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html
    """
    arm = type.arch == "arm64"
    if type.accelerator and type.accelerator.manufacturer == "NVIDIA":
        return "AL2023_ARM_64_NVIDIA" if arm else "AL2023_x86_64_NVIDIA"
    if type.neuron_devices:
        return "AL2023_x86_64_NEURON"
    return "AL2023_ARM_64_STANDARD" if arm else "AL2023_x86_64_STANDARD"
