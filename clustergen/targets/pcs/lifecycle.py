"""Node lifecycle actions: scripts that run on a node before it accepts jobs.

Nearly all run in the stage NodeBootstrapped, before slurmd starts. The other stage, NodeReady, is
for Slurm commands, which get their configuration from slurmd. On compute nodes, it would race with
the first job.
https://docs.aws.amazon.com/pcs/latest/userguide/cng-node-lifecycle-actions.html
"""

import functools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from clustergen.base.artifacts import Json
from clustergen.plan.lustre_clients import lustre_interfaces
from clustergen.plan.model import Bucket, Machine, NodeGroup, Plan, Script
from clustergen.services.aws import cfn, mounts
from clustergen.services.aws.members import filled, present
from clustergen.services.nodes import node_scripts
from clustergen.services.nodes.node_scripts import BUCKET, NodeScript, mount_arguments
from clustergen.services.slurm import accounts, collecting, imex, tables, timetable, users
from clustergen.targets.pcs import limits, settings
from clustergen.targets.pcs.names import cluster_id

LOG_AGENT_SECONDS = 20
_script = functools.partial(
    node_scripts.rendered,
    "pcs",
    linger=LOG_AGENT_SECONDS,
    plugin="pcs/parts/pyxis-plugin.sh.j2",
    plugin_argument="SLURM-VERSION",
    consequence="PCS then replaces the node before it gets a job.",
)


class Action(NamedTuple):
    """A script to run: one of the bundle, or a URL."""

    label: str
    script: NodeScript | str
    arguments: tuple[Any, ...] = ()
    checksum: str | None = None
    """SHA-256 of the content at the URL, if known."""
    every_boot: bool = False
    required: bool = True
    """If it fails, the node is terminated and replaced."""
    with_slurm: bool = False
    """It runs Slurm commands, which fail until slurmd has started."""


def group_actions(plan: Plan, group: NodeGroup) -> list[Action]:
    """The actions of a compute node, in order."""
    own = plan.scripts_of(group)
    return [
        *_first(plan),
        *_imex(plan),
        *_users_scripts(own, "start"),
        *_scratch(group),
        *_lustre_efa(plan, group),
        *_shared(plan),
        *_containers(plan, group.scratch),
        *_monitoring(plan, "-", collecting.compute_arguments(plan, (group,))),
        *_health(group),
        *(_timetable(plan) if plan.login is None and group.capacity.dated else ()),
        *_users_scripts(own, "configured"),
    ]


def login_actions(plan: Plan) -> list[Action]:
    """The actions of a login node, in order."""
    own = plan.scripts_on("login")
    return [
        *_first(plan),
        *_users_scripts(own, "start", required=False),
        *_shared(plan),
        *_containers(plan, None),
        *(_login_monitoring(plan, plan.login) if plan.login else ()),
        *_accounts(plan),
        *_timetable(plan),
        *_users_scripts(own, "configured", required=False),
    ]


def emitted(actions: Sequence[Action]) -> Json:
    """The property NodeLifecycleActions for ``actions``."""
    stages: dict[str, list[Json]] = {}
    for name, action in zip(names(actions), actions, strict=True):
        stage = "NodeReady" if action.with_slurm else "NodeBootstrapped"
        stages.setdefault(stage, []).append(_emit(name, action))
    return {"Stages": stages}


def names(actions: Sequence[Action]) -> list[str]:
    """A name for each action, which overlays use; it does not depend on other actions.

    A script that runs several times gets a number from the second on.
    """
    counts: Counter[str] = Counter()
    found = []
    for action in actions:
        name = script_name(action.label)
        counts[name] += 1
        found.append(name if counts[name] == 1 else script_name(action.label, counts[name]))
    return found


def _emit(name: str, action: Action) -> Json:
    return {
        "Name": name,
        "ScriptSource": _source(action),
        **filled(Arguments=list(action.arguments)),
        "OnError": "TERMINATE" if action.required else "CONTINUE",
        "ExecutionPolicy": "EVERY_BOOT" if action.every_boot else "FIRST_BOOT_ONLY",
    }


def _source(action: Action) -> Json:
    if isinstance(action.script, NodeScript):
        return {"ScriptLocation": action.script.location, "Checksum": action.script.checksum}
    return present(ScriptLocation=action.script, Checksum=action.checksum)


def script_name(label: str, number: int | None = None) -> str:
    """A name that PCS accepts; it is also the name of the log on the node."""
    ending = f" {number}" if number else ""
    plain = re.sub(r"[^A-Za-z0-9 _-]+", "-", label).strip("- _") or "script"
    return plain[: limits.MAX_SCRIPT_NAME - len(ending)].rstrip() + ending


def _first(plan: Plan) -> Iterator[Action]:
    """The first action: export logs, because the node may be terminated before users read them."""
    script = limits.AWS_SCRIPTS.format(region=plan.region, script="configure-cloudwatch-logs")
    yield Action("logs", script, every_boot=True, required=False)
    yield Action(
        "baseline", _script("baseline.sh"), (_slurm_bin(plan),), every_boot=True, required=False
    )


def _shared(plan: Plan) -> Iterator[Action]:
    for item in mounts.mounted(plan):
        label, arguments = f"mount {item.mount.strip('/')}", _mount(plan, item)
        # Few images have mount-s3: nodes that fail for this would be replaced forever.
        required = not isinstance(item, Bucket)
        yield Action(label, _script("mount.sh"), arguments, every_boot=True, required=required)
    if users.wanted(plan):
        docker = plan.software.containers == "docker"
        text = users.script(docker=docker, linger=LOG_AGENT_SECONDS)
        arguments = mounts.arguments_of_users(plan, makes_homes=True)
        place = _install(plan, users.TABLE)
        yield Action("users", NodeScript(users.NAME, text), (*place, *arguments))


def _mount(plan: Plan, item: mounts.Mounted) -> tuple[Any, ...]:
    type, folder, source, *rest = mount_arguments(plan, mounts.mount(item))
    return type, folder, cfn.sub(source) if "${" in source else source, *rest


def _scratch(group: NodeGroup) -> Iterator[Action]:
    if group.scratch:
        yield Action("scratch", _script("scratch.sh"), (group.scratch,), every_boot=True)


def _imex(plan: Plan) -> Iterator[Action]:
    """Slurm drains nodes without the prolog, also those without GPUs."""
    if settings.has_imex(plan):
        text = imex.script(linger=LOG_AGENT_SECONDS, slurm_bin=_slurm_bin(plan))
        yield Action("imex", NodeScript(imex.NAME, text), ("install", settings.PROLOG))


def _lustre_efa(plan: Plan, group: NodeGroup) -> Iterator[Action]:
    """Lustre over EFA; if that fails, the node mounts over TCP and logs it."""
    if number := lustre_interfaces(plan, group):
        script = _script("lustre-efa.sh")
        yield Action("lustre efa", script, (str(number),), every_boot=True, required=False)


def _containers(plan: Plan, scratch: str | None) -> Iterator[Action]:
    """The container runtime; nodes without it stay, because other jobs still run."""
    if plan.software.containers != "none":
        script = _script("containers.sh")
        arguments = (plan.software.containers, scratch or "-", settings.version(plan))
        yield Action("containers", script, arguments, every_boot=True, required=False)


def _monitoring(plan: Plan, slurm: Any, arguments: Sequence[str]) -> Iterator[Action]:
    """Jobs run without it. It follows the action that configures the same agent for logs."""
    if collecting.wanted(plan):
        script = NodeScript(collecting.NAME, _monitoring_script(plan))
        given = (cfn.value(collecting.destination(plan)), slurm, *arguments)
        yield Action("monitoring", script, given, every_boot=True, required=False)


@functools.lru_cache(maxsize=8)
def _monitoring_script(plan: Plan) -> str:
    return collecting.script(plan, linger=0, slurm_bin=_slurm_bin(plan))


def _slurm_bin(plan: Plan) -> str:
    """Slurm's commands: an image may have several versions, and the cluster runs one.

    https://docs.aws.amazon.com/pcs/latest/userguide/working-with_clusters_version_update.html
    """
    return f"/opt/aws/pcs/scheduler/slurm-{settings.version(plan)}/bin"


def _login_monitoring(plan: Plan, login: Machine) -> Iterator[Action]:
    """The controller is AWS's own: a login node collects the metrics of Slurm.

    An existing cluster may not have enabled its metrics; Slurm's commands do without.
    """
    options = collecting.machine_arguments(plan, "login", login)
    endpoint: Any = "-"
    if plan.creates_cluster and settings.since(settings.version(plan), settings.METRICS_SINCE):
        endpoint = cluster_id(plan)
    else:
        options += ["--slurm"] if plan.creates_cluster else collecting.slurm_arguments(plan)
    yield from _monitoring(plan, endpoint, options)


def accounts_script(plan: Plan) -> NodeScript | None:
    """The script that creates Slurm accounts; None if jobs need none, or the cluster exists."""
    if not accounts.needed(plan) or not plan.creates_cluster:
        return None
    return NodeScript(accounts.NAME, accounts.script(slurm_bin=_slurm_bin(plan)))


def _accounts(plan: Plan) -> Iterator[Action]:
    """Slurm accounts; not required, because users can also run the script manually."""
    if script := accounts_script(plan):
        place = _install(plan, accounts.TABLE)
        yield Action("accounts", script, place, every_boot=True, required=False, with_slurm=True)


def _timetable(plan: Plan) -> Iterator[Action]:
    """What keeps jobs off nodes whose capacity ends; without login nodes, these nodes do it."""
    if timetable.wanted(plan):
        text = timetable.script(plan.name, slurm_bin=_slurm_bin(plan))
        script = NodeScript(timetable.NAME, text)
        place = _install(plan, timetable.TABLE)
        yield Action("timetable", script, place, every_boot=True, required=False)


def _install(plan: Plan, table: str) -> tuple[Any, ...]:
    """The arguments of a script that follows a table: the last is the address of the table."""
    return "install", cfn.sub(f"s3://${{{BUCKET}}}/{tables.key(plan, table)}")


def _health(group: NodeGroup) -> Iterator[Action]:
    kind, count = group.accelerators
    if "gpu" in group.health_checks and count:
        script = _script("check-accelerators.sh")
        yield Action("health", script, (kind, str(count)), every_boot=True)


def _users_scripts(own: Sequence[Script], when: str, *, required: bool = True) -> Iterator[Action]:
    """User scripts; by default required on compute nodes, where jobs would fail without them.

    A login node stays, so that users can investigate.
    """
    for script in own:
        if script.when == when:
            label = script.url.rpartition("/")[2]
            yield Action(
                label,
                script.url,
                script.args,
                checksum=script.sha256,
                every_boot=script.every_boot,
                required=script.stops(required),
            )
