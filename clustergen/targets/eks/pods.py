"""The maximum number of pods on a node."""

from collections.abc import Sequence

from clustergen.facts.catalog import InstanceType
from clustergen.plan.model import Interface
from clustergen.services.kubernetes import capacity
from clustergen.targets.eks import limits


def most(type: InstanceType, interfaces: Sequence[Interface]) -> int:
    """Pods on one node, each with an address on an interface of the first network card.

    An EFA-only interface on that card replaces one with addresses.
    https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html#determine-max-pods
    """
    taken = sum(i.card == 0 and not i.has_ip for i in interfaces)
    room = type.cards[0].max_interfaces - taken
    pods = room * (type.ipv4_per_interface - 1) + limits.HOST_NETWORK_PODS
    return min(pods, capacity.most_pods(type))
