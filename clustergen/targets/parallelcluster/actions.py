"""Custom actions: scripts of nodes, their location in S3, and read access.

clustergen's scripts run first, so that users and container tools exist when user scripts run.
ParallelCluster rejects updates that add or change scripts of head or login nodes, but runs their
``OnNodeUpdated``. So both always have the same hook at a fixed key, which each deployment
overwrites: it downloads and runs the scripts of the spec, again whenever they change. Keys of
scripts for compute nodes change with the content, so that a change replaces the queue's nodes.
https://docs.aws.amazon.com/parallelcluster/latest/ug/custom-bootstrap-actions-v3.html
"""

import functools
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from clustergen.base.shell import render
from clustergen.plan.lustre_clients import lustre_interfaces
from clustergen.plan.model import NodeGroup, Plan, Queue, Script
from clustergen.services.aws import references
from clustergen.services.aws.members import filled
from clustergen.services.aws.mounts import LOCAL_HOMES
from clustergen.services.nodes import node_scripts
from clustergen.services.nodes.node_scripts import NodeScript
from clustergen.services.slurm import accounts, collecting, imex, tables, timetable, users
from clustergen.targets.parallelcluster.limits import DEFAULT_SCRATCH
from clustergen.targets.parallelcluster.options import Options

Role = Literal["head", "login", "compute"]

LONG_LIVED: tuple[Role, ...] = ("head", "login")
"""Nodes that exist as long as the cluster and are not replaced by updates."""

BUCKET = "${ScriptsBucketName}"
SLURM_METRICS = "localhost:6820"
"""slurmctld of ParallelCluster listens there, not on Slurm's own default.
https://github.com/aws/aws-parallelcluster-cookbook/blob/develop/cookbooks/aws-parallelcluster-slurm/templates/default/slurm/slurm.conf.erb"""
VERIFIED = "verified.sh"
_HOOK = "hook.sh"
_LUSTRE = "lustre-efa.sh"
_PROLOG = "/opt/slurm/etc/scripts/prolog.d/91_clustergen_imex.sh"
"""The head node shares the folder with the others, and Slurm runs what is in it.
https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-prolog-epilog-v3.html"""
_LOG_AGENT_SECONDS = 20


def own_scripts(plan: Plan) -> tuple[NodeScript, ...]:
    """clustergen's scripts for nodes, in order, followed by the one that verifies checksums."""
    return (
        *([_script(_LUSTRE)] if _lustre_efa(plan, plan.node_groups) else []),
        *_setups(plan),
        *_monitoring(plan),
        *_head_setups(plan),
        *([_script(VERIFIED)] if any(script.sha256 for script in plan.software.scripts) else []),
        *([hook(plan)] if has_hook(plan) else []),
    )


# All queues and roles use hashes of the scripts.
@functools.lru_cache(maxsize=8)
def _setups(plan: Plan) -> tuple[NodeScript, ...]:
    made = []
    if users.wanted(plan):
        docker = plan.software.containers == "docker"
        made.append(NodeScript(users.NAME, users.script(docker=docker, linger=_LOG_AGENT_SECONDS)))
    if plan.software.containers != "none":
        made.append(_script("containers.sh"))
    return tuple(made)


@functools.lru_cache(maxsize=8)
def _monitoring(plan: Plan) -> tuple[NodeScript, ...]:
    """What measures head and compute nodes; jobs and Slurm do not run on login nodes."""
    if not collecting.wanted(plan):
        return ()
    return (NodeScript(collecting.NAME, collecting.script(plan, linger=_LOG_AGENT_SECONDS)),)


_script = functools.partial(
    node_scripts.rendered,
    "parallelcluster",
    linger=_LOG_AGENT_SECONDS,
    plugin="parallelcluster/parts/pyxis-plugin.sh.j2",
    plugin_argument="head|login|compute",
)


@functools.lru_cache(maxsize=8)
def _head_setups(plan: Plan) -> tuple[NodeScript, ...]:
    """Scripts for the head node only, where slurmctld and slurmdbd run."""
    made = []
    if accounts.needed(plan):
        made.append(NodeScript(accounts.NAME, accounts.script()))
    if imex.needed(plan):
        made.append(NodeScript(imex.NAME, imex.script(linger=_LOG_AGENT_SECONDS)))
    if timetable.wanted(plan):
        made.append(NodeScript(timetable.NAME, timetable.script(plan.name)))
    return tuple(made)


def _lustre_efa(plan: Plan, groups: Iterable[NodeGroup]) -> list[str]:
    """The arguments of the script for Lustre over EFA; none if nodes use TCP.

    A failing custom action would terminate the node. Lustre also works over TCP, so it never fails.
    """
    number = max(lustre_interfaces(plan, group) for group in groups)
    return [str(number), "0"] if number else []


def has_hook(plan: Plan) -> bool:
    """Whether head and login nodes run the hook rather than the user's scripts directly."""
    return not plan.options_as(Options).leaves_out("hook")


# The head node, the login pool and deploy.sh refer to it.
@functools.lru_cache(maxsize=8)
def hook(plan: Plan) -> NodeScript:
    """The only script that ParallelCluster runs on head and login nodes; it runs all others."""
    roles = {
        role: {
            "setups": [_words(plan, own, role) for own in _of(plan, role) if not _retried(own)],
            "retried": [_words(plan, own, role) for own in _of(plan, role) if _retried(own)],
            "start": _runs(plan, role, "start"),
            "configured": _runs(plan, role, "configured"),
            "updated": _runs(plan, role, "updated"),
        }
        for role in LONG_LIVED
    }
    text = render("parallelcluster/hook.sh.j2", roles=roles, linger=_LOG_AGENT_SECONDS)
    return NodeScript(_HOOK, text)


def current_key(plan: Plan) -> str:
    """The fixed key of the hook in S3, for head and login nodes of this cluster."""
    return f"clusters/{plan.name}/{_HOOK}"


def _of(plan: Plan, role: Role) -> tuple[NodeScript, ...]:
    of_head = (*_head_setups(plan), *_monitoring(plan)) if role == "head" else ()
    return (*_setups(plan), *of_head)


def _words(plan: Plan, own: NodeScript, role: Role) -> list[str]:
    return [own.key, own.checksum, *_arguments(plan, own, role)]


def _retried(own: NodeScript) -> bool:
    """Whether a timer of the script repeats what failed, and the node works without it."""
    return own.name == accounts.NAME


def _runs(plan: Plan, role: Role, when: str) -> list[list[str]]:
    """The user scripts for an event: URL, checksum or ``-``, arguments."""
    scripts = (script for script in plan.scripts_on(role) if script.when == when)
    return [[script.url, script.sha256 or "-", *script.args] for script in scripts]


def long_lived(plan: Plan, role: Role) -> dict[str, Any]:
    """``CustomActions`` of the head node or the login pool, independent of the spec.

    An update may change only ``OnNodeUpdated``, even if it adds the first user or script.
    """
    if not has_hook(plan):
        return _without_hook(plan, role)
    first, newest = current_key(plan), hook(plan).key
    return _sections(
        OnNodeStart=[_at(first, [role, "start", BUCKET])],
        OnNodeConfigured=[_at(first, [role, "configured", BUCKET])],
        OnNodeUpdated=[_at(newest, [role, "updated", BUCKET])],
    )


def _without_hook(plan: Plan, role: Role) -> dict[str, Any]:
    """The user's scripts as custom actions of their own, which updates cannot change."""
    scripts = plan.scripts_on(role)
    return _plain_sections(
        OnNodeStart=_users_own(scripts, "start"),
        OnNodeConfigured=_users_own(scripts, "configured"),
        OnNodeUpdated=_users_own(scripts, "updated"),
    )


def head_access(plan: Plan) -> list[dict[str, Any]]:
    """``Iam.S3Access`` of the head node: read access to our scripts and the user's."""
    if plan.options_as(Options).leaves_out("script-access"):
        return []
    urls = (script.url for script in plan.scripts_on("head"))
    return _access([f"s3://{BUCKET}/", *(url for url in urls if url.startswith("s3://"))])


def compute(plan: Plan, queue: Queue) -> dict[str, Any]:
    """``CustomActions`` of a queue that owns nodes, whose groups all run the same scripts."""
    scripts = plan.scripts_of(queue.node_groups[0])
    storage = _local_storage(queue)
    configured = [_at(own.key, _arguments(plan, own, "compute", storage)) for own in _setups(plan)]
    configured += [_at(own.key, _measured(plan, queue)) for own in _monitoring(plan)]
    lustre = _lustre_efa(plan, queue.node_groups)
    # Before the node's set-up, which mounts file systems.
    before = [_at(_script(_LUSTRE).key, lustre)] if lustre else []
    sections = _sections if has_hook(plan) else _plain_sections
    return sections(
        OnNodeStart=before + _users_own(scripts, "start"),
        OnNodeConfigured=configured + _users_own(scripts, "configured"),
    )


def _arguments(plan: Plan, script: NodeScript, role: Role, storage: str = "-") -> list[str]:
    """The arguments of a script. Nodes share home directories, which the head node creates.

    The hook knows the bucket, to which keys of tables belong.
    """
    if script.name == accounts.NAME:
        return ["install", tables.key(plan, accounts.TABLE)]
    if script.name == collecting.NAME:
        return _measured_head(plan)
    if script.name == imex.NAME:
        return ["install", _PROLOG]
    if script.name == timetable.NAME:
        return ["install", tables.key(plan, timetable.TABLE)]
    if script.name == users.NAME:
        key, long_lived = tables.key(plan, users.TABLE), role != "compute"
        place = key if long_lived else f"s3://{BUCKET}/{key}"
        return ["install", place, LOCAL_HOMES, "make" if role == "head" else "leave"]
    return [plan.software.containers, storage, role]


def workspace_key(plan: Plan) -> str:
    """Where the head node finds the id of a new workspace: its arguments cannot change."""
    return f"clusters/{plan.name}/{collecting.WORKSPACE_FILE}"


def _measured_head(plan: Plan) -> list[str]:
    head, found = plan.head, collecting.destination(plan)
    place = found if isinstance(found, str) else workspace_key(plan)
    options = collecting.machine_arguments(plan, "head", head) if head else []
    return [place, SLURM_METRICS, *options]


def _measured(plan: Plan, queue: Queue) -> list[str]:
    place = references.text(collecting.destination(plan))
    return [place, "-", *collecting.compute_arguments(plan, queue.node_groups)]


def _local_storage(queue: Queue) -> str:
    """The folder for large local files: NVMe scratch if all nodes have it."""
    types = (type for group in queue.node_groups for type in group.types)
    if all(type.disk_count for type in types):
        return queue.node_groups[0].scratch or DEFAULT_SCRATCH
    return "-"


def _sections(**actions: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: {"Sequence": sequence} for name, sequence in actions.items() if sequence}


def _plain_sections(**actions: list[dict[str, Any]]) -> dict[str, Any]:
    """Without our scripts: a single one is no sequence, as users of ParallelCluster write it."""
    return {
        name: sequence[0] if len(sequence) == 1 else {"Sequence": sequence}
        for name, sequence in actions.items()
        if sequence
    }


def _at(key: str, arguments: Sequence[str]) -> dict[str, Any]:
    return {"Script": f"s3://{BUCKET}/{key}", "Args": list(arguments)}


def _users_own(scripts: Sequence[Script], when: str) -> list[dict[str, Any]]:
    return [_action(script) for script in scripts if script.when == when]


def _action(script: Script) -> dict[str, Any]:
    if script.sha256:
        return _at(_script(VERIFIED).key, [script.url, script.sha256, *script.args])
    return filled(Script=script.url, Args=list(script.args))


def s3_access(plan: Plan, actions: dict[str, Any]) -> list[dict[str, Any]]:
    """``Iam.S3Access`` of a queue with ``actions``: read access to our scripts and the user's."""
    if plan.options_as(Options).leaves_out("script-access"):
        return []
    every = [each for event in actions.values() for each in event.get("Sequence") or [event]]
    return _access(url for action in every for url in _urls(action))


def _access(urls: Iterable[str]) -> list[dict[str, Any]]:
    objects = dict.fromkeys(_object(url) for url in urls)
    return [{"BucketName": bucket, "KeyName": key} for bucket, key in objects]


def _object(url: str) -> tuple[str, str]:
    """Bucket and key pattern. Keys with content hashes must not change roles."""
    bucket, _, key = url.removeprefix("s3://").partition("/")
    return (bucket, "*") if bucket == BUCKET else (bucket, key)


def _urls(action: dict[str, Any]) -> list[str]:
    """The URL of the script, and that of a script that the checksum script downloads."""
    urls = [action["Script"]]
    if action["Script"].endswith(f"/{VERIFIED}"):
        urls += action["Args"][:1]
    return [url for url in urls if url.startswith("s3://")]
