"""The control plane: its place, its version, who reaches it."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from clustergen.eks import versions
from clustergen.targets.eks.breaches.breach import Breach
from clustergen.targets.eks.breaches.resources import Json, Resource, Template, a_list, a_map

_FEWEST_SUBNETS, _MOST_GROUPS = 2, 5


def breaches(template: Template) -> Iterator[Breach]:
    """What CreateCluster refuses, or what would leave the cluster out of reach."""
    for cluster in template.of("AWS::EKS::Cluster"):
        network = a_map(cluster.properties.get("ResourcesVpcConfig"))
        yield from _version(cluster)
        yield from _place(cluster, network)
        yield from _endpoint(cluster, network)
        yield from _authentication(template, cluster)
        yield from _auto_mode(cluster)
        yield from _services(cluster)


def _version(cluster: Resource) -> Iterator[Breach]:
    version = cluster.properties.get("Version")
    if isinstance(version, str) and version not in versions.VERSIONS:
        yield cluster.breach(
            "cluster",
            ("Version",),
            f"EKS had no Kubernetes {version} on {versions.DATE}",
            f"one of {', '.join(versions.VERSIONS)}",
        )


def _place(cluster: Resource, network: Json) -> Iterator[Breach]:
    path = ("ResourcesVpcConfig",)
    subnets = network.get("SubnetIds")
    if isinstance(subnets, list) and len({str(s) for s in subnets}) < _FEWEST_SUBNETS:
        yield cluster.breach(
            "cluster",
            (*path, "SubnetIds"),
            f"{len(subnets)} subnet for a control plane",
            "name subnets of two zones",
        )
    if len(a_list(network.get("SecurityGroupIds"))) > _MOST_GROUPS:
        yield cluster.breach(
            "cluster",
            (*path, "SecurityGroupIds"),
            "too many security groups",
            f"at most {_MOST_GROUPS}",
        )


def _endpoint(cluster: Resource, network: Json) -> Iterator[Breach]:
    path = ("ResourcesVpcConfig",)
    public = network.get("EndpointPublicAccess", True)
    private = network.get("EndpointPrivateAccess", False)
    if public is False and private is False:
        yield cluster.breach(
            "cluster",
            (*path, "EndpointPrivateAccess"),
            "an API that can be reached from nowhere",
            "write EndpointPrivateAccess: true",
        )
    blocks = a_list(network.get("PublicAccessCidrs")) or ["0.0.0.0/0"]
    if public is True and "0.0.0.0/0" in blocks:
        yield cluster.breach(
            "endpoint",
            (*path, "PublicAccessCidrs"),
            "an API that is open to everybody",
            "name your own addresses, or write EndpointPublicAccess: false",
        )
    if public is True and private is False:
        yield cluster.breach(
            "endpoint",
            (*path, "EndpointPrivateAccess"),
            "nodes that reach the API by way of the internet",
            "write EndpointPrivateAccess: true",
        )


def _authentication(template: Template, cluster: Resource) -> Iterator[Breach]:
    mode = a_map(cluster.properties.get("AccessConfig")).get("AuthenticationMode", "CONFIG_MAP")
    if mode == "CONFIG_MAP" and template.of("AWS::EKS::AccessEntry"):
        yield cluster.breach(
            "cluster",
            ("AccessConfig",),
            "access entries, which a cluster of mode CONFIG_MAP does not have",
            "write AuthenticationMode: API",
        )


def _auto_mode(cluster: Resource) -> Iterator[Breach]:
    parts = {
        "ComputeConfig": ("Enabled",),
        "StorageConfig": ("BlockStorage", "Enabled"),
        "KubernetesNetworkConfig": ("ElasticLoadBalancing", "Enabled"),
    }
    on = [name for name, path in parts.items() if _at(cluster.properties.get(name), path) is True]
    if on and len(on) < len(parts):
        yield cluster.breach(
            "cluster",
            (on[0],),
            f"Auto Mode in part: {', '.join(on)}",
            f"enable all of {', '.join(parts)}, or none",
        )


def _at(value: object, path: tuple[str, ...]) -> object:
    for step in path:
        value = a_map(value).get(step)
    return value


def _services(cluster: Resource) -> Iterator[Breach]:
    block = a_map(cluster.properties.get("KubernetesNetworkConfig")).get("ServiceIpv4Cidr")
    if not isinstance(block, str):
        return
    try:
        network = ipaddress.IPv4Network(block)
    except ValueError:
        network = None
    if network is None or not 12 <= network.prefixlen <= 24 or not network.is_private:
        yield cluster.breach(
            "cluster",
            ("KubernetesNetworkConfig", "ServiceIpv4Cidr"),
            f"{block} for services",
            "a private block between /12 and /24 that no network you reach has",
        )
