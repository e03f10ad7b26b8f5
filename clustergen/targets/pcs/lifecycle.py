"""Node lifecycle actions: what runs on a node before it takes jobs, and in which order.

All of it runs in the stage NodeBootstrapped, before slurmd starts. Actions of the other stage,
NodeReady, race with the first job.
https://docs.aws.amazon.com/pcs/latest/userguide/cng-node-lifecycle-actions.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from clustergen import cfn
from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.model import Script as UserScript
from clustergen.targets.pcs import limits, mounts, scripts, settings


@dataclass(frozen=True, slots=True)
class Action:
    """One script to run. ``script`` is the one of the bundle, where it is one of ours."""

    label: str
    location: Any
    arguments: tuple[Any, ...] = ()
    checksum: str | None = None
    every_boot: bool = False
    required: bool = True
    """Without it the node is of no use: it is terminated and replaced."""
    script: scripts.Script | None = None


def of_group(plan: Plan, group: NodeGroup) -> list[Action]:
    """The actions of a compute node, in order."""
    own = [script for script in plan.software.scripts if _on_group(script, group)]
    return [
        *_first(plan),
        *_users_scripts(own, "start"),
        *_scratch(group),
        *_shared(plan),
        *_containers(plan, group.scratch),
        *_health(group),
        *_users_scripts(own, "configured"),
    ]


def of_login(plan: Plan) -> list[Action]:
    """The actions of a login node, in order."""
    own = [script for script in plan.software.scripts if "login" in script.on]
    return [
        *_first(plan),
        *_users_scripts(own, "start"),
        *_shared(plan),
        *_containers(plan, None),
        *_users_scripts(own, "configured"),
    ]


def emitted(actions: Sequence[Action]) -> cfn.Json:
    """``actions`` as the property NodeLifecycleActions."""
    stage = [_emit(number, action) for number, action in enumerate(actions, 1)]
    return {"Stages": {"NodeBootstrapped": stage}}


def _emit(number: int, action: Action) -> cfn.Json:
    checksum = {"Checksum": action.checksum} if action.checksum else {}
    arguments = {"Arguments": list(action.arguments)} if action.arguments else {}
    return {
        "Name": script_name(number, action.label),
        "ScriptSource": {"ScriptLocation": action.location, **checksum},
        **arguments,
        "OnError": "TERMINATE" if action.required else "CONTINUE",
        "ExecutionPolicy": "EVERY_BOOT" if action.every_boot else "FIRST_BOOT_ONLY",
    }


def script_name(number: int, label: str) -> str:
    """A unique name of the form that PCS takes; it is also the name of the log on the node."""
    plain = re.sub(r"[^A-Za-z0-9 _-]+", "-", label).strip("- ")
    return f"{number:02} {plain}"[: limits.MAX_SCRIPT_NAME].rstrip()


def _first(plan: Plan) -> Iterator[Action]:
    """The logs of all scripts leave the node, which may be gone when somebody reads them."""
    yield _ours(scripts.fixed("baseline.sh"), "baseline", every_boot=True)
    script = limits.AWS_SCRIPTS.format(region=plan.region, script="configure-cloudwatch-logs")
    yield Action("logs", script, every_boot=True, required=False)


def _shared(plan: Plan) -> Iterator[Action]:
    for mount in mounts.of(plan):
        if isinstance(mount.script, scripts.Script):
            yield _ours(mount.script, mount.label, mount.arguments, every_boot=True)
        else:
            yield Action(mount.label, mount.script, mount.arguments, every_boot=True)
    if plan.users:
        yield _ours(scripts.users(plan.users), "users")


def _scratch(group: NodeGroup) -> Iterator[Action]:
    if group.scratch:
        yield _ours(scripts.fixed("scratch.sh"), "scratch", (group.scratch,), every_boot=True)


def _containers(plan: Plan, scratch: str | None) -> Iterator[Action]:
    """Nodes stay without their container runtime: other jobs still run, and the log says why."""
    script = scripts.fixed("containers.sh")
    match plan.software.containers:
        case "docker":
            yield _ours(script, "containers", ("docker",), every_boot=True, required=False)
        case "pyxis":
            arguments = ("pyxis", settings.version(plan), *([scratch] if scratch else []))
            yield _ours(script, "containers", arguments, every_boot=True, required=False)


def _health(group: NodeGroup) -> Iterator[Action]:
    if "gpu" not in group.health_checks:
        return
    kind, count = accelerators(group)
    if count:
        yield _ours(
            scripts.fixed("check-accelerators.sh"), "health", (kind, str(count)), every_boot=True
        )


def accelerators(group: NodeGroup) -> tuple[Literal["gpu", "neuron"], int]:
    """Kind and number of a node's accelerators."""
    type = group.type
    return ("neuron", type.neuron_devices) if type.neuron_devices else ("gpu", type.gpus)


def _users_scripts(own: Sequence[UserScript], when: str) -> Iterator[Action]:
    for script in own:
        if script.when == when:
            label = script.url.rpartition("/")[2]
            yield Action(label, script.url, script.args, checksum=script.sha256)


def _on_group(script: UserScript, group: NodeGroup) -> bool:
    return "compute" in script.on and group.name in script.node_groups


def _ours(
    script: scripts.Script,
    label: str,
    arguments: tuple[Any, ...] = (),
    *,
    every_boot: bool = False,
    required: bool = True,
) -> Action:
    return Action(label, script.location, arguments, script.checksum, every_boot, required, script)
