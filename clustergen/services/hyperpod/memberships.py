"""The security groups that instances are in."""

from collections.abc import Sequence

from clustergen.plan.model import Id, Machine, NodeGroup, Plan


def of_all(plan: Plan) -> tuple[Id, ...]:
    """The security groups of all nodes; added nodes also get those of their existing cluster.

    The nodes of the cluster, its file systems and other added nodes then admit them without new
    rules in security groups outside of the bundle.
    """
    return tuple(dict.fromkeys((*plan.network.node_security_groups, *plan.existing.memberships)))


def of_node(plan: Plan, node: Machine | NodeGroup, every: Sequence[Id]) -> tuple[Id, ...]:
    """The security groups of a node: those of all, unless left out, and its own."""
    kept = {*plan.security_groups_of(node), *plan.existing.memberships}
    left_out = set(plan.network.node_security_groups) - kept
    others = (id for id in every if id not in left_out)
    return tuple(dict.fromkeys((*others, *node.security_groups)))
