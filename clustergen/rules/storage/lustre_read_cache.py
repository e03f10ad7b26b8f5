"""FSX014: the read cache of intelligent-tiering."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog.fsx import INTELLIGENT_TIERING_MBPS
from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import new, words

RULE = Rule(
    code="FSX014",
    title="Read cache that cannot be",
    why="With intelligent-tiering the SSD read cache is between 32 and 131,072 GiB for each 4,000 "
    "MB/s of throughput; no other storage class has one.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_LustreReadCacheConfiguration.html",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, storage_class: intelligent-tiering, read_cache: 16GiB}""",
    good="""storage:
  - {mount: /fsx, type: fsx-lustre, storage_class: intelligent-tiering, read_cache: 32GiB}""",
)

_GIB_PER_SERVER = (32, 131_072)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        if item.storage_class != "INTELLIGENT_TIERING":
            if plan.wrote(*item.at("read_cache")):
                yield RULE.at(
                    item.at("read_cache"),
                    f"{words(item.storage_class)} has no read cache",
                    help="leave read_cache out, or write storage_class: intelligent-tiering",
                )
        elif isinstance(item.read_cache_gib, int):
            yield from _range(item, item.read_cache_gib)


def _range(item: Lustre, size: int) -> Iterator[Finding]:
    throughput = item.throughput or INTELLIGENT_TIERING_MBPS.least
    servers = max(1, throughput // INTELLIGENT_TIERING_MBPS.step)
    least, most = (gib * servers for gib in _GIB_PER_SERVER)
    if not least <= size <= most:
        yield RULE.at(
            item.at("read_cache"),
            f"{size}GiB is not a read cache of a file system with {throughput} MB/s",
            help=f"{least}GiB to {most}GiB, or auto; nearest: {min(max(size, least), most)}GiB",
        )
