"""Endpoints that the foundation creates where no way leads to the internet."""

from collections.abc import Iterator
from typing import Final

from clustergen.base.account import Answer
from clustergen.base.findings import Problem, rule
from clustergen.checking.preflight import network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import listed
from clustergen.facts.catalog.endpoints import GATEWAYS, service_name
from clustergen.plan import endpoints
from clustergen.plan.model import Plan

SERVICES: Final = "ec2:DescribeVpcEndpointServices"


def _names(plan: Plan) -> dict[str, str]:
    """The name of each service whose endpoint the foundation creates -> its short name."""
    created = endpoints.created(plan) if plan.network.closed else ()
    return {service_name(each, plan.partition, plan.region): each for each in created}


def _by_hand(plan: Plan) -> str:
    names = listed(_names(plan).values())
    where = plan.network.zone or plan.region
    return f"AWS has endpoints of {names} in {where}" if names else ""


@rule(
    "PRE045",
    "AWS has no endpoint of a service in the zone",
    why="Not every service has endpoints in every zone. The foundation creates them in the zone of "
    "the nodes. Deploying it fails if an endpoint service does not exist there.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html",
    calls=(SERVICES,),
    by_hand=_by_hand,
    bad="ec2:DescribeVpcEndpointServices: {AvailabilityZoneIds: [use1-az1]}",
    good="ec2:DescribeVpcEndpointServices: {AvailabilityZoneIds: [use1-az1, use1-az6]}",
)
def endpoint_services(case: Case) -> Iterator[Problem]:
    names = _names(case.plan)
    if not names:
        return
    wanted = network.filtered("service-name", names)
    found: dict[str, set[str]] = {}
    for each in case.every(SERVICES, "ServiceDetails", Filters=wanted):
        found.setdefault(each["ServiceName"], set()).update(_zones(each))
    zone = case.plan.network.zone
    for name, service in names.items():
        if name not in found:
            where = case.region
        elif zone and service not in GATEWAYS and found[name] and zone not in found[name]:
            where = zone
        else:
            continue
        yield Problem(
            ("network", "zone" if where == zone else "internet"),
            f"AWS has no endpoint of {service} in {where}",
            "choose another zone, or give an existing VPC with an endpoint of it in another zone"
            if where == zone
            else "choose another region, or remove internet: none",
        )


def _zones(service: Answer) -> list[str]:
    """Names and ids of its zones. Some answers have no ids, and a zone may be written as one."""
    ids = service.get("AvailabilityZoneIds", ())
    return [*ids, *service.get("AvailabilityZones", ())] if ids else []
