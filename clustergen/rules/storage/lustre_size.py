"""FSX004: the sizes of a Lustre file system."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog.fsx import LustreClass, Steps, lustre_class
from clustergen.findings import Finding, Rule
from clustergen.plan import fsx
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import either, new, title

RULE = Rule(
    code="FSX004",
    title="Not a size of a Lustre file system",
    why="A file system grows by whole storage servers. How much one holds depends on deployment "
    "type, media and throughput, and with EFA it is much more.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250, efa: true}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, size: 19200GiB, throughput: 250, efa: true}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        kind = lustre_class(item.deployment, item.storage_class)
        steps = kind.sizes(item.throughput, efa=item.efa) if kind else None
        # No steps: the combination, or the throughput, is what is wrong, and has its own finding.
        if kind and steps and item.size_gib is not None and not steps.allows(item.size_gib):
            yield RULE.at(
                item.at("size"),
                f"{item.size_gib}GiB is not a size for {_which(item, kind)}",
                help=_help(item, kind, steps, item.size_gib),
            )


def _which(item: Lustre, kind: LustreClass) -> str:
    if item.efa:
        return f"an EFA-enabled file system at {item.throughput} MB/s/TiB"
    at = f" at {item.throughput} MB/s/TiB" if None not in kind.capacity else ""
    return f"a {title(item)} file system{at}"


def _help(item: Lustre, kind: LustreClass, steps: Steps, size: int) -> str:
    """The nearest sizes, the rule behind them, and throughputs at which the size is one."""
    small = "".join(f"{one}GiB, " for one in steps.small)
    help = (
        f"nearest: {either(fsx.around(steps, size), 'GiB')} ({small}multiples of {steps.step}GiB)"
    )
    others = [t for t in kind.throughputs if t != item.throughput]
    fitting = [t for t in others if (s := kind.sizes(t, efa=item.efa)) and s.allows(size)]
    return f"{help}; it is one at throughput: {either(fitting)}" if fitting else help
