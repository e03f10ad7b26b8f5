"""Region, zone and VPC: requirements for planning."""

import ipaddress
from collections.abc import Iterator

from clustergen.base.findings import (
    Fix,
    Path,
    Problem,
    Severity,
    corrected,
    put,
    rule,
    unsafe,
    unwanted,
    warning,
)
from clustergen.facts import catalog
from clustergen.facts.catalog import regions
from clustergen.plan.network import is_internal
from clustergen.spec import Spec

_AZ_IDS = "https://docs.aws.amazon.com/global-infrastructure/latest/regions/az-ids.html"


@rule(
    "NET001",
    "Unknown region",
    fixes="safe or unsafe",
    why="All resources are created in the region; its name determines endpoints, partition and "
    "zones.",
    source="https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html",
    bad="region: us-east1",
    fatal=True,
)
def region(spec: Spec) -> Iterator[Problem]:
    if spec.region not in regions.REGIONS:
        near = regions.nearest(spec.region)
        help = f"did you mean {near}?" if near else "regions look like us-east-1"
        fix = corrected(("region",), spec.region, near) if near else None
        yield Problem(("region",), f"{spec.region!r} is not a region", help=help, fix=fix)


@rule(
    "NET002",
    "The zone is not in the region",
    why="Nodes, file systems and reservations must share a zone, so it has to exist.",
    source=_AZ_IDS,
    bad="network: {zone: usw2-az1}",
    fatal=True,
)
def zones(spec: Spec) -> Iterator[Problem]:
    region = spec.region
    for path, zone in _zones(spec) if region in regions.REGIONS else ():
        if regions.region_of_zone(zone) != region:
            fix = _another_zone(path, spec)
            yield Problem(path, _elsewhere(zone, region), help=_known_zones(region), fix=fix)
        elif regions.is_zone_id(zone) and not _exists(zone, region):
            help, fix = _known_zones(region), _another_zone(path, spec)
            yield Problem(path, f"{region} has no zone {zone}", help=help, fix=fix)


def _zones(spec: Spec) -> Iterator[tuple[Path, str]]:
    if spec.network.zone:
        yield ("network", "zone"), spec.network.zone
    for index, group in enumerate(spec.node_groups):
        if group.zone:
            yield ("node_groups", index, "zone"), group.zone
    for field in ("private_subnets", "public_subnets", "control_plane_subnets"):
        for index, subnet in enumerate(getattr(spec.network, field)):
            if subnet.zone:
                yield ("network", field, index, "zone"), subnet.zone


def _exists(zone: str, region: str) -> bool:
    """Whether a zone id exists; assumed in regions and Local Zones without data."""
    surveyed = regions.surveyed_zones().get(region)
    return surveyed is None or zone in surveyed or regions.is_local_zone(zone)


@warning(
    "NET016",
    "Zone name that the region does not have",
    why="Zones are named by letters, as many as the region has zones. Which zone a letter stands "
    "for differs between accounts; zone ids (use1-az6) do not.",
    source=_AZ_IDS,
    bad="region: us-east-2\nnetwork: {zone: us-east-2d}",
)
def zone_letters(spec: Spec) -> Iterator[Problem]:
    for path, zone in _zones(spec):
        letters = regions.zone_letters(spec.region)
        named = regions.region_of_zone(zone) == spec.region and not regions.is_zone_id(zone)
        if named and letters and not regions.is_local_zone(zone) and zone[-1] not in letters:
            known = ", ".join(spec.region + letter for letter in letters)
            help = f"{known}, or a zone id: {', '.join(regions.surveyed_zones()[spec.region])}"
            fix = unsafe(put(path, spec.region + letters[-1]))
            yield Problem(path, f"{zone} is not known to exist", help=help, fix=fix)


def _elsewhere(zone: str, region: str) -> str:
    where = regions.region_of_zone(zone)
    return (
        f"{zone} is in {where}, not in {region}" if where else f"{zone!r} is not a zone of {region}"
    )


def _another_zone(path: Path, spec: Spec) -> Fix | None:
    """A zone of the region that offers the instance types of the spec; not for a subnet's zone."""
    if path != ("network", "zone"):
        return None
    zones = regions.surveyed_zones().get(spec.region, ())
    types = [t for group in spec.node_groups for t in (group.instance_type, *group.instance_types)]
    known = [found for name in types if name and (found := catalog.find(name))]
    offering = [z for z in zones if all(type.offered_in_zone(z) for type in known)]
    return unsafe(put(path, (offering or zones)[0])) if zones else None


def _known_zones(region: str) -> str:
    known = regions.surveyed_zones().get(region)
    return f"one of {', '.join(known)}" if known else "zone ids look like use1-az6"


@rule(
    "NET003",
    "No zone and no subnets",
    why="Tightly coupled nodes and FSx for Lustre are in one zone, and only you know where your "
    "capacity is.",
    source=_AZ_IDS,
    bad="network: {zone: null}",
    fatal=True,
)
def missing_zone(spec: Spec) -> Iterator[Problem]:
    given = spec.network.zone or spec.network.private_subnets or spec.network.vpc != "new"
    if not given:
        yield Problem(
            ("network", "zone"),
            "network.zone is missing",
            help=_known_zones(spec.region),
            fix=_another_zone(("network", "zone"), spec),
        )


@rule(
    "NET004",
    "Existing VPC without its subnets",
    why="A VPC id alone does not determine the subnets of the nodes.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/configure-subnets.html",
    bad="network: {vpc: vpc-0a1b2c3d4e5f67890}",
    good="network: {vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890]}",
    fatal=True,
)
def missing_subnets(spec: Spec) -> Iterator[Problem]:
    if spec.network.vpc != "new" and not spec.network.private_subnets:
        yield Problem(
            ("network", "vpc"),
            f"{spec.network.vpc} is given without private_subnets",
            help="add private_subnets: [subnet-...]",
        )


@rule(
    "NET005",
    "Existing subnets or security groups in a new VPC",
    why="Subnets and security groups belong to a VPC and cannot be used in another one.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-security-groups.html",
    bad="network: {private_subnets: [subnet-0a1b2c3d4e5f67890]}",
    good="network: {vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890]}",
    fatal=True,
)
def ids_in_a_new_vpc(spec: Spec) -> Iterator[Problem]:
    fields = ("private_subnets", "public_subnets", "control_plane_subnets", "security_groups")
    for field in fields if spec.network.vpc == "new" else ():
        if getattr(spec.network, field):
            yield unwanted(
                ("network", field),
                f"{field} are given, but the VPC is new",
                help="add vpc: vpc-... that they belong to, or remove them",
            )


@warning(
    "NET050",
    "Nodes with existing subnets or security groups in a new VPC",
    why="Subnets and security groups belong to a VPC and cannot be used in another one. Only those "
    "that you create in the new VPC after the first deployment work.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-security-groups.html",
    bad="node_groups: [{name: h200, security_groups: [sg-0a1b2c3d4e5f67890]}]",
    good="network: {vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890]}\n"
    "node_groups: [{name: h200, security_groups: [sg-0a1b2c3d4e5f67890]}]",
)
def node_ids_in_a_new_vpc(spec: Spec) -> Iterator[Problem]:
    groups = ((("node_groups", index), group) for index, group in enumerate(spec.node_groups))
    machines = ((("head_node",), spec.head_node), (("login",), spec.login))
    for place, nodes in (*machines, *groups) if spec.network.vpc == "new" else ():
        for field in ("subnet", "subnets", "security_groups"):
            if getattr(nodes, field, None):
                yield unwanted(
                    (*place, field),
                    f"{field} of an existing VPC, but network.vpc is new",
                    help="write network.vpc and private_subnets, or remove it",
                )


@rule(
    "NET006",
    "Invalid CIDR block for a VPC",
    why="A VPC has an IPv4 block between /16 and /28; a new one here needs room for four subnets.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html",
    bad="network: {cidr: 10.0.0.0/8}",
    fatal=True,
)
def block(spec: Spec) -> Iterator[Problem]:
    at, cidr = ("network", "cidr"), spec.network.cidr
    if not cidr or spec.network.vpc != "new":
        return
    network = ipaddress.ip_network(cidr)
    if network.version != 4 or not 16 <= network.prefixlen <= 25:
        yield Problem(
            at,
            f"{cidr} cannot be the block of a new VPC",
            help="between /16 and /25, e.g. 10.42.0.0/16",
            fix=_resized(network) if network.version == 4 else None,
        )
    elif not (network.is_private or is_internal(network)):
        yield Problem(
            at,
            f"{cidr} is a block of public addresses",
            help="use one of 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10",
            severity=Severity.WARNING,
        )


def _resized(network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> Fix:
    """The block at the same address with a size that a VPC may have."""
    length = min(max(network.prefixlen, 16), 25)
    block = ipaddress.ip_network(f"{network.network_address}/{length}", strict=False)
    return unsafe(put(("network", "cidr"), str(block)))
