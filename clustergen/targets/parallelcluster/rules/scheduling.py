"""Slurm: settings that ParallelCluster writes itself, queues, and idle time."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, safe, unsafe
from clustergen.plan.model import Plan, Queue
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.queues import (
    differing,
    idle_minutes,
    queue_owners,
    weight_of,
)
from clustergen.targets.parallelcluster.rules import rule, warning


@rule(
    "SLM106",
    "Groups of a queue differ in what ParallelCluster sets by queue",
    fixes="unsafe",
    why="In ParallelCluster the capacity type, image, root volume, scratch and scripts belong to a "
    "queue, not to a compute resource. A queue over different groups, or over some nodes of a "
    "group, works as a partition over other queues.",
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
    """One problem for each queue with groups that no queue owns, unless already reported."""
    named = set(queue_owners(plan).by_group)
    for queue in plan.queues:
        groups = [group.name for group in queue.node_groups if group.name not in named]
        if groups:
            named.update(groups)
            taken = {each.name for each in plan.queues}
            own = {group: f"{group}-all" if group in taken else group for group in groups}
            added = [f"{{name: {own[group]}, node_groups: [{group}]}}" for group in groups]
            yield Problem(
                queue.at("node_groups"),
                f"{_cause(plan, queue)}: each needs a queue of its own here",
                help=f"add to queues: {', '.join(added)}; {queue.name!r} then spans them",
                fix=unsafe(
                    *(
                        put(("queues", len(plan.queues) + n), {"name": own[g], "node_groups": [g]})
                        for n, g in enumerate(groups)
                    )
                )
                if queue.path[0] == "queues"
                else None,
            )


def _cause(plan: Plan, queue: Queue) -> str:
    if queue.nodes:
        return f"queue {queue.name!r} has only some nodes of its groups"
    if fields := differing(plan, queue):
        return f"the groups of queue {queue.name!r} differ in {' and '.join(fields)}"
    return f"the groups of queue {queue.name!r} are not all in other queues"


@warning(
    "SLM107",
    "Idle time is not a whole number of minutes",
    fixes="safe",
    why="ScaledownIdletime counts minutes; clustergen rounds the time up.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html",
    bad="slurm: {idle_timeout: 90s}",
    good="slurm: {idle_timeout: 2m}",
)
def idle_time(plan: Plan) -> Iterator[Problem]:
    seconds = plan.slurm.idle_timeout
    if seconds and seconds % 60:
        minutes = idle_minutes(seconds)
        yield Problem(
            ("slurm", "idle_timeout"),
            f"{seconds} seconds are rounded up to {minutes} min",
            help=f"write {minutes}m",
            fix=safe(put(("slurm", "idle_timeout"), f"{minutes}m")),
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
