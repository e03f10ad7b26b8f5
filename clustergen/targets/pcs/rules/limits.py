"""Numbers of nodes, node groups and queues."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe
from clustergen.plan.model import Plan
from clustergen.targets.pcs import limits
from clustergen.targets.pcs.limits import CREATE_CLUSTER
from clustergen.targets.pcs.options import Options, managed_nodes
from clustergen.targets.pcs.rules import note, rule


@rule(
    "LIM202",
    "More nodes than the controller manages",
    why="Each controller size manages a limited number of nodes. The maximum counts of all "
    "node groups and the login nodes must fit. A cluster cannot be resized later.",
    source=CREATE_CLUSTER,
    bad="node_groups: [{name: h200, count: 64}]\ntargets: {pcs: {size: small}}",
)
def controller_size(plan: Plan) -> Iterator[Problem]:
    nodes = managed_nodes(plan)
    # An existing cluster has a size that the spec does not know.
    wanted = plan.options_as(Options).size if plan.creates_cluster else "auto"
    chosen = limits.size(wanted, nodes)
    if nodes <= chosen.nodes:
        return
    fitting = limits.smallest_size(nodes)
    yield Problem(
        ("node_groups",) if wanted == "auto" else ("targets", "pcs", "size"),
        f"up to {nodes:,} nodes; {chosen.name} manages {chosen.nodes:,}",
        help=f"write size: {fitting.name.lower()}"
        if fitting
        else f"at most {chosen.nodes:,} in a cluster",
        fix=unsafe(put(("targets", "pcs", "size"), fitting.name.lower())) if fitting else None,
    )


_NEARLY_FULL = 0.75


@note(
    "LIM211",
    "Controller size that more nodes would change",
    why="PCS cannot resize a controller, and clustergen chooses the smallest that fits. An update "
    "to more nodes would need another size, and PCS rejects it. Login nodes count too.",
    source=CREATE_CLUSTER,
    bad="node_groups: [{name: h200, count: 30}]",
)
def nearly_full(plan: Plan) -> Iterator[Problem]:
    nodes = managed_nodes(plan)
    size = limits.smallest_size(nodes)
    larger = limits.smallest_size(size.nodes + 1) if size else None
    automatic = plan.creates_cluster and plan.options_as(Options).size == "auto"
    if automatic and size and larger and nodes >= size.nodes * _NEARLY_FULL:
        login = f", login nodes included ({plan.login.count})" if plan.login else ""
        yield Problem(
            ("node_groups",),
            f"up to {nodes} nodes{login}: {size.name} manages {size.nodes}, and cannot grow",
            help=f"write targets.pcs.size: {larger.name.lower()} to have room, or "
            f"{size.name.lower()} to keep the size",
            fix=unsafe(put(("targets", "pcs", "size"), larger.name.lower())),
        )
