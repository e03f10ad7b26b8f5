"""What needs continuous provisioning."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.base.findings import Problem, unwanted
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import limits
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.rules import MODE, rule

_MINIMUM = """node_groups: [{name: h200, count: {min: 2, max: 4}}]
targets: {hyperpod-slurm: {provisioning: %s}}"""


@rule(
    "CAP350",
    "Something that needs continuous provisioning",
    fixes="unsafe",
    why="With all nodes at once, a group has one instance type and a fixed number of nodes, and "
    "HyperPod does not connect Slurm to a database of yours.",
    source=limits.INSTANCE_GROUP,
    bad=_MINIMUM % "all-at-once",
    good=_MINIMUM % "continuous",
)
def continuous(plan: Plan) -> Iterator[Problem]:
    if modes.continuous(plan) or not (needs := dict.fromkeys(_needs(plan))):
        return
    text = f"the nodes come all at once, but the spec has {', '.join(needs)}"
    if modes.options(plan).mode == "legacy":
        yield unwanted(MODE, text, help="write mode: customer-managed")
    else:
        yield unwanted(modes.PROVISIONING, text, help="remove provisioning")


def _needs(plan: Plan) -> Iterator[str]:
    for group in plan.node_groups:
        if len(group.types) > 1:
            yield "several instance types"
        if 0 < group.min < group.max:
            yield "a minimum of nodes"
    if modes.connects_database(plan):
        yield "an external database"


@rule(
    "SLM355",
    "Continuous provisioning with mode: legacy",
    fixes="unsafe",
    why="Continuous provisioning needs the role of each group in the API request; mode: legacy "
    "keeps it in provisioning_parameters.json.",
    source=limits.SLURM_CONTINUOUS,
    bad="targets: {hyperpod-slurm: {mode: legacy, provisioning: continuous}}",
    good="targets: {hyperpod-slurm: {mode: legacy, provisioning: all-at-once}}",
)
def legacy(plan: Plan) -> Iterator[Problem]:
    if modes.options(plan).mode == "legacy" and modes.continuous(plan):
        yield unwanted(
            modes.PROVISIONING,
            "mode: legacy provisions all nodes at once",
            help="remove provisioning, or write mode: customer-managed",
        )
