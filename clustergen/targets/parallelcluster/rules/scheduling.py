"""Slurm: settings that ParallelCluster writes itself, queues, and idle time."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, safe, unsafe
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.plan.sizes import kept_by_slurm
from clustergen.targets.parallelcluster import limits, queues
from clustergen.targets.parallelcluster.options import Options
from clustergen.targets.parallelcluster.rules import rule, warning


@rule(
    "SLM106",
    "Groups of a queue differ in what ParallelCluster sets by queue",
    why="In ParallelCluster the capacity type, image, root volume, scratch and scripts belong to a "
    "queue, not to a compute resource. A queue over different groups, or over some nodes of a "
    "group, works as a partition over other queues.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#Scheduling-v3-SlurmQueues",
    bad="""node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cheap, instance_type: g6e.12xlarge, count: {max: 4}, capacity: spot}
queues:
  - {name: all, node_groups: [h200, cheap]}""",
)
def without_owner(plan: Plan) -> Iterator[Problem]:
    """One problem for each queue with groups that no queue owns, unless already reported."""
    named = set(queues.queue_owners(plan).by_group)
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
    if fields := queues.differing(plan, queue):
        return f"the groups of queue {queue.name!r} differ in {' and '.join(fields)}"
    return f"the groups of queue {queue.name!r} are not all in other queues"


@warning(
    "SLM107",
    "Idle time is not a whole number of minutes",
    why="ScaledownIdletime counts minutes; clustergen rounds the time up.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html",
    bad="slurm: {idle_timeout: 90s}",
)
def idle_time(plan: Plan) -> Iterator[Problem]:
    seconds = plan.slurm.idle_timeout
    if seconds and seconds % 60:
        minutes = queues.idle_minutes(seconds)
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
        weight = queues.weight_of(group)
        if weight is not None and not (weight.isdecimal() and least <= int(weight) <= most):
            yield Problem(
                group.at("slurm"),
                f"the Weight of {group.name} is {weight}",
                help=f"write {least} to {most}",
            )


_KEPT = "node_groups: [{{name: h200, count: {{min: {}, max: 2}}, slurm: {{Weight: 5}}}}]"


@warning(
    "SLM113",
    "Weight that makes Slurm start nodes while others are idle",
    why="Weight is that of static nodes and of those that Slurm starts. Without it, they have 1 "
    "and 1000, so that jobs go to running nodes first.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html"
    "#yaml-Scheduling-SlurmQueues-ComputeResources-StaticNodePriority",
    bad=_KEPT.format(1),
    good=_KEPT.format(2),
)
def idle_nodes(plan: Plan) -> Iterator[Problem]:
    for queue in queues.queue_owners(plan).queues:
        weighed = [group for group in queue.node_groups if queues.weight_of(group)]
        if weighed and (message := queues.hasty(map(_weighed, queue.node_groups))):
            help = "remove Weight, or write a fixed count"
            yield Problem(weighed[0].at("slurm"), message, help=help)


def _weighed(group: NodeGroup) -> queues.Weighed:
    weight = queues.weight_of(group) or ""
    given = (int(weight),) * 2 if weight.isdecimal() else limits.DEFAULT_PRIORITIES
    return queues.Weighed(group.name, kept_by_slurm(group), group.max, *given)


_MEMORY = """node_groups:
  - {{name: h200, instance_type: null, instance_types: [c7i.8xlarge, {}], efa: false}}
targets: {{parallelcluster: {{memory_scheduling: true}}}}"""


@warning(
    "SLM114",
    "Memory that jobs cannot request",
    why="Slurm has one number for the memory of all nodes of a group: that of the type with the "
    "least.",
    source="pcluster.validators.instances_validators: InstancesMemorySchedulingWarningValidator",
    bad=_MEMORY.format("m7i.8xlarge"),
    good=_MEMORY.format("c6i.8xlarge"),
)
def memory(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups if plan.options_as(Options).memory_scheduling else ():
        least, most = (best(group.types, key=lambda type: type.memory_mib) for best in (min, max))
        spare = most.memory_mib - least.memory_mib
        if spare > max(limits.ALIKE_MEMORY_MIB, limits.ALIKE_MEMORY_SHARE * least.memory_mib):
            yield Problem(
                group.at("instance_types"),
                f"jobs of {group.name} get the {least.memory_gib:g} GiB of {least.name}, on "
                f"{most.name} too, which has {most.memory_gib:g}",
                help="give each type a group of its own, or remove memory_scheduling",
            )
