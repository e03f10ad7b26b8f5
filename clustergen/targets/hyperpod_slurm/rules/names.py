"""Names that HyperPod uses."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.hyperpod import limits
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_slurm.limits import CONTROLLER, LOGIN
from clustergen.targets.hyperpod_slurm.rules import rule

_REFERENCE = f"{limits.GUIDE}sagemaker-hyperpod-ref.html"
_RESERVED = {CONTROLLER: "the head node", LOGIN: "the login nodes"}


@rule(
    "LIM350",
    "Name of the controller or login group",
    why="Head and login nodes become instance groups called controller and login.",
    source=_REFERENCE,
    bad="node_groups: [{name: controller, instance_type: c6i.8xlarge, count: 1}]",
    good="node_groups: [{name: cpu, instance_type: c6i.8xlarge, count: 1}]",
)
def reserved_group(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.name in _RESERVED:
            yield Problem(
                group.at("name"),
                f"{group.name} is the group of {_RESERVED[group.name]}",
                help=f"write {group.name}-nodes",
            )


@rule(
    "SLM351",
    "Queue called dev",
    why="HyperPod creates a partition dev that holds every node of the cluster.",
    source=_REFERENCE,
    bad="queues: [{name: dev, node_groups: [h200]}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
def reserved_queue(plan: Plan) -> Iterator[Problem]:
    for queue in plan.queues:
        if queue.name == limits.UNIVERSAL_PARTITION:
            yield Problem(
                queue.at("name"),
                f"HyperPod creates a partition {queue.name} itself",
                help="write debug, or another name",
            )
