"""Names that HyperPod uses."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem, Severity, put, unsafe
from clustergen.hyperpod import limits
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.rules import rule

_REFERENCE = f"{limits.GUIDE}sagemaker-hyperpod-ref.html"


@rule(
    "SLM351",
    "Queue called dev",
    fixes="unsafe",
    why="HyperPod creates a partition dev that holds every node of the cluster. In mode: legacy, "
    "dev is a name like any other.",
    source=_REFERENCE,
    severity=Severity.WARNING,
    bad="queues: [{name: dev, node_groups: [h200]}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
def reserved_queue(plan: Plan) -> Iterator[Problem]:
    for queue in () if modes.mode(plan) == "legacy" else plan.queues:
        if queue.name == limits.UNIVERSAL_PARTITION:
            yield Problem(
                queue.at("name"),
                f"HyperPod creates a partition {queue.name} of all nodes, without your limits",
                help="write debug, or another name",
                fix=unsafe(put(queue.at("name"), "debug")),
            )
