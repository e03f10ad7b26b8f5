"""STG011, STG012: provisioned throughput of EBS volumes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan
from clustergen.rules.storage.volumes import Placed, nearest, volumes

_SOURCE = "https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html"

THROUGHPUT = Rule(
    code="STG011",
    title="Throughput that the volume type does not have",
    why="gp3 volumes have 125 to 2,000 MiB/s; no other type lets it be chosen.",
    source=_SOURCE,
    bad="storage: [{mount: /shared, type: ebs, volume_type: gp2, size: 500GiB, throughput: 250}]",
    good="storage: [{mount: /shared, type: ebs, volume_type: gp3, size: 500GiB, throughput: 250}]",
)
RATIO = Rule(
    code="STG012",
    title="More throughput than the IOPS allow",
    why="A gp3 volume has at most 0.25 MiB/s for each of its IOPS, 3,000 if none are given.",
    source=_SOURCE,
    bad="storage: [{mount: /shared, type: ebs, size: 500GiB, throughput: 1000}]",
    good="storage: [{mount: /shared, type: ebs, size: 500GiB, throughput: 1000, iops: 4000}]",
)
RULES = (THROUGHPUT, RATIO)


def check(plan: Plan) -> Iterator[Finding]:
    for placed in volumes(plan):
        throughput, bounds = placed.volume.throughput, placed.kind.mibps
        if throughput is None:
            continue
        if bounds is None:
            yield THROUGHPUT.at(
                placed.at("throughput"),
                f"the throughput of {placed.volume.type} volumes cannot be chosen",
                help="leave throughput out, or take gp3",
            )
        elif not bounds[0] <= throughput <= bounds[1]:
            yield THROUGHPUT.at(
                placed.at("throughput"),
                f"{throughput} MiB/s are not to be had on {placed.volume.type}",
                help=f"{bounds[0]} to {bounds[1]}; nearest: {nearest(throughput, bounds)}",
            )
        else:
            yield from _ratio(placed, throughput)


def _ratio(placed: Placed, throughput: int) -> Iterator[Finding]:
    iops = placed.volume.iops or placed.kind.default_iops or 0
    needed = throughput * placed.kind.iops_per_mibps
    if needed > iops:
        yield RATIO.at(
            placed.at("throughput"),
            f"{throughput} MiB/s are too many for {iops} IOPS",
            help=f"write iops: {needed}, or throughput: {iops // placed.kind.iops_per_mibps}",
        )
