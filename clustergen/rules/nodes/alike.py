"""CAP004: the types of one group can stand in for each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clustergen.catalog import InstanceType
from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan

RULE = Rule(
    code="CAP004",
    title="Types of one group differ in what jobs see",
    why="A job is placed on the group, not on a type: the scheduler is told one number of CPUs and "
    "accelerators and one architecture for all of its nodes.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_cng_create.html",
    bad="""node_groups:
  - {name: h200, instance_type: null, instance_types: [g6e.12xlarge, g6.24xlarge], count: 2}""",
    good="""node_groups:
  - {name: h200, instance_type: null, instance_types: [g6e.12xlarge, g6.12xlarge], count: 2}""",
)

_ALIKE: tuple[tuple[str, Callable[[InstanceType], object]], ...] = (
    ("architecture", lambda type: type.arch),
    ("vCPUs", lambda type: type.vcpus),
    ("accelerators", lambda type: type.accelerator.count if type.accelerator else 0),
    (
        "accelerator manufacturer",
        lambda type: type.accelerator.manufacturer if type.accelerator else "none",
    ),
)


def check(plan: Plan) -> Iterator[Finding]:
    for group in plan.node_groups:
        first = group.types[0]
        for index, other in enumerate(group.types[1:], start=1):
            for what, of in _ALIKE:
                if of(other) != of(first):
                    yield RULE.at(
                        group.at("instance_types", index),
                        f"{other.name} has {of(other)} ({what}), {first.name} has {of(first)}",
                        help="give types that differ groups of their own",
                    )
                    break
