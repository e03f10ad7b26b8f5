"""Steps of the lifecycle scripts on the nodes of each instance group, in order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from clustergen.plan import model
from clustergen.plan.lustre_clients import lustre_interfaces
from clustergen.plan.model import Database, Machine, NodeGroup, Plan
from clustergen.plan.model import Script as UserScript
from clustergen.services.aws import mounts
from clustergen.services.hyperpod.limits import DEFAULT_DATABASE
from clustergen.services.hyperpod.options import Options
from clustergen.services.nodes import verification
from clustergen.services.slurm import accounts, collecting, timetable, users

Mode = Literal["bootstrap", "extended", "customer-managed", "legacy", "kubernetes"]
"""How nodes are set up, and so which scripts they run.

``bootstrap``: HyperPod sets up Slurm, without scripts. ``extended``: HyperPod sets up Slurm, and
scripts do the rest. ``customer-managed``: scripts set up Slurm. ``legacy``: the same, with the
roles of groups in a file. ``kubernetes``: scripts prepare nodes before they join an EKS cluster.
https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-slurm-api-config-migration.html
"""
Role = Literal["controller", "login", "compute"]
Kind = Literal["required", "optional", "repeated"]
SOURCES = {
    timetable.NAME: "timetable.json",
    users.NAME: "users.json",
    accounts.NAME: "accounts.json",
}
"""With the address of the table that each of these scripts follows: deploy.sh knows the bucket."""

# The spec's name for each role.
_ON: Mapping[Role, model.Role] = {"controller": "head", "login": "login", "compute": "compute"}


@dataclass(frozen=True, slots=True)
class Step:
    """One script of the set, bounded by ``seconds``.

    What a failure means: ``required`` gives the node up, ``optional`` is recorded only, and
    ``repeated`` is tried again until it succeeds.
    """

    name: str
    script: str
    arguments: tuple[Any, ...] = ()
    seconds: int = 300
    kind: Kind = "required"
    after: str = ""
    """The name of a repeated step without which this one would do harm."""


@dataclass(frozen=True, slots=True)
class Group:
    """An instance group and what runs on its nodes."""

    name: str
    steps: tuple[Step, ...]


def instance_groups(plan: Plan, mode: Mode) -> tuple[Group, ...]:
    """Every instance group and what its nodes do; on EKS, pods mount file systems themselves."""
    if mode == "kubernetes":
        return tuple(
            Group(group.name, tuple(_on_kubernetes(plan, group))) for group in plan.node_groups
        )
    options = plan.options_as(Options)
    roles: tuple[tuple[str, Role, Machine | None], ...] = (
        (options.controller, "controller", plan.head),
        (options.login, "login", plan.login),
    )
    return (
        *(Group(name, tuple(_on_machine(plan, mode, role))) for name, role, is_ in roles if is_),
        *(Group(group.name, tuple(_on_compute(plan, mode, group))) for group in plan.node_groups),
    )


def shared_by_controllers(plan: Plan) -> str:
    """Where several controllers keep what they share; empty with one, or without a file system."""
    return "" if plan.head is None or plan.head.count == 1 else mounts.shared(plan)


def _on_machine(plan: Plan, mode: Mode, role: Role) -> Iterator[Step]:
    own = plan.scripts_on(_ON[role])
    # The controller runs no jobs: there may be no slurmd on it, or one that must not start.
    kind, alone = _spared(role), role == "controller"
    yield Step("system", "system.sh", () if alone else ("slurmd",), kind=kind)
    yield from _users_scripts(own, "start", stops=not alone)
    yield from _shared(plan, role)
    # Jobs take their environment from the node that they are submitted on.
    efa = all(group.efa for group in plan.node_groups)
    yield Step("environment", "environment.sh", ("efa" if efa else "plain",), kind=kind)
    yield from _slurm(plan, mode, role)
    yield from _users_scripts(own, "configured", stops=not alone)
    yield from _monitoring(plan, _machine_options(plan, role))


def _on_compute(plan: Plan, mode: Mode, group: NodeGroup) -> Iterator[Step]:
    own = plan.scripts_of(group)
    # HyperPod has started slurmd: no job begins before the scripts are done.
    if after_slurm := mode == "extended":
        yield Step("drain", "node-state.sh", ("drain",), seconds=900, kind="optional")
    yield Step("system", "system.sh", ("slurmd",))
    yield from _users_scripts(own, "start")
    yield from _scratch(group)
    yield from _lustre_efa(plan, group)
    yield from _shared(plan, "compute")
    yield Step("environment", "environment.sh", _fabric(group))
    yield from _health(plan, group, spared=_together(plan, mode))
    yield from _slurm(plan, mode, "compute")
    yield from _users_scripts(own, "configured")
    if after_slurm:
        yield Step("resume", "node-state.sh", ("resume",), kind="repeated")
    yield from _monitoring(plan, collecting.compute_arguments(plan, (group,)))


def _on_kubernetes(plan: Plan, group: NodeGroup) -> Iterator[Step]:
    own = plan.scripts_of(group)
    yield Step("system", "system.sh", ("containerd",))
    yield from _users_scripts(own, "start")
    if plan.second_volume_gib(group.volume):
        yield Step("runtime storage", "runtime-storage.sh", seconds=900)
    yield from _lustre_efa(plan, group)
    if mounts.lustre(plan):
        yield Step("lustre client", "lustre-client.sh", kind="optional")
    yield from _scratch(group)
    yield from _health(plan, group)
    yield from _users_scripts(own, "configured")


def _spared(role: Role) -> Kind:
    """Of a step that no daemon needs: the whole cluster fails with the scripts of its controller.

    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-scaling-slurm.html
    """
    return "repeated" if role == "controller" else "required"


def _shared(plan: Plan, role: Role) -> Iterator[Step]:
    kind, mounted = _spared(role), mounts.writable(plan)
    if mounted:
        # Several controllers keep Slurm's state there.
        needed = bool(shared_by_controllers(plan))
        yield Step("mounts", "mounts.sh", seconds=1800, kind="required" if needed else kind)
    if users.wanted(plan):
        arguments = mounts.arguments_of_users(plan, makes_homes=role == "controller")
        # Homes would be made under the mount point.
        after = "mounts" if mounted and role == "controller" else ""
        table = ("install", SOURCES[users.NAME])
        yield Step("users", users.NAME, (*table, *arguments), kind=kind, after=after)
    if len(mounted) < len(mounts.mounted(plan)):
        # AWS does not say whether the image has mount-s3: a node without a bucket is worth having.
        yield Step("buckets", "mounts.sh", ("buckets",), seconds=1800, kind="repeated")


def _slurm(plan: Plan, mode: Mode, role: Role) -> Iterator[Step]:
    """Remaining steps for Slurm; accounting comes before slurmctld's very first start."""
    ours = mode in ("customer-managed", "legacy")
    if ours and plan.software.containers != "none":
        place = ("head",) if role == "controller" else ()
        arguments = (plan.software.containers, "-", *place)
        how: Kind = "repeated" if place else "optional"
        yield Step("containers", "containers.sh", arguments, kind=how)
    if role == "controller":
        if folder := shared_by_controllers(plan):
            count = plan.head.count if plan.head else 1
            yield Step("controllers", "controllers.sh", (folder, count), seconds=1800)
        if ours and plan.slurm.accounting != "off":
            yield Step("accounting", "accounting-database.sh", _database(plan), seconds=1800)
        # Slurm runs already where HyperPod starts it, with HyperPod's settings.
        kind: Kind = "required" if ours else "repeated"
        yield Step("slurm settings", "slurm-settings.sh", seconds=1200, kind=kind)
    if ours:
        yield Step("slurm", "start-slurm.sh", (role,), seconds=1800)
    if role == "controller" and plan.slurm.accounting != "off":
        table = ("install", SOURCES[accounts.NAME])
        yield Step("accounts", accounts.NAME, table, seconds=900, kind="repeated")
    if role == "controller" and timetable.wanted(plan):
        yield Step(
            "timetable", timetable.NAME, ("install", SOURCES[timetable.NAME]), kind="optional"
        )


def _database(plan: Plan) -> tuple[Any, ...]:
    given = plan.slurm.accounting
    if not isinstance(given, Database):
        return ("local",)
    place = (given.endpoint, given.port, given.database or DEFAULT_DATABASE)
    user = given.user if plan.wrote("slurm", "accounting", "user") else "-"
    # A secret is read in the region that its ARN names.
    return ("external", *place, user, given.secret, given.secret.split(":")[3] or plan.region)


def _lustre_efa(plan: Plan, group: NodeGroup) -> Iterator[Step]:
    """Lustre's network over EFA, before anything is mounted; without it Lustre uses TCP."""
    if interfaces := lustre_interfaces(plan, group):
        yield Step("lustre efa", "lustre-efa.sh", (interfaces,), kind="optional")


def _scratch(group: NodeGroup) -> Iterator[Step]:
    if group.scratch:
        yield Step("scratch", "scratch.sh", (group.scratch,), seconds=600)


def _together(plan: Plan, mode: Mode) -> bool:
    """Whether one failed node undoes the others, and our prolog keeps jobs off it instead."""
    at_once = plan.options_as(Options).provisioning == "all-at-once"
    return mode == "legacy" or (mode == "customer-managed" and at_once)


def _health(plan: Plan, group: NodeGroup, *, spared: bool = False) -> Iterator[Step]:
    """A node that lacks a GPU is rejected if the spec requests health checks; otherwise it is
    logged, as it is if the node is ``spared``."""
    kind, count, efa = verification.devices(plan, group)
    if count or efa:
        required = "gpu" in group.health_checks and not spared
        how: Kind = "required" if required else "optional"
        yield Step("health", "health.sh", (kind, count, efa), kind=how)


def _fabric(group: NodeGroup) -> tuple[str, ...]:
    efa = "efa" if group.efa else "plain"
    domain = group.type.nvlink_domain
    return (efa, "nvlink") if domain else (efa,)


def _monitoring(plan: Plan, options: Sequence[str]) -> Iterator[Step]:
    """Jobs run without it."""
    if collecting.wanted(plan):
        found = collecting.destination(plan)
        place = found if isinstance(found, str) else collecting.WORKSPACE_FILE
        arguments = (place, "-", *options, "--unfinished", collecting.UNFINISHED)
        yield Step("monitoring", collecting.NAME, arguments, seconds=600, kind="optional")


def _machine_options(plan: Plan, role: Role) -> list[str]:
    """The controller counts nodes and jobs with Slurm's commands: not every version has metrics.

    Beside the controller of an existing cluster, login nodes do.
    """
    machine = plan.login if role == "login" else plan.head
    # Login nodes can be nodes of Slurm too: in HyperPod's own partition, not in those of queues.
    collects = role == "controller" or plan.head is None
    slurm = collecting.slurm_arguments(plan) if collects else []
    return [*(collecting.machine_arguments(plan, role, machine) if machine else ()), *slurm]


def _users_scripts(own: Sequence[UserScript], when: str, *, stops: bool = True) -> Iterator[Step]:
    """``stops``: whether a node whose script fails is given up, where the spec does not say."""
    for script in own:
        if script.when == when:
            name = "script " + script.url.rpartition("/")[2]
            arguments = (script.url, script.sha256 or "-", *script.args)
            kind: Kind = "required" if script.stops(stops) else "optional"
            yield Step(name, "user-script.sh", arguments, seconds=3600, kind=kind)
