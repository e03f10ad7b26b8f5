"""In which order to make a change."""

from collections.abc import Iterable, Iterator, Sequence

from clustergen.analysis.diff.running import FOUNDATION, Facts
from clustergen.bundle.effects import Effect, Kind
from clustergen.deployment import resource_types

_SLURM = "scontrol update nodename=NODES state=drain reason=update"
_KUBERNETES = "kubectl drain NODE --ignore-daemonsets --delete-emptydir-data"
_OF_CLUSTER = "SharedStorage["
"""Storage that ParallelCluster created, and deletes."""
_METRICS = "::Workspace"
_LOGS = "::LogGroup"
_EXPIRING = "RetentionInDays", "RetentionDays", "BackupPolicy.Status"
_WITH_JOBS = ("NodeGroup", "::Nodegroup", "::ComputeEnvironment", "Queue", "NodePool")
_NOT_PLAIN = {"refused", "data-at-risk", "needs-stop", "ends-sessions", "removes-nodes", "leftover"}
_GRACE = (
    "deploy targets.parallelcluster.login_pool.grace_time: 3 alone, if it is longer: an update "
    "that waits for login nodes fails (https://github.com/aws/aws-parallelcluster/issues/7172)"
)
DRAIN = {
    "parallelcluster": _SLURM,
    "pcs": _SLURM,
    "hyperpod-slurm": _SLURM,
    "hyperpod-eks": _KUBERNETES,
    "eks": _KUBERNETES,
    "batch": "aws batch update-job-queue --state DISABLED --job-queue NAME",
}


def steps(target: str, effects: Sequence[Effect], running: Facts) -> Iterator[str]:
    """What to do, beginning with what must not be forgotten; nothing if a plain deployment does.

    First what is rejected, then data, then growth, and removals last: the foundation is deployed
    before the cluster, and a rejected cluster leaves a changed foundation.
    """
    kinds = {effect.kind for effect in effects}
    guarded = [effect for effect in effects if _needs_consent(effect, running)]
    drained = any(_ends_jobs(effect) for effect in effects)
    if not guarded and not drained and not kinds & _NOT_PLAIN:
        return
    yield from _before(kinds, effects)
    if "ends-sessions" in kinds:
        yield "ask those who are logged in to log out: their sessions end"
    yield from _stops(target, effects, running)
    if drained:
        yield f"drain the nodes that go, and wait for their jobs: {DRAIN[target]}"
    for command in dict.fromkeys(running.ids(effect) for effect in effects if effect.stays):
        if command:
            yield f"write down the id of what stays, as no stack shows it later: {command}"
    yield _deploy(guarded)
    yield from _after(target, effects, running)


def _deploy(guarded: Sequence[Effect]) -> str:
    """The step, and before what deploy.sh stops."""
    nodes = _subjects(each for each in guarded if each.kind == "replaces-nodes")
    others = _subjects(each for each in guarded if each.kind != "replaces-nodes")
    stops = [f"replaces or deletes {others}"] if others else []
    stops += [f"replaces nodes of {nodes} that run"] if nodes else []
    if not stops:
        return "deploy: ./deploy.sh"
    return (
        f"deploy: ./deploy.sh, which stops before it {', or '.join(stops)}, and says which option "
        "continues"
    )


def _subjects(effects: Iterable[Effect]) -> str:
    return ", ".join(dict.fromkeys(each.subject for each in effects))


def _ends_jobs(effect: Effect) -> bool:
    """Whether nodes or queues go while their jobs run."""
    replaced = effect.kind == "replaces-resource" and effect.type.endswith(_WITH_JOBS)
    return replaced or effect.kind == "removes-nodes"


def _needs_consent(effect: Effect, running: Facts) -> bool:
    """Whether deploy.sh stops before it replaces or deletes something, or nodes of a group."""
    leaves = effect.file == FOUNDATION and effect.ends == "deleted"
    asked = resource_types.is_asked(effect.type, leaves_foundation=leaves) and running.deploys(
        effect.file
    )
    return bool(effect.ends) and (asked or effect.subject.startswith(_OF_CLUSTER))


def _before(kinds: set[Kind], effects: Sequence[Effect]) -> Iterator[str]:
    if "refused" in kinds:
        names = _subjects(each for each in effects if each.kind == "refused")
        yield (
            f"take out what is refused ({names}), and deploy nothing before: the foundation would "
            "change, and the cluster would not"
        )
    if "data-at-risk" not in kinds:
        return
    lost = [effect for effect in effects if effect.kind == "data-at-risk"]
    if any(effect.loses for effect in lost):
        yield "set on_delete: retain, and deploy that alone: only the deployed policy protects data"
    if any(effect.cause.endswith(_EXPIRING) or effect.type.endswith(_LOGS) for effect in lost):
        yield "export the events, and copy the backups, that you need before they are deleted"
    # What stays as it is, or is no file system, needs no copy.
    kept = (e.type.endswith((_METRICS, _LOGS)) or e.cause.endswith(_EXPIRING) for e in lost)
    if not all(kept):
        yield (
            "copy the data first: add the new file system at another mount, copy, and take the old "
            "one out in a later deployment; or keep the old one with storage[].existing"
        )
    if any(effect.type.endswith(_METRICS) for effect in lost):
        yield "save what you need of the recorded metrics: dashboards no longer show them"


def _stops(target: str, effects: Sequence[Effect], running: Facts) -> Iterator[str]:
    stopped = _stopped(effects)
    if target == "eks":
        # deploy.sh changes no cluster that is paused.
        for subject in stopped:
            command = running.sized(running.group(subject), "minSize=0,desiredSize=0")
            yield f"scale {subject} to 0 nodes, when their jobs have ended: {command}"
        return
    if target != "parallelcluster":
        return
    stops_login = bool({"login nodes", "all nodes"} & {*stopped})
    if stops_login or any(each.kind == "ends-sessions" for each in effects):
        yield _GRACE
    if stops_login:
        yield "deploy login.count: 0 alone; its users are logged out"
    if {"compute nodes", "all nodes"} & {*stopped}:
        yield "stop compute nodes, when their jobs have ended: ./deploy.sh --pause"


def _stopped(effects: Sequence[Effect]) -> list[str]:
    return list(dict.fromkeys(each.subject for each in effects if each.kind == "needs-stop"))


def _after(target: str, effects: Sequence[Effect], running: Facts) -> Iterator[str]:
    stopped = _stopped(effects)
    if target == "eks":
        for subject in stopped:
            group = running.group(subject)
            command = running.sized(group, f"desiredSize={group.most}")
            yield f"request the nodes of {subject} again: {command}"
    elif target == "parallelcluster" and {"compute nodes", "all nodes"} & {*stopped}:
        yield "start compute nodes: ./deploy.sh --resume"
    kept = {effect.stays: running.deletion(effect) for effect in effects if effect.stays}
    if kept:
        named = (f"{name} ({command})" if command else name for name, command in kept.items())
        yield f"delete what you no longer need, as it costs money: {', '.join(named)}"
