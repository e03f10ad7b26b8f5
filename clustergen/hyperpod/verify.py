"""``verify.sh`` checks a finished node of each instance group."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from clustergen import shell
from clustergen.hyperpod import script_mounts, steps
from clustergen.hyperpod.limits import CONTROLLER, LOGIN
from clustergen.plan.model import Bucket, Machine, NodeGroup, Plan

Check = tuple[str | int, ...]
"""A function of the script and its arguments."""


@dataclass(frozen=True, slots=True)
class Group:
    """An instance group and the checks of its nodes."""

    name: str
    checks: tuple[Check, ...]


# It is in the bundle, and in the folder of the lifecycle scripts.
@functools.lru_cache(maxsize=8)
def text(plan: Plan, *, kubernetes: bool) -> str:
    """The script, for nodes of an EKS cluster or of Slurm."""
    slurm = not kubernetes
    return shell.render(
        "hyperpod/verify.sh.j2",
        groups=list(_slurm(plan)) if slurm else _kubernetes(plan),
        containers=plan.software.containers,
        mounts=bool(script_mounts.writable(plan)) if slurm else False,
        scratch=any(group.scratch for group in plan.node_groups)
        or any(isinstance(item, Bucket) for item in plan.storage),
        people=bool(plan.users),
        several=bool(steps.shared_by_controllers(plan)),
        accelerators=any(group.accelerators[1] for group in plan.node_groups),
        slurm=slurm,
    )


def _slurm(plan: Plan) -> Iterator[Group]:
    if plan.head:
        yield Group(CONTROLLER, (*_controller(plan, plan.head), *_shared(plan)))
    if plan.login:
        yield Group(LOGIN, (*_active("slurmd"), *_shared(plan)))
    for group in plan.node_groups:
        yield Group(group.name, (*_active("slurmd"), *_hardware(group), *_jobs(plan, group)))


def _controller(plan: Plan, head: Machine) -> Iterator[Check]:
    yield from _active("slurmctld")
    # The third of three controllers does not use the database.
    if plan.slurm.accounting != "off" and head.count < 3:
        yield from _active("slurmdbd")
    if steps.shared_by_controllers(plan):
        yield ("controllers", head.count)


def _kubernetes(plan: Plan) -> list[Group]:
    bound = tuple(("bound", folder) for folder in ("/var/lib/containerd", "/var/lib/kubelet"))
    return [
        Group(
            group.name,
            (*_active("containerd", "kubelet"), *_hardware(group), *bound, *_scratch(group)),
        )
        for group in plan.node_groups
    ]


def _active(*services: str) -> Iterator[Check]:
    return (("active", service) for service in services)


def _hardware(group: NodeGroup) -> Iterator[Check]:
    kind, count = group.accelerators
    if count:
        yield ("accelerators", kind, count)
    yield ("efa", group.efa_interfaces)


def _jobs(plan: Plan, group: NodeGroup) -> Iterator[Check]:
    yield from _shared(plan)
    yield from _scratch(group)
    if plan.software.containers != "none":
        yield ("docker_storage" if plan.software.containers == "docker" else "pyxis",)


def _shared(plan: Plan) -> Iterator[Check]:
    yield from (("mounted", item.mount) for item in script_mounts.writable(plan))
    yield from (("bound", item.mount) for item in plan.storage if isinstance(item, Bucket))
    yield from (("person", user.name, user.uid) for user in plan.users)


def _scratch(group: NodeGroup) -> Iterator[Check]:
    if group.scratch:
        yield ("bound", group.scratch)
