"""What PCS takes of Slurm's versions and settings."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.targets.pcs import lifecycle, limits, settings
from clustergen.targets.pcs.limits import USER_GUIDE

VERSION = Rule(
    code="SLM201",
    title="Slurm version that PCS does not offer",
    why="PCS creates clusters with a few Slurm versions, each until its end of life.",
    source=f"{USER_GUIDE}slurm-versions.html",
    target="pcs",
    bad='slurm: {version: "24.11"}',
    good='slurm: {version: "25.11"}',
)
ENDING = Rule(
    code="SLM202",
    title="Slurm version near its end of life",
    why="After its end of life no cluster is created with a version; running ones go without "
    "support and are suspended a year later.",
    source=f"{USER_GUIDE}slurm-versions.html",
    severity=Severity.WARNING,
    target="pcs",
    bad='slurm: {version: "25.05"}',
    good='slurm: {version: "25.11"}',
)
SETTING = Rule(
    code="SLM203",
    title="Setting that PCS does not take",
    why="PCS writes the configuration of Slurm and takes from users what stands on its lists, one "
    "for each level. One other name, and the cluster is not created.",
    source=f"{USER_GUIDE}slurm-custom-settings.html",
    target="pcs",
    bad="slurm: {settings: {GresTypes: gpu}}",
    good="slurm: {settings: {SchedulerParameters: defer}}",
)
NEWER = Rule(
    code="SLM204",
    title="Setting of a newer Slurm",
    why="Some settings came with a later version of Slurm on PCS.",
    source=f"{USER_GUIDE}doc-history.html",
    target="pcs",
    bad='slurm: {version: "25.05", settings: {MetricsType: metrics/openmetrics}}',
    good='slurm: {version: "25.11", settings: {MetricsType: metrics/openmetrics}}',
)
JOB_AGE = Rule(
    code="SLM205",
    title="MinJobAge below what PCS takes",
    why="Its scaling reads finished jobs, which have to stay for some seconds.",
    source=f"{USER_GUIDE}slurm-custom-settings-cluster.html",
    target="pcs",
    bad="slurm: {settings: {MinJobAge: 2}}",
    good="slurm: {settings: {MinJobAge: 5}}",
)
TWICE = Rule(
    code="SLM206",
    title="Setting said twice, differently",
    why="A field of the language writes this setting; with both there are two answers.",
    source="https://slurm.schedmd.com/slurm.conf.html",
    target="pcs",
    bad="queues: [{name: train, node_groups: [h200], time_limit: 7d, slurm: {MaxTime: "
    "2-00:00:00}}]",
    good="queues: [{name: train, node_groups: [h200], time_limit: 2d}]",
)
PURGE = Rule(
    code="SLM207",
    title="Job records kept for a time that PCS does not have",
    why="Records are purged after whole days, one at least.",
    source=limits.CREATE_CLUSTER,
    target="pcs",
    bad="slurm: {accounting: managed}\ntargets: {pcs: {purge_accounting: 12h}}",
    good="slurm: {accounting: managed}\ntargets: {pcs: {purge_accounting: 1d}}",
)
NO_ACCOUNTING = Rule(
    code="SLM208",
    title="Setting of accounting, without accounting",
    why="It is about the database of job records, which this cluster does not have.",
    source=f"{USER_GUIDE}slurm-accounting.html",
    severity=Severity.WARNING,
    target="pcs",
    bad="slurm: {slurmdbd_settings: {PurgeJobAfter: 12month}}",
    good="slurm: {accounting: managed, slurmdbd_settings: {PurgeJobAfter: 12month}}",
)
IDLE = Rule(
    code="SLM209",
    title="Idle time out of range",
    why="PCS stops idle nodes after 1 to 10,000,000 seconds.",
    source=limits.CREATE_CLUSTER,
    target="pcs",
    bad="slurm: {idle_timeout: 0s}",
    good="slurm: {idle_timeout: 1m}",
)
GRES = Rule(
    code="SLM210",
    title="Gres by hand",
    why="PCS refuses an entry of Gres without its record in gres.conf. For GPUs it writes both "
    "itself, for MIG partitions clustergen does.",
    source=f"{USER_GUIDE}gres-custom-settings.html",
    target="pcs",
    bad='node_groups: [{name: h200, slurm: {Gres: "gpu:h200:8"}}]',
    good="node_groups: [{name: h200, slurm: {Weight: 10}}]",
)
MIG = Rule(
    code="SLM211",
    title="MIG without what Slurm needs to find it",
    why="Slurm detects MIG devices from 25.11 on, and only where it knows the node's sockets: PCS "
    "sets them from 26.05 on. Otherwise every node is drained.",
    source=f"{USER_GUIDE}mig-configuration.html",
    target="pcs",
    bad="node_groups: [{name: h200, mig: {1g.18gb: 7}}]",
    good='node_groups: [{name: h200, mig: {1g.18gb: 7}}]\nslurm: {version: "26.05"}',
)
MIG_SCALING = Rule(
    code="SLM212",
    title="MIG on nodes that come and go",
    why="The devices of a node are unknown until it has booted: a job that waits for one may start "
    "without a GPU.",
    source=f"{USER_GUIDE}mig-configuration.html",
    severity=Severity.WARNING,
    target="pcs",
    bad="node_groups: [{name: h200, count: {min: 0, max: 2}, mig: {1g.18gb: 7}}]\n"
    'slurm: {version: "26.05"}',
    good='node_groups: [{name: h200, count: 2, mig: {1g.18gb: 7}}]\nslurm: {version: "26.05"}',
)
NO_ACCELERATOR = Rule(
    code="SLM213",
    title="GPU health check on nodes without accelerators",
    why="It counts the accelerators of a node at boot; here there is nothing to count.",
    source=f"{USER_GUIDE}cng-node-lifecycle-actions.html",
    severity=Severity.WARNING,
    target="pcs",
    bad="node_groups: [{name: h200, instance_type: m7i.4xlarge, health_checks: [gpu]}]",
    good="node_groups: [{name: h200, health_checks: [gpu]}]",
)
ALWAYS_REPLACED = Rule(
    code="SLM214",
    title="Failed nodes are always replaced",
    why="PCS ends an instance that fails and starts another; there is no switch.",
    source=f"{USER_GUIDE}working-with_cng.html",
    target="pcs",
    bad="resilience: {replace_failed_nodes: false}",
    good="resilience: {replace_failed_nodes: true}",
)
RULES = (
    *(VERSION, ENDING, SETTING, NEWER, JOB_AGE, TWICE),
    *(PURGE, NO_ACCOUNTING, IDLE, GRES, MIG, MIG_SCALING, NO_ACCELERATOR),
    ALWAYS_REPLACED,
)

_LEVELS = {
    "slurm.settings": limits.CLUSTER_SETTINGS,
    "a queue's slurm": limits.QUEUE_SETTINGS,
    "a node group's slurm": limits.NODE_GROUP_SETTINGS,
    "slurm.slurmdbd_settings": limits.SLURMDBD_SETTINGS,
    "slurm.cgroup_settings": limits.CGROUP_SETTINGS,
}
"""Where settings are written, and what PCS takes there."""

_INSTEAD = {
    "suspendtime": "write slurm.idle_timeout",
    "grestypes": "leave it out: PCS derives it from the instance types",
    "prioritytype": "leave it out: PCS weighs jobs by the PriorityWeight settings",
    "topologyplugin": "leave it out: PCS chooses it for UltraServers",
    "accountingstoragetype": "write slurm.accounting: managed",
    "state": "leave it out: PCS manages it",
}
"""What does the work of a setting that PCS keeps to itself, by lower-case name."""


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    yield from _version(plan)
    for path, level, given in _written(plan):
        yield from _settings(plan, path, level, given)
    for queue in plan.queues:
        yield from _twice(plan, queue)
    yield from _accounting(plan)
    yield from _idle(plan)
    if not plan.resilience.replace_failed_nodes:
        yield ALWAYS_REPLACED.at(
            ("resilience", "replace_failed_nodes"),
            "PCS replaces failed nodes all the same",
            help="write true, or leave it out",
        )
    for group in plan.node_groups:
        yield from _gres(group)
        yield from _mig(plan, group)
        yield from _health(group)


def _written(plan: Plan) -> Iterator[tuple[Path, str, Mapping[str, str]]]:
    """Every mapping of settings in the spec: its place, its level, itself."""
    slurm = plan.slurm
    yield ("slurm", "settings"), "slurm.settings", slurm.settings
    yield ("slurm", "slurmdbd_settings"), "slurm.slurmdbd_settings", slurm.slurmdbd_settings
    yield ("slurm", "cgroup_settings"), "slurm.cgroup_settings", slurm.cgroup_settings
    for group in plan.node_groups:
        yield group.at("slurm"), "a node group's slurm", group.slurm
    for queue in plan.queues:
        yield queue.at("slurm"), "a queue's slurm", queue.slurm


def _version(plan: Plan) -> Iterator[Finding]:
    name = settings.version(plan)
    at = ("slurm", "version")
    found = next((v for v in limits.SLURM_VERSIONS if v.name == name), None)
    offered = [v.name for v in limits.SLURM_VERSIONS if not v.ending]
    help = f'write "{limits.DEFAULT_SLURM_VERSION}"; offered for longer: {", ".join(offered)}'
    if found is None:
        ended = limits.ENDED_SLURM_VERSIONS.get(name)
        said = f"reached its end of life on PCS on {ended}" if ended else "is not offered by PCS"
        yield VERSION.at(at, f"Slurm {name} {said}", help=help)
    elif found.ending:
        yield ENDING.at(
            at, f"Slurm {name} reaches its end of life on {found.end_of_life}", help=help
        )


def _settings(plan: Plan, path: Path, level: str, given: Mapping[str, str]) -> Iterator[Finding]:
    allowed = {name.lower() for name in _LEVELS[level]}
    for name, value in given.items():
        if name.lower() in allowed:
            yield from _value(plan, (*path, name), name, value)
        else:
            yield SETTING.at(
                (*path, name),
                f"PCS does not take {name} in {level}",
                help=_instead(name, level),
                on_key=True,
            )


def _instead(name: str, level: str) -> str:
    """The nearest thing to write."""
    if name.lower() in _INSTEAD:
        return _INSTEAD[name.lower()]
    by_lower = {allowed.lower(): allowed for allowed in _LEVELS[level]}
    if near := difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.75):
        return f"did you mean {by_lower[near[0]]}?"
    for other, allowed in _LEVELS.items():
        if name.lower() in {known.lower() for known in allowed}:
            return f"it belongs in {other}"
    return f"leave it out; {level} takes {len(_LEVELS[level])} others, which the page lists"


def _value(plan: Plan, path: Path, name: str, value: str) -> Iterator[Finding]:
    version = settings.version(plan)
    needed = _needed(path, name.lower(), value)
    if not settings.since(version, needed):
        yield NEWER.at(
            path,
            f"{name} needs Slurm {needed}; the cluster has {version}",
            help=f'write slurm.version: "{needed}"',
        )
    if name.lower() == "minjobage" and value.isdigit() and int(value) < limits.MIN_JOB_AGE_SECONDS:
        yield JOB_AGE.at(
            path, f"MinJobAge of {value} s", help=f"write {limits.MIN_JOB_AGE_SECONDS} or more"
        )


def _needed(path: Path, name: str, value: str) -> str:
    """The first Slurm version on PCS that takes a setting; empty when all do."""
    if path[:2] == ("slurm", "slurmdbd_settings"):
        return ""
    if name == "selecttypeparameters" and "cr_socket" in value.lower():
        return limits.SOCKET_SELECTION_SINCE
    return limits.SETTING_SINCE.get(name, "")


def _twice(plan: Plan, queue: Queue) -> Iterator[Finding]:
    said = settings.of_queue_fields(queue)
    fields = {name.lower(): name for name in said}
    for name, value in queue.slurm.items():
        known = fields.get(name.lower(), "")
        field = settings.QUEUE_FIELDS.get(known, "")
        if known and said[known] != value and plan.wrote(*queue.at(field)):
            yield TWICE.at(
                queue.at("slurm", name),
                f"{name} is {value} here, and {said[known]} by the field {field}",
                help=f"leave {name} out, or {field}",
            )


def _accounting(plan: Plan) -> Iterator[Finding]:
    at = ("targets", "pcs", "purge_accounting")
    purge = plan.options.purge_accounting
    lowest, highest = limits.PURGE_DAYS
    if purge is not None and (purge % 86400 or not lowest <= purge // 86400 <= highest):
        days = min(max(-(-purge // 86400), lowest), highest)
        yield PURGE.at(
            at, f"{purge} s are not {lowest} to {highest:,} whole days", help=f"write {days}d"
        )
    if plan.slurm.accounting != "off":
        return
    for path, given in (
        (at, purge),
        (("slurm", "slurmdbd_settings"), plan.slurm.slurmdbd_settings),
    ):
        if given:
            yield NO_ACCOUNTING.at(
                path, f"{path[-1]} without accounting", help="write slurm.accounting: managed"
            )


def _idle(plan: Plan) -> Iterator[Finding]:
    lowest, highest = limits.IDLE_TIMEOUT_SECONDS
    given = plan.slurm.idle_timeout
    if not lowest <= given <= highest:
        near = "1m" if given < lowest else f"{highest}s"
        yield IDLE.at(("slurm", "idle_timeout"), f"an idle time of {given} s", help=f"write {near}")


def _gres(group: NodeGroup) -> Iterator[Finding]:
    for name, value in group.slurm.items():
        if name.lower() == "gres":
            yield GRES.at(
                group.at("slurm", name),
                f"Gres: {value} has no record in gres.conf",
                help="leave it out; for partitions of GPUs write mig",
                on_key=True,
            )


def _mig(plan: Plan, group: NodeGroup) -> Iterator[Finding]:
    if not group.mig:
        return
    version = settings.version(plan)
    sockets = any(name.lower() == "sockets" for name in group.slurm)
    detected = settings.since(version, limits.SOCKETS_DETECTED_SINCE)
    possible = settings.since(version, limits.AUTODETECT_SINCE)
    if not detected and not (possible and sockets):
        said = f"with Slurm {version}" + ("" if sockets or not possible else " and no Sockets")
        yield MIG.at(
            group.at("mig"),
            f"MIG {said}",
            help=f'write slurm.version: "{limits.SOCKETS_DETECTED_SINCE}"',
        )
    if not group.static:
        yield MIG_SCALING.at(
            group.at("mig"),
            f"{group.name} has MIG and {group.min} to {group.max} nodes",
            help=f"write count: {group.max}",
        )


def _health(group: NodeGroup) -> Iterator[Finding]:
    if "gpu" in group.health_checks and not lifecycle.accelerators(group)[1]:
        yield NO_ACCELERATOR.at(
            group.at("health_checks"),
            f"{group.type.name} has no accelerators",
            help="leave health_checks out",
        )
