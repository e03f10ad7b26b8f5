"""Default routes of existing subnets."""

from collections.abc import Iterator, Mapping
from typing import Final

from clustergen.base.account import Answer
from clustergen.base.findings import Problem, Severity, rule
from clustergen.checking.preflight import network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.network import Given
from clustergen.checking.preflight.rules import listed
from clustergen.facts.catalog.endpoints import service_of
from clustergen.plan import endpoints
from clustergen.plan.model import Plan

ENDPOINTS: Final = "ec2:DescribeVpcEndpoints"
GUIDE: Final = "https://docs.aws.amazon.com/vpc/latest/userguide/"
_ANYWHERE: Final = "0.0.0.0/0"


def _route_by_hand(plan: Plan) -> str:
    out = "a default route to a NAT gateway, not to an internet gateway"
    ways = {
        "private": "no default route" if plan.network.closed else out,
        "public": "a default route to an internet gateway",
    }
    given = network.given_subnets(plan)
    names = {use: listed(each.id for each in given if each.use == use) for use in ways}
    return "\n".join(f"{names[use]}: {way}" for use, way in ways.items() if names[use])


@rule(
    "PRE043",
    "The subnet has the wrong default route",
    why="Nodes in private subnets reach AWS through NAT or endpoints. Behind an internet gateway "
    "they would need public addresses, which nodes with several network cards cannot get.",
    source=f"{GUIDE}route-table-options.html",
    calls=(network.SUBNETS, network.TABLES, ENDPOINTS),
    by_hand=_route_by_hand,
    bad="ec2:DescribeRouteTables: {Routes: [{DestinationCidrBlock: 0.0.0.0/0, GatewayId: igw-1, "
    "State: active}]}",
    good="ec2:DescribeRouteTables: {Routes: [{DestinationCidrBlock: 0.0.0.0/0, NatGatewayId: "
    "nat-1, State: active}]}",
)
def route(case: Case) -> Iterator[Problem]:
    tables = _tables(case)
    for given, found in network.existing(case):
        table = tables.get(given.id) or tables.get(found["VpcId"])
        if table is None:
            continue
        routes = (r for r in table.get("Routes", ()) if r.get("DestinationCidrBlock") == _ANYWHERE)
        default = next(routes, None)
        if given.use == "public":
            yield from _of_public(case, given, table, default)
        elif given.use == "private":
            yield from _of_private(case, given, found, table, default)


def _tables(case: Case) -> Mapping[str, Answer]:
    """Route tables by subnet; the main table by VPC, for subnets without one of their own."""
    vpcs = {found["VpcId"] for _, found in network.existing(case)}
    if not vpcs:
        return {}
    known: dict[str, Answer] = {}
    wanted = network.filtered("vpc-id", vpcs)
    for table in case.every(network.TABLES, "RouteTables", Filters=wanted):
        for association in table.get("Associations", ()):
            if association.get("SubnetId"):
                known[association["SubnetId"]] = table
            elif association.get("Main"):
                known[table["VpcId"]] = table
    return known


def _is_public(route: Answer | None) -> bool:
    return bool(route and route.get("GatewayId", "").startswith("igw-"))


def _of_public(
    case: Case, given: Given, table: Answer, default: Answer | None
) -> Iterator[Problem]:
    if not _is_public(default):
        yield Problem(
            given.path,
            f"{given.id} is a public subnet in the spec, and has no route to an internet gateway",
            f"aws ec2 create-route --region {case.region} --route-table-id "
            f"{table['RouteTableId']} --destination-cidr-block 0.0.0.0/0 --gateway-id igw-...",
        )


def _of_private(
    case: Case, given: Given, found: Answer, table: Answer, default: Answer | None
) -> Iterator[Problem]:
    if default and default.get("State") == "blackhole":
        message = f"the default route of {given.id} leads to a gateway that is gone"
        yield Problem(given.path, message, _to_nat(case, table, "replace-route"))
    elif _is_public(default):
        several = any(len(group.interfaces) > 1 for group in case.plan.node_groups)
        reached = found.get("MapPublicIpOnLaunch") and not several and not case.plan.sagemaker
        yield Problem(
            given.path,
            f"{given.id} is a public subnet, and nodes "
            + ("get public addresses" if reached else "get no public address: no way out"),
            _to_nat(case, table, "replace-route"),
            severity=Severity.WARNING if reached else Severity.ERROR,
        )
    elif default is None and (missing := _missing_endpoints(case, found["VpcId"], table)):
        closed = case.plan.network.closed
        yield Problem(
            given.path,
            f"{given.id} has no default route, and the VPC no endpoint of {', '.join(missing)}",
            "create these endpoints"
            if closed
            else _to_nat(case, table, "create-route") + "; or create these endpoints",
        )


def _to_nat(case: Case, table: Answer, verb: str) -> str:
    return (
        f"aws ec2 {verb} --region {case.region} --route-table-id {table['RouteTableId']} "
        "--destination-cidr-block 0.0.0.0/0 --nat-gateway-id nat-..."
    )


def _missing_endpoints(case: Case, vpc: str, table: Answer) -> list[str]:
    """The services that nodes need and neither the VPC nor, for gateways, the routes have."""
    found = case.every(ENDPOINTS, "VpcEndpoints", Filters=network.filtered("vpc-id", [vpc]))
    routes = {route.get("GatewayId") for route in table.get("Routes", ())}
    usable = set()
    for endpoint in found:
        gateway = endpoint.get("VpcEndpointType") == "Gateway"
        reached = endpoint["VpcEndpointId"] in routes if gateway else True
        if reached and endpoint.get("State", "").lower() == "available":
            usable.add(service_of(endpoint["ServiceName"], case.region))
    plan = case.plan
    always = plan.shared.served.needs[plan.target].endpoints.always
    services = endpoints.needed(plan) if plan.network.closed else always
    return [service for service in services if service not in usable]
