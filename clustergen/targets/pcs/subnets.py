"""Subnets of the controller and of nodes."""

from clustergen.facts.catalog import regions
from clustergen.plan.model import Id, Machine, NodeGroup, Plan, Subnet


def controller_subnet(plan: Plan) -> Subnet | None:
    """The subnet of the controller; None if all are in Local Zones, where it cannot be.

    https://docs.aws.amazon.com/pcs/latest/APIReference/API_NetworkingRequest.html
    """
    return next((s for s in plan.network.private if not _in_local_zone(s)), None)


def spreads(group: NodeGroup) -> bool:
    """Whether the nodes of a group may be in several subnets.

    With several interfaces, each has its subnet in the launch template.
    """
    return len(group.interfaces) == 1 and not group.one_zone and len(group.subnets) != 1


def group_subnets(plan: Plan, group: NodeGroup) -> tuple[Subnet, ...]:
    """The subnets of a group's nodes, by preference."""
    if group.subnets:
        return plan.subnets_of(group)
    return plan.network.private if spreads(group) else plan.network.private[:1]


def login_is_public(plan: Plan) -> bool:
    """Whether login nodes have a public address.

    They do if the spec allows SSH from outside, and their own subnets, if any, are public.
    """
    public = {subnet.id for subnet in plan.network.public}
    own = set(plan.login.subnets) if plan.login else set()
    return bool(plan.network.ssh_from and public) and own <= public


def login_subnets(plan: Plan, login: Machine) -> tuple[Id, ...]:
    network = plan.network
    return login.subnets or ((network.public if login_is_public(plan) else network.private)[0].id,)


def _in_local_zone(subnet: Subnet) -> bool:
    return subnet.zone is not None and regions.is_local_zone(subnet.zone)
