"""The image of a node group, against its instance types and the version of Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog import InstanceType, explain_missing, find
from clustergen.targets.eks import limits
from clustergen.targets.eks.breaches.breach import Breach
from clustergen.targets.eks.breaches.resources import Nodes, Template

_WITHOUT_AL2 = "1.33"


def breaches(template: Template, nodes: Nodes) -> Iterator[Breach]:
    """Images that do not boot on the type, or not in this cluster."""
    for name in nodes.type_names:
        if find(name) is None:
            missing = explain_missing(name)
            yield nodes.group.breach(
                "image", ("InstanceTypes",), missing.reason, missing.suggestion or "name a type"
            )
    image = nodes.group.properties.get("AmiType")
    if isinstance(image, str):
        for type in nodes.types:
            for message, help in _mismatch(image, type):
                yield nodes.group.breach("image", ("AmiType",), message, help)
        yield from _gone(template, nodes, image)


def _mismatch(image: str, type: InstanceType) -> Iterator[tuple[str, str]]:
    arm = "ARM_64" in image
    if image == "CUSTOM":
        yield "AmiType CUSTOM is EKS's own answer", "name ImageId in the launch template"
    elif arm != (type.arch == "arm64"):
        yield f"{image} on {type.name}, which is {type.arch}", f"write {_right(type)}"
    elif type.accelerator and _driver(image) != _driver(_right(type)):
        yield f"{image} has no driver for {type.name}", f"write {_right(type)}"
    elif not type.accelerator and _driver(image):
        yield f"{image} on {type.name}, which has no accelerator", f"write {_right(type)}"


def _right(type: InstanceType) -> str:
    arch = "ARM_64" if type.arch == "arm64" else "x86_64"
    if type.neuron_devices:
        return f"AL2023_{arch}_NEURON"
    return f"AL2023_{arch}_{'NVIDIA' if type.gpus else 'STANDARD'}"


def _driver(image: str) -> str:
    """``NVIDIA``, ``NEURON`` or nothing. Bottlerocket's standard images have Neuron's driver."""
    if "GPU" in image or "NVIDIA" in image:
        return "NVIDIA"
    return "NEURON" if "NEURON" in image else ""


def _gone(template: Template, nodes: Nodes, image: str) -> Iterator[Breach]:
    versions = [c.properties.get("Version") for c in template.of("AWS::EKS::Cluster")]
    known = [v for v in versions if isinstance(v, str) and v.partition(".")[2].isdecimal()]
    if image.startswith("AL2_") and any(limits.at_least(v, _WITHOUT_AL2) for v in known):
        yield nodes.group.breach(
            "image",
            ("AmiType",),
            f"{image}: there is no Amazon Linux 2 from Kubernetes {_WITHOUT_AL2} on",
            f"write {_right(nodes.types[0])}" if nodes.types else "write one of AL2023",
        )
