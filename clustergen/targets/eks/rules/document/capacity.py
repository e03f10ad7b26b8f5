"""Capacity Blocks, reservations, Spot, and numbers of nodes."""

from collections.abc import Iterator
from itertools import pairwise

from clustergen.base.findings import Problem
from clustergen.overlay.parts import Json, as_list, as_map
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules.document import in_launch_template, in_node_group, rule
from clustergen.targets.eks.template import Nodes, Template, number

_BLOCK, _MARKET = "CAPACITY_BLOCK", "capacity-block"
_EFA = ("efa", "efa-only")
_EC2 = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_"
_RESERVATIONS = (
    "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservation-overview.html"
)

_IN_BLOCK = "node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]\n"
_RESERVED = "node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]\n"
_SUBNETS = ("subnet-0a1b2c3d4e5f67890", "subnet-0a1b2c3d4e5f67891")
_GROUP = (
    "CapacityReservationResourceGroupArn: "
    "'arn:aws:resource-groups:us-east-1:111122223333:group/h200'"
)


def _specified(members: str) -> str:
    return _RESERVED + in_launch_template(f"CapacityReservationSpecification: {{{members}}}")


@rule(
    "OVL502",
    "Incomplete Capacity Block",
    why="For CAPACITY_BLOCK, EKS needs the market type, the block's id and the instance type in "
    "the launch template, and the type of the image in the node group.",
    source=limits.CAPACITY_BLOCKS,
    bad=_IN_BLOCK + in_launch_template("InstanceMarketOptions: null"),
    good=_IN_BLOCK + in_launch_template("InstanceMarketOptions: {MarketType: capacity-block}"),
)
def block(template: Template) -> Iterator[Problem]:
    for nodes in _in_blocks(template):
        needed = {
            f"InstanceMarketOptions.MarketType: {_MARKET}": nodes.market == _MARKET,
            "CapacityReservationId": "CapacityReservationId" in _reserved(nodes),
            "InstanceType": "InstanceType" in nodes.data,
            "AmiType": "AmiType" in nodes.group.properties or nodes.has_custom_image,
        }
        missing = [member for member, there in needed.items() if not there]
        if missing:
            yield nodes.group.problem(
                ("CapacityType",),
                f"a Capacity Block whose node group lacks {', '.join(missing)}",
                "write AmiType in the node group, the others in its launch template",
            )


@rule(
    "OVL532",
    "Launch template for a Capacity Block in another node group",
    why="A launch template with the market type capacity-block works only in a node group of the "
    "capacity type CAPACITY_BLOCK.",
    source=limits.CAPACITY_BLOCKS,
    bad=_IN_BLOCK + in_node_group("CapacityType: ON_DEMAND"),
    good=_IN_BLOCK + in_node_group("CapacityType: CAPACITY_BLOCK"),
)
def capacity_type(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        if _kind(nodes) != _BLOCK and nodes.market == _MARKET:
            yield nodes.group.problem(
                ("CapacityType",),
                f"{_kind(nodes)} with a launch template for a Capacity Block",
                f"write CapacityType: {_BLOCK}",
            )


@rule(
    "OVL534",
    "Placement group with a Capacity Block",
    why="The instances of a Capacity Block already have a placement. A placement group elsewhere "
    "keeps them from starting.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html",
    bad=_IN_BLOCK + in_launch_template("Placement: {GroupName: ours}"),
    good=_IN_BLOCK + in_launch_template("Placement: {Tenancy: default}"),
)
def block_placement(template: Template) -> Iterator[Problem]:
    for nodes in _in_blocks(template):
        if "GroupName" in as_map(nodes.data.get("Placement")):
            yield nodes.template_problem(
                ("Placement",),
                "a placement group with a Capacity Block, which is already placed",
                "remove Placement",
            )


@rule(
    "OVL535",
    "Reservation by id and by resource group",
    why="A launch template targets one reservation or one group of reservations.",
    source=f"{_EC2}CapacityReservationTarget.html",
    bad=_specified(f"CapacityReservationTarget: {{{_GROUP}}}"),
    good=_specified(f"CapacityReservationTarget: {{CapacityReservationId: null, {_GROUP}}}"),
)
def reservation_target(template: Template) -> Iterator[Problem]:
    both = {"CapacityReservationId", "CapacityReservationResourceGroupArn"}
    for nodes in template.nodes:
        if both <= _reserved(nodes).keys():
            yield nodes.template_problem(
                ("CapacityReservationSpecification",),
                "a reservation by id and by resource group",
                "remove one of them",
            )


@rule(
    "OVL536",
    "Reservation preference that contradicts the named reservation",
    why="With the preference open or none, EC2 rejects a launch template that names a reservation.",
    source=f"{_EC2}CapacityReservationSpecification.html",
    bad=_specified("CapacityReservationPreference: none"),
    good=_specified("CapacityReservationPreference: capacity-reservations-only"),
)
def reservation_preference(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        specification = as_map(nodes.data.get("CapacityReservationSpecification"))
        preference = specification.get("CapacityReservationPreference")
        if _reserved(nodes) and preference in ("open", "none"):
            yield nodes.template_problem(
                ("CapacityReservationSpecification",),
                f"the preference {preference} beside a reservation that is named",
                "remove CapacityReservationPreference",
            )


@rule(
    "OVL537",
    "Spot instances from a reservation",
    why="Reservations hold on-demand capacity. Spot instances do not use it.",
    source=_RESERVATIONS,
    bad=_RESERVED + in_node_group("CapacityType: SPOT"),
    good=_RESERVED + in_node_group("CapacityType: ON_DEMAND"),
)
def reserved_spot(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        if _reserved(nodes) and _kind(nodes) == "SPOT":
            yield nodes.group.problem(
                ("CapacityType",),
                "Spot instances do not come from reservations",
                "write CapacityType: ON_DEMAND, or remove the reservation",
            )


@rule(
    "OVL539",
    "Several subnets for EFA or a Capacity Block",
    why="A Capacity Block and the traffic of EFA stay in one Availability Zone.",
    source=limits.CAPACITY_BLOCKS,
    bad=in_node_group(f"Subnets: [{', '.join(_SUBNETS)}]"),
    good=in_node_group(f"Subnets: [{_SUBNETS[0]}]"),
)
def one_zone(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        subnets = as_list(nodes.group.properties.get("Subnets"))
        in_block = _kind(nodes) == _BLOCK
        efa = any(interface.get("InterfaceType") in _EFA for interface in nodes.interfaces)
        if len(subnets) > 1 and (efa or in_block):
            what = "a Capacity Block" if in_block else "EFA"
            yield nodes.group.problem(
                ("Subnets",),
                f"{len(subnets)} subnets for {what}, which is in one zone",
                "keep the subnet of that zone",
            )


@rule(
    "OVL506",
    "Minimum, desired and maximum size out of order",
    why="EKS rejects a minimum above the desired size, or a desired size above the maximum.",
    source=f"{limits.API}NodegroupScalingConfig.html",
    bad=in_node_group("ScalingConfig: {MinSize: 9}"),
    good=in_node_group("ScalingConfig: {MinSize: 0}"),
)
def sizes(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        scaling = as_map(nodes.group.properties.get("ScalingConfig"))
        named = ((name, number(template.default(scaling.get(name)))) for name in _SIZES)
        known = [(name, number) for name, number in named if number is not None]
        for (lower, least), (upper, most) in pairwise(known):
            if least > most:
                yield nodes.group.problem(
                    ("ScalingConfig",),
                    f"{lower} {least} above {upper} {most}",
                    "MinSize, DesiredSize and MaxSize are in this order",
                )


_SIZES = ("MinSize", "DesiredSize", "MaxSize")


def _in_blocks(template: Template) -> Iterator[Nodes]:
    return (nodes for nodes in template.nodes if _kind(nodes) == _BLOCK)


def _kind(nodes: Nodes) -> object:
    return nodes.group.properties.get("CapacityType", "ON_DEMAND")


def _reserved(nodes: Nodes) -> Json:
    """The reservation that the launch template targets; empty without one."""
    specification = as_map(nodes.data.get("CapacityReservationSpecification"))
    return as_map(specification.get("CapacityReservationTarget"))
