"""The control plane of an EKS cluster that is created with the nodes."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from clustergen.findings import Problem, Severity, drop, unsafe
from clustergen.plan.model import Plan
from clustergen.plan.network import is_internal
from clustergen.rules.services import rule


@rule(
    "K8S005",
    "Private addresses for the public endpoint",
    fixes="unsafe",
    why="The public endpoint of the Kubernetes API is reached through the internet, where private "
    "addresses never arrive; EKS refuses them. The private endpoint lets in the whole VPC.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
    target="eks",
    bad="kubernetes: {public_endpoint_from: [10.0.0.0/8]}",
    good="kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
)
def private_addresses(plan: Plan) -> Iterator[Problem]:
    made = plan.limits.control_plane_zones and plan.system is not None
    for index, cidr in enumerate(plan.kubernetes.public_endpoint_from if made else ()):
        if is_internal(ipaddress.ip_network(cidr)):
            yield Problem(
                ("kubernetes", "public_endpoint_from", index),
                f"{cidr} is a block of private addresses",
                help="write the public addresses of your network, or remove it: "
                "the private endpoint lets in the VPC",
                fix=unsafe(drop(("kubernetes", "public_endpoint_from", index))),
            )


@rule(
    "K8S006",
    "IPv6 addresses for the endpoint of an IPv4 cluster",
    fixes="unsafe",
    why="Only clusters of the family IPv6 have a public endpoint that IPv6 reaches. Clusters here "
    "are of the family IPv4.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
    target="eks",
    severity=Severity.WARNING,
    bad="kubernetes: {public_endpoint_from: ['2001:db8::/32']}",
    good="kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
)
def ipv6_addresses(plan: Plan) -> Iterator[Problem]:
    made = plan.limits.control_plane_zones and plan.system is not None
    for index, cidr in enumerate(plan.kubernetes.public_endpoint_from if made else ()):
        if ipaddress.ip_network(cidr).version != 4:
            yield Problem(
                ("kubernetes", "public_endpoint_from", index),
                f"{cidr} is an IPv6 block, and the endpoint has IPv4 addresses",
                help="write the IPv4 addresses that your network is seen with",
                fix=unsafe(drop(("kubernetes", "public_endpoint_from", index))),
            )


_VPC = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}}]
  security_groups: [sg-0a1b2c3d4e5f67890]
{}"""
_TWO = """  control_plane_subnets:
    - {id: subnet-0a1b2c3d4e5f67891, zone: use1-az6, cidr: 10.42.255.224/28}
    - {id: subnet-0a1b2c3d4e5f67892, zone: use1-az2, cidr: 10.42.255.240/28}"""


@rule(
    "NET022",
    "Control plane in one zone",
    why="EKS puts the network interfaces of a control plane into subnets of at least two zones. "
    "Nodes may stay in one.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    target="eks",
    bad=_VPC.format(""),
    good=_VPC.format(_TWO),
)
def one_zone(plan: Plan) -> Iterator[Problem]:
    made = plan.limits.control_plane_zones and plan.system is not None
    zones = {subnet.zone for subnet in plan.network.control_plane}
    if made and not plan.network.new and len(zones) < 2:
        named = plan.wrote("network", "control_plane_subnets")
        yield Problem(
            ("network", "control_plane_subnets" if named else "private_subnets"),
            "the subnets of the control plane are not known to be in two zones",
            help="write network.control_plane_subnets: two subnets with the zone of each",
            source=plan.limits.control_plane_zones,
        )
