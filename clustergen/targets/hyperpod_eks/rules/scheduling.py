"""Queues as quotas of HyperPod task governance."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe, unwanted
from clustergen.base.text_lists import words
from clustergen.plan.model import Plan, Queue
from clustergen.targets.hyperpod_eks import governance, limits
from clustergen.targets.hyperpod_eks import governance_limits as accepted
from clustergen.targets.hyperpod_eks.rules import NEW, note, rule, warning

_ELEVEN = ", ".join(
    f"{{name: q{number}, node_groups: [h200], priority: {number}}}" for number in range(11)
)
_SIZES = words("large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge")
_SIXTEEN = [f"{family}.{size}" for family in ("m5", "m6i") for size in _SIZES]
_GROUPS = ", ".join(
    f"{{name: g{number}, instance_type: {type}, count: 1}}" for number, type in enumerate(_SIXTEEN)
)
_NAMES = [f"g{number}" for number in range(len(_SIXTEEN))]


@warning(
    "K8S434",
    "Queues without task governance",
    why="Queues become quotas of HyperPod task governance, which Kueue enforces. Without Kueue "
    "there are no quotas.",
    source=limits.TASK_GOVERNANCE,
    bad=f"{NEW}\nkubernetes: {{admission: none}}\nqueues: [{{name: train, node_groups: [h200]}}]",
    good=f"{NEW}\nqueues: [{{name: train, node_groups: [h200]}}]",
)
def ungoverned(plan: Plan) -> Iterator[Problem]:
    if plan.options.creates_eks and plan.wrote("queues") and not governance.wanted(plan):
        yield Problem(
            ("queues",),
            "without Kueue nothing is created for queues",
            help="write kubernetes: {admission: kueue}, or remove the queues",
            fix=unsafe(put(("kubernetes", "admission"), "kueue")),
        )


@rule(
    "K8S421",
    "Too many priorities",
    why="The policy of a cluster has at most 10 priority classes; each queue with a priority is "
    "one.",
    source=accepted.SCHEDULER,
    bad=f"{NEW}\nqueues: [{_ELEVEN}]",
    good=f"{NEW}\nqueues: [{_ELEVEN.replace(', priority: 0', '')}]",
)
def priority_classes(plan: Plan) -> Iterator[Problem]:
    count = len(governance.weights(plan))
    if governance.wanted(plan) and count > accepted.MAX_CLASSES:
        yield Problem(
            ("queues",),
            f"{count} queues have a priority, but task governance takes {accepted.MAX_CLASSES}",
            help="remove priority where a queue comes last",
        )


@note(
    "K8S422",
    "Priorities beyond the weights of task governance",
    why="A weight is from 0 to 100; higher priorities are scaled down, so that their order stays.",
    source=accepted.SCHEDULER,
    bad=f"{NEW}\nqueues: [{{name: train, node_groups: [h200], priority: 1000}}]",
)
def scaled_priorities(plan: Plan) -> Iterator[Problem]:
    weights = governance.weights(plan)
    for queue in _governed(plan):
        if queue.priority is not None and queue.priority != weights[queue.name]:
            yield Problem(
                queue.at("priority"),
                f"priority {queue.priority} of {queue.name} becomes the weight "
                f"{weights[queue.name]}",
                help=f"write priorities from 0 to {accepted.MAX_WEIGHT} to choose the weights "
                "yourself",
                fix=unsafe(put(queue.at("priority"), weights[queue.name])),
            )


@rule(
    "K8S423",
    "Queue with too many instance types",
    why="A quota names at most 15 instance types or kinds of partitions.",
    source=accepted.QUOTA,
    bad=f"{NEW}\nnode_groups: [{_GROUPS}]\n"
    f"queues: [{{name: all, node_groups: [{', '.join(_NAMES)}]}}]",
    good=f"{NEW}\nnode_groups: [{_GROUPS}]\n"
    f"queues: [{{name: all, node_groups: [{', '.join(_NAMES[1:])}]}}]",
)
def quota_types(plan: Plan) -> Iterator[Problem]:
    owners = governance.owners(plan)
    for queue in _governed(plan):
        kinds = list(governance.resources(queue, owners))
        if len(kinds) > accepted.MAX_RESOURCES:
            yield Problem(
                queue.at("node_groups"),
                f"{queue.name} has {len(kinds)} instance types or partitions, but a quota has at "
                f"most {accepted.MAX_RESOURCES}",
                help="split it into two queues, each with some of the groups",
            )


@rule(
    "K8S424",
    "Partitions that a quota cannot count",
    why="Quotas support only some MIG profiles; jobs that ask for others would wait forever.",
    source=accepted.PARTITION,
    bad=f"{NEW}\nnode_groups: [{{name: h200, instance_type: p6-b300.48xlarge, "
    "mig: {1g.34gb: 7}}]",
)
def partitions(plan: Plan) -> Iterator[Problem]:
    for queue in _governed(plan):
        for group in queue.node_groups:
            for profile in sorted(set(group.mig) - accepted.PARTITIONS):
                yield Problem(
                    group.at("mig"),
                    f"a quota cannot count partitions of {profile}",
                    help="write kubernetes: {admission: none}, and install Kueue with quotas of "
                    "your own; or do not partition the GPUs",
                    fix=unsafe(put(("kubernetes", "admission"), "none")),
                )


_INSTEAD = {
    "time_limit": "write activeDeadlineSeconds, or runPolicy.activeDeadlineSeconds, in each job",
    "exclusive": "let pods request all accelerators of a node, as the tests in smoke/ do",
    "default": "each job names its queue: kueue.x-k8s.io/queue-name: hyperpod-ns-{}-localqueue",
}


@warning(
    "K8S425",
    "Queue setting that quotas do not have",
    why="A quota sets what a team may use and borrow, and how it shares; it does not limit single "
    "jobs.",
    source=limits.TASK_GOVERNANCE,
    bad=f"{NEW}\nqueues: [{{name: train, node_groups: [h200], time_limit: 7d}}]",
)
def job_settings(plan: Plan) -> Iterator[Problem]:
    for queue in _governed(plan):
        for field, instead in _INSTEAD.items():
            if plan.wrote(*queue.at(field)) and getattr(queue, field):
                yield unwanted(
                    queue.at(field),
                    f"{field} of {queue.name} has no effect: quotas have no such setting",
                    help=instead.format(queue.name),
                )


@warning(
    "K8S426",
    "Quota without nodes",
    why="The nodes of a group are divided among its queues. What a queue may borrow is a "
    "percentage of its own nodes, so that one without any never starts a job.",
    source=accepted.POLICIES,
    bad=f"{NEW}\nnode_groups: [{{name: h200, count: 1}}]\n"
    "queues: [{name: train, node_groups: [h200]}, {name: tune, node_groups: [h200]}]",
    good=f"{NEW}\nnode_groups: [{{name: h200, count: 2}}]\n"
    "queues: [{name: train, node_groups: [h200]}, {name: tune, node_groups: [h200]}]",
)
def without_nodes(plan: Plan) -> Iterator[Problem]:
    for queue, group in governance.without_share(plan) if _governed(plan) else ():
        yield Problem(
            queue.at("node_groups"),
            f"{queue.name} gets none of the nodes of {group.name}, which other queues share",
            help="remove the group from a queue, or give the group more nodes",
        )


@warning(
    "K8S427",
    "Quota of several instance types",
    why="Task governance counts instances by type, and HyperPod starts the types that it finds. "
    "A quota divides the nodes of a group among its types. Queues may borrow the others, but Kueue "
    "may also give a job a type of which there is no node, and the job then waits for one. That "
    "queues may borrow what is idle is IdleResourceSharing, which an older botocore does not know: "
    "a deployment then ends with `Unknown parameter`, and goes on there after an update.",
    source=accepted.QUOTA,
    bad=f"{NEW}\nnode_groups: [{{name: h200, instance_type: null, "
    "instance_types: [g6e.12xlarge, g6.12xlarge], count: 4}]\n"
    "queues: [{name: train, node_groups: [h200]}]",
    good=f"{NEW}\nnode_groups: [{{name: h200, instance_type: g6e.12xlarge, count: 2}}, "
    "{name: other, instance_type: g6.12xlarge, count: 2}]\n"
    "queues: [{name: train, node_groups: [h200, other]}]",
)
def mixed_quotas(plan: Plan) -> Iterator[Problem]:
    owners = governance.owners(plan)
    for queue, group in governance.mixed(plan):
        shares = governance.shares(queue, group, owners)
        counted = ", ".join(f"{count} {type.name}" for type, count in shares)
        yield Problem(
            group.at("instance_types"),
            f"the quota of {queue.name} counts {counted}, whatever nodes {group.name} gets",
            help="put each type into a group of its own, and these groups into the queue",
        )


def _governed(plan: Plan) -> tuple[Queue, ...]:
    """The queues that become quotas."""
    return plan.queues if governance.wanted(plan) else ()
