"""FSX015: metadata IOPS are persistent-2's."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import new, words

RULE = Rule(
    code="FSX015",
    title="Metadata IOPS without persistent-2",
    why="Only persistent-2 file systems take a metadata configuration.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, deployment: scratch-2, metadata_iops: auto}""",
    good="""storage:
  - {mount: /fsx, type: fsx-lustre, deployment: persistent-2, metadata_iops: auto}""",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        given = plan.wrote(*item.at("metadata_iops")) and item.metadata_iops is not None
        if given and item.deployment != "PERSISTENT_2":
            yield RULE.at(
                item.at("metadata_iops"),
                f"{words(item.deployment)} has no metadata IOPS to choose",
                help="leave metadata_iops out, or write deployment: persistent-2",
            )
