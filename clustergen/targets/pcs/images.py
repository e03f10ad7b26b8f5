"""Images of nodes: custom ones, or the AWS image for PCS."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clustergen.artifacts import Json
from clustergen.aws import cfn
from clustergen.catalog import InstanceType
from clustergen.plan.model import Plan
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
    """A plain parameter for each default image.

    CloudFormation would resolve a public parameter again in each update and replace nodes
    unexpectedly, so deploy.sh resolves it once.
    """
    return {name: _parameter(path) for name, path in newest(plan).items()}


def _defaulted(plan: Plan) -> Iterable[str]:
    yield from (group.type.arch for group in plan.node_groups if not group.image)
    if plan.login and not plan.login.image:
        yield plan.login.type.arch


def _parameter(path: str) -> Json:
    return {
        "Type": "AWS::EC2::Image::Id",
        "Description": f"PCS-ready Deep Learning AMI; {path} in SSM names the newest. Another "
        "image replaces nodes.",
    }
