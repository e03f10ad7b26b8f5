"""The VPC: in one zone, a private subnet for nodes and storage, a public one for NAT and login.

EKS adds two minimal subnets in two zones for the interfaces of its control plane. They need no
route out: the control plane reaches nodes inside the VPC. Two more are for the system nodes: the
cluster survives the loss of a zone, and its software runs where the spec's zone is a Local Zone.
https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html

Private nodes reach AWS through the NAT gateway, which they also need for packages and containers.
With ``network.internet: none`` there is no NAT, no internet gateway and no public subnet, and
:mod:`clustergen.services.foundation.endpoints` adds the endpoints of the services that nodes call.
"""

from clustergen.base.artifacts import Json
from clustergen.facts.catalog import regions
from clustergen.plan import storage_kinds
from clustergen.plan.model import Plan, Subnet
from clustergen.plan.network import zone_stem
from clustergen.services.aws import cfn
from clustergen.services.aws.members import present
from clustergen.services.foundation import endpoints
from clustergen.services.foundation.parts import Output, Part, keeps_data, lasting, named, serves


def part(plan: Plan) -> Part:
    """The VPC and its contents, if the spec requests a new one."""
    if not plan.network.new:
        return Part()
    closed = plan.network.closed
    public = Output("Subnet of NAT and login nodes", cfn.ref("PublicSubnet"))
    return Part(
        {
            **_vpc(plan),
            **({} if closed else {**_internet(plan), **_public(plan), **_nat(plan)}),
            **_private(plan),
            **_zonal(plan),
            **_control_plane(plan),
            **_system(plan),
            **endpoints.resources(plan),
        },
        {
            "VpcId": Output("The VPC of the cluster", cfn.ref("Vpc")),
            "PrivateSubnetId": Output("Subnet of nodes and file systems", cfn.ref("PrivateSubnet")),
            **({} if closed else {"PublicSubnetId": public}),
            **{
                f"{name}Id": Output(f"Subnet of nodes in {place.zone}", cfn.ref(name))
                for name, place in _zonal_subnets(plan).items()
            },
            **{
                f"{name}Id": Output("Subnet of an EKS control plane", cfn.ref(name))
                for name in _control_plane(plan)
            },
            **{
                f"{name}Id": Output("Subnet of EKS system nodes", cfn.ref(name))
                for name in _system_subnets(plan)
            },
        },
    )


def _vpc(plan: Plan) -> Json:
    properties = {
        "CidrBlock": plan.network.cidr,
        # File systems are mounted by DNS name; PCS and EFA nodes resolve each other's names.
        "EnableDnsSupport": True,
        "EnableDnsHostnames": True,
        "Tags": named(plan, "vpc"),
    }
    return {"Vpc": lasting(cfn.resource("AWS::EC2::VPC", properties), _stays(plan))}


def _internet(plan: Plan) -> Json:
    tags = {"Tags": named(plan, "internet")}
    between = {"VpcId": cfn.ref("Vpc"), "InternetGatewayId": cfn.ref("InternetGateway")}
    return {
        "InternetGateway": cfn.resource("AWS::EC2::InternetGateway", tags),
        "InternetAttachment": cfn.resource("AWS::EC2::VPCGatewayAttachment", between),
    }


def _public(plan: Plan) -> Json:
    place = plan.network.public[0]
    subnet = _subnet(plan, "public", place.cidr, _public_zone(place), BALANCERS)
    # Login nodes that accept SSH from outside need a public address; otherwise only the NAT gateway
    # is here.
    subnet["Properties"]["MapPublicIpOnLaunch"] = bool(plan.network.ssh_from)
    default = {"GatewayId": cfn.ref("InternetGateway")}
    return {
        "PublicSubnet": subnet,
        **_routes(plan, "Public", default, depends_on="InternetAttachment"),
    }


def _nat(plan: Plan) -> Json:
    return {
        "NatAddress": {
            "Type": "AWS::EC2::EIP",
            # The address is usable only once the internet gateway is attached.
            # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-ec2-eip.html
            "DependsOn": "InternetAttachment",
            "Properties": {"Domain": "vpc", "Tags": named(plan, "nat")},
        },
        "NatGateway": {
            "Type": "AWS::EC2::NatGateway",
            "DependsOn": "InternetAttachment",
            "Properties": {
                "AllocationId": cfn.get_att("NatAddress", "AllocationId"),
                "SubnetId": cfn.ref("PublicSubnet"),
                "Tags": named(plan, "nat"),
            },
        },
    }


def _private(plan: Plan) -> Json:
    place = plan.network.private[0]
    # Load balancers go beside the system nodes, where those have subnets of their own.
    role = "" if _system_subnets(plan) else INTERNAL_BALANCERS
    subnet = _subnet(plan, "private", place.cidr, _zone_of(place), role)
    default = None if plan.network.closed else {"NatGatewayId": cfn.ref("NatGateway")}
    return {"PrivateSubnet": lasting(subnet, _stays(plan)), **_routes(plan, "Private", default)}


def _zonal_subnets(plan: Plan) -> dict[str, Subnet]:
    """By logical id."""
    return {zone_stem(place.zone or ""): place for place in plan.network.zonal}


def _zonal(plan: Plan) -> Json:
    """Subnets of node groups in other zones. Their traffic takes the NAT gateway of the VPC."""
    made: Json = {}
    for name, place in _zonal_subnets(plan).items():
        made[name] = _subnet(plan, f"private-{place.zone}", place.cidr, _zone_of(place))
        made[f"{name}RoutesAssociation"] = _association("PrivateRoutes", name)
    return made


def _control_plane(plan: Plan) -> Json:
    if not serves(plan, "eks-network"):
        return {}
    return {
        f"ControlPlaneSubnet{number}": _subnet(
            plan, f"control-plane-{number}", place.cidr, _zone(place, number)
        )
        for number, place in enumerate(plan.network.control_plane, 1)
    }


def _system_subnets(plan: Plan) -> dict[str, Subnet]:
    """By logical id; none where the block leaves no room for them beside the other subnets."""
    if not serves(plan, "eks-network"):
        return {}
    own = [place for place in plan.network.system if place not in plan.network.private]
    return {f"SystemSubnet{number}": place for number, place in enumerate(own, 1)}


def _system(plan: Plan) -> Json:
    made: Json = {}
    for number, (name, place) in enumerate(_system_subnets(plan).items(), 1):
        made[name] = _subnet(
            plan, f"system-{number}", place.cidr, _zone(place, number), INTERNAL_BALANCERS
        )
        made[f"{name}RoutesAssociation"] = _association("PrivateRoutes", name)
    return made


def _zone(place: Subnet, number: int) -> Json:
    """Of one of two subnets in two zones, which CloudFormation chooses where none are known."""
    return _zone_of(place) if place.zone else _nth_zone(number - 1)


def _routes(plan: Plan, side: str, default: Json | None, depends_on: str | None = None) -> Json:
    """The route table of a subnet, its default route if there is one, and their association."""
    name = f"{side}Routes"
    properties = {"VpcId": cfn.ref("Vpc"), "Tags": named(plan, side.lower())}
    table = cfn.resource("AWS::EC2::RouteTable", properties)
    if default is None:
        return {name: table, f"{name}Association": _association(name, f"{side}Subnet")}
    route = {"RouteTableId": cfn.ref(name), "DestinationCidrBlock": "0.0.0.0/0", **default}
    after = present(DependsOn=depends_on)
    return {
        name: table,
        f"{side}DefaultRoute": {"Type": "AWS::EC2::Route", **after, "Properties": route},
        f"{name}Association": _association(name, f"{side}Subnet"),
    }


def _association(table: str, subnet: str) -> Json:
    properties = {"RouteTableId": cfn.ref(table), "SubnetId": cfn.ref(subnet)}
    return cfn.resource("AWS::EC2::SubnetRouteTableAssociation", properties)


def _stays(plan: Plan) -> bool:
    """Whether to retain the VPC and subnet: they cannot be deleted with a file system in them."""
    return keeps_data(storage_kinds.created(plan))


# https://docs.aws.amazon.com/eks/latest/userguide/network-load-balancing.html (2026-11)
BALANCERS, INTERNAL_BALANCERS = "kubernetes.io/role/elb", "kubernetes.io/role/internal-elb"
"""Tags by which Kubernetes finds the subnets of load balancers."""


def _subnet(plan: Plan, side: str, cidr: str | None, zone: Json, role: str = "") -> Json:
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


def _zone_of(subnet: Subnet) -> Json:
    zone = subnet.zone or ""
    return {"AvailabilityZoneId" if regions.is_zone_id(zone) else "AvailabilityZone": zone}


def _public_zone(subnet: Subnet) -> Json:
    """The zone of the NAT gateway: not a Local Zone, because few have NAT gateways.

    https://docs.aws.amazon.com/local-zones/latest/ug/local-zones-connectivity-nat.html
    """
    if regions.is_local_zone(subnet.zone or ""):
        return _nth_zone(0)
    return _zone_of(subnet)


def _nth_zone(number: int) -> Json:
    return {"AvailabilityZone": {"Fn::Select": [number, {"Fn::GetAZs": ""}]}}
