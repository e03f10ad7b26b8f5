"""``verify.sh``: checks on a running node of each instance group."""

import functools
from collections.abc import Iterator

from clustergen.plan.model import Machine, NodeGroup, Plan
from clustergen.services.aws import mounts
from clustergen.services.hyperpod import steps
from clustergen.services.hyperpod.options import Options
from clustergen.services.nodes import verification
from clustergen.services.nodes.verification import (
    Check,
    Group,
    active,
    hardware,
    lustre_efa,
    scratch,
    storage_and_users,
)
from clustergen.services.slurm import collecting


# It is in the bundle, and in the folder of the lifecycle scripts.
@functools.lru_cache(maxsize=8)
def text(plan: Plan, *, kubernetes: bool, copied: bool) -> str:
    """The script, for nodes of an EKS cluster or of Slurm.

    ``copied``: lifecycle scripts bring it there.
    """
    groups = _kubernetes(plan) if kubernetes else _slurm(plan, copied)
    finished: tuple[Check, ...] = (("finished", collecting.UNFINISHED),) if copied else ()
    return verification.script(
        "shared/verify.sh.j2",
        [Group(group.name, (*group.checks, *finished)) for group in groups],
        slurm_folder="/opt/slurm",
        copied=copied,
        # The disks of the image, and HyperPod's own volume.
        docker_folders="^/opt/(dlami/nvme|sagemaker)/",
    )


def _slurm(plan: Plan, copied: bool) -> Iterator[Group]:
    options = plan.options_as(Options)
    if plan.head:
        yield Group(options.controller, (*_controller(plan, plan.head), *_shared(plan, copied)))
    if plan.login:
        # There may be no slurmd on it.
        yield Group(options.login, (("answers",), *_shared(plan, copied)))
    for group in plan.node_groups:
        yield Group(
            group.name, (*active("slurmd"), *hardware(plan, group), *_jobs(plan, group, copied))
        )


def _controller(plan: Plan, head: Machine) -> Iterator[Check]:
    yield from active("slurmctld")
    # The third of three controllers does not use the database.
    if plan.slurm.accounting != "off" and head.count < 3:
        yield from active("slurmdbd")
    if steps.shared_by_controllers(plan):
        yield ("controllers", head.count)


def _kubernetes(plan: Plan) -> Iterator[Group]:
    for group in plan.node_groups:
        runs, there = active("containerd", "kubelet"), hardware(plan, group)
        yield Group(group.name, (*runs, *there, *_bound(plan, group), *scratch(group)))


def _bound(plan: Plan, group: NodeGroup) -> Iterator[Check]:
    """Container images and pods are on the second volume, if clustergen's scripts move them."""
    if plan.second_volume_gib(group.volume) and not plan.options_as(Options).lifecycle:
        yield from (("bound", folder) for folder in ("/var/lib/containerd", "/var/lib/kubelet"))


def _jobs(plan: Plan, group: NodeGroup, copied: bool) -> Iterator[Check]:
    yield from _shared(plan, copied)
    yield from scratch(group)
    yield from lustre_efa(plan, group)
    if plan.software.containers != "none":
        yield ("docker_storage" if plan.software.containers == "docker" else "pyxis",)


def _shared(plan: Plan, copied: bool) -> Iterator[Check]:
    """The folder of lifecycle scripts does not change with users."""
    shared = [item.mount for item in mounts.writable(plan)]
    return storage_and_users(plan, shared, by_table=copied)
