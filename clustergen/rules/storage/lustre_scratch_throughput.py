"""FSX003: the throughput of scratch file systems is fixed."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import new, words

RULE = Rule(
    code="FSX003",
    title="Throughput of a scratch file system",
    why="Scratch file systems have 200 MB/s per TiB; the API refuses PerUnitStorageThroughput.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, deployment: scratch-2, size: 1200GiB, throughput: 250}""",
    good="storage: [{mount: /fsx, type: fsx-lustre, deployment: scratch-2, size: 1200GiB}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        if item.deployment.startswith("SCRATCH") and item.throughput is not None:
            yield RULE.at(
                item.at("throughput"),
                f"the throughput of {words(item.deployment)} cannot be chosen",
                help="leave throughput out, or write deployment: persistent-2",
            )
