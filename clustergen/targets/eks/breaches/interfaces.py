"""Network interfaces of a launch template, against the cards of the instance types.

https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html#launch-template-security-groups
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html (2026-11-20)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from clustergen.catalog import InstanceType
from clustergen.targets.eks.breaches.breach import Breach
from clustergen.targets.eks.breaches.resources import (
    Json,
    Nodes,
    Template,
    a_list,
    attribute,
)

KINDS = ("interface", "efa", "efa-only")
CLUSTER_GROUP = "ClusterSecurityGroupId"


def breaches(_: Template, nodes: Nodes) -> Iterator[Breach]:
    """What keeps an instance from starting, or from the cluster."""
    if nodes.template is None:
        return
    yield from _security_groups(nodes)
    yield from _alone(nodes)
    for type in nodes.types:
        for message in _on(type, nodes.interfaces):
            yield _breach(nodes, f"{type.name}: {message}", "keep the interfaces as planned")


def _security_groups(nodes: Nodes) -> Iterator[Breach]:
    groups = a_list(nodes.data.get("SecurityGroupIds"))
    if groups and nodes.interfaces:
        yield nodes.in_template(
            "interfaces",
            ("SecurityGroupIds",),
            "security groups of the instance and of its interfaces",
            "leave SecurityGroupIds out",
        )
    sets = [groups] if groups else []
    sets += [a_list(interface.get("Groups")) for interface in nodes.interfaces]
    if any(not _has_cluster_group(given) for given in sets):
        yield _breach(
            nodes,
            "security groups without the cluster's own, which EKS adds to no others",
            f"keep {{Fn::GetAtt: [Cluster, {CLUSTER_GROUP}]}} in every Groups",
        )


def _has_cluster_group(groups: list[object]) -> bool:
    """Ids of groups that come from elsewhere than this template are believed."""
    return any(attribute(g) == CLUSTER_GROUP or _imported(g) for g in groups)


def _imported(value: object) -> bool:
    return isinstance(value, dict) and not {"Fn::GetAtt", "Ref"} & value.keys()


def _alone(nodes: Nodes) -> Iterator[Breach]:
    """What holds for interfaces of any type."""
    interfaces = nodes.interfaces
    if not interfaces:
        return
    primary = [i for i in interfaces if _slot(i) == (0, 0)]
    if not primary or _kind(primary[0]) == "efa-only":
        yield _breach(
            nodes,
            "no interface with an address on network card 0, device 0",
            "keep the primary interface, of type interface or efa",
        )
    for (card, device), count in Counter(map(_slot, interfaces)).items():
        if count > 1:
            yield _breach(
                nodes,
                f"{count} interfaces on network card {card}, device {device}",
                "give each a place of its own",
            )
    for interface in interfaces:
        yield from _each(nodes, interface, len(interfaces))


def _each(nodes: Nodes, interface: Json, count: int) -> Iterator[Breach]:
    kind = _kind(interface)
    if kind not in KINDS:
        yield _breach(nodes, f"no interface type {kind}", f"one of {', '.join(KINDS)}")
    if interface.get("AssociatePublicIpAddress") is True and count > 1:
        yield _breach(
            nodes,
            "a public address beside other interfaces",
            "leave AssociatePublicIpAddress out",
        )
    elif kind == "efa-only" and "AssociatePublicIpAddress" in interface:
        yield _breach(
            nodes,
            "addresses on an efa-only interface, which has none",
            "leave AssociatePublicIpAddress out",
        )


def _on(type: InstanceType, interfaces: list[Json]) -> Iterator[str]:
    cards = {card.index: card for card in type.cards}
    for interface in interfaces:
        index, device = _slot(interface)
        card, kind = cards.get(index), _kind(interface)
        if card is None:
            yield f"no network card {index}"
        elif device >= card.max_interfaces:
            yield f"device {device} on network card {index}, which holds {card.max_interfaces}"
        elif kind in KINDS and kind not in card.interface_types:
            yield f"network card {index} carries no {kind}"
    fabric = [_slot(i)[0] for i in interfaces if _kind(i) in KINDS[1:]]
    for index, count in Counter(fabric).items():
        if count > 1:
            yield f"{count} EFA interfaces on network card {index}, which carries one"
    if len(fabric) > type.max_efa:
        yield f"{len(fabric)} EFA interfaces, of {type.max_efa} at the most"


def _slot(interface: Json) -> tuple[int, int]:
    return _number(interface, "NetworkCardIndex"), _number(interface, "DeviceIndex")


def _number(interface: Json, member: str) -> int:
    value = interface.get(member, 0)
    return int(value) if isinstance(value, int | str) and str(value).isdecimal() else 0


def _kind(interface: Json) -> str:
    return str(interface.get("InterfaceType", "interface"))


def _breach(nodes: Nodes, message: str, help: str) -> Breach:
    return nodes.in_template("interfaces", ("NetworkInterfaces",), message, help)
