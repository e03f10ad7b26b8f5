"""Placement groups: useful and useless ones."""

import re
from collections.abc import Iterator

from clustergen.base.findings import Problem, note, put, rule, unsafe, warning
from clustergen.plan.model import Plan

_GUIDE = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html"


@rule(
    "PLC001",
    "Instance type without support for cluster placement groups",
    why="EC2 does not start it in one.",
    source=_GUIDE,
    bad="node_groups: [{name: h200, instance_type: vt1.24xlarge, placement: cluster}]",
)
def supported(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        for type in group.types if group.placement.kind == "cluster" else ():
            if "cluster" not in type.placement:
                yield Problem(
                    group.at("placement"),
                    f"{type.name} does not support cluster placement groups",
                    help="write placement: none",
                    fix=unsafe(put(group.at("placement"), "none")),
                )


@warning(
    "PLC002",
    "Placement group with a reservation",
    why="The reservation or block fixes where its instances are; a new placement group is "
    "elsewhere, and instances fail to start for lack of capacity.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html",
    bad="""node_groups:
  - {name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}, placement: cluster}""",
)
def reserved(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        bought = group.capacity.kind
        # A reservation may be in a placement group of the user, a Capacity Block never is.
        named = group.placement.kind == "existing" and bought == "capacity-block"
        if named or (group.placement.kind == "cluster" and group.reserved):
            yield Problem(
                group.at("placement"),
                f"a placement group in addition to the {bought} {group.capacity.id or ''}".rstrip(),
                help="write placement: auto",
                fix=unsafe(put(group.at("placement"), "auto")),
            )


@warning(
    "PLC004",
    "Id of a placement group in place of its name",
    why="Launch templates name the placement group. EC2 looks for a group that is called like the "
    "id, and starts nothing.",
    source=_GUIDE,
    bad="node_groups: [{name: h200, placement: {group: pg-0a1b2c3d4e5f67890}}]",
    good="node_groups: [{name: h200, placement: {group: training}}]",
)
def group_id(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if re.fullmatch(r"pg-[0-9a-f]{8,17}", group.placement.group or ""):
            yield Problem(
                group.at("placement", "group"),
                f"{group.placement.group} looks like the id of a placement group",
                help="write its name: aws ec2 describe-placement-groups lists both",
            )


@warning(
    "PLC003",
    "EFA nodes without a placement group",
    why="Without a placement group, On-Demand nodes may be far apart, which costs latency in "
    "every collective operation.",
    source=_GUIDE,
    bad="node_groups: [{name: h200, placement: none}]",
)
def scattered(plan: Plan) -> Iterator[Problem]:
    for group in () if plan.sagemaker else plan.node_groups:
        loose = group.placement.kind == "none" and group.capacity.kind == "on-demand"
        if loose and group.efa and group.max > 1:
            yield Problem(
                group.at("placement"),
                f"{group.max} EFA nodes may start far from each other",
                help="write placement: auto",
                fix=unsafe(put(group.at("placement"), "auto")),
            )


_SEVERAL = """node_groups:
  - name: h200
    instance_type: null
    instance_types: [g6e.12xlarge, g6.12xlarge]
"""


@note(
    "PLC005",
    "Placement group for several instance types",
    why="EC2 recommends one instance type for each cluster placement group. With several types, it "
    "may lack capacity for them close together.",
    source=_GUIDE,
    bad=f"{_SEVERAL}    count: 2\n    placement: {{group: training}}",
)
def several_types(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        grouped = group.placement.kind in ("cluster", "existing")
        if grouped and len(group.types) > 1 and plan.wrote(*group.at("placement")):
            yield Problem(
                group.at("placement"),
                f"{len(group.types)} instance types in one placement group",
                help="write placement: none, or one instance type",
                fix=unsafe(put(group.at("placement"), "none")),
            )


@note(
    "PLC006",
    "Spot capacity of several types in one placement group",
    why="EC2 has less capacity for a cluster placement group, and even less for one with several "
    "types. It is the default of groups with EFA, which also works without one.",
    source=_GUIDE,
    bad=f"{_SEVERAL}    capacity: spot",
)
def spot_types(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        together = group.placement.kind == "cluster" and not plan.wrote(*group.at("placement"))
        if together and group.capacity.kind == "spot" and len(group.types) > 1:
            yield Problem(
                group.at("capacity"),
                f"Spot nodes of {group.name} have {len(group.types)} types, and must fit into "
                "one cluster placement group",
                help="write placement: none for more capacity, or placement: cluster if jobs need "
                "their nodes to be near",
                fix=unsafe(put(group.at("placement"), "none")),
            )
