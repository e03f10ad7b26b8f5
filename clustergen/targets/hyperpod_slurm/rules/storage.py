"""File systems and images."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.hyperpod import limits
from clustergen.hyperpod.mounted import by_service
from clustergen.plan.model import FileCache, Lustre, OpenZfs, Plan
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.limits import OWN_FOLDERS

SECOND = Rule(
    code="STG350",
    title="More file systems than HyperPod mounts by itself",
    why="HyperPod mounts one Lustre and one OpenZFS file system, by its root volume, on a group. "
    "The lifecycle script mounts the others.",
    source=limits.SLURM_API,
    severity=Severity.NOTE,
    target="hyperpod-slurm",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, size: 2400GiB}
  - {mount: /data, type: fsx-lustre, size: 2400GiB}""",
    good="storage: [{mount: /fsx, type: fsx-lustre, size: 2400GiB}]",
)
MOUNT_NAME = Rule(
    code="STG351",
    title="Lustre without its mount name",
    why="HyperPod mounts a file system by its DNS name and its mount name.",
    source=limits.SLURM_API,
    target="hyperpod-slurm",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, existing: {id: fs-0123456789abcdef0}}""",
    good="""storage:
  - {mount: /fsx, type: fsx-lustre,
     existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}}""",
)
OS = Rule(
    code="IMG350",
    title="Operating system that HyperPod's image has not",
    why="Slurm nodes of HyperPod run Ubuntu, unless an image of yours is something else.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-release-ami-slurm.html",
    target="hyperpod-slurm",
    bad="software: {os: rhel9}",
    good="software: {os: ubuntu2204}",
)
OWN_FOLDER = Rule(
    code="STG352",
    title="Mount point that HyperPod uses itself",
    why="HyperPod has its second volume at /opt/sagemaker, local disks at /opt/dlami/nvme and what "
    "it says to scripts in /opt/ml; containers and scripts need them there.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-ref.html",
    target="hyperpod-slurm",
    bad="storage: [{mount: /opt/sagemaker, type: efs}]",
    good="storage: [{mount: /shared, type: efs}]",
)
RULES = (SECOND, MOUNT_NAME, OS, OWN_FOLDER)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    mounted = by_service(plan)
    for item in plan.storage:
        if not isinstance(item, Lustre | FileCache | OpenZfs):
            continue
        if item not in mounted and modes.mode(plan) != "legacy":
            yield SECOND.at(
                item.at("mount"),
                f"{item.mount} is mounted by the lifecycle script, not by HyperPod",
                help="nothing is to be done",
            )
        if not isinstance(item, OpenZfs) and not item.mount_name:
            yield MOUNT_NAME.at(
                item.at("existing"),
                f"{item.mount} has no mount name",
                help="add mount_name: aws fsx describe-file-systems shows it",
            )
    yield from _own_folders(plan)
    if not plan.software.os.startswith("ubuntu") and _default_image(plan):
        yield OS.at(
            ("software", "os"),
            f"HyperPod's image is not {plan.software.os}",
            help="leave os out, or give every group an image: ami-... of yours",
        )


def _own_folders(plan: Plan) -> Iterator[Finding]:
    places: list[tuple[Path, str]] = [(item.at("mount"), item.mount) for item in plan.storage]
    places += [(group.at("scratch"), group.scratch) for group in plan.node_groups if group.scratch]
    for path, mount in places:
        inside = f"{mount.rstrip('/')}/"
        if any(inside.startswith(f"{folder}/") for folder in OWN_FOLDERS):
            yield OWN_FOLDER.at(
                path, f"{mount} is HyperPod's", help=f"e.g. /shared/{mount.rpartition('/')[2]}"
            )


def _default_image(plan: Plan) -> bool:
    images = [machine.image for machine in (plan.head, plan.login) if machine]
    return not all((*images, *(group.image for group in plan.node_groups)))
