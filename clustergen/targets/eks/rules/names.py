"""Names of groups and queues, which become those of objects and namespaces."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.kubernetes import names
from clustergen.plan.model import Plan
from clustergen.targets.eks.rules import rule

# What the bundle makes namespaces for, and what EKS's add-ons do.
_NAMESPACES = frozenset(
    {
        *("nvidia", "gpu-operator", "kueue-system", "volcano-system", "kai-scheduler"),
        *("kubeflow-system", "mpi-operator", "monitoring", "amazon-cloudwatch", names.KAI_ROOT),
    }
)


@rule(
    "K8S535",
    "Reserved queue name",
    why="A queue has a namespace of its name, and objects; some names belong to Kubernetes, or to "
    "the software that is installed.",
    source="https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/",
    bad="queues: [{name: kube-system, node_groups: [h200]}]",
    good="queues: [{name: system, node_groups: [h200]}]",
)
def taken(plan: Plan) -> Iterator[Problem]:
    for queue in plan.queues:
        if queue.name in _NAMESPACES or queue.name.startswith(("kube-", "system-")):
            yield Problem(
                queue.at("name"),
                f"{queue.name!r} is a name of Kubernetes or of software in the cluster",
                help=f"write {queue.name.removeprefix('kube-')}-jobs",
            )


@rule(
    "K8S536",
    "Name that Kubernetes does not take",
    why="Names of objects and namespaces begin and end with a letter or digit.",
    source="https://kubernetes.io/docs/concepts/overview/working-with-objects/names/",
    bad="queues: [{name: train-, node_groups: [h200]}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
def trailing_hyphen(plan: Plan) -> Iterator[Problem]:
    named = [(group.at("name"), group.name) for group in plan.node_groups]
    # A queue that the spec does not write has its group's name and place.
    named += [(q.at("name"), q.name) for q in plan.queues if q.path[0] == "queues"]
    for path, name in named:
        if name.endswith("-"):
            yield Problem(path, f"{name!r} ends with a hyphen", help=f"write {name.rstrip('-')}")
