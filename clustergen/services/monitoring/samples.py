"""How many samples and metrics a cluster has, by which they are paid."""

from typing import Final

from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.monitoring.counters import ADD_ON_FIELDS, COUNTERS
from clustergen.services.monitoring.sources import Source, sources

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
    from clustergen.services.monitoring import emf

    each = len(emf.metrics(plan))
    return each, each * (plan.max_nodes + _other_nodes(plan) + 1)


def _other_nodes(plan: Plan) -> int:
    """Head and login nodes that send metrics: ParallelCluster's login nodes do not."""
    login = plan.login if plan.sagemaker or not plan.head else None
    return sum(machine.count for machine in (plan.head, login) if machine)


def node_series(plan: Plan, group: NodeGroup) -> int:
    """Series of one node. A GPU without errors has none for the Xid count."""
    fields = ADD_ON_FIELDS if Source.ADD_ON in sources(plan) else len(COUNTERS) - 1
    gpus = group.type.gpus * fields
    efa = group.efa_interfaces * EFA_COUNTERS
    return gpus + efa + len(plan.storage) * MOUNT_SERIES + HOST_SERIES
