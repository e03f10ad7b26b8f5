"""A whole target in a few lines: what CONTRIBUTING asks of one, and nothing more.

It renders node groups as one JSON file. Its limits alone give it the shared rules.
"""

from __future__ import annotations

from pathlib import Path

from clustergen.features import FEATURES, Support
from clustergen.plan.limits import GroupSize, Limits, Names
from clustergen.plan.model import Traits
from clustergen.schemas import Schema
from clustergen.targets import Target

GUIDE = "https://example.com/toy"
FULL = ["capacity.on-demand", "capacity.spot", "instances.hpc", "nodes.image", "nodes.scaling"]
LEFT_OUT = [
    "placement.cluster",
    "head.node",
    "login.nodes",
    "network.efa",
    "nodes.smt",
    "storage.efs",
]


def answer(feature: str) -> Support:
    """What the toy makes of a feature."""
    if feature in FULL:
        return Support("full", "a member of its group", GUIDE)
    if feature in LEFT_OUT:
        return Support("partial", "left out: toys do without", GUIDE)
    return Support("none", "no toy has it", GUIDE)


TARGET = Target(
    traits=Traits(
        name="toy",
        section="",
        limits=Limits(
            title="Toy",
            names=(Names(of=("node group",), longest=12, source=GUIDE),),
            group_size=GroupSize(most=64, source=GUIDE),
        ),
    ),
    title="Toy",
    support={feature.id: answer(feature.id) for feature in FEATURES},
    primary="toy.json",
    schema=Schema(
        file=str(Path(__file__).with_name("schema.json")), cloudformation=False, list_keys=("name",)
    ),
    emitter="tests.toy.emit",
)
