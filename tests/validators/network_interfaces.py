"""EC2's rules for the network interfaces of an instance, over the per-card facts of its type.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html and the reference of
LaunchTemplateInstanceNetworkInterfaceSpecificationRequest, read 2026-11-20. Neither cfn-lint nor
the service model knows any of them: to both, `InterfaceType` is free text.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Interface = Mapping[str, Any]

_EFA = ("efa", "efa-only")


def interface_violations(interfaces: Sequence[Interface], facts: Mapping[str, Any]) -> list[str]:
    """What EC2 would reject of `interfaces`, as a launch template of an instance type writes them.

    `facts` is the type's DescribeInstanceTypes entry.
    """
    network = facts["NetworkInfo"]
    return [
        *_primary(interfaces),
        *_slots(interfaces),
        *(violation for i in interfaces for violation in _on_its_card(i, network)),
        *_efa_counts(interfaces, network),
        *(violation for i in interfaces for violation in _alone(i, len(interfaces))),
    ]


def _slot(interface: Interface) -> tuple[int, int]:
    return int(interface.get("NetworkCardIndex", 0)), int(interface.get("DeviceIndex", 0))


def _type(interface: Interface) -> str:
    return str(interface.get("InterfaceType", "interface"))


def _primary(interfaces: Sequence[Interface]) -> Iterator[str]:
    primary = [i for i in interfaces if _slot(i) == (0, 0)]
    if not primary:
        yield "no primary interface: network card 0, device 0"
    if any(_type(i) == "efa-only" for i in primary):
        yield "the primary interface is efa-only, which has no IP address"


def _slots(interfaces: Sequence[Interface]) -> Iterator[str]:
    for (card, device), count in Counter(map(_slot, interfaces)).items():
        if count > 1:
            yield f"{count} interfaces on network card {card}, device {device}"


def _on_its_card(interface: Interface, network: Mapping[str, Any]) -> Iterator[str]:
    index, device = _slot(interface)
    card = next((c for c in network["NetworkCards"] if c["NetworkCardIndex"] == index), None)
    if card is None:
        yield f"no network card {index}"
        return
    if _type(interface) not in card.get("InterfaceTypes", ["interface"]):
        yield f"network card {index} cannot hold the interface type {_type(interface)}"
    room = card["MaximumNetworkInterfaces"]
    if device >= room:
        yield f"device {device} on network card {index}, which holds {room}"


def _efa_counts(interfaces: Sequence[Interface], network: Mapping[str, Any]) -> Iterator[str]:
    with_efa = [i for i in interfaces if _type(i) in _EFA]
    most = network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0)
    if len(with_efa) > most:
        yield f"{len(with_efa)} EFA interfaces, the type allows {most}"
    for card, count in Counter(_slot(i)[0] for i in with_efa).items():
        if count > 1:
            yield f"{count} EFA interfaces on network card {card}, which carries one"


def _alone(interface: Interface, count: int) -> Iterator[str]:
    card, device = _slot(interface)
    at = f"the interface on network card {card}, device {device}"
    if not interface.get("Groups"):
        yield f"{at} has no security groups (Groups)"
    if interface.get("AssociatePublicIpAddress") is True and count > 1:
        yield f"{at} asks for a public IP address beside other interfaces"
    if _type(interface) == "efa-only" and "AssociatePublicIpAddress" in interface:
        yield f"{at} is efa-only and speaks of IP addresses"
