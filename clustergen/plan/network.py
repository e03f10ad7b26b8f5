"""The network of a plan: subnets, security groups, addresses."""

from __future__ import annotations

import functools
import ipaddress
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from clustergen.base.findings import Path
from clustergen.facts.catalog import regions
from clustergen.plan.model import NEW, Decision, Id, Network, Plan, Ref, Subnet
from clustergen.plan.model.foundation import Served

if TYPE_CHECKING:
    from clustergen.spec import network as spec
    from clustergen.spec.model import Spec

DEFAULT_CIDR = "10.42.0.0/16"
"""The largest possible VPC, so that a cluster can grow; one /16, as Lustre over EFA needs.
https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html"""

RESERVED_ADDRESSES = 5
"""Addresses of a subnet that AWS reserves.
https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html"""

SMALLEST_SUBNET = 28
"""Prefix length of the smallest possible subnet; same source."""


def ssh_sources(plan: Plan) -> list[tuple[Path, str | None]]:
    """The blocks and prefix lists that may use SSH, of all nodes and of single ones."""
    everywhere = plan.network.ssh_from
    own = [(node.at("ssh_from"), node.ssh_from) for node in plan.machines]
    return [*((("network", "ssh_from", n), source) for n, source in enumerate(everywhere)), *own]


class Planned(NamedTuple):
    network: Network
    decisions: tuple[Decision, ...]


def plan(spec: Spec, served: Served) -> Planned:
    """The network of a spec without fatal findings; addresses are counted later."""
    given = spec.network
    new = given.vpc == "new"
    existing = _planned(given, given.private_subnets), _planned(given, given.public_subnets)
    private, public = _new_subnets(given) if new else existing
    cidr = (given.cidr or DEFAULT_CIDR) if new else given.cidr
    control_plane = _new_control_plane(spec) if new else _existing_control_plane(given)
    groups: tuple[Id, ...] = tuple(given.security_groups)
    login: tuple[Id, ...] = () if groups else (Ref("LoginSecurityGroupId"),)
    network = Network(
        vpc=Ref("VpcId") if new else given.vpc,
        new=new,
        zone=given.zone,
        cidr=cidr,
        private=private,
        public=public,
        control_plane=control_plane,
        zonal=_zonal(spec) if new else (),
        system=(_new_system(cidr, control_plane) if new else ()) or _regional(private),
        node_security_groups=groups or (Ref("ClusterSecurityGroupId"),),
        login_security_groups=login,
        new_security_groups=not groups,
        ssh_from=tuple(given.ssh_from),
        needed_addresses=0,
        control_plane_security_group=_control_plane(spec),
        internet=given.internet,
        scheduler_security_group=_scheduler(spec, served),
    )
    decisions = _decisions(network, given) if new else ()
    return Planned(network, decisions)


def _control_plane(spec: Spec) -> str | None:
    """The security group of an existing EKS cluster. It is the same for all targets, because the
    foundation that opens it to the nodes is. Nodes that join a HyperPod cluster get the group."""
    sections = [each for each in vars(spec.targets).values() if each is not None]
    creating = (each for each in sections if getattr(each, "cluster", NEW) == NEW)
    groups = (getattr(each, "eks_security_group", None) for each in creating)
    return next(filter(None, groups), None)


def _scheduler(spec: Spec, served: Served) -> str | None:
    """The security group of a scheduler that exists; the same for all targets, too."""
    names = (name.replace("-", "_") for name in served.needing("scheduler-access"))
    sections = filter(None, (getattr(spec.targets, name, None) for name in names))
    return next((section.cluster_security_group for section in sections), None)


_INTERNAL = tuple(
    map(ipaddress.IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"))
)


def is_prefix_list(source: str) -> bool:
    """Whether an SSH source is a prefix list, whose blocks only AWS knows."""
    return source.startswith("pl-")


def is_internal(block: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    """Whether the block is private: RFC 1918, or shared address space (RFC 6598).

    ``is_private`` excludes shared addresses, and includes blocks for documentation, which specs use
    as examples of public ones.
    """
    return isinstance(block, ipaddress.IPv4Network) and any(map(block.subnet_of, _INTERNAL))


@functools.lru_cache(maxsize=1024)
def capacity(cidr: str) -> int:
    """The number of usable addresses of a subnet."""
    return ipaddress.ip_network(cidr).num_addresses - RESERVED_ADDRESSES


def _decisions(network: Network, given: spec.Network) -> tuple[Decision, ...]:
    if given.cidr:
        return ()
    private = network.private[0].cidr
    text = f"new VPC {network.cidr}; nodes in {private}, {capacity(str(private)):,} addresses"
    return (Decision(("network", "cidr"), text),)


@functools.lru_cache(maxsize=1024)
def split(cidr: str) -> tuple[str, str]:
    """The blocks of the private and the public subnet of a new VPC.

    The lower half is for nodes. A sixteenth of the block, or the smallest possible subnet, is for
    NAT and login nodes.
    """
    private, rest = ipaddress.ip_network(cidr).subnets(1)
    public = next(rest.subnets(min(3, SMALLEST_SUBNET - rest.prefixlen)))
    return str(private), str(public)


def _new_subnets(given: spec.Network) -> tuple[tuple[Subnet, ...], tuple[Subnet, ...]]:
    private, public = split(given.cidr or DEFAULT_CIDR)
    return (
        (Subnet(Ref("PrivateSubnetId"), given.zone, private),),
        (Subnet(Ref("PublicSubnetId"), given.zone, public),) if given.internet == "nat" else (),
    )


SMALLEST_WITH_ZONES = 22
"""Prefix length of the smallest VPC with room for subnets in further zones."""
_MOST_ZONES = 6
"""Zones of the largest region."""


def _zonal(spec: Spec) -> tuple[Subnet, ...]:
    """A subnet for each zone that node groups have besides that of the network."""
    zones = dict.fromkeys(group.zone for group in spec.node_groups if group.zone)
    found = ((zone, zone_block(spec.network, zone)) for zone in zones)
    return tuple(Subnet(Ref(f"{zone_stem(zone)}Id"), zone, block) for zone, block in found if block)


def zone_stem(zone: str) -> str:
    """``PrivateSubnetAz4`` of use1-az4, ``PrivateSubnetB`` of us-east-1b."""
    own = zone.rpartition("-")[2] if regions.is_zone_id(zone) else zone[-1]
    return f"PrivateSubnet{own.capitalize()}"


def zone_block(given: spec.Network, zone: str) -> str | None:
    """The block of a zone's subnet; None for the zone of the network, or where there is none.

    Each zone has its own, so that a subnet stays as it is when groups come and go. They are 32nds
    of the VPC, in what :func:`split`, system nodes and control planes leave free.
    """
    cidr = ipaddress.ip_network(given.cidr or DEFAULT_CIDR)
    own, other = (_zone_number(each or "", zone) for each in (given.zone, zone))
    if own is None or other is None or own == other or cidr.prefixlen > SMALLEST_WITH_ZONES:
        return None
    others = [number for number in range(1, _MOST_ZONES + 1) if number != own]
    _, rest = cidr.subnets(1)
    parts = list(rest.subnets(4))
    return str(parts[_FREE_PARTS[others.index(other)]])


_FREE_PARTS = (2, 3, 12, 13, 14)


def _zone_number(zone: str, like: str) -> int | None:
    """4 of use1-az4 and of us-east-1d; None for Local Zones, and in another notation."""
    if not zone or regions.is_local_zone(zone):
        return None
    if regions.is_zone_id(zone) != regions.is_zone_id(like):
        return None
    end = zone[-1]
    number = int(end) if end.isdigit() else ord(end) - ord("a") + 1
    return number if 1 <= number <= _MOST_ZONES else None


def _planned(given: spec.Network, subnets: Sequence[spec.ExistingSubnet]) -> tuple[Subnet, ...]:
    return tuple(Subnet(s.id, s.zone or given.zone, s.cidr) for s in subnets)


def _new_control_plane(spec: Spec) -> tuple[Subnet, ...]:
    """The last two minimal subnets of the block, which :func:`split` leaves free."""
    blocks = _last_blocks(spec.network.cidr or DEFAULT_CIDR)
    zones = control_plane_zones(spec.region, spec.network.zone)
    return tuple(
        Subnet(Ref(f"ControlPlaneSubnet{number}Id"), zone, block)
        for number, (zone, block) in enumerate(zip(zones, blocks, strict=True), 1)
    )


@functools.lru_cache(maxsize=1024)
def _last_blocks(cidr: str) -> tuple[str, str]:
    """The last two minimal blocks of ``cidr``."""
    block = ipaddress.ip_network(cidr)
    size = 2 ** (block.max_prefixlen - SMALLEST_SUBNET)
    end = int(block.broadcast_address) + 1
    first, second = (ipaddress.ip_network((end - left * size, SMALLEST_SUBNET)) for left in (2, 1))
    return str(first), str(second)


@functools.lru_cache(maxsize=1024)
def system_blocks(cidr: str) -> tuple[str, ...]:
    """The blocks of the system nodes' two subnets, between those of :func:`split` and the control
    plane's; none where that leaves too few addresses for a node and its pods.
    """
    block = ipaddress.ip_network(cidr)
    if block.prefixlen > _SMALLEST_WITH_SYSTEM_SUBNETS:
        return ()
    _, rest = block.subnets(1)
    quarters = list(rest.subnets(2))
    return str(quarters[1]), str(quarters[2])


_SMALLEST_WITH_SYSTEM_SUBNETS = 24


def _new_system(cidr: str | None, control_plane: Sequence[Subnet]) -> tuple[Subnet, ...]:
    """A subnet in each zone of the control plane, for the loss of one to leave the other's nodes.

    https://docs.aws.amazon.com/eks/latest/best-practices/reliability.html
    """
    blocks = system_blocks(cidr or DEFAULT_CIDR)
    return tuple(
        Subnet(Ref(f"SystemSubnet{number}Id"), beside.zone, block)
        for number, (beside, block) in enumerate(zip(control_plane, blocks, strict=False), 1)
    )


def _regional(private: tuple[Subnet, ...]) -> tuple[Subnet, ...]:
    """The private subnets in zones of the region, or all of them where there is no such."""
    return tuple(s for s in private if not regions.is_local_zone(s.zone or "")) or private


def control_plane_zones(region: str, near: str | None) -> tuple[str, str] | tuple[None, None]:
    """Ids of two zones for an EKS control plane; the first is that of the nodes if possible.

    None if the zones of the region are unknown; CloudFormation then chooses two.
    """
    zones = [z for z in regions.surveyed_zones().get(region, ()) if z not in _WITHOUT_EKS]
    first = [zone for zone in zones if zone == near]
    chosen = [*first, *(zone for zone in zones if zone != near)]
    return (chosen[0], chosen[1]) if len(chosen) > 1 else (None, None)


_WITHOUT_EKS = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})
"""Zones without support for EKS control planes.
https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html (2026-11)"""


def _existing_control_plane(given: spec.Network) -> tuple[Subnet, ...]:
    """The subnets for the control plane in the spec, or else the first private one per zone.

    A control plane needs subnets in at least two zones, and one in each is enough.
    https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
    """
    if given.control_plane_subnets:
        return _planned(given, given.control_plane_subnets)
    private = _planned(given, given.private_subnets)
    by_zone = {subnet.zone: subnet for subnet in reversed(private)}
    return tuple(subnet for subnet in private if by_zone[subnet.zone] is subnet)
