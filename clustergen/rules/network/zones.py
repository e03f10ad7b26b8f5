"""Node groups in zones of their own."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, note, rule, unwanted
from clustergen.facts.catalog import regions
from clustergen.plan import network, storage_kinds, zones
from clustergen.plan.model import Lustre, NodeGroup, OpenZfs, Plan

_SUBNETS = "https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html"


@rule(
    "NET047",
    "Zone without a subnet",
    why="A new VPC gets a subnet in each zone of a node group. An existing one must have it, with "
    "its zone, in network.private_subnets.",
    source=_SUBNETS,
    bad="""network:
  zone: use1-az6
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
node_groups: [{name: h200, zone: use1-az4}]""",
    good="network: {zone: use1-az6}\nnode_groups: [{name: h200, zone: use1-az4}]",
)
def zone_without_subnet(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if reason := _reason(plan, group):
            message, help = reason
            yield unwanted(group.at("zone"), message, help=help)


def _reason(plan: Plan, group: NodeGroup) -> tuple[str, str] | None:
    """Why the zone of a group has no subnet, and what to do; None if it has one."""
    zone, main = group.zone, plan.network.zone or ""
    if zone is None:
        return None
    if plan.wrote(*group.at("subnets")):
        return "zone and subnets cannot both be given", "remove one: subnets have their zones"
    if group.subnets or (plan.network.new and zone == main):
        return None
    if not plan.network.new:
        text = f"none of network.private_subnets is in {zone}"
        return text, f"add {{id: subnet-..., zone: {zone}}}, or write subnets: [subnet-...]"
    if regions.is_local_zone(zone) or regions.is_local_zone(main):
        text = "a new VPC has no subnets in Local Zones and in other zones besides"
        return text, "use an existing VPC, and write subnets of the group"
    if regions.is_zone_id(zone) != regions.is_zone_id(main):
        text = f"{zone} and {main} may be the same zone"
        return text, "write both as ids (use1-az4), or both as names (us-east-1b)"
    text = f"a VPC of {plan.network.cidr} has no room for subnets in further zones"
    return text, f"write network.cidr with a block of /{network.SMALLEST_WITH_ZONES} or larger"


@note(
    "NET048",
    "File systems in another zone than their nodes",
    why="New FSx file systems are in network.zone, in an existing VPC in its first private subnet. "
    "Nodes in another zone reach them, but more slowly, and each gigabyte between zones costs "
    "money in both directions.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-on-ec2-instance.html",
    bad="network: {zone: use1-az6}\nnode_groups: [{name: h200, zone: use1-az4}]\n"
    "storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}]",
    good="network: {zone: use1-az6}\nnode_groups: [{name: h200, zone: use1-az6}]\n"
    "storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}]",
)
def distant_storage(plan: Plan) -> Iterator[Problem]:
    mounts = [item.mount for kind in (Lustre, OpenZfs) for item in storage_kinds.new(plan, kind)]
    verb, place = "are" if len(mounts) > 1 else "is", plan.network.private[0].zone
    for group in zones.distant_groups(plan) if mounts else ():
        yield Problem(
            group.at("zone"),
            f"{', '.join(mounts)} {verb} in {place}, and {group.name} is in {group.zone}",
            help="put the nodes that read and write most into the zone of the file system",
        )


@rule(
    "NET049",
    "Too few addresses in the subnet of a zone",
    why="The subnet of a further zone is a 32nd of the VPC's block, and each interface of a node "
    "with an address takes one.",
    source=_SUBNETS,
    bad="network: {zone: use1-az6, cidr: 10.42.0.0/22}\n"
    "node_groups: [{name: h200, zone: use1-az4, count: 64}]",
    good="network: {zone: use1-az6, cidr: 10.42.0.0/16}\n"
    "node_groups: [{name: h200, zone: use1-az4, count: 64}]",
)
def zone_addresses(plan: Plan) -> Iterator[Problem]:
    for subnet in plan.network.zonal:
        groups = [group for group in plan.node_groups if group.subnets == (subnet.id,)]
        needed = sum(group.max * group.addresses for group in groups)
        room = network.capacity(subnet.cidr or network.DEFAULT_CIDR)
        if needed > room:
            yield Problem(
                groups[0].at("zone"),
                f"nodes in {subnet.zone} take {needed:,} addresses at their maximum, the subnet "
                f"has {room:,}",
                help="write a larger network.cidr, such as 10.42.0.0/16, or fewer nodes",
            )
