"""Endpoints of AWS services in a new VPC.

With NAT, the only one is the S3 gateway: it is free, and keeps datasets and checkpoints off the
NAT gateway, which bills per gigabyte. Without a way to the internet there is one for each service
that nodes call; those that are not gateways bill by the hour.
https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
"""

from clustergen.base.artifacts import Json
from clustergen.facts.catalog.endpoints import GATEWAYS, service_name
from clustergen.plan import endpoints
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn
from clustergen.services.foundation.parts import named

GROUP = "EndpointSecurityGroup"


def resources(plan: Plan) -> Json:
    """The endpoints of a new VPC, and the security group of those that are no gateways."""
    services = endpoints.created(plan)
    made = {f"{cfn.logical_id(each)}Endpoint": _endpoint(plan, each) for each in services}
    return {**(_group(plan) if endpoints.interfaces(services) else {}), **made}


def _endpoint(plan: Plan, service: str) -> Json:
    kind = _gateway(plan) if service in GATEWAYS else _interface()
    properties = {
        "VpcId": cfn.ref("Vpc"),
        "VpcEndpointType": "Gateway" if service in GATEWAYS else "Interface",
        "ServiceName": cfn.sub(service_name(service, plan.partition, "${AWS::Region}")),
        **kind,
        "Tags": named(plan, service.replace(".", "-")),
    }
    return cfn.resource("AWS::EC2::VPCEndpoint", properties)


def _gateway(plan: Plan) -> Json:
    tables = ["PrivateRoutes"] if plan.network.closed else ["PrivateRoutes", "PublicRoutes"]
    return {"RouteTableIds": [cfn.ref(table) for table in tables]}


def _interface() -> Json:
    """One interface, in the zone of the nodes; the whole VPC reaches it by the service's name."""
    return {
        "PrivateDnsEnabled": True,
        "SubnetIds": [cfn.ref("PrivateSubnet")],
        "SecurityGroupIds": [cfn.get_att(GROUP, "GroupId")],
    }


def _group(plan: Plan) -> Json:
    """Without a group of their own, endpoints get the VPC's default one, which lets no node in."""
    from_vpc = {
        "IpProtocol": "tcp",
        "FromPort": 443,
        "ToPort": 443,
        "CidrIp": plan.network.cidr,
        "Description": "HTTPS from the VPC",
    }
    properties = {
        "GroupDescription": "Endpoints of AWS services",
        "VpcId": cfn.ref("Vpc"),
        "SecurityGroupIngress": [from_vpc],
        "Tags": named(plan, "endpoints"),
    }
    return {GROUP: cfn.resource("AWS::EC2::SecurityGroup", properties)}
