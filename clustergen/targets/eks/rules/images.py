"""Images of nodes: EKS's Amazon Linux 2023, in the variant for the instance type."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem
from clustergen.facts.catalog import InstanceType, families
from clustergen.plan.model import Plan
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules import rule, warning


@warning(
    "IMG501",
    "Accelerators that EKS's images have no driver for",
    why="The images have the drivers of NVIDIA GPUs, Trainium and Inferentia, for the families "
    "that EKS lists.",
    source=limits.IMAGES,
    bad="node_groups: [{name: h200, instance_type: vt1.6xlarge}]",
    good="node_groups: [{name: h200, instance_type: g4dn.4xlarge}]",
)
def driver(plan: Plan) -> Iterator[Problem]:
    for type, path in _types(plan):
        if type.accelerator and not _has_driver(type) and not _has_no_image(type):
            yield Problem(
                path,
                f"EKS's images have no driver for {type.accelerator.name} of {type.name}",
                help="give the group an image: ami-... that has it, or use another family",
            )


@rule(
    "IMG502",
    "Instance type that EKS has no image for",
    why="EKS's images run on Linux hosts of x86_64 and of Graviton2 and later.",
    source=limits.TYPES,
    bad="node_groups: [{name: h200, instance_type: a1.4xlarge}]",
    good="node_groups: [{name: h200, instance_type: m6g.4xlarge}]",
)
def no_image(plan: Plan) -> Iterator[Problem]:
    for type, path in _types(plan):
        if _has_no_image(type):
            yield Problem(
                path, f"EKS has no image for {type.name}", help="use a type of another family"
            )


def _types(plan: Plan) -> Iterator[tuple[InstanceType, Path]]:
    """The types of nodes that boot an EKS image, with their places in the spec."""
    for group in plan.node_groups:
        if group.image is None:
            yield from ((type, path) for path, type in group.typed)
    if system := plan.system:
        yield system.type, system.at("instance_type")


def _has_no_image(type: InstanceType) -> bool:
    return type.arch.endswith("_mac") or not families.find(type.family).eks_image


def _has_driver(type: InstanceType) -> bool:
    maker = type.accelerator.manufacturer if type.own and type.accelerator else ""
    return maker in ("NVIDIA", "AWS") or families.find(type.family).eks_driver
