"""Code that head node, login nodes and queues share: ids, networks, volumes, images."""

from __future__ import annotations

import ipaddress
from typing import Any

from clustergen.aws import references
from clustergen.aws.members import filled
from clustergen.plan.model import Network, Plan, Subnet, Volume
from clustergen.plan.network import is_internal

NOBODY = "127.0.0.1/32"
"""An SSH source that matches no host; without one ParallelCluster opens port 22 to the world."""


def root_volume(volume: Volume) -> dict[str, Any]:
    """``RootVolume``, with ParallelCluster's defaults for values that the spec omits."""
    return filled(
        VolumeType=volume.type,
        Size=volume.size_gib,
        Iops=volume.iops,
        Throughput=volume.throughput,
        Encrypted=True,
    )


def common_image(plan: Plan) -> str | None:
    """The head node's image as image of the cluster, if all nodes have custom images."""
    machines = [machine for machine in (plan.head, plan.login) if machine]
    images = [*(m.image for m in machines), *(group.image for group in plan.node_groups)]
    return images[0] if all(images) else None


def image(own: str | None, common: str | None) -> dict[str, Any]:
    """``Image`` of nodes whose image differs from the cluster's; otherwise empty."""
    return {} if own is None or own == common else {"CustomAmi": own}


def node_groups(network: Network) -> list[str]:
    """Security groups of all nodes besides ParallelCluster's; storage accepts them."""
    return [references.text(group) for group in network.node_security_groups]


def entry_groups(network: Network) -> list[str]:
    """Security groups of nodes that accept SSH."""
    groups = (*network.node_security_groups, *network.login_security_groups)
    return list(dict.fromkeys(references.text(group) for group in groups))


def allowed_ips(network: Network) -> str:
    """``AllowedIps``: at most one block; the foundation's login group allows the others."""
    if network.login_security_groups or not network.ssh_from:
        return NOBODY
    return network.ssh_from[0]


def from_outside(network: Network) -> bool:
    """Whether SSH is allowed from public addresses."""
    return any(not is_internal(ipaddress.ip_network(block)) for block in network.ssh_from)


def entry_subnet(network: Network) -> Subnet:
    """The subnet of nodes that accept SSH."""
    return network.public[0] if from_outside(network) and network.public else network.private[0]
