"""FSX002: throughput comes in tiers."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog.fsx import INTELLIGENT_TIERING_MBPS, LustreClass, Storage, lustre_class
from clustergen.findings import Finding, Rule
from clustergen.plan import fsx
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import either, listed, new, title

RULE = Rule(
    code="FSX002",
    title="No such throughput tier",
    why="FSx for Lustre sells throughput per TiB in a few tiers, and with intelligent-tiering in "
    "steps of 4,000 MB/s of the file system.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-throughput-capacity.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 300}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        kind = lustre_class(item.deployment, item.storage_class)
        if kind is None or item.throughput is None or _allowed(kind, item.throughput):
            continue
        nearest, all_of_them = _nearest(kind, item.throughput)
        yield RULE.at(
            item.at("throughput"),
            f"{item.throughput} is not a throughput of a {title(item)} file system",
            help=f"nearest: {either(nearest)}; there is {all_of_them}",
        )


def _allowed(kind: LustreClass, throughput: int) -> bool:
    if kind.storage is Storage.INTELLIGENT_TIERING:
        return INTELLIGENT_TIERING_MBPS.allows(throughput)
    # Scratch has no tiers to choose from: FSX003.
    return not kind.throughputs or throughput in kind.throughputs


def _nearest(kind: LustreClass, throughput: int) -> tuple[tuple[int, ...], str]:
    if kind.storage is Storage.INTELLIGENT_TIERING:
        steps = INTELLIGENT_TIERING_MBPS
        every = f"every multiple of {steps.step:,} MB/s up to {steps.most:,}"
        return fsx.around(steps, throughput), every
    return fsx.beside(kind.throughputs, throughput), f"{listed(kind.throughputs)} MB/s per TiB"
