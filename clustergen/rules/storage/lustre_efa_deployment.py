"""FSX005: EFA needs persistent-2."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import new, words

RULE = Rule(
    code="FSX005",
    title="EFA without persistent-2",
    why="FSx serves clients over EFA from persistent-2 file systems with a metadata configuration "
    "only, and a file system cannot be changed into one.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, deployment: scratch-2, size: 4800GiB, efa: true}""",
    good="""storage:
  - mount: /fsx
    type: fsx-lustre
    deployment: persistent-2
    size: 4800GiB
    throughput: 1000
    efa: true""",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        if item.efa and item.deployment != "PERSISTENT_2":
            yield RULE.at(
                item.at("efa"),
                f"{words(item.deployment)} has no EFA",
                help="write deployment: persistent-2 with storage_class: ssd, or efa: false",
            )
