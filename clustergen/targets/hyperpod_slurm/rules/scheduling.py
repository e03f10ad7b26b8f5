"""Queues, settings of Slurm, and the orchestrator."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe, unwanted
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import limits
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.rules import rule

_REFERENCE = f"{limits.GUIDE}sagemaker-hyperpod-ref.html"


@rule(
    "SLM350",
    "Node group without a partition",
    why="HyperPod rejects an instance group of Slurm compute nodes that names no partition.",
    source=_REFERENCE,
    bad="""node_groups: [{name: h200}, {name: cpu, instance_type: c6i.8xlarge, count: 1}]
queues: [{name: train, node_groups: [h200]}]""",
)
def partition(plan: Plan) -> Iterator[Problem]:
    queued = {group.name for queue in plan.queues for group in queue.node_groups}
    for group in plan.node_groups:
        if group.name not in queued:
            yield Problem(
                group.at("name"),
                f"{group.name} is in no queue",
                help=f"add to queues: {{name: {group.name}, node_groups: [{group.name}]}}",
                fix=unsafe(
                    put(
                        ("queues", len(plan.queues)),
                        {"name": group.name, "node_groups": [group.name]},
                    )
                ),
            )


@rule(
    "SLM362",
    "Overlay that adds an orchestrator to mode: legacy",
    why="HyperPod rejects a request that names Slurm as its orchestrator, or the role of a group, "
    "while the scripts come with provisioning_parameters.json.",
    source=modes.MIGRATION,
    bad="targets: {hyperpod-slurm: {mode: legacy, overlay: {Orchestrator: {Slurm: {}}}}}",
    good="targets: {hyperpod-slurm: {mode: customer-managed}}",
)
def orchestrator(plan: Plan) -> Iterator[Problem]:
    if modes.mode(plan) == "legacy" and "Orchestrator" in plan.overlay:
        yield unwanted(
            ("targets", "hyperpod-slurm", "overlay", "Orchestrator"),
            "mode: legacy has no orchestrator in its request",
            help="remove it, or write mode: customer-managed",
            on_key=True,
        )
