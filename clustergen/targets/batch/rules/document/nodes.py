"""Compute environments in the template."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.findings import Path, Problem, Severity
from clustergen.overlay.parts import Json, as_list, as_map
from clustergen.services.aws import user_data
from clustergen.targets.batch import limits
from clustergen.targets.batch.rules import rule, warning

_OVERLAY = (
    "targets: {{batch: {{overlay: {{Resources: {{ComputeEnvironmentH200: {{Properties: {}}}}}}}}}}}"
)
_RESOURCES = "{{ComputeResources: {{{}}}}}"


@rule(
    "OVL600",
    "Security groups beside the interfaces of a launch template",
    why="A compute environment has security groups, or its launch template has interfaces with "
    "theirs. With both, it becomes INVALID.",
    source="https://github.com/aws/aws-cdk/issues/21577",
    bad=_OVERLAY.format(_RESOURCES.format("SecurityGroupIds: [sg-0a1b2c3d4e5f67890]")),
    good=_OVERLAY.format(_RESOURCES.format("MaxvCpus: 1000")),
)
def security_groups(document: Mapping[str, Any]) -> Iterator[Problem]:
    resources = as_map(document.get("Resources"))
    for path, given in _compute_resources(document):
        named = as_map(as_map(given.get("LaunchTemplate")).get("LaunchTemplateId")).get("Ref")
        template = as_map(as_map(resources.get(str(named))).get("Properties"))
        listed = as_map(template.get("LaunchTemplateData")).get("NetworkInterfaces")
        if listed and given.get("SecurityGroupIds"):
            yield Problem(
                (*path, "SecurityGroupIds"),
                f"{named} lists network interfaces, which have security groups",
                help="remove SecurityGroupIds, or change Groups of the interfaces",
                on_key=True,
            )


@warning(
    "OVL601",
    "Allocation strategy that allows no updates",
    why="Batch replaces nodes in place only with a strategy other than BEST_FIT.",
    source=f"{limits.USER_GUIDE}infrastructure-updates.html",
    bad=_OVERLAY.format(_RESOURCES.format("AllocationStrategy: BEST_FIT")),
    good=_OVERLAY.format(_RESOURCES.format("AllocationStrategy: BEST_FIT_PROGRESSIVE")),
)
def strategy(document: Mapping[str, Any]) -> Iterator[Problem]:
    for path, given in _compute_resources(document):
        if given.get("AllocationStrategy") == "BEST_FIT":
            yield Problem(
                (*path, "AllocationStrategy"),
                "with BEST_FIT, no later change of nodes can be deployed",
                help="write BEST_FIT_PROGRESSIVE",
            )


_IMAGES = ("ECS_AL2023", "ECS_AL2023_NVIDIA")
_OLD_IMAGES = ("ECS_AL1", "ECS_AL2", "ECS_AL2_NVIDIA")
_OF_TYPE = "Ec2Configuration: [{{ImageType: {}}}]"


@warning(
    "OVL602",
    "Image that Batch does not have for new compute environments",
    why="Since 2026-06-30, Batch creates no compute environment with its own image of Amazon Linux "
    "2; those that exist go on. An image of one's own may be of any type.",
    source=f"{limits.USER_GUIDE}ecs-al2-ami-deprecation.html",
    bad=_OVERLAY.format(_RESOURCES.format(_OF_TYPE.format("ECS_AL2_NVIDIA"))),
    good=_OVERLAY.format(_RESOURCES.format(_OF_TYPE.format("ECS_AL2023_NVIDIA"))),
)
def image_types(document: Mapping[str, Any]) -> Iterator[Problem]:
    for path, given in _compute_resources(document):
        for index, listed in enumerate(map(as_map, as_list(given.get("Ec2Configuration")))):
            type = str(listed.get("ImageType", _IMAGES[0]))
            if type in _IMAGES or listed.get("ImageIdOverride"):
                continue
            near = difflib.get_close_matches(type, _IMAGES, n=1, cutoff=0.5) or _IMAGES
            old = type in _OLD_IMAGES
            lacks = "makes no new compute environment with" if old else "has no image of the type"
            yield Problem(
                (*path, "Ec2Configuration", index, "ImageType"),
                f"Batch {lacks} {type}",
                help=f"write {near[0]}",
                severity=None if old else Severity.ERROR,
            )


_USER_DATA = """targets: {batch: {overlay: {Resources: {LaunchTemplateH200: {Properties:
  {LaunchTemplateData: {UserData: {"Fn::Base64": "%s"}}}}}}}}"""


@rule(
    "OVL603",
    "User data that is not MIME multi-part",
    why="Batch merges its own part into the user data of a launch template. If that is not MIME "
    "multi-part, the compute environment becomes INVALID.",
    source=f"{limits.USER_GUIDE}launch-templates.html",
    bad=_USER_DATA % "#!/bin/bash",
    good=_USER_DATA % r"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=A\n\n--A--\n",
)
def mime(document: Mapping[str, Any]) -> Iterator[Problem]:
    yield from user_data.not_mime(document, "Batch", "AWS::Batch::ComputeEnvironment")


def _compute_resources(document: Mapping[str, Any]) -> Iterator[tuple[Path, Json]]:
    for id, resource in as_map(document.get("Resources")).items():
        found = as_map(resource)
        if found.get("Type") == "AWS::Batch::ComputeEnvironment":
            path = ("Resources", id, "Properties", "ComputeResources")
            yield path, as_map(as_map(found.get("Properties")).get("ComputeResources"))
