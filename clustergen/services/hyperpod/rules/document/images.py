"""The image of an instance group."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.rules.document import EKS, in_group, rule

_VERSION = "ImageReleaseVersion: 1.2.3"


@rule(
    "OVL337",
    "Release version of a custom image",
    why="ImageReleaseVersion selects among the images of HyperPod. A custom image has none.",
    source=limits.INSTANCE_GROUP,
    target=EKS,
    bad=in_group(f"ImageId: ami-0a1b2c3d4e5f67890, {_VERSION}", EKS),
    good=in_group(_VERSION, EKS),
)
def release_version(document: Document) -> Iterator[Problem]:
    for group in document.all_groups:
        is_custom = str(group.data.get("ImageId", "")).startswith("ami-")
        if is_custom and "ImageReleaseVersion" in group:
            yield group.problem(
                "ImageReleaseVersion",
                "ImageReleaseVersion beside a custom image",
                "remove one of the two",
            )
