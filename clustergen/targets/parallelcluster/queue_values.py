"""Values of queues and their nodes that rules read, too."""

from __future__ import annotations

from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.services.aws import references


def idle_minutes(seconds: int | None) -> int:
    """Idle time in whole minutes, rounded up; -1 if idle nodes never stop."""
    if seconds is None:
        return -1
    return -(-seconds // 60)


def subnets(plan: Plan, queue: Queue) -> list[str]:
    """One subnet, or one in each zone if the queue's nodes may be in several."""
    if own := queue.node_groups[0].subnets:
        return [references.text(id) for id in own]
    private = plan.network.private
    if any(group.one_zone for group in queue.node_groups):
        return [references.text(private[0].id)]
    # EC2 Fleet accepts one subnet per zone; an unknown zone could be any.
    zones = {subnet.zone: subnet for subnet in reversed(private) if subnet.zone}
    roaming = [subnet for subnet in private if zones.get(subnet.zone or "") == subnet]
    # The first one is preferred.
    chosen = roaming if private[0] in roaming else private[:1]
    return [references.text(subnet.id) for subnet in chosen]


def weight_of(group: NodeGroup) -> str | None:
    """The user's Weight for the nodes, as text."""
    return next((v for key, v in group.slurm.items() if key.lower() == "weight"), None)
