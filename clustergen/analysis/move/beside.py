"""What two clusters need that run at the same time: quotas, money, and capacity."""

from clustergen import targets
from clustergen.plan import quotas
from clustergen.plan.model import Ebs, NodeGroup, Plan
from clustergen.services import cost
from clustergen.services.cost import formatting

_FOR_EACH = frozenset({quotas.PER_CLUSTER, quotas.VOLUME})
"""Limits of one cluster or node, which two clusters do not share."""


def held(running: Plan, coming: Plan) -> list[NodeGroup]:
    """Groups of the new cluster with reserved capacity that the old one uses."""
    ids = {group.capacity.id for group in running.node_groups if group.reserved}
    return [group for group in coming.node_groups if group.reserved and group.capacity.id in ids]


def free(group: NodeGroup, region: str) -> str:
    """The command that shows how much of a group's reserved capacity is in use."""
    id = group.capacity.id or ""
    if id.startswith("cr-"):
        return (
            f"aws ec2 describe-capacity-reservations --region {region} --capacity-reservation-ids "
            f"{id} --output text --query "
            "'CapacityReservations[].[TotalInstanceCount,AvailableInstanceCount]'"
        )
    if group.capacity.kind == "training-plan":
        return (
            f"aws sagemaker describe-training-plan --region {region} --training-plan-name "
            f"{id.rpartition('/')[2]} --output text --query "
            "'[TotalInstanceCount,AvailableInstanceCount]'"
        )
    return ""


def needed(running: Plan, coming: Plan) -> str:
    """The quotas that both count against."""
    found: dict[tuple[str, str], quotas.Need] = {}
    for plan in (running, coming):
        for need in quotas.needs(plan, targets.load(plan.target).traits):
            key = need.service, need.title
            before = found[key].amount if key in found else 0
            both = max if need.title in _FOR_EACH else int.__add__
            found[key] = need._replace(amount=both(before, need.amount))
    return "; ".join(_text(need) for need in found.values())


def _text(need: quotas.Need) -> str:
    return f"{need.amount_text} of {need.title}" + (f" ({need.code})" if need.code else "")


def price(running: Plan, coming: Plan) -> str:
    """What both cost in an hour; network and file systems are there once."""
    old, new = (cost.bill(plan, targets.load(plan.target).fees) for plan in (running, coming))
    # The new plan is for a foundation that serves both. Root volumes are storage, but of one.
    mounts = {each.mount for each in coming.storage if not isinstance(each, Ebs)}
    shared = [line for line in new.lines if line.part == "network" or line.name in mounts]
    there = {(line.part, line.name) for line in shared}
    more = [line for line in old.lines if (line.part, line.name) not in there]
    both = cost.Bill(new.target, new.region, (*new.lines, *more))
    without = ", and what has no known price" if both.unknown else ""
    return f"{formatting.usd(both.usd(1))} USD per hour{without}; now {formatting.usd(old.usd(1))}"
