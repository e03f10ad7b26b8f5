"""The network of a plan: subnets, security groups, and whether the addresses suffice."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clustergen.catalog import regions
from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import Decision, Id, Network, Ref, Subnet

if TYPE_CHECKING:
    from clustergen.spec import network as spec
    from clustergen.spec.model import Spec

DEFAULT_CIDR = "10.42.0.0/16"
"""The widest a VPC may be, so that a cluster can grow, and one /16, as Lustre over EFA needs.
https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html"""

RESERVED_ADDRESSES = 5
"""Addresses of a subnet that AWS keeps.
https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html"""

SMALLEST_SUBNET = 28
"""Prefix length of the smallest subnet there is; same source."""

_REGIONS = "https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html"
_AZ_IDS = "https://docs.aws.amazon.com/global-infrastructure/latest/regions/az-ids.html"
_VPC_CIDR = "https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html"

REGION = Rule(
    code="NET001",
    title="Unknown region",
    why="Everything is made in the region; its name decides endpoints, partition and zones.",
    source=_REGIONS,
    bad="region: us-east1",
    good="region: us-east-1",
)
ZONE = Rule(
    code="NET002",
    title="The zone is not in the region",
    why="Nodes, file systems and reservations must share a zone, so it has to exist.",
    source=_AZ_IDS,
    bad="network: {zone: usw2-az1}",
    good="network: {zone: use1-az6}",
)
NO_ZONE = Rule(
    code="NET003",
    title="No zone and no subnets",
    why="Tightly coupled nodes and FSx for Lustre live in one zone, and only you know where your "
    "capacity is.",
    source=_AZ_IDS,
    bad="network: {zone: null}",
    good="network: {zone: use1-az6}",
)
NO_SUBNETS = Rule(
    code="NET004",
    title="Existing VPC without its subnets",
    why="A VPC id alone does not say where in it the nodes go.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/configure-subnets.html",
    bad="network: {vpc: vpc-0a1b2c3d4e5f67890}",
    good="network: {vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890]}",
)
FOREIGN_IDS = Rule(
    code="NET005",
    title="Existing subnets or security groups in a new VPC",
    why="Subnets and security groups belong to a VPC; those of another one cannot be used.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-security-groups.html",
    bad="network: {private_subnets: [subnet-0a1b2c3d4e5f67890]}",
    good="network: {vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890]}",
)
CIDR = Rule(
    code="NET006",
    title="Not a block for a VPC",
    why="A VPC has an IPv4 block between /16 and /28; a new one here needs room for four subnets.",
    source=_VPC_CIDR,
    bad="network: {cidr: 10.0.0.0/8}",
    good="network: {cidr: 10.0.0.0/16}",
)
RULES = (REGION, ZONE, NO_ZONE, NO_SUBNETS, FOREIGN_IDS, CIDR)


@dataclass(frozen=True, slots=True)
class Planned:
    network: Network
    decisions: tuple[Decision, ...]


def place(spec: Spec) -> Iterator[Finding]:
    """Findings on region and zone: what must hold before anything can be planned."""
    region, zone = spec.region, spec.network.zone
    if region not in regions.REGIONS:
        near = regions.nearest(region)
        help = f"did you mean {near}?" if near else "regions look like us-east-1"
        yield REGION.at(("region",), f"{region!r} is not a region", help=help)
    else:
        yield from _zones(spec)
    if not zone and not spec.network.private_subnets:
        yield NO_ZONE.at(("network",), "network.zone is missing", help=_zone_help(region))
    yield from _ownership(spec.network)
    if spec.network.cidr and spec.network.vpc == "new":
        yield from _cidr(spec.network.cidr)


def _zones(spec: Spec) -> Iterator[Finding]:
    network, region = spec.network, spec.region
    written: list[tuple[Path, str | None]] = [(("network", "zone"), network.zone)]
    for field in ("private_subnets", "public_subnets", "control_plane_subnets"):
        subnets = enumerate(getattr(network, field))
        written += ((("network", field, index, "zone"), subnet.zone) for index, subnet in subnets)
    for path, zone in written:
        if zone and regions.region_of_zone(zone) != region:
            yield ZONE.at(path, _zone_message(zone, region), help=_zone_help(region))
        elif zone and regions.is_zone_id(zone) and not _exists(zone, region):
            yield ZONE.at(path, f"{region} has no zone {zone}", help=_zone_help(region))


def plan(spec: Spec) -> Planned:
    """The network of a spec that :func:`place` has nothing against; addresses still uncounted."""
    given = spec.network
    new = given.vpc == "new"
    subnets = _new_subnets(given) if new else _existing_subnets(given)
    cidr = (given.cidr or DEFAULT_CIDR) if new else given.cidr
    groups: tuple[Id, ...] = tuple(given.security_groups)
    login: tuple[Id, ...] = () if groups else (Ref("LoginSecurityGroupId"),)
    network = Network(
        vpc=Ref("VpcId") if new else given.vpc,
        new=new,
        zone=given.zone,
        cidr=cidr,
        private=subnets[0],
        public=subnets[1],
        control_plane=_new_control_plane(spec) if new else _existing_control_plane(given),
        node_security_groups=groups or (Ref("ClusterSecurityGroupId"),),
        login_security_groups=login,
        new_security_groups=not groups,
        ssh_from=tuple(given.ssh_from),
        needed_addresses=0,
        control_plane_security_group=_control_plane(spec),
    )
    decisions = _decisions(network, given) if new else ()
    return Planned(network, decisions)


def _control_plane(spec: Spec) -> str | None:
    """The same for every target, as the foundation is, which opens the groups to each other."""
    return spec.targets.hyperpod_eks.eks_security_group if spec.targets.hyperpod_eks else None


def capacity(cidr: str) -> int:
    """Addresses that a subnet has for the user."""
    return ipaddress.ip_network(cidr).num_addresses - RESERVED_ADDRESSES


def _decisions(network: Network, given: spec.Network) -> tuple[Decision, ...]:
    if given.cidr:
        return ()
    private = network.private[0].cidr
    text = f"new VPC {network.cidr}; nodes in {private}, {capacity(str(private)):,} addresses"
    return (Decision(("network", "cidr"), text),)


def split(cidr: str) -> tuple[str, str]:
    """The blocks of the private and the public subnet of a new VPC.

    The lower half is for nodes; a sixteenth of the block, no smaller than a subnet may be, for NAT
    and login.
    """
    private, rest = ipaddress.ip_network(cidr).subnets(1)
    public = next(rest.subnets(min(3, SMALLEST_SUBNET - rest.prefixlen)))
    return str(private), str(public)


def _new_subnets(given: spec.Network) -> tuple[tuple[Subnet, ...], tuple[Subnet, ...]]:
    private, public = split(given.cidr or DEFAULT_CIDR)
    return (
        (Subnet(Ref("PrivateSubnetId"), given.zone, private),),
        (Subnet(Ref("PublicSubnetId"), given.zone, public),),
    )


def _existing_subnets(given: spec.Network) -> tuple[tuple[Subnet, ...], tuple[Subnet, ...]]:
    return _planned(given, given.private_subnets), _planned(given, given.public_subnets)


def _planned(given: spec.Network, subnets: Sequence[spec.ExistingSubnet]) -> tuple[Subnet, ...]:
    return tuple(Subnet(s.id, s.zone or given.zone, s.cidr) for s in subnets)


def _new_control_plane(spec: Spec) -> tuple[Subnet, ...]:
    """The last two of the smallest subnets in the block, which :func:`split` leaves free."""
    block = ipaddress.ip_network(spec.network.cidr or DEFAULT_CIDR)
    size = 2 ** (block.max_prefixlen - SMALLEST_SUBNET)
    zones = control_plane_zones(spec.region, spec.network.zone)
    return tuple(
        Subnet(
            Ref(f"ControlPlaneSubnet{number}Id"),
            zone,
            str(ipaddress.ip_network((int(block.broadcast_address) + 1 - left * size, 28))),
        )
        for number, zone, left in ((1, zones[0], 2), (2, zones[1], 1))
    )


def control_plane_zones(region: str, near: str | None) -> tuple[str, str] | tuple[None, None]:
    """Ids of two zones for an EKS control plane, the first the nodes' own where that is one.

    None where the zones of the region are not known: CloudFormation chooses two then.
    """
    zones = [z for z in regions.surveyed_zones().get(region, ()) if z not in _WITHOUT_EKS]
    first = [zone for zone in zones if zone == near]
    chosen = [*first, *(zone for zone in zones if zone != near)]
    return (chosen[0], chosen[1]) if len(chosen) > 1 else (None, None)


_WITHOUT_EKS = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})
"""Zones where EKS puts no control plane.
https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html (2026-11)"""


def _existing_control_plane(given: spec.Network) -> tuple[Subnet, ...]:
    """The subnets named for it, or else the first private one of each zone.

    A control plane takes subnets of two zones or more, and one of each is enough.
    https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
    """
    if given.control_plane_subnets:
        return _planned(given, given.control_plane_subnets)
    private = _planned(given, given.private_subnets)
    by_zone = {subnet.zone: subnet for subnet in reversed(private)}
    return tuple(subnet for subnet in private if by_zone[subnet.zone] is subnet)


def _ownership(network: spec.Network) -> Iterator[Finding]:
    if network.vpc != "new":
        if not network.private_subnets:
            yield NO_SUBNETS.at(
                ("network", "vpc"),
                f"{network.vpc} is given without private_subnets",
                help="add private_subnets: [subnet-...]",
            )
        return
    for field in (
        *("private_subnets", "public_subnets", "control_plane_subnets"),
        "security_groups",
    ):
        if getattr(network, field):
            yield FOREIGN_IDS.at(
                ("network", field),
                f"{field} are given, but the VPC is new",
                help="add vpc: vpc-... that they belong to, or leave them out",
            )


def _cidr(cidr: str) -> Iterator[Finding]:
    block = ipaddress.ip_network(cidr)
    at = ("network", "cidr")
    if block.version != 4 or not 16 <= block.prefixlen <= 25:
        yield CIDR.at(
            at,
            f"{cidr} cannot be the block of a new VPC",
            help="between /16 and /25, e.g. 10.42.0.0/16",
        )
    elif not block.is_private:
        yield CIDR.at(
            at,
            f"{cidr} is a block of public addresses",
            help="take one of 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16",
            severity=Severity.WARNING,
        )


def _exists(zone: str, region: str) -> bool:
    """Whether a zone id is known; regions and Local Zones nobody surveyed are believed."""
    surveyed = regions.surveyed_zones().get(region)
    return surveyed is None or zone in surveyed or regions.is_local_zone(zone)


def _zone_message(zone: str, region: str) -> str:
    where = regions.region_of_zone(zone)
    return (
        f"{zone} is in {where}, not in {region}" if where else f"{zone!r} is not a zone of {region}"
    )


def _zone_help(region: str) -> str:
    known = regions.surveyed_zones().get(region)
    return f"one of {', '.join(known)}" if known else "zone ids look like use1-az6"
