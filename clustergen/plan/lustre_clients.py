"""Nodes that use Lustre over EFA, and the number of their interfaces for it."""

from clustergen.facts.catalog import families, fsx
from clustergen.plan.model import Lustre, NodeGroup, Plan


def lustre_interfaces(plan: Plan, group: NodeGroup) -> int:
    """Interfaces of each node that Lustre uses; 0 for nodes that mount over TCP.

    As many as the type supports, or fewer if all nodes together would exceed the system's limit.
    """
    served = any(isinstance(item, Lustre) and item.efa for item in plan.storage)
    if not served or not _is_client(group):
        return 0
    clients = sum(other.max for other in plan.node_groups if _is_client(other))
    most = families.find(group.type.family).lustre_efa
    return min(most, group.type.max_efa, max(1, fsx.EFA_CONNECTIONS // max(1, clients)))


def _is_client(group: NodeGroup) -> bool:
    return group.efa and all(fsx.efa_client(type) for type in group.types)
