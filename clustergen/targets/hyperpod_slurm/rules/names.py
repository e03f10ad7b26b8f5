"""Names that HyperPod uses."""

from collections.abc import Iterator

from clustergen.base.findings import Fix, Path, Problem, drop, put, unsafe
from clustergen.plan.model import Plan
from clustergen.rules.services.names import renaming
from clustergen.services.hyperpod import limits
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.rules import rule, warning

_SECTION: Path = ("targets", "hyperpod-slurm")
_REFERENCE = f"{limits.GUIDE}sagemaker-hyperpod-ref.html"


@warning(
    "SLM351",
    "Queue called dev",
    why="HyperPod creates a partition dev that holds every node of the cluster. In mode: legacy, "
    "dev is a name like any other.",
    source=_REFERENCE,
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


@rule(
    "SLM363",
    "Instance groups with the same name",
    why="The controller, the login nodes and each node group are instance groups, whose names are "
    "unique in a cluster.",
    source=_REFERENCE,
    bad="node_groups: [{name: controller, instance_type: m5.xlarge, count: 1}]",
    good="""node_groups: [{name: controller, instance_type: m5.xlarge, count: 1}]
targets: {hyperpod-slurm: {controller_group: head}}""",
)
def unique_groups(plan: Plan) -> Iterator[Problem]:
    options = modes.options(plan)
    owners = {options.controller_group.lower(): "the controller"}
    if options.login_group.lower() in owners:
        path = (*_SECTION, "login_group")
        yield _taken(path, options.login_group, "the controller", unsafe(drop(path)))
    owners[options.login_group.lower()] = "the login nodes"
    for group in plan.node_groups:
        if owner := owners.get(group.name.lower()):
            path, other = group.at("name"), f"{group.name}-nodes"
            fix = renaming(plan, path, "node group", group.name, other)
            yield _taken(path, group.name, owner, fix)


def _taken(path: Path, name: str, owner: str, fix: Fix | None) -> Problem:
    return Problem(
        path,
        f"the instance group of {owner} is called {name}",
        help=f"write {name}-nodes, or give the other one a name with "
        "targets.hyperpod-slurm.controller_group or login_group",
        fix=fix,
    )
