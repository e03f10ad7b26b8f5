"""VPC addresses that pods use."""

import math
from collections.abc import Iterable, Mapping, Sequence

from clustergen.facts.catalog import InstanceType
from clustergen.plan.model import ClusterAddon

POD_ADDRESSES = 16
"""IPv4 addresses that a node reserves for pods. By default, the VPC CNI reserves a whole spare
interface: a hundred addresses on the largest nodes, which run few pods.
https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/eni-and-ip-target.md"""

_SPARE_ADDRESSES = 4
"""Spare addresses, if pods use more than these."""

SETTINGS: Mapping[str, str] = {
    "MINIMUM_IP_TARGET": str(POD_ADDRESSES),
    "WARM_IP_TARGET": str(_SPARE_ADDRESSES),
}
"""Environment of the VPC CNI, which a spec can change."""

_PREFIX = 16
"""Addresses of a prefix."""


def reserved(addons: Sequence[ClusterAddon]) -> int:
    """Addresses that a node reserves for pods, with the settings of the spec.

    https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/prefix-and-ip-target.md (2026-08)
    """
    given = next((one.configuration.get("env") for one in addons if one.name == "vpc-cni"), None)
    settings = {**SETTINGS, **(given if isinstance(given, Mapping) else {})}
    numbers = [str(settings[name]) for name in SETTINGS]
    least = max((int(number) for number in numbers if number.isdecimal()), default=POD_ADDRESSES)
    if str(settings.get("ENABLE_PREFIX_DELEGATION")).lower() != "true":
        return least
    return math.ceil(least / _PREFIX) * _PREFIX


def by_default(types: Iterable[InstanceType]) -> int:
    """Addresses for the pods of a node where the VPC CNI has its defaults.

    As soon as a pod runs, the first interface and a spare one have all addresses that they can.
    """
    return max(min(type.cards[0].max_interfaces, 2) * type.ipv4_per_interface for type in types) - 1
