"""What nodes cost per hour, by their type: a price is no setting of a node.

As an argument of a node's script, a new price in the catalog would replace the node.
"""

from clustergen.facts.catalog import prices
from clustergen.plan.model import Plan


def by_type(plan: Plan) -> dict[str, float]:
    """Instance type -> the On-Demand price where the nodes are; without those that are unknown."""
    place = prices.place_of(plan.region, plan.network.private[0].zone)
    types = {type.name: type for group in plan.node_groups for type in group.types}
    found = {
        name: prices.RECORDED.find(
            f"HyperPod {type.ml_name}" if plan.sagemaker else f"EC2 {name}", place
        )
        for name, type in sorted(types.items())
    }
    return {name: price.usd for name, price in found.items() if price}


def nodes(plan: Plan) -> str:
    """A series of each node with its price."""
    info = 'clustergen_node_info{{$scope,role="compute",instance_type="{}"}}'
    return "\nor ".join(f"{usd} * {info.format(type)}" for type, usd in by_type(plan).items())
