"""The lifecycle set of a cluster, and the prefix that its contents have in S3."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, cast

from clustergen import shell
from clustergen.artifacts import Artifact
from clustergen.hyperpod import mounts, steps
from clustergen.hyperpod.steps import Group, Mode
from clustergen.plan.model import Plan

FOLDER = "lifecycle"
FILE_SYSTEMS = "file-systems.json"
# The instance groups that the spec's ``head_node`` and ``login`` become.
CONTROLLER, LOGIN = "controller", "login"

_WHAT = {
    "api": ("What the spec asks for beyond HyperPod's own set-up of a node, and after it.",),
    "customer-managed": ("Makes an instance a node of the cluster, Slurm included.",),
    "legacy": ("Makes an instance a node of the cluster, Slurm included.",),
    "eks": ("Prepares an instance before it joins the Kubernetes cluster.",),
}


def lifecycle(
    plan: Plan, orchestrator: Literal["slurm", "eks"] | str, mode: str
) -> tuple[Artifact, ...]:
    """The scripts of a cluster, under ``lifecycle/``: the one that HyperPod runs comes first.

    That one is ``on_init_complete.sh`` with Slurm and the mode ``api``, otherwise
    ``on_create.sh``. ``mode`` is ``api``, ``customer-managed`` or ``legacy``; EKS has none.
    """
    if orchestrator == "eks":
        return _set(plan, "eks", steps.with_kubernetes(plan))
    groups = steps.with_slurm(plan, cast(Mode, mode), CONTROLLER, LOGIN)
    return _set(plan, cast(Mode, mode), groups)


def entry_point(orchestrator: str, mode: str) -> str:
    """The name of the script that HyperPod runs."""
    return "on_init_complete.sh" if (orchestrator, mode) == ("slurm", "api") else "on_create.sh"


def prefix(artifacts: Iterable[Artifact]) -> str:
    """A hash of names and contents: another set is another place."""
    found = hashlib.sha256()
    for artifact in sorted(artifacts, key=lambda artifact: artifact.path):
        found.update(f"{artifact.path}\0{artifact.text}\0".encode())
    return found.hexdigest()[:16]


def _set(plan: Plan, mode: Mode | Literal["eks"], groups: Sequence[Group]) -> tuple[Artifact, ...]:
    entry = "on_init_complete.sh" if mode == "api" else "on_create.sh"
    every = [step for group in groups for step in group.steps]
    text = shell.render(
        "hyperpod/entry.sh.j2",
        what=_WHAT[mode],
        groups=groups,
        any_optional=not all(step.required for step in every),
    )
    names = dict.fromkeys(["resource-config.sh", *sorted({step.script for step in every})])
    return (
        _script(entry, text),
        *(_script(name, _text(plan, mode, name)) for name in names),
        *_beside(plan, mode, names),
    )


def _beside(plan: Plan, mode: str, names: Iterable[str]) -> Iterator[Artifact]:
    """What the scripts of a set read."""
    if "mounts.sh" in names:
        table = [mounts.entry(item) for item in mounts.of(plan)]
        yield Artifact(f"{FOLDER}/{FILE_SYSTEMS}", json.dumps(table, indent=2) + "\n")
    if "slurm-settings.sh" in names and _has_prolog(plan):
        for name in ("prolog.sh", "epilog.sh"):
            yield _script(name, _text(plan, mode, name))


def _script(name: str, text: str) -> Artifact:
    return Artifact(f"{FOLDER}/{name}", text, executable=True)


def _text(plan: Plan, mode: str, name: str) -> str:
    values = _VALUES.get(name, _no_values)
    return shell.render(f"hyperpod/{name}.j2", **values(plan, mode))


def _no_values(plan: Plan, mode: str) -> dict[str, Any]:
    return {}


def _has_prolog(plan: Plan) -> bool:
    return any(group.type.gpus for group in plan.node_groups)


def _settings(plan: Plan, mode: str) -> dict[str, Any]:
    asked = [(queue, steps.partition_pairs(queue)) for queue in plan.queues]
    chosen = [queue.name for queue in plan.queues if queue.default]
    return {
        "settings": ["JobRequeue=1"] if plan.resilience.auto_resume else [],
        "accounting": mode != "api" and plan.slurm.accounting != "off",
        "prolog": _has_prolog(plan),
        "partitions": [{"name": queue.name, "pairs": pairs} for queue, pairs in asked if pairs],
        "default": chosen[0] if chosen else "",
    }


_VALUES = {
    "mounts.sh": lambda plan, mode: {"region": plan.region},
    "users.sh": lambda plan, mode: {"users": plan.users},
    "accounts.sh": lambda plan, mode: {"users": plan.users, "account": plan.name},
    "start-slurm.sh": lambda plan, mode: {"controller": CONTROLLER},
    "slurm-settings.sh": _settings,
}
