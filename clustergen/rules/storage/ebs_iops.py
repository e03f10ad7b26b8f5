"""STG009, STG010: provisioned IOPS of EBS volumes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan
from clustergen.rules.storage.volumes import Placed, nearest, volumes

_SOURCE = "https://docs.aws.amazon.com/ebs/latest/userguide/provisioned-iops.html"

IOPS = Rule(
    code="STG009",
    title="IOPS that the volume type does not have",
    why="gp3, io1 and io2 volumes have provisioned IOPS in a range of their own; io1 and io2 must "
    "say how many, the other types cannot.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html",
    bad="storage: [{mount: /shared, type: ebs, volume_type: gp3, size: 500GiB, iops: 2000}]",
    good="storage: [{mount: /shared, type: ebs, volume_type: gp3, size: 500GiB, iops: 3000}]",
)
RATIO = Rule(
    code="STG010",
    title="More IOPS than the size allows",
    why="IOPS grow with the volume: 500 per GiB on gp3, 50 on io1, 1,000 on io2.",
    source=_SOURCE,
    bad="storage: [{mount: /shared, type: ebs, volume_type: io1, size: 100GiB, iops: 6000}]",
    good="storage: [{mount: /shared, type: ebs, volume_type: io1, size: 100GiB, iops: 5000}]",
)
RULES = (IOPS, RATIO)


def check(plan: Plan) -> Iterator[Finding]:
    for placed in volumes(plan):
        if placed.volume.iops is None:
            yield from _missing(placed)
        elif placed.kind.iops is None:
            yield IOPS.at(
                placed.at("iops"),
                f"the IOPS of {placed.volume.type} volumes cannot be chosen",
                help="leave iops out, or take gp3",
            )
        else:
            yield from _number(placed, placed.volume.iops, placed.kind.iops)


def _missing(placed: Placed) -> Iterator[Finding]:
    if placed.kind.iops and placed.kind.default_iops is None:
        least, most = placed.kind.iops
        yield IOPS.at(
            placed.path,
            f"{placed.volume.type} volumes need iops",
            help=f"add iops: {least} to {most}, or take gp3, which has 3000 by itself",
        )


def _number(placed: Placed, iops: int, bounds: tuple[int, int]) -> Iterator[Finding]:
    type, size, per_gib = placed.volume.type, placed.volume.size_gib, placed.kind.iops_per_gib
    least, most = bounds
    if not least <= iops <= most:
        yield IOPS.at(
            placed.at("iops"),
            f"{iops} IOPS are not to be had on {type}",
            help=f"{least} to {most}; nearest: {nearest(iops, bounds)}",
        )
    # The least can be had at any size: a gp3 volume of 1 GiB has its 3,000 IOPS.
    elif size and per_gib and iops > max(size * per_gib, least):
        yield RATIO.at(
            placed.at("iops"),
            f"{iops} IOPS are too many for {size}GiB of {type}",
            help=f"at most {max(size * per_gib, least)}, or size: {-(-iops // per_gib)}GiB",
        )
