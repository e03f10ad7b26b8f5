"""Custom actions: which scripts run on which nodes, from where, and who may read them.

Scripts of ours come first, so that the user's find users and container tools in place. What an
update may change decides where they are read from. ParallelCluster rejects an update that changes
the scripts of head or login nodes, but runs their ``OnNodeUpdated``: these two read ours from a
place that each deployment overwrites, and run them again when the content changes. Compute nodes
read them under a key that changes with the content, so that a change replaces the queue's nodes.
https://docs.aws.amazon.com/parallelcluster/latest/ug/custom-bootstrap-actions-v3.html
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from clustergen.artifacts import Artifact
from clustergen.plan.lustre_clients import lustre_interfaces
from clustergen.plan.model import NodeGroup, Plan, Queue, Script, Software
from clustergen.shell import content_key, render
from clustergen.targets.parallelcluster.limits import DEFAULT_SCRATCH

Role = Literal["head", "login", "compute"]

BUCKET = "${ScriptsBucketName}"
_VERIFIED = "verified.sh"


@dataclass(frozen=True, slots=True)
class OwnScript:
    """A script of ours: its file name and text."""

    name: str
    text: str

    @property
    def key(self) -> str:
        """Where it is uploaded for compute nodes."""
        return content_key(self.name, self.text)

    def current_key(self, plan: Plan) -> str:
        """Where the head and login nodes of this cluster find what was deployed last."""
        return f"clusters/{plan.name}/{self.name}"

    @property
    def artifact(self) -> Artifact:
        return Artifact(f"scripts/{self.name}", self.text, executable=True)


def own_scripts(plan: Plan) -> tuple[OwnScript, ...]:
    """What clustergen itself runs on the nodes, in order; then the checker of checksums."""
    lustre = _lustre_efa(plan, plan.node_groups)
    return (*([lustre[0]] if lustre else []), *lasting_scripts(plan))


def lasting_scripts(plan: Plan) -> tuple[OwnScript, ...]:
    """Those that head and login nodes run too, which read them from one place for good."""
    return (*_setups(plan), *([_checker()] if _checked(plan.software) else []))


# Each queue and role names the scripts by their contents.
@functools.lru_cache(maxsize=8)
def _setups(plan: Plan) -> tuple[OwnScript, ...]:
    made = []
    if plan.users:
        made.append(OwnScript("users.sh", render("parallelcluster/users.sh.j2", users=plan.users)))
    if plan.software.containers != "none":
        name = f"{plan.software.containers}.sh"
        made.append(OwnScript(name, render(f"parallelcluster/{name}.j2")))
    return tuple(made)


def _lustre_efa(plan: Plan, groups: Iterable[NodeGroup]) -> tuple[OwnScript, list[str]] | None:
    """What lets nodes mount Lustre over EFA, and its arguments; None where they use TCP anyway.

    A failing custom action costs the node, and Lustre works over TCP too: it always ends well.
    """
    number = max(lustre_interfaces(plan, group) for group in groups)
    if not number:
        return None
    return _lustre_script(), [str(number), "0"]


@functools.cache
def _lustre_script() -> OwnScript:
    return OwnScript("lustre-efa.sh", render("shared/lustre-efa.sh.j2"))


@functools.cache
def _checker() -> OwnScript:
    return OwnScript(_VERIFIED, render(f"parallelcluster/{_VERIFIED}.j2"))


def _checked(software: Software) -> bool:
    return any(script.sha256 for script in software.scripts)


def head(plan: Plan) -> dict[str, Any]:
    """``CustomActions`` of the head node; empty when nothing runs there."""
    return _long_lived(plan, "head")


def login(plan: Plan) -> dict[str, Any]:
    """``CustomActions`` of the login pool."""
    return _long_lived(plan, "login")


def _long_lived(plan: Plan, role: Role) -> dict[str, Any]:
    scripts = plan.scripts_on(role)
    setups = _setups(plan)
    configured = [_at(own.current_key(plan), [role]) for own in setups]
    updated = [_at(own.key, [role]) for own in setups]
    checker = _checker().current_key(plan) if _checked(plan.software) else ""
    return _sections(
        OnNodeStart=_users_own(scripts, "start", checker),
        OnNodeConfigured=configured + _users_own(scripts, "configured", checker),
        OnNodeUpdated=updated,
    )


def compute(plan: Plan, queue: Queue) -> dict[str, Any]:
    """``CustomActions`` of a queue that owns its nodes, whose groups run the same scripts."""
    scripts = plan.scripts_of(queue.node_groups[0])
    arguments = ["compute", _local_storage(queue)]
    configured = [_at(own.key, arguments) for own in _setups(plan)]
    checker = _checker().key if _checked(plan.software) else ""
    lustre = _lustre_efa(plan, queue.node_groups)
    # Before the node is set up, for that mounts its file systems.
    before = [_at(lustre[0].key, lustre[1])] if lustre else []
    return _sections(
        OnNodeStart=before + _users_own(scripts, "start", checker),
        OnNodeConfigured=configured + _users_own(scripts, "configured", checker),
    )


def _local_storage(queue: Queue) -> str:
    """Where nodes keep large local files: the NVMe scratch where all of them have one."""
    types = (type for group in queue.node_groups for type in group.types)
    if all(type.disk_count for type in types):
        return queue.node_groups[0].scratch or DEFAULT_SCRATCH
    return "/var/lib"


def _sections(**actions: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: {"Sequence": sequence} for name, sequence in actions.items() if sequence}


def _at(key: str, arguments: Sequence[str]) -> dict[str, Any]:
    return {"Script": f"s3://{BUCKET}/{key}", "Args": list(arguments)}


def _users_own(scripts: Sequence[Script], when: str, checker: str) -> list[dict[str, Any]]:
    return [_action(script, checker) for script in scripts if script.when == when]


def _action(script: Script, checker: str) -> dict[str, Any]:
    if script.sha256:
        return _at(checker, [script.url, script.sha256, *script.args])
    if script.args:
        return {"Script": script.url, "Args": list(script.args)}
    return {"Script": script.url}


def s3_access(actions: dict[str, Any]) -> list[dict[str, Any]]:
    """``Iam.S3Access`` of a node that runs ``actions``: reading our scripts and the user's."""
    urls = (url for action in _all(actions) for url in _urls(action))
    objects = dict.fromkeys(_object(url) for url in urls)
    return [{"BucketName": bucket, "KeyName": key} for bucket, key in objects]


def _object(url: str) -> tuple[str, str]:
    """Bucket and key. Keys of ours change with the content, which must not change roles."""
    bucket, _, key = url.removeprefix("s3://").partition("/")
    return (bucket, "*") if bucket == BUCKET else (bucket, key)


def _all(actions: dict[str, Any]) -> list[dict[str, Any]]:
    return [action for event in actions.values() for action in event["Sequence"]]


def _urls(action: dict[str, Any]) -> list[str]:
    """The script, and the one that the checker fetches."""
    said = [action["Script"]]
    if action["Script"].endswith(f"/{_VERIFIED}"):
        said += action["Args"][:1]
    return [url for url in said if url.startswith("s3://")]
