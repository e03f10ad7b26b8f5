"""Instance types, launch templates and network interfaces of node groups."""

from collections import Counter
from collections.abc import Iterator, Mapping

from clustergen.base.findings import Path, Problem
from clustergen.base.text_lists import words
from clustergen.facts.catalog import InstanceType, explain_missing, find
from clustergen.overlay.parts import Json, as_list
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules.document import in_launch_template, in_node_group, rule
from clustergen.targets.eks.template import Nodes, Template, number

_INTERFACE = (
    "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/"
    "API_LaunchTemplateInstanceNetworkInterfaceSpecificationRequest.html"
)
_EFA_TYPES = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html"
_INTERFACE_TYPES = ("interface", "efa", "efa-only")
# limits.LAUNCH_TEMPLATES; 2026-11-20. The page calls them shutdown behavior and hibernation
# behavior.
_PROHIBITED = {
    "IamInstanceProfile": "the role is the node group's: NodeRole",
    "InstanceInitiatedShutdownBehavior": "EKS controls the lifecycle of its nodes",
    "HibernationOptions": "EKS controls the lifecycle of its nodes",
}
# What EKS rejects in a node group, and the member of the launch template that excludes it; "" if
# any launch template does. limits.CREATE_NODE_GROUP; 2026-11-20.
_EXCLUDED = {
    "DiskSize": "",
    "RemoteAccess": "",
    "InstanceTypes": "InstanceType",
    **dict.fromkeys(words("AmiType Version ReleaseVersion"), "ImageId"),
}


def _interfaces(*interfaces: str) -> str:
    return in_launch_template(f"NetworkInterfaces: [{', '.join(interfaces)}]")


def _new_interface(settings: str) -> str:
    return f"{{{settings}, Groups: [{{'Fn::GetAtt': [Cluster, ClusterSecurityGroupId]}}]}}"


@rule(
    "OVL500",
    "Launch template with settings of the node group",
    why="Subnets, the role, Spot and the lifecycle belong to the node group. EKS rejects a launch "
    "template that sets them, or a later update fails.",
    source=limits.LAUNCH_TEMPLATES,
    bad=in_launch_template("InstanceInitiatedShutdownBehavior: terminate"),
    good=in_launch_template("Monitoring: {Enabled: true}"),
)
def prohibited(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        for path, what, help in _prohibited(nodes):
            yield nodes.template_problem(path, f"{what} in a launch template of EKS", help)


@rule(
    "OVL501",
    "The same setting in a node group and its launch template",
    why="A launch template defines the volumes and SSH of its nodes. If it names an image or an "
    "instance type, EKS rejects the node group's own.",
    source=limits.CREATE_NODE_GROUP,
    bad=in_node_group("DiskSize: 500"),
    good=in_launch_template(
        "BlockDeviceMappings: [{DeviceName: /dev/xvda, Ebs: {VolumeSize: 500}}]"
    ),
)
def set_twice(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        for member, key in _EXCLUDED.items():
            excludes = nodes.template and (not key or key in nodes.data)
            if excludes and member in nodes.group.properties:
                what = f"{member} beside {key or 'a launch template'}"
                yield nodes.group.problem((member,), what, "remove one of the two")


@rule(
    "OVL511",
    "Launch template by id and by name",
    why="A node group names its launch template by one of Id and Name.",
    source=f"{limits.API}LaunchTemplateSpecification.html",
    bad=in_node_group("LaunchTemplate: {Name: other}"),
    good=in_node_group("LaunchTemplate: {Id: null, Name: other}"),
)
def template_name(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        used = nodes.group.properties.get("LaunchTemplate")
        if isinstance(used, Mapping):
            named = [member for member in ("Id", "Name") if member in used]
            if len(named) != 1:
                yield nodes.group.problem(
                    ("LaunchTemplate",),
                    f"a launch template by {' and '.join(named) or 'neither Id nor Name'}",
                    "write one of Id and Name",
                )


@rule(
    "OVL513",
    "No instance type",
    why="Without an instance type, EKS starts t3.medium.",
    source=limits.CREATE_NODE_GROUP,
    bad=in_node_group("InstanceTypes: null"),
    good=in_node_group("InstanceTypes: [p5en.48xlarge]"),
)
def no_type(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        own = as_list(nodes.group.properties.get("InstanceTypes"))
        if not own and "InstanceType" not in nodes.data:
            yield nodes.group.problem(
                ("InstanceTypes",),
                "no instance type, so that EKS starts t3.medium",
                "write InstanceTypes",
            )


@rule(
    "OVL515",
    "Unknown instance type",
    why="EC2 has no such instance type.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html",
    bad=in_node_group("InstanceTypes: [p6e-b200.36xlarge]"),
    good=in_node_group("InstanceTypes: [p5en.48xlarge]"),
)
def unknown_type(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        for name in nodes.type_names:
            if find(name) is None:
                missing = explain_missing(name)
                yield nodes.group.problem(
                    ("InstanceTypes",), missing.reason, missing.suggestion or "name a type"
                )


@rule(
    "OVL518",
    "No primary network interface with an address",
    why="The interface on network card 0, device 0 has the node's address. It cannot be missing or "
    "of the type efa-only.",
    source=limits.EFA,
    bad=_interfaces(_new_interface("DeviceIndex: 1")),
    good=_interfaces(_new_interface("DeviceIndex: 0")),
)
def primary_interface(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        primary = [i for i in nodes.interfaces if _slot(i) == (0, 0)]
        if nodes.interfaces and (not primary or _kind(primary[0]) == "efa-only"):
            yield _on_interfaces(
                nodes,
                "no interface with an address on network card 0, device 0",
                "keep the primary interface, of type interface or efa",
            )


@rule(
    "OVL519",
    "Two network interfaces in one place",
    why="Each interface of an instance has its own pair of network card and device index.",
    source=_INTERFACE,
    bad=_interfaces(_new_interface("DeviceIndex: 0"), _new_interface("DeviceIndex: 0")),
    good=_interfaces(_new_interface("DeviceIndex: 0"), _new_interface("DeviceIndex: 1")),
)
def shared_place(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        for (card, device), count in Counter(map(_slot, nodes.interfaces)).items():
            if count > 1:
                yield _on_interfaces(
                    nodes,
                    f"{count} interfaces on network card {card}, device {device}",
                    "give each its own device index",
                )


@rule(
    "OVL520",
    "Unknown type of network interface",
    why="EC2 has interfaces of the types interface, efa and efa-only.",
    source=_INTERFACE,
    bad=_interfaces("{NetworkCardIndex: 1, DeviceIndex: 0, InterfaceType: efa_only}"),
    good=_interfaces("{NetworkCardIndex: 1, DeviceIndex: 0, InterfaceType: efa-only}"),
)
def interface_type(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        for interface in nodes.interfaces:
            if (kind := _kind(interface)) not in _INTERFACE_TYPES:
                yield _on_interfaces(
                    nodes, f"unknown interface type {kind}", f"one of {', '.join(_INTERFACE_TYPES)}"
                )


@rule(
    "OVL521",
    "Public address on a node with several interfaces",
    why="EC2 assigns a public address only to an instance with one interface, and no address at "
    "all to an interface of the type efa-only.",
    source=_EFA_TYPES,
    bad=_interfaces("{NetworkCardIndex: 0, DeviceIndex: 0, AssociatePublicIpAddress: true}"),
    good=_interfaces("{NetworkCardIndex: 0, DeviceIndex: 0, AssociatePublicIpAddress: false}"),
)
def public_address(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        for interface in nodes.interfaces:
            if interface.get("AssociatePublicIpAddress") is True and len(nodes.interfaces) > 1:
                what = "a public address beside other interfaces"
            elif _kind(interface) == "efa-only" and "AssociatePublicIpAddress" in interface:
                what = "addresses on an efa-only interface, which has none"
            else:
                continue
            yield _on_interfaces(nodes, what, "remove AssociatePublicIpAddress")


@rule(
    "OVL522",
    "Network interface that the instance type does not hold",
    why="An interface is on a network card that the type has, at a device index and of a type that "
    "the card supports.",
    source=_EFA_TYPES,
    bad=_interfaces(_new_interface("NetworkCardIndex: 16, DeviceIndex: 0")),
    good=_interfaces(_new_interface("NetworkCardIndex: 15, DeviceIndex: 1")),
)
def network_cards(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        for type in nodes.types:
            for interface in nodes.interfaces:
                if what := _misplaced(type, interface):
                    yield _on_type(nodes, type, what)


@rule(
    "OVL523",
    "More EFA interfaces than the instance type has",
    why="Each network card carries one EFA interface, and each type has a maximum.",
    source=_EFA_TYPES,
    bad=_interfaces(_new_interface("NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: efa-only")),
    good=_interfaces(_new_interface("NetworkCardIndex: 1, DeviceIndex: 1")),
)
def efa_interfaces(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        cards = [_slot(i)[0] for i in nodes.interfaces if _kind(i) in ("efa", "efa-only")]
        for type in nodes.types:
            for card, count in Counter(cards).items():
                if count > 1:
                    what = f"{count} EFA interfaces on network card {card}, which carries one"
                    yield _on_type(nodes, type, what)
            if len(cards) > type.max_efa:
                what = f"{len(cards)} EFA interfaces; the maximum is {type.max_efa}"
                yield _on_type(nodes, type, what)


def _prohibited(nodes: Nodes) -> Iterator[tuple[Path, str, str]]:
    for member, help in _PROHIBITED.items():
        if member in nodes.data:
            yield (member,), member, help
    if nodes.market == "spot":
        yield ("InstanceMarketOptions",), "Spot", "write CapacityType: SPOT in the node group"
    for index, interface in enumerate(nodes.interfaces):
        if "SubnetId" in interface:
            path = ("NetworkInterfaces", index, "SubnetId")
            yield path, "SubnetId", "the subnets are the node group's: Subnets"


def _misplaced(type: InstanceType, interface: Json) -> str:
    """Why ``type`` does not support ``interface``; empty if it does."""
    index, device = _slot(interface)
    card, kind = next((c for c in type.cards if c.index == index), None), _kind(interface)
    if card is None:
        return f"no network card {index}"
    if device >= card.max_interfaces:
        return f"device {device} on network card {index}, which holds {card.max_interfaces}"
    if kind in _INTERFACE_TYPES and kind not in card.interface_types:
        return f"network card {index} does not support {kind}"
    return ""


def _slot(interface: Json) -> tuple[int, int]:
    card, device = interface.get("NetworkCardIndex"), interface.get("DeviceIndex")
    return number(card) or 0, number(device) or 0


def _kind(interface: Json) -> str:
    return str(interface.get("InterfaceType", "interface"))


def _on_interfaces(nodes: Nodes, message: str, help: str) -> Problem:
    return nodes.template_problem(("NetworkInterfaces",), message, help)


def _on_type(nodes: Nodes, type: InstanceType, message: str) -> Problem:
    return _on_interfaces(nodes, f"{type.name}: {message}", "keep the interfaces as planned")
