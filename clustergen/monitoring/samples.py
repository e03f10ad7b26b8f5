"""How many samples and metrics a cluster has, by which they are paid."""

from __future__ import annotations

from typing import Final

from clustergen.monitoring.counters import COUNTERS
from clustergen.plan.model import NodeGroup, Plan

EFA_COUNTERS: Final = 12
"""Of each device: those that ``node_metrics.py`` reads."""
MOUNT_SERIES: Final = 4
"""Of each file system: present, answers, size, free."""
HOST_SERIES: Final = 30
"""CPU modes, memory, root volume, clock, what a node should have, and about each scrape."""


def series(plan: Plan) -> tuple[int, int]:
    """Series of all nodes at their minimum and at their maximum."""
    counts = [(node_series(plan, group), group) for group in plan.node_groups]
    most = sum(each * group.max for each, group in counts)
    return sum(each * group.min for each, group in counts), most


def cloudwatch_metrics(plan: Plan) -> tuple[int, int]:
    """Metrics of each node in CloudWatch, and of all nodes at their maximum and the cluster."""
    from clustergen.monitoring import emf

    each = len(emf.metrics(plan))
    return each, each * (plan.max_nodes + 1)


def node_series(plan: Plan, group: NodeGroup) -> int:
    """Series of one node. A GPU without errors has none for the Xid count."""
    gpus = group.type.gpus * (len(COUNTERS) - 1)
    efa = group.efa_interfaces * EFA_COUNTERS
    return gpus + efa + len(plan.storage) * MOUNT_SERIES + HOST_SERIES
