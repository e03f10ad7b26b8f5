"""Operating systems, and software in the default image."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, Severity
from clustergen.plan.model import Bucket, Efs, Plan
from clustergen.targets.pcs import limits, settings
from clustergen.targets.pcs.limits import USER_GUIDE
from clustergen.targets.pcs.rules import note, rule, warning


@warning(
    "IMG202",
    "Software that the default image lacks",
    why="PCS nodes have only the software of their image. The default one has the drivers of "
    "NVIDIA GPUs, EFA and the clients of Lustre and EFS. It lacks Mountpoint for Amazon S3, and "
    "Enroot with Pyxis, which is built for one Slurm version. Nodes start without them.",
    source=f"{USER_GUIDE}working-with_ami_pcs-ready-dlami.html",
    bad="software: {containers: pyxis}",
    good="software: {containers: pyxis}\nnode_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]",
)
def missing_software(plan: Plan) -> Iterator[Problem]:
    nodes = ", ".join(_on_default_image(plan))
    if not nodes or plan.software.os != limits.DEFAULT_IMAGE_OS:
        return
    for path, software in _needed_software(plan):
        yield Problem(
            path,
            f"{nodes} boot the default image, which has no {software}",
            help="set image: ami-... to an image that has it",
        )


@rule(
    "IMG204",
    "Accelerators without a driver",
    why="The default image has no Neuron driver: nodes start and cost money, but "
    "cannot use their accelerators.",
    source=f"{USER_GUIDE}working-with_ami_pcs-ready-dlami.html",
    bad="node_groups: [{name: h200, instance_type: trn2.48xlarge}]",
    good="node_groups: [{name: h200, instance_type: trn2.48xlarge, image: ami-0a1b2c3d4e5f67890}]",
)
def no_driver(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.type.neuron_devices and not group.image:
            yield Problem(
                group.at("instance_type"),
                f"nodes of {group.name} boot the default image, which has no Neuron driver",
                help="set image: ami-... to an image that has it",
                # A user script may install it.
                severity=Severity.WARNING if plan.scripts_of(group) else None,
            )


@note(
    "IMG205",
    "Image of your own",
    why="An image that the PCS agent is not in, or with an agent or Slurm that is too old, boots, "
    "fails to join the cluster and is replaced, again and again.",
    source=f"{USER_GUIDE}cng-node-lifecycle-actions-configure.html",
    bad="node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]",
    good="node_groups: [{name: h200, count: 2}]",
)
def own_image(plan: Plan) -> Iterator[Problem]:
    found: dict[str, Path] = {}
    for image, path in (
        *((group.image, group.at("image")) for group in plan.node_groups),
        *((login.image, login.at("image")) for login in plan.all_login),
    ):
        if image:
            found.setdefault(image, path)
    efs = any(isinstance(item, Efs) and not item.existing for item in plan.storage)
    also = "; without amazon-efs-utils for EFS, each node downloads it" if efs else ""
    for image, path in found.items():
        yield Problem(
            path,
            f"{image} must have PCS agent {limits.AGENT} or later, and Slurm "
            f"{settings.version(plan)} of PCS{also}",
            help=f"see {USER_GUIDE}pcs-agent-versions.html; the image has "
            f"/opt/aws/pcs/scheduler/slurm-{settings.version(plan)} if it has that Slurm",
        )


@rule(
    "IMG203",
    "Instances that run macOS",
    why="PCS nodes run Linux; Mac instances run macOS on dedicated hosts.",
    source=f"{USER_GUIDE}operating-systems.html",
    bad="node_groups: [{name: h200, instance_type: mac2.metal}]",
    good="node_groups: [{name: h200, instance_type: m7g.metal}]",
)
def macos(plan: Plan) -> Iterator[Problem]:
    machines = [
        (group.at("instance_type"), type) for group in plan.node_groups for type in group.types
    ]
    if plan.login:
        machines.append(((*plan.login.path, "instance_type"), plan.login.type))
    for path, type in machines:
        if type.arch not in limits.ARCHITECTURES:
            yield Problem(path, f"{type.name} runs macOS", help="use a type that runs Linux")


def _on_default_image(plan: Plan) -> Iterator[str]:
    yield from (f"nodes of {group.name}" for group in plan.node_groups if not group.image)
    if plan.login and not plan.login.image:
        yield "login nodes"


def _needed_software(plan: Plan) -> Iterator[tuple[Path, str]]:
    """Software that the spec needs and the default image lacks, with places."""
    if plan.software.containers == "pyxis":
        version = settings.version(plan)
        yield ("software", "containers"), f"Enroot with Pyxis for Slurm {version}"
    for item in plan.storage:
        if isinstance(item, Bucket):
            yield item.at("type"), "mount-s3"
