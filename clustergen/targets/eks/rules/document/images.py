"""The image of a node group: its instance types, its launch template, the Kubernetes version."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.facts.catalog import InstanceType
from clustergen.services.eks.images import ami_type
from clustergen.services.eks.versions import at_least
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules.document import in_node_group, rule
from clustergen.targets.eks.template import Template

_CUSTOM = "CUSTOM"
_WITHOUT_AL2 = "1.33"


@rule(
    "OVL504",
    "Image for another architecture",
    why="An image for x86_64 does not boot on arm64, and the reverse.",
    source=limits.IMAGES,
    bad=in_node_group("AmiType: AL2023_ARM_64_NVIDIA"),
    good=in_node_group("AmiType: AL2023_x86_64_NVIDIA"),
)
def architecture(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        for type in nodes.types:
            if _is_named(nodes.image) and not _boots(nodes.image, type):
                yield nodes.group.problem(
                    ("AmiType",),
                    f"{nodes.image} on {type.name}, which is {type.arch}",
                    f"write {ami_type(type)}",
                )


@rule(
    "OVL529",
    "AmiType CUSTOM",
    why="EKS reports CUSTOM for a node group whose launch template names an image. A request "
    "cannot contain it.",
    source=limits.CREATE_NODE_GROUP,
    bad=in_node_group("AmiType: CUSTOM"),
    good=in_node_group("AmiType: AL2023_x86_64_NVIDIA"),
)
def custom_type(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        if nodes.image == _CUSTOM and nodes.types:
            yield nodes.group.problem(
                ("AmiType",),
                "only EKS sets AmiType CUSTOM, in its answers",
                "name ImageId in the launch template",
            )


@rule(
    "OVL530",
    "Image whose driver does not fit the instance type",
    why="Accelerators need the image with their driver. Other instances do not need that image.",
    source=limits.IMAGES,
    bad=in_node_group("AmiType: AL2023_x86_64_STANDARD"),
    good=in_node_group("AmiType: AL2023_x86_64_NVIDIA"),
)
def driver(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        for type in nodes.types:
            if what := _wrong_driver(nodes.image, type):
                yield nodes.group.problem(("AmiType",), what, f"write {ami_type(type)}")


@rule(
    "OVL531",
    "Amazon Linux 2 for a Kubernetes version without it",
    why="EKS publishes no images of Amazon Linux 2 from Kubernetes 1.33 on.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html",
    bad=in_node_group("AmiType: AL2_x86_64_GPU"),
    good=in_node_group("AmiType: AL2023_x86_64_NVIDIA"),
)
def amazon_linux_2(template: Template) -> Iterator[Problem]:
    versions = [cluster.properties.get("Version") for cluster in template.clusters]
    known = [v for v in versions if isinstance(v, str) and v.partition(".")[2].isdecimal()]
    if not any(at_least(version, _WITHOUT_AL2) for version in known):
        return
    for nodes in template.nodes:
        if nodes.image.startswith("AL2_"):
            yield nodes.group.problem(
                ("AmiType",),
                f"{nodes.image}: there is no Amazon Linux 2 from Kubernetes {_WITHOUT_AL2} on",
                f"write {ami_type(nodes.types[0])}" if nodes.types else "write one of AL2023",
            )


def _is_named(image: str) -> bool:
    """Whether AmiType names an image, and is not missing or CUSTOM."""
    return image not in ("", _CUSTOM)


def _boots(image: str, type: InstanceType) -> bool:
    return ("ARM_64" in image) == (type.arch == "arm64")


def _wrong_driver(image: str, type: InstanceType) -> str:
    """The problem with the driver of an image on ``type``; empty if there is none."""
    if not (_is_named(image) and _boots(image, type)):
        return ""
    if type.accelerator and _driver(image) != _driver(ami_type(type)):
        return f"{image} has no driver for {type.name}"
    if not type.accelerator and _driver(image):
        return f"{image} on {type.name}, which has no accelerator"
    return ""


def _driver(image: str) -> str:
    """``NVIDIA``, ``NEURON`` or empty. Standard Bottlerocket images have the Neuron driver."""
    if "GPU" in image or "NVIDIA" in image:
        return "NVIDIA"
    return "NEURON" if "NEURON" in image else ""
