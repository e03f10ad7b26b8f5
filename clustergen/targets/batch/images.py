"""Images of nodes: custom ones, Batch's default, or AWS's ECS image with the Neuron driver."""

from __future__ import annotations

from clustergen.artifacts import Json
from clustergen.aws import cfn
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.batch import limits

NEURON_PARAMETER = "ImageNeuron"


def configuration(group: NodeGroup) -> Json:
    """An item of Ec2Configuration; only an override pins the image."""
    kind = "ECS_AL2023_NVIDIA" if group.type.gpus else "ECS_AL2023"
    image = group.image or (cfn.ref(NEURON_PARAMETER) if group.type.neuron_devices else None)
    return {"ImageType": kind, **({"ImageIdOverride": image} if image else {})}


def newest(plan: Plan) -> dict[str, str]:
    """Template parameter -> public parameter with the newest image, for what is no default."""
    defaulted = any(g.type.neuron_devices and not g.image for g in plan.node_groups)
    return {NEURON_PARAMETER: limits.NEURON_IMAGE} if defaulted else {}


def parameters(plan: Plan) -> Json:
    """A plain parameter for each of these images.

    CloudFormation would resolve a public parameter again in each update and replace nodes
    unexpectedly, so deploy.sh resolves it once.
    """
    return {name: _parameter(path) for name, path in newest(plan).items()}


def _parameter(path: str) -> Json:
    return {
        "Type": "AWS::EC2::Image::Id",
        "Description": f"ECS-optimized image with the Neuron driver; {path} in SSM names the "
        "newest. Another image replaces nodes.",
    }
