"""Which image a node boots: the user's, or the one that AWS makes ready for PCS."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clustergen.artifacts import Json
from clustergen.aws import cfn
from clustergen.catalog import InstanceType
from clustergen.plan.model import Plan
from clustergen.targets.pcs import limits

_PARAMETERS = {"x86_64": "ImageX86", "arm64": "ImageArm"}


def image_id(image: str | None, type: InstanceType) -> Any:
    """The image of a node in CloudFormation's words."""
    return image or cfn.ref(_PARAMETERS[type.arch])


def parameters(plan: Plan) -> Json:
    """A parameter for the default image of each architecture that some node takes it for."""
    return {
        name: _parameter(arch)
        for arch, name in _PARAMETERS.items()
        if arch in set(_defaulted(plan))
    }


def _defaulted(plan: Plan) -> Iterable[str]:
    yield from (group.type.arch for group in plan.node_groups if not group.image)
    if plan.login and not plan.login.image:
        yield plan.login.type.arch


def _parameter(arch: str) -> Json:
    return {
        "Type": "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>",
        "Default": limits.IMAGE_PARAMETER.format(arch=arch),
        "Description": f"PCS-ready Deep Learning AMI, {arch}. It is looked up anew with each "
        "update of the stack, which then replaces nodes; give an image in the spec to pin it.",
    }
