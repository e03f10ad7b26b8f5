"""STG018: throughput of EFS goes with its mode."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Efs, Plan
from clustergen.rules.storage.entries import new

RULE = Rule(
    code="STG018",
    title="EFS throughput without its mode, or the mode without it",
    why="Throughput is a number with mode provisioned only; elastic and bursting find their own.",
    source="https://docs.aws.amazon.com/efs/latest/ug/performance.html#throughput-modes",
    bad="storage: [{mount: /home, type: efs, throughput: 256}]",
    good="storage: [{mount: /home, type: efs, throughput_mode: provisioned, throughput: 256}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Efs):
        provisioned = item.throughput_mode == "provisioned"
        if provisioned and item.throughput is None:
            yield RULE.at(
                item.at("throughput_mode"),
                "provisioned throughput, but how much?",
                help="add throughput: 256 (MiB/s), or write throughput_mode: elastic",
            )
        elif not provisioned and item.throughput is not None:
            yield RULE.at(
                item.at("throughput"),
                f"throughput is not chosen with throughput_mode: {item.throughput_mode}",
                help="add throughput_mode: provisioned, or leave throughput out",
            )
