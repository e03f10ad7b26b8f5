"""Which nodes reach an EFA-enabled Lustre over EFA, and with how many of their interfaces."""

from __future__ import annotations

from clustergen.catalog import families, fsx
from clustergen.plan.model import Lustre, NodeGroup, Plan


def lustre_interfaces(plan: Plan, group: NodeGroup) -> int:
    """Interfaces of each node that Lustre uses; 0 where the node mounts over TCP.

    As many as the type drives, and fewer where all nodes together would exceed what a file system
    takes.
    """
    served = any(isinstance(item, Lustre) and item.efa for item in plan.storage)
    if not served or not _is_client(group):
        return 0
    clients = sum(other.max for other in plan.node_groups if _is_client(other))
    most = families.find(group.type.family).lustre_efa
    return min(most, group.type.max_efa, max(1, fsx.EFA_CONNECTIONS // max(1, clients)))


def _is_client(group: NodeGroup) -> bool:
    return group.efa and all(fsx.efa_client(type) for type in group.types)
