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
from clustergen.plan import storage_kinds
from clustergen.plan.model import Plan, Subnet
from clustergen.plan.network import zone_stem
from clustergen.services.aws import cfn
from clustergen.services.foundation import endpoints, subnets
from clustergen.services.foundation.parts import (
    NOTHING,
    Output,
    Part,
    keeps_data,
    lasting,
    named,
    serves,
)


def part(plan: Plan) -> Part:
    """The VPC and its contents, if the spec requests a new one."""
    if not plan.network.new:
        return NOTHING
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
    # Login nodes that accept SSH from outside need a public address; otherwise only the NAT gateway
    # is here.
    public_ip = bool(plan.network.ssh_from)
    subnet = subnets.subnet(
        plan, "public", place.cidr, subnets.public_zone(place), subnets.BALANCERS
    )
    subnet["Properties"]["MapPublicIpOnLaunch"] = public_ip
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
    role = "" if _system_subnets(plan) else subnets.INTERNAL_BALANCERS
    subnet = subnets.subnet(plan, "private", place.cidr, subnets.zone_of(place), role)
    default = None if plan.network.closed else {"NatGatewayId": cfn.ref("NatGateway")}
    return {"PrivateSubnet": lasting(subnet, _stays(plan)), **_routes(plan, "Private", default)}


def _zonal_subnets(plan: Plan) -> dict[str, Subnet]:
    """By logical id."""
    return {zone_stem(place.zone or ""): place for place in plan.network.zonal}


def _zonal(plan: Plan) -> Json:
    """Subnets of node groups in other zones. Their traffic takes the NAT gateway of the VPC."""
    made: Json = {}
    for name, place in _zonal_subnets(plan).items():
        made[name] = subnets.subnet(
            plan, f"private-{place.zone}", place.cidr, subnets.zone_of(place)
        )
        made[f"{name}RoutesAssociation"] = _association("PrivateRoutes", name)
    return made


def _control_plane(plan: Plan) -> Json:
    if not serves(plan, "eks-network"):
        return {}
    return {
        f"ControlPlaneSubnet{number}": subnets.subnet(
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
        made[name] = subnets.subnet(
            plan, f"system-{number}", place.cidr, _zone(place, number), subnets.INTERNAL_BALANCERS
        )
        made[f"{name}RoutesAssociation"] = _association("PrivateRoutes", name)
    return made


def _zone(place: Subnet, number: int) -> Json:
    """Of one of two subnets in two zones, which CloudFormation chooses where none are known."""
    return subnets.zone_of(place) if place.zone else subnets.nth_zone(number - 1)


def _routes(plan: Plan, side: str, default: Json | None, depends_on: str | None = None) -> Json:
    """The route table of a subnet, its default route if there is one, and their association."""
    table, subnet = f"{side}Routes", f"{side}Subnet"
    properties = {"VpcId": cfn.ref("Vpc"), "Tags": named(plan, side.lower())}
    return {
        table: cfn.resource("AWS::EC2::RouteTable", properties),
        **_default_route(side, default, depends_on),
        f"{side}RoutesAssociation": _association(table, subnet),
    }


def _default_route(side: str, default: Json | None, depends_on: str | None) -> Json:
    if default is None:
        return {}
    route: Json = {"Type": "AWS::EC2::Route"}
    if depends_on:
        route["DependsOn"] = depends_on
    route["Properties"] = {
        "RouteTableId": cfn.ref(f"{side}Routes"),
        "DestinationCidrBlock": "0.0.0.0/0",
        **default,
    }
    return {f"{side}DefaultRoute": route}


def _association(table: str, subnet: str) -> Json:
    properties = {"RouteTableId": cfn.ref(table), "SubnetId": cfn.ref(subnet)}
    return cfn.resource("AWS::EC2::SubnetRouteTableAssociation", properties)


def _stays(plan: Plan) -> bool:
    """Whether to retain the VPC and subnet: they cannot be deleted with a file system in them."""
    return keeps_data(storage_kinds.created(plan))
