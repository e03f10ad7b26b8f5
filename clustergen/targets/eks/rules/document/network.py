"""The control plane's network, and security groups and SSH of nodes."""

import ipaddress
from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.overlay.parts import Json, as_list, as_map
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules.document import (
    in_cluster,
    in_launch_template,
    in_network,
    rule,
    warning,
)
from clustergen.targets.eks.template import Resource, Template, attribute

_FEWEST_SUBNETS = 2
_EVERYONE = "0.0.0.0/0"
_CLUSTER_GROUP = "ClusterSecurityGroupId"
_GIVEN = "SecurityGroupIds"
_GROUP = "sg-0a1b2c3d4e5f67890"
_SUBNETS = [f"subnet-0a1b2c3d4e5f6789{n}" for n in range(2)]


@rule(
    "OVL503",
    "Security groups without the cluster security group",
    why="If a launch template names security groups, EKS does not add the cluster's own, without "
    "which nodes do not reach the control plane, unless it has one of the groups, too.",
    source=f"{limits.LAUNCH_TEMPLATES}#launch-template-security-groups",
    bad=in_launch_template(
        f"NetworkInterfaces: [{{NetworkCardIndex: 0, DeviceIndex: 0, Groups: [{_GROUP}]}}]"
    ),
    good=in_launch_template(
        "NetworkInterfaces: [{NetworkCardIndex: 0, DeviceIndex: 0, Groups: "
        f"[{{'Fn::GetAtt': [Cluster, {_CLUSTER_GROUP}]}}, {_GROUP}]}}]"
    ),
)
def cluster_security_group(template: Template) -> Iterator[Problem]:
    # Any of the groups may be that of an existing cluster.
    for nodes in template.nodes if template.clusters else ():
        given = [as_list(nodes.data.get("SecurityGroupIds"))]
        sets = [groups for groups in given if groups]
        sets += [as_list(interface.get("Groups")) for interface in nodes.interfaces]
        if not all(_has_cluster_group(groups) or _shared(template, groups) for groups in sets):
            yield nodes.template_problem(
                ("NetworkInterfaces",),
                "security groups without the cluster's own, which EKS does not add",
                f"keep {{Fn::GetAtt: [Cluster, {_CLUSTER_GROUP}]}} in every Groups",
            )


@rule(
    "OVL517",
    "Security groups of the instance and of its interfaces",
    why="EC2 rejects security groups beside network interfaces, which have their own.",
    source=f"{limits.LAUNCH_TEMPLATES}#launch-template-security-groups",
    bad=in_launch_template(f"SecurityGroupIds: [{{'Fn::GetAtt': [Cluster, {_CLUSTER_GROUP}]}}]"),
    good=in_launch_template("EbsOptimized: true"),
)
def instance_security_groups(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        if as_list(nodes.data.get("SecurityGroupIds")) and nodes.interfaces:
            yield nodes.template_problem(
                ("SecurityGroupIds",),
                "security groups of the instance and of its interfaces",
                "remove SecurityGroupIds",
            )


@rule(
    "OVL507",
    "Kubernetes API without an endpoint",
    why="If neither the private nor the public endpoint is enabled, nothing reaches the API.",
    source=limits.ENDPOINT,
    bad=in_network("EndpointPrivateAccess: false"),
    good=in_network("EndpointPrivateAccess: true"),
)
def no_endpoint(template: Template) -> Iterator[Problem]:
    for own, settings in _networks(template):
        if _is_public(settings) is False and _is_private(settings) is False:
            yield own.problem(
                ("ResourcesVpcConfig", "EndpointPrivateAccess"),
                "nothing can reach the API",
                "write EndpointPrivateAccess: true",
            )


@warning(
    "OVL508",
    "Kubernetes API open to the internet",
    why="Anyone with a leaked credential reaches the API from anywhere.",
    source=limits.ENDPOINT,
    bad=in_network("EndpointPublicAccess: true"),
    good=in_network("EndpointPublicAccess: true, PublicAccessCidrs: [203.0.113.0/24]"),
)
def open_endpoint(template: Template) -> Iterator[Problem]:
    for own, settings in _networks(template):
        blocks = as_list(settings.get("PublicAccessCidrs")) or [_EVERYONE]
        if _is_public(settings) is True and _EVERYONE in blocks:
            yield own.problem(
                ("ResourcesVpcConfig", "PublicAccessCidrs"),
                "the API is open to everyone",
                "name your own addresses, or write EndpointPublicAccess: false",
            )


@warning(
    "OVL526",
    "Nodes that reach the Kubernetes API over the internet",
    why="Without the private endpoint, traffic between nodes and the API leaves the VPC.",
    source=limits.ENDPOINT,
    bad=in_network(
        "EndpointPublicAccess: true, EndpointPrivateAccess: false, "
        "PublicAccessCidrs: [203.0.113.0/24]"
    ),
    good=in_network(
        "EndpointPublicAccess: true, EndpointPrivateAccess: true, "
        "PublicAccessCidrs: [203.0.113.0/24]"
    ),
)
def public_endpoint_only(template: Template) -> Iterator[Problem]:
    for own, settings in _networks(template):
        if _is_public(settings) is True and _is_private(settings) is False:
            yield own.problem(
                ("ResourcesVpcConfig", "EndpointPrivateAccess"),
                "nodes reach the API over the internet",
                "write EndpointPrivateAccess: true",
            )


@rule(
    "OVL524",
    "Too few subnets for a control plane",
    why="A control plane needs subnets in two Availability Zones.",
    source=limits.NETWORK,
    bad=in_network(f"SubnetIds: [{_SUBNETS[0]}]"),
    good=in_network(f"SubnetIds: [{', '.join(_SUBNETS)}]"),
)
def subnets(template: Template) -> Iterator[Problem]:
    for own, settings in _networks(template):
        given = settings.get("SubnetIds")
        if isinstance(given, list) and len({str(subnet) for subnet in given}) < _FEWEST_SUBNETS:
            yield own.problem(
                ("ResourcesVpcConfig", "SubnetIds"),
                f"{len(given)} subnet for a control plane",
                "name subnets of two zones",
            )


@rule(
    "OVL527",
    "Block of service addresses that EKS rejects",
    why="Services take their addresses from a private block between /12 and /24.",
    source=f"{limits.API}KubernetesNetworkConfigRequest.html",
    bad=in_cluster("KubernetesNetworkConfig: {ServiceIpv4Cidr: 8.8.0.0/16}"),
    good=in_cluster("KubernetesNetworkConfig: {ServiceIpv4Cidr: 172.20.0.0/16}"),
)
def services(template: Template) -> Iterator[Problem]:
    for own in template.clusters:
        block = as_map(own.properties.get("KubernetesNetworkConfig")).get("ServiceIpv4Cidr")
        if isinstance(block, str) and not _holds_services(block):
            yield own.problem(
                ("KubernetesNetworkConfig", "ServiceIpv4Cidr"),
                f"{block} for services",
                "a private block between /12 and /24 that overlaps no network you connect to",
            )


def _shared(template: Template, groups: list[object]) -> bool:
    """Whether the control plane has one of the groups."""
    known = [group for _, network in _networks(template) for group in as_list(network.get(_GIVEN))]
    return any(group in groups for group in known)


def _has_cluster_group(groups: list[object]) -> bool:
    """Whether the cluster's security group is among ``groups``; one from another stack may be
    it."""
    return any(attribute(g) == _CLUSTER_GROUP or _is_imported(g) for g in groups)


def _is_imported(value: object) -> bool:
    return isinstance(value, dict) and not {"Fn::GetAtt", "Ref"} & value.keys()


def _networks(template: Template) -> Iterator[tuple[Resource, Json]]:
    for own in template.clusters:
        yield own, as_map(own.properties.get("ResourcesVpcConfig"))


def _is_public(settings: Json) -> object:
    return settings.get("EndpointPublicAccess", True)


def _is_private(settings: Json) -> object:
    return settings.get("EndpointPrivateAccess", False)


def _holds_services(block: str) -> bool:
    try:
        given = ipaddress.IPv4Network(block)
    except ValueError:
        return False
    return 12 <= given.prefixlen <= 24 and given.is_private
