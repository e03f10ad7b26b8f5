"""Slurm: settings that ParallelCluster writes itself, queues, and idle time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from clustergen.findings import Path, Problem, Severity
from clustergen.plan.model import Database, Plan
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.queue_owners import differing, queue_owners
from clustergen.targets.parallelcluster.rules import rule
from clustergen.targets.parallelcluster.scheduling import idle_minutes, weight_of

_SETTINGS = (
    "https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-configuration-settings-v3.html"
)

_LINES = frozenset({"nodename", "nodeset", "partitionname", "downnodes", "include"})
_FIELD_OF_SETTING = {"maxtime": "time_limit", "prioritytier": "priority", "default": "default"}
_INSTEAD = {
    "oversubscribe": "write exclusive: true on the queue",
    "suspendtime": "write slurm.idle_timeout",
    "gres": "remove it: GPUs are counted for you",
    "cpus": "remove it; threads_per_core: 1 disables SMT",
    "prolog": "let a boot script of the head node add to /opt/slurm/etc/scripts/prolog.d",
    "epilog": "let a boot script of the head node add to /opt/slurm/etc/scripts/epilog.d",
}
"""What replaces a setting that ParallelCluster writes itself, by lower-case name."""


@rule(
    "SLM102",
    "A slurm.conf setting that ParallelCluster writes itself",
    why="ParallelCluster sets the key itself, and rejects a configuration that sets it too.",
    source=_SETTINGS,
    bad="slurm: {settings: {Prolog: /opt/prolog.sh}}",
    good="slurm: {settings: {PrologFlags: Alloc}}",
)
def denied_setting(plan: Plan) -> Iterator[Problem]:
    database = isinstance(plan.slurm.accounting, Database)
    keys = limits.DENIED_SETTINGS | (limits.DENIED_WITH_DATABASE if database else frozenset())
    yield from _denied(("slurm", "settings"), plan.slurm.settings, keys)


@rule(
    "SLM103",
    "A queue setting that ParallelCluster writes itself",
    why="It writes the partition's line itself, and rejects these keys in CustomSlurmSettings.",
    source=_SETTINGS,
    bad="queues: [{name: train, node_groups: [h200], slurm: {OverSubscribe: EXCLUSIVE}}]",
    good="queues: [{name: train, node_groups: [h200], exclusive: true}]",
)
def denied_queue_setting(plan: Plan) -> Iterator[Problem]:
    for queue in plan.queues:
        yield from _denied(queue.at("slurm"), queue.slurm, limits.DENIED_QUEUE_SETTINGS)


@rule(
    "SLM104",
    "A node setting that ParallelCluster writes itself",
    why="It writes the nodes' line itself, and rejects these keys in CustomSlurmSettings.",
    source=_SETTINGS,
    bad='node_groups: [{name: h200, slurm: {Gres: "gpu:8"}}]',
    good="node_groups: [{name: h200, slurm: {MemSpecLimit: 4096}}]",
)
def denied_node_setting(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        yield from _denied(group.at("slurm"), group.slurm, limits.DENIED_NODE_SETTINGS)


@rule(
    "SLM105",
    "Setting that is a separate line of slurm.conf",
    why="Nodes, sets of nodes and partitions are whole lines of slurm.conf, not one key of it.",
    source=_SETTINGS,
    bad="slurm: {settings: {PartitionName: all}}",
    good="queues: [{name: all, node_groups: [h200]}]",
)
def lines(plan: Plan) -> Iterator[Problem]:
    for key in plan.slurm.settings:
        if key.lower() in _LINES:
            yield Problem(
                ("slurm", "settings", key),
                f"{key} begins a line of slurm.conf",
                help="describe partitions as queues; other lines go into the overlay",
                on_key=True,
            )


@rule(
    "SLM106",
    "Groups of a queue differ in what ParallelCluster sets by queue",
    why="In ParallelCluster the capacity type, image, root volume, scratch and scripts belong to a "
    "queue, not to a compute resource. A queue over different groups works as a partition over "
    "other queues.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#Scheduling-v3-SlurmQueues",
    bad="""node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cheap, instance_type: g6e.12xlarge, count: {max: 4}, capacity: spot}
queues:
  - {name: all, node_groups: [h200, cheap]}""",
    good="""node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cheap, instance_type: g6e.12xlarge, count: {max: 4}, capacity: spot}
queues:
  - {name: all, node_groups: [h200, cheap]}
  - {name: train, node_groups: [h200]}
  - {name: tune, node_groups: [cheap]}""",
)
def without_owner(plan: Plan) -> Iterator[Problem]:
    """One problem for each queue with groups that no queue owns and no other problem names."""
    named = set(queue_owners(plan).by_group)
    for queue in plan.queues:
        groups = [group.name for group in queue.node_groups if group.name not in named]
        if groups:
            named.update(groups)
            fields = differing(plan, queue)
            cause = f"differ in {' and '.join(fields)}" if fields else "are not all in other queues"
            own = ", ".join(f"{{name: {name}, node_groups: [{name}]}}" for name in groups)
            yield Problem(
                queue.at("node_groups"),
                f"the groups of queue {queue.name!r} {cause}: each needs a queue of its own here",
                help=f"add to queues: {own}; {queue.name!r} then spans them",
            )


@rule(
    "SLM107",
    "Idle time is not a whole number of minutes",
    why="ScaledownIdletime counts minutes; clustergen rounds the time up.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html",
    severity=Severity.WARNING,
    bad="slurm: {idle_timeout: 90s}",
    good="slurm: {idle_timeout: 2m}",
)
def idle_time(plan: Plan) -> Iterator[Problem]:
    seconds = plan.slurm.idle_timeout
    if seconds % 60:
        minutes = idle_minutes(seconds)
        yield Problem(
            ("slurm", "idle_timeout"),
            f"{seconds} seconds are rounded up to {minutes} min",
            help=f"write {minutes}m",
        )


@rule(
    "SLM108",
    "A queue setting written twice",
    why="The field of the spec and the Slurm key are one setting: only one of the values can hold.",
    source="https://slurm.schedmd.com/slurm.conf.html#SECTION_PARTITION-CONFIGURATION",
    bad="""queues:
  - {name: train, node_groups: [h200], time_limit: 7d, slurm: {MaxTime: 1-00:00:00}}""",
    good="queues: [{name: train, node_groups: [h200], time_limit: 7d}]",
)
def written_twice(plan: Plan) -> Iterator[Problem]:
    for queue in plan.queues:
        written = {
            "time_limit": queue.time_limit is not None,
            "priority": queue.priority is not None,
            "default": True,
        }
        for key in queue.slurm:
            field = _FIELD_OF_SETTING.get(key.lower())
            if field and written[field]:
                yield Problem(
                    queue.at("slurm", key),
                    f"{key} and `{field}` of the queue are the same setting",
                    help=f"keep `{field}`, remove {key}",
                    on_key=True,
                )


@rule(
    "SLM112",
    "Weight out of range",
    why="Weight becomes StaticNodePriority and DynamicNodePriority, whole numbers from 1 on.",
    source="pcluster.schemas.cluster_schema: SlurmComputeResourceSchema",
    bad="node_groups: [{name: h200, slurm: {Weight: 0}}]",
    good="node_groups: [{name: h200, slurm: {Weight: 1}}]",
)
def weight(plan: Plan) -> Iterator[Problem]:
    least, most = limits.NODE_PRIORITY
    for group in plan.node_groups:
        weight = weight_of(group)
        if weight is not None and not (weight.isdecimal() and least <= int(weight) <= most):
            yield Problem(
                group.at("slurm"),
                f"the Weight of {group.name} is {weight}",
                help=f"write {least} to {most}",
            )


def _denied(at: Path, settings: Mapping[str, str], denied: Collection[str]) -> Iterator[Problem]:
    for key in settings:
        if key.lower() in denied:
            yield Problem(
                (*at, key),
                f"ParallelCluster sets {key} itself",
                help=_INSTEAD.get(key.lower(), "remove it"),
                on_key=True,
            )
