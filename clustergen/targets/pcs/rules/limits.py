"""How many nodes, node groups and queues a cluster may have."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem, Severity
from clustergen.plan.model import Plan
from clustergen.targets.pcs import cluster, limits
from clustergen.targets.pcs.limits import CREATE_CLUSTER, USER_GUIDE
from clustergen.targets.pcs.options import Options
from clustergen.targets.pcs.rules import rule


@rule(
    "LIM202",
    "More nodes than the controller manages",
    why="Each controller size manages a limited number of nodes. The maximum counts of all "
    "node groups and the login nodes must fit. A cluster cannot be resized later.",
    source=CREATE_CLUSTER,
    bad="node_groups: [{name: h200, count: 64}]\ntargets: {pcs: {size: small}}",
    good="node_groups: [{name: h200, count: 64}]\ntargets: {pcs: {size: medium}}",
)
def controller_size(plan: Plan) -> Iterator[Problem]:
    nodes = cluster.nodes(plan)
    chosen = next(
        (size for size in limits.SIZES if size.name.lower() == plan.options_as(Options).size),
        limits.SIZES[-1],
    )
    if nodes <= chosen.nodes:
        return
    fitting = limits.smallest_size(nodes)
    yield Problem(
        ("node_groups",) if plan.options_as(Options).size == "auto" else ("targets", "pcs", "size"),
        f"up to {nodes:,} nodes; {chosen.name} manages {chosen.nodes:,}",
        help=f"write size: {fitting.name.lower()}"
        if fitting
        else f"at most {chosen.nodes:,} in a cluster",
    )


@rule(
    "LIM203",
    "More node groups or queues than the default quota",
    why="PCS allows 10 of each in a cluster. A support case raises the quota, before deployment.",
    source=f"{USER_GUIDE}service-endpoints-quotas.html",
    severity=Severity.WARNING,
    bad="queues: ["
    + ", ".join(f"{{name: queue-{n}, node_groups: [h200]}}" for n in range(1, 12))
    + "]",
    good="queues: [{name: queue-1, node_groups: [h200]}]",
)
def quota(plan: Plan) -> Iterator[Problem]:
    groups = len(plan.node_groups) + (plan.login is not None)
    counts = (
        (
            ("node_groups",),
            "node groups, including the login nodes",
            groups,
            limits.MAX_NODE_GROUPS,
        ),
        (("queues",), "queues", len(plan.queues), limits.MAX_QUEUES),
    )
    for path, kind, count, most in counts:
        if count > most:
            yield Problem(
                path, f"{count} {kind}; the quota is {most}", help="open a support case first"
            )
