"""The fees of PCS: for the controller, each node, and accounting.

https://aws.amazon.com/pcs/pricing/: a node pays one of two fees by its instance type, and no source
has the list of types, so that a bill has both bounds.
"""

from collections.abc import Iterator

from clustergen.plan.model import Plan
from clustergen.services.cost.model import Line
from clustergen.services.cost.pricing import Prices, span
from clustergen.targets.pcs import cluster


def fees(plan: Plan, at: Prices) -> Iterator[Line]:
    """The fees of a cluster; of an existing one, only those of the added nodes."""
    if not plan.creates_cluster:
        yield from _nodes(plan, at)
        return
    size = cluster.size(plan)
    what = f"{size.name}, for {size.jobs:,} jobs, also when idle"
    yield at.line("service", "controller", what, {f"PCS controller {size.name}": 1})
    yield from _nodes(plan, at)
    if plan.slurm.accounting == "managed":
        yield at.line("service", "accounting", size.name, {f"PCS accounting {size.name}": 1})
        what = "accounting records"
        yield at.by_use("service", "accounting storage", what, "PCS accounting storage")


def _nodes(plan: Plan, at: Prices) -> Iterator[Line]:
    """The fees of running nodes; login nodes are general-purpose instances."""
    least = sum(group.min for group in plan.node_groups)
    what = f"{span(least, plan.max_nodes)} nodes, at the standard to the advanced fee"
    low, high = {"PCS node standard": least}, {"PCS node advanced": plan.max_nodes}
    yield at.line("service", "node management", what, low, high)
    if plan.login:
        units = {"PCS node standard": plan.login.count}
        name = "login node management"
        yield at.line("service", name, f"{plan.login.count}, at the standard fee", units)
