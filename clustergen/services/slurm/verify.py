"""``verify.sh`` of a cluster whose nodes run Slurm."""

from collections.abc import Iterator, Sequence

from clustergen.base.artifacts import Artifact
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.nodes import verification
from clustergen.services.nodes.verification import Check, Group


def artifact(plan: Plan, *, shared: Sequence[str], slurm_folder: str) -> Artifact:
    """The script; ``shared`` has the mount paths that nodes share and jobs write to.

    ``slurm_folder`` is the folder of Slurm's ``bin`` on the nodes.
    """
    groups = list(_groups(plan, shared))
    names = ", ".join(group.name for group in groups)
    roles = [group.name for group in groups if group.name.startswith("--")]
    gpus = any(group.type.gpus for group in plan.node_groups)
    text = verification.script(
        "slurm/verify.sh.j2", groups, slurm_folder=slurm_folder, names=names, roles=roles, gpus=gpus
    )
    return Artifact("verify.sh", text, executable=True)


def _groups(plan: Plan, shared: Sequence[str]) -> Iterator[Group]:
    """Node groups with their checks. Roles are options: a node group may be called ``head``."""
    common = tuple(verification.storage_and_users(plan, shared))
    if plan.head:
        yield Group("--head", (*verification.active("slurmctld"), *common))
    if plan.login:
        yield Group("--login", common)
    for group in plan.node_groups:
        slurmd = verification.active("slurmd")
        yield Group(group.name, (*slurmd, *_of_group(plan, group), *common))


def _of_group(plan: Plan, group: NodeGroup) -> Iterator[Check]:
    yield from verification.hardware(plan, group)
    yield from verification.scratch(group)
    yield from verification.lustre_efa(plan, group)
    if group.type.nvlink_domain:
        yield from verification.enabled("nvidia-imex")
    if plan.software.containers == "docker":
        yield from verification.active("docker")
    elif plan.software.containers == "pyxis":
        yield ("pyxis",)
