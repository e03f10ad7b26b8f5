"""Checks and batch jobs of a cluster whose nodes run Slurm."""

from collections.abc import Iterator

from clustergen.base.artifacts import Artifact, Bundle
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.nodes import verification
from clustergen.services.nodes.verification import Check, Group
from clustergen.services.slurm import jobs, smoke


def files(plan: Plan, cluster: jobs.Cluster, slurm_folder: str) -> Bundle:
    """``verify.sh``, ``smoke/`` and ``jobs/``; ``slurm_folder`` has Slurm's ``bin`` on nodes."""
    return _script(plan, slurm_folder), *smoke.files(plan, cluster), *jobs.files(plan, cluster)


def _script(plan: Plan, slurm_folder: str) -> Artifact:
    groups = list(_groups(plan))
    names = ", ".join(group.name for group in groups)
    roles = [group.name for group in groups if group.name.startswith("--")]
    gpus = any(group.type.gpus for group in plan.node_groups)
    text = verification.script(
        "slurm/verify.sh.j2", groups, slurm_folder=slurm_folder, names=names, roles=roles, gpus=gpus
    )
    return Artifact("verify.sh", text, executable=True)


def _groups(plan: Plan) -> Iterator[Group]:
    """Node groups with their checks. Roles are options: a node group may be called ``head``."""
    common = tuple(verification.storage_and_users(plan, jobs.shared(plan)))
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
