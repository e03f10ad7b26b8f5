"""Queues: who holds jobs back until their nodes are free, and what a queue can ask for."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.kubernetes import names
from clustergen.plan.model import Plan, Queue

_KUEUE = "https://kueue.sigs.k8s.io/docs/concepts/"

TWO = Rule(
    code="K8S530",
    title="Two schedulers that hold jobs back",
    why="Volcano and KAI have queues of their own and start the pods of a job together. Kueue "
    "beside them admits a job that they may still keep waiting, and counts it meanwhile.",
    source=f"{_KUEUE}all_or_nothing/",
    severity=Severity.WARNING,
    target="eks",
    bad="kubernetes: {scheduler: volcano, admission: kueue}",
    good="kubernetes: {scheduler: volcano, admission: none}",
)
NO_QUEUES = Rule(
    code="K8S531",
    title="Queues that nothing reads",
    why="Queues become objects of Kueue, Volcano or KAI; Kubernetes by itself has none.",
    source=f"{_KUEUE}cluster_queue/",
    severity=Severity.WARNING,
    target="eks",
    bad="kubernetes: {admission: none}\nqueues: [{name: train, node_groups: [h200]}]",
    good="kubernetes: {admission: kueue}\nqueues: [{name: train, node_groups: [h200]}]",
)
TIME_LIMIT = Rule(
    code="K8S532",
    title="Time limit of a queue",
    why="A queue of Kubernetes has no limit of time; each job carries its own.",
    source="https://kueue.sigs.k8s.io/docs/concepts/workload/#maximum-execution-time",
    severity=Severity.WARNING,
    target="eks",
    bad="queues: [{name: train, node_groups: [h200], time_limit: 7d}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
EXCLUSIVE = Rule(
    code="K8S533",
    title="Whole nodes for a job",
    why="A pod gets what it asks for, and others may get the rest of its node.",
    source="https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
    severity=Severity.NOTE,
    target="eks",
    bad="queues: [{name: train, node_groups: [h200], exclusive: true}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
DEFAULT = Rule(
    code="K8S534",
    title="Default queue",
    why="A job that names no queue waits for none, and starts at once beside the quotas.",
    source=f"{_KUEUE}local_queue/",
    severity=Severity.NOTE,
    target="eks",
    bad="queues: [{name: train, node_groups: [h200], default: true}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
TAKEN = Rule(
    code="K8S535",
    title="Queue with a name that is taken",
    why="A queue has a namespace of its name, and objects; some names are Kubernetes' own, or of "
    "the software that is installed.",
    source="https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/",
    target="eks",
    bad="queues: [{name: kube-system, node_groups: [h200]}]",
    good="queues: [{name: system, node_groups: [h200]}]",
)
NAME = Rule(
    code="K8S536",
    title="Name that Kubernetes does not take",
    why="Names of objects and namespaces begin and end with a letter or digit.",
    source="https://kubernetes.io/docs/concepts/overview/working-with-objects/names/",
    target="eks",
    bad="queues: [{name: train-, node_groups: [h200]}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
RULES = (TWO, NO_QUEUES, TIME_LIMIT, EXCLUSIVE, DEFAULT, TAKEN, NAME)

# What the bundle makes namespaces for, and what EKS's add-ons do.
_NAMESPACES = frozenset(
    {
        *("nvidia", "gpu-operator", "kueue-system", "volcano-system", "kai-scheduler"),
        *("kubeflow-system", "mpi-operator", "monitoring", "amazon-cloudwatch", names.KAI_ROOT),
    }
)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    kubernetes = plan.kubernetes
    if kubernetes.scheduler != "default" and kubernetes.admission == "kueue":
        yield TWO.at(
            ("kubernetes", "scheduler"),
            f"both {kubernetes.scheduler} and Kueue hold jobs back",
            help="write admission: none, or scheduler: default",
        )
    yield from _names(plan)
    if not plan.wrote("queues"):
        return
    if kubernetes.scheduler == "default" and kubernetes.admission == "none":
        yield NO_QUEUES.at(
            ("queues",), "no scheduler of this cluster has queues", help="write admission: kueue"
        )
    for queue in plan.queues:
        yield from _queue(plan, queue)


def _names(plan: Plan) -> Iterator[Finding]:
    named = [(group.at("name"), group.name) for group in plan.node_groups]
    # A queue that the spec does not write has its group's name and place.
    named += [(q.at("name"), q.name) for q in plan.queues if q.path[0] == "queues"]
    for path, name in named:
        if name.endswith("-"):
            yield NAME.at(path, f"{name!r} ends with a hyphen", help=f"write {name.rstrip('-')}")
    for queue in plan.queues:
        if queue.name in _NAMESPACES or queue.name.startswith(("kube-", "system-")):
            yield TAKEN.at(
                queue.at("name"),
                f"{queue.name!r} is a name of Kubernetes or of what runs in the cluster",
                help=f"write {queue.name.removeprefix('kube-')}-jobs",
            )


def _queue(plan: Plan, queue: Queue) -> Iterator[Finding]:
    kueue = plan.kubernetes.admission == "kueue"
    if queue.time_limit:
        way = "the label kueue.x-k8s.io/max-exec-time-seconds" if kueue else "activeDeadlineSeconds"
        yield TIME_LIMIT.at(
            queue.at("time_limit"),
            f"nothing stops jobs of {queue.name} after their time",
            help=f"give each job {way}: {queue.time_limit}",
        )
    if queue.exclusive:
        yield EXCLUSIVE.at(
            queue.at("exclusive"),
            f"jobs of {queue.name} have nodes for themselves when they ask for all of a node",
            help="ask for every accelerator and EFA interface of a node, as the smoke job does",
        )
    if queue.default and plan.wrote(*queue.at("default")):
        label = f"the label kueue.x-k8s.io/queue-name: {queue.name}" if kueue else "its queue"
        yield DEFAULT.at(
            queue.at("default"),
            f"jobs that name no queue do not come into {queue.name}",
            help=f"give each job {label}",
        )
