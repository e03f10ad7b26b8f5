"""FSX016: how many metadata IOPS can be provisioned."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan import fsx
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import either, new, words

RULE = Rule(
    code="FSX016",
    title="Not a number of metadata IOPS",
    why="SSD file systems take 1500, 3000, 6000 and multiples of 12000 up to 192000, "
    "intelligent-tiering takes 6000 or 12000.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, metadata_iops: 10000}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, metadata_iops: 12000}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        iops, steps = item.metadata_iops, fsx.metadata_steps(item.storage_class)
        if item.deployment == "PERSISTENT_2" and isinstance(iops, int) and not steps.allows(iops):
            auto = "" if item.storage_class == "INTELLIGENT_TIERING" else ", or auto"
            yield RULE.at(
                item.at("metadata_iops"),
                f"{iops} is not a number of metadata IOPS for {words(item.storage_class)}",
                help=f"nearest: {either(fsx.around(steps, iops))}{auto}",
            )
