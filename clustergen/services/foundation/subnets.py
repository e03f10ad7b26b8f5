"""A subnet of the VPC: its zone, and the tags by which Kubernetes finds it."""

from clustergen.base.artifacts import Json
from clustergen.facts.catalog import regions
from clustergen.plan.model import Plan, Subnet
from clustergen.services.aws import cfn
from clustergen.services.foundation.parts import serves

# https://docs.aws.amazon.com/eks/latest/userguide/network-load-balancing.html (2026-11)
BALANCERS, INTERNAL_BALANCERS = "kubernetes.io/role/elb", "kubernetes.io/role/internal-elb"
"""Tags by which Kubernetes finds the subnets of load balancers."""


def subnet(plan: Plan, side: str, cidr: str | None, zone: Json, role: str = "") -> Json:
    """A subnet that gives no public addresses; ``role`` is its tag if there is a cluster of EKS."""
    tags = {role: "1"} if role and serves(plan, "eks-network") else {}
    properties = {
        "VpcId": cfn.ref("Vpc"),
        "CidrBlock": cidr,
        **zone,
        "MapPublicIpOnLaunch": False,
        "Tags": cfn.tags({**plan.tags, **tags}, Name=f"{plan.name}-{side}"),
    }
    made = cfn.resource("AWS::EC2::Subnet", properties)
    if isinstance(zone.get("AvailabilityZone"), str):
        # A zone name is the user's choice, not an oversight: the capacity is there.
        made["Metadata"] = {"cfn-lint": {"config": {"ignore_checks": ["W3010"]}}}
    return made


def zone_of(subnet: Subnet) -> Json:
    zone = subnet.zone or ""
    return {"AvailabilityZoneId" if regions.is_zone_id(zone) else "AvailabilityZone": zone}


def public_zone(subnet: Subnet) -> Json:
    """The zone of the NAT gateway: not a Local Zone, because few have NAT gateways.

    https://docs.aws.amazon.com/local-zones/latest/ug/local-zones-connectivity-nat.html
    """
    if regions.is_local_zone(subnet.zone or ""):
        return nth_zone(0)
    return zone_of(subnet)


def nth_zone(number: int) -> Json:
    return {"AvailabilityZone": {"Fn::Select": [number, {"Fn::GetAZs": ""}]}}
