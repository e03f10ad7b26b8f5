"""Node groups in other zones than the rest of a cluster."""

from collections.abc import Iterator

from clustergen.facts.catalog import regions
from clustergen.plan.model import NodeGroup, Plan


def distant_groups(plan: Plan) -> Iterator[NodeGroup]:
    """The groups known to be in another zone than the first private subnet.

    New file systems and the NAT gateway are in its zone. A name and an id may mean the same zone.
    """
    here = plan.network.private[0].zone
    if here is None:
        return
    for group in plan.node_groups:
        comparable = group.zone and regions.is_zone_id(group.zone) == regions.is_zone_id(here)
        if comparable and group.zone != here:
            yield group
