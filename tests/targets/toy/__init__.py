"""A whole target in a few lines: what CONTRIBUTING asks of one, and nothing more."""

from pathlib import Path

from clustergen.facts.schemas import Schema
from clustergen.plan.model import Traits
from clustergen.targets import Target
from tests.targets.toy.limits import LIMITS
from tests.targets.toy.support import SUPPORT

TARGET = Target(
    traits=Traits(name="toy", section="", limits=LIMITS),
    title="Toy",
    support=SUPPORT,
    primary="toy.json",
    schema=Schema(str(Path(__file__).with_name("schema.json")), False, ("name",)),
    emitter="tests.targets.toy.emit",
)
