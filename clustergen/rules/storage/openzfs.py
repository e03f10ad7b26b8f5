"""FSX024, FSX025, FSX026: size, throughput and IOPS of FSx for OpenZFS."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog.fsx import OPENZFS_GIB, OPENZFS_IOPS_PER_GIB, openzfs_class
from clustergen.findings import Finding, Rule
from clustergen.plan import fsx
from clustergen.plan.model import OpenZfs, Plan
from clustergen.rules.storage.entries import either, listed, new, words

_API = "https://docs.aws.amazon.com/fsx/latest/APIReference/"

SIZE = Rule(
    code="FSX024",
    title="Not a size of an OpenZFS file system",
    why="FSx for OpenZFS holds 64 GiB to 512 TiB.",
    source=f"{_API}API_CreateFileSystem.html",
    bad="storage: [{mount: /home, type: fsx-openzfs, size: 32GiB}]",
    good="storage: [{mount: /home, type: fsx-openzfs, size: 64GiB}]",
)
THROUGHPUT = Rule(
    code="FSX025",
    title="Not a throughput of this OpenZFS deployment",
    why="Throughput of the file system comes in tiers, which differ between deployment types.",
    source=f"{_API}API_CreateFileSystemOpenZFSConfiguration.html",
    bad="storage: [{mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 256}]",
    good="storage: [{mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320}]",
)
IOPS = Rule(
    code="FSX026",
    title="OpenZFS IOPS out of range",
    why="An OpenZFS file system has 3 IOPS per GiB by itself; more can be had, up to 200,000.",
    source=f"{_API}API_DiskIopsConfiguration.html",
    bad="storage: [{mount: /home, type: fsx-openzfs, size: 1024GiB, iops: 3000}]",
    good="storage: [{mount: /home, type: fsx-openzfs, size: 1024GiB, iops: 3072}]",
)
RULES = (SIZE, THROUGHPUT, IOPS)

_MOST_IOPS = 200_000


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, OpenZfs):
        yield from _size(item)
        yield from _throughput(item)
        yield from _iops(item)


def _size(item: OpenZfs) -> Iterator[Finding]:
    least, most = OPENZFS_GIB
    if item.size_gib is not None and not least <= item.size_gib <= most:
        nearest = min(max(item.size_gib, least), most)
        yield SIZE.at(
            item.at("size"),
            f"{item.size_gib}GiB is not a size of an OpenZFS file system",
            help=f"{least}GiB to {most}GiB; nearest: {nearest}GiB",
        )


def _throughput(item: OpenZfs) -> Iterator[Finding]:
    kind = openzfs_class(item.deployment)
    if kind and item.throughput is not None and item.throughput not in kind.throughputs:
        nearest = either(fsx.beside(kind.throughputs, item.throughput))
        yield THROUGHPUT.at(
            item.at("throughput"),
            f"{item.throughput} is not a throughput of {words(item.deployment)}",
            help=f"nearest: {nearest}; there is {listed(kind.throughputs)} MB/s",
        )


def _iops(item: OpenZfs) -> Iterator[Finding]:
    if item.iops is None or item.size_gib is None:
        return
    least = min(item.size_gib * OPENZFS_IOPS_PER_GIB, _MOST_IOPS)
    if not least <= item.iops <= _MOST_IOPS:
        yield IOPS.at(
            item.at("iops"),
            f"{item.iops} IOPS cannot be had with {item.size_gib}GiB",
            help=f"{least} to {_MOST_IOPS}; nearest: {min(max(item.iops, least), _MOST_IOPS)}",
        )
