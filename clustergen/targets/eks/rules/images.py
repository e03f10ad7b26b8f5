"""What nodes boot: Amazon Linux 2023 of EKS, in the variant that the instance type needs."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog import InstanceType
from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.eks import limits

_OS = "alinux2023"
# awslabs/amazon-eks-ami templates/al2023/variables-default.json, 2026-07.
_IMAGE_GIB = 20

SYSTEM = Rule(
    code="IMG500",
    title="Operating system that EKS has no image of",
    why="EKS's images are Amazon Linux 2023, Bottlerocket and Windows; the nodes here run the "
    "first, or an image of yours.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/eks-optimized-amis.html",
    severity=Severity.WARNING,
    target="eks",
    bad="software: {os: ubuntu2404}",
    good="software: {os: alinux2023}",
)
DRIVER = Rule(
    code="IMG501",
    title="Accelerators that EKS's images have no driver for",
    why="The images bring the drivers of NVIDIA GPUs, Trainium and Inferentia, of the families "
    "that EKS lists.",
    source=limits.IMAGES,
    severity=Severity.WARNING,
    target="eks",
    bad="node_groups: [{name: h200, instance_type: vt1.6xlarge}]",
    good="node_groups: [{name: h200, instance_type: g4dn.4xlarge}]",
)
NO_IMAGE = Rule(
    code="IMG502",
    title="Instance type that EKS has no image for",
    why="EKS's images run on Linux hosts of x86_64 and of Graviton2 and later.",
    source=limits.TYPES,
    target="eks",
    bad="node_groups: [{name: h200, instance_type: a1.4xlarge}]",
    good="node_groups: [{name: h200, instance_type: m6g.4xlarge}]",
)
SMALL_ROOT = Rule(
    code="STG500",
    title="Root volume smaller than its image",
    why="EKS's image fills a volume of 20 GiB; EC2 starts nothing from less.",
    source="https://github.com/awslabs/amazon-eks-ami",
    target="eks",
    bad="node_groups: [{name: h200, root_volume: {size: 10GiB}}]",
    good="node_groups: [{name: h200, root_volume: {size: 100GiB}}]",
)
RULES = (SYSTEM, DRIVER, NO_IMAGE, SMALL_ROOT)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    own = plan.node_groups and all(group.image for group in plan.node_groups)
    if plan.software.os != _OS and plan.wrote("software", "os") and not own:
        yield SYSTEM.at(
            ("software", "os"),
            f"the nodes run Amazon Linux 2023, not {plan.software.os}",
            help=f"write os: {_OS}, or give node groups an image of yours",
        )
    for group in plan.node_groups:
        if group.image is None:
            yield from _group(group)
    system = plan.kubernetes.system_nodes
    yield from _type(system.type, (*system.path, "instance_type"))


def _group(group: NodeGroup) -> Iterator[Finding]:
    several = len(group.types) > 1
    for index, type in enumerate(group.types):
        path = group.at("instance_types", index) if several else group.at("instance_type")
        yield from _type(type, path)
    size = group.volume.size_gib
    if size is not None and size < _IMAGE_GIB:
        yield SMALL_ROOT.at(
            group.at("root_volume", "size"),
            f"{size} GiB for an image of {_IMAGE_GIB} GiB",
            help="write 100GiB: container images are kept there too",
        )


def _type(type: InstanceType, path: Path) -> Iterator[Finding]:
    if type.arch.endswith("_mac") or type.family in limits.FAMILIES_WITHOUT_IMAGE:
        yield NO_IMAGE.at(
            path, f"EKS has no image for {type.name}", help="take a type of another family"
        )
    elif type.accelerator and not _has_driver(type):
        yield DRIVER.at(
            path,
            f"EKS's images have no driver for {type.accelerator.name} of {type.name}",
            help="give the group an image: ami-... that has it, or take another family",
        )


def _has_driver(type: InstanceType) -> bool:
    return any(type.family in families for families in limits.IMAGE_FAMILIES.values())
