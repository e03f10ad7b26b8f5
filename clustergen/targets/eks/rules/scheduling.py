"""Queues: the software that admits jobs, and settings of queues."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe
from clustergen.plan.model import Plan, Queue
from clustergen.services.kubernetes import kueue, labels_and_taints
from clustergen.targets.eks.rules import note, rule, warning

_KUEUE = "https://kueue.sigs.k8s.io/docs/concepts/"
_MAX_TOLERATIONS = 8
"""Tolerations of a flavor: https://github.com/kubernetes-sigs/kueue (0.19.2)"""


def _taints(count: int) -> str:
    return ", ".join(f"{{key: taint-{number}}}" for number in range(count))


@warning(
    "K8S530",
    "Two schedulers that queue jobs",
    why="Volcano and KAI have their own queues and start the pods of a job together. Kueue "
    "beside them admits a job that they may still keep waiting, and counts it meanwhile.",
    source=f"{_KUEUE}all_or_nothing/",
    bad="kubernetes: {scheduler: volcano, admission: kueue}",
)
def two_schedulers(plan: Plan) -> Iterator[Problem]:
    scheduler = plan.kubernetes.scheduler
    if scheduler != "default" and kueue.is_on(plan):
        yield Problem(
            ("kubernetes", "scheduler"),
            f"both {scheduler} and Kueue hold jobs back",
            help="write admission: none, or scheduler: default",
            fix=unsafe(put(("kubernetes", "admission"), "none")),
        )


@warning(
    "K8S531",
    "Queues without a scheduler that supports them",
    why="Queues become objects of Kueue, Volcano or KAI; Kubernetes itself has none.",
    source=f"{_KUEUE}cluster_queue/",
    bad="kubernetes: {admission: none}\nqueues: [{name: train, node_groups: [h200]}]",
)
def no_queues(plan: Plan) -> Iterator[Problem]:
    kubernetes = plan.kubernetes
    if _queues(plan) and kubernetes.scheduler == "default" and kubernetes.admission == "none":
        yield Problem(
            ("queues",),
            "no scheduler of this cluster has queues",
            help="write admission: kueue",
            fix=unsafe(put(("kubernetes", "admission"), "kueue")),
        )


@warning(
    "K8S532",
    "Time limit of a queue",
    why="A queue of Kubernetes has no time limit; each job carries its own.",
    source="https://kueue.sigs.k8s.io/docs/concepts/workload/#maximum-execution-time",
    bad="queues: [{name: train, node_groups: [h200], time_limit: 7d}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
def time_limit(plan: Plan) -> Iterator[Problem]:
    label = "the label kueue.x-k8s.io/max-exec-time-seconds"
    limit = label if kueue.is_on(plan) else "activeDeadlineSeconds"
    for queue in _queues(plan):
        if queue.time_limit:
            yield Problem(
                queue.at("time_limit"),
                f"jobs of {queue.name} are not stopped after the time limit",
                help=f"give each job {limit}: {queue.time_limit}",
            )


@note(
    "K8S533",
    "Whole nodes for each job",
    why="A pod gets what it requests, and others may get the rest of its node.",
    source="https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
    bad="queues: [{name: train, node_groups: [h200], exclusive: true}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
def exclusive(plan: Plan) -> Iterator[Problem]:
    for queue in _queues(plan):
        if queue.exclusive:
            yield Problem(
                queue.at("exclusive"),
                f"jobs of {queue.name} get whole nodes only if they request all of a node",
                help="request every accelerator and EFA interface of a node, as the smoke job does",
            )


@note(
    "K8S537",
    "Kueue counts Neuron devices, not cores",
    why="Neuron's plugin offers the same chips as devices and as cores. Two quotas of them would "
    "promise each chip twice, so the quotas of the bundle are for devices.",
    source=f"{_KUEUE}cluster_queue/#resources",
    bad="node_groups: [{name: h200, instance_type: trn1.32xlarge}]",
    good="node_groups: [{name: h200, instance_type: p5en.48xlarge}]",
)
def neuron_cores(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups if kueue.is_on(plan) else ():
        if group.type.neuron_devices:
            yield Problem(
                group.at("instance_type"),
                "Kueue admits no job that requests aws.amazon.com/neuroncore",
                help="request aws.amazon.com/neuron in jobs, or write admission: none",
            )


@rule(
    "K8S538",
    "More taints than Kueue tolerates",
    why="A flavor of Kueue has at most 8 tolerations: one for each taint of the nodes, and the "
    "taint of accelerators is one of them.",
    source="https://kueue.sigs.k8s.io/docs/reference/kueue.v1beta2/#kueue-x-k8s-io-v1beta2-"
    "ResourceFlavorSpec",
    bad=f"node_groups: [{{name: h200, taints: [{_taints(8)}]}}]",
    good=f"node_groups: [{{name: h200, taints: [{_taints(7)}]}}]",
)
def tolerations(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups if kueue.is_on(plan) else ():
        count = len(labels_and_taints.taints(group))
        if count > _MAX_TOLERATIONS:
            yield Problem(
                group.at("taints"),
                f"nodes of {group.name} have {count} taints; Kueue tolerates {_MAX_TOLERATIONS}",
                help=f"remove {count - _MAX_TOLERATIONS}, or write admission: none",
                fix=unsafe(put(("kubernetes", "admission"), "none")),
            )


@note(
    "K8S534",
    "Jobs outside the queues",
    why="A job that names no queue does not wait in one: it starts at once, outside the quotas. A "
    "group in no queue has only such jobs.",
    source=f"{_KUEUE}local_queue/",
    bad="queues: [{name: train, node_groups: [h200], default: true}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
def outside_queues(plan: Plan) -> Iterator[Problem]:
    for queue in _queues(plan):
        if queue.default and plan.wrote(*queue.at("default")):
            label = f"the label kueue.x-k8s.io/queue-name: {queue.name}"
            yield Problem(
                queue.at("default"),
                f"jobs without a queue do not enter {queue.name}",
                help=f"give each job {label if kueue.is_on(plan) else 'its queue'}",
            )
    queued = {group.name for queue in plan.queues for group in queue.node_groups}
    for group in plan.node_groups if kueue.is_on(plan) else ():
        if group.name not in queued:
            yield Problem(
                group.at("name"),
                f"jobs on {group.name} do not wait in Kueue, and no quota counts them",
                help="name it in a queue",
            )


@note(
    "K8S544",
    "Queue with the name of the default namespace",
    why="Each queue has a namespace. In `default` are the objects of all who name no namespace, "
    "and they count toward the quota of the queue.",
    source="https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/",
    bad="queues: [{name: default, node_groups: [h200]}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
def default_namespace(plan: Plan) -> Iterator[Problem]:
    for queue in _queues(plan):
        if queue.name == "default":
            yield Problem(
                queue.at("name"),
                "the queue shares the namespace default with everything that names none",
                help="name it after its team or its purpose",
            )


def _queues(plan: Plan) -> tuple[Queue, ...]:
    return plan.queues if plan.wrote("queues") else ()
