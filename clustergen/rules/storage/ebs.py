"""EBS volumes, including boot volumes: size, IOPS and throughput."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, rule, unsafe, unwanted
from clustergen.plan.model import Plan
from clustergen.plan.volumes import Placed, volumes

_GP3 = "https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html"


def _nearest(number: int, bounds: tuple[int, int]) -> int:
    least, most = bounds
    return min(max(number, least), most)


@rule(
    "STG008",
    "Invalid size for the EBS volume type",
    why="Each volume type has a smallest and a largest size.",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html",
    bad="storage: [{mount: /shared, type: ebs, volume_type: st1, size: 100GiB}]",
)
def size(plan: Plan) -> Iterator[Problem]:
    for placed in volumes(plan):
        size, (least, most) = placed.volume.size_gib, placed.kind.gib
        if size is not None and not least <= size <= most:
            nearest = _nearest(size, placed.kind.gib)
            yield Problem(
                placed.at("size"),
                f"{size}GiB is not a size of a {placed.volume.type} volume",
                help=f"{least}GiB to {most}GiB; nearest: {nearest}GiB",
                fix=unsafe(put(placed.at("size"), f"{nearest}GiB")),
            )


@rule(
    "STG009",
    "IOPS that the volume type does not support",
    why="gp3, io1 and io2 volumes have provisioned IOPS, each in its own range; the other types "
    "have no such setting.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html",
    bad="storage: [{mount: /shared, type: ebs, volume_type: gp3, size: 500GiB, iops: 2000}]",
)
def iops(plan: Plan) -> Iterator[Problem]:
    for placed in volumes(plan):
        if placed.volume.iops is not None:
            yield from _outside(placed, "iops", placed.volume.iops, placed.kind.iops)


def _outside(
    placed: Placed, field: str, value: int, bounds: tuple[int, int] | None
) -> Iterator[Problem]:
    """What is wrong with a value that a volume type has within ``bounds``, or not at all."""
    name, unit = ("IOPS", "IOPS") if field == "iops" else ("throughput", "MiB/s")
    type = placed.volume.type
    if bounds is None:
        message = f"{type} volumes have no {name} setting"
        yield unwanted(placed.at(field), message, help=f"remove {field}, or use gp3")
    elif not _in_range(value, bounds):
        least, most = bounds
        yield Problem(
            placed.at(field),
            f"{type} does not have {value} {unit}",
            help=f"{least} to {most}; nearest: {_nearest(value, bounds)}",
            fix=unsafe(put(placed.at(field), _nearest(value, bounds))),
        )


@rule(
    "STG010",
    "More IOPS than the size allows",
    why="IOPS grow with the volume: 500 per GiB on gp3, 50 on io1, 1,000 on io2.",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/provisioned-iops.html",
    bad="storage: [{mount: /shared, type: ebs, volume_type: io1, size: 100GiB, iops: 6000}]",
)
def iops_per_gib(plan: Plan) -> Iterator[Problem]:
    for placed in volumes(plan):
        iops, bounds, per_gib = placed.volume.iops, placed.kind.iops, placed.kind.iops_per_gib
        size = placed.volume.size_gib
        if iops is None or bounds is None or not _in_range(iops, bounds) or not size:
            continue
        # Every size has the minimum: a gp3 volume of 1 GiB has 3,000 IOPS.
        if per_gib and iops > max(size * per_gib, bounds[0]):
            yield Problem(
                placed.at("iops"),
                f"{iops} IOPS are too many for {size}GiB of {placed.volume.type}",
                help=f"at most {max(size * per_gib, bounds[0])}, or size: {-(-iops // per_gib)}GiB",
                fix=unsafe(put(placed.at("iops"), max(size * per_gib, bounds[0]))),
            )


@rule(
    "STG011",
    "Throughput that the volume type does not support",
    why="gp3 volumes have 125 to 2,000 MiB/s; no other type lets you choose it.",
    source=_GP3,
    bad="storage: [{mount: /shared, type: ebs, volume_type: gp2, size: 500GiB, throughput: 250}]",
    good="storage: [{mount: /shared, type: ebs, volume_type: gp3, size: 500GiB, throughput: 250}]",
)
def throughput(plan: Plan) -> Iterator[Problem]:
    for placed in volumes(plan):
        if placed.volume.throughput is not None:
            yield from _outside(placed, "throughput", placed.volume.throughput, placed.kind.mibps)


@rule(
    "STG012",
    "More throughput than the IOPS allow",
    why="A gp3 volume has at most 0.25 MiB/s for each of its IOPS, 3,000 if none are given.",
    source=_GP3,
    bad="storage: [{mount: /shared, type: ebs, size: 500GiB, throughput: 1000}]",
)
def throughput_per_iops(plan: Plan) -> Iterator[Problem]:
    for placed in volumes(plan):
        throughput, bounds = placed.volume.throughput, placed.kind.mibps
        if throughput is None or bounds is None or not _in_range(throughput, bounds):
            continue
        iops = placed.volume.iops or placed.kind.default_iops or 0
        needed = throughput * placed.kind.iops_per_mibps
        if needed > iops:
            yield Problem(
                placed.at("throughput"),
                f"{throughput} MiB/s are too many for {iops} IOPS",
                help=f"write iops: {needed}, or throughput: {iops // placed.kind.iops_per_mibps}",
                fix=unsafe(put(placed.at("iops"), needed)),
            )


def _in_range(number: int, bounds: tuple[int, int]) -> bool:
    return bounds[0] <= number <= bounds[1]
