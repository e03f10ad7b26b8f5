"""Subnets: enough addresses, within their VPC, and in the zone of EFA nodes."""

import ipaddress
from collections.abc import Iterator, Sequence

from clustergen.base.findings import (
    Fix,
    Path,
    Problem,
    Severity,
    note,
    put,
    rule,
    unsafe,
    unwanted,
    warning,
)
from clustergen.facts.catalog import regions
from clustergen.plan import network
from clustergen.plan.model import Plan, Subnet

_OWN_SUBNETS = """network:
  zone: use1-az6
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
node_groups: [{{name: h200, subnets: [{}]}}]"""
_BLOCKS = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  cidr: 10.42.0.0/16
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, cidr: {}}}]"""
_TWO_SUBNETS = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets:
    - {{id: subnet-0a1b2c3d4e5f67890, {}}}
    - {{id: subnet-0a1b2c3d4e5f67891, {}}}"""
_PUBLIC = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  public_subnets: [{}]
  ssh_from: [203.0.113.0/24]"""
_GROUP_IN_PUBLIC = f"{_PUBLIC.format('subnet-0a1b2c3d4e5f67891')}\n{_OWN_SUBNETS.splitlines()[-1]}"
_SIZES = "https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html"


@rule(
    "NET010",
    "Too few addresses in the subnet",
    why="Each interface with an address needs one from the subnet; nodes without a free address "
    "do not start.",
    source=_SIZES,
    bad="network: {cidr: 10.42.0.0/25}\nnode_groups: [{name: h200, count: 64}]",
)
def addresses(plan: Plan) -> Iterator[Problem]:
    known = [network.capacity(s.cidr) for s in plan.network.private if s.cidr]
    if len(known) < len(plan.network.private):
        return  # without its CIDR block, a subnet's addresses cannot be counted offline
    # EFA nodes share one zone and so one subnet: the first one limits them.
    room = known[0] if any(group.efa for group in plan.node_groups) else sum(known)
    if plan.network.needed_addresses > room:
        path = ("network", "cidr") if plan.network.new else ("network", "private_subnets")
        yield Problem(
            path,
            f"the cluster takes {plan.network.needed_addresses:,} addresses at its maximum, "
            f"the subnet has {room:,}",
            help=_more_room(plan),
            fix=_widened(plan),
            severity=Severity.WARNING if plan.estimates_addresses else None,
        )


@rule(
    "NET028",
    "Too few addresses for the system nodes",
    why="A new VPC has two subnets for the system nodes of EKS, each an eighth of its block. A "
    "node takes addresses for its pods, too.",
    source=_SIZES,
    target="eks",
    by_limits=True,
    bad="network: {cidr: 10.42.0.0/24}\nkubernetes: {system_nodes: {count: 4}}",
)
def system_addresses(plan: Plan) -> Iterator[Problem]:
    room = sum(network.capacity(s.cidr) for s in plan.network.system if s.cidr)
    needed = plan.network.needed_system_addresses
    if plan.network.new and needed > room:
        yield Problem(
            (*plan.kubernetes.system_nodes.path, "count"),
            f"the system nodes take {needed:,} addresses, their two subnets have {room:,}",
            help="widen the block (up to /16), or lower the count",
            fix=_widened(plan),
        )


_WIDEST = 16
"""The shortest prefix of a VPC: CreateVpc in the EC2 API."""


def _widened(plan: Plan) -> Fix | None:
    """The largest block of a new VPC around the one that is too small."""
    cidr = plan.network.cidr if plan.network.new else None
    block = ipaddress.ip_network(cidr) if cidr else None
    if block is None or block.prefixlen <= _WIDEST:
        return None
    return unsafe(put(("network", "cidr"), str(block.supernet(new_prefix=_WIDEST))))


def _more_room(plan: Plan) -> str:
    most = max(plan.node_groups, key=lambda group: group.max * group.addresses)
    ways = ["widen the block (up to /16)" if plan.network.new else "name a larger subnet"]
    ways.append("lower a maximum")
    if most.efa and most.efa_layout == "efa" and most.addresses > 1:
        ways.insert(
            0,
            f"write efa_layout: efa-only in {most.name!r}: 1 address a node, not {most.addresses}",
        )
    return "; or ".join(ways)


@note(
    "NET011",
    "EFA nodes stay in the first subnet",
    why="EFA traffic does not leave a zone, and neither does a cluster placement group: EFA nodes "
    "go into the first private subnet unless their group has a zone or subnets. Subnets in other "
    "zones serve other nodes only.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits",
    bad=_TWO_SUBNETS.format("zone: use1-az6", "zone: use1-az2"),
    good="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]""",
)
def efa_zone(plan: Plan) -> Iterator[Problem]:
    first = plan.network.private[0].zone
    # Groups with a zone have the subnets of that zone.
    tight = ", ".join(group.name for group in plan.node_groups if group.efa and not group.subnets)
    for index, subnet in enumerate(plan.network.private):
        if tight and subnet.zone != first:
            yield Problem(
                ("network", "private_subnets", index),
                f"no node of {tight} starts in {subnet.id}: EFA keeps them in {first}",
                help="put the subnet of the EFA nodes first, or write the zone of their group",
            )


@rule(
    "NET012",
    "Subnet outside the VPC or overlapping another subnet",
    why="A subnet is part of its VPC's CIDR block, and subnets never overlap.",
    source=_SIZES,
    bad=_BLOCKS.format("10.43.0.0/20"),
    good=_BLOCKS.format("10.42.0.0/20"),
)
def blocks(plan: Plan) -> Iterator[Problem]:
    if plan.network.new:
        return
    # A VPC may have several blocks; the check assumes that the one in the spec is relevant.
    vpc = ipaddress.IPv4Network(plan.network.cidr) if plan.network.cidr else None
    seen: list[tuple[ipaddress.IPv4Network, str]] = []
    for path, id, cidr in _existing_blocks(plan):
        block = ipaddress.IPv4Network(cidr)
        if vpc is not None and not block.subnet_of(vpc):
            yield Problem(path, f"{cidr} is not in the VPC's {vpc}", help="correct one of the two")
        for other, name in seen:
            if block.overlaps(other) and name != id:
                message = f"{cidr} overlaps {other} of {name}"
                yield Problem(path, message, help="correct one of the two")
        seen.append((block, id))


def _existing_blocks(plan: Plan) -> Iterator[tuple[Path, str, str]]:
    for field in ("private_subnets", "public_subnets", "control_plane_subnets"):
        for index, subnet in enumerate(_subnets(plan, field)):
            if subnet.cidr:
                yield ("network", field, index, "cidr"), str(subnet.id), subnet.cidr


def _subnets(plan: Plan, field: str) -> Sequence[Subnet]:
    written = plan.wrote("network", field)
    return getattr(plan.network, field.removesuffix("_subnets")) if written else ()


@note(
    "NET026",
    "Block of the VPC not given",
    why="The blocks of subnets are compared with that of their VPC. Without it, a mistyped subnet "
    "is found only when nodes fail to start.",
    source=_SIZES,
    bad=_BLOCKS.replace("  cidr: 10.42.0.0/16\n", "").format("10.42.0.0/20"),
    good=_BLOCKS.format("10.42.0.0/20"),
)
def unknown_vpc_block(plan: Plan) -> Iterator[Problem]:
    subnets = any(True for _ in _existing_blocks(plan))
    if not plan.network.new and subnets and not plan.wrote("network", "cidr"):
        yield Problem(
            ("network",),
            "the blocks of the subnets are not compared with that of the VPC",
            help="add cidr: the IPv4 block of the VPC",
            on_key=True,
        )


@rule(
    "NET015",
    "Nodes in another zone than network.zone",
    why="Nodes with EFA, reservations and FSx for Lustre are in one zone, that of the first "
    "private subnet; network.zone is the zone of subnets that name none.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits",
    bad="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az2}]""",
    good="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]""",
)
def other_zone(plan: Plan) -> Iterator[Problem]:
    zone, first = plan.network.zone, plan.network.private[0].zone
    comparable = zone and first and regions.is_zone_id(zone) == regions.is_zone_id(first)
    if comparable and zone != first:
        yield Problem(
            ("network", "private_subnets", 0, "zone"),
            f"the subnet of the nodes is in {first}, network.zone is {zone}",
            help="correct one of the two, or put a subnet of that zone first",
            fix=unsafe(put(("network", "zone"), first)),
        )


@rule(
    "NET017",
    "Block that a subnet cannot have",
    why="A subnet has an IPv4 block between /16 and /28.",
    source=_SIZES,
    bad=_TWO_SUBNETS.format("cidr: 10.42.0.0/20", "cidr: 10.42.16.0/29"),
    good=_TWO_SUBNETS.format("cidr: 10.42.0.0/20", "cidr: 10.42.16.0/28"),
)
def subnet_size(plan: Plan) -> Iterator[Problem]:
    for path, _, cidr in _existing_blocks(plan):
        if not 16 <= ipaddress.IPv4Network(cidr).prefixlen <= network.SMALLEST_SUBNET:
            yield Problem(path, f"{cidr} cannot be a subnet", help="write its block, /16 to /28")


@rule(
    "NET018",
    "One subnet both private and public",
    why="A subnet is public if its route table has an internet gateway, and private if not. Nodes "
    "with several interfaces get no public address, so a public subnet leaves them without a "
    "route out.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/configure-subnets.html",
    bad=_PUBLIC.format("subnet-0a1b2c3d4e5f67890"),
    good=_PUBLIC.format("subnet-0a1b2c3d4e5f67891"),
)
def both(plan: Plan) -> Iterator[Problem]:
    private = {subnet.id for subnet in _subnets(plan, "private_subnets")}
    for index, subnet in enumerate(_subnets(plan, "public_subnets")):
        if subnet.id in private:
            yield unwanted(
                ("network", "public_subnets", index),
                f"{subnet.id} is a private subnet as well",
                help="remove it from one of the two lists",
            )


@warning(
    "NET052",
    "Nodes with several interfaces in a public subnet",
    why="EC2 gives a public address only to instances with one interface. The way out of a public "
    "subnet is an internet gateway, which other instances cannot use. Without endpoints of "
    "the VPC, they reach no service of AWS, and do not join the cluster.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/working-with-ip-addresses.html",
    bad=_GROUP_IN_PUBLIC.format("subnet-0a1b2c3d4e5f67891"),
    good=_GROUP_IN_PUBLIC.format("subnet-0a1b2c3d4e5f67890"),
)
def unreachable(plan: Plan) -> Iterator[Problem]:
    public = {subnet.id for subnet in _subnets(plan, "public_subnets")}
    for group in plan.node_groups:
        if len(group.interfaces) > 1 and (found := [id for id in group.subnets if id in public]):
            yield Problem(
                group.at("subnets"),
                f"{group.name} has {len(group.interfaces)} interfaces, so its nodes get no public "
                f"address in {found[0]}",
                help="write private subnets, whose way out is a NAT gateway",
            )


@note(
    "NET027",
    "New subnet in a Local Zone",
    why="A Local Zone is off in an account until its zone group is opted in, which no stack does. "
    "A subnet there cannot be created before that. Nodes leave the VPC through the NAT gateway, "
    "which is in a zone of the region.",
    source="https://docs.aws.amazon.com/local-zones/latest/ug/getting-started.html",
    bad="network: {zone: use1-dfw2-az1}\nnode_groups: [{name: h200, instance_type: "
    "p6e-gb200.36xlarge, count: 18, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]",
    good="network: {zone: use1-az6}",
)
def local_zone(plan: Plan) -> Iterator[Problem]:
    zone = plan.network.zone or ""
    group = regions.local_zone_group(zone) if plan.network.new else None
    if group:
        yield Problem(
            ("network", "zone"),
            f"the account must be opted in to {group} before the foundation is deployed",
            help=f"aws ec2 modify-availability-zone-group --region {plan.region} --group-name "
            f"{group} --opt-in-status opted-in",
        )


_DOCKER = ipaddress.IPv4Network("172.17.0.0/16")


@warning(
    "NET019",
    "Addresses of Docker's bridge",
    why="Docker gives containers addresses of 172.17.0.0/16, so nodes that run it cannot reach "
    "hosts of the VPC that have such addresses.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html",
    bad="network: {cidr: 172.17.0.0/16}",
    good="network: {cidr: 172.18.0.0/16}",
)
def docker_bridge(plan: Plan) -> Iterator[Problem]:
    written = plan.wrote("network", "cidr")
    cidr = plan.network.cidr if written else None
    if cidr and ipaddress.ip_network(cidr).overlaps(_DOCKER):
        yield Problem(
            ("network", "cidr"),
            f"{cidr} overlaps {_DOCKER}, the addresses of Docker's bridge",
            help="use another block, e.g. 10.42.0.0/16",
            fix=unsafe(put(("network", "cidr"), "10.42.0.0/16")) if plan.network.new else None,
        )


@warning(
    "NET031",
    "Nodes with EFA in several subnets of their own",
    why="EFA traffic does not leave a zone, and many services start all nodes of such a group in "
    "one subnet.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits",
    bad=_OWN_SUBNETS.format("subnet-0a1b2c3d4e5f67890, subnet-0a1b2c3d4e5f67891"),
)
def efa_in_one_subnet(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.efa and len(group.subnets) > 1:
            yield Problem(
                group.at("subnets"),
                f"{group.name} has EFA, and {len(group.subnets)} subnets",
                help=f"write subnets: [{group.subnets[0]}]",
                severity=Severity.ERROR if plan.limits.one_subnet_with_efa else None,
                fix=unsafe(put(group.at("subnets"), [group.subnets[0]])),
            )
