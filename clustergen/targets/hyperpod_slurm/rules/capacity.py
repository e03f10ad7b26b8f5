"""What needs continuous provisioning."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, drop, unsafe, unwanted
from clustergen.plan.model import Database, Plan
from clustergen.services.hyperpod import limits, provisioning
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.rules import rule

_MINIMUM = """node_groups: [{name: h200, count: {min: 2, max: 4}}]
targets: {hyperpod-slurm: {provisioning: %s}}"""


@rule(
    "CAP350",
    "Something that needs continuous provisioning",
    why="With all nodes at once, a group has one instance type and a fixed number of nodes, and "
    "HyperPod does not connect Slurm to a database of yours.",
    source=limits.INSTANCE_GROUP,
    bad=_MINIMUM % "all-at-once",
    good=_MINIMUM % "continuous",
)
def continuous(plan: Plan) -> Iterator[Problem]:
    if modes.continuous(plan):
        return
    legacy = modes.options(plan).mode == "legacy"
    way = "write mode: customer-managed" if legacy else "remove provisioning"
    fix = None if legacy else unsafe(drop(modes.PROVISIONING))
    yield from provisioning.all_at_once(_needs(plan), way, fix)


def _needs(plan: Plan) -> Iterator[Problem]:
    yield from provisioning.several_types(plan.node_groups)
    yield from provisioning.minimums(plan.node_groups)
    if isinstance(plan.slurm.accounting, Database) and modes.by_service(plan):
        text, place = "HyperPod connects Slurm to a database", ("slurm", "accounting")
        yield Problem(place, text, "write accounting: managed", source=limits.ORCHESTRATOR)


@rule(
    "SLM355",
    "Continuous provisioning with mode: legacy",
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
