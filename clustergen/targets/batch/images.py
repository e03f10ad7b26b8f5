"""Images of nodes: custom ones, Batch's default, or AWS's ECS image with the Neuron driver."""

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.aws import cfn
from clustergen.services.aws.members import present
from clustergen.targets.batch import limits

NEURON_PARAMETER = "ImageNeuron"


def configuration(group: NodeGroup) -> Json:
    kind = "ECS_AL2023_NVIDIA" if group.type.gpus else "ECS_AL2023"
    image = group.image or (cfn.ref(NEURON_PARAMETER) if group.type.neuron_devices else None)
    return present(ImageType=kind, ImageIdOverride=image)


def newest(plan: Plan) -> dict[str, str]:
    """Template parameter -> public parameter with the newest image, for what is no default."""
    defaulted = any(g.type.neuron_devices and not g.image for g in plan.node_groups)
    return {NEURON_PARAMETER: limits.NEURON_IMAGE} if defaulted else {}


def parameters(plan: Plan) -> Json:
    return cfn.image_parameters("ECS-optimized image with the Neuron driver", newest(plan))
