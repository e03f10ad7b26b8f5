"""How AWS Batch chooses among instance types and subnets."""

from collections.abc import Mapping

from clustergen.plan.model import NodeGroup

SOURCE = "https://docs.aws.amazon.com/batch/latest/userguide/allocation-strategies.html"
# SOURCE, and botocore 1.44.5 batch: CRAllocationStrategy; 2026-11-22. BEST_FIT is not among them:
# an environment that has it cannot be updated.
_ON_DEMAND = {"lowest-price": "BEST_FIT_PROGRESSIVE", "prioritized": "BEST_FIT_PROGRESSIVE_ORDERED"}
_SPOT = {
    "price-capacity-optimized": "SPOT_PRICE_CAPACITY_OPTIMIZED",
    "capacity-optimized": "SPOT_CAPACITY_OPTIMIZED",
    "capacity-optimized-prioritized": "SPOT_CAPACITY_OPTIMIZED_PRIORITIZED",
}


def known(*, spot: bool) -> Mapping[str, str]:
    """The strategies of Batch for Spot or other instances, by the words of the language."""
    return _SPOT if spot else _ON_DEMAND


def default(*, spot: bool, types: int) -> str:
    """The word that applies to a group of so many instance types without one."""
    if spot:
        return "price-capacity-optimized"
    return "prioritized" if types > 1 else "lowest-price"


def strategy(group: NodeGroup) -> str:
    spot = group.capacity.kind == "spot"
    return known(spot=spot)[group.allocation or default(spot=spot, types=len(group.types))]
