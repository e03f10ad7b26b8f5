"""Queues, priorities, time limits and shares."""

from collections.abc import Iterator
from typing import Final

from clustergen.base.findings import Path, Problem
from clustergen.plan.model import Plan
from clustergen.plan.sizes import runs_multi_node
from clustergen.targets.batch import limits, names, nodes, queues
from clustergen.targets.batch.options import Options
from clustergen.targets.batch.rules import note, rule

_TWO = """node_groups:
  - {name: h200, count: 2}
  - {name: arm, instance_type: m7g.4xlarge, count: 2}
"""
_QUEUE_NAMES: Final[Path] = ("targets", "batch", "queue_names")


@rule(
    "SLM600",
    "Priority above the maximum of Batch",
    why="The priority of a queue is 0 to 1000. Its jobs start before those of queues with a lower "
    "one in the same compute environments.",
    source=limits.PRIORITY,
    bad="queues: [{name: train, node_groups: [h200], priority: 5000}]",
    good="queues: [{name: train, node_groups: [h200], priority: 1000}]",
)
def priority(plan: Plan) -> Iterator[Problem]:
    for queue in plan.queues:
        if queue.priority is not None and queue.priority > limits.MAX_PRIORITY:
            yield Problem(
                queue.at("priority"),
                f"a priority of {queue.priority}; Batch has 0 to {limits.MAX_PRIORITY}",
                help=f"write {limits.MAX_PRIORITY} or less",
            )


@rule(
    "SLM601",
    "Too many node groups in a queue",
    why="A job queue has at most three compute environments, and each node group is one.",
    source=limits.JOB_QUEUE,
    bad="""node_groups:
  - {name: a, instance_type: m7i.4xlarge, count: 1}
  - {name: b, instance_type: m7i.4xlarge, count: 1}
  - {name: c, instance_type: m7i.4xlarge, count: 1}
  - {name: d, instance_type: m7i.4xlarge, count: 1}
queues: [{name: cpu, node_groups: [a, b, c, d]}]""",
    good="""node_groups:
  - {name: a, instance_type: m7i.4xlarge, count: 1}
  - {name: b, instance_type: m7i.4xlarge, count: 1}
queues: [{name: cpu, node_groups: [a, b]}]""",
)
def environments(plan: Plan) -> Iterator[Problem]:
    most = limits.MAX_ENVIRONMENTS_OF_QUEUE
    for queue in plan.queues:
        if len(queue.node_groups) > most:
            yield Problem(
                queue.at("node_groups", most),
                f"{queue.name} has {len(queue.node_groups)} node groups; Batch has up to {most} in "
                "a queue",
                help="make two queues, or one node group with several instance_types",
            )


@rule(
    "SLM602",
    "Queue with two architectures",
    why="All compute environments of a job queue must have the same architecture.",
    source=f"{limits.USER_GUIDE}create-job-queue.html",
    bad=f"{_TWO}queues: [{{name: all, node_groups: [h200, arm]}}]",
    good=f"{_TWO}queues: [{{name: gpu, node_groups: [h200]}}, {{name: arm, node_groups: [arm]}}]",
)
def architectures(plan: Plan) -> Iterator[Problem]:
    for queue in plan.queues:
        if len({type.arch for group in queue.node_groups for type in group.types}) > 1:
            yield Problem(
                queue.at("node_groups"),
                f"{queue.name} has nodes of x86_64 and of arm64",
                help="make a queue for each architecture",
            )


@rule(
    "SLM603",
    "Time limit below a minute",
    why="A job of Batch times out after 60 seconds or more.",
    source="https://docs.aws.amazon.com/batch/latest/APIReference/API_JobTimeout.html",
    bad="queues: [{name: train, node_groups: [h200], time_limit: 30s}]",
    good="queues: [{name: train, node_groups: [h200], time_limit: 1d}]",
)
def short_time(plan: Plan) -> Iterator[Problem]:
    least = limits.MIN_TIMEOUT_SECONDS
    for queue in plan.queues:
        if queue.time_limit is not None and queue.time_limit < least:
            yield Problem(
                queue.at("time_limit"),
                f"jobs of {queue.name} would have {queue.time_limit} s; Batch has {least} or more",
                help="write 1m or more, or remove it for no limit",
            )


@note(
    "SLM604",
    "Time limit that submitters can change",
    why="Queues of Batch have no time limit: it is in each job definition, and SubmitJob can "
    "override it.",
    source=f"{limits.USER_GUIDE}job_timeouts.html",
    bad="queues: [{name: train, node_groups: [h200], time_limit: 1d}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
def unenforced(plan: Plan) -> Iterator[Problem]:
    limited = [queue for queue in plan.queues if queue.time_limit is not None]
    if limited:
        names = ", ".join(queue.name for queue in limited)
        yield Problem(
            limited[0].at("time_limit"),
            f"time limits ({names}) are in the job definitions only: Batch does not enforce them "
            "for other jobs of the queue",
            help="deny batch:SubmitJob with other definitions in IAM if they must hold",
        )


@note(
    "SLM605",
    "Second node group of a queue for multi-node jobs",
    why="A multi-node job names one instance type. If it has no capacity, Batch tries no other "
    "compute environment of the queue.",
    source=f"{limits.USER_GUIDE}job_stuck_in_runnable_capacity.html",
    bad="""node_groups: [{name: h200, count: 2}, {name: h100, instance_type: p5.48xlarge, count: 2}]
queues: [{name: train, node_groups: [h200, h100]}]""",
    good="queues: [{name: train, node_groups: [h200]}]",
)
def no_fallback(plan: Plan) -> Iterator[Problem]:
    for queue in plan.queues:
        several = [group for group in queue.node_groups if runs_multi_node(group)]
        if len(several) > 1:
            names = ", ".join(group.name for group in several)
            yield Problem(
                queue.at("node_groups"),
                f"multi-node jobs of {queue.name} wait for one of {names}: no other is tried",
                help="submit the definition of the group that has capacity",
            )


@note(
    "SLM606",
    "Whole nodes in a queue whose jobs have them anyway",
    why="The job definitions of nodes with EFA or accelerators ask for a whole node. Batch has no "
    "setting of a queue for it.",
    source=limits.MULTI_NODE,
    bad="queues: [{name: train, node_groups: [h200], exclusive: true}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
def exclusive(plan: Plan) -> Iterator[Problem]:
    for queue in plan.queues:
        if queue.exclusive and not any(nodes.shares_nodes(group) for group in queue.node_groups):
            yield Problem(
                queue.at("exclusive"),
                f"jobs of {queue.name} have whole nodes without this setting",
                help="remove it",
                unused=True,
            )


@note(
    "SLM607",
    "Accounts and qualities of service that Batch does not have",
    why="A fair-share policy of Batch is a flat list of shares. IAM decides who names which one, "
    "and a job has a priority within its share instead of a quality of service.",
    source=f"{limits.USER_GUIDE}fair-share-scheduling.html",
    bad="slurm: {accounts: [{name: vision}, {name: robots, parent: vision}]}",
    good="slurm: {accounts: [{name: vision}, {name: robots}]}",
)
def flat(plan: Plan) -> Iterator[Problem]:
    for account in plan.slurm.accounts:
        for field in ("parent", "users", "qos"):
            if getattr(account, field):
                yield Problem(
                    (*account.path, field),
                    f"{field} of the account {account.name} has no effect: Batch has only shares",
                    help="remove it",
                )
    for qos in plan.slurm.qos:
        yield Problem(
            qos.path,
            f"the quality of service {qos.name} has no effect: jobs have a priority instead",
            help="remove it, and use submit.sh --priority",
        )


@rule(
    "SLM608",
    "Account without a share of its own",
    why="Share identifiers have letters and digits only, so other characters of a name are left "
    "out.",
    source="https://docs.aws.amazon.com/batch/latest/APIReference/API_ShareAttributes.html",
    bad="slurm: {accounts: [{name: team-a}, {name: teama}]}",
    good="slurm: {accounts: [{name: team-a}, {name: team-b}]}",
)
def same_share(plan: Plan) -> Iterator[Problem]:
    taken: dict[str, str] = {}
    identifiers = queues.share_identifiers(plan)
    for account in plan.slurm.accounts:
        share = identifiers[account.name]
        if not share or share in taken:
            whose = f"that of {taken[share]}" if share else "empty"
            yield Problem(
                (*account.path, "name"),
                f"the share identifier of {account.name} is {whose}",
                help="write names that differ in their letters and digits",
            )
        taken.setdefault(share, account.name)


@note(
    "SLM609",
    "Jobs that an update of nodes ends",
    why="When an update replaces nodes, Batch lets their jobs go on for five days at most.",
    source="https://docs.aws.amazon.com/batch/latest/APIReference/API_UpdatePolicy.html",
    bad="queues: [{name: train, node_groups: [h200], time_limit: 7d}]",
    good="queues: [{name: train, node_groups: [h200], time_limit: 5d}]",
)
def ended_by_updates(plan: Plan) -> Iterator[Problem]:
    for queue in plan.queues:
        if queue.time_limit is not None and queue.time_limit > limits.UPDATE_MINUTES[1] * 60:
            yield Problem(
                queue.at("time_limit"),
                f"jobs of {queue.name} may be ended after 5d when an update replaces their nodes",
                help="write 5d or less, or deploy changes of nodes between jobs",
            )


@rule(
    "SLM610",
    "Unknown queue in queue_names",
    why="A name in Batch belongs to one queue of the spec.",
    source="clustergen",
    bad="targets: {batch: {queue_names: {tarin: Training}}}",
    good="queues: [{name: train, node_groups: [h200]}]\n"
    "targets: {batch: {queue_names: {train: Training}}}",
)
def named_queue(plan: Plan) -> Iterator[Problem]:
    known = [queue.name for queue in plan.queues]
    for name in (each for each in plan.options_as(Options).queue_names if each not in known):
        yield Problem(
            (*_QUEUE_NAMES, name),
            f"no queue is called {name}",
            help=f"write one of {', '.join(known)}",
            on_key=True,
        )


@rule(
    "SLM611",
    "Two queues with one name in Batch",
    why="The names of job queues are unique in an account and region.",
    source=limits.JOB_QUEUE,
    bad="queues: [{name: a, node_groups: [h200]}, {name: b, node_groups: [h200]}]\n"
    "targets: {batch: {queue_names: {a: Training, b: Training}}}",
    good="queues: [{name: a, node_groups: [h200]}, {name: b, node_groups: [h200]}]\n"
    "targets: {batch: {queue_names: {a: Training, b: Preparing}}}",
)
def same_name(plan: Plan) -> Iterator[Problem]:
    taken: dict[str, str] = {}
    named = plan.options_as(Options).queue_names
    for queue in plan.queues:
        name = names.queue(plan, queue)
        if name in taken:
            path = (*_QUEUE_NAMES, queue.name) if queue.name in named else queue.at("name")
            message = f"queue {taken[name]!r} has the name {name} already"
            yield Problem(path, message, help="write another name")
        taken.setdefault(name, queue.name)
