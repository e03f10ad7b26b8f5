"""Images of nodes: custom ones, or the AWS image for PCS."""

from collections.abc import Iterable
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.facts.catalog import InstanceType
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn
from clustergen.targets.pcs import limits

PARAMETERS = {"x86_64": "ImageX86", "arm64": "ImageArm"}


def image_id(image: str | None, type: InstanceType) -> Any:
    """The image of a node as a CloudFormation value."""
    return image or cfn.ref(PARAMETERS[type.arch])


def newest(plan: Plan) -> dict[str, str]:
    """Template parameter -> public parameter with the newest default image, by architecture."""
    wanted = set(_defaulted(plan))
    return {
        name: limits.IMAGE_PARAMETER.format(arch=arch)
        for arch, name in PARAMETERS.items()
        if arch in wanted
    }


def parameters(plan: Plan) -> Json:
    """A parameter for each default image."""
    return cfn.image_parameters("PCS-ready Deep Learning AMI", newest(plan))


def _defaulted(plan: Plan) -> Iterable[str]:
    yield from (group.type.arch for group in plan.node_groups if not group.image)
    if plan.login and not plan.login.image:
        yield plan.login.type.arch
