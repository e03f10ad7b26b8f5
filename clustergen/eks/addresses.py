"""VPC addresses that pods use."""

from __future__ import annotations

from collections.abc import Iterable

from clustergen.catalog import InstanceType

POD_ADDRESSES = 16
"""IPv4 addresses that a node reserves for pods. By default, the VPC CNI reserves a whole spare
interface: a hundred addresses on the largest nodes, which run few pods.
https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/eni-and-ip-target.md"""

SPARE_ADDRESSES = 4
"""Spare addresses, if pods use more than these."""


def by_default(types: Iterable[InstanceType]) -> int:
    """Addresses for the pods of a node where the VPC CNI has its defaults.

    As soon as a pod runs, the first interface and a spare one have all addresses that they can.
    """
    return max(min(type.cards[0].max_interfaces, 2) * type.ipv4_per_interface for type in types) - 1
