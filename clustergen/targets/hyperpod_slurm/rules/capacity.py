"""Continuous provisioning."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe, unwanted
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import limits
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.rules import rule


@rule(
    "CAP350",
    "Several instance types without continuous provisioning",
    fixes="unsafe",
    why="HyperPod chooses among instance types only with continuous provisioning.",
    source=limits.INSTANCE_GROUP,
    bad="""node_groups:
  - {name: h200, instance_type: null, instance_types: [g6e.12xlarge, g6.12xlarge], count: 2}
targets: {hyperpod-slurm: {provisioning: all-at-once}}""",
    good="""node_groups:
  - {name: h200, instance_type: null, instance_types: [g6e.12xlarge, g6.12xlarge], count: 2}
targets: {hyperpod-slurm: {provisioning: continuous}}""",
)
def several_types(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if len(group.types) > 1 and not modes.continuous(plan):
            yield Problem(
                group.at("instance_types"),
                f"{group.name} has {len(group.types)} types",
                help="write provisioning: continuous, or one group for each type",
                fix=unsafe(put(modes.PROVISIONING, "continuous")),
            )


@rule(
    "CAP351",
    "Minimum of nodes without continuous provisioning",
    fixes="unsafe",
    why="Only with continuous provisioning is a group in service before all of its nodes are.",
    source=limits.INSTANCE_GROUP,
    bad="""node_groups: [{name: h200, count: {min: 2, max: 4}}]
targets: {hyperpod-slurm: {provisioning: all-at-once}}""",
    good="""node_groups: [{name: h200, count: {min: 2, max: 4}}]
targets: {hyperpod-slurm: {provisioning: continuous}}""",
)
def minimum(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if 0 < group.min < group.max and not modes.continuous(plan):
            yield Problem(
                group.at("count"),
                f"{group.name} has a minimum of {group.min} nodes",
                help=f"write provisioning: continuous, or count: {group.max}",
                fix=unsafe(put(modes.PROVISIONING, "continuous")),
            )


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
